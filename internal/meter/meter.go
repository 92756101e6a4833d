// Package meter counts what happens to servers and on the keyed API. Counting
// is an addition in memory; what was counted is stored in batches. No address,
// no cookie and no user agent is kept.
package meter

import (
	"context"
	"crypto/rand"
	"hash/maphash"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// A Store keeps counts.
type Store interface {
	// AddCounts stores a batch, all of it or nothing. A batch that is stored
	// already is not stored again.
	AddCounts(ctx context.Context, c Counts, now time.Time) error
}

const (
	// Every is how often counts are stored: a crash loses no more than what
	// was counted since, and what was on its way.
	Every = 5 * time.Second
	// maxKeys bounds what one shard holds while the store is away.
	maxKeys = 1 << 14
	// maxBatch is how many rows go into one batch.
	maxBatch = 20_000
	shards   = 32
)

type eventKey struct {
	slug  string
	event Event
	day   int64 // since 1970
}

type callKey struct {
	account, key int64
	endpoint     string
	day          int64
}

// A Meter counts. Its methods may be called at the same time, also on a nil
// Meter, which counts nothing.
type Meter struct {
	store Store
	log   *slog.Logger
	now   func() time.Time
	bots  bots

	seed   maphash.Seed
	shards [shards]struct {
		mu     sync.Mutex
		events map[eventKey]int64
		calls  map[callKey]int64
		_      [24]byte // no two on one cache line
	}
	lost atomic.Int64

	process string
	batch   int64
	waiting []Counts // batches that are not known to be stored, in order
}

// New returns a meter that stores what it counts in store while
// [Meter.Run] runs. now is the clock, nil for the real one.
func New(store Store, log *slog.Logger, now func() time.Time) *Meter {
	if now == nil {
		now = time.Now
	}
	return &Meter{store: store, log: log, now: now, seed: maphash.MakeSeed(), process: rand.Text()}
}

// Event counts that e happened to the server with that slug because of r.
// Requests of known bots, HEAD requests and prefetched pages are left out.
func (m *Meter) Event(e Event, slug string, r *http.Request) {
	if m == nil || m.leftOut(e, r) {
		return
	}
	m.add(e, slug)
}

// Events counts that e happened to each of the servers because of r.
func (m *Meter) Events(e Event, slugs []string, r *http.Request) {
	if m == nil || len(slugs) == 0 || m.leftOut(e, r) {
		return
	}
	for _, slug := range slugs {
		m.add(e, slug)
	}
}

func (m *Meter) leftOut(e Event, r *http.Request) bool {
	if r.Method == http.MethodHead {
		return true
	}
	for _, name := range [...]string{"Sec-Purpose", "Purpose", "X-Moz"} {
		if v := r.Header[name]; len(v) > 0 && len(v[0]) >= 8 && (v[0][:8] == "prefetch" || v[0] == "prerender") {
			return true
		}
	}
	ua := r.Header["User-Agent"]
	return len(ua) > 0 && m.bots.is(ua[0], forPeople(e))
}

// forPeople reports whether an event is one that people cause with a browser.
func forPeople(e Event) bool {
	return e == EventView || e == EventInstallClick
}

func (m *Meter) add(e Event, slug string) {
	k := eventKey{slug, e, m.now().Unix() / 86400}
	s := &m.shards[maphash.String(m.seed, slug)%shards]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.events == nil {
		s.events = make(map[eventKey]int64)
	}
	n, known := s.events[k]
	if !known && len(s.events) >= maxKeys {
		m.lost.Add(1)
		return
	}
	s.events[k] = n + 1
}

// Call counts a call of an account with one of its keys. endpoint is a route
// without a method, such as "/v1/servers/:id"; it must be one of a few.
func (m *Meter) Call(account, key int64, endpoint string) {
	if m == nil {
		return
	}
	k := callKey{account, key, endpoint, m.now().Unix() / 86400}
	s := &m.shards[uint64(key)%shards]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls == nil {
		s.calls = make(map[callKey]int64)
	}
	n, known := s.calls[k]
	if !known && len(s.calls) >= maxKeys {
		m.lost.Add(1)
		return
	}
	s.calls[k] = n + 1
}

// Run stores what was counted, every few seconds and once more when ctx ends.
// It returns when that is done; what the store does not take then is lost, and
// said in the log.
func (m *Meter) Run(ctx context.Context) error {
	tick := time.NewTicker(Every)
	defer tick.Stop()
	away := false
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
			defer cancel()
			if err := m.Flush(last); err != nil {
				m.log.Warn("counts of the last seconds are lost: the database does not take them", "err", err)
			}
			return nil
		case <-tick.C:
		}
		switch err := m.Flush(ctx); {
		case err != nil && !away && ctx.Err() == nil:
			away = true
			m.log.Warn("counts are not stored and wait in memory: the database does not take them", "err", err)
		case err == nil && away:
			away = false
			m.log.Info("counts are stored again")
		}
	}
}

// Flush stores what was counted so far. After an error, what was not stored is
// kept for the next time. It must not be called twice at the same time.
func (m *Meter) Flush(ctx context.Context) error {
	if err := m.send(ctx); err != nil { // what an earlier time left
		return err
	}
	m.collect()
	if err := m.send(ctx); err != nil {
		return err
	}
	if n := m.lost.Swap(0); n > 0 {
		m.log.Warn("counts were lost while the database was away", "lost", n)
	}
	return nil
}

func (m *Meter) send(ctx context.Context) error {
	for len(m.waiting) > 0 {
		if err := m.store.AddCounts(ctx, m.waiting[0], m.now()); err != nil {
			return err
		}
		m.waiting = m.waiting[1:]
	}
	return nil
}

// collect turns the counts in memory into batches.
func (m *Meter) collect() {
	var c Counts
	cut := func(least int) {
		if len(c.Events)+len(c.Calls) >= least {
			m.batch++
			c.Process, c.Batch = m.process, m.batch
			m.waiting = append(m.waiting, c)
			c = Counts{}
		}
	}
	for i := range m.shards {
		s := &m.shards[i]
		s.mu.Lock()
		events, calls := s.events, s.calls
		s.events, s.calls = nil, nil
		s.mu.Unlock()
		for k, n := range events {
			c.Events = append(c.Events, EventCount{Date: date(k.day), Slug: k.slug, Event: k.event, N: n})
			cut(maxBatch)
		}
		for k, n := range calls {
			c.Calls = append(c.Calls, CallCount{Account: k.account, DayCalls: DayCalls{Date: date(k.day), Key: k.key, Endpoint: k.endpoint, Calls: n}})
			cut(maxBatch)
		}
	}
	cut(1)
}

func date(day int64) time.Time { return time.Unix(day*86400, 0).UTC() }
