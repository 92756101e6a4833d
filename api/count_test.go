package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"mcpcensus/internal/registry"
)

// A tally notes what was counted.
type tally struct{ events []string }

func (c *tally) Event(e registry.Event, slug string, _ *http.Request) {
	c.events = append(c.events, fmt.Sprint(e, " ", slug))
}

func (c *tally) Events(e registry.Event, slugs []string, r *http.Request) {
	for _, slug := range slugs {
		c.Event(e, slug, r)
	}
}

func TestSearchesAndHealthChecksAreCounted(t *testing.T) {
	counter := &tally{}
	x := start(t, 50, func(o *Options) { o.Counter = counter })
	for _, c := range []struct {
		target string
		want   string // how the counted begin, and how many there are
		n      int
	}{
		{"/api/discover", "", 0}, // a listing is no search
		{"/api/discover?search=weather&limit=1", "impression octo-", 1},
		{"/api/servers?search=weather&limit=2", "impression ", 2},
		{"/api/discover?search=weather&format=mcp&level=tool&limit=1", "impression octo-", 1},
		{"/api/health?server=octo-weather-mcp", "health_check octo-weather-mcp", 1},
		{"/api/health?githubUrl=https://github.com/octo/weather-mcp", "health_check octo-weather-mcp", 1},
		{"/api/health?server=nobody", "", 0},
		{"/api/categories", "", 0},
	} {
		counter.events = nil
		x.get(c.target)
		if len(counter.events) != c.n || c.n > 0 && !strings.HasPrefix(counter.events[0], c.want) {
			t.Errorf("%s: counted %q, want %d beginning with %q", c.target, counter.events, c.n, c.want)
		}
	}
}
