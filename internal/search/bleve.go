package search

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"
	bsearch "github.com/blevesearch/bleve/v2/search"
	bquery "github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// layout changes whenever documents are made differently: an index of another
// layout is not read but built anew.
const layout = "12"

// Bleve is an [Index] in a directory of its own.
type Bleve struct {
	dir  string // of this process
	lock *os.File
	log  *slog.Logger

	mu      sync.RWMutex // held for reading by whoever uses index
	index   *stored
	closed  bool
	build   sync.Mutex // one rebuild at a time
	writing sync.Mutex // one write at a time, so that seq goes up
}

// OpenBleve opens the index under dir, or makes an empty one if there is none,
// if it is damaged, or if it was made by another version. Several processes
// may share dir: each gets a part of its own.
func OpenBleve(dir string, log *slog.Logger) (*Bleve, error) {
	b := &Bleve{log: log}
	var err error
	for slot := 0; ; slot++ {
		b.dir = filepath.Join(dir, strconv.Itoa(slot))
		if err = os.MkdirAll(b.dir, 0o700); err != nil {
			return nil, fmt.Errorf("search index: %w", err)
		}
		b.lock, err = lockFile(filepath.Join(b.dir, "lock"))
		if err == nil {
			break
		}
		if !errors.Is(err, errLocked) || slot == 63 {
			return nil, fmt.Errorf("search index: %s: %w", b.dir, err)
		}
	}
	name := b.current()
	if name != "" {
		b.index, err = openIndex(filepath.Join(b.dir, name))
		if err != nil {
			log.Warn("search: the index cannot be read and is built anew", "dir", b.dir, "err", err)
			name = ""
		}
	}
	if name == "" {
		if name, b.index, err = b.create(); err == nil {
			err = b.setCurrent(name)
		}
		if err != nil {
			b.lock.Close()
			return nil, fmt.Errorf("search index: %w", err)
		}
	}
	b.sweep(name)
	return b, nil
}

// InUse reports whether a process has an index under dir open.
func InUse(dir string) bool {
	locks, _ := filepath.Glob(filepath.Join(dir, "*", "lock")) // fails for a wrong pattern only
	for _, path := range locks {
		f, err := lockFile(path)
		if errors.Is(err, errLocked) {
			return true
		}
		if err == nil {
			f.Close()
		}
	}
	return false
}

// openIndex opens an index and reads from it. What a damaged one does, a
// panic included, is an error.
func openIndex(path string) (_ *stored, err error) {
	var idx bleve.Index
	// A file that is shorter than it says faults where it is read.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("damaged: %v", p)
		}
	}()
	if err := dropDamaged(path); err != nil {
		return nil, err
	}
	idx, err = bleve.OpenUsing(path, map[string]any{"bolt_timeout": "1s"})
	if err != nil {
		return nil, err
	}
	if _, err = idx.DocCount(); err == nil {
		_, err = pointOf(idx)
	}
	if err == nil {
		_, err = idx.Search(bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 1, 0, false))
	}
	s := &stored{engine: idx}
	if err == nil {
		err = s.warm()
	}
	if err != nil {
		idx.Close()
		return nil, err
	}
	return s, nil
}

// dropDamaged removes the segments whose checksum is wrong. Bleve does not
// look at it, and dies of what it then reads; of a segment that is missing,
// it says so. Those that were being written when the program was killed are
// removed as well.
func dropDamaged(path string) error {
	files, err := filepath.Glob(filepath.Join(path, "store", "*.zap"))
	if err != nil {
		return err
	}
	for _, file := range files {
		ok, err := sound(file)
		if err == nil && !ok {
			err = os.Remove(file)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sound reports whether a segment ends with the checksum of what precedes it.
func sound(file string) (bool, error) {
	f, err := os.Open(file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() < 4 {
		return false, err
	}
	sum := crc32.NewIEEE()
	if _, err := io.CopyBuffer(sum, io.LimitReader(f, info.Size()-4), make([]byte, 1<<20)); err != nil {
		return false, err
	}
	var end [4]byte
	if _, err := io.ReadFull(f, end[:]); err != nil {
		return false, err
	}
	return binary.BigEndian.Uint32(end[:]) == sum.Sum32(), nil
}

func layoutID() string {
	h := sha256.New()
	fmt.Fprintln(h, layout, maxWord)
	for _, f := range query.Fields {
		fmt.Fprintln(h, f.Name, f.Kind, f.Filter, f.Facet, f.Sort)
	}
	for _, f := range textFields {
		fmt.Fprintln(h, f.name, f.short, f.joined)
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// current returns the name of the folder of the index in use, "" if there is
// none of this layout.
func (b *Bleve) current() string {
	data, err := os.ReadFile(filepath.Join(b.dir, "current"))
	name := strings.TrimSpace(string(data))
	if err != nil || !strings.HasPrefix(name, layoutID()+"-") || !filepath.IsLocal(name) {
		return ""
	}
	return name
}

func (b *Bleve) setCurrent(name string) error {
	path := filepath.Join(b.dir, "current")
	if err := os.WriteFile(path+".new", []byte(name+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// sweep removes all indexes but the one of that name.
func (b *Bleve) sweep(keep string) {
	entries, _ := os.ReadDir(b.dir)
	for _, e := range entries {
		if e.IsDir() && e.Name() != keep {
			if err := os.RemoveAll(filepath.Join(b.dir, e.Name())); err != nil {
				b.log.Warn("search: an old index cannot be removed", "err", err)
			}
		}
	}
}

// unused returns a name that no index has.
func (b *Bleve) unused() string {
	for n := 0; ; n++ {
		name := layoutID() + "-" + strconv.Itoa(n)
		if _, err := os.Stat(filepath.Join(b.dir, name)); errors.Is(err, fs.ErrNotExist) {
			return name
		}
	}
}

func (b *Bleve) create() (name string, _ *stored, err error) {
	name = b.unused()
	idx, err := newIndex(filepath.Join(b.dir, name))
	return name, idx, err
}

func newIndex(path string) (*stored, error) {
	idx, err := bleve.NewUsing(path, newMapping(), scorch.Name, scorch.Name, map[string]any{"bolt_timeout": "1s"})
	if err != nil {
		return nil, err
	}
	if err := idx.SetInternal(buildKey, []byte(rand.Text())); err != nil {
		idx.Close()
		return nil, err
	}
	return &stored{engine: idx}, nil
}

// built reports whether an index was ever filled.
func built(idx bleve.Index) (bool, error) {
	data, err := idx.GetInternal(seqKey)
	return data != nil, err
}

func newMapping() *mapping.IndexMappingImpl {
	m := mapping.NewIndexMapping()
	m.ScoringModel = index.BM25Scoring
	m.DefaultMapping.Dynamic = false
	return m
}

var seqKey, sourceKey, buildKey = []byte("seq"), []byte("source"), []byte("build")

func pointOf(idx bleve.Index) (p Point, err error) {
	internal := func(key []byte) string {
		data, e := idx.GetInternal(key)
		if err == nil {
			err = e
		}
		return string(data)
	}
	p.Source, p.Build = internal(sourceKey), internal(buildKey)
	if seq := internal(seqKey); seq != "" && err == nil {
		p.Seq, err = strconv.ParseInt(seq, 10, 64)
	}
	return p, err
}

// use calls f with the index that is current, which is not closed meanwhile.
func (b *Bleve) use(f func(*stored) error) (err error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if b.closed {
		return registry.Errorf(registry.ErrUnavailable, "the search index is closed")
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		// Bleve panics on files that changed under it.
		if p := recover(); p != nil {
			err = registry.Wrap(registry.ErrUnavailable, fmt.Errorf("bleve: %v", p), "the search index cannot be read")
		}
	}()
	return f(b.index)
}

// At implements [Index].
func (b *Bleve) At(context.Context) (p Point, err error) {
	err = b.use(func(idx *stored) error {
		p, err = pointOf(idx)
		return err
	})
	return p, err
}

// Put implements [Index].
func (b *Bleve) Put(ctx context.Context, servers []registry.Server, removed []string, at Point, seq int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b.writing.Lock()
	defer b.writing.Unlock()
	return b.use(func(idx *stored) error {
		if now, err := pointOf(idx); err != nil || now.Build != at.Build {
			return cmp.Or(err, ErrReplaced)
		}
		return put(idx, servers, removed, at.Source, seq)
	})
}

func put(idx bleve.Index, servers []registry.Server, removed []string, source string, seq int64) error {
	batch := idx.NewBatch()
	for _, slug := range removed {
		batch.Delete(slug)
	}
	for i := range servers {
		if err := batch.IndexAdvanced(toDocument(&servers[i])); err != nil {
			return fmt.Errorf("search index: %s: %w", servers[i].Slug, err)
		}
	}
	batch.SetInternal(seqKey, strconv.AppendInt(nil, seq, 10))
	batch.SetInternal(sourceKey, []byte(source))
	if err := idx.Batch(batch); err != nil {
		return fmt.Errorf("search index: %w", err)
	}
	return nil
}

// Rebuild implements [Index].
func (b *Bleve) Rebuild(ctx context.Context, feed Feed) error {
	b.build.Lock()
	defer b.build.Unlock()
	name := b.unused()
	fresh, err := build(ctx, filepath.Join(b.dir, name), feed)
	if err != nil {
		os.RemoveAll(filepath.Join(b.dir, name))
		return err
	}
	return b.replace(name, fresh)
}

// Clear implements [Index].
func (b *Bleve) Clear(context.Context) error {
	b.build.Lock()
	defer b.build.Unlock()
	name, fresh, err := b.create()
	if err != nil {
		return fmt.Errorf("search index: %w", err)
	}
	return b.replace(name, fresh)
}

// replace puts an index in the place of the one in use.
func (b *Bleve) replace(name string, fresh *stored) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		fresh.Close()
		return registry.Errorf(registry.ErrUnavailable, "the search index is closed")
	}
	if err := b.setCurrent(name); err != nil {
		fresh.Close()
		return fmt.Errorf("search index: %w", err)
	}
	old := b.index
	b.index = fresh
	if err := old.Close(); err != nil {
		b.log.Warn("search: closing the old index", "err", err)
	}
	b.sweep(name)
	return nil
}

// Stats implements [Index].
func (b *Bleve) Stats(context.Context) (Stats, error) {
	st := Stats{Engine: "bleve"}
	err := b.use(func(idx *stored) error {
		n, err := idx.DocCount()
		if err != nil {
			return err
		}
		st.Servers = int(n)
		if st.Built, err = built(idx); err != nil {
			return err
		}
		p, err := pointOf(idx)
		st.Seq = p.Seq
		return err
	})
	if err == nil {
		err = filepath.WalkDir(b.dir, func(_ string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				if info, err := d.Info(); err == nil {
					st.Bytes += info.Size()
				}
			}
			return nil
		})
	}
	return st, err
}

// Close implements [Index].
func (b *Bleve) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil
	}
	b.closed = true
	err := b.index.Close()
	return errors.Join(err, b.lock.Close())
}

// The fields of a document besides those of textFields.
const (
	tieField   = "s.tie" // how ties are broken
	sizeField  = "size"  // the number of words of each text field
	knownField = "known" // names of the fields whose value is known
	valueField = "f."    // + name of a field: its values as filters compare them
	facetField = "x."    // + name of a field: its values as they are shown
	sortField  = "s."    // + name of a sort: its key
	wordsIndex = index.IndexField
	valueIndex = index.IndexField | index.SkipFreqNorm
	orderIndex = index.IndexField | index.SkipFreqNorm | index.DocValues
)

func toDocument(s *registry.Server) *document.Document {
	doc := document.NewDocument(s.Slug)
	var sizes [len(textFields)]string
	for i := range textFields {
		f := &textFields[i]
		words := given{}
		f.words(s, words.add)
		sizes[i] = strconv.Itoa(len(words.tokens))
		doc.AddField(&textOnce{TextField: document.NewTextFieldCustom(f.name, nil, nil, wordsIndex, &words)})
	}

	value := func(name, v string, options index.FieldIndexingOptions) {
		doc.AddField(document.NewTextFieldCustom(name, nil, []byte(v), options, wholeAnalyzer{}))
	}
	for i := range query.Fields {
		f := &query.Fields[i]
		if f.Sort != "" {
			if k := f.SortKey(s); k != nil {
				value(sortField+f.Sort, orderKey(k), orderIndex)
			}
		}
		if !f.Filter {
			continue
		}
		known := false
		if f.Kind == query.Text {
			for _, v := range f.Texts(s, nil) {
				known = true
				value(valueField+f.Name, query.SameText(v), valueIndex)
				if f.Facet {
					value(facetField+f.Name, v, orderIndex)
				}
			}
		} else if n, ok := f.Num(s); ok {
			known = true
			doc.AddField(document.NewNumericFieldWithIndexingOptions(valueField+f.Name, nil, n, index.IndexField))
		}
		if known {
			value(knownField, f.Name, valueIndex)
		}
	}
	value(tieField, tie(s), orderIndex)
	value(sizeField, strings.Join(sizes[:], " "), orderIndex)
	return doc
}

// orderKey returns a key of a sort as text of the same order.
func orderKey(key any) string {
	n, ok := key.(float64)
	if !ok {
		return key.(string)
	}
	bits := math.Float64bits(n + 0) // no negative zero
	if bits>>63 == 1 {
		bits = ^bits
	} else {
		bits |= 1 << 63
	}
	return fmt.Sprintf("%016x", bits)
}

func fromOrderKey(s string, text bool) any {
	if text {
		return s
	}
	bits, err := strconv.ParseUint(s, 16, 64)
	if err != nil {
		return nil
	}
	if bits>>63 == 1 {
		bits &^= 1 << 63
	} else {
		bits = ^bits
	}
	return math.Float64frombits(bits)
}

const (
	tieUnknown = 0xffffffffffff
	tieMost    = tieUnknown - 1
)

// tie returns a text whose ascending order is that of ties: quality and stars
// descending, unknown last, then the slug.
func tie(s *registry.Server) string {
	return tieOf(query.SortNamed("qualityScore").SortKey(s), query.SortNamed("stars").SortKey(s), s.Slug)
}

func tieOf(quality, stars any, slug string) string {
	part := func(v any) int64 {
		if n, ok := v.(float64); ok {
			return tieMost - int64(min(max(n, 0), tieMost))
		}
		return tieUnknown
	}
	return fmt.Sprintf("%012x%012x%s", part(quality), part(stars), slug)
}

func fromTie(s string) (quality, stars any) {
	part := func(s string) any {
		n, err := strconv.ParseInt(s, 16, 64)
		if err != nil || n == tieUnknown {
			return nil
		}
		return float64(tieMost - n)
	}
	if len(s) < 24 {
		return nil, nil
	}
	return part(s[:12]), part(s[12:24])
}

func qualityOf(tie string) any {
	quality, _ := fromTie(tie)
	return quality
}

func slugOf(tie string) string { return tie[min(24, len(tie)):] }

// given is an analyzer that gives words that were taken apart before.
type given struct{ tokens analysis.TokenStream }

func (g *given) add(word string) {
	g.tokens = append(g.tokens, &analysis.Token{Term: []byte(word), Position: len(g.tokens) + 1})
}

// textOnce is a field that may be analyzed before Bleve does it.
type textOnce struct {
	*document.TextField
	done bool
}

// Analyze counts the words.
func (t *textOnce) Analyze() {
	if !t.done {
		t.TextField.Analyze()
		t.done = true
	}
}

func (g *given) Analyze([]byte) analysis.TokenStream { return g.tokens }

// wholeAnalyzer gives the text as one token.
type wholeAnalyzer struct{}

func (wholeAnalyzer) Analyze(text []byte) analysis.TokenStream {
	return analysis.TokenStream{{Term: text, End: len(text), Position: 1, Type: analysis.AlphaNumeric}}
}

// Search implements [Index].
func (b *Bleve) Search(ctx context.Context, q query.Query) (res query.Results, err error) {
	if err := check(&q); err != nil {
		return res, err
	}
	err = b.use(func(idx *stored) error {
		if ok, err := built(idx); err != nil {
			return wrapBleve(err)
		} else if !ok {
			return ErrNotBuilt
		}
		d := bleveReader{idx}
		res, err = search(ctx, &q, d, func(r reading) (query.Results, error) { return d.find(ctx, &q, r) })
		return err
	})
	return res, err
}

type bleveReader struct{ index *stored }

func (d bleveReader) find(ctx context.Context, q *query.Query, r reading) (res query.Results, err error) {
	orders := q.Orders()
	if byRelevance(orders) {
		return d.findRanked(ctx, q, r)
	}
	var full bquery.Query = bquery.NewMatchAllQuery()
	if len(r.must) > 0 {
		full = holds(r.must)
	}
	if conditions := filterQueries(q.Filters); len(conditions) > 0 {
		bq := bquery.NewBooleanQuery([]bquery.Query{full}, nil, nil)
		bq.AddFilter(bquery.NewConjunctionQuery(conditions))
		full = bq
	}

	req := bleve.NewSearchRequestOptions(full, q.Limit, q.Offset, false)
	req.Score = "none"
	// Whatever of the orders the ties cover is read from one value.
	explicit := orders
	if n := len(orders); n >= 2 && orders[n-2] == (query.Order{Field: "qualityScore", Desc: true}) && orders[n-1] == (query.Order{Field: "stars", Desc: true}) {
		explicit = orders[:n-2]
	}
	req.Sort = bsearch.SortOrder{}
	for _, o := range explicit {
		req.Sort = append(req.Sort, &bsearch.SortField{Field: sortField + o.Field, Desc: o.Desc, Type: bsearch.SortFieldAsString, Missing: bsearch.SortFieldMissingLast})
	}
	req.Sort = append(req.Sort, &bsearch.SortField{Field: tieField, Type: bsearch.SortFieldAsString})
	if q.After != nil {
		req.From = 0
		req.SearchAfter = after(q.After, explicit, orders)
	}
	if q.Facets {
		for _, f := range query.Fields {
			if f.Facet {
				req.AddFacet(f.Name, bleve.NewFacetRequest(facetField+f.Name, 10_000))
			}
		}
	}
	found, err := d.index.SearchInContext(ctx, req)
	if err != nil {
		return res, wrapBleve(err)
	}
	res.Total = int(found.Total)
	for _, h := range found.Hits {
		p := query.Position{Keys: make([]any, len(orders)), Slug: h.ID}
		quality, stars := fromTie(h.Sort[len(h.Sort)-1])
		for j, o := range orders {
			switch {
			case j < len(explicit):
				f := query.SortNamed(o.Field)
				if k := h.Sort[j]; k != bsearch.HighTerm && k != bsearch.LowTerm {
					p.Keys[j] = fromOrderKey(k, f.Kind == query.Text)
				}
			case o.Field == "qualityScore":
				p.Keys[j] = quality
			default:
				p.Keys[j] = stars
			}
		}
		res.Slugs = append(res.Slugs, h.ID)
		res.Positions = append(res.Positions, p)
	}
	if q.Facets {
		res.Facets = noFacets(q)
		for name, f := range found.Facets {
			if f.Terms == nil {
				continue
			}
			for _, t := range f.Terms.Terms() {
				res.Facets[name][t.Term] = t.Count
			}
		}
	}
	return res, nil
}

func wrapBleve(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return registry.Wrap(registry.ErrUnavailable, err, "the search index does not answer")
}

// after returns the sort values of a position, as the index has them.
func after(p *query.Position, explicit, orders []query.Order) []string {
	var out []string
	var quality, stars any
	for i, o := range orders {
		if i < len(explicit) {
			switch k := p.Keys[i]; {
			case k != nil:
				out = append(out, orderKey(k))
			case o.Desc:
				out = append(out, bsearch.LowTerm)
			default:
				out = append(out, bsearch.HighTerm)
			}
		}
		switch o.Field {
		case "qualityScore":
			quality = p.Keys[i]
		case "stars":
			stars = p.Keys[i]
		}
	}
	return append(out, tieOf(quality, stars, p.Slug))
}

var boosts = map[string]float64{"name": 4, "tags": 2, "tools": 1.5, "description": 1.5, "readme": 1}

// holds matches servers that have all terms, without a ranking.
func holds(terms []term) bquery.Query {
	all := make([]bquery.Query, len(terms))
	for i, t := range terms {
		var in []bquery.Query
		for _, f := range textFields {
			if t.prefix {
				p := bquery.NewPrefixQuery(t.word)
				p.SetField(f.name)
				in = append(in, p)
			} else {
				w := bquery.NewTermQuery(t.word)
				w.SetField(f.name)
				in = append(in, w)
			}
		}
		all[i] = bquery.NewDisjunctionQuery(in)
	}
	if len(all) == 1 {
		return all[0]
	}
	return bquery.NewConjunctionQuery(all)
}

func filterQueries(filters []query.Filter) []bquery.Query {
	var out []bquery.Query
	for _, f := range filters {
		out = append(out, filterQuery(f))
	}
	return out
}

// filterQuery means what registry.Matcher means.
func filterQuery(f query.Filter) bquery.Query {
	field := query.FieldNamed(f.Field)
	if field == nil || !field.Filter {
		return bquery.NewMatchNoneQuery()
	}
	not := func(q bquery.Query) bquery.Query {
		return bquery.NewBooleanQuery([]bquery.Query{bquery.NewMatchAllQuery()}, nil, []bquery.Query{q})
	}
	if f.Op == query.OpExists {
		if len(f.Values) != 1 {
			return bquery.NewMatchNoneQuery()
		}
		want, ok := f.Values[0].(bool)
		if !ok {
			return bquery.NewMatchNoneQuery()
		}
		known := bquery.NewTermQuery(field.Name)
		known.SetField(knownField)
		if want {
			return known
		}
		return not(known)
	}
	name := valueField + field.Name
	var any []bquery.Query
	for _, v := range f.Values {
		if field.Kind == query.Text {
			if s, ok := v.(string); ok {
				t := bquery.NewTermQuery(query.SameText(s))
				t.SetField(name)
				any = append(any, t)
			}
			continue
		}
		n, ok := field.NumberOf(v)
		if !ok {
			continue
		}
		yes, no := true, false
		var r *bquery.NumericRangeQuery
		switch f.Op {
		case query.OpGt:
			r = bquery.NewNumericRangeInclusiveQuery(&n, nil, &no, nil)
		case query.OpGte:
			r = bquery.NewNumericRangeInclusiveQuery(&n, nil, &yes, nil)
		case query.OpLt:
			r = bquery.NewNumericRangeInclusiveQuery(nil, &n, nil, &no)
		case query.OpLte:
			r = bquery.NewNumericRangeInclusiveQuery(nil, &n, nil, &yes)
		default:
			r = bquery.NewNumericRangeInclusiveQuery(&n, &n, &yes, &yes)
		}
		r.SetField(name)
		any = append(any, r)
		if f.Op != query.OpEq && f.Op != query.OpIn && f.Op != query.OpNe {
			break
		}
	}
	var has bquery.Query = bquery.NewMatchNoneQuery()
	if len(any) == 1 {
		has = any[0]
	} else if len(any) > 1 {
		has = bquery.NewDisjunctionQuery(any)
	}
	switch {
	case f.Op == query.OpNe:
		return not(has)
	case field.Kind == query.Text && f.Op != query.OpEq && f.Op != query.OpIn:
		return bquery.NewMatchNoneQuery()
	}
	return has
}

func (d bleveReader) similar(_ context.Context, typed string) ([]string, error) {
	advanced, err := d.index.Advanced()
	if err != nil {
		return nil, wrapBleve(err)
	}
	reader, err := advanced.Reader()
	if err != nil {
		return nil, wrapBleve(err)
	}
	defer reader.Close()
	fuzzy, ok := reader.(index.IndexReaderFuzzy)
	if !ok {
		return nil, wrapBleve(errors.New("bleve: the index cannot be asked for similar words"))
	}
	_, first := utf8.DecodeRuneInString(typed)
	var out []string
	for _, f := range textFields {
		if !f.short {
			continue
		}
		dict, err := fuzzy.FieldDictFuzzy(f.name, typed, typos(typed), typed[:first])
		if err != nil {
			return nil, wrapBleve(err)
		}
		for {
			e, err := dict.Next()
			if err != nil {
				dict.Close()
				return nil, wrapBleve(err)
			}
			if e == nil {
				break
			}
			out = append(out, e.Term)
		}
		dict.Close()
	}
	return out, nil
}
