package upstream

import (
	"sync"
	"time"
)

// A cache keeps at most size values, each for ttl; the oldest goes first.
type cache[V any] struct {
	size int
	ttl  time.Duration
	now  func() time.Time

	mu    sync.Mutex
	m     map[string]cached[V]
	order []string // by age; may name keys that were put again
}

type cached[V any] struct {
	v  V
	at time.Time
}

func (c *cache[V]) get(key string) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.m[key]
	if !ok || c.now().Sub(e.at) > c.ttl {
		return v, false
	}
	return e.v, true
}

func (c *cache[V]) put(key string, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.m == nil {
		c.m = map[string]cached[V]{}
	}
	if _, ok := c.m[key]; !ok {
		c.order = append(c.order, key)
	}
	c.m[key] = cached[V]{v, c.now()}
	for len(c.m) > c.size {
		delete(c.m, c.order[0])
		c.order = c.order[1:]
	}
}
