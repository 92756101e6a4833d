package httpd

import (
	"errors"
	"os"
	"sync"
	"time"
)

// net/http sets seven deadlines a request, nearly all of which are replaced
// before anything waits for them; each goes to the poller and moves a timer. A
// wholeConn keeps what was set and brings the connection below up to date when
// somebody reads or writes. The one below may be earlier than what was set,
// which then is set anew when it has passed, and so need not be moved for every
// request.
type deadlines struct {
	mu      sync.Mutex
	read    time.Time // as it was set; zero: none
	below   time.Time // as the connection has it; zero: none
	reading bool

	write time.Time // as the connection has it
}

const (
	// soon is how far ahead the deadline below is set.
	soon = 10 * time.Second
	// slack is how much earlier than it should a write may be given up.
	slack = 5 * time.Second
)

// SetReadDeadline is like [net.Conn.SetReadDeadline].
func (c *wholeConn) SetReadDeadline(t time.Time) error {
	d := &c.deadline
	d.mu.Lock()
	defer d.mu.Unlock()
	d.read = t
	if !d.reading {
		return nil // the next who reads sees to it
	}
	return c.obey()
}

// obey makes the connection stop a read no later than it should. The lock is
// held.
func (c *wholeConn) obey() error {
	d := &c.deadline
	if d.read.Equal(d.below) || !d.below.IsZero() && d.below.Before(d.read) && !d.below.Before(longAgo) {
		return nil
	}
	return c.renew()
}

// longAgo is later than what net/http sets to end a read at once.
var longAgo = time.Unix(1e6, 0)

// renew sets the connection's deadline. The lock is held.
func (c *wholeConn) renew() error {
	d := &c.deadline
	d.below = d.read
	if !d.read.IsZero() {
		if early := time.Now().Add(soon); early.Before(d.read) {
			d.below = early
		}
	}
	return c.Conn.SetReadDeadline(d.below)
}

// Read is like [net.Conn.Read].
func (c *wholeConn) Read(p []byte) (int, error) {
	d := &c.deadline
	d.mu.Lock()
	d.reading = true
	err := c.obey()
	for err == nil {
		d.mu.Unlock()
		var n int
		n, err = c.Conn.Read(p)
		d.mu.Lock()
		if n == 0 && errors.Is(err, os.ErrDeadlineExceeded) && (d.read.IsZero() || time.Now().Before(d.read)) {
			err = c.renew() // it was not meant yet
			continue
		}
		d.reading = false
		d.mu.Unlock()
		return n, err
	}
	d.reading = false
	d.mu.Unlock()
	return 0, err
}

// SetWriteDeadline is like [net.Conn.SetWriteDeadline]. Only the goroutine that
// serves the connection writes.
func (c *wholeConn) SetWriteDeadline(t time.Time) error {
	d := &c.deadline
	if later := t.Sub(d.write); !t.IsZero() && !d.write.IsZero() && later >= 0 && later < slack {
		return nil
	}
	d.write = t
	return c.Conn.SetWriteDeadline(t)
}

// SetDeadline is like [net.Conn.SetDeadline].
func (c *wholeConn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}
