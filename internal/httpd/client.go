package httpd

import (
	"encoding/binary"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"mcpcensus/internal/hosts"
	"mcpcensus/internal/quota"
)

// A Client identifies a client for limits: an IPv4 address, or the /64 network of an
// IPv6 address.
type Client struct{ netip.Addr }

func (c Client) Subject() quota.Subject {
	s := quota.Subject{Of: quota.ClientHour}
	switch {
	case c.Is4():
		b := c.As4()
		s.ID = 0xffff<<48 | uint64(binary.BigEndian.Uint32(b[:]))
	case c.Is6():
		b := c.As16()
		s.ID = binary.BigEndian.Uint64(b[:8])
	}
	return s
}

// addressOf returns the address of the client of r, invalid if it is unknown: the last
// address in X-Forwarded-For that is not a trusted proxy. Trusted proxies append the
// address of their caller; earlier entries may be forged. Without trusted proxies the
// header is ignored, also from this machine: a tunnel, or a proxy that adds no header,
// forwards that of a stranger.
// Unlike [gin.Context.ClientIP] it accepts entries with a port, which some proxies send.
func addressOf(r *http.Request, trusted []netip.Prefix) netip.Addr {
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
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
	return client
}

// LoopbackHost reports whether a host, with or without a port, is this machine.
func LoopbackHost(host string) bool { return hosts.KindOf(host) == hosts.Loopback }

// maxForwarders is the number of networks that [warnForwarded] logs in an hour.
const maxForwarders = 10

// warnForwarded returns a function that logs requests with X-Forwarded-For from addresses that
// are not trusted proxies, once an hour for each network.
func warnForwarded(log *slog.Logger, trusted []netip.Prefix) func(*http.Request) {
	var mu sync.Mutex
	var since time.Time
	logged := map[Client]bool{} // since then
	isNew := func(c Client) bool {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.Sub(since) >= time.Hour {
			clear(logged)
			since = now
		}
		if logged[c] || len(logged) == maxForwarders {
			return false
		}
		logged[c] = true
		return true
	}
	return func(r *http.Request) {
		remote, err := netip.ParseAddrPort(r.RemoteAddr)
		peer := plainAddr(remote.Addr())
		if log == nil || err != nil || r.Header["X-Forwarded-For"] == nil ||
			slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(peer) }) {
			return
		}
		if isNew(networkOf(peer)) {
			log.Warn("X-Forwarded-For from an address that is not in CENSUS_TRUSTED_PROXIES; "+
				"add it if it is your proxy", "address", peer.String(),
				"header", "ignored: all its visitors count as one client")
		}
	}
}

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
