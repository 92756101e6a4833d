package site

import (
	"encoding/json"
	"html"
	"html/template"
	"net/url"
	"strings"

	"mcpcensus/web/format"
)

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

// writeSharing writes the tags for previews of shared links.
func (f Frame) writeSharing(b *strings.Builder) {
	s := f.Site
	tag := func(kind, name, content string) {
		if content = format.XMLText(content); content != "" {
			b.WriteString(`<meta ` + kind + `="` + name + `" content="` +
				html.EscapeString(content) + `">` + "\n")
		}
	}
	title := f.Title
	if title == "" {
		title = s.Brand.Name() + ", the registry of MCP servers"
	}
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
