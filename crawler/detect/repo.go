package detect

import (
	"path"
	"slices"
	"sort"
	"strings"

	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/manifest/readme"
	"mcpcensus/crawler/serverjson"
	"mcpcensus/internal/registry"
)

// A repo is a snapshot with its files parsed.
type repo struct {
	snap   *registry.Snapshot
	files  map[string]bool     // paths of the listing
	dirs   map[string][]string // folder to the names of files directly in it
	units  []*unit             // by folder
	byDir  map[string]*unit
	byName map[string]*unit // by package name, within the repository
	about  string           // lower-case text on what the repository is
	sample string           // the first characters of the root README
	broken []string         // manifests that could not be read
	catlg  map[string]string
	vers   map[string]string // central package versions (.NET)
	own    []string          // marks of all units, see marks
	// rootAbout is the one member without a README of its own: the root's is
	// about it.
	rootAbout *unit
}

// A unit is a folder that has manifests of its own: a candidate for a server.
type unit struct {
	dir       string
	npm       *manifest.PackageJSON
	py        *manifest.PyProject
	gomod     *manifest.GoMod
	cargo     *manifest.CargoTOML
	pom       *manifest.POM
	gradle    *manifest.Gradle
	csproj    []*manifest.CSProj
	csprojAt  []string
	deno      *manifest.DenoJSON
	other     *manifest.Project
	otherKind string // "swift", "ruby", "php", "other"
	reqs      []manifest.Dependency
	server    *registry.Listing
	bundle    *manifest.Bundle
	smithery  *manifest.Smithery
	docker    *manifest.Dockerfile
	configs   []manifest.ClientServer
	env       []registry.Variable
	card      []registry.Tool
	readme    *readme.Document
	readmeAt  string
	manifests []string

	sdk     sdkUse
	entry   string // what shows that it can be started, "" if nothing does
	listing *registry.Listing
	// unfounded says that nothing but the listing speaks of a server.
	unfounded bool

	folder     string // subfolder of the record
	confidence float64
	reason     string
	evidence   []registry.Evidence
}

const maxUnits = 2000

// read parses every text of a snapshot.
func read(s *registry.Snapshot) *repo {
	r := &repo{snap: s, files: map[string]bool{}, dirs: map[string][]string{}, byDir: map[string]*unit{}, byName: map[string]*unit{}, catlg: map[string]string{}, vers: map[string]string{}}
	for _, f := range s.Files {
		r.addFile(f.Path)
	}
	paths := make([]string, 0, len(s.Texts))
	for p := range s.Texts {
		paths = append(paths, p)
	}
	sort.Slice(paths, func(i, j int) bool {
		// Shallow first: a folder's own manifest comes before one of its "src".
		a, b := strings.Count(paths[i], "/"), strings.Count(paths[j], "/")
		if a != b {
			return a < b
		}
		return paths[i] < paths[j]
	})
	for _, p := range paths {
		if len(r.byDir) < maxUnits {
			r.text(p, []byte(s.Texts[p]))
		}
	}
	r.rootReadme(paths)
	r.toolsDocument(paths)
	for _, u := range r.byDir {
		r.units = append(r.units, u)
	}
	sort.Slice(r.units, func(i, j int) bool { return r.units[i].dir < r.units[j].dir })
	for _, u := range r.units {
		for _, n := range u.names() {
			if _, ok := r.byName[n]; !ok {
				r.byName[n] = u
			}
		}
	}
	root := r.unit("")
	about := []string{s.Repo.Description}
	if root.npm != nil {
		about = append(about, root.npm.Description)
	}
	if root.py != nil {
		about = append(about, root.py.Description)
	}
	if root.cargo != nil {
		about = append(about, root.cargo.Description)
	}
	if root.readme != nil {
		about = append(about, root.readme.Title, root.readme.Summary)
		r.sample = cut(root.readme.Text, 1500)
	}
	r.about = strings.ToLower(strings.Join(about, "\n"))
	return r
}

func (r *repo) addFile(p string) {
	if r.files[p] {
		return
	}
	r.files[p] = true
	dir := dirOf(p)
	r.dirs[dir] = append(r.dirs[dir], path.Base(p))
}

func dirOf(p string) string {
	if d := path.Dir(p); d != "." && d != "/" {
		return d
	}
	return ""
}

// describes says whether the code host's own words are anything to go by.
func (r *repo) describes() bool {
	return r.snap.Repo.Description != "" || strings.Contains(strings.ToLower(r.snap.Repo.Name), "mcp")
}

func (r *repo) unit(dir string) *unit {
	u := r.byDir[dir]
	if u == nil {
		u = &unit{dir: dir}
		r.byDir[dir] = u
	}
	return u
}

// home returns the folder that a manifest in dir speaks for.
func home(dir string) string {
	for dir != "" && packagingFolders[strings.ToLower(path.Base(dir))] {
		dir = dirOf(dir)
	}
	return dir
}

func (r *repo) text(p string, b []byte) {
	dir, base := dirOf(p), path.Base(p)
	lower := strings.ToLower(base)
	at := home(dir)
	set := func(err error, do func(u *unit)) {
		if err != nil {
			r.broken = append(r.broken, p)
			return
		}
		u := r.unit(at)
		u.manifests = append(u.manifests, p)
		do(u)
	}
	switch {
	case base == "package.json":
		v, err := manifest.ParsePackageJSON(b)
		set(err, func(u *unit) {
			if u.npm == nil {
				u.npm = v
			}
		})
	case base == "deno.json" || base == "deno.jsonc":
		v, err := manifest.ParseDenoJSON(b)
		set(err, func(u *unit) { u.deno = v })
	case base == "pyproject.toml":
		v, err := manifest.ParsePyProject(b)
		set(err, func(u *unit) { u.python(v) })
	case base == "setup.py":
		v, err := manifest.ParseSetupPy(b)
		set(err, func(u *unit) { u.python(v) })
	case base == "setup.cfg":
		v, err := manifest.ParseSetupCfg(b)
		set(err, func(u *unit) { u.python(v) })
	case base == "Pipfile":
		v, err := manifest.ParsePipfile(b)
		set(err, func(u *unit) { u.reqs = append(u.reqs, v...) })
	case base == "requirements.txt" || base == "requirements.in" || dir == "requirements" && strings.HasSuffix(lower, ".txt") && !strings.Contains(lower, "dev") && !strings.Contains(lower, "test"):
		if dir == "requirements" {
			at = ""
		}
		v, err := manifest.ParseRequirements(b)
		set(err, func(u *unit) { u.reqs = append(u.reqs, v...) })
	case base == "go.mod":
		v, err := manifest.ParseGoMod(b)
		set(err, func(u *unit) { u.gomod = v })
	case base == "Cargo.toml":
		v, err := manifest.ParseCargoTOML(b)
		set(err, func(u *unit) { u.cargo = v })
	case base == "pom.xml":
		v, err := manifest.ParsePOM(b)
		set(err, func(u *unit) { u.pom = v })
	case base == "build.gradle" || base == "build.gradle.kts":
		v, err := manifest.ParseGradle(b)
		set(err, func(u *unit) {
			if u.gradle == nil {
				u.gradle = v
			}
		})
	case base == "libs.versions.toml":
		if v, err := manifest.ParseCatalog(b); err == nil {
			for k, n := range v {
				r.catlg[k] = n
			}
		}
	case strings.HasSuffix(lower, ".csproj") || strings.HasSuffix(lower, ".fsproj") || strings.HasSuffix(lower, ".vbproj"):
		v, err := manifest.ParseCSProj(b)
		set(err, func(u *unit) { u.csproj, u.csprojAt = append(u.csproj, v), append(u.csprojAt, p) })
	case lower == "directory.packages.props":
		if v, err := manifest.ParseCSProj(b); err == nil {
			for _, d := range v.Dependencies {
				r.vers[d.Name] = d.Version
			}
		}
	case base == "Package.swift":
		v, err := manifest.ParsePackageSwift(b)
		set(err, func(u *unit) { u.other, u.otherKind = v, "swift" })
	case base == "Gemfile" || strings.HasSuffix(lower, ".gemspec"):
		v, err := manifest.ParseRuby(b)
		set(err, func(u *unit) {
			if u.other != nil && u.otherKind == "ruby" {
				v.Dependencies = append(u.other.Dependencies, v.Dependencies...)
				if v.Name == "" {
					v.Name, v.Version, v.Description, v.License, v.Executables = u.other.Name, u.other.Version, u.other.Description, u.other.License, u.other.Executables
				}
			}
			u.other, u.otherKind = v, "ruby"
		})
	case base == "composer.json":
		v, err := manifest.ParseComposer(b)
		set(err, func(u *unit) { u.other, u.otherKind = v, "php" })
	case base == "server.json":
		v, err := serverjson.Parse(b)
		set(err, func(u *unit) {
			v.Remotes = slices.DeleteFunc(v.Remotes, func(r registry.Remote) bool { return !manifest.IsRemoteURL(r.URL) })
			if u.server == nil && r.here(v.RepoURL) && !placeholderListing(v) {
				u.server = v
			}
		})
	case base == "manifest.json":
		if v, err := manifest.ParseBundle(b); err == nil {
			set(nil, func(u *unit) {
				if u.bundle == nil {
					u.bundle = v
				}
			})
		}
	case lower == "smithery.yaml" || lower == "smithery.yml":
		v, err := manifest.ParseSmithery(b)
		set(err, func(u *unit) { u.smithery = v })
	case base == "Dockerfile" || base == "Containerfile":
		v, err := manifest.ParseDockerfile(b)
		set(err, func(u *unit) {
			if u.docker == nil {
				u.docker = v
			}
		})
	case (base == "mcp.json" || base == ".mcp.json" || base == "gemini-extension.json" || lower == "claude_desktop_config.json") && !strings.HasPrefix(path.Base(dir), "."):
		if tools, err := manifest.ParseServerCard(b); err == nil && path.Base(dir) == ".well-known" {
			set(nil, func(u *unit) { u.card = tools })
			return
		}
		v, err := manifest.ParseClientConfig(b)
		set(err, func(u *unit) { u.configs = append(u.configs, v...) })
	case lower == "server-card.json" || lower == "mcp-server-card.json" || lower == "tools.json":
		if tools, err := manifest.ParseServerCard(b); err == nil {
			set(nil, func(u *unit) { u.card = tools })
		}
	case lower == ".env.example" || lower == ".env.sample" || lower == ".env.template" || lower == "env.example" || lower == ".env.dist":
		if v, err := manifest.ParseEnvFile(b); err == nil {
			at = dir
			u := r.unit(at)
			u.env = v
		}
	case isReadme(lower):
		if dir == "" {
			return // chosen by rootReadme
		}
		at = dir
		v, err := readme.Parse(b)
		if err != nil {
			return
		}
		u := r.unit(at)
		if u.readme == nil || readmeRank(base) < readmeRank(path.Base(u.readmeAt)) {
			u.readme, u.readmeAt = v, p
		}
	case strings.HasSuffix(lower, ".py") && dir == "":
		if v := manifest.ScriptDependencies(b); len(v) > 0 {
			set(nil, func(u *unit) { u.reqs = append(u.reqs, v...) })
		}
	case lower == "deps.edn" || lower == "project.clj" || lower == "cmakelists.txt" || lower == "mix.exs" || lower == "build.sbt" || lower == "pubspec.yaml" || lower == "shard.yml" || lower == "stack.yaml":
		set(nil, func(u *unit) {
			if u.other == nil {
				u.other, u.otherKind = &manifest.Project{}, "other"
			}
		})
	}
}

func isReadme(lower string) bool {
	switch lower {
	case "readme", "readme.md", "readme.markdown", "readme.mdx", "readme.rst", "readme.adoc", "readme.txt", "readme.org":
		return true
	}
	return false
}

// readmeRank orders the READMEs of one folder: the one that a code host shows
// first.
func readmeRank(base string) int {
	switch strings.ToLower(base) {
	case "readme.md":
		return 0
	case "readme.markdown", "readme.mdx":
		return 1
	case "readme.rst", "readme.adoc":
		return 2
	case "readme", "readme.txt":
		return 3
	}
	return 9
}

// toolsDocument adds to the root's README what TOOLS.md beside it, or in the
// folder of documents if the README links there, lists of tools.
func (r *repo) toolsDocument(paths []string) {
	doc := r.unit("").readme
	if doc == nil {
		return
	}
	for _, p := range paths {
		dir := strings.ToLower(dirOf(p))
		if strings.ToLower(path.Base(p)) != "tools.md" || dir != "" && !((dir == "docs" || dir == "doc") && linksTo(doc, p)) {
			continue
		}
		tools, err := readme.ParseTools([]byte(r.snap.Texts[p]))
		if err != nil || len(tools) <= len(doc.Tools) {
			continue
		}
		for _, t := range doc.Tools {
			i := slices.IndexFunc(tools, func(u registry.Tool) bool { return u.Name == t.Name })
			if i >= 0 && len(t.Description) > len(tools[i].Description) {
				tools[i].Description = t.Description
			}
			if i >= 0 && tools[i].InputSchema == nil {
				tools[i].InputSchema = t.InputSchema
			}
		}
		doc.Tools = tools
	}
}

func linksTo(doc *readme.Document, p string) bool {
	return slices.ContainsFunc(doc.Links, func(l string) bool {
		l, _, _ = strings.Cut(l, "#")
		return l == p || strings.HasSuffix(l, "/"+p)
	})
}

// rootReadme chooses the README of the repository as GitHub does: .github,
// then the root, then docs.
func (r *repo) rootReadme(paths []string) {
	best, rank := "", 1000
	for _, p := range paths {
		if !isReadme(strings.ToLower(path.Base(p))) {
			continue
		}
		n := readmeRank(path.Base(p))
		switch dirOf(p) {
		case "":
		case ".github":
			n += 100 // it is a profile more often than not
		case "docs":
			n += 200
		default:
			continue
		}
		if n < rank {
			best, rank = p, n
		}
	}
	u := r.unit("")
	if best == "" {
		return
	}
	if v, err := readme.Parse([]byte(r.snap.Texts[best])); err == nil {
		u.readme, u.readmeAt = v, best
	}
}

// python merges what several Python manifests of one folder say: the first
// that says a thing wins, and pyproject.toml comes first by name.
func (u *unit) python(v *manifest.PyProject) {
	if u.py == nil {
		u.py = v
		return
	}
	p := u.py
	p.Name, p.Version, p.Description = first(p.Name, v.Name), first(p.Version, v.Version), first(p.Description, v.Description)
	p.License, p.Homepage, p.RepositoryURL = first(p.License, v.License), first(p.Homepage, v.Homepage), first(p.RepositoryURL, v.RepositoryURL)
	if len(p.Scripts) == 0 {
		p.Scripts = v.Scripts
	}
	if len(p.Keywords) == 0 {
		p.Keywords = v.Keywords
	}
	p.Dependencies = append(p.Dependencies, v.Dependencies...)
}

// here says whether an address that a manifest gives for its repository is
// this one. A repository that was renamed or moved keeps one of its parts.
func (r *repo) here(address string) bool {
	owner, name := repoParts(address)
	if owner == "" || r.snap.Repo.Name == "" {
		return true
	}
	return strings.EqualFold(owner, r.snap.Repo.Owner) || strings.EqualFold(name, r.snap.Repo.Name)
}

func repoParts(address string) (owner, name string) {
	a := strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(address, "git+"), "/"), ".git")
	i := strings.Index(a, "github.com")
	if i < 0 {
		return "", ""
	}
	a = a[i+len("github.com"):]
	if j := strings.IndexAny(a, "#?"); j >= 0 {
		a = a[:j]
	}
	parts := strings.Split(strings.Trim(a, "/:"), "/")
	if len(parts) < 2 {
		return "", ""
	}
	return parts[0], strings.TrimSuffix(parts[1], ".git")
}

// placeholderListing says whether a server.json is an example to fill in.
func placeholderListing(l *registry.Listing) bool {
	return l.Name == "" && l.RepoURL == "" && len(l.Packages) == 0
}

// silent says whether the listing and all manifests and READMEs in it were read
// and nothing in them has to do with the Model Context Protocol.
func (r *repo) silent() bool {
	if r.snap.Files == nil || r.snap.FilesTruncated {
		return false
	}
	for p := range r.files {
		if _, ok := r.snap.Texts[p]; !ok && !strings.Contains(p, "/") && (isReadme(strings.ToLower(p)) || isManifest(p)) {
			return false
		}
	}
	for _, u := range r.units {
		if u.sdk.pkg != "" || u.server != nil || u.bundle != nil || u.smithery != nil || len(u.configs) > 0 || len(u.card) > 0 {
			return false
		}
		for _, text := range append(append(u.descriptions(), u.names()...), u.readmeText()) {
			if hasMCP(text) || strings.Contains(strings.ToLower(text), "model context protocol") {
				return false
			}
		}
	}
	return true
}

func (u *unit) readmeText() string {
	if u.readme == nil {
		return ""
	}
	return u.readme.Text + strings.Join(u.readme.Links, " ")
}

// isManifest says whether a file is one that names what its folder depends on.
func isManifest(p string) bool {
	switch path.Base(p) {
	case "package.json", "pyproject.toml", "setup.py", "requirements.txt", "go.mod", "Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts", "server.json", "Package.swift", "composer.json", "Gemfile":
		return true
	}
	return strings.HasSuffix(p, ".csproj")
}

// names are the names by which other manifests of the repository refer to
// this unit.
func (u *unit) names() []string {
	var out []string
	if u.npm != nil && u.npm.Name != "" {
		out = append(out, "npm:"+u.npm.Name)
	}
	if u.py != nil && u.py.Name != "" {
		out = append(out, "pypi:"+manifest.PyName(u.py.Name))
	}
	if u.cargo != nil && u.cargo.Name != "" {
		out = append(out, "cargo:"+u.cargo.Name)
	}
	if u.pom != nil && u.pom.ArtifactID != "" {
		out = append(out, "maven:"+u.pom.ArtifactID)
	}
	if u.gomod != nil && u.gomod.Module != "" {
		out = append(out, "go:"+u.gomod.Module)
	}
	return out
}

// empty says whether the folder has no manifest that anything could be built
// or run from.
func (u *unit) empty() bool {
	return u.npm == nil && u.py == nil && u.gomod == nil && u.cargo == nil && u.pom == nil && u.gradle == nil && len(u.csproj) == 0 &&
		u.deno == nil && u.other == nil && len(u.reqs) == 0 && u.server == nil && u.bundle == nil && u.smithery == nil
}

// readmeOf returns the README that is about a server: its own, or the root's.
func (r *repo) readmeOf(u *unit) (m *readme.Document, at string, own bool) {
	for dir := u.dir; ; dir = dirOf(dir) {
		if v := r.byDir[dir]; v != nil && v.readme != nil {
			return v.readme, v.readmeAt, dir == u.dir || r.rootAbout == u
		}
		if dir == "" {
			return nil, "", false
		}
	}
}

func (u *unit) license() string {
	l := ""
	if u.npm != nil {
		l = u.npm.License
	}
	if u.py != nil {
		l = first(l, u.py.License)
	}
	if u.cargo != nil {
		l = first(l, u.cargo.License)
	}
	if u.pom != nil {
		l = first(l, u.pom.License)
	}
	for _, p := range u.csproj {
		l = first(l, p.License)
	}
	if u.deno != nil {
		l = first(l, u.deno.License)
	}
	if u.other != nil {
		l = first(l, u.other.License)
	}
	if u.bundle != nil {
		l = first(l, u.bundle.License)
	}
	return spdx(l)
}

// spdx normalises how people write licences in manifests; what is no licence
// gives "".
func spdx(s string) string {
	s = strings.TrimSpace(s)
	l := strings.ToLower(s)
	if v, ok := licences[l]; ok {
		return v
	}
	switch {
	case l == "", len(s) > 60, strings.ContainsAny(s, "\n{}<>"), strings.HasPrefix(l, "see "), l == "none", l == "unlicensed", l == "proprietary", strings.HasPrefix(l, "file:"), l == "license", l == "private":
		return ""
	}
	return s
}

func first(vs ...string) string {
	for _, v := range vs {
		if v != "" {
			return v
		}
	}
	return ""
}
