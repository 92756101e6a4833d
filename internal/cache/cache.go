// Package cache has the caches of the program: values that expire, and values
// bounded by their size in bytes. Both evict the least recently used first and
// are safe for concurrent use.
package cache

import (
	"context"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/sync/singleflight"
)

// A Cache is an LRU cache whose values expire. Concurrent callers of Get for
// one key share one call of load.
//
// The package expirable of golang-lru does not fit: it has one lifetime for all
// values, reads the system's clock, and returns no expired values.
type Cache[V any] struct {
	entries *lru.Cache[string, entry[V]]
	group   singleflight.Group
}

type entry[V any] struct {
	value   V
	expires time.Time
}

// New returns a cache of at most size values.
func New[V any](size int) *Cache[V] {
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

// Remove removes the value of a key. Later callers of Get do not share loads
// that began before.
func (c *Cache[V]) Remove(key string) {
	c.group.Forget(key)
	c.entries.Remove(key)
}

// Get returns the value of a key, and calls load if it is missing or has
// expired. load returns how long its value is valid; errors are not cached.
func (c *Cache[V]) Get(
	key string, now time.Time, load func() (V, time.Duration, error),
) (V, error) {
	if v, ok := c.current(key, now); ok {
		return v, nil
	}
	v, err, _ := c.group.Do(key, c.loading(key, now, load))
	return v.(V), err
}

// GetContext is Get for callers with a deadline: it returns the error of ctx as
// soon as that ends. The load continues for other callers, without the
// cancellation and the deadline of ctx.
func (c *Cache[V]) GetContext(
	ctx context.Context, key string, now time.Time,
	load func(context.Context) (V, time.Duration, error),
) (V, error) {
	if v, ok := c.current(key, now); ok {
		return v, nil
	}
	ch := c.group.DoChan(key, c.loading(key, now, func() (V, time.Duration, error) {
		return load(context.WithoutCancel(ctx))
	}))
	select {
	case <-ctx.Done():
		var none V
		return none, ctx.Err()
	case r := <-ch:
		return r.Val.(V), r.Err
	}
}

func (c *Cache[V]) current(key string, now time.Time) (V, bool) {
	e, ok := c.entries.Get(key)
	return e.value, ok && now.Before(e.expires)
}

func (c *Cache[V]) loading(
	key string, now time.Time, load func() (V, time.Duration, error),
) func() (any, error) {
	return func() (any, error) {
		v, ttl, err := load()
		if err == nil {
			c.entries.Add(key, entry[V]{v, now.Add(ttl)})
		}
		return v, err
	}
}

// A Bytes is an LRU cache of at most a number of bytes.
type Bytes[K comparable, V any] struct {
	max  int64
	size func(K, V) int64

	mu      sync.Mutex
	bytes   int64
	entries *simplelru.LRU[K, V]
}

// overhead is what an entry takes besides its key and value, in bytes.
const overhead = 256

// NewBytes returns a cache of at most max bytes. size returns the bytes of a
// key and its value, which must not change while they are cached.
func NewBytes[K comparable, V any](max int64, size func(K, V) int64) *Bytes[K, V] {
	c := &Bytes[K, V]{max: max, size: func(k K, v V) int64 { return size(k, v) + overhead }}
	var err error
	// The number of entries is bounded by their size.
	c.entries, err = simplelru.NewLRU(int(max/overhead)+1,
		func(k K, v V) { c.bytes -= c.size(k, v) })
	if err != nil {
		panic(err) // the size is not positive
	}
	return c
}

// Get returns the value of a key.
func (c *Bytes[K, V]) Get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entries.Get(key)
}

// Put sets the value of a key. A value that does not fit removes the previous
// one only.
func (c *Bytes[K, V]) Put(key K, value V) {
	size := c.size(key, value)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries.Remove(key)
	if size > c.max {
		return
	}
	for c.bytes+size > c.max {
		c.entries.RemoveOldest()
	}
	c.entries.Add(key, value)
	c.bytes += size
}
