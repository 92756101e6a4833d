package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mcpcensus/internal/brand"
	"mcpcensus/internal/httpd"
)

func TestContentOfOthersIsFramedLikeOurPages(t *testing.T) {
	brand, err := brand.ParseBrand("Acme", "https://cdn.example/logo.svg", "#8a1c4a", "Imprint=https://acme.example/imprint")
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{BaseURL: "https://census.example", Brand: brand, Notice: "Down on Sunday."})
	if err != nil {
		t.Fatal(err)
	}
	framed := func(s *Site) (string, map[string]string) {
		body, header, err := s.Framed("API & more", `About "it".`, "/docs", `<link rel="stylesheet" href="/docs/x.css">`, `<h1>The API</h1><p id="here">Words</p>`)
		if err != nil {
			t.Fatal(err)
		}
		return string(body), header
	}
	plain, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	page, header := framed(plain)
	res := &http.Response{Header: http.Header{}}
	for k, v := range header {
		res.Header.Set(k, v)
	}
	harmless(t, "/docs", res, page)
	page, header = framed(s)
	for _, want := range []string{
		"<title>API &amp; more · Acme</title>", `content="About &#34;it&#34;."`, `<link rel="canonical" href="https://census.example/docs">`,
		`<link rel="stylesheet" href="/docs/x.css">`, `<p id="here">Words</p>`, "Down on Sunday.", `href="https://acme.example/imprint"`,
		`<a href="/docs" aria-current="page">API</a>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("it does not have %s", want)
		}
	}
	if !strings.Contains(header["Content-Security-Policy"], "img-src 'self' https://cdn.example;") || header["X-Frame-Options"] != "DENY" {
		t.Errorf("headers: %v", header)
	}
	// A process that shows nothing else has what the page loads.
	e := httpd.NewEngine(httpd.Config{Missing: s.Missing})
	s.RegisterAssets(e)
	_, rest, _ := strings.Cut(page, `<link rel="stylesheet" href="`)
	style, _, _ := strings.Cut(rest, `"`)
	_, rest, _ = strings.Cut(page, `<script src="`)
	script, _, _ := strings.Cut(rest, `"`)
	for _, path := range []string{style, script} {
		w := httptest.NewRecorder()
		if e.ServeHTTP(w, httptest.NewRequest("GET", path, nil)); path == "" || w.Code != http.StatusOK {
			t.Errorf("GET %q: %d", path, w.Code)
		}
	}
}
