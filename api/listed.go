package api

import (
	"sync"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
)

// A Listed is an answer with some servers of a list. Most answers are such, so
// they are made without anything that the garbage collector would have to look
// after: it pays for each byte with time.
type Listed struct {
	List     catalog.List
	From, To int    // the servers, To exclusive
	Head     string // of the body, before the servers
	Tail     []byte // behind them
	Tag      string // entity tag with its quotes
	Control  string // Cache-Control
}

// buffers are for bodies that are being made.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 64<<10); return &b }}

// Write answers c, compressed if the client takes that and there is more than
// one server.
func (p *Listed) Write(c *gin.Context) {
	if httpd.NotModified(c, p.Tag, p.Control) {
		return
	}
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	a := httpd.Answer{Tag: p.Tag, Cache: p.Control}
	if p.To-p.From > 1 && httpd.TakesGzip(c.Request) {
		var z catalog.Zip
		z.Begin((*buf)[:0], p.Head)
		p.List.ZipBasics(&z, p.From, p.To)
		a.Zipped = z.End(p.Tail)
		*buf = a.Zipped
	} else {
		b := append((*buf)[:0], p.Head...)
		b = p.List.AppendBasics(b, p.From, p.To)
		a.Body = append(b, p.Tail...)
		*buf = a.Body
	}
	httpd.Write(c, a)
}
