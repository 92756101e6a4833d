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
	hashTimeout      = 10 * time.Second // of waiting for a slot
	maxWaiting       = 200              // passwords that wait
	maxClientWaiting = 2                // passwords of one client that wait
)

// A lane is a priority of waiting for a slot; the lowest comes first.
type lane int

const (
	laneKnown  lane = iota // known devices, and owners who are signed in
	laneSignIn             // sign-ins, and links
	laneSignUp
)

// slots limits how many passwords are hashed at a time to half of the cores, since
// each hash takes a core for tens of milliseconds and 19 MiB. It is safe for
// concurrent use.
type slots struct {
	total int

	mu      sync.Mutex
	running int
	waiters []*waiter // by lane, and in each in the order of their arrival
}

// A waiter waits for a slot. ready is closed when it gets one, or is evicted.
type waiter struct {
	lane    lane
	client  string
	ready   chan struct{}
	evicted bool
}

func newSlots() *slots { return &slots{total: max(1, runtime.GOMAXPROCS(0)/2)} }

// run calls f when there is a slot for it. client is who causes the work, "" for
// nobody in particular. The error is of kind registry.ErrLimited if too many
// passwords of the client wait, and registry.ErrUnavailable if too many wait in all.
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

// enter takes a free slot, and returns nil, or a waiter for the next one, for which the
// last waiter of a lane behind l may be evicted. IPv6 clients of
// one /48 network count as one client: otherwise a single subscriber could wait in all
// places.
func (s *slots) enter(l lane, client string) (*waiter, error) {
	client = cmp.Or(wideNetwork(client), client)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running < s.total { // then none waits
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

// wait returns nil when w has a slot.
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

// release passes a slot on to the first waiter.
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
