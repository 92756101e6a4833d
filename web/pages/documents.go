package pages

import (
	"bytes"
	"context"
	"html/template"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"

	"mcpcensus/docs"
	"mcpcensus/internal/account"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
	"mcpcensus/web/record"
	"mcpcensus/web/site"
)

type documentPage struct {
	site.Frame
	Body template.HTML
}

// documents are the pages that show a file of docs.
var documents = []struct{ name, title, description string }{
	{"scoring", "How servers are scored",
		"Every check of the health score, its weight and how to fix it."},
	{"tools", "Tools of servers",
		"Where lists of tools come from, their hashes and tokens, and the rules for suspicious texts."},
	{"accuracy", "How accurate the data is",
		"How often facts on servers are right: figures of the acceptance test, data and method."},
	{"sdk", "SDKs",
		"Clients of the API for TypeScript, Python and Java, with examples."},
}

var section = regexp.MustCompile(`(?s)<h2 id="([^"]+)">(.*?)</h2>`)

// withContents adds links to the sections before the first of them.
func withContents(page []byte) []byte {
	found := section.FindAllSubmatch(page, -1)
	if len(found) == 0 {
		return page
	}
	var b bytes.Buffer
	b.WriteString(`<nav aria-label="Contents"><ul class="chips">`)
	for _, f := range found {
		b.WriteString(`<li><a href="#` + string(f[1]) + `">` + string(f[2]) + `</a></li>`)
	}
	b.WriteString("</ul></nav>\n")
	at := bytes.Index(page, found[0][0])
	return slices.Concat(page[:at], b.Bytes(), page[at:])
}

// documentHandlers returns the handlers of the documents by path. Each document is rendered
// when it is first shown.
func (p *Pages) documentHandlers() map[string]httpd.Handler {
	all := map[string]httpd.Handler{}
	for _, d := range documents {
		render := sync.OnceValues(func() (template.HTML, error) { return documentHTML(docs.Page(d.name)) })
		path := "/docs/" + d.name
		all[path] = func(_ context.Context, c *gin.Context) error {
			body, err := render()
			if err != nil {
				return err
			}
			page := documentPage{Frame: p.NewFrame(d.title, d.name), Body: body}
			page.Description, page.Canonical = d.description, path
			return p.Show(c, http.StatusOK, "document", site.ByContent, page)
		}
	}
	return all
}

// documentHTML renders a document of the program. The text is trusted, so its HTML is not sanitized.
func documentHTML(markdown string) (template.HTML, error) {
	md := goldmark.New(goldmark.WithExtensions(extension.Table),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(html.WithUnsafe()))
	var b bytes.Buffer
	if err := md.Convert([]byte(markdown), &b); err != nil {
		return "", err
	}
	out := bytes.ReplaceAll(b.Bytes(), []byte("<table>"),
		[]byte(`<div class="wide" tabindex="0"><table>`))
	out = bytes.ReplaceAll(out, []byte("</table>"), []byte("</table></div>"))
	// inline styles are forbidden
	out = bytes.ReplaceAll(out, []byte(` style="text-align:`), []byte(` data-align="`))

	seen := map[string]bool{} // a cap and a flag may share an id; the first keeps it
	out = anchor.ReplaceAllFunc(out, func(a []byte) []byte {
		if seen[string(a)] {
			return nil
		}
		seen[string(a)] = true
		return a
	})
	// links between the files in docs/
	out = fileLink.ReplaceAll(out, []byte(`href="/docs/$1$2"`))
	out = withContents(out)
	out = headingAnchor.ReplaceAllFunc(out, func(h []byte) []byte {
		level, id, _ := bytes.Cut(h, []byte(" "))
		if seen[`<a `+strings.TrimSuffix(string(id), ">")+`></a>`] {
			return append(bytes.Clone(level), '>')
		}
		return h
	})
	return template.HTML(out), nil
}

var fileLink = regexp.MustCompile(`href="([a-z]+)\.md(#[^"]*)?"`)

var headingAnchor = regexp.MustCompile(`<h[1-6] id="[^"]*">`)

var anchor = regexp.MustCompile(`<a id="[^"]*"></a>`)

type pricingPage struct {
	site.Frame
	Offer   account.Offer
	Keyless int // requests to /api per hour without a key
}

// Features are the rows of the table that the program enforces.
func (p pricingPage) Features() []account.Feature { return account.Features }

// Promised reports whether the operator promises a text for a plan or a cheaper one.
func (p pricingPage) Promised(plan *account.Plan, text string) bool {
	return slices.ContainsFunc(account.Plans, func(x *account.Plan) bool {
		return x.USD <= plan.USD && slices.Contains(p.Offer.Texts[x.ID], text)
	})
}

func (p *Pages) pricing(_ context.Context, c *gin.Context) error {
	page := pricingPage{Frame: p.NewFrame("Pricing", "pricing"), Offer: p.Offer(),
		Keyless: quota.ClientsHourly}
	page.Description = "Prices and limits of the API with keys. The pages and the discovery API " +
		"are free."
	page.Canonical = "/pricing"
	return p.Show(c, http.StatusOK, "pricing", site.ByContent, page)
}

func (p *Pages) about(_ context.Context, c *gin.Context) error {
	page := struct{ site.Frame }{p.NewFrame("About", "about")}
	page.Description = "What the registry is, where its data comes from, and what a score means."
	page.Canonical = "/about"
	return p.Show(c, http.StatusOK, "about", site.ByContent, page)
}

type mcpPage struct {
	site.Frame
	Endpoint string
	Base     string
	Clients  []record.Client
}

// mcp responds to GET /docs/mcp: how to add the registry's own MCP server to clients.
func (p *Pages) mcp(_ context.Context, c *gin.Context) error {
	if p.Static {
		return registry.Errorf(registry.ErrNotFound, "There is nothing at this URL.")
	}
	page := mcpPage{Frame: p.NewFrame("Use "+p.Brand.Name()+" from your assistant", "mcp"),
		Endpoint: p.BaseURL + "/mcp", Base: p.BaseURL}
	page.Clients = record.Connect("census", page.Brand().Name(), page.Endpoint)
	page.Description = "How to add this registry to an MCP client, its tools, and its limits."
	page.Canonical = "/docs/mcp"
	return p.Show(c, http.StatusOK, "mcp", site.ByContent, page)
}
