// Package quota counts requests against limits, exactly and over several
// processes, without asking the database for each.
//
// The truth is one row of Postgres for each tally, that is, each subject and
// window. A process takes requests from it in blocks (a lease), counts down in
// memory, and gives back what it does not use: when it stops, when it has not
// needed it for a while, and when another process runs dry and recalls it. What
// is granted never exceeds the limit, so whatever dies, breaks or is late,
// too many never pass.
//
// Of clients there can be very many with few requests each. So a quarter of
// their limit is split evenly among the processes when a window begins, for every
// client alike, and is used without asking. A share is a lease that nobody had
// to take.
package quota

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"mcpcensus/internal/registry"
)

// A Store keeps the counts that processes share.
type Store interface {
	// Join returns a number for a process.
	Join(ctx context.Context) (process int32, err error)
	// Beat says that a process lives, and returns the time that all go by.
	Beat(ctx context.Context, process int32) (time.Time, error)
	// Share returns the shares of a window, which never change once there
	// are any. If there are none, total is split among those seen within alive.
	Share(ctx context.Context, of Limited, starts int64, total int, alive time.Duration) (LeaseShares, error)
	// Lease answers asks, one for each tally at most, all or none. The same
	// question with the same turn again has the same answer and changes nothing
	// more; one with an earlier turn is of kind registry.ErrConflict.
	Lease(ctx context.Context, process int32, turn int64, alive time.Duration, asks []LeaseAsk) ([]Lease, error)
	// Leave is called when a process has given everything back.
	Leave(ctx context.Context, process int32) error
	// Recalls gives the tallies that other processes need.
	Recalls(ctx context.Context, process int32) (<-chan Tally, error)
}

// Options are what a Quota is made of. Durations that are 0 have sensible
// values.
type Options struct {
	// Store is shared by processes. Nil: this process counts alone and forgets
	// when it stops.
	Store Store
	// Clients is the limit of clients per hour, of which a quarter is shared out.
	Clients int
	Log     *slog.Logger
	Now     func() time.Time // nil: time.Now

	Beat   time.Duration // between signs of life: 2 s
	Alive  time.Duration // after which a silent process is not waited for: 10 s
	Idle   time.Duration // after which an unused lease is given back: 1 min
	Recall time.Duration // how long a request waits for what others hold: 3 s
	Answer time.Duration // how long the store may take: 2 s
}

// A Quota counts requests. Its methods may be called at the same time.
type Quota struct {
	o       Options
	process int32
	skew    atomic.Int64 // of the store's clock to ours, in nanoseconds
	started time.Time
	born    int64 // the same, in nanoseconds since 1970
	shards  [64]shard
	shares  [2]atomic.Pointer[share] // by the parity of the hour
	sharing sync.Mutex               // while a share is asked for
	broken  atomic.Int32             // tick until which the store is not asked again
	silent  atomic.Bool              // the last sign of life, or question about shares, had no answer
	told    atomic.Int32             // tick until which nothing is logged about that

	desk desk
	turn int64     // number of the last question
	open *question // the last one, while its answer has not come
	stop context.CancelFunc
	done sync.WaitGroup
}

// A shard has a part of the subjects.
type shard struct {
	mu     sync.Mutex
	closed bool
	tables [Limiteds][2]table // by the parity of the window
	_      [32]byte
}

// A table has the cells of one window, or of none yet if at is nil. It holds no
// pointers for the garbage collector to follow.
type table struct {
	window int64 // number since 1970
	at     map[uint64]int32
	cells  []cell
}

// A cell is what a process knows of a tally.
type cell struct {
	hand    int32 // requests that may pass without asking
	granted int32 // of the limit in all, as of the last answer
	limit   int32 // that this was leased under
	full    int32 // a limit that is surely used up
	retry   int32 // tick until which a refusal holds for want of news; 0: none
	touched int32 // time of the last request, see coarse
	// holder says that the store may believe that this process has some.
	holder bool
	asked  bool // the store has been asked
	// spread says that other processes ask too, so that what is known is soon
	// old; stale that it is.
	spread, stale bool
	news          int32 // time of the last answer, see coarse
}

// freshFor is how long the answer about a subject that several processes see
// is relied on, in tenths of a second.
const freshFor = 10

// share is what this process has of every client's limit in an hour.
type share struct {
	hour  int64
	mine  int32
	total int32
}

// New joins the processes that count requests. Close must be called.
func New(ctx context.Context, o Options) (*Quota, error) {
	set := func(d *time.Duration, to time.Duration) {
		if *d == 0 {
			*d = to
		}
	}
	set(&o.Beat, 2*time.Second)
	set(&o.Alive, 10*time.Second)
	set(&o.Idle, time.Minute)
	set(&o.Recall, 3*time.Second)
	set(&o.Answer, 2*time.Second)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	q := &Quota{o: o, started: time.Now()}
	q.born = q.started.UnixNano()
	q.desk.init()
	if o.Store == nil {
		return q, nil
	}
	var err error
	if q.process, err = o.Store.Join(ctx); err != nil {
		return nil, err
	}
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	q.stop = stop
	recalls, err := o.Store.Recalls(run, q.process)
	if err == nil {
		err = q.beat(ctx)
	}
	if err != nil {
		stop()
		return nil, err
	}
	q.done.Go(func() { q.lend(run) })
	q.done.Go(func() { q.keep(run) })
	q.done.Go(func() { q.heed(run, recalls) })
	return q, nil
}

// Take counts one request of a subject in the window that is now. The request
// may pass if Left.Passed; it is refused past the limit. If it cannot be known
// whether the limit is reached, the error is of kind registry.ErrUnavailable
// and the request may not pass. A request whose ctx ends while it waits may
// have been counted.
func (q *Quota) Take(ctx context.Context, s Subject, limit int) (Left, error) {
	return q.take(ctx, s, limit, true)
}

// Peek returns what is left without counting anything. Passed says whether a
// request would pass.
func (q *Quota) Peek(ctx context.Context, s Subject, limit int) (Left, error) {
	return q.take(ctx, s, limit, false)
}

func (q *Quota) take(ctx context.Context, s Subject, limit int, count bool) (Left, error) {
	now := q.now()
	length, window := int64(time.Hour), now/int64(time.Hour) // dividing by a constant is cheap
	if s.Of == AccountDay {
		length, window = int64(24*time.Hour), now/int64(24*time.Hour)
	}
	left := Left{Limit: limit, Reset: time.Unix((window+1)*(length/1e9), 0)}
	var w *waiter
	for w == nil {
		sh := q.shard(s)
		sh.mu.Lock()
		if sh.closed {
			sh.mu.Unlock()
			return left, errStopped
		}
		c, state := q.cell(sh, s, window, true)
		switch state {
		case noShare:
			sh.mu.Unlock()
			if q.away() {
				return left, errUnknown(nil)
			}
			if err := q.share(ctx, window); err != nil {
				return left, err
			}
			continue
		case noRoom:
			sh.mu.Unlock()
			s = wider(s)
			continue
		case noWindow:
			sh.mu.Unlock()
			return left, errUnknown(errLate)
		}
		c.touched = coarse(now)
		c.stale = c.spread && c.touched-c.news >= freshFor && !q.away()
		if c.pass(&left, count) {
			sh.mu.Unlock()
			return left, nil
		}
		switch {
		case q.o.Store == nil && int(c.granted) < limit: // the limit was raised
			c.hand, c.granted = c.hand+int32(limit)-c.granted, int32(limit)
		case q.o.Store == nil, limit <= int(c.full), c.retry != 0 && q.ticks() < c.retry:
			sh.mu.Unlock()
			left.Wait = time.Duration(length - now%length)
			return left, nil
		case !count && (c.asked || c.holder) && !c.stale:
			left.Remaining = c.rest(limit)
			left.Passed = left.Remaining > 0
			sh.mu.Unlock()
			return left, nil
		case q.away():
			sh.mu.Unlock()
			return left, errUnknown(nil)
		default:
			w = &waiter{left: left, count: count, answer: make(chan answer, 1)}
			q.desk.want(Tally{Subject: s, Starts: window * (length / 1e9)}, w)
		}
		sh.mu.Unlock()
	}
	q.desk.ring()
	select {
	case a := <-w.answer:
		if a.err == nil && !a.left.Passed {
			a.left.Remaining, a.left.Wait = 0, time.Duration(max(1, (window+1)*length-q.now()))
		}
		return a.left, a.err
	case <-ctx.Done():
		return left, ctx.Err()
	}
}

// rest is what is left of a limit, as of the last answer and less what has
// passed here since.
func (c *cell) rest(limit int) int { return max(0, limit-int(c.granted)+int(c.hand)) }

// pass lets a request pass from what is in hand, if the limit allows it as far
// as is known here, and says what is then left.
func (c *cell) pass(left *Left, count bool) bool {
	rest := c.rest(left.Limit)
	if c.hand <= 0 || rest <= 0 || left.Limit < int(c.limit) || c.stale {
		return false
	}
	if count {
		c.hand--
		rest--
	}
	left.Remaining, left.Passed = rest, true
	return true
}

// Why there is no cell.
const (
	found    = iota
	noShare  // the window's shares are not known yet
	noRoom   // for another client
	noWindow // nothing is known of the window, or not any more
)

// cell returns the cell of a subject in a window, made if need be and if make
// is true. It is valid until another is made; the shard is locked.
func (q *Quota) cell(sh *shard, s Subject, window int64, create bool) (*cell, int) {
	t := &sh.tables[s.Of][window&1]
	if t.window > window || !create && (t.window < window || t.at == nil) {
		return nil, noWindow
	}
	if t.window < window || t.at == nil {
		*t = table{window: window, at: map[uint64]int32{}}
	}
	if i, ok := t.at[s.ID]; ok {
		return &t.cells[i], found
	}
	if !create {
		return nil, noWindow
	}
	var c cell
	if s.Of == ClientHour && q.o.Store != nil {
		p := q.shares[window&1].Load()
		if p == nil || p.hour != window {
			return nil, noShare
		}
		c.hand, c.granted, c.holder = p.mine, p.total, p.mine > 0
	}
	if full(s, len(t.cells)) {
		return nil, noRoom
	}
	t.at[s.ID] = int32(len(t.cells))
	t.cells = append(t.cells, c)
	return &t.cells[len(t.cells)-1], found
}

// maxClients bounds what one shard remembers of clients: one million in all.
// Past that, new clients are counted together by network, so that nobody makes
// room for himself by coming from many addresses, and past another million,
// all together.
const maxClients = 1 << 14

// full reports whether there is no room for another subject beside n.
func full(s Subject, n int) bool {
	switch {
	case s.Of == AccountHour || s.Of == AccountDay || s.Of == OwnerHour || s.ID == everyone:
		return false
	case s.ID>>48 == network4 || s.ID>>48 == network6:
		return n >= 2*maxClients
	}
	return n >= maxClients
}

// Clients by number: an IPv6 client is the upper half of its address, others
// begin with 16 bits that no client's IPv6 address has.
const (
	address4 = 0xffff // and an IPv4 address
	network4 = 0xfffe // and the upper 16 bits of an IPv4 address
	network6 = 0xfffd // and the upper 32 bits of an IPv6 address
	everyone = 0xfffc << 48
)

// wider returns the subject that s is counted as when there is no room.
func wider(s Subject) Subject {
	switch top := s.ID >> 48; top {
	case address4:
		s.ID = network4<<48 | s.ID>>16&0xffff
	case network4, network6:
		s.ID = everyone
	default:
		s.ID = network6<<48 | s.ID>>32
	}
	return s
}

// shard returns where a subject is kept.
func (q *Quota) shard(s Subject) *shard {
	h := (s.ID ^ s.ID>>32) * 0x9e3779b97f4a7c15
	return &q.shards[h>>58]
}

// now is the time that all processes go by, in nanoseconds since 1970.
func (q *Quota) now() int64 { return q.clock() + q.skew.Load() }

// clock is the time as this process has it: that of the start and what has
// passed since, so that setting the machine's clock makes no leap.
func (q *Quota) clock() int64 {
	if q.o.Now != nil {
		return q.o.Now().UnixNano()
	}
	return q.born + int64(time.Since(q.started))
}

// away reports whether it is known that the store does not answer. Then nobody
// waits for it but this process by itself, see lend and keep.
func (q *Quota) away() bool { return q.silent.Load() || q.broken.Load() > q.ticks() }

// ticks are tenths of a second since the start, by a clock that is never set.
func (q *Quota) ticks() int32 { return int32(time.Since(q.started)/tick) + 1 }

const tick = time.Second / 10

// coarse is a time in tenths of a second, of which only differences count.
func coarse(now int64) int32 { return int32(now / 1e8) }

func errUnknown(cause error) error {
	return &registry.Error{Kind: registry.ErrUnavailable, Cause: cause, RetryAfter: 2 * time.Second,
		Msg: "Requests cannot be counted at the moment, so no more can be let through. Please try again in a moment."}
}

var errStopped = &registry.Error{Kind: registry.ErrUnavailable, RetryAfter: time.Second,
	Msg: "This process is stopping. Please try again."}

// Close gives back everything that this process has not used and leaves.
// Afterwards no request passes. If the store does not answer until ctx is done,
// what is left counts as used.
func (q *Quota) Close(ctx context.Context) error {
	for i := range q.shards {
		q.shards[i].mu.Lock()
		q.shards[i].closed = true
		q.shards[i].mu.Unlock()
	}
	if q.o.Store == nil {
		return nil
	}
	q.stop()
	q.done.Wait()
	q.desk.refuse(errStopped)
	if err := q.giveBack(ctx); err != nil {
		return err
	}
	return q.o.Store.Leave(ctx, q.process)
}

// errLate is the error of a window that has passed too long ago.
var errLate = errors.New("the window has passed")
