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

// What answers are read with: how long the server may be silent, and how many
// connections there are.
const (
	answerPatience = 3 * time.Second
	answerConns    = 10
)

// Answering returns the same database for those who answer requests, with
// connections of its own, which break when the server is silent for some
// seconds: a request does not wait for a server that has vanished, and those
// that come later are told at once, until it answers again. It is not for
// statements that take long. Close must be called.
func (db *DB) Answering() (*DB, error) {
	connector, err := pq.NewConnector(db.url)
	if err != nil {
		return nil, fmt.Errorf("connections for answers: %w", err)
	}
	g, err := newGuard(db.url)
	if err != nil {
		return nil, fmt.Errorf("connections for answers: %w", err)
	}
	connector.Dialer(guardedDialer{impatient(answerPatience), g})
	other := &DB{db: sqlx.NewDb(sql.OpenDB(connector), "postgres"), url: db.url, guard: g}
	other.db.SetMaxOpenConns(answerConns)
	other.db.SetMaxIdleConns(answerConns)
	return other, nil
}

// impatient dials connections that break when the server is silent for so long
// after something was written to it. Without that, a statement waits for a
// server that has vanished, not for its context: lib/pq sends a cancellation
// and waits on.
type impatient time.Duration

var (
	_ pq.Dialer        = impatient(0)
	_ pq.DialerContext = impatient(0)
	_ pq.DialerContext = guardedDialer{}
)

func (d impatient) Dial(network, address string) (net.Conn, error) {
	return d.DialContext(context.Background(), network, address)
}

func (d impatient) DialTimeout(network, address string, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return d.DialContext(ctx, network, address)
}

func (d impatient) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: time.Duration(d)}
	c, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return impatientConn{c, time.Duration(d)}, nil
}

type impatientConn struct {
	net.Conn
	patience time.Duration
}

func (c impatientConn) Write(b []byte) (int, error) {
	if err := c.Conn.SetDeadline(time.Now().Add(c.patience)); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}
