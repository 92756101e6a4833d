package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
)

const (
	// perSitemap is how many addresses a part may have by sitemaps.org.
	perSitemap = 50_000
	// sitemapFor is for how long a site map may be behind the data, so that
	// a crawl, which changes them every second, does not have it made all the time.
	sitemapFor = 5 * time.Minute
	// ownAtLeast is how many servers make the list of an owner or of a tag worth
	// an entry of its own.
	ownAtLeast = 2
	// tagAtLeast is how many make that of a tag, of which there are many more.
	tagAtLeast = 5
)

// A sitemap keeps the parts of one version of the data.
type sitemap struct {
	mu      sync.Mutex
	tag     string
	at      time.Time
	parts   [][]byte // compressed
	lastmod []time.Time
}

// A place is an address of the site map.
type place struct {
	path    string
	changed time.Time // zero: not known
}

// places returns the addresses of everything that search engines should know.
func (s *Site) places(v *catalog.View) []place {
	var all []place
	add := func(path string, changed time.Time) { all = append(all, place{path, changed}) }
	for _, p := range s.fixed() {
		add(p, time.Time{})
	}
	if !s.Static {
		add("/check", time.Time{})
		add("/docs", time.Time{})
		if words := s.words(v); words != nil {
			var tags []string
			for t, n := range words.tags {
				if n >= tagAtLeast && inPath(t) && len(t) <= longest {
					tags = append(tags, t)
				}
			}
			slices.Sort(tags)
			for _, t := range tags {
				add("/tags/"+url.PathEscape(t), time.Time{})
			}
		}
	}
	for _, c := range registry.Categories {
		if v.List(c, catalog.ByQuality, -1).Total() > 0 {
			add("/categories/"+c, time.Time{})
		}
	}
	l := v.List("", catalog.ByQuality, -1)
	owners := map[string]int{}
	for n := range l.Total() {
		i := l.At(n)
		add("/servers/"+i.Slug(), i.UpdatedAt())
		if o := i.Owner(); o != "" {
			owners[o]++
		}
	}
	var several []string
	for o, n := range owners {
		if n >= ownAtLeast && inPath(o) {
			several = append(several, o)
		}
	}
	slices.Sort(several)
	for _, o := range several {
		add("/owners/"+url.PathEscape(o), time.Time{})
	}
	return all
}

// fixed returns the addresses of the pages that do not depend on the data.
func (s *Site) fixed() []string {
	paths := []string{"/", "/servers", "/categories", "/tags", "/owners", "/docs/scoring"}
	for _, name := range []string{"stats", "about", "pricing"} {
		if s.pages[name] != nil {
			paths = append(paths, "/"+name)
		}
	}
	return paths
}

const sitemapHead = xml.Header + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n"

// sitemapXML returns a part.
func (s *Site) sitemapXML(places []place) []byte {
	var b bytes.Buffer
	b.WriteString(sitemapHead)
	for _, p := range places {
		b.WriteString("<url><loc>")
		_ = xml.EscapeText(&b, []byte(s.address(p.path)))
		b.WriteString("</loc>")
		if !p.changed.IsZero() {
			b.WriteString("<lastmod>" + p.changed.UTC().Format(time.RFC3339) + "</lastmod>")
		}
		b.WriteString("</url>\n")
	}
	b.WriteString("</urlset>\n")
	return b.Bytes()
}

// newest returns the latest time of places.
func newest(places []place) (t time.Time) {
	for _, p := range places {
		if p.changed.After(t) {
			t = p.changed
		}
	}
	return t
}

// sitemapIndexXML returns the list of parts that last changed at the given
// times.
func (s *Site) sitemapIndexXML(lastmod []time.Time) []byte {
	var b bytes.Buffer
	b.WriteString(xml.Header + `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for n, t := range lastmod {
		b.WriteString("<sitemap><loc>")
		_ = xml.EscapeText(&b, []byte(s.BaseURL+"/sitemaps/"+strconv.Itoa(n+1)+".xml"))
		b.WriteString("</loc>")
		if !t.IsZero() {
			b.WriteString("<lastmod>" + t.UTC().Format(time.RFC3339) + "</lastmod>")
		}
		b.WriteString("</sitemap>\n")
	}
	b.WriteString("</sitemapindex>\n")
	return b.Bytes()
}

// sitemaps returns the parts, compressed, with an entity tag. They are made by
// one request at a time, and not more often than every sitemapFor.
func (s *Site) sitemaps() (tag string, parts [][]byte, lastmod []time.Time, err error) {
	v, err := s.view()
	if err != nil {
		return "", nil, nil, err
	}
	m := &s.machine.sitemap
	m.mu.Lock()
	defer m.mu.Unlock()
	if now := s.Now(); m.tag == "" || m.tag != s.tag(v) && now.Sub(m.at) >= sitemapFor {
		m.tag, m.at, m.parts, m.lastmod = s.tag(v), now, nil, nil
		for part := range slices.Chunk(s.places(v), perSitemap) {
			m.parts, m.lastmod = append(m.parts, zipped(s.sitemapXML(part))), append(m.lastmod, newest(part))
		}
	}
	return m.tag, m.parts, m.lastmod, nil
}

// zipped returns b as gzip, however short it is.
func zipped(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(b) // a bytes.Buffer takes everything
	_ = w.Close()
	return out.Bytes()
}

// sitemapIndex answers GET /sitemap.xml.
func (s *Site) sitemapIndex(_ context.Context, c *gin.Context) error {
	_, _, lastmod, err := s.sitemaps()
	if err != nil {
		return err
	}
	body := s.sitemapIndexXML(lastmod)
	s.writeXML(c, contentTag(body), "application/xml; charset=utf-8", body)
	return nil
}

// sitemapPart answers GET /sitemaps/{part}.xml.
func (s *Site) sitemapPart(_ context.Context, c *gin.Context) error {
	name, ok := strings.CutSuffix(c.Param("file"), ".xml")
	n, err := strconv.Atoi(name)
	if err != nil || !ok || strconv.Itoa(n) != name {
		return registry.Errorf(registry.ErrNotFound, "There is nothing at this address.")
	}
	tag, parts, _, err := s.sitemaps()
	if err != nil {
		return err
	}
	if n < 1 || n > len(parts) {
		return registry.Errorf(registry.ErrNotFound, "The site map has no part %d: there are %d.", n, len(parts))
	}
	a := httpd.Answer{Type: "application/xml; charset=utf-8", Tag: tag, Cache: "public, max-age=300", Body: parts[n-1], Zipped: parts[n-1]}
	if !httpd.TakesGzip(c.Request) {
		a.Zipped = nil
		r, err := gzip.NewReader(bytes.NewReader(parts[n-1]))
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

// writeXML answers with a document that may be kept for five minutes.
func (s *Site) writeXML(c *gin.Context, tag, kind string, body []byte) {
	h := c.Writer.Header()
	h.Set("Content-Security-Policy", "default-src 'none'")
	httpd.Write(c, httpd.Answer{Status: http.StatusOK, Type: kind, Tag: tag, Cache: "public, max-age=300", Body: body, Zipped: s.zip(c, body)})
}

// contentTag is the entity tag of a body.
func contentTag(b []byte) string {
	sum := sha256.Sum256(b)
	return `W/"` + hex.EncodeToString(sum[:8]) + `"`
}
