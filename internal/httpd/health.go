package httpd

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
)

// A Part is something that a process needs to answer well.
type Part struct {
	Name   string
	Needed bool // without it the process is not ready; otherwise it is degraded
	// Check returns nil if the part works, else what is wrong and what that
	// means, without secrets: it is shown to whoever asks.
	Check func(ctx context.Context) error
}

// Health adds /healthz, which says that the process lives, and /readyz, which
// says which of its parts work: 503 if a needed one does not. They are logged at
// debug level, and at info level while the process is not ready.
func Health(r gin.IRoutes, parts []Part) {
	Get(r, "/healthz", func(c *gin.Context) {
		requestOf(c).probe = true
		Write(c, Answer{Type: "text/plain; charset=utf-8", Cache: "no-store", Body: []byte("ok\n")})
	})
	Get(r, "/readyz", func(c *gin.Context) {
		requestOf(c).probe = true
		ctx, cancel := context.WithTimeout(c.Request.Context(), time.Second)
		defer cancel()
		status := http.StatusOK
		var b strings.Builder
		for _, p := range parts {
			says := "ok"
			if err := p.Check(ctx); err != nil {
				says = err.Error()
				if p.Needed {
					status = http.StatusServiceUnavailable
				}
			}
			b.WriteString(p.Name + ": " + says + "\n")
		}
		Write(c, Answer{Status: status, Type: "text/plain; charset=utf-8", Cache: "no-store", Body: []byte(b.String())})
	})
}
