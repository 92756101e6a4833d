package transport

import (
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// dialer returns a transport that, with publicOnly, connects to addresses on
// the public internet only, and without it uses the proxy of the environment.
func dialer(publicOnly bool) http.RoundTripper {
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
		d.Control = func(_, address string, _ syscall.RawConn) error {
			ap, err := netip.ParseAddrPort(address)
			if err != nil || !IsPublic(ap.Addr()) {
				return ErrPrivateAddress
			}
			return nil
		}
	} else {
		t.Proxy = http.ProxyFromEnvironment
	}
	return t
}

var notPublic = func() []netip.Prefix {
	var list []netip.Prefix
	for _, s := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15",
		"198.51.100.0/24",
		"203.0.113.0/24", "240.0.0.0/4",
		"64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001:db8::/32", "2002::/16", "2001::/32",
	} {
		list = append(list, netip.MustParsePrefix(s))
	}
	return list
}()

// IsPublic reports whether an address is on the public internet: not
// loopback, private, link-local, multicast, shared (RFC 6598), reserved, or an
// IPv6 form that wraps an IPv4 address of such a kind.
func IsPublic(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsValid() || !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() ||
		a.IsLinkLocalUnicast() {
		return false
	}
	for _, p := range notPublic {
		if p.Contains(a) {
			return false
		}
	}
	return true
}
