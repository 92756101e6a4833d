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

func TestAScanIsBounded(t *testing.T) {
	servers := corpus(3000)
	slowly := func(each time.Duration) func() iter.Seq[*registry.Server] {
		return func() iter.Seq[*registry.Server] {
			return func(yield func(*registry.Server) bool) {
				for i := range servers {
					time.Sleep(each)
					if !yield(&servers[i]) {
						return
					}
				}
			}
		}
	}
	long := "slakc messgaes chanels that postgers tabels kubernets would elasticsaerch haev notoin"
	for _, tt := range []struct {
		name   string
		each   time.Duration
		text   string
		most   time.Duration
		failed bool
	}{
		{"a word", 100 * time.Microsecond, "database", 400 * time.Millisecond, false},
		{"misspelt words, with time", 10 * time.Microsecond, "databse", time.Second, false},
		{"many misspelt words", 200 * time.Microsecond, long, 3 * time.Second, false},
		{"too many servers", 20 * time.Millisecond, "database", scanMost + 21*time.Second, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				idx := &brokenIndex{}
				idx.mode.Store("fail")
				ctx, cancel := context.WithCancel(t.Context())
				f := &Fallback{Index: idx, Log: slog.New(slog.DiscardHandler), Servers: slowly(tt.each)}
				start := time.Now()
				res, err := f.Search(ctx, registry.Query{Text: tt.text, Limit: 5})
				if took := time.Since(start); took > tt.most {
					t.Errorf("took %v", took)
				}
				if failed := errors.Is(err, registry.ErrUnavailable); failed != tt.failed || !failed && (err != nil || !res.Degraded) {
					t.Errorf("%+v, %v", res, err)
				}
				if tt.name == "misspelt words, with time" {
					if want, err := Scan(ctx, all(servers), registry.Query{Text: tt.text, Limit: 5}); err != nil || want.Total == 0 || want.Total != res.Total {
						t.Errorf("%d found, %d by a scan that takes its time, %v", res.Total, want.Total, err)
					}
				}
				cancel()
				idx.mode.Store("ok")
				time.Sleep(time.Minute)
				synctest.Wait()
			})
		})
	}
}
