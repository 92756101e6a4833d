package feeds

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/xml"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
	"mcpcensus/web/browse"
)

const (
	// PartSize is the maximum number of addresses in a part, set by
	// sitemaps.org.
	PartSize = 50_000
	// MinServers is the minimum number of servers of an owner whose list has an
	// entry.
	MinServers = 2

	minTagged  = 5 // minimum number of servers of a tag whose list has an entry
	sitemapTTL = 5 * time.Minute
)

// FixedPages are the pages that do not depend on the data.
var FixedPages = []string{
	"/", "/servers", "/categories", "/tags", "/owners", "/docs/scoring", "/docs/tools",
	"/docs/accuracy", "/docs/sdk", "/stats", "/about", "/pricing",
}

// A Place is an address of the site map.
type Place struct {
	Path    string
	Changed time.Time // zero: unknown
}

// Places returns the addresses that search engines should know.
func (f *Feeds) Places(v *catalog.View) []Place {
	var all []Place
	add := func(paths ...string) {
		for _, p := range paths {
			all = append(all, Place{Path: p})
		}
	}
	add(FixedPages...)
	if !f.Static {
		add("/check", "/lint", "/docs", "/docs/mcp")
		if names := f.Names(v); names != nil {
			for _, t := range Frequent(names.Tags, func(n int) bool { return n >= minTagged }) {
				add("/tags/" + url.PathEscape(t))
			}
		}
	}
	for _, c := range registry.Categories {
		if v.List(c, catalog.ByQuality, -1).Total() > 0 {
			add("/categories/" + c)
		}
	}
	owners := map[string]int{}
	l := v.List("", catalog.ByQuality, -1)
	for n := range l.Total() {
		i := l.At(n)
		all = append(all, Place{"/servers/" + i.Slug(), i.UpdatedAt()})
		if o := i.Owner(); o != "" {
			owners[o]++
		}
	}
	for _, o := range Frequent(owners, func(n int) bool { return n >= MinServers }) {
		add("/owners/" + url.PathEscape(o))
	}
	return all
}

// Frequent returns the names that enough servers have and that can be part of a path, sorted.
func Frequent[V any](names map[string]V, enough func(V) bool) (all []string) {
	for name, of := range names {
		if enough(of) && browse.InPath(name) && name != "" && len(name) <= browse.MaxLength {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// LastChange returns the latest change of places.
func LastChange(places []Place) (t time.Time) {
	for _, p := range places {
		if p.Changed.After(t) {
			t = p.Changed
		}
	}
	return t
}

// SitemapPart returns a part of the site map.
func (f *Feeds) SitemapPart(places []Place) []byte {
	var b bytes.Buffer
	b.WriteString(xml.Header + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` +
		"\n")
	for _, p := range places {
		writePlace(&b, "url", f.Address(p.Path), p.Changed)
	}
	b.WriteString("</urlset>\n")
	return b.Bytes()
}

// SitemapIndex returns the list of the parts, by the times when they changed.
func (f *Feeds) SitemapIndex(changed []time.Time) []byte {
	var b bytes.Buffer
	b.WriteString(xml.Header +
		`<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for n, t := range changed {
		writePlace(&b, "sitemap", f.BaseURL+"/sitemaps/"+strconv.Itoa(n+1)+".xml", t)
	}
	b.WriteString("</sitemapindex>\n")
	return b.Bytes()
}

func writePlace(b *bytes.Buffer, element, address string, changed time.Time) {
	b.WriteString("<" + element + "><loc>")
	_ = xml.EscapeText(b, []byte(address))
	b.WriteString("</loc>")
	if !changed.IsZero() {
		b.WriteString("<lastmod>" + changed.UTC().Format(time.RFC3339) + "</lastmod>")
	}
	b.WriteString("</" + element + ">\n")
}

// A sitemap is the site map of one version of the data.
type sitemap struct {
	tag     string
	parts   [][]byte // compressed with gzip
	changed []time.Time
}

// currentSitemap returns a site map that is at most five minutes old: a crawl changes the
// data every second.
func (f *Feeds) currentSitemap(v *catalog.View) (sitemap, error) {
	return f.sitemaps.Get("", f.Now(), func() (sitemap, time.Duration, error) {
		m := sitemap{tag: f.Tag(v)}
		for part := range slices.Chunk(f.Places(v), PartSize) {
			m.parts = append(m.parts, zipped(f.SitemapPart(part)))
			m.changed = append(m.changed, LastChange(part))
		}
		return m, sitemapTTL, nil
	})
}

// zipped compresses b with gzip, however short it is.
func zipped(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(b) // a bytes.Buffer does not fail
	_ = w.Close()
	return out.Bytes()
}

func (f *Feeds) sitemapIndex(_ context.Context, c *gin.Context, v *catalog.View) error {
	m, err := f.currentSitemap(v)
	if err == nil {
		f.writeXML(c, "application/xml; charset=utf-8", f.SitemapIndex(m.changed))
	}
	return err
}

func (f *Feeds) sitemapPart(_ context.Context, c *gin.Context, v *catalog.View) error {
	name, ok := strings.CutSuffix(c.Param("file"), ".xml")
	n, err := strconv.Atoi(name)
	if err != nil || !ok || strconv.Itoa(n) != name {
		return registry.Errorf(registry.ErrNotFound, "Not found.")
	}
	m, err := f.currentSitemap(v)
	if err != nil {
		return err
	}
	if n < 1 || n > len(m.parts) {
		return registry.Errorf(registry.ErrNotFound, "The site map has %d parts.", len(m.parts))
	}
	a := httpd.Response{Type: "application/xml; charset=utf-8", Tag: m.tag,
		Cache: "public, max-age=300", Body: m.parts[n-1], Zipped: m.parts[n-1]}
	if !httpd.TakesGzip(c.Request) {
		a.Zipped = nil
		r, err := gzip.NewReader(bytes.NewReader(m.parts[n-1]))
		if err == nil {
			a.Body, err = io.ReadAll(r)
		}
		if err != nil {
			return err
		}
	}
	httpd.Write(c, a)
	return nil
}
