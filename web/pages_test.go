package web

import (
	"encoding/csv"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

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
	if body := s.page("/compare?s=one&s=two&s=three&s=four&s=five", 200); !strings.Contains(body, "Not shown: Five · evil.") || strings.Count(body, `scope="col"`) != 4 {
		t.Error("of five servers, four are not shown and the fifth named")
	}
	if body := s.page("/compare?s=one&s=nobody&s=was-here", 200); !strings.Contains(body, "“nobody” is not in the registry") {
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

func TestHome_climbs(t *testing.T) {
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
