package httpd

import (
	"net"
	"net/http"
	"net/netip"
	"testing"
)

// A peerConn is a connection from an address.
type peerConn struct {
	net.Conn
	peer   string
	closed bool
}

func (c *peerConn) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(c.peer))
}
func (c *peerConn) Close() error { c.closed = true; return nil }

func TestConnections(t *testing.T) {
	n := newConnections(5, 2, []netip.Prefix{netip.MustParsePrefix("10.0.0.1/32")})
	open := func(peer string) *peerConn {
		c := &peerConn{peer: peer}
		n.change(c, http.StateNew)
		return c
	}
	first := open("192.0.2.1:1000")
	for _, tc := range []struct {
		name, peer string
		closed     bool
	}{
		{"second of a client", "192.0.2.1:1001", false},
		{"third of a client", "192.0.2.1:1002", true},
		{"other client", "192.0.2.2:1000", false},
		{"proxy", "10.0.0.1:1000", false},
		{"last", "[2001:db8::1]:1000", false},
		{"above the total", "192.0.2.3:1000", true},
		{"proxy above the total", "10.0.0.1:1001", true},
	} {
		if c := open(tc.peer); c.closed != tc.closed {
			t.Errorf("%s: closed %t, want %t", tc.name, c.closed, tc.closed)
		}
	}
	n.change(first, http.StateClosed)
	n.change(first, http.StateClosed)
	if c := open("192.0.2.1:1003"); c.closed {
		t.Error("closed although the client has closed a connection")
	}
}
