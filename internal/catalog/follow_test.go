package catalog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcpcensus/internal/registry"
)

// slowFeed delays every page, in the virtual time of a test.
type slowFeed struct {
	takes  time.Duration // a page
	page   int
	listen func(ctx context.Context) (<-chan int64, error)

	mu      sync.Mutex
	servers []registry.Server // by number, from 1
}

func (f *slowFeed) RecordsAfter(ctx context.Context, seq int64, limit int) ([]registry.Server, []registry.Change, int64, error) {
	f.mu.Lock()
	n := min(len(f.servers), int(seq)+min(limit, f.page)) // the committed changes at the time of the request
	out := append([]registry.Server(nil), f.servers[seq:n]...)
	f.mu.Unlock()
	select {
	case <-time.After(f.takes):
	case <-ctx.Done():
		return nil, nil, seq, ctx.Err()
	}
	return out, nil, int64(n), nil
}

func (f *slowFeed) Listen(ctx context.Context) (<-chan int64, error) { return f.listen(ctx) }

// change commits changes of n servers.
func (f *slowFeed) change(all []registry.Server, n int) (seq int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for range n {
		s := all[rand.IntN(len(all))]
		s.Seq = int64(len(f.servers) + 1)
		f.servers = append(f.servers, s)
	}
	return int64(len(f.servers))
}

// following runs test while a catalog follows a feed with its earlier content.
func following(t *testing.T, f *slowFeed, test func(c *Catalog)) {
	c := New()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- c.Follow(ctx, f, slog.New(slog.DiscardHandler)) }()
	if err := c.Await(ctx); err != nil {
		t.Fatal(err)
	}
	test(c)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Two processes with all changes up to a number show the same, so each must keep the time
// between a commit and its version short.
func TestFollowDelay(t *testing.T) {
	for name, listen := range map[string]func(notes chan int64) func(context.Context) (<-chan int64, error){
		"notifications arrive": func(notes chan int64) func(context.Context) (<-chan int64, error) {
			return func(context.Context) (<-chan int64, error) { return notes, nil }
		},
		"notifications are lost": func(chan int64) func(context.Context) (<-chan int64, error) {
			return func(context.Context) (<-chan int64, error) { return make(chan int64), nil }
		},
		"notifications are refused": func(chan int64) func(context.Context) (<-chan int64, error) {
			return func(context.Context) (<-chan int64, error) { return nil, errors.New("not here") }
		},
		"the connection for them hangs": func(chan int64) func(context.Context) (<-chan int64, error) {
			return func(ctx context.Context) (<-chan int64, error) { <-ctx.Done(); return nil, ctx.Err() }
		},
		"the connection for them breaks": func(chan int64) func(context.Context) (<-chan int64, error) {
			return func(context.Context) (<-chan int64, error) { c := make(chan int64); close(c); return c, nil }
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				all := plain(30)
				notes := make(chan int64, 1000)
				f := &slowFeed{takes: 200 * time.Millisecond, page: 500, listen: listen(notes)}
				f.change(all, 100)
				following(t, f, func(c *Catalog) {
					for range 50 {
						time.Sleep(rand.N(1500 * time.Millisecond))
						seq := f.change(all, 1+rand.IntN(20))
						notes <- seq
						go func() {
							time.Sleep(2 * time.Second)
							if got := c.View().Seq(); got < seq {
								t.Errorf("change %d is not there after two seconds, only %d", seq, got)
							}
						}()
					}
					time.Sleep(3 * time.Second)
				})
			})
		})
	}
}

func TestFollowBacklog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := plain(30)
		f := &slowFeed{takes: 100 * time.Millisecond, page: 10, listen: func(context.Context) (<-chan int64, error) { return nil, errors.New("not here") }}
		f.change(all, 10)
		following(t, f, func(c *Catalog) {
			last := f.change(all, 1000) // 100 pages: ten seconds
			time.Sleep(1100 * time.Millisecond)
			for before := c.View().Seq(); before < last; before = c.View().Seq() {
				time.Sleep(time.Second)
				if c.View().Seq() == before {
					t.Fatalf("nothing new for a second after change %d of %d", before, last)
				}
			}
		})
	})
}

// memoryFeed is a feed of changes kept in a slice.
type memoryFeed struct {
	mu      sync.Mutex
	servers []registry.Server
	removed []registry.Change
	notes   chan int64
	fail    error
}

func (m *memoryFeed) RecordsAfter(_ context.Context, seq int64, limit int) (out []registry.Server,
	removed []registry.Change, last int64, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return nil, nil, seq, m.fail
	}
	last = seq
	for n := seq + 1; len(out)+len(removed) < min(limit, 7); n++ {
		i := slices.IndexFunc(m.servers, func(s registry.Server) bool { return s.Seq == n })
		j := slices.IndexFunc(m.removed, func(c registry.Change) bool { return c.Seq == n })
		switch {
		case i >= 0:
			out = append(out, m.servers[i])
		case j >= 0:
			removed = append(removed, m.removed[j])
		default:
			return out, removed, last, nil
		}
		last = n
	}
	return out, removed, last, nil
}

func (m *memoryFeed) Listen(context.Context) (<-chan int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.notes == nil {
		return nil, errors.New("no notifications here")
	}
	return m.notes, nil
}

// wait waits up to ten seconds of virtual time.
func wait(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 1000 {
		if ok() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("waited in vain for %s", what)
}

func TestFollow(t *testing.T) {
	for _, notify := range []bool{true, false} {
		t.Run(fmt.Sprint("notifications ", notify), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &memoryFeed{servers: servers(40)}
				if notify {
					m.notes = make(chan int64, 10)
				}
				c := New()
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan error)
				go func() { done <- c.Follow(ctx, m, slog.New(slog.DiscardHandler)) }()
				wait(t, "the catalog", c.Ready)
				if c.View().Len() != 40 || c.View().Seq() != 40 {
					t.Errorf("%d servers at %d", c.View().Len(), c.View().Seq())
				}
				m.mu.Lock()
				m.fail = errors.New("the database is away")
				m.mu.Unlock()
				time.Sleep(3 * time.Second) // it polls in vain
				m.mu.Lock()
				m.fail = nil
				m.removed = append(m.removed, registry.Change{Seq: 41, Slug: m.servers[0].Slug, Deleted: true, Gone: true})
				m.mu.Unlock()
				if notify {
					m.notes <- 41
				}
				wait(t, "the change", func() bool { return c.View().Seq() == 41 })
				if _, gone := c.View().Find(m.servers[0].Slug); !gone || c.View().Len() != 39 {
					t.Error("the removal was not read")
				}
				if notify {
					m.mu.Lock()
					close(m.notes)
					s := m.servers[1]
					s.Seq = 42
					m.servers = append(m.servers, s)
					m.notes = nil
					m.mu.Unlock()
					wait(t, "a change after the connection broke", func() bool { return c.View().Seq() == 42 })
				}
				cancel()
				if err := <-done; !errors.Is(err, context.Canceled) {
					t.Errorf("Follow returned %v", err)
				}
			})
		})
	}
}

// movingFeed lets servers change while it is read: each has only its last change.
type movingFeed struct {
	mu     sync.Mutex
	bySeq  map[int64]registry.Server
	gone   map[int64]registry.Change
	last   int64
	pages  int
	onPage func(f *movingFeed) error // with the lock
}

func newMovingFeed(all []registry.Server) *movingFeed {
	f := &movingFeed{bySeq: map[int64]registry.Server{}, gone: map[int64]registry.Change{}}
	for _, s := range all {
		f.last++
		s.Seq = f.last
		f.bySeq[s.Seq] = s
	}
	return f
}

// change changes the number of a server.
func (f *movingFeed) change(seq int64) {
	s, ok := f.bySeq[seq]
	if !ok {
		return
	}
	delete(f.bySeq, seq)
	f.last++
	s.Seq, s.Description = f.last, s.Description+" again"
	f.bySeq[s.Seq] = s
}

func (f *movingFeed) remove(seq int64) {
	s := f.bySeq[seq]
	delete(f.bySeq, seq)
	f.last++
	f.gone[f.last] = registry.Change{Seq: f.last, Slug: s.Slug, Deleted: true, Gone: true}
}

func (f *movingFeed) RecordsAfter(_ context.Context, seq int64, limit int) (out []registry.Server,
	removed []registry.Change, last int64, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pages++
	if f.onPage != nil {
		if err := f.onPage(f); err != nil {
			return nil, nil, seq, err
		}
	}
	last = seq
	for n := seq + 1; n <= f.last && len(out)+len(removed) < limit; n++ {
		if s, ok := f.bySeq[n]; ok {
			out, last = append(out, s), n
		}
		if c, ok := f.gone[n]; ok {
			removed, last = append(removed, c), n
		}
	}
	return out, removed, last, nil
}

func (f *movingFeed) Listen(context.Context) (<-chan int64, error) {
	return nil, errors.New("not here")
}

func (f *movingFeed) check(t *testing.T, v *View) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	for seq, s := range f.bySeq {
		if i, _ := v.Find(s.Slug); i == nil || i.Seq() != seq {
			t.Fatalf("change %d, of %s, is not there", seq, s.Slug)
		}
	}
	if v.Len() != len(f.bySeq) {
		t.Errorf("%d servers, want %d", v.Len(), len(f.bySeq))
	}
	if v.Seq() != f.last {
		t.Errorf("the version holds changes up to %d, want %d", v.Seq(), f.last)
	}
}

func TestLoadWhileServersChange(t *testing.T) {
	f := newMovingFeed(plain(4*batch + 100))
	f.onPage = func(f *movingFeed) error {
		if f.pages > 12 { // the rest must end
			return nil
		}
		for n := range int64(5) { // before and after where it reads, and already moved ones
			f.change(1 + (int64(f.pages)*547+n*1013)%f.last)
		}
		if seq := int64(f.pages * 211); f.bySeq[seq].Slug != "" {
			f.remove(seq)
		}
		return nil
	}
	c := New()
	if err := c.Load(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	f.check(t, c.View())
	if l := c.View().Len(); l < 3*batch {
		t.Errorf("%d servers", l)
	}
}

func TestLoadFails(t *testing.T) {
	all := plain(4*batch + 100)
	for _, failing := range []int{0, 2, 5} {
		f := newMovingFeed(all)
		f.onPage = func(f *movingFeed) error {
			if f.pages == failing+1 {
				return errors.New("the connection is gone")
			}
			return nil
		}
		c := New()
		if err := c.catchUp(t.Context(), f); err == nil {
			t.Fatalf("page %d: no error", failing)
		}
		seq := c.View().Seq()
		f.onPage = nil
		for n := range seq { // the feed is complete
			s := f.bySeq[n+1]
			if i, _ := c.View().Find(s.Slug); i == nil {
				t.Fatalf("failure at page %d: version %d does not have change %d", failing, seq, n+1)
			}
		}
		if err := c.catchUp(t.Context(), f); err != nil {
			t.Fatal(err)
		}
		f.check(t, c.View())
	}
}

func TestLoadStops(t *testing.T) {
	f := newMovingFeed(plain(4*batch + 100))
	ctx, cancel := context.WithCancel(t.Context())
	f.onPage = func(f *movingFeed) error {
		if f.pages == 3 {
			cancel()
		}
		return nil
	}
	c := New()
	if err := c.Follow(ctx, f, slog.New(slog.DiscardHandler)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if c.Ready() {
		t.Error("it is ready")
	}
}
