package search

import (
	"cmp"
	"context"
	"slices"

	"mcpcensus/internal/query"
)

// enough is the number of servers at which the text is taken as it is typed.
const enough = 5

const (
	strictWords   = 4  // queries up to this long never lose a word
	requiredWords = 10 // longer ones have at most this many that must match

	// plenty is how many servers a long text should find before fewer of its
	// words are required.
	plenty = 20
	// rarer is how many times as many servers must have the right word as have
	// the wrong one.
	rarer = 100
)

// A reading is what a text is taken to say: the terms that every matching
// server has, and others that only raise its rank.
type reading struct {
	must   []term
	should []term
	// joined are neighbouring words of a short text as one, which may raise the
	// rank as well: who writes file system may mean what is called filesystem.
	joined []term
	none   bool // there are no words in the text: nothing matches
}

// A dictionary answers the questions that reading a text needs. All counts
// are exact and over all servers, whatever the query's filters.
type dictionary interface {
	// counts returns for each conjunction how many servers satisfy it.
	counts(ctx context.Context, of []conjunction) ([]int, error)
	// similar returns words that stand in names, tags, tools or descriptions,
	// among them all that are near the typed word. Some may have left the
	// index since.
	similar(ctx context.Context, typed string) ([]string, error)
}

// A conjunction is satisfied by a server that has all its terms: anywhere, or
// in its short fields (name, tags, tools, description), which leave the README
// out.
type conjunction struct {
	terms []term
	short bool
}

// strict reads the text as it is typed: every word must match, the last one
// also as the beginning of a word.
func strict(text string) reading {
	t := terms(text)
	r := reading{must: t, none: len(t) == 0}
	if len(t) <= strictWords {
		for _, w := range joined(text) {
			r.joined = append(r.joined, term{word: w})
		}
		r.joined = r.joined[:min(len(r.joined), strictWords)]
	}
	return r
}

// search answers a query with an engine's find and dictionary: first as
// typed, then, if that finds fewer than enough, with the corrections and the
// omissions that reread allows.
func search(ctx context.Context, q *query.Query, d dictionary, find func(reading) (query.Results, error)) (query.Results, error) {
	if q.Text == "" {
		return find(reading{})
	}
	r := strict(q.Text)
	if r.none {
		return query.Results{Facets: noFacets(q)}, nil
	}
	var res query.Results
	typed := 0
	if len(r.must) <= requiredWords {
		var err error
		res, err = find(r)
		if err != nil || res.Total >= enough {
			return res, err
		}
		typed = res.Total
		if len(q.Filters) > 0 {
			n, err := d.counts(ctx, []conjunction{{terms: r.must}})
			if err != nil {
				return res, err
			}
			typed = n[0]
		}
		if typed >= enough {
			return res, nil
		}
	}
	if len(r.must) <= strictWords && !slices.ContainsFunc(r.must, func(t term) bool { return typos(t.word) > 0 }) {
		return res, nil // no word can be corrected or left out
	}
	r, changed, err := reread(ctx, d, r, typed)
	switch {
	case err != nil || !changed:
		return res, err
	case r.none:
		return query.Results{Facets: noFacets(q)}, nil
	}
	return find(r)
}

// reread returns what a text is taken to say of which fewer than enough
// servers, typed of them, have every word.
//
// A word is misspelt if no server has it in a short field and a near word
// stands in the short fields of a hundred times as many servers as have the
// word anywhere, or of any if none has it. It is replaced by the nearest such
// word, of equally near ones by the most frequent, then the first by alphabet.
//
// Of a text of more than four words, the most frequent are then left out one
// after the other until twenty servers have all the others; words that no
// server has go first. Up to ten words are required. Those left out still
// raise the rank.
func reread(ctx context.Context, d dictionary, r reading, typed int) (_ reading, changed bool, _ error) {
	long := len(r.must) > strictWords
	if long {
		// Nobody types so long a text into a box that searches while they do.
		r.must = slices.Clone(r.must)
		r.must[len(r.must)-1].prefix = false
	}
	of := make([]conjunction, 0, 2*len(r.must))
	for _, t := range r.must {
		of = append(of, conjunction{[]term{t}, false}, conjunction{[]term{t}, true})
	}
	n, err := d.counts(ctx, of)
	if err != nil {
		return r, false, err
	}
	words := make([]counted, len(r.must))
	for i, t := range r.must {
		words[i] = counted{term: t, n: n[2*i]}
		if n[2*i+1] > 0 || typos(t.word) == 0 {
			continue
		}
		better, ok, err := correct(ctx, d, t.word, n[2*i])
		if err != nil {
			return r, false, err
		}
		if ok && slices.ContainsFunc(words[:i], func(w counted) bool { return w.term.word == better.term.word }) {
			// The right word stands there already; nothing is lost with it.
			words[i] = counted{n: -1}
			changed = true
		} else if ok {
			words[i] = better
			changed = true
		}
	}
	words = slices.DeleteFunc(words, func(w counted) bool { return w.n < 0 })
	out := reading{must: plain(words), joined: r.joined}
	if changed && len(out.must) <= requiredWords {
		n, err := d.counts(ctx, []conjunction{{terms: out.must}})
		if err != nil {
			return r, false, err
		}
		typed = n[0]
	}
	if !long || typed >= enough {
		return out, changed, nil
	}

	slices.SortStableFunc(words, func(a, b counted) int { return cmp.Compare(a.n, b.n) })
	words = slices.DeleteFunc(words, func(w counted) bool { return w.n == 0 })
	if len(words) == 0 {
		return reading{none: true}, true, nil
	}
	most := min(len(words), requiredWords)
	of = of[:0]
	for k := 1; k <= most; k++ {
		of = append(of, conjunction{terms: plain(words[:k])})
	}
	if n, err = d.counts(ctx, of); err != nil {
		return r, false, err
	}
	k := most
	for k > 1 && n[k-1] < plenty {
		k--
	}
	return reading{must: plain(words[:k]), should: plain(words[k:])}, true, nil
}

type counted struct {
	term term
	n    int
}

func plain(words []counted) []term {
	out := make([]term, len(words))
	for i, w := range words {
		out[i] = w.term
	}
	return out
}

// correct returns the word that was probably meant by one that is in no short
// field and anywhere in n servers.
func correct(ctx context.Context, d dictionary, typed string, n int) (best counted, ok bool, err error) {
	words, err := d.similar(ctx, typed)
	if err != nil {
		return best, false, err
	}
	slices.Sort(words)
	words = slices.Compact(words)
	var of []conjunction
	var errs []int
	for _, w := range words {
		if e, ok := near(typed, w); ok {
			of = append(of, conjunction{[]term{{word: w}}, true})
			errs = append(errs, e)
		}
	}
	if len(of) == 0 {
		return best, false, nil
	}
	counts, err := d.counts(ctx, of)
	if err != nil {
		return best, false, err
	}
	fewest := 0
	for i := range of {
		if counts[i] < max(1, rarer*n) {
			continue
		}
		if !ok || errs[i] < fewest || errs[i] == fewest && counts[i] > best.n {
			best, fewest, ok = counted{of[i].terms[0], counts[i]}, errs[i], true
		}
	}
	if !ok {
		return best, false, nil
	}
	// What follows wants to know in how many servers it stands anywhere.
	all, err := d.counts(ctx, []conjunction{{[]term{best.term}, false}})
	if err != nil {
		return best, false, err
	}
	best.n = all[0]
	return best, true, nil
}

// noFacets are the facets of a query that nothing matches.
func noFacets(q *query.Query) map[string]map[string]int {
	if !q.Facets {
		return nil
	}
	out := map[string]map[string]int{}
	for _, f := range query.Fields {
		if f.Facet {
			out[f.Name] = map[string]int{}
		}
	}
	return out
}
