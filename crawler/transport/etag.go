package transport

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// An ETagStore keeps responses together with the validator by which the
// upstream confirms them. Keys name credential and URL, because GitHub's
// ETags depend on both. A store may drop any response at any time.
type ETagStore interface {
	Get(key string) (Stored, bool)
	Put(key string, s Stored)
}

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
// if the response to the request is not to be stored.
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

// store keeps a response if it has a validator and is not too large. It fails
// if the body cannot be read.
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
	// Reading on shows whether the body was cut off on its way.
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		resp.Body.Close()
		return err
	}
	closer := resp.Body
	resp.Body = &peeked{Reader: bytes.NewReader(head), Closer: closer}
	if strings.Contains(resp.Header.Get("Content-Type"), "json") && !json.Valid(head) {
		return nil // also cut off; once stored it would be confirmed forever
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

// response turns a 304 into the stored response.
func (s *Stored) response(fresh *http.Response) *http.Response {
	resp := *fresh
	resp.Status, resp.StatusCode = "200 OK", http.StatusOK
	resp.Header = fresh.Header.Clone()
	for name, values := range s.Header {
		resp.Header[name] = values
	}
	resp.ContentLength = int64(len(s.Body))
	resp.Body = io.NopCloser(bytes.NewReader(s.Body))
	return &resp
}

// MemoryETags returns a store of up to maxBytes that drops the least recently
// used responses.
func MemoryETags(maxBytes int64) ETagStore {
	m := &memory{max: maxBytes}
	// The number of entries is bounded by their size: each counts 256 bytes or more.
	m.lru, _ = simplelru.NewLRU(int(maxBytes/overhead)+1,
		func(key string, s Stored) { m.size -= sizeOf(key, s) })
	return m
}

// overhead is what an entry takes besides its key and body, in bytes.
const overhead = 256

func sizeOf(key string, s Stored) int64 { return int64(len(key) + len(s.Body) + overhead) }

type memory struct {
	mu        sync.Mutex
	max, size int64
	lru       *simplelru.LRU[string, Stored]
}

func (m *memory) Get(key string) (Stored, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lru.Get(key)
}

func (m *memory) Put(key string, s Stored) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lru.Remove(key)
	if sizeOf(key, s) > m.max {
		return
	}
	m.lru.Add(key, s)
	for m.size += sizeOf(key, s); m.size > m.max; {
		m.lru.RemoveOldest()
	}
}
