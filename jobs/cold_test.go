package jobs

import (
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

// A repository in which nothing happens is visited as seldom as it gets. What
// its last visit saw must stand until the next one, or its score would rise
// and fall with the visits.
func TestScoreOfAQuietRepositoryHoldsUntilItsNextVisit(t *testing.T) {
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
			t.Fatalf("after %v the score is %d with a coverage of %v and the caps %v; it was %d with %v", wait, *after.Score, after.Coverage, after.Caps, *before.Score, before.Coverage)
		}
	}
}
