package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
)

// daysOf are the downloads of octo-weather's days, as text.
func daysOf(t *testing.T, db *postgres.DB, from, to time.Time) []string {
	t.Helper()
	days, err := db.DayDownloads(t.Context(), "octo-weather", from, to)
	if err != nil {
		t.Fatal(err)
	}
	all := []string{}
	for _, d := range days {
		all = append(all, fmt.Sprint(d.Date.Format(time.DateTime), " ", d.Downloads))
	}
	return all
}

func TestDayDownloads(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	enqueue(t, db, start, candidate("octo/weather", 7))
	w := lease(t, db, 1, start)[0]
	r := fetched(w, observed("octo/weather", 7, start), start, "")
	keys := []registry.PackageKey{{RegistryType: "npm", Identifier: "weather"},
		{RegistryType: "npm", Identifier: "@octo/weather\x00"}, {RegistryType: "oci",
			Identifier: "octo/weather"}}
	for _, k := range keys {
		r.Scored[0].Server.Packages = append(r.Scored[0].Server.Packages,
			registry.Package{RegistryType: k.RegistryType, Identifier: k.Identifier})
	}
	save(t, db, r)
	if err := db.EnqueuePackages(t.Context(), keys, start); err != nil {
		t.Fatal(err)
	}
	count := func(key registry.PackageKey, at time.Time, days map[string]int64) {
		t.Helper()
		f := registry.PackageFacts{RegistryType: key.RegistryType, Identifier: key.Identifier,
			Downloads: new(int64(900)), DownloadsObservedAt: &at, DownloadDays: days}
		if err := db.SavePackage(t.Context(), f, at.Add(time.Hour), ""); err != nil {
			t.Fatal(err)
		}
	}
	from, to := at(-31*24), at(24)
	if got := daysOf(t, db, from, to); len(got) != 0 {
		t.Errorf("before anything is counted: %v", got)
	}
	count(keys[0], at(1), map[string]int64{"2026-09-01": 9, "2026-10-28": 20, "2026-10-29": 30,
		"2026-10-30": 0})
	if diff := cmp.Diff([]string{"2026-10-28 00:00:00 20", "2026-10-29 00:00:00 30",
		"2026-10-30 00:00:00 0"}, daysOf(t, db, from, to)); diff != "" {
		t.Errorf("of the one that is counted: %s", diff)
	}
	count(keys[1], at(2), map[string]int64{"2026-10-29": 5, "2026-10-30": 6, "2026-10-31": 7})
	if diff := cmp.Diff([]string{"2026-10-29 00:00:00 35", "2026-10-30 00:00:00 6"},
		daysOf(t, db, from, to)); diff != "" {
		t.Errorf("of two: %s", diff)
	}
	if diff := cmp.Diff([]string{"2026-10-30 00:00:00 6"},
		daysOf(t, db, time.Date(2026, 10, 30, 23, 0, 0, 0, time.UTC), to)); diff != "" {
		t.Errorf("of a part: %s", diff)
	}
	// A later count adds days, and says what became of the earlier ones.
	count(keys[0], at(3), map[string]int64{"2026-10-30": 1, "2026-10-31": 2})
	if diff := cmp.Diff([]string{"2026-10-29 00:00:00 35", "2026-10-30 00:00:00 7",
		"2026-10-31 00:00:00 9"}, daysOf(t, db, from, to)); diff != "" {
		t.Errorf("after a later count: %s", diff)
	}
	// What is counted for 30 days only, is not known of any day.
	count(keys[2], at(4), nil)
	if got := daysOf(t, db, from, to); len(got) != 0 {
		t.Errorf("with one that has no days: %v", got)
	}
	count(keys[2], at(5), map[string]int64{"2026-10-29": 100})
	if diff := cmp.Diff([]string{"2026-10-29 00:00:00 135"}, daysOf(t, db, from, to)); diff != "" {
		t.Errorf("of three: %s", diff)
	}
	// Days are given up after 400.
	late := start.AddDate(1, 2, 0)
	for _, k := range keys {
		count(k, late, map[string]int64{late.AddDate(0, 0, -2).Format(time.DateOnly): 1})
	}
	if got := daysOf(t, db, at(-365*24), late); len(got) != 1 {
		t.Errorf("after more than a year: %v", got)
	}
	known, err := db.PackageFacts(t.Context(), keys[:1])
	if err != nil || known[keys[0]].DownloadDays != nil || *known[keys[0]].Downloads != 900 {
		t.Errorf("facts are %v, %v", known, err)
	}
	if days, err := db.DayDownloads(t.Context(), "nobody\x00", from, to); err != nil ||
		len(days) != 0 {
		t.Errorf("of nobody: %v, %v", days, err)
	}
}
