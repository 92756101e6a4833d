package others

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mcpcensus/crawler/source/listing"
	"mcpcensus/crawler/source/sourcetest"
)

// minMeasured is the lowest F1 of names for which a reader may call a list complete.
const minMeasured = 0.8

// measured are repositories with the expression that counts the registrations of their servers:
// its first group is the name of the tool, or of the method or class that names it, which named
// converts.
var measured = []struct {
	language, repo string
	files          string // expression for the paths of the files that register tools
	counted        string
	named          func(string) string
}{
	{"Rust", "rust-mcp-stack/rust-mcp-filesystem", `^src/tools/`, `#\[mcp_tool\(\s*name = "(\w+)"`, nil},
	{"Rust", "safx/backlog-mcp-server-rust", `^backlog-mcp-server/src/server\.rs$`,
		`#\[tool\((?s:[^\]]*?)\)\]\s*(?:pub )?async fn (\w+)`, nil},
	{"Rust", "nicholaswilde/syncthing-mcp-rs", `^src/tools/mod\.rs$`,
		`registry\.register\(\s*"(\w+)"`, nil},
	{"Rust", "lukaj99/semantic-scholar-mcp-rs", `/src/tools/`,
		`fn name\(&self\) -> &'static str \{\s*"(\w+)"`, nil},
	{"Rust", "0xZOne/perfetto-mcp-rs", `^src/server\.rs$`, `#\[tool\(\s*name = "([\w-]+)"`, nil},
	{"Rust", "nizovtsevnv/outline-mcp-rs", `^src/tools/`, `\btool_definition\(\s*"(\w+)"`, nil},
	{"Rust", "bradsjm/mail-imap-mcp-rs", `^src/server\.rs$`, `#\[tool\(\s*name = "(\w+)"`, nil},

	{"C#", "willvelida/mcp-afl-server", `^src/Tools/`,
		`\[McpServerTool\b[^\n]*\s+public async Task<[^\n]*> (\w+)\(`, snake},
	{"C#", "jongalloway/dotnet-mcp", `^DotNetMcp/Tools/`,
		`(?m)^\s+\[McpServerTool\((?:[^\n]*\n\s+\[)*[^\n]*\n(?:\s+\[[^\n]*\n)*\s+public [^\n(]* (\w+)\(`, snake},
	{"C#", "Argha713/dotnet-mcp-server", `^src/McpServer/Tools/`, `public string Name => "(\w+)"`, nil},
	{"C#", "g1ddy/raindrop-mcp-dotnet", `^src/Mcp/`,
		`\[McpServerTool\b(?:[^\n]*\n){1,9}?\s+public [^\n(]* (\w+?)(?:Async)?\(`, snake},
	{"C#", "Bartomy-Labs/court-listener-mcp-dotnet", `/Tools/`, `\[McpServerTool\(Name = "(\w+)"`, nil},
	{"C#", "kooshi/SharpToolsMCP", `/Mcp/Tools/`,
		`(?m)^\s*\[McpServerTool\(Name = ToolHelpers\.SharpToolPrefix \+ nameof\((\w+)\)`,
		func(method string) string { return "SharpTool_" + method }},

	{"Java", "SonarSource/sonarqube-mcp-server", `^src/main/`, `TOOL_NAME = "(\w+)"`, nil},
	{"Java", "quarkiverse/quarkus-mcp-servers", `^\w+/src/main/`,
		`(?m)^\s*@Tool\((?s:.*?)\n?\s*(?:public )?[\w<>]+ (\w+)\([^"]`, nil},
	{"Java", "arvindand/maven-tools-mcp", `^src/main/`,
		`(?m)^  @Tool\((?s:.*?)\n  public [^\n(]* (\w+)\(`, nil},
	{"Java", "schlpbch/open-meteo-mcp-java", `^src/main/`, `@McpTool\(name = "(\w+)"`, nil},
	{"Java", "parthloglogn/langfuse-mcp-java", `^src/main/`, `@McpTool\(\s*name = "(\w+)"`, nil},

	{"Kotlin", "crobles-multiplier/postgres-kotlin-mcp", `^src/main/`, `addTool\(\s*name = "(\w+)"`, nil},
	{"Kotlin", "BapNesS/kotlin-mcp-jira", `^src/main/`, `addTool\(\s*name = "([\w-]+)"`, nil},
	{"Kotlin", "SebastianAigner/kotlin-mcp-hue-light-sample", `^src/main/`, `addTool\(\s*"([\w-]+)"`, nil},
	{"Kotlin", "JetBrains/mcp-server-plugin", `^src/main/`, `override val name(?:: String)? = "(\w+)"`, nil},
	{"Kotlin", "SamMorrowDrums/mcp-kotlin-starter", `^src/main/`, `addTool\(\s*name = "(\w+)"`, nil},
	{"Kotlin", "RemindPan/how-to-cook-mcp-kotlin", `^src/main/`, `addTool\(\s*name = "(\w+)"`, nil},

	{"Swift", "mattt/iMCP", `^App/Services/`, `\bTool\(\s*name: "([\w-]+)"`, nil},
	{"Swift", "sflinter/banktivity-swift-mcp", `/MCP/Tools/`, `registry\.register\(\s*name: "(\w+)"`, nil},
	{"Swift", "NakaokaRei/swift-mcp-gui", `/Tools/`, `\bTool\(\s*name: "([\w-]+)"`, nil},
	{"Swift", "doozMen/gitlab-mcp-swift", `^Sources/`, `\bTool\(\s*name: "([\w-]+)"`, nil},
	{"Swift", "giginet/xcodeproj-mcp-server", `^Sources/`, `\bTool\(\s*name: "([\w-]+)"`, nil},
	{"Swift", "nedithgar/ast-grep-mcp-swift", `^Sources/`, `\bTool\(\s*name: "([\w-]+)"`, nil},

	{"Ruby", "maquina-app/rails-mcp-server", `^lib/rails-mcp-server/tools/`, `tool_name "(\w+)"`, nil},
	{"Ruby", "kozo2/bioruby-mcp-server", `^lib/`, `tool_name ['"](\w+)['"]`, nil},
	{"Ruby", "hakanensari/things-mcp-ruby", `^lib/things_mcp/tools\.rb$`, `(?m)^            name: "([\w-]+)"`, nil},
	{"Ruby", "codeponpon/rails-mcp-db", `^lib/mcp_server/\w+_tools?\.rb$`, `(?m)^          name: "(\w+)"`, nil},
	{"Ruby", "vlasikhin/apple-mail-mcp-ruby", `^server\.rb$`, `class (\w+) < MCP::Tool`, snake},
	{"Ruby", "simonx1/krug-ruby-mcp", `/mcp_tools/`, `def self\.tool_name\s+"(\w+)"`, nil},

	{"PHP", "momodemo333/php-mcp-postgresql", `^src/`, `#\[McpTool\(name: '(\w+)'`, nil},
	{"PHP", "Daktela/daktela-v6-php-mcp-server", `^src/DaktelaMcpServer\.php$`,
		`->addTool\([^,]*, '(\w+)'`, nil},
	{"PHP", "laravel/boost", `^src/Mcp/Tools/\w+\.php$`, `class (\w+) extends Tool\b`,
		func(class string) string { return strings.ReplaceAll(snake(class), "_", "-") }},
	{"PHP", "lunetics/php-mcp-phpunit", `^src/`, `#\[McpTool\(\s*name: '(\w+)'`, nil},
	{"PHP", "nicolas-canfrere/php-mcp-server", `^src/Capability/Tool/`,
		`function getName\(\): string\s*\{\s*return '(\w+)'`, nil},
	{"PHP", "dazz/php-mcp-tools", `^src/Tool/`, `#\[AsTool\(name: '(\w+)'`, nil},
}

var capital = regexp.MustCompile(`([a-z0-9])([A-Z])`)

func snake(id string) string { return strings.ToLower(capital.ReplaceAllString(id, "${1}_${2}")) }

// registrations returns the names that the expression of a repository counts.
func registrations(files map[string]string, paths, counted string, named func(string) string) map[string]bool {
	at, each := regexp.MustCompile(paths), regexp.MustCompile(counted)
	out := map[string]bool{}
	for p, text := range files {
		if !at.MatchString(p) {
			continue
		}
		for _, found := range each.FindAllStringSubmatch(text, -1) {
			name := found[1]
			if named != nil {
				name = named(name)
			}
			out[name] = true
		}
	}
	return out
}

// without returns the names of a that b lacks, sorted.
func without(a, b map[string]bool) (out []string) {
	for name := range a {
		if !b[name] {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// TestMeasured compares the tools that are read in repositories with the registrations that an
// expression counts in their files. It needs copies of the repositories in CENSUS_MIRROR.
func TestMeasured(t *testing.T) {
	type sum struct{ repos, right, found, counted int }
	sums := map[string]sum{}
	isRead := func(p string) bool { return IsSource(p) && !listing.IsAside("", p) }
	for _, m := range measured {
		files, err := sourcetest.Mirror(sourcetest.Response{Repository: "https://github.com/" + m.repo}, isRead)
		if err != nil {
			t.Logf("SKIPPED: %v", err)
			continue
		}
		counted := registrations(files, m.files, m.counted, m.named)
		if len(counted) == 0 {
			t.Errorf("%s: the expression counts nothing", m.repo)
			continue
		}
		tools, partial := Tools(files, nil)
		found := map[string]bool{}
		for _, tool := range tools {
			found[tool.Name] = true
		}
		missing, extra := without(counted, found), without(found, counted)
		right := len(found) - len(extra)
		t.Logf("%-7s %-45s %d of %d found, %d counted, partial %v; missing %v; extra %v", m.language,
			path.Base(m.repo), right, len(found), len(counted), partial, missing, extra)
		s := sums[m.language]
		sums[m.language] = sum{s.repos + 1, s.right + right, s.found + len(found), s.counted + len(counted)}
	}
	if len(sums) == 0 {
		t.Skip("SKIPPED: no copies of the repositories in CENSUS_MIRROR")
	}
	for _, language := range slices.Sorted(maps.Keys(sums)) {
		s := sums[language]
		f1 := 2 * float64(s.right) / float64(max(1, s.found+s.counted))
		t.Logf("%s: %d repositories, %d of %d names right, %d counted, F1 %.3f", language, s.repos, s.right,
			s.found, s.counted, f1)
		if f1 < minMeasured && s.repos >= 5 {
			t.Errorf("%s: F1 %.3f, want at least %.1f", language, f1, minMeasured)
		}
	}
}
