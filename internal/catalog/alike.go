package catalog

import (
	"math"
	"math/bits"
	"slices"
	"strings"
)

const (
	// maxTags is how many tags of a server are compared.
	maxTags = 24
	// alikeAmong is how many of the best servers of a category are compared.
	alikeAmong = 5000
)

// A candidate is a server that shares tags with another one.
type candidate struct {
	item   *Item
	shared uint32 // one bit for each tag of the other server
	weight float64
}

// Alike returns at most n other servers of i's category with the same subject:
// those that share tags with it, more and rarer ones first, and of those the
// better servers; then the best of the category. Only the best few thousand are
// compared.
func (v *View) Alike(i *Item, n int) []*Item {
	best := v.List(i.Category(), ByQuality, -1).items
	best = best[:min(len(best), alikeAmong)]
	found, servers := sharing(i, best)
	for k := range found {
		c := &found[k]
		for rest := c.shared; rest != 0; rest &= rest - 1 {
			with := servers[bits.TrailingZeros32(rest)] // servers that have the tag
			c.weight += math.Log(1 + float64(len(best))/float64(with))
		}
		c.weight *= 1 + float64(max(0, c.item.score))/200
	}
	slices.SortStableFunc(found, func(a, b candidate) int {
		switch {
		case a.weight > b.weight:
			return -1
		case a.weight < b.weight:
			return 1
		}
		return 0 // the better server stays first
	})
	var out []*Item
	for _, c := range found[:min(n, len(found))] {
		out = append(out, c.item)
	}
	for _, other := range best {
		if len(out) >= n {
			break
		}
		if other.slug != i.slug && !slices.Contains(out, other) {
			out = append(out, other)
		}
	}
	return out
}

// sharing returns those of some servers that share tags with i, and how many
// servers, i included, have each tag of i.
func sharing(i *Item, among []*Item) (found []candidate, servers []int) {
	index := map[string]int{}
	for _, t := range i.texts("tags") {
		if t = strings.ToLower(t); len(index) < maxTags {
			if _, ok := index[t]; !ok {
				index[t] = len(index)
			}
		}
	}
	servers = slices.Repeat([]int{1}, len(index))
	for _, other := range among {
		if other.slug == i.slug {
			continue
		}
		shared := uint32(0)
		for _, t := range other.texts("tags") {
			if k, ok := index[strings.ToLower(t)]; ok && shared&(1<<k) == 0 {
				shared |= 1 << k
				servers[k]++
			}
		}
		if shared != 0 {
			found = append(found, candidate{item: other, shared: shared})
		}
	}
	return found, servers
}
