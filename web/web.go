// Package web serves the public directory as pages. It works without
// scripts and shows the same data as the API. This package joins the parts:
//
//	site      the kernel: frame, templates, assets, errors, forms
//	pages     the pages of the directory
//	account   the pages of accounts
//	feeds     content for programs: Atom, site map, badges, pictures
//	export    the directory as files
//	record, browse, format, chart, readme
//	          servers, list requests, texts, charts and READMEs of pages
//
// docs/design.md explains how to add a page.
package web

import (
	"context"
	"embed"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/folder"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
	"mcpcensus/web/account"
	"mcpcensus/web/export"
	"mcpcensus/web/feeds"
	"mcpcensus/web/pages"
	"mcpcensus/web/site"
)

//go:embed templates static
var embedded embed.FS

// Options configure a Site.
type Options struct {
	Site   site.Options // without Files and Accounts
	Pages  pages.Options
	Feeds  feeds.Options
	People *account.People // nil: no account pages
}

// A Site responds to requests for pages. A process that serves only pages of Framed calls
// RegisterAssets, others [Site.Register]. It is safe for concurrent use.
type Site struct {
	*site.Site
	options Options
	pages   *pages.Pages
	feeds   *feeds.Feeds
}

// New returns a Site. It fails only if an embedded file is broken.
func New(o Options) (*Site, error) { return assemble(o, &export.Data{}) }

// assemble returns a Site. data is what an export has loaded.
func assemble(o Options, data *export.Data) (*Site, error) {
	o.Site.Files, o.Site.Accounts = embedded, o.People != nil
	kernel, err := site.New(o.Site)
	if err != nil {
		return nil, err
	}
	s := &Site{Site: kernel, options: o}
	o.Pages.Among, o.Feeds.ByOwner = data.Among, data.ByOwner
	s.pages = pages.New(kernel, o.Pages)
	s.feeds, err = feeds.New(kernel, o.Feeds)
	return s, err
}

// Register adds the pages to r.
func (s *Site) Register(r gin.IRoutes) {
	s.pages.Register(r)
	s.feeds.Register(r)
	s.Get(r, "/servers/:slug", s.Viewed(s.server))
	for _, tab := range pages.ServerTabs[1:] {
		s.Get(r, "/servers/:slug/"+tab, s.Viewed(s.pages.Server))
	}
	if o := s.options; o.People != nil {
		people := &account.Pages{Site: s.Site, People: o.People, Contact: o.Feeds.Contact}
		people.Register(r)
	}
	s.RegisterAssets(r)
}

// server responds with the page of a server, or with its Markdown if the
// address ends in .md.
func (s *Site) server(ctx context.Context, c *gin.Context, v *catalog.View) error {
	if strings.HasSuffix(c.Param("slug"), ".md") {
		return s.pages.Markdown(ctx, c, v)
	}
	return s.pages.Server(ctx, c, v)
}

// Export writes the whole directory as files. The Site must be Static; its
// Figures must be [export.Figures], its Avatars [export.Avatars].
func (s *Site) Export(ctx context.Context, o export.Options) (folder.Report, error) {
	prepared := s.options
	if !prepared.Site.Static {
		panic("web: only a static site can be exported")
	}
	v, err := s.View()
	if err != nil {
		return folder.Report{}, err
	}
	figures, _ := prepared.Pages.Figures.(export.Figures)
	avatars, _ := prepared.Feeds.Avatars.(export.Avatars)
	if figures == nil || avatars == nil {
		return folder.Report{}, registry.Errorf(registry.ErrInvalid,
			"web: the figures or avatars cannot be exported")
	}
	data, err := export.Load(ctx, v, figures, prepared.Feeds.News, avatars, s.Now())
	if err != nil {
		return folder.Report{}, err
	}
	prepared.Site.Now = func() time.Time { return data.Time }
	prepared.Pages.Search, prepared.Pages.Figures, prepared.Feeds.News = nil, data.Figures, data.News
	of, err := assemble(prepared, data)
	if err != nil {
		return folder.Report{}, err
	}
	engine := httpd.NewEngine(httpd.Config{Missing: of.Missing})
	of.Register(engine)
	return export.Write(ctx,
		export.Source{Site: of.Site, Pages: of.pages, Feeds: of.feeds, Handler: engine}, data, o)
}
