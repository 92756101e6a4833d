package jobs_test

import (
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

func TestAListingThatComesAfterTheVisitCountsAtTheNextProbe(t *testing.T) {
	h := newHouse(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	if name := h.server("rail/trains-mcp").RegistryName; name != "" {
		t.Fatalf("listed as %q before the registry was read", name)
	}
	listing := registry.Listing{
		Name: "io.github.rail/trains-mcp", Status: "active", Version: "1.0.0", Subfolder: "",
		RepoURL: "https://github.com/rail/trains-mcp", RepoSource: registry.GitHub,
		ObservedAt: h.clock.Now(),
	}
	save := func() {
		t.Helper()
		found := registry.Candidate{Ref: registry.RepoRef{Host: registry.GitHub, Owner: "rail",
			Name: "trains-mcp"}, Source: "official-registry", Listing: &listing}
		if _, err := h.db.Enqueue(t.Context(), []registry.Candidate{found},
			h.clock.Now()); err != nil {
			t.Fatal(err)
		}
	}
	save()
	h.later(time.Second)
	h.refresh()
	if name := h.server("rail/trains-mcp").RegistryName; name != listing.Name {
		t.Errorf("listed as %q, want %q: a new listing makes its repository due", name,
			listing.Name)
	}
	h.later(time.Second)
	listing.ObservedAt = h.clock.Now()
	save()
	h.later(time.Second)
	if due := h.status().Due; due != 0 {
		t.Errorf("%d repositories are due for a listing that says what it said before", due)
	}
}
