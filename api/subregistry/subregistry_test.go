package subregistry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/google/go-cmp/cmp"

	"mcpcensus/api"
	"mcpcensus/api/apitest"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/generate"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

var epoch = time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)

// A tester sends requests to an API and checks each response against the document.
type tester struct {
	t       testing.TB
	catalog *catalog.Catalog
	handler http.Handler
	log     *bytes.Buffer
	client  string
	later   time.Duration // since epoch
}

// A store has what the read model lacks.
type store struct {
	readmes
	*departures
	earlier
}

// readmes has one README.
type readmes map[string]string

func (r readmes) Readme(_ context.Context, slug string) (registry.Readme, error) {
	switch text, ok := r[slug]; {
	case !ok:
		return registry.Readme{}, registry.Errorf(registry.ErrNotFound, "none")
	case text == "":
		return registry.Readme{}, errors.New("connection refused")
	default:
		return registry.Readme{Path: "README.md", Text: text}, nil
	}
}

// departures are names that have left, and the members of views.
type departures struct {
	all   []registry.Departed
	views map[string]map[string]string
	left  map[string][]registry.Departed
}

func (d *departures) Departed(_ context.Context, since time.Time) (out []registry.Departed, _ error) {
	for _, x := range d.all {
		if x.At.After(since) {
			out = append(out, x)
		}
	}
	return out, nil
}

func (d *departures) SaveMembers(
	_ context.Context, view string, members map[string]string, now, _ time.Time,
) ([]registry.Departed, error) {
	for name, version := range d.views[view] {
		if members[name] == "" {
			d.left[view] = append(d.left[view], registry.Departed{Name: name, Version: version, At: now})
		}
	}
	d.views[view] = members
	return d.left[view], nil
}

// earlier has earlier versions of an entry.
type earlier struct{}

func (earlier) EarlierListings(_ context.Context, name string) (all []registry.Listing, _ error) {
	if name != "dev.octo/weather" {
		return nil, nil
	}
	for n, version := range []string{"1.4.0", "1.3.0", "1.2.0"} {
		at := epoch.Add(-time.Duration(n+1) * 24 * time.Hour)
		l := registry.Listing{Name: name, Version: version, Status: "active", PublishedAt: &at,
			Document: json.RawMessage(strings.ReplaceAll(document, "1.4.0", version))}
		if n == 2 {
			l.Status, l.StatusText = "deprecated", "Has a bug."
		}
		all = append(all, l)
	}
	return append(all, registry.Listing{Name: name, Version: "0.1.0", PublishedAt: &epoch,
		Document: json.RawMessage(`{"name":"dev.octo/weather","version_detail":{"version":"0.1.0"}}`)}), nil
}

// document is a server.json as its owner published it.
const document = `{"$schema":"https://static.modelcontextprotocol.io/schemas/2025-10-17/server.schema.json",
	"name":"dev.octo/weather","description":"Forecasts","version":"1.4.0","x":{"y":1},
	"packages":[
		{"registryType":"npm","identifier":"@octo/weather","version":"1.4.0","transport":{"type":"stdio"},"environmentVariables":[{"name":"KEY","isSecret":true}]},
		{"registryType":"oci","identifier":"ghcr.io/octo/weather:1.4.0","version":"1.4.0","transport":{"type":"stdio"}}]}`

// known are servers that tests name.
func known() []registry.Server {
	stdio := registry.PackageTransport{Type: registry.TransportStdio}
	of := func(id int64, owner, repo, folder string) registry.Server {
		s := registry.Server{ID: 10_000 + id, Seq: 10_000 + id, Slug: registry.Slug(owner, repo, folder),
			Name: repo, Description: "An MCP server", Category: "tools", Status: registry.StatusActive, Subfolder: folder,
			Repo:      registry.Repository{Host: registry.GitHub, ID: 500 + id, Owner: owner, Name: repo},
			UpdatedAt: epoch, ListedAt: epoch.Add(-time.Hour)}
		s.Packages = []registry.Package{{RegistryType: "npm", Identifier: strings.ToLower(repo), Version: "1.0.0", Transport: stdio}}
		s.InstallCommand = "npx -y " + strings.ToLower(repo) + "@1.0.0"
		return s
	}
	published := of(1, "octo", "weather", "")
	published.RegistryName = "dev.octo/weather"
	published.Packages = []registry.Package{
		{RegistryType: "npm", Identifier: "@octo/weather", Version: "1.4.0", Transport: stdio,
			EnvironmentVariables: []registry.Variable{{Name: "KEY", IsSecret: true}}},
		{RegistryType: "oci", Identifier: "ghcr.io/octo/weather:1.4.0", Transport: stdio}}
	published.Published = &registry.PublishedEntry{Document: json.RawMessage(document), At: &epoch}
	plain, member := of(2, "Octo", "Tides.MCP", ""), of(3, "octo", "mono", "src/git")
	first, second := of(4, "octo", "a.b", ""), of(5, "octo", "a", "b")
	second.Slug = "octo-a-b-2"
	renamed := of(6, "octo", "new-name", "")
	renamed.OldSlugs, renamed.FormerNames = []string{"octo-old-name"}, []string{"github:octo/old-name"}
	nothing := of(7, "octo", "nothing", "")
	nothing.Packages = nil
	archived := of(8, "octo", "archived", "")
	archived.Status, archived.StatusMessage = registry.StatusArchived, "Its owner has archived the repository."
	image := of(9, "octo", "image", "")
	image.Packages = []registry.Package{{RegistryType: "oci", Identifier: "ghcr.io/octo/image", Version: "2.0", Transport: stdio}}
	remote := of(10, "octo", "x", "")
	remote.Packages, remote.Remotes = nil, []registry.Remote{{Type: registry.TransportHTTP, URL: "https://{tenant}.octo.dev/mcp"}}
	open := of(11, "octo", "open", "")
	open.Packages[0].PackageArguments = []registry.Argument{{Type: "positional", ValueHint: "folder", IsRequired: true}}
	crate := of(12, "octo", "crate", "")
	crate.Packages[0].RegistryType, crate.InstallCommand, crate.Verified = "cargo", "", true
	return []registry.Server{published, plain, member, first, second, renamed, nothing, archived, image, remote, open, crate}
}

// gone is a name that left a day ago, one a year ago, and one that is in use again.
func gone() *departures {
	of := func(name string, id int64, days int) registry.Departed {
		return registry.Departed{Name: "io.github." + name, Version: "1.0.0", ServerID: id,
			At: epoch.Add(-time.Duration(days) * 24 * time.Hour)}
	}
	return &departures{all: []registry.Departed{of("Octo/left", 1, 1), of("Octo/long-gone", 2, 400),
		of("octo/mono.src.git", 10_003, 1)},
		views: map[string]map[string]string{}, left: map[string][]registry.Departed{}}
}

// start returns an API over n generated servers and the known ones.
func start(t testing.TB, n int, change ...func(*Options)) *tester {
	t.Helper()
	return startWith(t, generate.Servers(n, 1), change...)
}

// startWith returns an API over servers and the known ones.
func startWith(t testing.TB, generated iter.Seq[registry.Server], change ...func(*Options)) *tester {
	t.Helper()
	c := catalog.New()
	servers := slices.AppendSeq(known(), generated)
	if err := c.Apply(servers, nil, 20_000); err != nil {
		t.Fatal(err)
	}
	c.SetReady()
	index := generate.Index{Servers: c.Servers}
	x := &tester{t: t, catalog: c, log: new(bytes.Buffer), client: "192.0.2.1:4000"}
	rest := api.New(api.Options{Catalog: c, Search: index, BaseURL: "https://census.example", Version: "test",
		Namespace: "org.mcpcensus", Now: func() time.Time { return epoch.Add(x.later) },
		Frame: func(_, _, _ string, _, _ template.HTML) ([]byte, map[string]string, error) {
			return nil, nil, nil
		}})
	o := Options{API: rest, Version: "test", Store: store{
		readmes{"octo-tides-mcp": "# Tides", "octo-mono-src-git": ""}, gone(), earlier{},
	}}
	for _, f := range change {
		f(&o)
	}
	e := httpd.NewEngine(httpd.Config{DocsURL: "https://census.example/docs/errors", Log: slog.New(slog.NewTextHandler(x.log, nil))})
	rest.Register(e)
	New(o).Register(e)
	x.handler = e
	return x
}

func (x *tester) do(method, target string, header ...string) *http.Response {
	x.t.Helper()
	r := httptest.NewRequest(method, "https://census.example"+target, nil)
	r.RemoteAddr = x.client
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	x.handler.ServeHTTP(w, r)
	return w.Result()
}

func (x *tester) get(target string, header ...string) (int, []byte) {
	x.t.Helper()
	res := x.do("GET", target, header...)
	b, err := io.ReadAll(res.Body)
	if err != nil {
		x.t.Fatal(err)
	}
	x.validate(target, res, b)
	return res.StatusCode, b
}

var loadDocument = sync.OnceValues(func() (*apitest.Document, routers.Router) {
	doc, err := apitest.LoadFile("../openapi.yaml")
	if err != nil {
		panic(err)
	}
	router, err := legacy.NewRouter(doc.T, openapi3.DisableExamplesValidation()) // api checks these
	if err != nil {
		panic(err)
	}
	return doc, router
})

// validate fails the test if a response is not one that the document has.
func (x *tester) validate(target string, res *http.Response, body []byte) {
	x.t.Helper()
	if strings.HasSuffix(target, "/openapi.yaml") {
		return // documents are not described
	}
	r := httptest.NewRequest("GET", "https://census.example"+target, nil)
	doc, router := loadDocument()
	route, _, err := router.FindRoute(r)
	if err != nil {
		if res.StatusCode != 404 && res.StatusCode != 308 && res.StatusCode != 400 {
			x.t.Errorf("%s: %d, and the document has no such route", target, res.StatusCode)
		}
		return
	}
	if res.StatusCode == 308 {
		return
	}
	if err := doc.Check(route.Operation, res.StatusCode, res.Header, body); err != nil {
		x.t.Errorf("%s: %d differs from the document: %v\n%.600s", target, res.StatusCode, err, body)
	}
}

// A listed is a page as clients read it.
type listed struct {
	Servers []struct {
		Server struct {
			Name, Version, Description string
			Packages                   []registry.Package
			Remotes                    []registry.Remote
		}
		Meta map[string]listedMeta `json:"_meta"`
	}
	Metadata struct {
		NextCursor string
		Count      int
	}
}

// A listedMeta is a member of _meta; zero for those that are no object.
type listedMeta struct {
	Status      string
	IsLatest    bool
	UpdatedAt   time.Time
	Synthesized *bool
	Repaired    []string
	Command     *string
}

func (m *listedMeta) UnmarshalJSON(b []byte) error {
	type plain listedMeta
	if b[0] == '"' {
		return nil
	}
	return json.Unmarshal(b, (*plain)(m))
}

func (x *tester) list(target string) (l listed) {
	x.t.Helper()
	status, body := x.get(target)
	if status != 200 {
		x.t.Fatalf("%s: %d %s", target, status, body)
	}
	if err := json.Unmarshal(body, &l); err != nil {
		x.t.Fatal(err)
	}
	return l
}

// walk returns the names on all pages of a list, and calls between after each page.
func (x *tester) walk(target string, between func()) (names []string) {
	x.t.Helper()
	for cursor := ""; ; {
		l := x.list(target + cursor)
		if len(l.Servers) != l.Metadata.Count {
			x.t.Errorf("%d servers, count %d", len(l.Servers), l.Metadata.Count)
		}
		for _, s := range l.Servers {
			names = append(names, s.Server.Name)
		}
		if l.Metadata.NextCursor == "" {
			return names
		}
		if url.QueryEscape(l.Metadata.NextCursor) != l.Metadata.NextCursor {
			x.t.Errorf("cursor %q must be escaped", l.Metadata.NextCursor)
		}
		cursor = "&cursor=" + l.Metadata.NextCursor
		between()
	}
}

// TestStatuses has the requests of which the official registry's answers are known.
func TestStatuses(t *testing.T) {
	x := start(t, 20)
	name := "/v0.1/servers/" + url.PathEscape("io.github.Octo/Tides.MCP")
	for target, want := range map[string]int{
		"/v0.1/servers":                                    200,
		"/v0.1/servers?limit=0":                            422,
		"/v0.1/servers?limit=101":                          422,
		"/v0.1/servers?limit=x":                            422,
		"/v0.1/servers?limit=":                             200,
		"/v0.1/servers?search=ab":                          200, // the official registry: 422
		"/v0.1/servers?search=" + strings.Repeat("x", 257): 422,
		"/v0.1/servers?unknown=1&serach=x":                 200,
		"/v0.1/servers?version=latest":                     200,
		"/v0.1/servers?version=none":                       200,
		"/v0.1/servers?updated_since=monday":               400,
		"/v0.1/servers?updated_since=2026-01-01T00:00:00Z": 200,
		"/v0.1/servers?updated_since=2026-01-01T00:00:00Z&include_deleted=false": 400,
		"/v0.1/servers?updated_since=2026-01-01T00:00:00Z&include_deleted=true":  200,
		"/v0.1/servers?include_deleted=perhaps":                                  422,
		"/v0.1/servers?repo=octo/weather":                                        422,
		"/v0.1/servers?cursor=abc":                                               400,
		"/v0.1/servers?search=%00":                                               400,
		"/v0.1/servers?search=%zz":                                               400,
		"/v0.1/servers/%00/versions":                                             400,
		"/v0.1/servers/":                                                         308,
		"/v0.1/servers/none/versions":                                            404,
		name + "/versions":                                                       200,
		name + "/versions/latest":                                                200,
		name + "/versions/1.0.0":                                                 200,
		name + "/versions/9.9.9":                                                 404,
		name + "/versions/latest/":                                               308,
		"/v0.1/servers/io.github.Octo/Tides.MCP/versions/latest":                 404, // the slash is not escaped
		"/v0.1/servers/IO.github.octo%2ftides.mcp/versions/latest":               200, // the official registry: 404
		"/v0.1/servers/io.github.octo%2Fnothing/versions":                        404,
		"/v0.1/servers/dev.octo%2Fweather/versions/1.4.0":                        200,
		"/v0.1/servers/" + strings.Repeat("x", 5000) + "/versions":               404,
		"/v0.1/servers/..%2f..%2fetc%2Fpasswd/versions/latest":                   404,
		"/v0.1/ping":                  200,
		"/v0.1/health":                200,
		"/v0.1/version":               200,
		"/v0.1/nothing":               404,
		"/v0/servers":                 404,
		"/r":                          200,
		"/r/none/v0.1/servers":        404,
		"/r/oci/servers?limit=1":      200,
		"/r/oci/v0.1/servers?limit=0": 422,
		"/r/oci/v0.1/servers/" + url.PathEscape("io.github.octo/image") + "/versions/latest": 200,
		"/r/oci/v0.1/servers/" + url.PathEscape("io.github.octo/open") + "/versions/latest":  404,
		"/v0.1/servers/io.github.octo%2Fcrate/versions/latest":                               200,
		"/r/verified/v0.1/servers/io.github.octo%2Fcrate/versions/latest":                    404, // clients cannot install crates
		"/r/all/v0.1/servers/io.github.octo%2Fcrate/versions/latest":                         200,
		"/r/oci/servers.json":          200,
		"/r/oci/registry.json":         200,
		"/r/oci/managed-settings.json": 200,
		"/r/oci/openapi.yaml":          200,
		"/r/none/openapi.yaml":         404,
	} {
		// A token of another service arrives with some clients' requests.
		status, body := x.get(target, "Authorization", "Bearer ghp_0123456789abcdefghij0123456789abcdef")
		if status != want {
			t.Errorf("%s: %d, want %d: %.200s", target, status, want, body)
		}
		if status >= 400 {
			var e struct{ Error, Detail string }
			if err := json.Unmarshal(body, &e); err != nil || e.Error == "" || e.Detail == "" {
				t.Errorf("%s: %s", target, body)
			}
		}
	}
	for _, r := range [][2]string{
		{"POST", "/v0.1/publish"}, {"POST", "/v0.1/auth/github-at"}, {"PUT", name + "/versions/1.0.0"},
		{"PATCH", name + "/versions/1.0.0/status"}, {"DELETE", name + "/versions/1.0.0"},
		{"POST", "/r/oci/v0.1/publish"}, {"PUT", "/r/oci" + name + "/versions/1.0.0"},
	} {
		res := x.do(r[0], r[1])
		body, _ := io.ReadAll(res.Body)
		if res.StatusCode != 501 || !strings.Contains(string(body), "mcp-publisher") || !strings.Contains(string(body), "/add") {
			t.Errorf("%s %s: %d %s", r[0], r[1], res.StatusCode, body)
		}
	}
	if strings.Contains(x.log.String(), "ghp_") {
		t.Error("the token is in the log")
	}
}

func TestHeaders(t *testing.T) {
	x := start(t, 200)
	for _, target := range []string{"/v0.1/servers?limit=100", "/v0.1/servers/io.github.octo%2Fimage/versions/latest", "/r/all/servers.json"} {
		res := x.do("GET", target, "Origin", "https://page.example", "Accept-Encoding", "gzip")
		want := map[string]string{
			"Access-Control-Allow-Origin": "*", "Content-Type": "application/json; charset=utf-8",
			"Cache-Control": "public, max-age=60, stale-while-revalidate=600", "Vary": "Accept-Encoding", "X-Ratelimit-Limit": "",
		}
		for name, value := range want {
			if res.Header.Get(name) != value {
				t.Errorf("%s: %s is %q, want %q", target, name, res.Header.Get(name), value)
			}
		}
		if zip := res.Header.Get("Content-Encoding"); res.ContentLength > 2000 && zip != "gzip" {
			t.Errorf("%s: Content-Encoding %q", target, zip)
		}
		again := x.do("GET", target, "If-None-Match", res.Header.Get("ETag"))
		if again.StatusCode != 304 {
			t.Errorf("%s again: %d", target, again.StatusCode)
		}
		if head := x.do("HEAD", target); head.StatusCode != 200 {
			t.Errorf("HEAD %s: %d", target, head.StatusCode)
		}
	}
	res := x.do("OPTIONS", "/v0.1/servers", "Origin", "https://page.example", "Access-Control-Request-Headers", "authorization")
	if res.StatusCode != 204 || res.Header.Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(res.Header.Get("Access-Control-Allow-Headers"), "Authorization, Content-Type") {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
	for target, want := range map[string]string{"/v0.1/servers/?limit=1": "/v0.1/servers?limit=1", "//v0.1/servers//": "", "/v0.1//evil.example//": "/v0.1//evil.example"} {
		if got := x.do("GET", target).Header.Get("Location"); got != want {
			t.Errorf("%s is redirected to %q, want %q", target, got, want)
		}
	}
}

func TestRateLimit(t *testing.T) {
	x := start(t, 0)
	refused := 0
	for range PerMinute + 20 {
		res := x.do("GET", "/v0.1/ping")
		if res.StatusCode == 429 && res.Header.Get("Retry-After") != "" {
			refused++
		}
	}
	if refused == 0 || refused > 20 {
		t.Errorf("%d of %d requests were refused", refused, PerMinute+20)
	}
	x.client = "192.0.2.2:1"
	if status, _ := x.get("/v0.1/ping"); status != 200 {
		t.Errorf("another client: %d", status)
	}
}

// TestWalk pages through a list while servers change.
func TestWalk(t *testing.T) {
	x := start(t, 200)
	all := x.walk("/v0.1/servers?limit=100", func() {})
	if !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) != len(all) || len(all) < 100 {
		t.Fatalf("%d names are not in order, each once", len(all))
	}
	for _, limit := range []int{1, 7, 100} {
		seq := int64(30_000 * limit)
		got := x.walk(fmt.Sprintf("/v0.1/servers?version=latest&limit=%d", limit), func() {
			var changed []registry.Server
			for range 3 {
				seq++
				s := generate.Server(int(seq*7919%200), 1)
				s.Seq, s.UpdatedAt = seq, epoch
				changed = append(changed, s)
			}
			if err := x.catalog.Apply(changed, nil, seq); err != nil {
				t.Fatal(err)
			}
			x.client = fmt.Sprintf("192.0.2.1:%d", seq%60000)
		})
		if diff := cmp.Diff(all, got); diff != "" {
			t.Errorf("limit %d: %s", limit, diff)
		}
		x.client = fmt.Sprintf("192.0.3.%d:1", limit)
	}
	l := x.list("/v0.1/servers?limit=100")
	for _, s := range l.Servers {
		if m := s.Meta["io.modelcontextprotocol.registry/official"]; !m.IsLatest || m.Status == "" {
			t.Errorf("%s: %+v", s.Server.Name, m)
		}
	}
}

func TestNames(t *testing.T) {
	x := start(t, 0)
	want := []string{
		"dev.octo/weather", "io.github.Octo/Tides.MCP", "io.github.octo/a.b", "io.github.octo/a.b-505", "io.github.octo/archived",
		"io.github.octo/crate", "io.github.octo/image", "io.github.octo/mono.src.git", "io.github.octo/new-name", "io.github.octo/open", "io.github.octo/x-mcp",
	}
	if diff := cmp.Diff(want, x.walk("/v0.1/servers?limit=3", func() {})); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]string{
		"io.github.octo/old-name": "io.github.octo/new-name", "io.github.octo/weather": "dev.octo/weather",
		"DEV.octo/Weather": "dev.octo/weather", "io.github.octo/a.b-505": "io.github.octo/a.b-505", "io.github.octo/a.b": "io.github.octo/a.b",
	} {
		if l := x.list("/v0.1/servers/" + url.PathEscape(name) + "/versions"); len(l.Servers) == 0 || l.Servers[0].Server.Name != want {
			t.Errorf("%s finds %+v, want %s", name, l.Servers, want)
		}
	}
}

// TestCandidates checks the names that are suggested for an unknown one. The rest of the
// error is that of the official registry.
func TestCandidates(t *testing.T) {
	x := start(t, 0)
	for name, want := range map[string]string{
		"io.github.octo/new-nam":  `["io.github.octo/new-name"]`,
		"com.example/new-name":    `["io.github.octo/new-name"]`,
		"octo-new-name":           `["io.github.octo/new-name"]`,
		"io.github.nobody/xyzzy":  "[]",
		strings.Repeat("x/", 500): "[]",
	} {
		status, body := x.get("/v0.1/servers/" + url.PathEscape(name) + "/versions/latest")
		if status != 404 || !strings.Contains(string(body), `"detail":"Server not found."`) ||
			!strings.Contains(string(body), `"candidates":`+want) {
			t.Errorf("%.40s: %d %s", name, status, body)
		}
	}
}

func TestDeleted(t *testing.T) {
	x := start(t, 0)
	names := func(query string) []string { return x.walk("/v0.1/servers?limit=2&"+query, func() {}) }
	if all := names("include_deleted=true"); !slices.Contains(all, "io.github.Octo/left") || slices.Contains(all, "io.github.Octo/long-gone") || !slices.IsSorted(all) || len(all) != 12 {
		t.Errorf("%v", all)
	}
	if got := names("updated_since=2026-11-02T11:00:00Z"); slices.Contains(got, "io.github.Octo/left") || len(got) != 11 {
		t.Errorf("of the last hour: %v", got)
	}
	if got := names("updated_since=2026-11-03T00:00:00Z"); got != nil {
		t.Errorf("of tomorrow: %v", got)
	}
	if got := names("search=left&include_deleted=1"); !slices.Equal(got, []string{"io.github.Octo/left"}) {
		t.Errorf("search: %v", got)
	}
	at := "/v0.1/servers/" + url.PathEscape("io.github.Octo/left") + "/versions/latest"
	if status, _ := x.get(at); status != 404 {
		t.Errorf("%d", status)
	}
	status, body := x.get(at + "?include_deleted=true")
	if status != 200 || !strings.Contains(string(body), `"status":"deleted"`) {
		t.Errorf("%d %s", status, body)
	}
}

func TestVersions(t *testing.T) {
	x := start(t, 0)
	at := "/v0.1/servers/dev.octo%2Fweather/versions"
	var got []string
	for _, s := range x.list(at).Servers {
		m := s.Meta["io.modelcontextprotocol.registry/official"]
		got = append(got, fmt.Sprintln(s.Server.Version, m.Status, m.IsLatest, s.Server.Packages[0].Version))
	}
	want := []string{"1.4.0 active true 1.4.0\n", "1.3.0 active false 1.3.0\n", "1.2.0 deprecated false 1.2.0\n"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	_, body := x.get(at + "/1.3.0")
	for _, text := range []string{`"x":{"y":1}`, `"version":"1.3.0"`, `"publishedAt":"2026-10-31T12:00:00Z"`, `"isLatest":false`} {
		if !strings.Contains(string(body), text) {
			t.Errorf("no %s in %s", text, body)
		}
	}
	for path, want := range map[string]int{at + "/0.1.0": 404, at + "/1.2.0": 200, "/v0.1/servers/io.github.octo%2Fimage/versions/1.3.0": 404} {
		if status, body := x.get(path); status != want {
			t.Errorf("%s: %d, want %d: %s", path, status, want, body)
		}
	}
}

func TestRecord(t *testing.T) {
	x := start(t, 0)
	for name, want := range map[string]struct{ has, hasNot []string }{
		"dev.octo/weather": {[]string{`"x":{"y":1}`, `"repaired":["packages[0].environmentVariables[0].description","packages[0].runtimeArguments","packages[1].version"]`,
			`"synthesized":false`, `"identifier":"ghcr.io/octo/weather:1.4.0"`, `"schemas/2025-10-17/`[1:9]}, []string{`"version":"1.4.0","transport"`}},
		"io.github.Octo/Tides.MCP":    {[]string{`"readme":"# Tides"`, `"synthesized":true`, `"ownerAvatarUrl":"https://census.example/avatars/github/octo.png"`, `"command":"npx -y tides.mcp@1.0.0"`}, nil},
		"io.github.octo/mono.src.git": {[]string{`"subfolder":"src/git"`, `/tree/HEAD/src/git#readme"`}, []string{`"readme":"#`}},
		"io.github.octo/archived":     {[]string{`"status":"deprecated"`, `"statusMessage":"Its owner has archived the repository."`}, nil},
		"io.github.octo/x-mcp":        {[]string{`"variables":{"tenant":`, `"version":"0.0.0"`}, nil},
	} {
		_, body := x.get("/v0.1/servers/" + url.PathEscape(name) + "/versions/latest")
		for _, text := range want.has {
			if !strings.Contains(string(body), text) {
				t.Errorf("%s: no %s in %s", name, text, body)
			}
		}
		for _, text := range want.hasNot {
			if strings.Contains(string(body), text) {
				t.Errorf("%s: %s in %s", name, text, body)
			}
		}
	}
	if _, body := x.get("/v0.1/servers"); strings.Contains(string(body), `"readme":"#`) {
		t.Error("lists have READMEs")
	}
}

// brokenIndex does not respond.
type brokenIndex struct{}

func (brokenIndex) Match(context.Context, string) (query.Matches, error) {
	return query.Matches{}, errors.New("connection refused")
}

func TestSearch(t *testing.T) {
	x := start(t, 200)
	for _, text := range []string{"weather", "io.github", "IMAGE", "search documents", "c", "nothing of it"} {
		q := "/v0.1/servers?limit=9&search=" + url.QueryEscape(text)
		got := x.walk(q, func() {})
		if len(slices.Compact(slices.Sorted(slices.Values(got)))) != len(got) {
			t.Errorf("%q: names are repeated", text)
		}
		for _, name := range x.walk("/v0.1/servers?limit=100", func() {}) {
			if strings.Contains(strings.ToLower(name), strings.ToLower(text)) && !slices.Contains(got, name) {
				t.Errorf("%q: %s is missing", text, name)
			}
		}
		x.client = "192.0.4." + fmt.Sprint(len(text)) + ":1"
	}
	l := x.list("/v0.1/servers?limit=1&search=octo")
	next := l.Metadata.NextCursor
	if status, body := x.get("/v0.1/servers?search=other&cursor=" + next); status != 400 {
		t.Errorf("another search with the cursor: %d %s", status, body)
	}
	if status, _ := x.get("/r/all/v0.1/servers?cursor=" + next); status != 400 {
		t.Errorf("a cursor of another list: %d", status)
	}
	broken := start(t, 20, func(o *Options) { o.API.Search = brokenIndex{} })
	if got := broken.walk("/v0.1/servers?search=TIDES", func() {}); !slices.Equal(got, []string{"io.github.Octo/Tides.MCP"}) {
		t.Errorf("without the index: %v", got)
	}
}

func TestNotReady(t *testing.T) {
	x := start(t, 0, func(o *Options) { o.API.Catalog = catalog.New() })
	if status, _ := x.get("/v0.1/servers"); status != 503 {
		t.Errorf("%d", status)
	}
}
