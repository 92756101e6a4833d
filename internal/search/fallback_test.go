package search

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// brokenIndex succeeds, fails or hangs, by its mode.
type brokenIndex struct {
	Index
	mode  atomic.Value // "ok", "fail", "hang"
	calls atomic.Int32
}

func (b *brokenIndex) Match(ctx context.Context, _ string) (query.Matches, error) {
	b.calls.Add(1)
	switch b.mode.Load() {
	case "fail":
		return query.Matches{}, registry.Wrap(registry.ErrUnavailable, errors.New("refused"), "no response")
	case "hang":
		<-ctx.Done()
		return query.Matches{}, ctx.Err()
	}
	return query.Matches{Slugs: []string{"indexed"}, All: 1}, nil
}

// watch runs Watch until the test ends.
func watch(t *testing.T, f *Fallback) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = f.Watch(ctx) // the error of ctx
	}()
	t.Cleanup(func() { cancel(); <-done })
}

func TestFallback(t *testing.T) {
	for _, mode := range []string{"fail", "hang"} {
		t.Run(mode, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				servers := corpus(30)
				idx := &brokenIndex{}
				idx.mode.Store("ok")
				degraded := 0
				f := &Fallback{
					Index: idx, Servers: func() iter.Seq[*registry.Server] { return all(servers) }, Log: slog.New(slog.DiscardHandler),
					Degraded: func() { degraded++ },
				}
				want, err := scan(t.Context(), all(servers), "mcp")
				if err != nil {
					t.Fatal(err)
				}
				res, err := f.Match(t.Context(), "mcp")
				if err != nil || res.Degraded || len(res.Slugs) != 1 {
					t.Fatalf("%+v, %v", res, err)
				}
				idx.mode.Store(mode)
				for range 3 {
					res, err = f.Match(t.Context(), "mcp")
					if err != nil || !res.Degraded || len(res.Slugs) != len(want.Slugs) {
						t.Fatalf("%+v, %v", res, err)
					}
				}
				if n := idx.calls.Load(); n != 2 {
					t.Errorf("%d searches of the index, want 2", n)
				}
				if since, why := f.State(); since.IsZero() || why == nil || degraded != 3 {
					t.Errorf("state %v, %v; %d degraded", since, why, degraded)
				}
				idx.mode.Store("ok")
				watch(t, f)
				time.Sleep(20 * time.Second)
				synctest.Wait()
				if since, why := f.State(); !since.IsZero() || why != nil {
					t.Errorf("still degraded: %v, %v", since, why)
				}
				if res, err = f.Match(t.Context(), "mcp"); err != nil || res.Degraded {
					t.Errorf("%+v, %v", res, err)
				}
			})
		})
	}
}

func TestFallbackCancelled(t *testing.T) {
	idx := &brokenIndex{}
	idx.mode.Store("hang")
	f := &Fallback{Index: idx, Log: slog.New(slog.DiscardHandler), Servers: func() iter.Seq[*registry.Server] { return all(nil) }}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Match(ctx, "database"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if since, _ := f.State(); !since.IsZero() {
		t.Error("a cancelled search counts as a failure of the index")
	}
}

func TestFallbackTimeout(t *testing.T) {
	servers := corpus(400)
	for _, tt := range []struct {
		name   string
		each   time.Duration // for reading a server
		failed bool
	}{
		{"quick enough", time.Millisecond, false},
		{"too slow", 200 * time.Millisecond, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				idx := &brokenIndex{}
				idx.mode.Store("fail")
				f := &Fallback{Index: idx, Log: quiet, Servers: func() iter.Seq[*registry.Server] {
					return func(yield func(*registry.Server) bool) {
						for s := range all(servers) {
							time.Sleep(tt.each)
							if !yield(s) {
								return
							}
						}
					}
				}}
				res, err := f.Match(t.Context(), "database")
				if failed := errors.Is(err, registry.ErrUnavailable); failed != tt.failed || !failed && (err != nil || !res.Degraded) {
					t.Errorf("%+v, %v", res, err)
				}
			})
		})
	}
}

func TestFallbackNotBuilt(t *testing.T) {
	servers := corpus(60)
	forEachEngine(t, func(t *testing.T, idx Index) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		degraded := 0
		f := &Fallback{Index: idx, Log: quiet, Servers: func() iter.Seq[*registry.Server] { return all(servers) }, Retry: 20 * time.Millisecond, Degraded: func() { degraded++ }}
		watch(t, f)
		expect := func(when string, scanned bool) {
			t.Helper()
			for {
				res, err := f.Match(ctx, "database")
				if err != nil {
					t.Fatalf("%s: %v", when, err)
				}
				if len(res.Slugs) == 0 {
					t.Fatalf("%s: nothing found", when)
				}
				if res.Degraded == scanned {
					return
				}
				select {
				case <-ctx.Done():
					t.Fatalf("%s: timeout", when)
				case <-time.After(10 * time.Millisecond):
				}
			}
		}
		expect("new", true)
		if _, err := idx.Match(ctx, "database"); !errors.Is(err, ErrNotBuilt) {
			t.Errorf("%v: a search of an index that was never filled", err)
		}
		if since, why := f.State(); since.IsZero() || why == nil || degraded == 0 {
			t.Errorf("state %v, %v; %d degraded", since, why, degraded)
		}
		feed := &memoryFeed{servers: servers}
		if _, err := CatchUp(ctx, feed, idx); err != nil {
			t.Fatal(err)
		}
		expect("filled", false)
		if since, _ := f.State(); !since.IsZero() {
			t.Error("still degraded")
		}
		if err := idx.Clear(ctx); err != nil {
			t.Fatal(err)
		}
		if p, err := idx.At(ctx); err != nil || p.Seq != 0 {
			t.Errorf("%+v, %v after it was emptied", p, err)
		}
		expect("emptied", true)
		if _, err := CatchUp(ctx, feed, idx); err != nil {
			t.Fatal(err)
		}
		expect("filled again", false)
		// The index of an empty database is empty, and counts as built.
		if err := idx.Clear(ctx); err != nil {
			t.Fatal(err)
		}
		if n, err := CatchUp(ctx, &memoryFeed{}, idx); n != 0 || err != nil {
			t.Fatal(n, err)
		}
		if slugs := match(t, idx, "database"); len(slugs) != 0 {
			t.Errorf("%v from an empty index", slugs)
		}
		if err := idx.Rebuild(ctx, &memoryFeed{}); err != nil {
			t.Fatal(err)
		}
		if slugs := match(t, idx, "database"); len(slugs) != 0 {
			t.Errorf("%v from a rebuilt empty index", slugs)
		}
	})
}

// An index of another database is not searched while it is rebuilt.
func TestOtherDatabase(t *testing.T) {
	forEachEngine(t, func(t *testing.T, idx Index) {
		load(t, idx, corpus(50))
		other := &searchingFeed{memoryFeed: memoryFeed{servers: corpus(20)}, search: func() error {
			_, err := idx.Match(t.Context(), "database")
			return err
		}}
		if _, err := CatchUp(t.Context(), other, idx); err != nil {
			t.Fatal(err)
		}
		if len(other.errs) == 0 || !errors.Is(other.errs[len(other.errs)-1], ErrNotBuilt) {
			t.Errorf("%v while it was rebuilt", other.errs)
		}
		if st, err := idx.Stats(t.Context()); err != nil || st.Servers != 20 {
			t.Errorf("%+v, %v", st, err)
		}
	})
}

// searchingFeed calls search before each read.
type searchingFeed struct {
	memoryFeed
	search func() error
	errs   []error
}

func (f *searchingFeed) ServersAfter(ctx context.Context, seq int64, limit int) ([]registry.Server,
	[]registry.Change, int64, error) {
	f.errs = append(f.errs, f.search())
	return f.memoryFeed.ServersAfter(ctx, seq, limit)
}

func TestFallbackWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		idx := &brokenIndex{}
		idx.mode.Store("fail")
		f := &Fallback{Index: idx, Log: quiet, Servers: func() iter.Seq[*registry.Server] { return all(nil) }}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- f.Watch(ctx) }()
		for _, tt := range []struct {
			mode string
			well bool
		}{{"fail", false}, {"ok", true}, {"hang", false}, {"ok", true}} {
			idx.mode.Store(tt.mode)
			time.Sleep(20 * time.Second)
			synctest.Wait()
			if since, why := f.State(); since.IsZero() != tt.well || (why == nil) != tt.well {
				t.Errorf("%s: %v, %v", tt.mode, since, why)
			}
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// TestScanAddresses checks that a scan finds servers by their packages and hosts.
func TestScanAddresses(t *testing.T) {
	for _, text := range []string{"smarthome-easy-mcp", "mcp.lumen.example"} {
		got, err := scan(t.Context(), all(smallRegistry()), text)
		if err != nil || len(got.Slugs) == 0 || got.Slugs[0] != "lamps" {
			t.Errorf("%s: %v, %v, want lamps first", text, got, err)
		}
	}
}
