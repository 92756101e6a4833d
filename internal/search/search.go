// Package search finds listed servers by words, filters and sorts, in an
// index on disk ([Bleve]), in Meilisearch ([Meili]) or, while neither answers,
// by going through all of them ([Fallback]). A query means the same to each of them: which servers
// match, how many, and in which order, ranking by relevance apart. The
// meaning is described in docs/search.md and written down in words.go and
// reading.go.
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
	// Put adds or replaces servers, takes out those with the slugs of removed,
	// and remembers seq and the source of at: all of it or nothing, however the
	// process ends. It fails with ErrReplaced if another index has taken the
	// place of the one that at was read from: what lies between has to be read
	// again.
	Put(ctx context.Context, servers []registry.Server, removed []string, at Point, seq int64) error
	// At returns what the index has seen.
	At(ctx context.Context) (Point, error)
	// Clear takes everything out: the index counts as never filled.
	Clear(ctx context.Context) error
	// Search returns one page. It fails with registry.ErrUnavailable if the
	// index does not answer, and with ErrNotBuilt, which is of that kind, if it
	// was never filled by Put or Rebuild, or was filled by another version of
	// Census.
	Search(ctx context.Context, q query.Query) (query.Results, error)
	// Rebuild reads the whole feed into a new index and puts it in the place
	// of the old one, which answers meanwhile.
	Rebuild(ctx context.Context, feed Feed) error
	// Stats returns the size of the index.
	Stats(ctx context.Context) (Stats, error)
	Close() error
}

// A Point is how far an index has come.
type Point struct {
	Seq    int64  // number of the last change seen, 0 for none
	Source string // Identity of the feed that it came from, "" if it was never filled
	Build  string // another one for each index that takes the place of one before
}

// A Feed is where an index reads changes from.
type Feed interface {
	// Identity returns a name that no other feed's changes are numbered by.
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

// ErrReplaced is what Put says to changes that were read for another index.
var ErrReplaced = errors.New("search: the index was replaced")

// ErrNotBuilt is what an index says to searches that was never filled.
var ErrNotBuilt error = registry.Wrap(registry.ErrUnavailable, errors.New("never filled"), "the search index is not built yet")

// MaxResults is how far a listing of matches of a text can be paged.
const MaxResults = 10_000

// check refuses what no engine answers. The page that reaches the last place
// there is ends with it.
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

// place is the number of servers before the one that q continues behind, as
// far as the position knows: the key of relevance is the place of the server
// in the ranking, counted from 1, and only where relevance comes first.
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

// window is how far around the place of a cursor by relevance its server is
// looked for: what was written since may have moved it.
const around = 50

func window(place, limit int) (from, size, at int) {
	from = max(0, place-around)
	return from, place - from + limit + around, place
}

// behind returns the hits that follow the server of q.After, which was found
// at the given place, and the number of hits before them. Of a server that is
// gone, the place counts.
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
