// Package listing chooses source files from a listing of paths.
package listing

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	asideFolders = regexp.MustCompile(`^(tests?|__tests__|testing|test[-_].*|.*[-_]tests?|testdata|fixtures?|` +
		`specs?|e2e|` +
		`examples?|samples?|docs?|demos?|demo[-_]?(servers?|apps?|clients?)|benchmarks?|evals?|evaluations?|notebooks?|tutorials?|cookbooks?|` +
		`(__)?mocks(__)?|stories|coverage|website|node_modules|vendor|third_party|site-packages|venv|\.[^.].*|__pycache__|migrations|scripts|` +
		`src/test|androidTest|Test(Fixtures|Data|Support|Utils|Helpers)|.*\.tests?|.*\.unittests?)$`)
	asideFiles = regexp.MustCompile(`(?i)(^test_.*\.py|_test\.(py|go|rb|exs)|^tests\.\w+|^test\.py|` +
		`^conftest\.py|^setup\.py|_spec\.rb|Tests?\.(cs|java|kt|swift|php)|` +
		`(IT|Spec|TestCase)\.(java|kt)|\.pb\.go|_pb2\.py|\.g\.cs|` +
		`(^test|.*[._-](test|spec))[._-].*[jt]sx?|.*\.(stories|config|bench|e2e|mock)\.\w+)$`)
)

// Root returns the folder that contains all paths, "" for the top.
func Root(paths []string) string {
	if len(paths) == 0 {
		return ""
	}
	root := path.Dir(paths[0])
	for _, p := range paths {
		for root != "." && !strings.HasPrefix(p, root+"/") {
			root = path.Dir(root)
		}
	}
	if root == "." {
		return ""
	}
	return root
}

// IsAside reports whether a path below root is a test, an example or third-party code, which
// registers no tools of the server.
func IsAside(root, file string) bool {
	file = strings.TrimPrefix(strings.TrimPrefix(file, root), "/")
	folders := strings.Split(file, "/")
	for i, folder := range folders[:len(folders)-1] {
		if i > 0 && folders[i-1] == "tools" && !strings.Contains(strings.ToLower(folder), "test") {
			continue // named after what the tools operate on
		}
		if asideFolders.MatchString(folder) || asideFolders.MatchString(strings.ToLower(folder)) {
			return true
		}
	}
	return asideFiles.MatchString(path.Base(file))
}

// Choose returns the paths with one of the endings, without tests and examples, by
// descending score; paths near the root come first among equals.
func Choose(paths []string, score func(file string) int, endings ...string) []string {
	var own []string
	for _, p := range paths {
		if slices.Contains(endings, path.Ext(p)) {
			own = append(own, p)
		}
	}
	root := Root(own)
	own = slices.DeleteFunc(own, func(p string) bool { return IsAside(root, p) })
	scores := make(map[string]int, len(own))
	for _, p := range own {
		scores[p] = score(p)
	}
	slices.SortStableFunc(own, func(a, b string) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]),
			cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), strings.Compare(a, b))
	})
	return own
}

var (
	toolWords   = regexp.MustCompile(`tools?([^a-z]|$)`)
	serverWords = regexp.MustCompile(`mcp|server|handler|toolset|action|registry|definition`)
	entryWords  = regexp.MustCompile(`^(__main__|__init__|main|app|index|cli|program|lib)\.\w+$`)
	separators  = strings.NewReplacer("-", "", "_", "")
)

// Score rates how likely a path registers tools: files and folders named after tools first, then
// after servers, then entry points.
func Score(file string) int {
	file = strings.ToLower(file)
	base, folder := path.Base(file), path.Dir(file)
	score := 0
	switch {
	case toolWords.MatchString(base):
		score = 40
	case serverWords.MatchString(base):
		score = 30
	case entryWords.MatchString(base):
		score = 20
	}
	if toolWords.MatchString(folder) {
		score += 25
	} else if serverWords.MatchString(path.Base(folder)) {
		score += 5
	}
	name := strings.TrimSuffix(base, path.Ext(base))
	if separators.Replace(name) == separators.Replace(path.Base(folder)) {
		score += 3 // the main file of its folder
	}
	return score
}

// IsLikely reports whether a path probably registers tools: it is named after them, or is the
// main file of a folder among those of tools.
func IsLikely(file string) bool { return Score(file) >= 28 }
