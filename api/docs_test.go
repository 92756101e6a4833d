package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"html/template"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
)

func TestDocsPages(t *testing.T) {
	x := start(t, 0)
	for _, target := range []string{"/docs", "/docs/errors"} {
		res := x.do("GET", target)
		b, _ := io.ReadAll(res.Body)
		if csp := res.Header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'") {
			t.Errorf("%s: policy %q", target, csp)
		}
		ours := bytes.Count(b, []byte(`<script src="/docs/openapi.js" defer></script>`)) // forms are tried by it
		if n := bytes.Count(b, []byte("<script")); n != ours || target == "/docs/errors" && n != 0 {
			t.Errorf("%s has %d scripts", target, n)
		}
		for _, bad := range []string{"src=\"http", "<style", " style=", "@import", "onclick", "raw HTML omitted"} {
			if bytes.Contains(b, []byte(bad)) {
				t.Errorf("%s has %q", target, bad)
			}
		}
	}
	_, docs := x.get("/docs")
	if len(docs) > 400_000 {
		t.Errorf("/docs has %d bytes, at most 400,000 are wanted", len(docs))
	}
	for path, item := range x.doc.Paths.Map() {
		for method := range item.Operations() {
			if !bytes.Contains(docs, []byte(`<span class="method">`+method+`</span> <code>`+path+`</code>`)) {
				t.Errorf("/docs does not show %s %s", method, path)
			}
		}
	}
	for _, want := range []string{
		`<form class="try" action="/api/discover" method="get" data-path="/api/discover">`,
		`data-path="/v1/servers/{id}" hidden>`,
		`<label for="v1-servers-key">API key</label>`, `name="githubUrl" data-in="query"`,
		`name="id" data-in="path" value="octo-weather-mcp"`,
		`<h2>Directory</h2>`, `are <code>null</code>, never 0`,
		`, <a href="#response-BadRequest">400</a>, `, `<div id="response-BadRequest">`,
	} {
		if !bytes.Contains(docs, []byte(want)) {
			t.Errorf("/docs has no %s", want)
		}
	}
	if len(docs) > 352_000 { // and 55 kB of style sheets and scripts
		t.Errorf("/docs has %d bytes", len(docs))
	}
	for id, n := range ids(t, docs) {
		if n > 1 {
			t.Errorf("/docs has %d elements with the id %s", n, id)
		}
	}
	_, codes := x.get("/docs/errors")
	for _, k := range []string{"invalid_parameter", "rate_limit_exceeded", "server_deleted", "internal"} {
		if !bytes.Contains(codes, []byte(`id="`+k+`"`)) {
			t.Errorf("/docs/errors does not explain %s", k)
		}
	}
	_, doc := x.get("/openapi.yaml")
	if !bytes.Contains(doc, []byte("url: https://census.example")) {
		t.Error("the document does not name its server")
	}
}

func TestDocsFrame(t *testing.T) {
	got := map[string][]string{}
	x := start(t, 0, func(o *Options) {
		o.Frame = func(title, description, path string, head, main template.HTML) ([]byte, map[string]string, error) {
			got[path] = []string{title, description, string(head), string(main)}
			return []byte("the page at " + path), map[string]string{"X-Frame-Options": "DENY"}, nil
		}
	})
	for path, word := range map[string]string{"/docs": "/api/discover", "/docs/errors": "invalid_parameter"} {
		res := x.do("GET", path)
		b, _ := io.ReadAll(res.Body)
		if res.StatusCode != 200 || string(b) != "the page at "+path ||
			res.Header.Get("X-Frame-Options") != "DENY" ||
			res.Header.Get("Cache-Control") != "public, no-cache" {
			t.Errorf("%s: %d %s %v", path, res.StatusCode, b, res.Header)
		}
		if p := got[path]; p == nil || p[0] == "" || p[1] == "" ||
			!strings.Contains(p[2], "/docs/openapi.css") || !strings.Contains(p[3], word) ||
			strings.Contains(p[3], "<main") {
			t.Errorf("%s is made of %.300q", path, p)
		}
	}
	broken := start(t, 0, func(o *Options) {
		o.Frame = func(string, string, string, template.HTML, template.HTML) ([]byte, map[string]string, error) {
			return nil, nil, errors.New("broken")
		}
	})
	w := newRecorder() // the document has no such response
	r, err := http.NewRequestWithContext(t.Context(), "GET", "https://census.example/docs", nil)
	if err != nil {
		t.Fatal(err)
	}
	if broken.handler.ServeHTTP(w, r); w.status != 500 {
		t.Errorf("with a frame that fails: %d", w.status)
	}
}

// missingInSdk returns why operations are not in the SDKs, by method and path.
func missingInSdk(t *testing.T) map[string]string {
	t.Helper()
	b, err := os.ReadFile("../sdk/fixtures/calls.json")
	if err != nil {
		t.Fatal(err)
	}
	var calls struct{ NotInSdk map[string]string }
	if err := json.Unmarshal(b, &calls); err != nil {
		t.Fatal(err)
	}
	return calls.NotInSdk
}

// TestDocsPage_samples checks that each operation of the APIs shows calls of the SDKs.
func TestDocsPage_samples(t *testing.T) {
	x := start(t, 0)
	_, served := x.get("/openapi.json")
	doc, err := openapi3.NewLoader().LoadFromData(served)
	if err != nil {
		t.Fatal(err)
	}
	_, page := x.get("/docs")
	notInSdk := missingInSdk(t)
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if notInSdk[method+" "+path] != "" {
				continue
			}
			list, _ := op.Extensions["x-codeSamples"].([]any)
			var labels []string
			for _, e := range list {
				s, _ := e.(map[string]any)
				label, _ := s["label"].(string)
				source, _ := s["source"].(string)
				labels = append(labels, label)
				if !bytes.Contains(page, []byte("<pre>"+string(escaped(source))+"</pre>")) {
					t.Errorf("%s %s: /docs lacks %s", method, path, source)
				}
			}
			if d := cmp.Diff([]string{"TypeScript", "Python", "Java"}, labels); d != "" {
				t.Errorf("%s %s: %s", method, path, d)
			}
		}
	}
}
