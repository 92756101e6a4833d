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

// memoryStore is a store in memory.
type memoryStore struct {
	mu     sync.Mutex
	counts map[quota.Key]quota.Count
}

func newMemory() *memoryStore { return &memoryStore{counts: map[quota.Key]quota.Count{}} }

// conn is the connection of one process to a memoryStore.
type conn struct {
	*memoryStore
	fault  atomic.Int32
	leases atomic.Int64 // calls of LeaseQuota
	keys   atomic.Int64 // in them
}

// Faults of a connection.
const (
	works     = iota
	fails     // calls fail
	hangs     // calls fail when ctx is done
	uncertain // calls succeed, with an error
	cut       // leases do nothing, with the error that they may have
)

var errFault = errors.New("fault of the test")

// do calls f under the lock unless the connection fails.
func (c *conn) do(ctx context.Context, f func()) error {
	fault := c.fault.Load()
	switch fault {
	case works:
		time.Sleep(time.Millisecond)
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

func (c *conn) LeaseQuota(
	ctx context.Context, process int32, requests []quota.LeaseRequest,
) (leases []quota.Lease, err error) {
	c.leases.Add(1)
	c.keys.Add(int64(len(requests)))
	if c.fault.Load() == cut {
		return nil, quota.ErrUncertain
	}
	err = c.do(ctx, func() {
		for _, r := range requests {
			count := c.counts[r.Key]
			leases = append(leases, count.Lease(process, r))
			c.counts[r.Key] = count
		}
	})
	return leases, err
}

func (c *conn) QuotaRecalls(ctx context.Context, process int32) (keys []quota.Key, err error) {
	err = c.do(ctx, func() {
		for k, count := range c.counts {
			if count.Scarce && slices.Contains(count.Holders, process) {
				keys = append(keys, k)
			}
		}
	})
	return keys, err
}

// A process is a quota with a connection of its own.
type process struct {
	*quota.Quota
	store *conn
	ended bool
}

// start starts a process, which is killed at the end of the test if it still
// runs.
func (m *memoryStore) start(t *testing.T) *process {
	p := &process{store: &conn{memoryStore: m}}
	p.Quota = quota.New(quota.Options{Store: p.store})
	t.Cleanup(func() {
		if !p.ended {
			p.kill()
		}
	})
	return p
}

// startAll starts n processes.
func (m *memoryStore) startAll(t *testing.T, n int) (ps []*process) {
	for range n {
		ps = append(ps, m.start(t))
	}
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

// kill ends the process, which returns nothing to the store.
func (p *process) kill() {
	p.ended = true
	p.store.fault.Store(fails)
	_ = p.Close(context.Background())
}
