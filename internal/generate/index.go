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

// A hit is a server that a search found, with the values that it is sorted by.
type hit struct {
	server *registry.Server
	values *query.Values
}

// Search returns the page that q asks for. It does not fail.
func (x Index) Search(_ context.Context, q query.Query) (r query.Results, err error) {
	words, filters := strings.Fields(strings.ToLower(q.Text)), query.Select(q.Filters, nil, false)
	var hits []hit
	var found []*registry.Server
	for s := range x.Servers() {
		values := query.ValuesOf(s)
		if !filters.Add(values) {
			continue
		}
		text := strings.ToLower(s.Name + " " + s.Description + " " + strings.Join(s.Tags, " "))
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			hits, found = append(hits, hit{s, values}), append(found, s)
		}
	}
	orders := q.Orders()
	compare := query.Comparer(orders)
	slices.SortFunc(hits, func(a, b hit) int { return compare(a.values, b.values) })
	r.Total = len(hits)
	if q.Facets {
		r.Facets = Facets(found)
	}
	from := min(q.Offset, len(hits))
	if q.After != nil {
		from = slices.IndexFunc(hits, func(h hit) bool {
			return query.ComparePositions(h.values.Position(orders), *q.After, orders) > 0
		})
		if from < 0 {
			from = len(hits)
		}
	}
	for _, h := range hits[from:min(len(hits), from+q.Limit)] {
		r.Slugs = append(r.Slugs, h.server.Slug)
		r.Positions = append(r.Positions, h.values.Position(orders))
	}
	return r, nil
}

// Facets counts how many of the servers have each value of each facet.
func Facets(servers []*registry.Server) map[string]map[string]int {
	out := map[string]map[string]int{}
	for _, f := range query.Fields {
		if !f.Facet {
			continue
		}
		out[f.Name] = map[string]int{}
		for _, s := range servers {
			for _, text := range f.Texts(s, nil) {
				out[f.Name][text]++
			}
		}
	}
	return out
}
