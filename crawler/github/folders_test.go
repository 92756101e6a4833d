package github

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

func TestPathActivityFirstCommit(t *testing.T) {
	today := time.Now()
	at := func(days int) string {
		return today.Add(-time.Duration(days) * 24 * time.Hour).UTC().Format(time.RFC3339)
	}
	commits := func(more bool, days ...int) string {
		var nodes []string
		for _, d := range days {
			nodes = append(nodes, fmt.Sprintf(`{"oid":"%s","committedDate":"%s","author":{"name":"Ann"}}`, oid(d), at(d)))
		}
		return fmt.Sprintf(`{"history":{"totalCount":%d,"pageInfo":{"hasNextPage":%v,"endCursor":"c"},"nodes":[%s]}}`, len(days), more, strings.Join(nodes, ","))
	}
	history := map[string]string{"new": commits(false, 3, 20), "old": commits(false, 3, 20), "long": commits(true, 3, 20), "calm": commits(false, 200)}
	for _, broken := range []bool{false, true} {
		f := newFake(t, func(w http.ResponseWriter, q gqlRequest) {
			var parts []string
			for i := 0; ; i++ {
				p, ok := q.Variables[fmt.Sprintf("p%d", i)].(string)
				if !ok {
					break
				}
				respond := history[p]
				if q.operation() == "Older" {
					if p == "long" || p == "calm" {
						t.Errorf("requested older commits of %s", p)
					}
					respond = map[string]string{"new": `{"history":{"nodes":[]}}`, "old": `{"history":{"nodes":[{"oid":"1"}]}}`}[p]
				}
				parts = append(parts, fmt.Sprintf(`"r%d":%s`, i, respond))
			}
			if broken && q.operation() == "Older" {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			fmt.Fprintf(w, `{"data":{"node":{%s}}}`, strings.Join(parts, ","))
		})
		repo := known(1, false)[0].Stored.Repo
		found, failures, err := f.github(t, nil).PathActivity(t.Context(), repo, []string{"calm", "long", "new", "old"})
		if err != nil || len(failures) != 0 || len(found) != 4 {
			t.Fatalf("%v, %v, %v", found, failures, err)
		}
		if n := f.count("POST Older"); n != 1 {
			t.Errorf("%d requests for older commits", n)
		}
		for p, a := range found {
			known := p == "new" && !broken
			if (a.FirstCommitAt != nil) != known || known && a.FirstCommitAt.Format(time.RFC3339) != at(20) {
				t.Errorf("broken %v: the first commit of %s is of %v", broken, p, a.FirstCommitAt)
			}
			if a.LastCommitAt == nil {
				t.Errorf("%s has no last commit", p)
			}
		}
	}
}

func TestReplayPathActivity(t *testing.T) {
	r := startReplay(t)
	g := r.github(t, nil)
	v := g.Resolve(t.Context(), registry.RepoRef{Host: registry.GitHub, Owner: "awslabs", Name: "mcp"}, nil)
	if v.Outcome != registry.Fetched {
		t.Skipf("SKIPPED: the recorded repositories do not contain awslabs/mcp: %v", v.Err)
	}
	found, failures, err := g.PathActivity(t.Context(), v.Snapshot.Repo, []string{"src/a", "src/b"})
	if err != nil || len(found) != 0 || !strings.Contains(failures["src/a"], "path") || failures["src/b"] == "" {
		t.Errorf("%v, %v, %v", found, failures, err)
	}
}

func TestPathActivity(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, q gqlRequest) {
		if q.operation() == "Older" {
			fmt.Fprint(w, `{"data":{"node":{"r0":null}}}`)
			return
		}
		if q.Variables["p0"] != "src/git" || q.Variables["p1"] != "src/none" || strings.Contains(q.Query, "src/git") {
			t.Errorf("sent %s with %v", q.Query, q.Variables)
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
