package detect

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mcpcensus/crawler"
	"mcpcensus/internal/registry"
)

// transportTruth contains the transports of servers, labelled by people from their sources and
// READMEs: i is stdio, h streamable HTTP, s server-sent events.
const transportTruth = `
GLips/Figma-Context-MCP ih
GongRzhe/Office-Word-MCP-Server ihs
JetBrains/mcp-jetbrains i
Joooook/12306-mcp ihs
MarkusPfundstein/mcp-obsidian i
SonarSource/sonarqube-mcp-server ih
Vortiago/mcp-azure-devops i
abhiz123/todoist-mcp-server i
ahujasid/blender-mcp i
apify/apify-mcp-server ih
benborla/mcp-server-mysql ih
bhauman/clojure-mcp ih
blazickjp/arxiv-mcp-server ih
brave/brave-search-mcp-server ih
browserbase/mcp-server-browserbase ih
browserstack/mcp-server ih
bytebase/dbhub ih
cameroncooke/XcodeBuildMCP i
co-browser/browser-use-mcp-server is
containers/kubernetes-mcp-server ih
cristip73/mcp-server-asana i
designcomputer/mysql_mcp_server is
domdomegg/airtable-mcp-server ih
elastic/mcp-server-elasticsearch ihs
exa-labs/exa-mcp-server ihs
felores/airtable-mcp i
formulahendry/mcp-server-code-runner ih
foursquare/foursquare-places-mcp i
g0t4/mcp-server-commands i
getsentry/sentry-mcp ih
growthbook/growthbook-mcp ih
haris-musa/excel-mcp-server ihs
hashicorp/terraform-mcp-server ih
helpful-AIs/triplyfy-mcp s
heroku/heroku-mcp-server i
honeycombio/honeycomb-mcp i
jerhadf/linear-mcp-server i
kiliczsh/mcp-mongo-server ih
kukapay/crypto-feargreed-mcp i
kukapay/crypto-indicators-mcp i
makenotion/notion-mcp-server ih
mattt/iMCP i
mem0ai/mem0-mcp ih
mendableai/firecrawl-mcp-server is
microsoft/clarity-mcp-server i
microsoft/playwright-mcp ihs
mongodb-js/mongodb-mcp-server ih
neondatabase-labs/mcp-server-neon ihs
nickclyde/duckduckgo-mcp-server ihs
oatpp/oatpp-mcp is
oraios/serena ihs
pinecone-io/pinecone-mcp i
ppl-ai/modelcontextprotocol i
rust-mcp-stack/rust-mcp-filesystem i
semgrep/mcp ihs
strowk/mcp-k8s-go i
supabase-community/supabase-mcp ih
tacticlaunch/mcp-linear i
tesla0225/mcp-create i
v-3/discordmcp i
webscraping-ai/webscraping-ai-mcp-server ih
willvelida/mcp-afl-server h
zzaebok/mcp-wikidata i
`

// withSources adds the source files that the crawl reads to a snapshot, from the repository's
// copy in CENSUS_MIRROR, if any.
func (r *record) withSources(s *registry.Snapshot) *registry.Snapshot {
	dir := filepath.Join(os.Getenv("CENSUS_MIRROR"), r.Owner+"+"+r.Name, "repo")
	if _, err := os.Stat(dir); os.Getenv("CENSUS_MIRROR") == "" || err != nil {
		return s
	}
	files := slices.Clone(s.Files)
	for i := range files {
		files[i].OID = "recorded"
	}
	for _, f := range crawler.SelectFiles(registry.HostOf(""), files, false) {
		if _, read := s.Texts[f.Path]; read {
			continue
		}
		text, err := exec.Command("git", "-C", dir, "show", r.Head.Sha+":"+f.Path).Output()
		if err == nil {
			s.Texts[f.Path] = string(text)
		}
	}
	return s
}

var (
	// proofs are calls that start a server over a transport, by its letter, in any
	// language with an SDK.
	proofs = map[string]string{
		"i": `new StdioServerTransport *\(|stdio_server *\(|[( ,]transport *= *["']stdio["']|ServeStdio\(|StdioTransport\{|` +
			`NewStdioServer|StdioServerTransportProvider|WithStdioServerTransport|transport::stdio|transport-io`,
		"h": `new (Node)?StreamableHTTPServerTransport *\(|StreamableHTTPSessionManager *\(|NewStreamableHTTP(Server|Handler)|` +
			`[( ,]transport *= *["'](streamable-)?http["']|streamable_http_app *\(|WithHttpTransport\(|StreamableHttpService`,
		"s": `new SSEServerTransport *\(|SseServerTransport *\(|NewSSE(Server|Handler)\(|[( ,]transport *= *["']sse["']|sse_app *\(`,
	}
	aside = regexp.MustCompile(`(?i)(?:^|[/._-])(?:tests?|__tests__|spec|examples?|samples?|docs?|clients?|evals?|benchmarks?|` +
		`e2e|fixtures?|mocks?|vendor|node_modules|scripts)(?:[/._-]|$)`)
	declaredTransport = regexp.MustCompile(`"(?:type|transport_type)"\s*:\s*"(stdio|streamable-http|sse)"`)
	configuredCommand = regexp.MustCompile(`"command"\s*:\s*"(?:npx|uvx|node|python3?|docker|uv|bunx|dnx|deno)"`)
)

// proven returns the letters of the transports that server.json, configurations of
// clients and, with CENSUS_MIRROR, calls in the source prove.
func (r *record) proven() string {
	got := map[string]bool{}
	texts := r.all()
	if r.Readme != nil {
		texts[r.Readme.Path] = r.Readme.Text
		bridged := strings.Contains(r.Readme.Text, "mcp-remote") || strings.Contains(r.Readme.Text, "mcp-proxy")
		got["i"] = !bridged && configuredCommand.MatchString(r.Readme.Text)
	}
	for p, text := range texts {
		if path.Base(p) == "server.json" && strings.Contains(text, "modelcontextprotocol.io") && !aside.MatchString(p) {
			for _, m := range declaredTransport.FindAllStringSubmatch(text, -1) {
				got[map[string]string{"stdio": "i", "streamable-http": "h", "sse": "s"}[m[1]]] = true
			}
		}
	}
	if mirror := os.Getenv("CENSUS_MIRROR"); mirror != "" {
		dir := filepath.Join(mirror, r.Owner+"+"+r.Name, "repo")
		for letter, calls := range proofs {
			out, _ := exec.Command("git", "-C", dir, "grep", "-lIE", calls, r.Head.Sha, "--", "*.ts", "*.js", "*.mjs",
				"*.py", "*.go", "*.java", "*.kt", "*.cs", "*.rs").Output()
			for file := range strings.FieldsSeq(string(out)) {
				_, file, _ = strings.Cut(file, ":")
				got[letter] = got[letter] || !aside.MatchString(file)
			}
		}
	}
	letters := ""
	for _, l := range []string{"i", "h", "s"} {
		if got[l] {
			letters += l
		}
	}
	return letters
}

// TestCorpusTransports compares the transports of recorded repositories, with their sources if
// CENSUS_MIRROR is set, with transportTruth. Those of all members of a repository count together.
func TestCorpusTransports(t *testing.T) {
	truth := map[string]string{}
	for line := range strings.Lines(strings.TrimSpace(transportTruth)) {
		name, letters, _ := strings.Cut(strings.TrimSpace(line), " ")
		truth[name] = letters
	}
	letters := map[string]string{registry.TransportStdio: "i", registry.TransportHTTP: "h", registry.TransportSSE: "s"}
	var recall, precision, proven tally
	for _, r := range readRecords(t, filepath.Join(corpusDir(t), "repos")) {
		got := ""
		for _, s := range Servers(r.withSources(r.snapshot()), nil).Servers {
			for _, transport := range s.Detection.Transports {
				if l := letters[transport]; !strings.Contains(got, l) {
					got += l
				}
			}
		}
		for _, l := range r.proven() {
			proven.is(strings.ContainsRune(got, l), fmt.Sprintf("%s: %c, has %s", r.full(), l, got))
		}
		want, ok := truth[r.full()]
		if !ok { // not labelled
			continue
		}
		for _, l := range want {
			recall.is(strings.ContainsRune(got, l), fmt.Sprintf("%s: %c, has %s", r.full(), l, got))
		}
		for _, l := range got {
			precision.is(strings.ContainsRune(want, l), fmt.Sprintf("%s: %c, is %s", r.full(), l, want))
		}
	}
	floor := 0.6
	if os.Getenv("CENSUS_MIRROR") != "" {
		floor = 0.9
	}
	recall.report(t, "transports found", floor)
	precision.report(t, "transports true", 0.9)
	proven.report(t, "transports proven, found", floor)
}
