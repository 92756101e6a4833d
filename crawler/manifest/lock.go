package manifest

import (
	"bufio"
	"bytes"
	"path"
	"regexp"
	"strings"

	"mcpcensus/crawler/untyped"
)

// MaxLock is the largest lock file that is read, in bytes.
const MaxLock = 4 << 20

// LockNames are the lock files whose contents [Locked] reads.
var LockNames = []string{"package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "uv.lock", "poetry.lock", "pdm.lock", "go.sum", "Cargo.lock", "composer.lock", "Gemfile.lock", "packages.lock.json", "Package.resolved"}

var (
	lockNPM    = regexp.MustCompile(`^\s{2,4}"node_modules/([^"]+)": \{`)
	lockNPMVer = regexp.MustCompile(`^\s+"version": "([^"]+)"`)
	lockPNPM   = regexp.MustCompile(`^  ['"]?/?(@?[^@'"\s(]+)@([0-9][^:('"\s]*)`)
	lockTOML   = regexp.MustCompile(`^(name|version) = "([^"]+)"`)
	lockYarn   = regexp.MustCompile(`^"?(@?[^@"\s]+)@`)
	lockYarnV  = regexp.MustCompile(`^\s+version:? "?([^"\s]+)"?`)
	lockGem    = regexp.MustCompile(`^    ([\w.-]+) \(([\w.-]+)\)$`)
	lockBun    = regexp.MustCompile(`^\s+"([^"]+)": \["(@?[^@"]+)@([0-9][^"]*)"`)
)

// Locked returns the version that a lock file fixes a package at, "" if it
// does not say. The format is told by the file's name; the file is read line
// by line up to [MaxLock].
func Locked(name string, b []byte, pkg string) string {
	if pkg == "" || len(b) > MaxLock {
		return ""
	}
	sc := bufio.NewScanner(bytes.NewReader(b))
	sc.Buffer(nil, 1<<20)
	file := path.Base(name)
	same := func(s string) bool { return strings.EqualFold(s, pkg) }
	current := ""
	for sc.Scan() {
		line := strings.TrimRight(sc.Text(), "\r")
		if len(line) > 4096 {
			continue
		}
		switch file {
		case "package-lock.json", "npm-shrinkwrap.json":
			if m := lockNPM.FindStringSubmatch(line); m != nil {
				current = m[1]
			} else if m := lockNPMVer.FindStringSubmatch(line); m != nil && same(current) {
				return untyped.Short(m[1])
			}
		case "pnpm-lock.yaml":
			if m := lockPNPM.FindStringSubmatch(line); m != nil && same(m[1]) {
				return untyped.Short(m[2])
			}
		case "bun.lock":
			if m := lockBun.FindStringSubmatch(line); m != nil && same(m[2]) {
				return untyped.Short(m[3])
			}
		case "yarn.lock":
			if m := lockYarn.FindStringSubmatch(line); m != nil {
				current = m[1]
			} else if m := lockYarnV.FindStringSubmatch(line); m != nil && same(current) {
				return untyped.Short(m[1])
			}
		case "uv.lock", "poetry.lock", "pdm.lock", "Cargo.lock":
			if strings.HasPrefix(line, "[[package]]") {
				current = ""
			} else if m := lockTOML.FindStringSubmatch(line); m != nil {
				if m[1] == "name" {
					current = m[2]
				} else if current != "" && (same(current) || same(PyName(current))) {
					return untyped.Short(m[2])
				}
			}
		case "go.sum":
			if f := strings.Fields(line); len(f) == 3 && f[0] == pkg && !strings.HasSuffix(f[1], "/go.mod") {
				current = f[1] // the newest stands last
			}
		case "composer.lock":
			t := strings.TrimSpace(line)
			if v, ok := strings.CutPrefix(t, `"name": "`); ok {
				current = strings.TrimSuffix(strings.TrimSuffix(v, ","), `"`)
			} else if v, ok := strings.CutPrefix(t, `"version": "`); ok && same(current) {
				return untyped.Short(strings.TrimSuffix(strings.TrimSuffix(v, ","), `"`))
			}
		case "Gemfile.lock":
			if m := lockGem.FindStringSubmatch(line); m != nil && same(m[1]) {
				return untyped.Short(m[2])
			}
		default:
			return ""
		}
	}
	if file == "go.sum" {
		return untyped.Short(current)
	}
	return ""
}
