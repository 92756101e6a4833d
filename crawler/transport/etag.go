package transport

import (
	"bytes"
	"container/list"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
)

// An ETagStore keeps answers together with the mark by which the upstream
// says that they still hold. The key names credential and URL: GitHub's marks
// hang on both, so that one under another credential is worth nothing. It may
// forget anything at any time.
type ETagStore interface {
	Get(key string) (Stored, bool)
	Put(key string, s Stored)
}

// A Stored is one answer with status 200.
type Stored struct {
	ETag         string
	LastModified string
	Header       http.Header // Content-Type and Link only
	Body         []byte
}

// maxStored is the largest body that is worth keeping.
const maxStored = 1 << 20

// conditional adds the marks of a stored answer to a GET; the key is "" if
// the request's answer is not to be kept.
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

// remember keeps an answer if it carries a mark and is not too large. It
// fails if the body cannot be read.
func (c *Client) remember(key string, resp *http.Response) error {
	s := Stored{ETag: resp.Header.Get("ETag"), LastModified: resp.Header.Get("Last-Modified"), Header: http.Header{}}
	if s.ETag == "" && s.LastModified == "" {
		return nil
	}
	head := peek(resp, maxStored+1)
	if len(head) > maxStored {
		return nil
	}
	// A body that broke off must not be kept: reading on tells.
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		resp.Body.Close()
		return err
	}
	closer := resp.Body
	resp.Body = &peeked{Reader: bytes.NewReader(head), Closer: closer}
	if strings.Contains(resp.Header.Get("Content-Type"), "json") && !json.Valid(head) {
		return nil // cut off on its way; kept, it would be confirmed for ever
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

// response makes the stored answer out of a 304.
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

// MemoryETags returns a store that keeps up to maxBytes of bodies and forgets
// those not asked for the longest.
func MemoryETags(maxBytes int64) ETagStore {
	return &memory{max: maxBytes, order: list.New(), byKey: map[string]*list.Element{}}
}

type memory struct {
	mu    sync.Mutex
	max   int64
	size  int64
	order *list.List // the last used first
	byKey map[string]*list.Element
}

type memoryEntry struct {
	key string
	s   Stored
}

func (e *memoryEntry) size() int64 { return int64(len(e.key) + len(e.s.Body) + 256) }

func (m *memory) Get(key string) (Stored, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	el, ok := m.byKey[key]
	if !ok {
		return Stored{}, false
	}
	m.order.MoveToFront(el)
	return el.Value.(*memoryEntry).s, true
}

func (m *memory) Put(key string, s Stored) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if el, ok := m.byKey[key]; ok {
		m.size -= el.Value.(*memoryEntry).size()
		m.order.Remove(el)
		delete(m.byKey, key)
	}
	e := &memoryEntry{key, s}
	if e.size() > m.max {
		return
	}
	m.byKey[key] = m.order.PushFront(e)
	for m.size += e.size(); m.size > m.max; {
		last := m.order.Back()
		old := m.order.Remove(last).(*memoryEntry)
		delete(m.byKey, old.key)
		m.size -= old.size()
	}
}
