package github

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

// TestReplayWorldChanges changes recorded repositories between two visits.
func TestReplayWorldChanges(t *testing.T) {
	r := startReplay(t)
	g := r.github(t, nil)
	names := r.names()[:12]
	var works []registry.Work
	for v := range g.Visit(t.Context(), newWorks(t, names)) {
		if v.Outcome != registry.Fetched {
			t.Fatalf("%s: %s: %v", v.Work.Ref, v.Outcome, v.Err)
		}
		works = append(works, next(v, time.Now()))
	}
	full := func(i int) string { return works[i].Stored.Repo.FullName() }
	set := func(i int, what map[string]any) {
		r.post("repo", map[string]any{"full_name": full(i), "set": what})
	}
	renamed := full(0)
	set(0, map[string]any{"renamed_to": "someone/else"})
	set(1, map[string]any{"gone": true})
	set(2, map[string]any{"private": true})
	set(3, map[string]any{"dmca": true})
	set(4, map[string]any{"tos": true})
	set(5, map[string]any{"saml": true})
	set(6, map[string]any{"ip_allow_list": true})
	set(7, map[string]any{"archived": true})
	set(8, map[string]any{"huge_history": true, "files": map[string]any{"x.txt": "1"}})
	set(9, map[string]any{"stars": 424242})
	set(10, map[string]any{"empty": true})
	got := visitAll(t, g, works)
	want := []registry.Outcome{registry.Fetched, registry.Missing, registry.Missing, registry.Blocked, registry.Blocked, registry.Unchanged, registry.Unchanged, registry.Fetched, registry.Fetched, registry.Unchanged, registry.Fetched, registry.Unchanged}
	for i, w := range works {
		if v := got[w.ID]; v.Outcome != want[i] {
			t.Errorf("%d %s: %s, want %s: %v", i, full(i), v.Outcome, want[i], v.Err)
		}
	}
	if t.Failed() {
		return
	}
	snap := func(i int) *registry.Snapshot { return got[works[i].ID].Snapshot }
	if snap(0).Repo.FullName() != "someone/else" || snap(0).Repo.ID != works[0].HostID || !snap(0).TextsKept {
		t.Errorf("renamed from %s: %+v", renamed, snap(0).Repo.FullName())
	}
	if got[works[3].ID].Blocked != "dmca" || got[works[4].ID].Blocked != "tos" {
		t.Errorf("blocked as %q and %q", got[works[3].ID].Blocked, got[works[4].ID].Blocked)
	}
	// Those that our token may not see are read without it: the same as before.
	if snap(5).Repo.ID != works[5].HostID || snap(6).Repo.ID != works[6].HostID {
		t.Error("hidden ones were mixed up")
	}
	if !snap(7).Repo.Archived || *snap(9).Repo.Stars != 424242 || !snap(10).Repo.Empty {
		t.Error("changes were not seen")
	}
	if snap(8).TextsKept || snap(8).Repo.Contributors == nil {
		t.Errorf("a push: texts kept %v, contributors %v", snap(8).TextsKept, snap(8).Repo.Contributors)
	}
	stray := r.stats()["stray_tokens"]
	if stray != 0.0 {
		t.Errorf("%v stray tokens", stray)
	}
}

func TestReplayFolderHistoryStaysUnknownWithItsReason(t *testing.T) {
	r := startReplay(t)
	g := r.github(t, nil)
	v := g.Resolve(t.Context(), registry.RepoRef{Host: registry.GitHub, Owner: "awslabs", Name: "mcp"}, nil)
	if v.Outcome != registry.Fetched {
		t.Skipf("SKIPPED: the recorded repositories do not hold awslabs/mcp: %v", v.Err)
	}
	found, failures, err := g.PathActivity(t.Context(), v.Snapshot.Repo, []string{"src/a", "src/b"})
	if err != nil || len(found) != 0 || !strings.Contains(failures["src/a"], "path") || failures["src/b"] == "" {
		t.Errorf("%v, %v, %v", found, failures, err)
	}
}

func TestFolderHistory(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, q gqlRequest) {
		if q.operation() == "Older" {
			fmt.Fprint(w, `{"data":{"node":{"r0":null}}}`)
			return
		}
		if q.Variables["p0"] != "src/git" || q.Variables["p1"] != "src/none" || strings.Contains(q.Query, "src/git") {
			t.Errorf("asked %s with %v", q.Query, q.Variables)
		}
		at := time.Now().Add(-24 * time.Hour).UTC().Format(time.RFC3339)
		fmt.Fprintf(w, `{"data":{"node":{"r0":{"history":{"totalCount":1,"pageInfo":{"hasNextPage":false},"nodes":[{"oid":"%s","committedDate":"%s","author":{"name":"Ann"}}]}},"r1":null}},"errors":[{"path":["node","r1","history"],"message":"too slow"}]}`, oid(5), at)
	})
	repo := known(1, false)[0].Stored.Repo
	found, failures, err := f.github(t, nil).PathActivity(t.Context(), repo, []string{"src/git", "src/none"})
	if err != nil || found["src/git"].LastCommit != oid(5) || *found["src/git"].Humans != 1 || !strings.Contains(failures["src/none"], "too slow") {
		t.Errorf("%v, %v, %v", found, failures, err)
	}
}
