package detect

import (
	"cmp"
	"path"
	"slices"
	"sort"
	"strings"

	"mcpcensus/crawler/manifest"
	"mcpcensus/internal/registry"
)

// An sdkUse is a server's use of an SDK.
type sdkUse struct {
	language, pkg, version, ecosystem, framework string
	side, module                                 string // see sdks.txt
	rank                                         int    // lower is more certain
	via                                          string // folder of the sibling that uses it, "" if direct
	dev                                          bool   // a development dependency
}

// String returns package and version.
func (s sdkUse) String() string { return strings.TrimSpace(s.pkg + " " + s.version) }

// sdkPackages are the packages that make a program an MCP server, by ecosystem and lower-case
// name. In Maven names, "*" matches any text.
var sdkPackages = readSDKs()

// isSDK reports whether a repository's own package is an SDK or a framework. Crates are excluded:
// unpublished ones have names such as "mcp-server".
func isSDK(ecosystem, name string) bool {
	use, ok := sdkPackages[ecosystem][strings.ToLower(name)]
	return ok && use.rank < 2 && ecosystem != "cargo"
}

// useOf returns the use of an SDK that a dependency implies; ok is false if there is none. The
// longest matching pattern wins.
func useOf(ecosystem string, d manifest.Dependency) (use sdkUse, ok bool) {
	rules, name := sdkPackages[ecosystem], strings.ToLower(d.Name)
	if use, ok = rules[name]; !ok {
		best := ""
		for p := range rules {
			matches, _ := path.Match(p, name)
			// In Go: a path inside a module, or a later major version.
			if (matches || ecosystem == "go" && strings.HasPrefix(name, p+"/")) &&
				cmp.Or(cmp.Compare(len(best), len(p)), cmp.Compare(p, best)) < 0 {
				best = p
			}
		}
		use, ok = rules[best]
	}
	use.pkg, use.version, use.dev = d.Name, d.Version, d.Dev
	return use, ok
}

// directSDK returns the SDK among a unit's own dependencies: runtime before development, SDKs
// before frameworks. The framework is that of any of them.
func (r *repo) directSDK(u *unit) sdkUse {
	const none = 100
	best, framework := sdkUse{rank: none}, sdkUse{rank: none}
	for kind, d := range u.dependencies() {
		use, ok := useOf(kind, d)
		if !ok || d.Indirect || r.byName[kind+":"+d.Name] != nil { // an SDK's examples depend on the SDK itself
			continue
		}
		if d.Dev {
			use.rank += 10
		}
		if use.framework != "" && use.rank < framework.rank {
			framework = use
		}
		if use.rank < best.rank {
			best = use
		}
	}
	if best.language == "" {
		return sdkUse{}
	}
	best.framework = framework.framework
	if u.gradle != nil && u.gradle.Kotlin && best.ecosystem == "maven" &&
		strings.Contains(best.pkg, "kotlin") {
		best.language = "kotlin"
	}
	return best
}

// resolve sets every unit's SDK, including those of siblings that it depends on, and its entry
// point.
func (r *repo) resolve() {
	for _, u := range r.units {
		u.sdk = r.directSDK(u)
		u.entry = r.entryPoint(u)
	}
	r.setSides()
	for _, u := range r.units {
		r.setGoEntry(u)
	}
	root := r.unit("")
	for range 4 { // siblings of siblings
		for _, u := range r.units {
			r.inheritSDK(u, root)
		}
	}
	for _, u := range r.units {
		r.setDistNPM(u, root)
		if u.sdk.language == "" && u.npm == nil && u.py == nil && u.gomod == nil && u.cargo == nil {
			u.sdk.language = r.languageOf(u)
		}
	}
	r.setImported(root)
}

// setImported sets the SDKs that only the source code names: of a single script, with an unsupported
// build file, and in folders with an image only.
func (r *repo) setImported(root *unit) {
	isSingle := r.sdkless() && (root.sdk.language == "" || root.sdk.language == "other")
	for _, u := range r.units {
		if isSingle && u == root || u != root && u.sdk.language == "" && u.docker != nil && u.empty() {
			if use := r.importedSDK(u.dir); use.language != "" {
				u.sdk = use
			}
		}
	}
}

// setGoEntry makes the first command of a Go module that serves its entry, if it has several.
func (r *repo) setGoEntry(u *unit) {
	if u.gomod == nil {
		return
	}
	all := r.goMains(u.dir)
	if len(all) < 2 {
		return
	}
	first := sort.Search(len(all), func(i int) bool { return r.reachServer(all[:i+1]) })
	if first < len(all) {
		u.entry = all[first]
	}
}

// setDistNPM sets the npm package that releases of a Rust program publish, as configured at the
// root.
func (r *repo) setDistNPM(u, root *unit) {
	dist := root.dist
	if dist == nil && root.cargo != nil {
		dist = root.cargo.Dist
	}
	if u.npm == nil && u.cargo != nil && u.entry != "" {
		u.distNPM = dist.NPM(u.cargo.Name)
	}
}

// inheritSDK sets the SDK of a unit to that of a sibling that it depends on, unless its own is as
// certain.
func (r *repo) inheritSDK(u, root *unit) {
	has := u.sdk.language != "" && !u.sdk.dev
	if has && u.sdk.rank < 2 {
		return
	}
	sibling := r.siblingSDK(u, root)
	if sibling == nil || sibling.sdk.dev || has && sibling.sdk.rank >= u.sdk.rank {
		return
	}
	u.sdk = sibling.sdk
	u.sdk.via = sibling.dir
}

// otherBuildFiles are build files of languages whose dependencies are not read.
var otherBuildFiles = []string{
	"deps.edn", "project.clj", "CMakeLists.txt", "mix.exs", "build.sbt", "pubspec.yaml", "stack.yaml",
	"dune-project", "build.zig", "Project.toml",
}

// languageOf returns the language of a unit whose manifests name no SDK, "" if unknown: "other",
// or the language of the official SDK that the README links to, if the repository contains source
// files in it and no manifest (an Xcode project, a single script).
func (r *repo) languageOf(u *unit) string {
	atRoot := u.dir == "" && u.bare()
	inListing := func(name string) bool { return r.files[name] }
	if u.otherKind == "other" || atRoot && slices.ContainsFunc(otherBuildFiles, inListing) {
		return "other"
	}
	if !atRoot || u.readme == nil {
		return ""
	}
	for _, l := range u.readme.Links {
		owner, name := repoParts(l)
		lang, ok := strings.CutSuffix(strings.ToLower(name), "-sdk")
		isIn := func(f registry.File) bool { return languageID(f.Path) == lang }
		if ok && strings.EqualFold(owner, "modelcontextprotocol") && lang != "" &&
			slices.ContainsFunc(r.snap.Files, isIn) {
			return lang
		}
	}
	return ""
}

// goMains returns the main files of commands below a Go module, in the order of the listing.
func (r *repo) goMains(dir string) []string {
	var out []string
	for _, f := range r.snap.Files {
		rel, ok := strings.CutPrefix(f.Path, prefix(dir))
		if !ok || path.Base(f.Path) != "main.go" || excluded(dirOf(f.Path)) {
			continue
		}
		parts := strings.Split(rel, "/")
		if len(parts) <= 2 || len(parts) <= 4 && parts[len(parts)-3] == "cmd" {
			out = append(out, f.Path)
		}
	}
	return out
}
