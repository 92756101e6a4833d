package catalog

import (
	"cmp"
	"slices"
)

// A Sort is an order of a listing.
type Sort uint8

// The orders, those of [registry.Compare]. Numbers and times descend, names ascend; what is not known comes
// last; ties go by quality, stars and slug.
const (
	ByQuality Sort = iota
	ByStars
	ByDownloads
	ByPopularity
	ByName
	ByUpdated
	ByCreated
	sorts = 7
)

var sortNames = [sorts]string{"qualityScore", "stars", "downloads", "popularity", "name", "updated", "created"}

// String returns the name of the order as requests spell it, "" if there is no
// such order.
func (s Sort) String() string {
	if s >= sorts {
		return ""
	}
	return sortNames[s]
}

// ParseSort returns the order with that name.
func ParseSort(name string) (Sort, bool) {
	i := slices.Index(sortNames[:], name)
	return Sort(max(i, 0)), i >= 0
}

// A Position is a server's place in an order: what it is sorted by. It stays
// meaningful when the data change, also if the server has gone.
type Position struct {
	Value int64  // of a number or a time
	Text  string // of a name
	Score int
	Stars int
	Slug  string
}

// position returns where i stands in s.
func (i *Item) position(s Sort) Position {
	p := Position{Score: int(i.score), Stars: int(i.stars), Slug: i.slug}
	if s == ByName {
		p.Text = i.name
	} else {
		p.Value = i.value(s)
	}
	return p
}

func (i *Item) value(s Sort) int64 {
	switch s {
	case ByQuality:
		return int64(i.score)
	case ByStars:
		return int64(i.stars)
	case ByDownloads:
		return i.downloads
	case ByPopularity:
		return int64(i.popularity)
	case ByUpdated:
		return i.updated
	case ByCreated:
		return i.created
	}
	return 0
}

// compare orders two items: -1 if a comes first.
func compare(s Sort, a, b *Item) int {
	c := 0
	if s == ByName {
		c = compareNames(a.name, b.name)
	} else {
		c = cmp.Compare(b.value(s), a.value(s))
	}
	if c != 0 {
		return c
	}
	if c = cmp.Compare(b.score, a.score); c != 0 {
		return c
	}
	if c = cmp.Compare(b.stars, a.stars); c != 0 {
		return c
	}
	return cmp.Compare(a.slug, b.slug)
}

// compareAt orders an item and a place as compare does.
func compareAt(s Sort, a *Item, p Position) int {
	c := 0
	if s == ByName {
		c = compareNames(a.name, p.Text)
	} else {
		c = cmp.Compare(p.Value, a.value(s))
	}
	if c != 0 {
		return c
	}
	if c = cmp.Compare(p.Score, int(a.score)); c != 0 {
		return c
	}
	if c = cmp.Compare(p.Stars, int(a.stars)); c != 0 {
		return c
	}
	return cmp.Compare(a.slug, p.Slug)
}

// compareNames puts unknown names last.
func compareNames(a, b string) int {
	if (a == "") != (b == "") {
		if a == "" {
			return 1
		}
		return -1
	}
	return cmp.Compare(a, b)
}
