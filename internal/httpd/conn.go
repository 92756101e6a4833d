package httpd

import (
	"bytes"
	"context"
	"net"
)

// The server of net/http writes a head and the start of a body through a
// buffer of 4 kB and then the rest, so that most answers take two system calls
// and two packets. A wholeConn that is told how long the body is sends both at
// once.
type wholeConn struct {
	net.Conn
	body int // length of the body that the next writes are part of; 0: not known
	rest int // bytes of the answer that are still to come; 0: nothing is held
	held []byte
}

// maxHeld is how much of an answer waits for the rest: the server's buffer.
const maxHeld = 4 << 10

// Write sends p, or keeps it until the answer that it begins is whole. Only the
// goroutine that serves the connection writes.
func (c *wholeConn) Write(p []byte) (int, error) {
	if c.rest == 0 {
		body := c.body
		c.body = 0
		if body > 0 && len(p) <= maxHeld {
			if end := bytes.Index(p, headEnd); end >= 0 {
				if rest := end + len(headEnd) + body - len(p); rest > 0 {
					c.held, c.rest = append(c.held[:0], p...), rest
					return len(p), nil
				}
			}
		}
		return c.Conn.Write(p)
	}
	if c.rest -= len(p); c.rest > 0 && len(c.held)+len(p) <= maxHeld {
		c.held = append(c.held, p...)
		return len(p), nil
	}
	c.rest = 0
	held := len(c.held)
	parts := net.Buffers{c.held, p}
	n, err := parts.WriteTo(c.Conn) // one writev on a TCP connection
	return max(0, int(n)-held), err
}

var headEnd = []byte("\r\n\r\n")

type wholeListener struct{ net.Listener }

func (l wholeListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &wholeConn{Conn: c}, nil
}

type connKey struct{}

func withConn(ctx context.Context, c net.Conn) context.Context {
	if w, ok := c.(*wholeConn); ok {
		return context.WithValue(ctx, connKey{}, w)
	}
	return ctx
}

// expect says that the answer to the request of ctx has a body of n bytes,
// which is about to be written.
func expect(ctx context.Context, n int) {
	if w, ok := ctx.Value(connKey{}).(*wholeConn); ok {
		w.body = n
	}
}
