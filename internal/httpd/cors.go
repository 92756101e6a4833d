package httpd

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

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
