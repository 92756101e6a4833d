package github

import (
	"errors"
	"strings"
	"testing"
	"time"

	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

func TestDailyUse(t *testing.T) {
	points := dailyUse(0)
	if points > 1000 {
		t.Errorf("of nothing: %d points", points)
	}
	for _, n := range []int{1_000, 20_000, 100_000, 1_000_000} {
		p := dailyUse(n)
		if p <= points {
			t.Errorf("%d repositories: %d points, fewer need %d", n, p, points)
		}
		points = p
	}
	// One token can handle 100,000 many times over.
	if p := dailyUse(100_000); p > 5000*24/50 {
		t.Errorf("100,000 repositories: %d points", p)
	}
}

func TestCapacity(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		token    string
		known    int
		points   int    // hourly limit of the token, 0: not observed
		use, err string // that they contain
	}{
		"nothing known":      {"one", 0, 0, "250 GraphQL points a day", ""},
		"limit not observed": {"one", 1_000_000, 0, "GraphQL points", ""},
		"not observed, too many": {"one", 50_000_000, 0, "GraphQL points",
			"GraphQL points a day, but GITHUB_TOKEN allows 120000"},
		"observed, too few": {"one", 1_000, 10, "GraphQL points",
			"GraphQL points a day, but GITHUB_TOKEN allows 240"},
		"no token": {"", 5_000_000, 0, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := New(Options{Token: c.token, Now: func() time.Time { return now }})
			if err != nil {
				t.Fatal(err)
			}
			observed := func(token, resource string, limit int) registry.Budget {
				return registry.Budget{Upstream: registry.GitHub, Credential: transport.CredentialOf(token),
					Resource: resource, Limit: limit, ObservedAt: now.Add(-2 * time.Hour), ResetAt: now.Add(-time.Hour)}
			}
			use, err := g.Capacity(c.known, []registry.Budget{
				observed("one", graphqlLimit, c.points), observed("one", coreLimit, 1), observed("one", searchLimit, 30),
				observed("other", graphqlLimit, 1), observed("other", coreLimit, 1),
				{Upstream: "elsewhere", Credential: transport.CredentialOf("one"), Resource: coreLimit, Limit: 1},
			})
			if (use == "") != (c.use == "") || !strings.Contains(use, c.use) {
				t.Errorf("use %q, want %q", use, c.use)
			}
			if (err == nil) != (c.err == "") || err != nil &&
				(!errors.Is(err, registry.ErrInvalid) || !strings.Contains(err.Error(), c.err)) {
				t.Errorf("error %v, want %q", err, c.err)
			}
		})
	}
}
