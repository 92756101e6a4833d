package search

import (
	"context"
	"os"
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

// swappingFeed calls swap once, after changes were read and before they are put.
type swappingFeed struct {
	memoryFeed
	swap func()
}

func (f *swappingFeed) ServersAfter(ctx context.Context, seq int64, limit int) ([]registry.Server,
	[]registry.Change, int64, error) {
	servers, removed, last, err := f.memoryFeed.ServersAfter(ctx, seq, limit)
	if swap := f.swap; swap != nil && len(servers) > 1 {
		f.swap = nil
		swap()
	}
	return servers, removed, last, err
}

// changingFeed applies one of changes after each read but the first.
type changingFeed struct {
	memoryFeed
	changes []func(*memoryFeed)
}

func (f *changingFeed) ServersAfter(ctx context.Context, seq int64, limit int) ([]registry.Server,
	[]registry.Change, int64, error) {
	servers, removed, last, err := f.memoryFeed.ServersAfter(ctx, seq, 20)
	if seq > 0 && len(f.changes) > 0 {
		f.changes[0](&f.memoryFeed)
		f.changes = f.changes[1:]
	}
	return servers, removed, last, err
}

func TestRebuild(t *testing.T) {
	t.Run("during catch-up", func(t *testing.T) { forEachEngine(t, rebuildDuringCatchUp) })
	t.Run("concurrent searches", func(t *testing.T) { forEachEngine(t, rebuildDuringSearches) })
	t.Run("concurrent changes", func(t *testing.T) { forEachEngine(t, rebuildDuringChanges) })
	t.Run("cancelled", rebuildCancelled)
}

func rebuildDuringCatchUp(t *testing.T, idx Index) {
	all := corpus(30)
	feed := &swappingFeed{memoryFeed: memoryFeed{servers: all[:20]}}
	if _, err := CatchUp(t.Context(), feed, idx); err != nil {
		t.Fatal(err)
	}
	feed.servers = all
	feed.swap = func() {
		if err := idx.Rebuild(t.Context(), &memoryFeed{servers: all[:10]}); err != nil {
			t.Error(err)
		}
	}
	if _, err := CatchUp(t.Context(), feed, idx); err != nil || feed.swap != nil {
		t.Fatalf("%v, swapped: %v", err, feed.swap == nil)
	}
	st, err := idx.Stats(t.Context())
	if err != nil || st.Servers != 30 || st.Seq != all[29].Seq {
		t.Errorf("%+v, %v: not all of 30 servers", st, err)
	}
}

func rebuildDuringSearches(t *testing.T, idx Index) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	feed := &changingFeed{memoryFeed: memoryFeed{servers: corpus(100)}} // in batches of 20
	load(t, idx, feed.servers[:30])
	done := make(chan error, 1)
	go func() { done <- idx.Rebuild(ctx, feed) }()
	seen := map[int]int{}
	for {
		st, err := idx.Stats(ctx)
		if err != nil {
			t.Fatal(err)
		}
		match(t, idx, "database")
		seen[st.Servers]++
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			if st, err := idx.Stats(ctx); err != nil || st.Servers != 100 {
				t.Fatalf("%+v, %v", st, err)
			}
			delete(seen, 30)
			delete(seen, 100)
			if len(seen) > 0 {
				t.Errorf("half-built indexes were searched: %v", seen)
			}
			return
		default:
		}
	}
}

func rebuildDuringChanges(t *testing.T, idx Index) {
	change := func(i int, seq int64, description string) func(*memoryFeed) {
		return func(f *memoryFeed) { f.servers[i].Seq, f.servers[i].Description = seq, description }
	}
	feed := &changingFeed{memoryFeed: memoryFeed{servers: corpus(100)}}
	gone, back := feed.servers[12], feed.servers[14]
	feed.changes = []func(*memoryFeed){
		change(3, 101, "onceword"), change(3, 102, "twiceword"),
		func(f *memoryFeed) { f.remove(gone.Slug) }, // 103
		func(f *memoryFeed) { f.remove(back.Slug) }, // 104
		func(f *memoryFeed) {
			back.Seq, back.Description = 105, "returnedword"
			f.servers = append(f.servers, back)
		},
	}
	if err := idx.Rebuild(t.Context(), feed); err != nil {
		t.Fatal(err)
	}
	if len(feed.changes) > 0 {
		t.Fatalf("%d changes were not read", len(feed.changes))
	}
	if st, err := idx.Stats(t.Context()); err != nil || st.Servers != 99 || st.Seq != 105 {
		t.Errorf("%+v, %v", st, err)
	}
	for word, want := range map[string]int{"twiceword ": 1, "returnedword ": 1} {
		if n := len(match(t, idx, word)); n != want {
			t.Errorf("%q: %d", word, n)
		}
	}
}

func rebuildCancelled(t *testing.T) {
	b := engines["bleve"](t).(*Bleve)
	load(t, b, corpus(50))
	before := len(match(t, b, "database"))
	broken := &changingFeed{memoryFeed: memoryFeed{servers: corpus(100)}}
	ctx, cancel := context.WithCancel(t.Context())
	broken.changes = []func(*memoryFeed){func(*memoryFeed) { cancel() }}
	if err := b.Rebuild(ctx, broken); err == nil {
		t.Error("no error of a rebuild with a cancelled context")
	}
	if n := len(match(t, b, "database")); n != before {
		t.Errorf("%d found, %d before", n, before)
	}
	entries, err := os.ReadDir(b.dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("%v, %v: want the index, its name and the lock", entries, err)
	}
	if err := b.Rebuild(t.Context(), &memoryFeed{}); err != nil {
		t.Fatal(err)
	}
	if st, err := b.Stats(t.Context()); err != nil || st.Servers != 0 {
		t.Errorf("%+v, %v after a rebuild of nothing", st, err)
	}
}
