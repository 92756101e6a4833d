package httpd

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
)

// request is what is known about a request before it is handled. It goes along
// as the writer of the answer, which costs less than gin's map of keys.
type request struct {
	gin.ResponseWriter
	id     string
	client Client
	conn   *wholeConn     // nil: not one of ours
	names  []string       // of the headers in conn.head
	marks  uint64         // of names, and maybe of others: see markOf
	room   [16]string     // for names
	length [1]string      // the value of Content-Length
	access account.Access // Plan is nil without a key
	// keyless counts a request that is refused for its key; nil: nobody does.
	keyless func(*gin.Context, error) error
	// refused is why the request is not handled: it is out of bounds. Whoever
	// would handle it says so, after the middleware has said what it says of
	// every answer.
	refused error
	probe   bool // of whether the process lives or is ready: asked every few seconds
}

// begin returns what is known about the request of c, which goes along with it
// from now on. Those of a connection, one after the other, share the memory.
func begin(c *gin.Context) *request {
	q := &request{}
	if conn := connOf(c.Request.Context()); conn != nil {
		q = &conn.request
		*q = request{conn: conn}
		conn.head, conn.body = conn.head[:0], 0
	}
	q.names = q.room[:0]
	q.ResponseWriter = c.Writer
	c.Writer = q
	return q
}

func requestOf(c *gin.Context) *request {
	if q, ok := c.Writer.(*request); ok {
		return q
	}
	return &request{}
}

// RequestID returns the id of the request, which is in the answer's
// X-Request-Id and in the log.
func RequestID(c *gin.Context) string { return requestOf(c).id }

// ClientOf returns who sent the request.
func ClientOf(c *gin.Context) Client { return requestOf(c).client }

// A Client is whom limits count: an IPv4 address, or the /64 of an IPv6
// address.
type Client struct{ netip.Addr }

// clientOf returns the client of r. Every trusted proxy appends the address it
// was called from to X-Forwarded-For, so the client is the last entry that is
// not a trusted proxy; what stands before it may be made up.
func clientOf(r *http.Request, trusted []netip.Prefix) Client {
	ap, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return Client{}
	}
	a := ap.Addr().Unmap()
	if len(trusted) == 0 || !contains(trusted, a) {
		return clientAt(a)
	}
	lines := r.Header["X-Forwarded-For"]
	for i := len(lines) - 1; i >= 0; i-- {
		for rest := lines[i]; ; {
			comma := strings.LastIndexByte(rest, ',')
			next, err := forwarded(strings.TrimSpace(rest[comma+1:]))
			if err != nil {
				return clientAt(a) // made up before a proxy of ours saw it
			}
			if a = next; !contains(trusted, a) {
				return clientAt(a)
			}
			if comma < 0 {
				break
			}
			rest = rest[:comma]
		}
	}
	return clientAt(a)
}

// forwarded reads an address with or without a port.
func forwarded(s string) (netip.Addr, error) {
	if a, err := netip.ParseAddr(s); err == nil {
		return a.Unmap().WithZone(""), nil
	}
	ap, err := netip.ParseAddrPort(s)
	return ap.Addr().Unmap().WithZone(""), err
}

func contains(ps []netip.Prefix, a netip.Addr) bool {
	for _, p := range ps {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

func clientAt(a netip.Addr) Client {
	if a.Is6() {
		if p, err := a.WithZone("").Prefix(64); err == nil {
			return Client{p.Addr()}
		}
	}
	return Client{a}
}

// ids numbers requests: a random start for the process and a counter.
type ids struct {
	prefix string
	next   atomic.Uint64
}

func newIDs() *ids {
	var b [6]byte
	_, _ = rand.Read(b[:])
	return &ids{prefix: hex.EncodeToString(b[:]) + "-"}
}

// of returns the id that r brings, if it is a harmless one, or a new one.
func (i *ids) of(r *http.Request) string {
	if v := r.Header["X-Request-Id"]; len(v) == 1 && harmless(v[0]) && !strings.Contains(v[0], "mcp_") {
		return v[0]
	}
	b := make([]byte, 0, 32)
	b = append(b, i.prefix...)
	return string(strconv.AppendUint(b, i.next.Add(1), 36))
}

func harmless(s string) bool {
	if len(s) < 8 || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.') {
			return false
		}
	}
	return true
}
