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
	head []byte // lines for the head of the next answer
	body int    // length of the body that the next writes are part of; 0: not known
	rest int    // bytes of the answer that are still to come; 0: nothing is held
	held []byte
	both [2][]byte // held, and the rest
	out  net.Buffers

	request  request // the one that is handled
	deadline deadlines
}

// maxHeld is how much of an answer waits for the rest: the server's buffer.
const maxHeld = 4 << 10

// Write sends p, or keeps it until the answer that it begins is whole. Only the
// goroutine that serves the connection writes.
func (c *wholeConn) Write(p []byte) (int, error) {
	if c.rest == 0 {
		status := statusLine(p)
		if status == 0 {
			return c.Conn.Write(p)
		}
		if p[len("HTTP/1.1 ")] >= '4' {
			if own := refusal(p); own != nil {
				if _, err := c.Conn.Write(own); err != nil {
					return 0, err
				}
				return len(p), nil
			}
		}
		body := c.body
		c.held = append(append(append(c.held[:0], p[:status]...), c.head...), p[status:]...)
		c.body, c.head = 0, c.head[:0]
		if body > 0 {
			if end := bytes.Index(p, headEnd); end >= 0 {
				if rest := end + len(headEnd) + body - len(p); rest > 0 {
					c.rest = rest
					return len(p), nil
				}
			}
		}
		n, err := c.Conn.Write(c.held)
		return min(n, len(p)), err
	}
	if c.rest -= len(p); c.rest > 0 && len(p) < maxHeld {
		c.held = append(c.held, p...)
		return len(p), nil
	}
	c.rest = 0
	held := len(c.held)
	c.both = [2][]byte{c.held, p}
	c.out = c.both[:]
	n, err := c.out.WriteTo(c.Conn) // one writev on a TCP connection
	c.both = [2][]byte{}
	return max(0, int(n)-held), err
}

var (
	headEnd = []byte("\r\n\r\n")
	lineEnd = headEnd[:2]
)

// statusLine returns the length of the line that begins the answer p, 0 if p
// does not begin one, or one that says that another follows.
func statusLine(p []byte) int {
	if len(p) < len("HTTP/1.1 200") || string(p[:len("HTTP/1.")]) != "HTTP/1." || p[len("HTTP/1.1 ")] == '1' {
		return 0
	}
	if i := bytes.Index(p, lineEnd); i >= 0 {
		return i + len(lineEnd)
	}
	return 0
}

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

// connOf returns the connection that the request of ctx came on, nil if that is
// another kind.
func connOf(ctx context.Context) *wholeConn {
	w, _ := ctx.Value(connKey{}).(*wholeConn)
	return w
}

// expect says that the answer to the request has a body of n bytes, which is
// about to be written.
func (q *request) expect(n int) {
	if q.conn != nil {
		q.conn.body = n
	}
}
