package jobs

import (
	"math"
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

const day = 24 * time.Hour

func TestUntilNext(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name     string
		archived bool
		server   bool
		interval float64 // days
		quiet    time.Duration
		want     time.Duration
	}{
		{"changes all the time", false, true, 0.1, 0, soonest},
		{"changes every four days", false, true, 4, day, 2 * day},
		{"has been quiet for longer than usual", false, true, 4, 20 * day, 10 * day},
		{"changes never", false, true, 300, 300 * day, latest},
		{"is archived", true, true, 10, 10 * day, 10 * day},
		{"is archived and quiet", true, true, 300, 300 * day, latestQuiet},
		{"holds no server", false, false, 4, day, 4 * day},
		{"holds no server and is quiet", false, false, 300, 300 * day, latestQuiet},
		{"is new", false, true, 0, 0, soonest},
	} {
		var sum time.Duration
		const n = 2000
		for range n {
			got := untilNext(&registry.Repository{Archived: test.archived}, test.server,
				test.interval, now.Add(-test.quiet), now)
			if f := float64(got) / float64(test.want); f < 0.85 || f > 1.15 {
				t.Fatalf("one that %s: %s, want %s ± 15 %%", test.name, got, test.want)
			}
			if got > latestQuiet || got > latest && !test.archived && test.server {
				t.Fatalf("one that %s: %s is too long", test.name, got)
			}
			sum += got
		}
		average := 1.0
		if test.want == latest || test.want == latestQuiet {
			average = 0.925 // those that would be later are earlier
		}
		if f := float64(sum) / n / float64(test.want); math.Abs(f-average) > 0.03 {
			t.Errorf("one that %s: %.2f of what is wanted on average", test.name, f)
		}
	}
}

func TestSmoothed(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) *time.Time { at := now.Add(-d); return &at }
	stored := func(commit string) *registry.Snapshot {
		return &registry.Snapshot{Repo: registry.Repository{Commit: commit}}
	}
	fetched := &registry.Snapshot{Repo: registry.Repository{Commit: "new",
		PushedAt: now.Add(-2 * day)}}
	for _, test := range []struct {
		name string
		work registry.Work
		want float64
	}{
		{"the first visit", registry.Work{}, 2},
		{"a change after ten days",
			registry.Work{Stored: stored("old"), Interval: 4, ChangedAt: at(10 * day)}, 0.7*4 +
				0.3*10},
		{"no change", registry.Work{Stored: stored("new"), Interval: 4, ChangedAt: at(10 * day)},
			4},
		{"a change at once", registry.Work{Stored: stored("old"), Interval: 0,
			ChangedAt: at(time.Minute)}, 0.25},
	} {
		if got := smoothed(test.work, fetched, now); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestLastChange(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	commit := now.Add(-30 * day)
	snap := &registry.Snapshot{Repo: registry.Repository{Commit: "c", PushedAt: now.Add(-day),
		CommittedAt: &commit}}
	if got := lastChange(registry.Work{}, snap); !got.Equal(commit) {
		t.Errorf("got %s", got)
	}
	seen := now.Add(-5 * day)
	w := registry.Work{Stored: snap, ChangedAt: &seen}
	if got := lastChange(w, snap); !got.Equal(seen) {
		t.Errorf("got %s, want when it was seen to change", got)
	}
}

func TestBackoff(t *testing.T) {
	for n, want := range []time.Duration{10 * time.Minute, 20 * time.Minute, 40 * time.Minute,
		80 * time.Minute} {
		if got := backoff(n); got != want {
			t.Errorf("after %d: %s, want %s", n, got, want)
		}
	}
	for _, n := range []int{8, 63, 1000} {
		if got := backoff(n); got <= 0 || got > day {
			t.Errorf("after %d: %s", n, got)
		}
	}
}

// A repository without activity is visited as rarely as possible. The facts of its last visit
// must count until the next one, or its score would rise and fall with the visits.
func TestScoreUntilNextVisit(t *testing.T) {
	visited := time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC)
	last := visited.AddDate(0, 0, -600)
	whole := visited.Add(-latestQuiet + time.Hour) // not read whole since: nothing has moved
	no := false
	f := registry.Facts{
		Repo: registry.Repository{
			Host: registry.GitHub, ID: 7, Owner: "octo", Name: "weather-mcp", Commit: "abc",
			License: "MIT", LicenseKnown: true, SecurityPolicy: &no,
			CheckStateKnown: true, CreatedAt: last.AddDate(-1, 0,
				0), CommittedAt: &last, ObservedAt: visited,
		},
		Detection: registry.Detection{IsServer: true, SDK: "python", LicenseFile: true,
			Manifests:     []string{"pyproject.toml"},
			SourceInstall: "uvx --from git+https://github.com/octo/weather-mcp weather-mcp"},
		Tree: &registry.TreeFacts{TestFiles: 3, ObservedAt: whole},
		Readme: &registry.ReadmeFacts{Path: "README.md", Characters: 2000,
			ClientConfig: "json", ToolHeading: true, ToolEntries: 3, ObservedAt: whole},
		Activity: &registry.Activity{LastCommitAt: &last, ObservedAt: whole},
		Issues:   &registry.IssueActivity{Opened: 9, Answered: 1, ObservedAt: whole},
		Listing: &registry.Listing{Name: "io.github.octo/weather-mcp", Status: "active",
			PublishedAt: &last, ObservedAt: last},
		ListingKnown: true,
	}
	before := Score(f, visited).Server.Health
	if before.Score == nil || len(before.Caps) == 0 || before.Caps[0].ID != "stale" {
		t.Fatalf("score %v with the caps %v, want a stale server", before.Score, before.Caps)
	}
	for wait := 24 * time.Hour; wait <= latestQuiet+24*time.Hour; wait += 24 * time.Hour {
		after := Score(f, visited.Add(wait)).Server.Health
		if *after.Score > *before.Score || after.Coverage != before.Coverage ||
			len(after.Caps) == 0 || after.Caps[0].ID != "stale" {
			t.Fatalf("after %v the score is %d with a coverage of %v and the caps %v; it was %d with %v",
				wait, *after.Score, after.Coverage, after.Caps, *before.Score, before.Coverage)
		}
	}
}
