package export

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mcpcensus/internal/cache"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/query"
	"mcpcensus/web/site"
)

// A search answers the queries of exported pages, which are for the servers of
// an owner or with a tag, best first. It is safe for concurrent use.
type search struct {
	owners, tags map[string][]*catalog.Item // best first; keys are in lower case

	found *cache.Cache[selection] // by filters
}

// A selection is what satisfies filters.
type selection struct {
	items  []*catalog.Item
	counts map[string]map[string]int // by facet and value
}

const maxSelections = 64 // that are cached

func newSearch(v *catalog.View) *search {
	s := &search{owners: map[string][]*catalog.Item{}, tags: map[string][]*catalog.Item{},
		found: cache.New[selection](maxSelections)}
	l, _ := v.Select(catalog.Choice{}, catalog.ByRecommended)
	for n := range l.Total() {
		i := l.At(n)
		if owner := i.Owner(); owner != "" {
			s.owners[owner] = append(s.owners[owner], i)
		}
		for _, t := range site.Tags(i.Summary().Tags) {
			s.tags[t] = append(s.tags[t], i)
		}
	}
	return s
}

// Search finds servers by owner or tag, and by other filters besides. Other
// queries, which exported pages do not have, find nothing.
func (s *search) Search(_ context.Context, q query.Query) (query.Results, error) {
	found, err := s.found.Get(fmt.Sprintf("%#v", q.Filters), epoch,
		func() (selection, time.Duration, error) { return s.find(q.Filters), time.Hour, nil })
	if err != nil {
		return query.Results{}, err
	}
	r := query.Results{Total: len(found.items)}
	if q.Facets {
		r.Facets = found.counts
	}
	from := min(q.Offset, r.Total)
	for _, i := range found.items[from:min(from+q.Limit, r.Total)] {
		r.Slugs = append(r.Slugs, i.Slug())
	}
	return r, nil
}

// epoch is the time of the cache: its values do not expire.
var epoch = time.Unix(0, 0)

// find returns what satisfies filters, in the order of their owner or tag.
func (s *search) find(filters []query.Filter) selection {
	all := query.Select(filters, query.FacetNames(), false)
	var found selection
	for _, i := range s.among(filters) {
		if all.Add(i.Values()) {
			found.items = append(found.items, i)
		}
	}
	found.counts = all.Counts()
	return found
}

// among returns the servers of the first owner or tag among the filters.
func (s *search) among(filters []query.Filter) []*catalog.Item {
	for _, f := range filters {
		if f.Op != query.OpEq || len(f.Values) != 1 {
			continue
		}
		value, _ := f.Values[0].(string)
		switch f.Field {
		case "owner":
			return s.owners[strings.ToLower(value)]
		case "tags":
			return s.tags[strings.ToLower(value)]
		}
	}
	return nil
}
