package main

import (
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"golang.org/x/mod/semver"
)

// TestModules compares the modules that are linked, as `go version -m` prints them, with
// internal/rules/denied.txt.
func TestModules(t *testing.T) {
	info, ok := debug.ReadBuildInfo()
	if !ok || len(info.Deps) == 0 {
		t.Fatal("the program does not contain its modules")
	}
	versions := map[string]string{}
	for _, m := range info.Deps {
		if m.Replace != nil {
			t.Errorf("%s is replaced by %s", m.Path, m.Replace.Path)
		}
		versions[m.Path] = m.Version
	}
	b, err := os.ReadFile("../../internal/rules/denied.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		path, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		first, reason, _ := strings.Cut(rest, " ")
		if first != "any" && !semver.IsValid(first) || reason == "" {
			t.Errorf("malformed line: %s", line)
			continue
		}
		linked, ok := versions[path]
		if ok && (first == "any" || semver.Compare(linked, first) < 0) {
			t.Errorf("%s %s is linked: %s", path, linked, reason)
		}
	}
}
