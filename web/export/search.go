package export

import (
	"context"
	"slices"
	"strings"
	"time"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/query"
	"mcpcensus/web/site"
)

// A search answers the queries of exported pages: the servers of an owner or
// with a tag, best first. It is safe for concurrent use.
type search struct {
	owners, tags map[string][]*catalog.Item // best first

	counts *site.Cache[counts] // of the most recently requested lists
}

// counts are the numbers of servers of a list with each value of each filter,
// and with packages or remotes.
type counts struct {
	facets map[string]map[string]int
	types  map[string]int
}

const maxCounts = 64 // that are cached

func newSearch(v *catalog.View) *search {
	s := &search{owners: map[string][]*catalog.Item{}, tags: map[string][]*catalog.Item{},
		counts: site.NewCache[counts](maxCounts)}
	l := v.List("", catalog.ByQuality, -1)
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

// Search finds servers by owner or tag, and by type besides. Other queries,
// which exported pages do not use, find nothing.
func (s *search) Search(_ context.Context, q query.Query) (query.Results, error) {
	var items []*catalog.Item
	key := ""
	var types []string
	for _, f := range q.Filters {
		var value string
		if len(f.Values) == 1 {
			value, _ = f.Values[0].(string)
		}
		switch f.Field {
		case "owner":
			items, key = s.owners[strings.ToLower(value)], "owner "+strings.ToLower(value)
		case "tags":
			items, key = s.tags[strings.ToLower(value)], "tag "+strings.ToLower(value)
		case "type":
			types = append(types, value)
		default:
			return query.Results{}, nil
		}
	}
	r := query.Results{Total: len(items)}
	if q.Facets || len(types) > 0 {
		c, err := s.counts.Get(key, epoch,
			func() (counts, time.Duration, error) { return count(items), time.Hour, nil })
		if err != nil {
			return r, err
		}
		r.Facets = c.facets
		if len(types) == 1 {
			r.Total = c.types[types[0]]
			return r, nil
		}
	}
	from := min(q.Offset, len(items))
	for _, i := range items[from:min(from+q.Limit, len(items))] {
		r.Slugs = append(r.Slugs, i.Slug())
	}
	return r, nil
}

// epoch is the time of the cache: its values do not expire.
var epoch = time.Unix(0, 0)

// count counts the values of servers.
func count(items []*catalog.Item) counts {
	c := counts{map[string]map[string]int{}, map[string]int{}}
	add := func(facet, value string) {
		if value == "" {
			return
		}
		if c.facets[facet] == nil {
			c.facets[facet] = map[string]int{}
		}
		c.facets[facet][value]++
	}
	for _, i := range items {
		s := i.Summary()
		add("category", s.Category)
		add("sdk", s.SDK)
		add("license", s.License)
		add("grade", s.Health.Grade)
		for n, t := range s.Transports {
			if !slices.Contains(s.Transports[:n], t) {
				add("transport", t)
			}
		}
		if len(s.Packages) > 0 {
			c.types[query.TypePackage]++
		}
		if len(s.Remotes) > 0 {
			c.types[query.TypeRemote]++
		}
	}
	return c
}
