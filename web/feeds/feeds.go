// Package feeds serves content for programs: Atom feeds, the site map,
// robots.txt and llms.txt, badges, pictures to share, and servers as
// JSON-LD.
package feeds

import (
	"context"
	"net/http"
	"text/template"
	"time"

	"github.com/gin-gonic/gin"
	"golang.org/x/sync/semaphore"

	"mcpcensus/internal/cache"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
	"mcpcensus/web/format"
	"mcpcensus/web/site"
)

// News returns events that are not in the catalog.
type News interface {
	// News returns when servers were listed and how their scores and tools changed on
	// the days from since until before until, at most limit of each, newest first;
	// of all servers if slugs is nil.
	News(ctx context.Context, slugs []string, since, until time.Time, limit int) ([]registry.News,
		error)
}

// Feeds responds to requests for feeds. It is safe for concurrent use.
type Feeds struct {
	*site.Site
	contact  string
	news     News
	avatars  Avatars
	byOwner  map[string][]*catalog.Item
	llmsText *template.Template

	atom     *cache.Cache[feed]
	atomBusy *semaphore.Weighted  // requests to News
	folder   string               // of pictures, "" to draw them again
	faces    *cache.Cache[[]byte] // avatars by host/owner, empty: none
	sitemaps *cache.Cache[sitemap]
}

// Options configure Feeds.
type Options struct {
	News    News    // nil: feeds hold releases only
	Avatars Avatars // nil: there are none
	Contact string  // URL or mail address of the operator; "" for none
	Folder  string  // of pictures that were drawn; "" keeps none
	// ByOwner are the servers of each owner; nil: they are read from the catalog.
	ByOwner map[string][]*catalog.Item
}

// New returns the feeds of a site.
func New(s *site.Site, o Options) (*Feeds, error) {
	t, err := template.New("llms.txt").Funcs(template.FuncMap{"text": format.Markdown}).
		ParseFS(s.Files, "templates/llms.txt")
	if err != nil {
		return nil, err
	}
	return &Feeds{
		Site: s, contact: o.Contact, news: o.News, avatars: o.Avatars, byOwner: o.ByOwner, llmsText: t,
		faces: cache.New[[]byte](maxAvatars), sitemaps: cache.New[sitemap](1),
		atom: cache.New[feed](maxFeeds), atomBusy: semaphore.NewWeighted(2), folder: o.Folder,
	}, nil
}

// Register adds the feeds to r.
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
