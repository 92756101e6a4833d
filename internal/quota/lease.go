package quota

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"mcpcensus/internal/registry"
)

// A waiter is a request that needs a lease.
type waiter struct {
	left   Left
	count  bool
	answer chan answer // has room for one
}

type answer struct {
	left Left
	err  error
}

// A need is what waits for one tally.
type need struct {
	waiters []*waiter
	tries   int
	at      time.Time // not to be sent before; zero: at once
	until   time.Time // when waiting for other processes ends; zero: it has not begun
}

// limit is the smallest that a waiter has: they differ only while a plan
// changes.
func (n *need) limit() int {
	limit := n.waiters[0].left.Limit
	for _, w := range n.waiters {
		limit = min(limit, w.left.Limit)
	}
	return limit
}

func (n *need) wanted() (requests int) {
	for _, w := range n.waiters {
		if w.count {
			requests++
		}
	}
	return requests
}

// A desk gathers what is to be asked of the store while a question is under
// way: there is never more than one, so the store's answers come in the order
// of the questions. Who locks a shard and the desk locks the shard first.
type desk struct {
	mu      sync.Mutex
	needs   map[Tally]*need
	returns map[Tally]struct{} // to be given back
	bell    chan struct{}
}

func (d *desk) init() {
	d.needs, d.returns, d.bell = map[Tally]*need{}, map[Tally]struct{}{}, make(chan struct{}, 1)
}

func (d *desk) want(t Tally, w *waiter) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.needs[t]
	if n == nil {
		n = &need{}
		d.needs[t] = n
	}
	n.waiters = append(n.waiters, w)
}

func (d *desk) giveBack(t Tally) {
	d.mu.Lock()
	d.returns[t] = struct{}{}
	d.mu.Unlock()
}

// ring wakes who asks the store.
func (d *desk) ring() {
	select {
	case d.bell <- struct{}{}:
	default:
	}
}

// refuse answers everybody who waits.
func (d *desk) refuse(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, n := range d.needs {
		n.refuse(err)
	}
	clear(d.needs)
}

func (n *need) refuse(err error) {
	for _, w := range n.waiters {
		w.answer <- answer{w.left, err}
	}
	n.waiters = nil
}

// maxAsks bounds how many tallies are asked for at once.
const maxAsks = 5000

// An errand is one tally of a question.
type errand struct {
	tally  Tally
	need   *need // nil: nobody waits
	giving bool
}

// due takes what is to be sent now, and says when the next is: zero if there
// is none.
func (d *desk) due(now time.Time) (errands []errand, next time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for t, n := range d.needs {
		if len(errands) == maxAsks {
			return errands, now
		}
		if n.at.After(now) {
			if next.IsZero() || n.at.Before(next) {
				next = n.at
			}
			continue
		}
		_, giving := d.returns[t]
		delete(d.needs, t)
		delete(d.returns, t)
		errands = append(errands, errand{t, n, giving})
	}
	for t := range d.returns {
		if len(errands) == maxAsks {
			return errands, now
		}
		delete(d.returns, t)
		errands = append(errands, errand{t, nil, true})
	}
	return errands, next
}

// lend asks the store for what is needed until ctx is done.
func (q *Quota) lend(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-q.desk.bell:
		case <-timer.C:
		}
		for ctx.Err() == nil {
			if q.open != nil {
				if wait := time.Until(q.open.again); wait > 0 {
					timer.Reset(wait)
					break
				}
				q.pose(ctx, q.open)
				continue
			}
			errands, next := q.desk.due(time.Now())
			if len(errands) > 0 {
				q.run(ctx, errands)
				continue
			}
			if !next.IsZero() {
				timer.Reset(time.Until(next))
			}
			break
		}
	}
}

// A question is what was asked of the store at once.
type question struct {
	turn    int64
	errands []errand
	asks    []LeaseAsk
	coming  chan reply // gets the answer, while that is under way
	again   time.Time  // not to be asked again before
}

// A reply is what the store answers to a question.
type reply struct {
	leases []Lease
	err    error
}

var errSlow = errors.New("there was no answer in time")

// run sends errands in one question, and serves who waits.
func (q *Quota) run(ctx context.Context, errands []errand) {
	x := &question{errands: errands[:0], asks: make([]LeaseAsk, 0, len(errands))}
	for _, e := range errands {
		if ask, ok := q.ask(e); ok {
			x.errands, x.asks = append(x.errands, e), append(x.asks, ask)
		}
	}
	if len(x.asks) == 0 {
		return
	}
	q.turn++
	x.turn = q.turn
	q.pose(ctx, x)
}

// pause is how long after a failure a question is asked again.
const pause = 300 * time.Millisecond

// pose asks a question. If no answer comes, nobody knows whether the store has
// given what was wanted and taken what was given back: who waits is refused,
// and the same question is asked again before any other, until there is an
// answer. So nothing is lost. Until then who comes is refused at once.
func (q *Quota) pose(ctx context.Context, x *question) {
	again := q.open != nil
	leases, err := q.reply(ctx, x)
	switch {
	case err == nil:
	case again && errors.Is(err, registry.ErrConflict): // cannot be answered any more
		q.open = nil
		q.broken.Store(0)
		q.warn(err)
		return
	default:
		q.open, x.again = x, time.Now().Add(pause)
		q.fail(err, math.MaxInt32)
		for i := range x.errands {
			if n := x.errands[i].need; n != nil {
				n.refuse(errUnknown(err))
				x.errands[i].need = nil
			}
		}
		return
	}
	q.open = nil
	if again {
		q.broken.Store(0)
	}
	for i, e := range x.errands {
		q.deliver(e, x.asks[i], leases[i], again)
	}
	if again {
		q.desk.ring()
	}
}

// reply asks the store, and waits for the answer no longer than it may take,
// even if the store's connection does. One that is under way still is waited
// for again.
func (q *Quota) reply(ctx context.Context, x *question) ([]Lease, error) {
	if x.coming == nil {
		coming := make(chan reply, 1)
		x.coming = coming
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), q.o.Answer) // what is under way is worth its end
		go func() {
			defer cancel()
			leases, err := q.o.Store.Lease(within, q.process, x.turn, q.o.Alive, x.asks)
			coming <- reply{leases, err}
		}()
	}
	late := time.NewTimer(q.o.Answer)
	defer late.Stop()
	select {
	case r := <-x.coming:
		x.coming = nil
		return r.leases, r.err
	case <-late.C:
		return nil, errSlow
	}
}

// fail refuses who waits, and who comes until a tick: asking a store that does
// not answer would make everybody wait.
func (q *Quota) fail(err error, until int32) {
	for {
		was := q.broken.Load()
		if was >= until || q.broken.CompareAndSwap(was, until) {
			break
		}
	}
	q.warn(err)
	q.desk.refuse(errUnknown(err))
}

// warn tells the log, at most every ten seconds.
func (q *Quota) warn(err error) {
	now := q.ticks()
	if until := q.told.Load(); until <= now && q.told.CompareAndSwap(until, now+100) {
		q.o.Log.Warn("requests pass only as far as they were leased: the database does not count them", "err", err)
	}
}

// ask says what to ask for an errand. ok is false if there is nothing to ask.
// What is given back is taken out of the cell at this moment: until the store
// answers, nobody knows whether it has it, so nobody uses it again.
func (q *Quota) ask(e errand) (ask LeaseAsk, ok bool) {
	ask.Tally = e.tally
	sh := q.shard(e.tally.Subject)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	c, state := q.cell(sh, e.tally.Subject, windowOf(e.tally), true)
	if c != nil && e.need != nil {
		e.need.serve(c)
	}
	switch {
	case e.need != nil && len(e.need.waiters) > 0:
		ask.Limit, ask.Want = e.need.limit(), e.need.wanted()
	case !e.giving:
		return ask, false
	}
	switch {
	case c != nil:
		ask.Unused = int(c.hand)
		c.hand, c.holder, c.asked = 0, true, true
	case state == noRoom && e.tally.Of == ClientHour: // it will not be used, for there is no room for it
		ask.Unused = int(q.shares[windowOf(e.tally)&1].Load().mine)
	case e.need == nil:
		return ask, false
	}
	return ask, true
}

func windowOf(t Tally) int64 { return t.Starts / int64(t.Of.Window()/time.Second) }

// serve answers waiters from what is in hand.
func (n *need) serve(c *cell) {
	rest := n.waiters[:0]
	for _, w := range n.waiters {
		if c.pass(&w.left, w.count) {
			w.answer <- answer{left: w.left}
		} else {
			rest = append(rest, w)
		}
	}
	n.waiters = rest
}

// deliver puts a lease into the cell, serves who waits, and decides about
// those for whom there is nothing. What was given to who is no longer there,
// because the answer came late, goes back: the store takes it for used.
func (q *Quota) deliver(e errand, ask LeaseAsk, l Lease, again bool) {
	sh := q.shard(e.tally.Subject)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	c, _ := q.cell(sh, e.tally.Subject, windowOf(e.tally), false)
	if c == nil { // the window is long over; what is not needed now is lost
		c = &cell{}
	}
	c.hand += int32(l.Given)
	c.granted = int32(l.Granted)
	c.holder = l.Given > ask.Want || again && l.Given > 0
	if again && l.Given > 0 {
		q.desk.giveBack(e.tally)
	}
	c.full, c.retry = 0, 0
	c.spread, c.stale, c.news = l.Spread, false, coarse(q.now())
	if ask.Limit > 0 {
		c.limit = int32(ask.Limit)
	}
	n := e.need
	if n == nil {
		n = &need{}
	}
	n.serve(c)
	n.look(c)
	d := &q.desk
	d.mu.Lock()
	defer d.mu.Unlock()
	if late := d.needs[e.tally]; late != nil { // who came meanwhile
		late.serve(c)
		if len(late.waiters) == 0 || len(n.waiters) > 0 {
			delete(d.needs, e.tally)
			n.waiters = append(n.waiters, late.waiters...)
		}
	}
	if len(n.waiters) == 0 {
		return
	}
	now := time.Now()
	if n.until.IsZero() {
		n.until = now.Add(q.o.Recall)
	}
	switch {
	case l.Others > 0 && now.Before(n.until):
		n.at = now.Add(min(4*time.Millisecond<<min(n.tries, 5), 100*time.Millisecond))
		n.tries++
		d.needs[e.tally] = n
		return
	case l.Lost == 0:
		c.full = int32(ask.Limit)
	default:
		c.retry = q.ticks() + 10
	}
	more := &need{}
	for _, w := range n.waiters {
		if w.left.Limit > ask.Limit {
			more.waiters = append(more.waiters, w) // came with the new plan
		} else {
			w.answer <- answer{left: w.left}
		}
	}
	if len(more.waiters) > 0 {
		d.needs[e.tally] = more
	}
}

// look answers those who only wanted to know.
func (n *need) look(c *cell) {
	rest := n.waiters[:0]
	for _, w := range n.waiters {
		if w.count {
			rest = append(rest, w)
			continue
		}
		w.left.Remaining = c.rest(w.left.Limit)
		w.left.Passed = w.left.Remaining > 0
		w.answer <- answer{left: w.left}
	}
	n.waiters = rest
}
