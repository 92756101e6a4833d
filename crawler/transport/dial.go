package transport

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"mcpcensus/internal/hosts"
)

// Dialer returns a transport. If publicOnly is set, it connects only to addresses on the public
// internet; otherwise it uses the proxy of the environment.
func Dialer(publicOnly bool) http.RoundTripper {
	d := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	t := &http.Transport{
		DialContext:            d.DialContext,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    4,
		MaxConnsPerHost:        8,
		IdleConnTimeout:        60 * time.Second,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
	}
	if publicOnly {
		d.Control = controlPublic
	} else {
		t.Proxy = http.ProxyFromEnvironment
	}
	return t
}

// controlPublic refuses connections to addresses that are not public. It is
// called with the address that is dialled.
func controlPublic(_, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil || !IsPublic(ap.Addr()) {
		return ErrPrivateAddress
	}
	return nil
}

// A Guard opens transports to untrusted hosts. The zero value is ready to use. Its
// methods are safe for concurrent use.
type Guard struct {
	ConnectTimeout time.Duration // of the lookup, the connection and TLS each; default 5 s
	HeaderTimeout  time.Duration // until the response's header; default 10 s

	// Lookup, Connect and Roots replace the system's resolver, dialer and root
	// certificates, for tests. The results of Lookup are checked, too.
	Lookup  func(ctx context.Context, host string) ([]netip.Addr, error)
	Connect func(ctx context.Context, network, address string) (net.Conn, error)
	Roots   *x509.CertPool
}

// errOtherHost is the error of a connection to a host other than the transport's.
var errOtherHost = errors.New("the transport is for another host")

// Resolve returns the addresses of a host. The error wraps [ErrPrivateAddress] if any
// of them is not on the public internet; otherwise it is the error of the lookup.
func (g Guard) Resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	var addrs []netip.Addr
	if literal, err := netip.ParseAddr(host); err == nil {
		addrs = []netip.Addr{literal}
	} else {
		lookup := g.Lookup
		if lookup == nil {
			lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
				return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
			}
		}
		ctx, cancel := context.WithTimeout(ctx, g.connectTimeout())
		defer cancel()
		if addrs, err = lookup(ctx, host); err != nil {
			return nil, err
		}
	}
	if len(addrs) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	for i, a := range addrs {
		if addrs[i] = a.Unmap(); !IsPublic(a) {
			return nil, ErrPrivateAddress
		}
	}
	return addrs, nil
}

func (g Guard) connectTimeout() time.Duration { return cmp.Or(g.ConnectTimeout, 5*time.Second) }

// Open returns a transport that connects to one host only, at addresses that [Guard.Resolve]
// returned, even if the name resolves differently later. It has at most two connections, the
// second for requests next to an event stream, and uses no proxy. Callers close its idle
// connections.
func (g Guard) Open(host string, addrs []netip.Addr) *http.Transport {
	connect := g.Connect
	if connect == nil {
		d := &net.Dialer{Timeout: g.connectTimeout(), KeepAlive: -1, Control: controlPublic}
		connect = d.DialContext
	}
	return &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			name, port, err := net.SplitHostPort(address)
			if err != nil || name != host {
				return nil, errOtherHost
			}
			ctx, cancel := context.WithTimeout(ctx, g.connectTimeout())
			defer cancel()
			for _, a := range addrs {
				var conn net.Conn
				if conn, err = connect(ctx, network, net.JoinHostPort(a.String(), port)); err == nil {
					return conn, nil
				}
			}
			return nil, err
		},
		TLSClientConfig:        &tls.Config{RootCAs: g.Roots, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:      true,
		MaxConnsPerHost:        2,
		IdleConnTimeout:        5 * time.Second,
		TLSHandshakeTimeout:    g.connectTimeout(),
		ResponseHeaderTimeout:  cmp.Or(g.HeaderTimeout, 10*time.Second),
		MaxResponseHeaderBytes: 64 << 10,
	}
}

// IsPublic reports whether an address is on the public internet.
func IsPublic(a netip.Addr) bool { return hosts.KindOfAddr(a) == hosts.Public }
