// Package web is the public directory as pages: rendered here, complete
// without scripts, and made of the same read model as the API.
//
// A page is a struct that embeds a [frame] and adds what it shows, a template
// templates/NAME.html that defines "main" (and "head", if it has something to
// say in the head of the document), a handler that ends with [Site.show], and
// a line in [Site.Register]. docs/design.md says what there is to build it
// from. All text that comes from outside is escaped by html/template;
// addresses from outside become links only if they are http or https, by the
// function outside. The one script makes pages quicker to use; without it
// everything works.
package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/api/accounts"
	"mcpcensus/internal/brand"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed static/*
var staticFiles embed.FS

// A Searcher finds listed servers by words and filters.
type Searcher interface {
	Search(ctx context.Context, q query.Query) (query.Results, error)
}

// A Checker checks repositories that are asked for by address. It answers
// within about a second; a report that takes longer is pending, and says how
// far it has come. It asks begin before it begins a new check.
type Checker interface {
	Follow(ctx context.Context, ref registry.RepoRef, begin func() error) (registry.CheckResult, error)
	// Recheck is Follow for a listed repository that is to be read anew.
	Recheck(ctx context.Context, ref registry.RepoRef, begin func() error) (registry.CheckResult, error)
}

// Options are what a Site is made of.
type Options struct {
	Catalog *catalog.Catalog
	Search  Searcher // nil: pages of searches say that they are not available
	Checker Checker  // nil: only listed repositories can be checked
	// Limiter limits checks by client, together with requests to /api; nil: none.
	Limiter httpd.Limiter
	Counter httpd.Counter // nil: nothing is counted
	Figures Figures       // nil: no history and no READMEs are shown

	People  *accounts.API // nil: there are no pages of accounts
	Calls   Calls         // nil: they do not show use
	Reports Reports       // nil: problems cannot be reported
	Enqueue Enqueue       // nil: servers cannot be added

	BaseURL string // "https://census.example", without a slash at the end, for canonical links and badges
	Brand   brand.Brand
	Logo    *Logo  // of the brand, in the place of its address; nil: that is where it is
	Contact string // address or URL of the operator, for those who wait for him; "" if there is none
	Notice  string // shown on every page, such as that facts from GitHub are missing without a token; "" for none
	Now     func() time.Time
	News    News // nil: feeds hold releases only
	Static  bool // the pages are written to files: what needs a server is left out, and addresses are those of files
	// Pictures says that the files hold pictures to share.
	Pictures bool
}

// A Site answers requests for pages.
type Site struct {
	Options
	pages    map[string]*template.Template
	assets   map[string]asset  // by name in the address
	version  string            // changes with templates and assets
	security map[string]string // headers of every page
	scoring  template.HTML
	kept     keep
	trends   trends
	clicks   once
	finds    once

	origins *httpd.Origins // of forms
	machine machine        // what programs read
}

type asset struct {
	kind string
	body []byte
	zip  []byte
}

// New returns a Site. It fails only if an embedded template is broken.
func New(o Options) (*Site, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Counter == nil {
		o.Counter = httpd.Uncounted
	}
	o.BaseURL = strings.TrimSuffix(o.BaseURL, "/")
	if o.Logo != nil {
		o.Brand.Logo = "/static/" + o.Logo.name()
	}
	s := &Site{Options: o, pages: map[string]*template.Template{}, assets: map[string]asset{}, security: securityOf(o.Brand),
		clicks: once{perClient: clientClicks, most: mostClicks}, finds: once{perClient: clientFinds, most: mostFinds}}
	if err := s.loadAssets(); err != nil {
		return nil, err
	}
	if err := s.loadTemplates(); err != nil {
		return nil, err
	}
	var err error
	s.scoring, err = scoringHTML()
	return s, err
}

// Register adds the pages to r.
func (s *Site) Register(r gin.IRouter) {
	get := func(path string, h httpd.Handler) { httpd.Get(r, path, httpd.Handle(s.guard(h), s.Error)) }
	post := func(path string, h httpd.Handler) { r.POST(path, httpd.Handle(s.guard(h), s.Error)) }
	get("/", s.home)
	get("/servers", s.servers)
	get("/categories", s.categoriesIndex)
	get("/tags", s.tagsIndex)
	get("/owners", s.ownersIndex)
	get("/categories/:category", s.servers)
	get("/tags/:tag", s.servers)
	get("/owners/:owner", s.servers)
	get("/servers/:slug", s.orMarkdown(s.server))
	get("/servers/:slug/check", s.again)
	post("/servers/:slug/check", s.checkAgain)
	get("/compare", s.compare)
	get("/stats", s.stats)
	get("/stats.json", s.statsJSON)
	get("/stats.csv", s.statsCSV)
	get("/stats/:file", s.statsCSV)
	get("/pricing", s.pricing)
	get("/about", s.about)
	post("/servers/:slug/clicks", s.clicked)
	get("/check", s.check)
	get("/docs/scoring", s.scoringPage)
	get("/badge/:file", s.badge)
	s.registerForms(r)
	s.registerAccounts(r)
	s.RegisterAssets(r)
	s.registerMachines(get)
}

// RegisterAssets adds what pages load: for a process that shows only pages
// which are [Site.Framed]. [Site.Register] adds it too.
func (s *Site) RegisterAssets(r gin.IRouter) {
	httpd.Get(r, "/static/:file", httpd.Handle(s.static, s.Error))
	httpd.Get(r, "/favicon.ico", httpd.Handle(s.favicon, s.Error))
}

// guard turns a panic of a page into an error, so that it is shown in the
// look of the others.
func (s *Site) guard(h httpd.Handler) httpd.Handler {
	return func(ctx context.Context, c *gin.Context) (err error) {
		defer func() {
			if v := recover(); v != nil {
				if v == http.ErrAbortHandler {
					panic(v)
				}
				err = fmt.Errorf("panic: %v", v)
			}
		}()
		return h(ctx, c)
	}
}

// view returns the current version of the data, once there is one.
func (s *Site) view() (*catalog.View, error) {
	if !s.Catalog.Ready() {
		return nil, &registry.Error{Kind: registry.ErrUnavailable, RetryAfter: 2 * time.Second,
			Msg: "The registry is still being read. Please try again in a moment."}
	}
	return s.Catalog.View(), nil
}

// A frame is what every page has.
type frame struct {
	Title       string // of the page, without the name of the site
	Description string
	Canonical   string // path with query; "" for none
	NoIndex     bool
	Refresh     int    // seconds after which the page asks for itself again; 0 never
	Nav         string // which part of the site this is
	Query       string // what is in the search field
	Searches    bool   // it has a search field of its own
	Meta        meta   // what programs are told besides
	Site        *Site
}

func (s *Site) frame(title, nav string) frame { return frame{Title: title, Nav: nav, Site: s} }

// Style is the address of the style sheet.
func (f frame) Style() string { return "/static/site-" + f.Site.version + ".css" }

// Script is the address of the script.
func (f frame) Script() string { return "/static/site-" + f.Site.version + ".js" }

// Notice is what the operator wants to say.
func (f frame) Notice() string { return f.Site.Options.Notice }

// Brand is the name and look of the registry.
func (f frame) Brand() brand.Brand { return f.Site.Options.Brand }

// Address is the canonical address, "" if there is none.
func (f frame) Address() string {
	if f.Canonical == "" || f.Site.BaseURL == "" {
		return ""
	}
	return f.Site.address(f.Canonical)
}

// securityHeaders hold for every page: nothing is run but our script, and
// nothing is loaded from elsewhere.
var securityHeaders = map[string]string{
	"Content-Security-Policy":      "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
	"X-Frame-Options":              "DENY",
	"Referrer-Policy":              "strict-origin-when-cross-origin",
	"Permissions-Policy":           "camera=(), geolocation=(), microphone=(), payment=()",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
}

// show renders the page of that name, or of "page/part" only the part, a
// template of the page. An empty tag means that it must not be kept.
func (s *Site) show(c *gin.Context, status int, name, tag string, data any) error {
	name, part, _ := strings.Cut(name, "/")
	if part == "" {
		part = "layout"
	}
	body, err := s.render(name, part, data)
	if err != nil {
		return err
	}
	h := c.Writer.Header()
	for k, v := range s.security {
		h.Set(k, v)
	}
	if tag == byContent {
		sum := sha256.Sum256(body)
		tag = `W/"` + hex.EncodeToString(sum[:8]) + `"`
	}
	a := httpd.Answer{Status: status, Type: "text/html; charset=utf-8", Body: body, Cache: "no-store"}
	if tag != "" {
		a.Tag, a.Cache = tag, "public, no-cache"
	}
	if c.Request.Method != http.MethodHead && !s.Static {
		a.Zipped = httpd.Zip(a.Body)
	}
	httpd.Write(c, a)
	return nil
}

func (s *Site) render(name, part string, data any) ([]byte, error) {
	var b bytes.Buffer
	err := s.renderTo(&b, name, part, data)
	return b.Bytes(), err
}

func (s *Site) renderTo(b *bytes.Buffer, name, part string, data any) error {
	if err := s.pages[name].ExecuteTemplate(b, part, data); err != nil {
		return fmt.Errorf("page %s: %w", name, err)
	}
	return nil
}

// byContent stands for an entity tag made of the page itself: of the data, and
// of what the program and the operator say besides.
const byContent = "by content"

// tag changes with the data and with what is built in here.
func (s *Site) tag(v *catalog.View) string {
	return `W/"` + s.version + "-" + strings.Trim(strings.TrimPrefix(v.Tag(), "W/"), `"`) + `"`
}

func (s *Site) loadAssets() error {
	sum := sha256.New()
	for _, dir := range []fs.FS{staticFiles, templateFiles} {
		err := fs.WalkDir(dir, ".", func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := fs.ReadFile(dir, p)
			sum.Write(b)
			return err
		})
		if err != nil {
			return err
		}
	}
	fmt.Fprintf(sum, "%q %q %q %s", s.Brand.Name(), s.Brand.Logo, s.Brand.Links, brandStyle(s.Brand))
	s.version = hex.EncodeToString(sum.Sum(nil))[:10]
	if l := s.Options.Logo; l != nil {
		s.assets[l.name()] = asset{l.kind(), l.Body, httpd.Zip(l.Body)}
	}
	for name, as := range map[string]string{"census.css": "site-" + s.version + ".css", "census.js": "site-" + s.version + ".js", "favicon.svg": "favicon.svg"} {
		b, err := staticFiles.ReadFile("static/" + name)
		if err != nil {
			return err
		}
		if name == "census.css" {
			b = append(b, brandStyle(s.Brand)...)
		}
		kind := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}[path.Ext(name)]
		s.assets[as] = asset{kind, b, httpd.Zip(b)}
	}
	return nil
}

// brandStyle puts the brand's colours in place of ours.
func brandStyle(b brand.Brand) string {
	if b.Light == nil || b.Dark == nil {
		return ""
	}
	return fmt.Sprintf(":root { --link: %[1]s; --focus: %[1]s; --tint: %[2]s; }\n@media (prefers-color-scheme: dark) { :root { --link: %[3]s; --focus: %[3]s; --tint: %[4]s; } }\n",
		b.Light, b.Light.OnLight(), b.Dark, b.Dark.OnDark())
}

// loadTemplates parses each page together with the layout and the parts.
func (s *Site) loadTemplates() error {
	parts, err := template.New("").Funcs(functions).ParseFS(templateFiles, "templates/layout.html", "templates/*parts.html")
	if err != nil {
		return err
	}
	pages, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		return err
	}
	for _, p := range pages {
		name := strings.TrimSuffix(path.Base(p), ".html")
		if name == "layout" || strings.HasSuffix(name, "parts") {
			continue
		}
		t, err := parts.Clone()
		if err == nil {
			t, err = t.ParseFS(templateFiles, p)
		}
		if err != nil {
			return fmt.Errorf("page %s: %w", name, err)
		}
		s.pages[name] = t
	}
	return nil
}

func (s *Site) static(_ context.Context, c *gin.Context) error {
	a, ok := s.assets[c.Param("file")]
	if !ok {
		return registry.Errorf(registry.ErrNotFound, "There is nothing at this address.")
	}
	s.asset(c, a, "public, max-age=31536000, immutable")
	return nil
}

func (s *Site) favicon(_ context.Context, c *gin.Context) error {
	if s.Brand.Logo != "" {
		c.Redirect(http.StatusFound, s.Brand.Logo)
		return nil
	}
	s.asset(c, s.assets["favicon.svg"], "public, max-age=86400")
	return nil
}

func (s *Site) asset(c *gin.Context, a asset, cache string) {
	c.Writer.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	httpd.Write(c, httpd.Answer{Type: a.kind, Tag: `W/"` + s.version + `"`, Cache: cache, Body: a.body, Zipped: a.zip})
}
