package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/robfig/cron/v3"

	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
)

// A Job is a recurring task.
type Job struct {
	Name string
	// Spec is the schedule, in cron's five fields or as "@every 1h30m". Times are UTC, and not
	// on the full hour, when upstreams are busiest.
	Spec    string
	Timeout time.Duration
	// AtStart runs the job when the schedule starts, unless any process has run it since its
	// last scheduled time.
	AtStart bool
	// Quiet does not record runs that found nothing to do, for jobs that poll every
	// few seconds.
	Quiet bool
	// Run returns the number of processed items, and their name.
	Run func(ctx context.Context) (done int, what string, err error)
}

// A Schedule runs jobs at their times, each in one process at a time.
type Schedule struct {
	Jobs    []Job
	Store   *postgres.DB
	Log     *slog.Logger
	Now     func() time.Time
	Observe Observer
	trouble Outage
}

// Run runs jobs until ctx is done, then waits for those in progress. It fails immediately if a
// Spec is invalid.
func (s *Schedule) Run(ctx context.Context) error {
	c := cron.New(cron.WithLocation(time.UTC))
	done := s.doneSince(ctx)
	var once sync.WaitGroup
	for _, job := range s.Jobs {
		times, err := cron.ParseStandard(job.Spec)
		if err != nil {
			return fmt.Errorf("job %s: %w", job.Name, err)
		}
		c.Schedule(times, cron.FuncJob(func() { s.RunJob(ctx, job) }))
		if at, ok := done[job.Name]; job.AtStart && !(ok && times.Next(at).After(s.Now())) {
			once.Go(func() { s.untilDone(ctx, job) })
		}
	}
	c.Start()
	<-ctx.Done()
	<-c.Stop().Done()
	once.Wait()
	return nil
}

// stoppedNote is the note of an interrupted run.
const stoppedNote = "stopped; continues at the next start"

// doneSince returns when the last run of each job started, if it succeeded. If that
// cannot be read, jobs with AtStart run again.
func (s *Schedule) doneSince(ctx context.Context) map[string]time.Time {
	runs, err := s.Store.JobRuns(ctx)
	if err != nil && ctx.Err() == nil {
		s.Log.WarnContext(ctx, "last runs of jobs not read", "err", err)
	}
	done := map[string]time.Time{}
	for _, r := range runs {
		if r.FinishedAt != nil && r.Error == "" && r.Note != stoppedNote {
			done[r.Job] = r.StartedAt.UTC()
		}
	}
	return done
}

// untilDone runs a job at the start. If it fails, it is retried after one minute, two, four
// and so on, up to half an hour: the network may not be up yet.
func (s *Schedule) untilDone(ctx context.Context, job Job) {
	for wait := time.Minute; !s.RunJob(ctx, job); wait = min(2*wait, 30*time.Minute) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// RunJob runs one job now, unless another process is running it. It reports the
// result to the log, the store and the observer; it never panics. It returns false if
// the job failed.
func (s *Schedule) RunJob(ctx context.Context, job Job) (ok bool) {
	release, mine, err := s.Store.TryLock(ctx, "job "+job.Name)
	if ctx.Err() == nil {
		s.trouble.Note(ctx, s.Log, "start jobs", err)
	}
	if err != nil {
		return false
	}
	if !mine {
		return true
	}
	defer release()
	started := s.Now()
	run := registry.JobRun{Job: job.Name, StartedAt: started}
	var id int64
	if !job.Quiet {
		id = s.record(ctx, run)
	}
	done, what, err := s.guarded(ctx, job)
	note := strings.TrimSpace(fmt.Sprintf("%d %s", done, what))
	took := s.Now().Sub(started)
	result := "ok"
	switch {
	case ctx.Err() != nil:
		result, err = "stopped", nil
		note = stoppedNote
	case err != nil:
		result = "failed"
	}
	if s.Observe.JobDone != nil && !(job.Quiet && done == 0 && err == nil) {
		s.Observe.JobDone(job.Name, result, took)
	}
	level := slog.LevelInfo
	idle := job.Quiet && done == 0 && err == nil
	if idle {
		level = slog.LevelDebug
	}
	attrs := []slog.Attr{slog.String("job", job.Name), slog.String("result", result),
		slog.Duration("took", took.Round(time.Millisecond)), slog.String("note", note)}
	if err != nil {
		level = slog.LevelError
		attrs = append(attrs, slog.Any("err", err))
	}
	s.Log.LogAttrs(ctx, level, "job", attrs...)
	run.FinishedAt, run.Note, run.Error = new(s.Now()), note, reason(err)
	if job.Quiet && !idle {
		id = s.record(context.WithoutCancel(ctx), run)
	}
	if id != 0 {
		if err := s.Store.JobFinished(context.WithoutCancel(ctx), id, run); err != nil {
			s.Log.WarnContext(ctx, "job run not recorded", "job", job.Name, "err", err)
		}
	}
	return result != "failed"
}

// record stores that a job has started and returns the ID of the run, 0 if storing
// failed.
func (s *Schedule) record(ctx context.Context, run registry.JobRun) int64 {
	id, err := s.Store.JobStarted(ctx, run)
	if err != nil && ctx.Err() == nil {
		s.Log.WarnContext(ctx, "job run not recorded", "job", run.Job, "err", err)
	}
	return id
}

// guarded runs a job within its timeout and turns a panic into an error.
func (s *Schedule) guarded(ctx context.Context, job Job) (done int, what string, err error) {
	ctx, cancel := context.WithTimeout(ctx, job.Timeout)
	defer cancel()
	defer func() {
		if v := recover(); v != nil {
			s.Log.ErrorContext(ctx, "panic", "job", job.Name, "value", v, "stack",
				string(debug.Stack()))
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return job.Run(ctx)
}
