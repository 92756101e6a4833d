package postgres

import (
	"context"
	"net"
	"time"

	"github.com/lib/pq"
)

// impatient dials connections that break when the server is silent for so long
// after something was written to it. Without that, a statement waits for a
// server that has vanished, not for its context: lib/pq sends a cancellation
// and waits on.
type impatient time.Duration

var (
	_ pq.Dialer        = impatient(0)
	_ pq.DialerContext = impatient(0)
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
