package pages_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
	"mcpcensus/web"
	"mcpcensus/web/browse"
	"mcpcensus/web/webtest"
	"mcpcensus/web/webtest/sitetest"
)

// aFew are servers with owners and tags that are known.
func aFew() []registry.Server {
	servers := webtest.Generated(60)
	for n := range servers {
		servers[n].Tags = nil
	}
	servers[3].Repo.Owner, servers[3].Tags = "octo-labs", []string{"weather"}
	servers[4].Repo.Owner, servers[4].Tags = "octo-labs", []string{"weather", "maps"}
	return servers
}

func TestList(t *testing.T) {
	s := sitetest.New(t, webtest.Generated(200))
	v := s.Catalog.View()
	slug := v.List("", catalog.ByStars, -1).At(3).Slug()
	s.Search.Matches = query.Matches{Slugs: []string{slug, "left-meanwhile"}}
	body := s.Page("/servers?q=weather", 200)
	if diff := cmp.Diff([]string{"weather"}, s.Search.Got); diff != "" {
		t.Errorf("searches of the index: (-want +got)\n%s", diff)
	}
	if !strings.Contains(body, "/servers/"+slug) || strings.Contains(body, "left-meanwhile") || !strings.Contains(body, `value="weather"`) {
		t.Error("the result is not shown")
	}
	for _, q := range []string{
		"category=nope", "sdk=cobol", "grade=Z", "sort=luck", "page=0", "page=x",
		"q=" + strings.Repeat("a", 300), "tag=%00", "q=%ff", "search=%ff", "%zz",
	} {
		s.Page("/servers?"+q, 400)
	}
	s.Page("/servers?q=x&page=501", 400)
	// The API's name of q.
	if s.Page("/servers?search=sky", 200); s.Search.Got[len(s.Search.Got)-1] != "sky" {
		t.Errorf("asked %v", s.Search.Got)
	}
	s.Search.Matches = query.Matches{}
	if body := s.Page("/servers?q=nothing&sdk=go", 200); !strings.Contains(body, "Remove “nothing”") {
		t.Error("an empty result does not say what to loosen")
	}
	s.Search.Matches = query.Matches{Slugs: []string{slug}, Degraded: true}
	if body := s.Page("/servers?q=x", 200); !strings.Contains(body, "The search index is unavailable") {
		t.Error("a degraded search is not told")
	}
	s.Search.Err = registry.Errorf(registry.ErrUnavailable, "The index is away.")
	s.Page("/servers?q=x", 503)
	for _, sort := range browse.Orders {
		s.Page("/servers?category=data&sort="+sort.Value, 200)
	}
}

func TestList_paths(t *testing.T) {
	servers := webtest.Generated(200)
	servers[7].Repo.Owner, servers[7].Tags = "octo-labs", []string{"weather"}
	s := sitetest.New(t, servers)
	for path, want := range map[string]string{
		"/categories/data":                     "Data servers",
		"/tags/weather":                        "Servers tagged “weather”",
		"/owners/octo-labs":                    "Servers by octo-labs",
		"/servers?has=package&transport=stdio": "Deployment: Installable package",
		"/servers?license=MIT":                 "License: MIT",
		"/categories/data?sdk=go&sdk=python":   "SDK: Python",
	} {
		if body := s.Page(path, 200); !strings.Contains(body, want) {
			t.Errorf("%s lacks %q", path, want)
		}
	}
	s.Page("/categories/nothing", 404)
	for from, to := range map[string]string{
		"/tags/postgresql":            "/tags/postgres",
		"/tags/K8s?sort=stars&page=2": "/tags/kubernetes?page=2&sort=stars",
	} {
		if res, _ := s.Get(from); res.StatusCode != 308 || res.Header.Get("Location") != to {
			t.Errorf("%s: status %d, location %q, want 308 to %s", from, res.StatusCode, res.Header.Get("Location"), to)
		}
	}
	if res, _ := s.Get("/categories/DATA"); res.StatusCode != 308 || res.Header.Get("Location") != "/categories/data" {
		t.Errorf("%d %s", res.StatusCode, res.Header.Get("Location"))
	}
	if body := s.Page(
		"/servers?category=data", 200,
	); !strings.Contains(body, `rel="canonical" href="https://census.example/categories/data"`) {
		t.Error("a category has two addresses")
	}
	data := s.Catalog.View().List("data", catalog.ByStars, -1).At(0).Slug()
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
		s.Search.Matches = query.Matches{Slugs: []string{data}[:search.total]}
		body := s.Page(search.path, 200)
		if strings.Contains(body, `content="noindex"`) == search.indexed {
			t.Errorf("%s, %d found: may be indexed is not %v", search.path, search.total, search.indexed)
		}
		if !strings.Contains(body, `rel="canonical" href="https://census.example`+search.canonical+`"`) {
			t.Errorf("%s is not a view of %s", search.path, search.canonical)
		}
	}
	s.Page("/tags/nobody-has-this", 404)
	s.Page("/owners/nobody", 404)
	for _, q := range []string{"has=x", "transport=pigeon", "license=" + strings.Repeat("a", 300), strings.Repeat("sdk=go&", 11)} {
		s.Page("/servers?"+q, 400)
	}
	for _, x := range webtest.Attacks {
		if len(x) <= browse.MaxLength {
			escaped := url.QueryEscape(x)
			s.Page("/servers?q="+escaped, 200)
			attack(s, x, "/servers?tag="+escaped+"&owner="+escaped+"&license="+escaped)
		}
	}
}

func TestList_hints(t *testing.T) {
	s := sitetest.New(t, aFew())
	for path, want := range map[string][]string{
		"/servers?page=999999999":            {"404", "The last page of this list is 3", `href="/servers"`, `href="/servers?page=3"`},
		"/servers?page=99999999999999999999": {"404", `href="/servers?page=3"`},
		"/servers?page=100000":               {"404", `href="/servers?page=3"`},
		"/servers?page=x":                    {"400", "Pages of a list are numbered from 1", `href="/servers"`},
		"/servers?page=-1":                   {"400", "Pages of a list are numbered from 1"},
		"/servers?sort=bogus":                {"400", "Recently updated", `href="/servers?sort=stars"`},
		"/servers?tag=%01":                   {"400", "The tag must not contain the invisible character U&#43;0001"},
		"/servers?minScore=81":               {"400", `href="/servers?grade=A"`},
		"/categories/nope":                   {"404", `<a href="/categories/data">`},
		"/tags/weath":                        {"404", `<a href="/tags/weather">`, `href="/tags"`},
		"/owners/octo-lab":                   {"404", `<a href="/owners/octo-labs">`, `href="/owners"`},
		"/check?url=nonsense":                {"400", "The address names no repository"},
	} {
		status := map[string]int{"404": 404, "400": 400}[want[0]]
		body := s.Page(path, status)
		for _, w := range want[1:] {
			if !strings.Contains(body, w) {
				t.Errorf("%s does not say %q:\n%.900s", path, w, between(body, "<main", "</main>"))
			}
		}
	}
	for _, x := range webtest.Attacks {
		if len([]rune(x)) <= browse.MaxLength {
			s.Get("/owners/" + url.PathEscape(x))
			s.Get("/tags/" + url.PathEscape(x))
		}
	}
}

func TestList_guessed_addresses(t *testing.T) {
	s := sitetest.New(t, aFew())
	for path, want := range map[string]string{
		"/categories": `<a href="/categories/data">`, "/tags": `<a href="/tags/weather">weather <span>2</span>`, "/owners": `<a href="/owners/octo-labs">octo-labs <span>2</span>`,
	} {
		if body := s.Page(path, 200); !strings.Contains(body, want) {
			t.Errorf("%s has no %s", path, want)
		}
	}
	for path, want := range map[string]string{"/servers/?q=x": "/servers?q=x", "/stats//": "/stats", "/check/": "/check"} {
		if res, _ := s.Get(path); res.StatusCode != 308 || res.Header.Get("Location") != want {
			t.Errorf("%s: %d to %q", path, res.StatusCode, res.Header.Get("Location"))
		}
	}
	if res, _ := s.Get("//evil.example/"); res.StatusCode != 404 {
		t.Errorf("an address of another host: %d to %q", res.StatusCode, res.Header.Get("Location"))
	}
	if a, b := s.Page("/servers?minScore=65", 200), s.Page("/servers?grade=A&grade=B", 200); a != b {
		t.Error("minScore=65 is not the grades A and B")
	}
}

func TestList_length_of_text(t *testing.T) {
	s := sitetest.New(t, aFew())
	s.Page("/servers?q="+url.QueryEscape(strings.Repeat("ж", browse.MaxLength)), 200)
	if body := s.Page(
		"/servers?q="+url.QueryEscape(strings.Repeat("ж", browse.MaxLength+1)), 400,
	); !strings.Contains(body, "The search text must be at most 200 characters long, got 201.") {
		t.Error("it does not say what is allowed")
	}
}

func TestList_relaxed(t *testing.T) {
	a, b := webtest.Hostile("one", "One"), webtest.Hostile("two", "Two")
	b.Category, b.SDK, b.Remotes = "data", "python", nil
	s := sitetest.New(t, []registry.Server{a, b})
	body := s.Page("/categories/data?sdk=go", 200)
	for _, want := range []string{
		`<a href="/categories/data">Remove “SDK: Go”</a> <span class="quiet">1 server</span>`,
		`<a href="/servers?sdk=go">Remove “Category: Data”</a> <span class="quiet">1 server</span>`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if body := s.Page(
		"/categories/data?sdk=go&has=remote", 200,
	); strings.Count(body, "Remove “") != 1 || !strings.Contains(body, "Remove “Category") {
		t.Errorf("what finds nothing is offered beside what finds something: %s", between(body, "empty", "</ul>"))
	}
}

func TestList_part(t *testing.T) {
	s := sitetest.New(t, webtest.Generated(60))
	res, body := s.Get("/servers?part=results&page=2")
	if res.StatusCode != 200 || !strings.HasPrefix(strings.TrimSpace(body), `<div id="results"`) || strings.Contains(body, "<html") || strings.Contains(body, "part=") {
		t.Errorf("%d %.200s", res.StatusCode, body)
	}
	if res.Header.Get("Cache-Control") != "no-store" {
		t.Error("a part may be kept")
	}
	_, whole := s.Get("/servers?page=2")
	before, after, _ := strings.Cut(body, "<template>") // the orders, which the page has elsewhere
	_, after, _ = strings.Cut(after, "</template>")
	if !strings.Contains(whole, strings.TrimSpace(before)) || !strings.Contains(whole, strings.TrimSpace(after)) {
		t.Error("the part is not what the page has")
	}
}

func TestList_part_orders(t *testing.T) {
	s := sitetest.New(t, aFew())
	s.Search.Matches = query.Matches{}
	if body := s.Page("/servers?q=x", 200); strings.Contains(body, "<template") {
		t.Error("a whole page has a part for the script")
	}
	_, body := s.Get("/servers?q=x&part=results")
	if !strings.Contains(body,
		`<template><option value="" selected>Best match</option><option value="recommended">Recommended</option>`) {
		t.Errorf("the orders of a search are missing: %.400s", body)
	}
	_, body = s.Get("/servers?part=results")
	if !strings.Contains(body, `<template><option value="" selected>Recommended</option>`) {
		t.Errorf("the orders of a list are missing: %.400s", body)
	}
}

// Who types a word asks at every pause, and sees the servers once.
func TestList_impressions(t *testing.T) {
	servers := webtest.Generated(3)
	counted := map[string]int{}
	at := webtest.Now
	s := sitetest.New(t, servers, func(o *web.Options) {
		o.Site.Counter = httpd.CounterFunc(func(e meter.Event, slug string, _ *http.Request) { counted[fmt.Sprint(e, " ", slug)]++ })
		o.Site.Now = func() time.Time { return at }
	})
	search := func(from, path string, found ...int) {
		t.Helper()
		s.Search.Matches = query.Matches{}
		for _, n := range found {
			s.Search.Matches.Slugs = append(s.Search.Matches.Slugs, servers[n].Slug)
		}
		r := httptest.NewRequest("GET", path, nil)
		r.RemoteAddr = from + ":1234"
		w := httptest.NewRecorder()
		if s.Handler.ServeHTTP(w, r); w.Code != 200 {
			t.Fatalf("%s: %d", path, w.Code)
		}
	}
	check := func(what string, want ...int) {
		t.Helper()
		for n, times := range want {
			if got := counted["impression "+servers[n].Slug]; got != times {
				t.Errorf("%s: server %d is counted %d times, want %d", what, n, got, times)
			}
		}
	}
	search("192.0.2.1", "/servers?q=we&part=results", 0, 1)
	search("192.0.2.1", "/servers?q=weat&part=results", 0, 1)
	search("192.0.2.1", "/servers?q=weather&part=results", 0, 2)
	search("192.0.2.1", "/servers?q=weather", 0, 2)
	check("one client", 1, 1, 1)
	search("192.0.2.2", "/servers?q=weather", 0)
	check("another client", 2, 1, 1)
	at = at.Add(10 * time.Minute)
	search("192.0.2.1", "/servers?q=weather", 0)
	check("later", 3, 1, 1)
}

func TestList_feed(t *testing.T) {
	s := sitetest.New(t, aFew())
	s.Search.Matches = query.Matches{Slugs: []string{webtest.Generated(60)[3].Slug}}
	for path, want := range map[string]bool{
		"/servers": true, "/categories/data": true, "/owners/octo-labs": true,
		"/servers?q=weather": false, "/categories/data?q=weather": false, "/servers?sdk=go": false, "/tags/weather": false,
	} {
		if got := strings.Contains(s.Page(path, 200), "Follow updates"); got != want {
			t.Errorf("%s: a feed is offered: %v, want %v", path, got, want)
		}
	}
}

func TestList_official(t *testing.T) {
	servers := aFew()
	for i := range servers {
		servers[i].Official = false
	}
	servers[1].Official, servers[1].OfficialReason = true, "Published by octo, organization of Octo."
	best := 99
	servers[1].Status, servers[1].Health.Score, servers[1].Popularity.Score = registry.StatusActive, &best, &best
	s := sitetest.New(t, servers)
	list := s.Page("/servers", 200)
	if !strings.Contains(list, `href="/servers?official=true"`) ||
		!strings.Contains(list, `class="official" title="Published by octo, organization of Octo.`) {
		t.Error("the list has no filter or no mark for official servers")
	}
	only := s.Page("/servers?official=true", 200)
	if n := strings.Count(only, `class="official"`); n != 1 || strings.Count(only, `class="avatar face"`) != 1 {
		t.Errorf("%d of the servers shown are official", n)
	}
	s.Page("/servers?official=maybe", 400)
}

// TestList_someWords checks that servers that match only some words are folded below the others.
func TestList_someWords(t *testing.T) {
	servers := aFew()
	s := sitetest.New(t, servers)
	slugs := []string{servers[0].Slug, servers[1].Slug, servers[2].Slug}
	s.Search.Matches = query.Matches{Slugs: slugs, All: 1, Corrected: "postgres tables"}
	main, folded, _ := strings.Cut(s.Page("/servers?q=postgress+tables", 200), "<details class=\"more\">")
	for _, want := range []string{"1 to 1 of 1 server", ">2 more</a> match less well",
		"Showing results for <b>postgres tables</b>"} {
		if !strings.Contains(main, want) {
			t.Errorf("no %q in %s", want, between(main, "listhead", "</p>"))
		}
	}
	for n, slug := range slugs {
		if in := strings.Contains(main, `"/servers/`+slug+`"`); in != (n == 0) || in == strings.Contains(folded, `"/servers/`+slug+`"`) {
			t.Errorf("%s is in the wrong group", slug)
		}
	}
	if body := s.Page("/servers?q=postgress+tables&match=some", 200); !strings.Contains(body, "of 3 servers") {
		t.Error("match=some does not show all")
	}
	s.Search.Matches = query.Matches{Slugs: slugs}
	if body := s.Page("/servers?q=no+such", 200); !strings.Contains(body, "No server matches all words.") || !strings.Contains(body, "of 3 servers") {
		t.Error("it is not said that no server matches all words")
	}
}

func TestList_flags(t *testing.T) {
	servers := aFew()[:3]
	for i := range servers {
		servers[i].Slug, servers[i].Official, servers[i].Variables, servers[i].Remotes, servers[i].Packages = fmt.Sprint("s", i), false, nil, nil, nil
		servers[i].Tools = []registry.Tool{{Name: "put", Inferred: &registry.ToolEffect{Effect: registry.EffectWrite}}}
		servers[i].ToolCount = new(1)
	}
	servers[0].ReadOnly = &registry.ReadOnlySwitch{Kind: registry.SwitchFlag, Name: "--read-only"}
	servers[1].Variables = []registry.Variable{{Name: "API_TOKEN", IsSecret: true}}
	s := sitetest.New(t, servers)
	for path, want := range map[string]int{"/servers?readOnly=true": 1, "/servers?secrets=false": 2, "/servers?effect=write": 3, "/servers?effect=read&effect=write&readOnly=true&secrets=false": 1} {
		if got := strings.Count(s.Page(path, 200), `class="what"`); got != want {
			t.Errorf("%s: %d servers, want %d", path, got, want)
		}
	}
	body := s.Page("/servers", 200)
	if !strings.Contains(body, "Can be read-only</li>") || !strings.Contains(body, "Can add or send</li>") {
		t.Error("rows do not say what servers can do")
	}
	s.Page("/servers?secrets=true", 400)
}

func TestList_url(t *testing.T) {
	s := sitetest.New(t, aFew())
	if res, _ := s.Get("/servers?q=https%3A%2F%2Fgithub.com%2Focto%2Fx"); res.Header.Get("Location") != "/check?url=https%3A%2F%2Fgithub.com%2Focto%2Fx" {
		t.Error("the URL of a repository is not checked", res.Header.Get("Location"))
	}
	s.Page("/servers?q=https%3A%2F%2Fexample.com", 200)
}
