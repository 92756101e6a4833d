package search

import (
	"cmp"
	"context"
	"hash/maphash"
	"iter"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// An Entry is a server of the read model. Entries of the same slug and number
// are the same.
type Entry interface {
	Slug() string
	Seq() int64 // the number of its last change
	// Server returns the server with what the read model keeps of it.
	Server() registry.Server
}

// A table is all servers of the read model in a form that is quick to go
// through: their words and values as numbers, in columns. It is made when it is
// first needed, which reads every server, and keeps up from then on by reading
// those that changed. With 100,000 servers without READMEs it takes some 60 MB.
type table struct {
	entries func() iter.Seq[Entry]

	mu     sync.Mutex // held for a moment
	read   time.Time  // when the entries were last looked at, zero if never
	reads  chan struct{}
	shards []*shard // fixed; nil before the first reading
	seed   maphash.Seed

	rows sync.RWMutex // held for reading by searches
}

// A shard is a part of a table, small enough for one processor. It has
// numbers of its own for words and values.
type shard struct {
	rows   []*row
	bySlug map[string]int // place in rows
	round  uint32         // of reading

	words     map[string]uint32
	spelling  []string
	having    []having // by word
	values    map[string]uint32
	shown     []string
	folded    []uint32 // by value, the value that filters take it for
	forgotten int      // rows that were replaced or removed
}

// having is in how many servers a word stands.
type having struct{ anywhere, short int32 }

type row struct {
	seq   int64
	slug  string
	round uint32
	// words are the words of the server, each once, in the best field that has
	// it; ends says where each field ends.
	words []uint32
	ends  [len(textFields)]uint16
	// values are those of the text fields, valueEnds says where each field
	// ends; numbers are those of the others, NaN where unknown.
	values    []uint32
	valueEnds [textColumns]uint16
	numbers   [numberColumns]float64
	name      string // what it is sorted by
	named     bool
}

// There may be so many fields of either kind.
const (
	textColumns   = 16
	numberColumns = 10
)

// columnOf says, for each of registry.Fields, which column of its kind it is.
var columnOf = func() []int {
	out := make([]int, len(query.Fields))
	var text, number int
	for i, f := range query.Fields {
		n := &number
		if f.Kind == query.Text {
			n = &text
		}
		out[i] = *n
		*n++
	}
	if text > textColumns || number > numberColumns {
		panic("search: more fields than columns")
	}
	return out
}()

// A table that is fresh answers as it is; one that is not yet stale answers as
// it is and is brought up to date meanwhile.
const (
	fresh = time.Second
	stale = 3 * time.Second
)

// current brings the table up to date.
func (t *table) current(ctx context.Context) error {
	t.mu.Lock()
	reads, known, age := t.reads, !t.read.IsZero(), time.Since(t.read)
	if reads == nil && (!known || age >= fresh) {
		reads = make(chan struct{})
		t.reads = reads
		// Whoever leaves does not end it for the others who wait.
		go t.refresh(reads)
	}
	t.mu.Unlock()
	if known && age < stale {
		return nil
	}
	select {
	case <-reads:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *table) refresh(done chan struct{}) {
	start := time.Now()
	if t.shards == nil {
		t.seed = maphash.MakeSeed()
		t.shards = make([]*shard, min(4, runtime.GOMAXPROCS(0)))
		for i := range t.shards {
			t.shards[i] = newShard()
		}
	}
	changed := make([][]Entry, len(t.shards))
	for e := range t.entries() {
		n := int(maphash.String(t.seed, e.Slug()) % uint64(len(t.shards)))
		s := t.shards[n]
		if at, ok := s.bySlug[e.Slug()]; ok && s.rows[at].seq == e.Seq() {
			s.rows[at].round = s.round + 1
		} else {
			changed[n] = append(changed[n], e)
		}
	}
	t.rows.Lock()
	var g errgroup.Group
	for n, s := range t.shards {
		g.Go(func() error {
			s.update(changed[n])
			return nil
		})
	}
	_ = g.Wait()
	t.rows.Unlock()
	t.mu.Lock()
	t.read, t.reads = start, nil
	t.mu.Unlock()
	close(done)
}

func newShard() *shard {
	return &shard{bySlug: map[string]int{}, words: map[string]uint32{}, values: map[string]uint32{}}
}

// update takes in the entries that are new or changed and drops the rows that
// were not seen in this round.
func (s *shard) update(changed []Entry) {
	s.round++
	for _, e := range changed {
		server := e.Server()
		r := s.row(&server)
		r.seq, r.slug = e.Seq(), strings.Clone(e.Slug())
		if at, ok := s.bySlug[r.slug]; ok {
			s.count(s.rows[at], -1)
			s.rows[at] = r
			s.forgotten++
		} else {
			s.bySlug[r.slug] = len(s.rows)
			s.rows = append(s.rows, r)
		}
		s.count(r, 1)
	}
	for at := 0; at < len(s.rows); at++ {
		r := s.rows[at]
		if r.round == s.round {
			continue
		}
		s.count(r, -1)
		delete(s.bySlug, r.slug)
		last := len(s.rows) - 1
		if at != last {
			s.rows[at] = s.rows[last]
			s.bySlug[s.rows[at].slug] = at
		}
		s.rows[last] = nil
		s.rows = s.rows[:last]
		s.forgotten++
		at--
	}
	// Words that no row has any more stay; once in a while all is numbered anew.
	if s.forgotten > len(s.rows)+10_000 {
		s.renumber()
	}
}

func (s *shard) count(r *row, by int32) {
	for i, w := range r.words {
		s.having[w].anywhere += by
		if i < r.short() {
			s.having[w].short += by
		}
	}
}

// renumber keeps the words and the values that rows have.
func (s *shard) renumber() {
	old := *s
	s.words, s.spelling, s.having = map[string]uint32{}, nil, nil
	s.values, s.shown, s.folded = map[string]uint32{}, nil, nil
	s.forgotten = 0
	for _, r := range s.rows {
		for i, w := range r.words {
			r.words[i] = s.word(old.spelling[w])
		}
		for i, v := range r.values {
			r.values[i] = s.value(old.shown[v])
		}
		s.count(r, 1)
	}
}

// short returns how many of the words stand in a short field.
func (r *row) short() int {
	n := 0
	for i := range textFields {
		if textFields[i].short {
			n = int(r.ends[i])
		}
	}
	return n
}

func (s *shard) word(w string) uint32 {
	n, ok := s.words[w]
	if !ok {
		n = uint32(len(s.spelling))
		w = strings.Clone(w)
		s.words[w] = n
		s.spelling = append(s.spelling, w)
		s.having = append(s.having, having{})
	}
	return n
}

func (s *shard) value(v string) uint32 {
	n, ok := s.values[v]
	if !ok {
		n = uint32(len(s.shown))
		v = strings.Clone(v)
		s.values[v] = n
		s.shown = append(s.shown, v)
		s.folded = append(s.folded, n)
		if same := query.SameText(v); same != v {
			f := s.value(same)
			s.folded[n] = f
		}
	}
	return n
}

// row reads a server.
func (s *shard) row(server *registry.Server) *row {
	r := &row{round: s.round}
	words := make([]uint32, 0, 64)
	var seen map[uint32]bool
	for i := range textFields {
		textFields[i].words(server, func(w string) {
			n := s.word(w)
			if len(words) < 64 && slices.Contains(words, n) {
				return
			}
			if len(words) >= 64 {
				if seen == nil {
					seen = make(map[uint32]bool, 256)
					for _, w := range words {
						seen[w] = true
					}
				}
				if seen[n] {
					return
				}
				seen[n] = true
			}
			words = append(words, n)
		})
		r.ends[i] = uint16(len(words))
	}
	r.words = slices.Clone(words)
	var buf [32]string
	values := make([]uint32, 0, 32)
	for i := range query.Fields {
		f, at := &query.Fields[i], columnOf[i]
		if f.Kind != query.Text {
			r.numbers[at] = math.NaN()
			if n, ok := f.Num(server); ok {
				r.numbers[at] = n
			}
			continue
		}
		if f.Filter || f.Facet {
			for _, v := range f.Texts(server, buf[:0]) {
				if len(values) < math.MaxUint16 {
					values = append(values, s.value(v))
				}
			}
		}
		r.valueEnds[at] = uint16(len(values))
		if f.Sort != "" {
			// Only names are sorted by text.
			name, ok := f.SortKey(server).(string)
			r.name, r.named = strings.Clone(name), ok
		}
	}
	r.values = slices.Clone(values)
	return r
}

// of returns the values of a text column.
func (r *row) of(column int) []uint32 {
	from := uint16(0)
	if column > 0 {
		from = r.valueEnds[column-1]
	}
	return r.values[from:r.valueEnds[column]]
}

// key returns what the row is sorted by under a field, as
// [registry.Field.SortKey] does.
func (r *row) key(f *query.Field, column int) any {
	if f.Kind == query.Text {
		if r.named {
			return r.name
		}
		return nil
	}
	if n := r.numbers[column]; n == n {
		return n
	}
	return nil
}

// search answers a query.
func (t *table) search(ctx context.Context, q query.Query) (query.Results, error) {
	if err := check(&q); err != nil {
		return query.Results{}, err
	}
	if err := t.current(ctx); err != nil {
		return query.Results{}, err
	}
	t.rows.RLock()
	defer t.rows.RUnlock()
	return search(ctx, &q, t, func(r reading) (query.Results, error) { return t.find(ctx, &q, r) })
}

// each calls f for all shards at once.
func (t *table) each(f func(n int, s *shard) error) error {
	var g errgroup.Group
	for n, s := range t.shards {
		g.Go(func() error { return f(n, s) })
	}
	return g.Wait()
}

// often is after how many rows a search looks whether it is still wanted.
const often = 4096

// wanted are the terms of a search as numbers.
type wanted struct {
	masks []uint32 // by word: bits of the terms it satisfies
	exact []uint32 // by term: the very word, or none
}

const noWord = math.MaxUint32

// find returns the words that satisfy terms, at most 32 of them.
func (s *shard) find(terms []term) wanted {
	w := wanted{masks: make([]uint32, len(s.spelling)), exact: make([]uint32, len(terms))}
	for i, t := range terms {
		w.exact[i] = noWord
		if n, ok := s.words[t.word]; ok {
			w.exact[i] = n
			w.masks[n] |= 1 << i
		}
		if t.prefix {
			for n, word := range s.spelling {
				if strings.HasPrefix(word, t.word) {
					w.masks[n] |= 1 << i
				}
			}
		}
	}
	return w
}

// rank is the sum, over the terms, of the weight of the best field that has
// it, half of that for a beginning only.
func (w *wanted) rank(r *row) (rank float64) {
	var best [32]float64
	from := 0
	for i := range textFields {
		weight, end := textFields[i].weight, int(r.ends[i])
		for _, word := range r.words[from:end] {
			m := w.masks[word]
			for n := 0; m != 0; n, m = n+1, m>>1 {
				switch {
				case m&1 == 0:
				case w.exact[n] == word:
					best[n] = max(best[n], weight)
				default:
					best[n] = max(best[n], weight/2)
				}
			}
		}
		from = end
	}
	for _, b := range best[:len(w.exact)] {
		rank += b
	}
	return rank
}

type found struct {
	row  *row
	rank float64
}

// An ordering is what hits are sorted by.
type ordering struct {
	ranked  bool
	orders  []query.Order
	fields  []*query.Field
	columns []int
}

func newOrdering(q *query.Query) *ordering {
	o := &ordering{orders: q.Orders()}
	o.ranked = byRelevance(o.orders)
	for _, by := range o.orders {
		f := query.SortNamed(by.Field)
		column := 0
		for i := range query.Fields {
			if &query.Fields[i] == f {
				column = columnOf[i]
			}
		}
		o.fields, o.columns = append(o.fields, f), append(o.columns, column)
	}
	return o
}

func (o *ordering) compare(a, b found) int {
	if o.ranked && a.rank != b.rank {
		return cmp.Compare(b.rank, a.rank)
	}
	for i, f := range o.fields {
		switch {
		case f == nil:
		case f.Kind == query.Text:
			if a.row.named != b.row.named {
				if a.row.named {
					return -1
				}
				return 1
			}
			if c := strings.Compare(a.row.name, b.row.name); c != 0 {
				if o.orders[i].Desc {
					return -c
				}
				return c
			}
		default:
			x, y := a.row.numbers[o.columns[i]], b.row.numbers[o.columns[i]]
			switch {
			case x == y || x != x && y != y:
			case x != x:
				return 1
			case y != y:
				return -1
			case (x < y) != o.orders[i].Desc:
				return -1
			default:
				return 1
			}
		}
	}
	return strings.Compare(a.row.slug, b.row.slug)
}

func (o *ordering) position(r *row) query.Position {
	p := query.Position{Keys: make([]any, len(o.orders)), Slug: r.slug}
	for i, f := range o.fields {
		if f != nil {
			p.Keys[i] = r.key(f, o.columns[i])
		}
	}
	return p
}

// find answers a query that is read as r.
func (t *table) find(ctx context.Context, q *query.Query, r reading) (res query.Results, err error) {
	by := newOrdering(q)
	terms := slices.Concat(r.must, r.should, r.joined)
	from, size, at := q.Offset, q.Limit, place(q)
	if q.After != nil {
		from = 0
		if by.ranked {
			from, size, at = window(at, q.Limit)
		}
	}
	type part struct {
		total  int
		top    []found
		facets map[string]map[string]int
	}
	parts := make([]part, len(t.shards))
	err = t.each(func(n int, s *shard) error {
		p := &parts[n]
		words, match := s.find(terms), s.matcher(q.Filters)
		must := uint32(1)<<len(r.must) - 1
		most := from + size
		var counts [textColumns]map[uint32]int
		for i, row := range s.rows {
			if i%often == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if !match(row) {
				continue
			}
			hit := found{row: row}
			if len(terms) > 0 {
				var m uint32
				for _, w := range row.words {
					m |= words.masks[w]
				}
				if m&must != must {
					continue
				}
				if by.ranked {
					hit.rank = words.rank(row)
				}
			}
			p.total++
			if q.Facets {
				countValues(&counts, row)
			}
			if q.After != nil && !by.ranked && query.ComparePositions(by.position(row), *q.After, by.orders) <= 0 {
				continue
			}
			if len(p.top) >= most && by.compare(hit, p.top[most-1]) > 0 {
				continue // the first most are sorted as soon as there are as many
			}
			p.top = append(p.top, hit)
			if len(p.top) == most || len(p.top) >= 2*most+100 {
				slices.SortFunc(p.top, by.compare)
				p.top = p.top[:most]
			}
		}
		if q.Facets {
			p.facets = s.facets(q, &counts)
		}
		return nil
	})
	if err != nil {
		return res, err
	}
	res.Facets = noFacets(q)
	var hits []found
	for _, p := range parts {
		res.Total += p.total
		hits = append(hits, p.top...)
		for name, counts := range p.facets {
			for v, n := range counts {
				res.Facets[name][v] += n
			}
		}
	}
	slices.SortFunc(hits, by.compare)
	hits = hits[min(len(hits), from):min(len(hits), from+size)]
	if by.ranked && q.After != nil {
		hits, from = behind(hits, from, at, q, func(h found) string { return h.row.slug })
	}
	for i, h := range hits {
		p := by.position(h.row)
		if by.ranked {
			p.Keys[0] = float64(from + i + 1)
		}
		res.Slugs = append(res.Slugs, p.Slug)
		res.Positions = append(res.Positions, p)
	}
	return res, nil
}

func countValues(counts *[textColumns]map[uint32]int, r *row) {
	for i := range query.Fields {
		if !query.Fields[i].Facet {
			continue
		}
		c := columnOf[i]
		for _, v := range r.of(c) {
			if counts[c] == nil {
				counts[c] = map[uint32]int{}
			}
			counts[c][v]++
		}
	}
}

func (s *shard) facets(q *query.Query, counts *[textColumns]map[uint32]int) map[string]map[string]int {
	out := noFacets(q)
	for i := range query.Fields {
		if f := &query.Fields[i]; f.Facet {
			for v, n := range counts[columnOf[i]] {
				out[f.Name][s.shown[v]] = n
			}
		}
	}
	return out
}

// matcher means what registry.Matcher means.
func (s *shard) matcher(filters []query.Filter) func(*row) bool {
	tests := make([]func(*row) bool, len(filters))
	for i := range filters {
		tests[i] = s.test(&filters[i])
	}
	return func(r *row) bool {
		for _, test := range tests {
			if !test(r) {
				return false
			}
		}
		return true
	}
}

func (s *shard) test(f *query.Filter) func(*row) bool {
	never := func(*row) bool { return false }
	i := slices.IndexFunc(query.Fields, func(field query.Field) bool { return field.Name == f.Field })
	if i < 0 || !query.Fields[i].Filter {
		return never
	}
	field, c := &query.Fields[i], columnOf[i]
	text := field.Kind == query.Text
	if f.Op == query.OpExists {
		if len(f.Values) != 1 {
			return never
		}
		want, ok := f.Values[0].(bool)
		if !ok {
			return never
		}
		return func(r *row) bool {
			if text {
				return (len(r.of(c)) > 0) == want
			}
			return (r.numbers[c] == r.numbers[c]) == want
		}
	}
	if text {
		values := map[uint32]bool{}
		for _, v := range f.Values {
			if v, ok := v.(string); ok {
				if n, ok := s.values[query.SameText(v)]; ok {
					values[n] = true
				}
			}
		}
		has := func(r *row) bool {
			for _, v := range r.of(c) {
				if values[s.folded[v]] {
					return true
				}
			}
			return false
		}
		switch f.Op {
		case query.OpEq, query.OpIn:
			return has
		case query.OpNe:
			return func(r *row) bool { return !has(r) }
		}
		return never
	}
	var values []float64
	for _, v := range f.Values {
		if n, ok := field.NumberOf(v); ok {
			values = append(values, n)
		}
	}
	if len(values) == 0 {
		if f.Op == query.OpNe {
			return func(*row) bool { return true }
		}
		return never
	}
	// An unknown number is NaN, which compares as false with everything.
	v := values[0]
	switch f.Op {
	case query.OpEq, query.OpIn:
		return func(r *row) bool { return slices.Contains(values, r.numbers[c]) }
	case query.OpNe:
		return func(r *row) bool { return !slices.Contains(values, r.numbers[c]) }
	case query.OpGt:
		return func(r *row) bool { return r.numbers[c] > v }
	case query.OpGte:
		return func(r *row) bool { return r.numbers[c] >= v }
	case query.OpLt:
		return func(r *row) bool { return r.numbers[c] < v }
	case query.OpLte:
		return func(r *row) bool { return r.numbers[c] <= v }
	}
	return never
}

func (t *table) counts(ctx context.Context, of []conjunction) ([]int, error) {
	out := make([]int, len(of))
	// Of single words it is known; the others are counted in one go.
	var terms []term
	var counted []int
	masks := make([]uint32, len(of))
	for i, c := range of {
		if len(c.terms) == 1 && !c.terms[0].prefix {
			for _, s := range t.shards {
				if w, ok := s.words[c.terms[0].word]; ok && c.short {
					out[i] += int(s.having[w].short)
				} else if ok {
					out[i] += int(s.having[w].anywhere)
				}
			}
			continue
		}
		counted = append(counted, i)
		for _, term := range c.terms {
			at := slices.Index(terms, term)
			if at < 0 {
				at, terms = len(terms), append(terms, term)
			}
			masks[i] |= 1 << at
		}
	}
	if len(counted) == 0 {
		return out, nil
	}
	var sum sync.Mutex
	return out, t.each(func(_ int, s *shard) error {
		words := s.find(terms)
		mine := make([]int, len(of))
		for i, r := range s.rows {
			if i%often == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			var all, short uint32
			n := r.short()
			for at, w := range r.words {
				m := words.masks[w]
				all |= m
				if at < n {
					short |= m
				}
			}
			if all == 0 {
				continue
			}
			for _, c := range counted {
				has := all
				if of[c].short {
					has = short
				}
				if has&masks[c] == masks[c] {
					mine[c]++
				}
			}
		}
		sum.Lock()
		defer sum.Unlock()
		for _, c := range counted {
			out[c] += mine[c]
		}
		return nil
	})
}

func (t *table) similar(_ context.Context, typed string) ([]string, error) {
	var out []string
	for _, s := range t.shards {
		for n, word := range s.spelling {
			if s.having[n].short > 0 && word[0] == typed[0] {
				if _, ok := near(typed, word); ok {
					out = append(out, word)
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
