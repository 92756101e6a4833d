// Package probe checks whether remote MCP endpoints are alive. It reads an endpoint's
// description and list of tools; it calls no tools and never sends credentials. URLs and
// responses are untrusted: it connects to public addresses only, and every response is limited
// in time and size.
package probe

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"golang.org/x/time/rate"

	"mcpcensus/crawler/mcp"
	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

// Options configure a [Prober]. Only Now is required.
type Options struct {
	UserAgent string // default "census-probe/1"
	Guard     transport.Guard

	RequestTimeout time.Duration // of one request with its body; default 15 s
	Timeout        time.Duration // of one probe; default 2 min
	// Interval is the time between two requests to one /24 of IPv4 or /48 of
	// IPv6; default 500 ms.
	Interval time.Duration

	// Base replaces lookups and connections, for demos and tests.
	Base http.RoundTripper
	Now  func() time.Time

	// Exclude are hosts that are not probed, with their subdomains.
	Exclude []string
}

const (
	maxBody = 256 << 10 // of one response, in bytes, except lists of tools
	maxHops = 1         // redirects
)

// A Prober probes endpoints. Its methods are safe for concurrent use.
type Prober struct {
	opt Options

	mu      sync.Mutex // held to look up and add a pace
	paces   *lru.Cache[netip.Prefix, *rate.Limiter]
	consent *lru.Cache[string, consent] // by origin
}

func New(opt Options) *Prober {
	opt.UserAgent = cmp.Or(opt.UserAgent, "census-probe/1")
	opt.RequestTimeout = cmp.Or(max(0, opt.RequestTimeout), 15*time.Second)
	opt.Timeout = cmp.Or(max(0, opt.Timeout), 2*time.Minute)
	opt.Interval = cmp.Or(max(0, opt.Interval), 500*time.Millisecond)
	p := &Prober{opt: opt}
	p.paces, _ = lru.New[netip.Prefix, *rate.Limiter](maxPaces) // fails for sizes below 1 only
	p.consent, _ = lru.New[string, consent](maxConsents)
	return p
}

// Probe returns the current state of an endpoint, without history. If ctx ends, the state is
// [registry.ProbeUnknown].
func (p *Prober) Probe(ctx context.Context, address string) registry.Probe {
	now := p.opt.Now().UTC()
	key, ok := registry.RemoteKey(address)
	if !ok {
		return registry.Probe{State: registry.ProbeUnknown, Reason: "URL cannot be probed", At: now}
	}
	probing, cancel := context.WithTimeout(ctx, p.opt.Timeout)
	defer cancel()
	u, err := url.Parse(key.Identifier)
	if err != nil {
		return registry.Probe{State: registry.ProbeUnknown, Reason: "URL cannot be probed", At: now}
	}
	c := &session{Prober: p, url: u}
	c.result.At = now
	defer c.close()
	err = c.run(probing)
	if ctx.Err() != nil {
		return registry.Probe{State: registry.ProbeUnknown, At: now}
	}
	if err != nil {
		c.fail(err)
	}
	return c.result
}

// Reachable reports whether a URL returns any HTTP response, to check the prober's own
// network.
func (p *Prober) Reachable(ctx context.Context, address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	c := &session{Prober: p, url: u}
	defer c.close()
	resp, err := c.send(ctx, request{method: http.MethodGet, url: u})
	if err != nil {
		return false
	}
	resp.close()
	return true
}

// A session is one probe in progress.
type session struct {
	*Prober
	url    *url.URL
	hosts  map[string]*host // by host name
	result registry.Probe
}

// A host is a connection of a session.
type host struct {
	base http.RoundTripper
	pace *rate.Limiter
}

func (c *session) close() {
	for _, h := range c.hosts {
		if t, ok := h.base.(*http.Transport); ok {
			t.CloseIdleConnections()
		}
	}
}

// host returns the connection to the host of a URL. Its addresses are resolved once.
func (c *session) host(ctx context.Context, u *url.URL) (*host, error) {
	name := u.Hostname()
	if h := c.hosts[name]; h != nil {
		return h, nil
	}
	h := &host{base: c.opt.Base}
	if h.base == nil {
		addrs, err := c.opt.Guard.Resolve(ctx, name)
		if err != nil {
			return nil, err
		}
		h.base, h.pace = c.opt.Guard.Open(name, addrs), c.paceOf(addrs[0])
	}
	if c.hosts == nil {
		c.hosts = map[string]*host{}
	}
	c.hosts[name] = h
	return h, nil
}

const maxPaces = 10_000

// paceOf returns the limiter of the network of an address.
func (p *Prober) paceOf(a netip.Addr) *rate.Limiter {
	bits := 24
	if a.Is6() {
		bits = 48
	}
	network, _ := a.Prefix(bits) // bits is valid for the family
	p.mu.Lock()
	defer p.mu.Unlock()
	pace, ok := p.paces.Get(network)
	if !ok {
		pace = rate.NewLimiter(rate.Every(p.opt.Interval), 1)
		p.paces.Add(network, pace)
	}
	return pace
}

// A refusal is an HTTP status that ends a probe.
type refusal struct {
	status int
	header http.Header
}

func (r *refusal) Error() string { return fmt.Sprintf("status %d", r.status) }

var (
	errRedirect = errors.New("redirects to another host")
	errOptedOut = errors.New("opted out")
	errRejected = errors.New("rejects MCP requests")
	errBusy     = errors.New("too many probes of this network")
)

// run sets the result of an endpoint that responds, and otherwise returns the error.
func (c *session) run(ctx context.Context) error {
	if slices.ContainsFunc(c.opt.Exclude, func(host string) bool {
		name := c.url.Hostname()
		return name == host || c.url.Host == host || strings.HasSuffix(name, "."+host)
	}) {
		return errOptedOut
	}
	if allowed, err := c.allowed(ctx); err != nil {
		return err
	} else if !allowed {
		return errOptedOut
	}
	err := c.modern(ctx)
	if err == nil || final(err) {
		return c.gate(ctx, err)
	}
	if err2 := c.legacy(ctx); err2 == nil || final(err2) {
		return c.gate(ctx, err2)
	} else if !errors.Is(err2, mcp.ErrNotMCP) || errors.Is(err, mcp.ErrNotMCP) {
		err = err2
	}
	err2 := c.events(ctx)
	if _, refused := errors.AsType[*refusal](err2); err2 == nil || refused && final(err2) {
		return c.gate(ctx, err2)
	}
	return err
}

// final reports whether an error determines the state of an endpoint, so that no other
// protocol is tried.
func final(err error) bool {
	if r, ok := errors.AsType[*refusal](err); ok {
		switch r.status {
		case http.StatusUnauthorized, http.StatusForbidden, http.StatusPaymentRequired,
			http.StatusTooManyRequests:
			return true
		}
		return false
	}
	// Otherwise it is a network error.
	return !errors.Is(err, mcp.ErrNotMCP) && !errors.Is(err, mcp.ErrTooLarge) &&
		!errors.Is(err, errRejected)
}

// gate reads the metadata of an endpoint that requires a login.
func (c *session) gate(ctx context.Context, err error) error {
	r, ok := errors.AsType[*refusal](err)
	if !ok || r.status != http.StatusUnauthorized && r.status != http.StatusForbidden {
		return err
	}
	if r.header.Get("Cf-Mitigated") != "" {
		return errRejected
	}
	c.result.State, c.result.Reason = registry.ProbeUndocumented, ""
	if reason := c.authorization(ctx, r.header); reason != "" {
		c.result.Reason = reason
		return nil
	}
	c.result.State = registry.ProbeGated
	return nil
}

// fail sets the state of an endpoint from an error.
func (c *session) fail(err error) {
	r := &c.result
	refused, isRefusal := errors.AsType[*refusal](err)
	switch {
	case isRefusal && refused.status == http.StatusPaymentRequired:
		r.State, r.Reason = registry.ProbePaid, ""
	case isRefusal && refused.status == http.StatusTooManyRequests:
		r.State, r.Reason = registry.ProbeRefused, refused.Error()
		r.RetryAt = transport.RetryAfter(refused.header, r.At)
	case isRefusal && refused.status >= 500:
		r.State, r.Reason = registry.ProbeUnreachable, refused.Error()
		r.RetryAt = transport.RetryAfter(refused.header, r.At)
	case isRefusal:
		r.State, r.Reason = registry.ProbeNotMCP, refused.Error()
	case errors.Is(err, mcp.ErrNotMCP), errors.Is(err, mcp.ErrTooLarge):
		r.State, r.Reason = registry.ProbeNotMCP, err.Error()
	case errors.Is(err, errRejected), errors.Is(err, errOptedOut):
		r.State, r.Reason = registry.ProbeRefused, err.Error()
	case errors.Is(err, errBusy):
		r.State, r.Reason = registry.ProbeUnknown, ""
	case errors.Is(err, errRedirect):
		r.State, r.Reason = registry.ProbeUnknown, err.Error()
	default:
		r.State, r.Reason = registry.ProbeUnreachable, networkReason(err)
	}
}

// networkReason returns the reason for a request without a response.
func networkReason(err error) string {
	if errors.Is(err, transport.ErrPrivateAddress) {
		return registry.ReasonPrivate
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return registry.ReasonDNS
	}
	var timeout net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() {
		return registry.ReasonTimeout
	}
	_, alert := errors.AsType[tls.AlertError](err)
	_, record := errors.AsType[tls.RecordHeaderError](err)
	_, verify := errors.AsType[*tls.CertificateVerificationError](err)
	_, name := errors.AsType[x509.HostnameError](err)
	if alert || record || verify || name || strings.Contains(err.Error(), "tls: ") {
		return registry.ReasonTLS
	}
	return registry.ReasonConnection
}
