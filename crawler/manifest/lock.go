package manifest

import (
	"bufio"
	"bytes"
	"path"
	"regexp"
	"strings"

	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
)

// LockNames are the names of lock files.
var LockNames = []string{
	"package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock",
	"uv.lock", "poetry.lock", "pdm.lock", "go.sum", "Cargo.lock", "composer.lock", "Gemfile.lock",
	"packages.lock.json", "Package.resolved",
}

// A lockFormat finds packages in the lines of a lock file: name and version in
// one line, or the version in a line after the name's.
type lockFormat struct {
	entry, name, version *regexp.Regexp
	python               bool // names may be normalised as Python's
	last                 bool // the last entry of a package counts
}

var (
	npmLock = lockFormat{
		name:    regexp.MustCompile(`^\s{2,4}"node_modules/([^"]+)": \{`),
		version: regexp.MustCompile(`^\s+"version": "([^"]+)"`),
	}
	tomlLock = lockFormat{
		name:    regexp.MustCompile(`^name = "([^"]+)"`),
		version: regexp.MustCompile(`^version = "([^"]+)"`),
		python:  true,
	}
	lockFormats = map[string]lockFormat{
		"package-lock.json":   npmLock,
		"npm-shrinkwrap.json": npmLock,
		"uv.lock":             tomlLock,
		"poetry.lock":         tomlLock,
		"pdm.lock":            tomlLock,
		"Cargo.lock":          tomlLock,
		"pnpm-lock.yaml":      {entry: regexp.MustCompile(`^  ['"]?/?(@?[^@'"\s(]+)@([0-9][^:('"\s]*)`)},
		"bun.lock":            {entry: regexp.MustCompile(`^\s+"[^"]+": \["(@?[^"@]+)@([0-9][^"]*)"`)},
		"Gemfile.lock":        {entry: regexp.MustCompile(`^    ([\w.-]+) \(([\w.-]+)\)$`)},
		"go.sum":              {entry: regexp.MustCompile(`^(\S+) ([^\s/]+) \S+$`), last: true},
		"yarn.lock": {
			name:    regexp.MustCompile(`^"?(@?[^@"\s]+)@`),
			version: regexp.MustCompile(`^\s+version:? "?([^"\s]+)"?`),
		},
		"composer.lock": {
			name:    regexp.MustCompile(`^\s*"name": "([^"]+)"`),
			version: regexp.MustCompile(`^\s*"version": "([^"]+)"`),
		},
	}
)

const (
	maxLock     = 4 << 20 // bytes of a lock file
	maxLockLine = 4096    // bytes; longer lines have no package
)

// Locked returns the version that a lock file fixes a package at, "" if it does
// not say or is larger than 4 MiB. The file name determines the format.
func Locked(name string, b []byte, pkg string) string {
	format, known := lockFormats[path.Base(name)]
	if !known || pkg == "" || len(b) > maxLock {
		return ""
	}
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, 1<<20)
	current, version := "", ""
	for lines.Scan() && (version == "" || format.last) {
		line := lines.Text()
		if len(line) > maxLockLine {
			continue
		}
		if v := format.read(line, pkg, &current); v != "" {
			version = v
		}
	}
	return untyped.Short(version)
}

// read returns the version of a package that a line gives, and keeps the name
// that the next line may be about in current.
func (f *lockFormat) read(line, pkg string, current *string) string {
	if f.entry != nil {
		if m := f.entry.FindStringSubmatch(line); m != nil && strings.EqualFold(m[1], pkg) {
			return m[2]
		}
		return ""
	}
	if m := f.name.FindStringSubmatch(line); m != nil {
		*current = m[1]
		return ""
	}
	same := strings.EqualFold(*current, pkg) || f.python && registry.PyPIName(*current) == pkg
	if m := f.version.FindStringSubmatch(line); m != nil && same {
		return m[1]
	}
	return ""
}
