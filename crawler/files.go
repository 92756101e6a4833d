package crawler

import (
	"cmp"
	"embed"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mcpcensus/crawler/ci"
	"mcpcensus/crawler/paths"
	"mcpcensus/crawler/source"
	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/registry"
)

//go:embed rules
var rules embed.FS

// Selection is the version of the rules that select files, read source code and detect
// servers. Increase selectionRules when detection changes or more files are selected:
// unchanged repositories are then re-read when they are due, if rate limits allow it. A
// database migration may make them due earlier.
const Selection = source.Version + selectionRules

const selectionRules = 21

// MaxText is the maximum size of a stored text in bytes, except source files. Longer READMEs are cut,
// longer files skipped.
const MaxText = 256 << 10

// Limits for one repository.
const (
	maxReadme      = 1 << 20 // bytes of a README, which is then cut to MaxText
	maxWorkflow    = 128 << 10
	maxSourceText  = 512 << 10
	maxSourceBytes = 16 << 20 // of all source files together
	maxTexts       = 22 << 20 // bytes of all files together
	maxManifests   = 300      // below the root
	maxManifestSum = 2 << 20  // bytes of all of these
	maxReadmes     = 100      // below the root
	maxWorkflows   = 20
	maxSourceFiles = 600  // before those that they import
	maxImports     = 1000 // in each call of [SelectImports]
	maxRootFiles   = 40
)

// File modes of git.
const (
	ModeLink      = "120000" // symbolic link
	ModeSubmodule = "160000"
)

var (
	manifestRank = manifestRanks()
	readmeName   = regexp.MustCompile(`(?i)^readme(\.(md|mdx|markdown|rst|txt|adoc|org))?$`)
	licenceName  = regexp.MustCompile(`(?i)^(licen[cs]e|copying)(\.(md|txt|rst))?$`)
)

// manifestRanks returns the ranks of manifests by lowercase name. Lower ranks are read
// first.
func manifestRanks() map[string]int {
	ranks := map[string]int{}
	for name, rank := range vocabulary.Pairs(rules, "rules/manifests.txt") {
		n, err := strconv.Atoi(rank)
		if err != nil {
			panic(err)
		}
		ranks[name] = n
	}
	return ranks
}

func IsReadme(p string) bool { return readmeName.MatchString(path.Base(p)) }

// SelectFiles returns the files of a listing to read, the most important first: README
// and manifests of the root, other manifests, workflows, READMEs next to manifests, and
// source files that probably declare tools. With licence, they
// include licence files of the root. host is the repository's host. Files with a negative
// size have an unknown one: they are selected as if they were small.
func SelectFiles(host *registry.Host, files []registry.File, licence bool) []registry.File {
	var root, nested, workflows, readmes []registry.File
	folders := manifestFolders(files)
	for _, f := range files {
		if !readable(f) {
			continue
		}
		dir, base := path.Split(f.Path)
		switch {
		case host.IsWorkflow(f.Path), host.IsAction(f.Path), ci.IsOther(f.Path):
			workflows = append(workflows, f)
		case isRootFile(host, dir, base, licence):
			root = append(root, f)
		case isManifest(base):
			nested = append(nested, f)
		}
		if dir != "" && folders[dir] && readmeName.MatchString(base) {
			readmes = append(readmes, f)
		}
	}
	depth := func(p string) int { return strings.Count(p, "/") }
	sortByRank(root, rootRank, false)
	sortByRank(nested, nestedRank, true)
	sortByRank(readmes, depth, false)
	sortByRank(workflows, func(p string) int { return workflowRank(host, p) }, false)

	s := selection{chosen: map[string]bool{}}
	s.add(root, maxRootFiles, MaxText)
	s.addWithin(nested, maxManifests, MaxText, maxManifestSum)
	s.add(workflows, maxWorkflows, maxWorkflow)
	s.add(readmes, maxReadmes, MaxText)
	s.addWithin(candidates(files), maxSourceFiles, maxSourceText, maxSourceBytes)
	return s.files
}

// SelectImports returns the files of a listing that the sources among texts import, as imports
// finds them: it returns the listed paths that files import. All sources of a repository share
// one size limit.
func SelectImports(
	files []registry.File, texts map[string]string, imports Importer,
) []registry.File {
	left := int64(maxSourceBytes)
	for p, text := range texts {
		if source.IsSource(p) {
			left -= int64(len(text))
		}
	}
	byPath := sources(files)
	s := selection{chosen: map[string]bool{}}
	found := imports(texts, slices.Sorted(maps.Keys(byPath)))
	s.addWithin(filesAt(byPath, found), maxImports, maxSourceText, left)
	return s.files
}

// An Importer returns the listed paths that files import, most promising first.
type Importer func(files map[string]string, paths []string) []string

// sources returns the readable source files of a listing, and their data files, by path.
func sources(files []registry.File) map[string]registry.File {
	out := map[string]registry.File{}
	for _, f := range files {
		if readable(f) && f.Size != 0 && f.Size <= maxSourceText &&
			(source.IsData(f.Path) || source.IsSource(f.Path)) {
			out[f.Path] = f
		}
	}
	return out
}

func filesAt(byPath map[string]registry.File, paths []string) []registry.File {
	var out []registry.File
	for _, p := range paths {
		if f, ok := byPath[p]; ok {
			out = append(out, f)
		}
	}
	return out
}

// candidates returns the source files of a listing that may declare tools, most
// promising first.
func candidates(files []registry.File) []registry.File {
	byPath := sources(files)
	return filesAt(byPath, source.Candidates(slices.Sorted(maps.Keys(byPath))))
}

// A selection collects files within the limits of a repository.
type selection struct {
	files  []registry.File
	chosen map[string]bool // by path
	bytes  int64
}

// add selects at most number files of at most size bytes each.
func (s *selection) add(files []registry.File, number int, size int64) {
	for _, f := range files {
		if number == 0 {
			return
		}
		limit := size
		if IsReadme(f.Path) {
			limit = maxReadme
		}
		empty := f.Size == 0 && f.Mode != ModeLink
		if empty || f.Size > limit || s.bytes+sizeOf(f) > maxTexts || s.chosen[f.Path] {
			continue
		}
		number--
		s.bytes += sizeOf(f)
		s.chosen[f.Path] = true
		s.files = append(s.files, f)
	}
}

// addWithin selects at most number files of at most size bytes each and sum bytes together.
func (s *selection) addWithin(files []registry.File, number int, size, sum int64) {
	for _, f := range files {
		if number == 0 {
			return
		}
		before := len(s.files)
		if sizeOf(f) <= sum {
			s.add([]registry.File{f}, 1, size)
		}
		if len(s.files) > before {
			number, sum = number-1, sum-sizeOf(f)
		}
	}
}

// assumedSize is the size of a file in the limits until it is known: most sources are smaller.
const assumedSize = 8 << 10

// sizeOf returns the size of a file. Listings by git have no sizes.
func sizeOf(f registry.File) int64 {
	if f.Size < 0 {
		return assumedSize
	}
	return f.Size
}

// readable reports whether a file is not a submodule and was written for the repository.
func readable(f registry.File) bool {
	return f.Mode != ModeSubmodule && f.OID != "" && paths.File(f.Path) < paths.Fixture
}

// manifestFolders returns the folders that contain a manifest, with a trailing slash.
func manifestFolders(files []registry.File) map[string]bool {
	folders := map[string]bool{}
	for _, f := range files {
		if dir, base := path.Split(f.Path); readable(f) && isManifest(base) {
			folders[dir] = true
		}
	}
	return folders
}

// isRootFile reports whether a file describes the whole repository.
func isRootFile(host *registry.Host, dir, base string, licence bool) bool {
	readme := readmeName.MatchString(base)
	switch strings.ToLower(dir) {
	case "":
		if isManifest(base) || readme || strings.EqualFold(base, "tools.md") {
			return true
		}
		if licence && licenceName.MatchString(base) {
			return true
		}
	case "docs/", "doc/":
		if strings.EqualFold(base, "tools.md") {
			return true
		}
	}
	return readme && (dir == host.Folder+"/" || dir == "docs/")
}

func isManifest(base string) bool {
	lower := strings.ToLower(base)
	if _, ok := manifestRank[lower]; ok || strings.HasPrefix(lower, "dockerfile.") {
		return true
	}
	switch path.Ext(lower) {
	case ".csproj", ".fsproj", ".vbproj", ".gemspec", ".dockerfile":
		return true
	}
	return false
}

// testsName matches the usual names of workflows that run tests or builds.
var testsName = regexp.MustCompile(`(?i)(?:^|[-_./])(?:ci|tests?|build|checks?|main|pr|unit|integration)(?:[-_.]|$)`)

// workflowRank puts workflows that run tests or builds first, then actions.
func workflowRank(host *registry.Host, p string) int {
	switch {
	case host.IsAction(p):
		return 1
	case testsName.MatchString(path.Base(p)):
		return 0
	}
	return 2
}

// sortByRank sorts files by the rank of their path. Files of equal rank are sorted by
// path if byPath is set, and keep their order otherwise.
func sortByRank(files []registry.File, rank func(string) int, byPath bool) {
	slices.SortStableFunc(files, func(a, b registry.File) int {
		c := cmp.Compare(rank(a.Path), rank(b.Path))
		if c == 0 && byPath {
			return strings.Compare(a.Path, b.Path)
		}
		return c
	})
}

// rootRank puts the README first, then manifests by rank.
func rootRank(p string) int {
	if IsReadme(p) {
		return 2 * min(1, strings.Count(p, "/"))
	}
	if rank, ok := manifestRank[strings.ToLower(path.Base(p))]; ok {
		return 1 + rank
	}
	return 6
}

// nestedRank puts manifests that name packages first, shallow before deep paths, and those that
// are not part of the program last.
func nestedRank(p string) int {
	rank, ok := manifestRank[strings.ToLower(path.Base(p))]
	if !ok {
		rank = 1
	}
	n := rank*10 + min(9, strings.Count(p, "/"))
	if paths.Folder(path.Dir(p)) != paths.Own {
		n += 50
	}
	return n
}
