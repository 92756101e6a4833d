package github

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpcensus/crawler"
	"mcpcensus/crawler/git"
	"mcpcensus/crawler/git/gittest"
	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

func TestResolve(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, q gqlRequest) { honest(w, q, nil) })
	v := f.github(t, nil).Resolve(t.Context(), registry.RepoRef{Host: registry.GitHub, Owner: "o", Name: "r5"}, nil)
	if v.Outcome != registry.Fetched || v.Snapshot.Repo.ID != 5 {
		t.Errorf("%s: %v", v.Outcome, v.Err)
	}
}

// TestResolveConcurrently runs on-demand checks concurrently against a failing host, for the race
// detector.
func TestResolveConcurrently(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, q gqlRequest) { w.WriteHeader(http.StatusBadGateway) })
	f.anyREST = func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusBadGateway) }
	g := f.github(t, nil)
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			v := g.Resolve(t.Context(), registry.RepoRef{Host: registry.GitHub, Owner: "o", Name: fmt.Sprint("r", i+1)}, nil)
			if v.Outcome != registry.Failed {
				t.Errorf("%s", v.Outcome)
			}
		})
	}
	wait.Wait()
}

func TestTokenHidden(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(401) }))
	defer srv.Close()
	g, err := New(Options{BaseURL: srv.URL, Token: "ghp_secret"})
	if err != nil {
		t.Fatal(err)
	}
	v := g.Resolve(context.Background(), registry.RepoRef{Host: registry.GitHub, Owner: "o", Name: "r"}, nil)
	if said := fmt.Sprintf("%v %+v %+v", v.Err, g.opt, g.Budgets()); strings.Contains(said, "ghp_secret") {
		t.Errorf("%s", said)
	}
}

// A gqlRequest is the body of a GraphQL query.
type gqlRequest struct {
	Query     string
	Variables map[string]any
}

// operation returns the name of the query.
func (q gqlRequest) operation() string {
	name, _, _ := strings.Cut(strings.TrimPrefix(q.Query, "query "), "(")
	return name
}

func (q gqlRequest) strings(name string) []string {
	var out []string
	list, _ := q.Variables[name].([]any)
	for _, v := range list {
		out = append(out, v.(string))
	}
	return out
}

// A fake is a GitHub whose GraphQL responses are from a function and whose REST responses are
// from a map of paths. It records requests.
type fake struct {
	*httptest.Server
	mu        sync.Mutex
	requested []string // "POST Full", "GET /repos/o/r"
	headers   []http.Header
	respond   func(http.ResponseWriter, gqlRequest)
	rest      map[string]http.HandlerFunc
	anyREST   http.HandlerFunc // handles every REST request, if set
	sizes     []int            // of the batches read in full
	git       *gittest.Server
	// gitNames are the names to which git redirects, by name; "" for repositories that git lacks.
	gitNames map[string]string
	// held is a repository for which git responds only after release is closed.
	held     string
	release  chan struct{}
	remained int // of the budget, in the headers; -1 sends none
}

func newFake(t *testing.T, respond func(http.ResponseWriter, gqlRequest)) *fake {
	f := &fake{respond: respond, rest: map[string]http.HandlerFunc{}, remained: 4000, git: gittest.New()}
	f.git.Set("o/r", gitRepo)
	f.Server = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(f.Close)
	return f
}

// gitRepo is what git has for every repository of a fake, and gitHead its commit.
var (
	gitRepo = gittest.Repo{Commits: []gittest.Commit{{At: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC),
		Files: map[string]string{"README.md": "# Weather\n", "package.json": "{}\n"}}}}
	gitHead = gittest.New().Set("o/r", gitRepo)[0]
)

func (f *fake) serve(w http.ResponseWriter, r *http.Request) {
	if name, isGit := strings.CutPrefix(r.URL.Path, "/git/"); isGit {
		f.mu.Lock()
		f.requested = append(f.requested, "GIT "+name)
		f.mu.Unlock()
		name, rest, _ := strings.Cut(name, ".git/")
		if name == f.held {
			<-f.release
		}
		switch to, moved := f.gitNames[name]; {
		case moved && to == "":
			http.NotFound(w, r)
			return
		case moved:
			http.Redirect(w, r, "/git/"+to+".git/"+rest+"?"+r.URL.RawQuery, http.StatusMovedPermanently)
			return
		}
		r.URL.Path = "/o/r.git/" + rest
		f.git.ServeHTTP(w, r)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.headers = append(f.headers, r.Header.Clone())
	if f.remained >= 0 {
		f.rates(w.Header(), f.remained, time.Hour)
	}
	if r.URL.Path == "/graphql" {
		raw, _ := io.ReadAll(r.Body)
		var q gqlRequest
		if err := json.Unmarshal(raw, &q); err != nil {
			http.Error(w, err.Error(), 400)
			return
		}
		f.requested = append(f.requested, "POST "+q.operation())
		if q.operation() == "Full" {
			f.sizes = append(f.sizes, len(q.strings("ids")))
		}
		f.respond(w, q)
		return
	}
	f.requested = append(f.requested, r.Method+" "+r.URL.Path)
	if f.anyREST != nil {
		f.anyREST(w, r)
		return
	}
	if h := f.rest[r.URL.Path]; h != nil {
		h(w, r)
		return
	}
	w.WriteHeader(404)
	fmt.Fprint(w, `{"message":"Not Found","documentation_url":"https://docs.github.com/rest","status":"404"}`)
}

func (f *fake) rates(h http.Header, remaining int, reset time.Duration) {
	h.Set("X-RateLimit-Limit", "5000")
	h.Set("X-RateLimit-Remaining", fmt.Sprint(remaining))
	h.Set("X-RateLimit-Used", fmt.Sprint(5000-remaining))
	h.Set("X-RateLimit-Reset", fmt.Sprint(time.Now().Add(reset).Unix()))
}

// count returns how many requests began with prefix.
func (f *fake) count(prefix string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, a := range f.requested {
		if strings.HasPrefix(a, prefix) {
			n++
		}
	}
	return n
}

func (f *fake) github(t *testing.T, change func(*Options)) *Client {
	t.Helper()
	opt := Options{BaseURL: f.URL, Token: "tok", Log: slog.New(slog.DiscardHandler), Sleep: noSleep}
	if change != nil {
		change(&opt)
	}
	g, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	g.Contents = contentsAt(t, f.URL, opt)
	return g
}

// contentsAt returns a reader of the repositories below /git/ of a server.
func contentsAt(t *testing.T, url string, opt Options) *crawler.Contents {
	t.Helper()
	c, err := git.New(host, git.Options{BaseURL: url + "/git/", Token: opt.Token,
		Pace: transport.Pace{Max: 10_000}, Transport: transport.Options{Log: opt.Log, Sleep: opt.Sleep,
			Now: opt.Now}})
	if err != nil {
		t.Fatal(err)
	}
	return &crawler.Contents{Git: c, Now: time.Now}
}

func noSleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }
