package subregistry

import (
	"context"
	"slices"
	"strings"
	"time"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/page"
	"mcpcensus/internal/query"
)

// maxFound is how many results of the index are part of a search; the servers with the
// text in their names follow.
const maxFound = 1000

// walkResults returns the next results of a search.
func (a *API) walkResults(
	ctx context.Context, s *scope, l *list, gone []departed,
) (rows []row, next *page.Cursor, err error) {
	found, err := a.search(ctx, s, l.search)
	if err != nil {
		return nil, nil, err
	}
	all := make([]row, 0, len(found))
	for _, i := range found {
		all = append(all, row{item: i})
	}
	for n := range gone {
		if contains(gone[n].Name, l.search) {
			all = append(all, row{gone: &gone[n]})
		}
	}
	from := 0
	if c := l.cursor; c != nil {
		from = max(0, min(c.Offset, len(all)))
		same := func(r row) bool { return r.item != nil && r.item.Slug() == c.Slug }
		if n := slices.IndexFunc(all, same); c.Slug != "" && n >= 0 {
			from = n + 1
		}
	}
	for n := from; n < len(all); n++ {
		if !l.matches(all[n]) {
			continue
		}
		if len(rows) == l.limit {
			next = &page.Cursor{Offset: n}
			if last := rows[l.limit-1].item; last != nil {
				next.Slug = last.Slug()
			}
			return rows, next, nil
		}
		rows = append(rows, all[n])
	}
	return rows, nil, nil
}

// search returns the servers of a scope that a text finds: the best results of the index,
// then the others that have the text in their names, best first. If the index does not
// respond, only the latter.
func (a *API) search(ctx context.Context, s *scope, text string) ([]*catalog.Item, error) {
	return a.found.GetContext(ctx, s.key+"\x00"+text, a.API.Now(),
		func(ctx context.Context) ([]*catalog.Item, time.Duration, error) {
			found, complete := a.indexed(ctx, s, text)
			seen := map[*catalog.Item]bool{}
			for _, i := range found {
				seen[i] = true
			}
			all := s.v.List("", catalog.ByRecommended, -1)
			for n := range all.Total() {
				i := all.At(n)
				if head, ok := i.Entry(); ok && !seen[i] && contains(head.Name, text) && s.has(i) {
					found = append(found, i)
				}
			}
			if !complete {
				return found, 0, nil
			}
			return found, time.Minute, nil
		})
}

// indexed returns the best results of the index in a scope. complete is false if it did
// not respond.
func (a *API) indexed(ctx context.Context, s *scope, text string) (found []*catalog.Item, complete bool) {
	if a.Search == nil {
		return nil, true
	}
	matches, err := a.Search.Match(ctx, text)
	if err != nil {
		return nil, false
	}
	l := s.v.Query(query.Query{Text: text, Filters: s.filters}, matches.Slugs)
	for n := range min(l.Total(), maxFound) {
		if _, ok := l.At(n).Entry(); ok && s.has(l.At(n)) {
			found = append(found, l.At(n))
		}
	}
	return found, !matches.Degraded
}

// contains reports whether a name contains a text, in any case.
func contains(name, text string) bool {
	return strings.Contains(strings.ToLower(name), strings.ToLower(text))
}
