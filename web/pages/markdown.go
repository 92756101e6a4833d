package pages

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"strings"
	"text/template"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/web/format"
	"mcpcensus/web/record"
	"mcpcensus/web/site"
)

// markdownFunctions are the functions of server.md. text, code, fenced and link escape
// a text from outside, and are the only way to write one.
var markdownFunctions = template.FuncMap{
	"marked":        registry.MarkedDescription,
	"text":          format.Markdown,
	"code":          format.MarkdownCode,
	"fenced":        format.MarkdownBlock,
	"link":          format.MarkdownLink,
	"otherwise":     func(instead, s string) string { return cmp.Or(s, instead) },
	"cut":           func(n int, s string) string { return text.Fit(s, n) },
	"capital":       format.Capital,
	"join":          func(list []string) string { return strings.Join(list, ", ") },
	"day":           func(t any) string { return site.TimeOr(t, text.Day, "unknown") },
	"known":         func(v any) string { return site.NumberOr(v, text.Thousands[int64], "unknown") },
	"plural":        site.Plural,
	"deref":         func(n *int) int { return *n },
	"derefS":        func(s *string) string { return *s },
	"derefF":        func(n *float64) float64 { return *n },
	"percent":       format.Percent,
	"category":      format.Category,
	"effect":        format.Effect,
	"versionFrom":   format.VersionSource,
	"endpoint":      format.Endpoint,
	"endpointDates": format.EndpointDates,
	"result":        resultText,
	"source":        func(id string) string { return format.Markdown(format.CheckSource(id)) },
	"inspection": func(i *registry.Inspection) string {
		return format.Markdown(i.Sentence())
	},
}

func resultText(result string) string {
	if result == "notApplicable" {
		return "not applicable"
	}
	return format.Markdown(result)
}

// Limits of the Markdown, which is complete where the page is not.
const (
	maxMarkdownTools  = 1000
	maxMarkdownFields = 64 << 10 // bytes of the texts of parameters of all tools together
)

type markdownPage struct {
	record.Record
	*details
	Site *site.Site
}

// ShownTools are the tools with their parameters.
func (p markdownPage) ShownTools() []record.Tool {
	return p.WithFields(p.Tools[:min(len(p.Tools), maxMarkdownTools)], maxMarkdownFields)
}

// markdown renders a server as Markdown, without its README.
func (p *Pages) markdown(r record.Record, d *details) ([]byte, error) {
	t, err := p.markdownTemplate()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.ExecuteTemplate(&b, "server.md", markdownPage{r, d, p.Site})
	return b.Bytes(), err
}

// Markdown responds to GET /servers/{slug}.md with the page of a server for programs
// such as language models.
func (p *Pages) Markdown(ctx context.Context, c *gin.Context, v *catalog.View) error {
	slug := strings.TrimSuffix(c.Param("slug"), ".md")
	i, err := record.Find(v, slug)
	if err != nil {
		return err
	}
	if i.Slug() != slug {
		c.Redirect(http.StatusPermanentRedirect, "/servers/"+i.Slug()+".md")
		return nil
	}
	r, err := record.Of(i)
	if err != nil {
		return err
	}
	body, err := p.markdown(r, p.detailsOf(ctx, v, i, r))
	if err != nil {
		return err
	}
	p.Counter.Event(meter.EventView, i.Slug(), c.Request)
	h := c.Writer.Header()
	h.Set("X-Robots-Tag", "noindex") // search engines should index the page
	if p.BaseURL != "" {
		h.Set("Link", "<"+p.Address("/servers/"+i.Slug())+`>; rel="canonical"`)
	}
	httpd.Write(c, httpd.Response{Type: "text/markdown; charset=utf-8", Tag: httpd.TagOf(body),
		Cache: "public, no-cache", Body: body, Zipped: p.Zip(c, body)})
	return nil
}
