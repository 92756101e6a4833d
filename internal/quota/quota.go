// Package quota enforces request limits exactly, over several processes, and
// without a query for each request.
//
// The store has one count for each subject and window. A process leases
// requests of it in blocks, counts them down in memory, and returns what it
// does not use: when it stops, when a lease is idle, and when another process
// has none left and recalls it. The store never grants more than the limit, so
// failures cost unused requests but never let too many pass. Only while it does not respond,
// processes count alone.
//
// Measured on two busy cores with PostgreSQL: with reserves, 5,000 requests of an
// account took 6 µs on average, without them 860 µs. Of 5,000 new subjects at once,
// the last waited 0.7 seconds in batches, and half a minute with a call for each.
package quota

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"mcpcensus/internal/registry"
)

// Options configure a Quota.
type Options struct {
	Store Store            // shared by all processes; nil: this process counts alone, in memory
	Now   func() time.Time // nil: time.Now
}

// A Quota counts requests. Its methods are safe for concurrent use.
type Quota struct {
	o       Options
	process int32 // identifies this process in the store
	stop    context.CancelFunc
	done    chan struct{} // closed when run has ended
	wake    chan struct{} // to run: queue is not empty

	mu       sync.Mutex // not locked during calls of the store
	counters map[Key]*counter
	queue    []*call // to be made now
	scarce   []*call // to be repeated after the next poll
	closed   bool
	others   int       // other processes that shared counts in the last batch
	away     time.Time // since when the store does not respond; zero: it does
}

// A counter is the state of a count in one process.
type counter struct {
	call      *call // enqueued or in progress; nil: none
	available int32 // requests that may pass without a lease
	alone     int32 // requests that passed without the store, which has not counted them
	granted   int32 // Lease.Granted of the last lease
	limit     int32 // of the last lease
	full      int32 // limit that is used up in this window
	holder    bool  // the store may have this process among Count.Holders
	idle      bool  // no request since the last sweep
}

// maxCounters is the maximum number of counters of a process. It counts further
// clients by network, so that attackers with many addresses do not exhaust the
// memory and the store.
const maxCounters = 1 << 20

// New returns a Quota. Close must be called if it has a store.
func New(o Options) *Quota {
	if o.Now == nil {
		o.Now = time.Now
	}
	q := &Quota{o: o, process: rand.Int32(), done: make(chan struct{}), wake: make(chan struct{}, 1),
		counters: map[Key]*counter{}}
	if o.Store != nil {
		var ctx context.Context
		ctx, q.stop = context.WithCancel(context.Background())
		go q.run(ctx)
	}
	return q
}

// Take counts a request of s in the current window, which may pass if
// Result.Allowed. While the store does not respond, this process lets its share of the rest of
// the limit pass, and the store counts these requests later. The error is of kind
// registry.ErrUnavailable, and the request must not pass, if s is an account and the store has not
// responded for [grace]. A request whose ctx is done while it waits may have been counted.
// Requests of a client also count for its network, with a limit of [SiteFactor] times limit.
func (q *Quota) Take(ctx context.Context, s Subject, limit int) (Result, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	r, err := q.take(ctx, s, limit)
	if err != nil || !r.Allowed || !s.isClient() {
		return r, err
	}
	site, err := q.take(ctx, s.site(), SiteFactor*limit)
	if !site.Allowed {
		r.Allowed, r.OfSite, r.RetryAfter = false, err == nil, site.RetryAfter
	}
	return r, err
}

// take is Take for one count. The caller holds q.mu.
func (q *Quota) take(ctx context.Context, s Subject, limit int) (Result, error) {
	k, c := q.counter(s.at(q.o.Now()))
	result := Result{Limit: limit, Reset: k.ends()}
	for {
		switch {
		case c.take(limit):
			result.Remaining, result.Allowed = c.rest(limit), true
			return result, nil
		case int(c.full) >= limit:
			result.RetryAfter = max(1, result.Reset.Sub(q.o.Now()))
			return result, nil
		}
		err := q.wait(ctx, k, c, limit, 1)
		if err != nil && q.mayPass(ctx, s.Of) {
			result.Remaining = q.share(c, limit)
			if result.Allowed = result.Remaining > 0; result.Allowed {
				c.alone, c.idle = c.alone+1, false
				result.Remaining--
			} else {
				result.RetryAfter = max(1, result.Reset.Sub(q.o.Now()))
			}
			return result, nil
		}
		if err != nil {
			return result, err
		}
	}
}

// Peek returns what is left, and whether a request would pass, without counting
// one. It queries the store if this process has no lease.
func (q *Quota) Peek(ctx context.Context, s Subject, limit int) (Result, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	k, c := q.counter(s.at(q.o.Now()))
	result := Result{Limit: limit, Reset: k.ends()}
	if c.available == 0 && int(c.full) < limit {
		err := q.wait(ctx, k, c, limit, 0)
		if err != nil && q.mayPass(ctx, s.Of) {
			result.Remaining = q.share(c, limit)
			result.Allowed = result.Remaining > 0
			return result, nil
		}
		if err != nil {
			return result, err
		}
	}
	result.Remaining = c.rest(limit)
	result.Allowed = result.Remaining > 0
	return result, nil
}

// grace is how long the requests of accounts pass while the store does not respond.
const grace = 10 * time.Minute

// mayPass reports whether requests may pass although a call of the store failed, because it is away.
func (q *Quota) mayPass(ctx context.Context, of Kind) bool {
	isAccount := of == AccountHour || of == AccountDay || of == OwnerHour
	return ctx.Err() == nil && !q.closed && !q.away.IsZero() &&
		(!isAccount || q.o.Now().Sub(q.away) < grace)
}

// share returns how many more requests may pass without the store: of the rest of the limit that
// was known last, divided by the processes that share it.
func (q *Quota) share(c *counter, limit int) int {
	rest := max(0, limit-int(c.granted))
	return max(0, (rest+q.others)/(q.others+1)-int(c.alone))
}

// Away returns since when the store does not respond, zero if it does.
func (q *Quota) Away() time.Time {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.away
}

// Close returns all unused requests to the store. If that fails, they count as
// used. Later requests fail.
func (q *Quota) Close(ctx context.Context) error {
	if q.o.Store == nil {
		return nil
	}
	q.stop()
	<-q.done
	q.mu.Lock()
	q.closed = true
	q.queue = append(q.queue, q.scarce...)
	for _, c := range q.queue {
		c.want = 0
	}
	for k, c := range q.counters {
		if (c.holder || c.alone > 0) && c.call == nil && k.ends().After(q.o.Now()) {
			q.enqueue(k, c, 0, 0)
		}
	}
	q.counters, q.scarce = map[Key]*counter{}, nil
	q.mu.Unlock()
	return q.flush(ctx)
}

// counter returns the counter of a key, or of that of its network if there are too
// many counters.
func (q *Quota) counter(k Key) (Key, *counter) {
	c := q.counters[k]
	if c == nil && len(q.counters) >= maxCounters {
		k.Subject = k.network()
		c = q.counters[k]
	}
	if c == nil {
		c = &counter{}
		if q.o.Store == nil { // everything is leased
			*c = counter{available: math.MaxInt32, granted: math.MaxInt32, full: math.MaxInt32}
		}
		q.counters[k] = c
	}
	return k, c
}

// rest returns what is left of a limit: what no process has leased, and what this
// one has left.
func (c *counter) rest(limit int) int { return max(0, limit-int(c.granted)+int(c.available)) }

// take lets a request pass if this process has one left and the limit allows
// it.
func (c *counter) take(limit int) bool {
	if c.available <= 0 || c.rest(limit) == 0 || limit < int(c.limit) {
		return false
	}
	c.available, c.idle = c.available-1, false
	return true
}

func errUnavailable(cause error) error {
	return &registry.Error{Kind: registry.ErrUnavailable, Cause: cause, RetryAfter: 2 * time.Second,
		Msg: "Requests cannot be counted right now. Please try again in a moment."}
}

// ClientsHourly is the limit of requests to /api in a UTC hour for a client
// without a key.
const ClientsHourly = 100

// A Kind determines what a limit counts, and its window.
type Kind uint8

// The kinds. Their numbers are stored.
const (
	ClientHour  Kind = iota // requests of a client's address in an hour
	AccountHour             // requests with the keys of an account in an hour, on /api
	AccountDay              // requests with the keys of an account in a day, on /v1
	VisitorHour             // requests of a client's address to the account pages in an hour
	// forms of a client's address in an hour, which add servers or report problems
	FormHour
	// requests of a signed-in account to the account pages in an hour, after those of
	// its address
	OwnerHour
	ToolHour // calls of tools at /mcp of a client's address in an hour
	Kinds    // number of kinds
)

// Window returns the length of a window. Windows start at multiples of it in
// UTC.
func (k Kind) Window() time.Duration {
	if k == AccountDay {
		return 24 * time.Hour
	}
	return time.Hour
}

// A Subject is an account, by its id, or a client, by its address as a number: the upper
// half of an IPv6 address, or 0xffff in the upper 16 bits and an IPv4 address in the
// lower 32.
type Subject struct {
	Of Kind
	ID uint64
}

// SiteFactor is the limit of the network of a client that one subscriber may own, an IPv4 /24 or an
// IPv6 /48, relative to that of a client.
const SiteFactor = 4

// The upper 16 bits of the numbers of IPv4 addresses and of sites; no IPv6 network of clients begins
// with them.
const client4, site4, site6 = 0xffff, 0xfffe, 0xfffd

// isClient reports whether s is a known client or the site of one.
func (s Subject) isClient() bool {
	return s.ID != 0 && (s.Of == ClientHour || s.Of == VisitorHour || s.Of == FormHour ||
		s.Of == ToolHour)
}

func (s Subject) site() Subject {
	if s.ID>>48 == client4 {
		s.ID = site4<<48 | s.ID&(1<<32-1)>>8
	} else {
		s.ID = site6<<48 | s.ID>>16
	}
	return s
}

// network returns the subject of the network of a client or site, a /16 of IPv4 or a /32 of
// IPv6. For accounts it returns s.
func (s Subject) network() Subject {
	bits := 32
	switch {
	case !s.isClient():
		bits = 0
	case s.ID>>48 == client4, s.ID>>48 == site6:
		bits = 16
	case s.ID>>48 == site4:
		bits = 8
	}
	s.ID &^= 1<<bits - 1
	return s
}

// A Key identifies the count of a subject in one window.
type Key struct {
	Subject
	Starts int64 // of the window, in Unix seconds
}

func (s Subject) at(now time.Time) Key { return Key{s, now.Truncate(s.Of.Window()).Unix()} }

func (k Key) ends() time.Time { return time.Unix(k.Starts, 0).Add(k.Of.Window()) }

// A Result reports whether a request may pass, and the rest of its limit.
type Result struct {
	Limit int
	// Remaining does not include the unused requests that other processes have leased.
	Remaining  int
	Reset      time.Time     // the end of the window
	RetryAfter time.Duration // until Reset, if the request may not pass
	Allowed    bool          // the request may pass
	OfSite     bool          // it may not, because the network of the client has made too many
}
