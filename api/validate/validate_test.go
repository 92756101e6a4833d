package validate

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/httpd"
	"mcpcensus/internal/lint"
)

func serve(t *testing.T, method, path, kind, body string) *httptest.ResponseRecorder {
	t.Helper()
	e := httpd.NewEngine(httpd.Config{})
	Endpoint{BaseURL: "https://census.example"}.Register(e)
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	r.Header.Set("Authorization", "Bearer ghp_000")
	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)
	return w
}

const valid = `{"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
"name": "com.example/weather", "description": "Weather", "version": "1.2.0",
"remotes": [{"type": "streamable-http", "url": "https://weather.dev/mcp"}]}`

func TestValidate(t *testing.T) {
	got := map[string]lint.Result{}
	for name, body := range map[string]string{
		"valid": valid, "range": strings.Replace(valid, "1.2.0", "^1.2.0", 1), "array": "[]",
		"empty remotes": strings.Replace(valid, `"remotes"`, `"other"`, 1),
	} {
		w := serve(t, "POST", "/v0.1/validate", "application/json", body)
		var r lint.Result
		if err := json.Unmarshal(w.Body.Bytes(), &r); err != nil || w.Code != 200 ||
			w.Header().Get("Access-Control-Allow-Origin") != "*" {
			t.Fatalf("%s: %d %s %v", name, w.Code, w.Body, err)
		}
		for i := range r.Issues {
			r.Issues[i].Message = "" // tested in package lint
		}
		got[name] = r
	}
	want := map[string]lint.Result{
		"valid": {Valid: true, Issues: []lint.Issue{}},
		"range": {Issues: []lint.Issue{{Type: "semantic", Path: "version", Severity: "error",
			Reference: "version-looks-like-range", Line: 2, Column: 69,
			Docs: "https://github.com/modelcontextprotocol/registry/blob/main/docs/reference/server-json/" +
				"official-registry-requirements.md"}}},
		"array": {Issues: []lint.Issue{{Type: "schema", Severity: "error", Reference: "not-an-object",
			Line: 1, Column: 1,
			Docs: "https://github.com/modelcontextprotocol/registry/blob/main/docs/reference/server-json/" +
				"generic-server-json.md"}}},
		"empty remotes": {Valid: true, Issues: []lint.Issue{
			{Type: "linter", Severity: "warning", Reference: "nothing-to-install", Line: 1, Column: 1,
				Docs: "https://census.example/lint#nothing-to-install"},
			{Type: "linter", Path: "other", Severity: "warning", Reference: "unknown-member", Line: 3, Column: 10,
				Docs: "https://census.example/lint#unknown-member"},
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestBadRequests(t *testing.T) {
	for name, c := range map[string]struct {
		method, kind, body string
		status             int
		detail             string
	}{
		"no type":        {"POST", "", valid, 200, ""},
		"other JSON":     {"POST", "application/ld+json; charset=utf-8", valid, 200, ""},
		"other type":     {"POST", "text/plain", valid, 415, "The body must be application/json."},
		"malformed type": {"POST", "application/", valid, 415, "The body must be application/json."},
		"empty":          {"POST", "application/json", "", 400, "The body cannot be read: the file is empty"},
		"not JSON":       {"POST", "application/json", "{\n\"name\": }", 400, "(line 2, column 9)"},
		"nested":         {"POST", "application/json", strings.Repeat("[", 1<<20), 400, "exceeded max depth"},
		"deep":           {"POST", "application/json", strings.Repeat("[", 70) + strings.Repeat("]", 70), 400, "64 levels"},
		"not UTF-8":      {"POST", "application/json", "\"\xff\"", 400, "not valid UTF-8"},
		"too large":      {"POST", "application/json", `"` + strings.Repeat("x", 1<<20) + `"`, 413, "1048576 bytes"},
		"GET":            {"GET", "", "", 405, "Supported methods: POST, OPTIONS."},
		"preflight":      {"OPTIONS", "", "", 204, ""},
	} {
		for _, path := range paths {
			w := serve(t, c.method, path, c.kind, c.body)
			var p httpd.Problem
			_ = json.Unmarshal(w.Body.Bytes(), &p)
			if w.Code != c.status || !strings.Contains(p.Detail, c.detail) {
				t.Errorf("%s %s: %d %s", path, name, w.Code, w.Body)
			}
		}
	}
	w := serve(t, "OPTIONS", paths[0], "", "")
	if got := w.Header().Get("Access-Control-Allow-Methods"); got != "POST, OPTIONS" {
		t.Errorf("preflight allows %q", got)
	}
	if w := serve(t, http.MethodPost, "/v0.1/validate/", "", valid); w.Code != 404 {
		t.Errorf("below the path: %d", w.Code)
	}
}
