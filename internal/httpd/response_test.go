package httpd

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

func TestTakesGzip(t *testing.T) {
	for header, want := range map[string]bool{
		"": false, "gzip": true, "identity": false, "gzip, deflate, br": true,
		"deflate, gzip;q=1.0, *;q=0.5": true,
		"gzip;q=0":                     false, "gzip; q=0.000": false, "br": false, "*": true,
		"*;q=0": false, "*;q=0, gzip": true, "*, gzip;q=0": false,
		"GZIP": true, "x-gzip": true,
		"gzip;q=x": false, "nogzip": false,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		if header != "" {
			r.Header.Set("Accept-Encoding", header)
		}
		if got := TakesGzip(r); got != want {
			t.Errorf("%q: %v", header, got)
		}
	}
}

func TestWrite(t *testing.T) {
	long := bytes.Repeat([]byte("0123456789"), 5000)
	zipped := Zip(long)
	e := gin.New()
	for path, h := range map[string]Handler{
		"/short": func(_ context.Context, c *gin.Context) error {
			Write(c, Response{Tag: `W/"1"`, Body: []byte("{}"), Cache: "public"})
			return nil
		},
		"/long": func(_ context.Context, c *gin.Context) error {
			Write(c, Response{Tag: `W/"1"`, Body: long, Zipped: zipped})
			return nil
		},
		"/vary": func(_ context.Context, c *gin.Context) error {
			c.Header("Cache-Control", "replaced")
			c.Header("Vary", "Cookie, Accept-Encoding")
			Write(c, Response{Status: 201, Body: []byte("text"), Type: "text/plain"})
			return nil
		},
		"/error": func(_ context.Context, c *gin.Context) error {
			c.Header("Link", "<next>")
			c.Header("X-Total-Count", "3")
			c.Header("Etag", `"1"`)
			c.Header("Vary", "Cookie")
			c.Header("X-Other", "stays")
			return registry.Errorf(registry.ErrUnavailable, "Nothing.")
		},
	} {
		Get(e, path, Handle(h, problem))
		e.POST(path, Handle(h, problem))
	}
	const jsonType = "application/json; charset=utf-8"
	for _, tc := range []struct {
		name, method, target string
		headers              []string
		status               int
		length               int
		want                 map[string]string
	}{
		{"short", "GET", "/short", nil, 200, 2, map[string]string{
			"Content-Type": jsonType, "Cache-Control": "public", "Etag": `W/"1"`,
			"Vary": "Accept-Encoding"}},
		{"short gzip", "GET", "/short", []string{"Accept-Encoding", "gzip"}, 200, 2,
			map[string]string{
				"Content-Type": jsonType, "Cache-Control": "public", "Etag": `W/"1"`,
				"Vary": "Accept-Encoding"}},
		{"long", "GET", "/long", nil, 200, len(long), map[string]string{
			"Content-Type": jsonType, "Cache-Control": "no-cache", "Etag": `W/"1"`,
			"Vary": "Accept-Encoding"}},
		{"long gzip", "GET", "/long", []string{"Accept-Encoding", "gzip"}, 200, len(zipped),
			map[string]string{
				"Content-Type": jsonType, "Cache-Control": "no-cache", "Etag": `W/"1"`,
				"Vary":             "Accept-Encoding",
				"Content-Encoding": "gzip"}},
		{"same version", "GET", "/long", []string{"If-None-Match", `"0", "1"`}, 304, -1,
			map[string]string{
				"Cache-Control": "no-cache", "Etag": `W/"1"`, "Vary": "Accept-Encoding"}},
		{"any version", "HEAD", "/long", []string{"If-None-Match", `*`}, 304, -1, map[string]string{
			"Cache-Control": "no-cache", "Etag": `W/"1"`, "Vary": "Accept-Encoding"}},
		{"other version", "HEAD", "/short", []string{"If-None-Match", `"0"`}, 200, 2,
			map[string]string{
				"Content-Type": jsonType, "Cache-Control": "public", "Etag": `W/"1"`,
				"Vary": "Accept-Encoding"}},
		{"POST is not conditional", "POST", "/short", []string{"If-None-Match", `"1"`}, 200, 2,
			map[string]string{
				"Content-Type": jsonType, "Cache-Control": "public", "Etag": `W/"1"`,
				"Vary": "Accept-Encoding"}},
		{"own headers", "GET", "/vary", nil, 201, 4, map[string]string{
			"Content-Type": "text/plain", "Cache-Control": "no-cache",
			"Vary": "Cookie, Accept-Encoding"}},
		{"problem", "GET", "/error", nil, 503, -1, map[string]string{
			"Content-Type": "application/problem+json", "Cache-Control": "no-store",
			"Retry-After": "5", "X-Other": "stays"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := serve(e, tc.method, tc.target, tc.headers...)
			got := map[string]string{}
			for k := range w.Header() {
				got[k] = w.Header().Get(k)
			}
			if tc.length >= 0 {
				tc.want["Content-Length"] = strconv.Itoa(tc.length)
				if tc.method != http.MethodHead && w.Body.Len() != tc.length {
					t.Errorf("%d bytes, want %d", w.Body.Len(), tc.length)
				}
			}
			if tc.status >= 400 {
				tc.want["Content-Length"] = strconv.Itoa(w.Body.Len())
			}
			if diff := cmp.Diff(tc.want, got); w.Code != tc.status || diff != "" {
				t.Errorf("%d, -want +got:\n%s", w.Code, diff)
			}
		})
	}
}

func TestCORS(t *testing.T) {
	e := NewEngine(Config{})
	e.Use(AllowAnyOrigin, Preflight)
	Get(e, "/", func(c *gin.Context) { Write(c, Response{Body: []byte("{}")}) })
	for method, want := range map[string]int{"GET": 200, "OPTIONS": 204} {
		w := serve(e, method, "/", "Origin", "https://page.example")
		methods := w.Header().Get("Access-Control-Allow-Methods")
		if w.Code != want || w.Header().Get("Access-Control-Allow-Origin") != "*" ||
			(methods != "") != (method == "OPTIONS") {
			t.Errorf("%s: %d %v", method, w.Code, w.Header())
		}
	}
}

func TestTagOf(t *testing.T) {
	for body, want := range map[string]string{
		"": `W/"e3b0c44298fc1c14"`, "{}": `W/"44136fa355b3678a"`, "{} ": `W/"3d8e6a3f3561a868"`,
	} {
		if got := TagOf([]byte(body)); got != want {
			t.Errorf("TagOf(%q) = %s, want %s", body, got, want)
		}
	}
}
