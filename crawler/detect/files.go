package detect

import (
	"cmp"
	"iter"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/paths"
	"mcpcensus/crawler/serverjson"
	"mcpcensus/internal/registry"
)

// A file is one text of a snapshot.
type file struct {
	path, dir, base string
	lower           string // base in lower case
	content         []byte
}

// A reader reads one kind of file.
type reader struct {
	matches func(f *file) bool
	read    func(r *repo, f *file)
}

// readers are tried in order; the first match reads the file. Files that cannot be parsed are
// ignored.
var readers = []reader{
	{named("package.json"), (*repo).readPackageJSON},
	{named("deno.json", "deno.jsonc"), into(manifest.ParseDenoJSON, func(u *unit, v *manifest.Package) {
		u.addJSR(v)
		u.deno = v
	})},
	{named("jsr.json", "jsr.jsonc"), into(manifest.ParseDenoJSON, (*unit).addJSR)},
	{named("pyproject.toml"), into(manifest.ParsePyProject, (*unit).python)},
	{named("setup.py"), into(manifest.ParseSetupPy, (*unit).python)},
	{named("setup.cfg"), into(manifest.ParseSetupCfg, (*unit).python)},
	{named("Pipfile"), into(manifest.ParsePipfile, (*unit).requirements)},
	{isRequirements, into(manifest.ParseRequirements, (*unit).requirements)},
	{named("go.mod"), into(manifest.ParseGoMod, func(u *unit, v *manifest.Package) { u.gomod = v })},
	{named("Cargo.toml"), into(manifest.ParseCargoTOML, func(u *unit, v *manifest.Package) { u.cargo = v })},
	{named("dist-workspace.toml"), into(manifest.ParseDist, func(u *unit, v *manifest.Dist) { u.dist = v })},
	{named("pnpm-workspace.yaml"), (*repo).readCatalogs},
	{named("pom.xml"), into(manifest.ParsePOM, func(u *unit, v *manifest.Package) { u.pom = v })},
	{named("build.gradle", "build.gradle.kts"), into(manifest.ParseGradle, func(u *unit, v *manifest.Package) {
		u.gradle = cmp.Or(u.gradle, v)
	})},
	{named("libs.versions.toml"), (*repo).readCatalog},
	{suffixed(".csproj", ".fsproj", ".vbproj"), (*repo).readCSProj},
	{inAnyCase("directory.packages.props"), (*repo).readCentralVersions},
	{named("Package.swift"), into(manifest.ParsePackageSwift, other("swift"))},
	{func(f *file) bool { return f.base == "Gemfile" || strings.HasSuffix(f.lower, ".gemspec") },
		into(manifest.ParseRuby, other("ruby"))},
	{named("composer.json"), into(manifest.ParseComposer, other("php"))},
	{named("server.json"), (*repo).readServerJSON},
	{named("manifest.json"), (*repo).readBundle},
	{inAnyCase("smithery.yaml", "smithery.yml"),
		into(manifest.ParseSmithery, func(u *unit, v *manifest.Smithery) {
			u.smithery = v
		})},
	{named("Dockerfile", "Containerfile"),
		into(manifest.ParseDockerfile, func(u *unit, v *manifest.Dockerfile) {
			u.docker = cmp.Or(u.docker, v)
		})},
	{isClientConfig, into(manifest.ParseClientConfig, func(u *unit, v []manifest.ClientServer) {
		u.configs = append(u.configs, v...)
	})},
	{isExtension, (*repo).readExtension},
	{inAnyCase("server-card.json", "mcp-server-card.json", "tools.json"),
		into(manifest.ParseServerCard, func(u *unit, v []registry.Tool) { u.card = v })},
	{isEnvFile, (*repo).readEnvFile},
	{func(f *file) bool { return isReadme(f.lower) }, (*repo).readReadme},
	{func(f *file) bool { return f.dir == "" && strings.HasSuffix(f.lower, ".py") }, (*repo).readScript},
	{inAnyCase("deps.edn", "project.clj", "cmakelists.txt", "mix.exs", "build.sbt", "pubspec.yaml", "shard.yml",
		"stack.yaml"), into(ignoreContent, func(u *unit, v *manifest.Package) {
		if u.other == nil {
			u.other, u.otherKind = v, "other"
		}
	})},
}

// readText reads a text of the snapshot if its kind is known.
func (r *repo) readText(p, text string) {
	f := &file{path: p, dir: dirOf(p), base: path.Base(p), content: []byte(text)}
	f.lower = strings.ToLower(f.base)
	for _, rd := range readers {
		if rd.matches(f) {
			rd.read(r, f)
			return
		}
	}
}

func named(names ...string) func(*file) bool {
	return func(f *file) bool { return slices.Contains(names, f.base) }
}

// inAnyCase matches files by name in lower case.
func inAnyCase(names ...string) func(*file) bool {
	return func(f *file) bool { return slices.Contains(names, f.lower) }
}

// suffixed matches files by the end of their name in lower case.
func suffixed(suffixes ...string) func(*file) bool {
	return func(f *file) bool {
		return slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(f.lower, s) })
	}
}

// requirementsDir is a folder of requirements files, which belong to the root.
const requirementsDir = "requirements"

func isRequirements(f *file) bool {
	return f.base == "requirements.txt" || f.base == "requirements.in" ||
		f.dir == requirementsDir && strings.HasSuffix(f.lower, ".txt") &&
			!strings.Contains(f.lower, "dev") && !strings.Contains(f.lower, "test")
}

// isClientConfig matches configurations of clients, except those in the root and in hidden
// folders, which are for developers of the repository.
func isClientConfig(f *file) bool {
	named := slices.Contains([]string{"mcp.json", ".mcp.json", "gemini-extension.json"}, f.base) ||
		f.lower == "claude_desktop_config.json"
	return named && f.dir != "" && !strings.HasPrefix(path.Base(f.dir), ".")
}

// isExtension matches configurations in the root and in hidden folders: of extensions and editors.
func isExtension(f *file) bool {
	switch f.base {
	case "mcp.json", ".mcp.json", "gemini-extension.json":
		return f.dir == "" || strings.HasPrefix(path.Base(f.dir), ".")
	case "plugin.json":
		return strings.HasSuffix(path.Base(f.dir), "-plugin")
	}
	return false
}

// readExtension reads the servers of an extension or editor into the folder above hidden ones. The
// file does not describe them: it may start tools for developers.
func (r *repo) readExtension(f *file) {
	dir := f.dir
	for strings.HasPrefix(path.Base(dir), ".") && dir != "" {
		dir = dirOf(dir)
	}
	if v, err := manifest.ParseClientConfig(f.content); err == nil {
		u := r.unit(dir)
		u.others = append(u.others, v...)
	}
}

// into returns a read function that stores the result of parse in the unit that the file
// describes, and adds the file to the unit's manifests.
func into[T any](parse func([]byte) (T, error), store func(*unit, T)) func(*repo, *file) {
	return func(r *repo, f *file) {
		if v, err := parse(f.content); err == nil {
			store(r.manifestOf(f), v)
		}
	}
}

// readPackageJSON reads the manifest of an npm package, unless it is among the data that the project
// above, in another language, ships.
func (r *repo) readPackageJSON(f *file) {
	for dir := range above(f.dir) {
		if !dataFolders[strings.ToLower(path.Base(dir))] {
			continue
		}
		if u := r.nearest(dirOf(dir)); u != nil && u.npm == nil && u.compiles() {
			return
		}
	}
	into(manifest.ParsePackageJSON, func(u *unit, v *manifest.Package) { u.npm = cmp.Or(u.npm, v) })(r, f)
}

// dataFolders hold files that programs ship or serve.
var dataFolders = setOf("resources", "static", "assets")

// compiles reports whether a unit has a manifest of a program in another language than JavaScript.
func (u *unit) compiles() bool {
	return u.py != nil || u.gomod != nil || u.cargo != nil || u.pom != nil || u.gradle != nil ||
		len(u.csproj) > 0 || u.other != nil
}

// manifestOf returns the unit that a file describes and adds the file to its manifests.
func (r *repo) manifestOf(f *file) *unit {
	dir := home(f.dir)
	if f.dir == requirementsDir && isRequirements(f) {
		dir = ""
	}
	u := r.unit(dir)
	u.manifests = append(u.manifests, f.path)
	return u
}

// addJSR sets the package of JSR that a manifest names, and leaves its name out of the manifest: its
// imports are of npm, where the name may be another project's.
func (u *unit) addJSR(v *manifest.Package) {
	if v.Name != "" && u.jsr == nil {
		u.jsr = &manifest.Package{Name: v.Name, Version: v.Version, License: v.License}
	}
	v.Name, v.Version = "", ""
}

// python merges several Python manifests of one folder. pyproject.toml is the first by name.
func (u *unit) python(v *manifest.Package) { addManifest(&u.py, v) }

// other merges the manifests of another language, such as a Gemfile and a gemspec.
func other(kind string) func(*unit, *manifest.Package) {
	return func(u *unit, v *manifest.Package) {
		if u.otherKind != kind {
			u.other, u.otherKind = nil, kind
		}
		addManifest(&u.other, v)
	}
}

// ignoreContent is the parser of build files whose content is not needed.
func ignoreContent([]byte) (*manifest.Package, error) { return &manifest.Package{}, nil }

func (u *unit) requirements(v []manifest.Dependency) { u.reqs = append(u.reqs, v...) }

// readCatalog reads the names of dependencies that Gradle scripts refer to.
func (r *repo) readCatalog(f *file) {
	v, _ := manifest.ParseCatalog(f.content)
	maps.Copy(r.catalog, v)
}

// readCatalogs reads the versions of packages for all of a pnpm workspace.
func (r *repo) readCatalogs(f *file) {
	if v, err := manifest.ParsePNPMWorkspace(f.content); err == nil {
		for _, d := range v.Managed {
			r.versions["npm:"+d.Name] = d.Version
		}
	}
}

func (r *repo) readCSProj(f *file) {
	if v, err := manifest.ParseCSProj(f.content); err == nil {
		u := r.manifestOf(f)
		u.csproj, u.csprojAt = append(u.csproj, v), append(u.csprojAt, f.path)
	}
}

// readCentralVersions reads the versions of packages for all .NET projects.
func (r *repo) readCentralVersions(f *file) {
	if v, err := manifest.ParseCSProj(f.content); err == nil {
		for _, d := range v.Dependencies {
			r.versions["nuget:"+d.Name] = d.Version
		}
	}
}

// readServerJSON reads a server.json unless it is about another repository or a template.
func (r *repo) readServerJSON(f *file) {
	v, err := serverjson.Parse(f.content)
	if err != nil {
		return
	}
	u := r.manifestOf(f)
	isForm := v.Name == "" && v.RepoURL == "" && len(v.Packages) == 0
	if u.server == nil && r.here(v.RepoURL) && !isForm {
		u.server = v
	}
}

// readBundle reads a bundle's manifest unless it is that of a copy of another repository.
func (r *repo) readBundle(f *file) {
	if v, err := manifest.ParseBundle(f.content); err == nil && (f.dir == "" || r.here(v.Homepage)) {
		u := r.manifestOf(f)
		u.bundle = cmp.Or(u.bundle, v)
	}
}

var isEnvFile = inAnyCase(".env.example", ".env.sample", ".env.template", "env.example", ".env.dist")

func (r *repo) readEnvFile(f *file) {
	if v, err := manifest.ParseEnvFile(f.content); err == nil {
		r.unit(f.dir).env = v
	}
}

// readScript reads the dependencies that a Python script names in comments.
func (r *repo) readScript(f *file) {
	if v := manifest.ScriptDependencies(f.content); len(v) > 0 {
		r.manifestOf(f).requirements(v)
	}
}

// readScripts makes units of folders that contain a Python server and no manifest naming its SDK. At
// least two folders with the same parent must contain servers. The folder must be outside the Python
// package of a parent folder, unless a configuration in the root README starts it.
func (r *repo) readScripts() {
	sdks := r.scriptSDKs()
	beside := map[string]int{} // by folder above
	for dir, u := range r.byDir {
		if dir != "" && !excluded(dir) && r.directSDK(u).language != "" {
			beside[dirOf(dir)]++
		}
	}
	for dir := range sdks {
		if r.configuresFolder(dir) {
			beside[dirOf(dir)]++
		}
	}
	for dir, use := range sdks {
		n := r.nearest(dir)
		apart := n == nil || n.py == nil && len(n.reqs) == 0 || r.configuresFolder(dir)
		if use.pkg != "" && apart && beside[dirOf(dir)] > 1 {
			u := r.unit(dir)
			u.reqs = append(u.reqs, manifest.Dependency{Name: use.pkg})
		}
	}
}

// makesServer matches code in Python that creates a server.
var makesServer = regexp.MustCompile(`\b(?:FastMCP|Server)\(`)

// scriptSDKs returns the SDKs of programs in Python that create and start a server, by folders below
// the root without a manifest that names one.
func (r *repo) scriptSDKs() map[string]sdkUse {
	out := map[string]sdkUse{}
	for p, text := range r.snap.Texts {
		dir := dirOf(p)
		isServer := dir != "" && makesServer.MatchString(text) && r.servesByName(p)
		if known := r.byDir[dir]; isServer && (known == nil || r.directSDK(known).language == "") {
			out[dir] = sdkImportedBy("Python", text)
		}
	}
	return out
}

// Folders are relative to the repository's root, which is "".

// dirOf returns the folder of a path.
func dirOf(p string) string {
	if d := path.Dir(p); d != "." && d != "/" {
		return d
	}
	return ""
}

// above yields a folder and those above it, up to the root.
func above(dir string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for ; yield(dir) && dir != ""; dir = dirOf(dir) {
		}
	}
}

// prefix returns the prefix of the paths in a folder.
func prefix(dir string) string {
	if dir == "" {
		return ""
	}
	return dir + "/"
}

// home returns the folder that a manifest in dir describes: packaging folders, and the one of what
// a server says at known addresses, belong to their parent folder.
func home(dir string) string {
	dir, _, _ = strings.Cut(dir, ".well-known")
	dir = strings.TrimSuffix(dir, "/")
	for dir != "" && packagingFolders[strings.ToLower(path.Base(dir))] {
		dir = dirOf(dir)
	}
	return dir
}

// isOwn reports whether a file is part of a program that the repository publishes.
func isOwn(p string) bool { return paths.File(p) == paths.Own && !excluded(dirOf(p)) }

// excluded reports whether a folder contains examples, tests, documentation or parts that the
// repository does not publish.
func excluded(dir string) bool {
	if paths.Folder(dir) != paths.Own {
		return true
	}
	parent := ""
	for seg := range strings.SplitSeq(strings.ToLower(dir), "/") {
		// In a folder of servers, "helm" is the name of a server.
		if excludedFolders[seg] && !strings.HasSuffix(parent, "servers") {
			return true
		}
		parent = seg
		if first, last := paths.Ends(seg); excludedWords[first] || excludedWords[last] {
			return true
		}
	}
	return false
}

// library reports whether a folder has the name of a shared library.
func library(dir string) bool {
	_, last := paths.Ends(path.Base(dir))
	return libraryWords[last]
}

// isLibrary reports whether a unit has the name of a shared library and no program that serves.
func (u *unit) isLibrary() bool {
	for _, p := range u.packages() {
		if len(p.Programs) > 0 && u.code.serves() {
			return false
		}
	}
	return library(u.dir)
}

// clean returns a subfolder in the official registry as a clean path, "" if it is outside the
// repository.
func clean(dir string) string {
	dir = path.Clean(strings.Trim(strings.TrimPrefix(strings.ReplaceAll(dir, `\`, "/"), "./"), "/ "))
	if dir == "." || strings.HasPrefix(dir, "..") || len(dir) > 500 {
		return ""
	}
	return dir
}
