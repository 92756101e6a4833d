package github

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"mcpcensus/internal/registry"
)

// Checks on demand ask at the same time, of a host that fails, too. The race
// detector has the say here.
func TestSeveralAskAtOnce(t *testing.T) {
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
