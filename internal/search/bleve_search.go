package search

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"strconv"

	"github.com/blevesearch/bleve/v2"
	bsearch "github.com/blevesearch/bleve/v2/search"
	bquery "github.com/blevesearch/bleve/v2/search/query"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/words"
)

// Match implements [Index].
func (b *Bleve) Match(ctx context.Context, text string) (m query.Matches, err error) {
	err = b.use(func(idx bleve.Index) error {
		if ok, err := built(idx); err != nil {
			return wrapBleve(err)
		} else if !ok {
			return ErrNotBuilt
		}
		m, err = searchBleve(ctx, idx, text, b.most)
		return wrapBleve(err)
	})
	return m, err
}

func searchBleve(
	ctx context.Context, idx bleve.Index, typed string, most int,
) (m query.Matches, err error) {
	text, err := readText(ctx, idx, typed)
	if err != nil || len(text.words) == 0 {
		return m, err
	}
	m.Corrected = text.corrected
	m.Slugs, err = best(ctx, idx, text.enough(), most)
	if err == nil && len(m.Slugs) < words.Enough && len(text.words) > 1 {
		m.Slugs, err = best(ctx, idx, text.any(), most)
	}
	if err != nil {
		return m, err
	}
	if len(text.words) > maxTyped { // a description, of which no word is necessary
		m.All = len(m.Slugs)
		return m, nil
	}
	// The words of a README are about many subjects, so only a single one counts, and if no short
	// text has it.
	queries := []bquery.Query{text.about()}
	if len(text.telling) == 1 {
		queries = append(queries, text.all())
	}
	for _, q := range queries {
		all, err := best(ctx, idx, q, most)
		if m = m.First(all); err != nil || m.All > 0 && !text.lacking {
			return m, err
		}
	}
	// Otherwise only those that have one of the meaningful words.
	words := text.telling
	if text.lacking {
		words = text.inAbout
	}
	some, err := best(ctx, idx, bquery.NewDisjunctionQuery(words), most)
	if m = m.First(some); m.All > 0 {
		m.Slugs, m.All = m.Slugs[:m.All], 0
	}
	return m, err
}

// best returns the best matches of q.
func best(ctx context.Context, idx bleve.Index, q bquery.Query, most int) ([]string, error) {
	req := bleve.NewSearchRequestOptions(q, most, 0, false)
	req.Sort = bsearch.SortOrder{
		&boostedScore{}, &bsearch.SortField{Field: slugField, Type: bsearch.SortFieldAsString},
	}
	found, err := idx.SearchInContext(ctx, req)
	if err != nil {
		return nil, err
	}
	slugs := make([]string, len(found.Hits))
	for i, h := range found.Hits {
		slugs[i] = h.ID
	}
	return slugs, nil
}

// boostedScore sorts by the score times the boost of the server, descending.
type boostedScore struct{ boost float64 }

func (*boostedScore) DecodeValue(value string) string { return value }
func (*boostedScore) Descending() bool                { return true }
func (*boostedScore) RequiresDocID() bool             { return false }
func (*boostedScore) RequiresScoring() bool           { return false } // would sort by the score alone
func (*boostedScore) RequiresFields() []string        { return []string{boostField} }
func (*boostedScore) Reverse()                        {}
func (*boostedScore) Copy() bsearch.SearchSort        { return &boostedScore{} }

func (s *boostedScore) UpdateVisitor(field string, term []byte) {
	if field == boostField {
		s.boost, _ = strconv.ParseFloat(string(term), 64)
	}
}

// Value returns text that sorts as the boosted score does, which is positive.
func (s *boostedScore) Value(d *bsearch.DocumentMatch) string {
	return string(binary.BigEndian.AppendUint64(nil, math.Float64bits(d.Score*s.boost)))
}

func wrapBleve(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return registry.Wrap(registry.ErrUnavailable, err, "the search index is unavailable")
}
