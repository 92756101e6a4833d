package search

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/meilisearch/meilisearch-go"

	"mcpcensus/internal/query"
	"mcpcensus/internal/synonyms"
	"mcpcensus/internal/words"
)

// isServer is the condition that all servers satisfy.
const isServer = layoutField + " NOT EXISTS"

// Match implements [Index].
func (m *Meili) Match(ctx context.Context, text string) (query.Matches, error) {
	all, err := m.built(ctx, false)
	if err != nil {
		return query.Matches{}, err
	}
	typed := words.OfSearch(text)
	var found query.Matches
	switch {
	case len(typed) == 0:
	case len(typed) == 1 && m.embedder == nil:
		found.Slugs, err = m.oneWord(ctx, text, typed[0])
		found.All = len(found.Slugs)
	default:
		found, err = m.rank(ctx, text, typed, all)
	}
	if err == nil && len(found.Slugs) == 0 {
		// An index that was removed and recreated is empty as well.
		_, err = m.built(ctx, true)
	}
	return found, err
}

// oneWord returns the matches of a word as typed; if there are none, of the word without its
// ending.
func (m *Meili) oneWord(ctx context.Context, text, word string) (slugs []string, err error) {
	for _, text := range slices.Compact([]string{lastWord(text, word), stem(word)}) {
		results, err := m.multi(ctx, m.ranking(text, int64(m.most)))
		if err != nil {
			return nil, err
		}
		for _, h := range results[0].Hits {
			slugs = append(slugs, slugOf(h))
		}
		if len(slugs) > 0 {
			break
		}
	}
	return slugs, nil
}

// The limits of a search for several words.
const (
	meiliRarityPower = 5 // as rarityPower for Bleve

	meiliWords  = 8    // the rarest of a text count; the others are ignored
	meiliHits   = 300  // of each word, the best
	meiliRanked = 1000 // servers that a text of several words matches at most
	meiliCounts = 8192 // words whose frequency is known
)

// rank returns the servers that a text of several words matches, best first. Meilisearch
// matches no document that lacks the rarest word of a search, so each word is a separate
// search, unless earlier searches found that it is too frequent. The score of a server is the sum,
// over the words, of Meilisearch's ranking score times the rarity of the word, multiplied by the
// share of the words that the server has and by its boost. The exponents were measured by
// TestRelevance.
func (m *Meili) rank(
	ctx context.Context, text string, typed []string, all int,
) (query.Matches, error) {
	var requests []*meilisearch.SearchRequest
	for i, w := range typed {
		if i == len(typed)-1 {
			w = lastWord(text, w)
		} else {
			w = stem(w)
		}
		requests = append(requests, m.ranking(w, meiliHits))
	}
	for _, p := range phrases(typed) {
		requests = append(requests, m.ranking(p+" ", meiliHits))
	}
	requests = m.rarest(requests)
	lexical := len(requests)
	if m.embedder != nil {
		r := m.ranking(text, meiliHits)
		r.Hybrid = &meilisearch.SearchRequestHybrid{Embedder: embedderName, SemanticRatio: 1}
		requests = append(requests, r)
	}
	results, err := m.multi(ctx, requests...)
	if err != nil {
		return query.Matches{}, err
	}
	for i, r := range results[:lexical] {
		m.counts.Add(requests[i].Query, r.EstimatedTotalHits)
	}
	results, similar := results[:lexical:lexical], results[lexical:]
	results = slices.DeleteFunc(results, func(r meilisearch.SearchResponse) bool { return r.EstimatedTotalHits == 0 })
	slices.SortStableFunc(results, func(a, b meilisearch.SearchResponse) int { return int(a.EstimatedTotalHits - b.EstimatedTotalHits) })
	results = results[:min(len(results), meiliWords)]
	return bestOf(results, similar, len(typed), all), nil
}

// rarest returns the searches for the [meiliWords] known words that match the fewest servers, and
// for words of which that is unknown.
func (m *Meili) rarest(requests []*meilisearch.SearchRequest) []*meilisearch.SearchRequest {
	counts := make([]int64, 0, len(requests))
	for _, r := range requests {
		if n, _ := m.counts.Get(r.Query); n > 0 {
			counts = append(counts, n)
		}
	}
	slices.Sort(counts)
	return slices.DeleteFunc(requests, func(r *meilisearch.SearchRequest) bool {
		n, _ := m.counts.Get(r.Query)
		return len(counts) > meiliWords && n > counts[meiliWords-1]
	})
}

// A candidate is a server that one of several searches found.
type candidate struct {
	slug         string
	score, boost float64
	words        int // searches that found it
	rare         bool
}

type candidates map[string]*candidate

func (c candidates) add(h meilisearch.Hit, weight float64, rare bool) {
	slug := slugOf(h)
	s := c[slug]
	if s == nil {
		s = &candidate{slug: slug, boost: numberOf(h[boostOrder])}
		c[slug] = s
	}
	s.score += weight * math.Pow(numberOf(h["_rankingScore"]), 1.5)
	s.words++
	s.rare = s.rare || rare
}

// bestOf returns the servers that match a text with the given number of words, best first,
// from the results of its words, rarest first, and the results by meaning. all is the number
// of servers.
func bestOf(
	results, similar []meilisearch.SearchResponse, typed, all int,
) (m query.Matches) {
	found := candidates{}
	total := 0.0
	for _, r := range results {
		n := float64(r.EstimatedTotalHits)
		idf := math.Log(1 + (max(0, float64(all)-n)+0.5)/(n+0.5))
		weight := math.Pow(idf, meiliRarityPower)
		total += weight
		for _, h := range r.Hits {
			found.add(h, weight, int(n) <= words.Rare(all))
		}
	}
	// The meaning counts as much as all words, of which there may be none.
	total = cmp.Or(total, 1)
	for _, r := range similar {
		for _, h := range r.Hits {
			found.add(h, total, true)
		}
	}
	var any, several []*candidate
	for _, c := range found {
		c.score *= c.boost * float64(c.words) / float64(len(results)+len(similar))
		any = append(any, c)
		if c.rare || c.words >= words.Least(min(typed, meiliWords)) {
			several = append(several, c)
		}
	}
	if len(several) < words.Enough {
		several = any
	}
	slices.SortFunc(several, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.slug, b.slug))
	})
	var complete []string
	for _, c := range several[:min(len(several), meiliRanked)] {
		m.Slugs = append(m.Slugs, c.slug)
		if c.words >= typed {
			complete = append(complete, c.slug)
		}
	}
	return m.First(complete)
}

// phrases returns the sequences of words that have synonyms. Meilisearch applies synonyms of a
// sequence only if its words are in one search.
func phrases(words []string) []string {
	text := " " + strings.Join(words, " ") + " "
	var out []string
	for _, g := range synonyms.Groups {
		for _, m := range g.Members {
			if len(g.Members) > 1 && strings.Contains(m, " ") && strings.Contains(text, " "+m+" ") {
				out = append(out, m)
			}
		}
	}
	return out
}

// ranking requests the best matches of a text, with their scores.
func (m *Meili) ranking(text string, limit int64) *meilisearch.SearchRequest {
	return &meilisearch.SearchRequest{
		IndexUID: m.uid, Query: text, Limit: limit, MatchingStrategy: meilisearch.Frequency, Filter: isServer,
		AttributesToRetrieve: []string{"id", boostOrder}, ShowRankingScore: true,
	}
}

// lastWord returns the search for a word that may be incomplete. Meilisearch matches the
// beginning of words with the end of a query.
func lastWord(text, word string) string {
	if strings.HasSuffix(strings.ToLower(text), word) {
		return word
	}
	return stem(word)
}

// stem returns the search for a word with other endings: Meilisearch has no stemming, but
// matches the beginning of words with the end of a query. A trailing space prevents that.
func stem(word string) string {
	s := strings.TrimSuffix(words.Stem(word), "i") // queri: query, queries
	if len(s) < 4 || s == word || !strings.HasPrefix(word, s) {
		return word + " "
	}
	return s
}

// multi sends several searches in one request.
func (m *Meili) multi(ctx context.Context, requests ...*meilisearch.SearchRequest) ([]meilisearch.SearchResponse, error) {
	got, err := m.client.MultiSearchWithContext(ctx, &meilisearch.MultiSearchRequest{Queries: requests})
	if err == nil && len(got.Results) != len(requests) {
		err = fmt.Errorf("meilisearch: %d results for %d searches", len(got.Results), len(requests))
	}
	if err != nil {
		return nil, wrapMeili(err)
	}
	return got.Results, nil
}

func slugOf(h meilisearch.Hit) (slug string) {
	_ = json.Unmarshal(h["id"], &slug) // it is a string
	return slug
}

func numberOf(raw json.RawMessage) (n float64) {
	_ = json.Unmarshal(raw, &n) // 0 if there is none
	return n
}
