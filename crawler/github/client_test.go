package github

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"mcpcensus/internal/registry"
)

func TestResolve(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, q gqlRequest) { honest(w, q, nil) })
	v := f.github(t, nil).Resolve(t.Context(), registry.RepoRef{Host: registry.GitHub, Owner: "o", Name: "r5"}, nil)
	if v.Outcome != registry.Fetched || v.Snapshot.Repo.ID != 5 {
		t.Errorf("%s: %v", v.Outcome, v.Err)
	}
}

// Checks on demand ask at the same time, of a host that fails, too. The race
// detector has the say here.
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

func TestTokenIsNotShown(t *testing.T) {
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
