// Package listing contains what the readers of all languages share: which files of a listing they
// read, how many steps they take, and how the registrations that they find become a list of tools.
package listing

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/paths"
	"mcpcensus/internal/registry"
)

// Root returns the folder that contains all files, "" for the top.
func Root(files []string) string {
	if len(files) == 0 {
		return ""
	}
	root := path.Dir(files[0])
	for _, p := range files {
		for root != "." && !strings.HasPrefix(p, root+"/") {
			root = path.Dir(root)
		}
	}
	if root == "." {
		return ""
	}
	return root
}

// IsAside reports whether a path below root is not part of a program, such as a test or an
// example. In a package, a generated file may be all there is of the program.
func IsAside(root, file string) bool {
	kind := paths.File(strings.TrimPrefix(strings.TrimPrefix(file, root), "/"))
	return kind != paths.Own && kind != paths.Generated
}

// Choose returns the files in one of the languages, without tests and examples, by descending
// score; files near the root come first among equals.
func Choose(files []string, score func(file string) int, languages ...string) []string {
	var own []string
	for _, p := range files {
		if slices.Contains(languages, paths.Language(p)) {
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

// Rank returns the listed paths that are not among files, those that most likely register tools
// first.
func Rank(paths []string, files map[string]string, listed map[string]bool) []string {
	rest := slices.DeleteFunc(paths, func(p string) bool { _, is := files[p]; return is || !listed[p] })
	slices.SortFunc(rest, func(a, b string) int { return cmp.Or(Score(b)-Score(a), cmp.Compare(a, b)) })
	return slices.Compact(rest)
}

// IsLikely reports whether a path probably registers tools: it is named after them, or is the
// main file of a folder among those of tools.
func IsLikely(file string) bool { return Score(file) >= 28 }

// A Reading is what readers are given besides the files, and what they report. A nil Reading has
// no limit of steps, and its server requires no variables.
type Reading struct {
	// Required are the environment variables that the server requires.
	Required []string
	Left     int  // steps that readers may take
	Ended    bool // a reader stopped because it had none left
	// Touches is what the code that was read touches, with SourceReadPart if some of it was not
	// read; nil if no reader found out.
	Touches *registry.Touches
}

// Requires reports whether the server requires an environment variable.
func (s *Reading) Requires(name string) bool {
	return s != nil && slices.Contains(s.Required, name)
}

// Within returns how many steps a reader may take: at most its own limit, and those that are left.
func (s *Reading) Within(limit int) int {
	if s == nil {
		return limit
	}
	return min(limit, max(0, s.Left))
}

// Touch adds what code touches. whole reports that all of it was read.
func (s *Reading) Touch(t registry.Touches, whole bool) {
	if s == nil {
		return
	}
	if s.Touches == nil {
		s.Touches = &registry.Touches{SourceRead: registry.SourceReadWhole}
	}
	all := s.Touches
	all.Files, all.Processes = append(all.Files, t.Files...), append(all.Processes, t.Processes...)
	all.Listens, all.Telemetry = append(all.Listens, t.Listens...), append(all.Telemetry, t.Telemetry...)
	all.Hosts = append(all.Hosts, t.Hosts...)
	if !whole {
		all.SourceRead = registry.SourceReadPart
	}
	*all = Limit(*all)
}

// Spend reduces the steps that are left. ended reports that the reader stopped.
func (s *Reading) Spend(steps int, ended bool) {
	if s != nil {
		s.Left, s.Ended = s.Left-steps, s.Ended || ended
	}
}
