package main

import (
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

func TestStatusSaysWhatIsDoneAndWhatIsFailingAndWhy(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	before := func(d time.Duration) *time.Time { at := now.Add(-d); return &at }
	f := func(n float64) *float64 { return &n }
	s := registry.Status{
		At: now, Servers: 40, Hidden: 1, Listings: 11, Due: 3, Leased: 2, Forced: 1, Unvisited: 12, Packages: 70, PackagesDue: 4, DownloadsDue: 5,
		Repositories: map[string]int{"server": 30, "not_server": 3, "new": 5, "missing": 2, "gone": 1, "odd": 1},
		LagP50:       f(40), LagP95: f(4000), AgeP50: f(7300), AgeP95: f(400000),
		Sources: []registry.SourceState{
			{Name: "official-registry", LastSuccess: before(time.Minute), Found: 0},
			{Name: "github", LastSuccess: before(3 * time.Hour), Found: 9, LastError: "GitHub said 502", LastErrorAt: before(time.Minute)},
			{Name: "list:x.md"},
		},
		Named: map[string]int{"official-registry": 11, "github": 25},
		Budgets: []registry.Budget{
			{Upstream: "github", Resource: "core", Limit: 5000, Remaining: 4000, ResetAt: now.Add(30 * time.Minute), ObservedAt: *before(time.Second)},
			{Upstream: "github", Resource: "graphql", Limit: 5000, Remaining: 3, ResetAt: now.Add(-time.Minute), ObservedAt: *before(time.Hour)},
			{Upstream: "github", Resource: "search", Limit: 30, Remaining: 30, ResetAt: now, ObservedAt: now, Problem: "bad credentials"},
		},
		Jobs: []registry.JobRun{
			{Job: "discover-github", StartedAt: now, FinishedAt: before(0), Error: "github: GitHub said 502"},
			{Job: "rescore", StartedAt: *before(time.Hour), FinishedAt: before(time.Hour), Error: "the database went away"},
			{Job: "snapshot", StartedAt: *before(5 * time.Hour), FinishedAt: before(5 * time.Hour), Note: "40 servers"},
			{Job: "packages", StartedAt: *before(10 * time.Second)},
		},
		Failing: []registry.Failure{{Of: "repository", Error: "timed out", Count: 2, LastAt: *before(time.Hour), Example: "octo/slow"}},
	}
	print := func(s registry.Status, token bool) string {
		t.Helper()
		var b strings.Builder
		if err := printStatus(&b, s, token); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if line != strings.TrimRight(line, " \n")+"\n" {
				t.Errorf("a line ends in spaces: %q", line)
			}
		}
		return strings.Join(strings.Fields(b.String()), " ")
	}
	text := print(s, true)
	for _, want := range []string{
		"40, and 1 hidden", "42 known: 30 hold servers, 3 hold none, 5 never visited, 2 missing, 1 gone, 1 others",
		"12 wait for their first visit; the official registry says what is known of 7 of them", "missing: not found at the last visit",
		"11 entries", "3 due, 2 being visited, 1 asked for by hand", "more than 40 s, one in twenty for more than 66 min", "in the last 2 h, 95 % in the last 4 days",
		"official-registry read 60 s ago, nothing new then 11 repositories named in all", "github read 3 h ago, 9 new or changed then 25 repositories", "list:x.md being read for the first time",
		"github core 4000 of 5000 left, all of them in 30 min", "github graphql 5000 of 5000 left seen", "github search not used: bad credentials",
		"GraphQL points and", "packages began 10 s ago and has not ended", "snapshot 5 h ago 40 servers",
		"source github GitHub said 502 60 s ago", "job rescore the database went away 60 min ago", "token for github bad credentials",
		"2 repositories timed out such as octo/slow, 60 min ago",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
	for _, wrong := range []string{"job discover-github", "no GITHUB_TOKEN", "nothing"} {
		if strings.Contains(strings.ReplaceAll(text, "nothing new then", ""), wrong) {
			t.Errorf("it says %q:\n%s", wrong, text)
		}
	}
	text = print(registry.Status{At: now}, false)
	for _, want := range []string{"Nothing has been read yet", "no GITHUB_TOKEN", "github not asked yet", "Failing nothing"} {
		if !strings.Contains(text, want) {
			t.Errorf("of an empty registry without a token it does not say %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "GraphQL") {
		t.Errorf("without a token it speaks of GraphQL:\n%s", text)
	}
}
