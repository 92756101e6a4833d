package detect

import (
	"path"
	"regexp"
	"strings"
)

// An sdkUse is how a server speaks the protocol.
type sdkUse struct {
	language, pkg, version, ecosystem, framework string
	rank                                         int    // lower is surer
	via                                          string // folder of the sibling that brings it, "" if direct
	dev                                          bool   // a dependency of development only
}

// String returns package and version.
func (s sdkUse) String() string { return strings.TrimSpace(s.pkg + " " + s.version) }

// An sdkRule is what a dependency on a package says.
type sdkRule struct {
	language, framework string
	rank                int // 0 an SDK, 1 a framework that brings one, 2 a weaker sign
}

// sdkPackages are the packages that make a program an MCP server, by ecosystem
// and lower-case name. In a name of Maven "*" stands for any text.
var sdkPackages = readSDKs()

// ruleOf returns the rule of a package, if there is one.
func ruleOf(ecosystem, name string) (sdkRule, bool) {
	rules := sdkPackages[ecosystem]
	name = strings.ToLower(name)
	if r, ok := rules[name]; ok {
		return r, true
	}
	switch ecosystem {
	case "go":
		// A path inside a module, or a later major version.
		for p, r := range rules {
			if strings.HasPrefix(name, p+"/") {
				return r, true
			}
		}
	case "maven":
		return longestMatch(rules, name)
	}
	return sdkRule{}, false
}

// longestMatch returns the rule of the longest pattern that matches a name.
func longestMatch(rules map[string]sdkRule, name string) (sdkRule, bool) {
	best := ""
	for p := range rules {
		if ok, _ := path.Match(p, name); ok && (len(p) > len(best) || len(p) == len(best) && p < best) {
			best = p
		}
	}
	return rules[best], best != ""
}

// directSDK returns the SDK among a unit's own dependencies: runtime before
// development, SDKs before frameworks. The framework is that of any of them.
func (r *repo) directSDK(u *unit) sdkUse {
	const none = 100
	best, framework := sdkUse{rank: none}, sdkUse{rank: none}
	for kind, d := range u.dependencies() {
		rule, ok := ruleOf(kind, d.Name)
		if !ok || d.Indirect || r.byName[kind+":"+d.Name] != nil { // an SDK's examples depend on the SDK itself
			continue
		}
		use := sdkUse{
			language: rule.language, pkg: d.Name, version: d.Version, ecosystem: kind,
			framework: rule.framework, rank: rule.rank, dev: d.Dev,
		}
		if d.Dev {
			use.rank += 10
		}
		if rule.framework != "" && use.rank < framework.rank {
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

// resolve sets every unit's SDK, also through siblings that it depends on, and
// its entry point.
func (r *repo) resolve() {
	for _, u := range r.units {
		u.sdk = r.directSDK(u)
		u.entry = r.entryPoint(u)
	}
	root := r.unit("")
	r.resolveDist(root)
	for range 4 { // siblings of siblings
		for _, u := range r.units {
			r.inheritSDK(u, root)
		}
	}
	for _, u := range r.units {
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

// resolveDist sets the npm packages that releases of programs in Rust publish, as the root
// configures them.
func (r *repo) resolveDist(root *unit) {
	dist := root.dist
	if dist == nil && root.cargo != nil {
		dist = root.cargo.Dist
	}
	for _, u := range r.units {
		if u.npm == nil && u.cargo != nil && u.entry != "" {
			u.distNPM = dist.NPM(u.cargo.Name)
		}
	}
}

// inheritSDK gives a unit the SDK of a sibling that it depends on, if its own is
// not as sure.
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

// languageOf returns the language of a unit whose manifests name no SDK, "" if
// nothing says so.
func (r *repo) languageOf(u *unit) string {
	if u.otherKind == "other" || u.dir == "" && u.bare() && r.has(otherBuildFiles...) {
		return "other"
	}
	return r.linkedSDK(u)
}

// languages are how files of a language end, and how source texts use an SDK.
var languages = []struct {
	extension *regexp.Regexp
	imports   *regexp.Regexp
	use       sdkUse
}{
	{
		regexp.MustCompile(`\.py$`),
		regexp.MustCompile(`(?m)^\s*(?:from\s+fastmcp\b[\w.]*\s+import|import\s+fastmcp\b)`),
		sdkUse{language: "python", pkg: "fastmcp", ecosystem: "pypi", framework: "fastmcp", rank: 1},
	},
	{
		regexp.MustCompile(`\.py$`),
		regexp.MustCompile(`(?m)^\s*from\s+mcp\.server\b`),
		sdkUse{language: "python", pkg: "mcp", ecosystem: "pypi"},
	},
	{
		regexp.MustCompile(`\.[cm]?[jt]sx?$`),
		regexp.MustCompile(`["'](?:npm:)?@modelcontextprotocol/sdk(?:@[^/"']*)?/server`),
		sdkUse{language: "typescript", pkg: "@modelcontextprotocol/sdk", ecosystem: "npm"},
	},
	{
		regexp.MustCompile(`\.go$`),
		regexp.MustCompile(`"github\.com/modelcontextprotocol/go-sdk/mcp"`),
		sdkUse{language: "go", pkg: "github.com/modelcontextprotocol/go-sdk", ecosystem: "go"},
	},
	{
		regexp.MustCompile(`\.go$`),
		regexp.MustCompile(`"github\.com/mark3labs/mcp-go/server"`),
		sdkUse{language: "go", pkg: "github.com/mark3labs/mcp-go", ecosystem: "go", framework: "mcp-go",
			rank: 1},
	},
	{
		regexp.MustCompile(`\.rs$`),
		regexp.MustCompile(`(?m)^\s*use\s+rmcp::`),
		sdkUse{language: "rust", pkg: "rmcp", ecosystem: "cargo"},
	},
	{
		regexp.MustCompile(`\.java$`),
		regexp.MustCompile(`(?m)^\s*import\s+io\.modelcontextprotocol\.server\b`),
		sdkUse{language: "java", pkg: "io.modelcontextprotocol.sdk:mcp", ecosystem: "maven"},
	},
	{
		regexp.MustCompile(`\.kt$`),
		regexp.MustCompile(`(?m)^\s*import\s+io\.modelcontextprotocol\.kotlin\b`),
		sdkUse{language: "kotlin", pkg: "io.modelcontextprotocol:kotlin-sdk", ecosystem: "maven"},
	},
	{
		regexp.MustCompile(`\.cs$`),
		regexp.MustCompile(`(?m)^\s*using\s+ModelContextProtocol\b`),
		sdkUse{language: "csharp", pkg: "ModelContextProtocol", ecosystem: "nuget"},
	},
	{
		regexp.MustCompile(`\.rb$`),
		regexp.MustCompile(`(?m)^\s*require\s+["']mcp["']`),
		sdkUse{language: "ruby", pkg: "mcp", ecosystem: "ruby"},
	},
	{
		regexp.MustCompile(`\.php$`),
		regexp.MustCompile(`(?m)^\s*use\s+PhpMcp\\`),
		sdkUse{language: "php", pkg: "php-mcp/server", ecosystem: "php", framework: "php-mcp", rank: 1},
	},
	{
		regexp.MustCompile(`\.swift$`),
		regexp.MustCompile(`(?m)^\s*import\s+MCP\b`),
		sdkUse{language: "swift", pkg: "modelcontextprotocol/swift-sdk", ecosystem: "swift"},
	},
}

// importedSDK returns the SDK that source texts import, if no manifest names
// one (a single script, a build file that was not understood) and the texts
// agree on the language.
func (r *repo) importedSDK() sdkUse {
	if !r.sdkless() {
		return sdkUse{}
	}
	found := sdkUse{}
	for p, text := range r.snap.Texts {
		if excluded(dirOf(p)) || isTest(p) {
			continue
		}
		for _, l := range languages {
			if !l.extension.MatchString(p) || !l.imports.MatchString(text) {
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

// sourceExtensions are those of the languages that have an official SDK.
var sourceExtensions = map[string]string{
	"swift": ".swift", "python": ".py", "typescript": ".ts", "go": ".go", "java": ".java",
	"kotlin": ".kt", "csharp": ".cs", "rust": ".rs", "ruby": ".rb", "php": ".php",
}

// linkedSDK returns the language of the official SDK that the README links to,
// if the repository is written in it and has no manifest that would say so (an
// Xcode project, a single script).
func (r *repo) linkedSDK(u *unit) string {
	if u.dir != "" || u.readme == nil || !u.bare() {
		return ""
	}
	for _, l := range u.readme.Links {
		owner, name := repoParts(l)
		lang, ok := strings.CutSuffix(strings.ToLower(name), "-sdk")
		if !ok || !strings.EqualFold(owner, "modelcontextprotocol") || sourceExtensions[lang] == "" {
			continue
		}
		for _, f := range r.snap.Files {
			if strings.HasSuffix(f.Path, sourceExtensions[lang]) {
				return lang
			}
		}
	}
	return ""
}

// goMains returns the main files of commands below a Go module, in the order of
// the listing.
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
