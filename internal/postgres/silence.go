package postgres

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// A guard tracks whether the server responds, so that not every request waits for a timeout.
// When a connection times out, the guard pings the server, because a single slow statement can
// cause that too. If the ping times out, all connections are closed, and none are opened until
// a ping succeeds.
type guard struct {
	probe *sqlx.DB // has one connection, which is not guarded

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
	probe, err := open(url, dialWithin(probeTime), 1)
	return &guard{probe: probe, conns: make(map[*guardedConn]struct{}), closed: make(chan struct{})}, err
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

// dialer returns dial, which fails while the server is silent.
func (g *guard) dialer(dial dialer) dialer {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if g.isSilent() {
			return nil, errSilent
		}
		conn, err := dial(ctx, network, address)
		if err != nil {
			if ne, ok := errors.AsType[net.Error](err); ok && ne.Timeout() && ctx.Err() == nil {
				g.suspect()
			}
			return nil, err
		}
		c := &guardedConn{Conn: conn, guard: g}
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.silent {
			conn.Close()
			return nil, errSilent
		}
		g.conns[c] = struct{}{}
		return c, nil
	}
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

// Limits of the connections for requests: the timeout of each response, and the size
// of the pool.
const (
	requestTimeout = 3 * time.Second
	requestConns   = 10
)

// RequestPool returns the same database with a separate pool for handling
// requests. Its connections time out when the server does not respond for some
// seconds; later requests fail immediately until it responds again. Do not use
// it for long statements. The caller must call Close.
func (db *DB) RequestPool() (*DB, error) {
	g, err := newGuard(db.url)
	if err != nil {
		return nil, err
	}
	pool, err := open(db.url, g.dialer(dialWithin(requestTimeout)), requestConns)
	return &DB{db: pool, url: db.url, guard: g}, err
}

// open returns connections to a URL, at most conns, that dial opens.
func open(url string, dial dialer, conns int) (*sqlx.DB, error) {
	connector, err := pq.NewConnector(url)
	if err != nil {
		return nil, err
	}
	connector.Dialer(dialer(func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, marked(err)
		}
		return markedConn{conn}, nil
	}))
	db := sqlx.NewDb(sql.OpenDB(connector), "postgres")
	db.MapperFunc(column)
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return db, nil
}

// A markedConn is a connection to the database, whose errors [IsAway] recognizes.
type markedConn struct{ net.Conn }

func (c markedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	return n, marked(err)
}

// marked marks an error of the network. lib/pq distinguishes its type, which remains.
func marked(err error) error {
	e, ok := err.(*net.OpError)
	if !ok || errors.Is(err, context.Canceled) {
		return err
	}
	m := *e
	m.Err = unreachable{e.Err}
	return &m
}

type unreachable struct{ error }

func (u unreachable) Unwrap() error { return u.error }

// dialWithin returns a dialer of connections that fail when the server does not respond
// to a write in time. Without that, a statement ignores its context when the
// server has vanished: lib/pq sends a cancellation and keeps waiting.
func dialWithin(timeout time.Duration) dialer {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		d := net.Dialer{Timeout: timeout}
		c, err := d.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return timeoutConn{c, timeout}, nil
	}
}

// A dialer is a [pq.DialerContext] and, because package pq requires it, a [pq.Dialer].
type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// DialContext implements [pq.DialerContext].
func (d dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return d(ctx, network, address)
}

// Dial implements [pq.Dialer].
func (d dialer) Dial(network, address string) (net.Conn, error) {
	return d(context.Background(), network, address)
}

// DialTimeout implements [pq.Dialer].
func (d dialer) DialTimeout(network, address string, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return d(ctx, network, address)
}

type timeoutConn struct {
	net.Conn
	timeout time.Duration
}

func (c timeoutConn) Write(b []byte) (int, error) {
	if err := c.Conn.SetDeadline(time.Now().Add(c.timeout)); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}
