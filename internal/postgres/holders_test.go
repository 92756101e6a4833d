package postgres_test

import (
	"slices"
	"testing"
	"time"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/registry"
)

func TestEndLeases(t *testing.T) {
	ctx, db, now := t.Context(), pgtest.New(t), time.Now()
	if _, err := db.Enqueue(ctx, []registry.Candidate{
		{Ref: registry.RepoRef{Host: registry.GitHub, Owner: "acme", Name: "one"},
			Source: "manual"},
		{Ref: registry.RepoRef{Host: registry.GitHub, Owner: "acme", Name: "two"},
			Source: "manual"},
	}, now); err != nil {
		t.Fatal(err)
	}
	for _, worker := range []string{"host/1", "host/2"} {
		if works, err := db.Lease(ctx, worker, 1, time.Hour, now.Add(time.Second)); err != nil ||
			len(works) != 1 {
			t.Fatalf("lease for %s: %d works, %v", worker, len(works), err)
		}
	}
	holders, err := db.LeaseHolders(ctx, now.Add(time.Second))
	if err != nil || !slices.Equal(holders, []string{"host/1", "host/2"}) {
		t.Fatalf("holders %q, %v", holders, err)
	}
	if n, err := db.EndLeases(ctx, []string{"host/1"}); err != nil || n != 1 {
		t.Fatalf("took %d, %v", n, err)
	}
	if works, err := db.Lease(ctx, "host/3", 10, time.Hour, now.Add(time.Second)); err != nil ||
		len(works) != 1 {
		t.Errorf("after the take-over: %d works, %v; want the dead worker's one and not the "+
			"living one's", len(works), err)
	}
}
