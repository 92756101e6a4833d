package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	gh "github.com/google/go-github/v66/github"

	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

func TestRESTKeepsStoredCommit(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter,
		q gqlRequest) {
		w.WriteHeader(http.StatusBadGateway)
	})
	work := knownWell()
	f.restRepo(1, 200, restBody(1))
	f.rest["/repos/o/r1/git/trees/HEAD"] = restTree(work.Stored.Files)
	v := visitAll(t, f.github(t, nil), []registry.Work{work})[1]
	if v.Outcome != registry.Fetched {
		t.Fatalf("%s, %v", v.Outcome, v.Err)
	}
	s, was := v.Snapshot, work.Stored
	if !reflect.DeepEqual(s.Activity, was.Activity) || !reflect.DeepEqual(s.Issues, was.Issues) ||
		s.Failures["activity"] == "" || s.Failures["issues"] == "" {
		t.Errorf("activity %+v, issues %+v, failures %v", s.Activity, s.Issues, s.Failures)
	}
	if !s.TextsStored || s.Failures["texts"] != "" || s.Repo.Commit != was.Repo.Commit ||
		s.Repo.TreeID != was.Repo.TreeID || s.Repo.CommittedAt == nil {
		t.Errorf("texts stored %v, %v, commit %q", s.TextsStored, s.Failures, s.Repo.Commit)
	}
	if len(s.Repo.Languages) != 1 || s.Repo.OpenIssues == nil || *s.Repo.Stars != 7 {
		t.Errorf("got %+v", s.Repo)
	}
}

func TestRESTReadsChangedFiles(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter,
		q gqlRequest) {
		w.WriteHeader(http.StatusBadGateway)
	})
	work := knownWell()
	f.restRepo(1, 200, restBody(1))
	files := append([]registry.File(nil), work.Stored.Files...)
	files[1].OID = oid(4)
	f.rest["/repos/o/r1/git/trees/HEAD"] = restTree(files)
	f.rest["/repos/o/r1/git/blobs/"+oid(4)] = func(w http.ResponseWriter,
		r *http.Request) {
		fmt.Fprint(w, `{"name":"x"}`)
	}
	g := f.github(t, nil)
	g.Texts = func(_ context.Context, id int64) (map[string]string, error) {
		return map[string]string{"README.md": "hello", "package.json": "{}"}, nil
	}
	v := visitAll(t, g, []registry.Work{work})[1]
	if v.Outcome != registry.Fetched {
		t.Fatalf("%s, %v", v.Outcome, v.Err)
	}
	if s := v.Snapshot; s.TextsStored || s.Texts["README.md"] != "hello" ||
		s.Texts["package.json"] != `{"name":"x"}` || s.Failures["texts"] != "" ||
		s.Repo.Commit != "" {
		t.Errorf("got %+v", s)
	}
	if n := f.count("GET /repos/o/r1/git/blobs/"); n != 1 {
		t.Errorf("%d files requested", n)
	}
}

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
			if _, err := countContributors(t.Context(), g.rest, ref.Owner, ref.Name); err == nil {
				t.Errorf("%v: contributors were requested", ref)
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
	t.Run("8: 202, 204, 409, 451 and HTML are distinguished", func(t *testing.T) {
		status, body := 204, ""
		g, _ := restServer(t, "/",
			func(w http.ResponseWriter,
				r *http.Request) {
				w.WriteHeader(status)
				fmt.Fprint(w, body)
			})
		if n, err := countContributors(t.Context(), g.rest, "o", "r"); n != 0 || err != nil {
			t.Errorf("204: %d, %v", n, err)
		}
		for _, c := range []struct {
			status int
			body   string
			want   string
		}{{202, "{}", "no response"}, {409, `{"message":"Git Repository is empty."}`, "status 409"},
			{451, `{"message":"Repository access blocked","block":{"reason":"dmca"}}`,
				"status 451"}, {502, "<html>", "status 502"}} {
			status, body = c.status, c.body
			_, _, err := g.rest.Git.GetTree(t.Context(), "o", "r", "x", true)
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

func TestVisitWithoutToken(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter,
		q gqlRequest) {
		t.Error("GraphQL was queried without a token")
	})
	f.remained = 5
	f.restRepo(1, 200, restBody(1))
	f.rest["/repos/o/r1/git/trees/HEAD"] = func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"sha":"%s","truncated":false,"tree":[
			{"path":"README.md","type":"blob","mode":"100644","size":5,"sha":"%s"},{"path":"package.json","type":"blob","mode":"100644","size":2,"sha":"%s"},
			{"path":"src","type":"tree","mode":"040000","sha":"%s"},{"path":"src/index.ts","type":"blob","mode":"100644","size":9,"sha":"%s"},{"path":"../evil","type":"blob","mode":"100644","size":9,"sha":"%s"}]}`, oid(1), oid(2), oid(3), oid(4), oid(5), oid(6))
	}
	f.rest["/repos/o/r1/git/blobs/"+oid(2)] = func(w http.ResponseWriter,
		r *http.Request) {
		fmt.Fprint(w, "hello")
	}
	f.rest["/repos/o/r1/git/blobs/"+oid(3)] = func(w http.ResponseWriter,
		r *http.Request) {
		fmt.Fprint(w, "{}")
	}
	g := f.github(t, func(o *Options) { o.Token = "" })
	all := visitAll(t, g, newNamed(1))
	v := all[1]
	if v.Outcome != registry.Fetched {
		t.Fatalf("%s: %v", v.Outcome, v.Err)
	}
	s := v.Snapshot
	if len(s.Files) != 3 || s.Texts["README.md"] != "hello" || s.Texts["package.json"] != "{}" ||
		s.Repo.Contributors != nil {
		t.Errorf("files %v, texts %v", s.Files, s.Texts)
	}
	if !strings.Contains(s.Failures["activity"], "partially read") || s.Failures["texts"] == "" {
		t.Errorf("failures %v", s.Failures)
	}
	if n := f.count("GET"); n > 4 {
		t.Errorf("%d requests for one repository", n)
	}
	// Known and unchanged: one request.
	before := f.count("GET")
	v = visitAll(t, g, []registry.Work{next(v, time.Now())})[1]
	if v.Outcome != registry.Unchanged || f.count("GET") != before+1 {
		t.Errorf("second time: %s after %d requests", v.Outcome, f.count("GET")-before)
	}
	// The budget ends: the rest is untouched.
	f.remained = 0
	f.restRepo(2, 200, restBody(2))
	all = visitAll(t, g, newNamed(9)[1:])
	if len(all) != 0 || g.Ready() == nil {
		t.Errorf("visits %v with a spent budget", tally(all))
	}
	if !strings.Contains(g.WithoutToken(), "60 requests") {
		t.Error("no notice about the missing token")
	}
	for _, h := range f.headers {
		if h.Get("Authorization") != "" {
			t.Error("an anonymous request had a credential")
		}
	}
}
