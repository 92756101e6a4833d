package github

import (
	"net/http"
	"testing"

	"mcpcensus/internal/registry"
)

func TestSettleMissing(t *testing.T) {
	gone := func(n int, repo map[string]any) map[string]any {
		return map[string]any{"error": map[string]any{"type": missingError, "message": "Could not resolve"}}
	}
	// All are missing according to GraphQL, but not according to REST.
	f := newFake(t, func(w http.ResponseWriter, q gqlRequest) { honest(w, q, gone) })
	for n := 1; n <= 100; n++ {
		f.restRepo(n, 200, restBody(n))
	}
	if got := tally(visitAll(t, f.github(t, nil), known(100, false))); got[registry.Failed] != 100 {
		t.Errorf("against REST: %v", got)
	}
	// Missing according to both: the first 20 of a day are accepted.
	f = newFake(t, func(w http.ResponseWriter, q gqlRequest) { honest(w, q, gone) })
	all := visitAll(t, f.github(t, nil), known(100, false))
	if got := tally(all); got[registry.Missing] != breakerMin || got[registry.Failed] != 100-breakerMin {
		t.Errorf("missing from both: %v", got)
	}
	// A few dead names on a list are normal.
	f = newFake(t, func(w http.ResponseWriter, q gqlRequest) {
		honest(w, q, func(n int, repo map[string]any) map[string]any {
			if n <= 8 {
				return gone(n, repo)
			}
			return repo
		})
	})
	if got := tally(visitAll(t, f.github(t, nil), newNamed(20))); got[registry.Missing] != 8 || got[registry.Fetched] != 12 {
		t.Errorf("dead names: %v", got)
	}
}
