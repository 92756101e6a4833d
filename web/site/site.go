// Package site is the kernel of all pages: the frame around a page, templates
// and assets, error pages, forms, and the lines in the head of a page that
// programs read.
//
// A page is a struct that embeds a [Frame], a template NAME.html that defines
// "main" (and "head", for more in the head of the document), and a handler that
// ends with [Site.Show]. html/template escapes all text from outside. Addresses
// from outside become links only through the function outside.
package site

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/brand"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// Options configure a Site.
type Options struct {
	Files   fs.FS // templates/*.html and static/*
	Catalog *catalog.Catalog
	Counter httpd.Counter // nil: nothing is counted
	Limiter httpd.Limiter // nil: no limits

	BaseURL string // "https://census.example", for canonical links and badges
	Brand   brand.Brand
	Logo    *Logo  // served instead of the URL of the brand's logo; nil: that address is used
	Notice  string // shown on every page, "" for none
	Now     func() time.Time

	Accounts bool // the site has account pages
	Static   bool // pages are exported to files: features that need a server are omitted
	Pictures bool // with Static: pictures for sharing are exported
}

// A Site renders pages. It is safe for concurrent use.
type Site struct {
	Options
	pages    map[string]pageTemplate
	assets   map[string]Asset  // by name in the address
	version  string            // changes with templates and assets
	security map[string]string // headers of every page
	origins  *httpd.Origins    // of forms
	names    Background[*Names]
}

// New returns a Site. It fails only if an asset is broken.
func New(o Options) (*Site, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Counter = cmp.Or(o.Counter, httpd.Uncounted)
	o.BaseURL = strings.TrimSuffix(o.BaseURL, "/")
	if o.Logo != nil {
		o.Brand.Logo = "/static/" + o.Logo.name()
	}
	s := &Site{Options: o, security: securityOf(o.Brand)}
	var err error
	if s.origins, err = httpd.NewOrigins(s.BaseURL); err != nil {
		s.origins = new(httpd.Origins) // the address of the site is unknown
	}
	if err := s.loadAssets(); err != nil {
		return nil, err
	}
	s.pages, err = loadTemplates(o.Files, o.Now)
	return s, err
}

// Get adds a page for GET and HEAD requests to r.
func (s *Site) Get(r gin.IRoutes, path string, h httpd.Handler) {
	httpd.Get(r, path, httpd.Handle(guard(h), s.Error))
}

// Post adds the action of a form to r.
func (s *Site) Post(r gin.IRoutes, path string, h httpd.Handler) {
	r.POST(path, httpd.Handle(guard(h), s.Error))
}

// guard converts a panic to an error, so that the visitor sees an error page.
func guard(h httpd.Handler) httpd.Handler {
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

// View returns the current version of the data. It fails while the first one
// is being loaded.
func (s *Site) View() (*catalog.View, error) {
	if !s.Catalog.Ready() {
		return nil, &registry.Error{Kind: registry.ErrUnavailable, RetryAfter: 2 * time.Second,
			Msg: "Starting up. Please try again in a moment."}
	}
	return s.Catalog.View(), nil
}

// Viewed is a handler that needs the current version of the data.
func (s *Site) Viewed(
	h func(ctx context.Context, c *gin.Context, v *catalog.View) error,
) httpd.Handler {
	return func(ctx context.Context, c *gin.Context) error {
		v, err := s.View()
		if err != nil {
			return err
		}
		return h(ctx, c, v)
	}
}

// Version changes with the templates and assets of the program and the brand.
func (s *Site) Version() string { return s.version }

// Address is the absolute address of a path of this site.
func (s *Site) Address(path string) string {
	if s.Static {
		path = "/" + FileOf(path)
	}
	return s.BaseURL + path
}

// HasPictures reports whether servers have pictures to share.
func (s *Site) HasPictures() bool { return !s.Static || s.Pictures }

// maxForm is the size in bytes of the largest form that is read.
const maxForm = 64 << 10

// ReadForm parses the form in the body of a request. Its texts need not be valid UTF-8.
func ReadForm(c *gin.Context) (url.Values, error) {
	kind, _, err := mime.ParseMediaType(c.Request.Header.Get("Content-Type"))
	if c.Request.Body == nil || kind == "" && c.Request.ContentLength <= 0 {
		return url.Values{}, nil
	}
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return nil, registry.Errorf(registry.ErrMediaType,
			"Forms must be sent as application/x-www-form-urlencoded.")
	}
	b, err := io.ReadAll(io.LimitReader(c.Request.Body, maxForm+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxForm {
		return nil, registry.Errorf(registry.ErrTooLarge, "The form is larger than %d bytes.",
			maxForm)
	}
	form, err := url.ParseQuery(string(b))
	if err != nil {
		return nil, registry.Errorf(registry.ErrInvalid,
			"The form could not be read. Reload the page and try again.")
	}
	return form, nil
}

// OwnForm reads a form of a page of this site. Texts are valid, see [text.Valid].
func (s *Site) OwnForm(c *gin.Context) (url.Values, error) {
	if err := s.OwnPage(c); err != nil {
		return nil, err
	}
	form, err := ReadForm(c)
	for _, values := range form {
		for i, v := range values {
			values[i] = text.Valid(v)
		}
	}
	return form, err
}

// OwnPage returns an error if a page of another site made a browser send the
// request.
func (s *Site) OwnPage(c *gin.Context) error {
	if s.origins.Foreign(c.Request) {
		return &registry.Error{Kind: registry.ErrForbidden, Code: "cross_origin",
			Msg: "This form was sent by another site. Please use the form on this site."}
	}
	return nil
}
