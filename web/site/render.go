package site

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"math"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/web/format"
)

// loadTemplates returns the pages by name. Each is parsed together with the layout and the
// parts when it is first shown. now supplies the current time for texts such as
// "5 minutes ago".
func loadTemplates(files fs.FS, now func() time.Time) (map[string]pageTemplate, error) {
	ago := func(t time.Time) string { return format.Ago(now(), t) }
	clocked := template.FuncMap{"ago": func(t any) string { return TimeOr(t, ago, "unknown") }}
	pages, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		return nil, err
	}
	all := map[string]pageTemplate{}
	for _, p := range pages {
		name := strings.TrimSuffix(path.Base(p), ".html")
		if name == "layout" || strings.HasSuffix(name, "parts") {
			continue
		}
		all[name] = sync.OnceValues(func() (*template.Template, error) {
			return template.New("").Funcs(functions).Funcs(clocked).ParseFS(files,
				"templates/layout.html", "templates/*parts.html", p)
		})
	}
	return all, nil
}

type pageTemplate = func() (*template.Template, error)

// Render executes one template of a page; "layout" is the whole page.
func (s *Site) Render(page, part string, data any) ([]byte, error) {
	t, err := s.pages[page]()
	if err != nil {
		return nil, fmt.Errorf("page %s: %w", page, err)
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, part, data); err != nil {
		return nil, fmt.Errorf("page %s: %w", page, err)
	}
	return b.Bytes(), nil
}

// ByContent makes Show compute the entity tag from the page.
const ByContent = "by content"

// Show responds with a page, or with "page/part" for a part of it. An empty
// tag means that the response must not be stored.
func (s *Site) Show(c *gin.Context, status int, name, tag string, data any) error {
	name, part, _ := strings.Cut(name, "/")
	part = cmp.Or(part, "layout")
	body, err := s.Render(name, part, data)
	if err != nil {
		return err
	}
	h := c.Writer.Header()
	for k, v := range s.security {
		h.Set(k, v)
	}
	if tag == ByContent {
		tag = httpd.TagOf(body)
	}
	a := httpd.Response{Status: status, Type: "text/html; charset=utf-8", Body: body,
		Cache: "no-store"}
	if tag != "" {
		a.Tag, a.Cache = tag, "public, no-cache"
	}
	if c.Request.Method != http.MethodHead && !s.Static {
		a.Zipped = httpd.Zip(a.Body)
	}
	httpd.Write(c, a)
	return nil
}

// Tag is an entity tag that changes with the data and the program.
func (s *Site) Tag(v *catalog.View) string {
	return `W/"` + s.version + "-" + strings.Trim(strings.TrimPrefix(v.Tag(), "W/"), `"`) + `"`
}

// Zip compresses a body with gzip; it returns nil if the client does not accept that.
func (s *Site) Zip(c *gin.Context, body []byte) []byte {
	if s.Static || c.Request.Method == http.MethodHead || !httpd.TakesGzip(c.Request) {
		return nil
	}
	return httpd.Zip(body)
}

// functions are the functions of templates that need no clock.
var functions = template.FuncMap{
	"hosts":      registry.HostNames,
	"exampleURL": registry.ExampleURL,
	"number":     func(v any) string { return NumberOr(v, text.Thousands[int64], "unknown") },
	"short":      func(v any) string { return NumberOr(v, format.Brief, "–") },
	"points":     format.Decimal,
	"percent":    format.Percent,
	"unmeasured": func(coverage float64) float64 { return 1 - coverage },
	"length":     format.BarLength,
	"plural":     Plural,
	"deref":      func(p *int) int { return *p },
	"derefS":     func(p *string) string { return *p },
	"derefF":     func(p *float64) float64 { return *p },
	"addInt":     func(a, b int) int { return a + b },

	"day":    func(t any) string { return TimeOr(t, text.Day, "unknown") },
	"iso":    func(t any) string { return TimeOr(t, iso, "") },
	"month":  func(t any) string { return TimeOr(t, month, "") },
	"moment": format.Minute,

	"avatar":      func(r registry.Repository) string { return r.AvatarPath() },
	"cut":         func(n int, s string) string { return text.Fit(s, n) },
	"title":       format.Capital,
	"outside":     format.SafeURL,
	"linked":      format.Linked,
	"category":    format.Category,
	"sdkName":     format.SDK,
	"transport":   format.Transport,
	"endpoint":    format.Endpoint,
	"inspection":  (*registry.Inspection).Sentence,
	"packageKind": format.PackageType,
	"source":      format.CheckSource,
	"readFrom":    format.Read,
	"risk":        format.Risk,
	"versionFrom": format.VersionSource,
	"effect":      format.Effect,
	"notable":     format.NotableTokens,
	"tools":       format.Tools,
	"toolSource": func(from string) string {
		return format.ToolSource(from, registry.PackageKey{})
	},
}

// integer returns the value of an int, an int64 or a pointer to one.
func integer(v any) (n int64, known bool) {
	switch v := v.(type) {
	case int:
		return int64(v), true
	case int64:
		return v, true
	case *int:
		if v != nil {
			return int64(*v), true
		}
	case *int64:
		if v != nil {
			return *v, true
		}
	}
	return 0, false
}

// NumberOr writes an int, an int64 or a pointer to one.
func NumberOr(v any, write func(int64) string, unknown string) string {
	if n, ok := integer(v); ok {
		return write(n)
	}
	return unknown
}

// Plural returns one for 1, otherwise many.
func Plural(v any, one, many string) string {
	if n, ok := integer(v); ok && n == 1 {
		return one
	}
	return many
}

// TimeOr writes a time.Time or a pointer to one.
func TimeOr(v any, write func(time.Time) string, unknown string) string {
	if t, ok := v.(*time.Time); ok && t != nil {
		v = *t
	}
	if t, ok := v.(time.Time); ok && !t.IsZero() {
		return write(t)
	}
	return unknown
}

func iso(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func month(t time.Time) string { return t.UTC().Format("Jan 2006") }

// A Hint is a link on an error page to a page that the visitor may want.
type Hint struct{ Name, Address string }

// A HintedError is an error with hints.
type HintedError struct {
	error
	Hints []Hint
}

func WithHints(err error, hints ...Hint) error { return HintedError{err, hints} }

// Unwrap returns the error without its hints.
func (e HintedError) Unwrap() error { return e.error }

// Refuse returns an error about a value of a request: message is for programs,
// sentence for people.
func Refuse(field, message, sentence string) error {
	return &registry.Error{Kind: registry.ErrInvalid, Msg: sentence,
		Fields: []registry.FieldError{{Field: field, Message: message}}}
}

type errorPage struct {
	Frame
	Problem httpd.Problem
	Hints   []Hint
}

// Missing responds to a request that no handler answers: with a page if the client
// accepts HTML, otherwise and under the addresses of the APIs with a problem document. It is
// the [httpd.Config.Missing] of a site.
func (s *Site) Missing(c *gin.Context, err error) {
	meant := path.Clean("/" + c.Request.URL.Path)
	if lower := strings.ToLower(meant); isAPI(lower) {
		if lower != c.Request.URL.Path && !errors.Is(err, registry.ErrUnavailable) {
			err = registry.Errorf(registry.ErrNotFound, "Not found. Did you mean %s?",
				httpd.MaskKeys(lower))
		}
		httpd.WriteProblem(c, s.BaseURL+"/docs/errors", err)
		return
	}
	if to := s.withoutSlash(c.Request); to != "" {
		c.Redirect(http.StatusPermanentRedirect, to)
		c.Abort()
		return
	}
	if !s.Static && !strings.Contains(c.Request.Header.Get("Accept"), "text/html") {
		httpd.WriteProblem(c, s.BaseURL+"/docs/errors", err)
		return
	}
	s.Error(c, err)
}

func isAPI(path string) bool {
	return slices.ContainsFunc([]string{"/api/", "/v1/", "/v0.1/", "/v0/", "/r/"},
		func(prefix string) bool { return strings.HasPrefix(path+"/", prefix) })
}

// withoutSlash is the address of a request without trailing slashes, "" if there are none.
func (s *Site) withoutSlash(r *http.Request) string {
	short := strings.TrimRight(r.URL.Path, "/")
	if short == "" || short == r.URL.Path || strings.HasPrefix(short, "//") ||
		r.Method != http.MethodGet || s.Static {
		return ""
	}
	to := url.URL{Path: short, RawQuery: r.URL.RawQuery}
	return to.String()
}

// Error responds to c with an error page.
func (s *Site) Error(c *gin.Context, err error) {
	_ = c.Error(err)
	c.Abort()
	if c.Writer.Written() || errors.Is(c.Request.Context().Err(), context.Canceled) {
		return // the client has left
	}
	x := httpd.Explain(err)
	if x.RequestID = httpd.RequestID(c); s.Static {
		x.RequestID = ""
	}
	p := errorPage{Frame: s.NewFrame(x.Title, ""), Problem: x}
	p.NoIndex, p.Searches = true, true
	if hinted, ok := errors.AsType[HintedError](err); ok {
		p.Hints = hinted.Hints
	}
	h := c.Writer.Header()
	for _, stale := range []string{"Etag", "Last-Modified", "Content-Encoding"} {
		h.Del(stale)
	}
	if x.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(x.RetryAfter.Seconds()))))
	}
	if showErr := s.Show(c, x.Status, "error", "", p); showErr != nil {
		_ = c.Error(showErr)
		c.Data(http.StatusInternalServerError, "text/plain; charset=utf-8",
			[]byte("Something went wrong. Please try again.\n"))
	}
}
