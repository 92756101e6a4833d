package pages_test

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"mcpcensus/web"
	"mcpcensus/web/webtest"
	"mcpcensus/web/webtest/sitetest"
)

func TestLint(t *testing.T) {
	post := func(s *sitetest.Site, want int, file string, header ...string) string {
		t.Helper()
		r := httptest.NewRequest("POST", "https://census.example/lint",
			strings.NewReader(url.Values{"file": {file}}.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		s.Handler.ServeHTTP(w, r)
		webtest.Harmless(t, "/lint", w.Result(), w.Body.String())
		if w.Code != want {
			t.Errorf("status %d, want %d", w.Code, want)
		}
		return w.Body.String()
	}
	s := sitetest.New(t, nil)
	if body := s.Page("/lint", 200); !strings.Contains(body, `id="vscode-npx-prompt"`) ||
		!strings.Contains(body, `href="/docs#v0-1-validate-post"`) {
		t.Error("the form has no rules or no link to the API")
	}
	const valid = `{"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
"name": "com.example/weather", "description": "Weather", "version": "1.2.0",
"remotes": [{"type": "streamable-http", "url": "https://weather.dev/mcp"}]}`
	for file, want := range map[string]string{
		valid: "<b>The file is valid.</b> 0 errors, 0 warnings, 0 notes.",
		strings.Replace(valid, "1.2.0", "^1.2.0", 1): `<b>Error</b> <code>version</code> ` +
			`<span class="quiet">line 2, column 69</span>`,
		strings.Replace(valid, "remotes", "<b>x</b>", 1):  `<a href="#unknown-member">Unknown member</a>`,
		"<script>alert(1)</script>":                       "not valid JSON: invalid character",
		strings.Repeat("[", 70) + strings.Repeat("]", 70): "nested more than 64 levels deep",
		"\"\xff\x00\"": "<b>The file is not valid.</b>",
	} {
		if body := post(s, 200, strings.ReplaceAll(file, "\n", "\r\n")); !strings.Contains(body, want) {
			t.Errorf("%.60s: the page does not have %s", file, want)
		}
	}
	if body := post(s, 200, "{\n\"a\": 1}"); !strings.Contains(body, ">\n{\n&#34;a&#34;: 1}</textarea>") {
		t.Error("the text is not shown again")
	}
	for file, want := range map[string]string{
		" \r\n":                     "Paste the text of a server.json.",
		strings.Repeat("x", 33_000): "The file is too large for this form.",
	} {
		if body := post(s, 400, file); !strings.Contains(body, want) {
			t.Errorf("%.60s: the page does not have %s", file, want)
		}
	}
	post(s, 413, strings.Repeat("x", 70_000))
	post(s, 403, valid, "Sec-Fetch-Site", "cross-site")
	post(sitetest.New(t, nil, func(o *web.Options) { o.Site.Limiter = sitetest.Exhausted{} }), 429, valid)
}
