package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
)

func TestPagesAreCounted(t *testing.T) {
	servers := generated(3)
	var counted []string
	counter := httpd.CounterFunc(func(e registry.Event, slug string, _ *http.Request) {
		counted = append(counted, fmt.Sprint(e, " ", slug))
	})
	s := newSite(t, servers, func(o *Options) { o.Counter = counter })
	s.search.results = registry.Results{Slugs: []string{servers[0].Slug, servers[1].Slug}, Total: 2}
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
