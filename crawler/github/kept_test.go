package github

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

// knownWell is a repository of which everything was read three days ago.
func knownWell() registry.Work {
	w := known(1, true)[0]
	then := time.Now().UTC().Add(-72 * time.Hour).Truncate(time.Second)
	humans, open := 4, 3
	w.Stored.Activity = map[string]registry.Activity{"": {LastCommitAt: &then, LastCommit: oid(1), ActiveDays: []string{"2026-10-01"}, Humans: &humans, ObservedAt: then, CountedAt: &then}}
	w.Stored.Issues = &registry.IssueActivity{Opened: 9, Answered: 8, ObservedAt: then}
	w.Stored.Files = []registry.File{{Path: "README.md", Size: 5, OID: oid(2), Mode: "100644"}, {Path: "package.json", Size: 2, OID: oid(3), Mode: "100644"}}
	w.Stored.Repo.Languages = []registry.LanguageShare{{Name: "Go", Bytes: 10}}
	w.Stored.Repo.OpenIssues = &open
	return w
}

func restTree(files []registry.File) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var entries []string
		for _, f := range files {
			entries = append(entries, fmt.Sprintf(`{"path":%q,"type":"blob","mode":%q,"size":%d,"sha":%q}`, f.Path, f.Mode, f.Size, f.OID))
		}
		fmt.Fprintf(w, `{"sha":"%s","tree":[%s]}`, oid(77), strings.Join(entries, ","))
	}
}

func TestCommitsThatDoNotComeLeaveTheStoredOnes(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, q gqlRequest) {
		honest(w, q, func(n int, repo map[string]any) map[string]any {
			repo["defaultBranchRef"].(map[string]any)["target"].(map[string]any)["history"] = nil
			return repo
		})
	})
	work := knownWell()
	v := visitAll(t, f.github(t, nil), []registry.Work{work})[1]
	if v.Outcome != registry.Fetched || v.Snapshot.Failures["activity"] == "" {
		t.Fatalf("%s, %v", v.Outcome, v.Err)
	}
	if !reflect.DeepEqual(v.Snapshot.Activity, work.Stored.Activity) {
		t.Errorf("got %+v", v.Snapshot.Activity)
	}
}

func TestOlderCommitsThatDoNotComeLeaveTheStoredOnes(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, q gqlRequest) {
		if q.operation() == "History" {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		honest(w, q, func(n int, repo map[string]any) map[string]any {
			target := repo["defaultBranchRef"].(map[string]any)["target"].(map[string]any)
			at := time.Now().UTC().Add(-time.Hour).Format(time.RFC3339)
			target["history"] = map[string]any{"totalCount": 400, "pageInfo": map[string]any{"hasNextPage": true, "endCursor": "c"}, "nodes": []any{map[string]any{"oid": oid(9), "committedDate": at, "author": map[string]any{"name": "A"}}}}
			return repo
		})
	})
	work := knownWell()
	v := visitAll(t, f.github(t, nil), []registry.Work{work})[1]
	if v.Outcome != registry.Fetched || v.Snapshot.Failures["activity"] == "" || !reflect.DeepEqual(v.Snapshot.Activity, work.Stored.Activity) {
		t.Errorf("%s, %v: got %+v", v.Outcome, v.Snapshot.Failures, v.Snapshot.Activity)
	}
}

func TestRESTDoesNotReplaceWhatIsKnownOfTheSameFiles(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, q gqlRequest) { w.WriteHeader(http.StatusBadGateway) })
	work := knownWell()
	f.restRepo(1, 200, restBody(1))
	f.rest["/repos/o/r1/git/trees/HEAD"] = restTree(work.Stored.Files)
	v := visitAll(t, f.github(t, nil), []registry.Work{work})[1]
	if v.Outcome != registry.Fetched {
		t.Fatalf("%s, %v", v.Outcome, v.Err)
	}
	s, was := v.Snapshot, work.Stored
	if !reflect.DeepEqual(s.Activity, was.Activity) || !reflect.DeepEqual(s.Issues, was.Issues) || s.Failures["activity"] == "" || s.Failures["issues"] == "" {
		t.Errorf("activity %+v, issues %+v, failures %v", s.Activity, s.Issues, s.Failures)
	}
	if !s.TextsKept || s.Failures["texts"] != "" || s.Repo.Commit != was.Repo.Commit || s.Repo.TreeID != was.Repo.TreeID || s.Repo.CommittedAt == nil {
		t.Errorf("texts kept %v, %v, commit %q", s.TextsKept, s.Failures, s.Repo.Commit)
	}
	if len(s.Repo.Languages) != 1 || s.Repo.OpenIssues == nil || *s.Repo.Stars != 7 {
		t.Errorf("got %+v", s.Repo)
	}
}

func TestRESTReadsOnlyWhatChanged(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, q gqlRequest) { w.WriteHeader(http.StatusBadGateway) })
	work := knownWell()
	f.restRepo(1, 200, restBody(1))
	files := append([]registry.File(nil), work.Stored.Files...)
	files[1].OID = oid(4)
	f.rest["/repos/o/r1/git/trees/HEAD"] = restTree(files)
	f.rest["/repos/o/r1/git/blobs/"+oid(4)] = func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `{"name":"x"}`) }
	g := f.github(t, nil)
	g.Texts = func(_ context.Context, id int64) (map[string]string, error) {
		return map[string]string{"README.md": "hello", "package.json": "{}"}, nil
	}
	v := visitAll(t, g, []registry.Work{work})[1]
	if v.Outcome != registry.Fetched {
		t.Fatalf("%s, %v", v.Outcome, v.Err)
	}
	if s := v.Snapshot; s.TextsKept || s.Texts["README.md"] != "hello" || s.Texts["package.json"] != `{"name":"x"}` || s.Failures["texts"] != "" || s.Repo.Commit != "" {
		t.Errorf("got %+v", s)
	}
	if n := f.count("GET /repos/o/r1/git/blobs/"); n != 1 {
		t.Errorf("%d files asked for", n)
	}
}

// What was not read at the last visit is read at the next, whether or not
// there was a push.
func TestWhatFailedIsReadAtTheNextVisit(t *testing.T) {
	for part, whole := range map[string]bool{"tree": true, "texts": true, "activity": true, "activity of src/git": true, "contributors": false, "issues": false} {
		f := newFake(t, func(w http.ResponseWriter, q gqlRequest) { honest(w, q, nil) })
		f.anyREST = func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, `{"sha":"%s","tree":[]}`, oid(1)) }
		work := known(1, false)[0]
		work.Stored.Failures = map[string]string{part: "status 502"}
		v := visitAll(t, f.github(t, nil), []registry.Work{work})[1]
		if (v.Outcome == registry.Fetched) != whole {
			t.Errorf("%s: %s", part, v.Outcome)
		}
	}
}

// What GitHub does not give for three days is not waited for any longer.
func TestFilesThatNeverComeAreNotWaitedForForever(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, q gqlRequest) {
		if q.operation() == "Tree" {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		honest(w, q, nil)
	})
	for attempt, want := range map[int]registry.Outcome{0: registry.Failed, partTries - 1: registry.Failed, partTries: registry.Fetched} {
		work := knownWell()
		work.Attempt, work.Stored.Repo.TreeID = attempt, "another"
		v := visitAll(t, f.github(t, nil), []registry.Work{work})[1]
		if v.Outcome != want || want == registry.Fetched && v.Snapshot.Failures["tree"] == "" {
			t.Errorf("after %d tries: %s, %v", attempt, v.Outcome, v.Err)
		}
	}
}
