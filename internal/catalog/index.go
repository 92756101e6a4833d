package catalog

import (
	"hash/maphash"
	"maps"
	"slices"
)

// Versions share what did not change between them: an index is cut in shards,
// and a writer copies a shard before it first changes it.
const shards = 256

var seed = maphash.MakeSeed()

func shardOf(key string) int { return int(maphash.String(seed, key) % shards) }

type index struct{ m [shards]map[string]uint32 }

type multi struct{ m [shards]map[string][]uint32 }

// owned remembers which shards one writer has copied.
type owned struct {
	index map[*map[string]uint32]bool
	multi map[*map[string][]uint32]bool
}

func (x *index) get(key string) (uint32, bool) {
	s, ok := x.m[shardOf(key)][key]
	return s, ok
}

func (x *index) own(o *owned, key string) map[string]uint32 {
	p := &x.m[shardOf(key)]
	if !o.index[p] {
		if o.index == nil {
			o.index = map[*map[string]uint32]bool{}
		}
		o.index[p] = true
		*p = maps.Clone(*p)
		if *p == nil {
			*p = map[string]uint32{}
		}
	}
	return *p
}

func (x *index) set(o *owned, key string, slot uint32) {
	m := x.own(o, key)
	delete(m, key) // or the map would keep the old key's bytes alive
	m[key] = slot
}

func (x *index) delete(o *owned, key string) {
	if _, ok := x.get(key); ok {
		delete(x.own(o, key), key)
	}
}

func (x *multi) get(key string) []uint32 { return x.m[shardOf(key)][key] }

func (x *multi) own(o *owned, key string) map[string][]uint32 {
	p := &x.m[shardOf(key)]
	if !o.multi[p] {
		if o.multi == nil {
			o.multi = map[*map[string][]uint32]bool{}
		}
		o.multi[p] = true
		*p = maps.Clone(*p)
		if *p == nil {
			*p = map[string][]uint32{}
		}
	}
	return *p
}

func (x *multi) add(o *owned, key string, slot uint32) {
	m := x.own(o, key)
	slots := m[key]
	delete(m, key)
	m[key] = append(slices.Clip(slots), slot)
}

func (x *multi) remove(o *owned, key string, slot uint32) {
	m := x.own(o, key)
	rest := make([]uint32, 0, len(m[key]))
	for _, s := range m[key] {
		if s != slot {
			rest = append(rest, s)
		}
	}
	if len(rest) == 0 {
		delete(m, key)
		return
	}
	m[key] = rest
}
