package quota

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"
)

const (
	maxBatch     = 5000                   // keys in one call of the store
	storeTimeout = 2 * time.Second        // for one call of the store
	beatEvery    = 2 * time.Second        // between beats
	retryEvery   = 300 * time.Millisecond // between beats while the store does not respond
	sweepEvery   = 30 * time.Second       // leases that are idle from one sweep to the next are returned
	shareAhead   = 5 * time.Minute        // before an hour, its shares are fixed
	maxTries     = 35                     // while other processes return requests: about 3 seconds
)

// wait waits for a call of the store.
func (q *Quota) wait(ctx context.Context, c *counter) error {
	calling := c.calling
	q.mu.Unlock()
	defer q.mu.Lock()
	select {
	case <-calling:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// lease exchanges what this process has for a new lease. While nothing is left, it
// waits for other processes to return requests.
func (q *Quota) lease(ctx context.Context, k Key, c *counter, limit int) error {
	calling := make(chan struct{})
	c.calling = calling
	defer func() {
		c.calling = nil
		close(calling)
	}()
	for try := range maxTries {
		r := LeaseRequest{k, limit, int(c.hand), 1}
		c.hand = 0
		l, err := q.call(context.WithoutCancel(ctx), r)
		if err != nil {
			if !errors.Is(err, ErrUncertain) { // otherwise the store may have it
				c.hand = int32(r.Unused)
			}
			q.fail(err)
			return errUnavailable(err)
		}
		c.hand, c.granted, c.limit = int32(l.Given), int32(l.Granted), int32(limit)
		c.full, c.holder, c.lent = 0, l.Given > r.Want, 0
		if k.Of == ClientHour {
			c.lent = int32(l.Holders * q.shares[k.Starts].Each)
		}
		switch {
		case l.Given > 0:
			return nil
		case l.Holders == 0:
			c.refuse(limit, k.ends())
			return nil
		}
		if l.Alive == 0 { // nobody returns requests
			break
		}
		q.mu.Unlock()
		time.Sleep(min(4*time.Millisecond<<try, 100*time.Millisecond))
		q.mu.Lock()
	}
	c.refuse(limit, q.now().Add(time.Second))
	return nil
}

// giveBack returns what this process has of counters.
func (q *Quota) giveBack(ctx context.Context, counters map[Key]*counter) error {
	calling := make(chan struct{})
	defer close(calling)
	var all []LeaseRequest
	for k, c := range counters {
		all = append(all, LeaseRequest{Key: k, Unused: int(c.hand)})
		c.hand, c.holder, c.calling = 0, false, calling
	}
	q.mu.Unlock()
	var err error
	for part := range slices.Chunk(all, maxBatch) {
		if err == nil {
			_, err = q.send(ctx, part)
		}
	}
	q.mu.Lock()
	for _, c := range counters {
		c.calling = nil
	}
	return err
}

// A batch is a call of the store for several requests.
type batch struct {
	requests []LeaseRequest
	done     chan struct{} // closed after the call
	leases   []Lease
	err      error
}

// call applies r to the store, together with those that are made while it waits for
// the call before: a database does thousands in one call as fast as in two.
func (q *Quota) call(ctx context.Context, r LeaseRequest) (Lease, error) {
	if q.next == nil {
		q.next = &batch{done: make(chan struct{})}
	}
	b, i := q.next, len(q.next.requests)
	if b.requests = append(b.requests, r); i+1 == maxBatch {
		q.next = nil
	}
	q.mu.Unlock()
	defer q.mu.Lock()
	if i > 0 {
		<-b.done
	} else {
		q.sendBatch(ctx, b)
	}
	if b.err != nil {
		return Lease{}, b.err
	}
	return b.leases[i], nil
}

func (q *Quota) sendBatch(ctx context.Context, b *batch) {
	q.turn <- struct{}{}
	q.mu.Lock()
	if q.next == b {
		q.next = nil
	}
	down := q.down
	q.mu.Unlock()
	if down {
		b.err = errUnavailable(nil)
	} else {
		b.leases, b.err = q.send(ctx, b.requests)
	}
	close(b.done)
	<-q.turn
}

func (q *Quota) send(ctx context.Context, requests []LeaseRequest) ([]Lease, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return q.o.Store.Lease(ctx, q.process, requests)
}

// fail rejects requests without a lease until the next beat.
func (q *Quota) fail(err error) {
	if !q.down {
		q.o.Log.Warn("the database does not count requests: only those that are leased pass",
			"err", err)
	}
	q.down = true
	q.beats.Reset(retryEvery)
}

// run keeps this process alive in the store, and returns leases, until ctx is
// done.
func (q *Quota) run(ctx context.Context, recalls <-chan Key) {
	defer close(q.done)
	sweeps := time.NewTicker(sweepEvery)
	defer sweeps.Stop()
	defer q.beats.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case <-q.beats.C:
			q.beats.Reset(beatEvery)
			err = q.beat(ctx)
		case <-sweeps.C:
			err = q.sweep(ctx)
		case k := <-recalls: // zero if ctx is done
			err = q.recall(ctx, k)
		}
		if err != nil && ctx.Err() == nil {
			q.mu.Lock()
			q.fail(err)
			q.mu.Unlock()
		}
	}
}

// beat records that this process is alive, sets the clock, and loads the
// shares of this hour and, shortly before it begins, the next.
func (q *Quota) beat(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	theirs, err := q.o.Store.Beat(ctx, q.process)
	shares := map[int64]Share{}
	for _, ahead := range []time.Duration{0, shareAhead} {
		starts := theirs.Add(ahead).Truncate(time.Hour).Unix()
		if _, ok := q.shares[starts]; !ok && err == nil {
			shares[starts], err = q.o.Store.Share(ctx, starts, q.o.Clients/4)
		}
	}
	if err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.skew, q.down = theirs.Sub(q.o.Now()), false
	maps.Copy(q.shares, shares)
	return nil
}

// recall returns what this process has of k, unless it leases requests of k itself:
// then it has none, and the other process asks again.
func (q *Quota) recall(ctx context.Context, k Key) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	k, c := q.counter(k)
	if q.down || c == nil || c.calling != nil || !c.holder || k.ends().Before(q.now()) {
		return nil
	}
	return q.giveBack(ctx, map[Key]*counter{k: c})
}

// sweep returns idle leases, and deletes old windows.
func (q *Quota) sweep(ctx context.Context) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	old := q.now().Add(-time.Minute)
	maps.DeleteFunc(q.shares, func(starts int64, _ Share) bool {
		return time.Unix(starts, 0).Add(time.Hour).Before(old)
	})
	maps.DeleteFunc(q.counters, func(k Key, _ *counter) bool { return k.ends().Before(old) })
	idle := map[Key]*counter{}
	for k, c := range q.counters {
		if c.idle && c.hand > 0 && c.limit > 0 && !q.down {
			idle[k] = c
		}
		c.idle = true
	}
	return q.giveBack(ctx, idle)
}
