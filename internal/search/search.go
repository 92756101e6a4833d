// Package search finds listed servers by words: in an index on disk ([Bleve]), in Meilisearch
// ([Meili]) or, while these are unavailable, by scanning all of them ([Fallback]).
//
// Matching and ranking are up to the engine. The read model evaluates filters, sorts by a
// field and facets, see [mcpcensus/internal/catalog.View.Search].
//
// The engines are used with these deviations. Figures are recall@10 over records and over
// lists, unless they name another measure, with the deviation and without it; docs/search.md
// has all of them, from TestRelevance.
//
// Bleve (0.902 and 0.869; without all of these 0.814 and 0.718):
//   - The penalty for long texts is off (BM25_b); with it, 0.750 and 0.900. It would
//     grow with the index.
//   - Rare words count more ([counter.rarity]); otherwise 0.875 and 0.831.
//   - The scores of three fields that contain each other are added ([withBonus]);
//     otherwise the MRR of records is 0.673 instead of 0.725, of lists 0.742.
//   - A token filter replaces synonyms ([synonymFilter]): Bleve's synonym sources
//     ignore synonyms of several words. With them, 0.843 of the expected servers
//     of short queries are among the first five, instead of 0.878.
//   - One rare word suffices to match; otherwise 0.902 and 0.713. If few servers have
//     enough words of a text, a second search matches any of them
//     ([bleveText.enough]): it changes no figure, but 35 of 1,244 texts have
//     more results. Without it, 14 of 276 pairs of frequent words find nothing.
//   - Similar words are searched for conditionally ([wordQuery]); otherwise the
//     MRR of records is 0.685 instead of 0.725, of lists 0.737. Beginnings
//     are for searches while typing.
//   - A sort multiplies the score by quality and popularity ([boostedScore]). It
//     is not measured: the servers of TestRelevance have no scores.
//
// Meilisearch (0.882 and 0.859):
//   - It gets one search for each word, and the results are combined ([Meili.rank]),
//     because it returns no document without the word that its matching strategy
//     keeps to the end; otherwise 0.726 and 0.742. A text takes about ten times as long.
//     That is why rare words count more here too, quality and popularity multiply
//     the score, synonyms of several words get a separate search ([phrases]), and
//     a text matches at most 1,000 servers, the best 300 of each word.
//   - It gets stems as beginnings of words ([stem]), because it has no stemming.
package search

import (
	"context"
	"errors"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// An Index finds servers and stores the position of the changes that it has applied. All
// methods are safe for concurrent use.
type Index interface {
	// Put adds or replaces servers, removes the servers with the slugs in removed, and stores
	// seq and the source of at: all or nothing, even if the process is killed. It fails with
	// ErrReplaced if the index was replaced since at was read: the changes since then must be
	// re-read.
	Put(ctx context.Context, servers []registry.Server, removed []string, at Point, seq int64) error
	// At returns the position of the index.
	At(ctx context.Context) (Point, error)
	// Clear removes all servers. The index counts as never filled.
	Clear(ctx context.Context) error
	// Match returns the servers that a text matches, query.MaxMatches at most. It fails with registry.ErrUnavailable if the
	// index is unavailable, and with ErrNotBuilt, which is of that kind, if it
	// was never filled by Put or Rebuild, or by another version of Census only.
	Match(ctx context.Context, text string) (query.Matches, error)
	// Rebuild reads the whole feed into a new index, which then replaces the old one. The old
	// one serves searches in the meantime.
	Rebuild(ctx context.Context, feed Feed) error
	// Stats returns the size of the index.
	Stats(ctx context.Context) (Stats, error)
	Close() error
}

// A Point is the position of an index in a feed.
type Point struct {
	Seq    int64  // number of the last applied change, 0 for none
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

// ErrNotBuilt is the error of Match if the index was never filled.
var ErrNotBuilt error = registry.Wrap(registry.ErrUnavailable, errors.New("never filled"), "the search index is not built yet")
