package quota_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
)

// A stuck store gives everything that is asked for, until it is told to fail or
// to hang.
type stuck struct {
	leases, shares, beats mode
	now                   atomic.Int64 // 0: the real time
}

type mode struct {
	how   atomic.Int32
	calls atomic.Int64
	free  chan struct{} // closed: who hangs goes on
}

const (
	works = iota
	fails
	hangs
)

var errStuck = errors.New("stuck")

func (m *mode) call() error {
	m.calls.Add(1)
	switch m.how.Load() {
	case fails:
		return errStuck
	case hangs:
		<-m.free
	}
	return nil
}

func newStuck() *stuck {
	s := &stuck{}
	for _, m := range []*mode{&s.leases, &s.shares, &s.beats} {
		m.free = make(chan struct{})
	}
	return s
}

func (s *stuck) time() time.Time {
	if at := s.now.Load(); at != 0 {
		return time.Unix(at, 0)
	}
	return time.Now()
}

func (s *stuck) Join(context.Context) (int32, error) { return 1, nil }

func (s *stuck) Beat(context.Context, int32) (time.Time, error) { return s.time(), s.beats.call() }

func (s *stuck) Share(_ context.Context, _ quota.Limited, _ int64, total int, _ time.Duration) (quota.LeaseShares, error) {
	return quota.LeaseShares{Each: total, Processes: []int32{1}}, s.shares.call()
}

func (s *stuck) Lease(_ context.Context, _ int32, _ int64, _ time.Duration, asks []quota.LeaseAsk) ([]quota.Lease, error) {
	if err := s.leases.call(); err != nil {
		return nil, err
	}
	leases := make([]quota.Lease, len(asks))
	for i, a := range asks {
		leases[i] = quota.Lease{Given: a.Want, Granted: a.Want}
	}
	return leases, nil
}

func (s *stuck) Leave(context.Context, int32) error { return nil }

func (s *stuck) Recalls(ctx context.Context, _ int32) (<-chan quota.Tally, error) {
	c := make(chan quota.Tally)
	context.AfterFunc(ctx, func() { close(c) })
	return c, nil
}

func (s *stuck) quota(t *testing.T, o quota.Options) *quota.Quota {
	t.Helper()
	o.Store, o.Clients = s, 100
	o.Now = s.time
	q, err := quota.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, m := range []*mode{&s.leases, &s.shares, &s.beats} {
			if m.how.Swap(works) == hangs {
				close(m.free)
			}
		}
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := q.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return q
}

// refused makes a request that must be told, without waiting for the store,
// that it cannot be counted.
func refused(t *testing.T, q *quota.Quota, s quota.Subject) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if left, err := q.Take(ctx, s, 100); !errors.Is(err, registry.ErrUnavailable) {
		t.Fatalf("%+v, %v, want that it cannot be counted", left, err)
	}
}

// recovers waits until a request passes.
func recovers(t *testing.T, q *quota.Quota, s quota.Subject) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if left, err := q.Take(t.Context(), s, 100); err == nil && left.Passed {
			return
		} else if time.Now().After(deadline) {
			t.Fatalf("does not recover: %+v, %v", left, err)
		}
	}
}

// Once it is known that the store does not answer, nobody waits for it, however
// often the process asks again: here it would be for an hour.
func TestNobodyWaitsForAStoreThatIsKnownToHang(t *testing.T) {
	t.Parallel()
	s := newStuck()
	q := s.quota(t, quota.Options{Answer: time.Hour, Beat: time.Hour})
	s.leases.how.Store(fails)
	refused(t, q, account(1))
	s.leases.how.Store(hangs)
	for deadline := time.Now().Add(30 * time.Second); s.leases.calls.Load() < 2; time.Sleep(time.Millisecond) {
		refused(t, q, account(1)) // also in the moments before it is asked again
		if time.Now().After(deadline) {
			t.Fatal("the question is not asked again")
		}
	}
	for i := range uint64(100) {
		refused(t, q, account(i))
	}
	s.leases.how.Store(works)
	close(s.leases.free)
	recovers(t, q, account(2))
}

// A connection that does not give up keeps nobody longer than an answer may
// take, and its answer counts when it comes.
func TestAnAnswerThatComesTooLateIsTaken(t *testing.T) {
	t.Parallel()
	s := newStuck()
	q := s.quota(t, quota.Options{Answer: 50 * time.Millisecond, Beat: time.Hour})
	s.leases.how.Store(hangs)
	refused(t, q, account(1))
	refused(t, q, account(1))
	if n := s.leases.calls.Load(); n != 1 {
		t.Errorf("asked %d times, want once", n)
	}
	s.leases.how.Store(works)
	close(s.leases.free)
	recovers(t, q, account(1))
	if left, err := q.Take(t.Context(), account(1), 100); err != nil || !left.Passed {
		t.Errorf("%+v, %v", left, err)
	}
}

// A process that was not asked for anything finds out by itself.
func TestASignOfLifeWithoutAnswerIsEnough(t *testing.T) {
	t.Parallel()
	s := newStuck()
	q := s.quota(t, quota.Options{Answer: time.Hour, Beat: 10 * time.Millisecond})
	s.beats.how.Store(fails)
	for n := s.beats.calls.Load(); s.beats.calls.Load() < n+3; time.Sleep(time.Millisecond) {
	}
	s.leases.how.Store(hangs)
	refused(t, q, account(1))
	if n := s.leases.calls.Load(); n != 0 {
		t.Errorf("the store was asked %d times", n)
	}
	s.leases.how.Store(works)
	s.beats.how.Store(works)
	recovers(t, q, account(1))
}

// An hour whose shares nobody knows makes clients wait once, not each in turn.
func TestAnHourThatCannotBeSharedOutKeepsNobody(t *testing.T) {
	t.Parallel()
	s := newStuck()
	s.now.Store(time.Date(2026, 11, 1, 10, 20, 0, 0, time.UTC).Unix())
	q := s.quota(t, quota.Options{Answer: time.Hour, Beat: time.Hour})
	s.shares.how.Store(fails)
	s.now.Store(time.Date(2026, 11, 1, 11, 0, 0, 0, time.UTC).Unix())
	refused(t, q, client(1))
	s.shares.how.Store(hangs)
	for i := range uint64(100) {
		refused(t, q, client(i))
	}
	if n := s.shares.calls.Load(); n != 2 { // the first hour, and this one once
		t.Errorf("asked %d times", n)
	}
}
