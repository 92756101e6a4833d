package httpd

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/netip"
	"regexp"
	"strings"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
)

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

// ClientOf returns the client of the request.
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
