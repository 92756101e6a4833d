package pages

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
	"mcpcensus/web/browse"
	"mcpcensus/web/format"
	"mcpcensus/web/site"
)

// A relaxation is a list with fewer conditions, and its number of servers.
type relaxation struct {
	Text, Address string
	Count         int
}

// maxWords is the maximum number of words of a search that are tried alone.
const maxWords = 4

// relax fills in lists with fewer conditions, most servers first. Lists that cannot be
// counted are omitted.
func (f *finder) relax(ctx context.Context, page *listPage) {
	add := func(text string, r browse.Request, evenEmpty bool) {
		if n, err := f.count(ctx, r); err == nil && (n > 0 || evenEmpty) {
			page.Relaxed = append(page.Relaxed, relaxation{text, r.URL(1), n})
		}
	}
	if page.Q != "" {
		add("Remove “"+page.Q+"”", page.Without("q"), true)
		if words := strings.Fields(page.Q); len(words) > 1 {
			for _, w := range words[:min(len(words), maxWords)] {
				only := page.Request
				only.Q, only.Page = w, 1
				add("Search only for “"+w+"”", only, false)
			}
		}
	}
	for _, filter := range browse.Filters {
		if values := filter.Values(page.Request); len(values) > 0 {
			var names []string
			for _, v := range values {
				names = append(names, filter.ValueName(v))
			}
			add("Remove “"+filter.Name+": "+strings.Join(names, ", ")+"”",
				page.Without(filter.Param), true)
		}
	}
	for _, c := range []struct{ value, text, param string }{
		{page.Tag, "Remove the tag “" + page.Tag + "”", "tag"},
		{page.Owner, "Remove the owner", "owner"},
	} {
		if c.value != "" {
			add(c.text, page.Without(c.param), true)
		}
	}
	if len(page.Chosen) > 2 && page.Q != "" {
		add("Remove all filters", browse.Request{Q: page.Q, Page: 1}, true)
	}
	slices.SortStableFunc(page.Relaxed, func(a, b relaxation) int { return b.Count - a.Count })
	if len(page.Relaxed) > 0 && page.Relaxed[0].Count > 0 {
		page.Relaxed = slices.DeleteFunc(page.Relaxed,
			func(r relaxation) bool { return r.Count == 0 })
	}
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
