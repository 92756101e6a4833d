package pages_test

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
	"mcpcensus/web"
	"mcpcensus/web/pages"
	"mcpcensus/web/site"
	"mcpcensus/web/webtest"
	"mcpcensus/web/webtest/sitetest"
)

// A sender sends forms to a site, and follows redirects.
type sender struct {
	*sitetest.Site
	status int
	body   string
}

func (w *sender) do(path string, v url.Values, header ...string) {
	w.T.Helper()
	r := httptest.NewRequest("POST", path, strings.NewReader(v.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	got := httptest.NewRecorder()
	w.Handler.ServeHTTP(got, r)
	if got.Code == http.StatusSeeOther {
		w.status, w.body = 200, w.Page(got.Header().Get("Location"), 200)
		return
	}
	w.status, w.body = got.Code, got.Body.String()
	webtest.Harmless(w.T, path, got.Result(), w.body)
}

func (w *sender) post(path string, want int, v url.Values, header ...string) {
	w.T.Helper()
	if w.do(path, v, header...); w.status != want {
		w.T.Fatalf("POST %s: %d, want %d\n%s", path, w.status, want, w.text())
	}
}

var tag = regexp.MustCompile(`<[^>]*>`)

// text is what the last response says.
func (w *sender) text() string {
	words := strings.Fields(html.UnescapeString(tag.ReplaceAllString(w.body, " ")))
	return strings.NewReplacer(" .", ".", " ,", ",").Replace(strings.Join(words, " "))
}

func (w *sender) says(want ...string) {
	w.T.Helper()
	for _, s := range want {
		if text := w.text(); !strings.Contains(text, s) {
			w.T.Errorf("no %q in:\n%s", s, text)
		}
	}
}

func TestAdd(t *testing.T) {
	db := pgtest.New(t)
	servers := append(webtest.Generated(1), webtest.Hostile("evil", "x"))
	listed := servers[0].Repo
	w := &sender{Site: sitetest.New(t, servers, func(o *web.Options) {
		o.Pages.Reports, o.Pages.Enqueue = db, db.Enqueue
		o.Site.Limiter = quota.New(quota.Options{Now: func() time.Time { return webtest.Now }})
	})}
	w.Page("/add", 200)
	w.post("/add", 200, url.Values{"url": {"https://github.com/fresh/one\n" +
		"fresh/TWO, github.com/fresh/two\n" + listed.Owner + "/" + listed.Name + "\n" +
		"https://gitlab.com/a/b <script>"}})
	w.says("2 repositories queued for crawling.", "fresh/one Queued.", "Already listed",
		"Not added. It is on GitLab, which is not supported yet. <script> Not added.")
	if !strings.Contains(w.body, "/check?url=https%3a%2f%2fgithub.com%2ffresh%2fone") ||
		!strings.Contains(w.body, `href="/servers/`+servers[0].Slug+`"`) {
		t.Errorf("links are missing:\n%s", w.body)
	}
	status, err := db.Status(t.Context(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	for _, n := range status.Repositories {
		known += n
	}
	if known != 2 {
		t.Errorf("%d repositories are stored: %v", known, status.Repositories)
	}
	w.post("/add", 200, url.Values{"url": {"fresh/one"}})
	w.says("Already queued")
	if strings.Contains(w.body, "queued for crawling.") {
		t.Error("it is queued twice")
	}

	// What is wrong is said, and nothing is lost.
	for text, says := range map[string]string{
		"":                          "Paste the address of a repository",
		strings.Repeat("a/b ", 11):  "up to 10 repositories",
		"<script>alert(1)</script>": "It has an owner that GitHub does not allow",
		"nothing":                   "It names no repository",
		"https://gitlab.com/a/b":    "on GitLab, which is not supported yet",
		"a/\x00\xff":                "It has a character",
		strings.Repeat("a", 9000):   "It is longer than 512 characters",
	} {
		w.post("/add", 400, url.Values{"url": {text}})
		w.says(says)
	}
	w.post("/add", 403, url.Values{"url": {"a/b"}}, "Sec-Fetch-Site", "cross-site")
	otherScheme := "http://census.example"
	w.post("/add", 403, url.Values{"url": {"a/b"}}, "Sec-Fetch-Site", "", "Origin", otherScheme)
	w.post("/add", 403, url.Values{"url": {"a/b"}}, "Sec-Fetch-Site", "same-origin", "Origin", otherScheme)
	w.post("/add", 200, url.Values{"url": {"a/b"}}, "Sec-Fetch-Site", "", "Origin", "https://census.example")

	for range pages.FormsHourly - 3 { // three counted: what is listed or wrong does not
		w.post("/add", 200, url.Values{"url": {"fresh/one"}})
	}
	w.post("/add", 429, url.Values{"url": {"fresh/one"}})
	w.says("Rate limit reached: 10 forms per hour.")
	w.post("/servers/evil/report", 429, url.Values{"reason": {"facts"}, "text": {"x"}})
	w.post("/add", 200, url.Values{"url": {listed.Owner + "/" + listed.Name}})
}

func TestReport(t *testing.T) {
	db := pgtest.New(t)
	w := &sender{Site: sitetest.New(t, []registry.Server{webtest.Hostile("evil", "x")},
		func(o *web.Options) { o.Pages.Reports = db })}
	const path = "/servers/evil/report"
	if !strings.Contains(w.Page("/servers/evil", 200), `href="`+path+`"`) {
		t.Error("the server's page has no way to report")
	}
	w.Page(path, 200)
	w.post(path, 400, url.Values{"contact": {"me\nyou"}})
	w.says("Choose a reason.", "Describe the problem")
	w.post(path, 400, url.Values{"reason": {"golden"}, "text": {strings.Repeat("é", registry.MaxReport+1)},
		"contact": {strings.Repeat("c", 201)}})
	w.says("this has 2,001.", "one line of at most 200", "Choose a reason.")
	text := strings.Join(webtest.Attacks[:11], "\r\n") + "\x00\xff"
	for _, x := range webtest.Attacks {
		w.post(path, 400, url.Values{"reason": {x}, "text": {x}, "contact": {x}})
	}
	v := url.Values{"reason": {"malicious"}, "text": {text}, "contact": {"me@example.com"}}
	for range 2 { // sent twice, it is one
		w.post(path, 200, v)
		w.says("Thank you.")
	}
	list, err := db.Reports(t.Context(), true, 10)
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	if c := list[0]; c.Slug != "evil" || c.Reason != "malicious" || c.Contact != "me@example.com" ||
		!strings.Contains(c.Text, "<script>alert(1)</script>\n") ||
		strings.ContainsAny(c.Text, "\x00\r") {
		t.Errorf("%+v", c)
	}

	v.Set("text", "buy this")
	v.Set("website", "https://spam.example")
	w.post(path, 200, v)
	w.says("Thank you.")
	v.Del("website")
	w.post(path, 403, v, "Sec-Fetch-Site", "cross-site")
	w.post(path, 403, v, "Sec-Fetch-Site", "", "Origin", "http://census.example")
	w.post(path, 415, v, "Content-Type", "application/json")
	if list, err = db.Reports(t.Context(), true, 10); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	w.Page("/servers/nowhere/report", 404)
	w.post("/servers/nowhere/report", 404, v)

	db.Close()
	v.Set("text", "while the database is away")
	if w.do(path, v); w.status < 500 || strings.Contains(w.body, "sql") {
		t.Errorf("%d %s", w.status, w.text())
	}
}

func FuzzForms(f *testing.F) {
	for _, s := range []string{
		"url=a%2Fb", "url=%00%ff", "a=1;b=2", "%", "reason=facts&text=x",
		strings.Repeat("a=&", 2000), "url=" + url.QueryEscape("https://github.com/a/b\nc/d"),
	} {
		f.Add(s)
	}
	cat := catalog.New()
	servers := []registry.Server{webtest.Hostile("evil", "x")}
	servers[0].ID, servers[0].Seq = 1, 1
	if err := cat.Apply(servers, nil, 1); err != nil {
		f.Fatal(err)
	}
	cat.SetReady()
	o := sitetest.Options()
	o.Site = site.Options{Catalog: cat, BaseURL: "https://census.example"}
	o.Pages.Reports, o.Pages.Enqueue = acceptingStore{}, acceptingStore{}.Enqueue
	site, err := web.New(o)
	if err != nil {
		f.Fatal(err)
	}
	e := httpd.NewEngine(httpd.Config{Missing: site.Missing})
	site.Register(e)
	f.Fuzz(func(t *testing.T, body string) {
		for _, path := range []string{"/add", "/servers/evil/report"} {
			r := httptest.NewRequest("POST", path, strings.NewReader(body))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			w := httptest.NewRecorder()
			e.ServeHTTP(w, r)
			if w.Code >= 500 {
				t.Errorf("%s: %d", path, w.Code)
			}
			if w.Code != http.StatusSeeOther {
				webtest.Harmless(t, path, w.Result(), w.Body.String())
			}
		}
	})
}

// acceptingStore accepts valid reports and repositories, and panics at others.
type acceptingStore struct{}

func (acceptingStore) AddReport(_ context.Context, c registry.Report) error {
	if c.Slug != "evil" || c.Text == "" || len(c.Text) > 4*registry.MaxReport || len(c.Contact) > 4*registry.MaxContact ||
		!slices.ContainsFunc(registry.ReportReasons, func(r registry.ReportReason) bool { return r.ID == c.Reason }) {
		panic(fmt.Sprintf("%+v", c))
	}
	return nil
}

func (acceptingStore) Enqueue(_ context.Context, list []registry.Candidate, _ time.Time) (int, error) {
	for _, c := range list {
		if again, err := registry.ParseRepoRef(c.Ref.String()); err != nil || again.Key() != c.Ref.Key() {
			panic(fmt.Sprintf("%+v", c))
		}
	}
	return len(list), nil
}
