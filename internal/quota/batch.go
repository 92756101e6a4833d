package quota

import (
	"context"
	"errors"
	"time"
)

const (
	maxBatch     = 5000                   // keys in one call of the store
	storeTimeout = 2 * time.Second        // for one call of the store
	beatEvery    = 2 * time.Second        // between beats
	retryEvery   = 300 * time.Millisecond // between beats while the store does not respond
	idleAfter    = time.Minute            // unused leases are returned
	shareAhead   = 5 * time.Minute        // before an hour, its shares are fixed
	maxTries     = 35                     // while other processes return requests: about 3 seconds
)

// A waiter is a request that waits for a lease.
type waiter struct {
	Result
	response chan error // has room for one; Result is set before
}

// A claim is a pending operation on a key: a lease for its waiters, or the
// return of unused requests.
type claim struct {
	waiters []*waiter
	tries   int
	waiting bool // for other processes to return requests
}

// Waiters of one key have different limits while a plan changes.
type claimKey struct {
	Key
	limit int // 0: return what the process has
}

func (q *Quota) enqueue(k claimKey, waiters ...*waiter) {
	if q.claims[k] == nil {
		q.claims[k] = &claim{}
	}
	q.claims[k].waiters = append(q.claims[k].waiters, waiters...)
}

func (q *Quota) wakeUp() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// serve responds to waiters as far as that needs no lease.
func (c *claim) serve(have *counter, now time.Time) {
	var rest []*waiter
	for _, w := range c.waiters {
		switch {
		case have.take(&w.Result):
			w.response <- nil
		case int(have.full) >= w.Limit || have.retry > now.UnixNano():
			w.RetryAfter = max(1, w.Reset.Sub(now))
			w.response <- nil
		default:
			rest = append(rest, w)
		}
	}
	c.waiters = rest
}

func (c *claim) fail(err error) {
	for _, w := range c.waiters {
		w.response <- errUnavailable(err)
	}
}

// fail rejects all claims, and all requests without a lease until the next
// beat.
func (q *Quota) fail(err error) {
	q.down = true
	for _, c := range q.claims {
		c.fail(err)
	}
	clear(q.claims)
}

// run calls the store until ctx is done.
func (q *Quota) run(ctx context.Context, recalls <-chan Key) {
	defer close(q.done)
	beats, sweeps := time.NewTimer(beatEvery), time.NewTicker(idleAfter/2)
	defer beats.Stop()
	defer sweeps.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case <-beats.C:
			beats.Reset(beatEvery)
			err = q.beat(ctx)
		case <-sweeps.C:
			q.sweep()
		case k := <-recalls: // zero if ctx is done
			q.recall(k)
		case <-q.wake:
		}
		for err == nil {
			b := q.nextBatch()
			if len(b.requests) == 0 {
				break
			}
			err = q.send(ctx, b)
		}
		if err == nil || ctx.Err() != nil {
			continue
		}
		q.mu.Lock()
		if !q.down {
			q.o.Log.Warn("the database does not count requests: only those that are leased pass",
				"err", err)
		}
		q.fail(err)
		q.mu.Unlock()
		beats.Reset(retryEvery)
	}
}

// beat records that this process is alive, sets the clock, and loads the
// shares of this hour and, shortly before it begins, the next.
func (q *Quota) beat(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	before := q.o.Now()
	theirs, err := q.o.Store.Beat(ctx, q.process)
	if err != nil {
		return err
	}
	// The store read its clock between before and after. The skew only
	// changes if it is certainly wrong.
	low, high := theirs.Sub(q.o.Now()), theirs.Sub(before)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.skew < low || q.skew > high {
		q.skew = (low + high) / 2
	}
	for _, ahead := range []time.Duration{0, shareAhead} {
		starts := q.now().Add(ahead).Truncate(time.Hour).Unix()
		if _, ok := q.shares[starts]; ok {
			continue
		}
		q.mu.Unlock()
		s, err := q.o.Store.Share(ctx, starts, q.o.Clients/4)
		q.mu.Lock()
		if err != nil {
			return err
		}
		q.shares[starts] = s
	}
	q.down = false
	return nil
}

// recall enqueues a claim that returns what this process has of k.
func (q *Quota) recall(k Key) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if c, _ := q.counterAt(k); c.holder && k.ends().After(q.now()) {
		q.enqueue(claimKey{k, 0})
	}
}

// sweep enqueues claims that return idle leases, and deletes old windows.
func (q *Quota) sweep() {
	q.mu.Lock()
	defer q.mu.Unlock()
	old, idle := q.now().Add(-time.Minute), q.now().Add(-idleAfter).UnixNano()
	for starts := range q.shares {
		if time.Unix(starts, 0).Add(time.Hour).Before(old) {
			delete(q.shares, starts)
		}
	}
	for k, c := range q.counters {
		if k.ends().Before(old) {
			delete(q.counters, k)
		} else if c.hand > 0 && c.leased && c.used < idle {
			q.enqueue(claimKey{k, 0})
		}
	}
}

// A batch is a call of the store, and the claims that it is for.
type batch struct {
	claims   []*claim
	requests []LeaseRequest
}

// nextBatch takes claims out of the queue. What the process has of their keys
// is then in the batch, and not in the counters.
func (q *Quota) nextBatch() (b batch) {
	q.mu.Lock()
	defer q.mu.Unlock()
	inBatch := map[Key]bool{}
	for k, claim := range q.claims {
		if q.down || claim.waiting || inBatch[k.Key] || len(b.requests) == maxBatch {
			continue
		}
		delete(q.claims, k)
		c, ok := q.counterAt(k.Key)
		claim.serve(&c, q.now())
		if len(claim.waiters) > 0 || k.limit == 0 && c.holder {
			inBatch[k.Key] = true
			b.claims = append(b.claims, claim)
			b.requests = append(b.requests,
				LeaseRequest{k.Key, k.limit, int(c.hand), len(claim.waiters)})
			c.hand = 0
		}
		if ok {
			q.counters[k.Key] = c
		}
	}
	return b
}

// send calls the store, and puts what the process has afterwards into the
// counters.
func (q *Quota) send(ctx context.Context, b batch) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	leases, err := q.o.Store.Lease(ctx, q.process, b.requests)
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, claim := range b.claims {
		r := b.requests[i]
		c, ok := q.counterAt(r.Key)
		switch {
		case err == nil:
			q.deliver(claim, r, leases[i], &c)
		case errors.Is(err, ErrUncertain): // the store may have it
			claim.fail(err)
		default:
			c.hand = int32(r.Unused)
			claim.fail(err)
		}
		if ok {
			q.counters[r.Key] = c
		}
	}
	return err
}

// deliver responds to the waiters of a claim. Those for whom the limit leaves
// nothing now wait while living processes can return requests.
func (q *Quota) deliver(claim *claim, r LeaseRequest, l Lease, c *counter) {
	c.hand, c.granted, c.full = int32(l.Given), int32(l.Granted), 0
	c.leased, c.holder = true, l.Given > r.Want
	c.lent = 0
	if r.Of == ClientHour {
		c.lent = int32(l.Holders * q.shares[r.Starts].Each)
	}
	if r.Want > 0 {
		c.limit = int32(r.Limit)
	}
	claim.serve(c, q.now())
	switch {
	case len(claim.waiters) == 0:
		return
	case l.Holders == 0:
		c.full = int32(r.Limit)
	case l.Alive == 0 || claim.tries == maxTries:
		c.retry = q.now().Add(time.Second).UnixNano()
	default:
		claim.waiting = true
		k := claimKey{r.Key, r.Limit}
		q.enqueue(k) // for waiters that were added in the meantime
		claim.waiters = append(claim.waiters, q.claims[k].waiters...)
		q.claims[k] = claim
		time.AfterFunc(min(4*time.Millisecond<<min(claim.tries, 5), 100*time.Millisecond), func() {
			q.mu.Lock()
			claim.waiting = false
			q.mu.Unlock()
			q.wakeUp()
		})
		claim.tries++
		return
	}
	claim.serve(c, q.now())
}
