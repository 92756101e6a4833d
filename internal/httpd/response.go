package httpd

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"
	"github.com/klauspost/compress/gzip"
)

// A Response is a complete response body and the headers that describe it.
type Response struct {
	Status int    // 0: 200
	Type   string // "": application/json
	Tag    string // entity tag with its quotes; "": none
	Cache  string // Cache-Control; "": "no-cache", which makes clients revalidate each time
	Body   []byte
	Zipped []byte // Body compressed with gzip; nil: not available
}

func TagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return `W/"` + hex.EncodeToString(sum[:8]) + `"`
}

// NotModified responds with 304 and returns true if the client already has the
// version tag. It returns false for methods other than GET and HEAD.
func NotModified(c *gin.Context, tag, cache string) bool {
	have := c.Request.Header["If-None-Match"]
	if len(have) == 0 || tag == "" || !matchesTag(have, tag) ||
		c.Request.Method != http.MethodGet && c.Request.Method != http.MethodHead {
		return false
	}
	setCaching(c, tag, cache)
	c.Status(http.StatusNotModified)
	c.Writer.WriteHeaderNow()
	return true
}

// matchesTag implements the weak comparison of If-None-Match (RFC 9110, 13.1.2).
func matchesTag(lines []string, tag string) bool {
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

// setCaching keeps headers that the handler has set: a Cache-Control that is private, and a Vary,
// which must include Accept-Encoding. Responses with headers about the client or the account are
// not public.
func setCaching(c *gin.Context, tag, cache string) {
	cache = cmp.Or(cache, "no-cache")
	_, isKeyed := AccessOf(c)
	if (isKeyed || c.Writer.Header()["X-Ratelimit-Limit"] != nil) && strings.HasPrefix(cache, "public") {
		cache = "private, no-cache"
	}
	if !strings.HasPrefix(c.Writer.Header().Get("Cache-Control"), "private") {
		c.Header("Cache-Control", cache)
	}
	if tag != "" {
		c.Header("Etag", tag)
	}
	if c.Writer.Header()["Vary"] == nil {
		c.Header("Vary", "Accept-Encoding")
	}
}

// Write responds with a, compressed if the client accepts gzip, or with 304 if the
// client already has the version a.Tag.
func Write(c *gin.Context, a Response) {
	if NotModified(c, a.Tag, a.Cache) {
		return
	}
	setCaching(c, a.Tag, a.Cache)
	a.Type = cmp.Or(a.Type, "application/json; charset=utf-8")
	a.Status = cmp.Or(a.Status, http.StatusOK)
	body := a.Body
	if a.Zipped != nil && TakesGzip(c.Request) {
		c.Header("Content-Encoding", "gzip")
		body = a.Zipped
	}
	c.Header("Content-Type", a.Type)
	c.Header("Content-Length", strconv.Itoa(len(body)))
	c.Status(a.Status)
	if c.Request.Method == http.MethodHead {
		c.Writer.WriteHeaderNow()
		return
	}
	_, _ = c.Writer.Write(body) // fails only if the client is gone
}

// TakesGzip reports whether the client accepts a gzip body, by the quality of gzip or,
// without it, of "*" (RFC 9110, 12.5.3).
func TakesGzip(r *http.Request) bool {
	others := false
	for _, l := range r.Header["Accept-Encoding"] {
		for part := range strings.SplitSeq(l, ",") {
			name, params, _ := strings.Cut(part, ";")
			switch strings.ToLower(strings.TrimSpace(name)) {
			case "gzip", "x-gzip":
				return accepts(params)
			case "*":
				others = accepts(params)
			}
		}
	}
	return others
}

// accepts reports whether the quality in the parameters of an encoding is above 0.
func accepts(params string) bool {
	q, found := strings.CutPrefix(strings.TrimSpace(params), "q=")
	if !found {
		return true
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(q), 64)
	return err == nil && v > 0
}

const (
	minZip   = 1024 // bytes; smaller bodies fit in one packet uncompressed
	zipLevel = 5
)

var zippers = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, zipLevel)
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}}

// Zip returns b compressed with gzip, or nil if b is too small to gain from it.
func Zip(b []byte) []byte {
	if len(b) < minZip {
		return nil
	}
	w := zippers.Get().(*gzip.Writer)
	defer zippers.Put(w)
	out := bytes.NewBuffer(make([]byte, 0, len(b)/3))
	w.Reset(out)
	_, _ = w.Write(b) // a bytes.Buffer does not fail
	_ = w.Close()
	return bytes.Clone(out.Bytes())
}
