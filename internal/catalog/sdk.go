package catalog

import (
	"slices"

	"mcpcensus/internal/registry"
)

// sdkCount is how many SDKs there are.
const sdkCount = 11

// A sdkOrder is the order of quality cut by category and SDK: index 0 is all
// categories. It is kept for this order only, which is the one that /v1/servers
// lists in.
type sdkOrder [1 + categories][sdkCount][]uint32

// cutBySDK fills the lists of one category, or of all, from its order.
func (v *View) cutBySDK(category int, slots []uint32) {
	var counts [sdkCount]int
	for _, slot := range slots {
		if s := v.items[slot].sdk; s < sdkCount {
			counts[s]++
		}
	}
	lists := &v.sdks[category]
	for s, n := range counts {
		lists[s] = make([]uint32, 0, n)
	}
	for _, slot := range slots {
		if s := v.items[slot].sdk; s < sdkCount {
			lists[s] = append(lists[s], slot)
		}
	}
}

// sdkIndex returns the place of an SDK in [registry.SDKs], sdkCount if it is
// not among them.
func sdkIndex(sdk string) uint8 {
	if i := slices.Index(registry.SDKs, sdk); i >= 0 {
		return uint8(i)
	}
	return sdkCount
}

// Best returns the servers of a category and on an SDK ("" for all, which must
// otherwise be one of [registry.Categories] or [registry.SDKs]) in the order of
// quality.
func (v *View) Best(category, sdk string) List {
	if sdk == "" {
		return v.List(category, ByQuality, -1)
	}
	l := List{view: v, sort: ByQuality}
	c := 0
	if category != "" {
		c = 1 + slices.Index(registry.Categories, category)
	}
	if s := sdkIndex(sdk); s < sdkCount && (c > 0 || category == "") {
		l.slots = v.sdks[c][s]
	}
	return l
}

// Rank returns the place of a server among all and in its category, counted
// from 1, in an order. The server must be one of this version.
func (v *View) Rank(i *Item, s Sort) (overall, inCategory int) {
	p := i.position(s)
	return v.List("", s, -1).After(p), v.List(i.Category(), s, -1).After(p)
}

// Popularity returns the popularity, or -1 if it is not known.
func (i *Item) Popularity() int { return int(i.popularity) }

// Stars returns the stars, or -1 if they are not known.
func (i *Item) Stars() int { return int(i.stars) }
