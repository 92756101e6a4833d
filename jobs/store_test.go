package jobs_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
)

// A pickyStore does not take the results of one repository, or nothing at all
// once it is down.
type pickyStore struct {
	*postgres.DB
	refuses string
	down    bool
}

var errStore = errors.New("pq: value out of range for type integer")

func (s *pickyStore) SaveResult(ctx context.Context, r registry.Result) error {
	if s.down || r.Visit.Work.Ref.Name == s.refuses {
		return errStore
	}
	return s.DB.SaveResult(ctx, r)
}

func (s *pickyStore) Release(
	ctx context.Context, works []registry.Work, at time.Time, why string,
) error {
	if s.down {
		return errStore
	}
	return s.DB.Release(ctx, works, at, why)
}

func TestAResultThatCannotBeStoredIsTheAffairOfOneRepository(t *testing.T) {
	names := []string{"rail/a-mcp", "rail/b-mcp", "rail/c-mcp", "rail/d-mcp", "rail/e-mcp",
		"rail/f-mcp"}
	var fixtures []string
	for _, name := range names {
		fixtures = append(fixtures, aServer(name))
	}
	h := newHouse(t, fixtures...)
	h.enqueue(names...)
	c := h.crawler("worker/0")
	store := &pickyStore{DB: h.db, refuses: "b-mcp"}
	c.Results, c.Queue = store, store
	n, err := c.Refresh(t.Context(), 0)
	if err != nil || n != len(names) {
		t.Errorf("visited %d, %v", n, err)
	}
	for _, name := range names {
		w := h.work(name)
		if name == "rail/b-mcp" {
			if w.Attempt != 1 || len(h.servers(name)) != 0 {
				t.Errorf("%s: attempt %d", name, w.Attempt)
			}
			continue
		}
		if w.Attempt != 0 || len(h.servers(name)) != 1 {
			t.Errorf("%s: attempt %d, %d servers", name, w.Attempt, len(h.servers(name)))
		}
	}
	s := h.status()
	if s.Leased != 0 || s.Due != 0 || len(s.Failing) != 1 || s.Failing[0].Count != 1 {
		t.Errorf("leased %d, due %d, failing %+v", s.Leased, s.Due, s.Failing)
	} else if strings.Contains(s.Failing[0].Error, "pq:") {
		t.Errorf("the status shows %q", s.Failing[0].Error)
	}
	// It waits longer each time.
	h.later(11 * time.Minute)
	if n, err := c.Refresh(t.Context(), 0); n != 1 || err != nil {
		t.Errorf("visited %d, %v", n, err)
	}
	h.later(11 * time.Minute)
	if n, err := c.Refresh(t.Context(), 0); n != 0 || err != nil {
		t.Errorf("visited %d after 11 minutes again, %v", n, err)
	}
}

func TestAStoreThatIsAwayEndsTheBatch(t *testing.T) {
	var fixtures, names []string
	for _, letter := range strings.Split("abcdefghijklmnopqrstuvwxyz", "") {
		names = append(names, "rail/"+letter+"-mcp")
		fixtures = append(fixtures, aServer("rail/"+letter+"-mcp"))
	}
	h := newHouse(t, fixtures...)
	h.enqueue(names...)
	c := h.crawler("worker/0")
	store := &pickyStore{DB: h.db, down: true}
	c.Results, c.Queue, c.Log = store, store, slog.New(slog.DiscardHandler)
	n, err := c.Refresh(t.Context(), 0)
	if !errors.Is(err, errStore) {
		t.Errorf("visited %d, %v", n, err)
	}
	store.down = false
	h.later(2 * time.Minute) // the leases have run out
	if n, err := c.Refresh(t.Context(), 0); err != nil || n != len(names) {
		t.Errorf("then visited %d, %v", n, err)
	}
	if w := h.work("rail/a-mcp"); w.Attempt != 0 {
		t.Errorf("attempt %d", w.Attempt)
	}
}
