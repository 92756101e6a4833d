package jobs_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
)

func schedule(db *postgres.DB) *jobs.Schedule {
	return &jobs.Schedule{Store: db, Log: slog.New(slog.DiscardHandler), Now: time.Now}
}

func lastRun(t *testing.T, db *postgres.DB, job string) (registry.JobRun, bool) {
	t.Helper()
	runs, err := db.JobRuns(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		if r.Job == job {
			return r, true
		}
	}
	return registry.JobRun{}, false
}

func TestJobRunsInOneProcess(t *testing.T) {
	db := pgtest.New(t)
	another, err := postgres.Open(t.Context(), db.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer another.Close()
	var runs, atOnce atomic.Int32
	begun, end := make(chan struct{}), make(chan struct{})
	job := jobs.Job{Name: "sweep", Timeout: time.Minute,
		Run: func(context.Context) (int, string, error) {
			runs.Add(1)
			if atOnce.Add(1) > 1 {
				t.Error("two at once")
			}
			defer atOnce.Add(-1)
			close(begun)
			<-end
			return 3, "rooms", nil
		}}
	var wg sync.WaitGroup
	wg.Go(func() { schedule(db).RunJob(t.Context(), job) })
	<-begun
	schedule(another).RunJob(t.Context(), job) // returns at once
	close(end)
	wg.Wait()
	if runs.Load() != 1 {
		t.Errorf("ran %d times", runs.Load())
	}
	r, ok := lastRun(t, db, "sweep")
	if !ok || r.Note != "3 rooms" || r.Error != "" || r.FinishedAt == nil {
		t.Errorf("recorded %+v", r)
	}
}

func TestJobThatFailsPanicsOrHangsIsRecorded(t *testing.T) {
	db := pgtest.New(t)
	for _, test := range []struct {
		name string
		run  func(context.Context) (int, string, error)
		want string
	}{
		{"fails", func(context.Context) (int, string, error) {
			return 1, "room",
				errors.New("the broom broke")
		}, "the broom broke"},
		{"panics", func(context.Context) (int, string, error) { panic("no broom") },
			"panic: no broom"},
		{"hangs", func(ctx context.Context) (int, string, error) {
			<-ctx.Done()
			return 0, "",
				ctx.Err()
		}, "deadline"},
	} {
		var result string
		s := schedule(db)
		s.Observe.JobDone = func(_, r string, _ time.Duration) { result = r }
		s.RunJob(t.Context(), jobs.Job{Name: test.name, Timeout: 50 * time.Millisecond,
			Run: test.run})
		r, ok := lastRun(t, db, test.name)
		if !ok || !strings.Contains(r.Error, test.want) || r.FinishedAt == nil ||
			result != "failed" {
			t.Errorf("%s: recorded %+v, observed %q", test.name, r, result)
		}
		// The lock is free again.
		release, ok, err := db.TryLock(t.Context(), "job "+test.name)
		if err != nil || !ok {
			t.Errorf("%s: the lock is still held", test.name)
			continue
		}
		release()
	}
}

func TestQuietJobLeavesATraceOnlyWhenItDidSomething(t *testing.T) {
	db := pgtest.New(t)
	n := 0
	job := jobs.Job{Name: "look", Timeout: time.Minute, Quiet: true,
		Run: func(context.Context) (int, string, error) { return n, "things", nil }}
	s := schedule(db)
	s.RunJob(t.Context(), job)
	if r, ok := lastRun(t, db, "look"); ok {
		t.Errorf("a look that found nothing is recorded: %+v", r)
	}
	n = 2
	s.RunJob(t.Context(), job)
	if r, ok := lastRun(t, db, "look"); !ok || r.Note != "2 things" || r.FinishedAt == nil {
		t.Errorf("recorded %+v", r)
	}
}

func TestStoppedJobIsNoFailure(t *testing.T) {
	db := pgtest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	schedule(db).RunJob(ctx,
		jobs.Job{Name: "long", Timeout: time.Minute,
			Run: func(ctx context.Context) (int, string, error) {
				cancel()
				return 0, "", ctx.Err()
			}})
	if r, ok := lastRun(t, db, "long"); !ok || r.Error != "" ||
		!strings.HasPrefix(r.Note, "stopped") {
		t.Errorf("recorded %+v", r)
	}
}

func TestScheduleRunsAtStartAndAtItsTimesUntilItIsStopped(t *testing.T) {
	db := pgtest.New(t)
	var started, ticked atomic.Int32
	s := schedule(db)
	s.Jobs = []jobs.Job{
		{Name: "once", Spec: "0 0 1 1 *", Timeout: time.Minute, AtStart: true,
			Run: func(context.Context) (int, string, error) { started.Add(1); return 1, "", nil }},
		{Name: "tick", Spec: "@every 1s", Timeout: time.Minute,
			Run: func(context.Context) (int, string, error) { ticked.Add(1); return 1, "", nil }},
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	poll(func() bool { return started.Load() >= 1 && ticked.Load() >= 1 })
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the schedule does not end")
	}
	if started.Load() != 1 || ticked.Load() < 1 {
		t.Errorf("at start %d, ticked %d", started.Load(), ticked.Load())
	}
}

func TestWhatIsDoneAtTheStartIsNotDoneAgainByARestart(t *testing.T) {
	db := pgtest.New(t)
	now := time.Date(2026, 11, 20, 12, 30, 0, 0, time.UTC)
	const spec = "17 * * * *"
	record := func(job string, started time.Time, finished bool, note, failure string) {
		id, err := db.JobStarted(t.Context(), registry.JobRun{Job: job, StartedAt: started})
		if err != nil {
			t.Fatal(err)
		}
		if !finished {
			return
		}
		if err := db.JobFinished(t.Context(), id,
			registry.JobRun{FinishedAt: &now, Note: note, Error: failure}); err != nil {
			t.Fatal(err)
		}
	}
	record("since its time", now.Add(-10*time.Minute), true, "3 rooms", "")
	record("before its time", now.Add(-20*time.Minute), true, "3 rooms", "")
	record("failed", now.Add(-10*time.Minute), true, "", "the broom broke")
	record("killed", now.Add(-10*time.Minute), false, "", "")
	stopped, cancel := context.WithCancel(t.Context())
	s := schedule(db)
	s.Now = func() time.Time { return now.Add(-time.Minute) }
	s.RunJob(stopped, jobs.Job{Name: "stopped", Timeout: time.Minute,
		Run: func(context.Context) (int, string, error) { cancel(); return 0, "", nil }})
	s.Now = func() time.Time { return now }

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var mu sync.Mutex
	var ran []string
	want := []string{"before its time", "failed", "killed", "never", "stopped"}
	for _, name := range append([]string{"since its time"}, want...) {
		s.Jobs = append(s.Jobs, jobs.Job{Name: name, Spec: spec, Timeout: time.Minute,
			AtStart: true, Run: func(context.Context) (int, string, error) {
				mu.Lock()
				defer mu.Unlock()
				if ran = append(ran, name); len(ran) == len(want) {
					stop()
				}
				return 1, "", nil
			}})
	}
	if err := s.Run(ctx); err != nil {
		t.Fatal(err)
	}
	slices.Sort(ran)
	if !slices.Equal(ran, want) {
		t.Errorf("done at the start: %q, want %q", ran, want)
	}
}

func TestScheduleRefusesATimeItCannotRead(t *testing.T) {
	s := schedule(pgtest.New(t))
	s.Jobs = []jobs.Job{{Name: "odd", Spec: "every now and then",
		Run: func(context.Context) (int, string, error) { return 0, "", nil }}}
	if err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "odd") {
		t.Errorf("got %v", err)
	}
}
