package catalog

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"

	"mcpcensus/internal/registry"
)

// A movingFeed says how far it goes, and lets servers change while it is read:
// each has only its last change.
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

// change gives the server with a number another.
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

func (f *movingFeed) LastSeq(context.Context) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.last, nil
}

func (f *movingFeed) RecordsAfter(_ context.Context, seq int64, limit int) (out []registry.Server, removed []registry.Change, last int64, err error) {
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
	f := newMovingFeed(servers(4*batch + 100))
	f.onPage = func(f *movingFeed) error {
		if f.pages > 12 { // the rest must come to an end
			return nil
		}
		for n := range int64(5) { // before and behind where either reads, and what moved already
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
	all := servers(4*batch + 100)
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
		for n := range seq { // what is said to be there is there
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
	f := newMovingFeed(servers(4*batch + 100))
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
