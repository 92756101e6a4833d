package github

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	gh "github.com/google/go-github/v66/github"

	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

// restServer returns a test server for a handler.
func restServer(t *testing.T, base string, h http.HandlerFunc) (*Client, *httptest.Server) {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	g, err := New(Options{BaseURL: srv.URL + base, Token: "tok", Sleep: noSleep})
	if err != nil {
		t.Fatal(err)
	}
	return g, srv
}

// TestREST checks that known faults of go-github do not affect the client. The numbers are those
// of a list of its faults.
func TestREST(t *testing.T) {
	limits := func(h http.Header, remaining int, reset time.Duration) {
		h.Set("X-RateLimit-Limit", "5000")
		h.Set("X-RateLimit-Remaining", fmt.Sprint(remaining))
		h.Set("X-RateLimit-Reset", fmt.Sprint(time.Now().Add(reset).Unix()))
	}
	var limit *transport.LimitError

	t.Run("1: 429 is a limit like 403", func(t *testing.T) {
		g, _ := restServer(t, "/", func(w http.ResponseWriter, r *http.Request) {
			limits(w.Header(), 0, time.Hour)
			w.WriteHeader(429)
			fmt.Fprint(w, `{"message":"API rate limit exceeded for user ID 1."}`)
		})
		if _, _, err := g.rest.Repositories.Get(t.Context(), "o", "r"); !errors.As(err, &limit) ||
			limit.Kind != transport.PrimaryLimit {
			t.Errorf("got %v", err)
		}
	})
	t.Run("2: a secondary limit without a time blocks for a minute, not until the reset",
		func(t *testing.T) {
			g, _ := restServer(t, "/", func(w http.ResponseWriter, r *http.Request) {
				limits(w.Header(), 4000, 50*time.Minute)
				w.WriteHeader(403)
				fmt.Fprint(w, `{"message":"You have exceeded a secondary rate limit.","documentation_url":"https://docs.github.com/x#about-secondary-rate-limits"}`)
			})
			if _, _, err := g.rest.Repositories.Get(t.Context(), "o", "r"); !errors.As(err,
				&limit) ||
				time.Until(limit.Until) > 61*time.Second {
				t.Errorf("got %v", err)
			}
		})
	t.Run("3: a spent search budget under an Enterprise path does not stop other calls",
		func(t *testing.T) {
			g, _ := restServer(t, "/api/v3", func(w http.ResponseWriter, r *http.Request) {
				if !strings.HasPrefix(r.URL.Path, "/api/v3/") ||
					strings.Contains(r.URL.Path, "/api/v3/api/v3") {
					t.Errorf("path %s", r.URL.Path)
				}
				if strings.Contains(r.URL.Path, "search") {
					limits(w.Header(), 0, time.Hour)
					fmt.Fprint(w, `{"total_count":0,"items":[]}`)
					return
				}
				limits(w.Header(), 4000, time.Hour)
				fmt.Fprint(w, restBody(1))
			})
			if _, _, err := g.rest.Search.Repositories(t.Context(), "x", nil); err != nil {
				t.Fatal(err)
			}
			if _, _, err := g.rest.Repositories.Get(t.Context(), "o", "r"); err != nil {
				t.Errorf("core was stopped too: %v", err)
			}
			if g.api.Ready(searchLimit) == nil {
				t.Error("search was not stopped")
			}
			if !strings.HasSuffix(g.graphql, "/api/graphql") {
				t.Errorf("GraphQL at %s", g.graphql)
			}
		})
	t.Run("4: a redirect to another host gets no token and no request", func(t *testing.T) {
		away := 0
		other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter,
			*http.Request) {
			away++
		}))
		defer other.Close()
		g, _ := restServer(t, "/",
			func(w http.ResponseWriter,
				r *http.Request) {
				http.Redirect(w, r, other.URL, http.StatusFound)
			})
		if _, _, err := g.rest.Repositories.Get(t.Context(), "o", "r"); !errors.Is(err,
			transport.ErrForeignHost) || away != 0 {
			t.Errorf("got %v, %d requests away", err, away)
		}
	})
	t.Run("5: names that would change the path are never sent", func(t *testing.T) {
		requested := 0
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
			r *http.Request) {
			requested++
			w.WriteHeader(404)
		}))
		defer srv.Close()
		g, err := New(Options{BaseURL: srv.URL, Sleep: noSleep})
		if err != nil {
			t.Fatal(err)
		}
		for _, ref := range []registry.RepoRef{{Owner: "a/../..", Name: "user"},
			{Owner: "o", Name: "r/contents/x"}, {Owner: "o", Name: "r?x=1"},
			{Owner: "o", Name: "r#x"}, {Owner: "", Name: ""}, {Owner: "o", Name: ".."}} {
			ref.Host = registry.GitHub
			v := g.Resolve(t.Context(), ref, nil)
			if v.Outcome != registry.Failed || !errors.Is(v.Err, registry.ErrInvalid) {
				t.Errorf("%v: %s, %v", ref, v.Outcome, v.Err)
			}
		}
		if requested != 0 {
			t.Errorf("%d requests", requested)
		}
	})
	t.Run("6: a renamed repository is followed by GET, a POST is not redirected",
		func(t *testing.T) {
			posts := 0
			g, _ := restServer(t, "/", func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path == "/repos/o/old":
					w.Header().Set("Location", "/repositories/7")
					w.WriteHeader(301)
					fmt.Fprint(w, `{"message":"Moved Permanently"}`)
				case r.URL.Path == "/graphql":
					posts++
					http.Redirect(w, r, "/elsewhere", http.StatusMovedPermanently)
				case r.URL.Path == "/elsewhere":
					t.Error("the query was redirected")
				default:
					fmt.Fprint(w, restBody(7))
				}
			})
			r, _, err := g.rest.Repositories.Get(t.Context(), "o", "old")
			if err != nil || r.GetFullName() != "o/r7" {
				t.Errorf("got %v, %v", r.GetFullName(), err)
			}
			var over *overload
			if _, err := g.query(t.Context(), "query X { a }", nil); !errors.As(err, &over) ||
				posts != 1 {
				t.Errorf("redirected query: %v", err)
			}
		})
	t.Run("7: 304 is a response, not an error", func(t *testing.T) {
		n := 0
		g, _ := restServer(t, "/", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"x"`)
			if n++; r.Header.Get("If-None-Match") == `"x"` {
				w.WriteHeader(304)
				return
			}
			fmt.Fprint(w, restBody(1))
		})
		for range 2 {
			if r, _, err := g.rest.Repositories.Get(t.Context(), "o", "r1"); err != nil ||
				r.GetID() != 1 {
				t.Fatalf("got %v, %v", r, err)
			}
		}
		if n != 2 {
			t.Errorf("%d requests: it must be confirmed each time (trap 14)", n)
		}
	})
	t.Run("8: 202, 409, 451 and HTML are distinguished", func(t *testing.T) {
		status, body := 0, ""
		g, _ := restServer(t, "/",
			func(w http.ResponseWriter,
				r *http.Request) {
				w.WriteHeader(status)
				fmt.Fprint(w, body)
			})
		for _, c := range []struct {
			status int
			body   string
			want   string
		}{{202, "{}", "no response"}, {409, `{"message":"Git Repository is empty."}`, "status 409"},
			{451, `{"message":"Repository access blocked","block":{"reason":"dmca"}}`,
				"status 451"}, {502, "<html>", "status 502"}} {
			status, body = c.status, c.body
			_, _, err := g.rest.Repositories.Get(t.Context(), "o", "r")
			if err == nil || reasonOf(err) != c.want {
				t.Errorf("%d: %v, %q", c.status, err, reasonOf(err))
			}
		}
	})
	t.Run("9 13: the last request of a budget succeeds, and the client stops the next",
		func(t *testing.T) {
			n := 0
			g, _ := restServer(t, "/", func(w http.ResponseWriter, r *http.Request) {
				n++
				limits(w.Header(), 0, time.Hour)
				fmt.Fprint(w, restBody(1))
			})
			if _, _, err := g.rest.Repositories.Get(t.Context(), "o", "r"); err != nil {
				t.Fatal(err)
			}
			_, _, err := g.rest.Repositories.Get(t.Context(), "o", "r")
			var theirs *gh.RateLimitError
			if !errors.As(err, &limit) || errors.As(err, &theirs) || n != 1 {
				t.Errorf("got %v after %d requests", err, n)
			}
		})
	t.Run("10: a gateway's response does not lose the budget", func(t *testing.T) {
		n := 0
		g, _ := restServer(t, "/", func(w http.ResponseWriter, r *http.Request) {
			if n++; n == 2 {
				w.WriteHeader(502)
				return
			}
			limits(w.Header(), 77, time.Hour)
			fmt.Fprint(w, restBody(1))
		})
		for range 2 {
			g.rest.Repositories.Get(t.Context(), "o", "r")
		}
		if left, ok := g.api.Remaining(coreLimit); !ok || left != 77 {
			t.Errorf("left %d, %v", left, ok)
		}
	})
	t.Run("11: errors in a GraphQL response with status 200 are errors", func(t *testing.T) {
		g, _ := restServer(t, "/", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, `{"errors":[{"message":"no"}]}`)
		})
		if _, err := g.query(t.Context(), "query X { a }", nil); err == nil {
			t.Error("no error")
		}
	})
}

// TestVisitWithoutToken reads metadata by search, and by REST where the search does not list a
// repository.
func TestVisitWithoutToken(t *testing.T) {
	f := newFake(t, func(http.ResponseWriter, gqlRequest) {
		t.Error("GraphQL was queried without a token")
	})
	f.rest["/search/repositories"] = func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query().Get("q")
		if len(q) > maxQuery || !strings.HasSuffix(q, " fork:true") {
			t.Errorf("query %q", q)
		}
		fmt.Fprint(w, searchBody(q, func(n int) string {
			if n == 1 {
				return ""
			}
			return restBody(n)
		}))
	}
	f.restRepo(1, 200, restBody(1))
	g := f.github(t, func(o *Options) { o.Token = "" })
	all := visitAll(t, g, newNamed(40))
	for n := range int64(40) {
		v := all[n+1]
		if v.Outcome != registry.Fetched || v.Snapshot.Texts["README.md"] == "" || *v.Snapshot.Repo.Stars != 7 ||
			v.Snapshot.Failures != nil || v.Snapshot.Repo.Tags == nil {
			t.Fatalf("%d: %s, %v, %+v", n+1, v.Outcome, v.Err, v.Snapshot)
		}
	}
	if searches, gets := f.count("GET /search"), f.count("GET /repos"); searches > 3 || gets != 1 {
		t.Errorf("%d searches and %d requests for 40 repositories", searches, gets)
	}
	before := f.count("GIT")
	if v := visitAll(t, g, []registry.Work{next(all[2], time.Now())})[2]; v.Outcome != registry.Unchanged ||
		f.count("GIT") != before {
		t.Errorf("unchanged: %s, %v", v.Outcome, v.Err)
	}
	f.rates(http.Header{}, 0, 0)
	f.remained = 0 // the limit of single requests is spent, that of searches is its own
	visitAll(t, g, newNamed(2))
	v := visitAll(t, g, newNamed(1))[1]
	if v.Outcome != registry.Fetched || v.Snapshot.Repo.Identified() {
		t.Errorf("with a spent limit: %s, %v", v.Outcome, v.Err)
	}
	if !strings.Contains(g.WithoutToken(), "GITHUB_TOKEN") {
		t.Error("no notice about the missing token")
	}
	for _, h := range f.headers {
		if h.Get("Authorization") != "" {
			t.Error("an anonymous request had a credential")
		}
	}
}

// searchBody is the response to a search that lists the named repositories whose number is in
// items.
func searchBody(q string, items func(n int) string) string {
	var found []string
	for term := range strings.FieldsSeq(q) {
		var n int
		if fmt.Sscanf(term, "repo:o/r%d", &n); n > 0 && items(n) != "" {
			found = append(found, items(n))
		}
	}
	return fmt.Sprintf(`{"total_count":%d,"items":[%s]}`, len(found), strings.Join(found, ","))
}

// TestVisitWithoutSearch reads repositories with git alone while GitHub refuses searches, and
// completes them later.
func TestVisitWithoutSearch(t *testing.T) {
	f := newFake(t, nil)
	refuse := true
	f.rest["/search/repositories"] = func(w http.ResponseWriter, r *http.Request) {
		if refuse {
			f.rates(w.Header(), 0, time.Hour)
			w.WriteHeader(403)
			fmt.Fprint(w, `{"message":"API rate limit exceeded for 192.0.2.1."}`)
			return
		}
		fmt.Fprint(w, searchBody(r.URL.Query().Get("q"), restBody))
	}
	g := f.github(t, func(o *Options) { o.Token = "" })
	works := newNamed(40)
	works[39] = known(40, true)[39]
	all := visitAll(t, g, works)
	for n := range int64(39) {
		v := all[n+1]
		repo := v.Snapshot.Repo
		if v.Outcome != registry.Fetched || !v.Again || repo.Identified() || repo.Stars != nil ||
			repo.Commit != gitHead || v.Snapshot.Texts["README.md"] == "" {
			t.Fatalf("%d: %s, %v, %+v", n+1, v.Outcome, v.Err, v.Snapshot)
		}
	}
	if v, ok := all[40]; ok {
		t.Errorf("a repository with an id was read by its name: %+v", v)
	}
	if _, why := g.Backoff(true); why == nil {
		t.Error("no reason why known repositories wait")
	}
	if _, why := g.Backoff(false); why != nil {
		t.Errorf("new ones wait: %v", why)
	}
	before := f.count("GIT")
	waiting := next(all[1], time.Now())
	if v, ok := visitAll(t, g, []registry.Work{waiting})[1]; ok || f.count("GIT") != before {
		t.Errorf("it was read again: %+v", v)
	}
	refuse = false
	g = f.github(t, func(o *Options) { o.Token = "" })
	v := visitAll(t, g, []registry.Work{waiting})[1]
	if v.Outcome != registry.Fetched || v.Again || v.Snapshot.Repo.ID != 1 ||
		!v.Snapshot.TextsStored || f.count("GIT")-before > 2 {
		t.Errorf("%s, %v, %d requests of git", v.Outcome, v.Err, f.count("GIT")-before)
	}
}

// TestVisitUnlisted visits repositories that GitHub's search does not list under their name.
func TestVisitUnlisted(t *testing.T) {
	f := newFake(t, nil)
	f.rest["/search/repositories"] = func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, searchBody(r.URL.Query().Get("q"), func(n int) string {
			if n != 9 {
				return ""
			}
			return restBody(n)
		}))
	}
	f.restRepo(3, 200, restBody(3))
	f.gitNames = map[string]string{"o/r1": "", "o/r2": "o/r9", "o/r4": "o/r5"}
	g := f.github(t, func(o *Options) { o.Token = "" })
	all := visitAll(t, g, newNamed(3))
	if all[1].Outcome != registry.Missing {
		t.Errorf("deleted: %s, %v", all[1].Outcome, all[1].Err)
	}
	if v := all[2]; v.Outcome != registry.Fetched || v.Snapshot.Repo.ID != 9 {
		t.Errorf("renamed: %s, %v", v.Outcome, v.Err)
	}
	if v := all[3]; v.Outcome != registry.Fetched || v.Snapshot.Repo.ID != 3 ||
		f.count("GET /repos") != 1 {
		t.Errorf("not listed: %s, %v, %d single requests", v.Outcome, v.Err, f.count("GET /repos"))
	}
	f.remained = 0
	visitAll(t, g, newNamed(3)[2:])
	v := visitAll(t, g, newNamed(4)[3:])[4]
	if v.Outcome != registry.Fetched || !v.Again || v.Snapshot.Repo.FullName() != "o/r5" {
		t.Errorf("renamed, not listed: %s, %v", v.Outcome, v.Err)
	}
}
