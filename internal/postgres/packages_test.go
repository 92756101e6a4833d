package postgres_test

import (
	"errors"
	"fmt"
	"strings"
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
	// A later count adds days, and corrects earlier ones.
	count(keys[0], at(3), map[string]int64{"2026-10-30": 1, "2026-10-31": 2})
	if diff := cmp.Diff([]string{"2026-10-29 00:00:00 35", "2026-10-30 00:00:00 7",
		"2026-10-31 00:00:00 9"}, daysOf(t, db, from, to)); diff != "" {
		t.Errorf("after a later count: %s", diff)
	}
	// Counts for 30 days are not known by day.
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

func TestPackages(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	npm, pypi := registry.PackageKey{RegistryType: "npm",
		Identifier: "@octo/weather"},
		registry.PackageKey{RegistryType: "pypi", Identifier: "weather"}
	for range 2 {
		if err := db.EnqueuePackages(t.Context(),
			[]registry.PackageKey{npm, pypi, npm,
				{RegistryType: "npm", Identifier: strings.Repeat("x",
					1<<20)}, {}}, start); err != nil {
			t.Fatal(err)
		}
	}
	leasePackages := func(kind string, now time.Time, types ...string) []registry.PackageWork {
		t.Helper()
		keys, err := db.LeasePackages(t.Context(), kind, types, 10, time.Hour, now)
		if err != nil {
			t.Fatal(err)
		}
		return keys
	}
	if keys := leasePackages(registry.PackageFactsKind, start); len(keys) != 2 {
		t.Fatalf("due for facts: %v, want both", keys)
	}
	if keys := leasePackages(registry.PackageFactsKind, start); len(keys) != 0 {
		t.Errorf("leased twice: %v", keys)
	}
	if keys := leasePackages(registry.PackageDownloadsKind, start, "npm"); len(keys) != 1 ||
		keys[0].PackageKey != npm || keys[0].Attempt != 0 {
		t.Errorf("due for downloads: %v, want %v", keys, npm)
	}
	if known, err := db.PackageFacts(t.Context(), []registry.PackageKey{npm, pypi}); err != nil ||
		len(known) != 0 {
		t.Errorf("known before any response: %v %v", known, err)
	}

	observed, counted := at(1), at(2)
	facts := registry.PackageFacts{RegistryType: "npm", Identifier: "@octo/weather",
		Latest: "1.2.3\x00", Found: new(true), ObservedAt: &observed}
	if err := db.SavePackage(t.Context(), facts, at(100), ""); err != nil {
		t.Fatal(err)
	}
	if err := db.SavePackage(t.Context(),
		registry.PackageFacts{RegistryType: "npm", Identifier: "@octo/weather",
			Downloads: new(int64(42)), DownloadsObservedAt: &counted}, at(50), ""); err != nil {
		t.Fatal(err)
	}
	facts.Latest = "1.2.4"
	if err := db.SavePackage(t.Context(), facts, at(100), "no advisories"); err != nil {
		t.Fatal(err)
	}
	known, err := db.PackageFacts(t.Context(), []registry.PackageKey{npm, pypi})
	if err != nil {
		t.Fatal(err)
	}
	want := facts
	want.Downloads, want.DownloadsObservedAt = new(int64(42)), &counted
	if diff := cmp.Diff(map[registry.PackageKey]registry.PackageFacts{npm: want},
		known); diff != "" {
		t.Errorf("known (-want +got):\n%s", diff)
	}
	if err := db.FailPackage(t.Context(), registry.PackageFactsKind, pypi, at(3),
		"says 503"); err != nil {
		t.Fatal(err)
	}
	if keys := leasePackages(registry.PackageFactsKind, at(2.9)); len(keys) != 0 {
		t.Errorf("due too early: %v", keys)
	}
	if keys := leasePackages(registry.PackageFactsKind, at(3)); len(keys) != 1 ||
		keys[0].PackageKey != pypi || keys[0].Attempt != 1 {
		t.Errorf("due after a failure: %v", keys)
	}
	if keys := leasePackages(registry.PackageDownloadsKind, at(50), "npm"); len(keys) != 1 {
		t.Errorf("downloads due: %v", keys)
	}
	if err := db.SavePackage(t.Context(),
		registry.PackageFacts{RegistryType: "npm", Identifier: "never wanted",
			ObservedAt: &observed}, at(1), ""); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("a package nobody wants: %v", err)
	}
	if _, err := db.LeasePackages(t.Context(), "colour", nil, 1, time.Hour, start); err == nil {
		t.Error("leased an unknown kind")
	}
	status, err := db.Status(t.Context(), at(60))
	if err != nil || status.Packages != 2 || status.PackagesDue != 1 || status.DownloadsDue != 2 ||
		len(status.Failing) != 2 {
		t.Errorf("status %+v, %v", status, err)
	}
}

func TestPublished(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	ids := map[string]int64{"octo/weather": 7, "octo/other": 8, "octo/bare": 9}
	for name, id := range ids {
		crawled(t, db, name, id, start, "")
	}
	at := start.AddDate(0, -1, 0)
	released := registry.Release{Tag: "v1.2.0", PublishedAt: &at}
	later := start.AddDate(0, 0, 2)
	for _, w := range lease(t, db, 3, later) {
		r := fetched(w, observed(w.Ref.String(), ids[w.Ref.String()], later), later, "")
		f := &r.Scored[0].Facts
		switch w.Ref.Name {
		case "weather":
			f.Packages = []registry.PackageFacts{{RegistryType: "npm", Identifier: "weather",
				Latest: "1.2.0", LatestAt: &at, Versions: new(7)}}
			f.Repo.LatestReleases = []registry.Release{released, {Tag: "v1.1.0", Prerelease: true}}
			f.Repo.LatestTag = &registry.Release{Tag: "nightly"}
		case "other":
			f.Repo.LatestTag = &released
		}
		save(t, db, r)
	}
	got, err := db.Published(t.Context(),
		[]string{"octo-weather", "octo-other", "octo-bare", "octo-none", "a\x00b"})
	if err != nil || len(got) != 3 {
		t.Fatalf("%+v, %v", got, err)
	}
	w := got["octo-weather"]
	if len(w.Packages) != 1 || *w.Packages[0].Versions != 7 || !w.Packages[0].LatestAt.Equal(at) ||
		w.NextVisit == nil || !w.NextVisit.After(later) ||
		len(w.Releases) != 2 || w.Releases[0].Tag != "v1.2.0" || !w.Releases[1].Prerelease {
		t.Errorf("weather: %+v", w)
	}
	if o := got["octo-other"]; o.Packages != nil || len(o.Releases) != 1 ||
		!o.Releases[0].PublishedAt.Equal(at) {
		t.Errorf("a tag alone: %+v", o)
	}
	if b := got["octo-bare"]; b.Packages != nil || b.Releases != nil {
		t.Errorf("nothing known: %+v", b)
	}
	if err := db.Hide(t.Context(), "octo-weather", "a test"); err != nil {
		t.Fatal(err)
	}
	if got, err := db.Published(t.Context(), []string{"octo-weather"}); err != nil ||
		len(got) != 0 {
		t.Errorf("of a hidden one: %+v, %v", got, err)
	}
}
