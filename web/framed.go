package web

import (
	"html/template"
	"maps"
	"strings"

	"mcpcensus/internal/brand"
)

type framedPage struct {
	frame
	Head, Main template.HTML
}

// Framed makes a page in the look of the others for content that is made
// elsewhere: head is added to its head, main is what it shows. It returns the
// page, which changes only with the program, and the headers that keep it harmless.
func (s *Site) Framed(title, description, path string, head, main template.HTML) (page []byte, header map[string]string, err error) {
	part, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	p := framedPage{frame: s.frame(title, part), Head: head, Main: main}
	p.Description, p.Canonical = description, path
	page, err = s.render("framed", "layout", p)
	return page, s.security, err
}

// securityOf returns the headers that every page has.
func securityOf(b brand.Brand) map[string]string {
	all := maps.Clone(securityHeaders)
	if from := b.LogoOrigin(); from != "" {
		const policy = "Content-Security-Policy"
		all[policy] = strings.Replace(all[policy], "img-src 'self'", "img-src 'self' "+from, 1)
	}
	return all
}
