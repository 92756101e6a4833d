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

	plans "mcpcensus/internal/account"
	"mcpcensus/internal/brand"
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
	Catalog *catalog.Catalog
	Search  pages.Searcher // nil: searches are unavailable
	Checker pages.Checker  // nil: only listed repositories can be checked
	// Limiter limits checks, together with requests to /api, and forms; nil: no limits.
	Limiter httpd.Limiter
	Counter httpd.Counter // nil: nothing is counted
	Figures pages.Figures // nil: no history and no READMEs
	News    feeds.News    // nil: feeds hold releases only
	Avatars feeds.Avatars // nil: owners have no avatars

	People  *account.People // nil: no account pages
	Reports pages.Reports   // nil: problems cannot be reported
	Enqueue pages.Enqueue   // nil: servers cannot be added
	Picture pages.Picture   // nil: pictures of READMEs are links
	Folder  string          // of pictures to share, see [feeds.Options]

	BaseURL string // "https://census.example", for canonical links and badges
	Brand   brand.Brand
	Logo    *site.Logo // served instead of the URL of the brand's logo; nil: that address is used
	// address or URL of the operator, for users who wait for approval and for
	// security.txt; "" for none
	Contact string
	Notice  string // shown on every page; "" for none
	// Offer is the offered plans if People is nil.
	Offer plans.Offer
	Now   func() time.Time

	// Pages are exported to files by [Site.Export]; features that need a server are omitted.
	Static   bool
	Pictures bool // with Static: pictures for sharing are exported too
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
	kernel, err := site.New(site.Options{
		Files: embedded, Catalog: o.Catalog, Counter: o.Counter, Limiter: o.Limiter,
		BaseURL: o.BaseURL, Brand: o.Brand, Logo: o.Logo, Notice: o.Notice, Now: o.Now,
		Accounts: o.People != nil, Static: o.Static, Pictures: o.Pictures,
	})
	if err != nil {
		return nil, err
	}
	s := &Site{Site: kernel, options: o}
	s.pages = pages.New(kernel, pages.Options{
		Search: o.Search, Checker: o.Checker, Figures: o.Figures, Reports: o.Reports,
		Enqueue: o.Enqueue, Picture: o.Picture, Among: data.Among,
		Offer: func() plans.Offer {
			if o.People == nil {
				return o.Offer
			}
			return o.People.Plans.Offer()
		},
	})
	s.feeds, err = feeds.New(kernel, feeds.Options{
		News: o.News, Avatars: o.Avatars, ByOwner: data.ByOwner, Contact: o.Contact,
		Folder: o.Folder})
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
		people := &account.Pages{Site: s.Site, People: o.People, Contact: o.Contact}
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
// Figures must be [export.Figures] or nil, its Avatars [export.Avatars] or nil.
func (s *Site) Export(ctx context.Context, o export.Options) (folder.Report, error) {
	prepared := s.options
	if !prepared.Static {
		panic("web: only a static site can be exported")
	}
	v, err := s.View()
	if err != nil {
		return folder.Report{}, err
	}
	figures, ok := prepared.Figures.(export.Figures)
	if !ok && prepared.Figures != nil {
		return folder.Report{}, registry.Errorf(registry.ErrInvalid,
			"web: the figures cannot be exported")
	}
	avatars, ok := prepared.Avatars.(export.Avatars)
	if !ok && prepared.Avatars != nil {
		return folder.Report{}, registry.Errorf(registry.ErrInvalid,
			"web: the avatars cannot be exported")
	}
	data, err := export.Load(ctx, v, figures, prepared.News, avatars, s.Now())
	if err != nil {
		return folder.Report{}, err
	}
	prepared.Now = func() time.Time { return data.Time }
	prepared.Search, prepared.Figures, prepared.News = nil, data.Figures, data.News
	of, err := assemble(prepared, data)
	if err != nil {
		return folder.Report{}, err
	}
	engine := httpd.NewEngine(httpd.Config{Missing: of.Missing})
	of.Register(engine)
	return export.Write(ctx,
		export.Source{Site: of.Site, Pages: of.pages, Feeds: of.feeds, Handler: engine}, data, o)
}
