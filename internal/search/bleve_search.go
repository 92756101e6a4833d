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

// Search implements [Index].
func (b *Bleve) Search(ctx context.Context, q query.Query) (res query.Results, err error) {
	if err := check(&q); err != nil {
		return res, err
	}
	err = b.use(func(idx bleve.Index) error {
		if ok, err := built(idx); err != nil {
			return wrapBleve(err)
		} else if !ok {
			return ErrNotBuilt
		}
		res, err = searchBleve(ctx, idx, &q)
		return err
	})
	return res, err
}

func searchBleve(ctx context.Context, idx bleve.Index, q *query.Query) (res query.Results, err error) {
	filters := filterQueries(q.Filters)
	if q.Text == "" {
		return findBleve(ctx, idx, q, bquery.NewMatchAllQuery(), filters)
	}
	text, err := readText(ctx, idx, q.Text)
	if err != nil {
		return res, wrapBleve(err)
	}
	if len(text.words) == 0 {
		return query.Results{Facets: noFacets(q)}, nil
	}
	res, err = findBleve(ctx, idx, q, text.enough(), filters)
	if err != nil || res.Total >= words.Enough || len(text.words) == 1 {
		return res, err
	}
	if len(filters) > 0 {
		// What a text matches does not depend on the filters.
		req := bleve.NewSearchRequestOptions(text.enough(), 0, 0, false)
		req.Score = "none"
		found, err := idx.SearchInContext(ctx, req)
		if err != nil || found.Total >= words.Enough {
			return res, wrapBleve(err)
		}
	}
	return findBleve(ctx, idx, q, text.any(), filters)
}

// findBleve returns the page of a query among the matches of a text.
func findBleve(
	ctx context.Context, idx bleve.Index, q *query.Query, text bquery.Query, filters []bquery.Query,
) (res query.Results, err error) {
	if len(filters) > 0 {
		filtered := bquery.NewBooleanQuery([]bquery.Query{text}, nil, nil)
		filtered.AddFilter(bquery.NewConjunctionQuery(filters))
		text = filtered
	}
	orders := q.Orders()
	ranked := byRelevance(orders)
	from, size, at := q.Offset, q.Limit, place(q)
	if ranked && q.After != nil {
		from, size, at = window(at, q.Limit)
	}
	req := bleve.NewSearchRequestOptions(text, size, from, false)
	if req.Sort = sortOrder(orders); !ranked {
		req.Score = "none"
		if q.After != nil {
			req.From, req.SearchAfter = 0, sortValues(q.After, orders)
		}
	}
	res.Facets = noFacets(q)
	for name := range res.Facets {
		req.AddFacet(name, bleve.NewFacetRequest(facetField+name, maxFacets))
	}
	found, err := idx.SearchInContext(ctx, req)
	if err != nil {
		return query.Results{}, wrapBleve(err)
	}
	res.Total = int(found.Total)
	hits := found.Hits
	if ranked && q.After != nil {
		hits, from = behind(hits, from, at, q, func(h *bsearch.DocumentMatch) string { return h.ID })
	}
	for i, h := range hits {
		res.Slugs = append(res.Slugs, h.ID)
		res.Positions = append(res.Positions, position(h, orders, from+i+1))
	}
	for name, f := range found.Facets {
		if f.Terms != nil {
			for _, t := range f.Terms.Terms() {
				res.Facets[name][t.Term] = t.Count
			}
		}
	}
	return res, nil
}

// maxFacets is how many values of a facet are counted.
const maxFacets = 10_000

// position returns the position of a hit. Its rank is counted from 1.
func position(h *bsearch.DocumentMatch, orders []query.Order, rank int) query.Position {
	p := query.Position{Keys: make([]any, len(orders)), Slug: h.ID}
	if byRelevance(orders) {
		p.Keys[0] = float64(rank)
		return p
	}
	for i, o := range orders {
		p.Keys[i] = fromOrderKey(h.Sort[i], query.SortNamed(o.Field).Kind)
	}
	return p
}

func sortOrder(orders []query.Order) bsearch.SortOrder {
	var out bsearch.SortOrder
	if byRelevance(orders) {
		out, orders = append(out, &boostedScore{}), []query.Order{{Field: query.Recommended, Desc: true}}
	}
	for _, o := range orders {
		out = append(out, &bsearch.SortField{
			Field: sortField + o.Field, Desc: o.Desc, Type: bsearch.SortFieldAsString, Missing: bsearch.SortFieldMissingLast,
		})
	}
	return append(out, &bsearch.SortField{Field: slugField, Type: bsearch.SortFieldAsString})
}

// sortValues returns the sort values of a position, as the index has them.
func sortValues(p *query.Position, orders []query.Order) []string {
	var out []string
	for i, o := range orders {
		switch k := p.Keys[i]; {
		case k != nil:
			out = append(out, orderKey(k))
		case o.Desc:
			out = append(out, bsearch.LowTerm)
		default:
			out = append(out, bsearch.HighTerm)
		}
	}
	return append(out, p.Slug)
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
