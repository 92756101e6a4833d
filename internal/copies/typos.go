package copies

import (
	"cmp"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// maxName is the maximum length of names in a [typoIndex]; longer ones are left out.
const maxName = 32

// A typoIndex finds names that differ in a few letters from a given one: deleting some letters
// makes both equal.
type typoIndex struct {
	deletions int // per name
	entries   []entry
}

// add adds a name of the server with this index. sort must follow.
func (x *typoIndex) add(name string, index int) {
	if len(name) > maxName {
		return
	}
	variants(name, 0, x.deletions, func(key uint64) {
		x.entries = append(x.entries, entry{key, int32(index)})
	})
}

func (x *typoIndex) sort() {
	slices.SortFunc(x.entries, byKey)
	x.entries = slices.Compact(x.entries)
}

// near appends the indexes of the servers with similar names, possibly several times, and of
// some others.
func (x *typoIndex) near(name string, to []int32) []int32 {
	if len(name) > maxName {
		return to
	}
	variants(name, 0, x.deletions, func(key uint64) {
		i, _ := slices.BinarySearchFunc(x.entries, key,
			func(e entry, key uint64) int { return cmp.Compare(e.key, key) })
		for ; i < len(x.entries) && x.entries[i].key == key; i++ {
			to = append(to, x.entries[i].index)
		}
	})
	return to
}

// variants yields the hashes of a name and of its forms without one or two letters from an
// index on, up to the given number of deletions.
func variants(name string, from, deletions int, yield func(key uint64)) {
	yield(xxhash.Sum64String(name))
	if deletions == 0 {
		return
	}
	for i := from; i < len(name); i++ {
		variants(name[:i]+name[i+1:], i, deletions-1, yield)
	}
}
