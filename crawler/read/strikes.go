package read

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// MaxStrikes is how many times files are read that could not be read.
const MaxStrikes = 3

// endTimeout is how long a process that is stopped may still remove a strike.
const endTimeout = 5 * time.Second

// ErrBlocked is the failure of what is no longer read.
var ErrBlocked = &Failure{Reason: "several attempts", Detail: "not read until they change"}

// A StrikeStore stores strikes against what could not be read.
type StrikeStore interface {
	// BeginReading stores a strike and returns how many there were. of names what is read and by
	// which rules: strikes against something else do not count.
	BeginReading(ctx context.Context, what, of string) (strikes int, err error)
	// EndReading sets the number of strikes.
	EndReading(ctx context.Context, what string, strikes int) error
}

// Strikes decide what is read. A nil Strikes allows everything.
type Strikes struct {
	Store StrikeStore
	Log   *slog.Logger
}

// Guard calls f, which reads a repository or a package, unless it has [MaxStrikes]: it then returns
// [ErrBlocked]. The strike is stored before, so that it remains if this process or the machine
// dies, and removed afterwards unless f returns a [Failure]. Incomplete results and [ErrLate] do not
// block.
func (s *Strikes) Guard(ctx context.Context, what, of string, f func() error) error {
	return s.guard(ctx, what, of, 0, f)
}

// GuardPart is Guard for a part of a reading: earlier strikes stay if f returns nil.
func (s *Strikes) GuardPart(ctx context.Context, what, of string, f func() error) error {
	return s.guard(ctx, what, of, MaxStrikes, f)
}

// guard is Guard; if f returns nil, at most left of the earlier strikes stay.
func (s *Strikes) guard(
	ctx context.Context, what, of string, left int, f func() error,
) error {
	if s == nil {
		return f()
	}
	// What counts a strike before the reading must not end between the two.
	starting, stop := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer stop()
	before, err := s.Store.BeginReading(starting, what, of)
	if err != nil {
		return err
	}
	if before >= MaxStrikes {
		return ErrBlocked
	}
	err = f()
	after := before // nothing is known about the files
	failure, failed := errors.AsType[*Failure](err)
	switch {
	case err == nil:
		after = min(before, left)
	case failed && (failure.Incomplete() || failure == ErrLate):
		after = min(before+1, MaxStrikes-1)
	case failed:
		s.Log.WarnContext(ctx, "could not be read", "what", what, "strikes", before+1, "err", err)
		return err
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	if end := s.Store.EndReading(ending, what, after); end != nil {
		return errors.Join(err, end)
	}
	if failed && failure.Incomplete() {
		return &Failure{Reason: failure.Reason, Detail: failure.Detail, Strikes: before + 1}
	}
	return err
}
