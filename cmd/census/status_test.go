package main

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/config"
	"mcpcensus/internal/registry"
)

func TestStatus(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	before := func(d time.Duration) *time.Time { at := now.Add(-d); return &at }
	f := func(n float64) *float64 { return &n }
	s := registry.Status{
		At: now, Servers: 40, Hidden: 1, Listings: 11, Due: 3, Leased: 2, Forced: 1, Unvisited: 12,
		Packages: 70, PackagesDue: 4, DownloadsDue: 5,
		Repositories: map[string]int{"server": 30, "not_server": 3, "new": 5, "missing": 2,
			"gone": 1, "odd": 1},
		LagP50: f(40), LagP95: f(4000), AgeP50: f(7300), AgeP95: f(400000),
		Sources: []registry.SourceState{
			{Name: "official-registry", LastSuccess: before(time.Minute), Found: 0},
			{Name: "github", LastSuccess: before(3 * time.Hour), Found: 9,
				LastError: "GitHub said 502", LastErrorAt: before(time.Minute)},
			{Name: "list:x.md"},
		},
		Endpoints: map[string]int{"alive_open": 2, "": 1}, EndpointsDue: 1,
		ToolLists: map[string]int{"source": 20, "probe": 2, "": 18},
		Webhooks:  registry.WebhookStatus{Endpoints: 3, Disabled: 1, Failing: 1, Due: 5, Waiting: 2},
		Named:     map[string]int{"official-registry": 11, "github": 25},
		Budgets: []registry.Budget{
			{Upstream: "github", Resource: "core", Limit: 5000, Remaining: 4000,
				ResetAt: now.Add(30 * time.Minute), ObservedAt: *before(time.Second)},
			{Upstream: "github", Resource: "graphql", Limit: 5000, Remaining: 3,
				ResetAt: now.Add(-time.Minute), ObservedAt: *before(time.Hour)},
			{Upstream: "github", Resource: "search", Limit: 30, Remaining: 30, ResetAt: now,
				ObservedAt: now, Problem: "bad credentials"},
		},
		Jobs: []registry.JobRun{
			{Job: "discover-github", StartedAt: now, FinishedAt: before(0),
				Error: "github: GitHub said 502"},
			{Job: "rescore", StartedAt: *before(time.Hour), FinishedAt: before(time.Hour),
				Error: "the database went away"},
			{Job: "snapshot", StartedAt: *before(5 * time.Hour), FinishedAt: before(5 * time.Hour),
				Note: "40 servers"},
			{Job: "packages", StartedAt: *before(10 * time.Second)},
		},
		Failing: []registry.Failure{{Of: "repository", Error: "timed out", Count: 2,
			LastAt: *before(time.Hour), Example: "octo/slow"}},
	}
	print := func(s registry.Status, token string) string {
		t.Helper()
		up, err := newUpstreams(config.Config{GitHubToken: token}, slog.New(slog.DiscardHandler),
			nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := printStatus(&b, s, up.crawl); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if line != strings.TrimRight(line, " \n")+"\n" {
				t.Errorf("a line ends in spaces: %q", line)
			}
		}
		return strings.Join(strings.Fields(b.String()), " ")
	}
	text := print(s, "one")
	for _, want := range []string{
		"40, and 1 hidden", "42 known: 30 with servers, 3 without, 5 never visited, 2 missing, 1 gone, 1 others",
		"12 not visited yet, 7 of them from the official registry",
		"missing: not found at the last visit",
		"Endpoints 3, 1 due: 2 alive open, 1 not probed", "Tools from 2 probe, 20 source, 18 none",
		"Webhooks 3 endpoints, 1 disabled, 1 failing 5 deliveries due, 2 waiting for a retry, 0 events not dispatched yet",
		"11 entries", "3 due, 2 being visited, 1 requested manually",
		"overdue by 40 s (median), 66 min (95th percentile)",
		"visited 2 h ago (median), 4 days ago (95th percentile)",
		"official-registry read 60 s ago, nothing new 11 repositories in total",
		"github read 3 h ago, 9 new or changed 25 repositories",
		"list:x.md being read for the first time",
		"github core 4000 of 5000 left, reset in 30 min", "github graphql 5000 of 5000 left seen",
		"github search not used: bad credentials",
		"GitHub about 250 GraphQL points a day", "packages started 10 s ago and has not finished",
		"snapshot 5 h ago 40 servers",
		"source github GitHub said 502 60 s ago", "job rescore the database went away 60 min ago",
		"upstream github bad credentials",
		"2 repositories timed out such as octo/slow, 60 min ago",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
	for _, wrong := range []string{"job discover-github", "without a token", "nothing"} {
		if strings.Contains(strings.ReplaceAll(text, "nothing new", ""), wrong) {
			t.Errorf("it says %q:\n%s", wrong, text)
		}
	}
	text = print(registry.Status{At: now, Unvisited: 3000, Budgets: []registry.Budget{{
		Upstream: "git-github", Resource: "pace", Limit: 900, Remaining: 350, ObservedAt: now,
		ResetAt: now.Add(time.Hour)}}}, "")
	for _, want := range []string{
		"3000 repositories have not been read; at the present pace that takes 60 min",
		"git-github pace 350 of at most 900 requests a minute"} {
		if !strings.Contains(text, want) {
			t.Errorf("without a token it does not say %q:\n%s", want, text)
		}
	}
	text = print(registry.Status{At: now}, "")
	for _, want := range []string{"Nothing has been crawled yet", "GitHub is read without a token",
		"github no requests yet", "Failing nothing"} {
		if !strings.Contains(text, want) {
			t.Errorf("of an empty registry without a token it does not say %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "GraphQL") {
		t.Errorf("without a token it speaks of GraphQL:\n%s", text)
	}
}

func TestStatusPastProblems(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	refused := registry.Budget{Upstream: "github", Credential: "aa", Problem: "bad credentials",
		ObservedAt: now.Add(-time.Hour)}
	good := registry.Budget{Upstream: "github", Credential: "bb", Resource: "core", Limit: 5000,
		Remaining: 4000, ResetAt: now.Add(time.Minute), ObservedAt: now.Add(-time.Second)}
	of := func(b registry.Budget,
		change func(*registry.Budget)) registry.Budget {
		change(&b)
		return b
	}
	for name, c := range map[string]struct {
		budgets    []registry.Budget
		configured []string
		shown      bool
	}{
		"refused, and nothing since": {[]registry.Budget{refused}, nil, true},
		"another token works since": {[]registry.Budget{refused, good}, nil,
			false},
		"the same token works since": {[]registry.Budget{refused,
			of(good, func(b *registry.Budget) { b.Credential = "aa" })}, nil, false},
		"it worked before it was refused": {[]registry.Budget{refused,
			of(good, func(b *registry.Budget) {
				b.ObservedAt = now.Add(
					-2 * time.Hour)
			})}, nil, true},
		"two processes, one is refused": {[]registry.Budget{of(refused,
			func(b *registry.Budget) {
				b.ObservedAt = now.Add(
					-10 * time.Second)
			}), good}, nil, true},
		"refused just now, another token is set": {[]registry.Budget{of(refused,
			func(b *registry.Budget) {
				b.ObservedAt = now.Add(
					-10 * time.Second)
			}), good}, []string{"bb"}, false},
		"refused just now, and set": {[]registry.Budget{of(refused,
			func(b *registry.Budget) {
				b.ObservedAt = now.Add(
					-10 * time.Second)
			}), good}, []string{"aa", "bb"}, true},
		"another upstream works": {[]registry.Budget{refused,
			of(good, func(b *registry.Budget) { b.Upstream = "gitlab" })}, nil, true},
		"another token is refused, too, and nothing": {[]registry.Budget{refused,
			of(refused, func(b *registry.Budget) { b.Credential = "bb"; b.ObservedAt = now })}, nil,
			true},
		"told to wait, and the time is over": {[]registry.Budget{of(good,
			func(b *registry.Budget) { b.Problem = "told to wait until 2026-11-20T11:59:00Z" })},
			nil, false},
		"told to wait": {[]registry.Budget{of(good,
			func(b *registry.Budget) { b.Problem = "told to wait until 2026-11-20T12:01:00Z" })},
			nil, true},
		"away": {[]registry.Budget{of(good, func(b *registry.Budget) { b.Problem = "away: told to wait" })},
			nil, true},
		"away until its process ended": {[]registry.Budget{of(refused,
			func(b *registry.Budget) { b.Problem = "away: told to wait" })}, nil, false},
	} {
		var out strings.Builder
		s := registry.Status{At: now, Budgets: current(c.budgets, now, c.configured...)}
		if err := printStatus(&out, s, nil); err != nil {
			t.Fatal(err)
		}
		if shown := strings.Contains(out.String(), "bad credentials") ||
			strings.Contains(out.String(), "told to wait"); shown != c.shown {
			t.Errorf("%s: shown: %v\n%s", name, shown, out.String())
		}
	}
}

func TestStatusUnusedTokens(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	budget := func(credential, resource string, age time.Duration) registry.Budget {
		return registry.Budget{Upstream: "github", Credential: credential, Resource: resource,
			Limit: 5000, Remaining: 5000, ObservedAt: now.Add(-age)}
	}
	got := current([]registry.Budget{budget("aa", "core", 48*time.Hour),
		budget("bb", "core", time.Hour), budget("bb", "search", 72*time.Hour)}, now)
	if len(got) != 2 || got[0].Credential != "bb" || got[1].Credential != "bb" {
		t.Errorf("got %+v", got)
	}
	if got := current([]registry.Budget{budget("aa", "core", 480*time.Hour)}, now); len(got) != 1 {
		t.Errorf("the only one there was is gone: %+v", got)
	}
}
