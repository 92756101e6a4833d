package account

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots()
		var running, most, refused atomic.Int32
		var wg sync.WaitGroup
		for i := range maxWaiting + s.total + 20 {
			wg.Go(func() {
				err := s.run(t.Context(), laneSignIn, strconv.Itoa(i), func() {
					most.Store(max(most.Load(), running.Add(1)))
					time.Sleep(time.Second)
					running.Add(-1)
				})
				switch {
				case errors.Is(err, registry.ErrUnavailable):
					refused.Add(1)
				case err != nil:
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		if refused.Load() != 20 {
			t.Errorf("%d refused, want 20", refused.Load())
		}
		wg.Wait() // of those that wait, one for each slot and second passes
		if int(most.Load()) != s.total {
			t.Errorf("%d at a time, %d slots", most.Load(), s.total)
		}
		want := maxWaiting + 20 - s.total*(int(hashTimeout/time.Second)-1)
		if int(refused.Load()) > want {
			t.Errorf("%d refused, want at most %d", refused.Load(), want)
		}
		if s.running != 0 || len(s.waiters) != 0 {
			t.Errorf("left behind: %d running, %d waiting", s.running, len(s.waiters))
		}
	})
}

func TestSlots_lanes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots()
		s.total = 1
		var mu sync.Mutex
		var order []string
		var wg sync.WaitGroup
		start := func(ctx context.Context, l lane, client string) {
			wg.Go(func() {
				err := s.run(ctx, l, client, func() {
					mu.Lock()
					order = append(order, client)
					mu.Unlock()
					time.Sleep(time.Second)
				})
				if err != nil {
					mu.Lock()
					defer mu.Unlock()
					order = append(order, fmt.Sprintf("%s: %t", client, errors.Is(err, registry.ErrLimited)))
				}
			})
			synctest.Wait()
		}
		canceled, cancel := context.WithCancel(t.Context())
		start(t.Context(), laneSignUp, "first")
		for range 4 {
			start(t.Context(), laneSignUp, "many") // two wait, two are refused
		}
		start(canceled, laneSignIn, "gone")
		start(t.Context(), laneSignIn, "sign-in")
		start(t.Context(), laneKnown, "known")
		cancel()
		wg.Wait()
		want := []string{"first", "many: true", "many: true", "gone: false", "known", "sign-in", "many", "many"}
		if diff := cmp.Diff(want, order); diff != "" {
			t.Error(diff)
		}
	})
}

// Clients of one IPv6 network wait in two places, and leave the others to others.
func TestSlots_network(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots()
		s.total = 1
		var refused atomic.Int32
		var wg sync.WaitGroup
		start := func(client string, refusals *atomic.Int32) {
			wg.Go(func() {
				if s.run(t.Context(), laneSignIn, client, func() { time.Sleep(time.Millisecond) }) != nil {
					refusals.Add(1)
				}
			})
		}
		for i := range maxWaiting + 10 {
			start(fmt.Sprintf("2001:db8:1:%x::", i), &refused)
		}
		synctest.Wait()
		var others atomic.Int32
		start("2001:db8:2::", &others)
		start("192.0.2.1", &others)
		wg.Wait()
		if int(refused.Load()) != maxWaiting+10-s.total-maxClientWaiting || others.Load() != 0 {
			t.Errorf("%d of the network are refused, %d others", refused.Load(), others.Load())
		}
	})
}

// All known devices of an account wait as one client, whatever networks they are in.
func TestSignInLane(t *testing.T) {
	type got struct {
		Lane   lane
		Client string
	}
	var all []got
	for i, known := range []bool{true, true, false, false} {
		v := Visitor{Client: fmt.Sprintf("192.0.2.%d", i), Device: strconv.Itoa(i)}
		l, client := signInLane("ada@example.com", v, known)
		all = append(all, got{l, client})
	}
	want := []got{{laneKnown, "ada@example.com"}, {laneKnown, "ada@example.com"},
		{laneSignIn, "192.0.2.2"}, {laneSignIn, "192.0.2.3"}}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Error(diff)
	}
}

// A known device gets a place when only others wait.
func TestSlots_evict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots()
		s.total = 1
		var evicted, passed atomic.Int32
		var wg sync.WaitGroup
		for i := range maxWaiting + 1 {
			wg.Go(func() {
				err := s.run(t.Context(), laneSignUp, strconv.Itoa(i), func() { time.Sleep(time.Millisecond) })
				if errors.Is(err, registry.ErrUnavailable) {
					evicted.Add(1)
				}
			})
		}
		synctest.Wait()
		for i := range 3 {
			wg.Go(func() {
				if s.run(t.Context(), laneKnown, "known "+strconv.Itoa(i), func() {}) == nil {
					passed.Add(1)
				}
			})
		}
		wg.Wait()
		if evicted.Load() != 3 || passed.Load() != 3 {
			t.Errorf("%d evicted, %d passed", evicted.Load(), passed.Load())
		}
	})
}
