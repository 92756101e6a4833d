package quota

import (
	"context"
	"errors"
	"slices"
	"time"
)

// keep says that this process lives, learns the time and the shares of the
// hours, and gives back what lies idle, until ctx is done.
func (q *Quota) keep(ctx context.Context) {
	next := time.NewTimer(q.o.Beat)
	defer next.Stop()
	swept := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
		if err := q.beat(ctx); err != nil {
			if ctx.Err() == nil {
				q.silent.Store(true)
				q.warn(err)
			}
			next.Reset(min(pause, q.o.Beat))
			continue
		}
		q.silent.Store(false)
		next.Reset(q.o.Beat)
		if time.Since(swept) >= q.o.Idle/2 {
			swept = time.Now()
			q.sweep()
		}
	}
}

// ahead is how long before an hour its shares are fixed, so that the hour can
// begin without the store.
const ahead = 5 * time.Minute

// beat says that this process lives, sets the clock, and fixes the shares of
// this hour and, soon before it, the next.
func (q *Quota) beat(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, q.o.Answer)
	defer cancel()
	before := q.clock()
	theirs, err := q.o.Store.Beat(within, q.process)
	if err != nil {
		return err
	}
	after := q.clock()
	// The store read its clock somewhere between: what lies within is no news.
	low, high := theirs.UnixNano()-after, theirs.UnixNano()-before
	if skew := q.skew.Load(); skew < low || skew > high {
		q.skew.Store(low + (high-low)/2)
	}
	now := q.now()
	hour := now / int64(time.Hour)
	err = q.share(ctx, hour)
	if next := (now + int64(ahead)) / int64(time.Hour); next != hour {
		err = errors.Join(err, q.share(ctx, next))
	}
	return err
}

// share learns what this process may use of each client's limit in an hour.
func (q *Quota) share(ctx context.Context, hour int64) error {
	known := func() bool {
		p := q.shares[hour&1].Load()
		return p != nil && p.hour == hour
	}
	if known() {
		return nil
	}
	waited := !q.sharing.TryLock()
	if waited {
		q.sharing.Lock()
	}
	defer q.sharing.Unlock()
	if known() {
		return nil
	}
	if waited && q.away() {
		return errUnknown(nil)
	}
	if hour < q.now()/int64(time.Hour)-1 || hour > (q.now()+int64(ahead))/int64(time.Hour) {
		return errUnknown(errLate)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), q.o.Answer) // it is for all, not only who asks
	defer cancel()
	s, err := q.o.Store.Share(ctx, ClientHour, hour*int64(time.Hour/time.Second), q.o.Clients/4, q.o.Alive)
	if err != nil {
		q.silent.Store(true) // until the next sign of life
		q.fail(err, 0)
		return errUnknown(err)
	}
	p := &share{hour: hour, total: int32(s.Each * len(s.Processes))}
	if slices.Contains(s.Processes, q.process) {
		p.mine = int32(s.Each)
	}
	q.shares[hour&1].Store(p)
	return nil
}

// heed gives back what other processes need, until ctx is done.
func (q *Quota) heed(ctx context.Context, recalls <-chan Tally) {
	for t := range recalls {
		if t.Of == ClientHour {
			if q.share(ctx, windowOf(t)) != nil {
				continue // they ask again
			}
		}
		sh := q.shard(t.Subject)
		sh.mu.Lock()
		c, _ := q.cell(sh, t.Subject, windowOf(t), false)
		nothing := c != nil && !c.holder
		sh.mu.Unlock()
		if !nothing {
			q.desk.giveBack(t)
			q.desk.ring()
		}
	}
}

// sweep gives back leases that lie idle, and forgets windows that have passed.
func (q *Quota) sweep() {
	now := q.now()
	idle := coarse(now - int64(q.o.Idle))
	for i := range q.shards {
		sh := &q.shards[i]
		sh.mu.Lock()
		for of := range sh.tables {
			length := int64(Limited(of).Window())
			for k := range sh.tables[of] {
				t := &sh.tables[of][k]
				switch {
				case t.at == nil:
				case (t.window+1)*length < now-int64(time.Minute):
					*t = table{window: t.window + 2} // what comes late finds nothing and makes nothing
				case t.window*length <= now:
					for id, i := range t.at {
						if c := &t.cells[i]; c.hand > 0 && c.asked && c.touched-idle < 0 {
							q.desk.giveBack(tally(Limited(of), id, t.window))
						}
					}
				}
			}
		}
		sh.mu.Unlock()
	}
	q.desk.ring()
}

func tally(of Limited, id uint64, window int64) Tally {
	return Tally{Subject: Subject{Of: of, ID: id}, Starts: window * int64(of.Window()/time.Second)}
}

// giveBack gives everything back that is in hand, once the last question is
// answered.
func (q *Quota) giveBack(ctx context.Context) error {
	if x := q.open; x != nil {
		if leases, err := q.settle(ctx, x); err == nil {
			for i, e := range x.errands {
				q.deliver(e, x.asks[i], leases[i], true)
			}
		}
	}
	var asks []LeaseAsk
	send := func() error {
		if len(asks) == 0 {
			return nil
		}
		q.turn++
		_, err := q.settle(ctx, &question{turn: q.turn, asks: asks})
		asks = asks[:0]
		return err
	}
	now := q.now()
	for i := range q.shards {
		sh := &q.shards[i]
		for of := range sh.tables {
			for k := range sh.tables[of] {
				t := &sh.tables[of][k]
				if (t.window+1)*int64(Limited(of).Window()) < now {
					continue
				}
				for id, i := range t.at {
					c := &t.cells[i]
					if !c.holder {
						continue
					}
					asks = append(asks, LeaseAsk{Tally: tally(Limited(of), id, t.window), Unused: int(c.hand)})
					c.hand, c.holder = 0, false
					if len(asks) == maxAsks {
						if err := send(); err != nil {
							return err
						}
					}
				}
			}
		}
	}
	return send()
}

// settle asks a question until it is answered, a few times.
func (q *Quota) settle(ctx context.Context, x *question) (leases []Lease, err error) {
	for range 3 {
		if leases, err = q.o.Store.Lease(ctx, q.process, x.turn, q.o.Alive, x.asks); err == nil || ctx.Err() != nil {
			break
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
	return leases, err
}
