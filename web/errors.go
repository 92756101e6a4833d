package web

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

type errorPage struct {
	frame
	Problem httpd.Problem
	Leads   []lead // where somebody could go instead
}

// Missing answers requests for addresses that nothing is at: with a page, or
// with a problem below the addresses of the APIs. It is meant for
// [httpd.Config.Missing].
func (s *Site) Missing(c *gin.Context, err error) {
	meant := path.Clean("/" + c.Request.URL.Path)
	if p := strings.ToLower(meant) + "/"; strings.HasPrefix(p, "/api/") || strings.HasPrefix(p, "/v1/") || strings.HasPrefix(p, "/account/api/") {
		if meant = strings.TrimSuffix(p, "/"); meant != c.Request.URL.Path {
			err = registry.Errorf(registry.ErrNotFound, "There is nothing at this address, which has one spelling. Maybe %s is meant.", httpd.MaskKeys(meant))
		}
		httpd.WriteProblem(c, s.BaseURL+"/docs/errors", err)
		return
	}
	if path := strings.TrimRight(c.Request.URL.Path, "/"); path != "" && path != c.Request.URL.Path && !strings.HasPrefix(path, "//") && c.Request.Method == http.MethodGet && !s.Static {
		to := url.URL{Path: path, RawQuery: c.Request.URL.RawQuery}
		c.Redirect(http.StatusPermanentRedirect, to.String())
		c.Abort()
		return
	}
	s.Error(c, err)
}

// Error answers c with err as a page.
func (s *Site) Error(c *gin.Context, err error) {
	_ = c.Error(err)
	c.Abort()
	if c.Writer.Written() || errors.Is(c.Request.Context().Err(), context.Canceled) {
		return // nobody is there to read it
	}
	x := httpd.Explain(err)
	if x.RequestID = httpd.RequestID(c); s.Static {
		x.RequestID = "" // a file answers no request
	}
	p := errorPage{frame: s.frame(x.Title, ""), Problem: x}
	p.NoIndex, p.Searches = true, true
	if m, ok := errors.AsType[misled](err); ok {
		p.Leads = m.Leads
	}
	h := c.Writer.Header()
	for _, stale := range []string{"Etag", "Last-Modified", "Content-Encoding"} {
		h.Del(stale)
	}
	if x.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(x.RetryAfter.Seconds()))))
	}
	if showErr := s.show(c, x.Status, "error", "", p); showErr != nil {
		_ = c.Error(showErr)
		c.Data(http.StatusInternalServerError, "text/plain; charset=utf-8", []byte("Something went wrong here. Please try again.\n"))
	}
}
