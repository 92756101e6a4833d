// Package httpd is what the API and the web pages share: handlers that return
// errors, the status of each kind of error, middleware, limits, compressed and
// conditional answers, and a server that stops gracefully.
package httpd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/registry"
)

// A Handler answers a request, or returns an error and writes nothing. It must
// give ctx, never c, to what it calls: gin reuses c as soon as the handler
// returns, while an HTTP client or a database may still look at it.
type Handler func(ctx context.Context, c *gin.Context) error

// Handle adapts h to gin. render writes the answer if h returns an error: a
// problem for the API, a page for the web.
func Handle(h Handler, render func(c *gin.Context, err error)) gin.HandlerFunc {
	return func(c *gin.Context) {
		err := requestOf(c).refused
		if err == nil {
			err = h(c.Request.Context(), c)
		}
		if err != nil {
			render(c, err)
		}
	}
}

// HandleBody is like [Handle] for addresses that take bodies of at most so many
// bytes: one that is larger than any address takes is told that number.
func HandleBody(most int64, h Handler, render func(c *gin.Context, err error)) gin.HandlerFunc {
	handle := Handle(h, render)
	return func(c *gin.Context) {
		if q := requestOf(c); errors.Is(q.refused, registry.ErrTooLarge) {
			q.refused = tooLarge(most)
		}
		handle(c)
	}
}

func tooLarge(most int64) error {
	return registry.Errorf(registry.ErrTooLarge, "The body is larger than %d bytes.", most)
}

// Config is what an engine needs to know.
type Config struct {
	Log     *slog.Logger   // nil: no log
	Access  *LogWriter     // takes the lines about requests as JSON, which costs less than through Log; nil: Log
	Metrics *Metrics       // nil: none
	Trusted []netip.Prefix // proxies whose X-Forwarded-For counts
	// DocsURL is the address that the codes of errors are explained at:
	// the base address and /docs/errors.
	DocsURL string
	// Secure says that the public address is https. Browsers are told to use
	// no other for a year (RFC 6797), on this host and not on those below it.
	Secure bool
	// Missing answers requests for addresses that nothing is at. Nil: a
	// problem, not_found.
	Missing func(c *gin.Context, err error)
}

// Bounds of a request.
const (
	MaxURL    = 8 << 10
	MaxHeader = 256 << 10
	MaxBody   = 1 << 20
)

// NewEngine returns a gin engine with the middleware that every route has:
// request ids, the client's address, an access log, metrics, recovery, and
// bounds on what a request may hold.
func NewEngine(cfg Config) *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	e.HandleMethodNotAllowed = true
	e.RedirectTrailingSlash = false // an address has one spelling
	e.RedirectFixedPath = false
	e.UseRawPath = true           // a parameter may hold an escaped slash: names in the official registry do
	e.ForwardedByClientIP = false // see Client
	_ = e.SetTrustedProxies(nil)
	problem := func(c *gin.Context, err error) { WriteProblem(c, cfg.DocsURL, err) }
	missing := cfg.Missing
	if missing == nil {
		missing = problem
	}
	e.Use(observe(cfg, problem))
	e.NoRoute(func(c *gin.Context) {
		if err := requestOf(c).refused; err != nil {
			problem(c, err)
			return
		}
		missing(c, registry.Errorf(registry.ErrNotFound, "There is nothing at this address."))
	})
	e.NoMethod(func(c *gin.Context) {
		h := c.Writer.Header()
		if h.Get("Allow") != "" {
			h.Set("Allow", h.Get("Allow")+", OPTIONS")
		}
		if err := WrongMethod(c, h.Get("Allow")); err != nil {
			missing(c, err)
		}
	})
	return e
}

// WrongMethod answers OPTIONS with the methods that an address takes, and
// returns the error for others that it does not take.
func WrongMethod(c *gin.Context, allow string) error {
	c.Writer.Header().Set("Allow", allow)
	if c.Request.Method == http.MethodOptions {
		c.Status(http.StatusNoContent)
		c.Writer.WriteHeaderNow()
		return nil
	}
	return &registry.Error{Kind: errMethod, Msg: fmt.Sprintf("This address takes %s.", allow)}
}

// observe is the one middleware around everything: one function instead of
// six, since each costs time on every request.
func observe(cfg Config, problem func(*gin.Context, error)) gin.HandlerFunc {
	ids := newIDs()
	always := newFixed("X-Content-Type-Options", "nosniff")
	if cfg.Secure {
		always = newFixed("X-Content-Type-Options", "nosniff", "Strict-Transport-Security", "max-age=31536000")
	}
	return func(c *gin.Context) {
		start := time.Now()
		q := begin(c)
		q.id, q.client = ids.of(c.Request), clientOf(c.Request, cfg.Trusted)
		SetHeader(c, "X-Request-Id", q.id)
		always.set(c)
		defer func() {
			v := recover()
			if v == http.ErrAbortHandler {
				panic(v)
			}
			if v != nil {
				if cfg.Log != nil {
					cfg.Log.LogAttrs(c.Request.Context(), slog.LevelError, "panic", slog.String("request", q.id),
						slog.String("route", c.FullPath()), slog.Any("value", v), slog.String("stack", string(debug.Stack())))
				}
				problem(c, fmt.Errorf("panic: %v", v))
			}
			took := time.Since(start)
			if cfg.Metrics != nil {
				cfg.Metrics.observe(c, took)
			}
			if cfg.Log != nil {
				access(cfg.Log, cfg.Access, c, q, start, took)
			}
		}()
		if len(c.Request.RequestURI) > MaxURL {
			q.refused = &registry.Error{Kind: errLongURL, Msg: "The address is longer than " + strconv.Itoa(MaxURL) + " bytes."}
		}
		switch {
		case c.Request.Body == nil || c.Request.Body == http.NoBody:
		case c.Request.ContentLength > MaxBody:
			c.Header("Connection", "close")
			q.refused = tooLarge(MaxBody)
			c.Request.Body = refusedBody{c.Request.Body, q.refused}
		default:
			c.Request.Body = http.MaxBytesReader(c.Writer, requestBody{c.Request.Body}, MaxBody)
		}
		c.Next()
	}
}

// A requestBody gives the client's faults a kind of their own.
type requestBody struct{ io.ReadCloser }

func (b requestBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case err == nil || err == io.EOF:
		return n, err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return n, registry.Wrap(errSlow, err, "The body did not arrive in time.")
	}
	return n, registry.Wrap(errBody, err, "The body ends early, or its chunks cannot be read.")
}

// A refusedBody is not read.
type refusedBody struct {
	io.Closer
	err error
}

func (b refusedBody) Read([]byte) (int, error) { return 0, b.err }

// access writes one line about a finished request. It names the route and the
// path but no query value: those can hold what is not ours to keep.
func access(log *slog.Logger, to *LogWriter, c *gin.Context, q *request, start time.Time, took time.Duration) {
	status := c.Writer.Status()
	level := slog.LevelInfo
	switch {
	case q.probe && status < 300:
		level = slog.LevelDebug
	case q.probe: // not ready yet: nothing is wrong
	case status == http.StatusServiceUnavailable: // something that is needed does not answer
		level = slog.LevelWarn
	case status >= 500:
		level = slog.LevelError
	}
	ctx := c.Request.Context()
	if !log.Enabled(ctx, level) {
		return
	}
	if to != nil {
		to.access(level, c, q, start.Add(took), took)
		return
	}
	var attrs [6]slog.Attr // five fit in a record without an allocation
	attrs[0] = slog.String("request", q.id)
	attrs[1] = slog.String("method", MaskKeys(c.Request.Method))
	attrs[2] = slog.String("path", shortPath(c.Request.URL.Path))
	attrs[3] = slog.Int("status", status)
	attrs[4] = slog.Duration("took", took)
	n := 5
	if err := c.Errors.Last(); err != nil && status >= 500 {
		attrs[5] = slog.String("err", MaskKeys(err.Error()))
		n = 6
	}
	log.LogAttrs(ctx, level, "request", attrs[:n]...)
}

func shortPath(p string) string {
	p = MaskKeys(p)
	if len(p) > 200 {
		p = p[:200]
	}
	return p
}

// Under applies ms to requests whose path is prefix or lies under it,
// including those that nothing is at, which groups do not see.
func Under(prefix string, m gin.HandlerFunc) gin.HandlerFunc {
	return func(c *gin.Context) {
		p := c.Request.URL.Path
		if strings.HasPrefix(p, prefix) && (len(p) == len(prefix) || p[len(prefix)] == '/') {
			m(c)
		}
	}
}

// Get registers h for GET and for HEAD.
func Get(r gin.IRoutes, path string, h gin.HandlerFunc) {
	r.GET(path, h)
	r.HEAD(path, h)
}

// StopWithin is how long a stopping server waits for requests in progress.
const StopWithin = 9 * time.Second

// Serve answers requests on l until ctx is done, then lets those in progress
// finish, for at most [StopWithin]. It closes l.
func Serve(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger) error {
	return serve(ctx, l, h, log, patience{head: 10 * time.Second, request: 30 * time.Second})
}

// patience is how long a client may take to send the head of a request, and
// all of it.
type patience struct{ head, request time.Duration }

func serve(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger, p patience) error {
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: p.head,
		ReadTimeout:       p.request,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    MaxHeader,
		ConnContext:       withConn,
	}
	if log != nil {
		srv.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelDebug)
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(wholeListener{l}) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), StopWithin)
		defer cancel()
		if err := srv.Shutdown(stop); err != nil {
			_ = srv.Close()
			if errors.Is(err, context.DeadlineExceeded) {
				return fmt.Errorf("requests were still in progress after %v and were cut off", StopWithin)
			}
			return err
		}
		return nil
	}
}
