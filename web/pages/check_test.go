package pages_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/web"
	"mcpcensus/web/webtest"
	"mcpcensus/web/webtest/sitetest"
)

func TestCheck(t *testing.T) {
	servers := webtest.Generated(5)
	s := sitetest.New(t, servers)
	s.Page("/check", 200)
	var ref string
	for _, x := range servers {
		if x.Repo.Owner != "" && x.Status != registry.StatusDeleted {
			ref = x.Repo.Owner + "/" + x.Repo.Name
			break
		}
	}
	if res, _ := s.Get(
		"/check?url=https://github.com/" + ref,
	); res.StatusCode != 303 || !strings.HasPrefix(res.Header.Get("Location"), "/servers/") {
		t.Errorf("listed %s: %d %s", ref, res.StatusCode, res.Header.Get("Location"))
	}
	s.Page("/check?url="+url.QueryEscape("https://gitlab.example/a/b"), 422)
	s.Page("/check?url=%00%ff", 400)
	s.Checker.Report = registry.CheckResult{Status: registry.CheckDone, Reason: "It is a list of links."}
	body := s.Page("/check?url=a/b", 200)
	for _, want := range []string{"It is a list of links.", `<link rel="canonical" href="https://census.example/check?url=https%3A%2F%2Fgithub.com%2Fa%2Fb">`,
		`<meta property="og:title" content="Check of a/b">`, `<meta property="og:description" content="No MCP server was found in a/b. It is a list of links.">`, `content="noindex"`} {
		if !strings.Contains(body, want) {
			t.Errorf("the report does not have %s:\n%s", want, body[:2000])
		}
	}
	s.Checker.Report.Kind, s.Checker.Report.Reason = "client", "this is a client, not a server"
	if body := s.Page("/check?url=a/b", 200); !strings.Contains(body, "<b>This is a client, not a server.</b>") ||
		strings.Contains(body, "<b>No MCP server was found here.</b>") {
		t.Error("the report of a client does not say what it is")
	}
	scored := webtest.Hostile("x", "X")
	scored.Health.Score, scored.Health.Low, scored.Health.High, scored.Health.Grade = new(86), new(80), new(90), "A"
	s.Checker.Report = registry.CheckResult{
		Status: registry.CheckDone, At: webtest.Now, Servers: []registry.Scored{{Server: scored}},
	}
	if body := s.Page(
		"/check?url=a/b", 200,
	); !strings.Contains(
		body, `<meta property="og:title" content="a/b: health 86 of 100, grade A">`,
	) {
		t.Error("who is sent a report does not see its score")
	}
	s.Checker.Report = registry.CheckResult{Status: registry.CheckPending, RetryAfter: 3 * time.Second}
	if body := s.Page("/check?url=a/b", 202); !strings.Contains(body, `http-equiv="refresh" content="3"`) {
		t.Error("a pending report does not come back")
	}
	s.Checker.Report = registry.CheckResult{Status: registry.CheckNotFound}
	s.Page("/check?url=a/b", 404)
	s.Checker.Err = registry.Errorf(registry.ErrUnavailable, "The budget is gone.")
	s.Page("/check?url=a/b", 503)
	limited := sitetest.New(t, nil, func(o *web.Options) { o.Site.Limiter = sitetest.Exhausted{} })
	body = limited.Page("/check?url=a/b", 429)
	for _, want := range []string{"Rate limit reached: 100 new checks and requests to /api per hour", "in a minute", `value="a/b"`} {
		if !strings.Contains(body, want) {
			t.Errorf("a client without budget is not told %q", want)
		}
	}
	limited.Page("/check", 200)
	limited.Checker.Begun = true // to look on costs nothing
	limited.Page("/check?url=a/b", 200)
	none := sitetest.New(t, nil, func(o *web.Options) { o.Pages.Checker = nil })
	none.Page("/check?url=a/b", 503)
}

func TestCheck_progress(t *testing.T) {
	s := sitetest.New(t, nil)
	stars, files, read := 1240, 132, 17
	p := new(registry.CheckProgress)
	s.Checker.Report = registry.CheckResult{Status: registry.CheckPending, RetryAfter: time.Second, Progress: p}
	done := func() int { return strings.Count(s.Page("/check?url=a/b", 202), `<li class="done">`) }
	says := func(want string) {
		t.Helper()
		if body := s.Page("/check?url=a/b", 202); !strings.Contains(body, want) {
			t.Errorf("it does not say %q:\n%s", want, between(body, `<ol class="steps">`, "</ol>"))
		}
	}
	if n := done(); n != 0 {
		t.Errorf("%d steps are done before the host answered", n)
	}
	p.Repo = &registry.Repository{Owner: "octo", Name: "weather", Stars: &stars}
	says("octo/weather, 1,240 stars")
	p.Files = &files
	says("132 files listed")
	if n := done(); n != 1 {
		t.Errorf("%d steps are done while files are read", n)
	}
	p.Read = &read
	says("132 files listed, 17 read")
	p.Searched, p.Packages = true, 2
	s.Checker.Report.Servers = []registry.Scored{{Server: webtest.Hostile("weather", "Weather")}}
	says("1 server found")
	says("0 of 2 packages")
	says("scores may change")
	says("<h2>Weather · evil</h2>") // what there is so far is shown
	if n := done(); n != 3 {
		t.Errorf("%d steps are done while packages are asked about", n)
	}
	p.Asked = 2
	if n := done(); n != 4 {
		t.Errorf("%d steps are done at the end", n)
	}
	s.Checker.Report.Status = registry.CheckDone
	if body := s.Page(
		"/check?url=a/b", 200,
	); strings.Contains(body, "scores may change") || strings.Contains(body, "data-poll") {
		t.Error("a report that is done is shown as one that is not")
	}
}

func TestRecheck(t *testing.T) {
	good := webtest.Hostile("good", "Weather")
	good.Subfolder = "src/a"
	s := sitetest.New(t, []registry.Server{good, webtest.Hostile("other", "Other")})
	post := func(header ...string) *httptest.ResponseRecorder {
		t.Helper()
		r := httptest.NewRequest("POST", "/servers/good/check", nil)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		s.Handler.ServeHTTP(w, r)
		return w
	}
	if w := post("Sec-Fetch-Site", "cross-site"); w.Code != http.StatusForbidden || s.Checker.Again != nil {
		t.Errorf("a page of another site begins a check: %d", w.Code)
	}
	leads := func(want string) {
		t.Helper()
		if res, _ := s.Get(
			"/servers/good/check",
		); res.StatusCode != http.StatusSeeOther || res.Header.Get("Location") != want {
			t.Errorf("%d, leads to %q, not %q", res.StatusCode, res.Header.Get("Location"), want)
		}
	}
	leads("/servers/good") // nothing to follow: looking begins nothing
	w := post("Sec-Fetch-Site", "same-origin")
	if want := (registry.RepoRef{
		Host: registry.GitHub, Owner: good.Repo.Owner, Name: good.Repo.Name,
	}); w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/servers/good/check" ||
		len(s.Checker.Again) != 1 || s.Checker.Again[0] != want {
		t.Fatalf("%d %s, asked for %v", w.Code, w.Header().Get("Location"), s.Checker.Again)
	}
	s.Checker.Begun = true
	s.Checker.Report = registry.CheckResult{Status: registry.CheckPending, RetryAfter: 2 * time.Second}
	if body := s.Page(
		"/servers/good/check", 202,
	); !strings.Contains(
		body, `data-poll="/servers/good/check"`,
	) || !strings.Contains(body, "Update the server’s page") {
		t.Error("who has asked does not see how far it has come")
	}
	// The report is there; the page's own facts follow a moment later.
	fresh, first := webtest.Hostile("good", "Weather"), webtest.Hostile("first", "First")
	fresh.Subfolder, first.Subfolder = "src/a", "src/first"
	s.Checker.Report = registry.CheckResult{
		Status: registry.CheckDone, At: webtest.Now.Add(-time.Second),
		Servers: []registry.Scored{{Server: first}, {Server: fresh}},
	}
	s.Page("/servers/good/check", 202)
	read := webtest.Now
	good.ID, good.Seq, good.LastCrawledAt = 1, 2000, &read
	if err := s.Catalog.Apply([]registry.Server{good}, nil, 2000); err != nil {
		t.Fatal(err)
	}
	leads("/servers/good?checked")
	if body := s.Page("/servers/good?checked", 200); !strings.Contains(body, "Checked just now") {
		t.Error("the page does not say that it was checked")
	}
	// Where they do not follow, the report itself is shown.
	s.Checker.Report.At = webtest.Now.Add(-time.Minute)
	before := webtest.Now.Add(-time.Hour)
	good.Seq, good.LastCrawledAt = 2001, &before
	if err := s.Catalog.Apply([]registry.Server{good}, nil, 2001); err != nil {
		t.Fatal(err)
	}
	body := s.Page("/servers/good/check", 200)
	if !strings.Contains(body,
		`The page of <a href="/servers/good">Weather</a> <span class="by">· evil</span> `+
			`<img class="avatar" src="/avatars/github/evil.png" alt="" width="18" height="18" loading="lazy">`+
			` <span class="status" title="The server is deprecated. Weather (GitHub, 20 Nov 2026)">`+
			`deprecated</span> still shows`) ||
		strings.Index(body, "in src/a") > strings.Index(body, "in src/first") {
		t.Errorf("the report does not lead back, or begins with another server:\n%s", body)
	}
	if strings.Contains(s.Page("/servers/good?checked", 200), "Checked just now") {
		t.Error("a page that was not checked now says that it was")
	}
	s.Checker.Report = registry.CheckResult{Status: registry.CheckNotFound}
	s.Page("/servers/good/check", 404)
	s.Page("/servers/nobody/check", 404)
	none := sitetest.New(
		t, []registry.Server{webtest.Hostile("good", "Weather")},
		func(o *web.Options) { o.Site.Limiter = sitetest.Exhausted{} },
	)
	w = httptest.NewRecorder()
	none.Handler.ServeHTTP(w, httptest.NewRequest("POST", "/servers/good/check", nil))
	if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), "Rate limit reached: 100") {
		t.Errorf("a client without budget: %d %v", w.Code, w.Header())
	}
}
