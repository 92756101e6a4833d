package postgres_test

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/meter"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
)

func counted(process string, batch int64, events ...meter.EventCount) meter.Counts {
	return meter.Counts{Process: process, Batch: batch, Events: events}
}

func event(hours float64, slug string, e meter.Event, n int64) meter.EventCount {
	return meter.EventCount{Date: at(hours), Slug: slug, Event: e, N: n}
}

func addCounts(t *testing.T, db *postgres.DB, c meter.Counts, now time.Time) {
	t.Helper()
	if err := db.AddCounts(t.Context(), c, now); err != nil {
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

func TestSumEvents(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	crawled(t, db, "octo/weather", 7, start, "")
	crawled(t, db, "octo/other", 8, start, "")
	addCounts(t, db, counted("a", 1, event(0, "octo-weather", meter.EventView, 2),
		event(0, "octo-other", meter.EventView, 3)), start)
	addCounts(t, db, counted("a", 2, event(24, "octo-weather", meter.EventImpression, 4)), at(24))
	before := eventsOf(t, db, "octo-weather")
	if n, err := db.SumEvents(t.Context(), at(24), time.Hour); n != 0 || err != nil {
		t.Errorf("yesterday is kept: %d dropped, %v", n, err)
	}
	if n, err := db.SumEvents(t.Context(), at(48), time.Hour); n != 1 || err != nil {
		t.Errorf("%d dropped, %v; want 1", n, err)
	}
	if diff := cmp.Diff(before, eventsOf(t, db, "octo-weather")); diff != "" {
		t.Errorf("summing up changed the counts: %s", diff)
	}
	// A count that comes late is added to its day.
	addCounts(t, db, counted("b", 1, event(0, "octo-weather", meter.EventView, 1),
		event(0, "octo-weather", meter.EventView, 1),
		event(0, "octo-weather", meter.EventBadgeView, 7)), at(48))
	want := [meter.Events]int64{meter.EventView: 4, meter.EventBadgeView: 7}
	if got := eventsOf(t, db, "octo-weather")["2026-11-01"]; got != want {
		t.Errorf("after a late count: %v, want %v", got, want)
	}
	if got := eventsOf(t, db, "octo-other")["2026-11-01"]; got != [meter.Events]int64{3} {
		t.Errorf("the other server: %v", got)
	}
}

func TestSumEventsConcurrently(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	crawled(t, db, "octo/weather", 7, start, "")
	const processes, batches = 4, 30
	var group sync.WaitGroup
	for p := range processes {
		group.Go(func() {
			for b := range batches {
				// One process's clock is two days ahead, so that what is a new
				// day for some is over for others.
				now := at(float64(48 * (p % 2)))
				if err := db.AddCounts(t.Context(),
					counted(string(rune('a'+p)), int64(b+1),
						event(0, "octo-weather", meter.EventView, 1)), now); err != nil {
					t.Error(err)
				}
			}
		})
	}
	ctx, stop := context.WithCancel(t.Context())
	summed := make(chan error)
	go func() {
		for {
			if _, err := db.SumEvents(ctx, at(48), time.Hour); err != nil {
				summed <- err
				return
			}
		}
	}()
	group.Wait()
	stop()
	// Who notices first that it is stopped, this program or Postgres, decides the error.
	if err := <-summed; !errors.Is(err, context.Canceled) &&
		!strings.Contains(err.Error(), "57014") {
		t.Error(err)
	}
	if n := eventsOf(t, db, "octo-weather")["2026-11-01"][meter.EventView]; n != processes*batches {
		t.Errorf("%d views, want %d", n, processes*batches)
	}
}

func TestCalls(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	account := newAccount(t, db, "ada@example.org")
	call := func(hours float64, account, key int64, endpoint string, n int64) meter.CallCount {
		return meter.CallCount{Account: account,
			DayCalls: meter.DayCalls{Date: at(hours), Key: key, Endpoint: endpoint, Calls: n}}
	}
	for batch := range int64(2) {
		addCounts(t, db, meter.Counts{Process: "a", Batch: batch + 1, Calls: []meter.CallCount{
			call(0, account, 1, "GET /v1/servers", 2), call(0, account, 2, "GET /v1/servers",
				1), call(24, account, 1, "GET /v1/search", 5),
			call(0, account+1, 1, "GET /v1/servers", 9),
		}}, start)
	}
	days, err := db.Calls(t.Context(), account, start, at(24))
	if err != nil {
		t.Fatal(err)
	}
	day := start.Truncate(24 * time.Hour)
	want := []meter.DayCalls{
		{Date: day, Key: 1, Endpoint: "GET /v1/servers", Calls: 4}, {Date: day, Key: 2,
			Endpoint: "GET /v1/servers", Calls: 2},
		{Date: day.AddDate(0, 0, 1), Key: 1, Endpoint: "GET /v1/search", Calls: 10},
	}
	if diff := cmp.Diff(want, days); diff != "" {
		t.Error(diff)
	}
	if _, err := db.SumEvents(t.Context(), at(24*11), 10*24*time.Hour); err != nil {
		t.Fatal(err)
	}
	if days, err := db.Calls(t.Context(), account, start, at(24*30)); err != nil || len(days) != 1 {
		t.Errorf("after ten days: %v %v", days, err)
	}
}

// newAccount stores an account and returns its number.
func newAccount(t *testing.T, db *postgres.DB, email string) (id int64) {
	t.Helper()
	own, err := sql.Open("postgres", db.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	if err := own.QueryRow(`INSERT INTO accounts (email, email_key, created_at) VALUES ($1, lower($1), now()) RETURNING id`, email).Scan(&id); err != nil {
		t.Fatal(err)
	}
	return id
}
