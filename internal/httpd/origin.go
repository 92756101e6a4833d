package httpd

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"
)

// Origins detects requests that a browser sends for pages of other sites. The zero value
// compares with the host of the request.
type Origins struct {
	scheme, host string
	protection   http.CrossOriginProtection
}

// NewOrigins returns the Origins of the registry at baseURL.
func NewOrigins(baseURL string) (*Origins, error) {
	base, err := url.Parse(baseURL)
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("%q is not an absolute URL", baseURL)
	}
	o := &Origins{scheme: base.Scheme, host: base.Host}
	if err := o.protection.AddTrustedOrigin(base.Scheme + "://" + base.Host); err != nil {
		return nil, err
	}
	return o, nil
}

// Foreign reports whether r is a state-changing request from a page of another
// site, by Sec-Fetch-Site and Origin. A page of the registry's host with
// another scheme counts as another site, since anyone on the network can write
// pages without TLS; [http.CrossOriginProtection] only compares hosts.
func (o *Origins) Foreign(r *http.Request) bool {
	scheme, host, ok := strings.Cut(r.Header.Get("Origin"), "://")
	if ok && strings.EqualFold(host, o.host) && !strings.EqualFold(scheme, o.scheme) {
		return true
	}
	return o.protection.Check(r) != nil
}

// AllowAnyOrigin lets pages of every origin read the responses.
func AllowAnyOrigin(c *gin.Context) {
	c.Header("Access-Control-Allow-Origin", "*")
	c.Header("Access-Control-Expose-Headers",
		"X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-RateLimit-Plan, "+
			"Retry-After, ETag, Link, X-Total-Count, X-Request-Id")
}

// Preflight responds to CORS preflight requests of routes that only read, and aborts
// them.
func Preflight(c *gin.Context) { PreflightOf("GET, HEAD, OPTIONS")(c) }

// PreflightOf responds to CORS preflight requests of routes with these methods, and
// aborts them.
func PreflightOf(methods string) gin.HandlerFunc {
	return func(c *gin.Context) {
		if c.Request.Method != http.MethodOptions {
			return
		}
		c.Header("Access-Control-Allow-Methods", methods)
		c.Header("Allow", methods)
		c.Header("Access-Control-Allow-Headers",
			"Accept, Accept-Encoding, Authorization, Content-Type, If-None-Match, X-Request-Id")
		c.Header("Access-Control-Max-Age", "86400")
		c.AbortWithStatus(http.StatusNoContent)
	}
}
