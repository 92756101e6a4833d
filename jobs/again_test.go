package jobs_test

import (
	"errors"
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

// Whoever asks for a listed server to be read again gets a report of now, and
// the registry's entry follows.
func TestAListedRepositoryIsReadAgainForWhoAsks(t *testing.T) {
	h := newHouse(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	c := h.checker()
	asked := 0
	begin := func() error { asked++; return nil }
	again := func() registry.CheckResult {
		t.Helper()
		for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(
			20 * time.Millisecond) {
			r, err := c.Recheck(t.Context(), ref("rail/trains-mcp"), begin)
			h.must(err)
			if r.Status != registry.CheckPending {
				return r
			}
		}
		t.Fatal("there is no report")
		return registry.CheckResult{}
	}
	again()
	h.refresh()
	h.later(10 * time.Minute)
	if r, err := c.Follow(t.Context(), ref("rail/trains-mcp"), begin); err != nil || asked != 1 ||
		!r.At.Before(h.clock.Now()) {
		t.Fatalf("who only looks begins a check: %+v, %v", r, err)
	}
	if r := again(); asked != 2 || !r.At.Equal(h.clock.Now().Truncate(time.Second)) {
		t.Errorf("asked %d times, got a report of %v at %v", asked, r.At, h.clock.Now())
	}
	h.later(time.Minute)
	if again(); asked != 2 {
		t.Error("a report of a minute ago is made again")
	}
	if n := h.refresh(); n != 1 {
		t.Errorf("%d repositories are due, want the one that was asked for", n)
	}
	s := h.server("rail/trains-mcp")
	if s.LastCrawledAt == nil || !s.LastCrawledAt.Equal(h.clock.Now()) {
		t.Errorf("last read %v, want %v", s.LastCrawledAt, h.clock.Now())
	}
	for _, source := range s.Sources {
		if source.Name == "on-demand" {
			t.Errorf("it is said to be found through a check: %+v", s.Sources)
		}
	}
}

func TestAStoreThatIsAwayIsNoFaultOfTheCheck(t *testing.T) {
	h := newHouse(t, aServer("rail/trains-mcp"))
	c := h.checker()
	h.db.Close()
	for name, ask := range map[string]func() (registry.CheckResult, error){
		"check": func() (registry.CheckResult,
			error) {
			return c.Check(t.Context(), ref("rail/trains-mcp"))
		},
		"follow": func() (registry.CheckResult, error) {
			return c.Follow(t.Context(), ref("rail/trains-mcp"), func() error { return nil })
		},
	} {
		if _, err := ask(); !errors.Is(err, registry.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
