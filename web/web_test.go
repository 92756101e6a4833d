package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"golang.org/x/net/html"

	"mcpcensus/api"
	"mcpcensus/internal/brand"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/generate"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/query"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
	"mcpcensus/scorer"
	"mcpcensus/web/webtest"
)

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

var attacks = webtest.Attacks

// hostile is a server all of whose texts attack.
func hostile(slug, x string) registry.Server {
	at := now.AddDate(0, 0, -3)
	n := 5
	d := int64(77)
	f := registry.Facts{Repo: registry.Repository{Host: registry.GitHub, ID: 9, Owner: "evil", Name: slug, CreatedAt: at.AddDate(-1, 0, 0), PushedAt: at, ObservedAt: now}}
	h := scorer.Health(f, now)
	h.Categories = []registry.HealthSection{{Category: "maintenance", Weight: 26, Score: new(float64), Checks: []registry.Check{
		{ID: "x1", Name: x, Result: "fail", State: "ok", Max: 9, Reason: x, Fix: x,
			Evidence: []registry.Evidence{{Type: "file", Ref: x, URL: "javascript:alert(1)", Text: x}, {Type: "file", Ref: x, URL: "https://e.example/" + x}}},
	}}}
	h.Caps = []registry.Cap{{ID: "c", Max: 20, Reason: x, Applied: true}}
	h.Improve = []registry.Improvement{{Check: "x1", Gain: 3, Text: x}}
	return registry.Server{
		Slug: slug, Name: x, Title: x, Description: x, Category: "tools", Tags: []string{x}, SDK: "go", Framework: x, Language: x, License: x,
		RegistryName: "io.example/" + slug, Health: h, Stars: &n, Downloads: &d, DownloadsBy: map[string]int64{x: 1}, Homepage: "javascript:alert(1)", Icon: x,
		Repo: f.Repo, Subfolder: "src/a", Transports: []string{x}, InstallCommand: x, Status: registry.StatusDeprecated, StatusMessage: x, LatestVersion: x,
		Packages:  []registry.Package{{RegistryType: "npm", Identifier: x, Version: x}},
		Remotes:   []registry.Remote{{Type: "sse", URL: "javascript:alert(1)", Headers: []registry.Variable{{Name: x, Description: x}}}},
		Variables: []registry.Variable{{Name: x, Description: x, Default: x, Choices: []string{x}, IsSecret: true}},
		Tools:     []registry.Tool{{Name: x, Description: x}}, ToolCount: &n, UpdatedAt: at, CreatedAt: at, LastCrawledAt: &at,
	}
}

type fakeSearch struct {
	results query.Results
	err     error
	mu      sync.Mutex
	got     query.Query // the last that asked for more than a number
}

func (f *fakeSearch) Search(_ context.Context, q query.Query) (query.Results, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if q.Limit > 1 {
		f.got = q
	}
	return f.results, f.err
}

type fakeChecker struct {
	report registry.CheckResult
	err    error
	begun  bool // by somebody before
	again  []registry.RepoRef
}

func (f *fakeChecker) Recheck(ctx context.Context, ref registry.RepoRef, begin func() error) (registry.CheckResult, error) {
	f.again = append(f.again, ref)
	return f.Follow(ctx, ref, begin)
}

func (f *fakeChecker) Follow(_ context.Context, ref registry.RepoRef, begin func() error) (registry.CheckResult, error) {
	r := f.report
	if !f.begun {
		if err := begin(); err != nil {
			return registry.CheckResult{}, err
		}
	}
	r.Ref = ref
	return r, f.err
}

type never struct{}

func (never) Take(context.Context, quota.Subject, int) (quota.Result, error) {
	return quota.Result{Limit: 1, Reset: now.Add(time.Minute), RetryAfter: time.Minute}, nil
}

func (n never) Peek(ctx context.Context, s quota.Subject, limit int) (quota.Result, error) {
	return n.Take(ctx, s, limit)
}

type site struct {
	t       *testing.T
	handler http.Handler
	search  *fakeSearch
	checker *fakeChecker
	catalog *catalog.Catalog
}

func newSite(t *testing.T, servers []registry.Server, more ...func(*Options)) site {
	t.Helper()
	cat := catalog.New(api.Encode("io.test", nil))
	for i := range servers {
		servers[i].ID, servers[i].Seq = int64(i+1), int64(i+1)
	}
	gone := registry.Change{Seq: 1000, ID: 1000, Slug: "was-here", Deleted: true, Gone: true}
	if err := cat.Apply(servers, []registry.Change{gone}, 1000); err != nil {
		t.Fatal(err)
	}
	cat.SetReady()
	s := site{t, nil, &fakeSearch{}, &fakeChecker{report: registry.CheckResult{Status: registry.CheckDone, At: now}}, cat}
	o := Options{Catalog: cat, Search: s.search, Checker: s.checker, BaseURL: "https://census.example", Now: func() time.Time { return now }}
	for _, f := range more {
		f(&o)
	}
	w, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	e := httpd.NewEngine(httpd.Config{Missing: w.Missing})
	w.Register(e)
	e.GET("/panic", httpd.Handle(w.guard(func(context.Context, *gin.Context) error { panic("secret at /root") }), w.Error))
	s.handler = e
	return s
}

func generated(n int) []registry.Server {
	return slices.Collect(generate.Servers(n, 7))
}

func (s site) get(path string, header ...string) (*http.Response, string) {
	s.t.Helper()
	r := httptest.NewRequest("GET", path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	b, err := io.ReadAll(w.Result().Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return w.Result(), string(b)
}

// page gets a path, and fails unless it is a page that could not do harm.
func (s site) page(path string, want int) string {
	s.t.Helper()
	res, body := s.get(path)
	if res.StatusCode != want {
		s.t.Fatalf("GET %s: %d, want %d\n%.600s", path, res.StatusCode, want, body)
	}
	harmless(s.t, path, res, body)
	return body
}

func harmless(t *testing.T, path string, res *http.Response, body string) {
	t.Helper()
	if csp := res.Header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
		t.Errorf("%s: Content-Security-Policy %q", path, csp)
	}
	doc, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	ids := map[string]bool{}
	labels, fields := map[string]bool{}, []string{}
	h1 := 0
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		attrs := map[string]string{}
		for _, a := range n.Attr {
			attrs[a.Key] = a.Val
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "srcdoc" {
				t.Errorf("%s: <%s %s=%q>", path, n.Data, a.Key, a.Val)
			}
			if a.Key == "href" || a.Key == "src" || a.Key == "action" {
				u, err := url.Parse(a.Val)
				client := n.Data == "a" && slices.ContainsFunc(installLinks, func(p string) bool { return strings.HasPrefix(a.Val, p) })
				if err != nil || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" && !client {
					t.Errorf("%s: <%s %s=%q>", path, n.Data, a.Key, a.Val)
				}
				if u != nil && u.Host != "" && n.Data == "a" && attrs["rel"] == "" && !slices.ContainsFunc(n.Attr, func(b html.Attribute) bool { return b.Key == "rel" }) {
					t.Errorf("%s: a link to %s without rel", path, u.Host)
				}
				if u != nil && u.Host != "" && (n.Data == "img" || n.Data == "link" && attrs["rel"] == "stylesheet") {
					t.Errorf("%s: loads from %s", path, u.Host)
				}
			}
		}
		switch n.Data {
		case "script":
			if !strings.HasPrefix(attrs["src"], "/static/site-") && attrs["type"] != "application/ld+json" || attrs["src"] != "" && n.FirstChild != nil {
				t.Errorf("%s: <script src=%q>", path, attrs["src"])
			}
		case "iframe", "object", "embed", "style", "base":
			t.Errorf("%s: <%s>", path, n.Data)
		case "h1":
			h1++
		case "label":
			labels[attrs["for"]] = true
		case "input", "select", "textarea":
			if attrs["type"] != "hidden" {
				fields = append(fields, attrs["id"])
			}
		case "img":
			if _, ok := attrs["alt"]; !ok {
				t.Errorf("%s: an image without alt", path)
			}
		}
		if id := attrs["id"]; id != "" {
			if ids[id] {
				t.Errorf("%s: id %q is there twice", path, id)
			}
			ids[id] = true
		}
	}
	if h1 != 1 {
		t.Errorf("%s: %d h1", path, h1)
	}
	for _, f := range fields {
		if !labels[f] {
			t.Errorf("%s: field %q has no label", path, f)
		}
	}
	if !ids["main"] {
		t.Errorf("%s: nothing for the skip link", path)
	}
}

func TestPagesShowWhatTheRegistryHas(t *testing.T) {
	s := newSite(t, generated(300))
	home := s.page("/", 200)
	for _, want := range []string{"300", "Healthiest", "Most popular", "Newest", "/categories/"} {
		if !strings.Contains(home, want) {
			t.Errorf("home lacks %q", want)
		}
	}
	l := s.catalog.View().List("", catalog.ByQuality, -1)
	list := s.page("/servers", 200)
	if n := strings.Count(list, `<li>
  <span class="grade`); n != pageSize {
		t.Errorf("%d rows", n)
	}
	if !strings.Contains(list, l.At(0).Slug()) || strings.Contains(list, l.At(pageSize).Slug()+`"`) {
		t.Error("the first page does not hold the best")
	}
	if second := s.page("/servers?page=2", 200); !strings.Contains(second, l.At(pageSize).Slug()) {
		t.Error("the second page does not go on")
	}
	s.page("/servers?page=15", 200)
	s.page("/servers?page=16", 404)
	for i := range 40 {
		body := s.page("/servers/"+l.At(i*7).Slug(), 200)
		if !strings.Contains(body, "Health") {
			t.Errorf("%s lacks health", l.At(i*7).Slug())
		}
	}
	scoring := s.page("/docs/scoring", 200)
	if !strings.Contains(scoring, `id="commit_recency"`) || !strings.Contains(scoring, "<table>") {
		t.Error("the scoring page lacks checks")
	}
}

func TestHostileTextsStayTexts(t *testing.T) {
	for n, x := range attacks {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s := newSite(t, []registry.Server{hostile("evil-one", x)})
			s.search.results = query.Results{Slugs: []string{"evil-one"}, Total: 1}
			s.page("/", 200)
			s.page("/servers", 200)
			if len(x) <= longest {
				s.page("/servers?q="+url.QueryEscape(x), 200)
			} else {
				s.page("/servers?q="+url.QueryEscape(x), 400)
			}
			s.page("/servers/evil-one", 200)
			s.page("/check?url="+url.QueryEscape(x), map[bool]int{true: 400, false: 400}[true])
			h := hostile("evil-one", x)
			s.checker.report = registry.CheckResult{Status: registry.CheckDone, Reason: x, Warnings: []string{x}, Servers: []registry.Scored{{Server: h}}}
			s.page("/check?url=github.com/a/b", 200)
			s.page("/servers/"+url.PathEscape(x), 404)
		})
	}
}

func TestFiltersAndOrders(t *testing.T) {
	s := newSite(t, generated(200))
	v := s.catalog.View()
	slug := v.List("", catalog.ByStars, -1).At(3).Slug()
	s.search.results = query.Results{Slugs: []string{slug, "left-meanwhile"}, Total: 2}
	body := s.page("/servers?q=weather&category=data&sdk=ts&grade=a&sort=stars", 200)
	q := s.search.got
	if q.Text != "weather" || len(q.Filters) != 3 || q.Limit != pageSize || len(q.Sort) == 0 || q.Sort[0].Field != "stars" {
		t.Errorf("asked %+v", q)
	}
	if !strings.Contains(body, "/servers/"+slug) || strings.Contains(body, "left-meanwhile") || !strings.Contains(body, `value="weather"`) {
		t.Error("the result is not shown")
	}
	for _, q := range []string{"category=nope", "sdk=cobol", "grade=Z", "sort=luck", "page=0", "page=x", "q=" + strings.Repeat("a", 300), "q=%00", "q=%ff", "search=%ff", "%zz"} {
		s.page("/servers?"+q, 400)
	}
	s.page("/servers?q=x&page=501", 400)
	// The API's name of q.
	if s.page("/servers?search=weather", 200); s.search.got.Text != "weather" {
		t.Errorf("asked %+v", s.search.got)
	}
	s.search.results = query.Results{}
	if body := s.page("/servers?q=nothing&sdk=go", 200); !strings.Contains(body, "Without the words") {
		t.Error("an empty result does not say what to loosen")
	}
	s.search.results = query.Results{Slugs: []string{slug}, Total: 1, Degraded: true}
	if body := s.page("/servers?q=x", 200); !strings.Contains(body, "does not answer") {
		t.Error("a degraded search is not told")
	}
	s.search.err = registry.Errorf(registry.ErrUnavailable, "The index is away.")
	s.page("/servers?q=x", 503)
	for _, sort := range sorts {
		s.page("/servers?category=data&sort="+sort.Value, 200)
	}
}

func TestAddressesOfServers(t *testing.T) {
	one := hostile("new-name", "Weather")
	one.OldSlugs = []string{"old-name"}
	s := newSite(t, []registry.Server{one})
	for path, to := range map[string]string{
		"/servers/old-name": "/servers/new-name", "/servers/NEW-name": "/servers/new-name", "/servers/io.example%2Fnew-name": "/servers/new-name",
		"/servers/old-name?x=1": "/servers/new-name?x=1",
	} {
		res, _ := s.get(path)
		if strings.Contains(path, "%2F") && res.StatusCode == 404 {
			continue // gin matches decoded paths; the API takes official names
		}
		if res.StatusCode != 308 || res.Header.Get("Location") != to {
			t.Errorf("%s: %d %s", path, res.StatusCode, res.Header.Get("Location"))
		}
	}
	s.page("/servers/was-here", 410)
	if body := s.page("/servers/new-nam", 404); !strings.Contains(body, `href="/servers/new-name"`) {
		t.Error("no suggestion")
	}
	s.page("/servers/"+strings.Repeat("x", 1000), 404)
	s.page("/nothing/here", 404)
}

func TestErrorsAreShownAndTellNothing(t *testing.T) {
	s := newSite(t, nil)
	body := s.page("/panic", 500)
	if strings.Contains(body, "secret") || strings.Contains(body, "/root") {
		t.Error("a panic leaks")
	}
	s.search.err = errors.New("pq: relation servers does not exist")
	if body := s.page("/servers?q=x", 500); strings.Contains(body, "pq:") {
		t.Error("an error leaks")
	}
	if body := s.page("/", 200); !strings.Contains(body, "empty so far") {
		t.Error("an empty registry is not told")
	}
	s.page("/servers", 200)
	unready := catalog.New(api.Encode("io.test", nil))
	s = newSite(t, nil, func(o *Options) { o.Catalog = unready })
	res, _ := s.get("/")
	if res.StatusCode != 503 || res.Header.Get("Retry-After") == "" || res.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("not ready: %d %v", res.StatusCode, res.Header)
	}
}

func TestCheck(t *testing.T) {
	servers := generated(5)
	s := newSite(t, servers)
	s.page("/check", 200)
	var ref string
	for _, x := range servers {
		if x.Repo.Owner != "" && x.Status != registry.StatusDeleted {
			ref = x.Repo.Owner + "/" + x.Repo.Name
			break
		}
	}
	if res, _ := s.get("/check?url=https://github.com/" + ref); res.StatusCode != 303 || !strings.HasPrefix(res.Header.Get("Location"), "/servers/") {
		t.Errorf("listed %s: %d %s", ref, res.StatusCode, res.Header.Get("Location"))
	}
	s.page("/check?url="+url.QueryEscape("https://gitlab.example/a/b"), 422)
	s.page("/check?url=%00%ff", 400)
	s.checker.report = registry.CheckResult{Status: registry.CheckDone, Reason: "It is a list of links."}
	body := s.page("/check?url=a/b", 200)
	for _, want := range []string{"It is a list of links.", `<link rel="canonical" href="https://census.example/check?url=https%3A%2F%2Fgithub.com%2Fa%2Fb">`,
		`<meta property="og:title" content="Check of a/b">`, `<meta property="og:description" content="No MCP server was found in a/b. It is a list of links.">`, `content="noindex"`} {
		if !strings.Contains(body, want) {
			t.Errorf("the report does not have %s:\n%s", want, body[:2000])
		}
	}
	scored := hostile("x", "X")
	scored.Health.Score, scored.Health.Low, scored.Health.High, scored.Health.Grade = new(86), new(80), new(90), "A"
	s.checker.report = registry.CheckResult{Status: registry.CheckDone, At: now, Servers: []registry.Scored{{Server: scored}}}
	if body := s.page("/check?url=a/b", 200); !strings.Contains(body, `<meta property="og:title" content="a/b: health 86 of 100, grade A">`) {
		t.Error("who is sent a report does not see its score")
	}
	s.checker.report = registry.CheckResult{Status: registry.CheckPending, RetryAfter: 3 * time.Second}
	if body := s.page("/check?url=a/b", 202); !strings.Contains(body, `http-equiv="refresh" content="3"`) {
		t.Error("a pending report does not come back")
	}
	s.checker.report = registry.CheckResult{Status: registry.CheckNotFound}
	s.page("/check?url=a/b", 404)
	s.checker.err = registry.Errorf(registry.ErrUnavailable, "The budget is gone.")
	s.page("/check?url=a/b", 503)
	limited := newSite(t, nil, func(o *Options) { o.Limiter = never{} })
	body = limited.page("/check?url=a/b", 429)
	for _, want := range []string{"New checks and requests to /api share 100 an hour", "in a minute", `value="a/b"`} {
		if !strings.Contains(body, want) {
			t.Errorf("a client without budget is not told %q", want)
		}
	}
	limited.page("/check", 200)
	limited.checker.begun = true // to look on costs nothing
	limited.page("/check?url=a/b", 200)
	none := newSite(t, nil, func(o *Options) { o.Checker = nil })
	none.page("/check?url=a/b", 503)
}

func TestReportsGrow(t *testing.T) {
	s := newSite(t, nil)
	stars, files, read := 1240, 132, 17
	p := new(registry.CheckProgress)
	s.checker.report = registry.CheckResult{Status: registry.CheckPending, RetryAfter: time.Second, Progress: p}
	done := func() int { return strings.Count(s.page("/check?url=a/b", 202), `<li class="done">`) }
	says := func(want string) {
		t.Helper()
		if body := s.page("/check?url=a/b", 202); !strings.Contains(body, want) {
			t.Errorf("it does not say %q:\n%s", want, between(body, `<ol class="steps">`, "</ol>"))
		}
	}
	if n := done(); n != 0 {
		t.Errorf("%d steps are done before the host answered", n)
	}
	p.Repo = &registry.Repository{Owner: "octo", Name: "weather", Stars: &stars}
	says("octo/weather, 1\u202f240 stars")
	p.Files = &files
	says("132 files listed")
	if n := done(); n != 1 {
		t.Errorf("%d steps are done while files are read", n)
	}
	p.Read = &read
	says("132 files listed, 17 read")
	p.Searched, p.Packages = true, 2
	s.checker.report.Servers = []registry.Scored{{Server: hostile("weather", "Weather")}}
	says("1 server found")
	says("0 of 2 packages")
	says("scores may change")
	says("<h2>Weather</h2>") // what there is so far is shown
	if n := done(); n != 3 {
		t.Errorf("%d steps are done while packages are asked about", n)
	}
	p.Asked = 2
	if n := done(); n != 4 {
		t.Errorf("%d steps are done at the end", n)
	}
	s.checker.report.Status = registry.CheckDone
	if body := s.page("/check?url=a/b", 200); strings.Contains(body, "scores may change") || strings.Contains(body, "data-poll") {
		t.Error("a report that is done is shown as one that is not")
	}
}

func TestBadges(t *testing.T) {
	score := 87
	good := hostile("good", "Weather")
	good.Health.Score, good.Health.Grade = &score, "A"
	unknown := hostile("unknown", "Weather")
	unknown.Health.Score, unknown.Health.Grade = nil, ""
	s := newSite(t, []registry.Server{good, unknown})
	for path, want := range map[string]struct {
		status      int
		text, color string
	}{
		"/badge/good.svg":    {200, "A · 87", badgeColors["A"]},
		"/badge/unknown.svg": {200, "unknown", badgeColors[""]},
		"/badge/nobody.svg":  {404, "not listed", badgeColors[""]},
	} {
		res, body := s.get(path)
		if res.StatusCode != want.status || res.Header.Get("Content-Type") != "image/svg+xml" || !strings.Contains(body, want.text) || !strings.Contains(body, want.color) {
			t.Errorf("%s: %d %s", path, res.StatusCode, body)
		}
	}
	s.page("/badge/good.png", 404)
}

// What the operator says and what the program brings along changes without the
// data.
func TestPagesThatSayOtherThingsHaveOtherTags(t *testing.T) {
	notice := func(text string) site {
		return newSite(t, generated(50), func(o *Options) { o.Notice = text })
	}
	a, again, b := notice("Back on Monday."), notice("Back on Monday."), notice("Back on Tuesday.")
	for _, path := range []string{"/", "/servers", "/categories/data", "/pricing", "/about", "/docs/scoring", "/stats", "/compare"} {
		res, _ := a.get(path)
		tag := res.Header.Get("Etag")
		if res, _ := again.get(path, "If-None-Match", tag); tag == "" || res.StatusCode != 304 {
			t.Errorf("%s, tag %q: the same page is %d", path, tag, res.StatusCode)
		}
		if res, _ := b.get(path, "If-None-Match", tag); res.StatusCode != 200 {
			t.Errorf("%s says something else: %d", path, res.StatusCode)
		}
	}
}

func TestPagesAreCompressedAndKept(t *testing.T) {
	s := newSite(t, generated(50))
	res, body := s.get("/", "Accept-Encoding", "gzip")
	if res.Header.Get("Content-Encoding") != "gzip" || len(body) > 20_000 {
		t.Errorf("%s, %d bytes", res.Header.Get("Content-Encoding"), len(body))
	}
	tag := res.Header.Get("ETag")
	if res, body := s.get("/", "If-None-Match", tag); res.StatusCode != 304 || body != "" {
		t.Errorf("again: %d", res.StatusCode)
	}
	more := generated(51)[50:]
	more[0].Seq = 2000
	if err := s.catalog.Apply(more, nil, 2000); err != nil {
		t.Fatal(err)
	}
	if res, _ := s.get("/", "If-None-Match", tag); res.StatusCode != 200 {
		t.Errorf("after a change: %d", res.StatusCode)
	}
	_, home := s.get("/")
	i := strings.Index(home, "/static/site-")
	style := home[i : i+strings.Index(home[i:], `"`)]
	if res, _ := s.get(style); res.StatusCode != 200 || !strings.Contains(res.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("%s: %d", style, res.StatusCode)
	}
	if res, _ := s.get("/static/../web.go"); res.StatusCode == 200 {
		t.Error("a file of ours is served")
	}
	if res, _ := s.get("/favicon.ico"); res.StatusCode != 200 {
		t.Errorf("favicon: %d", res.StatusCode)
	}
	if _, css := s.get(style); len(httpd.Zip([]byte(css))) > 20_000 {
		t.Error("the styles are larger than 20 kB")
	}
}

func TestNumbersAreReadable(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1\u202f000", 1234567: "1\u202f234\u202f567", -1000: "-1\u202f000"} {
		if got := grouped(n); got != want {
			t.Errorf("grouped(%d) = %q", n, got)
		}
	}
	for n, want := range map[int64]string{7: "7", 1000: "1k", 1240: "1.2k", 53200: "53k", 999_999: "999k", 1_050_000: "1M", 2_340_000_000: "2.3G"} {
		if got := compact(n); got != want {
			t.Errorf("compact(%d) = %q", n, got)
		}
	}
	for s, want := range map[string]bool{"https://a.example/x": true, "javascript:alert(1)": false, "//a.example": false, "https://a b": false, `https://a"x`: false, "HTTPS://x": false} {
		if got := outside(s) != ""; got != want {
			t.Errorf("outside(%q) = %v", s, got)
		}
	}
}

// TestServeForLooking serves generated servers for a look in a browser:
// CENSUS_WEB_LOOK=127.0.0.1:8099 go test ./web -run Looking -timeout 10m
func TestServeForLooking(t *testing.T) {
	addr := os.Getenv("CENSUS_WEB_LOOK")
	if addr == "" {
		t.Skip("set CENSUS_WEB_LOOK to an address to look at the pages in a browser")
	}
	s := newSite(t, generated(400), func(o *Options) { o.BaseURL = "http://" + addr })
	slug := s.catalog.View().List("", catalog.ByQuality, -1).At(1).Slug()
	s.search.results = query.Results{Slugs: []string{slug}, Total: 1}
	h := s.catalog.View().List("", catalog.ByQuality, -1).At(4).Server()
	h.Health = generated(9)[4].Health
	s.checker.report.Servers = []registry.Scored{{Server: h}}
	srv := &http.Server{Addr: addr, Handler: s.handler}
	t.Log(srv.ListenAndServe())
}

func FuzzBrowse(f *testing.F) {
	for _, q := range []string{"q=a&page=2", "category=data&sdk=ts", "%zz", "q=%ff&sort=x"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		b, err := parseBrowse(raw)
		if err != nil {
			if !errors.Is(err, registry.ErrInvalid) {
				t.Fatal(err)
			}
			return
		}
		u, err := url.Parse(b.address(b.Page))
		if err != nil {
			t.Fatal(err)
		}
		again, err := parseBrowse(u.RawQuery)
		switch kind, name, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/"); kind {
		case "categories":
			again.Categories = append(again.Categories, name)
		case "tags":
			again.Tag = name
		case "owners":
			again.Owner = name
		}
		if err != nil || !reflect.DeepEqual(again, b) {
			t.Fatalf("%+v became %+v by %s, %v", b, again, u, err)
		}
	})
}

func TestTitledTextBeginsWithACapital(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "no licence": "No licence", "No licence": "No licence", "étoiles": "Étoiles", "\xff": "\xff", "3 servers": "3 servers",
	} {
		if got := titled(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestPagesCarryTheOperatorsBrand(t *testing.T) {
	brand, err := brand.ParseBrand(`Größe "A" & <B>`, "https://cdn.example/logo.svg", "#8a1c4a", "Imprint=https://example.com/imprint?a=1&b=2,Terms=/terms")
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, generated(3), func(o *Options) { o.Brand = brand })
	var slug string
	for server := range s.catalog.Servers() {
		slug = server.Slug
	}
	for _, path := range []string{"/", "/servers", "/servers/" + slug, "/check", "/docs/scoring", "/nothing"} {
		res, body := s.get(path)
		own := strings.NewReplacer("census.example", "", "mcpcensus", "").Replace(strings.ToLower(body)) // the operator's address and namespace
		if i := strings.Index(own, "census"); i >= 0 {
			t.Errorf("%s names Census: %s", path, own[max(0, i-60):min(len(own), i+60)])
		}
		for _, want := range []string{"Größe &#34;A&#34; &amp; &lt;B&gt;", `<img src="https://cdn.example/logo.svg"`, `href="https://example.com/imprint?a=1&amp;b=2"`, `<a href="/terms">Terms</a>`} {
			if !strings.Contains(body, want) {
				t.Errorf("%s does not have %s", path, want)
			}
		}
		if csp := res.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "img-src 'self' https://cdn.example;") {
			t.Errorf("%s does not let the logo in: %s", path, csp)
		}
		if path == "/" {
			_, after, _ := strings.Cut(body, `rel="stylesheet" href="`)
			style, _, _ := strings.Cut(after, `"`)
			if _, css := s.get(style); !strings.Contains(css, "--link: #8a1c4a;") {
				t.Error("the style does not have the colour")
			}
		}
	}
	if _, badge := s.get("/badge/" + slug + ".svg"); !strings.Contains(badge, "Größe &#34;A&#34; &amp; &lt;B&gt; health") {
		t.Errorf("the badge is %s", badge)
	}
	if res, _ := s.get("/favicon.ico"); res.Header.Get("Location") != "https://cdn.example/logo.svg" {
		t.Errorf("the icon is at %v", res.Header)
	}
}
