package httpd

import (
	"encoding/binary"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"mcpcensus/internal/quota"
)

// A Client is what limits count requests by: an IPv4 address, or the /64
// network of an IPv6 address.
type Client struct{ netip.Addr }

// Subject returns the client as package quota counts it.
func (c Client) Subject() quota.Subject {
	s := quota.Subject{Of: quota.ClientHour}
	switch {
	case c.Is4():
		b := c.As4()
		s.ID = 0xffff<<48 | uint64(binary.BigEndian.Uint32(b[:])) // no IPv6 network of clients begins with ffff
	case c.Is6():
		b := c.As16()
		s.ID = binary.BigEndian.Uint64(b[:8])
	}
	return s
}

// clientOf returns the client of r: the last address in X-Forwarded-For that
// is not a trusted proxy. Trusted proxies append the address they were called
// from; entries before it may be forged. Unlike [gin.Context.ClientIP] it
// accepts entries with a port, which some proxies send.
func clientOf(r *http.Request, trusted []netip.Prefix) Client {
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return Client{}
	}
	client := plainAddr(remote.Addr())
	isTrusted := func(p netip.Prefix) bool { return p.Contains(client) }
	if slices.ContainsFunc(trusted, isTrusted) {
		entries := strings.Split(strings.Join(r.Header["X-Forwarded-For"], ","), ",")
		for _, entry := range slices.Backward(entries) {
			forwarded, err := parseForwarded(strings.TrimSpace(entry))
			if err != nil {
				break
			}
			client = forwarded
			if !slices.ContainsFunc(trusted, isTrusted) {
				break
			}
		}
	}
	return networkOf(client)
}

// networkOf returns the client with an address.
func networkOf(a netip.Addr) Client {
	if a.Is6() {
		a = netip.PrefixFrom(a, 64).Masked().Addr()
	}
	return Client{a}
}

// parseForwarded parses an address with or without a port.
func parseForwarded(s string) (netip.Addr, error) {
	if a, err := netip.ParseAddr(s); err == nil {
		return plainAddr(a), nil
	}
	ap, err := netip.ParseAddrPort(s)
	return plainAddr(ap.Addr()), err
}

// plainAddr returns a without a zone, and as IPv4 if it is an IPv4 address
// mapped to IPv6.
func plainAddr(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }
