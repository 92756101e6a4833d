package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"mcpcensus/internal/httpd"
	"mcpcensus/internal/meter"
)

func TestCountedEvents(t *testing.T) {
	var counted []string
	counter := httpd.CounterFunc(func(e meter.Event, slug string, _ *http.Request) {
		counted = append(counted, fmt.Sprint(e, " ", slug))
	})
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
		counted = nil
		x.get(c.target)
		if len(counted) != c.n || c.n > 0 && !strings.HasPrefix(counted[0], c.want) {
			t.Errorf("%s: counted %q, want %d beginning with %q", c.target, counted, c.n, c.want)
		}
	}
}
