package site

import (
	"cmp"
	"encoding/json"
	"html"
	"html/template"
	"maps"
	"net/url"
	"strings"

	"mcpcensus/internal/brand"
	"mcpcensus/web/format"
)

// A Frame holds the data of every page.
type Frame struct {
	Title       string // of the page, without the name of the site
	Description string
	Canonical   string // path with query; "" for none
	NoIndex     bool   // search engines are asked to ignore the page
	Refresh     int    // seconds after which the page reloads; 0: never
	Nav         string // the entry of the menu that the page belongs to
	Query       string // content of the search field
	Searches    bool   // the page has its own search field
	Meta        Meta
	Site        *Site
}

// NewFrame returns the frame of a page that belongs to an entry of the menu.
func (s *Site) NewFrame(title, nav string) Frame { return Frame{Title: title, Nav: nav, Site: s} }

// Style is the address of the style sheet.
func (f Frame) Style() string { return "/static/" + f.Site.styleName() }

// Script is the address of the script.
func (f Frame) Script() string { return "/static/" + f.Site.scriptName() }

// Notice is the operator's notice.
func (f Frame) Notice() string { return f.Site.Options.Notice }

// Brand is the name and look of the registry.
func (f Frame) Brand() brand.Brand { return f.Site.Options.Brand }

// Address is the absolute canonical address, "" for none.
func (f Frame) Address() string {
	if f.Canonical == "" || f.Site.BaseURL == "" {
		return ""
	}
	return f.Site.Address(f.Canonical)
}

// securityHeaders are the headers of every page: only the site's own script
// runs, and nothing is loaded from other sites.
var securityHeaders = map[string]string{
	"Content-Security-Policy": "default-src 'none'; script-src 'self'; connect-src 'self'; " +
		"style-src 'self'; " +
		"img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
	"X-Frame-Options":              "DENY",
	"Referrer-Policy":              "strict-origin-when-cross-origin",
	"Permissions-Policy":           "camera=(), geolocation=(), microphone=(), payment=()",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
}

// securityOf returns the headers of every page. They admit the brand's logo.
func securityOf(b brand.Brand) map[string]string {
	all := maps.Clone(securityHeaders)
	if from := b.LogoOrigin(); from != "" {
		const policy = "Content-Security-Policy"
		all[policy] = strings.Replace(all[policy], "img-src 'self'", "img-src 'self' "+from, 1)
	}
	return all
}

type framedPage struct {
	Frame
	Head, Main template.HTML
}

// Framed renders a page with the content of another package: head is added to its head, main
// is its content. It returns the page, which changes only with the program, and its security
// headers.
func (s *Site) Framed(title, description, path string, head, main template.HTML) (page []byte,
	header map[string]string, err error) {
	nav, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	p := framedPage{Frame: s.NewFrame(title, nav), Head: head, Main: main}
	p.Description, p.Canonical = description, path
	page, err = s.Render("framed", "layout", p)
	return page, s.security, err
}

// Meta is the page-specific metadata in the head.
type Meta struct {
	Markdown string // path of the page as Markdown
	Image    string // path of a picture for sharing the page
	ImageAlt string
	Data     any  // for JSON-LD; nil for none
	Shared   bool // the page has sharing metadata although search engines ignore it
}

// A website describes the registry in terms of schema.org.
type website struct {
	Context string        `json:"@context"`
	Type    string        `json:"@type"`
	Name    string        `json:"name"`
	URL     string        `json:"url"`
	Search  *searchAction `json:"potentialAction,omitempty"`
}

type searchAction struct {
	Type   string `json:"@type"`
	Target string `json:"target"`
	Input  string `json:"query-input"`
}

func (s *Site) website() website {
	w := website{Context: "https://schema.org", Type: "WebSite", Name: s.Brand.Name(),
		URL: s.Address("/")}
	if !s.Static {
		w.Search = &searchAction{"SearchAction", s.BaseURL + "/servers?q={q}", "required name=q"}
	}
	return w
}

// MetaTags are the lines of the head for programs: Open Graph, cards of X, the
// feeds, the page as Markdown, and JSON-LD. The script policy does not apply to JSON-LD, which
// is data; no "<" can end it, because encoding/json escapes it.
func (f Frame) MetaTags() template.HTML {
	var b strings.Builder
	if f.Canonical != "" && (!f.NoIndex || f.Meta.Shared) {
		f.writeSharing(&b)
	}
	f.writeAlternates(&b)
	data := f.Meta.Data
	if f.Canonical == "/" && f.Site.BaseURL != "" {
		data = f.Site.website()
	}
	if data != nil {
		if j, err := json.Marshal(data); err == nil {
			b.WriteString(`<script type="application/ld+json">` + string(j) + "</script>\n")
		}
	}
	return template.HTML(strings.TrimSuffix(b.String(), "\n"))
}

func (f Frame) writeSharing(b *strings.Builder) {
	s := f.Site
	tag := func(kind, name, content string) {
		if content = format.XMLText(content); content != "" {
			b.WriteString(`<meta ` + kind + `="` + name + `" content="` +
				html.EscapeString(content) + `">` + "\n")
		}
	}
	title := f.Title
	title = cmp.Or(title, s.Brand.Name()+", the registry of MCP servers")
	tag("property", "og:type", "website")
	tag("property", "og:site_name", s.Brand.Name())
	tag("property", "og:title", title)
	tag("property", "og:description", f.Description)
	if s.BaseURL != "" {
		tag("property", "og:url", f.Address())
	}
	card := "summary"
	if f.Meta.Image != "" && s.BaseURL != "" {
		tag("property", "og:image", s.BaseURL+f.Meta.Image)
		tag("property", "og:image:type", "image/png")
		tag("property", "og:image:width", "1200")
		tag("property", "og:image:height", "630")
		tag("property", "og:image:alt", f.Meta.ImageAlt)
		card = "summary_large_image"
	}
	tag("name", "twitter:card", card)
}

// writeAlternates writes the feeds of the page, and its Markdown form.
func (f Frame) writeAlternates(b *strings.Builder) {
	link := func(kind, title, href string) {
		b.WriteString(`<link rel="alternate" type="` + kind + `" title="` +
			html.EscapeString(format.XMLText(title)) +
			`" href="` + html.EscapeString(href) + `">` + "\n")
	}
	const atom = "application/atom+xml"
	name := f.Site.Brand.Name()
	link(atom, name+": news of all servers", Feed{}.Path())
	switch list, of, _ := strings.Cut(strings.TrimPrefix(f.Canonical, "/"), "/"); {
	case strings.ContainsAny(of, "/?"):
	case list == "categories":
		link(atom, name+": "+format.Category(of)+" servers", Feed{Category: of}.Path())
	case list == "owners":
		if owner, err := url.PathUnescape(of); err == nil {
			link(atom, name+": servers of "+owner, Feed{Owner: strings.ToLower(owner)}.Path())
		}
	}
	if f.Meta.Markdown != "" {
		link("text/markdown", "This page as Markdown", f.Meta.Markdown)
	}
}
