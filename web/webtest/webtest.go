// Package webtest has what tests of several packages of pages use.
package webtest

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"mcpcensus/internal/generate"
	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
	"mcpcensus/scorer"
)

// Now is the time of all tests.
var Now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// clientSchemes are those of links that open a client.
var clientSchemes = []string{"cursor", "vscode", "vscode-insiders", "lmstudio", "goose"}

// Attacks are texts from outside that must stay text on every page.
var Attacks = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `'-alert(1)-'`, `javascript:alert(1)`,
	`</title><script>alert(1)</script>`, `{{.Site}}`, "\u202egnp.exe",
	`<svg/onload=alert(1)>`, `&lt;script&gt;`, `]]><script>`,
	`" autofocus onfocus="alert(1)`, strings.Repeat("A",
		3000), "\ufffd\ufeff", `data:text/html,<script>alert(1)</script>`,
}

// Hostile returns a server all of whose texts are x.
func Hostile(slug, x string) registry.Server {
	at := Now.AddDate(0, 0, -3)
	n := 5
	d := int64(77)
	f := registry.Facts{Repo: registry.Repository{
		Host: registry.GitHub, ID: 9, Owner: "evil", Name: slug,
		CreatedAt: at.AddDate(-1, 0, 0), PushedAt: at, ObservedAt: Now,
	}}
	h := scorer.Health(f, Now)
	h.Categories = []registry.HealthSection{{
		Category: "maintenance", Weight: 26, Score: new(float64),
		Checks: []registry.Check{{
			ID: "x1", Name: x, Result: "fail", State: "ok", Max: 9, Reason: x, Fix: x,
			Evidence: []registry.Evidence{
				{Type: "file", Ref: x, URL: "javascript:alert(1)", Text: x},
				{Type: "file", Ref: x, URL: "https://e.example/" + x},
			},
		}},
	}}
	h.Caps = []registry.Cap{{ID: "c", Max: 20, Reason: x, Applied: true}}
	h.Improve = []registry.Improvement{{Check: "x1", Gain: 3, Text: x}}
	return registry.Server{
		Slug: slug, Name: x, Title: x, Description: x, Category: "tools", Tags: []string{x},
		SDK: "go", Framework: x, Language: x, License: x, RegistryName: "io.example/" + slug,
		Health: h, Stars: &n, Downloads: &d, DownloadsBy: map[string]int64{x: 1},
		Homepage: "javascript:alert(1)", Icon: x, Repo: f.Repo, Subfolder: "src/a",
		Transports: []string{x}, InstallCommand: x, LatestVersion: x,
		Status: registry.StatusDeprecated, StatusMessage: x,
		Packages: []registry.Package{{RegistryType: "npm", Identifier: x, Version: x}},
		Remotes: []registry.Remote{{Type: "sse", URL: "javascript:alert(1)",
			Headers: []registry.Variable{{Name: x, Description: x}}}},
		Variables: []registry.Variable{
			{Name: x, Description: x, Default: x, Choices: []string{x}, IsSecret: true},
		},
		Tools: []registry.Tool{{Name: x, Description: x}}, ToolCount: &n,
		UpdatedAt: at, CreatedAt: at, LastCrawledAt: &at,
	}
}

// Plain returns a server without hostile texts, of the packages.
func Plain(slug string, packages ...registry.Package) registry.Server {
	s := Hostile(slug, "Weather")
	s.Status, s.Subfolder, s.Packages, s.Remotes, s.Variables = registry.StatusActive, "", packages, nil, nil
	s.InstallCommand, _ = install.For(packages)
	return s
}

// Generated returns n servers, always the same.
func Generated(n int) []registry.Server {
	return slices.Collect(generate.Servers(n, 7))
}

// Harmless fails if a page could do harm: it runs no scripts of others, loads nothing from
// elsewhere and links only to pages and clients. It also checks labels, ids and headings.
func Harmless(t testing.TB, path string, res *http.Response, body string) {
	t.Helper()
	csp := res.Header.Get("Content-Security-Policy")
	if !strings.HasPrefix(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
		t.Errorf("%s: Content-Security-Policy %q", path, csp)
	}
	doc, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	c := check{TB: t, path: path, ids: map[string]bool{}, labels: map[string]bool{}}
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode {
			c.element(n)
		}
	}
	if c.headings != 1 {
		t.Errorf("%s: %d h1", path, c.headings)
	}
	for _, f := range c.fields {
		if !c.labels[f] {
			t.Errorf("%s: field %q has no label", path, f)
		}
	}
	if !c.ids["main"] {
		t.Errorf("%s: nothing for the skip link", path)
	}
}

// A check is of one page.
type check struct {
	testing.TB
	path        string
	ids, labels map[string]bool
	fields      []string
	headings    int
}

func (c *check) element(n *html.Node) {
	attrs := map[string]string{}
	for _, a := range n.Attr {
		attrs[a.Key] = a.Val
	}
	for name, value := range attrs {
		if strings.HasPrefix(name, "on") || name == "style" || name == "srcdoc" {
			c.Errorf("%s: <%s %s=%q>", c.path, n.Data, name, value)
		}
		if name == "href" || name == "src" || name == "action" {
			c.link(n.Data, value, attrs)
		}
	}
	switch n.Data {
	case "script":
		own := strings.HasPrefix(attrs["src"], "/static/site-") && n.FirstChild == nil
		if !own && (attrs["src"] != "" || attrs["type"] != "application/ld+json") {
			c.Errorf("%s: <script src=%q>", c.path, attrs["src"])
		}
	case "iframe", "object", "embed", "style", "base":
		c.Errorf("%s: <%s>", c.path, n.Data)
	case "h1":
		c.headings++
	case "label":
		c.labels[attrs["for"]] = true
	case "input", "select", "textarea":
		if attrs["type"] != "hidden" {
			c.fields = append(c.fields, attrs["id"])
		}
	case "img":
		if _, ok := attrs["alt"]; !ok {
			c.Errorf("%s: an image without alt", c.path)
		}
	}
	if id := attrs["id"]; id != "" {
		if c.ids[id] {
			c.Errorf("%s: id %q is there twice", c.path, id)
		}
		c.ids[id] = true
	}
}

// link checks an attribute with a URL.
func (c *check) link(element, value string, attrs map[string]string) {
	u, err := url.Parse(value)
	if err != nil {
		c.Errorf("%s: <%s> with %q", c.path, element, value)
		return
	}
	schemes := []string{"", "http", "https"}
	if element == "a" {
		schemes = append(schemes, clientSchemes...)
	}
	if !slices.Contains(schemes, u.Scheme) {
		c.Errorf("%s: <%s> with %q", c.path, element, value)
	}
	if u.Host == "" {
		return
	}
	if _, ok := attrs["rel"]; element == "a" && !ok {
		c.Errorf("%s: a link to %s without rel", c.path, u.Host)
	}
	if element == "img" || element == "link" && attrs["rel"] == "stylesheet" {
		c.Errorf("%s: loads from %s", c.path, u.Host)
	}
}

// picturesOf are the folders that decide what the pictures of docs/images show: the pages, their
// style, and the servers of the demo.
var picturesOf = []string{"web/templates", "web/static", "crawler/github/fakegithub/fixtures"}

// PicturesFile is the file in docs/images with the hash of what the pictures were made from.
const PicturesFile = "made-from.sha256"

// PicturesHash returns the hash of what pictures of pages are made from. root is the folder of the
// module.
func PicturesHash(root string) (string, error) {
	sum := sha256.New()
	for _, dir := range picturesOf {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			b, err := os.ReadFile(path)
			one := sha256.Sum256(b)
			sum.Write([]byte(e.Name()))
			sum.Write(one[:])
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
