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

// scan matches a text against all servers, which are best first: words of names, tags, tools,
// descriptions and hosts that begin like a word of the text.
func scan(
	ctx context.Context, servers iter.Seq[*registry.Server], text string,
) (m query.Matches, err error) {
	type hit struct {
		slug         string
		score, words int
	}
	typed := words.OfSearch(text)
	var hits []hit
	several := 0
	for s := range servers {
		if ctx.Err() != nil {
			return m, ctx.Err()
		}
		if score, found := scanScore(s, typed); found > 0 {
			hits = append(hits, hit{s.Slug, score, found})
			if found >= words.Least(len(typed)) {
				several++
			}
		}
	}
	if several >= words.Enough {
		hits = slices.DeleteFunc(hits, func(h hit) bool { return h.words < words.Least(len(typed)) })
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	var all []string
	for _, h := range hits[:min(len(hits), query.MaxMatches)] {
		m.Slugs = append(m.Slugs, h.slug)
		if h.words == len(typed) {
			all = append(all, h.slug)
		}
	}
	return m.First(all), nil
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
		{1, strings.ToLower(lines(toolNames(s), lines(addressesOf(s)...)))},
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
	return lines(names...)
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
