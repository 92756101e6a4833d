package search

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	bsearch "github.com/blevesearch/bleve/v2/search"
	bquery "github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"

	"mcpcensus/internal/query"
)

type engine = bleve.Index

// stored is an open index with what is kept of it in memory: a few numbers of
// each server, in the order in which its segments hold them. Segments never
// change, so that only those that are new are read.
type stored struct {
	engine
	mu      sync.Mutex
	columns map[uint64]*columns // by the segment's number
}

// columns are what ranking needs of each server of a segment.
type columns struct {
	tie     []string // see tie
	quality []int16  // -1 if unknown
	words   [len(textFields)]int
}

// A view is one state of an index. Text is matched and ranked on the posting
// lists of its segments: whoever asks Bleve for the best of a text makes it
// go through every match one by one, 150 ms for a word that all have, and ask
// again for the total and the order of ties.
type view struct {
	snapshot *scorch.IndexSnapshot
	segments []piece
	docs     int
	average  [len(textFields)]float64 // words of a field
}

type piece struct {
	segment segment.Segment
	deleted *roaring.Bitmap
	first   uint64 // number of its first document among all
	*columns
}

// open returns the present state of the index. It must be closed.
func (s *stored) open() (*view, error) {
	advanced, err := s.Advanced()
	if err != nil {
		return nil, err
	}
	reader, err := advanced.Reader()
	if err != nil {
		return nil, err
	}
	snapshot, ok := reader.(*scorch.IndexSnapshot)
	if !ok {
		reader.Close()
		return nil, fmt.Errorf("bleve: %T is no index of segments", reader)
	}
	v := &view{snapshot: snapshot}
	var words [len(textFields)]int
	all := uint64(0)
	for _, seg := range snapshot.Segments() {
		p := piece{segment: seg.Segment(), deleted: seg.Deleted(), first: all}
		if p.columns, err = s.read(seg.Id(), p.segment); err != nil {
			v.close()
			return nil, err
		}
		for i, n := range p.words {
			words[i] += n
		}
		all += p.segment.Count()
		v.docs += int(seg.Count())
		v.segments = append(v.segments, p)
	}
	for i := range words {
		v.average[i] = max(1, float64(words[i])/float64(max(1, all)))
	}
	s.forget(v, snapshot)
	return v, nil
}

func (v *view) close() { v.snapshot.Close() }

// forget drops the columns of segments that were merged into others.
func (s *stored) forget(v *view, snapshot *scorch.IndexSnapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.columns) <= 2*len(v.segments)+8 {
		return
	}
	used := map[uint64]bool{}
	for _, seg := range snapshot.Segments() {
		used[seg.Id()] = true
	}
	maps.DeleteFunc(s.columns, func(id uint64, _ *columns) bool { return !used[id] })
}

func (s *stored) read(id uint64, seg segment.Segment) (*columns, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.columns[id]; c != nil {
		return c, nil
	}
	values, ok := seg.(segment.DocValueVisitable)
	if !ok {
		return nil, fmt.Errorf("bleve: segments of type %T hold no values", seg)
	}
	n := seg.Count()
	c := &columns{tie: make([]string, n), quality: make([]int16, n)}
	var state segment.DocVisitState
	var err error
	fields := []string{tieField, sizeField}
	for i := range n {
		c.quality[i] = -1
		state, err = values.VisitDocValues(i, fields, func(field string, value []byte) {
			if field == sizeField {
				for j, part := range strings.SplitN(string(value), " ", len(textFields)) {
					size, _ := strconv.Atoi(part)
					c.words[j] += size
				}
				return
			}
			c.tie[i] = string(value)
			if q, ok := qualityOf(c.tie[i]).(float64); ok {
				c.quality[i] = int16(min(q, 100))
			}
		}, state)
		if err != nil {
			return nil, err
		}
	}
	if s.columns == nil {
		s.columns = map[uint64]*columns{}
	}
	s.columns[id] = c
	return c, nil
}

// postings are the servers of one segment that have a word in a field, or,
// without a list, a word that begins with it.
type postings struct {
	field, piece int
	list         segment.PostingsList
	docs         *roaring.Bitmap // of a beginning
}

// bitmap returns the servers of a list. It must not be changed.
func bitmap(list segment.PostingsList) *roaring.Bitmap {
	it, ok := list.Iterator(false, false, false, nil).(segment.OptimizablePostingsIterator)
	if !ok {
		return nil
	}
	if doc, ok := it.DocNum1Hit(); ok {
		if doc > math.MaxUint32 {
			return nil // it was deleted
		}
		return roaring.BitmapOf(uint32(doc))
	}
	return it.ActualBitmap()
}

// lookup returns where a term stands in the given fields (indexes of
// textFields), word by word and segment by segment.
func (v *view) lookup(t term, in []int) ([]postings, error) {
	var out []postings
	for n := range v.segments {
		p := &v.segments[n]
		for _, f := range in {
			dict, err := p.segment.Dictionary(textFields[f].name)
			if err != nil {
				return nil, err
			}
			list, err := dict.PostingsList([]byte(t.word), p.deleted, nil)
			if err != nil {
				return nil, err
			}
			if list.Count() > 0 {
				out = append(out, postings{field: f, piece: n, list: list})
			}
			if !t.prefix {
				continue
			}
			// Exactly this word stands first among those that begin with it.
			words := dict.AutomatonIterator(nil, []byte(t.word), append([]byte(t.word), 0xff))
			var docs *roaring.Bitmap
			for {
				e, err := words.Next()
				if err != nil {
					return nil, err
				}
				if e == nil {
					break
				}
				if e.Term == t.word {
					continue
				}
				if list, err = dict.PostingsList([]byte(e.Term), p.deleted, nil); err != nil {
					return nil, err
				}
				if b := bitmap(list); b != nil {
					if docs == nil {
						docs = roaring.New()
					}
					docs.Or(b)
				}
			}
			if docs != nil && !docs.IsEmpty() {
				out = append(out, postings{field: f, piece: n, docs: docs})
			}
		}
	}
	return out, nil
}

var (
	allFields   = []int{0, 1, 2, 3, 4}
	shortFields = []int{0, 1, 2, 3}
)

// union returns, for each segment, the servers of any of the postings.
func (v *view) union(of []postings) []*roaring.Bitmap {
	out := make([]*roaring.Bitmap, len(v.segments))
	owned := make([]bool, len(v.segments))
	for _, p := range of {
		b := p.docs
		if b == nil {
			b = bitmap(p.list)
		}
		switch {
		case b == nil:
		case out[p.piece] == nil:
			out[p.piece] = b
		case !owned[p.piece]:
			out[p.piece], owned[p.piece] = roaring.Or(out[p.piece], b), true
		default:
			out[p.piece].Or(b)
		}
	}
	return out
}

// intersect returns the servers that are in both.
func intersect(a, b []*roaring.Bitmap) []*roaring.Bitmap {
	out := make([]*roaring.Bitmap, len(a))
	for i := range a {
		if a[i] != nil && b[i] != nil {
			out[i] = roaring.And(a[i], b[i])
		}
	}
	return out
}

func size(docs []*roaring.Bitmap) (n int) {
	for _, b := range docs {
		if b != nil {
			n += int(b.GetCardinality())
		}
	}
	return n
}

// satisfying returns the servers that have all terms, and where those stand.
func (v *view) satisfying(terms []term, in []int) (docs []*roaring.Bitmap, where [][]postings, err error) {
	for i, t := range terms {
		found, err := v.lookup(t, in)
		if err != nil {
			return nil, nil, err
		}
		where = append(where, found)
		if i == 0 {
			docs = v.union(found)
		} else {
			docs = intersect(docs, v.union(found))
		}
	}
	return docs, where, nil
}

// filter keeps the servers that satisfy the query.
func (v *view) filter(ctx context.Context, idx bleve.Index, docs []*roaring.Bitmap, q bquery.Query) ([]*roaring.Bitmap, error) {
	s, err := q.Searcher(ctx, v.snapshot, idx.Mapping(), bsearch.SearcherOptions{Score: "none"})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	state := &bsearch.SearchContext{DocumentMatchPool: bsearch.NewDocumentMatchPool(s.DocumentMatchPoolSize()+1, 0), IndexReader: v.snapshot}
	out := make([]*roaring.Bitmap, len(docs))
	at, id := int64(-1), make(index.IndexInternalID, 8)
	for n, b := range docs {
		if b == nil {
			continue
		}
		out[n] = roaring.New()
		for it := b.Iterator(); it.HasNext(); {
			doc := it.Next()
			global := int64(v.segments[n].first + uint64(doc))
			if at < global {
				binary.BigEndian.PutUint64(id, uint64(global))
				m, err := s.Advance(state, id)
				if err != nil {
					return nil, err
				}
				if m == nil {
					return out, nil
				}
				at = int64(binary.BigEndian.Uint64(m.IndexInternalID))
				state.DocumentMatchPool.Put(m)
			}
			if at == global {
				out[n].Add(doc)
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return out, nil
}

// rankedMost is how many servers are ranked by a text that more have. They
// are those of the best quality: what so many have says little about any.
// Pages end at [MaxResults], so all of them see the same ones.
const rankedMost = MaxResults + 200

// best keeps the servers of the best quality, at least most of them.
func (v *view) best(docs []*roaring.Bitmap, most int) []*roaring.Bitmap {
	if size(docs) <= most {
		return docs
	}
	var having [102]int
	each := func(f func(n int, doc uint32, quality int16)) {
		for n, b := range docs {
			if b == nil {
				continue
			}
			quality := v.segments[n].quality
			var buf [512]uint32
			for it := b.ManyIterator(); ; {
				k := it.NextMany(buf[:])
				if k == 0 {
					break
				}
				for _, doc := range buf[:k] {
					f(n, doc, quality[doc])
				}
			}
		}
	}
	each(func(_ int, _ uint32, quality int16) { having[quality+1]++ })
	least, n := int16(100), 0
	for ; least > -1; least-- {
		if n += having[least+1]; n >= most {
			break
		}
	}
	picked := make([][]uint32, len(docs))
	each(func(n int, doc uint32, quality int16) {
		if quality >= least {
			picked[n] = append(picked[n], doc)
		}
	})
	out := make([]*roaring.Bitmap, len(docs))
	for i := range picked {
		out[i] = roaring.BitmapOf(picked[i]...)
	}
	return out
}

// The constants of BM25 and of what is built upon it, as measured by
// TestRelevance.
const (
	bm25K = 1.2
	bm25B = 0.4
	// begun is what a word counts for of which only the beginning was typed.
	begun = 0.1
	// qualityShare is by how much quality 100 raises a rank above quality 0;
	// unknown quality counts as 50.
	qualityShare = 0.5
)

// A ranked server is one of a listing by relevance.
type ranked struct {
	score float64
	tie   string
}

func byRank(a, b ranked) int {
	return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.tie, b.tie))
}

// rank returns the first n of the servers, best first. The score of a server
// is the sum, over the terms and the fields, of BM25 times the field's boost,
// and quality raises it.
func (v *view) rank(docs []*roaring.Bitmap, where [][]postings, n int) ([]ranked, error) {
	numbers := make([][]uint32, len(docs))
	scores := make([][]float64, len(docs))
	for i, b := range docs {
		if b != nil {
			numbers[i] = b.ToArray()
			scores[i] = make([]float64, len(numbers[i]))
		}
	}
	for _, found := range where {
		// One rarity for all fields: that few have a word in their description
		// which many have in their name makes it no rarer.
		var whole, begins []postings
		for _, p := range found {
			if p.docs != nil {
				begins = append(begins, p)
			} else {
				whole = append(whole, p)
			}
		}
		rare, rareBegun := v.rarity(size(v.union(whole))), 0.0
		if len(begins) > 0 {
			rareBegun = v.rarity(size(v.union(begins)))
		}
		for _, p := range found {
			if len(numbers[p.piece]) == 0 {
				continue
			}
			boost := boosts[textFields[p.field].name]
			if p.docs != nil {
				v.addBeginnings(docs[p.piece], p.docs, numbers[p.piece], scores[p.piece], boost*begun*rareBegun)
			} else if err := v.add(docs[p.piece], p, numbers[p.piece], scores[p.piece], boost*rare); err != nil {
				return nil, err
			}
		}
	}
	var top []ranked
	least := -1.0
	for i := range numbers {
		c := v.segments[i].columns
		for j, doc := range numbers[i] {
			quality := 0.5
			if q := c.quality[doc]; q >= 0 {
				quality = float64(q) / 100
			}
			score := scores[i][j] * (1 + qualityShare*quality)
			if score < least {
				continue
			}
			top = append(top, ranked{score, c.tie[doc]})
			if len(top) >= 2*n+100 {
				slices.SortFunc(top, byRank)
				top = top[:n]
				least = top[n-1].score
			}
		}
	}
	slices.SortFunc(top, byRank)
	return top[:min(n, len(top))], nil
}

// rarity is the inverse document frequency.
func (v *view) rarity(having int) float64 {
	return math.Log(1 + (float64(v.docs-having)+0.5)/(float64(having)+0.5))
}

func (v *view) addBeginnings(among, docs *roaring.Bitmap, numbers []uint32, scores []float64, weight float64) {
	at := 0
	for it := roaring.And(among, docs).Iterator(); it.HasNext(); {
		doc := it.Next()
		for numbers[at] < doc {
			at++
		}
		scores[at] += weight
	}
}

func (v *view) add(among *roaring.Bitmap, p postings, numbers []uint32, scores []float64, weight float64) error {
	it := p.list.Iterator(true, true, false, nil)
	if o, ok := it.(segment.OptimizablePostingsIterator); ok {
		if doc, single := o.DocNum1Hit(); single {
			if doc > math.MaxUint32 || !among.Contains(uint32(doc)) {
				return nil
			}
		} else if all := o.ActualBitmap(); all != nil && all.GetCardinality() > among.GetCardinality() {
			o.ReplaceActual(roaring.And(among, all))
		}
	}
	average := v.average[p.field]
	at := 0
	for {
		one, err := it.Next()
		if err != nil {
			return err
		}
		if one == nil {
			return nil
		}
		doc := uint32(one.Number())
		for at < len(numbers) && numbers[at] < doc {
			at++
		}
		if at == len(numbers) {
			return nil
		}
		if numbers[at] != doc {
			continue
		}
		norm := one.Norm()
		length := 1 / (norm * norm)
		// A text shorter than usual gains nothing by it: most of those are
		// unfinished.
		times := float64(one.Frequency())
		scores[at] += weight * times * (bm25K + 1) / (times + bm25K*(1-bm25B+bm25B*max(1, length/average)))
	}
}

// facets counts the values of the servers.
func (v *view) facets(docs []*roaring.Bitmap, out map[string]map[string]int) error {
	for name := range out {
		for n, b := range docs {
			if b == nil || b.IsEmpty() {
				continue
			}
			p := &v.segments[n]
			dict, err := p.segment.Dictionary(facetField + name)
			if err != nil {
				return err
			}
			for values := dict.AutomatonIterator(nil, nil, nil); ; {
				e, err := values.Next()
				if err != nil {
					return err
				}
				if e == nil {
					break
				}
				list, err := dict.PostingsList([]byte(e.Term), p.deleted, nil)
				if err != nil {
					return err
				}
				if having := bitmap(list); having != nil {
					if n := int(having.AndCardinality(b)); n > 0 {
						out[name][e.Term] += n
					}
				}
			}
		}
	}
	return nil
}

// findRanked answers a query by relevance.
func (d bleveReader) findRanked(ctx context.Context, q *query.Query, r reading) (res query.Results, err error) {
	v, err := d.index.open()
	if err != nil {
		return res, wrapBleve(err)
	}
	defer v.close()
	docs, where, err := v.satisfying(r.must, allFields)
	if err == nil && len(q.Filters) > 0 {
		docs, err = v.filter(ctx, d.index, docs, bquery.NewConjunctionQuery(filterQueries(q.Filters)))
	}
	if err != nil {
		return res, wrapBleve(err)
	}
	res.Total = size(docs)
	if q.Facets {
		res.Facets = noFacets(q)
		if err := v.facets(docs, res.Facets); err != nil {
			return res, wrapBleve(err)
		}
	}
	docs = v.best(docs, rankedMost)
	for _, t := range slices.Concat(r.should, r.joined) {
		found, err := v.lookup(t, allFields)
		if err != nil {
			return res, wrapBleve(err)
		}
		where = append(where, found)
	}
	if err := ctx.Err(); err != nil {
		return res, err
	}
	from, at, n := q.Offset, place(q), q.Limit
	if q.After != nil {
		from, n, at = window(at, q.Limit)
	}
	hits, err := v.rank(docs, where, from+n)
	if err != nil {
		return res, wrapBleve(err)
	}
	hits = hits[min(from, len(hits)):]
	if q.After != nil {
		hits, from = behind(hits, from, at, q, func(h ranked) string { return slugOf(h.tie) })
	}
	orders := q.Orders()
	for i, h := range hits {
		p := query.Position{Keys: make([]any, len(orders)), Slug: slugOf(h.tie)}
		quality, stars := fromTie(h.tie)
		for j, o := range orders {
			switch o.Field {
			case query.Relevance:
				p.Keys[j] = float64(from + i + 1)
			case "qualityScore":
				p.Keys[j] = quality
			default:
				p.Keys[j] = stars
			}
		}
		res.Slugs = append(res.Slugs, p.Slug)
		res.Positions = append(res.Positions, p)
	}
	return res, nil
}

func (d bleveReader) counts(ctx context.Context, of []conjunction) ([]int, error) {
	v, err := d.index.open()
	if err != nil {
		return nil, wrapBleve(err)
	}
	defer v.close()
	out := make([]int, len(of))
	for i, c := range of {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		in := allFields
		if c.short {
			in = shortFields
		}
		docs, _, err := v.satisfying(c.terms, in)
		if err != nil {
			return nil, wrapBleve(err)
		}
		out[i] = size(docs)
	}
	return out, nil
}
