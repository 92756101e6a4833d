package postgres

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"github.com/lib/pq"
)

// A guard tracks whether the server responds, so that not every request has to wait for a
// timeout. When a connection times out, the guard pings the server, because a single slow
// statement can cause that too. If the ping times out, all connections are closed, and none
// are opened until a ping succeeds.
type guard struct {
	probe *sql.DB // has one connection, which is not guarded

	mu      sync.Mutex
	conns   map[*guardedConn]struct{}
	silent  bool
	pinging bool // a ping is in progress
	closed  chan struct{}
}

const (
	probeTime = time.Second            // timeout of a ping
	probeEach = 300 * time.Millisecond // between pings
)

var errSilent = &net.OpError{Op: "dial", Net: "tcp",
	Err: errors.New("the database has not responded for some seconds")}

func newGuard(url string) (*guard, error) {
	connector, err := pq.NewConnector(url)
	if err != nil {
		return nil, err
	}
	connector.Dialer(timeoutDialer(probeTime))
	g := &guard{probe: sql.OpenDB(connector), conns: make(map[*guardedConn]struct{}),
		closed: make(chan struct{})}
	g.probe.SetMaxOpenConns(1)
	return g, nil
}

func (g *guard) close() error {
	g.mu.Lock()
	select {
	case <-g.closed:
	default:
		close(g.closed)
	}
	g.mu.Unlock()
	return g.probe.Close()
}

// suspect pings the server until it responds.
func (g *guard) suspect() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.pinging {
		return
	}
	g.pinging = true
	go func() {
		for {
			ctx, cancel := context.WithTimeout(context.Background(), probeTime)
			err := g.probe.PingContext(ctx)
			cancel()
			if g.setResponds(err == nil) {
				return
			}
			select {
			case <-g.closed:
				return
			case <-time.After(probeEach):
			}
		}
	}()
}

// setResponds stores whether the server responds, and returns it.
func (g *guard) setResponds(responds bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.silent, g.pinging = !responds, !responds
	if !responds {
		for c := range g.conns { // so that callers stop waiting
			c.Conn.Close()
		}
		clear(g.conns)
	}
	return responds
}

func (g *guard) isSilent() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.silent
}

// A guardedDialer is a timeoutDialer that fails while the server is silent.
type guardedDialer struct {
	timeoutDialer
	guard *guard
}

func (d guardedDialer) Dial(network, address string) (net.Conn, error) {
	return d.DialContext(context.Background(), network, address)
}

func (d guardedDialer) DialTimeout(
	network, address string, timeout time.Duration,
) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return d.DialContext(ctx, network, address)
}

func (d guardedDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if d.guard.isSilent() {
		return nil, errSilent
	}
	conn, err := d.timeoutDialer.DialContext(ctx, network, address)
	if err != nil {
		if ne, ok := errors.AsType[net.Error](err); ok && ne.Timeout() && ctx.Err() == nil {
			d.guard.suspect()
		}
		return nil, err
	}
	c := &guardedConn{Conn: conn, guard: d.guard}
	d.guard.mu.Lock()
	defer d.guard.mu.Unlock()
	if d.guard.silent {
		conn.Close()
		return nil, errSilent
	}
	d.guard.conns[c] = struct{}{}
	return c, nil
}

type guardedConn struct {
	net.Conn
	guard *guard
}

func (c *guardedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err != nil && errors.Is(err, os.ErrDeadlineExceeded) {
		c.guard.suspect()
	}
	return n, err
}

func (c *guardedConn) Close() error {
	c.guard.mu.Lock()
	delete(c.guard.conns, c)
	c.guard.mu.Unlock()
	return c.Conn.Close()
}
