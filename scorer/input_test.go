package scorer

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"mcpcensus/internal/registry"
)

func FuzzClean(f *testing.F) {
	f.Add("plain")
	f.Add("x\x00y\xff\u202e" + strings.Repeat("ü", 300))
	f.Fuzz(func(t *testing.T, s string) {
		got := clean(s)
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\n\r\t\u202e") ||
			utf8.RuneCountInString(got) > maxText+1 {
			t.Errorf("clean(%q) = %q", s, got)
		}
	})
}

func TestLink(t *testing.T) {
	for address, want := range map[string]string{
		"https://github.com/advisories/GHSA-1":          "https://github.com/advisories/GHSA-1",
		"http://x.example":                              "",
		"javascript:alert(1)":                           "",
		"https://":                                      "",
		"https://x.example/\x00":                        "",
		"https://x.example/" + strings.Repeat("a", 600): "",
	} {
		if got := link(address); got != want {
			t.Errorf("link(%q) = %q", address, got)
		}
	}
}

func TestMaxAge(t *testing.T) {
	stateOf := func(f registry.Facts, id string) string {
		for _, s := range Health(f, testNow).Categories {
			for _, c := range s.Checks {
				if c.ID == id {
					return c.State
				}
			}
		}
		return ""
	}
	ago := func(days int) time.Time { return testNow.AddDate(0, 0, -days) }
	for _, tt := range []struct {
		name, check string
		days        int
		set         func(f *registry.Facts, at time.Time)
		want        string
	}{
		{"commits of the last visit", "cadence", 37, lastVisit, StateOK},
		{"commits of a visit that should not have been the last", "cadence", 38, lastVisit, StateUnknown},
		{"commits of a head that has moved a week ago", "cadence", 7,
			func(f *registry.Facts, at time.Time) { f.Activity.ObservedAt = at }, StateOK},
		{"old commits of a head that still stands", "cadence", 20, func(f *registry.Facts, at time.Time) {
			f.Activity.ObservedAt, f.Repo.CommittedAt = at, ptr(at.AddDate(0, 0, -1))
		}, StateOK},
		{"old commits of a head that has moved", "cadence", 20,
			func(f *registry.Facts, at time.Time) { f.Activity.ObservedAt = at }, StateUnknown},
		{"files of a head that still stands", "tests", 200, func(f *registry.Facts, at time.Time) {
			f.Tree.ObservedAt, f.Repo.CommittedAt = at, ptr(at.AddDate(0, 0, -1))
		}, StateOK},
		{"files older than the head, not a week", "tests", 6,
			func(f *registry.Facts, at time.Time) { f.Tree.ObservedAt = at }, StateOK},
		{"files older than the head", "tests", 8,
			func(f *registry.Facts, at time.Time) { f.Tree.ObservedAt = at }, StateUnknown},
		{"an old README", "readme", 8, func(f *registry.Facts, at time.Time) { f.Readme.ObservedAt = at },
			StateUnknown},
		{"issues of the last whole visit", "responsiveness", 67,
			func(f *registry.Facts, at time.Time) { f.Issues.ObservedAt = at }, StateOK},
		{"older issues", "responsiveness", 68,
			func(f *registry.Facts, at time.Time) { f.Issues.ObservedAt = at }, StateUnknown},
		{"an old entry of the registry", "registry_listed", 38,
			func(f *registry.Facts, at time.Time) { f.Listing.ObservedAt, f.ListingKnown = at, false },
			StateUnknown},
		{"an old entry of a registry that was read since", "registry_listed", 38,
			func(f *registry.Facts, at time.Time) { f.Listing.ObservedAt = at }, StateOK},
		{"an old SDK release", "sdk_currency", 45,
			func(f *registry.Facts, at time.Time) { f.SDK.ObservedAt = at }, StateUnknown},
		{"old advisories", "advisories", 8,
			func(f *registry.Facts, at time.Time) { f.Packages[0].ObservedAt = &at }, StateUnknown},
		{"no time: seen with the snapshot", "advisories", 0,
			func(f *registry.Facts, at time.Time) { f.Packages[0].ObservedAt = nil }, StateOK},
	} {
		f := load(t, "healthy")
		tt.set(&f, ago(tt.days))
		if got := stateOf(f, tt.check); got != tt.want {
			t.Errorf("%s: %s is %s, want %s", tt.name, tt.check, got, tt.want)
		}
	}
}

func lastVisit(f *registry.Facts, at time.Time) {
	f.Repo.ObservedAt, f.Activity.ObservedAt = at, at
	f.Repo.CommittedAt = ptr(at.AddDate(0, 0, -1))
}

func TestStaleStays(t *testing.T) {
	f := load(t, "abandoned")
	at := testNow.AddDate(0, 0, -1)
	f.Repo.ObservedAt, f.Activity.ObservedAt = at, at
	f.Repo.CommittedAt, f.Activity.LastCommitAt = ptr(at.AddDate(0, 0, -600)), ptr(at.AddDate(0, 0, -600))
	for i := range f.Packages {
		f.Packages[i].LatestAt = nil
	}
	if f.Issues != nil {
		f.Issues.LastAnswer = nil
	}
	worst := 100
	for days := range 120 {
		h := Health(f, testNow.AddDate(0, 0, days))
		if h.Score == nil ||
			!slices.ContainsFunc(h.Caps,
				func(c registry.Cap) bool { return c.ID == "stale" && c.Max == 49 }) {
			t.Fatalf("after %d days the score is %v with the caps %v", days, h.Score, h.Caps)
		}
		if days <= longestWait {
			if *h.Score > worst {
				t.Fatalf("after %d days the score rose from %d to %d", days, worst, *h.Score)
			}
			worst = *h.Score
		}
	}
}

func TestStaleSilentPackageService(t *testing.T) {
	f := load(t, "healthy")
	f.Activity.LastCommitAt = ptr(testNow.AddDate(0, 0, -400))
	f.Repo.CommittedAt = f.Activity.LastCommitAt
	f.Repo.LatestReleases, f.Repo.LatestTag, f.Listing = nil, nil, nil
	f.Issues.LastAnswer = nil
	f.Packages[0].LatestAt = ptr(testNow.AddDate(0, 0, -40))
	f.Packages[0].ObservedAt = ptr(testNow.AddDate(0, 0, -30))
	for _, c := range Health(f, testNow).Caps {
		if c.ID == "stale" {
			t.Fatalf("%s: a version was published 40 days ago", c.Reason)
		}
	}
}
