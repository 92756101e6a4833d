package main

import (
	"encoding/json"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// A linkCheck goes over all files of an export.
type linkCheck struct {
	t     *testing.T
	base  string            // address of the folder
	files map[string]string // by name
	ids   map[string]map[string]bool
	links int
}

// checkLinks fails if a link of any exported file leads to nothing, or a
// server lacks one of its files or is missing in a list.
func checkLinks(t *testing.T, dir, base string) {
	t.Helper()
	c := &linkCheck{t: t, base: base, files: map[string]string{}, ids: map[string]map[string]bool{}}
	var slugs []string
	for name := range filesBelow(t, dir) {
		b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		c.files[name] = string(b)
		if slug, ok := strings.CutSuffix(name, ".health.json"); ok {
			slugs = append(slugs, strings.TrimPrefix(slug, "servers/"))
		}
	}
	docs := map[string]*html.Node{}
	for name, body := range c.files {
		if strings.HasSuffix(name, ".html") {
			doc, err := html.Parse(strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			docs[name], c.ids[name] = doc, map[string]bool{}
			for n := range doc.Descendants() {
				for _, a := range n.Attr {
					if a.Key == "id" {
						if c.ids[name][a.Val] {
							t.Errorf("%s: id %q is there twice", name, a.Val)
						}
						c.ids[name][a.Val] = true
					}
				}
			}
		}
	}
	for name, body := range c.files {
		switch path.Ext(name) {
		case ".html":
			c.page(name, docs[name])
		case ".json":
			c.json(name, body)
		case ".atom":
			c.all(name, body, regexp.MustCompile(`href="([^"]*)"`))
		case ".xml":
			c.all(name, body, regexp.MustCompile(`<loc>([^<]*)</loc>`))
		case ".css":
			c.all(name, body, regexp.MustCompile(`url\(([^)]*)\)`))
		case ".md", ".txt":
			c.all(name, regexp.MustCompile(`\S*(SLUG|CATEGORY|OWNER)\S*`).ReplaceAllString(body,
				""), regexp.MustCompile(`(?:\]\(|Sitemap: )([^)\s]*)`))
		}
	}
	// Each server is in each of the lists.
	rows, listed, mapped := "", "", ""
	for name, body := range c.files {
		switch {
		case strings.HasPrefix(name, "search/rows/"):
			rows += body
		case strings.HasPrefix(name, "api/servers/"):
			listed += body
		case strings.HasPrefix(name, "sitemaps/"):
			mapped += body
		}
	}
	for _, slug := range slugs {
		for _, name := range []string{"servers/" + slug + ".html", "servers/" + slug + ".md",
			"servers/" + slug + ".json", "badge/" + slug + ".svg", "badge/" + slug + ".json"} {
			if c.files[name] == "" {
				t.Errorf("%s is missing", name)
			}
		}
		for where, text := range map[string]string{"the index": rows, "the list": listed,
			"the site map": mapped} {
			if !strings.Contains(text, "servers/"+slug+".") {
				t.Errorf("%s is missing in %s", slug, where)
			}
		}
	}
	if len(slugs) < 10 || c.links < 50*len(slugs) {
		t.Errorf("only %d servers with %d links", len(slugs), c.links)
	}
	t.Logf("%d servers, %d files, %d links", len(slugs), len(c.files), c.links)
}

func (c *linkCheck) page(name string, doc *html.Node) {
	for n := range doc.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data == "script" {
			var data any
			if err := json.Unmarshal([]byte(n.Data), &data); err != nil {
				c.t.Errorf("%s: %v in %.200s", name, err, n.Data)
			}
			c.values(name, data, func(string) bool { return false })
		}
		for _, a := range n.Attr {
			switch {
			case slices.Contains([]string{"href", "src", "action"}, a.Key):
				c.link(name, a.Val)
			case slices.Contains([]string{"srcset", "poster", "data", "formaction", "style",
				"background"}, a.Key):
				c.t.Errorf("%s: <%s %s>", name, n.Data, a.Key)
			case a.Key == "content" && strings.HasPrefix(a.Val, c.base):
				c.link(name, a.Val)
			}
		}
	}
}

// json looks at the links of documents, and at the rows of the search index,
// which are shown by a page in the root.
func (c *linkCheck) json(name, body string) {
	var data any
	if err := json.Unmarshal([]byte(body), &data); err != nil {
		c.t.Errorf("%s: %v", name, err)
	}
	if strings.HasPrefix(name, "search/rows/") {
		for _, row := range data.([]any) {
			nodes, err := html.Parse(strings.NewReader(row.(string)))
			if err != nil {
				c.t.Fatal(err)
			}
			c.page("servers.html", nodes)
		}
		return
	}
	c.values(name, data, func(key string) bool { return key == "links" || key == "next" })
}

// values follows the addresses of this copy in a document, and below the keys
// that are all links.
func (c *linkCheck) values(name string, data any, links func(key string) bool) {
	switch data := data.(type) {
	case map[string]any:
		for k, v := range data {
			if k == "@id" { // a name, not a link
				continue
			}
			if s, ok := v.(string); ok && links(k) {
				c.link(name, s)
				continue
			}
			all := links(k)
			c.values(name, v, func(key string) bool { return all || links(key) })
		}
	case []any:
		for _, v := range data {
			c.values(name, v, links)
		}
	case string:
		if strings.HasPrefix(data, c.base) {
			c.link(name, data)
		}
		if strings.HasPrefix(data, "/servers/") || strings.HasPrefix(data, "/v1/") ||
			strings.HasPrefix(data, "/api/") || strings.HasPrefix(data, "/badge/") {
			c.t.Errorf("%s: %q needs a server", name, data)
		}
	}
}

func (c *linkCheck) all(name, body string, links *regexp.Regexp) {
	for _, m := range links.FindAllStringSubmatch(body, -1) {
		c.link(name, html.UnescapeString(m[1]))
	}
}

// link follows a link of a file.
func (c *linkCheck) link(from, to string) {
	base, err := url.Parse(c.base + "/" + from)
	if err != nil {
		c.t.Fatal(err)
	}
	u, err := base.Parse(to)
	if err != nil {
		c.t.Errorf("%s: %q: %v", from, to, err)
		return
	}
	if u.Host != base.Host || u.Scheme != base.Scheme {
		return // of others
	}
	c.links++
	root, err := url.Parse(c.base + "/")
	if err != nil {
		c.t.Fatal(err)
	}
	name, ok := strings.CutPrefix(u.Path, root.Path)
	if name == "" || strings.HasSuffix(name, "/") {
		name += "index.html"
	}
	if _, there := c.files[name]; !ok || !there {
		c.t.Errorf("%s: %q leads to nothing", from, to)
		return
	}
	// Headings are linked to by what their README calls them, rightly or not.
	if id := u.Fragment; id != "" && !strings.HasPrefix(id, "readme-") && !c.ids[name][id] {
		c.t.Errorf("%s: %q leads to no place in %s", from, to, name)
	}
}
