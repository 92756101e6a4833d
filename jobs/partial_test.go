package jobs_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/github/fakegithub"
	"mcpcensus/internal/registry"
)

// TestAVisitThatLacksTheFilesChangesNothing is about a host that answers, but
// does not give what a server is known by.
func TestAVisitThatLacksTheFilesChangesNothing(t *testing.T) {
	bad := func(path, asks string) fakegithub.Fault {
		return fakegithub.Fault{Path: path, Asks: asks, Status: http.StatusBadGateway,
			Body: "<html>Bad gateway</html>"}
	}
	for name, faults := range map[string][]fakegithub.Fault{
		"listing": {bad("/github/graphql", "query Tree"),
			bad("/github/repos/rail/trains-mcp/git/trees/", "")},
		"texts": {bad("/github/graphql", "query Blobs"),
			bad("/github/repos/rail/trains-mcp/git/blobs/", "")},
		"both, and what GraphQL says": {
			bad("/github/graphql", ""), bad("/github/repos/rail/trains-mcp/git/", ""),
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, aServer("rail/trains-mcp"))
			h.enqueue("rail/trains-mcp")
			h.refresh()
			before := h.server("rail/trains-mcp")
			h.must(h.world.Push("rail/trains-mcp",
				map[string]string{"package.json": `{"name":"trains-mcp","version":"1.3.0","license":"MIT","bin":"index.js","dependencies":{"@modelcontextprotocol/sdk":"^1.21.0"}}`, "NEWS.md": "1.3.0"}))
			h.later(20 * 24 * time.Hour)
			for _, f := range faults {
				h.world.Fail(f)
			}
			for range 9 {
				h.refresh()
				if d := cmp.Diff(before, h.server("rail/trains-mcp")); d != "" {
					t.Fatalf("what is stored changed:\n%s", d)
				}
				h.later(25 * time.Hour)
			}
			if s := h.status(); len(s.Failing) != 1 || s.Repositories["server"] != 1 {
				t.Errorf("it is not among the failing: %+v, %v", s.Failing, s.Repositories)
			}
			h.world.Heal()
			if n := h.refresh(); n != 1 {
				t.Fatalf("visited %d after the failure, want 1", n)
			}
			if w := h.work("rail/trains-mcp"); w.Attempt != 0 || w.Stored.Failures["tree"] != "" ||
				w.Stored.Failures["texts"] != "" {
				t.Errorf("after the failure: attempt %d, failures %v", w.Attempt, w.Stored.Failures)
			}
			if s := h.server("rail/trains-mcp"); s.Repo.Commit == before.Repo.Commit {
				t.Error("the push is not seen after the failure")
			}
		})
	}
}

// A listing that was never whole says nothing about what is missing from it.
func TestAPartOfTheFilesDelistsNothing(t *testing.T) {
	for part := range map[string]bool{"tree": true, "texts": true} {
		t.Run(part, func(t *testing.T) {
			h := newHouse(t, aServer("rail/trains-mcp"))
			h.enqueue("rail/trains-mcp")
			h.refresh()
			before := h.server("rail/trains-mcp")
			h.later(20 * 24 * time.Hour)
			works, err := h.db.Lease(t.Context(), "w", 1, time.Minute, h.clock.Now())
			if err != nil || len(works) != 1 {
				t.Fatal(works, err)
			}
			repo := works[0].Stored.Repo
			stars := 121
			repo.Stars, repo.ObservedAt = &stars, h.clock.Now()
			snap := &registry.Snapshot{Repo: repo,
				Failures: map[string]string{part: "1 of 9 files read"}}
			if part == "texts" {
				snap.Files, snap.Texts = works[0].Stored.Files,
					map[string]string{"README.md": "# Trains"}
			}
			in := &h.crawler("w").Ingester
			h.must(in.Ingest(t.Context(),
				registry.Visit{Work: works[0], Outcome: registry.Fetched, Snapshot: snap}))
			after := h.server("rail/trains-mcp")
			if after.SDK != before.SDK || len(after.Packages) != 1 ||
				len(after.Tools) != len(before.Tools) {
				t.Errorf("it lost what is known of it: %+v", after)
			}
			if after.Stars == nil || *after.Stars != 121 {
				t.Errorf("stars are %v", after.Stars)
			}
			if w := h.work("rail/trains-mcp"); w.State != "server" {
				t.Errorf("the repository is %s", w.State)
			}
		})
	}
}

// At first sight, too, files that do not come say nothing: neither to the
// queue nor to who asks for a check.
func TestFilesThatDoNotComeAtFirstAreAskedForSoon(t *testing.T) {
	bad := func(h *house) {
		for _, f := range []fakegithub.Fault{{Path: "/github/graphql", Asks: "query Blobs"},
			{Path: "/github/repos/rail/trains-mcp/git/blobs/"}} {
			f.Status, f.Body = http.StatusBadGateway, "<html>Bad gateway</html>"
			h.world.Fail(f)
		}
	}
	h := newHouse(t, aServer("rail/trains-mcp"))
	bad(h)
	h.enqueue("rail/trains-mcp")
	h.refresh()
	h.world.Heal()
	h.later(25 * time.Hour)
	h.refresh()
	h.server("rail/trains-mcp")

	h = newHouse(t, aServer("rail/trains-mcp"))
	bad(h)
	if r, err := h.checker().Check(t.Context(), ref("rail/trains-mcp")); !errors.Is(err,
		registry.ErrUnavailable) {
		t.Errorf("the check says %+v, %v", r, err)
	}
}
