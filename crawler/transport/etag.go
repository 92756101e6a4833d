package transport

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"

	"mcpcensus/internal/cache"
)

// ETags caches responses with their validators. Keys contain credential and URL because
// GitHub's ETags depend on both.
type ETags = cache.Bytes[string, Stored]

// A Stored is one response with status 200.
type Stored struct {
	ETag         string
	LastModified string
	Header       http.Header // Content-Type and Link only
	Body         []byte
}

// maxStored is the size of the largest body that is stored.
const maxStored = 1 << 20

// conditional adds the validators of a stored response to a GET. The key is ""
// if the response must not be stored.
func (c *Client) conditional(req *http.Request) (string, *Stored) {
	if c.opt.ETags == nil || req.Method != http.MethodGet || req.Header.Get("Range") != "" {
		return "", nil
	}
	key := c.credential + " " + req.Header.Get("Accept") + " " + req.URL.String()
	s, ok := c.opt.ETags.Get(key)
	if !ok {
		return key, nil
	}
	if s.ETag != "" {
		req.Header.Set("If-None-Match", s.ETag)
	} else if s.LastModified != "" {
		req.Header.Set("If-Modified-Since", s.LastModified)
	}
	return key, &s
}

// store caches a response that has a validator and is not too large. It fails if the body cannot
// be read.
func (c *Client) store(key string, resp *http.Response) error {
	s := Stored{ETag: resp.Header.Get("ETag"), LastModified: resp.Header.Get("Last-Modified"),
		Header: http.Header{}}
	if s.ETag == "" && s.LastModified == "" {
		return nil
	}
	head := peek(resp, maxStored+1)
	if len(head) > maxStored {
		return nil
	}
	// Detects truncated bodies.
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		resp.Body.Close()
		return err
	}
	closer := resp.Body
	resp.Body = &bufferedBody{Reader: bytes.NewReader(head), Closer: closer}
	if strings.Contains(resp.Header.Get("Content-Type"), "json") && !json.Valid(head) {
		return nil // truncated
	}
	s.Body = head
	for _, name := range []string{"Content-Type", "Link"} {
		if v := resp.Header.Get(name); v != "" {
			s.Header.Set(name, v)
		}
	}
	c.opt.ETags.Put(key, s)
	return nil
}

// response returns the stored response for a 304.
func (s *Stored) response(fresh *http.Response) *http.Response {
	resp := *fresh
	resp.Status, resp.StatusCode = "200 OK", http.StatusOK
	resp.Header = fresh.Header.Clone()
	maps.Copy(resp.Header, s.Header)
	resp.ContentLength = int64(len(s.Body))
	resp.Body = io.NopCloser(bytes.NewReader(s.Body))
	return &resp
}

// NewETags returns a cache of at most max bytes.
func NewETags(max int64) *ETags {
	return cache.NewBytes(max, func(key string, s Stored) int64 {
		return int64(len(key) + len(s.Body))
	})
}
