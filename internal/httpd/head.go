package httpd

import (
	"bytes"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"
)

// A dozen headers in the map of net/http cost more than the rest of a short
// answer: they are put in, copied, sorted, checked and written one by one. Those
// that SetHeader takes are written to the connection as they are, behind the
// status line that the server writes.

// SetHeader sets a header of the answer, in place of one that was set before.
// name must be spelt as [http.CanonicalHeaderKey] does, and must be none that
// net/http looks at itself: Content-Type, Content-Length, Connection, Date.
func SetHeader(c *gin.Context, name, value string) {
	q, ok := c.Writer.(*request)
	if !ok || q.conn == nil || strings.IndexByte(value, 0) >= 0 || strings.IndexByte(value, 10) >= 0 || strings.IndexByte(value, 13) >= 0 { // net/http makes such a value harmless
		c.Writer.Header()[name] = []string{value}
		return
	}
	if slices.Contains(q.names, name) {
		q.drop(name)
	}
	delete(q.Header(), name)
	q.names = append(q.names, name)
	b := append(q.conn.head, name...)
	b = append(b, ": "...)
	b = append(b, value...)
	q.conn.head = append(b, "\r\n"...)
}

// DropHeaders takes back headers of an answer that is not written yet.
func DropHeaders(c *gin.Context, names ...string) {
	h := c.Writer.Header()
	q := requestOf(c)
	for _, n := range names {
		delete(h, n)
		if slices.Contains(q.names, n) {
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
