package pages_test

import (
	"encoding/csv"
	"encoding/json"
	"html"
	"net/url"
	"strings"
	"testing"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/web"
	"mcpcensus/web/browse"
	"mcpcensus/web/pages"
	"mcpcensus/web/webtest"
	"mcpcensus/web/webtest/sitetest"
)

func TestCompare(t *testing.T) {
	a, b := webtest.Hostile("one", "Weather"), webtest.Hostile("two", "Places")
	more := 9
	b.Stars, b.License, b.Downloads = &more, "MIT", nil
	earlier := webtest.Now.AddDate(0, 0, -3)
	a.LastCommitAt, b.LastCommitAt = &earlier, &webtest.Now
	s := sitetest.New(t, []registry.Server{a, b, webtest.Hostile("three", "Three"), webtest.Hostile("four", "Four"),
		webtest.Hostile("five", "Five"), webtest.Hostile("six", "Six")})
	s.Page("/compare", 200)
	s.Page("/compare?s=one", 200)
	body := s.Page("/compare?s=one&s=two&s=one", 200)
	for _, want := range []string{
		"Weather", "Places", `href="/compare?s=two"`, `href="/compare?s=one"`, "> highest<",
		"differs", "unknown",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the comparison lacks %q", want)
		}
	}
	if row := between(body, `scope="row">License`, "</tr>"); !strings.Contains(row, "≠") {
		t.Error("different licenses are not marked")
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
	s.Page("/compare?s=one&s=two&s=three&s=four&s=five", 200)
	body = s.Page("/compare?s=one&s=two&s=three&s=four&s=five&s=six", 200)
	if !strings.Contains(body, "up to 5 servers. Not shown: Six · evil.") ||
		strings.Count(body, `scope="col"`) != 2*5 {
		t.Error("of six servers, five are not shown and the sixth named")
	}
	if body := s.Page(
		"/compare?s=one&s=nobody&s=was-here", 200,
	); !strings.Contains(body, "“nobody” is not in the registry") {
		t.Error("what is missing is not told")
	}
	s.Search.Matches = query.Matches{Slugs: []string{"one", "two"}}
	if body := s.Page("/compare?s=one&add=words", 200); !strings.Contains(body, `href="/compare?s=one&amp;s=two"`) {
		t.Error("what was found cannot be added")
	}
	if body := s.Page("/compare?s=one&add=two", 200); !strings.Contains(body, "Places") {
		t.Error("a server is not added by its name")
	}
	for _, x := range webtest.Attacks {
		if len(x) <= browse.MaxLength {
			attack(s, x, "/compare?s="+url.QueryEscape(x)+"&add="+url.QueryEscape(x))
		}
	}
}

// attack requests a page with a text of [webtest.Attacks] among its parameters. One with a hidden
// character is refused: the page names its code point and does not show the character.
func attack(s *sitetest.Site, x, path string) {
	s.T.Helper()
	hidden := text.Hidden(x)
	if hidden == "" {
		s.Page(path, 200)
		return
	}
	body := s.Page(path, 400)
	if !strings.Contains(html.UnescapeString(body), "must not contain the invisible character "+hidden) ||
		text.Hidden(body) != "" {
		s.T.Errorf("%s: the page does not name %s, or has %q", path, hidden, text.Hidden(body))
	}
}

func TestStats(t *testing.T) {
	servers := webtest.Generated(300)
	mean := 61.5
	figures := &sitetest.Figures{Grown: []registry.DayGrowth{
		{Date: webtest.Now.AddDate(0, 0, -7), Servers: 10},
		{Date: webtest.Now, Servers: 300, Score: &mean},
	}}
	s := sitetest.New(t, servers, func(o *web.Options) { o.Pages.Figures = figures })
	body := s.Page("/stats", 200)
	for _, want := range []string{
		"300", "Servers listed", "from 10 to 300", "Activity", "Languages",
		`href="/stats/lastcommits.csv"`, `href="/stats/growth.csv"`, "/categories/data",
		"/servers?has=package", `id="chart-scores-t"`, `href="/stats/effects.csv"`, ">90–100</text>",
		"State of MCP, 20 Nov 2026. https://", " had a commit by a person in the last month",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the statistics lack %q", want)
		}
	}
	if strings.Contains(body, "Mean score</b>") {
		t.Error("a single mean is drawn as a line")
	}
	res, body := s.Get("/stats.json")
	type share struct {
		Value string
		Count int
	}
	var n struct {
		Servers                    int
		Growth                     []any
		Effects, Grades            []share
		Categories, SDKs, Licenses []share
		Commits                    []share `json:"lastCommits"`
	}
	if err := json.Unmarshal([]byte(body), &n); err != nil || res.StatusCode != 200 {
		t.Fatal(res.StatusCode, err)
	}
	_, counts := s.Catalog.View().Select(catalog.Choice{}, catalog.ByQuality)
	if n.Servers != s.Catalog.View().Len() || len(n.Growth) != 2 {
		t.Errorf("%d servers, growth %v", n.Servers, n.Growth)
	}
	sum := func(shares []share) (total int) {
		for _, x := range shares {
			total += x.Count
		}
		return total
	}
	for name, shares := range map[string][]share{
		"effects": n.Effects, "grades": n.Grades, "categories": n.Categories, "sdks": n.SDKs, "licenses": n.Licenses,
		"commits": n.Commits,
	} {
		if got := sum(shares); got != n.Servers {
			t.Errorf("%s add up to %d of %d", name, got, n.Servers)
		}
	}
	for _, x := range n.Categories {
		if x.Count != counts["category"][x.Value] {
			t.Errorf("%s: %d", x.Value, x.Count)
		}
	}
	res, body = s.Get("/stats.csv")
	rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	if err != nil || res.Header.Get("Content-Type") != "text/csv; charset=utf-8" || len(rows) < 40 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	for _, group := range pages.CSVGroups {
		_, one := s.Get("/stats/" + group + ".csv")
		rows, err := csv.NewReader(strings.NewReader(one)).ReadAll()
		if err != nil || len(rows) < 2 || strings.ToLower(rows[1][0]) != group {
			t.Errorf("the file of %s: %d rows, %v", group, len(rows), err)
		}
	}
	for _, path := range []string{"/stats/nothing.csv", "/stats/scores", "/stats/all.csv"} {
		if res, _ := s.Get(path); res.StatusCode != 404 {
			t.Errorf("%s: %d", path, res.StatusCode)
		}
	}
	for _, path := range []string{"/stats.json", "/stats.csv"} {
		res, _ := s.Get(path)
		tag := res.Header.Get("Etag")
		if again, body := s.Get(path, "If-None-Match", tag); tag == "" || again.StatusCode != 304 || body != "" {
			t.Errorf("%s, tag %q: again %d", path, tag, again.StatusCode)
		}
	}
	sitetest.New(t, nil).Page("/stats", 200)
}

// TestHome_shown checks that servers with risks are not on the home page.
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
	for slug, s := range servers {
		s.Slug, s.Name, s.Repo.Owner, s.Repo.Name, s.Tags = slug, slug, "octo", slug, []string{"sql"}
		s.Category, s.Status, s.CreatedAt = registry.Categories[0], registry.StatusActive, webtest.Now
		all = append(all, s)
	}
	home := sitetest.New(t, all).Page("/", 200)
	for slug := range servers {
		if got := strings.Contains(home, `"/servers/`+slug+`"`); got != (slug == "fine") {
			t.Errorf("%s is on the page: %t", slug, got)
		}
	}
}

// TestHome_caught checks that the home page names what was seen in the last week.
func TestHome_caught(t *testing.T) {
	servers := webtest.Generated(30)
	changed := func(i int, days int) {
		servers[i].SilentChange = &registry.SilentChange{Source: "probe", Version: "1.0", At: webtest.Now.AddDate(0, 0, -days)}
		servers[i].Health.Flags = []string{"tools_changed"}
	}
	if body := sitetest.New(t, servers).Page("/", 200); strings.Contains(body, "Tools changed without") {
		t.Error("a change is made up")
	}
	changed(3, 2)
	changed(4, 9)
	caught := between(sitetest.New(t, servers).Page("/", 200), "Tools changed without", "</section>")
	if !strings.Contains(caught, `/servers/`+servers[3].Slug+`"`) || strings.Contains(caught, `/servers/`+servers[4].Slug+`"`) {
		t.Error(caught)
	}
}

// between returns the part of s between two texts.
func between(s, from, to string) string {
	_, after, _ := strings.Cut(s, from)
	part, _, _ := strings.Cut(after, to)
	return part
}
