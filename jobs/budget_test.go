package jobs_test

import (
	"errors"
	"strings"
	"testing"

	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
)

func TestDailyNeedGrowsWithTheRegistry(t *testing.T) {
	last := jobs.DailyNeed(0)
	if last.Requests != 0 || last.Points > 1000 {
		t.Errorf("of nothing: %s", last)
	}
	for _, n := range []int{1_000, 20_000, 100_000, 1_000_000} {
		need := jobs.DailyNeed(n)
		if need.Points <= last.Points || need.Requests <= last.Requests {
			t.Errorf("%d repositories need %s, fewer need %s", n, need, last)
		}
		last = need
	}
	// 100,000 fit into one token's day many times over.
	if need := jobs.DailyNeed(100_000); need.Points > 5000*24/20 || need.Requests > 5000*24/10 {
		t.Errorf("100,000 need %s", need)
	}
}

func TestBudgetThatIsTooSmallIsRefusedWithWords(t *testing.T) {
	for _, test := range []struct {
		known, points, requests int
		says                    string // "" if it fits
	}{
		{0, 5000, 5000, ""},
		{100_000, 5000, 5000, ""},
		{1_000_000, 5000, 5000, ""},
		{5_000_000, 5000, 50_000, "GraphQL points"},
		{5_000_000, 500_000, 5000, "REST requests"},
		{1_000, 10, 5000, "GraphQL points"},
	} {
		err := jobs.CheckBudget(test.known, test.points, test.requests)
		switch {
		case test.says == "" && err != nil:
			t.Errorf("%d with %d points and %d requests: %v", test.known, test.points,
				test.requests, err)
		case test.says != "" && (!errors.Is(err, registry.ErrInvalid) ||
			!strings.Contains(err.Error(), test.says) ||
			!strings.Contains(err.Error(), "GITHUB_TOKEN")):
			t.Errorf("%d with %d points and %d requests: got %v, want a refusal about %s",
				test.known, test.points, test.requests, err, test.says)
		}
	}
}
