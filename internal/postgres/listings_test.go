package postgres_test

import (
	"strings"
	"testing"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/registry"
)

func TestListings(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	listing := func(name, repoID string) *registry.Listing {
		return &registry.Listing{Name: name, Description: "d", Status: "active",
			RepoSource: "github", RepoID: repoID}
	}
	first, second, third := candidate("octo/many", 0), candidate("Octo/Many",
		7), candidate("octo/many", 8)
	first.Listing, second.Listing, third.Listing = listing("io.x/a", ""), listing("io.x/b",
		"7"), listing("io.x/c", "8")
	enqueue(t, db, start, first)
	enqueue(t, db, start, second)
	enqueue(t, db, start, third) // claims the name for another repository
	if err := db.SaveListings(t.Context(),
		[]registry.Listing{{Name: "io.x/remote", Status: "active"},
			{Name: "", Status: "active"}}, start); err != nil {
		t.Fatal(err)
	}
	if s, err := db.Status(t.Context(), start); err != nil || s.Listings != 4 {
		t.Errorf("%d listings, %v; want 4", s.Listings, err)
	}
	of := func(key string, id int64) string {
		t.Helper()
		ls, err := db.ListingsOfRepo(t.Context(), key, id)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, l := range ls {
			all = append(all, l.Name)
		}
		return strings.Join(all, " ")
	}
	if got, want := of("github:octo/many", 7), "io.x/a io.x/b"; got != want {
		t.Errorf("listings of the repository: %s, want %s", got, want)
	}
	if got, want := of("github:octo/many", 0), "io.x/a io.x/b io.x/c"; got != want {
		t.Errorf("listings of the name: %s, want %s", got, want)
	}
	if got, want := of("github:elsewhere/x", 8), "io.x/c"; got != want {
		t.Errorf("listings of the id: %s, want %s", got, want)
	}
	// IDs belong to a host: another host's repository may have the same.
	other := registry.Candidate{Ref: registry.RepoRef{Host: "forge", Owner: "octo/sub",
		Name: "many"}, HostID: 7, Source: "test"}
	other.Listing = listing("io.x/d", "7")
	other.Listing.RepoSource = "forge"
	enqueue(t, db, start, other)
	if got, want := of("forge:octo/sub/many", 7), "io.x/d"; got != want {
		t.Errorf("listings of another host's repository: %s, want %s", got, want)
	}
	if got, want := of("github:octo/many", 7), "io.x/a io.x/b"; got != want {
		t.Errorf("listings beside another host's: %s, want %s", got, want)
	}
	// The entry moves to another repository.
	moved := candidate("octo/new", 0)
	moved.Listing = listing("io.x/a", "")
	enqueue(t, db, at(1), moved)
	if got, want := of("github:octo/new", 0)+"|"+of("github:octo/many",
		7), "io.x/a|io.x/b"; got != want {
		t.Errorf("after it moved: %s, want %s", got, want)
	}
}
