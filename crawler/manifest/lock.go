package manifest

import (
	"path"
	"regexp"
	"strings"

	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
)

var LockNames = []string{
	"package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock",
	"uv.lock", "poetry.lock", "pdm.lock", "go.sum", "Cargo.lock", "composer.lock", "Gemfile.lock",
	"packages.lock.json", "Package.resolved",
}

// lockFormats match a package, NAME, in a lock file, with its version.
var lockFormats = map[string]string{
	"package-lock.json":   npmLock,
	"npm-shrinkwrap.json": npmLock,
	"uv.lock":             tomlLock,
	"poetry.lock":         tomlLock,
	"pdm.lock":            tomlLock,
	"Cargo.lock":          tomlLock,
	"pnpm-lock.yaml":      `^  ['"]?/?NAME@([0-9][^:('"\s]*)`,
	"bun.lock":            `^\s+"[^"]+": \["NAME@([0-9][^"]*)"`,
	"Gemfile.lock":        `^    NAME \(([\w.-]+)\)\r?$`,
	"go.sum":              `^NAME ([^\s/]+) \S+$`,
	"yarn.lock":           `^"?NAME@.*\n(?:  .*\n)*?\s+version:? "?([^"\s]+)"?`,
	"composer.lock":       `^\s*"name": "NAME",\s+"version": "([^"]+)"`,
}

const (
	npmLock  = `^\s{2,4}"node_modules/NAME": \{(?:\s+"(?:name|resolved)": .*)*?\s+"version": "([^"]+)"`
	tomlLock = `^name = "NAME"\s+version = "([^"]+)"`

	maxLock = 4 << 20 // bytes of a lock file
)

// Locked returns the version of a package in a lock file, "" if it is unknown or the file is
// larger than 4 MiB. The file name determines the format.
func Locked(name string, b []byte, pkg string) string {
	format := lockFormats[path.Base(name)]
	if format == "" || pkg == "" || len(b) > maxLock || len(b) == 0 {
		return ""
	}
	pattern := regexp.QuoteMeta(pkg)
	if format == tomlLock { // names may be normalized as in Python
		pattern = registry.PyPIPattern(pkg)
	}
	entry := regexp.MustCompile(`(?im)` + strings.Replace(format, "NAME", pattern, 1))
	all := entry.FindAllSubmatch(b, -1)
	switch {
	case len(all) == 0:
		return ""
	case path.Base(name) == "go.sum": // lower versions are first
		return untyped.Short(string(all[len(all)-1][1]))
	}
	return untyped.Short(string(all[0][1]))
}
