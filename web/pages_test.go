package web

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/account"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/generate"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// fakeFigures are figures that a test gives.
type fakeFigures struct {
	days   []registry.DayStats
	readme registry.Readme
	climbs []registry.Climb
	growth []registry.DayGrowth
	of     map[string]registry.Published
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

func (f *fakeFigures) Climbs(context.Context, time.Time, int) ([]registry.Climb, error) {
	return f.climbs, f.err
}

func (f *fakeFigures) Growth(context.Context, time.Time) ([]registry.DayGrowth, error) {
	return f.growth, f.err
}

func year() (days []registry.DayStats) {
	for n := range 60 {
		score, stars, downloads := 60+n/3, 100+n*2, int64(5000+n*n)
		days = append(days, registry.DayStats{Date: now.AddDate(0, 0, n-60).Truncate(24 * time.Hour), Score: &score, Stars: &stars, Downloads: &downloads})
	}
	days[30].Downloads = nil
	return days
}

func TestServerPagesShowHistoryReadmeParametersAndLinks(t *testing.T) {
	s := hostile("good", "Weather")
	s.Packages = []registry.Package{{RegistryType: "npm", Identifier: "@octo/weather", Version: "1.0.0", Transport: registry.PackageTransport{Type: "stdio"},
		EnvironmentVariables: []registry.Variable{{Name: "KEY", IsRequired: true, IsSecret: true, Value: "sk-very-secret"}}}}
	s.Tools = []registry.Tool{
		{Name: "forecast", Description: "Says it", InputSchema: []byte(`{"type":"object","required":["place"],"properties":{"days":{"type":"integer","default":3},"place":{"type":"string","description":"Where <b>"},"unit":{"enum":["c","f"]}}}`)},
		{Name: "nothing", InputSchema: []byte(`{"type":"object","properties":{}}`)},
		{Name: "unknown"},
	}
	figures := &fakeFigures{days: year(), readme: registry.Readme{Path: "README.md", Text: "# Hello\n\n" + strings.Join(attacks[:10], "\n\n")}}
	w := newSite(t, []registry.Server{s}, func(o *Options) { o.Figures = figures })
	body := w.page("/servers/good", 200)
	for _, want := range []string{
		`id="chart-score-t">Health</title>`, "from 60 to 79", "Stars as a table", "Downloads as a table", `id="readme-hello"`, "3 parameters", "Takes no parameters",
		"required", "Where &lt;b&gt;", "Default: <code>3</code>", "<code>c</code>, <code>f</code>", `href="cursor://anysphere.cursor-deeplink/`, `href="vscode:mcp/install?`,
		`data-clicks="/servers/good/clicks"`, `action="/servers/good/check" method="post"`, `/badge/good.svg`, `href="/compare?s=good"`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(body, "sk-very-secret") {
		t.Error("a secret is shown")
	}
	if strings.Index(body, "<code>place</code>") > strings.Index(body, "<code>days</code>") {
		t.Error("what is required does not come first")
	}
	w.page("/servers/good", 200)
	if figures.asked != 1 {
		t.Errorf("asked %d times for the same", figures.asked)
	}

	broken := &fakeFigures{err: registry.Errorf(registry.ErrUnavailable, "away")}
	away := newSite(t, []registry.Server{s}, func(o *Options) { o.Figures = broken })
	if body := away.page("/servers/good", 200); strings.Contains(body, "No figures of earlier days") || strings.Count(body, "because the database does not answer") != 2 {
		t.Error("without a database, the page does not say that it does not answer")
	}
	away.page("/servers/good", 200)
	if n := broken.asked; n != 1 {
		t.Errorf("a database that is away was asked %d times at once", n)
	}
}

func TestSecretsAreInNoLink(t *testing.T) {
	s := hostile("good", "Weather")
	s.Packages = []registry.Package{{RegistryType: "npm", Identifier: "@octo/weather", Version: "1.0.0", Transport: registry.PackageTransport{Type: "stdio"},
		EnvironmentVariables: []registry.Variable{{Name: "KEY", IsRequired: true, IsSecret: true, Value: "sk-very-secret", Default: "sk-very-secret"}}}}
	s.Remotes = []registry.Remote{{Type: "streamable-http", URL: "https://mcp.e.example/mcp", Headers: []registry.Variable{{Name: "Authorization", IsSecret: true, IsRequired: true, Value: "Bearer sk-very-secret"}}}}
	s.Variables = []registry.Variable{{Name: "KEY", IsSecret: true, Default: "sk-very-secret"}}
	w := newSite(t, []registry.Server{s})
	body := w.page("/servers/good", 200)
	if strings.Contains(strings.ReplaceAll(body, "c2stdmVyeS1zZWNyZXQ", "sk-very-secret"), "sk-very-secret") {
		t.Error("a secret is shown")
	}
}

func TestLinksOfClientsKeepTheirBytes(t *testing.T) {
	s := hostile("good", "Weather")
	s.Packages = []registry.Package{{RegistryType: "npm", Identifier: "@octo/weather", Version: "1.0.0", Transport: registry.PackageTransport{Type: "stdio"},
		EnvironmentVariables: []registry.Variable{{Name: "WEATHER_KEY", Description: "Your key (required)!", IsRequired: true, IsSecret: true}}}}
	page := newSite(t, []registry.Server{s}).page("/servers/good", 200)
	if !strings.Contains(page, "Your%20key%20(required)!") || strings.Contains(page, "%28required%29") {
		t.Error("the link for VS Code is not what encodeURIComponent would give")
	}
}

func TestTheNoticeHasLinks(t *testing.T) {
	for text, want := range map[string]string{
		"": "",
		"Moves on Sunday, see https://x.example/a?b=1&c=2.": `Moves on Sunday, see <a href="https://x.example/a?b=1&amp;c=2">https://x.example/a?b=1&amp;c=2</a>.`,
		"(http://x.example) <b>now</b>":                     `(<a href="http://x.example">http://x.example</a>) &lt;b&gt;now&lt;/b&gt;`,
		`javascript:alert(1) https://"><`:                   `javascript:alert(1) https://&#34;&gt;&lt;`,
	} {
		if got := string(linked(text)); got != want {
			t.Errorf("%q:\n%s, want\n%s", text, got, want)
		}
	}
}

func TestHostileLinksOpenNothing(t *testing.T) {
	for link, want := range map[string]bool{
		"cursor://anysphere.cursor-deeplink/mcp/install?name=x&config=eyJ9": true, "vscode:mcp/install?%7B%7D": true, "https://vscode.dev/redirect/mcp/install?name=x": true,
		"cursor://anysphere.cursor-deeplink/other": false, "vscode://file/etc/passwd": false, "javascript:alert(1)": false, "vscode:mcp/install?\"><script>": false,
		"data:text/html,x": false, "goose://extension?cmd=x y": false, "": false,
	} {
		if got := opens(link) != ""; got != want {
			t.Errorf("opens(%q) = %v", link, got)
		}
	}
}

func TestAListedServerIsCheckedAgainFromItsPage(t *testing.T) {
	good := hostile("good", "Weather")
	good.Subfolder = "src/a"
	s := newSite(t, []registry.Server{good, hostile("other", "Other")})
	post := func(header ...string) *httptest.ResponseRecorder {
		t.Helper()
		r := httptest.NewRequest("POST", "/servers/good/check", nil)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, r)
		return w
	}
	if w := post("Sec-Fetch-Site", "cross-site"); w.Code != http.StatusForbidden || s.checker.again != nil {
		t.Errorf("a page of another site begins a check: %d", w.Code)
	}
	leads := func(want string) {
		t.Helper()
		if res, _ := s.get("/servers/good/check"); res.StatusCode != http.StatusSeeOther || res.Header.Get("Location") != want {
			t.Errorf("%d, leads to %q, not %q", res.StatusCode, res.Header.Get("Location"), want)
		}
	}
	leads("/servers/good") // nothing to follow: looking begins nothing
	w := post("Sec-Fetch-Site", "same-origin")
	if want := (registry.RepoRef{Host: registry.GitHub, Owner: good.Repo.Owner, Name: good.Repo.Name}); w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/servers/good/check" || len(s.checker.again) != 1 || s.checker.again[0] != want {
		t.Fatalf("%d %s, asked for %v", w.Code, w.Header().Get("Location"), s.checker.again)
	}
	s.checker.begun = true
	s.checker.report = registry.CheckResult{Status: registry.CheckPending, RetryAfter: 2 * time.Second}
	if body := s.page("/servers/good/check", 202); !strings.Contains(body, `data-poll="/servers/good/check"`) || !strings.Contains(body, "Bring the server’s page up to date") {
		t.Error("who has asked does not see how far it has come")
	}
	// The report is there; the page's own facts follow a moment later.
	fresh, first := hostile("good", "Weather"), hostile("first", "First")
	fresh.Subfolder, first.Subfolder = "src/a", "src/first"
	s.checker.report = registry.CheckResult{Status: registry.CheckDone, At: now.Add(-time.Second), Servers: []registry.Scored{{Server: first}, {Server: fresh}}}
	s.page("/servers/good/check", 202)
	read := now
	good.ID, good.Seq, good.LastCrawledAt = 1, 2000, &read
	if err := s.catalog.Apply([]registry.Server{good}, nil, 2000); err != nil {
		t.Fatal(err)
	}
	leads("/servers/good?checked")
	if body := s.page("/servers/good?checked", 200); !strings.Contains(body, "Checked again just now") {
		t.Error("the page does not say that it was checked")
	}
	// Where they do not follow, the report itself is shown.
	s.checker.report.At = now.Add(-time.Minute)
	before := now.Add(-time.Hour)
	good.Seq, good.LastCrawledAt = 2001, &before
	if err := s.catalog.Apply([]registry.Server{good}, nil, 2001); err != nil {
		t.Fatal(err)
	}
	body := s.page("/servers/good/check", 200)
	if !strings.Contains(body, `The page of <a href="/servers/good">Weather</a> still shows`) || strings.Index(body, "in src/a") > strings.Index(body, "in src/first") {
		t.Errorf("the report does not lead back, or begins with another server:\n%s", body)
	}
	if strings.Contains(s.page("/servers/good?checked", 200), "Checked again just now") {
		t.Error("a page that was not checked now says that it was")
	}
	s.checker.report = registry.CheckResult{Status: registry.CheckNotFound}
	s.page("/servers/good/check", 404)
	s.page("/servers/nobody/check", 404)
	none := newSite(t, []registry.Server{hostile("good", "Weather")}, func(o *Options) { o.Limiter = never{} })
	w = httptest.NewRecorder()
	none.handler.ServeHTTP(w, httptest.NewRequest("POST", "/servers/good/check", nil))
	if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), "share 100 an hour") {
		t.Errorf("a client without budget: %d %v", w.Code, w.Header())
	}
}

func TestListsHaveAddressesOfTheirOwn(t *testing.T) {
	servers := generated(200)
	servers[7].Repo.Owner, servers[7].Tags = "octo-labs", []string{"weather"}
	s := newSite(t, servers)
	for path, want := range map[string]string{
		"/categories/data":                     "Data servers",
		"/tags/weather":                        "Servers tagged “weather”",
		"/owners/octo-labs":                    "Servers of octo-labs",
		"/servers?has=package&transport=stdio": "How it runs: Has a package",
		"/servers?license=MIT":                 "Licence: MIT",
		"/categories/data?sdk=go&sdk=python":   "SDK: Python",
	} {
		if body := s.page(path, 200); !strings.Contains(body, want) {
			t.Errorf("%s lacks %q", path, want)
		}
	}
	s.page("/categories/nothing", 404)
	if res, _ := s.get("/categories/DATA"); res.StatusCode != 308 || res.Header.Get("Location") != "/categories/data" {
		t.Errorf("%d %s", res.StatusCode, res.Header.Get("Location"))
	}
	if body := s.page("/servers?category=data", 200); !strings.Contains(body, `rel="canonical" href="https://census.example/categories/data"`) {
		t.Error("a category has two addresses")
	}
	for _, search := range []struct {
		path      string
		total     int
		canonical string
		indexed   bool
	}{
		{"/servers?q=weather", 1, "/servers", true},
		{"/categories/data?q=weather", 1, "/categories/data", true},
		{"/servers?q=weather", 0, "/servers", false},
		{"/servers?q=weather&sort=stars", 1, "/servers?sort=stars", false},
	} {
		s.search.results = query.Results{Slugs: []string{servers[0].Slug}[:search.total], Total: search.total}
		body := s.page(search.path, 200)
		if strings.Contains(body, `content="noindex"`) == search.indexed {
			t.Errorf("%s, %d found: may be indexed is not %v", search.path, search.total, search.indexed)
		}
		if !strings.Contains(body, `rel="canonical" href="https://census.example`+search.canonical+`"`) {
			t.Errorf("%s is not a view of %s", search.path, search.canonical)
		}
	}
	s.page("/tags/nobody-has-this", 404)
	s.page("/owners/nobody", 404)
	for _, q := range []string{"has=x", "transport=pigeon", "license=" + strings.Repeat("a", 300), strings.Repeat("sdk=go&", 11)} {
		s.page("/servers?"+q, 400)
	}
	for _, x := range attacks {
		if len(x) <= longest {
			s.page("/servers?tag="+url.QueryEscape(x)+"&owner="+url.QueryEscape(x)+"&license="+url.QueryEscape(x), 200)
		}
	}
}

func TestAnEmptyListSaysWhatFewerConditionsFind(t *testing.T) {
	a, b := hostile("one", "One"), hostile("two", "Two")
	b.Category, b.SDK, b.Remotes = "data", "python", nil
	s := newSite(t, []registry.Server{a, b})
	body := s.page("/categories/data?sdk=go", 200)
	for _, want := range []string{
		`<a href="/categories/data">Without “SDK: Go”</a> <span class="quiet">1 server</span>`,
		`<a href="/servers?sdk=go">Without “Category: Data”</a> <span class="quiet">1 server</span>`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if body := s.page("/categories/data?sdk=go&has=remote", 200); strings.Count(body, "Without “") != 1 || !strings.Contains(body, "Without “Category") {
		t.Errorf("what finds nothing is offered beside what finds something: %s", between(body, "Loosen it", "</ul>"))
	}
}

func TestAPartOfAListIsTheListAlone(t *testing.T) {
	s := newSite(t, generated(60))
	res, body := s.get("/servers?part=results&page=2")
	if res.StatusCode != 200 || !strings.HasPrefix(strings.TrimSpace(body), `<div id="results"`) || strings.Contains(body, "<html") || strings.Contains(body, "part=") {
		t.Errorf("%d %.200s", res.StatusCode, body)
	}
	if res.Header.Get("Cache-Control") != "no-store" {
		t.Error("a part may be kept")
	}
	_, whole := s.get("/servers?page=2")
	before, after, _ := strings.Cut(body, "<template>") // the orders, which the page has elsewhere
	_, after, _ = strings.Cut(after, "</template>")
	if !strings.Contains(whole, strings.TrimSpace(before)) || !strings.Contains(whole, strings.TrimSpace(after)) {
		t.Error("the part is not what the page has")
	}
}

func TestPagesOfAListAreNumbered(t *testing.T) {
	for _, c := range []struct {
		page, pages int
		want        []int
	}{
		{1, 1, nil}, {1, 2, []int{1, 2}}, {1, 10, []int{1, 2, 3, 0, 10}}, {5, 10, []int{1, 0, 3, 4, 5, 6, 7, 0, 10}}, {10, 10, []int{1, 0, 8, 9, 10}}, {3, 5, []int{1, 2, 3, 4, 5}},
	} {
		var got []int
		for _, l := range pagerOf(c.page, c.pages, func(int) string { return "/x" }).Pages {
			got = append(got, l.Number)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("page %d of %d: %v, want %v", c.page, c.pages, got, c.want)
		}
	}
}

func TestCompare(t *testing.T) {
	a, b := hostile("one", "Weather"), hostile("two", "Places")
	more := 9
	b.Stars, b.License, b.Downloads = &more, "MIT", nil
	s := newSite(t, []registry.Server{a, b, hostile("three", "Three"), hostile("four", "Four"), hostile("five", "Five")})
	s.page("/compare", 200)
	s.page("/compare?s=one", 200)
	body := s.page("/compare?s=one&s=two&s=one", 200)
	for _, want := range []string{"Weather", "Places", `href="/compare?s=two"`, `href="/compare?s=one"`, "> highest<", "differs", "unknown"} {
		if !strings.Contains(body, want) {
			t.Errorf("the comparison lacks %q", want)
		}
	}
	if row := between(body, `scope="row">Licence`, "</tr>"); !strings.Contains(row, "≠") {
		t.Error("different licences are not marked")
	}
	if row := between(body, `scope="row">Category`, "</tr>"); strings.Contains(row, "≠") {
		t.Error("equal categories are marked")
	}
	if row := between(body, `scope="row">Stars`, "</tr>"); strings.Index(row, "▲") < strings.Index(row, "9") {
		t.Error("the wrong number is called the highest")
	}
	s.page("/compare?s=one&s=two&s=three&s=four", 200)
	if body := s.page("/compare?s=one&s=two&s=three&s=four&s=five", 200); !strings.Contains(body, "Left out: Five.") || strings.Count(body, `scope="col"`) != 4 {
		t.Error("of five servers, four are not shown and the fifth named")
	}
	if body := s.page("/compare?s=one&s=nobody&s=was-here", 200); !strings.Contains(body, "no server “nobody”") {
		t.Error("what is missing is not told")
	}
	s.search.results = query.Results{Slugs: []string{"one", "two"}, Total: 2}
	if body := s.page("/compare?s=one&add=words", 200); !strings.Contains(body, `href="/compare?s=one&amp;s=two"`) {
		t.Error("what was found cannot be added")
	}
	if body := s.page("/compare?s=one&add=two", 200); !strings.Contains(body, "Places") {
		t.Error("a server is not added by its name")
	}
	for _, x := range attacks {
		if len(x) <= longest {
			s.page("/compare?s="+url.QueryEscape(x)+"&add="+url.QueryEscape(x), 200)
		}
	}
}

func between(s, from, to string) string {
	_, after, _ := strings.Cut(s, from)
	part, _, _ := strings.Cut(after, to)
	return part
}

func TestStatistics(t *testing.T) {
	servers := generated(300)
	mean := 61.5
	figures := &fakeFigures{growth: []registry.DayGrowth{{Date: now.AddDate(0, 0, -7), Servers: 10}, {Date: now, Servers: 300, Score: &mean}}}
	s := newSite(t, servers, func(o *Options) { o.Figures = figures })
	body := s.page("/stats", 200)
	for _, want := range []string{"300", "Servers listed", "from 10 to 300", "Liveliness", "Languages", `href="/stats/lastcommits.csv"`, `href="/stats/growth.csv"`, "/categories/data", "/servers?has=package"} {
		if !strings.Contains(body, want) {
			t.Errorf("the statistics lack %q", want)
		}
	}
	if strings.Contains(body, "Mean score</b>") {
		t.Error("a single mean is drawn as a line")
	}
	res, body := s.get("/stats.json")
	var n census
	if err := json.Unmarshal([]byte(body), &n); err != nil || res.StatusCode != 200 {
		t.Fatal(res.StatusCode, err)
	}
	_, counts := s.catalog.View().Select(catalog.Choice{}, catalog.ByQuality)
	if n.Servers != s.catalog.View().Len() || len(n.Growth) != 2 {
		t.Errorf("%d servers, growth %v", n.Servers, n.Growth)
	}
	sum := func(shares []share) (total int) {
		for _, x := range shares {
			total += x.Count
		}
		return total
	}
	for name, shares := range map[string][]share{"grades": n.Grades, "categories": n.Categories, "sdks": n.SDKs, "licenses": n.Licenses, "commits": n.Commits} {
		if got := sum(shares); got != n.Servers {
			t.Errorf("%s add up to %d of %d", name, got, n.Servers)
		}
	}
	for _, x := range n.Categories {
		if x.Count != counts["category"][x.Value] {
			t.Errorf("%s: %d", x.Value, x.Count)
		}
	}
	res, body = s.get("/stats.csv")
	rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	if err != nil || res.Header.Get("Content-Type") != "text/csv; charset=utf-8" || len(rows) < 40 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	for _, group := range csvGroups {
		_, one := s.get("/stats/" + group + ".csv")
		rows, err := csv.NewReader(strings.NewReader(one)).ReadAll()
		if err != nil || len(rows) < 2 || strings.ToLower(rows[1][0]) != group {
			t.Errorf("the file of %s: %d rows, %v", group, len(rows), err)
		}
	}
	for _, path := range []string{"/stats/nothing.csv", "/stats/scores", "/stats/all.csv"} {
		if res, _ := s.get(path); res.StatusCode != 404 {
			t.Errorf("%s: %d", path, res.StatusCode)
		}
	}
	for _, x := range []string{"=1+1", "@x", "+x", "-x"} {
		if safeCell(x)[0] != '\'' {
			t.Errorf("%q is a formula", x)
		}
	}
	for _, path := range []string{"/stats.json", "/stats.csv"} {
		res, _ := s.get(path)
		tag := res.Header.Get("Etag")
		if again, body := s.get(path, "If-None-Match", tag); tag == "" || again.StatusCode != 304 || body != "" {
			t.Errorf("%s, tag %q: again %d", path, tag, again.StatusCode)
		}
	}
	newSite(t, nil).page("/stats", 200)
}

func TestHomeShowsWhoImproved(t *testing.T) {
	servers := generated(30)
	s := newSite(t, servers, func(o *Options) {
		o.Figures = &fakeFigures{climbs: []registry.Climb{{Slug: servers[3].Slug, Before: 40, Then: 70}, {Slug: "has-left", Before: 1, Then: 90}}}
	})
	if body := s.page("/", 200); !strings.Contains(body, "Recently improved") || !strings.Contains(body, "from 40 to 70") || strings.Contains(body, "has-left") {
		t.Error("the improved are not shown")
	}
	if body := newSite(t, servers).page("/", 200); strings.Contains(body, "Recently improved") {
		t.Error("improvement is made up")
	}
}

func TestPlainPages(t *testing.T) {
	s := newSite(t, generated(3))
	body := s.page("/pricing", 200)
	for _, p := range account.Plans {
		if !strings.Contains(body, p.Name) {
			t.Errorf("the plan %s is missing", p.Name)
		}
	}
	if !strings.Contains(body, "$99") || !strings.Contains(body, "10\u202f000 requests a day") {
		t.Error("the prices are not those of the table")
	}
	for _, want := range []string{"The pages are free, without a limit", `<th scope="row">White label</th>`, `<th scope="row">Service level agreement</th>`, "Requests an hour to"} {
		if !strings.Contains(body, want) {
			t.Errorf("the prices do not say %q", want)
		}
	}
	s.page("/about", 200)
}

func TestChartsSayWhatTheyShow(t *testing.T) {
	at := func(day int) time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, day) }
	c := chart{ID: "x", Title: "Stars <b>", Text: "on <i>", Points: []point{{at(0), 5}, {at(1), 7}, {at(2), 7}, {at(40), 1200}}}
	svg := string(c.SVG())
	for _, want := range []string{"Stars &lt;b&gt;", "from 5 to 1\u202f200", `role="img"`, "<td>10 Feb 2026</td>", "where there is no line, there are no figures", "text-anchor=\"end\">1\u202f200</text>", ">600</text>"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the chart lacks %q\n%s", want, svg)
		}
	}
	if path := between(svg, `<path class="line" d="`, `"`); strings.Count(path, "M") != 2 {
		t.Errorf("weeks without figures are drawn as if they were known: %s", path)
	}
	if (chart{}).SVG() != "" {
		t.Error("nothing is drawn")
	}
	high := chart{ID: "h", Title: "T", Text: "x", Points: []point{{at(0), 1000}, {at(1), 1005}}}
	if svg := string(high.SVG()); !strings.Contains(svg, "x; the axis begins at 1k") || strings.Contains(svg, "no line") || !strings.Contains(svg, ">1k</text>") {
		t.Errorf("an axis that is cut is not said to be: %s", svg)
	}
	flat := chart{ID: "y", Title: "T", Points: []point{{at(0), 3}, {at(1), 3}}}
	if svg := string(flat.SVG()); strings.Contains(svg, "NaN") || !strings.Contains(svg, "unchanged at 3") {
		t.Error(svg)
	}
	one := chart{ID: "z", Title: "T", Points: []point{{at(0), 0}}}
	if svg := string(one.SVG()); strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Error(svg)
	}
}

func FuzzFields(f *testing.F) {
	for _, s := range []string{`{"properties":{"a":{"type":["string","null"]}}}`, `{"properties":[]}`, `{}`, `null`, `{"properties":{"a":1,"b":{"enum":[1,"x",null],"items":{"type":"array"}}},"required":[1]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, schema []byte) {
		fields, known := fieldsOf(schema)
		if len(fields) > mostFields || !known && fields != nil {
			t.Fatalf("%d fields, known %v", len(fields), known)
		}
	})
}

// TestTheLargestPagesStaySmall fills a server's page with as much as a
// repository may hold, in words that do not repeat much.
func TestTheLargestPagesStaySmall(t *testing.T) {
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
