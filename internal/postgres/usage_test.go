package postgres_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/meter"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/postgres/people"
)

func counted(process string, batch int64, events ...meter.EventCount) meter.Counts {
	return meter.Counts{Process: process, Batch: batch, Events: events}
}

func event(hours float64, slug string, e meter.Event, n int64) meter.EventCount {
	return meter.EventCount{Date: at(hours), Slug: slug, Event: e, N: n}
}

func addCounts(t *testing.T, db *postgres.DB, c meter.Counts, now time.Time) {
	t.Helper()
	if err := people.New(db).AddCounts(t.Context(), c, now); err != nil {
		t.Fatal(err)
	}
}

// eventsOf returns the stored events from two weeks before start to two
// weeks after.
func eventsOf(t *testing.T, db *postgres.DB, slug string) map[string][meter.Events]int64 {
	t.Helper()
	days, err := db.Events(t.Context(), slug, at(-14*24), at(14*24))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][meter.Events]int64{}
	for _, d := range days {
		got[d.Date.Format(time.DateOnly)] = d.Counts
	}
	return got
}

func TestAddCounts(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	crawled(t, db, "octo/weather", 7, start, "")
	crawled(t, db, "octo/other", 8, start, "")
	addCounts(t, db, counted("a", 1, event(0, "octo-weather", meter.EventView, 2),
		event(0, "octo-weather", meter.EventBadgeView, 5),
		event(0, "octo-other", meter.EventView, 1), event(0, "nobody", meter.EventView, 9)), start)
	addCounts(t, db, counted("b", 1, event(0, "octo-weather", meter.EventView, 3),
		event(24, "octo-weather", meter.EventAPIHit, 1)), start)
	want := map[string][meter.Events]int64{
		"2026-11-01": {meter.EventView: 5,
			meter.EventBadgeView: 5}, "2026-11-02": {meter.EventAPIHit: 1},
	}
	if diff := cmp.Diff(want, eventsOf(t, db, "octo-weather")); diff != "" {
		t.Error(diff)
	}
}

func TestAddCountsTwice(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	crawled(t, db, "octo/weather", 7, start, "")
	for _, batch := range []int64{1, 1, 2, 1, 2} {
		addCounts(t, db, counted("a", batch, event(0, "octo-weather", meter.EventView, 1)), start)
	}
	if n := eventsOf(t, db, "octo-weather")["2026-11-01"][meter.EventView]; n != 2 {
		t.Errorf("%d views, want 2", n)
	}
}

func TestAddCountsConcurrently(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	crawled(t, db, "octo/weather", 7, start, "")
	crawled(t, db, "octo/other", 8, start, "")
	const processes, batches = 4, 30
	var group sync.WaitGroup
	for p := range processes {
		group.Go(func() {
			for b := range batches {
				events := []meter.EventCount{event(0, "octo-weather", meter.EventView, 1),
					event(0, "octo-other", meter.EventView, 1)}
				if p%2 == 1 {
					slices.Reverse(events)
				}
				if err := people.New(db).AddCounts(t.Context(),
					counted(string(rune('a'+p)), int64(b+1), events...), start); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	for _, slug := range []string{"octo-weather", "octo-other"} {
		if n := eventsOf(t, db, slug)["2026-11-01"][meter.EventView]; n != processes*batches {
			t.Errorf("%d views of %s, want %d", n, slug, processes*batches)
		}
	}
}
