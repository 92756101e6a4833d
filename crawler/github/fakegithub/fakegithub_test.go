package fakegithub

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// client sends requests of a crawler.
type client struct {
	t     *testing.T
	base  string
	token string
}

func serve(t *testing.T, w *Server) client {
	s := httptest.NewServer(w)
	t.Cleanup(s.Close)
	return client{t, s.URL, "ann"}
}

func (c client) do(method, path, body string, header ...string) (*http.Response, string) {
	c.t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, c.base+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	hc := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := hc.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return res, string(b)
}

func (c client) get(path string, want int, into any) *http.Response {
	c.t.Helper()
	res, body := c.do("GET", path, "")
	if res.StatusCode != want {
		c.t.Fatalf("GET %s: %d, want %d: %s", path, res.StatusCode, want, body)
	}
	if into != nil {
		if err := json.Unmarshal([]byte(body), into); err != nil {
			c.t.Fatalf("GET %s: %v: %s", path, err, body)
		}
	}
	return res
}

type response struct {
	Data   map[string]any
	Errors []gqlError
}

func (c client) query(q string, vars map[string]any) response {
	c.t.Helper()
	b, _ := json.Marshal(map[string]any{"query": q, "variables": vars})
	res, body := c.do("POST", "/github/graphql", string(b))
	var a response
	if err := json.Unmarshal([]byte(body), &a); err != nil || res.StatusCode != 200 {
		c.t.Fatalf("graphql: %d %v: %s", res.StatusCode, err, body)
	}
	return a
}

// at follows keys and indexes into JSON.
func at(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[p]
		case int:
			l, _ := v.([]any)
			if p >= len(l) {
				return nil
			}
			v = l[p]
		}
	}
	return v
}

const weather = "octo-labs/weather-mcp"

func TestFixtures(t *testing.T) {
	w := New(now)
	if n := len(w.Names()); n < 40 {
		t.Errorf("%d repositories, want 40 or more", n)
	}
	servers := 0
	for name, n := range w.Servers() {
		servers += n
		r := w.find(name)
		if r.createdAt.After(now) || r.pushedAt.After(now) || r.pushedAt.Before(r.createdAt) {
			t.Errorf("%s: created %s, pushed %s", name, r.createdAt, r.pushedAt)
		}
		for _, rel := range r.releases {
			if rel.at.Before(r.createdAt) || rel.at.After(now) {
				t.Errorf("%s: release %s of %s, repository of %s", name, rel.tag, rel.at, r.createdAt)
			}
		}
		for path, text := range r.files {
			if strings.HasSuffix(path, ".json") && !json.Valid([]byte(text)) {
				t.Errorf("%s: %s is not JSON", name, path)
			}
		}
	}
	if servers < 40 {
		t.Errorf("%d servers, want 40 or more", servers)
	}
}

func TestDatesFollowNow(t *testing.T) {
	a, b := New(now), New(now.AddDate(1, 0, 0))
	if d := b.find(weather).pushedAt.Sub(a.find(weather).pushedAt); d != 365*24*time.Hour {
		t.Errorf("the last push moved by %s", d)
	}
	if a.find(weather).id != b.find(weather).id {
		t.Error("ids depend on the time")
	}
}

func TestSchemaFields(t *testing.T) {
	w := New(now)
	x := &execution{w: w, call: &call{user: "ann"}}
	seen := map[string]bool{}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case lazy:
			walk(v(args{"first": int64(5)}))
		case []any:
			for _, item := range v {
				walk(item)
			}
		case object:
			if seen[v.kind] {
				return
			}
			seen[v.kind] = true
			for _, f := range schema.Types[v.kind].Fields {
				if got, ok := v.fields[f.Name]; !ok && !strings.HasPrefix(f.Name, "__") {
					t.Errorf("%s.%s is not supported", v.kind, f.Name)
				} else {
					walk(got)
				}
			}
		}
	}
	walk(w.repoObject(w.find(weather)))
	walk(x.rateLimit())
	walk(w.searchResults(args{"type": "REPOSITORY", "query": "mcp", "first": int64(5)}))
	for _, kind := range []string{"Repository", "Commit", "Issue", "PullRequest", "Release", "Ref", "Language"} {
		if !seen[kind] {
			t.Errorf("no %s was reached", kind)
		}
	}
}

func TestGraphQLVisit(t *testing.T) {
	w := New(now)
	c := serve(t, w)
	_, node, _ := w.ID(weather)
	a := c.query(`
query Refresh($ids: [ID!]!, $more: Boolean = false) {
  rateLimit { cost remaining resetAt }
  nodes(ids: $ids) { __typename ...Repo }
}
fragment Repo on Repository {
  id databaseId full: nameWithOwner owner { __typename login ... on Organization { isVerified } }
  openIssues: issues(states: OPEN) { totalCount } closedIssues: issues(states: CLOSED) { totalCount }
  mergedPRs: pullRequests(states: MERGED) { totalCount }
  recent: issues(first: 3, orderBy: {field: CREATED_AT, direction: DESC}) { nodes { createdAt authorAssociation comments(first: 2) { nodes { authorAssociation } } } }
  languages(first: 10, orderBy: {field: SIZE, direction: DESC}) { edges { size node { name } } }
  releases(first: 2, orderBy: {field: CREATED_AT, direction: DESC}) { totalCount nodes { tagName } }
  description @include(if: $more) homepageUrl
  defaultBranchRef { name target { __typename oid ... on Commit { statusCheckRollup { state } } } }
}`, map[string]any{"ids": []string{node, "R_nothing"}})
	repo := at(a.Data, "nodes", 0)
	want := map[string]any{
		"__typename": "Repository", "full": weather, "homepageUrl": "https://weather.octo-labs.example",
	}
	for k, v := range want {
		if got := at(repo, k); got != v {
			t.Errorf("%s = %v, want %v", k, got, v)
		}
	}
	for path, v := range map[string]any{
		"openIssues totalCount": 9.0, "closedIssues totalCount": 140.0, "mergedPRs totalCount": 120.0, "owner isVerified": false,
		"releases totalCount": 5.0, "defaultBranchRef target statusCheckRollup state": "SUCCESS",
	} {
		var keys []any
		for k := range strings.SplitSeq(path, " ") {
			keys = append(keys, k)
		}
		if got := at(repo, keys...); got != v {
			t.Errorf("%s = %v, want %v", path, got, v)
		}
	}
	if _, ok := repo.(map[string]any)["description"]; ok {
		t.Error("@include(if: false) was included")
	}
	if at(a.Data, "nodes", 1) != nil {
		t.Error("a missing value is not null")
	}
	if len(a.Errors) != 1 || a.Errors[0].Type != "NOT_FOUND" || fmt.Sprint(a.Errors[0].Path) != "[nodes 1]" {
		t.Errorf("errors = %+v", a.Errors)
	}
	if cost, _ := at(a.Data, "rateLimit", "cost").(float64); cost != 1 {
		t.Errorf("cost = %v", cost)
	}
}

func TestGraphQLErrors(t *testing.T) {
	w := New(now)
	c := serve(t, w)
	ids := make([]string, 101)
	for i := range ids {
		ids[i] = fmt.Sprint("R_", i)
	}
	if a := c.query(`query($ids:[ID!]!){nodes(ids:$ids){id}}`, map[string]any{"ids": ids}); a.Data != nil || a.Errors[0].Type != "ARGUMENT_LIMIT" {
		t.Errorf("101 ids: %+v", a)
	}
	if a := c.query(`{repository(owner:"octo-labs",name:"weather-mcp"){nope}}`, nil); a.Data != nil || len(a.Errors) == 0 {
		t.Errorf("unknown field: %+v", a)
	}
	if a := c.query(`{r0: repository(owner:"octo-labs",name:"weather-mcp"){nameWithOwner} r1: repository(owner:"x",name:"y"){nameWithOwner}}`, nil); at(a.Data, "r0", "nameWithOwner") != weather ||
		at(a.Data, "r1") != nil || fmt.Sprint(a.Errors[0].Path) != "[r1]" {
		t.Errorf("aliases: %+v", a)
	}
	if a := c.query(`{repository(owner:"octo-labs",name:"weather-mcp"){releases{nodes{tagName}}}}`, nil); a.Errors[0].Type != "MISSING_PAGINATION_BOUNDARIES" {
		t.Errorf("no bound: %+v", a)
	}
	c.token = ""
	if res, _ := c.do("POST", "/github/graphql", `{"query":"{rateLimit{cost}}"}`); res.StatusCode != 401 {
		t.Errorf("anonymous: %d", res.StatusCode)
	}
}

func TestGraphQLSearch(t *testing.T) {
	c := serve(t, New(now))
	q := `query($q:String!,$after:String){search(type:REPOSITORY,query:$q,first:7,after:$after){repositoryCount pageInfo{hasNextPage endCursor} nodes{... on Repository{nameWithOwner}}}}`
	seen := map[any]bool{}
	var after any
	total := 0.0
	for range 50 {
		a := c.query(q, map[string]any{"q": "topic:mcp-server created:2000-01-01..2026-11-20", "after": after})
		total, _ = at(a.Data, "search", "repositoryCount").(float64)
		for _, n := range at(a.Data, "search", "nodes").([]any) {
			seen[at(n, "nameWithOwner")] = true
		}
		after = at(a.Data, "search", "pageInfo", "endCursor")
		if at(a.Data, "search", "pageInfo", "hasNextPage") != true {
			break
		}
	}
	if total < 10 || len(seen) != int(total) {
		t.Errorf("%d seen of %v", len(seen), total)
	}
}

func TestSearchQualifiers(t *testing.T) {
	w := New(now)
	for _, q := range []string{"mcp in:name", "topic:mcp-server", "topic:mcp-server created:2000-01-01..2026-11-20",
		"topic:mcp-server pushed:>=" + now.AddDate(0, 0, -7).Format(time.DateOnly), `"model context protocol" in:description`} {
		if found, err := w.search(q); err != nil || len(found) == 0 {
			t.Errorf("%s: %d found, %v", q, len(found), err)
		}
	}
	for _, q := range []string{"created:yesterday", "created:2026-01-01", "good-first-issues:>3"} {
		if _, err := w.search(q); err == nil {
			t.Errorf("%q was accepted", q)
		}
	}
}

func TestREST(t *testing.T) {
	w := New(now)
	c := serve(t, w)
	var repo struct {
		ID    int64  `json:"id"`
		Full  string `json:"full_name"`
		Stars int    `json:"stargazers_count"`
	}
	res := c.get("/github/repos/"+weather, 200, &repo)
	if repo.Full != weather || repo.Stars != 1240 {
		t.Errorf("%+v", repo)
	}
	if res.Header.Get("X-RateLimit-Remaining") != "4999" || res.Header.Get("X-RateLimit-Resource") != "core" {
		t.Errorf("limits: %v", res.Header)
	}
	var found struct{ Items []struct{ ID int64 } }
	c.get("/github/search/repositories?q=repo:"+weather+"+repo:no/body+fork:true", 200, &found)
	if len(found.Items) != 1 || found.Items[0].ID != repo.ID {
		t.Errorf("found %+v", found)
	}
	c.get("/github/search/repositories?q=repo:no/body", 422, nil)
	for _, path := range []string{"/repos/no/body", "/repos/" + weather + "/nothing", "/nope"} {
		c.get("/github"+path, 404, nil)
	}
}

func TestRepositoryChanges(t *testing.T) {
	w := New(now)
	c := serve(t, w)
	id, node, _ := w.ID(weather)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	head := func() any {
		return at(c.query(`query($id:ID!){node(id:$id){...on Repository{nameWithOwner defaultBranchRef{target{oid}}}}}`, map[string]any{"id": node}).Data, "node", "defaultBranchRef", "target", "oid")
	}
	before := head()
	must(w.Push(weather, map[string]string{"src/new.ts": "export {}\n", "CHANGELOG.md": ""}))
	if head() == before {
		t.Error("a push did not change the head")
	}
	if files := w.find(weather).files; files["src/new.ts"] == "" || files["CHANGELOG.md"] != "" {
		t.Error("a push did not change the files")
	}

	must(w.Rename(weather, "octo-labs/skies"))
	c.get(fmt.Sprintf("/github/repositories/%d", id), 200, nil)
	if err := w.Rename("acme/none", "acme/some"); err == nil {
		t.Error("renamed a missing repository")
	}

	must(w.Archive("octo-labs/skies"))
	var body map[string]any
	c.get("/github/repos/octo-labs/skies", 200, &body)
	if body["archived"] != true {
		t.Error("not archived")
	}
	must(w.Block("octo-labs/skies", "dmca"))
	c.get("/github/repos/octo-labs/skies", 451, nil)
	must(w.Restore("octo-labs/skies"))
	must(w.Delete("octo-labs/skies"))
	c.get("/github/repos/octo-labs/skies", 404, nil)
	if a := c.query(`query($id:ID!){nodes(ids:[$id]){id}}`, map[string]any{"id": node}); a.Errors[0].Type != "NOT_FOUND" {
		t.Errorf("deleted: %+v", a)
	}
	must(w.Add("repo: octo-labs/skies\nstars: 1\ncreated: 1d\ncommits: {count: 1, last: 1h}\n-- README.md --\nNew.\n"))
	if newID, _, _ := w.ID("octo-labs/skies"); newID == id {
		t.Error("a reused name has the old id")
	}
}

func TestEmptyRepository(t *testing.T) {
	w := Empty(now)
	if err := w.Add("repo: a/b\ncreated: 3d\n"); err != nil {
		t.Fatal(err)
	}
	c := serve(t, w)
	c.get("/github/repos/a/b", 200, nil)
	a := c.query(`{repository(owner:"a",name:"b"){isEmpty defaultBranchRef{name} licenseInfo{spdxId}}}`, nil)
	if at(a.Data, "repository", "isEmpty") != true || at(a.Data, "repository", "defaultBranchRef") != nil || len(a.Errors) > 0 {
		t.Errorf("%+v", a)
	}
}

func TestLimits(t *testing.T) {
	w := New(now)
	c := serve(t, w)
	clock := time.Now()
	w.SetClock(func() time.Time { return clock })
	w.SetLimit("core", 2)
	w.SetLimit("graphql", 1)
	c.get("/github/repos/"+weather, 200, nil)
	c.get("/github/repos/"+weather, 200, nil)
	if res := c.get("/github/repos/"+weather, 403, nil); res.Header.Get("X-RateLimit-Remaining") != "0" {
		t.Error("remaining is not 0")
	}
	c.query(`{rateLimit{cost}}`, nil)
	if a := c.query(`{rateLimit{cost}}`, nil); len(a.Errors) == 0 || a.Errors[0].Type != "RATE_LIMITED" {
		t.Errorf("%+v", a)
	}
	clock = clock.Add(61 * time.Minute)
	c.get("/github/repos/"+weather, 200, nil)

	w.Revoke("ann")
	c.get("/github/repos/"+weather, 401, nil)
	c.token = ""
	if res := c.get("/github/repos/"+weather, 200, nil); res.Header.Get("X-RateLimit-Limit") != "60" {
		t.Errorf("anonymous limit %s", res.Header.Get("X-RateLimit-Limit"))
	}
}

func TestFaults(t *testing.T) {
	w := New(now)
	c := serve(t, w)
	w.Fail(Fault{Path: "/github/repos/" + weather, Status: 502, Body: "<html>", Times: 2})
	c.get("/github/repos/"+weather, 502, nil)
	c.get("/github/repos/"+weather, 502, nil)
	c.get("/github/repos/"+weather, 200, nil)
	w.Fail(Fault{Path: "/osv/", Cut: true, Times: 1})
	res, err := http.Post(c.base+"/osv/v1/querybatch", "application/json", strings.NewReader(`{"queries":[]}`))
	if err == nil {
		_, err = io.ReadAll(res.Body)
		res.Body.Close()
	}
	if err == nil {
		t.Error("the response was not truncated")
	}
	w.ClearFaults()
	c.get("/github/repos/"+weather, 200, nil)
	if n := len(w.Requests()); n < 4 {
		t.Errorf("%d requests noted", n)
	}
}

func TestOfficialRegistry(t *testing.T) {
	w := New(now)
	c := serve(t, w)
	type page struct {
		Servers []struct {
			Server struct{ Name, Version string }
			Meta   map[string]struct {
				Status   string
				IsLatest bool
			} `json:"_meta"`
		}
		Metadata struct {
			Count      int
			NextCursor string
		}
	}
	seen := map[string]bool{}
	cursor := ""
	for range 100 {
		var p page
		c.get("/mcp-registry/v0.1/servers?limit=3&version=latest&cursor="+cursor, 200, &p)
		for _, s := range p.Servers {
			if !s.Meta["io.modelcontextprotocol.registry/official"].IsLatest {
				t.Errorf("%s %s is not the latest", s.Server.Name, s.Server.Version)
			}
			seen[s.Server.Name] = true
		}
		if cursor = p.Metadata.NextCursor; cursor == "" {
			break
		}
	}
	if len(seen) < 5 {
		t.Errorf("%d servers", len(seen))
	}
	var p page
	c.get("/mcp-registry/v0.1/servers?updated_since="+now.Format(time.RFC3339), 200, &p)
	if len(p.Servers) != 0 {
		t.Errorf("%d updated after now", len(p.Servers))
	}
}

func TestPackageServices(t *testing.T) {
	c := serve(t, New(now))
	var p struct {
		Versions []struct {
			VersionKey struct{ Version string }
			IsDefault  bool
		}
	}
	c.get("/deps-dev/v3/systems/npm/packages/%40octo-labs%2Fweather-mcp", 200, &p)
	if n := len(p.Versions); n != 5 || !p.Versions[n-1].IsDefault {
		t.Errorf("%+v", p)
	}
	var v map[string]any
	c.get("/deps-dev/v3/systems/npm/packages/%40octo-labs%2Fweather-mcp/versions/1.6.0", 200, &v)
	if at(v, "attestations", 0, "verified") != true || at(v, "licenses", 0) != "MIT" {
		t.Errorf("%v", v)
	}
	c.get("/deps-dev/v3/projects/github.com%2Focto-labs%2Fweather-mcp", 200, &v)
	if at(v, "scorecard", "overallScore") != 7.4 {
		t.Errorf("%v", v)
	}
	c.get("/deps-dev/v3/systems/npm/packages/nothing", 404, nil)
	c.get("/npm-downloads/downloads/range/2026-10-01:2026-10-30/@octo-labs/weather-mcp", 200, &v)
	res, body := c.do("POST", "/osv/v1/querybatch", `{"queries":[{"package":{"ecosystem":"PyPI","name":"y"}},{"package":{"ecosystem":"npm","name":"x"}}]}`)
	if res.StatusCode != 200 || body != `{"results":[{},{}]}` {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}

func TestConcurrentRequests(t *testing.T) {
	w := New(now)
	c := serve(t, w)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 20 {
				c.get("/github/repos/"+weather, 200, nil)
				if err := w.SetStars(weather, i*100+j); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func FuzzParseFixture(f *testing.F) {
	f.Add([]byte("repo: a/b\n-- x --\ny\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if fx, err := parseFixture("f", raw); err == nil {
			_ = Empty(now).add(fx)
		}
	})
}

func FuzzSearch(f *testing.F) {
	w := New(now)
	for _, q := range []string{"mcp in:name", "created:2026-01-01..2026-02-01", "pushed:>=2026-01-01", `"a b" topic:x`} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, q string) { _, _ = w.search(q) })
}

func FuzzGraphQL(f *testing.F) {
	w := New(now)
	f.Add([]byte(`{"query":"{rateLimit{cost}}"}`))
	f.Add([]byte(`{"query":"query($q:String!){search(type:REPOSITORY,query:$q,first:5){nodes{...on Repository{nameWithOwner}}}}","variables":{"q":"mcp"}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		req := httptest.NewRequest("POST", "/github/graphql", bytes.NewReader(body))
		req.Header.Set("Authorization", "Bearer x")
		req.Header.Set("User-Agent", "fuzz")
		w.SetLimit("graphql", 5000)
		w.ServeHTTP(httptest.NewRecorder(), req)
	})
}
