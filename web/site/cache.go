package site

import (
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"
)

// A Cache is an LRU cache whose values expire. Concurrent callers of Get for
// one key share one call of load.
type Cache[V any] struct {
	entries *lru.Cache[string, entry[V]]
	group   singleflight.Group
}

type entry[V any] struct {
	value   V
	expires time.Time
}

// NewCache returns a cache of at most size values.
func NewCache[V any](size int) *Cache[V] {
	entries, err := lru.New[string, entry[V]](size)
	if err != nil {
		panic(err) // the size is not positive
	}
	return &Cache[V]{entries: entries}
}

// Peek returns the value of a key, also if it has expired.
func (c *Cache[V]) Peek(key string) (V, bool) {
	e, ok := c.entries.Peek(key)
	return e.value, ok
}

// Remove removes the value of a key.
func (c *Cache[V]) Remove(key string) { c.entries.Remove(key) }

// Get returns the value of a key, and calls load if it is missing or has
// expired. load returns how long its value is valid; errors are not cached.
func (c *Cache[V]) Get(
	key string, now time.Time, load func() (V, time.Duration, error),
) (V, error) {
	if e, ok := c.entries.Get(key); ok && now.Before(e.expires) {
		return e.value, nil
	}
	v, err, _ := c.group.Do(key, func() (any, error) {
		v, ttl, err := load()
		if err == nil {
			c.entries.Add(key, entry[V]{v, now.Add(ttl)})
		}
		return v, err
	})
	return v.(V), err
}
