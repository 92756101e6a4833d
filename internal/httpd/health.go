package httpd

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
)

// A Component is a dependency of the process that /readyz checks.
type Component struct {
	Name   string
	Needed bool // without it the process is not ready, unless the error is [ErrDegraded]
	// Check returns nil if the component works, otherwise the fault and its effect.
	// The error is public and must not contain secrets.
	Check func(ctx context.Context) error
}

// ErrDegraded is the fault of a component without which the process works, but worse.
var ErrDegraded = errors.New("degraded")

// Health adds /healthz, which responds while the process runs, and /readyz, which
// lists the components and responds with 503 if a needed one does not work.
func Health(r gin.IRoutes, parts []Component) {
	write := func(c *gin.Context, status int, body string) {
		Write(c, Response{Status: status, Type: "text/plain; charset=utf-8", Cache: "no-store",
			Body: []byte(body)})
	}
	Get(r, "/healthz", func(c *gin.Context) {
		requestOf(c).probe = true
		write(c, http.StatusOK, "ok\n")
	})
	Get(r, "/readyz", func(c *gin.Context) {
		requestOf(c).probe = true
		ctx, cancel := context.WithTimeout(c.Request.Context(), time.Second)
		defer cancel()
		errs := make([]error, len(parts))
		var checks sync.WaitGroup
		for i, p := range parts {
			checks.Go(func() { errs[i] = within(ctx, p.Check) })
		}
		checks.Wait()
		status := http.StatusOK
		var b strings.Builder
		for i, p := range parts {
			state := "ok"
			if err := errs[i]; err != nil {
				state = err.Error()
				if p.Needed && !errors.Is(err, ErrDegraded) {
					status = http.StatusServiceUnavailable
				}
			}
			b.WriteString(p.Name + ": " + state + "\n")
		}
		write(c, status, b.String())
	})
}

// within returns the error of check, or one when ctx is done: drivers may wait longer.
func within(ctx context.Context, check func(context.Context) error) error {
	done := make(chan error, 1)
	go func() { done <- check(ctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return errors.New("degraded: no response")
	}
}
