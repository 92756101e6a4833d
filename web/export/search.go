package export

import (
	"strings"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/query"
	"mcpcensus/web/site"
)

// A search holds the servers of each owner and with each tag, best first. Keys are
// in lower case.
type search struct {
	owners, tags map[string][]*catalog.Item
}

func newSearch(v *catalog.View) *search {
	s := &search{owners: map[string][]*catalog.Item{}, tags: map[string][]*catalog.Item{}}
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

// among returns the slugs of the servers of the first owner or tag among the
// filters: scanning all servers for tens of thousands of lists would take hours.
// Without such a filter it returns nil.
func (s *search) among(filters []query.Filter) (slugs []string) {
	for _, f := range filters {
		if f.Op != query.OpEq || len(f.Values) != 1 {
			continue
		}
		value, _ := f.Values[0].(string)
		var items []*catalog.Item
		switch f.Field {
		case "owner":
			items = s.owners[strings.ToLower(value)]
		case "tags":
			items = s.tags[strings.ToLower(value)]
		default:
			continue
		}
		for _, i := range items {
			slugs = append(slugs, i.Slug())
		}
		return slugs
	}
	return nil
}
