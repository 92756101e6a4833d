// Package source reads the tools that MCP servers register from the texts of their source files.
// It executes nothing and reads no files.
package source

import (
	"cmp"
	"maps"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/paths"
	"mcpcensus/crawler/source/golang"
	"mcpcensus/crawler/source/listing"
	"mcpcensus/crawler/source/others"
	"mcpcensus/crawler/source/python"
	"mcpcensus/crawler/source/script"
	"mcpcensus/internal/registry"
)

// Version is the version of the readers. It increases when they find more tools or details.
// Repositories and archives of packages that earlier versions have read are then re-read
// gradually.
const Version = 17

// Limits of one call of [Tools].
const (
	MaxFiles = 500
	MaxBytes = 4 << 20
)

// bytesOfStep is how many bytes are parsed in about the time of a step.
const bytesOfStep = 8

// MaxCandidates is the maximum number of paths of one language in [Candidates].
const MaxCandidates = 600

// Files are the texts of source files and manifests by path.
type Files map[string]string

// A Result contains the tools found in the sources of a repository or package.
type Result struct {
	// Tools are all tools that are registered, some of them under conditions. A start with the
	// default settings sets the required variables only.
	Tools []registry.Tool
	// Partial reports that some registered tools could not be read, or that a limit was reached.
	Partial bool
	// Ended reports that a limit of steps was reached. Partial is then set, too.
	Ended bool
	// Touches is what the source code touches; nil if it is in languages whose operations are not
	// known.
	Touches *registry.Touches
	// Panics counts the languages whose reader failed.
	Panics int
}

// reader returns the tools of the servers in the folders roots.
type reader func(files map[string]string, roots []string, steps *listing.Reading) Result

// language reads the sources of one language.
type language struct {
	tools      reader
	candidates func(paths []string) []string // most promising first
	isSource   func(path string) bool
	// imports returns the listed files that some of the files import and that are not among these
	// themselves; nil if the language's imports do not name files.
	imports func(of, files map[string]string, listed map[string]bool) []string
	// reach is like imports, for what a program reaches. ofReach reports whether it reads a file.
	reach   func(of, files map[string]string, listed map[string]bool) []string
	ofReach func(path string) bool
	// dynamic matches code that may load files which no import names.
	dynamic *regexp.Regexp
}

var languages = []language{
	{tools: scriptTools, candidates: script.Candidates, isSource: script.IsSource,
		imports: script.Imports, reach: script.Imports, ofReach: script.IsSource,
		dynamic: regexp.MustCompile(`\b(?:import|require)\s*\(\s*[^"'\s)]|\breaddir|\b[gG]lob\b`)},
	{tools: below(python.Tools, python.Imports), candidates: pythonCandidates, isSource: in("Python"),
		imports: python.Imports, reach: python.Imports, ofReach: in("Python"),
		dynamic: regexp.MustCompile(`\bimport_module\b|\b__import__\b|\b(?:pkgutil|runpy|spec_from_file_location)\b|` +
			`\bexec\(|\bentry_points\b`)},
	{tools: below(golang.Tools, nil), candidates: golang.Candidates, isSource: in("Go"),
		imports: golang.Imports, reach: golang.Imports, ofReach: in("Go"),
		dynamic: regexp.MustCompile(`\bplugin\.Open\(`)},
	{tools: below(others.Tools, others.Modules), candidates: others.Candidates, isSource: others.IsSource,
		reach: others.Modules, ofReach: in("Rust"),
		dynamic: regexp.MustCompile(`\binclude!\(|\bpath\s*=\s*"|(?m:^[ \t]+(?:pub\S*\s+)?mod\s+\w+\s*;)`)},
}

func pythonCandidates(paths []string) []string { return listing.Choose(paths, listing.Score, "Python") }

func in(language string) func(string) bool {
	return func(p string) bool { return paths.Language(p) == language }
}

// below returns a reader that passes on the files in the folders roots, without tests and
// examples that they do not import.
func below(
	tools func(map[string]string, *listing.Reading) (tools []registry.Tool, partial bool),
	imports func(of, files map[string]string, listed map[string]bool) []string,
) reader {
	return func(files map[string]string, roots []string, steps *listing.Reading) (r Result) {
		own, aside := map[string]string{}, map[string]bool{}
		for _, root := range roots {
			root = strings.Trim(root, "/")
			for p, text := range files {
				inside := isBelow([]string{root}, p)
				if inside && !listing.IsAside(root, p) {
					own[p] = text
				} else if inside {
					aside[p] = true
				}
			}
		}
		if imports != nil && len(aside) > 0 {
			for _, p := range imports(own, own, aside) {
				own[p] = files[p]
			}
		}
		r.Tools, r.Partial = tools(own, steps)
		return r
	}
}

func scriptTools(files map[string]string, roots []string, steps *listing.Reading) Result {
	r := script.Tools(files, roots, steps)
	return Result{Tools: r.Tools, Partial: r.Partial}
}

// Tools returns the tools that the servers in the folders roots register, each name once. Without
// roots, all files are read. A root may also be the path of an entry point. required are the
// environment variables that a start sets. left is the number of steps that may be taken, which it
// reduces; nil: only the limits of one call. It is safe for concurrent use.
func Tools(files Files, roots, required []string, left *int) Result {
	if len(roots) == 0 {
		roots = []string{""}
	}
	steps := listing.Reading{Required: required, Left: math.MaxInt}
	if left != nil {
		steps.Left = *left
		defer func() { *left = steps.Left }()
	}
	limited, whole := limit(files, roots)
	r := Result{Partial: !whole}
	for p, text := range limited {
		if isBelow(roots, p) {
			steps.Spend(len(text)/bytesOfStep, false)
		}
	}
	if steps.Left <= 0 {
		return Result{Partial: true, Ended: true}
	}
	for _, l := range languages {
		if slices.ContainsFunc(slices.Collect(maps.Keys(limited)), l.isSource) {
			r.add(read(l, limited, roots, &steps))
		}
	}
	r.Ended = steps.Ended
	// Files without tools may only start what a dependency or a program in another language has.
	// Which tools a start has is unknown if that is undecided for each.
	isDecided := func(t registry.Tool) bool { return t.Conditional == nil || t.Conditional.Off }
	r.Partial = r.Partial || r.Ended || !slices.ContainsFunc(r.Tools, isDecided)
	r.Touches = steps.Touches
	isOther := slices.ContainsFunc(slices.Collect(maps.Keys(limited)), others.IsSource)
	if r.Touches != nil && (!whole || isOther || r.Panics > 0) {
		r.Touches.SourceRead = registry.SourceReadPart
	}
	return r
}

// add adds the tools of another language, each name once.
func (r *Result) add(s Result) {
	r.Partial = r.Partial || s.Partial
	r.Panics += s.Panics
	for _, t := range s.Tools {
		if !hasTool(r.Tools, t.Name) {
			r.Tools = append(r.Tools, t)
		}
	}
}

func hasTool(tools []registry.Tool, name string) bool {
	return slices.ContainsFunc(tools, func(t registry.Tool) bool { return t.Name == name })
}

// read calls the reader of a language and recovers its panics.
func read(l language, files Files, roots []string, steps *listing.Reading) (r Result) {
	defer func() {
		if recover() != nil {
			r = Result{Partial: true, Panics: 1}
		}
	}()
	return l.tools(files, roots, steps)
}

func isBelow(roots []string, p string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		root = strings.Trim(root, "/")
		return root == "" || p == root || strings.HasPrefix(p, root+"/")
	})
}

// limit returns the files in the folders roots within the limits, and whether these are all: the
// most promising ones, and small files before large ones; and all other files.
func limit(files Files, roots []string) (Files, bool) {
	out, paths, size := Files{}, []string(nil), 0
	for p, text := range files {
		if isBelow(roots, p) {
			paths = append(paths, p)
			size += len(text)
		} else {
			out[p] = text
		}
	}
	if len(paths) <= MaxFiles && size <= MaxBytes {
		return files, true
	}
	slices.SortFunc(paths, func(a, b string) int {
		return cmp.Or(len(files[a])-len(files[b]), cmp.Compare(a, b))
	})
	number := 0
	size = 0
	for _, p := range slices.Concat(manifests(paths), Candidates(paths), paths) {
		if _, ok := out[p]; ok || number == MaxFiles || size+len(files[p]) > MaxBytes {
			continue
		}
		out[p] = files[p]
		number++
		size += len(files[p])
	}
	return out, false
}

func manifests(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool {
		base := path.Base(p)
		return base != "package.json" && !strings.HasPrefix(base, "tsconfig")
	})
}

// Unread returns the listed files that were not read and that may register tools: those that the
// files import, and in other languages than scripts, and in packages of Go, those that probably do.
func Unread(files Files, paths []string) []string {
	out := Imports(files, paths)
	for _, p := range paths {
		if _, read := files[p]; !read && IsSource(p) && !script.IsSource(p) && listing.IsLikely(p) {
			out = append(out, p)
		}
	}
	return slices.DeleteFunc(out, func(p string) bool {
		return !IsSource(p) || path.Ext(p) == ".go" && !listing.IsLikely(p)
	})
}

// CodeOf returns the text of a source file without comments and texts of several lines.
func CodeOf(file, text string) string { return listing.CodeOf(file, text) }

// IsOwn reports whether a file is below root and is not a test, an example or third-party code.
func IsOwn(root, p string) bool {
	return (root == "" || strings.HasPrefix(p, root+"/")) && !listing.IsAside(root, p)
}

// IsSource reports whether the file with this path is source code that [Tools] reads.
func IsSource(p string) bool {
	return slices.ContainsFunc(languages, func(l language) bool { return l.isSource(p) })
}

// IsData reports whether source code may import or embed the file, or the file may list the
// packages that the code requires.
func IsData(p string) bool {
	return slices.Contains([]string{".json", ".md", ".txt"}, path.Ext(p)) || python.IsManifest(p)
}

// Candidates returns the paths of a listing that may register tools, most promising first.
// Languages alternate.
func Candidates(paths []string) []string {
	var each [][]string
	for _, l := range languages {
		chosen := l.candidates(paths)
		each = append(each, chosen[:min(len(chosen), MaxCandidates)])
	}
	return interleave(each)
}

// Imports returns the listed paths that files need and that are not among them, most promising
// first. Languages alternate.
func Imports(files Files, paths []string) []string {
	listed := make(map[string]bool, len(paths))
	for _, p := range paths {
		listed[p] = true
	}
	var each [][]string
	for _, l := range languages {
		if l.imports != nil {
			each = append(each, recovered(l.imports, files, files, listed))
		}
	}
	return interleave(each)
}

// Links reports whether the file is source code in a language whose imports name files.
func Links(p string) bool {
	return slices.ContainsFunc(languages, func(l language) bool { return l.ofReach(p) })
}

// Reach returns mains and the listed files that they import, directly or not, sorted. open are those of them that
// may load others: they were not read, or their code chooses what it loads.
func Reach(mains []string, files Files, listed map[string]bool) (reached, open []string) {
	all := map[string]bool{}
	for next := mains; len(next) > 0; {
		of := Files{}
		for _, p := range next {
			if !all[p] && !namesAll(p, files) {
				open = append(open, p)
			}
			all[p] = true
			of[p] = files[p]
		}
		next = nil
		for _, l := range languages {
			next = append(next, recovered(l.reach, of, files, listed)...)
		}
		next = slices.DeleteFunc(next, func(p string) bool { return all[p] })
	}
	return slices.Sorted(maps.Keys(all)), open
}

// namesAll reports whether a file is data, or was read and its imports name all that it loads.
func namesAll(p string, files Files) bool {
	text, read := files[p]
	return IsData(p) || read && !listing.IsAside("", p) && slices.ContainsFunc(languages, func(l language) bool {
		return l.ofReach(p) && !l.dynamic.MatchString(text)
	})
}

// recovered returns the imports of some files. It recovers panics of the reader.
func recovered(
	imports func(of, files map[string]string, listed map[string]bool) []string,
	of, files Files, listed map[string]bool,
) (out []string) {
	defer func() {
		if recover() != nil {
			out = nil
		}
	}()
	return imports(of, files, listed)
}

// interleave returns the first elements of all lists, then the second ones, and so on.
func interleave(lists [][]string) []string {
	var out []string
	for i, more := 0, true; more; i++ {
		more = false
		for _, l := range lists {
			if i < len(l) {
				out, more = append(out, l[i]), true
			}
		}
	}
	return out
}
