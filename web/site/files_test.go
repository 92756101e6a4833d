package site

import (
	"io/fs"
	"net/url"
	"strings"
	"testing"
)

func TestFileOf(t *testing.T) {
	for address, want := range map[string]string{
		"/": "index.html", "/servers": "servers.html", "/servers?page=1": "servers.html", "/servers?page=12": "servers/page/12.html", "/categories/data?page=2": "categories/data/page/2.html",
		"/servers/a-b": "servers/a-b.html", "/servers/a-b.md": "servers/a-b.md", "/docs/scoring": "docs/scoring.html", "/static/x.css": "static/x.css", "/owners/Octo": "owners/octo.html",
		"/owners/octo/feed.atom": "owners/octo/feed.atom", "/tags/node.js": "tags/node.js.html", "/stats.json": "stats.json", "/api/health?server=a-b": "servers/a-b.health.json", "/feed.atom": "feed.atom",
	} {
		if got := FileOf(address); got != want {
			t.Errorf("%s is in %s, want %s", address, got, want)
		}
	}
	seen := map[string]string{}
	for _, tag := range []string{"c++", "c--", "c", "天气", "天", "a/b", "..", ".", " ", "a b", "a-b", strings.Repeat("x", 300), strings.Repeat("x", 301), "-", "%2e", "con:", `a\b`, "a\x00b"} {
		name := FileOf("/tags/" + url.PathEscape(tag))
		if !fs.ValidPath(name) || strings.Count(name, "/") != 1 || strings.ContainsAny(name, `:\%?# `) || len(name) > 120 {
			t.Errorf("%q is in %q", tag, name)
		}
		if other, taken := seen[name]; taken {
			t.Errorf("%q and %q are both in %s", tag, other, name)
		}
		seen[name] = tag
	}
}
