package generate

import (
	"context"
	"iter"
	"slices"
	"strings"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// An Index is a search engine for tests. It scans the names, descriptions and tags of all
// servers. Results are not ranked by relevance.
type Index struct {
	Servers func() iter.Seq[*registry.Server]
	Down    bool // results are marked as degraded
}

// Match returns the servers that contain all words of a text. It never fails.
func (x Index) Match(_ context.Context, typed string) (query.Matches, error) {
	words := strings.Fields(strings.ToLower(typed))
	var hits []*query.Values
	for s := range x.Servers() {
		text := strings.ToLower(s.Name + " " + s.Description + " " + strings.Join(s.Tags, " "))
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			hits = append(hits, query.ValuesOf(s))
		}
	}
	slices.SortFunc(hits, query.Comparer((&query.Query{Text: typed}).Orders()))
	m := query.Matches{Degraded: x.Down}
	for _, v := range hits {
		m.Slugs = append(m.Slugs, v.Slug())
	}
	m.All = len(m.Slugs)
	return m, nil
}
