package httpd

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// impatient is a connection on which a read waits until its deadline has
// passed or a request comes, whichever has come to be.
type impatient struct {
	net.Conn
	reads, writes []time.Time // the deadlines that were set
	early         int         // how many reads end before anything comes
}

func (c *impatient) SetReadDeadline(t time.Time) error  { c.reads = append(c.reads, t); return nil }
func (c *impatient) SetWriteDeadline(t time.Time) error { c.writes = append(c.writes, t); return nil }

func (c *impatient) Read(p []byte) (int, error) {
	if c.early > 0 {
		c.early--
		return 0, os.ErrDeadlineExceeded
	}
	return copy(p, "x"), nil
}

func TestAReadGoesOnUntilTheDeadlineThatWasSet(t *testing.T) {
	below := &impatient{early: 3}
	c := &wholeConn{Conn: below}
	_ = c.SetReadDeadline(time.Now().Add(time.Hour))
	if len(below.reads) > 0 {
		t.Error("a deadline that nothing waits for is set")
	}
	if n, err := c.Read(make([]byte, 10)); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if len(below.reads) != 4 {
		t.Errorf("deadlines: %v", below.reads)
	}
	for _, d := range []time.Duration{time.Minute, 0, 2 * time.Hour} { // none of which has to be set for a read
		at := time.Time{}
		if d > 0 {
			at = time.Now().Add(d)
		}
		_ = c.SetReadDeadline(at)
	}
	if _, err := c.Read(make([]byte, 10)); err != nil || len(below.reads) != 4 {
		t.Error(err, below.reads)
	}

	below.early = 1
	_ = c.SetReadDeadline(time.Now().Add(-time.Second))
	if _, err := c.Read(make([]byte, 10)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a read after the deadline: %v", err)
	}
	below.early = 0
	_ = c.SetReadDeadline(time.Time{})
	if _, err := c.Read(make([]byte, 10)); err != nil || !below.reads[len(below.reads)-1].IsZero() {
		t.Error("what has passed stays in force:", err, below.reads)
	}
}

// net/http ends a read that is under way in this way when the handler is done.
func TestAReadUnderWayIsEndedAtOnce(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	c := &wholeConn{Conn: server}
	for range 100 {
		_ = c.SetReadDeadline(time.Now().Add(time.Hour))
		done := make(chan error, 1)
		go func() {
			_, err := c.Read(make([]byte, 1))
			done <- err
		}()
		_ = c.SetReadDeadline(time.Unix(1, 0))
		select {
		case err := <-done:
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Fatal(err)
			}
		case <-time.After(30 * time.Second):
			t.Fatal("the read goes on")
		}
		_ = c.SetReadDeadline(time.Time{})
		if _, err := client.Write([]byte("y")); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWriteDeadlinesMoveNowAndThen(t *testing.T) {
	below := &impatient{}
	c := &wholeConn{Conn: below}
	start := time.Now()
	for i := range 100 {
		_ = c.SetWriteDeadline(start.Add(time.Minute + time.Duration(i)*time.Second/10))
	}
	if len(below.writes) != 2 || !below.writes[0].Equal(start.Add(time.Minute)) {
		t.Errorf("deadlines: %v", below.writes)
	}
	_ = c.SetWriteDeadline(start) // earlier ones count at once, and so does none
	_ = c.SetWriteDeadline(time.Time{})
	if n := len(below.writes); n != 4 || !below.writes[n-1].IsZero() {
		t.Errorf("deadlines: %v", below.writes)
	}
}
