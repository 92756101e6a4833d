package postgres_test

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
)

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

func keyOf(of quota.Kind, id uint64) quota.Key {
	return quota.Key{Subject: quota.Subject{Of: of, ID: id}, Starts: start.Truncate(of.Window()).Unix()}
}

func leaseOne(t *testing.T, q *postgres.Quota, process int32, k quota.Key, unused, want int) quota.Lease {
	t.Helper()
	l, err := q.Lease(t.Context(), process, []quota.LeaseRequest{{Key: k, Limit: 100, Unused: unused, Want: want}})
	if err != nil {
		t.Fatal(err)
	}
	return l[0]
}

func TestQuotaLease(t *testing.T) {
	t.Parallel()
	q := openQuota(t, pgtest.New(t))
	a, b := join(t, q), join(t, q)
	day := keyOf(quota.AccountDay, 1<<63+5) // more than a bigint
	for i, tc := range []struct {
		process      int32
		unused, want int
		lease        quota.Lease
	}{
		{a, 0, 0, quota.Lease{}},
		{a, 0, 1, quota.Lease{Given: 12, Granted: 12}},
		{b, 0, 90, quota.Lease{Given: 88, Granted: 100, Holders: 1, Alive: 1}},
		{a, 11, 0, quota.Lease{Granted: 89}},
		{b, 0, 2, quota.Lease{Given: 2, Granted: 91}},
	} {
		if diff := cmp.Diff(tc.lease, leaseOne(t, q, tc.process, day, tc.unused, tc.want)); diff != "" {
			t.Errorf("step %d, -want +got:\n%s", i, diff)
		}
	}
	for id, want := range map[uint64]int{day.ID: 91, 1: 0} {
		if got, err := q.Granted(t.Context(), keyOf(quota.AccountDay, id)); err != nil || got != want {
			t.Errorf("granted of %d: %d, %v, want %d", id, got, err, want)
		}
	}
	t.Run("canceled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := q.Lease(ctx, a, []quota.LeaseRequest{{Key: day, Limit: 1, Want: 1}})
		if err == nil || errors.Is(err, quota.ErrUncertain) {
			t.Errorf("%v, want certainly nothing", err)
		}
	})
}

func TestQuotaShares(t *testing.T) {
	t.Parallel()
	q := openQuota(t, pgtest.New(t))
	a, b, c := join(t, q), join(t, q), join(t, q)
	hour := keyOf(quota.ClientHour, 1)
	want := quota.Share{Each: 16, Processes: []int32{a, b, c}}
	for _, total := range []int{50, 10} { // they do not change
		got, err := q.Share(t.Context(), hour.Starts, total)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Fatalf("%v, -want +got:\n%s", err, diff)
		}
	}
	d := join(t, q)
	if got, err := q.Granted(t.Context(), hour); err != nil || got != 48 {
		t.Errorf("granted: %d, %v", got, err)
	}
	for i, tc := range []struct {
		process      int32
		id           uint64
		unused, want int
		lease        quota.Lease
	}{
		{a, 1, 0, 1, quota.Lease{Given: 1, Granted: 49, Holders: 2}}, // after its share
		{d, 2, 0, 1, quota.Lease{Given: 1, Granted: 49, Holders: 3}}, // without a share
		{b, 1, 10, 0, quota.Lease{Granted: 39, Holders: 1}},          // returns a part of its share
		{c, 0, 0, 0, quota.Lease{}},                                  // leaves
		{a, 1, 0, 1, quota.Lease{Given: 9, Granted: 32}},
		{b, 3, 0, 100, quota.Lease{Given: 68, Granted: 100, Holders: 1, Alive: 1}},
	} {
		if tc.process == c {
			if err := q.Leave(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got := leaseOne(t, q, tc.process, keyOf(quota.ClientHour, tc.id), tc.unused, tc.want)
		if diff := cmp.Diff(tc.lease, got); diff != "" {
			t.Errorf("step %d, -want +got:\n%s", i, diff)
		}
	}
}

func TestQuotaLeaseConcurrently(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	const keys, limit = 40, 250
	var mu sync.Mutex
	given := map[uint64]int{}
	var wg sync.WaitGroup
	for range 4 {
		q := openQuota(t, db)
		for range 3 {
			process := join(t, q)
			wg.Go(func() {
				for range 16 {
					var requests []quota.LeaseRequest
					for _, id := range rand.Perm(keys)[:20] {
						requests = append(requests, quota.LeaseRequest{
							Key: keyOf(quota.AccountDay, uint64(id)), Limit: limit, Want: rand.IntN(12),
						})
					}
					leases, err := q.Lease(t.Context(), process, requests)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					for i, l := range leases {
						given[requests[i].ID] += l.Given
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
			t.Errorf("%d requests of key %d were given in all, want %d", n, id, limit)
		}
	}
}

func TestQuotaRecalls(t *testing.T) {
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
	key := keyOf(quota.AccountDay, 1<<63+7)
	leaseOne(t, qa, a, key, 0, 1)
	leaseOne(t, qa, b, key, 0, 100)
	if got := <-atA; got != key {
		t.Errorf("%+v is recalled, want %+v", got, key)
	}
	select {
	case got := <-atB:
		t.Errorf("process b recalls %+v of itself", got)
	default:
	}
}

func TestForgetQuota(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	q := openQuota(t, db)
	a := join(t, q)
	if _, err := q.Share(t.Context(), start.Unix(), 50); err != nil {
		t.Fatal(err)
	}
	for _, of := range []quota.Kind{quota.ClientHour, quota.AccountHour, quota.AccountDay} {
		leaseOne(t, q, a, keyOf(of, 1), 0, 1)
	}
	for i, tc := range []struct {
		after time.Duration
		want  int
	}{
		{0, 0}, {2 * time.Hour, 0}, {2*time.Hour + time.Second, 2}, {30 * time.Hour, 0}, {49 * time.Hour, 1}, {49 * time.Hour, 0},
	} {
		if n, err := db.ForgetQuota(t.Context(), start.Add(tc.after)); err != nil || n != tc.want {
			t.Errorf("%d: after %v %d are deleted, %v, want %d", i, tc.after, n, err, tc.want)
		}
	}
}

// frozenClock is a store whose clock stands still.
type frozenClock struct{ *postgres.Quota }

func (s frozenClock) Beat(ctx context.Context, process int32) (time.Time, error) {
	_, err := s.Quota.Beat(ctx, process)
	return start, err
}

func startQuota(t *testing.T, url string) *quota.Quota {
	t.Helper()
	db, err := postgres.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	counts := openQuota(t, db)
	q, err := quota.New(t.Context(), quota.Options{Store: frozenClock{counts}, Clients: 100,
		Now: func() time.Time { return start }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = q.Close(ctx)
		db.Close()
	})
	return q
}

// takeAll makes simultaneous requests at processes in turn, and returns how
// many passed.
func takeAll(t *testing.T, s quota.Subject, requests int, at ...*quota.Quota) int {
	t.Helper()
	var passed atomic.Int64
	var wg sync.WaitGroup
	for i := range requests {
		wg.Go(func() {
			r, err := at[i%len(at)].Take(t.Context(), s, 100)
			if err != nil {
				t.Error(err)
			} else if r.Allowed {
				passed.Add(1)
			}
		})
	}
	wg.Wait()
	return int(passed.Load())
}

func TestQuotaProcesses(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	a, b, c := startQuota(t, url), startQuota(t, url), startQuota(t, url)
	client := func(id uint64) quota.Subject { return quota.Subject{Of: quota.ClientHour, ID: id} }
	account := func(id uint64) quota.Subject { return quota.Subject{Of: quota.AccountDay, ID: id} }
	for _, s := range []quota.Subject{client(1), account(1)} {
		if got := takeAll(t, s, 500, a, a, b, a, c); got != 100 {
			t.Errorf("%v: %d passed, want 100", s, got)
		}
	}
	for _, s := range []quota.Subject{client(2), account(2), client(3), account(3)} {
		if got := takeAll(t, s, 60, a, b, c); got != 60 {
			t.Errorf("%v: %d passed, want 60", s, got)
		}
	}
	if err := a.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, s := range []quota.Subject{client(2), account(2)} {
		if got := takeAll(t, s, 90, b, c); got != 40 {
			t.Errorf("%v: %d passed after a stop, want 40", s, got)
		}
	}

	// A process that is silent does not return what it has.
	db, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	takeAll(t, account(4), 1, b) // leases 12
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_ = b.Close(ctx)
	if _, err := db.Exec(`UPDATE quota_processes SET seen_at = seen_at - interval '1 day' WHERE id = 2`); err != nil {
		t.Fatal(err)
	}
	if got := takeAll(t, account(4), 100, c); got != 88 {
		t.Errorf("%d passed after a kill, want 88", got)
	}
	if got := takeAll(t, client(3), 100, c); got > 40 {
		t.Errorf("%d passed after a kill, want at most 40", got)
	}
}

// Requests that pass while connections break are not more than the limit.
func TestQuotaBrokenConnections(t *testing.T) {
	t.Parallel()
	direct := pgtest.URL(t)
	proxy := newProxy(t, direct)
	a, b := startQuota(t, proxy.url), startQuota(t, direct)
	s := quota.Subject{Of: quota.AccountDay, ID: 1}
	passed := 0
	for i := range 40 {
		if i%7 == 3 {
			proxy.cut()
		}
		r, err := a.Take(t.Context(), s, 100)
		switch {
		case err == nil && r.Allowed:
			passed++
		case err == nil || !errors.Is(err, registry.ErrUnavailable):
			t.Fatalf("%+v, %v", r, err)
		}
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if r, err := a.Take(t.Context(), s, 100); err == nil && r.Allowed {
			passed++
			break
		} else if time.Now().After(end) {
			t.Fatalf("does not recover: %+v, %v", r, err)
		}
	}
	passed += takeAll(t, s, 100, b)
	if passed < 60 || passed > 100 {
		t.Errorf("%d of 100 passed", passed)
	}
}

// A proxy is in front of the database.
type proxy struct {
	url  string
	mu   sync.Mutex
	open []net.Conn
}

func newProxy(t *testing.T, database string) *proxy {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	to := u.Host
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	u.Host = l.Addr().String()
	p := &proxy{url: u.String()}
	t.Cleanup(func() { l.Close(); p.cut() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", to)
			if err != nil {
				client.Close()
				continue
			}
			p.mu.Lock()
			p.open = append(p.open, client, server)
			p.mu.Unlock()
			go forward(client, server)
			go forward(server, client)
		}
	}()
	return p
}

func forward(from, to net.Conn) {
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		if _, werr := to.Write(b[:n]); err != nil || werr != nil {
			from.Close()
			to.Close()
			return
		}
	}
}

// cut closes all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.open {
		c.Close()
	}
	p.open = nil
}
