// Package feeds serves content for programs: Atom feeds, the site map,
// robots.txt and llms.txt, badges, pictures to share, and servers as
// JSON-LD.
package feeds

import (
	"bytes"
	"context"
	"net/http"
	"net/mail"
	"net/url"
	"strings"
	"text/template"
	"time"

	"github.com/gin-gonic/gin"
	"golang.org/x/sync/semaphore"

	"mcpcensus/internal/cache"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/web/format"
	"mcpcensus/web/site"
)

// News returns events that are not in the catalog, as postgres.DB does.
type News interface {
	News(ctx context.Context, slugs []string, since, until time.Time, limit int) ([]registry.News,
		error)
}

// Feeds responds to requests for feeds. It is safe for concurrent use.
type Feeds struct {
	*site.Site
	Options
	llmsText *template.Template

	atom     *cache.Cache[feed]
	atomBusy *semaphore.Weighted  // requests to News
	faces    *cache.Cache[[]byte] // avatars by host/owner, empty: none
	sitemaps *cache.Cache[sitemap]
}

// Options configure Feeds.
type Options struct {
	News    News
	Avatars Avatars
	Contact string // URL or mail address of the operator; "" for none
	Folder  string // of pictures that were drawn; "" keeps none
	// ByOwner are the servers of each owner; nil: they are read from the catalog.
	ByOwner map[string][]*catalog.Item
}

func New(s *site.Site, o Options) (*Feeds, error) {
	t, err := template.New("llms.txt").Funcs(template.FuncMap{"text": format.Markdown}).
		ParseFS(s.Files, "templates/llms.txt")
	if err != nil {
		return nil, err
	}
	return &Feeds{
		Site: s, Options: o, llmsText: t,
		faces: cache.New[[]byte](maxAvatars), sitemaps: cache.New[sitemap](1),
		atom: cache.New[feed](maxFeeds), atomBusy: semaphore.NewWeighted(2),
	}, nil
}

func (f *Feeds) Register(r gin.IRoutes) {
	for path, h := range map[string]httpd.Handler{
		"/robots.txt":                     f.robots,
		securityPath:                      f.security,
		"/llms.txt":                       f.Viewed(f.llms),
		"/sitemap.xml":                    f.Viewed(f.sitemapIndex),
		"/sitemaps/:file":                 f.Viewed(f.sitemapPart),
		"/feed.atom":                      f.Viewed(f.serveAtom),
		"/categories/:category/feed.atom": f.Viewed(f.serveAtom),
		"/owners/:owner/feed.atom":        f.Viewed(f.serveAtom),
		"/social/:file":                   f.Viewed(f.picture),
		"/badge/:file":                    f.Viewed(f.badge),
		"/avatars/:host/:file":            f.avatar,
	} {
		f.Get(r, path, h)
	}
}

// writeXML responds with a document that may be cached for five minutes.
func (f *Feeds) writeXML(c *gin.Context, kind string, body []byte) {
	c.Writer.Header().Set("Content-Security-Policy", "default-src 'none'")
	httpd.Write(c, httpd.Response{Status: http.StatusOK, Type: kind, Tag: httpd.TagOf(body),
		Cache: "public, max-age=300", Body: body, Zipped: f.Zip(c, body)})
}

// publicFile lets pages of other sites load a response, and disables scripts in it.
func publicFile(c *gin.Context) {
	h := c.Writer.Header()
	h.Set("Content-Security-Policy", "default-src 'none'")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
}

// securityPath is the well-known address of the contact for security reports.
const securityPath = "/.well-known/security.txt"

// securityValid is how long a copy of security.txt may be used.
const securityValid = 180 * 24 * time.Hour

// security responds to GET /.well-known/security.txt, as RFC 9116 describes it. It
// does not exist if the contact of the operator is not a URL or a mail address.
func (f *Feeds) security(_ context.Context, c *gin.Context) error {
	contact := contactURI(f.Contact)
	if contact == "" {
		return registry.Errorf(registry.ErrNotFound, "This registry has no contact for security reports.")
	}
	expires := f.Now().UTC().Add(securityValid).Truncate(24 * time.Hour)
	text := "Contact: " + contact + "\nExpires: " + expires.Format(time.RFC3339) +
		"\nPreferred-Languages: en\n"
	if f.BaseURL != "" {
		text += "Canonical: " + f.BaseURL + securityPath + "\n"
	}
	f.writeText(c, []byte(text), "public, max-age=86400")
	return nil
}

// contactURI returns a contact as an https or mailto URI, "" if it is neither a URL
// nor a mail address.
func contactURI(contact string) string {
	if u, err := url.Parse(contact); err == nil && (u.Scheme == "https" && u.Host != "" ||
		u.Scheme == "mailto") {
		return u.String()
	}
	address, err := mail.ParseAddress(contact)
	if err != nil || strings.ContainsAny(address.Address, "\r\n") {
		return ""
	}
	return (&url.URL{Scheme: "mailto", Opaque: url.PathEscape(address.Address)}).String()
}

// disallowed are the paths that robots.txt excludes: content generated on demand, account
// pages, and combinations of filters.
var disallowed = []string{
	"/compare", "/account", "/servers/*/check", "/servers/*/clicks", "/api/", "/v1/",
	"/*?q=*&", "/*?*&q=", "/*?*sort=", "/*?*part=", "/*?*sdk=", "/*?*transport=", "/*?*license=",
	"/*?*grade=",
	"/*?*has=", "/*?*category=", "/*?*tag=", "/*?*owner=", "/*?*official=",
}

func (f *Feeds) robots(_ context.Context, c *gin.Context) error {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	if f.Static {
		b.WriteString("Allow: /\n")
	} else {
		// llms.txt links to them
		b.WriteString("Allow: /api/health\nAllow: /api/discover\nAllow: /api/servers\n")
		for _, p := range disallowed {
			b.WriteString("Disallow: " + p + "\n")
		}
	}
	if f.BaseURL != "" {
		b.WriteString("\nSitemap: " + f.BaseURL + "/sitemap.xml\n")
	}
	f.writeText(c, []byte(b.String()), "public, max-age=86400")
	return nil
}

type llmsPage struct {
	*site.Site
	Servers    int
	At         string // the day of the number of servers
	Hourly     int    // requests without a key
	Categories string
}

// llms responds to GET /llms.txt, which describes the registry and its
// machine-readable pages to language models.
func (f *Feeds) llms(_ context.Context, c *gin.Context, v *catalog.View) error {
	var b bytes.Buffer
	p := llmsPage{f.Site, v.Len(), text.Day(f.Now()), quota.ClientsHourly, strings.Join(registry.Categories, ", ")}
	if err := f.llmsText.Execute(&b, p); err != nil {
		return err
	}
	f.writeText(c, b.Bytes(), "public, max-age=3600")
	return nil
}

func (f *Feeds) writeText(c *gin.Context, body []byte, cache string) {
	httpd.Write(c, httpd.Response{Type: "text/plain; charset=utf-8", Tag: httpd.TagOf(body),
		Cache: cache,
		Body:  body, Zipped: f.Zip(c, body)})
}
