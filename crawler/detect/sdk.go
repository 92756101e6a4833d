package detect

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/manifest"
	"mcpcensus/internal/registry"
)

// An sdkUse is a server's use of an SDK.
type sdkUse struct {
	language, pkg, version, ecosystem, framework string
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
	if root.sdk.language == "" || root.sdk.language == "other" {
		if use := r.importedSDK(); use.language != "" {
			root.sdk = use
		}
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

// An importRule matches source files in the language of an SDK that import it.
type importRule struct {
	expression *regexp.Regexp
	use        sdkUse
}

func imported(expression, ecosystem, pkg string) importRule {
	use, _ := useOf(ecosystem, manifest.Dependency{Name: pkg})
	return importRule{regexp.MustCompile(`(?m)` + expression), use}
}

var imports = []importRule{
	imported(`^\s*(?:from\s+fastmcp\b[\w.]*\s+import|import\s+fastmcp\b)`, "pypi", "fastmcp"),
	imported(`^\s*from\s+mcp\.server\b`, "pypi", "mcp"),
	imported(`["'](?:npm:)?@modelcontextprotocol/sdk(?:@[^/"']*)?/server`,
		"npm", "@modelcontextprotocol/sdk"),
	imported(`"github\.com/modelcontextprotocol/go-sdk/mcp"`, "go", "github.com/modelcontextprotocol/go-sdk"),
	imported(`"github\.com/mark3labs/mcp-go/server"`, "go", "github.com/mark3labs/mcp-go"),
	imported(`^\s*use\s+rmcp::`, "cargo", "rmcp"),
	imported(`^\s*import\s+io\.modelcontextprotocol\.server\b`, "maven", "io.modelcontextprotocol.sdk:mcp"),
	imported(`^\s*import\s+io\.modelcontextprotocol\.kotlin\b`, "maven", "io.modelcontextprotocol:kotlin-sdk"),
	imported(`^\s*using\s+ModelContextProtocol\b`, "nuget", "ModelContextProtocol"),
	imported(`^\s*require\s+["']mcp["']`, "ruby", "mcp"),
	imported(`^\s*use\s+PhpMcp\\`, "php", "php-mcp/server"),
	imported(`^\s*import\s+MCP\b`, "swift", "modelcontextprotocol/swift-sdk"),
}

// importedSDK returns the SDK that source files import, if no manifest names one (a single
// script, an unsupported build file) and the files agree on the language.
func (r *repo) importedSDK() sdkUse {
	if !r.sdkless() {
		return sdkUse{}
	}
	found := sdkUse{}
	for p, text := range r.snap.Texts {
		if !isOwn(p) {
			continue
		}
		for _, l := range imports {
			if languageID(p) != l.use.language || !l.expression.MatchString(text) {
				continue
			}
			if found.language != "" && found.language != l.use.language {
				return sdkUse{}
			}
			if found.language == "" || l.use.rank < found.rank {
				found = l.use
			}
		}
	}
	return found
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
		if len(parts) <= 2 || len(parts) == 3 && parts[0] == "cmd" {
			out = append(out, f.Path)
		}
	}
	return out
}
