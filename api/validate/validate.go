// Package validate serves the linter of server.json files at the paths of the official
// registry, which mcp-publisher uses.
package validate

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/httpd"
	"mcpcensus/internal/lint"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
)

// paths are the URLs of the linter. mcp-publisher uses the second.
var paths = []string{"/v0.1/validate", "/v0/validate"}

// An Endpoint checks files.
type Endpoint struct {
	BaseURL string        // of explanations of issues; "" makes them relative
	Limiter httpd.Limiter // of requests; nil: no limit
}

// Register adds the routes to r. Other packages may add middleware for /v0.1 after it.
func (e Endpoint) Register(r gin.IRouter) {
	docs := e.BaseURL + "/docs/errors"
	render := func(c *gin.Context, err error) { httpd.WriteProblem(c, docs, err) }
	for _, path := range paths {
		r.Use(httpd.Under(path, httpd.AllowAnyOrigin), httpd.Under(path, preflight))
		if e.Limiter != nil {
			r.Use(httpd.Under(path, httpd.Limit(e.Limiter, docs, clientHour)))
		}
		r.POST(path, httpd.HandleBody(lint.MaxSize, e.validate, render))
	}
}

// clientHour ignores API keys, as all of the official registry's API does.
func clientHour(c *gin.Context) httpd.Allowance {
	return httpd.Allowance{Subject: httpd.ClientOf(c).Subject(), Limit: quota.ClientsHourly}
}

func preflight(c *gin.Context) {
	if c.Request.Method != http.MethodOptions {
		return
	}
	c.Header("Access-Control-Allow-Methods", "POST, OPTIONS")
	c.Header("Allow", "POST, OPTIONS")
	c.Header("Access-Control-Allow-Headers", "Accept, Authorization, Content-Type, X-Request-Id")
	c.Header("Access-Control-Max-Age", "86400")
	c.AbortWithStatus(http.StatusNoContent)
}

// validate responds with the issues of the file in the body. Whatever is JSON has a
// result, also what the official registry refuses with 422.
func (e Endpoint) validate(_ context.Context, c *gin.Context) error {
	kind, _, err := mime.ParseMediaType(c.GetHeader("Content-Type"))
	if c.GetHeader("Content-Type") != "" && (err != nil || kind != "application/json" &&
		!strings.HasSuffix(kind, "+json")) {
		return registry.Errorf(registry.ErrMediaType, "The body must be application/json.")
	}
	body, err := io.ReadAll(c.Request.Body)
	if err != nil {
		return err
	}
	result := lint.Check(body)
	if i, ok := result.Unreadable(); ok {
		return &registry.Error{Kind: registry.ErrInvalid, Code: "invalid_body",
			Msg: fmt.Sprintf("The body cannot be read: %s (line %d, column %d)", i.Message, i.Line, i.Column)}
	}
	for i := range result.Issues {
		result.Issues[i].Docs = e.docs(result.Issues[i])
	}
	response, err := json.Marshal(result)
	if err != nil {
		return err
	}
	httpd.Write(c, httpd.Response{Cache: "no-store", Body: response})
	return nil
}

// docs returns the URL of the explanation of an issue.
func (e Endpoint) docs(i lint.Issue) string {
	if i.Type == lint.TypeLinter {
		return e.BaseURL + lint.Docs(i)
	}
	return lint.Docs(i)
}
