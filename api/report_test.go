package api

import (
	"testing"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
)

func TestHealthTag(t *testing.T) {
	x := start(t, 0)
	was := x.do("GET", "/api/health?server=octo-weather-mcp").Header.Get("ETag")
	tags := map[string]bool{was: true}
	for _, identity := range []string{"one database v1", "one database v2", "another v2"} {
		c := catalog.New()
		c.Identify(identity)
		if err := c.Apply([]registry.Server{weather()}, nil, 900100); err != nil {
			t.Fatal(err)
		}
		c.SetReady()
		y := start(t, 0, func(o *Options) { o.Catalog = c })
		for _, target := range []string{"/api/health?server=octo-weather-mcp", "/api/health?githubUrl=octo/weather-mcp"} {
			if res := y.do("GET", target, "If-None-Match", was); res.StatusCode != 200 {
				t.Errorf("%s of %q: %d for the tag of another catalog", target, identity, res.StatusCode)
			}
		}
		tag := y.do("GET", "/api/health?server=octo-weather-mcp").Header.Get("ETag")
		if tags[tag] {
			t.Errorf("%q has the tag %s too", identity, tag)
		}
		tags[tag] = true
		if res := y.do("GET", "/api/health?server=octo-weather-mcp", "If-None-Match", tag); res.StatusCode != 304 {
			t.Errorf("%q: its own tag is answered %d", identity, res.StatusCode)
		}
	}
}
