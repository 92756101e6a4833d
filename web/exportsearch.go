package web

import (
	"context"
	"slices"
	"strings"
	"sync"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/query"
)

// An ownerSearch answers the searches that pages of an export ask: the servers
// of an owner or with a tag, best first. It holds no more than who they are.
type ownerSearch struct {
	owners, tags map[string][]*catalog.Item // best first

	mu   sync.Mutex
	kept map[string]counted // of the lists that were asked for last
}

type counted struct {
	facets map[string]map[string]int
	types  map[string]int
}

const countsKept = 64

func newOwnerSearch(v *catalog.View) *ownerSearch {
	o := &ownerSearch{owners: map[string][]*catalog.Item{}, tags: map[string][]*catalog.Item{}, kept: map[string]counted{}}
	l := v.List("", catalog.ByQuality, -1)
	for n := range l.Total() {
		i := l.At(n)
		if owner := i.Owner(); owner != "" {
			o.owners[owner] = append(o.owners[owner], i)
		}
		tags := i.Server().Tags
		for k, t := range tags {
			if t = strings.ToLower(t); !slices.ContainsFunc(tags[:k], func(s string) bool { return strings.EqualFold(s, t) }) {
				o.tags[t] = append(o.tags[t], i)
			}
		}
	}
	return o
}

// Search finds by owner or by tag, and by type besides. Other questions, which
// no page of an export asks, find nothing.
func (o *ownerSearch) Search(_ context.Context, q query.Query) (query.Results, error) {
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
			items, key = o.owners[strings.ToLower(value)], "owner "+strings.ToLower(value)
		case "tags":
			items, key = o.tags[strings.ToLower(value)], "tag "+strings.ToLower(value)
		case "type":
			types = append(types, value)
		default:
			return query.Results{}, nil
		}
	}
	r := query.Results{Total: len(items)}
	if q.Facets || len(types) > 0 {
		c := o.count(key, items)
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

// count counts what servers have.
func (o *ownerSearch) count(key string, items []*catalog.Item) counted {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c, ok := o.kept[key]; ok {
		return c
	}
	c := counted{map[string]map[string]int{}, map[string]int{}}
	for _, name := range []string{"category", "sdk", "license", "transport", "grade"} {
		c.facets[name] = map[string]int{}
	}
	for _, i := range items {
		s := i.Server()
		for name, value := range map[string]string{"category": s.Category, "sdk": s.SDK, "license": s.License, "grade": s.Health.Grade} {
			if value != "" {
				c.facets[name][value]++
			}
		}
		for n, t := range s.Transports {
			if !slices.Contains(s.Transports[:n], t) {
				c.facets["transport"][t]++
			}
		}
		if len(s.Packages) > 0 {
			c.types[query.TypePackage]++
		}
		if len(s.Remotes) > 0 {
			c.types[query.TypeRemote]++
		}
	}
	if len(o.kept) >= countsKept {
		for old := range o.kept {
			delete(o.kept, old)
			break
		}
	}
	o.kept[key] = c
	return c
}
