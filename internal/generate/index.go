package generate

import (
	"context"
	"iter"
	"slices"
	"strings"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// An Index answers searches by scanning all servers. It replaces a search
// engine in tests. A word matches in names, descriptions and tags, and results
// are not ranked by relevance.
type Index struct {
	Servers func() iter.Seq[*registry.Server]
}

// Search returns the page that q asks for. It does not fail.
func (x Index) Search(_ context.Context, q query.Query) (r query.Results, err error) {
	var facets []string
	if q.Facets {
		facets = query.FacetNames()
	}
	words, filters := strings.Fields(strings.ToLower(q.Text)), query.Select(q.Filters, facets, false)
	var hits []*query.Values
	for s := range x.Servers() {
		text := strings.ToLower(s.Name + " " + s.Description + " " + strings.Join(s.Tags, " "))
		if slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			continue
		}
		if values := query.ValuesOf(s); filters.Add(values) {
			hits = append(hits, values)
		}
	}
	orders := q.Orders()
	slices.SortFunc(hits, query.Comparer(orders))
	r.Total = len(hits)
	if q.Facets {
		r.Facets = filters.Counts()
	}
	from := min(q.Offset, len(hits))
	if q.After != nil {
		from = slices.IndexFunc(hits, func(v *query.Values) bool {
			return query.ComparePositions(v.Position(orders), *q.After, orders) > 0
		})
		if from < 0 {
			from = len(hits)
		}
	}
	for _, v := range hits[from:min(len(hits), from+q.Limit)] {
		p := v.Position(orders)
		r.Slugs, r.Positions = append(r.Slugs, p.Slug), append(r.Positions, p)
	}
	return r, nil
}

// Facets counts how many of the servers have each value of each facet.
func Facets(servers []*registry.Server) map[string]map[string]int {
	all := query.Select(nil, query.FacetNames(), false)
	for _, s := range servers {
		all.Add(query.ValuesOf(s))
	}
	return all.Counts()
}
