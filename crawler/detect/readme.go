package detect

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/manifest/readme"
	"mcpcensus/crawler/settings"
	"mcpcensus/crawler/shell"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// readmeRanks order the READMEs of one folder, by name in lower case: a code host shows the one
// with the lowest rank.
var readmeRanks = map[string]int{
	"readme.md": 0, "readme.markdown": 1, "readme.mdx": 1, "readme.rst": 2, "readme.adoc": 2,
	"readme": 3, "readme.txt": 3, "readme.org": 9,
}

func isReadme(lower string) bool {
	_, ok := readmeRanks[lower]
	return ok
}

func readmeRank(base string) int { return readmeRanks[strings.ToLower(base)] }

// readReadme reads the README of a folder below the root. rootReadme chooses that of the root.
func (r *repo) readReadme(f *file) {
	if f.dir == "" {
		return
	}
	v, err := readme.Parse(f.content)
	u := r.unit(f.dir)
	if err == nil && (u.readme == nil || readmeRank(f.base) < readmeRank(path.Base(u.readmeAt))) {
		u.readme, u.readmeAt = v, f.path
	}
}

// rootReadme chooses the README of the repository: from the root, then from the code host's
// folder, which often contains a profile, then from docs.
func (r *repo) rootReadme(paths []string) {
	ranks := map[string]int{r.host().Folder: 100, "docs": 200}
	ranks[""] = 0
	best, lowest := "", 1000
	for _, p := range paths {
		folder, ok := ranks[dirOf(p)]
		if n := folder + readmeRank(path.Base(p)); ok && isReadme(strings.ToLower(path.Base(p))) && n < lowest {
			best, lowest = p, n
		}
	}
	if v, err := readme.Parse([]byte(r.snap.Texts[best])); err == nil && best != "" {
		root := r.unit("")
		root.readme, root.readmeAt = v, best
	}
}

// toolsDocuments adds the tools in TOOLS.md to the root's README, from the root or, if the README
// links to it, from the documentation folder.
func (r *repo) toolsDocuments(paths []string) {
	doc := r.unit("").readme
	if doc == nil {
		return
	}
	for _, p := range paths {
		if !isToolsDocument(doc, p) {
			continue
		}
		tools, err := readme.ParseTools([]byte(r.snap.Texts[p]))
		if err == nil && len(tools) > len(doc.Tools) {
			doc.Tools = withDetails(tools, doc.Tools)
		}
	}
}

func isToolsDocument(doc *readme.Document, p string) bool {
	linked := func(l string) bool {
		l, _, _ = strings.Cut(l, "#")
		return l == p || strings.HasSuffix(l, "/"+p)
	}
	lower := strings.ToLower(p)
	inDocs := lower == "docs/tools.md" || lower == "doc/tools.md"
	return lower == "tools.md" || inDocs && slices.ContainsFunc(doc.Links, linked)
}

// withDetails adds the longer descriptions and the parameters in another list to tools.
func withDetails(tools, details []registry.Tool) []registry.Tool {
	for _, d := range details {
		i := slices.IndexFunc(tools, func(t registry.Tool) bool { return t.Name == d.Name })
		if i < 0 {
			continue
		}
		if len(d.Description) > len(tools[i].Description) {
			tools[i].Description = d.Description
		}
		if tools[i].InputSchema == nil {
			tools[i].InputSchema = d.InputSchema
		}
	}
	return tools
}

// readmeOf returns the README about a unit, its own or the nearest above it, its path, and
// whether it is about this unit alone.
func (r *repo) readmeOf(u *unit) (m *readme.Document, at string, own bool) {
	for dir := range above(u.dir) {
		if v := r.byDir[dir]; v != nil && v.readme != nil {
			return v.readme, v.readmeAt, dir == u.dir || r.rootAbout == u
		}
	}
	return nil, "", false
}

// hasUnreadReadme reports whether a folder has a README that was not read, for example in a
// repository with too many files.
func (r *repo) hasUnreadReadme(dir string) bool {
	return slices.ContainsFunc(r.dirs[dir], func(name string) bool {
		_, read := r.snap.Texts[path.Join(dir, name)]
		return isReadme(strings.ToLower(name)) && !read
	})
}

// readmeFacts returns the README's facts for the scorer.
func (c *candidate) readmeFacts(path string) *registry.ReadmeFacts {
	m := c.readme
	f := &registry.ReadmeFacts{
		Path: path, Characters: m.Characters, ClientConfig: m.ClientConfig,
		ToolHeading: m.ToolHeading, ToolEntries: m.ToolEntries,
		Deprecation: m.Deprecation, DeprecationText: m.DeprecationText,
		Successor:  cmp.Or(m.Successor, successorIn(c.repo.snap.Repo.Description)),
		ObservedAt: c.repo.snap.Repo.ObservedAt,
	}
	c.endedByStatement(f)
	f.InstallCommand, f.InstallNames = installation(m)
	if c.own {
		f.ToolsNamed = len(m.Tools)
		for _, t := range m.Tools {
			if registry.IsDescription(t.Description) {
				f.ToolsExplained++
			}
		}
	}
	return f
}

// endedByStatement sets the deprecation that a manifest or the code host's description declares,
// and removes one whose successor is this repository: it moved here.
func (c *candidate) endedByStatement(f *registry.ReadmeFacts) {
	own := c.repo.snap.Repo.Ref()
	address := strings.TrimSuffix(strings.ToLower(f.Successor), "/")
	ref, err := registry.ParseRepoRef(f.Successor)
	isRoot := strings.HasSuffix(address, "/"+strings.ToLower(own.Name))
	if err == nil && ref.Key() == own.Key() && isRoot {
		f.Deprecation, f.DeprecationText, f.Successor = "", "", ""
	}
	declare := func(text string) {
		if text != "" && f.Deprecation != readme.DeprecationDeclared {
			f.Deprecation, f.DeprecationText = readme.DeprecationDeclared, text
		}
	}
	for _, p := range c.unit.packages() {
		declare(p.Deprecated)
	}
	about := strings.Join(strings.Fields(c.repo.snap.Repo.Description), " ")
	title := about // in which a state before a colon is one, unless it is the repository's name
	if first, rest, ok := strings.Cut(about, ": "); ok && !overlap(wordsOf(first), wordsOf(own.Name)) {
		title = "[" + first + "] " + rest
	}
	d, err := readme.Parse([]byte("# " + title))
	if err == nil && d.Deprecation == readme.DeprecationDeclared {
		declare(text.Cut(about, 500))
	}
}

// successorIn returns the URL of the successor in a deprecation notice in a repository's
// description, "" for none.
func successorIn(description string) string {
	if d, err := readme.Parse([]byte(description)); err == nil {
		return d.Successor
	}
	return ""
}

// installation returns the first command that runs or installs a package or, without one, the
// first that starts the server otherwise, and the packages in all commands. Commands that build
// the server or an image do not count.
func installation(m *readme.Document) (command string, packages []string) {
	started := ""
	for _, l := range m.Commands {
		switch {
		case shell.IsBridge(l.Identifier), l.RegistryType == "oci" && slices.ContainsFunc(m.LocalImages,
			func(image string) bool { return PackageMark("oci", image) == PackageMark("oci", l.Identifier) }):
		case l.Identifier != "":
			command = cmp.Or(command, shownLine(l.Line))
			if !slices.Contains(packages, l.Identifier) && len(packages) < 50 {
				packages = append(packages, l.Identifier)
			}
		case l.Runner != "" && !buildStep.MatchString(l.Line):
			started = cmp.Or(started, shownLine(l.Line))
		}
	}
	return cmp.Or(command, started, configured(m)), packages
}

// shownLine returns a command for sentences about it: up to the first option or variable that is named
// like a secret, whose value may be one of any form, with placeholders for private words.
func shownLine(line string) string {
	var shown []registry.Argument
	for _, w := range strings.Fields(text.Cut(line, 500)) {
		name, _, isSet := strings.Cut(w, "=")
		if (isSet || strings.HasPrefix(w, "-")) && registry.IsSecretName(name) {
			break
		}
		shown = append(shown, registry.Argument{Value: w})
	}
	settings.Clean(&shown)
	var words []string
	for _, a := range shown {
		for name := range a.Variables {
			a.Value = strings.ReplaceAll(a.Value, "{"+name+"}", "YOUR_"+name)
		}
		words = append(words, a.Value)
	}
	return strings.Join(words, " ")
}

// configured returns the first command in a client's configuration that starts the server from
// source, "" for none.
func configured(m *readme.Document) string {
	for _, s := range m.Servers {
		l, err := s.Launch()
		if s.Command != "" && (err != nil || l.Identifier == "") {
			return shownLine(strings.Join(append([]string{s.Command}, s.Args...), " "))
		}
	}
	return ""
}

// buildStep matches commands that build the server, prepare the machine or print a version.
var buildStep = regexp.MustCompile(`^(?:(?:docker|podman) (?:image )?(?:build|buildx)|make|npm|` +
	`(?:pnpm|yarn|bun) (?:install|i|add|ci|build|test|run (?:build|test|lint)\S*)|(?:go|cargo|dotnet) build|(?:uv )?pip3? install|` +
	`python3? -m pip|brew tap|uv run (?:pytest|ruff|mypy|playwright))\b| --?[vV](?:ersion)?$`)
