package cache

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

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
