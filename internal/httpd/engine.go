package httpd

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
)

// Config configures an engine.
type Config struct {
	Log     *slog.Logger   // nil: no log
	Metrics *Metrics       // nil: none
	Trusted []netip.Prefix // proxies whose X-Forwarded-For is used; none: it is ignored
	DocsURL string         // base of the Type of problems: the base URL and /docs/errors
	// Secure means that the public URL is https. Responses then make browsers use only
	// https for a year (RFC 6797), on this host and its subdomains.
	Secure bool
	// Expensive reports whether a request costs much processor time. Half of the processors work on
	// such requests, in turns of the networks of clients. Nil: none is.
	Expensive func(r *http.Request, route string) bool
	// Missing writes the response for a URL without a route. Nil: the problem
	// not_found.
	Missing func(c *gin.Context, err error)
}

// Limits on the size of a request, in bytes.
const (
	MaxURL    = 8 << 10
	MaxHeader = 28 << 10 // net/http reads 4 KiB more, so a head may have 32 KiB
	MaxBody   = 1 << 20
)

// NewEngine returns a gin engine with the middleware of every route: request
// ids, the client's address, an access log, metrics, recovery from panics, and
// limits on the size of a request.
func NewEngine(cfg Config) *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	e.HandleMethodNotAllowed = true
	e.RedirectTrailingSlash = false // every resource has one URL
	e.RedirectFixedPath = false
	e.UseRawPath = true           // parameters may contain escaped slashes, as server names do
	e.ForwardedByClientIP = false // see clientAddr
	_ = e.SetTrustedProxies(nil)
	problem := func(c *gin.Context, err error) { WriteProblem(c, cfg.DocsURL, err) }
	missing := cfg.Missing
	if missing == nil {
		missing = problem
	}
	e.Use(observe(cfg), catchPanics(cfg.Log, problem), limitSize)
	if cfg.Expensive != nil {
		e.Use(limitWork(max(1, runtime.GOMAXPROCS(0)/2), cfg.Expensive, missing))
	}
	e.NoRoute(func(c *gin.Context) {
		if err := requestOf(c).rejected; err != nil {
			problem(c, err)
			return
		}
		missing(c, registry.Errorf(registry.ErrNotFound, "There is nothing at this URL."))
	})
	e.NoMethod(func(c *gin.Context) {
		allow := c.Writer.Header().Get("Allow")
		if allow != "" {
			allow += ", OPTIONS"
		}
		if err := WrongMethod(c, allow); err != nil {
			missing(c, err)
		}
	})
	return e
}

// observe identifies each request, sets the headers of every response, and
// logs and counts the request when it is finished.
func observe(cfg Config) gin.HandlerFunc {
	warn := warnForwarded(cfg.Log, cfg.Trusted)
	return func(c *gin.Context) {
		start := time.Now()
		warn(c.Request)
		r := newRequest(c, cfg.Trusted)
		c.Header("X-Request-Id", r.id)
		c.Header("X-Content-Type-Options", "nosniff")
		if len(c.Request.TransferEncoding) > 0 {
			// net/http drops a Content-Length of the request. A proxy that used it must
			// not have the rest of the body read as a request (RFC 9112, section 6.3).
			c.Header("Connection", "close")
		}
		if cfg.Secure {
			c.Header("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
		}
		c.Next()
		took := time.Since(start)
		if cfg.Metrics != nil {
			cfg.Metrics.observe(c, took)
		}
		if cfg.Log != nil {
			logRequest(cfg.Log, c, r, took)
		}
	}
}

// catchPanics turns panics into 500 responses, except [http.ErrAbortHandler].
func catchPanics(log *slog.Logger, problem func(*gin.Context, error)) gin.HandlerFunc {
	return func(c *gin.Context) {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if v == http.ErrAbortHandler {
				panic(v)
			}
			if log != nil {
				log.ErrorContext(c.Request.Context(), "panic", "request", RequestID(c), "route",
					c.FullPath(),
					"value", v, "stack", string(debug.Stack()))
			}
			problem(c, fmt.Errorf("panic: %v", v))
		}()
		c.Next()
	}
}

// limitSize rejects requests that are too large. The handler returns the error
// (see [Handle]), so that middleware in between counts the request.
func limitSize(c *gin.Context) {
	r := requestOf(c)
	if len(c.Request.RequestURI) > MaxURL {
		r.rejected = &registry.Error{Kind: errLongURL,
			Msg: fmt.Sprintf("The URL is longer than %d bytes.", MaxURL)}
	}
	if c.Request.Body == nil || c.Request.Body == http.NoBody {
		return
	}
	if c.Request.ContentLength > MaxBody {
		r.rejected = tooLarge(MaxBody)
		return // net/http delays closing the connection only if the body is its own
	}
	c.Request.Body = requestBody{c.Request.Body}
	c.Request.Body = LimitBody(c.Writer, c.Request, MaxBody)
}

// LimitBody returns the body of r, limited to n bytes, as [http.MaxBytesReader] does. It
// passes net/http's own writer, of which w may be a wrapper: when the limit is exceeded,
// net/http then closes the connection late enough for the client to read the response.
func LimitBody(w http.ResponseWriter, r *http.Request, n int64) io.ReadCloser {
	for {
		wrapper, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return http.MaxBytesReader(w, r.Body, n)
		}
		w = wrapper.Unwrap()
	}
}

// requestBody returns errors with a kind for what the client did wrong.
type requestBody struct{ io.ReadCloser }

func (b requestBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case err == nil || err == io.EOF:
		return n, err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return n, registry.Wrap(errSlow, err, "Timeout while reading the body.")
	}
	return n, registry.Wrap(errBody, err, "The body is incomplete or its chunks are malformed.")
}

// logRequest logs a finished request with the network of its client. Query strings and addresses are
// left out: they can contain secrets and are personal data.
func logRequest(log *slog.Logger, c *gin.Context, r *request, took time.Duration) {
	status := c.Writer.Status()
	attrs := []slog.Attr{
		slog.String("request", r.id),
		slog.String("method", MaskKeys(c.Request.Method)),
		slog.String("path", shownPath(c.Request, 200)),
		slog.Int("status", status),
		slog.Duration("took", took),
	}
	if site := account.NetworkOf(r.addr); site.IsValid() {
		attrs = append(attrs, slog.String("network", site.String()))
	}
	if r.access.Plan != nil {
		attrs = append(attrs, slog.Int64("account", r.access.Account), slog.Int64("key", r.access.Key))
	}
	attrs = append(attrs, r.attrs...)
	if err := c.Errors.Last(); err != nil && status >= 500 {
		attrs = append(attrs, slog.String("err", MaskKeys(err.Error())))
	}
	level := logLevel(status, r.probe)
	if err := c.Errors.Last(); err != nil && errors.Is(err, errBusy) {
		level = slog.LevelInfo // this process works as it should
	}
	log.LogAttrs(c.Request.Context(), level, "request", attrs...)
}

// logLevel is debug for successful probes, error for failures of this process, warn for
// 503, which means that another service does not respond, and otherwise info, also for
// 501.
func logLevel(status int, probe bool) slog.Level {
	switch {
	case probe && status < 300:
		return slog.LevelDebug
	case probe || status < 500 || status == http.StatusNotImplemented:
		return slog.LevelInfo
	case status == http.StatusServiceUnavailable:
		return slog.LevelWarn
	}
	return slog.LevelError
}

// A request is the state of a request that middleware and handlers share.
type request struct {
	id     string
	addr   netip.Addr // of the client
	client Client
	access account.Access // of the API key; Plan is nil without one
	// countKeyless counts a request that is refused because of its key, and
	// returns the error to respond with. Nil: such requests are not counted.
	countKeyless func(*gin.Context, error) error
	gate         *gate       // of expensive work; nil: none
	rejected     error       // returned by Handle instead of calling the handler
	probe        bool        // a liveness or readiness probe
	attrs        []slog.Attr // for the access log
}

type requestKey struct{}

func newRequest(c *gin.Context, trusted []netip.Prefix) *request {
	addr := addressOf(c.Request, trusted)
	r := &request{id: idOf(c.Request), addr: addr, client: networkOf(addr)}
	c.Set(requestKey{}, r)
	return r
}

// requestOf returns the state of c, empty if c is not from an engine of this package.
func requestOf(c *gin.Context) *request {
	if v, ok := c.Get(requestKey{}); ok {
		return v.(*request)
	}
	return &request{}
}

// Visiting returns the context of a request with its visitor, for limits of work that does not see
// the request, and for [Enter].
func Visiting(ctx context.Context, c *gin.Context) context.Context {
	r := requestOf(c)
	ctx = account.WithVisitor(ctx, account.Visitor{Client: r.client.String()})
	return context.WithValue(ctx, requestKey{}, r)
}

// RequestID returns the id of the request, which the response's X-Request-Id
// and the log contain.
func RequestID(c *gin.Context) string { return requestOf(c).id }

// LogWith adds attributes to the access log of the request. Values must not contain secrets
// or personal data.
func LogWith(c *gin.Context, attrs ...slog.Attr) {
	r := requestOf(c)
	r.attrs = append(r.attrs, attrs...)
}

func ClientOf(c *gin.Context) Client { return requestOf(c).client }

var requestID = regexp.MustCompile(`^[0-9A-Za-z_.-]{8,64}$`)

// idOf returns the request id that the client sent, or a random one if that is
// missing, malformed or contains an API key.
func idOf(r *http.Request) string {
	id := r.Header.Get("X-Request-Id")
	if requestID.MatchString(id) && !strings.Contains(id, account.KeyPrefix) {
		return id
	}
	return rand.Text()
}
