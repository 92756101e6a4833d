package catalog

import (
	"slices"
	"sync/atomic"
)

// Pages are made of servers that stand next to each other in an order, and
// memory is read fastest where it is read in one go. So items that come in
// together are laid out in the order of quality, which most listings have: a
// chunk is the memory of some neighbours, their list entries in one piece.
//
// A chunk lives until none of its items does. When a part of them has been
// replaced, the others move to a new one, so that no more than that part of the
// memory is lost.
type chunk struct {
	items []*Item
	dead  int // of items; only writers look at it
	zips  atomic.Pointer[[]zipped]
}

const (
	// perChunk is how many items share a chunk: some 75 kB.
	perChunk = 64
	// A chunk is given up when one of so many items has died.
	deadShare = 4
)

// layOut lays out items in their order and returns them at their new places.
// Those that were given are not used any more.
func layOut(items []*Item) []*Item {
	out := make([]*Item, 0, len(items))
	for group := range slices.Chunk(items, perChunk) {
		size := 0
		for _, i := range group {
			size += len(i.basic) + len(i.doc)
		}
		b := make([]byte, 0, size)
		take := func(p []byte) []byte {
			b = append(b, p...)
			return b[len(b)-len(p) : len(b) : len(b)]
		}
		c := &chunk{items: make([]*Item, len(group))}
		room := make([]Item, len(group))
		for n, i := range group {
			room[n] = *i
			room[n].home, room[n].place = c, uint8(n)
			room[n].basic = take(i.basic)
			c.items[n] = &room[n]
		}
		for n, i := range group {
			room[n].doc = take(i.doc)
			group[n] = nil // so that its memory can be used again before all is done
		}
		out = append(out, c.items...)
	}
	return out
}

// thin reports whether the chunk is to be given up.
func (c *chunk) thin() bool { return c.dead*deadShare >= len(c.items) }

// move brings what is left of chunks to new ones.
func (v *View) move(chunks map[*chunk]bool) {
	for c := range chunks {
		var left []*Item
		var slots []uint32
		for _, i := range c.items {
			if slot, ok := v.slugs.get(i.slug); ok && v.items[slot] == i {
				left, slots = append(left, i), append(slots, slot)
			}
		}
		for n, i := range layOut(left) {
			v.items[slots[n]] = i
		}
	}
}
