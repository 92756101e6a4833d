// Package changes keeps a copy of the database current: it reads changes whenever the database
// announces one, and at an interval in case an announcement was lost.
//
// The database numbers changes under the lock of one row, so numbers become visible in order:
// a reader that has seen 10 has seen all below. Code takes the numbers of servers,
// postgres.takeSeqs, because only it can tell whether a record has changed: rows are also
// written when only the age of a fact has changed, and a rescore takes its numbers in one step.
package changes

import (
	"context"
	"log/slog"
	"time"
)

// A Follower is one copy of the database.
type Follower struct {
	Name string // of the copy, for the log
	// CatchUp reads all changes since the last call. It is never called concurrently.
	CatchUp func(ctx context.Context) error
	// Listen returns a channel that receives a number after each change and is
	// closed when the connection breaks. Nil means polling only. It may block:
	// the follower polls in the meantime.
	Listen func(ctx context.Context) (<-chan int64, error)
	// Interval is the time between two calls of CatchUp without an announcement.
	Interval time.Duration
	// Gather is how long an announcement waits for others, so that changes that
	// are close together are read together.
	Gather time.Duration
	// MaxBackoff bounds the doubling delay after failures of CatchUp. 0 means
	// that failures are retried at Interval.
	MaxBackoff time.Duration
	Log        *slog.Logger
}

// relisten is the delay before a failed Listen is retried.
const relisten = 30 * time.Second

// Run follows until ctx is done, and returns its error. Failures are logged
// once, until CatchUp succeeds again, and retried.
func (f *Follower) Run(ctx context.Context) error {
	announced := make(chan struct{}, 1)
	if f.Listen != nil {
		go f.listen(ctx, announced)
	}
	failures := 0
	var failure error // the first
	for {
		err := f.CatchUp(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			if failures++; failures == 1 {
				failure = err
				f.Log.Error(f.Name+": cannot read changes, retrying", "err", err)
			}
		default:
			if failures > 0 {
				f.Log.Info(f.Name+": up to date again", "failures", failures, "after", failure)
			}
			failures = 0
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(f.pause(failures)):
		case <-announced:
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(f.Gather):
			}
		}
	}
}

// pause returns the time to the next call of CatchUp after that many
// consecutive failures.
func (f *Follower) pause(failures int) time.Duration {
	if failures == 0 || f.MaxBackoff == 0 {
		return f.Interval
	}
	return min(f.MaxBackoff, time.Second<<min(failures, 10))
}

// listen sends to announced after each announcement. It reconnects when the connection breaks.
func (f *Follower) listen(ctx context.Context, announced chan<- struct{}) {
	for ctx.Err() == nil {
		notes, err := f.Listen(ctx)
		if err != nil && ctx.Err() == nil {
			f.Log.Warn(f.Name+": no notifications, polling only", "err", err)
		}
		for open := err == nil; open; {
			select {
			case <-ctx.Done():
				return
			case _, open = <-notes:
			}
			select {
			case announced <- struct{}{}:
			default:
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(relisten):
		}
	}
}
