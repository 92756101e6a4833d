package catalog

import (
	"math"
	"math/bits"
	"slices"
	"sync"
)

const (
	mostTags = 24
	// alikeAmong is how many of the best servers of a category are looked at.
	alikeAmong = 5000
)

// A tagTable has the tags of the best servers of a category, side by side: to gather
// them from the servers each time would take Alike ten times as long.
type tagTable struct {
	once sync.Once
	tags []uint32 // of one server after the other, best first
	rows []tagRow
}

type tagRow struct {
	end   uint32 // of its tags
	score int16
}

func (v *View) tagsOf(category uint8, slots []uint32) *tagTable {
	t := &v.tags[category]
	t.once.Do(func() {
		t.rows = make([]tagRow, 0, len(slots))
		t.tags = make([]uint32, 0, 5*len(slots))
		for _, slot := range slots {
			i := v.items[slot]
			t.tags = append(t.tags, i.tags...)
			t.rows = append(t.rows, tagRow{uint32(len(t.tags)), i.score})
		}
	})
	return t
}

// Alike returns at most n other servers of i's category that are about the
// same thing: those that share tags with it, the more and the rarer the
// better, good ones before others; then the best of the category. Only the
// best few thousand are looked at.
func (v *View) Alike(i *Item, n int) []*Item {
	slots := v.orders[ByQuality][1+i.category]
	slots = slots[:min(len(slots), alikeAmong)]
	type candidate struct {
		slot   uint32
		shared uint32 // a bit for each tag of i that it has
		score  int16
	}
	var found []candidate // best first
	var mask uint64       // of the tags of i, by their last bits: most others are told by that
	var rarity [mostTags]float64
	if len(i.tags) > 0 {
		var have [mostTags]int
		for k, t := range i.tags {
			mask |= 1 << (t % 64)
			have[k] = 1
		}
		found = make([]candidate, 0, len(slots)/2)
		table := v.tagsOf(i.category, slots)
		from := uint32(0)
		for at, row := range table.rows {
			shared := uint32(0)
			for _, t := range table.tags[from:row.end] {
				if mask&(1<<(t%64)) == 0 {
					continue
				}
				if k := slices.Index(i.tags, t); k >= 0 {
					shared |= 1 << k
					have[k]++
				}
			}
			if from = row.end; shared != 0 {
				found = append(found, candidate{slots[at], shared, row.score})
			}
		}
		for k := range i.tags {
			rarity[k] = math.Log(1 + float64(len(slots))/float64(have[k]))
		}
	}
	type worthy struct {
		item  *Item
		worth float64
	}
	best := make([]worthy, 0, n+1)
	for _, c := range found {
		worth := 0.0
		for rest := c.shared; rest != 0; rest &= rest - 1 {
			worth += rarity[bits.TrailingZeros32(rest)]
		}
		worth *= 1 + float64(max(0, c.score))/200
		if n == 0 || len(best) == n && worth <= best[n-1].worth {
			continue // of two that are worth the same, the first is the better server
		}
		item := v.items[c.slot]
		if item.slug == i.slug {
			continue
		}
		at := len(best)
		for at > 0 && worth > best[at-1].worth {
			at--
		}
		best = slices.Insert(best, at, worthy{item, worth})
		best = best[:min(len(best), n)]
	}
	var out []*Item
	for _, b := range best {
		out = append(out, b.item)
	}
	for _, slot := range slots {
		if len(out) >= n {
			break
		}
		if other := v.items[slot]; other.slug != i.slug && !slices.Contains(out, other) {
			out = append(out, other)
		}
	}
	return out
}
