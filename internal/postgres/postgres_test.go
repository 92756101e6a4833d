package postgres_test

import (
	"testing"

	"mcpcensus/internal/pgtest"
)

func TestTryLock(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	release, ok, err := db.TryLock(t.Context(), "crawl")
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if _, ok, err := db.TryLock(t.Context(), "crawl"); ok || err != nil {
		t.Errorf("while held: got %v, %v", ok, err)
	}
	release()
	release, ok, err = db.TryLock(t.Context(), "crawl")
	if !ok || err != nil {
		t.Fatalf("after release: got %v, %v", ok, err)
	}
	release()
}
