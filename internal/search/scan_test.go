package search

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// Scan is the meaning of a query, written down as plainly as can be: every
// server is looked at, one after the other, by [registry.Query.Match] and by
// its words. The engines are held to it.
func Scan(ctx context.Context, servers iter.Seq[*registry.Server], q query.Query) (query.Results, error) {
	if err := check(&q); err != nil {
		return query.Results{}, err
	}
	s := &scan{servers: servers, match: query.Matcher(q.Filters)}
	return search(ctx, &q, s, func(r reading) (query.Results, error) { return s.find(ctx, &q, r) })
}

type scan struct {
	servers iter.Seq[*registry.Server]
	match   func(*registry.Server) bool
}

// A mask has a bit for each term that a server satisfies.
type mask struct{ all, short uint64 }

// look returns which of the terms a server has, and the rank that they give:
// the sum, over the terms, of the weight of the best field that has it, half
// of that for a beginning only.
func look(s *registry.Server, terms []term) (m mask, rank float64) {
	var best [64]float64
	for _, f := range textFields {
		f.words(s, func(w string) {
			for i, t := range terms {
				if !t.matches(w) {
					continue
				}
				m.all |= 1 << i
				if f.short {
					m.short |= 1 << i
				}
				weight := f.weight
				if w != t.word {
					weight /= 2
				}
				best[i] = max(best[i], weight)
			}
		})
	}
	for _, b := range best[:len(terms)] {
		rank += b
	}
	return m, rank
}

func (s *scan) find(ctx context.Context, q *query.Query, r reading) (query.Results, error) {
	type hit struct {
		server *registry.Server
		rank   float64
	}
	var hits []hit
	terms := slices.Concat(r.must, r.should)
	want := uint64(1)<<len(r.must) - 1
	res := query.Results{Facets: noFacets(q)}
	n := 0
	for server := range s.servers {
		if n++; n%1000 == 0 && ctx.Err() != nil {
			return res, ctx.Err()
		}
		if !s.match(server) {
			continue
		}
		h := hit{server: server}
		if len(terms) > 0 {
			var m mask
			if m, h.rank = look(server, terms); m.all&want != want {
				continue
			}
		}
		hits = append(hits, h)
		if q.Facets {
			countFacets(res.Facets, server)
		}
	}
	res.Total = len(hits)
	orders := q.Orders()
	slices.SortFunc(hits, func(a, b hit) int {
		if byRelevance(orders) && a.rank != b.rank {
			return cmp.Compare(b.rank, a.rank)
		}
		return query.Compare(a.server, b.server, orders)
	})
	from := min(len(hits), q.Offset)
	if q.After != nil {
		from = 0
		if byRelevance(orders) {
			from = min(len(hits), place(q))
			for i, h := range hits {
				if h.server.Slug == q.After.Slug {
					from = i + 1
				}
			}
		} else {
			for from < len(hits) && query.ComparePositions(query.PositionOf(hits[from].server, orders), *q.After, orders) <= 0 {
				from++
			}
		}
	}
	for i := from; i < min(len(hits), from+q.Limit); i++ {
		p := query.PositionOf(hits[i].server, orders)
		if byRelevance(orders) {
			p.Keys[0] = float64(i + 1)
		}
		res.Slugs = append(res.Slugs, p.Slug)
		res.Positions = append(res.Positions, p)
	}
	return res, nil
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

func (s *scan) counts(ctx context.Context, of []conjunction) ([]int, error) {
	var all []term
	bits := make([]uint64, len(of))
	for i, c := range of {
		for _, t := range c.terms {
			at := slices.Index(all, t)
			if at < 0 {
				at, all = len(all), append(all, t)
			}
			bits[i] |= 1 << at
		}
	}
	out := make([]int, len(of))
	if len(all) > 64 {
		// Only a correction asks about so many words, each alone.
		half := len(of) / 2
		a, err := s.counts(ctx, of[:half])
		if err != nil {
			return nil, err
		}
		b, err := s.counts(ctx, of[half:])
		return append(a, b...), err
	}
	for server := range s.servers {
		m, _ := look(server, all)
		for i, c := range of {
			has := m.all
			if c.short {
				has = m.short
			}
			if has&bits[i] == bits[i] {
				out[i]++
			}
		}
	}
	return out, nil
}

func (s *scan) similar(ctx context.Context, typed string) ([]string, error) {
	seen := map[string]bool{}
	for server := range s.servers {
		for _, f := range textFields {
			if f.short {
				f.words(server, func(w string) {
					if w[0] == typed[0] && !seen[w] {
						if _, ok := near(typed, w); ok {
							seen[w] = true
						}
					}
				})
			}
		}
	}
	out := make([]string, 0, len(seen))
	for w := range seen {
		out = append(out, w)
	}
	return out, nil
}
