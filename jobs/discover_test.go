package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"mcpcensus/internal/registry"
)

// A sourceOf names batches of repositories; its state is the number of
// batches that were taken.
type sourceOf struct {
	name    string
	batches [][]registry.Candidate
	failAt  int // the batch before which it fails, 0 for never
	asked   []int
}

func (s *sourceOf) Name() string { return s.name }

func (s *sourceOf) Discover(
	_ context.Context, state []byte, yield func([]registry.Candidate, []byte) error,
) error {
	from, _ := strconv.Atoi(string(state))
	for i := from; i < len(s.batches); i++ {
		if s.failAt > 0 && i == s.failAt {
			return errors.New("the source went away")
		}
		s.asked = append(s.asked, i)
		if err := yield(s.batches[i], []byte(strconv.Itoa(i+1))); err != nil {
			return err
		}
	}
	return nil
}

func batchesOf(batches, each int) [][]registry.Candidate {
	var out [][]registry.Candidate
	for b := range batches {
		var batch []registry.Candidate
		for i := range each {
			batch = append(batch, registry.Candidate{Ref: ref(fmt.Sprintf("owner%d/repo%d", b, i)),
				Source: "test"})
		}
		out = append(out, batch)
	}
	return out
}

func known(s registry.Status) int {
	n := 0
	for _, count := range s.Repositories {
		n += count
	}
	return n
}

func TestSourceThatFailsGoesOnWhereItWas(t *testing.T) {
	h := newHouse(t, noServer("a/b"))
	s := &sourceOf{name: "test", batches: batchesOf(4, 3), failAt: 2}
	c := h.crawler("worker/0")
	found, err := c.Discover(t.Context(), s, 0)
	if err == nil || !strings.Contains(err.Error(), "test: the source went away") || found != 6 {
		t.Fatalf("got %d, %v", found, err)
	}
	state, err := h.db.SourceState(t.Context(), "test")
	h.must(err)
	if state.LastError != "the source went away" || state.LastSuccess != nil ||
		known(h.status()) != 6 {
		t.Errorf("after the failure: %+v, %d repositories", state, known(h.status()))
	}
	s.failAt, s.asked = 0, nil
	found, err = c.Discover(t.Context(), s, 0)
	h.must(err)
	if found != 6 || fmt.Sprint(s.asked) != "[2 3]" {
		t.Errorf("the second run found %d in batches %v", found, s.asked)
	}
	state, err = h.db.SourceState(t.Context(), "test")
	h.must(err)
	if state.LastError != "" || state.LastSuccess == nil || known(h.status()) != 12 {
		t.Errorf("after the end: %+v, %d repositories", state, known(h.status()))
	}
}

func TestLimitLeavesTheRestForTheNextRun(t *testing.T) {
	h := newHouse(t, noServer("a/b"))
	s := &sourceOf{name: "test", batches: batchesOf(3, 3)}
	c := h.crawler("worker/0")
	found, err := c.Discover(t.Context(), s, 4)
	h.must(err)
	if found != 4 || known(h.status()) != 4 {
		t.Fatalf("found %d, %d stored, want 4", found, known(h.status()))
	}
	if state, err := h.db.SourceState(t.Context(), "test"); err != nil || state.LastSuccess != nil {
		t.Errorf("a run that was cut short counts as whole: %+v, %v", state, err)
	}
	_, err = c.Discover(t.Context(), s, 0)
	h.must(err)
	if got := known(h.status()); got != 9 {
		t.Errorf("%d repositories after the rest, want 9", got)
	}
}

func TestListingsWithoutARepositoryAreKept(t *testing.T) {
	h := newHouse(t, noServer("a/b"))
	s := &sourceOf{name: "official-registry", batches: [][]registry.Candidate{{
		{Source: "official-registry",
			Listing: &registry.Listing{Name: "com.example/remote-only", Description: "Remote",
				Version: "1.0.0", Status: "active"}},
		{Ref: ref("rail/trains-mcp"), Source: "official-registry",
			Listing: &registry.Listing{Name: "io.github.rail/trains-mcp", Version: "1.0.0",
				Status: "active", RepoURL: "https://github.com/rail/trains-mcp"}},
	}}}
	found, err := h.crawler("worker/0").Discover(t.Context(), s, 0)
	h.must(err)
	if st := h.status(); found != 2 || st.Listings != 2 || known(st) != 1 {
		t.Errorf("found %d, %d listings, %d repositories", found, st.Listings, known(st))
	}
}

func TestOfficialRegistryIsReadOnceAndThenByWhatChanged(t *testing.T) {
	h := newHouse(t)
	c := h.crawler("worker/0")
	first, err := c.Discover(t.Context(), h.source, 0)
	h.must(err)
	if first < 5 {
		t.Fatalf("the registry named %d servers", first)
	}
	second, err := c.Discover(t.Context(), h.source, 0)
	h.must(err)
	if second >= first {
		t.Errorf("the second read took %d again, the first %d", second, first)
	}
}
