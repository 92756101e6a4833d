package jobs_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
)

func TestRescoreRenumbersOnlyWhatChanged(t *testing.T) {
	h := newCrawledFixture(t)
	total := h.status().Servers
	seq := h.seq()
	seen, changed, err := jobs.Rescore(t.Context(), h.db, h.clock.Now(), nil)
	h.must(err)
	if seen != total || changed != 0 || h.seq() != seq {
		t.Errorf("at once: %d seen of %d, %d changed, change %d after %d", seen, total, changed,
			h.seq(), seq)
	}

	was := h.server("octo-labs/weather-mcp")
	// After some days all are written, so that reasons do not become stale.
	h.later(9 * 24 * time.Hour)
	_, changed, err = jobs.Rescore(t.Context(), h.db, h.clock.Now(), nil)
	h.must(err)
	if is := h.server("octo-labs/weather-mcp"); changed < total/2 || is.Seq == was.Seq {
		t.Errorf("ten days later: %d of %d written, change %d after %d", changed, total, is.Seq,
			was.Seq)
	}

	// Half a year later, quiet servers score less.
	h.later(180 * 24 * time.Hour)
	before := h.server("octo-labs/weather-mcp")
	var told int
	seen, changed, err = jobs.Rescore(t.Context(), h.db, h.clock.Now(),
		func(done int) { told = done })
	h.must(err)
	if seen != total || changed == 0 || told != total {
		t.Errorf("later: %d seen, told of %d, %d changed", seen, told, changed)
	}
	after := h.server("octo-labs/weather-mcp")
	if *after.Health.Score >= *before.Health.Score || after.Seq <= before.Seq ||
		after.Slug != before.Slug || len(after.Tools) != len(before.Tools) {
		t.Errorf("score %d, was %d; change %d, was %d", *after.Health.Score, *before.Health.Score,
			after.Seq, before.Seq)
	}
	seq = h.seq()
	if _, changed, err = jobs.Rescore(t.Context(), h.db, h.clock.Now(), nil); err != nil ||
		changed != 0 || h.seq() != seq {
		t.Errorf("a second time: %d changed, %v", changed, err)
	}
}

// A day that passes changes a server only if it changes its score: the days and
// calendar weeks that reasons count are not a change. The scorer counts
// calendar weeks, which end on Sundays.
func TestRescoreAfterADay(t *testing.T) {
	h := newCrawledFixture(t)
	h.later(2 * 24 * time.Hour) // to a Friday
	_, _, err := jobs.Rescore(t.Context(), h.db, h.clock.Now(), nil)
	h.must(err)
	for range 4 {
		before := h.scores()
		h.later(24 * time.Hour)
		day := h.clock.Now().Weekday()
		_, changed, err := jobs.Rescore(t.Context(), h.db, h.clock.Now(), nil)
		h.must(err)
		moved := 0
		for slug, score := range h.scores() {
			if before[slug] != score {
				moved++
			}
		}
		if changed > moved+len(before)/5 {
			t.Errorf("%s: %d of %d servers changed, %d scores moved", day, changed, len(before), moved)
		}
	}
}

func TestStoppedRescore(t *testing.T) {
	h := newCrawledFixture(t)
	h.later(180 * 24 * time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := jobs.Rescore(ctx, h.db, h.clock.Now(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	// Stopped midway: the store returns one server and then the context ends.
	ctx, cancel = context.WithCancel(t.Context())
	_, _, err := jobs.Rescore(ctx, cancellingStore{h.db, cancel}, h.clock.Now(), nil)
	if err == nil {
		t.Error("a rescore that was stopped says that it is done")
	}
	if seen, _, err := jobs.Rescore(t.Context(), h.db, h.clock.Now(), nil); err != nil ||
		seen != h.status().Servers {
		t.Errorf("repeated: %d seen, %v", seen, err)
	}
}

// A cancellingStore cancels when it has handed out one server.
type cancellingStore struct {
	jobs.FactsStore
	cancel context.CancelFunc
}

func (s cancellingStore) EachFacts(ctx context.Context, f func(registry.Scored) error) error {
	return s.FactsStore.EachFacts(ctx, func(sc registry.Scored) error {
		s.cancel()
		return f(sc)
	})
}
