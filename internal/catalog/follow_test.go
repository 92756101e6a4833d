package catalog

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcpcensus/internal/registry"
)

// A slowFeed takes time for every page, in the virtual time of a test.
type slowFeed struct {
	takes  time.Duration // a page
	page   int
	listen func(ctx context.Context) (<-chan int64, error)

	mu      sync.Mutex
	servers []registry.Server // by number, from 1
}

func (f *slowFeed) RecordsAfter(ctx context.Context, seq int64, limit int) ([]registry.Server, []registry.Change, int64, error) {
	f.mu.Lock()
	n := min(len(f.servers), int(seq)+min(limit, f.page)) // what was committed when it was asked
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

// following runs test while a catalog follows a feed that has what it had
// before.
func following(t *testing.T, f *slowFeed, test func(c *Catalog)) {
	c := New(encodeForTest)
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

// Two processes that have all changes up to a number show the same, so what
// each of them must keep is the time between a commit and its version.
func TestChangesAreInTheCatalogWithinTwoSeconds(t *testing.T) {
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
				all := servers(30)
				notes := make(chan int64, 1000)
				f := &slowFeed{takes: 200 * time.Millisecond, page: 500, listen: listen(notes)}
				f.change(all, 100)
				following(t, f, func(c *Catalog) {
					for range 200 {
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

func TestABacklogIsTakenOverInSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := servers(30)
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
