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
	lanes
)

// slots limits how many passwords are hashed at a time to half of the cores, since
// each hash takes a core for tens of milliseconds and 19 MiB. It is safe for
// concurrent use.
type slots struct {
	total int

	mu      sync.Mutex
	running int
	queues  [lanes][]*waiter
	clients map[string]int // number of waiters
}

// A waiter waits for a slot. ready is closed when it gets one, or is evicted.
type waiter struct {
	client  string
	ready   chan struct{}
	evicted bool
}

func newSlots() *slots {
	return &slots{total: max(1, runtime.GOMAXPROCS(0)/2), clients: map[string]int{}}
}

// run calls f when there is a slot for it. client is who causes the work, "" for
// nobody in particular. The error is of kind registry.ErrLimited if too many
// passwords of the client wait, and registry.ErrUnavailable if too many wait in all.
func (s *slots) run(ctx context.Context, l lane, client string, f func()) error {
	w, err := s.enter(l, client)
	if err != nil {
		return err
	}
	if w != nil {
		if err := s.wait(ctx, l, w); err != nil {
			return err
		}
	}
	defer s.release()
	f()
	return nil
}

// enter takes a free slot, and returns nil, or a waiter for the next one. IPv6 clients of
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
	if client != "" && s.clients[client] >= maxClientWaiting {
		return nil, &registry.Error{Kind: registry.ErrLimited, Code: tooManyAttempts,
			RetryAfter: 2 * time.Second,
			Msg:        "Too many attempts at once. Please try again in 2 seconds."}
	}
	if s.waiting() >= maxWaiting && !s.evict(l) {
		return nil, tooBusy()
	}
	w := &waiter{client: client, ready: make(chan struct{})}
	s.queues[l] = append(s.queues[l], w)
	s.clients[client]++
	return w, nil
}

func tooBusy() error {
	return &registry.Error{Kind: registry.ErrUnavailable, RetryAfter: 5 * time.Second,
		Msg: "Too many people are signing in right now. Please try again."}
}

func (s *slots) waiting() (n int) {
	for _, q := range s.queues {
		n += len(q)
	}
	return n
}

// evict removes the last waiter of a lane behind l.
func (s *slots) evict(l lane) bool {
	for behind := lanes - 1; behind > l; behind-- {
		if q := s.queues[behind]; len(q) > 0 {
			w := q[len(q)-1]
			s.remove(behind, w)
			w.evicted = true
			close(w.ready)
			return true
		}
	}
	return false
}

func (s *slots) remove(l lane, w *waiter) {
	s.queues[l] = slices.DeleteFunc(s.queues[l], func(other *waiter) bool { return other == w })
	if s.clients[w.client]--; s.clients[w.client] == 0 {
		delete(s.clients, w.client)
	}
}

// wait returns nil when w has a slot.
func (s *slots) wait(ctx context.Context, l lane, w *waiter) error {
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
	select {
	case <-w.ready: // in the meantime
		s.mu.Unlock()
		if !w.evicted {
			s.release()
		}
	default:
		s.remove(l, w)
		s.mu.Unlock()
	}
	return err
}

// release passes a slot on to the first waiter of the first lane.
func (s *slots) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for l, q := range s.queues {
		if len(q) > 0 {
			w := q[0]
			s.remove(lane(l), w)
			close(w.ready)
			return
		}
	}
	s.running--
}
