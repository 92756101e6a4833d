package web

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
)

// A machine is what a Site keeps for programs that read it.
type machine struct {
	sitemap sitemap
	feeds   feeds
	social  socialCache
}

// registerMachines adds what is for programs, with get.
func (s *Site) registerMachines(get func(string, httpd.Handler)) {
	get("/robots.txt", s.robots)
	get("/llms.txt", s.llms)
	get("/sitemap.xml", s.sitemapIndex)
	get("/sitemaps/:file", s.sitemapPart)
	get("/feed.atom", s.feed)
	get("/categories/:category/feed.atom", s.feed)
	get("/owners/:owner/feed.atom", s.feed)
	get("/social/:file", s.socialImage)
}

// orMarkdown answers addresses of servers that end in .md with the server as
// Markdown, and others with page.
func (s *Site) orMarkdown(page httpd.Handler) httpd.Handler {
	return func(ctx context.Context, c *gin.Context) error {
		if slug, ok := strings.CutSuffix(c.Param("slug"), ".md"); ok {
			return s.markdown(c, slug)
		}
		return page(ctx, c)
	}
}

// address is the absolute address of a path of this registry.
func (s *Site) address(path string) string {
	if s.Static {
		path = "/" + fileOf(path)
	}
	return s.BaseURL + path
}

// quiet are the paths that search engines are asked to leave alone: what is
// asked for on demand, what belongs to a person, and endless combinations.
var quiet = []string{
	"/compare", "/account", "/servers/*/check", "/servers/*/clicks", "/api/", "/v1/",
	"/*?q=*&", "/*?*&q=", "/*?*sort=", "/*?*part=", "/*?*sdk=", "/*?*transport=", "/*?*license=", "/*?*grade=", "/*?*has=", "/*?*category=", "/*?*tag=", "/*?*owner=",
}

// robots answers GET /robots.txt.
func (s *Site) robots(_ context.Context, c *gin.Context) error {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	if s.Static {
		b.WriteString("Allow: /\n")
	} else {
		b.WriteString("Allow: /api/health\nAllow: /api/discover\nAllow: /api/servers\n") // what llms.txt leads to
		for _, p := range quiet {
			b.WriteString("Disallow: " + p + "\n")
		}
	}
	if s.BaseURL != "" {
		b.WriteString("\nSitemap: " + s.BaseURL + "/sitemap.xml\n")
	}
	httpd.Write(c, httpd.Answer{Type: "text/plain; charset=utf-8", Tag: contentTag([]byte(b.String())), Cache: "public, max-age=86400", Body: []byte(b.String())})
	return nil
}

// llms answers GET /llms.txt: what the registry is, for language models, and
// where it is easy for them to read.
func (s *Site) llms(_ context.Context, c *gin.Context) error {
	v, err := s.view()
	if err != nil {
		return err
	}
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# %s", mdText(s.Brand.Name()))
	line("")
	line("> A registry of MCP (Model Context Protocol) servers: %d servers, each with a health score from 0 to 100 that can be taken apart check by check, the facts it rests on, and how to install it.", v.Len())
	line("")
	line("Health says whether a server is looked after, can be installed, is documented, tested and safe. A score of 80 or more (grade A) is fit for production. A score that is null is not known: it is not zero. Popularity is a number of its own. A score is no audit.")
	line("")
	line("## One server")
	line("")
	if s.Static {
		line("- [Page as Markdown](%s/servers/SLUG.md): everything known of a server, with SLUG in place", s.BaseURL)
		line("- [Record as JSON](%s/servers/SLUG.json)", s.BaseURL)
		line("- [Health as JSON](%s/servers/SLUG.health.json): every check with its reason, evidence and fix", s.BaseURL)
	} else {
		line("- [Page as Markdown](%s/servers/SLUG.md): everything known of a server, with SLUG in place", s.BaseURL)
		line("- [Health as JSON](%s/api/health?server=SLUG): every check with its reason, evidence and fix", s.BaseURL)
		line("- [Health of any repository](%s/api/health?githubUrl=https://github.com/OWNER/NAME): also of those that are not listed", s.BaseURL)
	}
	line("- [Badge](%s/badge/SLUG.svg), and [the same for shields.io](%s/badge/SLUG.json)", s.BaseURL, s.BaseURL)
	line("")
	line("## Many servers")
	line("")
	if s.Static {
		line("- [The whole directory as JSON](%s/api/servers/1.json): 100 servers a file, best first; \"next\" names the next file", s.BaseURL)
	} else {
		line("- [Find servers](%s/api/discover?search=postgres&minScore=80): by words, category and least score, as JSON", s.BaseURL)
		line("- [Find tools](%s/api/discover?search=postgres&format=mcp): the same as MCP tool entries with their installation", s.BaseURL)
		line("- [The whole directory](%s/api/servers?limit=100): in pages; no key is needed, 100 requests an hour", s.BaseURL)
	}
	line("- By [category](%s), [tag](%s) and [owner](%s): pages that name them all, with how many servers each has", s.address("/categories"), s.address("/tags"), s.address("/owners"))
	line("- [News](%s/feed.atom): new servers, releases and changes of score, as Atom; also of a category (%s/categories/CATEGORY/feed.atom) and an owner (%s/owners/OWNER/feed.atom)", s.BaseURL, s.BaseURL, s.BaseURL)
	line("- [Site map](%s/sitemap.xml)", s.BaseURL)
	line("")
	line("Categories: %s.", strings.Join(registry.Categories, ", "))
	line("")
	line("## How it works")
	line("")
	line("- [How servers are scored](%s): every check, what it is worth and how to mend it", s.address("/docs/scoring"))
	if !s.Static {
		line("- [API](%s/docs), [as an OpenAPI document](%s/openapi.json)", s.BaseURL, s.BaseURL)
	}
	body := []byte(b.String())
	httpd.Write(c, httpd.Answer{Type: "text/plain; charset=utf-8", Tag: contentTag(body), Cache: "public, max-age=3600", Body: body, Zipped: s.zip(c, body)})
	return nil
}

// zip compresses an answer for who takes it.
func (s *Site) zip(c *gin.Context, body []byte) []byte {
	if s.Static || c.Request.Method == http.MethodHead || !httpd.TakesGzip(c.Request) {
		return nil
	}
	return httpd.Zip(body)
}
