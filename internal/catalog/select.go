package catalog

import (
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"mcpcensus/internal/query"
)

// A Choice narrows a list. Of each of its lists, servers must have one of the
// values; an empty list accepts all.
type Choice struct {
	Categories, SDKs, Transports, Licenses, Grades, Livenesses, Effects []string

	Package  bool // has a published package
	Remote   bool // is hosted by its owner
	Official bool

	ReadOnly  bool // can be used without changing anything
	NoSecrets bool // accepts no secrets
}

func (c Choice) filters() (filters []query.Filter) {
	among := func(field string, values []string) {
		if len(values) == 0 {
			return
		}
		f := query.Filter{Field: field, Op: query.OpIn}
		for _, v := range values {
			f.Values = append(f.Values, v)
		}
		filters = append(filters, f)
	}
	among("category", c.Categories)
	among("sdk", c.SDKs)
	among("transport", c.Transports)
	among("license", c.Licenses)
	among("grade", c.Grades)
	among("liveness", c.Livenesses)
	among("effect", c.Effects)
	if c.Package {
		filters = append(filters, query.Equal("type", query.TypePackage))
	}
	if c.Remote {
		filters = append(filters, query.Equal("type", query.TypeRemote))
	}
	if c.Official {
		filters = append(filters, query.Equal("official", true))
	}
	if c.ReadOnly {
		filters = append(filters, query.Equal("readOnly", true))
	}
	if c.NoSecrets {
		filters = append(filters, query.Equal("secrets", false))
	}
	return filters
}

// Select returns the servers that fit a choice, in an order, and the facet counts of category,
// sdk, transport, license, grade, effect, type and liveness: how many servers each value would return
// with the rest of the choice. Inactive servers and copies are last. Callers must not change
// the counts.
func (v *View) Select(c Choice, s Sort) (List, map[string]map[string]int) {
	orders := query.ActiveFirst(s.Orders())
	found := v.selectItems(c.filters(), orders, otherChoices)
	return List{found.items, orders}, found.counts
}

// Facets returns how many listed servers have each category, sdk, license,
// transport and grade. Callers must not change it.
func (v *View) Facets() map[string]map[string]int {
	return v.selectItems(nil, ByQuality.Orders(), resultFacets).counts
}

// Query returns all results of a query among servers with these slugs. For a query with a text
// they are its matches, best first; without one, nil means all servers.
func (v *View) Query(q query.Query, among []string) List {
	l, _ := v.query(q, among, noFacets)
	return l
}

// Search returns the page of a query, and the number of results before it. Among is as for
// [View.Query]. Callers must not change the facets.
func (v *View) Search(q query.Query, among []string) (res query.Results, from int) {
	facets := noFacets
	if q.Facets {
		facets = resultFacets
	}
	l, counts := v.query(q, among, facets)
	if res.Total = l.Total(); q.Facets {
		res.Facets = counts
	}
	from = min(q.Offset, res.Total)
	if q.After != nil {
		from = l.After(*q.After)
	}
	for i := from; i < min(res.Total, from+q.Limit); i++ {
		res.Slugs = append(res.Slugs, l.At(i).slug)
		res.Positions = append(res.Positions, l.Position(i))
	}
	return res, from
}

func (v *View) query(
	q query.Query, among []string, facets facetMode,
) (List, map[string]map[string]int) {
	orders := q.Orders()
	if q.Text == "" && among == nil {
		found := v.selectItems(q.Filters, orders, facets)
		return List{found.items, orders}, found.counts
	}
	var items []*Item
	for _, slug := range among {
		if i := v.slugs[slug]; i != nil { // the index may be behind
			items = append(items, i)
		}
	}
	found := scan(items, func() *query.Selection {
		return query.Select(q.Filters, facets.names(), false)
	})
	if l := (List{found.items, orders}); !l.ranked() {
		sortItems(found.items, orders)
	}
	return List{found.items, orders}, found.counts
}

func sortItems(items []*Item, orders []query.Order) {
	compare := query.Comparer(orders)
	slices.SortFunc(items, func(a, b *Item) int { return compare(&a.values, &b.values) })
}

// A selection is the result of going through all servers once.
type selection struct {
	items  []*Item
	counts map[string]map[string]int // empty for noFacets
}

// A facetMode selects the facets to count.
type facetMode int

const (
	noFacets     facetMode = iota
	resultFacets           // of the selected servers
	otherChoices           // and of type and liveness, as [Choice] needs them
)

// names returns the names of the facets that are counted.
func (m facetMode) names() []string {
	switch m {
	case resultFacets:
		return query.FacetNames()
	case otherChoices:
		return append(query.FacetNames(), "type", "liveness")
	}
	return nil
}

// selectItems returns the servers that satisfy the filters, sorted. The result
// is cached.
func (v *View) selectItems(
	filters []query.Filter, orders []query.Order, mode facetMode,
) *selection {
	rest, activeFirst := query.CutActiveFirst(orders)
	if len(filters) == 0 && mode == noFacets && !activeFirst {
		if items, ok := v.inOrder(orders); ok {
			return &selection{items: items}
		}
	}
	key := fmt.Sprintf("%#v %v %d", filters, orders, mode)
	if s, ok := v.selections.Get(key); ok {
		return s
	}
	from, sorted := v.inOrder(rest)
	s := scan(from, func() *query.Selection {
		return query.Select(filters, mode.names(), mode == otherChoices)
	})
	switch {
	case sorted && activeFirst:
		s.items = partition(s.items)
	case !sorted:
		sortItems(s.items, orders)
	}
	v.selections.Add(key, s)
	return s
}

// partition returns the active items that are not copies and then the others, both in
// their order.
func partition(items []*Item) []*Item {
	var active, others []*Item
	for _, i := range items {
		if i.Active() && i.copy == nil {
			active = append(active, i)
		} else {
			others = append(others, i)
		}
	}
	return append(active, others...)
}

// scan evaluates a selection on all items, on all processors. It returns the selected items,
// in the given order, and the counts.
func scan(items []*Item, newSelection func() *query.Selection) *selection {
	part := max(1, (len(items)+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0))
	parts := slices.Collect(slices.Chunk(items, part))
	selected := make([][]*Item, len(parts))
	counts := make([]*query.Selection, len(parts))
	var g errgroup.Group
	for n, part := range parts {
		g.Go(func() error {
			counts[n] = newSelection()
			for _, i := range part {
				if counts[n].Add(&i.values) {
					selected[n] = append(selected[n], i)
				}
			}
			return nil
		})
	}
	_ = g.Wait()
	total := newSelection()
	for _, c := range counts {
		total.Merge(c)
	}
	return &selection{items: slices.Concat(selected...), counts: total.Counts()}
}

// inOrder returns all servers, and whether they are in these orders.
func (v *View) inOrder(orders []query.Order) ([]*Item, bool) {
	s, _ := ParseSort(orders[0].Field)
	return v.orders[s], slices.Equal(orders, s.Orders())
}
