package search

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/meilisearch/meilisearch-go"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// Meili is an [Index] in Meilisearch. Any number of processes may share it.
//
// What matches is decided by this package and not by Meilisearch's tokenizer
// or its tolerance of typing errors: documents hold words that are already
// taken apart and folded, in letters and digits that Meilisearch leaves alone,
// and a second index holds the words that a misspelt one may have meant.
type Meili struct {
	client meilisearch.ServiceManager
	uid    string
	log    *slog.Logger

	build sync.Mutex // one rebuild at a time
	mu    sync.Mutex
	ready bool            // the indexes exist
	words map[string]bool // sent to the index of words by this process

	checked atomic.Pointer[time.Time] // when it was last seen that the index is filled
}

// OpenMeili returns the index of that name at a Meilisearch address. It does
// not connect: what is wrong with the address or the key shows in the first
// call. Searches take as long as their context allows.
func OpenMeili(url, key, name string, log *slog.Logger) *Meili {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 64, 64
	// Meilisearch sends a compressed answer in small pieces, the last of which
	// waits 40 ms for an acknowledgement.
	transport.DisableCompression = true
	return &Meili{
		client: meilisearch.New(strings.TrimRight(url, "/"), meilisearch.WithAPIKey(key), meilisearch.DisableRetries(),
			meilisearch.WithCustomClient(&http.Client{Transport: transport, Timeout: 2 * time.Minute})),
		uid: name, log: log, words: map[string]bool{},
	}
}

const (
	metaID     = "_meta" // no slug has an underscore
	builtID    = "_build"
	metaField  = "layout"
	slugOrder  = "s_slug"
	valuesMost = 10_000
)

// meta is a document that remembers how far the index has come. Two of them
// are in an index: one says what it was built from, the other is written
// together with the changes that came later, and counts only if it is about
// the same build: changes that were sent to one index and stored in another
// that took its place meanwhile do not make that one pass for complete.
type meta struct {
	ID     string `json:"id"`
	Layout string `json:"layout"`
	Seq    int64  `json:"seq"`
	Source string `json:"source"`
	Build  string `json:"build"`
}

// orderName returns the name of what Meilisearch sorts by: for numbers and
// times, that is what it filters by.
func orderName(sort string) string {
	f := query.SortNamed(sort)
	if f.Kind != query.Text && f.Filter {
		return "f_" + f.Name
	}
	return "s_" + sort
}

func (m *Meili) wordsOf(uid string) string { return uid + "_words" }

func shortNames() (names []string) {
	for _, f := range textFields {
		if f.short {
			names = append(names, f.name)
		}
	}
	return names
}

func meiliSettings() *meilisearch.Settings {
	s := &meilisearch.Settings{
		// A sort decides first where one is asked for; relevance otherwise. Of
		// those that have the words in the same fields, whole or begun, quality
		// decides, and not how far from the beginning of the field they stand.
		RankingRules: []string{
			"sort", "words", "typo", "proximity", "attributeRank", "exactness",
			orderName("qualityScore") + ":desc", orderName("stars") + ":desc", "wordPosition", slugOrder + ":asc",
		},
		FilterableAttributes: []string{metaField, slugOrder},
		SortableAttributes:   []string{slugOrder},
		DisplayedAttributes:  []string{"id", metaField, "seq", "source", "build"},
		ProximityPrecision:   meilisearch.ByWord,
		TypoTolerance:        &meilisearch.TypoTolerance{Enabled: false, MinWordSizeForTypos: meilisearch.MinWordSizeForTypos{OneTypo: 5, TwoTypos: 9}, DisableOnWords: []string{}, DisableOnAttributes: []string{}},
		Pagination:           &meilisearch.Pagination{MaxTotalHits: 100_000_000},
		Faceting:             &meilisearch.Faceting{MaxValuesPerFacet: valuesMost},
		SearchCutoffMs:       20_000,
	}
	for _, f := range textFields {
		s.SearchableAttributes = append(s.SearchableAttributes, f.name)
	}
	for _, f := range query.Fields {
		if f.Filter {
			s.FilterableAttributes = append(s.FilterableAttributes, "f_"+f.Name)
		}
		if f.Facet {
			s.FilterableAttributes = append(s.FilterableAttributes, "x_"+f.Name)
		}
		if f.Sort != "" {
			name := orderName(f.Sort)
			if !slices.Contains(s.FilterableAttributes, name) {
				s.FilterableAttributes = append(s.FilterableAttributes, name)
			}
			s.SortableAttributes = append(s.SortableAttributes, name)
			s.DisplayedAttributes = append(s.DisplayedAttributes, name)
		}
	}
	return s
}

// create makes the two indexes of that name, empty, unless they exist.
func (m *Meili) create(ctx context.Context, uid string) error {
	_, err := m.client.GetIndexWithContext(ctx, m.wordsOf(uid))
	if err == nil {
		_, err = m.client.GetIndexWithContext(ctx, uid)
	}
	if err == nil {
		return nil
	}
	if !isStatus(err, http.StatusNotFound) {
		return wrapMeili(err)
	}
	prefixes := "disabled"
	for _, one := range []struct {
		uid      string
		settings *meilisearch.Settings
	}{
		{uid, meiliSettings()},
		{m.wordsOf(uid), &meilisearch.Settings{
			SearchableAttributes: []string{"word"},
			RankingRules:         []string{"words", "typo"},
			PrefixSearch:         &prefixes,
			SearchCutoffMs:       20_000,
			Pagination:           &meilisearch.Pagination{MaxTotalHits: 100_000_000},
		}},
	} {
		t, err := m.client.CreateIndexWithContext(ctx, &meilisearch.IndexConfig{Uid: one.uid, PrimaryKey: "id"})
		if err = m.wait(ctx, t, err); err != nil && !strings.Contains(err.Error(), "already exists") {
			return err
		}
		t, err = m.client.Index(one.uid).UpdateSettingsWithContext(ctx, one.settings)
		if err = m.wait(ctx, t, err); err != nil {
			return err
		}
		t, err = m.client.Index(one.uid).UpdateFacetSearchWithContext(ctx, false)
		if err = m.wait(ctx, t, err); err != nil {
			return err
		}
	}
	return nil
}

// wait returns when a task has succeeded, and its error if it has not.
func (m *Meili) wait(ctx context.Context, t *meilisearch.TaskInfo, err error) error {
	if err != nil {
		return wrapMeili(err)
	}
	pause := 5 * time.Millisecond
	for {
		task, err := m.client.GetTaskWithContext(ctx, t.TaskUID)
		if err != nil {
			return wrapMeili(err)
		}
		switch task.Status {
		case meilisearch.TaskStatusSucceeded:
			return nil
		case meilisearch.TaskStatusFailed, meilisearch.TaskStatusCanceled:
			return registry.Wrap(registry.ErrUnavailable, fmt.Errorf("meilisearch: task %d (%s of %s) %s: %s", t.TaskUID, task.Type, task.IndexUID, task.Status, task.Error.Message),
				"the search engine could not store the changes")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		pause = min(2*pause, 250*time.Millisecond)
	}
}

func isStatus(err error, status int) bool {
	var e *meilisearch.Error
	return errors.As(err, &e) && e.StatusCode == status
}

// wrapMeili keeps the library's error, which may hold the whole request, to
// what a log should say.
func wrapMeili(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return err
	}
	cause := err
	var e *meilisearch.Error
	if errors.As(err, &e) {
		cause = fmt.Errorf("meilisearch: %s %s: status %d %s: %s", e.Method, e.Endpoint, e.StatusCode, e.MeilisearchApiError.Code, e.MeilisearchApiError.Message)
		if e.OriginError != nil {
			cause = fmt.Errorf("meilisearch: %s %s: %w", e.Method, e.Endpoint, e.OriginError)
		}
	}
	return registry.Wrap(registry.ErrUnavailable, cause, "the search engine does not answer")
}

// At implements [Index]. An index of another layout counts as empty.
func (m *Meili) At(ctx context.Context) (Point, error) {
	p, _, err := m.point(ctx)
	return p, err
}

// point returns how far the index has come, and whether it was ever filled
// with documents of this layout.
func (m *Meili) point(ctx context.Context) (p Point, built bool, err error) {
	first, known, err := m.meta(ctx, builtID)
	if err != nil || !known {
		return Point{}, false, err
	}
	p = Point{Seq: first.Seq, Source: first.Source, Build: first.Build}
	if last, known, err := m.meta(ctx, metaID); err != nil {
		return Point{}, false, err
	} else if known && last.Build == p.Build {
		p.Seq, p.Source = last.Seq, last.Source
	}
	return p, true, nil
}

func (m *Meili) meta(ctx context.Context, id string) (got meta, known bool, err error) {
	err = m.client.Index(m.uid).GetDocumentWithContext(ctx, id, nil, &got)
	if isStatus(err, http.StatusNotFound) || err == nil && got.Layout != layoutID() {
		return meta{}, false, nil
	}
	return got, err == nil, wrapMeili(err)
}

// lookEach is how often a search looks whether the index is still the one that
// was filled.
const lookEach = 10 * time.Second

// built fails with ErrNotBuilt if the index was not filled. What it saw a
// moment ago is good enough unless certain is set.
func (m *Meili) built(ctx context.Context, certain bool) error {
	if at := m.checked.Load(); at != nil && time.Since(*at) < lookEach && !certain {
		return nil
	}
	now := time.Now()
	_, built, err := m.point(ctx)
	switch {
	case err != nil:
		return err
	case !built:
		m.checked.Store(nil)
		return ErrNotBuilt
	}
	m.checked.Store(&now)
	return nil
}

// Clear implements [Index].
func (m *Meili) Clear(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ready, m.words = false, map[string]bool{}
	m.checked.Store(nil)
	for _, uid := range []string{m.uid, m.wordsOf(m.uid)} {
		_, err := m.client.GetIndexWithContext(ctx, uid)
		if isStatus(err, http.StatusNotFound) {
			continue
		}
		if err != nil {
			return wrapMeili(err)
		}
		t, err := m.client.Index(uid).DeleteAllDocumentsWithContext(ctx, nil)
		if err = m.wait(ctx, t, err); err != nil {
			return err
		}
	}
	return nil
}

// Put implements [Index].
func (m *Meili) Put(ctx context.Context, servers []registry.Server, removed []string, at Point, seq int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.ready {
		if err := m.create(ctx, m.uid); err != nil {
			return err
		}
		m.ready = true
	}
	if now, _, err := m.point(ctx); err != nil {
		return err
	} else if now.Build != at.Build {
		return ErrReplaced
	}
	var first []any
	if at.Build == "" {
		at.Build = rand.Text()
		first = append(first, meta{builtID, layoutID(), 0, at.Source, at.Build})
	}
	tasks, err := m.put(ctx, m.uid, servers, removed, append(first, meta{metaID, layoutID(), seq, at.Source, at.Build}), m.words)
	for _, t := range tasks {
		if e := m.wait(ctx, t, nil); err == nil {
			err = e
		}
	}
	if err != nil {
		// It may have been removed meanwhile.
		m.ready, m.words = false, map[string]bool{}
	}
	return err
}

// put sends words, removals and servers, in this order, and returns the tasks
// that will have stored them. The last one writes marks, which are of type
// meta, together with the servers.
func (m *Meili) put(ctx context.Context, uid string, servers []registry.Server, removed []string, marks []any, sent map[string]bool) (tasks []*meilisearch.TaskInfo, err error) {
	docs := make([]any, 0, len(servers)+len(marks))
	type word struct {
		ID   string `json:"id"`
		Word string `json:"word"`
	}
	var words []word
	for i := range servers {
		d := toMeili(&servers[i], func(w string) {
			if !sent[w] {
				sent[w] = true
				words = append(words, word{w, w})
			}
		})
		docs = append(docs, d)
	}
	docs = append(docs, marks...)
	add := func(t *meilisearch.TaskInfo, err error) error {
		if err != nil {
			return wrapMeili(err)
		}
		tasks = append(tasks, t)
		return nil
	}
	if len(words) > 0 {
		if err := add(m.client.Index(m.wordsOf(uid)).AddDocumentsWithContext(ctx, words, nil)); err != nil {
			return tasks, err
		}
	}
	if len(removed) > 0 {
		if err := add(m.client.Index(uid).DeleteDocumentsWithContext(ctx, removed, nil)); err != nil {
			return tasks, err
		}
	}
	if len(docs) == 0 {
		return tasks, nil
	}
	return tasks, add(m.client.Index(uid).AddDocumentsWithContext(ctx, docs, nil))
}

// toMeili returns the document of a server, and gives word each word that a
// misspelt one may have meant.
func toMeili(s *registry.Server, word func(string)) map[string]any {
	doc := map[string]any{"id": s.Slug, slugOrder: "k" + s.Slug}
	// A word is written once, in the best field that has it: nothing that is
	// asked depends on how often or where else it stands.
	seen := map[string]bool{}
	for i := range textFields {
		f := &textFields[i]
		var b strings.Builder
		f.words(s, func(w string) {
			if seen[w] {
				return
			}
			seen[w] = true
			// Words that stand so far apart are no pair, and only pairs match a
			// query's word that is both of them in one.
			writeWord(&b, w)
			b.WriteString(". ")
			if f.short && len(w) >= 4 && isASCII(w) {
				word(w)
			}
		})
		doc[f.name] = b.String()
	}
	for i := range query.Fields {
		f := &query.Fields[i]
		if f.Sort != "" {
			switch k := f.SortKey(s).(type) {
			case string:
				doc[orderName(f.Sort)] = "k" + hex.EncodeToString([]byte(k))
			case float64:
				doc[orderName(f.Sort)] = k
			}
		}
		if !f.Filter {
			continue
		}
		if f.Kind != query.Text {
			if n, ok := f.Num(s); ok {
				doc["f_"+f.Name] = n
			}
			continue
		}
		var values []uint64
		var shown []string
		for _, v := range f.Texts(s, nil) {
			values = append(values, filterValue(v))
			shown = append(shown, "k"+hex.EncodeToString([]byte(v)))
		}
		if len(values) > 0 {
			doc["f_"+f.Name] = values
			if f.Facet {
				doc["x_"+f.Name] = shown
			}
		}
	}
	return doc
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// writeWord writes a folded word in letters and digits that Meilisearch takes
// for one word as it is. A word that begins with another still does.
func writeWord(b *strings.Builder, w string) {
	for _, r := range w {
		if r < utf8.RuneSelf {
			b.WriteByte(byte(r))
		} else {
			fmt.Fprintf(b, "qz%05x", r)
		}
	}
}

// filterValue returns what stands for a text in filters: a hash, since
// Meilisearch folds text in ways of its own and takes longer over it than over
// a number. It is below 2^53, as numbers in Meilisearch are float64.
func filterValue(v string) uint64 {
	sum := sha256.Sum256([]byte(query.SameText(v)))
	return binary.BigEndian.Uint64(sum[:]) >> 11
}

// Rebuild implements [Index].
func (m *Meili) Rebuild(ctx context.Context, feed Feed) error {
	m.build.Lock()
	defer m.build.Unlock()
	source, err := feed.Identity(ctx)
	if err != nil {
		return err
	}
	if err := m.create(ctx, m.uid); err != nil {
		return err
	}
	m.sweep(ctx)
	fresh := m.uid + "_build_" + strings.ToLower(rand.Text()[:10])
	defer m.drop(context.WithoutCancel(ctx), fresh)
	if err := m.create(ctx, fresh); err != nil {
		return err
	}
	sent := map[string]bool{}
	var pending []*meilisearch.TaskInfo
	last := int64(0)
	err = fill(ctx, feed, func(servers []registry.Server, removed []string, seq int64) error {
		last = seq
		tasks, err := m.put(ctx, fresh, servers, removed, nil, sent)
		pending = append(pending, tasks...)
		// Meilisearch joins waiting tasks into larger ones, which is faster,
		// but keeps them all on disk meanwhile.
		for err == nil && len(pending) > 200 {
			err = m.wait(ctx, pending[0], nil)
			pending = pending[1:]
		}
		return err
	})
	if err == nil {
		var tasks []*meilisearch.TaskInfo
		tasks, err = m.put(ctx, fresh, nil, nil, []any{meta{builtID, layoutID(), last, source, rand.Text()}}, sent)
		pending = append(pending, tasks...)
	}
	for _, t := range pending {
		if e := m.wait(ctx, t, nil); err == nil {
			err = e
		}
	}
	if err != nil {
		return err
	}
	t, err := m.client.SwapIndexesWithContext(ctx, []*meilisearch.SwapIndexesParams{
		{Indexes: []string{m.uid, fresh}},
		{Indexes: []string{m.wordsOf(m.uid), m.wordsOf(fresh)}},
	})
	if err = m.wait(ctx, t, err); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ready, m.words = true, sent
	return nil
}

// drop removes the two indexes of that name.
func (m *Meili) drop(ctx context.Context, uid string) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for _, uid := range []string{uid, m.wordsOf(uid)} {
		if _, err := m.client.DeleteIndexWithContext(ctx, uid); err != nil && !isStatus(err, http.StatusNotFound) {
			m.log.Warn("search: an index cannot be removed from Meilisearch", "index", uid, "err", wrapMeili(err))
		}
	}
}

// sweep removes what a rebuild left behind that was killed.
func (m *Meili) sweep(ctx context.Context) {
	list, err := m.client.ListIndexesWithContext(ctx, &meilisearch.IndexesQuery{Limit: 1000})
	if err != nil {
		return
	}
	for _, i := range list.Results {
		if strings.HasPrefix(i.UID, m.uid+"_build_") && time.Since(i.UpdatedAt) > time.Hour {
			if _, err := m.client.DeleteIndexWithContext(ctx, i.UID); err != nil {
				m.log.Warn("search: an index cannot be removed from Meilisearch", "index", i.UID, "err", wrapMeili(err))
			}
		}
	}
}

// Stats implements [Index].
func (m *Meili) Stats(ctx context.Context) (Stats, error) {
	st := Stats{Engine: "meilisearch"}
	got, err := m.client.Index(m.uid).GetStatsWithContext(ctx, nil)
	if isStatus(err, http.StatusNotFound) {
		return st, nil
	}
	if err != nil {
		return st, wrapMeili(err)
	}
	st.Servers = int(got.NumberOfDocuments)
	for _, id := range []string{builtID, metaID} {
		if _, known, err := m.meta(ctx, id); err != nil {
			return st, err
		} else if known {
			st.Servers--
		}
	}
	if n, ok := got.RawDocumentDbSize.(float64); ok {
		st.Bytes = int64(n)
	}
	p, built, err := m.point(ctx)
	st.Seq, st.Built = p.Seq, built
	return st, err
}

// Close implements [Index].
func (m *Meili) Close() error {
	m.client.Close()
	return nil
}

// Search implements [Index].
func (m *Meili) Search(ctx context.Context, q query.Query) (query.Results, error) {
	if err := check(&q); err != nil {
		return query.Results{}, err
	}
	if err := m.built(ctx, false); err != nil {
		return query.Results{}, err
	}
	res, err := search(ctx, &q, m, func(r reading) (query.Results, error) { return m.find(ctx, &q, r) })
	if err == nil && res.Total == 0 {
		// Nothing is also what an index finds that was just removed and made anew.
		err = m.built(ctx, true)
	}
	return res, err
}

// text writes terms as a query: each a word of its own, apart enough not to be
// joined with its neighbour, and the one that is a prefix last.
func meiliText(terms []term) string {
	var b strings.Builder
	for _, t := range terms {
		if !t.prefix {
			writeWord(&b, t.word)
			b.WriteString(". ")
		}
	}
	for _, t := range terms {
		if t.prefix {
			writeWord(&b, t.word)
		}
	}
	return b.String()
}

func (m *Meili) find(ctx context.Context, q *query.Query, r reading) (res query.Results, err error) {
	orders := q.Orders()
	ranked := byRelevance(orders)
	conditions := []string{}
	if len(r.must) == 0 {
		conditions = append(conditions, metaField+" NOT EXISTS")
	}
	for _, f := range q.Filters {
		conditions = append(conditions, meiliFilter(f))
	}
	page := &meilisearch.SearchRequest{
		IndexUID: m.uid, Query: meiliText(r.must), MatchingStrategy: meilisearch.All,
		AttributesToRetrieve: []string{"id"}, Filter: conditions,
	}
	whole := *page // what is counted
	from, size, at := q.Offset, q.Limit, place(q)
	if ranked {
		for _, o := range orders[1:] {
			page.AttributesToRetrieve = append(page.AttributesToRetrieve, orderName(o.Field))
		}
		if q.After != nil {
			from, size, at = window(at, q.Limit)
		}
		if len(r.should) > 0 {
			// The last words are left out one by one: after those that have
			// all come those that have all but the last, and so on.
			n := min(len(r.should), requiredWords-len(r.must))
			page.Query = meiliText(slices.Concat(r.must, r.should[:max(0, n)]))
			page.MatchingStrategy = meilisearch.Last
		}
	} else {
		for _, o := range orders {
			page.AttributesToRetrieve = append(page.AttributesToRetrieve, orderName(o.Field))
			direction := ":asc"
			if o.Desc {
				direction = ":desc"
			}
			page.Sort = append(page.Sort, orderName(o.Field)+direction)
		}
		page.Sort = append(page.Sort, slugOrder+":asc")
		if q.After != nil {
			from = 0
			page.Filter = append(slices.Clone(conditions), beyond(q.After, orders))
		}
	}
	counted := page
	if q.After == nil && from%size == 0 && len(r.should) == 0 {
		// One question answers both.
		n := int64(size)
		page.Page, page.HitsPerPage = int64(from/size)+1, &n
	} else {
		none := int64(0)
		counted = &whole
		counted.Page, counted.HitsPerPage = 1, &none
		page.Offset, page.Limit = int64(from), int64(size)
	}
	if q.Facets {
		for _, f := range query.Fields {
			if f.Facet {
				counted.Facets = append(counted.Facets, "x_"+f.Name)
			}
		}
	}
	var found, total *meilisearch.SearchResponse
	if counted == page {
		found, err = m.client.Index(m.uid).SearchWithContext(ctx, page.Query, page)
		total = found
	} else {
		var both *meilisearch.MultiSearchResponse
		both, err = m.client.MultiSearchWithContext(ctx, &meilisearch.MultiSearchRequest{Queries: []*meilisearch.SearchRequest{page, counted}})
		if err == nil && len(both.Results) != 2 {
			err = fmt.Errorf("meilisearch: %d answers to two questions", len(both.Results))
		}
		if err == nil {
			found, total = &both.Results[0], &both.Results[1]
		}
	}
	if err != nil {
		return res, wrapMeili(err)
	}
	res.Total = int(total.TotalHits)
	hits := found.Hits
	if len(r.should) > 0 {
		// Those that lack a required word come last.
		hits = hits[:min(len(hits), max(0, res.Total-from))]
	}
	if ranked && q.After != nil {
		hits, from = behind(hits, from, at, q, func(h meilisearch.Hit) string { return unquote(h["id"]) })
	}
	for i, h := range hits {
		p := query.Position{Keys: make([]any, len(orders)), Slug: unquote(h["id"])}
		for j, o := range orders {
			if o.Field == query.Relevance {
				p.Keys[j] = float64(from + i + 1)
				continue
			}
			raw := h[orderName(o.Field)]
			if len(raw) == 0 {
				continue
			}
			if raw[0] == '"' {
				p.Keys[j] = unhex(unquote(raw))
			} else if n, err := strconv.ParseFloat(string(raw), 64); err == nil {
				p.Keys[j] = n
			}
		}
		res.Slugs = append(res.Slugs, p.Slug)
		res.Positions = append(res.Positions, p)
	}
	if q.Facets {
		res.Facets = noFacets(q)
		var got map[string]map[string]int
		if len(total.FacetDistribution) > 0 {
			if err := json.Unmarshal(total.FacetDistribution, &got); err != nil {
				return res, wrapMeili(err)
			}
		}
		for name, counts := range got {
			for v, n := range counts {
				res.Facets[strings.TrimPrefix(name, "x_")][unhex(v)] = n
			}
		}
	}
	return res, nil
}

func unquote(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

func unhex(s string) string {
	b, err := hex.DecodeString(strings.TrimPrefix(s, "k"))
	if err != nil {
		return ""
	}
	return string(b)
}

// beyond is a filter that the servers behind a position satisfy.
func beyond(p *query.Position, orders []query.Order) string {
	var ways []string
	var same []string
	way := func(last string) {
		ways = append(ways, "("+strings.Join(append(slices.Clone(same), last), " AND ")+")")
	}
	for i, o := range orders {
		name := orderName(o.Field)
		var v string
		switch k := p.Keys[i].(type) {
		case nil:
			same = append(same, name+" NOT EXISTS")
			continue
		case string:
			v = `"k` + hex.EncodeToString([]byte(k)) + `"`
		case float64:
			v = `"` + strconv.FormatFloat(k, 'g', -1, 64) + `"`
		}
		sign := " > "
		if o.Desc {
			sign = " < "
		}
		way("(" + name + sign + v + " OR " + name + " NOT EXISTS)")
		same = append(same, name+" = "+v)
	}
	way(slugOrder + " > " + quote("k"+p.Slug))
	return strings.Join(ways, " OR ")
}

// quote writes a string as filters take it.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// meiliFilter means what registry.Matcher means.
func meiliFilter(f query.Filter) string {
	const never = "(" + metaField + " EXISTS AND " + metaField + " NOT EXISTS)"
	field := query.FieldNamed(f.Field)
	if field == nil || !field.Filter {
		return never
	}
	name := "f_" + field.Name
	if f.Op == query.OpExists {
		if len(f.Values) == 1 && f.Values[0] == true {
			return name + " EXISTS"
		}
		if len(f.Values) == 1 && f.Values[0] == false {
			return name + " NOT EXISTS"
		}
		return never
	}
	var values []string
	for _, v := range f.Values {
		if field.Kind == query.Text {
			if s, ok := v.(string); ok {
				values = append(values, quote(strconv.FormatUint(filterValue(s), 10)))
			}
		} else if n, ok := field.NumberOf(v); ok {
			values = append(values, quote(strconv.FormatFloat(n, 'g', -1, 64)))
		}
	}
	if len(values) == 0 {
		if f.Op == query.OpNe {
			return metaField + " NOT EXISTS"
		}
		return never
	}
	in := name + " IN [" + strings.Join(values, ", ") + "]"
	signs := map[query.Op]string{query.OpGt: ">", query.OpGte: ">=", query.OpLt: "<", query.OpLte: "<="}
	switch {
	case f.Op == query.OpEq || f.Op == query.OpIn:
		return in
	case f.Op == query.OpNe:
		return "NOT " + in
	case field.Kind != query.Text && signs[f.Op] != "":
		return name + " " + signs[f.Op] + " " + values[0]
	}
	return never
}

func (m *Meili) counts(ctx context.Context, of []conjunction) ([]int, error) {
	out := make([]int, 0, len(of))
	for part := range slices.Chunk(of, 100) {
		req := &meilisearch.MultiSearchRequest{}
		for _, c := range part {
			none := int64(0)
			s := &meilisearch.SearchRequest{
				IndexUID: m.uid, Query: meiliText(c.terms), MatchingStrategy: meilisearch.All, Page: 1, HitsPerPage: &none, AttributesToRetrieve: []string{"id"},
			}
			if c.short {
				s.AttributesToSearchOn = shortNames()
			}
			req.Queries = append(req.Queries, s)
		}
		got, err := m.client.MultiSearchWithContext(ctx, req)
		if err != nil {
			return nil, wrapMeili(err)
		}
		if len(got.Results) != len(part) {
			return nil, wrapMeili(fmt.Errorf("meilisearch: %d answers to %d questions", len(got.Results), len(part)))
		}
		for i := range got.Results {
			out = append(out, int(got.Results[i].TotalHits))
		}
	}
	return out, nil
}

func (m *Meili) similar(ctx context.Context, typed string) ([]string, error) {
	found, err := m.client.Index(m.wordsOf(m.uid)).SearchWithContext(ctx, typed, &meilisearch.SearchRequest{
		Limit: 500, MatchingStrategy: meilisearch.All, AttributesToRetrieve: []string{"word"},
	})
	if err != nil {
		return nil, wrapMeili(err)
	}
	var out []string
	for _, h := range found.Hits {
		out = append(out, unquote(h["word"]))
	}
	return out, nil
}
