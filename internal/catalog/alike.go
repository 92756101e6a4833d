package catalog

import (
	"cmp"
	"math"
	"slices"
)

const (
	mostTags = 24
	// alikeAmong is how many of the best servers of a category are looked at.
	alikeAmong = 5000
)

// Alike returns at most n other servers of i's category that are about the
// same thing: those that share tags with it, the more and the rarer the
// better, good ones before others; then the best of the category. Only the
// best few thousand are looked at.
func (v *View) Alike(i *Item, n int) []*Item {
	slots := v.orders[ByQuality][1+i.category]
	slots = slots[:min(len(slots), alikeAmong)]
	has := map[uint32]int{} // how many have it
	for _, t := range i.tags {
		has[t] = 1
	}
	type candidate struct {
		item  *Item
		worth float64
	}
	var found []candidate
	if len(has) > 0 {
		for _, slot := range slots {
			other, shares := v.items[slot], false
			for _, t := range other.tags {
				if _, ok := has[t]; ok {
					has[t]++
					shares = true
				}
			}
			if shares && other.slug != i.slug {
				found = append(found, candidate{item: other})
			}
		}
	}
	for c := range found {
		f := &found[c]
		for _, t := range f.item.tags {
			if k, ok := has[t]; ok {
				f.worth += math.Log(1 + float64(len(slots))/float64(k))
			}
		}
		f.worth *= 1 + float64(max(0, f.item.score))/200
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), compare(ByQuality, a.item, b.item))
	})
	var out []*Item
	for _, f := range found[:min(n, len(found))] {
		out = append(out, f.item)
	}
	for _, slot := range slots {
		if other := v.items[slot]; len(out) < n && other.slug != i.slug && !slices.Contains(out, other) {
			out = append(out, other)
		} else if len(out) >= n {
			break
		}
	}
	return out
}
