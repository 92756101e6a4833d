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

// sdkPackages are the packages that make a program an MCP server, by
// ecosystem and name. A name that ends in "*" is a prefix.
var sdkPackages = map[string]map[string]sdkRule{
	"npm": {
		"@modelcontextprotocol/sdk": {"typescript", "", 0}, "@modelcontextprotocol/server": {"typescript", "", 0}, "@modelcontextprotocol/core": {"typescript", "", 0},
		"@modelcontextprotocol/node": {"typescript", "", 0}, "@modelcontextprotocol/express": {"typescript", "", 0}, "@modelcontextprotocol/hono": {"typescript", "", 0},
		"fastmcp": {"typescript", "fastmcp", 1}, "mcp-framework": {"typescript", "mcp-framework", 1}, "mcp-handler": {"typescript", "mcp-handler", 1},
		"@vercel/mcp-adapter": {"typescript", "mcp-handler", 1}, "xmcp": {"typescript", "xmcp", 1}, "litemcp": {"typescript", "litemcp", 1}, "mcp-lite": {"typescript", "mcp-lite", 1},
		"tmcp": {"typescript", "tmcp", 1}, "easy-mcp": {"typescript", "easy-mcp", 1}, "@rekog/mcp-nest": {"typescript", "mcp-nest", 1}, "@nestjs-mcp/server": {"typescript", "mcp-nest", 1},
		"workers-mcp": {"typescript", "workers-mcp", 1}, "skybridge": {"typescript", "skybridge", 1}, "muppet": {"typescript", "muppet", 1}, "@hono/mcp": {"typescript", "hono", 1},
		"@mastra/mcp": {"typescript", "mastra", 1}, "mcp-use": {"typescript", "mcp-use", 1}, "@smithery/sdk": {"typescript", "smithery", 1}, "@modelfetch/core": {"typescript", "modelfetch", 1},
		"@golf-mcp/core": {"typescript", "golf", 1}, "agents": {"typescript", "agents", 2}, "@mcp-b/transports": {"typescript", "", 2}, "mcps-logger": {"typescript", "", 2}, "@leanmcp/core": {"typescript", "leanmcp", 1},
		"@frontmcp/sdk": {"typescript", "frontmcp", 1}, "@modelcontextprotocol/ext-apps": {"typescript", "", 2}, "mcp-proxy": {"typescript", "", 2}, "@playwright/mcp": {"typescript", "", 2},
	},
	"pypi": {
		"mcp": {"python", "", 0}, "modelcontextprotocol": {"python", "", 0}, "fastmcp": {"python", "fastmcp", 1}, "fastapi-mcp": {"python", "fastapi-mcp", 1}, "fastmcp-slim": {"python", "fastmcp", 1},
		"django-mcp-server": {"python", "django-mcp-server", 1}, "django-mcp": {"python", "django-mcp", 1}, "golf-mcp": {"python", "golf", 1}, "chuk-mcp-server": {"python", "chuk-mcp-server", 1}, "chuk-mcp": {"python", "chuk-mcp", 1},
		"arcade-mcp-server": {"python", "arcade", 1}, "arcade-mcp": {"python", "arcade", 1}, "mcp-server": {"python", "", 2}, "easymcp": {"python", "easymcp", 1}, "enrichmcp": {"python", "enrichmcp", 1}, "pyfastmcp": {"python", "fastmcp", 1},
		"mcp-use": {"python", "mcp-use", 2}, "mcp-server-sdk": {"python", "", 1}, "mcpower": {"python", "", 2}, "dedalus-mcp": {"python", "dedalus-mcp", 1}, "fastmcp-http": {"python", "fastmcp", 1}, "mcp-agent": {"python", "mcp-agent", 2}, "awslabs-mcp-lambda-handler": {"python", "mcp-lambda-handler", 1},
	},
	"go": {
		"github.com/modelcontextprotocol/go-sdk": {"go", "", 0}, "github.com/mark3labs/mcp-go": {"go", "mcp-go", 1}, "github.com/metoro-io/mcp-golang": {"go", "mcp-golang", 1},
		"github.com/strowk/foxy-contexts": {"go", "foxy-contexts", 1}, "github.com/thinkinaixyz/go-mcp": {"go", "go-mcp", 1}, "github.com/riza-io/mcp-go": {"go", "mcp-go", 1},
		"github.com/localrivet/gomcp": {"go", "gomcp", 1}, "trpc.group/trpc-go/trpc-mcp-go": {"go", "trpc-mcp-go", 1}, "github.com/llmcontext/gomcp": {"go", "gomcp", 1}, "github.com/viant/mcp": {"go", "viant", 1},
		"github.com/ktr0731/go-mcp": {"go", "go-mcp", 1}, "github.com/nikolaymatrosov/mcp-go": {"go", "mcp-go", 1}, "github.com/megagrindstone/go-mcp": {"go", "go-mcp", 1}, "github.com/createmcp/gomcp": {"go", "gomcp", 1}, "github.com/mcpany/core": {"go", "", 2},
	},
	"maven": {
		"io.modelcontextprotocol.sdk:*": {"java", "", 0}, "io.modelcontextprotocol:kotlin-sdk*": {"kotlin", "", 0}, "org.springframework.ai:spring-ai-starter-mcp-server*": {"java", "spring-ai", 1},
		"org.springframework.ai:spring-ai-mcp*": {"java", "spring-ai", 1}, "org.springframework.ai:spring-ai-autoconfigure-mcp*": {"java", "spring-ai", 1}, "org.springframework.experimental:mcp": {"java", "", 1},
		"io.quarkiverse.mcp:quarkus-mcp-server*": {"java", "quarkus-mcp-server", 1}, "io.micronaut.mcp:*": {"java", "micronaut-mcp", 1}, "org.springaicommunity:*mcp*": {"java", "spring-ai", 1},
		"io.modelcontextprotocol:java-sdk*": {"java", "", 0}, "io.github.thought2code:*mcp*": {"java", "", 1}, "org.noear:solon-ai-mcp": {"java", "solon", 1}, "com.logaritex.mcp:*": {"java", "", 1},
		"org.springframework.ai:spring-ai-mcp-server*": {"java", "spring-ai", 1}, "io.github.mark3labs:*mcp*": {"java", "", 1}, "ai.koog:*mcp*": {"kotlin", "koog", 2}, "me.kpavlov.mokksy:*mcp*": {"kotlin", "", 2},
	},
	"nuget": {
		"modelcontextprotocol": {"csharp", "", 0}, "modelcontextprotocol.core": {"csharp", "", 0}, "modelcontextprotocol.aspnetcore": {"csharp", "", 0}, "mcpdotnet": {"csharp", "mcpdotnet", 1}, "mcpsharp": {"csharp", "mcpsharp", 1},
		"microsoft.azure.functions.worker.extensions.mcp": {"csharp", "azure-functions", 1}, "microsoft.mcp.core": {"csharp", "", 1}, "mcpserver.core": {"csharp", "", 2},
	},
	"cargo": {
		"rmcp": {"rust", "", 0}, "rmcp-macros": {"rust", "", 0}, "rust-mcp-sdk": {"rust", "rust-mcp-sdk", 1}, "mcp-core": {"rust", "mcp-core", 1}, "mcp-server": {"rust", "mcp-server", 1}, "mcp-sdk": {"rust", "mcp-sdk", 1}, "mcp_rust_sdk": {"rust", "", 1},
		"mcpr": {"rust", "mcpr", 1}, "pmcp": {"rust", "pmcp", 1}, "turbomcp": {"rust", "turbomcp", 1}, "mcp-attr": {"rust", "mcp-attr", 1}, "async-mcp": {"rust", "async-mcp", 1}, "poem-mcpserver": {"rust", "poem", 1}, "rust-mcp-schema": {"rust", "", 2},
		"mcp-protocol-sdk": {"rust", "mcp-protocol-sdk", 1}, "mcpkit": {"rust", "mcpkit", 1}, "mcp-sdk-rs": {"rust", "", 1}, "mcp-rust-sdk": {"rust", "", 1}, "ultrafast-mcp": {"rust", "ultrafast-mcp", 1}, "tower-mcp": {"rust", "tower-mcp", 1}, "mcp-spec": {"rust", "", 2},
	},
	"swift": {
		"modelcontextprotocol/swift-sdk": {"swift", "", 0}, "loopwork-ai/swift-sdk": {"swift", "", 0}, "gsabran/mcp-swift-sdk": {"swift", "mcp-swift-sdk", 1}, "cocoanetics/swiftmcp": {"swift", "swiftmcp", 1}, "loopwork/mcp-swift-sdk": {"swift", "", 0}, "1amageek/swift-context-protocol": {"swift", "", 1},
	},
	"ruby": {
		"mcp": {"ruby", "", 0}, "fast-mcp": {"ruby", "fast-mcp", 1}, "model-context-protocol-rb": {"ruby", "model-context-protocol-rb", 1}, "mcp-rb": {"ruby", "mcp-rb", 1}, "actionmcp": {"ruby", "actionmcp", 1}, "action_mcp": {"ruby", "actionmcp", 1}, "vector_mcp": {"ruby", "vector_mcp", 1}, "rails-mcp-server": {"ruby", "", 2}, "mcp_on_ruby": {"ruby", "mcp_on_ruby", 1},
	},
	"php": {
		"mcp/sdk": {"php", "", 0}, "php-mcp/server": {"php", "php-mcp", 1}, "php-mcp/laravel": {"php", "php-mcp", 1}, "logiscape/mcp-sdk-php": {"php", "logiscape", 1}, "laravel/mcp": {"php", "laravel", 1}, "opgginc/laravel-mcp-server": {"php", "laravel", 1},
		"symfony/mcp-bundle": {"php", "symfony", 1}, "symfony/mcp-sdk": {"php", "symfony", 1}, "symfony/ai-mcp-bundle": {"php", "symfony", 1}, "pronskiy/mcp": {"php", "pronskiy", 1}, "modelcontextprotocol/php-sdk": {"php", "", 0},
	},
}

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
