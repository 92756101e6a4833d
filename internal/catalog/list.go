package catalog

import (
	"slices"
	"sort"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// A Sort is an order of a list: the natural direction of a field that can be
// sorted by, with the ties of [query.Query.Orders].
type Sort string

// The orders.
const (
	ByRecommended Sort = query.Recommended
	ByQuality     Sort = "qualityScore"
	ByStars       Sort = "stars"
	ByDownloads   Sort = "downloads"
	ByPopularity  Sort = "popularity"
	ByName        Sort = "name"
	ByUpdated     Sort = "updated"
	ByCreated     Sort = "created"
	ByToolTokens  Sort = "toolTokens" // fewest first
)

// Sorts are all orders.
var Sorts = []Sort{ByRecommended, ByQuality, ByStars, ByDownloads, ByPopularity, ByName, ByUpdated, ByCreated,
	ByToolTokens}

// ParseSort returns the order of that name, ByQuality for unknown names.
func ParseSort(name string) (Sort, bool) {
	if s := Sort(name); slices.Contains(Sorts, s) {
		return s, true
	}
	return ByQuality, false
}

func (s Sort) String() string { return string(s) }

func (s Sort) Orders() []query.Order {
	q := query.Query{Sort: []query.Order{{Field: string(s), Desc: query.SortNamed(string(s)).Desc}}}
	return q.Orders()
}

var comparers = func() map[Sort]func(a, b *query.Values) int {
	all := map[Sort]func(a, b *query.Values) int{}
	for _, s := range Sorts {
		all[s] = query.Comparer(s.Orders())
	}
	return all
}()

func (s Sort) compare(a, b *Item) int { return comparers[s](&a.values, &b.values) }

// A List is a list of servers of one version. Callers must not change it.
type List struct {
	items  []*Item
	orders []query.Order
}

// List returns the servers of a category ("" for all) with a known score of at
// least min (negative for all), in an order.
func (v *View) List(category string, s Sort, min int) List {
	var filters []query.Filter
	if category != "" {
		filters = append(filters, query.Equal("category", category))
	}
	if min >= 0 {
		filters = append(filters, query.AtLeast("qualityScore", float64(min)))
	}
	return v.Query(query.Query{Filters: filters, Sort: s.Orders()}, nil)
}

// Total returns how many servers the list has.
func (l List) Total() int { return len(l.items) }

func (l List) At(i int) *Item { return l.items[i] }

func (l List) First(n int) List { return List{l.items[:min(n, len(l.items))], l.orders} }

func (l List) ranked() bool { return l.orders[0].Field == query.Relevance }

// Position returns the position of the i-th server. By relevance it is the rank,
// counted from 1.
func (l List) Position(i int) query.Position {
	if l.ranked() {
		keys := make([]any, len(l.orders))
		keys[0] = float64(i + 1)
		return query.Position{Keys: keys, Slug: l.items[i].slug}
	}
	return l.items[i].values.Position(l.orders)
}

// After returns the index of the first server behind p. By relevance that is the
// one behind the server of p or, if the list does not have that, behind its
// former rank.
func (l List) After(p query.Position) int {
	if l.ranked() {
		if i := slices.IndexFunc(l.items, func(i *Item) bool { return i.slug == p.Slug }); i >= 0 {
			return i + 1
		}
		rank, _ := p.Keys[0].(float64)
		return max(0, min(int(rank), len(l.items)))
	}
	return sort.Search(len(l.items), func(i int) bool {
		return query.ComparePositions(l.Position(i), p, l.orders) > 0
	})
}

// Rank returns the position of a server of this version among all and in its
// category, counted from 1, in an order.
func (v *View) Rank(i *Item, s Sort) (overall, inCategory int) {
	p := i.values.Position(s.Orders())
	return v.List("", s, -1).After(p), v.List(i.Category(), s, -1).After(p)
}

// CategoryCounts returns the number of listed servers in each category, in the
// order of [registry.Categories].
func (v *View) CategoryCounts() []int {
	out := make([]int, len(registry.Categories))
	for n, category := range registry.Categories {
		out[n] = v.Facets()["category"][category]
	}
	return out
}

// Tools are the tools of a list's servers.
type Tools struct {
	List
	ends []int // number of tools up to each server
}

// Tools returns the tools of the list's servers.
func (l List) Tools() Tools {
	t := Tools{List: l, ends: make([]int, len(l.items))}
	n := 0
	for i, item := range l.items {
		n += item.tools
		t.ends[i] = n
	}
	return t
}

// Total returns how many tools there are.
func (t Tools) Total() int { return t.Before(len(t.ends)) }

// Locate returns the server that the i-th tool belongs to and the tool's number
// on it. The server is the list's length after the last tool.
func (t Tools) Locate(i int) (server, tool int) {
	server = sort.SearchInts(t.ends, i+1)
	if server == len(t.ends) {
		return server, 0
	}
	return server, i - t.Before(server)
}

// Before returns how many tools the servers before the i-th have.
func (t Tools) Before(i int) int {
	if i == 0 || len(t.ends) == 0 {
		return 0
	}
	return t.ends[min(i, len(t.ends))-1]
}
