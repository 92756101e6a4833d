// Package meter counts events of servers and calls of the keyed API in memory,
// and stores them in batches. It stores no addresses, cookies or user agents.
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

// A Store has counts.
type Store interface {
	// AddCounts stores a batch in one transaction, unless it was stored before.
	AddCounts(ctx context.Context, c Counts, now time.Time) error
}

const (
	// Every is the time between batches. A crash loses the counts since the
	// last one.
	Every = 5 * time.Second
	// maxKeys is how many counts a shard holds while the store does not respond.
	maxKeys = 1 << 14
	// maxBatch is the maximum number of rows in a batch.
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

// A Meter counts. Its methods are safe for concurrent use, and do nothing on a
// nil Meter.
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
		_      [24]byte // shards are on different cache lines
	}
	lost atomic.Int64

	process string
	batch   int64
	waiting []Counts // batches that may not be stored yet, in order
}

// New returns a meter. [Meter.Run] stores its counts. now is the clock, time.Now
// if nil.
func New(store Store, log *slog.Logger, now func() time.Time) *Meter {
	if now == nil {
		now = time.Now
	}
	return &Meter{store: store, log: log, now: now, seed: maphash.MakeSeed(), process: rand.Text()}
}

// Event counts that e happened to the server slug because of r. It ignores bots,
// HEAD requests and prefetches.
func (m *Meter) Event(e Event, slug string, r *http.Request) {
	if m == nil || m.ignores(e, r) {
		return
	}
	m.add(e, slug)
}

// Events counts that e happened to each of the servers because of r.
func (m *Meter) Events(e Event, slugs []string, r *http.Request) {
	if m == nil || len(slugs) == 0 || m.ignores(e, r) {
		return
	}
	for _, slug := range slugs {
		m.add(e, slug)
	}
}

func (m *Meter) ignores(e Event, r *http.Request) bool {
	if r.Method == http.MethodHead {
		return true
	}
	for _, name := range [...]string{"Sec-Purpose", "Purpose", "X-Moz"} {
		if v := r.Header[name]; len(v) > 0 && len(v[0]) >= 8 &&
			(v[0][:8] == "prefetch" || v[0] == "prerender") {
			return true
		}
	}
	ua := r.Header["User-Agent"]
	return len(ua) > 0 && m.bots.is(ua[0], forPeople(e))
}

// forPeople reports whether an event is caused by people with a browser.
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
// without a method, such as "/v1/servers/:id".
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

// Run stores counts every few seconds, and a last time when ctx is done. If that
// fails, it logs that they are lost.
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
				m.log.Warn("counts of the last seconds are lost: cannot store them", "err", err)
			}
			return nil
		case <-tick.C:
		}
		switch err := m.Flush(ctx); {
		case err != nil && !away && ctx.Err() == nil:
			away = true
			m.log.Warn("cannot store counts: keeping them in memory", "err", err)
		case err == nil && away:
			away = false
			m.log.Info("counts are stored again")
		}
	}
}

// Flush stores all counts. After an error it keeps those that were not stored.
// It must not be called concurrently.
func (m *Meter) Flush(ctx context.Context) error {
	if err := m.send(ctx); err != nil { // batches of earlier calls
		return err
	}
	m.collect()
	if err := m.send(ctx); err != nil {
		return err
	}
	if n := m.lost.Swap(0); n > 0 {
		m.log.Warn("counts were lost while the database did not respond", "lost", n)
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

// collect moves the counts in memory into batches.
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
			c.Events = append(c.Events,
				EventCount{Date: date(k.day), Slug: k.slug, Event: k.event, N: n})
			cut(maxBatch)
		}
		for k, n := range calls {
			d := DayCalls{Date: date(k.day), Key: k.key, Endpoint: k.endpoint, Calls: n}
			c.Calls = append(c.Calls, CallCount{Account: k.account, DayCalls: d})
			cut(maxBatch)
		}
	}
	cut(1)
}

func date(day int64) time.Time { return time.Unix(day*86400, 0).UTC() }
