package search

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/meilisearch/meilisearch-go"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// Meili is an [Index] in Meilisearch. Any number of processes may share it.
type Meili struct {
	client   meilisearch.ServiceManager
	uid      string
	layout   string // a hash of the settings; an index of another layout is rebuilt
	embedder *meilisearch.Embedder
	log      *slog.Logger
	most     int                       // matches of a text
	counts   *lru.Cache[string, int64] // by search for a word, the servers that it matched

	build   sync.Mutex // held during a rebuild
	mu      sync.Mutex // held during a write
	ready   bool       // the index exists; guarded by mu
	checked atomic.Pointer[state]
}

// A state is the last observed state of an index.
type state struct {
	at      time.Time
	servers int
}

const embedderName = "census"

// OpenMeili returns the index of that name at a Meilisearch URL. It does not connect: a wrong
// URL or key is an error of the first call. With an embedder, a JSON object as in the settings
// of Meilisearch, searches also match by meaning. Searches take as long as their context
// allows.
func OpenMeili(url, key, name, embedder string, log *slog.Logger) (*Meili, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 64, 64
	// Meilisearch sends compressed responses in small pieces, the last of which
	// waits 40 ms for an acknowledgement.
	transport.DisableCompression = true
	m := &Meili{
		client: meilisearch.New(strings.TrimRight(url, "/"), meilisearch.WithAPIKey(key), meilisearch.DisableRetries(),
			meilisearch.WithCustomClient(&http.Client{Transport: transport, Timeout: 2 * time.Minute})),
		uid: name, log: log, most: query.MaxMatches,
	}
	if embedder != "" {
		if err := json.Unmarshal([]byte(embedder), &m.embedder); err != nil {
			return nil, fmt.Errorf("embedder: %w", err)
		}
	}
	m.counts, _ = lru.New[string, int64](meiliCounts) // the size is valid
	settings, err := json.Marshal(meiliSettings(m.embedder))
	if err != nil {
		return nil, err
	}
	m.layout = hash(layout, string(settings))
	return m, nil
}

// create creates the index of that name, empty, unless it exists.
func (m *Meili) create(ctx context.Context, uid string) error {
	_, err := m.client.GetIndexWithContext(ctx, uid)
	if err == nil || !isMissing(err) {
		return wrapMeili(err)
	}
	t, err := m.client.CreateIndexWithContext(ctx, &meilisearch.IndexConfig{Uid: uid, PrimaryKey: "id"})
	if err = m.wait(ctx, t, err); err != nil && !strings.Contains(err.Error(), "already exists") {
		return err
	}
	t, err = m.client.Index(uid).UpdateSettingsWithContext(ctx, meiliSettings(m.embedder))
	if err = m.wait(ctx, t, err); err != nil {
		return err
	}
	t, err = m.client.Index(uid).UpdateFacetSearchWithContext(ctx, false)
	return m.wait(ctx, t, err)
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

func isMissing(err error) bool {
	e, ok := errors.AsType[*meilisearch.Error](err)
	return ok && e.StatusCode == http.StatusNotFound
}

// wrapMeili shortens the library's error, which may contain the whole request.
func wrapMeili(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return err
	}
	cause, msg := err, "the search engine is unavailable"
	var e *meilisearch.Error
	if errors.As(err, &e) {
		cause = fmt.Errorf("meilisearch: %s %s: status %d %s: %s", e.Method, e.Endpoint, e.StatusCode, e.MeilisearchApiError.Code, e.MeilisearchApiError.Message)
		if e.OriginError != nil {
			cause = fmt.Errorf("meilisearch: %s %s: %w", e.Method, e.Endpoint, e.OriginError)
		}
		if e.StatusCode == http.StatusUnauthorized || e.StatusCode == http.StatusForbidden {
			msg = "the search engine rejects CENSUS_MEILI_KEY"
		}
	}
	return registry.Wrap(registry.ErrUnavailable, cause, msg)
}

// At implements [Index]. An index of another layout counts as empty.
func (m *Meili) At(ctx context.Context) (Point, error) {
	p, _, err := m.point(ctx)
	return p, err
}

// point returns the position of the index, and whether it was ever filled with documents of
// this layout.
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
	if isMissing(err) || err == nil && got.Layout != m.layout {
		return meta{}, false, nil
	}
	return got, err == nil, wrapMeili(err)
}

// checkInterval is how often a search checks whether the index was filled.
const checkInterval = 10 * time.Second

// built returns the number of servers. It fails with ErrNotBuilt if the index was not filled.
// Unless certain is set, it may return a recent result.
func (m *Meili) built(ctx context.Context, certain bool) (servers int, err error) {
	if s := m.checked.Load(); s != nil && time.Since(s.at) < checkInterval && !certain {
		return s.servers, nil
	}
	now := time.Now()
	stats, err := m.Stats(ctx)
	switch {
	case err != nil:
		return 0, err
	case !stats.Built:
		m.checked.Store(nil)
		return 0, ErrNotBuilt
	}
	m.checked.Store(&state{now, stats.Servers})
	return stats.Servers, nil
}

// Clear implements [Index].
func (m *Meili) Clear(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ready = false
	m.checked.Store(nil)
	_, err := m.client.GetIndexWithContext(ctx, m.uid)
	if isMissing(err) {
		return nil
	}
	if err != nil {
		return wrapMeili(err)
	}
	t, err := m.client.Index(m.uid).DeleteAllDocumentsWithContext(ctx, nil)
	return m.wait(ctx, t, err)
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
		first = append(first, meta{builtID, m.layout, 0, at.Source, at.Build})
	}
	tasks, err := m.put(ctx, m.uid, servers, removed, append(first, meta{metaID, m.layout, seq, at.Source, at.Build}))
	for _, t := range tasks {
		if e := m.wait(ctx, t, nil); err == nil {
			err = e
		}
	}
	if err != nil {
		m.ready = false // the index may have been removed
	}
	return err
}

// put sends removals and then servers, and returns the tasks that store them.
// The last task also stores marks, which are of type meta.
func (m *Meili) put(
	ctx context.Context, uid string, servers []registry.Server, removed []string, marks []any,
) (tasks []*meilisearch.TaskInfo, err error) {
	docs := make([]any, 0, len(servers)+len(marks))
	for i := range servers {
		docs = append(docs, toMeili(&servers[i]))
	}
	docs = append(docs, marks...)
	if len(removed) > 0 {
		t, err := m.client.Index(uid).DeleteDocumentsWithContext(ctx, removed, nil)
		if err != nil {
			return tasks, wrapMeili(err)
		}
		tasks = append(tasks, t)
	}
	if len(docs) > 0 {
		t, err := m.client.Index(uid).AddDocumentsWithContext(ctx, docs, nil)
		if err != nil {
			return tasks, wrapMeili(err)
		}
		tasks = append(tasks, t)
	}
	return tasks, nil
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
	var pending []*meilisearch.TaskInfo
	last := int64(0)
	err = fill(ctx, feed, func(servers []registry.Server, removed []string, seq int64) error {
		last = seq
		tasks, err := m.put(ctx, fresh, servers, removed, nil)
		pending = append(pending, tasks...)
		// Meilisearch joins waiting tasks into larger ones, which is faster, but stores all of
		// them on disk.
		for err == nil && len(pending) > 200 {
			err = m.wait(ctx, pending[0], nil)
			pending = pending[1:]
		}
		return err
	})
	if err == nil {
		var tasks []*meilisearch.TaskInfo
		first := meta{builtID, m.layout, last, source, rand.Text()}
		later := first
		later.ID = metaID
		tasks, err = m.put(ctx, fresh, nil, nil, []any{first, later})
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
	})
	if err = m.wait(ctx, t, err); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ready = true
	m.checked.Store(nil)
	return nil
}

// drop removes the index of that name.
func (m *Meili) drop(ctx context.Context, uid string) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if _, err := m.client.DeleteIndexWithContext(ctx, uid); err != nil && !isMissing(err) {
		m.log.Warn("search: an index cannot be removed from Meilisearch", "index", uid, "err", wrapMeili(err))
	}
}

// sweep removes indexes of rebuilds that were killed.
func (m *Meili) sweep(ctx context.Context) {
	list, err := m.client.ListIndexesWithContext(ctx, &meilisearch.IndexesQuery{Limit: 1000})
	if err != nil {
		return
	}
	for _, i := range list.Results {
		if strings.HasPrefix(i.UID, m.uid+"_build_") && time.Since(i.UpdatedAt) > time.Hour {
			m.drop(ctx, i.UID)
		}
	}
}

// Stats implements [Index].
func (m *Meili) Stats(ctx context.Context) (Stats, error) {
	st := Stats{Engine: "meilisearch"}
	got, err := m.client.Index(m.uid).GetStatsWithContext(ctx, nil)
	if isMissing(err) {
		return st, nil
	}
	if err != nil {
		return st, wrapMeili(err)
	}
	if n, ok := got.RawDocumentDbSize.(float64); ok {
		st.Bytes = int64(n)
	}
	p, built, err := m.point(ctx)
	st.Seq, st.Built = p.Seq, built
	if built { // two documents are of type meta
		st.Servers = int(got.NumberOfDocuments) - 2
	}
	return st, err
}

// Close implements [Index].
func (m *Meili) Close() error {
	m.client.Close()
	return nil
}
