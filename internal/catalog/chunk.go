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
	number uint32 // in [View.chunks]
	dead   int    // of items; only writers look at it
	items  []*Item
	text   []byte               // the list entries, each with a comma, and the documents for filters
	starts [perChunk + 1]uint32 // of the list entries in text, and their end
	zips   atomic.Pointer[zips]
}

// A View finds the list entries of a slot by where it is kept: the number of
// its chunk and, in the lowest bits, the place there. So a page is read without
// a look at its items, of which each would be another piece of memory.
const placeBits = 6

const (
	// perChunk is how many items share a chunk: some 75 kB.
	perChunk = 1 << placeBits
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
		c := &chunk{items: make([]*Item, len(group)), number: unnumbered}
		room := make([]Item, len(group))
		for n, i := range group {
			room[n] = *i
			room[n].home, room[n].place = c, uint8(n)
			c.starts[n] = uint32(len(b))
			room[n].basic = take(i.basic)
			c.items[n] = &room[n]
		}
		c.starts[len(group)] = uint32(len(b))
		for n, i := range group {
			room[n].doc = take(i.doc)
			group[n] = nil // so that its memory can be used again before all is done
		}
		c.text = b
		out = append(out, c.items...)
	}
	return out
}

// thin reports whether the chunk is to be given up.
func (c *chunk) thin() bool { return c.dead*deadShare >= len(c.items) }

const unnumbered = 1<<32 - 1

// keep puts an item into a slot, and numbers its chunk.
func (v *View) keep(slot uint32, i *Item) {
	c := i.home
	if c.number == unnumbered {
		if n := len(v.unused); n > 0 {
			c.number, v.unused = v.unused[n-1], v.unused[:n-1]
			v.chunks[c.number] = c
		} else {
			c.number = uint32(len(v.chunks))
			v.chunks = append(v.chunks, c)
		}
	}
	v.items[slot], v.at[slot] = i, c.number<<placeBits|uint32(i.place)
}

// move brings what is left of chunks to new ones.
func (v *View) move(chunks map[*chunk]bool) {
	for c := range chunks {
		if c.number != unnumbered { // none of it was kept
			v.chunks[c.number] = nil
			v.unused = append(v.unused, c.number)
		}
	}
	for c := range chunks {
		var left []*Item
		var slots []uint32
		for _, i := range c.items {
			if slot, ok := v.slugs.get(i.slug); ok && v.items[slot] == i {
				left, slots = append(left, i), append(slots, slot)
			}
		}
		for n, i := range layOut(left) {
			v.keep(slots[n], i)
		}
	}
}
