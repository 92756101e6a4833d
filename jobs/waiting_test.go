package jobs_test

import (
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

// To wait for the host's budget is no failure of the repositories that wait:
// what fails later is tried again as soon as if they had not waited.
func TestWaitingForTheBudgetIsNoAttempt(t *testing.T) {
	h := newHouse(t, aServer("rail/a-mcp"), aServer("rail/b-mcp"))
	h.enqueue("rail/a-mcp", "rail/b-mcp")
	h.world.SetLimit("graphql", 0)
	for range 5 {
		c := h.crawler("worker/0")
		until := h.clock.Now().Add(time.Hour)
		c.Hosts[registry.GitHub] = altered{Host: h.github,
			backoff: func() (time.Time, error) { return until, h.github.Ready() }}
		if n, err := c.Refresh(t.Context(), 0); err != nil {
			t.Fatalf("visited %d, %v", n, err)
		}
		h.later(time.Hour + time.Minute)
	}
	w := h.work("rail/a-mcp")
	if w.Attempt != 0 {
		t.Errorf("waiting counted as %d attempts", w.Attempt)
	}
	if s := h.status(); s.Leased != 0 || s.Due != 2 {
		t.Errorf("leased %d, due %d", s.Leased, s.Due)
	}
	h.world.SetLimit("graphql", 5000)
	if n := h.refresh(); n != 2 {
		t.Errorf("visited %d when the budget was back", n)
	}
	if s := h.status(); len(s.Failing) != 0 {
		t.Errorf("still failing: %+v", s.Failing)
	}
}

func TestWhatWasSeenAndWaitsSaysWhy(t *testing.T) {
	h := newHouse(t, aServer("rail/a-mcp"))
	h.enqueue("rail/a-mcp")
	h.refresh()
	h.later(20 * 24 * time.Hour)
	h.world.SetLimit("graphql", 0)
	for range 3 {
		h.refresh()
		h.later(time.Hour + time.Minute)
	}
	if w := h.work("rail/a-mcp"); w.Attempt != 0 {
		t.Errorf("waiting counted as %d attempts", w.Attempt)
	}
	s := h.status()
	if len(s.Failing) != 1 || !strings.HasPrefix(s.Failing[0].Error, "Not visited yet") {
		t.Errorf("got %+v", s.Failing)
	}
}
