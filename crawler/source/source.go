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
const Version = 22

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

// importer returns a function that returns the listed files that some of the files import and that are
// not among these themselves.
type importer func(files map[string]string, listed map[string]bool) func(of map[string]string) []string

// language reads the sources of one language.
type language struct {
	tools      reader
	candidates func(paths []string) []string // most promising first
	isSource   func(path string) bool
	// imports returns what some files import; nil if the language's imports do not name files.
	imports importer
	// reach is like imports, for what a program reaches. ofReach reports whether it reads a file.
	reach   importer
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
		imports: others.Modules, reach: others.Modules, ofReach: in("Rust"),
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
	imports importer,
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
			for _, p := range imports(own, aside)(own) {
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
			each = append(each, recovered(l.imports(files, listed), files))
		}
	}
	return interleave(each)
}

// Links reports whether the file is source code in a language whose imports name files.
func Links(p string) bool {
	return slices.ContainsFunc(languages, func(l language) bool { return l.ofReach(p) })
}

// A Graph contains what the files of a repository import. It is made as far as it is asked for.
type Graph struct {
	files   Files
	imports []func(of map[string]string) []string
	edges   map[string][]string
	open    map[string]bool // of files with edges
}

// NewGraph returns the graph of files. Of the listed files, those that are not among them were not read.
func NewGraph(files Files, listed map[string]bool) *Graph {
	g := &Graph{files: files, edges: map[string][]string{}, open: map[string]bool{}}
	for _, l := range languages {
		g.imports = append(g.imports, l.reach(files, listed))
	}
	return g
}

// Reach returns mains and the listed files that they import, directly or not, sorted. open are those of
// them that may load others: they were not read, or their code chooses what it loads.
func (g *Graph) Reach(mains []string) (reached, open []string) {
	all := map[string]bool{}
	for next := slices.Clone(mains); len(next) > 0; {
		p := next[len(next)-1]
		next = next[:len(next)-1]
		if all[p] {
			continue
		}
		all[p] = true
		next = append(next, g.Imports(p)...)
		if g.open[p] {
			open = append(open, p)
		}
	}
	slices.Sort(open)
	return slices.Sorted(maps.Keys(all)), open
}

// Imports returns the listed files that a file imports.
func (g *Graph) Imports(p string) []string {
	out, known := g.edges[p]
	if !known {
		for _, imports := range g.imports {
			out = append(out, recovered(imports, Files{p: g.files[p]})...)
		}
		g.edges[p], g.open[p] = out, !namesAll(p, g.files)
	}
	return out
}

// namesAll reports whether a file is data, or was read and its imports name all that it loads.
func namesAll(p string, files Files) bool {
	text, read := files[p]
	return IsData(p) || read && !listing.IsAside("", p) && slices.ContainsFunc(languages, func(l language) bool {
		return l.ofReach(p) && !l.dynamic.MatchString(text)
	})
}

// recovered returns the imports of some files. It recovers panics of the reader.
func recovered(imports func(of map[string]string) []string, of Files) (out []string) {
	defer func() {
		if recover() != nil {
			out = nil
		}
	}()
	return imports(of)
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
