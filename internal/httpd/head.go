package httpd

import (
	"bytes"
	"slices"

	"github.com/gin-gonic/gin"
)

// A dozen headers in the map of net/http cost more than the rest of a short
// answer: they are put in, copied, sorted, checked and written one by one. Those
// that SetHeader takes are written to the connection as they are, behind the
// status line that the server writes.

// SetHeader sets a header of the answer, in place of one that was set before.
// name must be spelt as [http.CanonicalHeaderKey] does, and must be none that
// net/http looks at itself: Content-Type, Content-Length, Connection, Date.
func SetHeader[Text string | []byte](c *gin.Context, name string, value Text) {
	q, ok := c.Writer.(*request)
	if !ok || q.conn == nil || !oneLine(value) { // net/http makes such a value harmless
		c.Writer.Header()[name] = []string{string(value)}
		return
	}
	q.claim(name, markOf(name))
	b := append(q.conn.head, name...)
	b = append(b, ": "...)
	b = append(b, value...)
	q.conn.head = append(b, "\r\n"...)
}

// oneLine reports whether s has nothing in it that ends a header.
func oneLine[Text string | []byte](s Text) bool {
	for i := range len(s) {
		if c := s[i]; c <= 13 && (c == 0 || c == 10 || c == 13) {
			return false
		}
	}
	return true
}

// claim notes that the header is written past net/http, in place of one that
// was set before.
func (q *request) claim(name string, mark uint64) {
	if q.marks&mark != 0 && slices.Contains(q.names, name) {
		q.drop(name)
	}
	if h := q.Header(); len(h) > 0 {
		delete(h, name)
	}
	q.marks |= mark
	q.names = append(q.names, name)
}

// markOf is a bit for a name, which few others share: most look-ups of what
// was set before end there.
func markOf(name string) uint64 {
	return 1 << ((uint(len(name))*7 + uint(name[0]) + uint(name[len(name)-1])*3) & 63)
}

// fixed are headers that are the same on every answer, as they are written.
type fixed struct {
	names, values []string
	marks         []uint64
	block         string
}

// newFixed takes names and values in turns.
func newFixed(pairs ...string) *fixed {
	f := &fixed{}
	for i := 0; i < len(pairs); i += 2 {
		f.names, f.values = append(f.names, pairs[i]), append(f.values, pairs[i+1])
		f.marks = append(f.marks, markOf(pairs[i]))
		f.block += pairs[i] + ": " + pairs[i+1] + "\r\n"
	}
	return f
}

// set sets them as SetHeader does.
func (f *fixed) set(c *gin.Context) {
	q, ok := c.Writer.(*request)
	if !ok || q.conn == nil {
		for i, name := range f.names {
			SetHeader(c, name, f.values[i])
		}
		return
	}
	for i, name := range f.names {
		q.claim(name, f.marks[i])
	}
	q.conn.head = append(q.conn.head, f.block...)
}

// has reports whether SetHeader has set a header on one of our connections.
func (q *request) has(name string) bool {
	return q.marks&markOf(name) != 0 && slices.Contains(q.names, name)
}

// DropHeaders takes back headers of an answer that is not written yet.
func DropHeaders(c *gin.Context, names ...string) {
	h := c.Writer.Header()
	q := requestOf(c)
	for _, n := range names {
		delete(h, n)
		if q.has(n) {
			q.drop(n)
		}
	}
}

func (q *request) drop(name string) {
	q.names = slices.DeleteFunc(q.names, func(n string) bool { return n == name })
	rest := q.conn.head
	kept := rest[:0]
	for len(rest) > 0 {
		end := bytes.IndexByte(rest, '\n') + 1
		if line := rest[:end]; !bytes.HasPrefix(line, []byte(name+": ")) {
			kept = append(kept, line...)
		}
		rest = rest[end:]
	}
	q.conn.head = kept
}
