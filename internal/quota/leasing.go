package quota

import (
	"context"
	"errors"
	"slices"
	"time"
)

const (
	maxBatch     = 5000                   // keys in one call of the store
	storeTimeout = 2 * time.Second        // of a call of the store
	pollEvery    = 250 * time.Millisecond // between reads of recalls, and between tries
	maxTries     = 20                     // while other processes return requests: five seconds
	sweepEvery   = 30 * time.Second       // leases that are idle between two sweeps are returned
)

// A call is a request to the store that waits for the next batch, or is in it.
type call struct {
	key     Key
	counter *counter
	limit   int
	want    int
	tries   int
	done    chan struct{} // closed after the call
	err     error
}

// enqueue adds a call for a counter that has none.
func (q *Quota) enqueue(k Key, c *counter, limit, want int) {
	c.call = &call{key: k, counter: c, limit: limit, want: want, done: make(chan struct{})}
	q.queue = append(q.queue, c.call)
	select {
	case q.wake <- struct{}{}:
	default: // run is already woken
	}
}

// wait waits for the call of a counter, and makes one that wants requests if
// there is none.
func (q *Quota) wait(ctx context.Context, k Key, c *counter, limit, want int) error {
	if q.closed || !q.away.IsZero() { // poll notices when the store is back
		return errUnavailable(nil)
	}
	if c.call == nil {
		q.enqueue(k, c, limit, want)
	}
	call := c.call
	q.mu.Unlock()
	defer q.mu.Lock()
	select {
	case <-call.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	if call.err != nil {
		return errUnavailable(call.err)
	}
	return nil
}

// run makes the calls of the store, one at a time, until ctx is done.
func (q *Quota) run(ctx context.Context) {
	defer close(q.done)
	polls, sweeps := time.NewTicker(pollEvery), time.NewTicker(sweepEvery)
	defer polls.Stop()
	defer sweeps.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-q.wake:
		case <-polls.C:
			q.poll(ctx)
		case <-sweeps.C:
			q.sweep()
		}
		q.flush(context.WithoutCancel(ctx)) // callers receive the error
	}
}

// flush makes the calls of the queue.
func (q *Quota) flush(ctx context.Context) (err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.queue) > 0 {
		calls := q.queue[:min(len(q.queue), maxBatch)]
		q.queue = q.queue[len(calls):]
		err = errors.Join(err, q.send(ctx, calls))
	}
	return err
}

// send makes one call of the store, during which q.mu is unlocked.
func (q *Quota) send(ctx context.Context, calls []*call) error {
	requests := make([]LeaseRequest, len(calls))
	for i, c := range calls {
		requests[i] = LeaseRequest{c.key, c.limit, int(c.counter.available - c.counter.alone), c.want,
			c.tries == maxTries}
		c.counter.available, c.counter.alone = 0, 0
	}
	q.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	leases, err := q.o.Store.LeaseQuota(ctx, q.process, requests)
	cancel()
	q.mu.Lock()
	if q.noteStore(err); err == nil {
		q.others = 0
	}
	for i, c := range calls {
		switch {
		case err == nil:
			q.others = max(q.others, leases[i].Holders)
			if l := leases[i]; !c.counter.apply(requests[i], l) {
				c.tries++
				q.scarce = append(q.scarce, c)
				continue
			}
		default: // what the store may have counted is no longer available, but counts again
			if c.counter.alone += int32(max(0, -requests[i].Unused)); !errors.Is(err, ErrUncertain) {
				c.counter.available = int32(max(0, requests[i].Unused))
			}
		}
		c.err = err
		c.counter.call = nil
		close(c.done)
	}
	return err
}

// noteStore notes whether the store responds.
func (q *Quota) noteStore(err error) {
	switch {
	case err == nil:
		q.away = time.Time{}
	case q.away.IsZero():
		q.away = q.o.Now()
	}
}

// apply sets the counter to a lease. It returns false if other processes must
// first return requests.
func (c *counter) apply(r LeaseRequest, l Lease) bool {
	c.available, c.granted, c.holder = int32(l.Given), int32(l.Granted), l.Given > r.Want
	if r.Want == 0 {
		return true
	}
	c.limit, c.full = int32(r.Limit), 0
	if l.Given == 0 && l.Holders == 0 {
		c.full = int32(r.Limit)
	}
	return l.Given > 0 || l.Holders == 0
}

// poll enqueues the return of recalled leases, and the calls for scarce counts.
func (q *Quota) poll(ctx context.Context) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.counters) == 0 && q.away.IsZero() {
		return
	}
	q.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	recalls, err := q.o.Store.QuotaRecalls(ctx, q.process)
	cancel()
	q.mu.Lock()
	if q.noteStore(err); err != nil {
		return // the next poll repeats them
	}
	for _, k := range recalls {
		if c := q.counters[k]; c != nil && c.call == nil {
			q.enqueue(k, c, 0, 0)
		}
	}
	q.queue = append(q.queue, q.scarce...)
	q.scarce = nil
}

// sweep enqueues the return of idle leases, and deletes the counters of old windows.
func (q *Quota) sweep() {
	q.mu.Lock()
	defer q.mu.Unlock()
	old, away := q.o.Now().Add(-time.Minute), !q.away.IsZero()
	for k, c := range q.counters {
		switch {
		case k.ends().Before(old):
			delete(q.counters, k)
		case (c.idle && c.available > 0 || c.alone > 0) && c.call == nil && !away:
			q.enqueue(k, c, 0, 0)
		}
		c.idle = true
	}
}

// A Store has the counts that processes share.
type Store interface {
	// LeaseQuota applies [Count.Lease] to requests, which have different keys:
	// to all or, with an error, to none. If the error is ErrUncertain, it may
	// have applied it to all.
	LeaseQuota(ctx context.Context, process int32, requests []LeaseRequest) ([]Lease, error)
	// QuotaRecalls returns the keys of scarce counts that process holds.
	QuotaRecalls(ctx context.Context, process int32) ([]Key, error)
}

// ErrUncertain reports that a change may or may not have been made.
var ErrUncertain = errors.New("the outcome is unknown")

// A LeaseRequest returns the unused requests of a process to a count and leases
// new ones.
type LeaseRequest struct {
	Key
	Limit  int
	Unused int  // requests that the process returns: all it has, less than 0 if it let more pass
	Want   int  // requests to lease, without the reserve; 0: none
	Evict  bool // take other holders for dead
}

// A Lease is the response to a [LeaseRequest].
type Lease struct {
	Given   int // requests that the process may let pass
	Granted int // requests of the limit that are used or leased by any process
	Holders int // other processes that may have unused requests
}

// A Count is the state of a limit in the store. Granted never exceeds the limit,
// unless that is lowered, so no failure lets more requests pass.
type Count struct {
	Granted int     // requests that are used or leased by any process
	Holders []int32 // processes that may have unused requests
	Scarce  bool    // a process waits for the unused requests of the holders
}

// maxReserve is the maximum reserve, which a process that is killed loses.
const maxReserve = 100

// Lease takes back the unused requests of process, and leases as many as it wants
// or the limit allows. It adds a reserve of an eighth of the rest, or of a 32nd
// while other processes have reserves.
func (c *Count) Lease(process int32, r LeaseRequest) Lease {
	c.Granted -= r.Unused
	c.Holders = slices.DeleteFunc(c.Holders, func(h int32) bool { return r.Evict || h == process })
	l := Lease{Holders: len(c.Holders)}
	if r.Want > 0 {
		rest := max(0, r.Limit-c.Granted)
		reserve := rest / 8
		if l.Holders > 0 {
			reserve = rest / 32
		}
		l.Given = min(rest, max(r.Want, min(reserve, maxReserve)))
		c.Granted += l.Given
		c.Scarce = l.Given < r.Want && l.Holders > 0
		if l.Given > r.Want {
			c.Holders = append(c.Holders, process)
		}
	}
	l.Granted = c.Granted
	return l
}
