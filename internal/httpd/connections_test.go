package httpd

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/quota"
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

// One subscriber with an IPv6 /48 cannot open all connections.
func TestConnections_site(t *testing.T) {
	n := newConnections(100, 2, nil)
	open := func(peer string) *peerConn {
		c := &peerConn{peer: peer}
		n.change(c, http.StateNew)
		return c
	}
	var conns []*peerConn
	for i := range 2 * quota.SiteFactor {
		conns = append(conns, open(fmt.Sprintf("[2001:db8:1:%x::1]:1000", i)))
		if conns[i].closed {
			t.Fatalf("connection %d is closed", i+1)
		}
	}
	if !open("[2001:db8:1:ff::1]:1000").closed {
		t.Error("another of the site is open")
	}
	if open("[2001:db8:2::1]:1000").closed {
		t.Error("that of another site is closed")
	}
	n.change(conns[0], http.StateClosed)
	if open("[2001:db8:1:ff::1]:1000").closed {
		t.Error("closed although the site has closed a connection")
	}
	for c := range n.counted {
		n.change(c, http.StateClosed)
	}
	if len(n.counted) != 0 || len(n.byNetwork) != 0 {
		t.Errorf("left behind: %v %v", n.counted, n.byNetwork)
	}
}

// peers is a listener whose connections from 127.0.0.2 come from another machine.
type peers struct{ net.Listener }

func (p peers) Accept() (net.Conn, error) {
	c, err := p.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if a := c.RemoteAddr().(*net.TCPAddr); a.IP.Equal(net.IPv4(127, 0, 0, 2)) {
		return &remoteConn{c, net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: a.Port}}, nil
	}
	return c, nil
}

type remoteConn struct {
	net.Conn
	remote net.TCPAddr
}

func (c *remoteConn) RemoteAddr() net.Addr { return &c.remote }

// A client with many connections whose heads never end costs bounded memory, and others
// are served in the meantime.
func TestHalfSentHeads(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e, _ := engine(io.Discard)
	addr := serveOn(t, peers{l}, e)
	attack := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	if conn, err := attack.Dial("tcp", addr); err != nil {
		t.Skip("SKIPPED: connections from 127.0.0.2:", err)
	} else {
		conn.Close()
	}
	before := memoryInUse()
	head := "GET /ok/x HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("a", MaxHeader-1024)
	var conns []net.Conn
	open := func() net.Conn {
		conn, err := attack.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		_, _ = io.WriteString(conn, head) // fails where the server has closed it
		conns = append(conns, conn)
		return conn
	}
	for range 200 {
		open()
	}
	other := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	var slowest time.Duration
	for range 50 {
		start := time.Now()
		res, err := other.Get("http://" + addr + "/ok/x")
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != 200 {
			t.Errorf("another client gets %d", res.StatusCode)
		}
		slowest = max(slowest, time.Since(start))
	}
	each := (memoryInUse() - before) / 200
	t.Logf("200 half-sent heads of %d KiB: %d KiB of memory each, the slowest of 50 responses to others took %v",
		len(head)>>10, each>>10, slowest)
	if each > 128<<10 {
		t.Errorf("each head takes %d bytes", each)
	}
	for range maxClientConnections {
		open()
	}
	closed := 0
	deadline := time.Now().Add(time.Second)
	for _, conn := range slices.Backward(conns) { // the last ones are closed
		_ = conn.SetReadDeadline(deadline)
		if _, err := conn.Read(make([]byte, 1)); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			closed++
		}
	}
	if want := len(conns) - maxClientConnections; closed < want {
		t.Errorf("%d of %d connections were closed, want %d", closed, len(conns), want)
	}
}

// memoryInUse returns the bytes of the heap and of stacks after a garbage collection.
func memoryInUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
