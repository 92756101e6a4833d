package site

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
)

// A Hint is a link on an error page to a page that the visitor may want.
type Hint struct{ Name, Address string }

// A HintedError is an error with hints.
type HintedError struct {
	error
	Hints []Hint
}

// WithHints adds hints to an error.
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

// Missing responds to a request for an address that does not exist: with a page if the client
// accepts HTML, otherwise and under the addresses of the APIs with a problem document. It is
// the [httpd.Config.Missing] of a site.
func (s *Site) Missing(c *gin.Context, err error) {
	meant := path.Clean("/" + c.Request.URL.Path)
	if lower := strings.ToLower(meant); isAPI(lower) {
		if lower != c.Request.URL.Path {
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
	for _, prefix := range []string{"/api/", "/v1/", "/v0.1/", "/v0/", "/r/"} {
		if strings.HasPrefix(path+"/", prefix) {
			return true
		}
	}
	return false
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
