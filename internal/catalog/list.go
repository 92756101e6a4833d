package catalog

import (
	"iter"
	"slices"
	"sort"

	"mcpcensus/internal/registry"
)

// A List is a listing of one version: all servers, or those of a category or
// above a score, in one order.
type List struct {
	view  *View
	sort  Sort
	slots []uint32
}

type derivedKey struct {
	category int
	sort     Sort
	min      int
}

type derivedList struct {
	slots []uint32
}

// maxDerived bounds the lists that a version keeps besides its orders.
const maxDerived = 24

// List returns the servers of a category ("" for all, which must otherwise be
// one of [registry.Categories]) with a known score of at least min (negative
// for all), in an order.
func (v *View) List(category string, s Sort, min int) List {
	c := 0
	if category != "" {
		c = 1 + slices.Index(registry.Categories, category)
		if c == 0 {
			return List{view: v, sort: s}
		}
	}
	l := List{view: v, sort: s, slots: v.orders[s][c]}
	if min < 0 {
		return l
	}
	if s == ByQuality {
		l.slots = l.slots[:sort.Search(len(l.slots), func(i int) bool {
			return int(v.items[l.slots[i]].score) < min
		})]
		return l
	}
	l.slots = v.derive(derivedKey{c, s, min}, func() *derivedList {
		d := &derivedList{}
		for _, slot := range l.slots {
			if int(v.items[slot].score) >= min {
				d.slots = append(d.slots, slot)
			}
		}
		return d
	}).slots
	return l
}

// derive returns the list for k, made once and kept while there is room.
func (v *View) derive(k derivedKey, list func() *derivedList) *derivedList {
	v.mu.Lock()
	defer v.mu.Unlock()
	if d, ok := v.derived[k]; ok {
		return d
	}
	d := list()
	if v.derived == nil {
		v.derived = map[derivedKey]*derivedList{}
	}
	if len(v.derived) >= maxDerived {
		for old := range v.derived {
			delete(v.derived, old)
			break
		}
	}
	v.derived[k] = d
	return d
}

// Total returns how many servers the list has.
func (l List) Total() int { return len(l.slots) }

// At returns the i-th server.
func (l List) At(i int) *Item { return l.view.items[l.slots[i]] }

// Position returns the place of the i-th server.
func (l List) Position(i int) Position { return l.At(i).position(l.sort) }

// AfterNear is After for who knows where that was once, which is where it is
// unless the data have changed.
func (l List) AfterNear(p Position, near int) int {
	if near > 0 && near <= len(l.slots) && compareAt(l.sort, l.At(near-1), p) == 0 {
		return near
	}
	return l.After(p)
}

// After returns the index of the first server behind p.
func (l List) After(p Position) int {
	return sort.Search(len(l.slots), func(i int) bool { return compareAt(l.sort, l.At(i), p) > 0 })
}

// A run is servers of a list that are neighbours in a chunk.
type run struct {
	chunk    *chunk
	from, to uint8
}

// together is how many records are looked up before the first is read. Records
// lie all over the memory; look-ups that do not wait for each other overlap.
const together = 32

// runs puts servers from on, but none from to on, into rs, and returns how many
// runs they are and where the next begin.
func (l List) runs(rs *[together]run, from, to int) (n, next int) {
	v, last := l.view, uint32(unnumbered)
	for ; from < to; from++ {
		at := v.at[l.slots[from]]
		if n > 0 && at == last+1 && at%perChunk != 0 {
			rs[n-1].to++
		} else if n == together {
			break
		} else {
			place := uint8(at % perChunk)
			rs[n] = run{v.chunks[at>>placeBits], place, place + 1}
			n++
		}
		last = at
	}
	return n, from
}

// AppendBasics appends the list entries of servers from to to, exclusive, with
// commas between them.
func (l List) AppendBasics(dst []byte, from, to int) []byte {
	var rs [together]run
	var texts [together][]byte
	for next := from; next < to; {
		n := 0
		n, next = l.runs(&rs, next, to)
		for k, r := range rs[:n] {
			texts[k] = r.chunk.text[r.chunk.starts[r.from]:r.chunk.starts[r.to]]
		}
		touch(texts[:n])
		for _, t := range texts[:n] {
			dst = append(dst, t...)
		}
	}
	if from < to {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// ZipBasics adds the list entries of servers from to to, exclusive, to z.
func (l List) ZipBasics(z *Zip, from, to int) {
	var rs [together]run
	var parts [together]*zips
	var blocks [together][]byte
	for next := from; next < to; {
		n := 0
		n, next = l.runs(&rs, next, to)
		for k, r := range rs[:n] {
			parts[k] = r.chunk.zip()
		}
		for k, r := range rs[:n] {
			blocks[k] = parts[k].blocks[parts[k].starts[r.from]:parts[k].starts[r.to]]
		}
		touch(blocks[:n])
		for k, r := range rs[:n] {
			z.add(r, parts[k], blocks[k])
		}
	}
}

// touch reads a byte of each line of memory that texts lie on. What is copied
// afterwards is on its way by then, all at once: a copy begins to wait for its
// first line when the one before it is done.
//
//go:noinline
func touch(texts [][]byte) (sum byte) {
	if len(texts) < scattered {
		return 0 // the processor sees by itself what comes next
	}
	for _, t := range texts {
		for k := 0; k < len(t); k += 64 {
			sum += t[k]
		}
	}
	return sum
}

// scattered is how many pieces are worth a call of touch.
const scattered = 2

// AppendEntries appends the tool entries of servers from to to, exclusive,
// with commas between them.
func (l List) AppendEntries(dst []byte, from, to int) []byte {
	for i := from; i < to; i++ {
		if i > from {
			dst = append(dst, ',')
		}
		dst = l.At(i).AppendEntry(dst)
	}
	return dst
}

// Servers returns the listed servers in the order of quality, with the fields
// that [Item.Server] gives: for those who must look at every one.
func (v *View) Servers() iter.Seq[*registry.Server] {
	return func(yield func(*registry.Server) bool) {
		for _, slot := range v.orders[ByQuality][0] {
			s := v.items[slot].Server()
			if !yield(&s) {
				return
			}
		}
	}
}

// Tools is a list seen as the tools of its servers, one after the other.
type Tools struct {
	List
	ends []int
}

// Tools returns the tools of the list's servers.
func (l List) Tools() Tools {
	t := Tools{List: l, ends: make([]int, len(l.slots))}
	n := 0
	for i := range l.slots {
		n += int(l.At(i).tools)
		t.ends[i] = n
	}
	return t
}

// Total returns how many tools there are.
func (t Tools) Total() int {
	if len(t.ends) == 0 {
		return 0
	}
	return t.ends[len(t.ends)-1]
}

// Locate returns the server that the i-th tool belongs to and the tool's
// number on it; server is the list's length if there are no more tools.
func (t Tools) Locate(i int) (server, tool int) {
	server = sort.SearchInts(t.ends, i+1)
	if server == len(t.ends) {
		return server, 0
	}
	return server, i - (t.ends[server] - int(t.At(server).tools))
}

// Before returns how many tools the servers before the i-th have.
func (t Tools) Before(i int) int {
	if i == 0 || len(t.ends) == 0 {
		return 0
	}
	return t.ends[min(i, len(t.ends))-1]
}
