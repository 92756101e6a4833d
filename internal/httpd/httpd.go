// Package httpd provides what the API and the web pages share: handlers that return
// errors, problem responses, middleware, API keys, rate limits, conditional and
// compressed responses, and a server that stops gracefully.
package httpd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/registry"
)

// A Handler writes a response, or returns an error and writes nothing. It must
// pass ctx, not c, to its callees: gin reuses c as soon as the handler returns, while an
// HTTP client or a database may still use it.
type Handler func(ctx context.Context, c *gin.Context) error

// Handle adapts h to gin. render writes the response if h returns an error: a
// problem for the API, a page for the web.
func Handle(h Handler, render func(c *gin.Context, err error)) gin.HandlerFunc {
	return func(c *gin.Context) {
		err := requestOf(c).rejected
		if err == nil {
			err = h(c.Request.Context(), c)
		}
		if err != nil {
			render(c, err)
		}
	}
}

// HandleBody is like [Handle] for routes that accept bodies of at most limit
// bytes: the error for a body over [MaxBody] names limit.
func HandleBody(limit int64, h Handler, render func(c *gin.Context, err error)) gin.HandlerFunc {
	handle := Handle(h, render)
	return func(c *gin.Context) {
		if r := requestOf(c); errors.Is(r.rejected, registry.ErrTooLarge) {
			r.rejected = tooLarge(limit)
		}
		handle(c)
	}
}

func tooLarge(limit int64) error {
	return registry.Errorf(registry.ErrTooLarge, "The body is larger than %d bytes.", limit)
}

// Under applies m to requests whose path is prefix or below it, including
// paths without a route, which gin's groups do not see.
func Under(prefix string, m gin.HandlerFunc) gin.HandlerFunc {
	return func(c *gin.Context) {
		rest, ok := strings.CutPrefix(c.Request.URL.Path, prefix)
		if ok && (rest == "" || rest[0] == '/') {
			m(c)
		}
	}
}

// Get registers h for GET and HEAD.
func Get(r gin.IRoutes, path string, h gin.HandlerFunc) {
	r.GET(path, h)
	r.HEAD(path, h)
}

// WrongMethod responds to OPTIONS with the methods that a route supports, and returns an
// error for any other method.
func WrongMethod(c *gin.Context, allow string) error {
	c.Header("Allow", allow)
	if c.Request.Method == http.MethodOptions {
		c.Status(http.StatusNoContent)
		c.Writer.WriteHeaderNow()
		return nil
	}
	return &registry.Error{Kind: errMethod, Msg: fmt.Sprintf("Supported methods: %s.", allow)}
}
