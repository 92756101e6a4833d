package site

import (
	"html/template"
	"maps"
	"strings"

	"mcpcensus/internal/brand"
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
