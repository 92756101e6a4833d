package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"mcpcensus/internal/postgres"
)

// A storeLog writes an absence of the database as one line at its start and one at its end, and
// once that a newer census has migrated it. What else is said about that, by each part that uses the
// database, is written at the level debug.
type storeLog struct {
	slog.Handler
	mu          sync.Mutex
	isOld       bool      // the database is newer
	since, last time.Time // the first and the last error of the absence; zero: there is none
}

// Handle implements [slog.Handler].
func (l *storeLog) Handle(ctx context.Context, r slog.Record) error {
	var why error
	r.Attrs(func(a slog.Attr) bool {
		err, _ := a.Value.Any().(error)
		if postgres.IsAway(err) || errors.Is(err, postgres.ErrNewer) {
			why = err
		}
		return why == nil
	})
	if why == nil {
		return l.Handler.Handle(ctx, r)
	}
	if r.Level >= slog.LevelWarn && l.begin(r.Time, why) {
		what := "the database is away: what is in memory is served, other work waits"
		if !postgres.IsAway(why) {
			what = "this process only serves what it has: restart it with the newer census"
		}
		start := slog.NewRecord(r.Time, slog.LevelError, what, r.PC)
		start.Add("err", why)
		return l.Handler.Handle(ctx, start)
	}
	if r.Level = slog.LevelDebug; l.Enabled(ctx, r.Level) {
		return l.Handler.Handle(ctx, r)
	}
	return nil
}

// begin notes an error, and reports whether what it says begins with it.
func (l *storeLog) begin(at time.Time, why error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !postgres.IsAway(why) {
		begins := !l.isOld
		l.isOld = true
		return begins
	}
	l.last = at
	if !l.since.IsZero() {
		return false
	}
	l.since = at
	return true
}

// backAfter is how long no part must have failed when an absence ends: each writes more often, which a
// full disk prevents while it responds to ping.
const backAfter = budgetsEvery + 5*time.Second

// watch ends an absence when ping succeeds.
func (l *storeLog) watch(ctx context.Context, ping func(context.Context) error) {
	l.mu.Lock()
	isAway := !l.since.IsZero()
	l.mu.Unlock()
	if !isAway {
		return
	}
	asking, cancel := context.WithTimeout(ctx, budgetsEvery)
	defer cancel()
	err := ping(asking)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.last = time.Now()
	} else if time.Since(l.last) >= backAfter {
		slog.New(l.Handler).InfoContext(ctx, "the database is back", "after", l.last.Sub(l.since))
		l.since = time.Time{}
	}
}
