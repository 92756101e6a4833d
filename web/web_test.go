package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"golang.org/x/net/html"

	"mcpcensus/internal/account"
	"mcpcensus/internal/brand"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/generate"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/query"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/scorer"
	"mcpcensus/web/browse"
	"mcpcensus/web/record"
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
	matches query.Matches
	err     error
	mu      sync.Mutex
	got     []string
}

func (f *fakeSearch) Match(_ context.Context, text string) (query.Matches, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.got = append(f.got, text)
	return f.matches, f.err
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

type exhausted struct{}

func (exhausted) Take(context.Context, quota.Subject, int) (quota.Result, error) {
	return quota.Result{Limit: 1, Reset: now.Add(time.Minute), RetryAfter: time.Minute}, nil
}

func (n exhausted) Peek(ctx context.Context, s quota.Subject, limit int) (quota.Result, error) {
	return n.Take(ctx, s, limit)
}

// fakeFigures are figures that a test gives.
type fakeFigures struct {
	days   []registry.DayStats
	readme registry.Readme
	rises  []registry.ScoreRise
	growth []registry.DayGrowth
	of     map[string]registry.Published
	tools  []registry.ToolList
	err    error
	asked  int
}

func (f *fakeFigures) History(context.Context, string, time.Time, time.Time) ([]registry.DayStats, error) {
	f.asked++
	return f.days, f.err
}

func (f *fakeFigures) Readme(context.Context, string) (registry.Readme, error) {
	if f.readme.Text == "" && f.err == nil {
		return f.readme, registry.Errorf(registry.ErrNotFound, "none")
	}
	return f.readme, f.err
}

func (f *fakeFigures) Published(context.Context, []string) (map[string]registry.Published, error) {
	return f.of, f.err
}

func (f *fakeFigures) ToolLists(context.Context, string, int) ([]registry.ToolList, error) {
	return f.tools, f.err
}

func (f *fakeFigures) ToolHistories(_ context.Context, slugs []string, _ int) (map[string][]registry.ToolList, error) {
	all := map[string][]registry.ToolList{}
	for _, s := range slugs {
		all[s] = f.tools
	}
	return all, f.err
}

func (f *fakeFigures) ScoreRises(context.Context, time.Time, int) ([]registry.ScoreRise, error) {
	return f.rises, f.err
}

func (f *fakeFigures) Growth(context.Context, time.Time) ([]registry.DayGrowth, error) {
	return f.growth, f.err
}

func (f *fakeFigures) Histories(_ context.Context, slugs []string, _, _ time.Time) (map[string][]registry.DayStats, error) {
	all := map[string][]registry.DayStats{}
	for _, s := range slugs {
		all[s] = f.days
	}
	return all, f.err
}

func (f *fakeFigures) Readmes(_ context.Context, slugs []string) (map[string]registry.Readme, error) {
	all := map[string]registry.Readme{}
	for _, s := range slugs {
		if f.readme.Text != "" {
			all[s] = f.readme
		}
	}
	return all, f.err
}

func year() (days []registry.DayStats) {
	for n := range 60 {
		score, stars, downloads := 60+n/3, 100+n*2, int64(5000+n*n)
		days = append(days, registry.DayStats{Date: now.AddDate(0, 0, n-60).Truncate(24 * time.Hour), Score: &score, Stars: &stars, Downloads: &downloads})
	}
	days[30].Downloads = nil
	return days
}

type testSite struct {
	t       *testing.T
	handler http.Handler
	search  *fakeSearch
	checker *fakeChecker
	catalog *catalog.Catalog
}

func newSite(t *testing.T, servers []registry.Server, more ...func(*Options)) testSite {
	t.Helper()
	cat := catalog.New()
	for i := range servers {
		servers[i].ID, servers[i].Seq = int64(i+1), int64(i+1)
	}
	gone := registry.Change{Seq: 1000, ID: 1000, Slug: "was-here", Deleted: true, Gone: true}
	if err := cat.Apply(servers, []registry.Change{gone}, 1000); err != nil {
		t.Fatal(err)
	}
	cat.SetReady()
	s := testSite{t, nil, &fakeSearch{}, &fakeChecker{report: registry.CheckResult{Status: registry.CheckDone, At: now}}, cat}
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
	w.Site.Get(e, "/panic", func(context.Context, *gin.Context) error { panic("secret at /root") })
	s.handler = e
	return s
}

func generated(n int) []registry.Server {
	return slices.Collect(generate.Servers(n, 7))
}

func (s testSite) get(path string, header ...string) (*http.Response, string) {
	s.t.Helper()
	r := httptest.NewRequest("GET", path, nil)
	r.Header.Set("Accept", "text/html,*/*;q=0.8")
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
func (s testSite) page(path string, want int) string {
	s.t.Helper()
	res, body := s.get(path)
	if res.StatusCode != want {
		s.t.Fatalf("GET %s: %d, want %d\n%.600s", path, res.StatusCode, want, body)
	}
	harmless(s.t, path, res, body)
	return body
}

func (s testSite) text(path string) string {
	s.t.Helper()
	r, body := s.get(path)
	if r.StatusCode != 200 {
		s.t.Fatalf("%s: %d", path, r.StatusCode)
	}
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
				client := n.Data == "a" && slices.ContainsFunc(record.InstallURLs, func(p string) bool { return strings.HasPrefix(a.Val, p) })
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

func between(s, from, to string) string {
	_, after, _ := strings.Cut(s, from)
	part, _, _ := strings.Cut(after, to)
	return part
}

func TestPages(t *testing.T) {
	t.Parallel()
	s := newSite(t, generated(300))
	home := s.page("/", 200)
	for _, want := range []string{"300", "Recommended", "Most popular", "Newest", "/categories/"} {
		if !strings.Contains(home, want) {
			t.Errorf("home lacks %q", want)
		}
	}
	l := s.catalog.View().List("", catalog.ByRecommended, -1)
	list := s.page("/servers", 200)
	if n := strings.Count(list, `<li>
  <span class="grade`); n != browse.PageSize {
		t.Errorf("%d rows", n)
	}
	if !strings.Contains(list, l.At(0).Slug()) || strings.Contains(list, l.At(browse.PageSize).Slug()+`"`) {
		t.Error("the first page does not hold the best")
	}
	if second := s.page("/servers?page=2", 200); !strings.Contains(second, l.At(browse.PageSize).Slug()) {
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

func TestPages_hostile_texts(t *testing.T) {
	t.Parallel()
	for n, x := range attacks {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s := newSite(t, []registry.Server{hostile("evil-one", x)})
			s.search.matches = query.Matches{Slugs: []string{"evil-one"}}
			s.page("/", 200)
			s.page("/servers", 200)
			if len(x) <= browse.MaxLength && text.Hidden(x) == "" {
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

func TestPages_errors(t *testing.T) {
	s := newSite(t, nil)
	body := s.page("/panic", 500)
	if strings.Contains(body, "secret") || strings.Contains(body, "/root") {
		t.Error("a panic leaks")
	}
	s.search.err = errors.New("pq: relation servers does not exist")
	if body := s.page("/servers?q=x", 500); strings.Contains(body, "pq:") {
		t.Error("an error leaks")
	}
	if body := s.page("/", 200); !strings.Contains(body, "No servers yet") {
		t.Error("an empty registry is not told")
	}
	s.page("/servers", 200)
	unready := catalog.New()
	s = newSite(t, nil, func(o *Options) { o.Catalog = unready })
	res, _ := s.get("/")
	if res.StatusCode != 503 || res.Header.Get("Retry-After") == "" || res.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("not ready: %d %v", res.StatusCode, res.Header)
	}
}

// What the operator says and what the program brings along changes without the
// data.
func TestPages_entity_tags(t *testing.T) {
	notice := func(text string) testSite {
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

func TestPages_caching(t *testing.T) {
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

// TestPages_size fills a server's page with as much as a
// repository may hold, in words that do not repeat much.
func TestPages_size(t *testing.T) {
	t.Parallel()
	g := rand.New(rand.NewPCG(1, 2))
	words := func(n int) string {
		var all []string
		for range n {
			all = append(all, generate.Coined(g.IntN(20_000)))
		}
		return strings.Join(all, " ")
	}
	s := hostile("large", words(20))
	s.Description, s.Tags, s.Tools = words(100), strings.Fields(words(24)), nil
	for range 400 {
		properties := map[string]any{}
		for range 30 {
			properties[generate.Coined(g.IntN(20_000))] = map[string]any{"type": "string", "description": words(60), "enum": strings.Fields(words(10))}
		}
		schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties})
		if err != nil {
			t.Fatal(err)
		}
		s.Tools = append(s.Tools, registry.Tool{Name: generate.Coined(g.IntN(20_000)), Description: words(80), InputSchema: schema})
	}
	s.Packages, s.Variables = nil, nil
	for n := range 20 {
		p := registry.Package{RegistryType: "npm", Identifier: "@octo/weather" + strings.Repeat("x", n), Version: "1.0.0", Transport: registry.PackageTransport{Type: "stdio"}}
		for range 20 {
			v := registry.Variable{Name: strings.ToUpper(generate.Coined(g.IntN(20_000))), Description: words(30), IsRequired: true}
			p.EnvironmentVariables = append(p.EnvironmentVariables, v)
			s.Variables = append(s.Variables, v)
		}
		s.Packages = append(s.Packages, p)
	}
	var readme strings.Builder
	for range 400 {
		readme.WriteString("## " + words(4) + "\n\n" + words(100) + "\n\n")
	}
	w := newSite(t, []registry.Server{s}, func(o *Options) {
		o.Figures = &fakeFigures{days: year(), readme: registry.Readme{Path: "README.md", Text: readme.String()}}
	})
	w.page("/servers/large", 200)
	if _, body := w.get("/servers/large", "Accept-Encoding", "gzip"); len(body) > 60_000 {
		t.Errorf("%d bytes", len(body))
	} else {
		t.Logf("%d bytes", len(body))
	}
}

func TestPages_plain(t *testing.T) {
	s := newSite(t, generated(3))
	if body := s.page("/pricing", 200); strings.Contains(body, "Professional") ||
		strings.Contains(body, "$") || !strings.Contains(body, "Requests per day to /v1") {
		t.Error("without a configuration there is more than the free plan")
	}
	s = newSite(t, generated(3), func(o *Options) {
		o.Offer = account.Offer{Contact: "sales@example.com", Texts: map[string][]string{
			account.Professional: {"Support by mail <fast>"}}}
	})
	body := s.page("/pricing", 200)
	for _, p := range account.Plans {
		if !strings.Contains(body, p.Name) {
			t.Errorf("the plan %s is missing", p.Name)
		}
	}
	if !strings.Contains(body, "$99") || !strings.Contains(body, "<td>10,000</td>") {
		t.Error("the prices are not those of the table")
	}
	for _, want := range []string{"The pages are free and unlimited",
		`<tr><th scope="row">Support by mail &lt;fast&gt;</th><td><span class="quiet">no</span></td><td>yes</td><td>yes</td></tr>`,
		`<th scope="row">Change feed with full records</th><td><span class="quiet">no</span></td><td>yes</td><td>yes</td>`,
		"For a paid plan, contact sales@example.com."} {
		if !strings.Contains(body, want) {
			t.Errorf("the prices do not say %q", want)
		}
	}
	s.page("/about", 200)
}

// Requests that no route takes get a page if they accept HTML, else a problem document.
func TestPages_without_route(t *testing.T) {
	s := newSite(t, aFew())
	for _, tc := range []struct {
		method, path, accept string
		status               int
		kind, text           string
	}{
		{"DELETE", "/servers", "text/html", 405, "text/html; charset=utf-8", "Supported methods: GET"},
		{"DELETE", "/check", "text/html", 405, "text/html; charset=utf-8", "Supported methods: GET"},
		{"DELETE", "/check", "*/*", 405, "application/problem+json", "Supported methods: GET"},
		{"GET", "/nothing", "text/html,*/*;q=0.8", 404, "text/html; charset=utf-8", "<h1"},
		{"GET", "/nothing", "*/*", 404, "application/problem+json", `"code":"not_found"`},
		{"GET", "/nothing", "", 404, "application/problem+json", `"code":"not_found"`},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(tc.method, tc.path, nil)
		r.Header.Set("Accept", tc.accept)
		s.handler.ServeHTTP(w, r)
		h := w.Header()
		if w.Code != tc.status || h.Get("Content-Type") != tc.kind ||
			!strings.Contains(w.Body.String(), tc.text) ||
			tc.status == 405 && !strings.Contains(h.Get("Allow"), "GET") {
			t.Errorf("%s %s, Accept %q: %d %v", tc.method, tc.path, tc.accept, w.Code, h)
		}
	}
}

func TestPages_brand(t *testing.T) {
	brand, err := brand.Parse(`Größe "A" & <B>`, "https://cdn.example/logo.svg", "#8a1c4a", "Imprint=https://example.com/imprint?a=1&b=2,Terms=/terms")
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

func TestFramed(t *testing.T) {
	brand, err := brand.Parse("Acme", "https://cdn.example/logo.svg", "#8a1c4a", "Imprint=https://acme.example/imprint")
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{BaseURL: "https://census.example", Brand: brand, Notice: "Down on Sunday."})
	if err != nil {
		t.Fatal(err)
	}
	framed := func(s *Site) (string, map[string]string) {
		body, header, err := s.Framed("API & more", `About "it".`, "/docs", `<link rel="stylesheet" href="/docs/x.css">`, `<h1>The API</h1><p id="here">Words</p>`)
		if err != nil {
			t.Fatal(err)
		}
		return string(body), header
	}
	plain, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	page, header := framed(plain)
	res := &http.Response{Header: http.Header{}}
	for k, v := range header {
		res.Header.Set(k, v)
	}
	harmless(t, "/docs", res, page)
	page, header = framed(s)
	for _, want := range []string{
		"<title>API &amp; more · Acme</title>", `content="About &#34;it&#34;."`, `<link rel="canonical" href="https://census.example/docs">`,
		`<link rel="stylesheet" href="/docs/x.css">`, `<p id="here">Words</p>`, "Down on Sunday.", `href="https://acme.example/imprint"`,
		`<a href="/docs" aria-current="page">API</a>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("it does not have %s", want)
		}
	}
	if !strings.Contains(header["Content-Security-Policy"], "img-src 'self' https://cdn.example;") || header["X-Frame-Options"] != "DENY" {
		t.Errorf("headers: %v", header)
	}
	// A process that shows nothing else has what the page loads.
	e := httpd.NewEngine(httpd.Config{Missing: s.Missing})
	s.RegisterAssets(e)
	_, rest, _ := strings.Cut(page, `<link rel="stylesheet" href="`)
	style, _, _ := strings.Cut(rest, `"`)
	_, rest, _ = strings.Cut(page, `<script src="`)
	script, _, _ := strings.Cut(rest, `"`)
	for _, path := range []string{style, script} {
		w := httptest.NewRecorder()
		if e.ServeHTTP(w, httptest.NewRequest("GET", path, nil)); path == "" || w.Code != http.StatusOK {
			t.Errorf("GET %q: %d", path, w.Code)
		}
	}
}

// TestServeForLooking serves generated servers for a look in a browser:
// CENSUS_WEB_LOOK=127.0.0.1:8099 go test ./web -run Looking -timeout 10m
func TestServeForLooking(t *testing.T) {
	addr := os.Getenv("CENSUS_WEB_LOOK")
	if addr == "" {
		t.Skip("SKIPPED: shows pages in a browser; CENSUS_WEB_LOOK is not set to an address")
	}
	s := newSite(t, generated(400), func(o *Options) { o.BaseURL = "http://" + addr })
	slug := s.catalog.View().List("", catalog.ByQuality, -1).At(1).Slug()
	s.search.matches = query.Matches{Slugs: []string{slug}}
	h := s.catalog.View().List("", catalog.ByQuality, -1).At(4).Summary()
	h.Health = generated(9)[4].Health
	s.checker.report.Servers = []registry.Scored{{Server: *h}}
	srv := &http.Server{Addr: addr, Handler: s.handler}
	t.Log(srv.ListenAndServe())
}
