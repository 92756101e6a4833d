package search

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/words"
)

// scan answers a query by going through all servers. What a text matches is
// simple: the words of names, tags, tools and descriptions that begin as a word
// of the text does.
func scan(ctx context.Context, servers iter.Seq[*registry.Server], q query.Query) (query.Results, error) {
	type hit struct {
		server *registry.Server
		score  int
		words  int
	}
	match := query.Matcher(q.Filters)
	typed := words.OfSearch(q.Text)
	var several, any []hit
	for s := range servers {
		if ctx.Err() != nil {
			return query.Results{}, ctx.Err()
		}
		h := hit{server: s}
		h.score, h.words = scanScore(s, typed)
		if q.Text != "" && h.words == 0 {
			continue
		}
		any = append(any, h)
		if h.words >= words.Least(len(typed)) {
			several = append(several, h)
		}
	}
	hits := several
	if len(several) < words.Enough {
		hits = any
	}
	hits = slices.DeleteFunc(hits, func(h hit) bool { return !match(h.server) })

	orders := q.Orders()
	slices.SortFunc(hits, func(a, b hit) int {
		if byRelevance(orders) && a.score != b.score {
			return cmp.Compare(b.score, a.score)
		}
		return query.Compare(a.server, b.server, orders)
	})
	res := query.Results{Total: len(hits), Facets: noFacets(&q)}
	if q.Facets {
		for _, h := range hits {
			countFacets(res.Facets, h.server)
		}
	}
	if q.After != nil && !byRelevance(orders) {
		hits = slices.DeleteFunc(hits, func(h hit) bool {
			return query.ComparePositions(query.PositionOf(h.server, orders), *q.After, orders) <= 0
		})
		q.After, q.Offset = nil, 0
	}
	page, from := pageOf(hits, &q, func(h hit) string { return h.server.Slug })
	for i, h := range page {
		p := query.PositionOf(h.server, orders)
		if byRelevance(orders) {
			p.Keys[0] = float64(from + i + 1)
		}
		res.Slugs = append(res.Slugs, p.Slug)
		res.Positions = append(res.Positions, p)
	}
	return res, nil
}

// scanScore returns the sum, over the words, of the weight of the best field
// that has a word, and how many of the words the server has.
func scanScore(s *registry.Server, words []string) (score, found int) {
	fields := []struct {
		weight int
		text   string
	}{
		{4, strings.ToLower(lines(s.Name, s.Title, s.Repo.Name))},
		{2, strings.ToLower(lines(lines(s.Tags...), s.Repo.Owner, s.Category, s.Description))},
		{1, toolNames(s)},
	}
	for _, w := range words {
		for _, f := range fields {
			if beginsWord(f.text, w) {
				score += f.weight
				found++
				break
			}
		}
	}
	return score, found
}

func toolNames(s *registry.Server) string {
	names := make([]string, len(s.Tools))
	for i := range s.Tools {
		names[i] = s.Tools[i].Name
	}
	return strings.ToLower(lines(names...))
}

// beginsWord reports whether a word of a text begins with w. Words that are not
// in ASCII are found anywhere: not all scripts put spaces between words.
func beginsWord(text, w string) bool {
	if w[0] >= utf8.RuneSelf {
		return strings.Contains(text, w)
	}
	for from := 0; ; {
		i := strings.Index(text[from:], w)
		if i < 0 {
			return false
		}
		if from += i; from == 0 || text[from-1] < utf8.RuneSelf && words.Separates(rune(text[from-1])) {
			return true
		}
		from++
	}
}

func countFacets(facets map[string]map[string]int, s *registry.Server) {
	var buf [8]string
	for i := range query.Fields {
		if f := &query.Fields[i]; f.Facet {
			for _, v := range f.Texts(s, buf[:0]) {
				facets[f.Name][v]++
			}
		}
	}
}
