package feeds

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"strings"
	"text/template"
	"time"

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

// markdownFunctions are what the templates of Markdown may call. text, code,
// fenced and link escape a text from outside, and are the only way to write one.
var markdownFunctions = template.FuncMap{
	"text":      markdownText,
	"code":      markdownCode,
	"fenced":    markdownBlock,
	"link":      markdownLink,
	"otherwise": func(instead, s string) string { return cmp.Or(s, instead) },
	"cut":       format.Cut,
	"capital":   format.Capital,
	"join":      func(list []string) string { return strings.Join(list, ", ") },
	"day":       func(t any) string { return site.TimeOr(t, isoDay, "unknown") },
	"known":     func(v any) string { return site.NumberOr(v, text.Thousands[int64], "unknown") },
	"deref":     func(n *int) int { return *n },
	"derefF":    func(n *float64) float64 { return *n },
	"percent":   format.Percent,
	"endpoint":  format.Endpoint,
	"result":    resultText,
	"source":    func(id string) string { return markdownText(format.CheckSource(id)) },
	"inspection": func(i *registry.Inspection) string {
		return markdownText(format.Inspection(i))
	},
}

const (
	maxTools      = 1000
	maxToolFields = 64 << 10 // bytes of the texts of parameters of all tools together
)

type markdownPage struct {
	record.Record
	Weight *record.ToolWeight
	Site   *site.Site
}

// ShownTools are the tools with their parameters.
func (p markdownPage) ShownTools() []record.Tool {
	return p.ToolsWithFields(maxTools, maxToolFields)
}

// Markdown responds to GET /servers/{slug}.md with the page of a server for
// programs such as language models. It leaves out the README.
func (f *Feeds) Markdown(
	_ context.Context, c *gin.Context, v *catalog.View,
) error {
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
	body, err := f.MarkdownOf(v, i, r)
	if err != nil {
		return err
	}
	f.Counter.Event(meter.EventView, i.Slug(), c.Request)
	h := c.Writer.Header()
	h.Set("X-Robots-Tag", "noindex") // search engines should index the page
	if f.BaseURL != "" {
		h.Set("Link", "<"+f.Address("/servers/"+i.Slug())+`>; rel="canonical"`)
	}
	httpd.Write(c, httpd.Response{Type: "text/markdown; charset=utf-8", Tag: site.ContentTag(body),
		Cache: "public, no-cache", Body: body, Zipped: f.Zip(c, body)})
	return nil
}

// MarkdownOf returns a listed server as Markdown.
func (f *Feeds) MarkdownOf(v *catalog.View, i *catalog.Item, r record.Record) ([]byte, error) {
	var b bytes.Buffer
	err := f.templates.ExecuteTemplate(&b, "server.md", markdownPage{r, record.WeightOf(v, i, r), f.Site})
	return b.Bytes(), err
}

func isoDay(t time.Time) string { return t.UTC().Format(time.DateOnly) }

func resultText(result string) string {
	if result == "notApplicable" {
		return "not applicable"
	}
	return markdownText(result)
}
