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

	"mcpcensus/internal/registry"
)

// brokenIndex answers, fails or hangs.
type brokenIndex struct {
	Index
	mode  atomic.Value // "ok", "fail", "hang", "invalid"
	calls atomic.Int32
}

func (b *brokenIndex) Search(ctx context.Context, q registry.Query) (registry.Results, error) {
	b.calls.Add(1)
	switch b.mode.Load() {
	case "fail":
		return registry.Results{}, registry.Wrap(registry.ErrUnavailable, errors.New("refused"), "does not answer")
	case "hang":
		<-ctx.Done()
		return registry.Results{}, ctx.Err()
	case "invalid":
		return registry.Results{}, registry.Invalid("offset", "is wrong")
	}
	return registry.Results{Total: 7}, nil
}

func TestFallbackScansWhileTheIndexIsAwayAndComesBack(t *testing.T) {
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
				q := registry.Query{Text: "mcp", Limit: 5}
				want, err := Scan(t.Context(), all(servers), q)
				if err != nil {
					t.Fatal(err)
				}
				res, err := f.Search(t.Context(), q)
				if err != nil || res.Degraded || res.Total != 7 {
					t.Fatalf("%+v, %v", res, err)
				}
				idx.mode.Store(mode)
				for range 3 {
					res, err = f.Search(t.Context(), q)
					if err != nil || !res.Degraded || res.Total != want.Total {
						t.Fatalf("%+v, %v", res, err)
					}
				}
				if n := idx.calls.Load(); n != 2 {
					t.Errorf("the index was asked %d times, and each search waited", n)
				}
				if since, why := f.State(); since.IsZero() || why == nil || degraded != 3 {
					t.Errorf("state %v, %v; %d degraded", since, why, degraded)
				}
				idx.mode.Store("ok")
				time.Sleep(20 * time.Second)
				synctest.Wait()
				if since, why := f.State(); !since.IsZero() || why != nil {
					t.Errorf("not back: %v %v", since, why)
				}
				if res, err = f.Search(t.Context(), q); err != nil || res.Degraded {
					t.Errorf("%+v, %v", res, err)
				}
			})
		})
	}
}

func TestFallbackDoesNotHideWrongQueries(t *testing.T) {
	idx := &brokenIndex{}
	idx.mode.Store("invalid")
	f := &Fallback{Index: idx, Log: slog.New(slog.DiscardHandler), Servers: func() iter.Seq[*registry.Server] { return all(nil) }}
	for _, q := range []registry.Query{{Limit: 0}, {Limit: 101}, {Limit: 1, Offset: -1}, {Limit: 20, Offset: 9_990, Text: "x"}, {Limit: 5, After: &registry.Position{}}, {Limit: 5}} {
		if _, err := f.Search(t.Context(), q); !errors.Is(err, registry.ErrInvalid) {
			t.Errorf("%+v: %v", q, err)
		}
	}
	if since, _ := f.State(); !since.IsZero() {
		t.Error("a wrong query counts as a failure of the index")
	}
}

func TestFallbackEndsWithItsCaller(t *testing.T) {
	idx := &brokenIndex{}
	idx.mode.Store("hang")
	f := &Fallback{Index: idx, Log: slog.New(slog.DiscardHandler), Servers: func() iter.Seq[*registry.Server] { return all(nil) }}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Search(ctx, registry.Query{Limit: 5}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if since, _ := f.State(); !since.IsZero() {
		t.Error("a caller that left counts as a failure of the index")
	}
}
