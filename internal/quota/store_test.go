package quota_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcpcensus/internal/quota"
)

// memoryStore is a store in memory, with the clock of synctest.
type memoryStore struct {
	mu      sync.Mutex
	last    int32
	seen    map[int32]time.Time
	counts  map[quota.Key]quota.Count
	shares  map[int64]quota.Share
	recalls map[int32]chan quota.Key
}

func newMemory() *memoryStore {
	return &memoryStore{
		seen: map[int32]time.Time{}, counts: map[quota.Key]quota.Count{},
		shares: map[int64]quota.Share{}, recalls: map[int32]chan quota.Key{},
	}
}

func (m *memoryStore) alive(process int32) bool { return time.Since(m.seen[process]) < quota.AliveFor }

func (m *memoryStore) count(k quota.Key) quota.Count {
	if c, ok := m.counts[k]; ok || k.Of != quota.ClientHour {
		return c
	}
	s := m.shares[k.Starts]
	return quota.Count{Granted: s.Each * len(s.Processes), Holders: slices.Clone(s.Processes)}
}

func (m *memoryStore) share(starts int64, total int) quota.Share {
	s, ok := m.shares[starts]
	if !ok {
		for p := range m.seen {
			if m.alive(p) {
				s.Processes = append(s.Processes, p)
			}
		}
		s.Each = total / len(s.Processes)
		m.shares[starts] = s
	}
	s.Processes = slices.Clone(s.Processes)
	return s
}

func (m *memoryStore) lease(process int32, requests []quota.LeaseRequest) (leases []quota.Lease) {
	for _, r := range requests {
		c := m.count(r.Key)
		l := c.Lease(process, r)
		m.counts[r.Key] = c
		for _, h := range c.Holders {
			if l.Given < r.Want && h != process && m.alive(h) {
				l.Alive++
				m.recalls[h] <- r.Key
			}
		}
		leases = append(leases, l)
	}
	return leases
}

func (m *memoryStore) leave(process int32) {
	other := func(h int32) bool { return h == process }
	for starts, s := range m.shares {
		if !slices.ContainsFunc(s.Processes, other) {
			continue
		}
		s.Processes = slices.DeleteFunc(s.Processes, other)
		m.shares[starts] = s
		for k, c := range m.counts {
			if k.Of == quota.ClientHour && k.Starts == starts && slices.ContainsFunc(c.Holders, other) {
				c.Granted -= s.Each
				c.Holders = slices.DeleteFunc(c.Holders, other)
				m.counts[k] = c
			}
		}
	}
	delete(m.seen, process)
}

// conn is the connection of one process to a memoryStore.
type conn struct {
	*memoryStore
	process int32
	fault   atomic.Int32
	leases  atomic.Int64 // calls of Lease
	keys    atomic.Int64 // in them
}

// Faults of a connection.
const (
	works     = iota
	fails     // calls fail
	hangs     // calls fail when ctx is done
	uncertain // calls succeed, with an error
)

var errFault = errors.New("fault of the test")

// do calls f under the lock unless the connection fails.
func (c *conn) do(ctx context.Context, f func()) error {
	fault := c.fault.Load()
	switch fault {
	case fails:
		return errFault
	case hangs:
		<-ctx.Done()
		return ctx.Err()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
	if fault == uncertain {
		return quota.ErrUncertain
	}
	return nil
}

func (c *conn) Join(ctx context.Context) (int32, error) {
	err := c.do(ctx, func() {
		c.last++
		c.process = c.last
		c.seen[c.process] = time.Now()
		c.memoryStore.recalls[c.process] = make(chan quota.Key, 1000)
	})
	return c.process, err
}

func (c *conn) Beat(ctx context.Context, process int32) (time.Time, error) {
	return time.Now(), c.do(ctx, func() { c.seen[process] = time.Now() })
}

func (c *conn) Share(ctx context.Context, starts int64, total int) (s quota.Share, err error) {
	err = c.do(ctx, func() { s = c.memoryStore.share(starts, total) })
	return s, err
}

func (c *conn) Lease(ctx context.Context, process int32, requests []quota.LeaseRequest) (l []quota.Lease, err error) {
	c.leases.Add(1)
	c.keys.Add(int64(len(requests)))
	if c.fault.Load() == works {
		time.Sleep(time.Millisecond)
	}
	err = c.do(ctx, func() { l = c.memoryStore.lease(process, requests) })
	return l, err
}

func (c *conn) Granted(ctx context.Context, k quota.Key) (n int, err error) {
	err = c.do(ctx, func() { n = c.memoryStore.count(k).Granted })
	return n, err
}

func (c *conn) Leave(ctx context.Context, process int32) error {
	return c.do(ctx, func() { c.memoryStore.leave(process) })
}

func (c *conn) Recalls(ctx context.Context, process int32) (<-chan quota.Key, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.memoryStore.recalls[process], nil
}

// A process is a quota with a connection of its own.
type process struct {
	*quota.Quota
	store *conn
	ended bool
}

// start starts a process, which is killed at the end of the test if it still
// runs.
func (m *memoryStore) start(t *testing.T, clock ...func() time.Time) *process {
	t.Helper()
	p := &process{store: &conn{memoryStore: m}}
	o := quota.Options{Store: p.store, Clients: 100}
	if len(clock) > 0 {
		o.Now = clock[0]
	}
	var err error
	if p.Quota, err = quota.New(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !p.ended {
			p.kill()
		}
	})
	return p
}

// startAll starts n processes that have shares of the current hour.
func (m *memoryStore) startAll(t *testing.T, n int) (ps []*process) {
	for range n {
		ps = append(ps, m.start(t))
	}
	time.Sleep(time.Hour)
	return ps
}

// stop ends the process in order.
func (p *process) stop(t testing.TB) {
	t.Helper()
	p.ended = true
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// kill ends the process without telling the store. Others take it for dead.
func (p *process) kill() {
	p.ended = true
	p.store.fault.Store(fails)
	_ = p.Close(context.Background())
	p.store.mu.Lock()
	defer p.store.mu.Unlock()
	p.store.seen[p.store.process] = time.Time{}
}
