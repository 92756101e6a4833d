package postgres_test

import (
	"testing"
	"time"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/registry"
)

func TestReadings(t *testing.T) {
	db := pgtest.New(t)
	ref := registry.RepoRef{Host: registry.GitHub, Owner: "rail", Name: "trains"}
	if _, err := db.Enqueue(t.Context(), []registry.Candidate{{Ref: ref, Source: "a"}},
		time.Now()); err != nil {
		t.Fatal(err)
	}
	id, err := db.RepositoryID(t.Context(), ref.Key(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range []struct {
		of   string
		want int
	}{{"a", 0}, {"a", 1}, {"a", 2}, {"a", 3}, {"b", 0}, {"b", 1}} {
		n, err := db.BeginReading(t.Context(), id, step.of)
		if n != step.want || err != nil {
			t.Errorf("%d: %d strikes, want %d: %v", i, n, step.want, err)
		}
	}
	if err := db.EndReading(t.Context(), id, 0); err != nil {
		t.Fatal(err)
	}
	if n, err := db.BeginReading(t.Context(), id, "b"); n != 0 || err != nil {
		t.Errorf("%d strikes after a reading: %v", n, err)
	}
	if n, err := db.BeginReading(t.Context(), 1_000_000, "b"); n != 0 || err != nil {
		t.Errorf("an unknown repository: %d strikes, %v", n, err)
	}
}
