package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"mcpcensus/api"
	"mcpcensus/api/subregistry"
	"mcpcensus/api/validate"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/generate"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/lint"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/registry"
)

// generatedServers returns the number of generated servers in the checks: CENSUS_TEST_ENTRIES,
// by default 600. Most have an entry.
func generatedServers() int {
	if n, _ := strconv.Atoi(os.Getenv("CENSUS_TEST_ENTRIES")); n > 0 {
		return n
	}
	return 600
}

// TestEntriesAreValid checks every entry of /v0.1 with the linter, and so against the
// JSON schema: of a crawled registry, and of generated servers.
func TestEntriesAreValid(t *testing.T) {
	t.Run("crawled", func(t *testing.T) {
		base := crawledRegistry(t)
		lintEntries(t, entriesOf(t, http.DefaultClient, base+"/v0.1/servers"), 35)
	})
	t.Run("generated", func(t *testing.T) {
		h := generatedRegistry(t)
		lintEntries(t, entriesOf(t, h.Client(), h.URL+"/v0.1/servers"), generatedServers()*4/5)
	})
}

// lintEntries checks the server.json of at least the given number of entries.
func lintEntries(t *testing.T, entries []json.RawMessage, least int) {
	t.Helper()
	if len(entries) < least {
		t.Errorf("%d entries, want at least %d", len(entries), least)
	}
	findings := map[string]int{}
	for _, e := range entries {
		r := lint.Check(e)
		for _, i := range r.Issues {
			findings[i.Severity+" "+i.Reference]++
		}
		if !r.Valid && !t.Failed() {
			t.Errorf("%+v\n%s", r.Issues, e)
		}
	}
	t.Logf("%d entries: %v", len(entries), findings)
	for finding, n := range findings {
		if strings.HasPrefix(finding, lint.Error) {
			t.Errorf("%s: %d entries", finding, n)
		}
	}
}

// crawledRegistry serves the API of a registry that has crawled a small world.
func crawledRegistry(t *testing.T) (base string) {
	t.Helper()
	w := newCrawledEnvironment(t)
	at := slices.IndexFunc(w.environ, func(kv string) bool { return strings.HasPrefix(kv, "DATABASE_URL=") })
	base, _ = serveOn(t, strings.TrimPrefix(w.environ[at], "DATABASE_URL="))
	return base
}

// generatedRegistry serves the official registry's API for generated servers.
func generatedRegistry(t *testing.T) *httptest.Server {
	t.Helper()
	servers := slices.Collect(generate.Entries(generatedServers(), 13))
	for i := range servers {
		servers[i].ID, servers[i].Seq = int64(i+1), int64(i+1)
	}
	c := catalog.New()
	if err := c.Apply(servers, nil, int64(len(servers))); err != nil {
		t.Fatal(err)
	}
	c.SetReady()
	e := httpd.NewEngine(httpd.Config{})
	rest := api.New(api.Options{Catalog: c, Search: generate.Index{Servers: c.Servers}, BaseURL: "https://census.example"})
	validate.Endpoint{}.Register(e)
	subregistry.New(subregistry.Options{API: rest, Store: nothingLeft{}}).Register(e)
	h := httptest.NewServer(e)
	t.Cleanup(h.Close)
	return h
}

// nothingLeft is a store of a registry that no server has left, and that has no READMEs.
type nothingLeft struct{}

func (nothingLeft) Readme(context.Context, string) (registry.Readme, error) {
	return registry.Readme{}, nil
}

func (nothingLeft) EarlierListings(context.Context, string) ([]registry.Listing, error) {
	return nil, nil
}

func (nothingLeft) Departed(context.Context, time.Time) ([]registry.Departed, error) { return nil, nil }

func (nothingLeft) SaveMembers(
	context.Context, string, map[string]string, time.Time, time.Time,
) ([]registry.Departed, error) {
	return nil, nil
}

// entriesOf walks a list, and returns the server.json of its entries.
func entriesOf(t *testing.T, client *http.Client, list string) (all []json.RawMessage) {
	t.Helper()
	for cursor := ""; ; {
		status, body := fetch(t, client, "GET", list+"?limit=100&version=latest&cursor="+cursor, "")
		var page struct {
			Servers  []struct{ Server json.RawMessage }
			Metadata struct{ NextCursor string }
		}
		if err := json.Unmarshal(body, &page); err != nil || status != http.StatusOK {
			t.Fatalf("%s: %d %s, %v", list, status, body, err)
		}
		for _, s := range page.Servers {
			all = append(all, s.Server)
		}
		if cursor = page.Metadata.NextCursor; cursor == "" {
			return all
		}
	}
}

// fetch sends a request, whose body is JSON, and returns the response.
func fetch(t *testing.T, client *http.Client, method, address, body string) (int, []byte) {
	t.Helper()
	status, text, err := send(t.Context(), client, method, address, body)
	if err != nil {
		t.Fatal(err)
	}
	return status, text
}

func send(ctx context.Context, client *http.Client, method, address, body string) (int, []byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w, err := client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer w.Body.Close()
	text, err := io.ReadAll(w.Body)
	return w.StatusCode, text, err
}

// The official registry's own server is built from the module in tools/registrycheck,
// which takes minutes: once into the user's cache, and only if this variable is "build".
// `make registry-check` sets it.
const registryVariable = "CENSUS_TEST_REGISTRY"

const registryModule = "../../tools/registrycheck"

// officialProgram returns the official registry's server. It skips the test if there is
// none.
var officialProgram = sync.OnceValues(func() (string, error) {
	mod, err := os.ReadFile(filepath.Join(registryModule, "go.mod"))
	if err != nil {
		return "", err
	}
	m := regexp.MustCompile(`\tgithub\.com/modelcontextprotocol/registry (v\S+)`).FindSubmatch(mod)
	if m == nil {
		return "", fmt.Errorf("%s/go.mod names no version of the registry", registryModule)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	path := filepath.Join(cache, "census", "registry-"+string(m[1]))
	if _, err := os.Stat(path); err == nil || os.Getenv(registryVariable) != "build" {
		return path, err
	}
	build := exec.Command("go", "build", "-o", path,
		"github.com/modelcontextprotocol/registry/cmd/registry")
	build.Dir = registryModule
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return path, nil
})

// freeAddress returns an address on which nothing listens now: the official registry's server does
// not say which port the system chose.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// officialRegistry starts the official registry's server on an empty database, and returns
// its address and its log.
func officialRegistry(t *testing.T, environ ...string) (base string, log *syncBuffer) {
	t.Helper()
	program, err := officialProgram()
	if err != nil {
		t.Skipf("SKIPPED: the official registry's server is not built (%v): run make registry-check", err)
	}
	addr := freeAddress(t)
	log = new(syncBuffer)
	cmd := exec.Command(program)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append([]string{
		"MCP_REGISTRY_SERVER_ADDRESS=" + addr, "MCP_REGISTRY_DATABASE_URL=" + pgtest.Empty(t),
		"MCP_REGISTRY_DATABASE_MAX_CONNECTIONS=8", "MCP_REGISTRY_DATABASE_MIN_CONNECTIONS=1",
		"MCP_REGISTRY_ENABLE_REGISTRY_VALIDATION=false",
		"MCP_REGISTRY_JWT_PRIVATE_KEY=" + strings.Repeat("5c", 32),
	}, environ...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
	within(t, 2*time.Minute, "official registry ready", func() bool {
		select {
		case <-ended:
			t.Fatalf("it ended:\n%s", log)
		default:
		}
		w, err := http.Get("http://" + addr + "/v0.1/ping")
		if err != nil {
			return false
		}
		w.Body.Close()
		return w.StatusCode == http.StatusOK
	})
	return "http://" + addr, log
}

// TestOfficialRegistry compares Census with the official registry's own server.
func TestOfficialRegistry(t *testing.T) {
	official, _ := officialRegistry(t) // skips if there is none
	generated := generatedRegistry(t)
	for name, base := range map[string]string{"crawled": crawledRegistry(t), "generated": generated.URL} {
		t.Run("validates/"+name, func(t *testing.T) {
			officiallyValid(t, official, entriesOf(t, http.DefaultClient, base+"/v0.1/servers"))
		})
		t.Run("imports/"+name, func(t *testing.T) { officiallyImported(t, base+"/r/all/servers.json") })
		t.Run("types/"+name, func(t *testing.T) { officialTypes(t, http.DefaultClient, base+"/v0.1/servers") })
	}
	t.Run("document", func(t *testing.T) { officialDocument(t, generated) })
	t.Run("linter", func(t *testing.T) { compareLinters(t, official) })
	t.Run("requests", func(t *testing.T) { compareRequests(t, generated) })
}

// officiallyValid checks that the official registry's validation finds nothing.
func officiallyValid(t *testing.T, official string, entries []json.RawMessage) {
	var mu sync.Mutex
	invalid := 0
	g, ctx := errgroup.WithContext(t.Context())
	g.SetLimit(4)
	for _, e := range entries {
		g.Go(func() error {
			status, body, err := send(ctx, http.DefaultClient, "POST", official+"/v0.1/validate", string(e))
			var r lint.Result
			if err == nil {
				err = json.Unmarshal(body, &r)
			}
			// entries are as their owners published them, with older schemas too
			r.Issues = slices.DeleteFunc(r.Issues, func(i lint.Issue) bool {
				return i.Reference == "schema-version-deprecated" && i.Severity == lint.Warning
			})
			if status != http.StatusOK || !r.Valid || len(r.Issues) > 0 {
				mu.Lock()
				defer mu.Unlock()
				if invalid++; invalid <= 5 {
					t.Errorf("%d %s\n%s", status, body, e)
				}
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d entries are valid", len(entries)-invalid, len(entries))
}

// officiallyImported checks that the official registry imports a file of a view whole.
func officiallyImported(t *testing.T, file string) {
	_, log, n := seededRegistry(t, file)
	want := fmt.Sprintf("Import completed successfully: all %d servers created", n)
	if !strings.Contains(log.String(), want) || !strings.Contains(log.String(),
		fmt.Sprintf("All %d servers passed validation", n)) {
		t.Errorf("no %q in its log:\n%.4000s", want, regexp.MustCompile(`(?m)^.*publish complete.*\n`).
			ReplaceAllString(log.String(), ""))
	}
	t.Logf("%d servers imported", n)
}

// seededRegistry starts an official registry with the servers of a file, of which there
// are n.
func seededRegistry(t *testing.T, file string) (base string, log *syncBuffer, n int) {
	t.Helper()
	status, text := fetch(t, http.DefaultClient, "GET", file, "")
	var all []json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil || status != http.StatusOK || len(all) == 0 {
		t.Fatalf("%s: %d, %d servers, %v", file, status, len(all), err)
	}
	seed := filepath.Join(t.TempDir(), "servers.json")
	if err := os.WriteFile(seed, text, 0o600); err != nil {
		t.Fatal(err)
	}
	base, log = officialRegistry(t, "MCP_REGISTRY_SEED_FROM="+seed)
	within(t, 5*time.Minute, "import", func() bool { return strings.Contains(log.String(), "Import completed") })
	return base, log, len(all)
}

// officialFile is a file that the official registry accepts, as its parts.
var officialFile = map[string]string{
	"$schema": `"` + lint.SchemaURL(lint.CurrentVersion) + `"`, "name": `"com.example/weather"`,
	"description": `"Weather"`, "version": `"1.2.0"`,
	"packages": `[{"registryType": "npm", "identifier": "weather-mcp", "version": "1.2.0",
"transport": {"type": "stdio"}}]`,
}

// officialCases are files with another member each.
var officialCases = []struct{ member, value string }{
	{"name", `"com.example/weather"`}, {"name", `"io.github.octo/x"`}, {"name", `"a/weather"`},
	{"name", `"com.example/_weather"`}, {"name", `"com.example/wea/ther"`}, {"name", `"weather"`},
	{"name", `"-com.example/weather"`}, {"name", `"com.example/we ather"`}, {"name", `""`}, {"name", `7`},
	{"description", `""`}, {"description", `"` + strings.Repeat("ä", 100) + `"`},
	{"description", `"` + strings.Repeat("x", 101) + `"`},
	{"title", `" "`}, {"title", `""`}, {"title", `"Weather"`},
	{"version", `"latest"`}, {"version", `"^1.2.0"`}, {"version", `"~1.2"`}, {"version", `">= 1.2.0"`},
	{"version", `"1.2.x"`}, {"version", `"1.*"`}, {"version", `"1 - 2"`}, {"version", `"1.2 || 1.3"`},
	{"version", `"1.0.0-next.1"`}, {"version", `"1.0.0-rc.1"`}, {"version", `"v1"`}, {"version", `"x"`},
	{"version", `"2026.11"`}, {"version", `"1.2.3.4.x"`}, {"version", `""`}, {"version", `" 1.0 "`},
	{"$schema", `"` + lint.SchemaURL("2025-10-17") + `"`}, {"$schema", `"` + lint.SchemaURL("draft") + `"`},
	{"$schema", `"https://example.com/x.json"`}, {"$schema", `""`}, {"$schema", ``},
	{"websiteUrl", `"https://weather.example/a?b=c"`}, {"websiteUrl", `"http://weather.example"`},
	{"websiteUrl", `"weather.example"`}, {"websiteUrl", `"https://weather.example/<b>"`},
	{"websiteUrl", `"https://weather.example/a b"`}, {"websiteUrl", `"javascript:alert(1)"`},
	{"repository", `{"url": "https://github.com/octo/weather", "source": "github"}`},
	{"repository", `{"url": "https://github.com/octo/weather/", "source": "github"}`},
	{"repository", `{"url": "http://www.github.com/octo/weather", "source": "github"}`},
	{"repository", `{"url": "https://github.com/octo/weather/tree/main", "source": "github"}`},
	{"repository", `{"url": "https://gitlab.com/group/sub/weather", "source": "gitlab"}`},
	{"repository", `{"url": "https://gitlab.com/group/weather/-/tree/main", "source": "gitlab"}`},
	{"repository", `{"url": "https://gitlab.com/group/weather", "source": "github"}`},
	{"repository", `{"url": "https://codeberg.org/octo/weather", "source": "codeberg"}`},
	{"repository", `{"url": "", "source": ""}`}, {"repository", `{}`},
	{"repository", `{"url": "https://github.com/octo/weather", "source": "github", "subfolder": "src/a"}`},
	{"repository", `{"url": "https://github.com/octo/weather", "source": "github", "subfolder": "/src"}`},
	{"repository", `{"url": "https://github.com/octo/weather", "source": "github", "subfolder": "src/"}`},
	{"repository", `{"url": "https://github.com/octo/weather", "source": "github", "subfolder": "a/../b"}`},
	{"repository", `{"url": "https://github.com/octo/weather", "source": "github", "subfolder": "a b"}`},
	{"icons", `[{"src": "https://weather.example/i.png", "mimeType": "image/png", "sizes": ["48x48", "any"]}]`},
	{"icons", `[{"src": "http://weather.example/i.png"}]`}, {"icons", `[{"src": "/i.png"}]`},
	{"icons", `[{"src": "https://weather.example/i.png", "mimeType": "image/gif"}]`},
	{"icons", `[{"src": "https://weather.example/i.png", "sizes": ["big"]}]`},
	{"remotes", `[{"type": "streamable-http", "url": "https://weather.example/mcp"}]`},
	{"remotes", `[{"type": "sse", "url": "http://weather.example/mcp"}]`},
	{"remotes", `[{"type": "sse", "url": "https://localhost/mcp"}]`},
	{"remotes", `[{"type": "sse", "url": "https://127.0.0.1:8080/mcp"}]`},
	{"remotes", `[{"type": "sse", "url": "https://a.localhost/mcp"}]`},
	{"remotes", `[{"type": "sse", "url": "https://{tenant}.weather.example/mcp"}]`},
	{"remotes", `[{"type": "sse", "url": "https://{tenant}.weather.example/mcp",
"variables": {"tenant": {"description": "Tenant"}}}]`},
	{"remotes", `[{"type": "sse", "url": "{scheme}://weather.example/mcp", "variables": {"scheme": {}}}]`},
	{"remotes", `[{"type": "sse", "url": "https://weather.example:{port}/mcp", "variables": {"port": {}}}]`},
	{"remotes", `[{"type": "stdio"}]`}, {"remotes", `[{"type": "sse"}]`}, {"remotes", `[{}]`},
	{"remotes", `[{"type": "sse", "url": "https://weather.example/mcp", "headers": [{"description": "x"}]}]`},
	{"_meta", `{"io.modelcontextprotocol.registry/publisher-provided": {"x": [1, 2]}}`},
	{"packages", `[]`}, {"packages", `[{}]`}, {"packages", `{}`},
}

// officialPackages are packages, as members that are added to a valid one.
var officialPackages = []string{
	`"version": "^1.0.0"`, `"version": "latest"`, `"version": ""`, `"identifier": "a b"`, `"identifier": ""`,
	`"registryType": "cargo"`, `"registryType": "other"`, `"registryType": ""`, `"fileSha256": "x"`,
	`"registryBaseUrl": "https://packages.example"`, `"registryBaseUrl": "x"`,
	`"transport": {"type": "sse"}`, `"transport": {"type": "other"}`, `"transport": {}`,
	`"transport": {"type": "stdio", "url": "https://weather.example"}`,
	`"transport": {"type": "streamable-http", "url": "http://localhost:8080/mcp"}`,
	`"transport": {"type": "streamable-http", "url": "http://localhost:{port}/mcp"}`,
	`"transport": {"type": "streamable-http", "url": "http://localhost:{PORT}/mcp"},
"environmentVariables": [{"name": "PORT", "description": "Port"}]`,
	`"transport": {"type": "streamable-http", "url": "http://localhost:{port}/mcp"},
"packageArguments": [{"type": "positional", "valueHint": "port"}]`,
	`"transport": {"type": "streamable-http", "url": "{--url}"},
"packageArguments": [{"type": "named", "name": "--url"}]`,
	`"transport": {"type": "streamable-http", "url": "ftp://localhost/mcp"}`,
	`"packageArguments": [{"type": "positional"}]`, `"packageArguments": [{"type": "positional", "value": ""}]`,
	`"packageArguments": [{"type": "other", "value": "x"}]`, `"packageArguments": [{"value": "x"}]`,
	`"packageArguments": [{"type": "named"}]`, `"packageArguments": [{"type": "named", "name": ""}]`,
	`"packageArguments": [{"type": "named", "name": "--in <dir>"}]`,
	`"packageArguments": [{"type": "named", "name": "--in", "value": "--in x"}]`,
	`"packageArguments": [{"type": "named", "name": "--in", "default": "--in=x"}]`,
	`"packageArguments": [{"type": "named", "name": "--in", "format": "folder"}]`,
	`"runtimeArguments": [{"type": "named", "name": "-y"}]`,
	`"environmentVariables": [{"name": "KEY"}]`, `"environmentVariables": [{}]`,
	`"environmentVariables": [{"name": "KEY", "isRequired": "yes"}]`,
}

// compareLinters checks that the linter finds errors in the same files as the official
// registry, and that errors of rules have its names.
func compareLinters(t *testing.T, official string) {
	files := []string{"{}", "[]", `"x"`, "null"}
	for _, c := range officialCases {
		parts := map[string]string{}
		for name, value := range officialFile {
			parts[name] = value
		}
		if parts[c.member] = c.value; c.value == "" {
			delete(parts, c.member)
		}
		files = append(files, object(parts))
	}
	for _, more := range officialPackages {
		p := map[string]json.RawMessage{}
		for _, text := range []string{`{"registryType": "npm", "identifier": "weather-mcp", "version": "1.2.0",
"transport": {"type": "stdio"}}`, "{" + more + "}"} {
			if err := json.Unmarshal([]byte(text), &p); err != nil {
				t.Fatalf("%s: %v", more, err)
			}
		}
		parts := map[string]string{}
		for name, value := range officialFile {
			parts[name] = value
		}
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		parts["packages"] = "[" + string(text) + "]"
		files = append(files, object(parts))
	}
	accepted := 0
	for _, f := range files {
		status, body := fetch(t, http.DefaultClient, "POST", official+"/v0.1/validate", f)
		var theirs lint.Result // of another form if it cannot decode the file
		if err := json.Unmarshal(body, &theirs); err != nil {
			t.Fatal(err)
		}
		ours := lint.Check([]byte(f))
		if ours.Valid != theirs.Valid {
			t.Errorf("official registry: %d %.300s\nhere: %+v\n%s", status, body, ours.Issues, f)
			continue
		}
		if status == http.StatusOK {
			accepted++
			compareNames(t, f, ours, theirs)
		}
	}
	t.Logf("%d files, %d of which the official registry's API decodes", len(files), accepted)
}

// compareNames checks that each path with an error of a rule has one in both results, of
// the same name.
func compareNames(t *testing.T, file string, ours, theirs lint.Result) {
	t.Helper()
	rules := func(r lint.Result) (all []string) {
		for _, i := range r.Issues {
			if i.Type == lint.TypeSemantic && i.Severity == lint.Error {
				all = append(all, i.Path+" "+i.Reference)
			}
		}
		slices.Sort(all)
		return all
	}
	for _, name := range rules(ours) {
		if !slices.Contains(rules(theirs), name) {
			t.Errorf("the official registry has %q, not %s\n%s", rules(theirs), name, file)
		}
	}
}

// object returns a JSON object.
func object(parts map[string]string) string {
	var b bytes.Buffer
	for name, value := range parts {
		fmt.Fprintf(&b, ",%q: %s", name, value)
	}
	return "{" + b.String()[1:] + "}"
}

// compareRequests checks that both answer requests with the same status, but where
// Census differs on purpose.
func compareRequests(t *testing.T, here *httptest.Server) {
	official, _, _ := seededRegistry(t, here.URL+"/r/healthy/servers.json")
	var known struct{ Name, Version string }
	entries := entriesOf(t, here.Client(), here.URL+"/r/healthy/v0.1/servers")
	if err := json.Unmarshal(entries[len(entries)/2], &known); err != nil {
		t.Fatal(err)
	}
	name, raw := url.PathEscape(known.Name), known.Name
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, c := range []struct {
		request, body string
		// status of Census; 0: same as the official registry's
		here int
		why  string
	}{
		{request: "GET /v0.1/servers"}, {request: "GET /v0.1/servers?limit=1"},
		{request: "GET /v0.1/servers?limit=100"}, {request: "GET /v0.1/servers?limit=0"},
		{request: "GET /v0.1/servers?limit=101"}, {request: "GET /v0.1/servers?limit=-1"},
		{request: "GET /v0.1/servers?limit=x"}, {request: "GET /v0.1/servers?limit="},
		{request: "GET /v0.1/servers?version=latest"}, {request: "GET /v0.1/servers?version=1.0.0"},
		{request: "GET /v0.1/servers?search=weather"}, {request: "GET /v0.1/servers?search="},
		{request: "GET /v0.1/servers?search=%20", here: 200, why: "short searches are answered"},
		{request: "GET /v0.1/servers?search=ab", here: 200, why: "short searches are answered"},
		{request: "GET /v0.1/servers?updated_since=2025-08-07T13:15:04.280Z"},
		{request: "GET /v0.1/servers?updated_since=2025-08-07T13:15:04%2B02:00"},
		{request: "GET /v0.1/servers?updated_since=yesterday"},
		{request: "GET /v0.1/servers?updated_since=2025-08-07"},
		{request: "GET /v0.1/servers?updated_since=2025-08-07T13:15:04Z&include_deleted=false"},
		{request: "GET /v0.1/servers?updated_since=2025-08-07T13:15:04Z&include_deleted=true"},
		{request: "GET /v0.1/servers?include_deleted=true"}, {request: "GET /v0.1/servers?include_deleted=maybe"},
		{request: "GET /v0.1/servers?unknown=1"}, {request: "GET /v0.1/servers?Limit=1"},
		{request: "GET /v0.1/servers?repo=octo/weather", here: 422, why: "there are no policies for repositories"},
		{request: "GET /v0.1/servers?cursor=" + url.QueryEscape(raw+":"+known.Version), here: 400,
			why: "cursors are sealed"},
		{request: "GET /v0.1/servers?search=%00"}, {request: "GET /v0.1/servers/"},
		{request: "GET /v0.1/servers/" + name + "/versions"},
		{request: "GET /v0.1/servers/" + name + "/versions/latest"},
		{request: "GET /v0.1/servers/" + name + "/versions/" + url.PathEscape(known.Version)},
		{request: "GET /v0.1/servers/" + name + "/versions/latest?include_deleted=true"},
		{request: "GET /v0.1/servers/" + name + "/versions/99.99.99"},
		{request: "GET /v0.1/servers/" + name + "/versions/latest/"},
		{request: "GET /v0.1/servers/" + name}, {request: "GET /v0.1/servers/com.example%2Fnothing/versions"},
		{request: "GET /v0.1/servers/com.example%2Fnothing/versions/latest"},
		{request: "GET /v0.1/servers/nothing/versions/latest"},
		{request: "GET /v0.1/servers/" + raw + "/versions/latest"},
		{request: "GET /v0.1/servers/" + name + "%00/versions/latest"},
		{request: "GET /v0.1/servers/a%2Fb%2Fc/versions/latest"}, {request: "GET /v0.1/nothing"},
		{request: "GET /v0.1/ping"}, {request: "GET /v0.1/health"}, {request: "GET /v0.1/version"},
		{request: "GET /v0/servers", here: 404, why: "only version 0.1 is served"},
		{request: "POST /v0.1/validate", body: object(officialFile)},
		{request: "POST /v0/validate", body: object(officialFile)},
		{request: "POST /v0.1/validate", body: `{"name": `}, {request: "POST /v0.1/validate"},
		{request: "POST /v0.1/validate", body: `{}`, here: 200, why: "a result says what is missing"},
		{request: "POST /v0.1/validate", body: `[]`, here: 200, why: "a result says what is wrong"},
		{request: "POST /v0.1/validate", body: `"` + strings.Repeat("x", 1<<20) + `"`},
		{request: "GET /v0.1/validate", here: 405, why: "the path exists"},
		{request: "POST /v0.1/publish", body: object(officialFile), here: 501, why: "it is read-only"},
		{request: "PUT /v0.1/servers/" + name + "/versions/1.0.0", body: object(officialFile), here: 501,
			why: "it is read-only"},
		{request: "PATCH /v0.1/servers/" + name + "/status", body: `{"status": "deleted"}`, here: 501,
			why: "it is read-only"},
		{request: "DELETE /v0.1/servers/" + name + "/versions/1.0.0", here: 501, why: "it is read-only"},
	} {
		method, path, _ := strings.Cut(c.request, " ")
		theirs, theirBody := fetch(t, client, method, official+path, c.body)
		ours, ourBody := fetch(t, client, method, here.URL+path, c.body)
		if ours != cmp.Or(c.here, theirs) || c.here != 0 && c.here == theirs {
			t.Errorf("%s: official registry %d, here %d (expected to differ: %q)\n%.300s\n%.300s", c.request,
				theirs, ours, c.why, theirBody, ourBody)
		}
	}
}
