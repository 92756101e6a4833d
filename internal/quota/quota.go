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
//
// Leases that are requested during a call of the store are made together in the
// next. One call for each key takes more than ten times as long: of 5,000 new
// subjects at once, three quarters waited for more than [storeTimeout] on two busy
// cores, in place of half a second for all of them.
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
	beats   *time.Timer
	turn    chan struct{} // of a batch to be sent

	mu       sync.Mutex      // not locked during calls of the store
	skew     time.Duration   // of the store's clock to ours
	shares   map[int64]Share // by the start of the hour
	counters map[Key]*counter
	next     *batch
	down     bool // the last call of the store failed: there are no leases until the next beat
}

// A counter is the state of a count in one process.
type counter struct {
	calling chan struct{} // closed after a call of the store for this count; nil: there is none
	hand    int32         // requests that may pass without a lease
	granted int32         // Lease.Granted of the last lease
	lent    int32         // of granted, shares that other processes may not have used
	limit   int32         // under which hand was leased; 0: hand is a share
	holder  bool          // the store may have this process among Count.Holders
	idle    bool          // no request since the last sweep
	full    int32         // limit that is used up
	until   int64         // when full ends, in Unix nanoseconds
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
		o: o, done: make(chan struct{}), turn: make(chan struct{}, 1), beats: time.NewTimer(beatEvery),
		shares: map[int64]Share{}, counters: map[Key]*counter{},
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
	q.mu.Lock()
	defer q.mu.Unlock()
	k, c := q.counter(s.at(q.now()))
	result := Result{Limit: limit, Reset: k.ends()}
	if c == nil {
		return result, errUnavailable(nil)
	}
	for !c.take(&result) {
		var err error
		switch now := q.now(); {
		case c.refuses(limit, now):
			result.RetryAfter = max(1, result.Reset.Sub(now))
			return result, nil
		case c.calling != nil:
			err = q.wait(ctx, c)
		case q.down:
			err = errUnavailable(nil)
		default:
			err = q.lease(ctx, k, c, limit)
		}
		if err != nil {
			return result, err
		}
	}
	return result, nil
}

// Peek returns what is left, and whether a request would pass, without counting
// one. It asks the store if this process has no lease.
func (q *Quota) Peek(ctx context.Context, s Subject, limit int) (Result, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	k, c := q.counter(s.at(q.now()))
	result := Result{Limit: limit, Reset: k.ends()}
	if c == nil {
		return result, errUnavailable(nil)
	}
	result.Remaining = c.remaining(limit)
	if c.hand == 0 && !c.refuses(limit, q.now()) {
		if q.down {
			return result, errUnavailable(nil)
		}
		q.mu.Unlock()
		ctx, cancel := context.WithTimeout(ctx, storeTimeout)
		defer cancel()
		granted, err := q.o.Store.Granted(ctx, k)
		q.mu.Lock()
		if err != nil {
			return result, errUnavailable(err)
		}
		result.Remaining = (&counter{granted: int32(granted), lent: c.lent}).remaining(limit)
	}
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
	defer q.mu.Unlock()
	q.down = true
	all := q.counters
	q.counters, q.shares = map[Key]*counter{}, nil
	for k, c := range all {
		for c.calling != nil {
			if err := q.wait(ctx, c); err != nil {
				return err
			}
		}
		if !c.holder || k.ends().Before(q.now()) {
			delete(all, k)
		}
	}
	if err := q.giveBack(ctx, all); err != nil {
		return err
	}
	return q.o.Store.Leave(ctx, q.process)
}

// now is the store's time.
func (q *Quota) now() time.Time { return q.o.Now().Add(q.skew) }

// counter returns the counter of a key, or of that of its network if there are too
// many counters. It returns nil if the shares of the window are not known.
func (q *Quota) counter(k Key) (Key, *counter) {
	c := q.counters[k]
	if c == nil && len(q.counters) >= maxCounters {
		k.Subject = k.network()
		c = q.counters[k]
	}
	if c != nil {
		return k, c
	}
	c = &counter{}
	switch {
	case q.o.Store == nil: // everything is leased
		*c = counter{hand: math.MaxInt32, granted: math.MaxInt32, full: math.MaxInt32,
			until: math.MaxInt64}
	case k.Of == ClientHour:
		s, ok := q.shares[k.Starts]
		if !ok {
			return k, nil
		}
		c.granted = int32(s.Each * len(s.Processes))
		if c.holder = slices.Contains(s.Processes, q.process) && s.Each > 0; c.holder {
			c.hand = int32(s.Each)
		}
		c.lent = c.granted - c.hand
	}
	q.counters[k] = c
	return k, c
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
	c.hand, c.idle = c.hand-1, false
	r.Remaining, r.Allowed = min(c.remaining(r.Limit), r.Limit-1), true
	return true
}

// refuses reports whether the store has nothing left for a request.
func (c *counter) refuses(limit int, now time.Time) bool {
	return int(c.full) >= limit && c.until > now.UnixNano()
}

func (c *counter) refuse(limit int, until time.Time) {
	c.full, c.until = int32(limit), until.UnixNano()
}

func errUnavailable(cause error) error {
	return &registry.Error{Kind: registry.ErrUnavailable, Cause: cause, RetryAfter: 2 * time.Second,
		Msg: "Requests cannot be counted right now. Please try again in a moment."}
}
