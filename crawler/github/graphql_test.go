package github

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

func FuzzGraphQLResponse(f *testing.F) {
	raw, _ := json.Marshal(map[string]any{"data": map[string]any{"nodes": []any{node(1), nil}}, "errors": []any{map[string]any{"path": []any{"nodes", 1}, "type": "NOT_FOUND", "message": "x"}}})
	f.Add(string(raw))
	f.Add(`{"data":{"nodes":[{"id":"R_1","nameWithOwner":"o/r1","releases":{"nodes":[null]},"languages":{"edges":[null,{}]}}]},"errors":[{"path":["nodes",-1,2.5,{}]}]}`)
	f.Add(`{"data":null,"errors":[null]}`)
	g, err := New(Options{BaseURL: "http://127.0.0.1:1", Token: "t"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body string) {
		var r reply
		if json.Unmarshal([]byte(body), &r) != nil {
			return
		}
		got, err := g.checkErrors(&r)
		if err != nil {
			return
		}
		var data struct{ Nodes []json.RawMessage }
		if decode(got.Data, &data) != nil {
			return
		}
		items, err := got.lists(len(data.Nodes), "nodes")
		if err != nil {
			return
		}
		for _, it := range items {
			it.limited()
			n, what := it.node(registry.Work{})
			if what != nodeRead {
				continue
			}
			repo := n.repository(time.Now(), &it)
			if strings.ContainsRune(repo.Description+repo.Homepage, 0) || !validName(repo.Owner, repo.Name) {
				t.Errorf("%q gave %+v", body, repo)
			}
		}
	})
}

// TestQueryRefused covers refusals other than GitHub's known limits, such as those of a proxy, a
// firewall or a ban. They must not affect the repositories: without a token, new ones are read with
// git.
func TestQueryRefused(t *testing.T) {
	refuse := func(status int) func(w http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.WriteHeader(status)
			fmt.Fprint(w, "<html>Forbidden by policy</html>")
		}
	}
	first := known(400, false)
	for i := range first {
		first[i].NodeID, first[i].Stored, first[i].FetchedAt, first[i].HostID = "", nil, nil, 0
	}
	for name, c := range map[string]struct {
		works  []registry.Work
		status int
		token  string
	}{
		"probes":        {known(400, false), 403, "tok"},
		"full":          {known(400, true), 403, "tok"},
		"by name":       {first, 403, "tok"},
		"redirects":     {known(400, true), 302, "tok"},
		"not found":     {known(400, true), 404, "tok"},
		"without token": {first[:200], 403, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t, func(w http.ResponseWriter, q gqlRequest) { refuse(c.status)(w) })
			f.anyREST = func(w http.ResponseWriter, r *http.Request) { refuse(c.status)(w) }
			now := time.Now()
			g := f.github(t, func(o *Options) { o.Token = c.token; o.Now = func() time.Time { return now } })
			all := visitAll(t, g, c.works)
			api := func() int { return f.count("") - f.count("GIT") }
			want := map[registry.Outcome]int{}
			if c.token == "" {
				want[registry.Fetched] = len(c.works)
			}
			if d := cmp.Diff(want, tally(all)); d != "" {
				t.Errorf("the repositories are affected: %s", d)
			}
			if n := api(); n > 10 {
				t.Errorf("%d requests", n)
			}
			var limit *transport.LimitError
			if err := g.Ready(); !errors.As(err, &limit) || limit.Until.Sub(now) != time.Minute {
				t.Errorf("ready: %v", err)
			}
			// After each wait, one request is enough.
			now = now.Add(time.Minute)
			before := api()
			visitAll(t, g, c.works)
			if n := api() - before; n != 1 {
				t.Errorf("%d requests after the wait", n)
			}
			if err := g.Ready(); !errors.As(err, &limit) || limit.Until.Sub(now) != 2*time.Minute {
				t.Errorf("ready after the wait: %v", err)
			}
		})
	}
	t.Run("occasional", func(t *testing.T) {
		n := 0
		f := newFake(t, func(w http.ResponseWriter, q gqlRequest) {
			if n++; n%4 == 1 {
				refuse(403)(w)
				return
			}
			honest(w, q, nil)
		})
		all := visitAll(t, f.github(t, nil), known(3*fullRepos, true))
		if got := tally(all); got[registry.Fetched] != 3*fullRepos {
			t.Errorf("got %v", got)
		}
	})
	t.Run("of the query", func(t *testing.T) {
		f := newFake(t, func(w http.ResponseWriter, q gqlRequest) {
			fmt.Fprint(w, `{"errors":[{"message":"Field 'x' doesn't exist on type 'Repository'","extensions":{"code":"undefinedField"}}]}`)
		})
		all := visitAll(t, f.github(t, nil), known(400, true))
		if n := f.count(""); n != maxRefusedQueries || len(all) != fullRepos*maxRefusedQueries {
			t.Errorf("%d requests, %d repositories are affected", n, len(all))
		}
	})
}
