package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"weak"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler"
	"mcpcensus/crawler/git"
	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

// unpaced are rates that no test reaches.
var unpaced = map[string]int{coreLimit: 1e6, graphqlLimit: 1e6}

func oid(n int) string { return fmt.Sprintf("%040x", n) }

// node returns repository n as GraphQL returns it.
func node(n int) map[string]any {
	return map[string]any{
		"__typename": "Repository", "id": fmt.Sprintf("R_%d", n), "databaseId": n, "name": fmt.Sprintf("r%d", n), "nameWithOwner": fmt.Sprintf("o/r%d", n),
		"owner":     map[string]any{"__typename": "User", "login": "o", "avatarUrl": "https://avatars.example/o", "createdAt": "2020-01-01T00:00:00Z"},
		"createdAt": "2024-01-01T00:00:00Z", "updatedAt": "2026-11-01T00:00:00Z", "pushedAt": "2026-11-01T00:00:00Z",
		"stargazerCount": 100, "forkCount": 20, "watchers": map[string]any{"totalCount": 5}, "hasIssuesEnabled": true,
		"openIssues": map[string]any{"totalCount": 0}, "closedIssues": map[string]any{"totalCount": 0},
		"openPRs": map[string]any{"totalCount": 0}, "mergedPRs": map[string]any{"totalCount": 0}, "closedPRs": map[string]any{"totalCount": 0},
		"isSecurityPolicyEnabled": true, "fundingLinks": []any{}, "licenseInfo": map[string]any{"spdxId": "MIT", "key": "mit"},
		"releases": map[string]any{"totalCount": 0, "nodes": []any{}},
		"defaultBranchRef": map[string]any{"name": "main",
			"target": map[string]any{"__typename": "Commit", "oid": gitHead}},
	}
}

func number(id string) int {
	var n int
	fmt.Sscanf(strings.TrimPrefix(id, "R_"), "%d", &n)
	return n
}

// known returns works of repositories 1 to n after a first crawl, due for a full read if forced.
func known(n int, forced bool) []registry.Work {
	now := time.Now().UTC()
	var works []registry.Work
	for i := 1; i <= n; i++ {
		raw, _ := json.Marshal(node(i))
		var rn repoNode
		if err := json.Unmarshal(raw, &rn); err != nil {
			panic(err)
		}
		repo := rn.repository(now, new(item))
		works = append(works, registry.Work{
			ID: int64(i), Ref: registry.RepoRef{Host: registry.GitHub, Owner: "o", Name: fmt.Sprintf("r%d", i)}, HostID: int64(i), NodeID: fmt.Sprintf("R_%d", i),
			Stored: &registry.Snapshot{Repo: repo, Selection: crawler.Selection,
				Files:    []registry.File{},
				Activity: map[string]registry.Activity{"": {ObservedAt: now}},
				Issues:   &registry.IssueActivity{ObservedAt: now}}, FetchedAt: &now, Forced: false,
		})
		if forced {
			old := now.Add(-fullAge)
			works[i-1].FetchedAt = &old
		}
	}
	return works
}

// honest responds to every query as GitHub would for repositories node(n), after applying change
// to each.
func honest(w http.ResponseWriter, q gqlRequest, change func(n int, repo map[string]any) map[string]any) {
	var errs []any
	one := func(n int, path ...any) any {
		repo := node(n)
		if change != nil {
			repo = change(n, repo)
		}
		if e, ok := repo["error"]; ok {
			m := e.(map[string]any)
			m["path"] = path
			errs = append(errs, m)
			return nil
		}
		return repo
	}
	data := map[string]any{"rateLimit": map[string]any{"cost": 1}}
	switch q.operation() {
	case "Probe":
		for _, field := range []string{"a", "b"} {
			list := []any{}
			for i, id := range q.strings(field) {
				list = append(list, one(number(id), field, i))
			}
			data[field] = list
		}
	case "Full", "Issues":
		list := []any{}
		for i, id := range q.strings("ids") {
			list = append(list, one(number(id), "nodes", i))
		}
		data["nodes"] = list
	case "Resolve":
		for i := 0; ; i++ {
			name, ok := q.Variables[fmt.Sprintf("n%d", i)].(string)
			if !ok {
				break
			}
			alias := fmt.Sprintf("r%d", i)
			data[alias] = one(number("R_"+strings.TrimPrefix(name, "r")), alias)
		}
	}
	reply := map[string]any{"data": data}
	if errs != nil {
		reply["errors"] = errs
	}
	json.NewEncoder(w).Encode(reply)
}

// restRepo handles GET /repositories/{id} and /repos/o/r{id}.
func (f *fake) restRepo(n int, status int, body string) {
	h := func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
	f.rest[fmt.Sprintf("/repositories/%d", n)] = h
	f.rest[fmt.Sprintf("/repos/o/r%d", n)] = h
}

func restBody(n int) string {
	return fmt.Sprintf(`{"id":%d,"node_id":"R_%d","name":"r%d","full_name":"o/r%d","owner":{"login":"o","type":"User"},"default_branch":"main","stargazers_count":7,"size":1,"pushed_at":"2026-11-01T00:00:00Z"}`, n, n, n, n)
}

const missingError = "NOT_FOUND"

func refusedAs(kind, message string) func(n int, repo map[string]any) map[string]any {
	return func(n int, repo map[string]any) map[string]any {
		if n == 1 {
			return map[string]any{"error": map[string]any{"type": kind, "message": message}}
		}
		return repo
	}
}

// visitAll collects the visits by the repository's number.
func visitAll(t *testing.T, g *Client, works []registry.Work) map[int64]registry.Visit {
	t.Helper()
	all := map[int64]registry.Visit{}
	for v := range g.Visit(t.Context(), works) {
		if _, twice := all[v.Work.ID]; twice {
			t.Errorf("repository %d was yielded twice", v.Work.ID)
		}
		all[v.Work.ID] = v
	}
	return all
}

func tally(all map[int64]registry.Visit) map[registry.Outcome]int {
	n := map[registry.Outcome]int{}
	for _, v := range all {
		n[v.Outcome]++
	}
	return n
}

// TestVisitFaults covers the ways in which GitHub fails, with the numbers of a list of failures.
// No stored data is lost: a repository has a result, has failed, or is untouched.
func TestVisitFaults(t *testing.T) {
	const somethingWrong = `{"data":null,"errors":[{"message":"Something went wrong while executing your query. This may be the result of a timeout, or it could be a GitHub bug. Please include ` + "`X`" + ` when reporting this issue."}]}`
	respond := func(status int, body string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) { w.WriteHeader(status); fmt.Fprint(w, body) }
	}
	// first sends bad responses to the first GraphQL queries, and good ones to the rest.
	first := func(times int, bad func(http.ResponseWriter)) func(*fake) func(http.ResponseWriter, gqlRequest) {
		return func(*fake) func(http.ResponseWriter, gqlRequest) {
			n := 0
			return func(w http.ResponseWriter, q gqlRequest) {
				if n++; n <= times {
					bad(w)
					return
				}
				honest(w, q, nil)
			}
		}
	}
	plain := func(change func(int, map[string]any) map[string]any) func(*fake) func(http.ResponseWriter, gqlRequest) {
		return func(*fake) func(http.ResponseWriter, gqlRequest) {
			return func(w http.ResponseWriter, q gqlRequest) { honest(w, q, change) }
		}
	}
	fetched := func(n int) map[registry.Outcome]int { return map[registry.Outcome]int{registry.Fetched: n} }
	firstBecomes := func(o registry.Outcome) map[registry.Outcome]int {
		if o == registry.Fetched {
			return fetched(20)
		}
		return map[registry.Outcome]int{registry.Fetched: 19, o: 1}
	}
	nothing := map[registry.Outcome]int{}

	for _, c := range []struct {
		f      string
		serve  func(*fake) func(http.ResponseWriter, gqlRequest)
		rest   func(*fake)
		works  []registry.Work
		want   map[registry.Outcome]int
		check  func(*testing.T, result)
		option func(*Options)
	}{
		{f: "F1 every request carries a User-Agent", serve: plain(nil), want: fetched(20), check: func(t *testing.T, r result) {
			for _, h := range r.f.headers {
				if !strings.HasPrefix(h.Get("User-Agent"), "census/") {
					t.Errorf("User-Agent %q", h.Get("User-Agent"))
				}
			}
		}},
		{f: "F2 F38 a rejected token stops the visit and touches nothing", serve: first(99, respond(401, `{"message":"Bad credentials"}`)), want: nothing, check: func(t *testing.T, r result) {
			var cred *transport.CredentialError
			if !errors.As(r.g.Ready(), &cred) || r.f.count("") != 1 {
				t.Errorf("ready: %v after %d requests", r.g.Ready(), r.f.count(""))
			}
		}},
		{f: "F5 F30 a spent budget leaves the rest untouched", serve: func(f *fake) func(http.ResponseWriter, gqlRequest) {
			return func(w http.ResponseWriter, q gqlRequest) {
				f.rates(w.Header(), 0, time.Hour)
				fmt.Fprint(w, `{"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded for user ID 1."}]}`)
			}
		}, want: nothing, check: spentCheck},
		{f: "F30 in its newer form", serve: func(f *fake) func(http.ResponseWriter, gqlRequest) {
			return func(w http.ResponseWriter, q gqlRequest) {
				f.rates(w.Header(), 0, time.Hour)
				fmt.Fprint(w, `{"errors":[{"type":"RATE_LIMIT","code":"graphql_rate_limit","message":"API rate limit already exceeded for user ID 1."}]}`)
			}
		}, want: nothing, check: spentCheck},
		{f: "F6 F7 visits do not wait for a secondary limit in GraphQL", serve: first(99, respond(200, `{"errors":[{"message":"You have exceeded a secondary rate limit. Please wait."}]}`)), want: nothing, check: spentCheck},
		{f: "F6 F8 a secondary limit with a short wait is waited for", serve: func(f *fake) func(http.ResponseWriter, gqlRequest) {
			n := 0
			return func(w http.ResponseWriter, q gqlRequest) {
				if n++; n == 1 {
					w.Header().Set("Retry-After", "1")
					w.WriteHeader(403)
					fmt.Fprint(w, `{"message":"You have exceeded a secondary rate limit."}`)
					return
				}
				honest(w, q, nil)
			}
		}, want: fetched(20), option: func(o *Options) { o.Sleep = transport.Sleep }},
		{f: "F9 F11 F26 a rename or a transfer returns the new name", serve: plain(func(n int, repo map[string]any) map[string]any {
			repo["nameWithOwner"] = fmt.Sprintf("new-owner/new%d", n)
			return repo
		}), want: fetched(20), check: func(t *testing.T, r result) {
			if got := r.all[3].Snapshot.Repo; got.FullName() != "new-owner/new3" || got.ID != 3 {
				t.Errorf("got %s, id %d", got.FullName(), got.ID)
			}
		}},
		{f: "F10 a reused name is another repository", works: newNamed(1), serve: plain(func(n int, repo map[string]any) map[string]any {
			repo["id"], repo["databaseId"] = "R_777", 777
			return repo
		}), want: fetched(1), check: func(t *testing.T, r result) {
			if got := r.all[1].Snapshot.Repo; got.ID != 777 || got.NodeID != "R_777" {
				t.Errorf("identity %d %s", got.ID, got.NodeID)
			}
		}},
		{f: "F10 an id that returns another repository is rejected", serve: plain(func(n int, repo map[string]any) map[string]any {
			if n == 1 {
				repo["id"], repo["databaseId"] = "R_777", 777
			}
			return repo
		}), want: firstBecomes(registry.Missing)}, // missing from REST, too
		{f: "F12 F24 a missing repository is missing, the others are read", serve: plain(refusedAs(missingError, "Could not resolve to a node with the global id of 'R_1'")), want: firstBecomes(registry.Missing)},
		{f: "F12 a private repository is missing", serve: plain(func(n int, repo map[string]any) map[string]any {
			if n == 1 {
				repo["isPrivate"] = true
			}
			return repo
		}), want: firstBecomes(registry.Missing), check: func(t *testing.T, r result) {
			if r.all[1].Snapshot != nil {
				t.Error("facts of a private repository were yielded")
			}
		}},
		{f: "F13 DMCA", serve: plain(refusedAs("FORBIDDEN", "Repository access blocked")), rest: func(f *fake) {
			f.restRepo(1, 451, `{"message":"Repository access blocked","block":{"reason":"dmca","created_at":"2026-01-01T00:00:00Z"}}`)
		}, want: firstBecomes(registry.Blocked), check: blockedAs("dmca")},
		{f: "F13 terms of service", serve: plain(refusedAs("FORBIDDEN", "Repository access blocked")), rest: func(f *fake) {
			f.restRepo(1, 403, `{"message":"Repository access blocked","block":{"reason":"tos"}}`)
		}, want: firstBecomes(registry.Blocked), check: blockedAs("tos")},
		{f: "F14 behind an IP allow list it is read without the token", serve: plain(refusedAs("FORBIDDEN", "the `o` organization has an IP allow list enabled")), rest: func(f *fake) {
			f.rest["/repositories/1"] = func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "" {
					w.WriteHeader(403)
					return
				}
				fmt.Fprint(w, restBody(1))
			}
		}, want: fetched(20), check: func(t *testing.T, r result) {
			if s := r.all[1].Snapshot; s.Repo.ID != 1 || s.Texts["README.md"] == "" {
				t.Errorf("%+v", s)
			}
			for _, q := range r.f.git.Requests() {
				if q.Repo == "o/r1" && q.Authorization != "" {
					t.Error("git was asked with the token")
				}
			}
		}},
		{f: "F15 SAML without anonymous access fails, and is never missing", serve: plain(refusedAs("FORBIDDEN", "Resource protected by organization SAML enforcement.")), rest: func(f *fake) {
			f.restRepo(1, 403, `{"message":"Resource protected by organization SAML enforcement."}`)
		}, want: firstBecomes(registry.Failed), check: func(t *testing.T, r result) {
			if err := r.all[1].Err; err == nil || !strings.Contains(err.Error(), "SAML") {
				t.Errorf("reason %v", err)
			}
		}},
		{f: "F16 an empty repository is read", serve: plain(func(n int, repo map[string]any) map[string]any {
			repo["isEmpty"], repo["defaultBranchRef"] = true, nil
			return repo
		}), want: fetched(20), check: func(t *testing.T, r result) {
			s := r.all[1].Snapshot
			if !s.Repo.Empty || s.Files == nil || len(s.Files) != 0 || *s.Repo.Contributors != 0 || s.Failures["activity"] != "" {
				t.Errorf("%+v", s)
			}
			if r.f.count("GIT") != 0 {
				t.Error("requested the files of an empty repository")
			}
		}},
		{f: "F23 never more than 100 ids in a field", works: known(450, false), serve: func(*fake) func(http.ResponseWriter, gqlRequest) {
			return func(w http.ResponseWriter, q gqlRequest) {
				if len(q.strings("a")) > 100 || len(q.strings("b")) > 100 || len(q.strings("ids")) > 100 {
					fmt.Fprint(w, `{"errors":[{"type":"ARGUMENT_LIMIT","path":["a"],"message":"You may not provide more than 100 node ids"}]}`)
					return
				}
				honest(w, q, nil)
			}
		}, want: map[registry.Outcome]int{registry.Unchanged: 450}},
		{f: "F24 an id of another type is not a repository", serve: plain(func(n int, repo map[string]any) map[string]any {
			if n == 1 {
				return map[string]any{"__typename": "User"}
			}
			return repo
		}), want: firstBecomes(registry.Missing)},
		{f: "F25 a missing alias does not affect its siblings", works: newNamed(20), serve: plain(refusedAs(missingError, "Could not resolve to a Repository with the name 'o/r1'.")), want: firstBecomes(registry.Missing)},
		{f: "F27 502 HTML", serve: first(2, respond(502, "<html>502</html>")), want: fetched(20), check: halved},
		{f: "F27 504 HTML", serve: first(2, respond(504, "<html>504</html>")), want: fetched(20), check: halved},
		{f: "F27 502 JSON", serve: first(2, respond(502, somethingWrong)), want: fetched(20), check: halved},
		{f: "F27 200 with data null", serve: first(2, respond(200, somethingWrong)), want: fetched(20), check: halved},
		{f: "F27 a poisonous repository is read by REST, the others by GraphQL", serve: func(*fake) func(http.ResponseWriter, gqlRequest) {
			return func(w http.ResponseWriter, q gqlRequest) {
				if slices.Contains(q.strings("ids"), "R_1") && q.operation() == "Full" {
					w.WriteHeader(502)
					return
				}
				honest(w, q, nil)
			}
		}, rest: func(f *fake) { f.restRepo(1, 200, restBody(1)) }, want: fetched(20), check: func(t *testing.T, r result) {
			if s := r.all[1].Snapshot; s.Texts["README.md"] == "" || s.Activity[""].LastCommitAt == nil {
				t.Errorf("%+v", s)
			}
		}},
		{f: "F28 partial data for lack of resources is retried", serve: func(*fake) func(http.ResponseWriter, gqlRequest) {
			return func(w http.ResponseWriter, q gqlRequest) {
				ids := q.strings("ids")
				if q.operation() == "Full" && len(ids) > 5 {
					list, errs := []any{}, []any{}
					for i, id := range ids {
						n := node(number(id))
						if i >= 5 {
							n["stargazerCount"] = nil
							errs = append(errs, map[string]any{"type": "RESOURCE_LIMITS_EXCEEDED", "path": []any{"nodes", i, "stargazerCount"}, "message": "Resource limits for this query exceeded."})
						}
						list = append(list, n)
					}
					json.NewEncoder(w).Encode(map[string]any{"data": map[string]any{"nodes": list}, "errors": errs})
					return
				}
				honest(w, q, nil)
			}
		}, want: fetched(20), check: func(t *testing.T, r result) {
			for _, v := range r.all {
				if v.Snapshot.Repo.Stars == nil {
					t.Fatal("an omitted number was accepted")
				}
			}
		}},
		{f: "F28 null data for lack of resources", serve: first(1, respond(200, `{"data":null,"errors":[{"type":"RESOURCE_LIMITS_EXCEEDED","message":"Resource limits for this query exceeded."}]}`)), want: fetched(20), check: halved},
		{f: "F29 totals that shrink without an error are confirmed separately", serve: func(*fake) func(http.ResponseWriter, gqlRequest) {
			return func(w http.ResponseWriter, q gqlRequest) {
				honest(w, q, func(n int, repo map[string]any) map[string]any {
					if len(q.strings("ids")) > 1 && n%2 == 0 {
						repo["stargazerCount"] = 3
					}
					return repo
				})
			}
		}, want: fetched(20), check: func(t *testing.T, r result) {
			if s := r.all[2].Snapshot.Repo.Stars; s == nil || *s != 100 {
				t.Errorf("stars %v", s)
			}
		}},
		{f: "F29 a real decrease is accepted the second time", serve: plain(func(n int, repo map[string]any) map[string]any {
			repo["stargazerCount"] = 3
			return repo
		}), want: fetched(20), check: func(t *testing.T, r result) {
			if s := r.all[2].Snapshot.Repo.Stars; s == nil || *s != 3 {
				t.Errorf("stars %v", s)
			}
		}},
		{f: "F31 a query that GitHub does not understand fails at once", serve: first(99, respond(200, `{"errors":[{"path":["query Full","nodes","x"],"extensions":{"code":"undefinedField"},"message":"Field 'x' doesn't exist on type 'Repository'"}]}`)), want: map[registry.Outcome]int{registry.Failed: 20}, check: func(t *testing.T, r result) {
			if r.f.count("POST") != 1 {
				t.Errorf("%d requests", r.f.count("POST"))
			}
		}},
		{f: "F32 the new form of an id is the same repository", serve: plain(func(n int, repo map[string]any) map[string]any {
			repo["id"] = fmt.Sprintf("R_next%d", n)
			return repo
		}), want: fetched(20), check: func(t *testing.T, r result) {
			if r.all[1].Snapshot.Repo.NodeID != "R_next1" || r.f.headers[0].Get("X-Github-Next-Global-ID") != "1" {
				t.Error("the new id was not stored")
			}
		}},
		{f: "F34 truncated JSON", serve: first(2, respond(200, `{"data":{"nodes":[`)), want: fetched(20)},
		{f: "F34 HTML with status 200", serve: first(2, respond(200, `<html>login</html>`)), want: fetched(20)},
		{f: "F34 the connection breaks", serve: first(2, func(w http.ResponseWriter) { panic(http.ErrAbortHandler) }), want: fetched(20)},
		{f: "F34 503", serve: first(2, respond(503, "")), want: fetched(20)},
		{f: "F34 GitHub is down", serve: first(1e6, respond(502, "")), want: nothing, check: func(t *testing.T, r result) {
			if n := r.f.count("POST"); n > 2*maxFailures {
				t.Errorf("%d requests", n)
			}
		}},
		{f: "an error without a path fails the batch, regardless of its data", serve: first(1, func(w http.ResponseWriter) {
			fmt.Fprint(w, `{"data":{"nodes":[]},"errors":[{"message":"Something went wrong while executing your query."}]}`)
		}), want: fetched(20), check: halved},
		{f: "fewer results than ids", serve: first(1, respond(200, `{"data":{"nodes":[null]}}`)), want: fetched(20), check: halved},
		{f: "F36 every kind of repository", serve: plain(func(n int, repo map[string]any) map[string]any {
			switch n {
			case 1:
				repo["isArchived"], repo["archivedAt"] = true, "2026-01-01T00:00:00Z"
			case 2:
				repo["licenseInfo"] = map[string]any{"spdxId": "NOASSERTION", "key": "other"}
			case 3:
				repo["licenseInfo"], repo["primaryLanguage"] = nil, nil
			case 4:
				repo["description"] = "\u0000日本\ufffd語 " + strings.Repeat("x", 5000)
			case 5:
				repo["isFork"], repo["parent"] = true, map[string]any{"nameWithOwner": "up/stream"}
			case 6:
				repo["releases"] = map[string]any{"totalCount": 2, "nodes": []any{map[string]any{"tagName": "v1-rc", "isPrerelease": true}, nil}}
			case 7:
				repo["homepageUrl"] = "javascript:alert(1)"
			}
			return repo
		}), want: fetched(20), check: func(t *testing.T, r result) {
			repo := func(n int64) *registry.Repository { return &r.all[n].Snapshot.Repo }
			if !repo(1).Archived || repo(1).ArchivedAt == nil || repo(2).License != "NOASSERTION" || repo(3).License != "" || !repo(3).LicenseKnown ||
				strings.ContainsRune(repo(4).Description, 0) || len(repo(4).Description) > 2000 || repo(5).Parent != "up/stream" || !repo(6).LatestReleases[0].Prerelease || repo(7).Homepage != "" {
				t.Error("a kind was changed")
			}
		}},
		{f: "F37 deleted between probe and full read", works: known(20, false), serve: func(*fake) func(http.ResponseWriter, gqlRequest) {
			return func(w http.ResponseWriter, q gqlRequest) {
				honest(w, q, func(n int, repo map[string]any) map[string]any {
					if n != 1 {
						return repo
					}
					if q.operation() == "Probe" {
						repo["isArchived"] = true
						return repo
					}
					return map[string]any{"error": map[string]any{"type": missingError, "message": "Could not resolve"}}
				})
			}
		}, want: map[registry.Outcome]int{registry.Unchanged: 19, registry.Missing: 1}},
	} {
		t.Run(c.f, func(t *testing.T) {
			f := newFake(t, nil)
			f.respond = c.serve(f)
			if c.rest != nil {
				c.rest(f)
			}
			g := f.github(t, c.option)
			works := c.works
			if works == nil {
				works = known(20, true)
			}
			all := visitAll(t, g, works)
			if got := tally(all); fmt.Sprint(got) != fmt.Sprint(c.want) {
				for _, v := range all {
					if v.Err != nil {
						t.Logf("%d %s: %v", v.Work.ID, v.Outcome, v.Err)
					}
				}
				t.Fatalf("outcomes %v, want %v; requested %v", got, c.want, f.requested)
			}
			if c.check != nil {
				c.check(t, result{g, f, all})
			}
		})
	}
}

func newNamed(n int) []registry.Work {
	var works []registry.Work
	for i := 1; i <= n; i++ {
		works = append(works, registry.Work{ID: int64(i), Ref: registry.RepoRef{Host: registry.GitHub, Owner: "o", Name: fmt.Sprintf("r%d", i)}})
	}
	return works
}

func TestVisitBudgetSpent(t *testing.T) {
	n := 0
	f := newFake(t, nil)
	f.respond = func(w http.ResponseWriter, q gqlRequest) {
		if n++; n == 2 {
			f.rates(w.Header(), 0, time.Hour)
		}
		honest(w, q, nil)
	}
	g := f.github(t, nil)
	all := visitAll(t, g, known(3*fullRepos, true))
	if len(all) != 2*fullRepos || f.count("POST Full") != 2 {
		t.Errorf("%d visits with %d queries", len(all), f.count("POST Full"))
	}
	var limit *transport.LimitError
	if !errors.As(g.Ready(), &limit) || time.Until(limit.Until) < 55*time.Minute {
		t.Errorf("ready: %v", g.Ready())
	}
	if v := g.Resolve(t.Context(), registry.RepoRef{Host: registry.GitHub, Owner: "o", Name: "r1"}, nil); v.Outcome != registry.Failed || !errors.As(v.Err, &limit) {
		t.Errorf("on demand: %s, %v", v.Outcome, v.Err)
	}
}

func TestVisitCancelled(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, q gqlRequest) { honest(w, q, nil) })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for v := range f.github(t, nil).Visit(ctx, known(5, true)) {
		t.Errorf("visit of %d: %s", v.Work.ID, v.Outcome)
	}
	count := 0
	for range f.github(t, nil).Visit(t.Context(), known(60, true)) {
		if count++; count == 3 {
			break // a consumer may stop at any time
		}
	}
	if count != 3 {
		t.Errorf("%d", count)
	}
}

// TestVisitReleasesSnapshots checks that a visit of many repositories holds only the snapshots of
// a batch.
func TestVisitReleasesSnapshots(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, q gqlRequest) { honest(w, q, nil) })
	var given []weak.Pointer[registry.Snapshot]
	for v := range f.github(t, nil).Visit(t.Context(), known(3*fullRepos, true)) {
		if given = append(given, weak.Make(v.Snapshot)); len(given) < 3*fullRepos {
			continue
		}
		runtime.GC()
		for i, s := range given[:fullRepos] {
			if s.Value() != nil {
				t.Fatalf("the snapshot of repository %d is held", i+1)
			}
		}
	}
}

// A result is the result of a visit of a fake.
type result struct {
	g   *Client
	f   *fake
	all map[int64]registry.Visit
}

// halved checks that no batch was requested twice at the same size.
func halved(t *testing.T, r result) {
	r.f.mu.Lock()
	defer r.f.mu.Unlock()
	if len(r.f.sizes) < 3 || r.f.sizes[0] != 20 || r.f.sizes[1] != 10 {
		t.Errorf("sizes of the batches: %v", r.f.sizes)
	}
}

func blockedAs(reason string) func(*testing.T, result) {
	return func(t *testing.T, r result) {
		if v := r.all[1]; v.Blocked != reason || v.Err == nil {
			t.Errorf("blocked as %q: %v", v.Blocked, v.Err)
		}
		if n := r.f.count("GET"); n != 1 {
			t.Errorf("requested the reason %d times", n)
		}
	}
}

func spentCheck(t *testing.T, r result) {
	var limit *transport.LimitError
	if !errors.As(r.g.Ready(), &limit) {
		t.Errorf("ready: %v", r.g.Ready())
	}
	visitAll(t, r.g, known(5, true))
	if n := r.f.count(""); n != 1 {
		t.Errorf("%d requests while told to wait", n-1)
	}
}

// TestVisitReadsFailedParts checks that parts that failed are read at the next visit, even
// without a push.
func TestVisitReadsFailedParts(t *testing.T) {
	for part, whole := range map[string]bool{"tree": true, "texts": true, "activity": true,
		"activity of src/git": true, "issues": false} {
		f := newFake(t, func(w http.ResponseWriter, q gqlRequest) { honest(w, q, nil) })
		work := known(1, false)[0]
		work.Stored.Failures = map[string]string{part: "status 502"}
		v := visitAll(t, f.github(t, nil), []registry.Work{work})[1]
		if (v.Outcome == registry.Fetched) != whole {
			t.Errorf("%s: %s", part, v.Outcome)
		}
	}
}

// TestReplayVisitCost counts the cost of a full pass: all known repositories are probed, and the
// 4 % that changed are read in full. 20,000 repositories may cost 250 points and no REST request.
// The test uses CENSUS_COST_REPOS repositories (default 50), with
// their sources if CENSUS_MIRROR is set to the folder of mirrors, and scales the limits.
func TestReplayVisitCost(t *testing.T) {
	want := 12
	if s := os.Getenv("CENSUS_COST_REPOS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		want = n
	}
	multiply := want/60 + 1
	args := []string{"--placeholders", "1",
		"--multiply", fmt.Sprint(multiply), "--core-limit", "1000000", "--graphql-limit", "1000000",
		"--rest-points", "1000000", "--graphql-points", "1000000",
	}
	if dir := os.Getenv("CENSUS_MIRROR"); dir != "" { // has the texts of source files
		args = append(args, "--mirror", dir)
	}
	r := startReplay(t, args...)
	g := r.github(t, func(o *Options) { o.PerMinute = unpaced })
	names := r.names()
	names = names[:min(len(names), want*4/3)]

	start := time.Now()
	var known []registry.Work
	for v := range g.Visit(t.Context(), newWorks(t, names)) {
		if v.Outcome != registry.Fetched {
			t.Fatalf("%s: %s: %v", v.Work.Ref, v.Outcome, v.Err)
		}
		if len(known) < want {
			known = append(known, next(v, time.Now()))
		}
	}
	if len(known) != want {
		t.Fatalf("%d of %d repositories are recorded in full", len(known), want)
	}
	points, core := r.spent()
	t.Logf("first crawl of %d: %d points, %d REST, %s", len(known), points, core, time.Since(start).Round(time.Second))

	changed := 0
	for i, w := range known {
		if i%25 == 7 && !w.Stored.Repo.Empty {
			r.post("repo", map[string]any{"full_name": w.Stored.Repo.FullName(),
				"set": map[string]any{"files": map[string]any{"notes.txt": fmt.Sprint("change ",
					i)}}})
			changed++
		}
	}
	r.post("reset", map[string]any{})
	g = r.github(t, func(o *Options) { o.PerMinute = unpaced }) // a slow machine may have reduced the batches
	start = time.Now()
	fetched, seen := 0, 0
	const lease = 2000 // as many as a worker claims
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
	allowed := max(4, (250*want+19_999)/20_000) // at least one of each kind of query
	t.Logf("pass over %d, %d changed: %d points (allowed %d), %d REST, %s", seen,
		changed, points, allowed, core, time.Since(start).Round(time.Second))
	if seen != len(known) || fetched != changed {
		t.Errorf("seen %d of %d, read %d of %d changed", seen, len(known), fetched, changed)
	}
	if points > allowed {
		t.Errorf("the pass cost %d points, %d are allowed", points, allowed)
	}
	if core > 0 {
		t.Errorf("the pass cost %d REST requests", core)
	}
	stats, _ := json.Marshal(r.stats()["requests"])
	t.Logf("%s", stats)
	if late := r.stats()["asked_while_limited"]; late != 0.0 {
		t.Errorf("%v requests while told to wait", late)
	}
}

// spent returns the GraphQL points and REST requests since the last reset.
func (r *replay) spent() (points, core int) {
	var s struct {
		Spent map[string]int `json:"points_spent"`
	}
	r.get("stats", &s)
	return s.Spent["graphql"], s.Spent["core"]
}

// TestVisitCost counts the queries of a pass over 10,000 known repositories of which 4 % changed,
// in leases of 1,000. Each query costs one point, as TestReplayVisitCost confirms.
func TestVisitCost(t *testing.T) {
	const all, lease = 2000, 1000
	isChanged := func(n int) bool { return n%25 == 7 }
	f := newFake(t, func(w http.ResponseWriter, q gqlRequest) {
		honest(w, q, func(n int, repo map[string]any) map[string]any {
			if isChanged(n) {
				repo["defaultBranchRef"].(map[string]any)["target"].(map[string]any)["oid"] = oid(n)
			}
			return repo
		})
	})
	g := f.github(t, func(o *Options) { o.PerMinute = unpaced })
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
	t.Logf("%v: %d points (%d probes, %d full), %d REST", outcomes, points,
		f.count("POST Probe"), f.count("POST Full"), rest)
	if changed != all/25 || outcomes[registry.Unchanged] != all-changed {
		t.Errorf("outcomes %v", outcomes)
	}
	if allowed := 250 * all / 20_000; points > allowed {
		t.Errorf("%d points, %d are allowed", points, allowed)
	}
	if rest > 0 {
		t.Errorf("%d REST requests", rest)
	}
}

// TestOutdated visits 250 unchanged repositories whose files were selected by earlier rules, and
// five that have changed. These are read first, then some of the others if the limits allow.
func TestOutdated(t *testing.T) {
	type want struct {
		First                      string // numbers of the first five that are read
		Fetched, Current, Outdated int
	}
	for _, c := range []struct {
		name string
		left int // of 5,000
		want want
	}{
		{"plenty", 4000, want{"[1 2 3 4 5]", 125, 10, 115}},
		{"half spent", 2400, want{"[1 2 3 4 5]", 5, 10, 235}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(t, nil)
			f.respond = func(w http.ResponseWriter, q gqlRequest) {
				f.rates(w.Header(), c.left, time.Hour)
				honest(w, q, func(n int, repo map[string]any) map[string]any {
					if n <= 5 {
						repo["defaultBranchRef"].(map[string]any)["target"].(map[string]any)["oid"] = oid(n)
					}
					return repo
				})
			}
			works := known(250, false)
			for i := range works[:240] {
				works[i].Stored.Selection = crawler.Selection - 1
			}
			var order []int64
			for i := range works {
				works[i].OnProgress = func(_ registry.Repository, files []registry.File) {
					if files == nil {
						order = append(order, works[i].ID)
					}
				}
			}
			var got want
			for v := range f.github(t, nil).Visit(t.Context(), works) {
				switch {
				case v.Outcome == registry.Fetched && v.Snapshot.Selection == crawler.Selection:
					got.Fetched++
				case v.Outcome == registry.Unchanged && v.Again:
					got.Outdated++
				case v.Outcome == registry.Unchanged:
					got.Current++
				}
			}
			got.First = fmt.Sprint(order[:5])
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestSlowRepository visits repositories of which one is sent only after all others were visited.
func TestSlowRepository(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, q gqlRequest) { honest(w, q, nil) })
	f.held, f.release = "o/r1", make(chan struct{})
	release := sync.OnceFunc(func() { close(f.release) })
	defer time.AfterFunc(time.Minute, release).Stop()
	const all = 3 * fullRepos
	var order []int64
	for v := range f.github(t, nil).Visit(t.Context(), known(all, true)) {
		if order = append(order, v.Work.ID); len(order) == all-1 {
			release()
		}
	}
	if i := slices.Index(order, 1); len(order) != all || i != all-1 {
		t.Errorf("the slow one was number %d of %d visits", i+1, len(order))
	}
}

// TestUnreachableGit checks that the error of a repository does not contain the address of git,
// which may be internal.
func TestUnreachableGit(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, q gqlRequest) { honest(w, q, nil) })
	g := f.github(t, nil)
	files, err := git.New(host, git.Options{BaseURL: "http://127.0.0.1:1/internal/"})
	if err != nil {
		t.Fatal(err)
	}
	g.Contents.Git = files
	v := g.Resolve(t.Context(), registry.RepoRef{Host: registry.GitHub, Owner: "o", Name: "r1"}, nil)
	e, ok := errors.AsType[*registry.Error](v.Err)
	if !ok || strings.Contains(e.Msg, "127.0.0.1") || strings.Contains(e.Msg, "internal") ||
		!strings.Contains(e.Msg, "GitHub: could not be reached") {
		t.Errorf("%s: %v", v.Outcome, v.Err)
	}
}
