package github

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"testing"

	"mcpcensus/internal/registry"
)

// TestRepositoryBounds covers counts beyond 32 bits and five-digit years in every field.
func TestRepositoryBounds(t *testing.T) {
	const many = math.MaxInt32 + 1
	for _, when := range []string{"9999-12-31T23:59:59-01:00", "0000-01-01T00:00:00+01:00", "1901-01-01T00:00:00Z"} {
		t.Run(when, func(t *testing.T) {
			total := map[string]any{"totalCount": many}
			f := newFake(t, func(w http.ResponseWriter, q gqlRequest) {
				honest(w, q, func(n int, repo map[string]any) map[string]any {
					repo["stargazerCount"], repo["forkCount"] = many, many
					repo["watchers"], repo["openIssues"], repo["mergedPRs"] = total, total, total
					repo["createdAt"], repo["pushedAt"], repo["updatedAt"], repo["isArchived"], repo["archivedAt"] = when, when, when, true, when
					repo["owner"] = map[string]any{"__typename": "User", "login": "o", "createdAt": when}
					repo["releases"] = map[string]any{"totalCount": many, "nodes": []any{map[string]any{"tagName": "v1", "publishedAt": when}}}
					talk := map[string]any{"nodes": []any{map[string]any{"number": 1, "createdAt": when, "closedAt": when, "authorAssociation": "NONE",
						"comments": map[string]any{"nodes": []any{map[string]any{"createdAt": when, "authorAssociation": "OWNER"}}}}}}
					repo["issues"], repo["pullRequests"] = talk, talk
					return repo
				})
			})
			ref := registry.RepoRef{Host: registry.GitHub, Owner: "o", Name: "r1"}
			v := f.github(t, nil).Resolve(t.Context(), ref, nil)
			if v.Outcome != registry.Fetched || v.Snapshot.Issues == nil {
				t.Fatal(v.Outcome, v.Err)
			}
			bounded(t, v.Snapshot)
		})
	}
	t.Run("by REST", func(t *testing.T) {
		f := newFake(t, func(http.ResponseWriter, gqlRequest) {})
		f.restRepo(1, 200, fmt.Sprintf(`{"id":1,"node_id":"R_1","name":"r1","full_name":"o/r1","owner":{"login":"o","type":"User"},"default_branch":"main","size":1,
			"stargazers_count":%d,"forks_count":%[1]d,"created_at":"9999-12-31T23:59:59-01:00","updated_at":"0000-01-01T00:00:00+01:00","pushed_at":"9999-12-31T23:59:59-01:00"}`, many))
		f.rest["/search/repositories"] = func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"items":[]}`)
		}
		g := f.github(t, func(o *Options) { o.Token = "" })
		v := visitAll(t, g, newNamed(1))[1]
		if v.Outcome != registry.Fetched {
			t.Fatal(v.Outcome, v.Err)
		}
		bounded(t, v.Snapshot)
	})
}

func bounded(t *testing.T, s *registry.Snapshot) {
	t.Helper()
	if _, err := json.Marshal(s); err != nil {
		t.Errorf("it cannot be stored: %v", err)
	}
	for name, n := range map[string]*int{
		"stars": s.Repo.Stars, "forks": s.Repo.Forks, "watchers": s.Repo.Watchers, "issues": s.Repo.OpenIssues, "pull requests": s.Repo.MergedPRs,
		"contributors": s.Repo.Contributors, "releases": s.Repo.Releases, "tags": s.Repo.Tags,
	} {
		if n != nil && *n > math.MaxInt32 {
			t.Errorf("%d %s", *n, name)
		}
	}
	if *s.Repo.Stars != math.MaxInt32 {
		t.Errorf("%d stars", *s.Repo.Stars)
	}
	for name, y := range map[string]int{"created": s.Repo.CreatedAt.Year(), "pushed": s.Repo.PushedAt.Year(), "updated": s.Repo.UpdatedAt.Year()} {
		if y > 9000 || y < 1 {
			t.Errorf("%s in the year %d", name, y)
		}
	}
}
