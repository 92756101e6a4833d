package search

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/meilisearch/meilisearch-go"

	"mcpcensus/internal/query"
	"mcpcensus/internal/synonyms"
	"mcpcensus/internal/words"
)

// Search implements [Index].
func (m *Meili) Search(ctx context.Context, q query.Query) (query.Results, error) {
	if err := check(&q); err != nil {
		return query.Results{}, err
	}
	all, err := m.built(ctx, false)
	if err != nil {
		return query.Results{}, err
	}
	res, err := m.search(ctx, &q, all)
	if err == nil && res.Total == 0 {
		// An index that was removed and created again is empty as well.
		_, err = m.built(ctx, true)
	}
	return res, err
}

func (m *Meili) search(ctx context.Context, q *query.Query, all int) (query.Results, error) {
	conditions := []string{isServer}
	for _, f := range q.Filters {
		conditions = append(conditions, meiliFilter(f))
	}
	typed := words.OfSearch(q.Text)
	switch {
	case q.Text == "":
		return m.page(ctx, q, "", conditions)
	case len(typed) == 0:
		return query.Results{Facets: noFacets(q)}, nil
	case len(typed) == 1 && m.embedder == nil:
		return m.oneWord(ctx, q, typed[0], conditions)
	}
	found, err := m.rank(ctx, q.Text, typed, all)
	if err != nil || len(found) == 0 {
		return query.Results{Facets: noFacets(q)}, err
	}
	if !byRelevance(q.Orders()) {
		return m.page(ctx, q, "", append(conditions, among(found)))
	}
	res := query.Results{}
	if len(q.Filters) > 0 || q.Facets {
		if found, res.Facets, err = m.filter(ctx, q, found, conditions); err != nil {
			return res, err
		}
	}
	res.Total = len(found)
	page, from := pageOf(found, q, func(slug string) string { return slug })
	for i, slug := range page {
		p := query.Position{Keys: make([]any, len(q.Orders())), Slug: slug}
		p.Keys[0] = float64(from + i + 1)
		res.Slugs = append(res.Slugs, slug)
		res.Positions = append(res.Positions, p)
	}
	return res, nil
}

// oneWord returns a page of the matches of a word as it is typed; if there are
// none, of the word without its ending.
func (m *Meili) oneWord(
	ctx context.Context, q *query.Query, word string, conditions []string,
) (res query.Results, err error) {
	typed := lastWord(q.Text, word)
	texts := []string{typed}
	if s := stem(word); s != typed {
		texts = append(texts, s)
	}
	for _, text := range texts {
		res, err = m.page(ctx, q, text, conditions)
		if err != nil || res.Total > 0 {
			break
		}
	}
	return res, err
}

// among is a condition that only these servers satisfy.
func among(slugs []string) string {
	values := make([]string, len(slugs))
	for i, s := range slugs {
		values[i] = exact(s)
	}
	return in(slugOrder, values)
}

// page returns a page of the matches of what Meilisearch is to search for.
func (m *Meili) page(ctx context.Context, q *query.Query, text string, conditions []string) (res query.Results, err error) {
	orders := q.Orders()
	ranked := byRelevance(orders)
	page := &meilisearch.SearchRequest{
		IndexUID: m.uid, Query: text, MatchingStrategy: meilisearch.Frequency, Filter: conditions, AttributesToRetrieve: []string{"id"},
	}
	whole := *page
	from, size, at := q.Offset, q.Limit, place(q)
	switch {
	case ranked && q.After != nil:
		from, size, at = window(at, q.Limit)
	case !ranked:
		for _, o := range orders {
			direction := ":asc"
			if o.Desc {
				direction = ":desc"
			}
			page.AttributesToRetrieve = append(page.AttributesToRetrieve, orderName(o.Field))
			page.Sort = append(page.Sort, orderName(o.Field)+direction)
		}
		page.Sort = append(page.Sort, slugOrder+":asc")
		if q.After != nil {
			from, page.Filter = 0, append(slices.Clone(conditions), beyond(q.After, orders))
		}
	}
	page.Offset, page.Limit = int64(from), int64(size)
	// With pages in place of an offset, the total is exact.
	none := int64(0)
	whole.Page, whole.HitsPerPage, whole.Facets = 1, &none, facetAttributes(q)
	results, err := m.multi(ctx, page, &whole)
	if err != nil {
		return res, err
	}
	res.Total = int(results[1].TotalHits)
	if res.Facets, err = facetsOf(q, results[1].FacetDistribution); err != nil {
		return res, err
	}
	hits := results[0].Hits
	if ranked && q.After != nil {
		hits, from = behind(hits, from, at, q, func(h meilisearch.Hit) string { return unquote(h["id"]) })
	}
	for i, h := range hits {
		p := query.Position{Keys: make([]any, len(orders)), Slug: unquote(h["id"])}
		for j, o := range orders {
			if o.Field == query.Relevance {
				p.Keys[j] = float64(from + i + 1)
				break
			}
			p.Keys[j] = orderValue(h[orderName(o.Field)])
		}
		res.Slugs = append(res.Slugs, p.Slug)
		res.Positions = append(res.Positions, p)
	}
	return res, nil
}

// orderValue returns the key of a sort, nil if there is none.
func orderValue(raw json.RawMessage) any {
	if len(raw) == 0 {
		return nil
	}
	if raw[0] == '"' {
		return fromExact(unquote(raw))
	}
	if n, err := strconv.ParseFloat(string(raw), 64); err == nil {
		return n
	}
	return nil
}

// filter returns which of the servers satisfy the conditions, in their order,
// and the facets of these.
func (m *Meili) filter(ctx context.Context, q *query.Query, slugs, conditions []string) ([]string, map[string]map[string]int, error) {
	results, err := m.multi(ctx, &meilisearch.SearchRequest{
		IndexUID: m.uid, Filter: append(slices.Clone(conditions), among(slugs)), Limit: int64(len(slugs)),
		AttributesToRetrieve: []string{"id"}, Facets: facetAttributes(q),
	})
	if err != nil {
		return nil, nil, err
	}
	left := map[string]bool{}
	for _, h := range results[0].Hits {
		left[unquote(h["id"])] = true
	}
	facets, err := facetsOf(q, results[0].FacetDistribution)
	return slices.DeleteFunc(slugs, func(slug string) bool { return !left[slug] }), facets, err
}

// The limits of a search for several words.
const (
	meiliRarityPower = 5 // as rarityPower for Bleve

	meiliWords  = 10   // the rarest of a text count; the others are ignored
	meiliHits   = 300  // of each word, the best
	meiliRanked = 1000 // servers that a text of several words matches at most
)

// rank returns the servers that a text of several words matches, best first.
// Meilisearch matches no document that lacks the rarest word of a search, so
// each word is searched for by itself. The score of a server is the sum, over
// the words, of Meilisearch's ranking score times the rarity of the word; it
// is multiplied by the share of the words that the server has and by its
// boost. The exponents were measured by TestRelevance.
func (m *Meili) rank(ctx context.Context, text string, typed []string, all int) ([]string, error) {
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
	lexical := len(requests)
	if m.embedder != nil {
		r := m.ranking(text, meiliHits)
		r.Hybrid = &meilisearch.SearchRequestHybrid{Embedder: embedderName, SemanticRatio: 1}
		requests = append(requests, r)
	}
	results, err := m.multi(ctx, requests...)
	if err != nil {
		return nil, err
	}
	results, similar := results[:lexical:lexical], results[lexical:]
	results = slices.DeleteFunc(results, func(r meilisearch.SearchResponse) bool { return r.EstimatedTotalHits == 0 })
	slices.SortStableFunc(results, func(a, b meilisearch.SearchResponse) int { return int(a.EstimatedTotalHits - b.EstimatedTotalHits) })
	results = results[:min(len(results), meiliWords)]
	return bestOf(results, similar, len(typed), all), nil
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
	slug := unquote(h["id"])
	s := c[slug]
	if s == nil {
		boost, _ := orderValue(h[boostOrder]).(float64)
		s = &candidate{slug: slug, boost: boost}
		c[slug] = s
	}
	score, _ := orderValue(h["_rankingScore"]).(float64)
	s.score += weight * math.Pow(score, 1.5)
	s.words++
	s.rare = s.rare || rare
}

// bestOf returns the servers that match a text of so many words, best first, by
// the results of its words, rarest first, and those of similar meaning. All is
// the number of servers.
func bestOf(results, similar []meilisearch.SearchResponse, typed, all int) []string {
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
	// What means the same as the text counts as much as all of its words, of
	// which there may be none.
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
		if c.rare || c.words >= words.Least(typed) {
			several = append(several, c)
		}
	}
	if len(several) < words.Enough {
		several = any
	}
	slices.SortFunc(several, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.slug, b.slug))
	})
	var slugs []string
	for _, c := range several[:min(len(several), meiliRanked)] {
		slugs = append(slugs, c.slug)
	}
	return slugs
}

// phrases returns the sequences of words that have synonyms. Meilisearch knows
// the synonyms of a sequence only if its words are searched for together.
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

// ranking asks for the best matches of a text, with their scores.
func (m *Meili) ranking(text string, limit int64) *meilisearch.SearchRequest {
	return &meilisearch.SearchRequest{
		IndexUID: m.uid, Query: text, Limit: limit, MatchingStrategy: meilisearch.Frequency, Filter: isServer,
		AttributesToRetrieve: []string{"id", boostOrder}, ShowRankingScore: true,
	}
}

// lastWord returns what to search for to find a word that may still be being
// typed. Meilisearch finds the words that begin with what ends a query.
func lastWord(text, word string) string {
	if strings.HasSuffix(strings.ToLower(text), word) {
		return word
	}
	return stem(word)
}

// stem returns what to search for to find a word with other endings:
// Meilisearch knows no endings, but finds the words that begin with what ends
// a query. A space behind a word prevents that.
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

func facetAttributes(q *query.Query) (names []string) {
	for _, f := range query.Fields {
		if q.Facets && f.Facet {
			names = append(names, facetPrefix+f.Name)
		}
	}
	return names
}

func facetsOf(q *query.Query, distribution json.RawMessage) (map[string]map[string]int, error) {
	facets := noFacets(q)
	if facets == nil || len(distribution) == 0 {
		return facets, nil
	}
	var got map[string]map[string]int
	if err := json.Unmarshal(distribution, &got); err != nil {
		return nil, wrapMeili(err)
	}
	for name, counts := range got {
		for v, n := range counts {
			facets[strings.TrimPrefix(name, facetPrefix)][fromExact(v)] = n
		}
	}
	return facets, nil
}

func unquote(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}
