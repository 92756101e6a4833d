// Package quota enforces request limits exactly, over several processes, and
// without a query for each request.
//
// The store has one count for each subject and window. A process leases
// requests of it in blocks, counts them down in memory, and returns what it
// does not use: when it stops, when a lease is idle, and when another process
// has none left and recalls it. The store never grants more than the limit, so
// failures cost unused requests but never let too many pass.
//
// Clients are many with few requests each. Therefore a quarter of their limit
// is split evenly among the processes when an hour begins. Such a share is a
// lease of every client that needs no query.
package quota

import (
	"context"
	"log/slog"
	"math"
	"slices"
	"sync"
	"time"

	"mcpcensus/internal/registry"
)

// Options configure a Quota.
type Options struct {
	Store   Store // shared by all processes; nil: this process counts alone, in memory
	Clients int   // limit of clients per hour, of which a quarter is shared
	Log     *slog.Logger
	Now     func() time.Time // nil: time.Now
}

// A Quota counts requests. Its methods are safe for concurrent use.
type Quota struct {
	o       Options
	process int32
	stop    context.CancelFunc
	done    chan struct{} // closed when run has ended
	wake    chan struct{} // wakes run, which makes all calls of the store but Granted

	mu       sync.Mutex
	skew     time.Duration   // of the store's clock to ours
	shares   map[int64]Share // by the start of the hour
	counters map[Key]counter
	claims   map[claimKey]*claim
	down     bool // the last call of the store failed: requests that need it are rejected at once
}

// A counter is the state of a count in one process. It has no pointers, which keeps
// large maps cheap for the garbage collector.
type counter struct {
	hand    int32 // requests that may pass without a lease
	granted int32 // Lease.Granted of the last lease
	lent    int32 // of granted, shares that other processes may not have used
	limit   int32 // under which hand was leased
	full    int32 // limit that is used up for the rest of the window
	leased  bool  // hand is not a share
	holder  bool  // the store may have this process among Count.Holders
	used    int64 // time of the last request, in Unix nanoseconds
	retry   int64 // until when the limit counts as used up, in Unix nanoseconds
}

// maxCounters is how many counters a process has. It counts further clients by
// network, so that attackers with many addresses do not exhaust the memory.
const maxCounters = 1 << 20

// New joins the processes that share the store. Close must be called.
func New(ctx context.Context, o Options) (*Quota, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	q := &Quota{
		o: o, done: make(chan struct{}), wake: make(chan struct{}, 1),
		shares: map[int64]Share{}, counters: map[Key]counter{}, claims: map[claimKey]*claim{},
	}
	if o.Store == nil {
		return q, nil
	}
	var err error
	if q.process, err = o.Store.Join(ctx); err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	q.stop = stop
	recalls, err := o.Store.Recalls(running, q.process)
	if err == nil {
		err = q.beat(ctx)
	}
	if err != nil {
		stop()
		return nil, err
	}
	go q.run(running, recalls)
	return q, nil
}

// Take counts a request of s in the current window, which may pass if
// Result.Allowed. If the store does not respond, the error is of kind
// registry.ErrUnavailable and the request must not pass. A request whose ctx
// is done while it waits may have been counted.
func (q *Quota) Take(ctx context.Context, s Subject, limit int) (Result, error) {
	w, result, err := q.take(s, limit)
	if w == nil {
		return result, err
	}
	q.wakeUp()
	select {
	case err := <-w.response:
		return w.Result, err
	case <-ctx.Done():
		return result, ctx.Err()
	}
}

// take returns a waiter if the request needs a lease.
func (q *Quota) take(s Subject, limit int) (*waiter, Result, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	k, c, ok := q.counter(s)
	now := q.now()
	c.used = now.UnixNano()
	result := Result{Limit: limit, Reset: k.ends()}
	switch {
	case ok && c.take(&result):
		q.counters[k] = c
		return nil, result, nil
	case ok && (int(c.full) >= limit || c.retry > c.used):
		result.RetryAfter = result.Reset.Sub(now)
		return nil, result, nil
	case q.down || !ok:
		return nil, result, errUnavailable(nil)
	}
	q.counters[k] = c
	w := &waiter{result, make(chan error, 1)}
	q.enqueue(claimKey{k, limit}, w)
	return w, result, nil
}

// Peek returns what is left, and whether a request would pass, without counting
// one. It asks the store if this process has no lease.
func (q *Quota) Peek(ctx context.Context, s Subject, limit int) (Result, error) {
	q.mu.Lock()
	k, c, ok := q.counter(s)
	down := q.down
	q.mu.Unlock()
	result := Result{Limit: limit, Reset: k.ends()}
	if !ok || c.hand == 0 && int(c.full) < limit {
		if down {
			return result, errUnavailable(nil)
		}
		ctx, cancel := context.WithTimeout(ctx, storeTimeout)
		defer cancel()
		granted, err := q.o.Store.Granted(ctx, k)
		if err != nil {
			return result, errUnavailable(err)
		}
		c = counter{granted: int32(granted), lent: c.lent}
	}
	result.Remaining = c.remaining(limit)
	result.Allowed = result.Remaining > 0
	return result, nil
}

// Close returns all unused requests to the store and leaves. If that fails,
// they count as used. Requests no longer pass.
func (q *Quota) Close(ctx context.Context) error {
	if q.o.Store == nil {
		return nil
	}
	q.stop()
	<-q.done
	q.mu.Lock()
	q.fail(nil)
	var all []LeaseRequest
	for k, c := range q.counters {
		if c.holder && k.ends().After(q.now()) {
			all = append(all, LeaseRequest{Key: k, Unused: int(c.hand)})
		}
	}
	clear(q.counters)
	clear(q.shares)
	q.mu.Unlock()
	for part := range slices.Chunk(all, maxBatch) {
		if _, err := q.o.Store.Lease(ctx, q.process, part); err != nil {
			return err
		}
	}
	return q.o.Store.Leave(ctx, q.process)
}

// now is the store's time.
func (q *Quota) now() time.Time { return q.o.Now().Add(q.skew) }

// counter returns the key and the counter of a subject, or of its network if there
// are too many counters. ok is false if the shares of the window are not known.
func (q *Quota) counter(s Subject) (k Key, c counter, ok bool) {
	k = s.at(q.now())
	if _, known := q.counters[k]; !known && len(q.counters) >= maxCounters {
		k.Subject = s.network()
	}
	c, ok = q.counterAt(k)
	return k, c, ok
}

// counterAt returns the counter of a key, or a new one that is not in the map yet.
func (q *Quota) counterAt(k Key) (c counter, ok bool) {
	if c, ok = q.counters[k]; ok {
		return c, true
	}
	switch {
	case q.o.Store == nil: // everything is leased
		c = counter{hand: math.MaxInt32, granted: math.MaxInt32, full: math.MaxInt32}
	case k.Of == ClientHour:
		s, ok := q.shares[k.Starts]
		if !ok {
			return c, false
		}
		c.granted = int32(s.Each * len(s.Processes))
		if c.holder = slices.Contains(s.Processes, q.process) && s.Each > 0; c.holder {
			c.hand = int32(s.Each)
		}
		c.lent = c.granted - c.hand
	}
	return c, true
}

// rest is what is left of a limit: what no process has leased, and what this
// one has left.
func (c *counter) rest(limit int) int { return max(0, limit-int(c.granted)+int(c.hand)) }

// remaining is what is left of a limit as far as this process knows: shares of other
// processes count as unused, so it is too high by what these have let pass of them.
func (c *counter) remaining(limit int) int { return min(limit, c.rest(limit)+int(c.lent)) }

// take lets a request pass if this process has one left and the limit allows
// it.
func (c *counter) take(r *Result) bool {
	rest := c.rest(r.Limit)
	if c.hand <= 0 || rest <= 0 || r.Limit < int(c.limit) {
		return false
	}
	c.hand--
	r.Remaining, r.Allowed = min(c.remaining(r.Limit), r.Limit-1), true
	return true
}

func errUnavailable(cause error) error {
	return &registry.Error{Kind: registry.ErrUnavailable, Cause: cause, RetryAfter: 2 * time.Second,
		Msg: "Requests cannot be counted right now. Please try again in a moment."}
}
