package api

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"testing"

	"mcpcensus/internal/registry"
)

func TestCachingAndCompression(t *testing.T) {
	x := start(t, 50)
	for _, target := range []string{"/api/discover", "/api/discover?format=mcp",
		"/api/discover?search=mcp", "/api/servers?offset=20", "/api/categories",
		"/api/health?server=octo-weather-mcp", "/api/health?githubUrl=octo/fresh", "/openapi.json",
		"/openapi.yaml", "/docs", "/docs/errors", "/docs/openapi.css", "/docs/openapi.js"} {
		plain := x.do("GET", target)
		body, _ := io.ReadAll(plain.Body)
		tag := plain.Header.Get("ETag")
		if plain.StatusCode != 200 || tag == "" ||
			plain.Header.Get("Content-Length") != fmt.Sprint(len(body)) ||
			plain.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: %d %v", target, plain.StatusCode, plain.Header)
		}
		for range 2 { // the second is from the cache
			zipped := x.do("GET", target, "Accept-Encoding", "br;q=1, gzip;q=0.5")
			if len(body) > 1024 {
				r, err := gzip.NewReader(zipped.Body)
				if err != nil {
					t.Errorf("%s: %v", target, err)
					continue
				}
				got, err := io.ReadAll(r)
				if err != nil || !bytes.Equal(got, body) || zipped.Header.Get("Content-Encoding") != "gzip" {
					t.Errorf("%s: compressed is not the same: %v", target, err)
				}
			}
			if zipped.Header.Get("ETag") != tag {
				t.Errorf("%s: tag %s compressed, %s plain", target, zipped.Header.Get("ETag"), tag)
			}
		}
		if res := x.do("GET", target, "Accept-Encoding", "gzip;q=0"); res.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: compressed for a client that refuses it", target)
		}
		for _, match := range []string{tag, "*", `"other", ` + tag, strings.TrimPrefix(tag, "W/")} {
			res := x.do("GET", target, "If-None-Match", match)
			b, _ := io.ReadAll(res.Body)
			if res.StatusCode != 304 || len(b) != 0 || res.Header.Get("ETag") != tag {
				t.Errorf("%s If-None-Match %s: %d", target, match, res.StatusCode)
			}
		}
		if res := x.do("GET", target, "If-None-Match", `"other"`); res.StatusCode != 200 {
			t.Errorf("%s with another tag: %d", target, res.StatusCode)
		}
		head := x.do("HEAD", target)
		b, _ := io.ReadAll(head.Body)
		if head.StatusCode != 200 || len(b) != 0 ||
			head.Header.Get("Content-Length") != fmt.Sprint(len(body)) ||
			head.Header.Get("ETag") != tag {
			t.Errorf("HEAD %s: %d, %d bytes, %v", target, head.StatusCode, len(b), head.Header)
		}
	}
	before := x.do("GET", "/api/servers").Header.Get("ETag")
	s := weather()
	s.Seq, s.Description = 900300, "Changed"
	if err := x.catalog.Apply([]registry.Server{s}, nil, 900300); err != nil {
		t.Fatal(err)
	}
	if res := x.do("GET", "/api/servers", "If-None-Match", before); res.StatusCode != 200 {
		t.Errorf("after a change: %d", res.StatusCode)
	}
}
