package feeds

import (
	"bytes"
	"context"
	"strings"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/web/site"
)

// disallowed are the paths that robots.txt excludes: content generated on demand, account
// pages, and combinations of filters.
var disallowed = []string{
	"/compare", "/account", "/servers/*/check", "/servers/*/clicks", "/api/", "/v1/",
	"/*?q=*&", "/*?*&q=", "/*?*sort=", "/*?*part=", "/*?*sdk=", "/*?*transport=", "/*?*license=",
	"/*?*grade=",
	"/*?*has=", "/*?*category=", "/*?*tag=", "/*?*owner=", "/*?*official=",
}

// robots responds to GET /robots.txt.
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
