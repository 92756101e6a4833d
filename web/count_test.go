package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/httpd"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/query"
)

// Who types a word asks at every pause, and sees the servers once.
func TestTypingCountsOnce(t *testing.T) {
	servers := generated(3)
	counted := map[string]int{}
	at := now
	s := newSite(t, servers, func(o *Options) {
		o.Counter = httpd.CounterFunc(func(e meter.Event, slug string, _ *http.Request) { counted[fmt.Sprint(e, " ", slug)]++ })
		o.Now = func() time.Time { return at }
	})
	search := func(from, path string, found ...int) {
		t.Helper()
		s.search.results = query.Results{Total: len(found)}
		for _, n := range found {
			s.search.results.Slugs = append(s.search.results.Slugs, servers[n].Slug)
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
	at = at.Add(clickWindow)
	search("192.0.2.1", "/servers?q=weather", 0)
	check("later", 3, 1, 1)
}

func TestPagesAreCounted(t *testing.T) {
	servers := generated(3)
	var counted []string
	counter := httpd.CounterFunc(func(e meter.Event, slug string, _ *http.Request) {
		counted = append(counted, fmt.Sprint(e, " ", slug))
	})
	s := newSite(t, servers, func(o *Options) { o.Counter = counter })
	s.search.results = query.Results{Slugs: []string{servers[0].Slug, servers[1].Slug}, Total: 2}
	slug := servers[0].Slug
	post := func(path string) int {
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, httptest.NewRequest("POST", path, nil))
		return w.Code
	}
	for _, c := range []struct {
		do   func()
		want []string
	}{
		{func() { s.page("/servers/"+slug, 200) }, []string{"view " + slug}},
		{func() { s.page("/servers/nobody", 404) }, nil},
		{func() { s.page("/servers", 200) }, nil}, // a listing is no search
		{func() { s.page("/servers?q=weather", 200) }, []string{"impression " + slug, "impression " + servers[1].Slug}},
		{func() { s.get("/badge/" + slug + ".svg") }, []string{"badge_view " + slug}},
		{func() { s.get("/badge/nobody.svg") }, nil},
		{func() {
			if code := post("/servers/" + slug + "/clicks"); code != 204 {
				t.Errorf("click: %d", code)
			}
		}, []string{"install_click " + slug}},
		{func() {
			if code := post("/servers/" + strings.Repeat("x", 300) + "/clicks"); code != 404 {
				t.Errorf("click on nothing: %d", code)
			}
		}, nil},
	} {
		counted = nil
		c.do()
		if !slices.Equal(counted, c.want) {
			t.Errorf("counted %q, want %q", counted, c.want)
		}
	}
}
