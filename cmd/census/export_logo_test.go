package main

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpcensus/internal/registry"
)

func TestExportLogo(t *testing.T) {
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/a/logo.svg", "/logo.svg":
			w.Header().Set("Content-Type", "image/svg+xml; charset=utf-8")
			_, _ = w.Write([]byte("<svg/>"))
		case "/page":
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<h1>Sign in</h1>"))
		case "/large.png":
			w.Header().Set("Content-Type", "image/png")
			_, _ = w.Write(make([]byte, largestLogo+1))
		default:
			http.NotFound(w, r)
		}
	}))
	defer host.Close()
	file := filepath.Join(t.TempDir(), "our.logo.png")
	if err := os.WriteFile(file, []byte("\x89PNG"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ file, address, kind, body, says string }{
		{"", "", "", "", ""},
		{"", host.URL + "/logo.svg", "image/svg+xml; charset=utf-8", "<svg/>", ""},
		{"", "/a/logo.svg", "image/svg+xml; charset=utf-8", "<svg/>", ""},
		{file, "/nothing", "image/png", "\x89PNG", ""},
		{"", "/nothing", "", "", "404"},
		{"", "/page", "", "", "text/html"},
		{"", "/large.png", "", "", "larger than 1024 kB"},
		{file + "x", "", "", "", "no such file"},
		{"", "https://127.0.0.1:1/x.png", "", "", "--logo FILE"},
	} {
		logo, err := logoFile(t.Context(), x.file, x.address, host.URL+"/census")
		switch {
		case x.says != "":
			if !errors.Is(err, registry.ErrInvalid) || !strings.Contains(err.Error(), x.says) {
				t.Errorf("%s %s: %v", x.file, x.address, err)
			}
		case err != nil:
			t.Errorf("%s %s: %v", x.file, x.address, err)
		case x.kind == "" && logo != nil, x.kind != "" &&
			(logo == nil || logo.Type != x.kind || string(logo.Body) != x.body):
			t.Errorf("%s %s: %+v", x.file, x.address, logo)
		}
	}
}
