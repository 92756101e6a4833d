package pages

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
	"mcpcensus/web/browse"
	"mcpcensus/web/format"
	"mcpcensus/web/site"
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

// A relaxation is a list with fewer conditions, and its number of servers.
type relaxation struct {
	Text, Address string
	Count         int
}

// maxWords is the maximum number of words of a search that are tried alone.
const maxWords = 4

// relax fills in lists with fewer conditions that have servers, most servers first. Lists that cannot
// be counted are omitted.
func (f *finder) relax(ctx context.Context, page *listPage) {
	add := func(text string, r browse.Request) {
		if n, err := f.count(ctx, r); err == nil && n > 0 {
			page.Relaxed = append(page.Relaxed, relaxation{text, r.URL(1), n})
		}
	}
	if page.Q != "" {
		add("Remove “"+page.Q+"”", page.Without("q"))
		if words := strings.Fields(page.Q); len(words) > 1 {
			for _, w := range words[:min(len(words), maxWords)] {
				only := page.Request
				only.Q, only.Page = w, 1
				add("Search only for “"+w+"”", only)
			}
		}
	}
	for _, filter := range browse.Filters {
		if values := filter.Values(page.Request); len(values) > 0 {
			var names []string
			for _, v := range values {
				names = append(names, filter.ValueName(v))
			}
			add("Remove “"+filter.Name+": "+strings.Join(names, ", ")+"”", page.Without(filter.Param))
		}
	}
	for _, c := range []struct{ value, text, param string }{
		{page.Tag, "Remove the tag “" + page.Tag + "”", "tag"},
		{page.Owner, "Remove the owner", "owner"},
	} {
		if c.value != "" {
			add(c.text, page.Without(c.param))
		}
	}
	if len(page.Chosen) > 2 && page.Q != "" {
		add("Remove all filters", browse.Request{Q: page.Q, Page: 1})
	}
	slices.SortStableFunc(page.Relaxed, func(a, b relaxation) int { return b.Count - a.Count })
}

// noOwner is the error for an owner without servers. It names similar owners.
func noOwner(v *catalog.View, name string) error {
	var hints []site.Hint
	for _, o := range similarNames(name, countOwners(v)) {
		hints = append(hints, site.Hint{Name: o, Address: browse.Request{Owner: o}.URL(1)})
	}
	hints = append(hints, site.Hint{Name: "All owners", Address: "/owners"}, searchHint(name))
	return site.WithHints(registry.Errorf(registry.ErrNotFound,
		"No server in the registry has this owner."), hints...)
}

// noTag is the error for a tag without servers. It names similar tags.
func (p *Pages) noTag(v *catalog.View, name string) error {
	var hints []site.Hint
	if names := p.Names(v); names != nil {
		for _, t := range similarNames(name, names.Tags) {
			hints = append(hints, site.Hint{Name: t, Address: browse.Request{Tag: t}.URL(1)})
		}
	}
	hints = append(hints, site.Hint{Name: "All tags", Address: "/tags"}, searchHint(name))
	return site.WithHints(registry.Errorf(registry.ErrNotFound,
		"No server in the registry has this tag."), hints...)
}

func searchHint(name string) site.Hint {
	name = format.Clip(name, browse.MaxLength)
	return site.Hint{Name: "Search for “" + name + "”", Address: browse.Request{Q: name}.URL(1)}
}

// similarNames returns up to five names that contain name, are contained in it, or share its
// first letters, most frequent first.
func similarNames(name string, names map[string]int) []string {
	name = strings.ToLower(name)
	if len([]rune(name)) < 3 {
		return nil
	}
	begin := string([]rune(name)[:3])
	rank := func(other string) int {
		switch {
		case strings.Contains(other, name) || len(other) >= 4 && strings.Contains(name, other):
			return 2
		case strings.HasPrefix(other, begin):
			return 1
		}
		return 0
	}
	var found []string
	for other := range names {
		if rank(other) > 0 && browse.InPath(other) {
			found = append(found, other)
		}
	}
	slices.SortFunc(found, func(a, b string) int {
		return cmp.Or(rank(b)-rank(a), names[b]-names[a], strings.Compare(a, b))
	})
	return found[:min(len(found), 5)]
}
