package web

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/account"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
	"mcpcensus/web/browse"
	"mcpcensus/web/pages"
)

func TestCompare(t *testing.T) {
	a, b := hostile("one", "Weather"), hostile("two", "Places")
	more := 9
	b.Stars, b.License, b.Downloads = &more, "MIT", nil
	earlier := now.AddDate(0, 0, -3)
	a.LastCommitAt, b.LastCommitAt = &earlier, &now
	s := newSite(t, []registry.Server{a, b, hostile("three", "Three"), hostile("four", "Four"),
		hostile("five", "Five"), hostile("six", "Six")})
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
	if row := between(body, `scope="row">Last commit`, "</tr>"); !strings.Contains(row, "> latest<") ||
		strings.Contains(row, "highest") {
		t.Errorf("the later date: %s", row)
	}
	if row := between(body, `scope="row">Stars`, "</tr>"); strings.Index(row, "▲") < strings.Index(row, "9") {
		t.Error("the wrong number is called the highest")
	}
	s.page("/compare?s=one&s=two&s=three&s=four&s=five", 200)
	body = s.page("/compare?s=one&s=two&s=three&s=four&s=five&s=six", 200)
	if !strings.Contains(body, "up to 5 servers. Not shown: Six · evil.") ||
		strings.Count(body, `scope="col"`) != 5 {
		t.Error("of six servers, five are not shown and the sixth named")
	}
	if body := s.page("/compare?s=one&s=nobody&s=was-here", 200); !strings.Contains(body, "“nobody” is not in the registry") {
		t.Error("what is missing is not told")
	}
	s.search.matches = query.Matches{Slugs: []string{"one", "two"}}
	if body := s.page("/compare?s=one&add=words", 200); !strings.Contains(body, `href="/compare?s=one&amp;s=two"`) {
		t.Error("what was found cannot be added")
	}
	if body := s.page("/compare?s=one&add=two", 200); !strings.Contains(body, "Places") {
		t.Error("a server is not added by its name")
	}
	for _, x := range attacks {
		if len(x) <= browse.MaxLength {
			s.page("/compare?s="+url.QueryEscape(x)+"&add="+url.QueryEscape(x), 200)
		}
	}
}

func TestStats(t *testing.T) {
	servers := generated(300)
	mean := 61.5
	figures := &fakeFigures{growth: []registry.DayGrowth{{Date: now.AddDate(0, 0, -7), Servers: 10}, {Date: now, Servers: 300, Score: &mean}}}
	s := newSite(t, servers, func(o *Options) { o.Figures = figures })
	body := s.page("/stats", 200)
	for _, want := range []string{"300", "Servers listed", "from 10 to 300", "Activity", "Languages", `href="/stats/lastcommits.csv"`, `href="/stats/growth.csv"`, "/categories/data", "/servers?has=package"} {
		if !strings.Contains(body, want) {
			t.Errorf("the statistics lack %q", want)
		}
	}
	if strings.Contains(body, "Mean score</b>") {
		t.Error("a single mean is drawn as a line")
	}
	res, body := s.get("/stats.json")
	type share struct {
		Value string
		Count int
	}
	var n struct {
		Servers                            int
		Growth                             []any
		Grades, Categories, SDKs, Licenses []share
		Commits                            []share `json:"lastCommits"`
	}
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
	for _, group := range pages.CSVGroups {
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
	for _, path := range []string{"/stats.json", "/stats.csv"} {
		res, _ := s.get(path)
		tag := res.Header.Get("Etag")
		if again, body := s.get(path, "If-None-Match", tag); tag == "" || again.StatusCode != 304 || body != "" {
			t.Errorf("%s, tag %q: again %d", path, tag, again.StatusCode)
		}
	}
	newSite(t, nil).page("/stats", 200)
}

func TestHome_scoreRises(t *testing.T) {
	servers := generated(30)
	s := newSite(t, servers, func(o *Options) {
		o.Figures = &fakeFigures{rises: []registry.ScoreRise{{Slug: servers[3].Slug, Before: 40,
			Then: 70}, {Slug: "has-left", Before: 1, Then: 90}}}
	})
	if body := s.page("/", 200); !strings.Contains(body, "Recently improved") || !strings.Contains(body, "from 40 to 70") || strings.Contains(body, "has-left") {
		t.Error("the improved are not shown")
	}
	if body := newSite(t, servers).page("/", 200); strings.Contains(body, "Recently improved") {
		t.Error("improvement is made up")
	}
}

// TestHome_shown checks that servers with grave risks are not on the home page.
func TestHome_shown(t *testing.T) {
	capped := func(id string) registry.Server {
		return registry.Server{Health: registry.Health{Caps: []registry.Cap{{ID: id}}}}
	}
	servers := map[string]registry.Server{
		"fine": {}, "vulnerable": capped("vuln_self"), "malware": capped("malware"),
		"hidden": capped("hidden_instructions"), "taken-down": capped("registry_deleted"),
		"fork": capped("fork_copy"), "copy": {Copy: &registry.Copy{Of: "fine", Kind: registry.CopyOf}},
		"alike": {Copy: &registry.Copy{Of: "fine", Kind: registry.LookAlike}},
	}
	var all []registry.Server
	var rises []registry.ScoreRise
	for slug, s := range servers {
		s.Slug, s.Name, s.Repo.Owner, s.Repo.Name = slug, slug, "octo", slug
		s.Category, s.Status, s.CreatedAt = registry.Categories[0], registry.StatusActive, now
		all = append(all, s)
		rises = append(rises, registry.ScoreRise{Slug: slug, Before: 40, Then: 70})
	}
	home := newSite(t, all, func(o *Options) { o.Figures = &fakeFigures{rises: rises} }).page("/", 200)
	for slug := range servers {
		want := slug == "fine" || slug == "vulnerable"
		if got := strings.Contains(home, `"/servers/`+slug+`"`); got != want {
			t.Errorf("%s is on the page: %t", slug, got)
		}
	}
}

func TestAdd(t *testing.T) {
	q := &quotas{}
	b := newBureau(t, func(o *Options, _ *account.Options) { o.Limiter = q })
	w := b.browser()
	listed := generated(1)[0].Repo
	w.open("/add", 200)
	w.send("/add", 200, "url", "https://github.com/fresh/one\n"+
		"fresh/TWO, github.com/fresh/two\n"+listed.Owner+"/"+listed.Name+"\n"+
		"https://gitlab.com/a/b <script>")
	w.says("2 repositories queued for crawling.", "fresh/one Queued.", "Already listed",
		"Not added. It is on GitLab, which is not supported yet. <script> Not added.")
	if !strings.Contains(w.body, "/check?url=https%3a%2f%2fgithub.com%2ffresh%2fone") ||
		!strings.Contains(w.body, `href="/servers/`+generated(1)[0].Slug+`"`) {
		t.Errorf("links are missing:\n%s", w.body)
	}
	status, err := b.db.Status(t.Context(), time.Now())
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
	w.open("/add?url=fresh/one", 200)
	w.send("/add", 200, "url", "fresh/one")
	w.says("Already queued")
	w.saysNot("queued for crawling.")

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
		w.open("/add", 200)
		w.post("/add", 400, url.Values{"url": {text}})
		w.says(says)
	}
	w.post("/add", 403, url.Values{"url": {"a/b"}}, "Sec-Fetch-Site", "cross-site")
	otherScheme := strings.Replace(b.url, "http://", "https://", 1)
	w.post("/add", 403, url.Values{"url": {"a/b"}}, "Sec-Fetch-Site", "", "Origin", otherScheme)
	w.post("/add", 403, url.Values{"url": {"a/b"}}, "Sec-Fetch-Site", "same-origin", "Origin", otherScheme)
	w.post("/add", 200, url.Values{"url": {"a/b"}}, "Sec-Fetch-Site", "", "Origin", b.url)

	for range pages.FormsHourly - 3 { // three counted: what is listed or wrong does not
		w.post("/add", 200, url.Values{"url": {"fresh/one"}})
	}
	w.post("/add", 429, url.Values{"url": {"fresh/one"}})
	w.says("Rate limit reached: 10 forms per hour.")
	w.post("/servers/evil/report", 429, url.Values{"reason": {"facts"}, "text": {"x"}})
	w.post("/add", 200, url.Values{"url": {listed.Owner + "/" + listed.Name}})
}

func TestReport(t *testing.T) {
	b := newBureau(t)
	w := b.browser()
	w.open("/servers/evil", 200)
	if !strings.Contains(w.body, `href="/servers/evil/report"`) {
		t.Error("the server's page has no way to report")
	}
	const path = "/servers/evil/report"
	w.open(path, 200)
	w.send(path, 400, "reason", "", "text", "", "contact", "me\nyou")
	w.says("Choose a reason.", "Describe the problem")
	w.send(path, 400, "reason", "golden", "text", strings.Repeat("é", registry.MaxReport+1),
		"contact", strings.Repeat("c", 201))
	w.says("this has 2,001.", "one line of at most 200", "Choose a reason.")
	text := strings.Join(attacks[:11], "\r\n") + "\x00\xff"
	for _, x := range attacks {
		w.post(path, 400, url.Values{"reason": {x}, "text": {x}, "contact": {x}})
	}
	w.open(path, 200)
	v := w.form(path)
	v.Set("reason", "malicious")
	v.Set("text", text)
	v.Set("contact", "me@example.com")
	for range 2 { // sent twice, it is one
		w.post(path, 200, v)
		w.says("Thank you.")
	}
	list, err := b.db.Reports(t.Context(), true, 10)
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
	w.post(path, 403, v, "Sec-Fetch-Site", "", "Origin", strings.Replace(b.url, "http://", "https://", 1))
	w.post(path, 415, v, "Content-Type", "application/json")
	if list, err = b.db.Reports(t.Context(), true, 10); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	w.open("/servers/nowhere/report", 404)
	w.post("/servers/nowhere/report", 404, v)

	b.db.Close()
	v.Set("text", "while the database is away")
	r, _ := http.NewRequest("POST", b.url+path, strings.NewReader(v.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if w.do(r); w.status < 500 || strings.Contains(w.body, "sql") {
		t.Errorf("%d %s", w.status, w.text())
	}
}
