package web

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
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

func TestErrorsOfListsLeadOn(t *testing.T) {
	s := newSite(t, aFew())
	for path, want := range map[string][]string{
		"/servers?page=999999999":            {"404", "This list ends with page 3", `href="/servers"`, `href="/servers?page=3"`},
		"/servers?page=99999999999999999999": {"404", `href="/servers?page=3"`},
		"/servers?page=100000":               {"404", `href="/servers?page=3"`},
		"/servers?page=x":                    {"400", "Pages of a list are numbered from 1", `href="/servers"`},
		"/servers?page=-1":                   {"400", "Pages of a list are numbered from 1"},
		"/servers?sort=bogus":                {"400", "Recently updated", `href="/servers?sort=stars"`},
		"/servers?q=%01":                     {"400", "The text holds something that is no text"},
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
		if len([]rune(x)) <= longest {
			s.get("/owners/" + url.PathEscape(x))
			s.get("/tags/" + url.PathEscape(x))
		}
	}
}

func TestAddressesThatPeopleGuess(t *testing.T) {
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

func TestWrongMethodsOfPagesAnswerInTheirLook(t *testing.T) {
	s := newSite(t, aFew())
	for path, kind := range map[string]string{"/servers": "text/html; charset=utf-8", "/check": "text/html; charset=utf-8"} {
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, httptest.NewRequest("DELETE", path, nil))
		if h := w.Header(); w.Code != 405 || h.Get("Content-Type") != kind || !strings.Contains(h.Get("Allow"), "GET") || !strings.Contains(w.Body.String(), "Supported methods: GET") {
			t.Errorf("%s: %d %v", path, w.Code, h)
		}
	}
}

func TestTextsAreMeasuredInCharacters(t *testing.T) {
	s := newSite(t, aFew())
	s.page("/servers?q="+url.QueryEscape(strings.Repeat("ж", longest)), 200)
	if body := s.page("/servers?q="+url.QueryEscape(strings.Repeat("ж", longest+1)), 400); !strings.Contains(body, "at most 200 characters") {
		t.Error("it does not say what is allowed")
	}
}

func TestAPartOfAListBringsItsOrders(t *testing.T) {
	s := newSite(t, aFew())
	s.search.results = query.Results{}
	if body := s.page("/servers?q=x", 200); strings.Contains(body, "<template") {
		t.Error("a whole page has a part for the script")
	}
	_, body := s.get("/servers?q=x&part=results")
	if !strings.Contains(body, `<template><option value="" selected>Relevance</option><option value="qualityScore">Health</option>`) {
		t.Errorf("the orders of a search are missing: %.400s", body)
	}
	_, body = s.get("/servers?part=results")
	if !strings.Contains(body, `<template><option value="" selected>Health</option>`) {
		t.Errorf("the orders of a list are missing: %.400s", body)
	}
}
