package v1

import (
	"bytes"
	"testing"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
)

func TestServerTag(t *testing.T) {
	x := start(t, 0)
	const target = "/v1/servers/octo-weather-mcp"
	tags := map[string]bool{}
	for _, identity := range []string{"", "one database v1", "one database v2", "another v2"} {
		c := catalog.New()
		if identity != "" {
			c.Identify(identity)
		}
		if err := c.Apply([]registry.Server{weather()}, nil, 900100); err != nil {
			t.Fatal(err)
		}
		c.SetReady()
		x.serve(c)
		for tag := range tags {
			if res := x.do("enterprise", "GET", target, "", "If-None-Match", tag); res.StatusCode != 200 {
				t.Errorf("%q: %d for the tag %s of another catalog", identity, res.StatusCode, tag)
			}
		}
		tag := x.do("enterprise", "GET", target, "").Header.Get("ETag")
		if res := x.do("enterprise", "GET", target, "", "If-None-Match", tag); res.StatusCode != 304 {
			t.Errorf("%q: its own tag is answered %d", identity, res.StatusCode)
		}
		tags[tag] = true
	}
}

// timeless is a body without the time that it took.
func timeless(b []byte) []byte {
	if i := bytes.LastIndex(b, []byte(`,"tookMs":`)); i >= 0 {
		return b[:i]
	}
	return b
}

func TestServer(t *testing.T) {
	x := start(t, 5)
	var want []byte
	for _, id := range []string{"octo-weather-mcp", "OCTO-Weather-mcp", "octo-forecast-mcp",
		"io.github.octo%2Fweather-mcp", "io.github.octo%2fweather-mcp"} {
		status, b := x.get("/v1/servers/" + id)
		if want == nil {
			want = b
		}
		if status != 200 || !bytes.Equal(b, want) || !bytes.Contains(b, []byte(`"self":"/api/servers/octo-weather-mcp"`)) {
			t.Errorf("%s: %d %.300s", id, status, b)
		}
	}
}
