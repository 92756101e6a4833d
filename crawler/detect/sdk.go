package detect

import (
	"path"
	"regexp"
	"strings"

	"mcpcensus/crawler/manifest"
)

// An sdkUse is how a server speaks the protocol.
type sdkUse struct {
	language, pkg, version, ecosystem, framework string
	rank                                         int    // lower is surer
	via                                          string // folder of the sibling that brings it, "" if direct
	dev                                          bool
}

type sdkRule struct {
	language, framework string
	rank                int // 0 an SDK, 1 a framework that brings one, 2 a weaker sign
}

// sdkPackages are the packages that make a program an MCP server, by ecosystem
// and lower-case name. In a name of Maven "*" stands for any text.
var sdkPackages = readSDKs()

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
		best, pattern := sdkRule{}, ""
		for p, r := range rules {
			if ok, _ := path.Match(p, name); ok && (len(p) > len(pattern) || len(p) == len(pattern) && p < pattern) {
				best, pattern = r, p
			}
		}
		return best, pattern != ""
	}
	return sdkRule{}, false
}

type ecoDeps struct {
	ecosystem string
	deps      []manifest.Dependency
}

// dependencies returns the unit's dependencies by ecosystem, in a fixed order.
func (r *repo) dependencies(u *unit) []ecoDeps {
	var out []ecoDeps
	add := func(eco string, deps []manifest.Dependency) {
		if len(deps) > 0 {
			out = append(out, ecoDeps{eco, deps})
		}
	}
	if u.npm != nil {
		add("npm", u.npm.Dependencies)
	}
	if u.deno != nil {
		add("npm", u.deno.Dependencies)
	}
	if u.py != nil {
		add("pypi", u.py.Dependencies)
	}
	add("pypi", u.reqs)
	if u.gomod != nil {
		add("go", u.gomod.Require)
	}
	if u.cargo != nil {
		add("cargo", u.cargo.Dependencies)
	}
	if u.pom != nil {
		add("maven", u.pom.Dependencies)
	}
	if u.gradle != nil {
		deps := make([]manifest.Dependency, 0, len(u.gradle.Dependencies))
		for _, d := range u.gradle.Dependencies {
			if acc, ok := strings.CutPrefix(d.Name, "libs."); ok {
				if n := r.catlg[acc]; n != "" {
					d.Name = n
				} else if strings.Contains(acc, "mcp") && (strings.Contains(acc, "server") || strings.Contains(acc, "sdk") || acc == "mcp") && !strings.Contains(acc, "client") {
					// The catalogue was not read: its accessor says enough.
					d.Name = map[bool]string{true: "io.modelcontextprotocol:kotlin-sdk", false: "io.modelcontextprotocol.sdk:mcp"}[strings.Contains(acc, "kotlin")]
				}
			}
			deps = append(deps, d)
		}
		add("maven", deps)
	}
	for _, p := range u.csproj {
		deps := make([]manifest.Dependency, len(p.Dependencies))
		copy(deps, p.Dependencies)
		for i := range deps {
			if deps[i].Version == "" {
				deps[i].Version = r.vers[deps[i].Name]
			}
		}
		add("nuget", deps)
	}
	if u.other != nil && u.otherKind != "other" {
		add(u.otherKind, u.other.Dependencies)
	}
	return out
}

// directSDK returns the SDK among a unit's own dependencies: runtime before
// development, SDKs before frameworks. The framework is that of any of them.
func (r *repo) directSDK(u *unit) sdkUse {
	best := sdkUse{rank: 100}
	framework := ""
	frameworkRank := 100
	for _, e := range r.dependencies(u) {
		for _, d := range e.deps {
			rule, ok := ruleOf(e.ecosystem, d.Name)
			if !ok || d.Indirect {
				continue
			}
			if r.isOwn(e.ecosystem, d.Name) {
				continue
			}
			rank := rule.rank
			if d.Dev {
				rank += 10
			}
			if rule.framework != "" && rank < frameworkRank {
				framework, frameworkRank = rule.framework, rank
			}
			if rank < best.rank {
				best = sdkUse{language: rule.language, pkg: d.Name, version: d.Version, ecosystem: e.ecosystem, rank: rank, dev: d.Dev}
			}
		}
	}
	if best.language == "" {
		return sdkUse{}
	}
	best.framework = framework
	if best.ecosystem == "maven" && best.language == "java" && u.gradle != nil && u.gradle.Kotlin && strings.Contains(best.pkg, "kotlin") {
		best.language = "kotlin"
	}
	return best
}

// isOwn says whether a package is made in this very repository: an SDK's
// examples depend on the SDK itself.
func (r *repo) isOwn(ecosystem, name string) bool {
	_, ok := r.byName[ecosystem+":"+name]
	return ok
}

// resolve finds every unit's SDK, also through siblings that it depends on,
// and its entry point.
func (r *repo) resolve() {
	for _, u := range r.units {
		u.sdk = r.directSDK(u)
		u.entry = r.entryPoint(u)
	}
	root := r.unit("")
	for range 4 {
		for _, u := range r.units {
			if u.sdk.language != "" && !u.sdk.dev && u.sdk.rank < 2 {
				continue
			}
			if via := r.siblingSDK(u, root); via != nil && via.sdk.language != "" && (u.sdk.language == "" || u.sdk.dev || via.sdk.rank < u.sdk.rank) {
				use := via.sdk
				use.via = via.dir
				if use.dev {
					continue
				}
				u.sdk = use
			}
		}
	}
	for _, u := range r.units {
		if u.sdk.language != "" || u.npm != nil || u.py != nil || u.gomod != nil || u.cargo != nil {
			continue
		}
		if u.otherKind == "other" || u.dir == "" && u.bare() && r.has("deps.edn", "project.clj", "CMakeLists.txt", "mix.exs", "build.sbt", "pubspec.yaml", "stack.yaml", "dune-project", "build.zig", "Project.toml") {
			u.sdk = sdkUse{language: "other"}
		} else if lang := r.linkedSDK(u); lang != "" {
			u.sdk = sdkUse{language: lang}
		}
	}
	if root.sdk.language == "" || root.sdk.language == "other" {
		if use := r.importedSDK(); use.language != "" {
			root.sdk = use
		}
	}
}

// imports are how source texts use an SDK, by language.
var imports = []struct {
	ext *regexp.Regexp
	use sdkUse
	re  *regexp.Regexp
}{
	{regexp.MustCompile(`\.py$`), sdkUse{language: "python", pkg: "fastmcp", ecosystem: "pypi", framework: "fastmcp", rank: 1}, regexp.MustCompile(`(?m)^\s*(?:from\s+fastmcp\b[\w.]*\s+import|import\s+fastmcp\b)`)},
	{regexp.MustCompile(`\.py$`), sdkUse{language: "python", pkg: "mcp", ecosystem: "pypi"}, regexp.MustCompile(`(?m)^\s*from\s+mcp\.server\b`)},
	{regexp.MustCompile(`\.[cm]?[jt]sx?$`), sdkUse{language: "typescript", pkg: "@modelcontextprotocol/sdk", ecosystem: "npm"}, regexp.MustCompile(`["'](?:npm:)?@modelcontextprotocol/sdk(?:@[^/"']*)?/server`)},
	{regexp.MustCompile(`\.go$`), sdkUse{language: "go", pkg: "github.com/modelcontextprotocol/go-sdk", ecosystem: "go"}, regexp.MustCompile(`"github\.com/modelcontextprotocol/go-sdk/mcp"`)},
	{regexp.MustCompile(`\.go$`), sdkUse{language: "go", pkg: "github.com/mark3labs/mcp-go", ecosystem: "go", framework: "mcp-go", rank: 1}, regexp.MustCompile(`"github\.com/mark3labs/mcp-go/server"`)},
	{regexp.MustCompile(`\.rs$`), sdkUse{language: "rust", pkg: "rmcp", ecosystem: "cargo"}, regexp.MustCompile(`(?m)^\s*use\s+rmcp::`)},
	{regexp.MustCompile(`\.java$`), sdkUse{language: "java", pkg: "io.modelcontextprotocol.sdk:mcp", ecosystem: "maven"}, regexp.MustCompile(`(?m)^\s*import\s+io\.modelcontextprotocol\.server\b`)},
	{regexp.MustCompile(`\.kt$`), sdkUse{language: "kotlin", pkg: "io.modelcontextprotocol:kotlin-sdk", ecosystem: "maven"}, regexp.MustCompile(`(?m)^\s*import\s+io\.modelcontextprotocol\.kotlin\b`)},
	{regexp.MustCompile(`\.cs$`), sdkUse{language: "csharp", pkg: "ModelContextProtocol", ecosystem: "nuget"}, regexp.MustCompile(`(?m)^\s*using\s+ModelContextProtocol\b`)},
	{regexp.MustCompile(`\.rb$`), sdkUse{language: "ruby", pkg: "mcp", ecosystem: "ruby"}, regexp.MustCompile(`(?m)^\s*require\s+["']mcp["']`)},
	{regexp.MustCompile(`\.php$`), sdkUse{language: "php", pkg: "php-mcp/server", ecosystem: "php", framework: "php-mcp", rank: 1}, regexp.MustCompile(`(?m)^\s*use\s+PhpMcp\\`)},
	{regexp.MustCompile(`\.swift$`), sdkUse{language: "swift", pkg: "modelcontextprotocol/swift-sdk", ecosystem: "swift"}, regexp.MustCompile(`(?m)^\s*import\s+MCP\b`)},
}

// importedSDK returns the SDK that source texts import, if no manifest names
// one (a single script, a build file that was not understood) and they agree.
func (r *repo) importedSDK() sdkUse {
	if !r.sdkless() {
		return sdkUse{}
	}
	found := sdkUse{}
	for p, text := range r.snap.Texts {
		if excluded(dirOf(p)) || isTest(p) {
			continue
		}
		for _, i := range imports {
			if !i.ext.MatchString(p) || !i.re.MatchString(text) {
				continue
			}
			if found.language != "" && found.language != i.use.language {
				return sdkUse{}
			}
			if found.language == "" || i.use.rank < found.rank {
				found = i.use
			}
		}
	}
	return found
}

// has says whether the root has one of the files.
func (r *repo) has(names ...string) bool {
	for _, n := range names {
		if r.files[n] {
			return true
		}
	}
	return false
}

// linkedSDK returns the language of the official SDK that the README links
// to, if the repository is written in it and has no manifest that would say
// so (an Xcode project, a single script).
func (r *repo) linkedSDK(u *unit) string {
	if u.dir != "" || u.readme == nil || !u.bare() {
		return ""
	}
	extensions := map[string]string{"swift": ".swift", "python": ".py", "typescript": ".ts", "go": ".go", "java": ".java", "kotlin": ".kt", "csharp": ".cs", "rust": ".rs", "ruby": ".rb", "php": ".php"}
	for _, l := range u.readme.Links {
		owner, name := repoParts(l)
		lang, ok := strings.CutSuffix(strings.ToLower(name), "-sdk")
		if !ok || !strings.EqualFold(owner, "modelcontextprotocol") || extensions[lang] == "" {
			continue
		}
		for _, f := range r.snap.Files {
			if strings.HasSuffix(f.Path, extensions[lang]) {
				return lang
			}
		}
	}
	return ""
}

// siblingSDK returns a unit of the same repository that u depends on, or whose
// dependencies it inherits, and that uses an SDK.
func (r *repo) siblingSDK(u, root *unit) *unit {
	for _, e := range r.dependencies(u) {
		for _, d := range e.deps {
			name := d.Name
			if e.ecosystem == "maven" {
				_, name, _ = strings.Cut(d.Name, ":")
			}
			if v := r.byName[e.ecosystem+":"+name]; v != nil && v != u && v.sdk.language != "" && !d.Dev {
				return v
			}
		}
	}
	if u.pom != nil && u != root && root.pom != nil && u.pom.ParentArtifact == root.pom.ArtifactID && root.sdk.language != "" {
		return root
	}
	for i, p := range u.csproj {
		for _, ref := range p.Projects {
			target := path.Join(dirOf(u.csprojAt[i]), ref)
			if strings.HasPrefix(ref, "$(") {
				if j := strings.IndexByte(ref, '/'); j > 0 {
					target = ref[j+1:]
				}
			}
			if v := r.byDir[home(dirOf(target))]; v != nil && v != u && v.sdk.language != "" {
				return v
			}
		}
	}
	return nil
}

// locked returns the version of the SDK that the nearest lock file fixes.
func (r *repo) locked(u *unit) string {
	if u.sdk.pkg == "" {
		return ""
	}
	for dir := u.dir; ; dir = dirOf(dir) {
		for _, name := range manifest.LockNames {
			p := path.Join(dir, name)
			if t, ok := r.snap.Texts[p]; ok {
				if v := manifest.Locked(p, []byte(t), u.sdk.pkg); v != "" {
					return v
				}
			}
		}
		if dir == "" {
			break
		}
	}
	if u.sdk.ecosystem == "go" {
		return u.sdk.version // a go.mod names the exact minimum that is built with
	}
	return ""
}

// entryPoint returns what shows that a unit is a program, "" if nothing does.
func (r *repo) entryPoint(u *unit) string {
	has := func(names ...string) string {
		for _, n := range names {
			if p := path.Join(u.dir, n); r.files[p] {
				return p
			}
		}
		return ""
	}
	if u.npm != nil {
		if len(u.npm.Bin) > 0 {
			return "bin in package.json"
		}
		if u.npm.MCPName != "" {
			return "mcpName in package.json"
		}
		if p := has("wrangler.toml", "wrangler.json", "wrangler.jsonc"); p != "" {
			return p
		}
		for _, s := range []string{"start", "serve", "start:stdio", "start:http", "mcp"} {
			if u.npm.Scripts[s] != "" {
				return "script " + s + " in package.json"
			}
		}
	}
	if u.py != nil && len(u.py.Scripts) > 0 {
		return "scripts in " + first(has("pyproject.toml", "setup.py"), "the Python manifest")
	}
	if u.py != nil || len(u.reqs) > 0 {
		if p := has("main.py", "server.py", "app.py", "__main__.py", "src/main.py", "src/server.py", "run.py", "mcp_server.py"); p != "" {
			return p
		}
		for f := range r.files {
			if strings.HasSuffix(f, "/__main__.py") && strings.HasPrefix(f, prefix(u.dir)) && !r.between(u.dir, dirOf(f)) {
				return "__main__.py"
			}
		}
	}
	if u.gomod != nil {
		if p := has("main.go"); p != "" {
			return p
		}
		mains := r.goMains(u.dir)
		if len(mains) > 0 {
			return mains[0]
		}
	}
	if u.cargo != nil {
		if len(u.cargo.Bins) > 0 {
			return "[[bin]] in Cargo.toml"
		}
		if p := has("src/main.rs"); p != "" {
			return p
		}
	}
	if u.pom != nil {
		for _, p := range u.pom.Plugins {
			for _, k := range []string{"quarkus-maven-plugin", "spring-boot-maven-plugin", "maven-shade-plugin", "maven-assembly-plugin", "jib-maven-plugin", "exec-maven-plugin", "native-maven-plugin", "micronaut-maven-plugin", "maven-jar-plugin"} {
				if p == k {
					return p + " in pom.xml"
				}
			}
		}
	}
	if u.gradle != nil && u.gradle.Application {
		return "application in the Gradle script"
	}
	for _, p := range u.csproj {
		if p.Executable || p.Tool {
			return "an executable .NET project"
		}
	}
	if u.deno != nil && len(u.deno.Tasks) > 0 {
		return "tasks in deno.json"
	}
	if u.other != nil {
		if len(u.other.Executables) > 0 {
			return "an executable"
		}
		if p := has("Sources/main.swift", "main.swift", "exe", "bin", "artisan", "server.php"); p != "" {
			return p
		}
	}
	if u.docker != nil && u.docker.Entrypoint != "" && u.dir != "" {
		return "entry point in Dockerfile"
	}
	if u.npm != nil {
		if p := has("src/index.ts", "index.ts", "src/server.ts", "server.ts", "src/index.js", "index.js", "server.js", "src/main.ts"); p != "" && u.dir == "" {
			return p
		}
	}
	return ""
}

func prefix(dir string) string {
	if dir == "" {
		return ""
	}
	return dir + "/"
}

// between says whether another unit with a manifest lies between a folder and
// one below it.
func (r *repo) between(dir, below string) bool {
	for d := below; d != dir && d != ""; d = dirOf(d) {
		if v := r.byDir[d]; v != nil && !v.empty() {
			return true
		}
	}
	return false
}

// goMains returns the main files of commands below a Go module, sorted.
func (r *repo) goMains(dir string) []string {
	var out []string
	for _, f := range r.snap.Files {
		if path.Base(f.Path) != "main.go" || !strings.HasPrefix(f.Path, prefix(dir)) {
			continue
		}
		rel := strings.Split(strings.TrimPrefix(f.Path, prefix(dir)), "/")
		if len(rel) <= 3 && (rel[0] == "cmd" || rel[0] == "main.go" || len(rel) == 2) && !excluded(dirOf(f.Path)) {
			out = append(out, f.Path)
		}
	}
	return out
}
