package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/brand"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/generate"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
	"mcpcensus/web"
	"mcpcensus/web/browse"
	"mcpcensus/web/site"
	"mcpcensus/web/webtest"
	"mcpcensus/web/webtest/sitetest"
)

func TestPages(t *testing.T) {
	t.Parallel()
	s := sitetest.New(t, webtest.Generated(300))
	home := s.Page("/", 200)
	for _, want := range []string{"300", "Know what an", "What it can do", "/categories/"} {
		if !strings.Contains(home, want) {
			t.Errorf("home lacks %q", want)
		}
	}
	l := s.Catalog.View().List("", catalog.ByRecommended, -1)
	list := s.Page("/servers", 200)
	if n := strings.Count(list, `class="avatar face"`); n != browse.PageSize {
		t.Errorf("%d rows", n)
	}
	if !strings.Contains(list, l.At(0).Slug()) || strings.Contains(list, l.At(browse.PageSize).Slug()+`"`) {
		t.Error("the first page does not hold the best")
	}
	if second := s.Page("/servers?page=2", 200); !strings.Contains(second, l.At(browse.PageSize).Slug()) {
		t.Error("the second page does not go on")
	}
	s.Page("/servers?page=15", 200)
	s.Page("/servers?page=16", 404)
	for i := range 40 {
		body := s.Page("/servers/"+l.At(i*7).Slug(), 200)
		if !strings.Contains(body, "Health") {
			t.Errorf("%s lacks health", l.At(i*7).Slug())
		}
	}
	scoring := s.Page("/docs/scoring", 200)
	if !strings.Contains(scoring, `id="commit_recency"`) || !strings.Contains(scoring, "<table>") {
		t.Error("the scoring page lacks checks")
	}
}

func TestPages_hostile_texts(t *testing.T) {
	t.Parallel()
	for n, x := range webtest.Attacks {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s := sitetest.New(t, []registry.Server{webtest.Hostile("evil-one", x)})
			s.Search.Matches = query.Matches{Slugs: []string{"evil-one"}}
			s.Page("/", 200)
			s.Page("/servers", 200)
			if len(x) <= browse.MaxLength {
				s.Page("/servers?q="+url.QueryEscape(x), 200)
			} else {
				s.Page("/servers?q="+url.QueryEscape(x), 400)
			}
			s.Page("/servers/evil-one", 200)
			s.Page("/check?url="+url.QueryEscape(x), map[bool]int{true: 400, false: 400}[true])
			h := webtest.Hostile("evil-one", x)
			s.Checker.Report = registry.CheckResult{
				Status: registry.CheckDone, Reason: x, Warnings: []string{x},
				Servers: []registry.Scored{{Server: h}},
			}
			s.Page("/check?url=github.com/a/b", 200)
			s.Page("/servers/"+url.PathEscape(x), 404)
		})
	}
}

func TestPages_errors(t *testing.T) {
	s := sitetest.New(t, nil)
	s.Web.Site.Get(s.Handler.(*gin.Engine), "/panic", func(context.Context, *gin.Context) error {
		panic("secret at /root")
	})
	body := s.Page("/panic", 500)
	if strings.Contains(body, "secret") || strings.Contains(body, "/root") {
		t.Error("a panic leaks")
	}
	s.Search.Err = errors.New("pq: relation servers does not exist")
	if body := s.Page("/servers?q=x", 500); strings.Contains(body, "pq:") {
		t.Error("an error leaks")
	}
	if body := s.Page("/", 200); !strings.Contains(body, "No servers yet") {
		t.Error("an empty registry is not told")
	}
	s.Search.Err = nil
	for _, path := range []string{"/servers", "/servers?q=sky", "/categories", "/tags", "/owners", "/stats"} {
		if body := s.Page(path, 200); strings.Count(body, "No servers yet") != 1 || strings.Contains(body, "Remove “sky”") {
			t.Errorf("%s says %d times that the registry is empty", path, strings.Count(body, "No servers yet"))
		}
	}
	s.Page("/servers", 200)
	unready := catalog.New()
	s = sitetest.New(t, nil, func(o *web.Options) { o.Site.Catalog = unready })
	res, _ := s.Get("/")
	if res.StatusCode != 503 || res.Header.Get("Retry-After") == "" || res.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("not ready: %d %v", res.StatusCode, res.Header)
	}
}

// What the operator says and what the program brings along changes without the
// data.
func TestPages_entity_tags(t *testing.T) {
	notice := func(text string) *sitetest.Site {
		return sitetest.New(t, webtest.Generated(50), func(o *web.Options) { o.Site.Notice = text })
	}
	a, again, b := notice("Back on Monday."), notice("Back on Monday."), notice("Back on Tuesday.")
	for _, path := range []string{"/", "/servers", "/categories/data", "/pricing", "/about", "/docs/scoring", "/stats", "/compare"} {
		res, _ := a.Get(path)
		tag := res.Header.Get("Etag")
		if res, _ := again.Get(path, "If-None-Match", tag); tag == "" || res.StatusCode != 304 {
			t.Errorf("%s, tag %q: the same page is %d", path, tag, res.StatusCode)
		}
		if res, _ := b.Get(path, "If-None-Match", tag); res.StatusCode != 200 {
			t.Errorf("%s says something else: %d", path, res.StatusCode)
		}
	}
}

func TestPages_caching(t *testing.T) {
	s := sitetest.New(t, webtest.Generated(50))
	res, body := s.Get("/", "Accept-Encoding", "gzip")
	if res.Header.Get("Content-Encoding") != "gzip" || len(body) > 20_000 {
		t.Errorf("%s, %d bytes", res.Header.Get("Content-Encoding"), len(body))
	}
	tag := res.Header.Get("ETag")
	if res, body := s.Get("/", "If-None-Match", tag); res.StatusCode != 304 || body != "" {
		t.Errorf("again: %d", res.StatusCode)
	}
	more := webtest.Generated(51)[50:]
	more[0].Seq = 2000
	if err := s.Catalog.Apply(more, nil, 2000); err != nil {
		t.Fatal(err)
	}
	if res, _ := s.Get("/", "If-None-Match", tag); res.StatusCode != 200 {
		t.Errorf("after a change: %d", res.StatusCode)
	}
	_, home := s.Get("/")
	i := strings.Index(home, "/static/site-")
	style := home[i : i+strings.Index(home[i:], `"`)]
	if res, _ := s.Get(style); res.StatusCode != 200 || !strings.Contains(res.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("%s: %d", style, res.StatusCode)
	}
	if res, _ := s.Get("/static/../web.go"); res.StatusCode == 200 {
		t.Error("a file of ours is served")
	}
	if res, _ := s.Get("/favicon.ico"); res.StatusCode != 200 {
		t.Errorf("favicon: %d", res.StatusCode)
	}
	if _, css := s.Get(style); len(httpd.Zip([]byte(css))) > 20_000 {
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
	s := webtest.Hostile("large", words(20))
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
	w := sitetest.New(t, []registry.Server{s}, func(o *web.Options) {
		o.Pages.Figures = &sitetest.Figures{Days: sitetest.Year(), Text: registry.Readme{Path: "README.md", Text: readme.String()}}
	})
	w.Page("/servers/large", 200)
	if _, body := w.Get("/servers/large", "Accept-Encoding", "gzip"); len(body) > 60_000 {
		t.Errorf("%d bytes", len(body))
	} else {
		t.Logf("%d bytes", len(body))
	}
}

func TestPages_plain(t *testing.T) {
	s := sitetest.New(t, webtest.Generated(3))
	if body := s.Page("/pricing", 200); strings.Contains(body, "Professional") ||
		strings.Contains(body, "$") || !strings.Contains(body, "Requests per day to /v1") {
		t.Error("without a configuration there is more than the free plan")
	}
	s = sitetest.New(t, webtest.Generated(3), func(o *web.Options) {
		offer := account.Offer{Contact: "sales@example.com", Texts: map[string][]string{
			account.Professional: {"Support by mail <fast>"}}}
		o.Pages.Offer = func() account.Offer { return offer }
	})
	body := s.Page("/pricing", 200)
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
	s.Page("/about", 200)
}

// Requests that no route takes get a page if they accept HTML, else a problem document.
func TestPages_without_route(t *testing.T) {
	s := sitetest.New(t, webtest.Generated(3))
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
		s.Handler.ServeHTTP(w, r)
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
	s := sitetest.New(t, webtest.Generated(3), func(o *web.Options) { o.Site.Brand = brand })
	var slug string
	for server := range s.Catalog.Servers() {
		slug = server.Slug
	}
	for _, path := range []string{"/", "/servers", "/servers/" + slug, "/check", "/docs/scoring", "/nothing"} {
		res, body := s.Get(path)
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
			if _, css := s.Get(style); !strings.Contains(css, "--link: #8a1c4a;") {
				t.Error("the style does not have the colour")
			}
		}
	}
	if _, badge := s.Get("/badge/" + slug + ".svg"); !strings.Contains(badge, "Größe &#34;A&#34; &amp; &lt;B&gt; health") {
		t.Errorf("the badge is %s", badge)
	}
	if res, _ := s.Get("/favicon.ico"); res.Header.Get("Location") != "https://cdn.example/logo.svg" {
		t.Errorf("the icon is at %v", res.Header)
	}
}

func TestFramed(t *testing.T) {
	brand, err := brand.Parse("Acme", "https://cdn.example/logo.svg", "#8a1c4a", "Imprint=https://acme.example/imprint")
	if err != nil {
		t.Fatal(err)
	}
	s, err := web.New(web.Options{
		Site: site.Options{BaseURL: "https://census.example", Brand: brand, Notice: "Down on Sunday."},
	})
	if err != nil {
		t.Fatal(err)
	}
	framed := func(s *web.Site) (string, map[string]string) {
		body, header, err := s.Framed("API & more", `About "it".`, "/docs", `<link rel="stylesheet" href="/docs/x.css">`, `<h1>The API</h1><p id="here">Words</p>`)
		if err != nil {
			t.Fatal(err)
		}
		return string(body), header
	}
	plain, err := web.New(web.Options{})
	if err != nil {
		t.Fatal(err)
	}
	page, header := framed(plain)
	res := &http.Response{Header: http.Header{}}
	for k, v := range header {
		res.Header.Set(k, v)
	}
	webtest.Harmless(t, "/docs", res, page)
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
	s := sitetest.New(t, webtest.Generated(400), func(o *web.Options) { o.Site.BaseURL = "http://" + addr })
	slug := s.Catalog.View().List("", catalog.ByQuality, -1).At(1).Slug()
	s.Search.Matches = query.Matches{Slugs: []string{slug}}
	h := s.Catalog.View().List("", catalog.ByQuality, -1).At(4).Summary()
	h.Health = webtest.Generated(9)[4].Health
	s.Checker.Report.Servers = []registry.Scored{{Server: *h}}
	srv := &http.Server{Addr: addr, Handler: s.Handler}
	t.Log(srv.ListenAndServe())
}
