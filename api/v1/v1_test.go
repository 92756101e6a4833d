package v1

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"mcpcensus/api"
	"mcpcensus/api/apitest"
	"mcpcensus/internal/account"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/generate"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/page"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

var epoch = time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)

// scan is an index for tests.
func scan(c *catalog.Catalog) generate.Index { return generate.Index{Servers: c.Servers} }

// planEnd is when the professional plan ends.
var planEnd = epoch.Add(48 * time.Hour)

// ring gives each plan a key: "basic", "professional" and "enterprise".
type fakeKeys struct{}

func (fakeKeys) Find(_ time.Time, key string) (account.Access, error) {
	for n, p := range account.Plans {
		if p.ID == key {
			a := account.Access{Account: int64(n + 1), Key: int64(10*n + 11), Plan: p}
			if p.ID == account.Professional {
				a.Held = &account.HeldKey{Key: account.Key{Name: "production"},
					Subscription: account.Subscription{Plan: p.ID, Until: &planEnd}}
			}
			return a, nil
		}
	}
	if key == "lapsed" { // of the enterprise account, whose plan has ended
		return account.Access{Account: 3, Key: 32, Plan: account.Plans[0]}, nil
	}
	if key == "second" { // of another enterprise account
		return account.Access{Account: 9, Key: 91, Plan: account.PlanNamed(account.Enterprise)}, nil
	}
	return account.Access{}, &registry.Error{Kind: registry.ErrUnauthorized, Code: "invalid_api_key", Msg: "There is no such key."}
}

// searchStore is where tests keep saved searches.
type searchStore struct {
	mu   sync.Mutex
	all  map[int64][]account.Custom
	down bool
	asks int
}

var errDown = errors.New("postgres: connection refused on 10.0.0.7")

func (m *searchStore) Customs(_ context.Context, accountID int64) ([]account.Custom, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asks++
	if m.down {
		return nil, errDown
	}
	return slices.Clone(m.all[accountID]), nil
}

func (m *searchStore) PutCustom(_ context.Context, accountID int64, c account.Custom,
	most int) (account.Custom, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down {
		return c, false, errDown
	}
	if m.all == nil {
		m.all = map[int64][]account.Custom{}
	}
	for i, had := range m.all[accountID] {
		if had.Name == c.Name {
			c.CreatedAt = had.CreatedAt
			m.all[accountID][i] = c
			return c, false, nil
		}
	}
	if len(m.all[accountID]) >= most {
		return c, false, registry.Invalid("name", "is one too many")
	}
	m.all[accountID] = append(m.all[accountID], c)
	slices.SortFunc(m.all[accountID], func(a, b account.Custom) int { return strings.Compare(a.Name, b.Name) })
	return c, true, nil
}

func (m *searchStore) DeleteCustom(_ context.Context, accountID int64, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.all[accountID])
	m.all[accountID] = slices.DeleteFunc(m.all[accountID], func(c account.Custom) bool { return c.Name == name })
	if len(m.all[accountID]) == n {
		return registry.Errorf(registry.ErrNotFound, "There is no custom endpoint %s.", name)
	}
	return nil
}

// accounts are the accounts of tests.
type accounts struct {
	*book
	*searchStore
	views
}

type tester struct {
	t       testing.TB
	v1      *API
	catalog *catalog.Catalog
	handler http.Handler
	store   *searchStore
}

// document is the OpenAPI document with its router.
var document = sync.OnceValues(func() (*apitest.Document, routers.Router) {
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

// validate fails the test if the response is not one that the document has for
// the route.
func (x *tester) validate(r *http.Request, res *http.Response, body []byte) {
	x.t.Helper()
	doc, router := document()
	if strings.HasSuffix(r.URL.Path, "/") { // to the router the same as without; to us not
		return
	}
	asked := r.Clone(r.Context())
	asked.URL.Path = strings.ReplaceAll(asked.URL.EscapedPath(), "%", "-") // the router knows no escaped slashes
	asked.URL.RawPath = ""
	if r.Method == http.MethodHead || res.StatusCode == http.StatusMethodNotAllowed {
		asked.Method = http.MethodGet
	}
	route, _, err := router.FindRoute(asked)
	if err != nil && res.StatusCode == http.StatusMethodNotAllowed {
		asked.Method = http.MethodPost
		route, _, err = router.FindRoute(asked)
	}
	if err != nil {
		if r.Method == http.MethodOptions { // the document says once, of all addresses, how they answer it
			if res.StatusCode != http.StatusNoContent || !strings.Contains(res.Header.Get("Allow"), http.MethodOptions) {
				x.t.Errorf("OPTIONS %s: %d, Allow is %q", r.URL, res.StatusCode, res.Header.Get("Allow"))
			}
			return
		}
		if res.StatusCode != 404 && res.StatusCode != 401 && res.StatusCode != 429 {
			x.t.Errorf("%s %s: %d, and the document has no such route", r.Method, r.URL, res.StatusCode)
		}
		return
	}
	if res.Header.Get("Content-Encoding") != "" || r.Method == http.MethodHead {
		return
	}
	if err := doc.Check(route.Operation, res.StatusCode, res.Header, body); err != nil {
		x.t.Errorf("%s %s: %d differs from the document: %v\n%.2000s", r.Method, r.URL, res.StatusCode, err, body)
	}
	if missing := apitest.Undocumented(route.Operation, res.StatusCode, res.Header); len(missing) > 0 {
		x.t.Errorf("%s %s: the document lacks the headers %q of %d", r.Method, r.URL, missing, res.StatusCode)
	}
}

// weather is a server of which much is known.
func weather() registry.Server {
	s := generate.Server(11, 1)
	n, stars := int64(54210), 1240
	s.ID, s.Seq, s.Slug, s.OldSlugs, s.RegistryName = 900001, 900001, "octo-weather-mcp", []string{"octo-forecast-mcp"}, "io.github.octo/weather-mcp"
	s.Name, s.Description, s.Category, s.SDK, s.Tags = "Weather", "Forecasts and alerts over MCP", "data", "typescript", []string{"weather", "forecast"}
	s.Repo.Host, s.Repo.Owner, s.Repo.Name, s.Subfolder = registry.GitHub, "octo", "weather-mcp", ""
	s.Stars, s.Downloads, s.DownloadsBy, s.Status = &stars, &n, map[string]int64{"npm": 53000, "oci": 1210}, registry.StatusActive
	s.Popularity.Score = &[]int{64}[0]
	return s
}

// bare is a server that next to nothing is known of.
func bare() registry.Server {
	return registry.Server{ID: 900002, Seq: 900002, Slug: "someone-bare", Category: "tools", Status: registry.StatusActive,
		Repo:   registry.Repository{Host: registry.GitHub, Owner: "someone", Name: "bare"},
		Health: registry.Health{Status: registry.HealthInsufficientData, Version: "mh-1.0.0"}}
}

// start returns an API over n generated servers and two known ones.
func start(t testing.TB, n int, change ...func(*Options)) *tester {
	t.Helper()
	c := catalog.New()
	servers := []registry.Server{weather(), bare()}
	for s := range generate.Servers(n, 1) {
		servers = append(servers, s)
	}
	if err := c.Apply(servers, []registry.Change{{Seq: 900003, Slug: "octo-old", Deleted: true, Gone: true}}, 900100); err != nil {
		t.Fatal(err)
	}
	c.SetReady()
	x := &tester{t: t, catalog: c, store: &searchStore{}}
	x.serve(c, change...)
	return x
}

func (x *tester) serve(c *catalog.Catalog, change ...func(*Options)) {
	now := func() time.Time { return epoch }
	base := api.New(api.Options{Catalog: c, Search: scan(c), Keys: fakeKeys{}, BaseURL: "https://census.example", Version: "test", Now: now})
	docs := "https://census.example/docs/errors"
	o := Options{API: base, Accounts: accounts{&book{down: true}, x.store, views{}}}
	for _, f := range change {
		f(&o)
	}
	x.v1 = New(o)
	e := httpd.NewEngine(httpd.Config{DocsURL: docs, Log: slog.New(slog.DiscardHandler)})
	x.v1.Register(e)
	x.handler = e
}

// do sends a request with a key and a body ("" for none).
func (x *tester) do(key, method, target, body string, header ...string) *http.Response {
	x.t.Helper()
	var in io.Reader
	if body != "" {
		in = strings.NewReader(body)
	}
	r := httptest.NewRequest(method, "https://census.example"+target, in)
	r.RemoteAddr = "192.0.2.1:4000"
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
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
	return x.read(x.do("enterprise", "GET", target, "", header...))
}

func (x *tester) post(target, body string) (int, []byte) {
	x.t.Helper()
	return x.read(x.do("enterprise", "POST", target, body))
}

func (x *tester) read(res *http.Response) (int, []byte) {
	x.t.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		x.t.Fatal(err)
	}
	return res.StatusCode, b
}

type pageBody struct {
	Servers    []map[string]any
	Pagination struct {
		Page, Limit, Total, TotalPages int
		HasNext, HasPrev               bool
		NextCursor                     *string
	}
	Name, Query *string
	Sort        string
	Facets      map[string]map[string]int
	TookMs      *float64
}

func (x *tester) page(target string) pageBody {
	x.t.Helper()
	status, b := x.get(target)
	return x.decode(target, status, b)
}

func (x *tester) decode(what string, status int, b []byte) (p pageBody) {
	x.t.Helper()
	if err := json.Unmarshal(b, &p); err != nil || status != 200 {
		x.t.Fatalf("%s: %d, %v: %.2000s", what, status, err, b)
	}
	return p
}

func ids(items []map[string]any) []string {
	out := []string{}
	for _, i := range items {
		s, _ := i["id"].(string)
		out = append(out, s)
	}
	return out
}

// encoded returns v as JSON.
func encoded(v any) string {
	b, err := text.JSON(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func itoa(n int) string { return strconv.Itoa(n) }

// What the registry's users were told of interface A, said here once more in
// figures, so that a changed constant does not go unseen.

func TestDocumentedLimitsOfPages(t *testing.T) {
	x := start(t, 150)
	x.do("enterprise", "PUT", "/v1/custom/mine/definition", `{}`)
	for _, target := range []string{"/v1/servers", "/v1/servers?search=mcp", "/v1/search",
		"/v1/search?q=mcp", "/v1/custom/mine"} {
		and := "?"
		if strings.Contains(target, "?") {
			and = "&"
		}
		p := x.page(target)
		if p.Pagination.Page != 1 || p.Pagination.Limit != 20 || len(p.Servers) != 20 {
			t.Errorf("%s: page %d of %d servers, limit %d; want 1, 20, 20", target,
				p.Pagination.Page, len(p.Servers), p.Pagination.Limit)
		}
		if p := x.page(target + and + "limit=100"); p.Pagination.Limit != 100 || len(p.Servers) != 100 {
			t.Errorf("%s: %d servers of at most 100", target, len(p.Servers))
		}
		second := x.page(target + and + "page=2&limit=3")
		if first := x.page(target + and + "limit=6"); fmt.Sprint(second.Servers) != fmt.Sprint(first.Servers[3:6]) {
			t.Errorf("%s: the second page of three is not the fourth to the sixth", target)
		}
		for _, wrong := range []string{"limit=0", "limit=101", "limit=-1", "limit=x", "limit=1.5",
			"page=0", "page=-1", "page=x"} {
			name, _, _ := strings.Cut(wrong, "=")
			if got := x.told(x.do("enterprise", "GET", target+and+wrong, "")); got != "400 invalid_parameter "+name {
				t.Errorf("%s with %s: %s", target, wrong, got)
			}
		}
	}
	status, b := x.post("/v1/search", `{}`)
	if p := x.decode("a search by body", status, b); p.Pagination.Limit != 20 || len(p.Servers) != 20 {
		t.Errorf("a search by body has %d servers", len(p.Servers))
	}
}

// keysOf returns the names of an object's members, sorted.
func namesOf[V any](m map[string]V) string {
	return strings.Join(slices.Sorted(maps.Keys(m)), " ")
}

func TestDocumentedMembers(t *testing.T) {
	x := start(t, 30, func(o *Options) { o.Figures = figures{} })
	const basic = "archived category checkedAt copyOf copySince description descriptionSource downloads effect effectGuessed grade healthScore icon id kind language license links liveness lookAlikeOf name official officialReason popularity qualityScore readOnly remotes repository risks sdk secondCategory slug stars status suspiciousRules tags toolCount toolList toolTokens toolsKnown transports updatedAt verified"
	const pages = "hasNext hasPrev limit nextCursor page total totalPages"
	for target, want := range map[string]string{
		"/v1/servers": "pagination servers", "/v1/search": "facets pagination query servers sort tookMs",
	} {
		var all struct {
			Servers    []map[string]any
			Pagination map[string]any
		}
		var top map[string]json.RawMessage
		res := x.do("basic", "GET", target, "")
		_, b := x.read(res)
		if err := json.Unmarshal(b, &top); err != nil || namesOf(top) != want {
			t.Errorf("%s has %s, want %s (%v)", target, namesOf(top), want, err)
		}
		if err := json.Unmarshal(b, &all); err != nil || namesOf(all.Pagination) != pages {
			t.Errorf("%s: pagination has %s (%v)", target, namesOf(all.Pagination), err)
		}
		repository, _ := all.Servers[0]["repository"].(map[string]any)
		if got := namesOf(all.Servers[0]); got != strings.Replace(basic, "archived ", "", 1) ||
			namesOf(repository) != "archived name owner subfolder url" {
			t.Errorf("%s: a server has %s, its repository %s", target, got, namesOf(repository))
		}
		if res.Header.Get("X-Total-Count") != "32" || !strings.Contains(res.Header.Get("Link"), `rel="next"`) {
			t.Errorf("%s: X-Total-Count %q, Link %q", target, res.Header.Get("X-Total-Count"), res.Header.Get("Link"))
		}
	}
	for target, want := range map[string]string{
		"/v1/servers/octo-weather-mcp": "capabilities category categoryConfidence checkedAt commitChance confidence contributors copyOf copyReason copySince coverage createdAt description descriptionSource downloads downloadsAt downloadsBreakdown downloadsPeriod effect effectGuessed environmentVariables " +
			"forks framework grade healthScore homepage icon id install kind language lastCommitAt lastCrawledAt latestVersion latestVersionSource license licenseSource links liveness livenessAt lookAlikeOf name official officialReason openIssues owner packages popularity " +
			"qualityScore readOnly registryName releasedAt remotes repository risks scoreHigh scoreLow scoreVersion scoredAt sdk secondCategory slug sources stars status statusMessage successor suspiciousRules suspiciousTexts tags title toolCount toolList toolTokens tools toolsKnown transports updatedAt verified verifiedReason",
		"/v1/servers/octo-weather-mcp/analytics": "period rank series server totals trends",
		"/v1/account":                            "key limits plan",
		"/v1/plans":                              "plans",
	} {
		var top map[string]json.RawMessage
		_, b := x.get(target)
		if err := json.Unmarshal(b, &top); err != nil || namesOf(top) != want {
			t.Errorf("%s has %s, want %s (%v)", target, namesOf(top), want, err)
		}
	}
	var bulk map[string]json.RawMessage
	if _, b := x.post("/v1/servers/bulk", `{"ids":["octo-weather-mcp"]}`); json.Unmarshal(b,
		&bulk) != nil || namesOf(bulk) != "count notFound servers" {
		t.Errorf("bulk has %s", namesOf(bulk))
	}
}

func TestDocumentedPlans(t *testing.T) {
	x := start(t, 3)
	var got struct {
		Plans []struct {
			ID              string
			PriceUSD        int
			RequestsPerDay  *int
			RequestsPerHour *int
			Features        map[string]bool
		}
	}
	if _, b := x.get("/v1/plans"); json.Unmarshal(b, &got) != nil || len(got.Plans) != 3 {
		t.Fatalf("%s", b)
	}
	for i, want := range []string{
		"basic 0 100 1000 map[analytics:false bulk:false changes:false customEndpoints:false]",
		"professional 99 10000 1000 map[analytics:true bulk:true changes:true customEndpoints:false]",
		"enterprise 499 - - map[analytics:true bulk:true changes:true customEndpoints:true]",
	} {
		p := got.Plans[i]
		number := func(n *int) string {
			if n == nil {
				return "-"
			}
			return strconv.Itoa(*n)
		}
		if s := fmt.Sprint(p.ID, " ", p.PriceUSD, " ", number(p.RequestsPerDay), " ",
			number(p.RequestsPerHour), " ", p.Features); s != want {
			t.Errorf("%s, want %s", s, want)
		}
	}
	for plan, want := range map[string]string{
		account.Basic: "Lists", account.Professional: "Everything in Basic, Analytics, Bulk requests for up to 100",
		account.Enterprise: "Everything in Professional, Custom endpoints",
	} {
		has := strings.Join(account.PlanNamed(plan).Includes(), "\n")
		for part := range strings.SplitSeq(want, ", ") {
			if !strings.Contains(has, part) {
				t.Errorf("%s does not include %s", plan, part)
			}
		}
	}
}

// Limits as they are described, counted by the real thing: the day of an
// account, and of clients the hour.
func TestLimitHeaders(t *testing.T) {
	noon := time.Date(2026, 11, 2, 12, 30, 0, 0, time.UTC)
	q := quota.New(quota.Options{Now: func() time.Time { return noon }})
	x := start(t, 3, func(o *Options) { o.API.Limiter = q })
	midnight, one := strconv.FormatInt(noon.Truncate(24*time.Hour).Add(24*time.Hour).Unix(), 10),
		strconv.FormatInt(noon.Truncate(time.Hour).Add(time.Hour).Unix(), 10)
	for n, c := range []struct {
		key, method, target, body string
		status                    int
	}{
		{"basic", "GET", "/v1/servers", "", 200},
		{"basic", "GET", "/v1/servers?limit=0", "", 400},
		{"basic", "GET", "/v1/servers/nobody", "", 404},
		{"basic", "GET", "/v1/servers/octo-old", "", 410},
		{"basic", "GET", "/v1/servers/octo-weather-mcp/analytics", "", 403},
		{"basic", "POST", "/v1/servers/bulk", "{}", 403},
		{"basic", "DELETE", "/v1/search", "", 405},
		{"basic", "POST", "/v1/search", "", 415},
		{"basic", "POST", "/v1/search", strings.Repeat(" ", 200_000), 413},
		{"basic", "GET", "/v1/nothing", "", 404},
		{"basic", "GET", "/v1/usage", "", 503},
	} {
		res := x.do(c.key, c.method, c.target, c.body)
		h := res.Header
		if res.StatusCode != c.status || h.Get("X-RateLimit-Limit") != "100" ||
			h.Get("X-RateLimit-Remaining") != itoa(99-n) ||
			h.Get("X-RateLimit-Reset") != midnight || h.Get("X-RateLimit-Plan") != "basic" {
			t.Errorf("%s %s: %d %v, want %d and %d left", c.method, c.target, res.StatusCode, h, c.status, 99-n)
		}
	}
	h := x.do("professional", "GET", "/v1/servers", "").Header
	if h.Get("X-RateLimit-Limit") != "10000" || h.Get("X-RateLimit-Remaining") != "9999" ||
		h.Get("X-RateLimit-Reset") != midnight {
		t.Errorf("professional: %v", h)
	}
	if h = x.do("enterprise", "GET", "/v1/servers",
		"").Header; h.Get("X-RateLimit-Plan") != "enterprise" || h.Get("X-RateLimit-Limit") != "" {
		t.Errorf("enterprise: %v", h)
	}
	for n, key := range []string{"", "unknown"} { // guessing counts for the client
		res := x.do(key, "GET", "/v1/servers", "")
		if h = res.Header; res.StatusCode != 401 || h.Get("X-RateLimit-Limit") != "100" ||
			h.Get("X-RateLimit-Remaining") != itoa(99-n) || h.Get("X-RateLimit-Reset") != one {
			t.Errorf("%q: %d %v", key, res.StatusCode, h)
		}
	}
}

func TestErrorMembers(t *testing.T) {
	x := start(t, 3, func(o *Options) { o.API.Limiter = &fixedLimiter{used: 50} })
	for _, c := range []struct {
		key, method, target, body string
		status                    int
		code, more                string
	}{
		{"", "GET", "/v1/servers", "", 401, "missing_api_key", ""},
		{"unknown", "GET", "/v1/servers", "", 401, "invalid_api_key", ""},
		{"basic", "GET", "/v1/servers?limit=0", "", 400, "invalid_parameter", "errors"},
		{"enterprise", "POST", "/v1/servers/bulk", "{}", 400, "missing_parameter", "errors"},
		{"basic", "GET", "/v1/servers/octo-weather-mcp/analytics", "", 403, "plan_upgrade_required", "requiredPlans"},
		{"basic", "GET", "/v1/servers/octo-wether-mcp", "", 404, "server_not_found", "candidates"},
		{"basic", "GET", "/v1/nothing", "", 404, "not_found", ""},
		{"basic", "DELETE", "/v1/servers", "", 405, "method_not_allowed", ""},
		{"basic", "GET", "/v1/servers/octo-old", "", 410, "server_deleted", ""},
		{"basic", "POST", "/v1/search", strings.Repeat(" ", 200_000), 413, "payload_too_large", ""},
		{"basic", "POST", "/v1/search", "", 415, "unsupported_media_type", ""},
		{"basic", "GET", "/v1/usage", "", 503, "unavailable", ""},
	} {
		res := x.do(c.key, c.method, c.target, c.body)
		_, b := x.read(res)
		var p map[string]any
		if err := json.Unmarshal(b, &p); err != nil {
			t.Fatalf("%s %s: %v", c.method, c.target, err)
		}
		path, _, _ := strings.Cut(c.target, "?")
		id := res.Header.Get("X-Request-Id")
		if res.StatusCode != c.status ||
			res.Header.Get("Content-Type") != "application/problem+json" || id == "" ||
			p["requestId"] != id || p["status"] != float64(c.status) || p["code"] != c.code ||
			p["type"] != "https://census.example/docs/errors#"+c.code || p["instance"] != path ||
			p["title"] == "" || p["error"] != p["title"] || p["detail"] == "" ||
			p["detail"] == nil {
			t.Errorf("%s %s: %d %s", c.method, c.target, res.StatusCode, b)
		}
		if c.more != "" && p[c.more] == nil {
			t.Errorf("%s %s has no %s: %s", c.method, c.target, c.more, b)
		}
		h := res.Header
		if (c.status == http.StatusUnauthorized) != strings.HasPrefix(h.Get("WWW-Authenticate"),
			"Bearer") || (c.status == http.StatusMethodNotAllowed) != (h.Get("Allow") != "") ||
			c.status == http.StatusServiceUnavailable && h.Get("Retry-After") == "" || h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s: %v", c.method, c.target, h)
		}
	}
}

// told is what an error says: status, code, and the fields at fault.
func (x *tester) told(res *http.Response) string {
	x.t.Helper()
	status, body := x.read(res)
	var p httpd.Problem
	if err := json.Unmarshal(body, &p); err != nil {
		x.t.Fatalf("%v: %.500s", err, body)
	}
	if res.Header.Get("Content-Type") != "application/problem+json" || p.Error == "" ||
		p.RequestID == "" || p.Status != status ||
		res.Header.Get("X-Request-Id") != p.RequestID || res.Header.Get("Cache-Control") != "no-store" {
		x.t.Errorf("not a whole problem: %s %v", body, res.Header)
	}
	for _, leak := range []string{"goroutine", ".go:", "unexpected EOF", "10.0.0.7", "panic", "SELECT"} {
		if strings.Contains(string(body), leak) {
			x.t.Errorf("leaks %q: %s", leak, body)
		}
	}
	var names []string
	for _, f := range p.Errors {
		names = append(names, f.Field)
	}
	return strings.TrimSpace(fmt.Sprint(status, " ", p.Code, " ", strings.Join(names, ",")))
}

func TestInvalidParameters(t *testing.T) {
	x := start(t, 30)
	long := strings.Repeat("x", 300)
	many := strings.Repeat(`"a",`, 100) + `"a"`
	filters := func(s string) string { return "/v1/search?filters=" + url.QueryEscape(s) }
	for target, want := range map[string]string{
		"/v1/servers?limit=0":                                            "400 invalid_parameter limit",
		"/v1/servers?limit=101":                                          "400 invalid_parameter limit",
		"/v1/servers?limit=1e1":                                          "400 invalid_parameter limit",
		"/v1/servers?limit=":                                             "400 invalid_parameter limit",
		"/v1/servers?limit=99999999999999999999":                         "400 invalid_parameter limit",
		"/v1/servers?limit=%2B5":                                         "400 invalid_parameter limit",
		"/v1/servers?limit=%205":                                         "400 invalid_parameter limit",
		"/v1/servers?limit=-0":                                           "400 invalid_parameter limit",
		"/v1/servers?limit=20.0":                                         "400 invalid_parameter limit",
		"/v1/servers?page=%2B1":                                          "400 invalid_parameter page",
		"/v1/servers?page=99999999999999999999":                          "400 invalid_parameter page",
		"/v1/servers?page=0":                                             "400 invalid_parameter page",
		"/v1/servers?page=-1":                                            "400 invalid_parameter page",
		"/v1/servers?page=1.5":                                           "400 invalid_parameter page",
		"/v1/servers?page=two":                                           "400 invalid_parameter page",
		"/v1/servers?page=1000000001":                                    "400 invalid_parameter page",
		"/v1/servers?page=1&page=2":                                      "400 invalid_parameter page",
		"/v1/servers?category=nope":                                      "400 invalid_parameter category",
		"/v1/servers?sdk=cobol":                                          "400 invalid_parameter sdk",
		"/v1/servers?search=" + long:                                     "400 invalid_parameter search",
		"/v1/servers?search=a%FFb":                                       "400 invalid_parameter search",
		"/v1/servers?search=%ff":                                         "400 invalid_parameter search",
		"/v1/servers?sort=stars":                                         "400 invalid_parameter sort",
		"/v1/servers?Limit=5":                                            "400 invalid_parameter Limit",
		"/v1/servers?offset=5":                                           "400 invalid_parameter offset",
		"/v1/servers?serach=x":                                           "400 invalid_parameter serach",
		"/v1/servers?limit=0&page=0&sdk=x&category=y":                    "400 invalid_parameter category,limit,page,sdk",
		"/v1/servers?sarch=1&limit=x":                                    "400 invalid_parameter limit,sarch",
		"/v1/servers?page=%zz":                                           "400 invalid_parameter",
		"/v1/servers?a;b":                                                "400 invalid_parameter",
		"/v1/servers?cursor=nonsense":                                    "400 invalid_cursor cursor",
		"/v1/servers?cursor=nonsense&page=2":                             "400 invalid_parameter cursor,page",
		"/v1/servers?search=mcp&page=501":                                "400 invalid_parameter page",
		"/v1/servers?search=mcp&page=101&limit=100":                      "400 invalid_parameter page",
		"/v1/servers/nobody-at-all":                                      "404 server_not_found",
		"/v1/servers/" + strings.Repeat("x", 3000):                       "404 server_not_found",
		"/v1/servers/..%2F..%2Fetc":                                      "404 server_not_found",
		"/v1/servers/%00":                                                "404 server_not_found",
		"/v1/servers/https:%2F%2Fgithub.com%2Focto%2Fweather-mcp":        "404 server_not_found",
		"/v1/servers/octo-old":                                           "410 server_deleted",
		"/v1/servers/octo-old/analytics":                                 "410 server_deleted",
		"/v1/servers/nobody-at-all/analytics":                            "404 server_not_found",
		"/v1/servers/octo-weather-mcp?fields=id":                         "400 invalid_parameter fields",
		"/v1/servers/octo-weather-mcp/analytics?period=2d":               "400 invalid_parameter period",
		"/v1/servers/octo-weather-mcp/analytics?interval=hour&period=1y": "400 invalid_parameter interval",
		"/v1/servers/octo-weather-mcp/analytics?from=2026-01-01":         "400 invalid_parameter from",
		"/v1/search?q=" + long:                                           "400 invalid_parameter q",
		"/v1/search?search=x":                                            "400 invalid_parameter search",
		"/v1/search?sort=size":                                           "400 invalid_parameter sort",
		"/v1/search?sort=stars:up":                                       "400 invalid_parameter sort",
		"/v1/search?sort=-stars:desc":                                    "400 invalid_parameter sort",
		"/v1/search?sort=stars,stars":                                    "400 invalid_parameter sort",
		"/v1/search?sort=relevance":                                      "400 invalid_parameter sort",
		"/v1/search?facets=yes":                                          "400 invalid_parameter facets",
		"/v1/search?sort=size&limit=0&facets=no":                         "400 invalid_parameter facets,limit,sort",
		"/v1/search?q=mcp&page=501":                                      "400 invalid_parameter page",
		filters(`[]`):                                                    "400 invalid_parameter filters",
		filters(`{`):                                                     "400 invalid_parameter filters",
		filters(`{} {}`):                                                 "400 invalid_parameter filters",
		filters(`{"size":1}`):                                            "400 invalid_parameter filters.size",
		filters(`{"stars":"many"}`):                                      "400 invalid_parameter filters.stars",
		filters(`{"stars":{"above":1}}`):                                 "400 invalid_parameter filters.stars.above",
		filters(`{"stars":null,"sdk":"cobol"}`):                          "400 invalid_parameter filters.sdk,filters.stars",
		filters(`{"minScore":101}`):                                      "400 invalid_parameter filters.minScore",
		filters(`{"tags":[` + many + `]}`):                               "400 invalid_parameter filters.tags",
		filters(`{"tags":"a\u0000b"}`):                                   "400 invalid_parameter filters.tags",
		filters(strings.Repeat(`{"a":`, 500)):                            "400 invalid_parameter filters",
		filters(`{"sdk":"go","sdk":"rust"}`):                             "400 invalid_parameter filters.sdk",
		"/v1/search?x=" + strings.Repeat("y", 9000):                      "414 uri_too_long",
		"/v1/search?facets=":                                             "400 invalid_parameter facets",
		"/v1/usage?from=yesterday":                                       "400 invalid_parameter from",
		"/v1/usage?from=2026-02-30&to=x":                                 "400 invalid_parameter from,to",
		"/v1/usage?from=2026-02-02&to=2026-02-01":                        "400 invalid_parameter from",
		"/v1/usage?from=2024-01-01&to=2026-02-01":                        "400 invalid_parameter from",
		"/v1/account?limit=1":                                            "400 invalid_parameter limit",
		"/v1/servers?liveness=down":                                      "400 invalid_parameter liveness",
		"/v1/servers?copy=true":                                          "400 invalid_parameter copy",
		"/v1/servers?filter[liveness][eq]=down":                          "400 invalid_parameter filter[liveness][eq]",
		"/v1/search?q=weather&liveness=down":                             "400 invalid_parameter liveness",
		"/v1/plans?page=1":                                               "400 invalid_parameter page",
		"/v1/custom?limit=1":                                             "400 invalid_parameter limit",
		"/v1/custom/UPPER":                                               "400 invalid_parameter name",
		"/v1/custom/" + strings.Repeat("x", 61):                          "400 invalid_parameter name",
		"/v1/custom/nothing":                                             "404 not_found",
		"/v1/custom/nothing/definition":                                  "404 not_found",
		"/v1/nothing":                                                    "404 not_found",
		"/v1":                                                            "404 not_found",
		"/v1/servers/":                                                   "404 not_found",
		"/v1/servers/octo-weather-mcp/":                                  "404 not_found",
		"/v1/servers/bulk":                                               "405 method_not_allowed",
	} {
		if got := x.told(x.do("enterprise", "GET", target, "")); got != want {
			t.Errorf("%.120s: got %q, want %q", target, got, want)
		}
	}
	for _, target := range []string{"/v1/servers?utm_source=x&_=1", "/v1/plans?x=1",
		"/v1/search?q=weather&hl=en", "/v1/servers?filter[colour]=red", "/v1/plans?liveness=down"} {
		if res := x.do("enterprise", "GET", target, ""); res.StatusCode != 200 {
			t.Errorf("%s: status %d, want 200: unknown parameters are ignored", target, res.StatusCode)
		}
	}
	_, b := x.get("/v1/servers/octo-wether-mcp")
	if !bytes.Contains(b, []byte(`"candidates":["octo-weather-mcp"`)) {
		t.Errorf("no candidates: %s", b)
	}
	_, b = x.get("/v1/servers?category=nope&sdk=cobol")
	for _, c := range append(slices.Clone(registry.Categories), registry.SDKs...) {
		if !strings.Contains(string(b), c) {
			t.Errorf("the message does not list %s: %s", c, b)
		}
	}
}

func TestKeysRequired(t *testing.T) {
	x := start(t, 3)
	for _, target := range []string{"/v1/servers", "/v1/servers/octo-weather-mcp", "/v1/search",
		"/v1/account", "/v1/custom/x", "/v1/nothing", "/v1", "/v1/", "/v1%2Fservers",
		"/v1/servers?limit=0"} {
		res := x.do("", "GET", target, "")
		if got := x.told(res); got != "401 missing_api_key" ||
			!strings.HasPrefix(res.Header.Get("WWW-Authenticate"), "Bearer") {
			t.Errorf("%s without a key: %s %v", target, got, res.Header)
		}
		if got := x.told(x.do("mcp_unknown", "GET", target, "")); got != "401 invalid_api_key" {
			t.Errorf("%s with an unknown key: %s", target, got)
		}
		if res.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s may be read by pages", target)
		}
	}
	if res := x.do("", "GET", "/v1x", ""); res.StatusCode != 404 {
		t.Errorf("/v1x, which is not below /v1: %d", res.StatusCode)
	}
}

func TestRequiredPlans(t *testing.T) {
	x := start(t, 3, func(o *Options) { o.Figures = figures{} })
	for _, c := range []struct {
		method, target, body string
		plans                []string // that may
	}{
		{"GET", "/v1/servers", "", []string{"basic", "professional", "enterprise"}},
		{"GET", "/v1/servers/octo-weather-mcp", "", []string{"basic", "professional", "enterprise"}},
		{"GET", "/v1/search?q=weather", "", []string{"basic", "professional", "enterprise"}},
		{"POST", "/v1/search", `{}`, []string{"basic", "professional", "enterprise"}},
		{"GET", "/v1/account", "", []string{"basic", "professional", "enterprise"}},
		{"GET", "/v1/plans", "", []string{"basic", "professional", "enterprise"}},
		{"GET", "/v1/servers/octo-weather-mcp/analytics", "", []string{"professional", "enterprise"}},
		{"POST", "/v1/servers/bulk", `{"ids":["octo-weather-mcp"]}`, []string{"professional", "enterprise"}},
		{"PUT", "/v1/custom/mine/definition", `{}`, []string{"enterprise"}},
		{"GET", "/v1/custom", "", []string{"enterprise"}},
		{"GET", "/v1/custom/mine/definition", "", []string{"enterprise"}},
		{"GET", "/v1/custom/mine", "", []string{"enterprise"}},
		{"DELETE", "/v1/custom/mine/definition", "", []string{"enterprise"}},
	} {
		for _, p := range account.Plans {
			res := x.do(p.ID, c.method, c.target, c.body)
			if slices.Contains(c.plans, p.ID) {
				if res.StatusCode >= 400 {
					t.Errorf("%s %s with %s: %d", c.method, c.target, p.ID, res.StatusCode)
				}
				continue
			}
			var q httpd.Problem
			_, b := x.read(res)
			if err := json.Unmarshal(b, &q); err != nil || q.Code != "plan_upgrade_required" ||
				q.Status != 403 || !slices.Equal(q.RequiredPlans, c.plans) {
				t.Errorf("%s %s with %s: %s", c.method, c.target, p.ID, b)
			}
		}
	}
	// What is wrong besides is of no interest to who may not.
	if got := x.told(x.do("basic", "POST", "/v1/servers/bulk", `{`)); got != "403 plan_upgrade_required" {
		t.Error(got)
	}
}

func TestMethods(t *testing.T) {
	x := start(t, 3)
	for target, allow := range map[string]string{
		"/v1/servers": "GET, HEAD", "/v1/servers/octo-weather-mcp/analytics": "GET, HEAD",
		"/v1/search": "GET, HEAD, POST", "/v1/account": "GET, HEAD",
		"/v1/custom/x/definition": "GET, HEAD, PUT, DELETE",
	} {
		res := x.do("enterprise", "PATCH", target, "")
		var have []string
		for m := range strings.SplitSeq(res.Header.Get("Allow"), ", ") {
			have = append(have, m)
		}
		for m := range strings.SplitSeq(allow, ", ") {
			if !slices.Contains(have, m) {
				t.Errorf("PATCH %s: Allow is %q, without %s", target, have, m)
			}
		}
		if got := x.told(res); got != "405 method_not_allowed" {
			t.Errorf("PATCH %s: %s", target, got)
		}
	}
	for _, method := range []string{"GET", "HEAD", "OPTIONS"} { // not a server
		res := x.do("enterprise", method, "/v1/servers/bulk", "")
		want := 405
		if method == "OPTIONS" {
			want = 204
		}
		if res.StatusCode != want || res.Header.Get("Allow") != "POST, OPTIONS" {
			t.Errorf("%s of bulk: %d, Allow is %q", method, res.StatusCode, res.Header.Get("Allow"))
		}
	}
	if got := x.told(x.do("", "POST", "/v1/servers", `{}`)); got != "401 missing_api_key" {
		t.Errorf("POST without a key: %s", got)
	}
	get, head := x.do("basic", "GET", "/v1/servers", ""), x.do("basic", "HEAD", "/v1/servers", "")
	for _, h := range []string{"Etag", "Content-Length", "Content-Type", "X-Total-Count", "Link",
		"Cache-Control", "Vary"} {
		if get.Header.Get(h) != head.Header.Get(h) || head.StatusCode != 200 {
			t.Errorf("HEAD: %s is %q, of GET %q", h, head.Header.Get(h), get.Header.Get(h))
		}
	}
	if _, b := x.read(head); len(b) > 0 {
		t.Errorf("HEAD has a body: %s", b)
	}
}

func TestCaching(t *testing.T) {
	x := start(t, 60, func(o *Options) { o.Figures = figures{} })
	x.do("enterprise", "PUT", "/v1/custom/mine/definition", `{"filters":{"stars":{"gte":1}},"limit":30}`)
	for _, target := range []string{
		"/v1/servers", "/v1/servers?page=2", "/v1/servers?search=mcp",
		"/v1/servers/octo-weather-mcp", "/v1/search", "/v1/search?q=mcp", "/v1/account",
		"/v1/plans",
		"/v1/servers/octo-weather-mcp/analytics", "/v1/custom", "/v1/custom/mine", "/v1/custom/mine/definition",
	} {
		res := x.do("enterprise", "GET", target, "")
		tag := res.Header.Get("ETag")
		if res.StatusCode != 200 || tag == "" ||
			res.Header.Get("Cache-Control") != "private, no-cache" ||
			res.Header.Get("Vary") != "Authorization, Accept-Encoding" {
			t.Errorf("%s: %d %v", target, res.StatusCode, res.Header)
		}
		_, plain := x.read(res)
		again := x.do("enterprise", "GET", target, "", "If-None-Match", tag)
		if _, b := x.read(again); again.StatusCode != 304 || len(b) > 0 || again.Header.Get("ETag") != tag {
			t.Errorf("%s: unchanged, and answered %d %v", target, again.StatusCode, again.Header)
		}
		for range 3 { // made quickly, kept, and from what is kept
			zipped := x.do("enterprise", "GET", target, "", "Accept-Encoding", "gzip")
			if len(plain) < 1500 {
				continue
			}
			z, err := gzip.NewReader(zipped.Body)
			if err != nil || zipped.Header.Get("Content-Encoding") != "gzip" {
				t.Fatalf("%s: %v %v", target, err, zipped.Header)
			}
			unzipped, err := io.ReadAll(z)
			if err != nil || !bytes.Equal(timeless(unzipped), timeless(plain)) {
				t.Errorf("%s: compressed it differs: %v", target, err)
			}
		}
		if !json.Valid(plain) {
			t.Errorf("%s: not JSON: %s", target, plain)
		}
	}
	before := x.do("enterprise", "GET", "/v1/servers", "").Header.Get("ETag")
	s := weather()
	s.Seq, s.Description = 900200, "Changed"
	if err := x.catalog.Apply([]registry.Server{s}, nil, 900200); err != nil {
		t.Fatal(err)
	}
	if res := x.do("enterprise", "GET", "/v1/servers", "", "If-None-Match", before); res.StatusCode != 200 {
		t.Errorf("after a change: %d", res.StatusCode)
	}
	if res := x.do("enterprise", "POST", "/v1/search", `{}`, "If-None-Match",
		"*"); res.StatusCode != 200 || res.Header.Get("ETag") == "" {
		t.Errorf("POST: %d %v", res.StatusCode, res.Header)
	}
}

func TestKeysAreMasked(t *testing.T) {
	const key = "mcp_0123456789abcdefghijABCDEFGHIJ0123456789abc"
	x := start(t, 5)
	filter := url.QueryEscape(`{"tags":"` + key + `"}`)
	for _, c := range []struct{ method, target, body, want string }{
		{"POST", "/v1/servers/bulk", `{"ids":["` + key + `","nobody"],"names":["io.github/` + key +
			`"],"githubUrls":["https://github.com/o/` + key + `"]}`,
			"400 invalid_parameter githubUrls[0],ids[0],names[0]"},
		{"POST", "/v1/servers/bulk", `{"` + key + `":1}`, "400"},
		{"POST", "/v1/servers/bulk", `{"ids":["a"],"fields":["` + key + `"]}`, "400"},
		{"GET", "/v1/search?q=" + key, "", "400 invalid_parameter q"},
		{"GET", "/v1/search?q=x+" + key + "+y", "", "400 invalid_parameter q"},
		{"GET", "/v1/search?sort=" + key, "", "400 invalid_parameter sort"},
		{"GET", "/v1/search?filters=" + filter, "", "400 invalid_parameter filters"},
		{"GET", "/v1/search?filters=" + url.QueryEscape(`{"`+key+`":1,"sdk":"`+key+`"}`), "", "400"},
		{"GET", "/v1/search?" + key + "=1", "", "400"},
		{"GET", "/v1/servers?search=" + key, "", "400 invalid_parameter search"},
		{"GET", "/v1/servers?category=" + key, "", "400 invalid_parameter category"},
		{"GET", "/v1/servers?cursor=" + key, "", "400 invalid_cursor cursor"},
		{"GET", "/v1/servers/" + key, "", "404"},
		{"GET", "/v1/custom/" + key, "", "400"},
		{"GET", "/v1/" + key, "", "404"},
		{"GET", "/v1/usage?from=" + key, "", "400 invalid_parameter from"},
		{"POST", "/v1/search", `{"q":"` + key + `"}`, "400 invalid_parameter q"},
		{"POST", "/v1/search", `{"filters":{"tags":["a","` + key + `"],"owner":{"` + key + `":1}}}`, "400"},
		{"POST", "/v1/search", `{"filters":{"tags":["a","` + key + `"]}}`, "400 invalid_parameter filters.tags"},
		{"PUT", "/v1/custom/mine/definition", `{"q":"` + key + `"}`, "400 invalid_parameter q"},
		{"PUT", "/v1/custom/mine/definition", `{"filters":{"tags":{"ne":"` + key + `"}}}`,
			"400 invalid_parameter filters.tags"},
	} {
		res := x.do("enterprise", c.method, c.target, c.body)
		status, body := x.read(res)
		if strings.Contains(string(body), key[:30]) || strings.Contains(fmt.Sprint(res.Header), key[:30]) {
			t.Errorf("%s %s repeats the key: %s %v", c.method, c.target, body, res.Header)
		}
		if got := x.told(&http.Response{StatusCode: status, Header: res.Header,
			Body: io.NopCloser(bytes.NewReader(body))}); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s %s: %s, want %s", c.method, c.target, got, c.want)
		}
	}
}

func TestDocumentedParameters(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromFile("../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range doc.Paths.Map() {
		if !strings.HasPrefix(path, "/api/") && !strings.HasPrefix(path, "/v1/") {
			continue
		}
		for method, op := range item.Operations() {
			for _, p := range append(item.Parameters, op.Parameters...) {
				if p.Value.In != "query" {
					continue
				}
				var faults page.Faults
				if err := page.ParseQuery(p.Value.Name+"=1", &struct{}{}, &faults); err != nil || len(faults) == 0 {
					t.Errorf("%s %s has %s, and endpoints without it ignore it", method, path, p.Value.Name)
				}
			}
		}
	}
}
