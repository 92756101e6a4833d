package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

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
	connector, err := pq.NewConnector(db.url)
	if err != nil {
		return nil, fmt.Errorf("connections for requests: %w", err)
	}
	g, err := newGuard(db.url)
	if err != nil {
		return nil, fmt.Errorf("connections for requests: %w", err)
	}
	connector.Dialer(guardedDialer{timeoutDialer(requestTimeout), g})
	other := &DB{db: sqlx.NewDb(sql.OpenDB(connector), "postgres"), url: db.url, guard: g}
	other.db.Mapper = db.db.Mapper
	other.db.SetMaxOpenConns(requestConns)
	other.db.SetMaxIdleConns(requestConns)
	return other, nil
}

// A timeoutDialer dials connections that fail when the server does not respond
// to a write in time. Without that, a statement ignores its context when the
// server has vanished: lib/pq sends a cancellation and keeps waiting.
type timeoutDialer time.Duration

var (
	_ pq.Dialer        = timeoutDialer(0)
	_ pq.DialerContext = timeoutDialer(0)
	_ pq.DialerContext = guardedDialer{}
)

func (d timeoutDialer) Dial(network, address string) (net.Conn, error) {
	return d.DialContext(context.Background(), network, address)
}

func (d timeoutDialer) DialTimeout(
	network, address string, timeout time.Duration,
) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return d.DialContext(ctx, network, address)
}

func (d timeoutDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: time.Duration(d)}
	c, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return timeoutConn{c, time.Duration(d)}, nil
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
