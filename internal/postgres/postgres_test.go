package postgres_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
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

func TestLocksExcludeOtherProcessesAndLeaveThePoolAlone(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	open := func() *postgres.DB {
		db, err := postgres.Open(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return db
	}
	one, other := open(), open()
	var releases []func()
	for i := range 60 {
		release, ok, err := one.TryLock(t.Context(), fmt.Sprint("list ", i))
		if err != nil || !ok {
			t.Fatal(i, ok, err)
		}
		releases = append(releases, release)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := one.Ping(ctx); err != nil {
		t.Fatalf("while 60 locks are held: %v", err)
	}
	if _, ok, err := other.TryLock(t.Context(), "list 7"); ok || err != nil {
		t.Errorf("held by another process: %v, %v", ok, err)
	}
	cancelled, stop := context.WithCancel(t.Context())
	stop()
	if _, ok, err := one.TryLock(cancelled, "more"); ok || err == nil {
		t.Errorf("for a caller who is gone: %v, %v", ok, err)
	}
	releases[7]()
	release, ok, err := other.TryLock(t.Context(), "list 7")
	if !ok || err != nil {
		t.Fatalf("after release: %v, %v", ok, err)
	}
	release()
	release() // twice does no harm
	if _, ok, err := other.TryLock(t.Context(), "list 8"); ok || err != nil {
		t.Errorf("still held by another process: %v, %v", ok, err)
	}
	for _, release := range releases {
		release()
	}
	if _, ok, err := other.TryLock(t.Context(), "list 8"); !ok || err != nil {
		t.Errorf("after all were released: %v, %v", ok, err)
	}
}
