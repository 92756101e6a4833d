package census

import (
	"container/list"
	"sync"
)

// An etagCache holds the bodies of responses by URL, the most recently used ones
// up to a number of bytes. A nil cache is always empty.
type etagCache struct {
	mu    sync.Mutex
	max   int
	size  int
	order *list.List // of *cachedResponse, most recently used first
	byURL map[string]*list.Element
}

type cachedResponse struct {
	url, etag string
	body      []byte // not changed once it is in the cache
}

func newETagCache(max int) *etagCache {
	return &etagCache{max: max, order: list.New(), byURL: map[string]*list.Element{}}
}

func (c *etagCache) get(url string) *cachedResponse {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byURL[url]
	if !ok {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*cachedResponse)
}

func (c *etagCache) put(url, etag string, body []byte) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(c.byURL[url])
	r := &cachedResponse{url, etag, append([]byte(nil), body...)}
	if etag == "" || r.bytes() > c.max {
		return
	}
	c.byURL[url] = c.order.PushFront(r)
	c.size += r.bytes()
	for c.size > c.max {
		c.remove(c.order.Back())
	}
}

func (c *etagCache) remove(e *list.Element) {
	if e == nil {
		return
	}
	r := c.order.Remove(e).(*cachedResponse)
	delete(c.byURL, r.url)
	c.size -= r.bytes()
}

func (r *cachedResponse) bytes() int { return len(r.url) + len(r.etag) + len(r.body) + 200 }
