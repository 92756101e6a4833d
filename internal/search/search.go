// Package search finds listed servers by words, filters and sorts: in an index
// on disk ([Bleve]), in Meilisearch ([Meili]) or, while neither answers, by
// going through all of them ([Fallback]).
//
// Filters, sorts by a field and facets mean the same everywhere. What a text
// matches and how matches are ranked differs between engines.
//
// The engines are used with these deviations from their own ways. Figures are
// recall@10 over records and over lists, as used and without the deviation,
// unless they name another measure; docs/search.md has all of them, from
// TestRelevance.
//
// Bleve (0.902 and 0.869; without all of these 0.814 and 0.718):
//   - The penalty for long texts is off (BM25_b): else 0.750 and 0.900. It would
//     grow with the index.
//   - Rare words count more ([counter.rarity]): else 0.875 and 0.831.
//   - The scores of three fields that contain each other are added ([withBonus]):
//     else the MRR of records is 0.673 in place of 0.725, that of lists 0.742.
//   - A token filter replaces synonyms ([synonymFilter]): Bleve's synonym sources
//     ignore synonyms of several words. With them, 0.843 of the expected servers
//     of short queries are among the first five, in place of 0.878.
//   - One rare word suffices to match: else 0.902 and 0.713. If few servers have
//     enough words of a text, a second search takes those that have any
//     ([bleveText.enough]): it changes no figure, but gives 35 of 1,244 texts
//     more results.
//   - Similar words are searched for under conditions only ([wordQuery]): else the
//     MRR of records is 0.685 in place of 0.725, that of lists 0.737. Beginnings
//     are for searches while typing.
//   - A sort multiplies the score by quality and popularity ([boostedScore]). It
//     is not measured: the servers of TestRelevance have no scores.
//
// Meilisearch (0.882 and 0.859):
//   - It gets one search for each word, and the results are combined ([Meili.rank]),
//     since it returns no document without the word that its matching strategy
//     keeps to the end: else 0.726 and 0.742. A text takes about ten times as long.
//   - It gets stems as beginnings of words ([stem]), since it has no stemming.
package search

import (
	"context"
	"errors"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// An Index finds servers and remembers how many of the changes it has seen.
// All methods may be called at the same time.
type Index interface {
	// Put adds or replaces servers, removes those with the slugs of removed,
	// and stores seq and the source of at: all or nothing, even if the process
	// is killed. It fails with ErrReplaced if the index was replaced since at
	// was read: the changes since then have to be read again.
	Put(ctx context.Context, servers []registry.Server, removed []string, at Point, seq int64) error
	// At returns what the index has seen.
	At(ctx context.Context) (Point, error)
	// Clear removes all servers. The index counts as never filled.
	Clear(ctx context.Context) error
	// Search returns one page. It fails with registry.ErrUnavailable if the
	// index is unavailable, and with ErrNotBuilt, which is of that kind, if it
	// was never filled by Put or Rebuild, or by another version of Census only.
	Search(ctx context.Context, q query.Query) (query.Results, error)
	// Rebuild reads the whole feed into a new index, which then replaces the
	// old one. The old one answers in the meantime.
	Rebuild(ctx context.Context, feed Feed) error
	// Stats returns the size of the index.
	Stats(ctx context.Context) (Stats, error)
	Close() error
}

// A Point is how far an index has come.
type Point struct {
	Seq    int64  // number of the last change seen, 0 for none
	Source string // Identity of the feed that it came from, "" if it was never filled
	Build  string // differs for each index that replaces another
}

// A Feed is a source of changes to servers.
type Feed interface {
	// Identity returns a name that is unique to the feed's numbering.
	Identity(ctx context.Context) (string, error)
	// ServersAfter returns listed servers and removals with numbers above seq,
	// in the order of their numbers, at most limit together, and the highest
	// number read, which is seq if there is nothing new.
	ServersAfter(ctx context.Context, seq int64, limit int) (servers []registry.Server, removed []registry.Change, last int64, err error)
}

// Stats describe an index.
type Stats struct {
	Engine  string // "bleve" or "meilisearch"
	Servers int
	Seq     int64
	Bytes   int64 // on disk, 0 if not known
	Built   bool  // it was filled: searches do not fail with ErrNotBuilt
}

// ErrReplaced is the error of Put if the changes were read for another index.
var ErrReplaced = errors.New("search: the index was replaced")

// ErrNotBuilt is the error of Search if the index was never filled.
var ErrNotBuilt error = registry.Wrap(registry.ErrUnavailable, errors.New("never filled"), "the search index is not built yet")

// MaxResults is how many matches of a text can be listed.
const MaxResults = 10_000

// check refuses queries that no engine answers, and cuts a page short that
// reaches beyond MaxResults.
func check(q *query.Query) error {
	switch {
	case q.Limit < 1 || q.Limit > 100:
		return registry.Invalid("limit", "must be between 1 and 100")
	case q.Offset < 0:
		return registry.Invalid("offset", "must not be negative")
	case q.Text != "" && q.After == nil && q.Offset+q.Limit > MaxResults:
		return registry.Invalid("offset", "reaches beyond result %d of a search; narrow it with filters or more words", MaxResults)
	case q.After != nil && !q.After.Fits(q.Orders()):
		return registry.Invalid("cursor", "was made for another sort; start again without it")
	case q.After != nil && byRelevance(q.Orders()):
		n, _ := q.After.Keys[0].(float64)
		if n >= MaxResults {
			return registry.Invalid("cursor", "reaches beyond result %d of a search; narrow it with filters or more words", MaxResults)
		}
		q.Limit = min(q.Limit, MaxResults-max(0, int(n)))
	}
	return nil
}

// place returns the number of servers before the page of q. Behind a position
// by relevance it is the rank of the server there, counted from 1; by another
// order it is not known and 0.
func place(q *query.Query) int {
	if q.After == nil {
		return q.Offset
	}
	if n, ok := q.After.Keys[0].(float64); ok && n >= 1 && n < MaxResults {
		return int(n)
	}
	return 0
}

// byRelevance reports whether the orders begin with relevance.
func byRelevance(orders []query.Order) bool { return orders[0].Field == query.Relevance }

// around is how far from its former rank the server of a cursor by relevance
// is looked for: changes may have moved it.
const around = 50

// window returns which ranks to read to find the server of a cursor and the
// page behind it.
func window(place, limit int) (from, size, at int) {
	from = max(0, place-around)
	return from, place - from + limit + around, place
}

// pageOf returns the page of q of all hits in their order, and the number of
// hits before it.
func pageOf[T any](hits []T, q *query.Query, slug func(T) string) ([]T, int) {
	if q.After != nil {
		return behind(hits, 0, place(q), q, slug)
	}
	from := min(len(hits), q.Offset)
	return hits[from:min(len(hits), from+q.Limit)], from
}

// behind returns the hits that follow the server of q.After, whose rank was
// place, and the number of hits before them. The first of hits has the rank
// from. If the server is not among them, its former rank counts.
func behind[T any](hits []T, from, place int, q *query.Query, slug func(T) string) ([]T, int) {
	start := min(len(hits), max(0, place-from))
	for i, h := range hits {
		if slug(h) == q.After.Slug {
			start = i + 1
			break
		}
	}
	hits = hits[start:]
	return hits[:min(len(hits), q.Limit)], from + start
}

// noFacets returns the facets of a query that nothing matches.
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
