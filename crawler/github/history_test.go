package github

import (
	"net/http"
	"reflect"
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

func TestHistoryFailed(t *testing.T) {
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

func TestHistoryOlderPageFailed(t *testing.T) {
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
