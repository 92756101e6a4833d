package postgres_test

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/registry"
)

func TestStartCheckConcurrently(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	const key = "github:octo/weather"
	var started atomic.Int32
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			run, ok, err := db.StartCheck(t.Context(), key, start, time.Minute)
			if err != nil || run.State != registry.CheckRunning {
				t.Errorf("%+v, %v", run, err)
			}
			if ok {
				started.Add(1)
			}
		})
	}
	group.Wait()
	if started.Load() != 1 {
		t.Fatalf("%d started the check, want 1", started.Load())
	}
	for _, sofar := range []string{"found", "read"} {
		if err := db.NoteCheck(t.Context(), key, []byte(sofar)); err != nil {
			t.Fatal(err)
		}
		if run, err := db.Check(t.Context(), key); err != nil ||
			run.State != registry.CheckRunning || string(run.Progress) != sofar {
			t.Errorf("so far %s: %+v, %v", sofar, run, err)
		}
	}
	if err := db.FinishCheck(t.Context(), key, at(0.01), []byte("report"), true); err != nil {
		t.Fatal(err)
	}
	if err := db.NoteCheck(t.Context(), key, []byte("too late")); err != nil {
		t.Fatal(err)
	}
	run, err := db.Check(t.Context(), key)
	if run.Progress != nil {
		t.Errorf("done, and still %q", run.Progress)
	}
	if err != nil || run.State != registry.CheckDone || string(run.Result) != "report" ||
		!run.FinishedAt.Equal(at(0.01)) {
		t.Errorf("done: %+v, %v", run, err)
	}
	if _, ok, err := db.StartCheck(t.Context(), key, at(1), time.Minute); !ok || err != nil {
		t.Errorf("again: %v %v", ok, err)
	}
	if run, err := db.Check(t.Context(), key); err != nil || run.Progress != nil {
		t.Errorf("begun again, it has come as far as the run before: %q, %v", run.Progress, err)
	}
	// It is abandoned, or its process dies: the old result stays and the next may start.
	if err := db.FinishCheck(t.Context(), key, at(1), nil, true); err != nil {
		t.Fatal(err)
	}
	if run, _ := db.Check(t.Context(), key); string(run.Result) != "report" ||
		!run.FinishedAt.Equal(at(0.01)) {
		t.Errorf("after nothing: %+v", run)
	}
	for _, hour := range []float64{2, 2.1} {
		if _, ok, err := db.StartCheck(t.Context(), key, at(hour), time.Minute); !ok || err != nil {
			t.Errorf("at hour %v: %v %v; want a new start", hour, ok, err)
		}
	}
	if _, err := db.Check(t.Context(), "github:nobody/asked"); !errors.Is(err,
		registry.ErrNotFound) {
		t.Errorf("unknown: %v", err)
	}
	for _, bad := range []string{"", strings.Repeat("x", 1000)} {
		if _, _, err := db.StartCheck(t.Context(), bad, start, time.Minute); !errors.Is(err,
			registry.ErrInvalid) {
			t.Errorf("key of %d bytes: %v", len(bad), err)
		}
	}
}

func TestCheckMisses(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	const key = "github:octo/nothing"
	now := start
	for i, wait := range []time.Duration{time.Hour, 6 * time.Hour, 24 * time.Hour, 24 * time.Hour} {
		if _, ok, err := db.StartCheck(t.Context(), key, now, time.Minute); !ok || err != nil {
			t.Fatalf("try %d: %v %v", i, ok, err)
		}
		if err := db.FinishCheck(t.Context(), key, now, []byte("{}"), false); err != nil {
			t.Fatal(err)
		}
		run, ok, err := db.StartCheck(t.Context(), key, now.Add(wait-time.Second), time.Minute)
		if ok || err != nil || run.State != registry.CheckNotFound || run.Misses != i+1 ||
			!run.NegativeUntil.Equal(now.Add(wait)) {
			t.Errorf("after miss %d: %+v %v %v; want until %v", i+1, run, ok, err, now.Add(wait))
		}
		now = now.Add(wait)
	}
	if _, ok, _ := db.StartCheck(t.Context(), key, now, time.Minute); !ok {
		t.Fatal("never requested again")
	}
	if err := db.FinishCheck(t.Context(), key, now, []byte("found"), true); err != nil {
		t.Fatal(err)
	}
	if run, _ := db.Check(t.Context(), key); run.Misses != 0 || run.NegativeUntil != nil {
		t.Errorf("after it was found: %+v", run)
	}
	if n, err := db.ForgetChecks(t.Context(), now.Add(time.Hour)); n != 1 || err != nil {
		t.Errorf("forgot %d, %v", n, err)
	}
}
