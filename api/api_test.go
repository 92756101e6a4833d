package api

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/gin-gonic/gin"

	"mcpcensus/api/apitest"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/generate"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var epoch = time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)

// scan is an index for tests.
func scan(c *catalog.Catalog) generate.Index { return generate.Index{Servers: c.Servers} }

// checks answers by the repository's name.
type checks struct{}

func (checks) Check(_ context.Context, ref registry.RepoRef) (registry.CheckResult, error) {
	r := registry.CheckResult{ID: "ck_" + ref.Name, Ref: ref, Status: registry.CheckDone, At: epoch.Add(-time.Hour)}
	switch ref.Name {
	case "slow":
		r.Status, r.RetryAfter = registry.CheckPending, 2*time.Second
	case "nothing":
		r.Status = registry.CheckNotFound
	case "website":
		r.Reason = "no SDK of the Model Context Protocol and no server.json was found"
	case "chat":
		r.Kind, r.Reason = "client", "this is a client of MCP servers, not a server"
	case "bare":
		r.Empty, r.Reason = true, "The repository has no commit."
	case "withheld":
		r.Blocked, r.Reason = "dmca", "The code host withholds the repository (dmca)."
	case "down":
		return r, registry.Wrap(registry.ErrUnavailable, io.ErrUnexpectedEOF, "GitHub does not answer at the moment.")
	case "broken":
		return r, io.ErrUnexpectedEOF
	case "ended":
		return r, registry.Errorf(registry.ErrCheckFailed, "GitHub does not answer.")
	case "stale":
		r.Stale, r.Warnings = true, []string{"GitHub cannot be asked at the moment"}
		fallthrough
	default:
		s := generate.Server(3, 7)
		s.Slug, s.Subfolder = "", ""
		s.Repo.Owner, s.Repo.Name = ref.Owner, ref.Name
		r.Servers = []registry.Scored{{Server: s}}
	}
	return r, nil
}

func (c checks) Checked(ctx context.Context, id string) (registry.CheckResult, error) {
	name, ok := strings.CutPrefix(id, "ck_")
	if !ok {
		return registry.CheckResult{}, &registry.Error{Kind: registry.ErrNotFound, Code: "check_not_found", Msg: "There is no such check."}
	}
	return c.Check(ctx, registry.RepoRef{Host: registry.GitHub, Owner: "octo", Name: name})
}

// weather is the server of the API's description.
func weather() registry.Server {
	i := func(n int) *int { return &n }
	d := int64(54210)
	at := func(s string) *time.Time {
		t, err := time.Parse(time.RFC3339, s)
		if err != nil {
			panic(err)
		}
		return &t
	}
	s := generate.Server(11, 1)
	h := s.Health
	h.Score, h.Low, h.High, h.Grade, h.Coverage = i(87), i(81), i(90), "A", 0.91
	key := registry.Variable{Name: "WEATHER_KEY", Description: "API key", IsRequired: true, IsSecret: true}
	return registry.Server{
		ID: 900001, Seq: 900001, Slug: "octo-weather-mcp", OldSlugs: []string{"octo-forecast-mcp"},
		RegistryName: "io.github.octo/weather-mcp", Name: "Weather", Title: "Weather",
		Description: "Forecasts and alerts over MCP", Kind: registry.KindServer, Category: "data", CategoryConfidence: 0.86,
		Tags: []string{"weather", "forecast"}, SDK: "typescript", Language: "TypeScript", License: "MIT",
		Health: h, Popularity: registry.Popularity{Score: i(64), Coverage: 1, Inputs: []string{"stars"}},
		Stars: i(1240), Forks: i(88), OpenIssues: i(12), Contributors: nil,
		Downloads: &d, DownloadsBy: map[string]int64{"npm": 53000, "oci": 1210},
		Repo: registry.Repository{
			Host: registry.GitHub, ID: 812345, Owner: "octo", Name: "weather-mcp", OwnerType: "Organization",
			OwnerAvatarURL: "https://avatars.githubusercontent.com/u/1?v=4", DefaultBranch: "main",
			Commit: "3f2a9b7c3f2a9b7c3f2a9b7c3f2a9b7c3f2a9b7c", PushedAt: *at("2026-10-01T08:00:00Z"),
			CreatedAt: *at("2025-01-01T08:00:00Z"),
		},
		Homepage: "https://weather.example", Transports: []string{"stdio", "streamable-http"},
		Packages: []registry.Package{
			{RegistryType: "npm", Identifier: "@octo/weather-mcp", Version: "1.4.0", RuntimeHint: "npx",
				Transport: registry.PackageTransport{Type: "stdio"}, EnvironmentVariables: []registry.Variable{key}},
			{RegistryType: "pypi", Identifier: "weather-mcp", Version: "1.4.0", RuntimeHint: "uvx",
				Transport: registry.PackageTransport{Type: "stdio"}},
		},
		Remotes:   []registry.Remote{{Type: "streamable-http", URL: "https://mcp.weather.example/mcp"}},
		Variables: []registry.Variable{key},
		Tools: []registry.Tool{
			{Name: "get_forecast", Description: "The forecast of a place", InputSchema: []byte(`{"type":"object","properties":{"place":{"type":"string"}}}`)},
			{Name: "get_alerts"},
		},
		ToolCount: i(2), InstallCommand: "npx -y @octo/weather-mcp@1.4.0", Status: registry.StatusActive, Verified: true,
		VerifiedReason: "The package @octo/weather-mcp names this repository and the registry entry io.github.octo/weather-mcp.",
		LatestVersion:  "1.4.0", ReleasedAt: at("2026-09-20T00:00:00Z"),
		VersionFrom: "npm", VersionAt: at("2026-10-31T09:00:00Z"),
		Sources: []registry.Discovery{{Name: "github", FirstSeenAt: *at("2026-01-01T00:00:00Z"),
			LastSeenAt: *at("2026-11-01T00:00:00Z")}},
		CreatedAt: *at("2025-02-01T00:00:00Z"), UpdatedAt: *at("2026-11-01T10:00:00Z"), LastCommitAt: at("2026-10-01T08:00:00Z"),
		LastCrawledAt: at("2026-11-01T10:00:00Z"), ScoredAt: at("2026-11-01T10:00:00Z"),
	}
}

// unknown is a server that next to nothing is known of.
func unknown() registry.Server {
	return registry.Server{ID: 900002, Seq: 900002, Slug: "someone-bare", Category: "tools", Status: registry.StatusActive,
		Repo:   registry.Repository{Host: registry.GitHub, Owner: "someone", Name: "bare"},
		Health: registry.Health{Status: registry.HealthInsufficientData, Version: "mh-1.0.0"}}
}

// member is a server in a folder of a repository that holds two.
func member(folder string) registry.Server {
	s := weather()
	s.ID, s.Seq, s.Slug = 900010+int64(len(folder)), 900010+int64(len(folder)), "octo-mono-"+folder
	s.OldSlugs, s.RegistryName, s.Subfolder = nil, "", "src/"+folder
	s.Repo.Name = "mono"
	return s
}

// clientsOf stands for install.JSON, whose output is its own package's to test.
func clientsOf(s *registry.Server) (json.RawMessage, error) {
	return json.Marshal(map[string]string{"cli": s.InstallCommand})
}

type tester struct {
	t       testing.TB
	api     *API
	catalog *catalog.Catalog
	handler http.Handler
	doc     *apitest.Document
	router  routers.Router
}

// loadDocument returns the OpenAPI document with its router. All tests share
// them: to load and check them takes a second with the race detector.
var loadDocument = sync.OnceValues(func() (*apitest.Document, routers.Router) {
	doc, err := apitest.Load(openapiYAML)
	if err != nil {
		panic(err)
	}
	router, err := legacy.NewRouter(doc.T)
	if err != nil {
		panic(err)
	}
	return doc, router
})

// alone counts requests in this process only.
func alone(t testing.TB, now func() time.Time) httpd.Limiter {
	t.Helper()
	return quota.New(quota.Options{Now: now})
}

// A clientLimit is a limiter with another limit for clients without a key.
type clientLimit struct {
	httpd.Limiter
	limit int
}

func (l clientLimit) Take(ctx context.Context, s quota.Subject, limit int) (quota.Result, error) {
	return l.Limiter.Take(ctx, s, l.of(limit))
}

func (l clientLimit) Peek(ctx context.Context, s quota.Subject, limit int) (quota.Result, error) {
	return l.Limiter.Peek(ctx, s, l.of(limit))
}

func (l clientLimit) of(limit int) int {
	if limit == quota.ClientsHourly {
		return l.limit
	}
	return limit
}

// start returns an API over n generated servers and a few known ones.
func start(t testing.TB, n int, change ...func(*Options)) *tester {
	t.Helper()
	c := catalog.New()
	servers := []registry.Server{weather(), unknown(), member("git"), member("filesystem")}
	for s := range generate.Servers(n, 1) {
		servers = append(servers, s)
	}
	if err := c.Apply(servers, []registry.Change{{Seq: 900003, Slug: "octo-old", Deleted: true, Gone: true}, {Seq: 900004, Slug: "octo-withheld", Deleted: true, Gone: true, Why: "blocked"}, {Seq: 900005, Slug: "octo-left", Deleted: true, Gone: true, Why: "not_server"}}, 900100); err != nil {
		t.Fatal(err)
	}
	c.SetReady()
	o := Options{Catalog: c, Search: scan(c), Checker: checks{}, BaseURL: "https://census.example", Version: "test",
		Namespace: "io.mcpcensus", Install: clientsOf, Frame: plainFrame,
		Now:     func() time.Time { return epoch },
		Limiter: clientLimit{alone(t, func() time.Time { return epoch }), 1_000_000}}
	for _, f := range change {
		f(&o)
	}
	a := New(o)
	e := httpd.NewEngine(httpd.Config{DocsURL: "https://census.example/docs/errors"})
	a.Register(e)
	e.GET("/panic", func(*gin.Context) { panic("of a test") })
	x := &tester{t: t, api: a, catalog: o.Catalog, handler: e}
	x.doc, x.router = loadDocument()
	return x
}

// do sends a request and checks the response against the OpenAPI document.
func (x *tester) do(method, target string, header ...string) *http.Response {
	x.t.Helper()
	r := httptest.NewRequest(method, "https://census.example"+target, nil)
	r.RemoteAddr = "192.0.2.1:4000"
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	x.handler.ServeHTTP(w, r)
	res := w.Result()
	x.validate(r, res, w.Body.Bytes())
	return res
}

func (x *tester) get(target string, header ...string) (int, []byte) {
	x.t.Helper()
	res := x.do("GET", target, header...)
	b, err := io.ReadAll(res.Body)
	if err != nil {
		x.t.Fatal(err)
	}
	return res.StatusCode, b
}

// validate fails the test if the response is not one that the document has for
// the route.
func (x *tester) validate(r *http.Request, res *http.Response, body []byte) {
	x.t.Helper()
	if r.Method != "GET" && res.StatusCode != http.StatusMethodNotAllowed || res.Header.Get("Content-Encoding") != "" {
		return
	}
	get := r.Clone(r.Context())
	get.Method = "GET"
	if strings.HasSuffix(get.URL.Path, "/") { // to the router the same as without; to us not
		return
	}
	route, _, err := x.router.FindRoute(get)
	if err != nil {
		described := strings.HasPrefix(r.URL.Path, "/api/") || strings.HasPrefix(r.URL.Path, "/dumps")
		if described && res.StatusCode != 404 && res.StatusCode != 429 {
			x.t.Errorf("%s %s: %d, and the document has no such route", r.Method, r.URL, res.StatusCode)
		}
		return
	}
	if err := x.doc.Check(route.Operation, res.StatusCode, res.Header, body); err != nil {
		x.t.Errorf("%s %s: %d differs from the document: %v\n%s", r.Method, r.URL, res.StatusCode, err, clip(body))
	}
	if missing := apitest.Undocumented(route.Operation, res.StatusCode, res.Header); len(missing) > 0 &&
		strings.HasPrefix(r.URL.Path, "/api/") {
		x.t.Errorf("%s %s: the document lacks the headers %q of %d", r.Method, r.URL, missing, res.StatusCode)
	}
}

func clip(b []byte) []byte { return b[:min(len(b), 2000)] }

// golden compares got with a file, or rewrites the file with -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, got, "", "  "); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, got)
	}
	b.WriteByte('\n')
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, b.Bytes()) {
		t.Errorf("%s differs (run with -update and look at the diff):\n%s", path, b.Bytes())
	}
}

func TestGolden(t *testing.T) {
	x := start(t, 40)
	for name, target := range map[string]string{
		"discover.json":          "/api/discover?category=data&minScore=80&limit=2",
		"discover-mcp.json":      "/api/discover?search=forecasts+alerts&format=mcp",
		"discover-tools.json":    "/api/discover?search=forecasts+alerts&format=mcp&level=tool",
		"servers.json":           "/api/servers?sort=name&limit=3&offset=2",
		"servers-search.json":    "/api/servers?search=forecasts+alerts",
		"categories.json":        "/api/categories",
		"health.json":            "/api/health?server=octo-weather-mcp",
		"health-unknown.json":    "/api/health?server=someone-bare",
		"health-not-listed.json": "/api/health?githubUrl=https://github.com/octo/fresh",
		"health-not-server.json": "/api/health?githubUrl=octo/website",
		"health-pending.json":    "/api/health?githubUrl=octo/slow",
	} {
		t.Run(name, func(t *testing.T) {
			status, body := x.get(target)
			if status != 200 && name != "health-pending.json" {
				t.Fatalf("status %d: %s", status, body)
			}
			golden(t, name, body)
		})
	}
	for name, target := range map[string]string{
		"error-limit.json":      "/api/discover?limit=101",
		"error-category.json":   "/api/servers?category=nope",
		"error-not-found.json":  "/api/health?server=octo-wether-mcp",
		"error-repository.json": "/api/health?githubUrl=octo/nothing",
		"error-gone.json":       "/api/health?server=octo-old",
		"error-host.json":       "/api/health?githubUrl=https://gitlab.com/a/b",
		"error-missing.json":    "/api/health",
		"error-misnamed.json":   "/api/health?slug=octo-weather-mcp&utm_source=x",
	} {
		t.Run(name, func(t *testing.T) {
			status, body := x.get(target, "X-Request-Id", "test-request")
			if status < 400 {
				t.Fatalf("status %d: %s", status, body)
			}
			golden(t, name, body)
		})
	}
	t.Run("detail.json", func(t *testing.T) {
		s := weather()
		b, err := NewEncoder("io.mcpcensus", clientsOf).WithAvatars("https://census.test").Detail(&s)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "detail.json", b)
	})
	t.Run("detail-unknown.json", func(t *testing.T) {
		s := unknown()
		b, err := NewEncoder("io.mcpcensus", clientsOf).WithAvatars("https://census.test").Detail(&s)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "detail-unknown.json", b)
	})
}

// calls are counted calls by "account key endpoint".
type calls map[string]int

func (c calls) Call(account, key int64, endpoint string) {
	c[fmt.Sprint(account, " ", key, " ", endpoint)]++
}

func TestCountedCalls(t *testing.T) {
	got := calls{}
	x := start(t, 0, func(o *Options) {
		o.Keys, o.Meter, o.Limiter = keyring{}, got, clientLimit{alone(t, o.Now), 3}
	})
	basic := []string{"Authorization", "Bearer basic"}
	x.do("GET", "/api/discover", basic...)
	x.do("GET", "/api/discover?limit=0", basic...)
	x.do("GET", "/api/checks/ck_anything", basic...)
	x.do("GET", "/api/nothing", basic...)
	x.do("OPTIONS", "/api/discover", basic...)
	x.do("GET", "/api/discover")
	x.do("GET", "/api/discover", "Authorization", "Bearer nobody")
	want := calls{"1 11 /api/discover": 2, "1 11 /api/checks/:id": 1, "1 11 /api": 1}
	if !maps.Equal(got, want) {
		t.Errorf("counted %v, want %v", got, want)
	}
}

// Clients have 100 requests an hour, accounts 1,000, and enterprise accounts no
// limit; every response says so, whatever it is.
func TestLimitHeaders(t *testing.T) {
	now := time.Date(2026, 11, 2, 12, 30, 0, 0, time.UTC)
	x := start(t, 3, func(o *Options) {
		o.Keys, o.Limiter = keyring{}, alone(t, func() time.Time { return now })
	})
	one := strconv.FormatInt(now.Truncate(time.Hour).Add(time.Hour).Unix(), 10)
	left := func(res *http.Response, status int, limit, remaining string) {
		t.Helper()
		h := res.Header
		if res.StatusCode != status || h.Get("X-RateLimit-Limit") != limit ||
			h.Get("X-RateLimit-Remaining") != remaining || h.Get("X-RateLimit-Reset") != one ||
			h.Get("Access-Control-Allow-Origin") != "*" || strings.HasPrefix(h.Get("Cache-Control"), "public") {
			t.Errorf("%d %v; want %d, and %s of %s left", res.StatusCode, h, status, remaining, limit)
		}
	}
	left(x.do("GET", "/api/discover"), 200, "100", "99")
	left(x.do("GET", "/api/discover?limit=0"), 400, "100", "98")
	left(x.do("GET", "/api/health"), 400, "100", "97")
	left(x.do("GET", "/api/health?server=nobody"), 404, "100", "96")
	left(x.do("GET", "/api/health?server=octo-old"), 410, "100", "95")
	left(x.do("GET", "/api/nothing"), 404, "100", "94")
	left(x.do("POST", "/api/discover"), 405, "100", "93")
	left(x.do("OPTIONS", "/api/discover"), 204, "100", "93")
	left(x.do("GET", "/api/discover", "Authorization", "Bearer nobody"), 401, "100", "92")
	res := x.do("GET", "/api/discover", "Authorization", "Bearer basic")
	if got := res.Header.Get("Cache-Control"); got != "private, no-cache" {
		t.Errorf("Cache-Control with a key: %s", got)
	}
	left(res, 200, "1000", "999")
	left(x.do("GET", "/api/servers?limit=x", "Authorization", "Bearer basic"), 400, "1000", "998")
	left(x.do("GET", "/api/discover", "Authorization", "Bearer professional"), 200, "1000", "999")
	if h := x.do("GET", "/api/discover", "Authorization",
		"Bearer enterprise").Header; h.Get("X-RateLimit-Plan") != "enterprise" ||
		h.Get("X-RateLimit-Limit") != "" || h.Get("X-RateLimit-Remaining") != "" {
		t.Errorf("enterprise: %v", h)
	}
	for n := 91; n >= 0; n-- {
		left(x.do("GET", "/api/categories"), 200, "100", strconv.Itoa(n))
	}
	res = x.do("GET", "/api/categories")
	left(res, 429, "100", "0")
	if res.Header.Get("Retry-After") != "1800" || res.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("past the limit: %v", res.Header)
	}
}

func TestCountedEvents(t *testing.T) {
	var counted []string
	counter := httpd.CounterFunc(func(e meter.Event, slug string, _ *http.Request) {
		counted = append(counted, fmt.Sprint(e, " ", slug))
	})
	x := start(t, 50, func(o *Options) { o.Counter = counter })
	for _, c := range []struct {
		target string
		want   string // how the counted begin, and how many there are
		n      int
	}{
		{"/api/discover", "", 0}, // a list is not a search
		{"/api/discover?search=weather&limit=1", "impression octo-", 1},
		{"/api/servers?search=weather&limit=2", "impression ", 2},
		{"/api/discover?search=weather&format=mcp&level=tool&limit=1", "impression octo-", 1},
		{"/api/health?server=octo-weather-mcp", "health_check octo-weather-mcp", 1},
		{"/api/health?githubUrl=https://github.com/octo/weather-mcp", "health_check octo-weather-mcp", 1},
		{"/api/health?server=nobody", "", 0},
		{"/api/categories", "", 0},
	} {
		counted = nil
		x.get(c.target)
		if len(counted) != c.n || c.n > 0 && !strings.HasPrefix(counted[0], c.want) {
			t.Errorf("%s: counted %q, want %d beginning with %q", c.target, counted, c.n, c.want)
		}
	}
}

func TestMethods(t *testing.T) {
	x := start(t, 0)
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "PROPFIND"} {
		res := x.do(method, "/api/discover")
		if res.StatusCode != 405 || !strings.Contains(res.Header.Get("Allow"), "GET") ||
			!strings.Contains(res.Header.Get("Allow"), "HEAD") ||
			res.Header.Get("X-RateLimit-Limit") == "" || res.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %v", method, res.StatusCode, res.Header)
		}
	}
	before := x.do("GET", "/api/discover").Header.Get("X-RateLimit-Remaining")
	res := x.do("OPTIONS", "/api/discover", "Origin", "https://page.example", "Access-Control-Request-Method", "GET")
	if res.StatusCode != 204 || res.Header.Get("Access-Control-Allow-Origin") != "*" ||
		!strings.Contains(res.Header.Get("Access-Control-Allow-Methods"), "GET") {
		t.Errorf("OPTIONS: %d %v", res.StatusCode, res.Header)
	}
	for _, h := range []string{"X-RateLimit-Limit", "X-RateLimit-Reset"} {
		if res.Header.Get(h) == "" {
			t.Errorf("OPTIONS has no %s", h)
		}
	}
	for range 3 {
		if left := x.do("OPTIONS", "/api/nothing").Header.Get("X-RateLimit-Remaining"); left != before {
			t.Errorf("OPTIONS says that %s are left, the request before it %s", left, before)
		}
	}
	after := x.do("GET", "/api/discover")
	if n, err := strconv.Atoi(before); err != nil || after.Header.Get("X-RateLimit-Remaining") != strconv.Itoa(n-1) {
		t.Errorf("OPTIONS was counted: %s left before, %s after", before, after.Header.Get("X-RateLimit-Remaining"))
	}
	if after.Header.Get("X-RateLimit-Remaining") == before {
		t.Error("requests are not counted")
	}
	for _, h := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
		"Retry-After", "ETag", "Link", "X-Total-Count", "X-Request-Id"} {
		if !strings.Contains(after.Header.Get("Access-Control-Expose-Headers"), h) {
			t.Errorf("%s is not exposed", h)
		}
	}
}

func TestLimit(t *testing.T) {
	now := time.Date(2026, 11, 1, 10, 20, 0, 0, time.UTC)
	x := start(t, 5, func(o *Options) { o.Limiter = alone(t, func() time.Time { return now }) })
	var mu sync.Mutex
	counts := map[int]int{}
	var wg sync.WaitGroup
	for range 500 {
		wg.Go(func() {
			r, err := http.NewRequest("GET", "https://census.example/api/categories", nil)
			if err != nil {
				t.Error(err)
				return
			}
			r.RemoteAddr = "192.0.2.9:1"
			w := newRecorder()
			x.handler.ServeHTTP(w, r)
			mu.Lock()
			counts[w.status]++
			mu.Unlock()
		})
	}
	wg.Wait()
	if counts[200] != 100 || counts[429] != 400 {
		t.Errorf("answers by status: %v, want 100 of 200 and 400 of 429", counts)
	}
	x = start(t, 5, func(o *Options) { o.Limiter = clientLimit{alone(t, func() time.Time { return now }), 1} })
	x.get("/api/categories")
	res := x.do("GET", "/api/nothing")
	h := res.Header
	if res.StatusCode != 429 || h.Get("X-RateLimit-Limit") != "1" ||
		h.Get("X-RateLimit-Remaining") != "0" ||
		h.Get("X-RateLimit-Reset") != fmt.Sprint(now.Add(40*time.Minute).Unix()) ||
		h.Get("Cache-Control") != "no-store" || h.Get("Retry-After") == "" {
		t.Errorf("past the limit: %d %v", res.StatusCode, h)
	}
	if res := x.do("OPTIONS", "/api/categories"); res.StatusCode != 204 || res.Header.Get("X-RateLimit-Remaining") != "0" {
		t.Errorf("OPTIONS past the limit: %d %v", res.StatusCode, res.Header)
	}
	now = now.Add(41 * time.Minute)
	if status, _ := x.get("/api/categories"); status != 200 {
		t.Errorf("in the next hour: %d", status)
	}
	for range 3 {
		if res := x.do("GET", "/docs"); res.StatusCode != 200 || res.Header.Get("X-RateLimit-Limit") != "" {
			t.Errorf("/docs is limited: %d", res.StatusCode)
		}
	}
}

type recorder struct {
	header http.Header
	status int
}

func newRecorder() *recorder { return &recorder{header: http.Header{}, status: 200} }

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) { r.status = status }

func (r *recorder) Write(b []byte) (n int, e error) { return len(b), nil }

func TestCatalogNotReady(t *testing.T) {
	x := start(t, 0, func(o *Options) { o.Catalog = catalog.New() })
	for _, target := range []string{"/api/discover", "/api/servers", "/api/categories", "/api/health?server=x"} {
		res := x.do("GET", target)
		if res.StatusCode != 503 || res.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %d %v", target, res.StatusCode, res.Header)
		}
	}
}
