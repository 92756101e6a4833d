package quota_test

import (
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcpcensus/internal/quota"
)

// plain is the least that counts requests in one process: a map of addresses
// under a lock for each of 64 shards. Benchmarks compare with it.
type plain struct {
	shards [64]struct {
		mu     sync.Mutex
		hour   int64
		counts map[netip.Addr]uint32
		_      [32]byte
	}
}

func (l *plain) take(a netip.Addr) (remaining int, reset time.Time, ok bool) {
	now := time.Now().Unix()
	hour := now / 3600
	b := a.As16()
	h := uint32(2166136261)
	for _, x := range b[12:] {
		h = (h ^ uint32(x)) * 16777619
	}
	s := &l.shards[(h>>16^h)%64]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hour != hour || s.counts == nil {
		s.hour, s.counts = hour, make(map[netip.Addr]uint32)
	}
	n := s.counts[a]
	s.counts[a] = n + 1
	return 1 << 30, time.Unix((hour+1)*3600, 0), true
}

// BenchmarkTake measures requests of clients that were seen before (100,000 of
// them, in turn), and of new ones, at a process that shares its counts through
// Postgres, as the ratio to plain.
func BenchmarkTake(b *testing.B) {
	w := newTown(b)
	p := w.process(func(o *quota.Options) { o.Now, o.Clients = nil, 1<<30; o.Beat = time.Hour })
	const known = 100_000
	address := func(i int) netip.Addr {
		return netip.AddrFrom4([4]byte{byte(i >> 24), byte(i >> 16), byte(i >> 8), byte(i)})
	}
	subject := func(i int) quota.Subject { return client(uint64(uint32(i))) }
	for _, bc := range []struct {
		name string
		each func(i int) int
	}{
		{"known", func(i int) int { return i * 7919 % known }},
		{"new", func(i int) int { return known + i }},
	} {
		b.Run(bc.name, func(b *testing.B) {
			l := &plain{}
			for i := range known {
				l.take(address(i))
				if _, err := p.Take(b.Context(), subject(i), 1<<30); err != nil {
					b.Fatal(err)
				}
			}
			ctx := b.Context()
			var base, mine time.Duration
			b.ReportAllocs()
			b.ResetTimer()
			for from := 0; from < b.N; from += 50_000 { // in turns, so that both see the same machine
				to := min(b.N, from+50_000)
				b.StopTimer()
				start := time.Now()
				for i := from; i < to; i++ {
					l.take(address(bc.each(i)))
				}
				base += time.Since(start)
				b.StartTimer()
				start = time.Now()
				for i := from; i < to; i++ {
					if left, err := p.Take(ctx, subject(bc.each(i)), 1<<30); err != nil || !left.Passed {
						b.Fatal(left, err)
					}
				}
				mine += time.Since(start)
			}
			b.ReportMetric(base.Seconds()/mine.Seconds(), "ratio")
		})
	}
}

// BenchmarkLease measures 64 requests at a time, each of an account that was
// never seen: all need the database, together.
func BenchmarkLease(b *testing.B) {
	w := newTown(b)
	p := w.process()
	var next atomic.Uint64
	b.SetParallelism(32) // on two cores
	before := p.store.leases.Load()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if left, err := p.Take(b.Context(), account(next.Add(1)), 100); err != nil || !left.Passed {
				b.Error(left, err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/float64(p.store.leases.Load()-before), "requests/question")
}

// BenchmarkClose measures how long a process takes to give back the shares of
// 100,000 clients.
func BenchmarkClose(b *testing.B) {
	w := newTown(b)
	for range b.N {
		b.StopTimer()
		w.advance(time.Hour)
		p := w.process()
		for i := range uint64(100_000) {
			p.take(b, client(i), 100)
		}
		b.StartTimer()
		if err := p.Close(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
