package postgres_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
)

// turns numbers the questions of all processes.
var turns atomic.Int64

func openQuota(t *testing.T, db *postgres.DB) *postgres.Quota {
	t.Helper()
	q, err := db.Quota()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { q.Close() })
	return q
}

func join(t *testing.T, q *postgres.Quota) int32 {
	t.Helper()
	n, err := q.Join(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func tallyOf(of quota.Limited, id uint64) quota.Tally {
	return quota.Tally{Subject: quota.Subject{Of: of, ID: id}, Starts: start.Truncate(of.Window()).Unix()}
}

func TestLeases(t *testing.T) {
	t.Parallel()
	q := openQuota(t, pgtest.New(t))
	a, b := join(t, q), join(t, q)
	ask := func(process int32, tally quota.Tally, limit, unused, want int) quota.Lease {
		t.Helper()
		l, err := q.Lease(t.Context(), process, turns.Add(1), time.Minute, []quota.LeaseAsk{{Tally: tally, Limit: limit, Unused: unused, Want: want}})
		if err != nil {
			t.Fatal(err)
		}
		return l[0]
	}
	day := tallyOf(quota.AccountDay, 1<<63+5) // numbers that Postgres has not
	for i, step := range []struct {
		process             int32
		limit, unused, want int
		lease               quota.Lease
	}{
		{a, 100, 0, 0, quota.Lease{}},                                                           // only looks
		{a, 100, 0, 1, quota.Lease{Given: 12, Granted: 12}},                                     // with a reserve
		{b, 100, 0, 30, quota.Lease{Given: 30, Granted: 42, Others: 1, Lost: 1, Spread: true}},  // without: it wants more than an eighth
		{b, 100, 0, 60, quota.Lease{Given: 58, Granted: 100, Others: 1, Lost: 1, Spread: true}}, // what there is
		{b, 100, 0, 2, quota.Lease{Granted: 100, Others: 1, Lost: 1, Spread: true}},             // nothing, but a has some
		{a, 100, 11, 0, quota.Lease{Granted: 89, Spread: true}},                                 // which it gives back
		{b, 100, 0, 2, quota.Lease{Given: 2, Granted: 91}},                                      // no more reserves
		{a, 100, 0, 20, quota.Lease{Given: 9, Granted: 100}},                                    // the last
		{a, 100, 0, 20, quota.Lease{Granted: 100}},                                              //
		{a, 1000, 0, 1, quota.Lease{Given: 100, Granted: 200}},                                  // a new plan
		{b, 100, 0, 1, quota.Lease{Granted: 200, Others: 1, Lost: 1, Spread: true}},             // and the old again
		{a, 100, 99, 1, quota.Lease{Granted: 101, Spread: true}},                                //
		{b, 10_000, 0, 200, quota.Lease{Given: 200, Granted: 301, Spread: true}},                //
		{b, 10_000, 0, 1, quota.Lease{Given: 100, Granted: 401}},                                // a reserve is at most 100
		{b, 10_000, 99, 5000, quota.Lease{Given: 5000, Granted: 5302}},                          // what waits is not
	} {
		if got := ask(step.process, day, step.limit, step.unused, step.want); got != step.lease {
			t.Errorf("step %d: got %+v, want %+v", i, got, step.lease)
		}
	}
	if _, err := q.Lease(t.Context(), a, turns.Add(1), time.Minute, []quota.LeaseAsk{{Tally: day, Limit: 1, Want: 1}, {Tally: day, Limit: 1, Want: 1}}); err == nil {
		t.Error("two asks for one tally are answered")
	}
}

// A question that comes twice is answered twice and changes nothing the second
// time, whatever others have asked meanwhile; one that comes late is refused.
func TestLeasesHaveTheirTurn(t *testing.T) {
	t.Parallel()
	q := openQuota(t, pgtest.New(t))
	a, b := join(t, q), join(t, q)
	one, two := tallyOf(quota.AccountDay, 1), tallyOf(quota.AccountDay, 2)
	for i, step := range []struct {
		process int32
		turn    int64
		unused  int
		given   []int // nil: refused
		granted int
	}{
		{a, 1, 0, []int{50, 12}, 50},
		{a, 1, 0, []int{50, 12}, 50},
		{b, 7, 0, []int{50, 2}, 100}, // of the second with a small reserve
		{a, 1, 0, []int{50, 12}, 100},
		{a, 3, 10, []int{10, 2}, 100},
		{a, 3, 10, []int{10, 2}, 100},
		{b, 7, 0, []int{50, 2}, 100},
		{a, 2, 10, nil, 0},
		{a, 1, 0, nil, 0},
		{a, 4, 0, []int{0, 2}, 100},
		{a, 4, 0, []int{0, 2}, 100},
	} {
		asks := []quota.LeaseAsk{{Tally: two, Limit: 100, Want: 1}, {Tally: one, Limit: 100, Unused: step.unused, Want: 50}}
		slices.Reverse(asks)
		leases, err := q.Lease(t.Context(), step.process, step.turn, time.Minute, asks)
		if step.given == nil {
			if !errors.Is(err, registry.ErrConflict) {
				t.Errorf("step %d: %+v, %v", i, leases, err)
			}
			continue
		}
		if err != nil || leases[0].Given != step.given[0] || leases[1].Given != step.given[1] || leases[0].Granted != step.granted {
			t.Errorf("step %d: %+v, %v", i, leases, err)
		}
	}
	if _, err := q.Lease(t.Context(), b+1, 1, time.Minute, []quota.LeaseAsk{{Tally: one, Limit: 100, Want: 1}}); err == nil {
		t.Error("a process that never joined gets something")
	}
}

func TestShares(t *testing.T) {
	t.Parallel()
	q := openQuota(t, pgtest.New(t))
	a, b, c := join(t, q), join(t, q), join(t, q)
	hour := tallyOf(quota.ClientHour, 1)
	s, err := q.Share(t.Context(), quota.ClientHour, hour.Starts, 50, time.Minute)
	if err != nil || s.Each != 16 || !slices.Equal(s.Processes, []int32{a, b, c}) {
		t.Fatalf("%+v, %v", s, err)
	}
	d := join(t, q)
	if again, err := q.Share(t.Context(), quota.ClientHour, hour.Starts, 10, time.Minute); err != nil || again.Each != 16 || len(again.Processes) != 3 {
		t.Errorf("shares change: %+v, %v", again, err)
	}
	lease := func(process int32, id uint64, unused, want int) quota.Lease {
		t.Helper()
		l, err := q.Lease(t.Context(), process, turns.Add(1), time.Minute, []quota.LeaseAsk{{Tally: tallyOf(quota.ClientHour, id), Limit: 100, Unused: unused, Want: want}})
		if err != nil {
			t.Fatal(err)
		}
		return l[0]
	}
	// 52 are left beside the shares of 16.
	for i, step := range []struct {
		process      int32
		id           uint64
		unused, want int
		lease        quota.Lease
	}{
		{a, 1, 0, 1, quota.Lease{Given: 1, Granted: 49, Others: 2, Lost: 2, Spread: true}}, // after its share, while others may use theirs
		{d, 2, 0, 1, quota.Lease{Given: 1, Granted: 49, Others: 3, Lost: 3, Spread: true}}, // without a share
		{b, 1, 10, 0, quota.Lease{Granted: 39, Lost: 1, Spread: true}},                     // what a share leaves
		{c, 0, 0, 0, quota.Lease{}},                                                            // leaves
		{a, 1, 0, 1, quota.Lease{Given: 9, Granted: 32}},                                       // alone, so with a reserve of an eighth
		{b, 3, 0, 100, quota.Lease{Given: 68, Granted: 100, Others: 1, Lost: 1, Spread: true}}, // of a client who was never seen
	} {
		if step.process == c {
			if err := q.Leave(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if got := lease(step.process, step.id, step.unused, step.want); got != step.lease {
			t.Errorf("step %d: got %+v, want %+v", i, got, step.lease)
		}
	}
}

// Statements about many rows in any order do not get in each other's way, and
// what they give never exceeds the limits.
func TestLeasesAtTheSameTime(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	const tallies, limit = 40, 500
	var mu sync.Mutex
	given := map[uint64]int{}
	var wg sync.WaitGroup
	for range 4 {
		q := openQuota(t, db)
		for range 3 {
			process := join(t, q)
			wg.Go(func() {
				for range 30 {
					var asks []quota.LeaseAsk
					for _, id := range rand.Perm(tallies)[:20] {
						asks = append(asks, quota.LeaseAsk{Tally: tallyOf(quota.AccountDay, uint64(id)), Limit: limit, Want: rand.IntN(12)})
					}
					leases, err := q.Lease(t.Context(), process, turns.Add(1), time.Minute, asks)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					for i, l := range leases {
						given[asks[i].ID] += l.Given
						if l.Granted > limit {
							t.Errorf("%d are granted", l.Granted)
						}
					}
					mu.Unlock()
				}
			})
		}
	}
	wg.Wait()
	for id, n := range given {
		if n != limit {
			t.Errorf("%d of tally %d were given in all, want %d", n, id, limit)
		}
	}
}

func TestRecallsReachOthers(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	qa, qb := openQuota(t, db), openQuota(t, db)
	a, b := join(t, qa), join(t, qb)
	atA, err := qa.Recalls(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	atB, err := qb.Recalls(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	tally := tallyOf(quota.AccountDay, 1<<63+7)
	for _, step := range []struct {
		process int32
		want    int
	}{{a, 1}, {b, 100}} {
		if _, err := qa.Lease(t.Context(), step.process, turns.Add(1), time.Minute, []quota.LeaseAsk{{Tally: tally, Limit: 100, Want: step.want}}); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case got := <-atA:
		if got != tally {
			t.Errorf("%+v is recalled", got)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("nothing is recalled")
	}
	select {
	case got := <-atB:
		t.Errorf("who recalls %+v is told itself", got)
	default:
	}
}

func TestForgetQuota(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	q := openQuota(t, db)
	a := join(t, q)
	if _, err := q.Share(t.Context(), quota.ClientHour, start.Unix(), 50, time.Minute); err != nil {
		t.Fatal(err)
	}
	var asks []quota.LeaseAsk
	for _, of := range []quota.Limited{quota.ClientHour, quota.AccountHour, quota.AccountDay} {
		asks = append(asks, quota.LeaseAsk{Tally: tallyOf(of, 1), Limit: 100, Want: 1})
	}
	if _, err := q.Lease(t.Context(), a, turns.Add(1), time.Minute, asks); err != nil {
		t.Fatal(err)
	}
	for i, step := range []struct {
		after time.Duration
		want  int
	}{{0, 0}, {2 * time.Hour, 0}, {2*time.Hour + time.Second, 2}, {30 * time.Hour, 0}, {49 * time.Hour, 1}, {49 * time.Hour, 0}} {
		if n, err := db.ForgetQuota(t.Context(), start.Add(step.after)); err != nil || n != step.want {
			t.Errorf("%d: after %v %d are forgotten, %v, want %d", i, step.after, n, err, step.want)
		}
	}
}
