package pages

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"mcpcensus/web/browse"
)

// A facet is a filter with its offered values.
type facet struct {
	Param, Name string
	Choices     []choice
}

// MaxChoices is the maximum number of offered values of an open-ended filter.
const MaxChoices = 8

// countOthers adds counts that one search does not return: those of an active
// filter as if it were not set, and those of packages, remotes and their liveness.
func (f *finder) countOthers(
	ctx context.Context, r browse.Request, counts map[string]map[string]int,
) error {
	group, ctx := errgroup.WithContext(ctx)
	r.Page, r.Sort = 1, ""
	var mu sync.Mutex // guards counts
	for _, filter := range browse.Filters {
		switch {
		case filter.Param == "has" || filter.Param == "liveness":
			into := map[string]int{}
			mu.Lock()
			counts[filter.Field] = into
			mu.Unlock()
			for _, value := range filter.All {
				one := r
				if filter.Param == "liveness" { // an endpoint has one of them
					one = r.Without(filter.Param)
				}
				if !slices.Contains(filter.Values(one), value) {
					one = one.Toggle(filter, value)
				}
				group.Go(func() error {
					n, err := f.count(ctx, one)
					mu.Lock()
					defer mu.Unlock()
					into[value] = n
					return err
				})
			}
		case len(filter.Values(r)) > 0 && !filter.Flag():
			group.Go(func() error {
				found, err := f.facetsOf(ctx, r.Without(filter.Param))
				mu.Lock()
				defer mu.Unlock()
				counts[filter.Field] = found[filter.Field]
				return err
			})
		}
	}
	return group.Wait()
}

// countFlags returns counts with those of the filters that are on or off.
func (f *finder) countFlags(
	ctx context.Context, r browse.Request, counts map[string]map[string]int,
) (map[string]map[string]int, error) {
	counts, r.Page = maps.Clone(counts), 1
	for _, filter := range browse.Filters {
		if !filter.Flag() {
			continue
		}
		one, value := r, filter.All[0]
		if len(filter.Values(r)) == 0 {
			one = r.Toggle(filter, value)
		}
		n, err := f.count(ctx, one)
		if err != nil {
			return nil, err
		}
		counts[filter.Field] = map[string]int{value: n}
	}
	return counts, nil
}

func (f *finder) facetsOf(ctx context.Context, r browse.Request) (map[string]map[string]int, error) {
	q, err := r.SearchQuery()
	if err != nil {
		return nil, err
	}
	q.Limit, q.Facets = 1, true
	found, _, err := f.find(ctx, q)
	return found.Facets, err
}

// addFacets fills in the filters and orders of the page.
func (p *listPage) addFacets(counts map[string]map[string]int) {
	for _, f := range browse.Filters {
		x := facet{Param: f.Param, Name: f.Name, Choices: p.choices(f, counts[f.Field])}
		switch n := len(p.Facets) - 1; {
		case len(x.Choices) == 0:
		case n >= 0 && p.Facets[n].Name == x.Name:
			p.Facets[n].Choices = append(p.Facets[n].Choices, x.Choices...)
		default:
			p.Facets = append(p.Facets, x)
		}
		for _, c := range x.Choices {
			if c.Chosen {
				p.Chosen = append(p.Chosen,
					choice{Name: f.Name + ": " + c.Name, Address: c.Address})
				p.Hidden = append(p.Hidden, hiddenField{f.Param, c.Value})
			}
		}
	}
	for _, v := range [][3]string{{"tag", p.Tag, "Tag: "}, {"owner", p.Owner, "Owner: "}} {
		if v[1] != "" {
			p.Chosen = append(p.Chosen, choice{Name: v[2] + v[1], Address: p.Without(v[0]).URL(1)})
			p.Hidden = append(p.Hidden, hiddenField{v[0], v[1]})
		}
	}
	if p.Q != "" {
		p.Chosen = slices.Insert(p.Chosen, 0,
			choice{Name: "“" + p.Q + "”", Address: p.Without("q").URL(1)})
	}
	p.Clear = browse.Request{Sort: p.Sort}.URL(1)
	p.addSorts()
}

// choices are the values of a filter that have servers or are chosen.
func (p *listPage) choices(f browse.Filter, counts map[string]int) (all []choice) {
	chosen := f.Values(p.Request)
	values := slices.Clone(f.All)
	endless := values == nil
	if endless {
		values = slices.Collect(maps.Keys(counts))
	}
	for _, v := range chosen {
		if !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	if !slices.Contains([]string{"grade", "has", "effect"}, f.Param) {
		slices.SortFunc(values, func(a, b string) int {
			return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
		})
	}
	for _, v := range values {
		c := choice{Value: v, Name: f.ValueName(v), Count: counts[v],
			Chosen: slices.Contains(chosen, v)}
		if !c.Chosen && (c.Count == 0 || endless && len(all) >= MaxChoices) {
			continue
		}
		c.Address = p.Toggle(f, v).URL(1)
		all = append(all, c)
	}
	return all
}

// addSorts fills in the orders. The default has no value, so that a later text
// search is sorted by relevance.
func (p *listPage) addSorts() {
	if p.Q != "" {
		p.Sorts = append(p.Sorts, choice{Name: "Best match", Chosen: p.Sort == ""})
	}
	for n, o := range browse.Orders {
		usual := n == 0 && p.Q == ""
		c := choice{Value: o.Value, Name: o.Name, Chosen: o.Value == p.Sort || usual &&
			p.Sort == ""}
		if usual {
			c.Value = ""
		}
		p.Sorts = append(p.Sorts, c)
	}
}
