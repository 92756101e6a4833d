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

// together is how many records are looked up before the first is read. Records
// lie all over the memory; look-ups that do not wait for each other overlap.
const together = 32

// AppendBasics appends the list entries of servers from to to, exclusive, with
// commas between them.
func (l List) AppendBasics(dst []byte, from, to int) []byte {
	var raw [together][]byte
	for start := from; start < to; start += together {
		slots := l.slots[start:min(start+together, to)]
		for n, slot := range slots {
			raw[n] = l.view.items[slot].basic
		}
		for _, b := range raw[:len(slots)] {
			dst = append(dst, b...)
		}
	}
	if from < to {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// ZipBasics adds the list entries of servers from to to, exclusive, to z.
func (l List) ZipBasics(z *Zip, from, to int) {
	var parts [together]*zipped
	for start := from; start < to; start += together {
		slots := l.slots[start:min(start+together, to)]
		for n, slot := range slots {
			parts[n] = l.view.items[slot].zip()
		}
		for _, p := range parts[:len(slots)] {
			z.add(p)
		}
	}
}

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
