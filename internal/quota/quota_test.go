package quota_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
)

func client(n uint64) quota.Subject {
	return quota.Subject{Of: quota.ClientHour, ID: 0xffff<<48 | n<<8}
}

func account(n uint64) quota.Subject {
	return quota.Subject{Of: quota.AccountDay, ID: n}
}

func toolCalls(n uint64) quota.Subject {
	return quota.Subject{Of: quota.ToolHour, ID: 0xffff<<48 | n<<8}
}

var kinds = map[string]func(uint64) quota.Subject{
	"client": client, "account": account, "tool calls": toolCalls,
}

// take makes a request that must not fail.
func (p *process) take(t testing.TB, s quota.Subject, limit int) quota.Result {
	t.Helper()
	r, err := p.Take(t.Context(), s, limit)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// unavailable makes a request that must fail.
func (p *process) unavailable(t testing.TB, s quota.Subject) {
	t.Helper()
	r, err := p.Take(t.Context(), s, 100)
	var e *registry.Error
	if !errors.Is(err, registry.ErrUnavailable) || !errors.As(err, &e) || e.RetryAfter <= 0 || r.Limit != 100 || r.Reset.IsZero() {
		t.Errorf("%v: %+v, %v, want unavailable", s, r, err)
	}
}

// drain takes until a request is refused, and returns how many passed.
func (p *process) drain(t testing.TB, s quota.Subject, limit int) (passed int) {
	t.Helper()
	for p.take(t, s, limit).Allowed {
		if passed++; passed > limit {
			t.Fatalf("more than %d passed", limit)
		}
	}
	return passed
}

// storm makes simultaneous requests, each[i] at process i, and returns how many
// passed.
func storm(t testing.TB, ps []*process, each []int, s quota.Subject, limit int) int {
	t.Helper()
	var passed atomic.Int64
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for i, p := range ps {
		for range each[i] {
			wg.Go(func() {
				<-begin
				r, err := p.Take(t.Context(), s, limit)
				if err != nil {
					t.Error(err)
				} else if r.Allowed {
					passed.Add(1)
				}
			})
		}
	}
	close(begin)
	wg.Wait()
	return int(passed.Load())
}

func TestTakeAtSeveralProcesses(t *testing.T) {
	for name, of := range kinds {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ps := newMemory().startAll(t, 3)
				for i, each := range [][]int{{400, 80, 20}, {1, 498, 1}, {167, 167, 166}, {0, 0, 500}, {70, 20, 10}} {
					s := of(uint64(i))
					if got := storm(t, ps, each, s, 100); got != 100 {
						t.Errorf("%v at the processes: %d passed, want 100", each, got)
					}
					if got := storm(t, ps, []int{50, 50, 50}, s, 100); got != 0 {
						t.Errorf("%v at the processes: %d passed of nothing", each, got)
					}
				}
				s := of(10)
				for i := range 900 { // uneven use leaves reserves everywhere
					if !ps[i%7%3].take(t, s, 1000).Allowed {
						t.Fatal("refused", i)
					}
				}
				if got := storm(t, ps, []int{30, 450, 20}, s, 1000); got != 100 {
					t.Errorf("%d of 500 passed, want 100", got)
				}
				s = of(11)
				ps[0].take(t, s, 100)
				ps[1].take(t, s, 100)
				if got := ps[2].drain(t, s, 100); got != 98 {
					t.Errorf("%d passed at the third process, want 98", got)
				}
				for i, p := range ps {
					if got := p.take(t, s, 100); got.Allowed || got.Remaining != 0 || got.RetryAfter <= 0 {
						t.Errorf("process %d after the limit: %+v", i, got)
					}
				}
			})
		})
	}
}

func TestRemaining(t *testing.T) {
	for name, of := range kinds {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, s := newMemory().start(t), of(1)
				for want := 99; want >= 0; want-- {
					r, err := p.Peek(t.Context(), s, 100)
					if err != nil || r.Remaining != want+1 || !r.Allowed {
						t.Fatalf("Peek: %+v, %v, want %d", r, err, want+1)
					}
					if r := p.take(t, s, 100); r.Remaining != want || !r.Allowed || r.Limit != 100 {
						t.Fatalf("%+v, want %d remaining", r, want)
					}
				}
				if r := p.take(t, s, 100); r.Allowed || r.Remaining != 0 || r.RetryAfter <= 0 {
					t.Errorf("at the end: %+v", r)
				}
				if r, err := p.Peek(t.Context(), s, 100); err != nil || r.Allowed || r.Remaining != 0 {
					t.Errorf("Peek at the end: %+v, %v", r, err)
				}
				if n := p.store.keys.Load(); n > 130 { // a third of them by Peek
					t.Errorf("%d leases for 100 requests", n)
				}
			})
		})
	}
	t.Run("of another process", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := newMemory()
			p, q := m.start(t), m.start(t)
			p.take(t, account(1), 100) // leases 12
			for _, want := range []int{88, 53} {
				if r, err := q.Peek(t.Context(), account(1), 100); err != nil || r.Remaining != want {
					t.Errorf("%+v, %v, want %d", r, err, want)
				}
				storm(t, []*process{p}, []int{41}, account(1), 100)
			}
		})
	})
}

func TestBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newMemory().start(t)
		var wg sync.WaitGroup
		for i := range uint64(20_000) {
			wg.Go(func() { p.take(t, account(i), 100) })
		}
		wg.Wait()
		if n := p.store.leases.Load(); n > 20 {
			t.Errorf("%d calls for 20,000 keys", n)
		}
	})
}

func TestClose(t *testing.T) {
	for name, of := range kinds {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMemory()
				s := of(1)
				p := m.start(t)
				for range 30 {
					p.take(t, s, 100)
				}
				p.stop(t)
				p.unavailable(t, s)
				q := m.start(t)
				if r := q.take(t, s, 100); r.Remaining != 69 {
					t.Errorf("%d remaining after the restart, want 69", r.Remaining)
				}
				if n := q.drain(t, s, 100); n != 69 {
					t.Errorf("%d passed after the restart, want 69", n)
				}
				if n := q.drain(t, of(2), 100); n != 100 {
					t.Errorf("%d passed of a new subject, want 100", n)
				}
			})
		})
	}
}

func TestKilledProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		ps := m.startAll(t, 2)
		for range 3 {
			ps[0].take(t, account(1), 100) // of a lease of 12
		}
		ps[0].kill()
		start := time.Now()
		if got := ps[1].drain(t, account(1), 100); got != 88 {
			t.Errorf("%d passed, want 88: all but what the killed process had", got)
		}
		if took := time.Since(start); took > 6*time.Second {
			t.Errorf("the last request waited for %v", took)
		}
		start = time.Now()
		if got := m.start(t).drain(t, account(1), 100); got != 0 {
			t.Errorf("%d passed at a new process", got)
		}
		if took := time.Since(start); took > 10*time.Millisecond {
			t.Errorf("another process waits again for the killed one: %v", took)
		}
	})
}

func TestWindows(t *testing.T) {
	for name, of := range kinds {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ps := newMemory().startAll(t, 2)
				midnight := time.Now().Truncate(24 * time.Hour).Add(24 * time.Hour)
				time.Sleep(time.Until(midnight) - time.Minute)
				s := of(1)
				if r := ps[0].take(t, s, 100); !r.Reset.Equal(midnight) {
					t.Errorf("resets at %v, want %v", r.Reset, midnight)
				}
				if r := ps[1].take(t, s, 1); r.Allowed || r.RetryAfter != time.Until(midnight) {
					t.Errorf("over the limit: %+v", r)
				}
				time.Sleep(time.Until(midnight))
				if got := storm(t, ps, []int{100, 60}, s, 100); got != 100 {
					t.Errorf("%d passed in the new window, want 100", got)
				}
			})
		})
	}
}

func TestLimitChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		p, q, s := m.start(t), m.start(t), account(1)
		if got := p.drain(t, s, 100); got != 100 {
			t.Fatal(got)
		}
		if r := p.take(t, s, 1000); r.Remaining != 899 || !r.Allowed {
			t.Errorf("after an upgrade: %+v", r)
		}
		for range 99 {
			q.take(t, s, 1000)
		}
		for _, p := range []*process{p, q} {
			if p.take(t, s, 200).Allowed {
				t.Error("passes after a downgrade to what was used")
			}
		}
		if got := q.drain(t, s, 300); got != 100 {
			t.Errorf("%d passed, want 100", got)
		}
	})
}

func TestIdleLeases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		p, q := m.start(t), m.start(t)
		p.take(t, account(1), 100)
		time.Sleep(2 * time.Minute)
		if r := q.take(t, account(1), 100); r.Remaining != 98 {
			t.Errorf("%+v: the lease was not returned", r)
		}
	})
}

func TestWithoutStore(t *testing.T) {
	q := quota.New(quota.Options{})
	p := &process{Quota: q}
	if got := storm(t, []*process{p}, []int{500}, client(1), 100); got != 100 {
		t.Error(got)
	}
	if r := p.take(t, client(1), 150); r.Remaining != 49 {
		t.Errorf("with a higher limit: %+v", r)
	}
	if r := p.take(t, client(1), 100); r.Allowed {
		t.Errorf("with the lower one again: %+v", r)
	}
	if err := q.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestStoreAway checks that a process lets its share of limits pass while the store does not
// respond, those of accounts for ten minutes, and that the store counts them afterwards.
func TestStoreAway(t *testing.T) {
	for name, tc := range map[string]struct {
		fault int32
		wait  time.Duration // of the first request without a lease
	}{
		"error":     {fails, 0},
		"hang":      {hangs, 2 * time.Second},
		"uncertain": {uncertain, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ps := newMemory().startAll(t, 2)
				time.Sleep(time.Until(time.Now().Truncate(24 * time.Hour).Add(24 * time.Hour)))
				p := ps[0]
				p.take(t, account(1), 100)
				p.take(t, client(1), 100)
				p.store.fault.Store(tc.fault)
				start := time.Now()
				if r := p.take(t, client(2), 100); !r.Allowed || r.Remaining != 99 {
					t.Errorf("a new client: %+v", r)
				}
				if took := time.Since(start); took != tc.wait {
					t.Errorf("waited for %v, want %v", took, tc.wait)
				}
				for _, s := range []quota.Subject{account(1), client(1)} {
					for i := range 49 {
						if !p.take(t, s, 100).Allowed {
							t.Fatalf("%v: %d passed without the store", s, i)
						}
					}
				}
				if took := time.Since(start); took != tc.wait {
					t.Errorf("later requests waited until %v", took)
				}
				if n := p.drain(t, client(3), 100); n != 100 {
					t.Errorf("%d of a client passed without the store", n)
				}
				time.Sleep(10 * time.Minute)
				p.unavailable(t, account(1))
				p.take(t, client(4), 100)
				p.store.fault.Store(works)
				time.Sleep(time.Minute)
				if !p.Away().IsZero() {
					t.Error("the store is still away")
				}
				for s, want := range map[quota.Subject]int{
					account(1): 50, client(1): 50, client(3): 0, account(3): 100,
				} {
					if got := storm(t, ps, []int{100, 100}, s, 100); got != want {
						t.Errorf("%v: %d passed afterwards, want %d", s, got, want)
					}
				}
			})
		})
	}
	t.Run("the first call afterwards", func(t *testing.T) {
		for _, fault := range []int32{uncertain, cut} {
			synctest.Test(t, func(t *testing.T) {
				ps := newMemory().startAll(t, 2)
				ps[0].store.fault.Store(fails)
				for range 40 {
					ps[0].take(t, account(1), 100)
				}
				ps[0].store.fault.Store(fault)
				time.Sleep(time.Minute)
				ps[0].store.fault.Store(works)
				time.Sleep(time.Minute)
				if n := storm(t, ps, []int{100, 100}, account(1), 100); n > 60 || n < 20 {
					t.Errorf("fault %d: %d passed after 40 of 100", fault, n)
				}
			})
		}
	})
	t.Run("several processes", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ps := newMemory().startAll(t, 2)
			for _, p := range ps {
				p.take(t, client(1), 100)
			}
			ps[1].store.fault.Store(fails)
			if n := ps[1].drain(t, client(2), 100); n != 50 {
				t.Errorf("%d of 100 passed at one of two processes", n)
			}
		})
	})
}

func TestCanceledRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newMemory().start(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for range 20 {
			if _, err := p.Take(ctx, account(1), 100); err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		if got := p.drain(t, account(1), 100); got < 80 || got > 100 {
			t.Errorf("%d passed", got)
		}
	})
}

func TestManyClients(t *testing.T) {
	q := quota.New(quota.Options{})
	const cells, more = 1 << 20, 100_000
	passed := 0
	for i := range uint64(cells + more) { // each with a site
		r, err := q.Take(t.Context(), quota.Subject{Of: quota.ClientHour, ID: 0x2001<<48 | (i+1)<<16}, 2)
		if err != nil {
			t.Fatal(err)
		}
		if r.Allowed {
			passed++
		}
	}
	if passed < cells/2 || passed > cells/2+100 {
		t.Errorf("%d of %d clients of 18 networks passed, want %d", passed, cells+more, cells/2)
	}
	if r, err := q.Take(t.Context(), client(1), 2); err != nil || !r.Allowed {
		t.Errorf("a client of another network: %+v, %v", r, err)
	}
}

// A step is an event in an interleaving of several processes.
type step struct {
	do       string
	process  int
	requests [3]int // simultaneous ones, at each process
	wait     time.Duration
}

// steps returns any number of steps, and one that uses up the limit.
func steps(r *rapid.T, limit int) (all []step) {
	for range rapid.IntRange(1, 12).Draw(r, "steps") {
		s := step{process: rapid.IntRange(0, 2).Draw(r, "process")}
		s.do = rapid.SampledFrom([]string{
			"take", "take", "storm", "storm", "storm", "peek", "restart", "restart", "kill", "wait", "wait",
		}).Draw(r, "do")
		switch s.do {
		case "storm":
			for i := range s.requests {
				s.requests[i] = rapid.IntRange(0, limit).Draw(r, "requests")
			}
		case "wait":
			s.wait = time.Duration(rapid.SampledFrom([]int{1, 30, 300, 4000}).Draw(r, "seconds")) * time.Second
		}
		all = append(all, s)
	}
	return append(all, step{do: "drain", process: rapid.IntRange(0, 2).Draw(r, "process")})
}

// No more than the limit pass in a window, whatever happens, and exactly as
// many if no process is killed and enough requests are made.
func TestInterleavings(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		limit := rapid.SampledFrom([]int{1, 2, 7, 100, 250}).Draw(r, "limit")
		s := rapid.SampledFrom([]quota.Subject{client(1), account(1), {Of: quota.AccountHour, ID: 1}}).Draw(r, "subject")
		script := steps(r, limit)
		fault := ""
		synctest.Test(t, func(t *testing.T) { fault = play(t, script, s, limit) })
		if fault != "" {
			r.Fatal(fault)
		}
	})
}

// play returns what was wrong, "" for nothing.
func play(t *testing.T, script []step, s quota.Subject, limit int) (fault string) {
	m := newMemory()
	ps := m.startAll(t, 3)
	total, killed := 0, false
	window := func() int64 { return time.Now().UnixNano() / int64(s.Of.Window()) }
	at := window()
	for _, st := range script {
		p := ps[st.process]
		switch st.do {
		case "take":
			total += storm(t, []*process{p}, []int{1}, s, limit)
		case "storm":
			total += storm(t, ps, st.requests[:], s, limit)
		case "peek":
			if r, err := p.Peek(t.Context(), s, limit); err != nil || r.Remaining < 0 || r.Remaining > limit {
				return fmt.Sprintf("Peek: %+v, %v", r, err)
			}
		case "restart":
			p.stop(t)
			ps[st.process] = m.start(t)
		case "kill":
			p.kill()
			ps[st.process] = m.start(t)
			killed = true
		case "wait":
			time.Sleep(st.wait)
			if now := window(); now != at {
				at, total, killed = now, 0, false
			}
		case "drain":
			total += p.drain(t, s, limit)
			if !killed && total != limit {
				return fmt.Sprintf("%d of %d passed", total, limit)
			}
		}
		if total > limit {
			return fmt.Sprintf("%d of %d passed, more than the limit", total, limit)
		}
	}
	return ""
}

// Clients of a network share a limit, and those of others do not notice.
func TestLimitOfSites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newMemory().start(t)
		passed := 0
		for i := range uint64(256) {
			r := p.take(t, quota.Subject{Of: quota.ClientHour, ID: 0xffff<<48 | 0xc0000200 | i}, 10)
			if r.Allowed {
				passed++
			} else if !r.OfSite || r.RetryAfter <= 0 {
				t.Errorf("refused: %+v", r)
			}
		}
		if passed != 10*quota.SiteFactor {
			t.Errorf("%d requests of a /24 passed", passed)
		}
		for _, id := range []uint64{0xffff<<48 | 0xc0000301, 0x20010db8_c0000200, 0} {
			if r := p.take(t, quota.Subject{Of: quota.ClientHour, ID: id}, 10); !r.Allowed {
				t.Errorf("%x: %+v", id, r)
			}
		}
	})
}
