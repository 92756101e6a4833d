package v1

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
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
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"mcpcensus/api"
	"mcpcensus/internal/account"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/generate"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
)

var epoch = time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)

// scan is an index for tests.
func scan(c *catalog.Catalog) generate.Index { return generate.Index{Servers: c.Servers} }

// ring gives each plan a key: "basic", "professional" and "enterprise".
type ring struct{}

func (ring) Find(_ time.Time, key string) (account.Access, error) {
	for n, p := range account.Plans {
		if p.ID == key {
			return account.Access{Account: int64(n + 1), Key: int64(10*n + 11), Plan: p}, nil
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

// memory is where tests keep saved searches.
type memory struct {
	mu   sync.Mutex
	all  map[int64][]account.Custom
	down bool
	asks int
}

var errDown = errors.New("postgres: connection refused on 10.0.0.7")

func (m *memory) Customs(_ context.Context, accountID int64) ([]account.Custom, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asks++
	if m.down {
		return nil, errDown
	}
	return slices.Clone(m.all[accountID]), nil
}

func (m *memory) PutCustom(_ context.Context, accountID int64, c account.Custom, most int) (account.Custom, bool, error) {
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

func (m *memory) DeleteCustom(_ context.Context, accountID int64, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.all[accountID])
	m.all[accountID] = slices.DeleteFunc(m.all[accountID], func(c account.Custom) bool { return c.Name == name })
	if len(m.all[accountID]) == n {
		return registry.Errorf(registry.ErrNotFound, "There is no custom endpoint %s.", name)
	}
	return nil
}

type tester struct {
	t       testing.TB
	v1      *API
	catalog *catalog.Catalog
	handler http.Handler
	store   *memory
}

// document is the OpenAPI document with its router.
var document = sync.OnceValues(func() (*openapi3.T, routers.Router) {
	doc, err := openapi3.NewLoader().LoadFromData(api.OpenAPI())
	if err != nil {
		panic(err)
	}
	router, err := legacy.NewRouter(doc)
	if err != nil {
		panic(err)
	}
	return doc, router
})

// validate fails the test if the answer is not one that the document has for
// the route.
func (x *tester) validate(r *http.Request, res *http.Response, body []byte) {
	x.t.Helper()
	_, router := document()
	if strings.HasSuffix(r.URL.Path, "/") { // to the router the same as without; to us not
		return
	}
	asked := r.Clone(r.Context())
	asked.URL.Path = strings.ReplaceAll(asked.URL.EscapedPath(), "%", "-") // the router knows no escaped slashes
	asked.URL.RawPath = ""
	if r.Method == http.MethodHead || res.StatusCode == http.StatusMethodNotAllowed {
		asked.Method = http.MethodGet
	}
	route, vars, err := router.FindRoute(asked)
	if err != nil && res.StatusCode == http.StatusMethodNotAllowed {
		asked.Method = http.MethodPost
		route, vars, err = router.FindRoute(asked)
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
	in := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: asked, PathParams: vars, Route: route},
		Status:                 res.StatusCode, Header: res.Header,
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	}
	in.SetBodyBytes(body)
	if err := openapi3filter.ValidateResponse(context.Background(), in); err != nil {
		x.t.Errorf("%s %s: %d is not as the document says: %v\n%.2000s", r.Method, r.URL, res.StatusCode, err, body)
	}
	if said := route.Operation.Responses.Status(res.StatusCode); said != nil {
		for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-RateLimit-Plan", "X-Request-Id",
			"X-Total-Count", "ETag", "Link", "Location", "Allow", "Retry-After", "WWW-Authenticate"} {
			if res.Header.Get(name) != "" && said.Value.Headers[name] == nil {
				x.t.Errorf("%s %s: %d has the header %s, which the document does not", r.Method, r.URL, res.StatusCode, name)
			}
		}
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
	x := &tester{t: t, catalog: c, store: &memory{}}
	x.serve(c, change...)
	return x
}

func (x *tester) serve(c *catalog.Catalog, change ...func(*Options)) {
	now := func() time.Time { return epoch }
	base := api.New(api.Options{Catalog: c, Search: scan(c), BaseURL: "https://census.example", Version: "test", Now: now})
	docs := "https://census.example/docs/errors"
	o := Options{API: base, Search: scan(c), Now: now, Customs: x.store, Keys: ring{}}
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

func TestPaging(t *testing.T) {
	x := start(t, 75)
	for _, target := range []string{
		"/v1/servers?", "/v1/servers?category=data", "/v1/servers?sdk=ts", "/v1/servers?category=database&sdk=python", "/v1/servers?search=mcp",
		"/v1/servers?official=true", "/v1/servers?official=false&sdk=ts",
		"/v1/servers?search=a&sdk=go", "/v1/search?", "/v1/search?sort=-stars",
		"/v1/search?sort=stars:asc", "/v1/search?sort=name,downloads:asc",
		"/v1/search?q=mcp", "/v1/search?q=mcp&sort=updated", "/v1/search?filters=" + url.QueryEscape(`{"sdk":"py"}`),
		"/v1/search?sort=stars&filters=" + url.QueryEscape(`{"minScore":50.5}`),
		"/v1/search?filters=" + url.QueryEscape(`{"category":["data","api"],"stars":{"gte":5,"lt":50000},"tags":{"exists":true}}`),
	} {
		path, query, _ := strings.Cut(target, "?")
		first := x.page(target + "&limit=7")
		var byPage, byCursor []string
		for n, p := 1, first; ; n++ {
			if p.Pagination.Page != n || p.Pagination.Limit != 7 || p.Pagination.HasPrev != (n > 1) || p.Pagination.HasNext != (n < p.Pagination.TotalPages) {
				t.Fatalf("%s: page %d is %+v", target, n, p.Pagination)
			}
			byPage = append(byPage, ids(p.Servers)...)
			if !p.Pagination.HasNext {
				break
			}
			p = x.page(target + "&limit=7&page=" + itoa(n+1))
		}
		for p, n := first, 1; ; n++ {
			byCursor = append(byCursor, ids(p.Servers)...)
			if p.Pagination.Total != first.Pagination.Total || p.Pagination.Page != n || p.Sort != first.Sort {
				t.Errorf("%s: page %d by cursor is %+v", target, n, p.Pagination)
			}
			if p.Pagination.NextCursor == nil {
				break
			}
			next := *p.Pagination.NextCursor
			if url.QueryEscape(next) != next {
				t.Errorf("cursor %q is not URL-safe", next)
			}
			at := path + "?limit=7&cursor=" + next
			if n%2 == 0 { // what it was made with may stand beside it
				at += "&" + query
			}
			p = x.page(at)
		}
		if len(byPage) != first.Pagination.Total || !slices.Equal(byPage, byCursor) {
			t.Errorf("%s: %d by page, %d by cursor of %d", target, len(byPage), len(byCursor), first.Pagination.Total)
		}
		if first.Pagination.Total == 0 {
			t.Errorf("%s finds nothing, and shows nothing", target)
		}
		slices.Sort(byPage)
		if len(slices.Compact(byPage)) != first.Pagination.Total {
			t.Errorf("%s: servers stand there twice", target)
		}
		if strings.Contains(target, "search=") || strings.Contains(target, "q=") {
			continue // these end at result 10,000
		}
		if p := x.page(target + "&page=999999999"); len(p.Servers) > 0 || p.Pagination.HasNext || !p.Pagination.HasPrev || p.Pagination.Total != first.Pagination.Total {
			t.Errorf("%s: far behind the end: %+v", target, p.Pagination)
		}
	}
}

// encoded returns v as JSON.
func encoded(v any) string {
	b, err := api.JSON(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func itoa(n int) string { return strconv.Itoa(n) }

func TestServer(t *testing.T) {
	x := start(t, 5)
	var want []byte
	for _, id := range []string{"octo-weather-mcp", "OCTO-Weather-mcp", "octo-forecast-mcp", "io.github.octo%2Fweather-mcp", "io.github.octo%2fweather-mcp"} {
		status, b := x.get("/v1/servers/" + id)
		if want == nil {
			want = b
		}
		if status != 200 || !bytes.Equal(b, want) || !bytes.Contains(b, []byte(`"self":"/v1/servers/octo-weather-mcp"`)) {
			t.Errorf("%s: %d %.300s", id, status, b)
		}
	}
}
