package catalog

import "sync"

// A Cache keeps finished answers, up to a number of bytes. What was not asked
// for since the cache last filled up goes first.
type Cache struct {
	shards [16]cacheShard
	half   int // bytes of one generation of one shard
}

type cacheShard struct {
	mu         sync.Mutex
	young, old map[string][]byte
	size       int // of young
}

// NewCache returns a cache for about size bytes of answers.
func NewCache(size int) *Cache { return &Cache{half: size / 16 / 2} }

// entryOverhead is what an entry takes besides its key and its bytes.
const entryOverhead = 64

// Get returns what Put was given for key. Callers must not change it.
func (c *Cache) Get(key string) ([]byte, bool) {
	s := &c.shards[shardOf(key)%16]
	s.mu.Lock()
	defer s.mu.Unlock()
	if b, ok := s.young[key]; ok {
		return b, true
	}
	b, ok := s.old[key]
	if ok {
		delete(s.old, key)
		c.put(s, key, b)
	}
	return b, ok
}

// Put keeps b under key, unless it is too large to keep. A nil b only marks
// the key as asked for; a later Put fills it.
func (c *Cache) Put(key string, b []byte) {
	if len(b) > c.half/4 {
		return
	}
	s := &c.shards[shardOf(key)%16]
	s.mu.Lock()
	defer s.mu.Unlock()
	if had, ok := s.young[key]; !ok || had == nil && b != nil {
		c.put(s, key, b)
	}
}

func (c *Cache) put(s *cacheShard, key string, b []byte) {
	n := len(key) + len(b) + entryOverhead
	if s.size+n > c.half || s.young == nil {
		s.old, s.young, s.size = s.young, map[string][]byte{}, 0
	}
	s.young[key] = b
	s.size += n
}
