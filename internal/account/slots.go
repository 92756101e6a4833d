package account

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"mcpcensus/internal/registry"
)

const (
	hashTimeout      = 10 * time.Second // for getting a slot
	maxWaiting       = 200              // waiting passwords
	maxClientWaiting = 2                // waiting passwords of one client
)

// A lane is a priority; the lowest goes first.
type lane int

const (
	laneKnown  lane = iota // known devices, and owners who are signed in
	laneSignIn             // sign-ins, and links
	laneSignUp
)

// slots limits concurrent password hashing to half of the cores, because each hash takes
// a core for tens of milliseconds and 19 MiB. It is safe for concurrent use.
type slots struct {
	total int

	mu      sync.Mutex
	running int
	waiters []*waiter // by lane, then in order of arrival
}

// A waiter waits for a slot. ready is closed when it gets one, or is evicted.
type waiter struct {
	lane    lane
	client  string
	ready   chan struct{}
	evicted bool
}

func newSlots() *slots { return &slots{total: max(1, runtime.GOMAXPROCS(0)/2)} }

// run calls f when a slot is free. client identifies the cause of the work, "" for none.
// The error is of kind registry.ErrLimited if too many passwords of the client wait, and
// registry.ErrUnavailable if too many wait in total.
func (s *slots) run(ctx context.Context, l lane, client string, f func()) error {
	w, err := s.enter(l, client)
	if err == nil && w != nil {
		err = s.wait(ctx, w)
	}
	if err != nil {
		return err
	}
	defer s.release()
	f()
	return nil
}

// enter takes a free slot and returns nil, or returns a waiter for the next one, for
// which it may evict the last waiter of a lower priority. IPv6 clients of one /48 network
// count as one client, so that a single subscriber cannot take all places.
func (s *slots) enter(l lane, client string) (*waiter, error) {
	client = cmp.Or(wideNetwork(client), client)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running < s.total { // then nobody waits
		s.running++
		return nil, nil
	}
	same := 0
	for _, w := range s.waiters {
		if w.client == client && client != "" {
			same++
		}
	}
	if same >= maxClientWaiting {
		return nil, &registry.Error{Kind: registry.ErrLimited, Code: tooManyAttempts,
			RetryAfter: 2 * time.Second,
			Msg:        "Too many attempts at once. Please try again in 2 seconds."}
	}
	if n := len(s.waiters); n >= maxWaiting {
		last := s.waiters[n-1]
		if last.lane <= l {
			return nil, tooBusy()
		}
		s.waiters = s.waiters[:n-1]
		last.evicted = true
		close(last.ready)
	}
	w := &waiter{lane: l, client: client, ready: make(chan struct{})}
	at, _ := slices.BinarySearchFunc(s.waiters, l+1,
		func(w *waiter, l lane) int { return cmp.Compare(w.lane, l) })
	s.waiters = slices.Insert(s.waiters, at, w)
	return w, nil
}

func tooBusy() error {
	return &registry.Error{Kind: registry.ErrUnavailable, RetryAfter: 5 * time.Second,
		Msg: "Too many people are signing in right now. Please try again."}
}

// wait waits until w has a slot.
func (s *slots) wait(ctx context.Context, w *waiter) error {
	timeout := time.NewTimer(hashTimeout)
	defer timeout.Stop()
	err := tooBusy()
	select {
	case <-w.ready:
		if w.evicted {
			return err
		}
		return nil
	case <-timeout.C:
	case <-ctx.Done():
		err = ctx.Err()
	}
	s.mu.Lock()
	at := slices.Index(s.waiters, w)
	if at >= 0 {
		s.waiters = slices.Delete(s.waiters, at, at+1)
	}
	s.mu.Unlock()
	if at < 0 && !w.evicted { // it got a slot in the meantime
		s.release()
	}
	return err
}

// release passes a slot to the first waiter.
func (s *slots) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiters) == 0 {
		s.running--
		return
	}
	close(s.waiters[0].ready)
	s.waiters = slices.Delete(s.waiters, 0, 1)
}
