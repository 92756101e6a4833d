package web

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
	"mcpcensus/web/browse"
)

// aFew are servers with owners and tags that are known.
func aFew() []registry.Server {
	servers := generated(60)
	for n := range servers {
		servers[n].Tags = nil
	}
	servers[3].Repo.Owner, servers[3].Tags = "octo-labs", []string{"weather"}
	servers[4].Repo.Owner, servers[4].Tags = "octo-labs", []string{"weather", "maps"}
	return servers
}

func TestList(t *testing.T) {
	s := newSite(t, generated(200))
	v := s.catalog.View()
	slug := v.List("", catalog.ByStars, -1).At(3).Slug()
	s.search.matches = query.Matches{Slugs: []string{slug, "left-meanwhile"}}
	body := s.page("/servers?q=weather", 200)
	if diff := cmp.Diff([]string{"weather"}, s.search.got); diff != "" {
		t.Errorf("searches of the index: (-want +got)\n%s", diff)
	}
	if !strings.Contains(body, "/servers/"+slug) || strings.Contains(body, "left-meanwhile") || !strings.Contains(body, `value="weather"`) {
		t.Error("the result is not shown")
	}
	for _, q := range []string{"category=nope", "sdk=cobol", "grade=Z", "sort=luck", "page=0", "page=x", "q=" + strings.Repeat("a", 300), "q=%00", "q=%ff", "search=%ff", "%zz"} {
		s.page("/servers?"+q, 400)
	}
	s.page("/servers?q=x&page=501", 400)
	// The API's name of q.
	if s.page("/servers?search=sky", 200); s.search.got[len(s.search.got)-1] != "sky" {
		t.Errorf("asked %v", s.search.got)
	}
	s.search.matches = query.Matches{}
	if body := s.page("/servers?q=nothing&sdk=go", 200); !strings.Contains(body, "Remove “nothing”") {
		t.Error("an empty result does not say what to loosen")
	}
	s.search.matches = query.Matches{Slugs: []string{slug}, Degraded: true}
	if body := s.page("/servers?q=x", 200); !strings.Contains(body, "The search index is unavailable") {
		t.Error("a degraded search is not told")
	}
	s.search.err = registry.Errorf(registry.ErrUnavailable, "The index is away.")
	s.page("/servers?q=x", 503)
	for _, sort := range browse.Orders {
		s.page("/servers?category=data&sort="+sort.Value, 200)
	}
}

func TestList_paths(t *testing.T) {
	servers := generated(200)
	servers[7].Repo.Owner, servers[7].Tags = "octo-labs", []string{"weather"}
	s := newSite(t, servers)
	for path, want := range map[string]string{
		"/categories/data":                     "Data servers",
		"/tags/weather":                        "Servers tagged “weather”",
		"/owners/octo-labs":                    "Servers of octo-labs",
		"/servers?has=package&transport=stdio": "Deployment: Installable package",
		"/servers?license=MIT":                 "Licence: MIT",
		"/categories/data?sdk=go&sdk=python":   "SDK: Python",
	} {
		if body := s.page(path, 200); !strings.Contains(body, want) {
			t.Errorf("%s lacks %q", path, want)
		}
	}
	s.page("/categories/nothing", 404)
	for from, to := range map[string]string{
		"/tags/postgresql":            "/tags/postgres",
		"/tags/K8s?sort=stars&page=2": "/tags/kubernetes?page=2&sort=stars",
	} {
		if res, _ := s.get(from); res.StatusCode != 308 || res.Header.Get("Location") != to {
			t.Errorf("%s: status %d, location %q, want 308 to %s", from, res.StatusCode, res.Header.Get("Location"), to)
		}
	}
	if res, _ := s.get("/categories/DATA"); res.StatusCode != 308 || res.Header.Get("Location") != "/categories/data" {
		t.Errorf("%d %s", res.StatusCode, res.Header.Get("Location"))
	}
	if body := s.page("/servers?category=data", 200); !strings.Contains(body, `rel="canonical" href="https://census.example/categories/data"`) {
		t.Error("a category has two addresses")
	}
	data := s.catalog.View().List("data", catalog.ByStars, -1).At(0).Slug()
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
		s.search.matches = query.Matches{Slugs: []string{data}[:search.total]}
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
		if len(x) <= browse.MaxLength {
			s.page("/servers?tag="+url.QueryEscape(x)+"&owner="+url.QueryEscape(x)+"&license="+url.QueryEscape(x), 200)
		}
	}
}

func TestList_hints(t *testing.T) {
	s := newSite(t, aFew())
	for path, want := range map[string][]string{
		"/servers?page=999999999":            {"404", "The last page of this list is 3", `href="/servers"`, `href="/servers?page=3"`},
		"/servers?page=99999999999999999999": {"404", `href="/servers?page=3"`},
		"/servers?page=100000":               {"404", `href="/servers?page=3"`},
		"/servers?page=x":                    {"400", "Pages of a list are numbered from 1", `href="/servers"`},
		"/servers?page=-1":                   {"400", "Pages of a list are numbered from 1"},
		"/servers?sort=bogus":                {"400", "Recently updated", `href="/servers?sort=stars"`},
		"/servers?q=%01":                     {"400", "The search text must not contain the invisible character U&#43;0001"},
		"/servers?minScore=81":               {"400", `href="/servers?grade=A"`},
		"/categories/nope":                   {"404", `<a href="/categories/data">`},
		"/tags/weath":                        {"404", `<a href="/tags/weather">`, `href="/tags"`},
		"/owners/octo-lab":                   {"404", `<a href="/owners/octo-labs">`, `href="/owners"`},
		"/check?url=nonsense":                {"400", "The address names no repository"},
	} {
		status := map[string]int{"404": 404, "400": 400}[want[0]]
		body := s.page(path, status)
		for _, w := range want[1:] {
			if !strings.Contains(body, w) {
				t.Errorf("%s does not say %q:\n%.900s", path, w, between(body, "<main", "</main>"))
			}
		}
	}
	for _, x := range attacks {
		if len([]rune(x)) <= browse.MaxLength {
			s.get("/owners/" + url.PathEscape(x))
			s.get("/tags/" + url.PathEscape(x))
		}
	}
}

func TestList_guessed_addresses(t *testing.T) {
	s := newSite(t, aFew())
	for path, want := range map[string]string{
		"/categories": `<a href="/categories/data">`, "/tags": `<a href="/tags/weather">weather <span>2</span>`, "/owners": `<a href="/owners/octo-labs">octo-labs <span>2</span>`,
	} {
		if body := s.page(path, 200); !strings.Contains(body, want) {
			t.Errorf("%s has no %s", path, want)
		}
	}
	for path, want := range map[string]string{"/servers/?q=x": "/servers?q=x", "/stats//": "/stats", "/check/": "/check"} {
		if res, _ := s.get(path); res.StatusCode != 308 || res.Header.Get("Location") != want {
			t.Errorf("%s: %d to %q", path, res.StatusCode, res.Header.Get("Location"))
		}
	}
	if res, _ := s.get("//evil.example/"); res.StatusCode != 404 {
		t.Errorf("an address of another host: %d to %q", res.StatusCode, res.Header.Get("Location"))
	}
	if a, b := s.page("/servers?minScore=65", 200), s.page("/servers?grade=A&grade=B", 200); a != b {
		t.Error("minScore=65 is not the grades A and B")
	}
}

func TestList_length_of_text(t *testing.T) {
	s := newSite(t, aFew())
	s.page("/servers?q="+url.QueryEscape(strings.Repeat("ж", browse.MaxLength)), 200)
	if body := s.page("/servers?q="+url.QueryEscape(strings.Repeat("ж", browse.MaxLength+1)), 400); !strings.Contains(body, "The search text must be at most 200 characters long, got 201.") {
		t.Error("it does not say what is allowed")
	}
}

func TestList_relaxed(t *testing.T) {
	a, b := hostile("one", "One"), hostile("two", "Two")
	b.Category, b.SDK, b.Remotes = "data", "python", nil
	s := newSite(t, []registry.Server{a, b})
	body := s.page("/categories/data?sdk=go", 200)
	for _, want := range []string{
		`<a href="/categories/data">Remove “SDK: Go”</a> <span class="quiet">1 server</span>`,
		`<a href="/servers?sdk=go">Remove “Category: Data”</a> <span class="quiet">1 server</span>`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if body := s.page("/categories/data?sdk=go&has=remote", 200); strings.Count(body, "Remove “") != 1 || !strings.Contains(body, "Remove “Category") {
		t.Errorf("what finds nothing is offered beside what finds something: %s", between(body, "empty", "</ul>"))
	}
}

func TestList_part(t *testing.T) {
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

func TestList_part_orders(t *testing.T) {
	s := newSite(t, aFew())
	s.search.matches = query.Matches{}
	if body := s.page("/servers?q=x", 200); strings.Contains(body, "<template") {
		t.Error("a whole page has a part for the script")
	}
	_, body := s.get("/servers?q=x&part=results")
	if !strings.Contains(body,
		`<template><option value="" selected>Relevance</option><option value="recommended">Recommended</option>`) {
		t.Errorf("the orders of a search are missing: %.400s", body)
	}
	_, body = s.get("/servers?part=results")
	if !strings.Contains(body, `<template><option value="" selected>Recommended</option>`) {
		t.Errorf("the orders of a list are missing: %.400s", body)
	}
}

// Who types a word asks at every pause, and sees the servers once.
func TestList_impressions(t *testing.T) {
	servers := generated(3)
	counted := map[string]int{}
	at := now
	s := newSite(t, servers, func(o *Options) {
		o.Counter = httpd.CounterFunc(func(e meter.Event, slug string, _ *http.Request) { counted[fmt.Sprint(e, " ", slug)]++ })
		o.Now = func() time.Time { return at }
	})
	search := func(from, path string, found ...int) {
		t.Helper()
		s.search.matches = query.Matches{}
		for _, n := range found {
			s.search.matches.Slugs = append(s.search.matches.Slugs, servers[n].Slug)
		}
		r := httptest.NewRequest("GET", path, nil)
		r.RemoteAddr = from + ":1234"
		w := httptest.NewRecorder()
		if s.handler.ServeHTTP(w, r); w.Code != 200 {
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
	s := newSite(t, aFew())
	s.search.matches = query.Matches{Slugs: []string{generated(60)[3].Slug}}
	for path, want := range map[string]bool{
		"/servers": true, "/categories/data": true, "/owners/octo-labs": true,
		"/servers?q=weather": false, "/categories/data?q=weather": false, "/servers?sdk=go": false, "/tags/weather": false,
	} {
		if got := strings.Contains(s.page(path, 200), "Follow updates"); got != want {
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
	s := newSite(t, servers)
	list := s.page("/servers", 200)
	if !strings.Contains(list, `href="/servers?official=true"`) ||
		!strings.Contains(list, `class="official" title="Published by octo, organization of Octo.`) {
		t.Error("the list has no filter or no mark for official servers")
	}
	only := s.page("/servers?official=true", 200)
	if n := strings.Count(only, `class="official"`); n != 1 || strings.Count(only, `<p class="path"`) != 1 {
		t.Errorf("%d of the servers shown are official", n)
	}
	s.page("/servers?official=maybe", 400)
}
