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

	"mcpcensus/crawler/source"
	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/registry"
)

//go:embed rules
var rules embed.FS

// Selection is the version of the rules by which [SelectFiles] and [SelectImports]
// choose, by which source code is read, and by which servers are detected. It rises with
// [source.Version], and when rules of detection change or files are chosen that earlier
// versions did not read: unchanged repositories are then read again when they are due, and
// limits allow it. A migration of the database may make them due earlier.
const Selection = source.Version + selectionRules

const selectionRules = 5

// MaxText is the greatest size in bytes of a text that is stored. Longer
// READMEs are cut, other files left out.
const MaxText = 256 << 10

// ImportRounds is how often [SelectImports] is asked: for what the selected files import,
// and for what those import in turn.
const ImportRounds = 2

// How much of one repository is read.
const (
	maxReadme      = 1 << 20 // bytes of a README, which is then cut to MaxText
	maxWorkflow    = 128 << 10
	maxSourceText  = 256 << 10
	maxSourceBytes = 2 << 20 // of all source files together
	maxTexts       = 4 << 20 // bytes of all files together
	maxManifests   = 100     // below the root
	maxReadmes     = 100     // below the root
	maxWorkflows   = 20
	maxSourceFiles = 150 // before those that they import
	maxImports     = 250 // in each round of [ImportRounds]
	maxTransports  = 6   // source files that choose a transport
	maxRootFiles   = 40
)

// Modes of files, as git writes them.
const (
	ModeLink      = "120000" // symbolic link
	ModeSubmodule = "160000"
)

var (
	manifestRank  = manifestRanks()
	ciFiles       = vocabulary.Set(rules, "rules/ci.txt")
	foreign       = folder("rules/foreign.txt")
	aside         = folder("rules/aside.txt")
	readmeName    = regexp.MustCompile(`(?i)^readme(\.(md|mdx|markdown|rst|txt|adoc|org))?$`)
	licenceName   = regexp.MustCompile(`(?i)^(licen[cs]e|copying)(\.(md|txt|rst))?$`)
	sourceFile    = regexp.MustCompile(`(?i)\.(ts|mts|js|mjs|cjs|py|go|rs|java|kt|cs|rb|swift|php|ex|clj)$`)
	sourceTest    = vocabulary.Expressions(rules, "rules/source_tests.txt")
	transportName = regexp.MustCompile(`(?i)(^|/)(` +
		strings.Join(vocabulary.Lines(rules, "rules/transport_names.txt"), "|") + `)(/[^/]+)?\.[a-z]+$`)
)

// manifestRanks returns how early a manifest is read, by its name in lower case.
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

// folder returns an expression that matches paths in one of a file's folders.
func folder(name string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|/)(` + strings.Join(vocabulary.Lines(rules, name), "|") + `)/`)
}

// IsReadme reports whether a file is a README, by its path.
func IsReadme(p string) bool { return readmeName.MatchString(path.Base(p)) }

// SelectFiles returns which files of a listing are read, the most important
// first: README and manifests of the root, manifests below, workflows, READMEs
// beside manifests, and source files that probably declare tools or choose
// transports. With licence, licence files of the root are among them. host is that
// of the repository.
func SelectFiles(host *registry.Host, files []registry.File, licence bool) []registry.File {
	var root, nested, workflows, readmes, transports []registry.File
	folders := manifestFolders(files)
	for _, f := range files {
		if !readable(f) {
			continue
		}
		dir, base := path.Split(f.Path)
		switch {
		case host.IsWorkflow(f.Path), host.IsAction(f.Path):
			workflows = append(workflows, f)
		case isRootFile(host, dir, base, licence):
			root = append(root, f)
		case isManifest(base):
			nested = append(nested, f)
		}
		if dir != "" && folders[dir] && readmeName.MatchString(base) {
			readmes = append(readmes, f)
		}
		if isSource(f) && transportName.MatchString(f.Path) && strings.Count(f.Path, "/") <= 5 {
			transports = append(transports, f)
		}
	}
	depth := func(p string) int { return strings.Count(p, "/") }
	sortByRank(root, rootRank, false)
	sortByRank(nested, nestedRank, true)
	sortByRank(readmes, depth, false)
	sortByRank(workflows, func(p string) int { return workflowRank(host, p) }, false)
	sortByRank(transports, depth, true)

	s := selection{chosen: map[string]bool{}}
	s.add(root, maxRootFiles, MaxText)
	s.add(nested, maxManifests, MaxText)
	s.add(workflows, maxWorkflows, maxWorkflow)
	s.add(readmes, maxReadmes, MaxText)
	s.addSources(candidates(files), maxSourceFiles, maxSourceBytes)
	s.add(transports, maxTransports, maxSourceText)
	return s.files
}

// SelectImports returns which files are read after those of [SelectFiles]: files of
// the listing that the sources among the texts import. All sources of a repository
// have one limit.
func SelectImports(files []registry.File, texts map[string]string) []registry.File {
	left := int64(maxSourceBytes)
	for p, text := range texts {
		if source.IsSource(p) {
			left -= int64(len(text))
		}
	}
	byPath := sources(files)
	s := selection{chosen: map[string]bool{}}
	s.addSources(filesAt(byPath, source.Imports(texts, slices.Sorted(maps.Keys(byPath)))), maxImports, left)
	return s.files
}

// sources returns the source files of a listing that may be read, by path, and
// files with data for them.
func sources(files []registry.File) map[string]registry.File {
	out := map[string]registry.File{}
	for _, f := range files {
		if readable(f) && f.Size > 0 && f.Size <= maxSourceText &&
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

// EssentialFiles returns the first README of a selection and the most important
// manifest, for callers that can afford few requests.
func EssentialFiles(selected []registry.File) []registry.File {
	var essential []registry.File
	readme := false
	for _, f := range selected {
		base := path.Base(f.Path)
		switch {
		case IsReadme(f.Path):
			if !readme {
				essential = append(essential, f)
			}
			readme = true
		case len(essential) < 2 && isManifest(base) && manifestRank[strings.ToLower(base)] < 2:
			essential = append(essential, f)
		}
	}
	return essential
}

// A selection is the files that have been chosen, within the limits.
type selection struct {
	files  []registry.File
	chosen map[string]bool // by path
	bytes  int64
}

// add chooses at most the given number of files, none of which is larger than
// size.
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
		if empty || f.Size > limit || s.bytes+f.Size > maxTexts || s.chosen[f.Path] {
			continue
		}
		number--
		s.bytes += f.Size
		s.chosen[f.Path] = true
		s.files = append(s.files, f)
	}
}

// addSources chooses at most the given number of source files, of at most the given
// number of bytes together.
func (s *selection) addSources(files []registry.File, number int, bytes int64) {
	for _, f := range files {
		if number == 0 {
			return
		}
		before := len(s.files)
		if f.Size <= bytes {
			s.add([]registry.File{f}, 1, maxSourceText)
		}
		if len(s.files) > before {
			number, bytes = number-1, bytes-f.Size
		}
	}
}

// readable reports whether a file may be read: not a submodule, and not in a
// folder of another project.
func readable(f registry.File) bool {
	return f.Mode != ModeSubmodule && f.OID != "" && !foreign.MatchString(f.Path)
}

// manifestFolders returns the folders that have a manifest, with a slash at the
// end.
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
	return ciFiles[strings.ToLower(dir+base)] || readme && (dir == host.Folder+"/" || dir == "docs/")
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

// isSource reports whether a file is source code that may start a server.
func isSource(f registry.File) bool {
	return f.Size > 0 && f.Size <= maxSourceText && sourceFile.MatchString(f.Path) &&
		!sourceTest.MatchString(f.Path) && !aside.MatchString(f.Path)
}

// testsName matches the names of workflows that run tests or builds, as they are
// usually called.
var testsName = regexp.MustCompile(`(?i)(?:^|[-_./])(?:ci|tests?|build|checks?|main|pr|unit|integration)(?:[-_.]|$)`)

// workflowRank puts first what a repository with many workflows should lose
// last.
func workflowRank(host *registry.Host, p string) int {
	switch {
	case host.IsAction(p):
		return 1
	case testsName.MatchString(path.Base(p)):
		return 0
	}
	return 2
}

// sortByRank sorts files by the rank of their path, and those of one rank by
// path or not at all.
func sortByRank(files []registry.File, rank func(string) int, byPath bool) {
	slices.SortStableFunc(files, func(a, b registry.File) int {
		c := cmp.Compare(rank(a.Path), rank(b.Path))
		if c == 0 && byPath {
			return strings.Compare(a.Path, b.Path)
		}
		return c
	})
}

// rootRank puts the README first and then manifests in their order.
func rootRank(p string) int {
	if IsReadme(p) {
		return 2 * min(1, strings.Count(p, "/"))
	}
	if rank, ok := manifestRank[strings.ToLower(path.Base(p))]; ok {
		return 1 + rank
	}
	return 6
}

// nestedRank puts manifests that name packages before those that do not, near
// ones before deep ones, and tests and examples last.
func nestedRank(p string) int {
	rank, ok := manifestRank[strings.ToLower(path.Base(p))]
	if !ok {
		rank = 1
	}
	n := rank*10 + min(9, strings.Count(p, "/"))
	if aside.MatchString(p) {
		n += 50
	}
	return n
}
