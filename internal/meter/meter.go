// Package meter counts events of servers and calls of the keyed API in memory,
// and stores them in batches. It stores no addresses, cookies or user agents.
package meter

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/mileusna/useragent"
)

// A Store stores counts.
type Store interface {
	// AddCounts adds a batch in one transaction, unless it was added before.
	AddCounts(ctx context.Context, c Counts, now time.Time) error
}

const (
	// Every is the time between batches. A crash loses the counts since the
	// last one.
	Every = 5 * time.Second
	// maxKeys is the maximum number of counts of events, and of calls, in memory while
	// the store does not respond.
	maxKeys = 1 << 18
	// maxBatch is the maximum number of rows in a batch.
	maxBatch = 20_000
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
	bots  *lru.Cache[string, verdict] // by user agent

	mu     sync.Mutex
	events map[eventKey]int64
	calls  map[callKey]int64
	lost   int

	process string
	batch   int64
	waiting []Counts // batches that may not be stored yet, in order
}

// New returns a meter. [Meter.Run] stores its counts. now is the clock.
func New(store Store, log *slog.Logger, now func() time.Time) *Meter {
	bots, _ := lru.New[string, verdict](maxSeen) // the size is valid
	return &Meter{store: store, log: log, now: now, bots: bots, process: rand.Text(),
		events: map[eventKey]int64{}, calls: map[callKey]int64{}}
}

// Event counts an event of a server that r has caused. It ignores bots, HEAD requests
// and prefetches.
func (m *Meter) Event(e Event, slug string, r *http.Request) {
	m.Events(e, []string{slug}, r)
}

// Events is [Meter.Event] for several servers.
func (m *Meter) Events(e Event, slugs []string, r *http.Request) {
	if m == nil || len(slugs) == 0 || m.ignores(e, r) {
		return
	}
	day := m.now().Unix() / 86400
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, slug := range slugs {
		m.lost += add(m.events, eventKey{slug, e, day})
	}
}

// add counts a key. It returns 1 if the count is lost because there are too many keys.
func add[K comparable](counts map[K]int64, k K) (lost int) {
	n, known := counts[k]
	if !known && len(counts) >= maxKeys {
		return 1
	}
	counts[k] = n + 1
	return 0
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
	return len(ua) > 0 && m.isBot(ua[0], e == EventView || e == EventInstallClick)
}

// Call counts a call of an account with one of its keys. endpoint is a route
// without a method, such as "/v1/servers/:id".
func (m *Meter) Call(account, key int64, endpoint string) {
	if m == nil {
		return
	}
	k := callKey{account, key, endpoint, m.now().Unix() / 86400}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lost += add(m.calls, k)
}

// Run stores counts every few seconds, and a last time when ctx is done. It logs lost
// counts.
func (m *Meter) Run(ctx context.Context) error {
	tick := time.NewTicker(Every)
	defer tick.Stop()
	var failure error
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
			defer cancel()
			if err := m.Flush(last); err != nil {
				m.log.Warn("cannot store the counts of the last seconds, which are lost", "err", err)
			}
			return nil
		case <-tick.C:
		}
		switch err := m.Flush(ctx); {
		case err != nil && failure == nil && ctx.Err() == nil:
			failure = err
			m.log.Warn("cannot store counts, retaining them in memory", "err", err)
		case err == nil && failure != nil:
			m.log.Info("counts are stored again", "after", failure)
			failure = nil
		}
	}
}

// Flush stores all counts. After an error, it retains the others. It must not be called
// concurrently.
func (m *Meter) Flush(ctx context.Context) error {
	if err := m.send(ctx); err != nil { // batches of earlier calls
		return err
	}
	lost := m.collect()
	if lost > 0 {
		m.log.Warn("counts were lost while the database did not respond", "lost", lost)
	}
	return m.send(ctx)
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

// collect moves the counts in memory into batches, and returns the number of lost ones.
func (m *Meter) collect() (lost int) {
	m.mu.Lock()
	events, calls := m.events, m.calls
	m.events, m.calls = map[eventKey]int64{}, map[callKey]int64{}
	lost, m.lost = m.lost, 0
	m.mu.Unlock()
	var c Counts
	cut := func(least int) {
		if len(c.Events)+len(c.Calls) >= least {
			m.batch++
			c.Process, c.Batch = m.process, m.batch
			m.waiting = append(m.waiting, c)
			c = Counts{}
		}
	}
	for k, n := range events {
		c.Events = append(c.Events, EventCount{Date: date(k.day), Slug: k.slug, Event: k.event, N: n})
		cut(maxBatch)
	}
	for k, n := range calls {
		d := DayCalls{Date: date(k.day), Key: k.key, Endpoint: k.endpoint, Calls: n}
		c.Calls = append(c.Calls, CallCount{Account: k.account, DayCalls: d})
		cut(maxBatch)
	}
	cut(1)
	return lost
}

func date(day int64) time.Time { return time.Unix(day*86400, 0).UTC() }

type verdict uint8

const (
	person  verdict = iota
	program         // an agent or library
	crawler
)

const (
	maxSeen      = 4096
	maxUserAgent = 512
)

// isBot reports whether a user agent is a bot. For events that programs may cause, only
// crawlers are bots. It caches results, because parsing a user agent takes longer than
// handling a request.
func (m *Meter) isBot(ua string, forPeople bool) bool {
	ua = ua[:min(len(ua), maxUserAgent)]
	v, known := m.bots.Get(ua)
	if !known {
		v = judge(ua)
		m.bots.Add(strings.Clone(ua), v)
	}
	return v == crawler || forPeople && v == program
}

// crawlerWords are parts of the user agents of crawlers.
var crawlerWords = []string{
	"bot", "crawl", "spider", "slurp", "scrape", "externalhit", "preview", "uptime", "monitor",
	"pingdom", "statuscake",
	"lighthouse", "headless", "archiver", "validator", "feedfetcher", "mediapartners",
}

func judge(ua string) verdict {
	lower := strings.ToLower(ua)
	for _, w := range crawlerWords {
		if strings.Contains(lower, w) {
			return crawler
		}
	}
	// User agents of browsers start with Mozilla or Opera.
	if useragent.Parse(ua).Bot || !strings.HasPrefix(lower, "mozilla/") &&
		!strings.HasPrefix(lower, "opera/") {
		return program
	}
	return person
}

// An Event is a counted event of a server.
type Event uint8

// The events. Their names are stored.
const (
	EventView         Event = iota // its page was opened
	EventAPIHit                    // its record or entry was requested by name
	EventImpression                // it was a result of a full-text search
	EventHealthCheck               // its health was requested
	EventInstallClick              // an install link or copy button of its page was used
	EventBadgeView                 // its badge was fetched
	Events            = 6          // number of events
)

var eventNames = [Events]string{"view", "api_hit", "impression", "health_check", "install_click",
	"badge_view"}

func (e Event) String() string { return eventNames[e] }

// EventOf returns the event with a name. ok is false if there is none.
func EventOf(name string) (e Event, ok bool) {
	n := slices.Index(eventNames[:], name)
	return Event(max(n, 0)), n >= 0
}

// DayEvents are the counted events of one server on one UTC day, by [Event].
type DayEvents struct {
	Date   time.Time
	Counts [Events]int64
}

// DayCalls are the calls of an account on one UTC day with one key to one endpoint, a
// route such as "/v1/servers/:id".
type DayCalls struct {
	Date     time.Time
	Key      int64
	Endpoint string
	Calls    int64
}

var routeParameter = regexp.MustCompile(`:(\w+)`)

// Route returns the endpoint in the form of the documentation: "/v1/servers/{id}".
func (d DayCalls) Route() string { return routeParameter.ReplaceAllString(d.Endpoint, "{$1}") }

// An EventCount is the count of an event of a server on a UTC day.
type EventCount struct {
	Date  time.Time
	Slug  string
	Event Event
	N     int64
}

// A CallCount is the count of calls of an account on a UTC day.
type CallCount struct {
	Account int64
	DayCalls
}

// Counts are a batch of the counts of one process.
type Counts struct {
	Process string
	Batch   int64 // 1, 2, 3, … of the process
	Events  []EventCount
	Calls   []CallCount
}
