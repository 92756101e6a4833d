package httpd

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"
	"github.com/klauspost/compress/gzip"
)

// An Answer is a whole body with what the client needs to keep it.
type Answer struct {
	Status int    // 0: 200
	Type   string // "": application/json
	Tag    string // entity tag with its quotes; "": none
	Cache  string // Cache-Control; "": "no-cache", that is, ask again each time
	Body   []byte
	// Zipped is Body compressed, if it is ready.
	Zipped []byte
}

var (
	jsonType  = []string{"application/json; charset=utf-8"}
	minToZip  = 1024 // a smaller body fits in one packet as it is
	gzipLevel = 5
)

// NotModified answers 304 and returns true if the client already has the
// version tag. Only GET and HEAD can be answered so.
func NotModified(c *gin.Context, tag, cache string) bool {
	have := c.Request.Header["If-None-Match"]
	if len(have) == 0 || tag == "" || !matches(have, tag) || c.Request.Method != http.MethodGet && c.Request.Method != http.MethodHead {
		return false
	}
	setCaching(c, tag, cache)
	c.Status(http.StatusNotModified)
	c.Writer.WriteHeaderNow()
	return true
}

// matches compares weakly (RFC 9110, 13.1.2).
func matches(lines []string, tag string) bool {
	tag = strings.TrimPrefix(tag, "W/")
	for _, l := range lines {
		for part := range strings.SplitSeq(l, ",") {
			part = strings.TrimSpace(part)
			if part == "*" || strings.TrimPrefix(part, "W/") == tag {
				return true
			}
		}
	}
	return false
}

func setCaching(c *gin.Context, tag, cache string) {
	if tag != "" {
		SetHeader(c, "Etag", tag)
	}
	if cache == "" {
		cache = "no-cache"
	}
	SetHeader(c, "Cache-Control", cache)
	if c.Writer.Header()["Vary"] == nil && !requestOf(c).has("Vary") { // who says more says this too
		SetHeader(c, "Vary", "Accept-Encoding")
	}
}

// Write answers c with a: compressed if the client takes it and a.Zipped is
// there, 304 if it has the version already.
func Write(c *gin.Context, a Answer) {
	if NotModified(c, a.Tag, a.Cache) {
		return
	}
	h := c.Writer.Header()
	if a.Type == "" {
		h["Content-Type"] = jsonType
	} else {
		h["Content-Type"] = []string{a.Type}
	}
	setCaching(c, a.Tag, a.Cache)
	body := a.Body
	if a.Zipped != nil && TakesGzip(c.Request) {
		SetHeader(c, "Content-Encoding", "gzip")
		body = a.Zipped
	}
	q := requestOf(c)
	q.length[0] = strconv.Itoa(len(body))
	h["Content-Length"] = q.length[:]
	if a.Status == 0 {
		a.Status = http.StatusOK
	}
	c.Status(a.Status)
	if c.Request.Method == http.MethodHead {
		c.Writer.WriteHeaderNow()
		return
	}
	q.expect(len(body))
	_, _ = c.Writer.Write(body)
}

// TakesGzip reports whether the client accepts a gzip body.
func TakesGzip(r *http.Request) bool {
	for _, l := range r.Header["Accept-Encoding"] {
		if l == "gzip" || l == "gzip, deflate" || l == "gzip, deflate, br" || l == "gzip, deflate, br, zstd" {
			return true
		}
		for part := range strings.SplitSeq(l, ",") {
			name, params, _ := strings.Cut(part, ";")
			name = strings.TrimSpace(name)
			if name != "*" && !strings.EqualFold(name, "gzip") && !strings.EqualFold(name, "x-gzip") {
				continue
			}
			q, found := strings.CutPrefix(strings.TrimSpace(params), "q=")
			if !found {
				return true
			}
			v, err := strconv.ParseFloat(strings.TrimSpace(q), 64)
			return err == nil && v > 0
		}
	}
	return false
}

var zippers = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzipLevel)
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}}

// Zip returns b as gzip, or nil if b is too small to gain from it.
func Zip(b []byte) []byte {
	if len(b) < minToZip {
		return nil
	}
	w := zippers.Get().(*gzip.Writer)
	defer zippers.Put(w)
	out := bytes.NewBuffer(make([]byte, 0, len(b)/3))
	w.Reset(out)
	_, _ = w.Write(b) // a bytes.Buffer takes everything
	_ = w.Close()
	return bytes.Clone(out.Bytes())
}

// AllowAnyOrigin lets pages of every origin read the answers.
func AllowAnyOrigin(c *gin.Context) {
	openToAll.set(c)
}

// Preflight answers the requests that browsers send ahead of others, and ends
// their handling.
func Preflight(c *gin.Context) {
	if c.Request.Method != http.MethodOptions {
		return
	}
	preflight.set(c)
	c.AbortWithStatus(http.StatusNoContent)
}

var (
	openToAll = newFixed(
		"Access-Control-Allow-Origin", "*",
		"Access-Control-Expose-Headers", "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-RateLimit-Plan, Retry-After, ETag, Link, X-Total-Count, X-Request-Id",
	)
	preflight = newFixed(
		"Access-Control-Allow-Methods", "GET, HEAD, OPTIONS",
		"Allow", "GET, HEAD, OPTIONS",
		"Access-Control-Allow-Headers", "Accept, Accept-Encoding, Authorization, Content-Type, If-None-Match, X-Request-Id",
		"Access-Control-Max-Age", "86400",
	)
)
