package people_test

import (
	"context"
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
	"mcpcensus/internal/postgres/people"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
)

func keyOf(of quota.Kind, id uint64) quota.Key {
	return quota.Key{Subject: quota.Subject{Of: of, ID: id}, Starts: start.Truncate(of.Window()).Unix()}
}

func leaseOne(t *testing.T, db store, process int32, k quota.Key, unused, want int) quota.Lease {
	t.Helper()
	l, err := db.LeaseQuota(t.Context(), process, []quota.LeaseRequest{{Key: k, Limit: 100, Unused: unused, Want: want}})
	if err != nil {
		t.Fatal(err)
	}
	return l[0]
}

func TestLeaseQuota(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	const a, b = 1, 2
	day := keyOf(quota.AccountDay, 1<<63+5) // more than a bigint
	for i, tc := range []struct {
		process      int32
		unused, want int
		lease        quota.Lease
		recalls      []quota.Key // of a
	}{
		{a, 0, 0, quota.Lease{}, nil},
		{a, 0, 1, quota.Lease{Given: 12, Granted: 12}, nil},
		{b, 0, 90, quota.Lease{Given: 88, Granted: 100, Holders: 1}, []quota.Key{day}},
		{a, 11, 0, quota.Lease{Granted: 89}, nil},
		{b, 0, 2, quota.Lease{Given: 2, Granted: 91}, nil},
	} {
		if diff := cmp.Diff(tc.lease, leaseOne(t, db, tc.process, day, tc.unused, tc.want)); diff != "" {
			t.Errorf("step %d, -want +got:\n%s", i, diff)
		}
		recalls, err := db.QuotaRecalls(t.Context(), a)
		if diff := cmp.Diff(tc.recalls, recalls); err != nil || diff != "" {
			t.Errorf("step %d, recalls, %v, -want +got:\n%s", i, err, diff)
		}
	}
	t.Run("canceled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := db.LeaseQuota(ctx, a, []quota.LeaseRequest{{Key: day, Limit: 1, Want: 1}})
		if err == nil || errors.Is(err, quota.ErrUncertain) {
			t.Errorf("%v, want certainly nothing", err)
		}
	})
}

func TestLeaseQuotaConcurrently(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	const keys, limit = 40, 250
	var mu sync.Mutex
	given := map[uint64]int{}
	var wg sync.WaitGroup
	for process := range int32(12) {
		wg.Go(func() {
			for range 16 {
				var requests []quota.LeaseRequest
				for _, id := range rand.Perm(keys)[:20] {
					requests = append(requests, quota.LeaseRequest{
						Key: keyOf(quota.AccountDay, uint64(id)), Limit: limit, Want: rand.IntN(12),
					})
				}
				leases, err := db.LeaseQuota(t.Context(), process, requests)
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
	wg.Wait()
	for id, n := range given {
		if n != limit {
			t.Errorf("%d requests of key %d were given in all, want %d", n, id, limit)
		}
	}
}

func TestForgetQuota(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	for _, of := range []quota.Kind{quota.ClientHour, quota.AccountHour, quota.AccountDay} {
		leaseOne(t, db, 1, keyOf(of, 1), 0, 1)
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

func startQuota(t *testing.T, url string) *quota.Quota {
	t.Helper()
	db, err := postgres.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	counts, err := db.RequestPool()
	if err != nil {
		t.Fatal(err)
	}
	q := quota.New(quota.Options{Store: people.New(counts), Now: func() time.Time { return start }})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = q.Close(ctx)
		counts.Close()
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

	// A process that is killed does not return its lease.
	takeAll(t, account(4), 1, b) // leases 12
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_ = b.Close(ctx)
	if got := takeAll(t, account(4), 100, c); got != 88 {
		t.Errorf("%d passed after a kill, want 88", got)
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

// Requests with a lease pass while the server is silent, and others do not wait
// once that is known.
func TestQuotaSilentServer(t *testing.T) {
	t.Parallel()
	proxy := newProxy(t, pgtest.URL(t))
	q := startQuota(t, proxy.url)
	take := func(id uint64) quota.Result {
		r, err := q.Take(t.Context(), quota.Subject{Of: quota.AccountDay, ID: id}, 100)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if !take(1).Allowed {
		t.Fatal("refused")
	}
	proxy.silent.Store(true)
	deadline, passed := time.Now().Add(time.Minute), 0
	for fast := 0; fast < 20; fast++ {
		begin := time.Now()
		if take(2).Allowed {
			passed++
		}
		if time.Since(begin) > 200*time.Millisecond {
			fast = 0
		}
		if time.Now().After(deadline) {
			t.Fatal("each request waits")
		}
	}
	if !take(1).Allowed || passed < 20 || q.Away().IsZero() {
		t.Errorf("%d passed, away since %v", passed, q.Away())
	}
	proxy.silent.Store(false)
	for !q.Away().IsZero() {
		if time.Now().After(deadline) {
			t.Fatal("does not recover")
		}
		time.Sleep(20 * time.Millisecond)
	}
	if r := take(2); r.Remaining != 99-passed {
		t.Errorf("%d remain after %d passed without the database", r.Remaining, passed+1)
	}
}

// A proxy is in front of the database.
type proxy struct {
	url    string
	silent atomic.Bool // forwards nothing
	mu     sync.Mutex
	open   []net.Conn
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
			go p.forward(client, server)
			go p.forward(server, client)
		}
	}()
	return p
}

func (p *proxy) forward(from, to net.Conn) {
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		if p.silent.Load() {
			n = 0
		}
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
