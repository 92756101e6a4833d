package github

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

// TestReplayVisitCost counts what one full freshness pass costs: all known
// repositories are probed, and the 4 % that changed are read whole. 100,000 of
// them may cost 6,000 points and one REST request per changed repository. The
// test takes a world of CENSUS_COST_REPOS repositories (50 by default), with their
// source if CENSUS_MIRROR is the folder of mirrors, and allows in proportion.
func TestReplayVisitCost(t *testing.T) {
	want := 50
	if s := os.Getenv("CENSUS_COST_REPOS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		want = n
	}
	multiply := want/60 + 1
	args := []string{
		"--multiply", fmt.Sprint(multiply), "--core-limit", "1000000", "--graphql-limit", "1000000",
		"--rest-points", "1000000", "--graphql-points", "1000000",
	}
	if dir := os.Getenv("CENSUS_MIRROR"); dir != "" { // has the texts of source files
		args = append(args, "--mirror", dir)
	}
	r := startReplay(t, args...)
	g := r.github(t, func(o *Options) { o.RESTPerMinute, o.GraphQLPerMinute = 1e6, 1e6 })
	names := r.names()
	names = names[:min(len(names), want*4/3)]

	start := time.Now()
	var known []registry.Work
	for v := range g.Visit(t.Context(), newWorks(t, names)) {
		if v.Outcome != registry.Fetched {
			t.Fatalf("%s: %s: %v", v.Work.Ref, v.Outcome, v.Err)
		}
		// Where the stand-in lacks a text, the repository is read again every time.
		if len(known) < want && v.Snapshot.Failures["texts"] == "" {
			known = append(known, next(v, time.Now()))
		}
	}
	if len(known) != want {
		t.Fatalf("%d of %d repositories are recorded whole", len(known), want)
	}
	points, core := r.spent()
	t.Logf("first crawl of %d: %d points, %d REST, %s", len(known), points, core, time.Since(start).Round(time.Second))

	changed := 0
	for i, w := range known {
		if i%25 == 7 && !w.Stored.Repo.Empty {
			r.post("repo", map[string]any{"full_name": w.Stored.Repo.FullName(), "set": map[string]any{"files": map[string]any{"notes.txt": fmt.Sprint("change ", i)}}})
			changed++
		}
	}
	r.post("reset", map[string]any{})
	g = r.github(t, func(o *Options) { o.RESTPerMinute, o.GraphQLPerMinute = 1e6, 1e6 }) // a slow machine has made batches small
	start = time.Now()
	fetched, seen := 0, 0
	const lease = 2000 // at once, as a worker would
	for from := 0; from < len(known); from += lease {
		for v := range g.Visit(t.Context(), known[from:min(len(known), from+lease)]) {
			seen++
			switch v.Outcome {
			case registry.Fetched:
				fetched++
			case registry.Unchanged:
			default:
				t.Errorf("%s: %s: %v", v.Work.Ref, v.Outcome, v.Err)
			}
		}
	}
	points, core = r.spent()
	allowed := max(4, (6000*want+99_999)/100_000) // of each kind of query at least one
	t.Logf("pass over %d, %d changed: %d points (allowed %d), %d REST (allowed %d), %s", seen, changed, points, allowed, core, changed, time.Since(start).Round(time.Second))
	if seen != len(known) || fetched != changed {
		t.Errorf("seen %d of %d, read %d of %d changed", seen, len(known), fetched, changed)
	}
	if points > allowed {
		t.Errorf("the pass cost %d points, %d are allowed", points, allowed)
	}
	if core > changed {
		t.Errorf("the pass cost %d REST requests for %d changed repositories", core, changed)
	}
	stats, _ := json.Marshal(r.stats()["requests"])
	t.Logf("%s", stats)
	if late := r.stats()["asked_while_limited"]; late != 0.0 {
		t.Errorf("asked %v times while told to wait", late)
	}
}

// spent returns the GraphQL points and REST requests that were paid since the
// last reset.
func (r *replay) spent() (points, core int) {
	var s struct {
		Spent map[string]int `json:"points_spent"`
	}
	r.get("stats", &s)
	return s.Spent["graphql"], s.Spent["core"]
}

// TestVisitCost counts the queries of a pass over 10,000
// known repositories of which 4 % changed, in leases of 1,000. Each query of
// the kinds that it sends costs one point, as the test against the stand-in
// shows for smaller numbers.
func TestVisitCost(t *testing.T) {
	const all, lease = 10_000, 1000
	isChanged := func(n int) bool { return n%25 == 7 }
	f := newFake(t, func(w http.ResponseWriter, q gqlRequest) {
		honest(w, q, func(n int, repo map[string]any) map[string]any {
			if isChanged(n) {
				target := repo["defaultBranchRef"].(map[string]any)["target"].(map[string]any)
				target["oid"], target["tree"] = oid(n+1_000_000), map[string]any{"oid": oid(n + 2_000_000)}
			}
			return repo
		})
	})
	f.anyREST = func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"sha":"%s","tree":[{"path":"README.md","type":"blob","mode":"100644","size":5,"sha":"%s"},{"path":"package.json","type":"blob","mode":"100644","size":5,"sha":"%s"}]}`, oid(1), oid(2), oid(3))
	}
	g := f.github(t, func(o *Options) { o.GraphQLPerMinute, o.RESTPerMinute = 1e6, 1e6 })
	works := known(all, false)
	outcomes := map[registry.Outcome]int{}
	for from := 0; from < all; from += lease {
		for v := range g.Visit(t.Context(), works[from:from+lease]) {
			outcomes[v.Outcome]++
			if (v.Outcome == registry.Fetched) != isChanged(int(v.Work.ID)) {
				t.Fatalf("%d: %s, %v", v.Work.ID, v.Outcome, v.Err)
			}
		}
	}
	changed := outcomes[registry.Fetched]
	points, rest := f.count("POST"), f.count("GET")
	t.Logf("%v: %d points (%d probes, %d full, %d blobs), %d REST", outcomes, points, f.count("POST Probe"), f.count("POST Full"), f.count("POST Blobs"), rest)
	if changed != all/25 || outcomes[registry.Unchanged] != all-changed {
		t.Errorf("outcomes %v", outcomes)
	}
	if allowed := 6000 * all / 100_000; points > allowed {
		t.Errorf("%d points, %d are allowed", points, allowed)
	}
	if rest > changed {
		t.Errorf("%d REST requests for %d changed repositories", rest, changed)
	}
}
