package generate

import (
	"context"
	"iter"
	"slices"
	"strings"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// An Index answers searches by looking at every server, one condition after the
// other: what tests hold in the place of a real one. A word is found where it
// stands in a name, a description or a tag, and there is no relevance.
type Index struct {
	Servers func() iter.Seq[*registry.Server]
}

// Search returns the page that q asks for. It does not fail.
func (x Index) Search(_ context.Context, q query.Query) (r query.Results, err error) {
	orders := q.Orders()
	var hits []*registry.Server
	for s := range x.Servers() {
		if !q.Match(s) {
			continue
		}
		text := strings.ToLower(s.Name + " " + s.Description + " " + strings.Join(s.Tags, " "))
		if !slices.ContainsFunc(strings.Fields(strings.ToLower(q.Text)),
			func(w string) bool { return !strings.Contains(text, w) }) {
			hits = append(hits, s)
		}
	}
	slices.SortFunc(hits, func(a, b *registry.Server) int { return query.Compare(a, b, orders) })
	r.Total = len(hits)
	if q.Facets {
		r.Facets = Facets(hits)
	}
	from := min(q.Offset, len(hits))
	if q.After != nil {
		from = slices.IndexFunc(hits, func(s *registry.Server) bool {
			return query.ComparePositions(query.PositionOf(s, orders), *q.After, orders) > 0
		})
		if from < 0 {
			from = len(hits)
		}
	}
	for _, s := range hits[from:min(len(hits), from+q.Limit)] {
		r.Slugs = append(r.Slugs, s.Slug)
		r.Positions = append(r.Positions, query.PositionOf(s, orders))
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
