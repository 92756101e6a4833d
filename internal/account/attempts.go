package account

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// An AttemptLimit allows Free attempts without delay, and further ones with a
// delay that doubles from Step to Max. One attempt is forgotten every Decay.
type AttemptLimit struct {
	Key              TokenHash // identifies the count
	Free             int
	Step, Max, Decay time.Duration
	// Extend makes refused attempts count too, so that each one extends the
	// delay. It must not be set for keys that other clients can use up.
	Extend bool
}

// Attempts is the count of an [AttemptLimit].
type Attempts struct {
	Count int
	Last  time.Time // of the last attempt, or when an earlier one was forgotten
	Next  time.Time // before which no attempt is allowed
}

// Try counts an attempt, or returns how long to wait for the next one. The zero
// value has no attempts.
func (a *Attempts) Try(l AttemptLimit, now time.Time) (wait time.Duration) {
	if wait := a.Next.Sub(now); wait > 0 {
		if l.Extend {
			next := a.Next
			if a.count(l, now); a.Next.Before(next) {
				a.Next = next
			}
			wait = a.Next.Sub(now)
		}
		return max(wait, time.Second)
	}
	a.count(l, now)
	return 0
}

// maxCounted is the maximum number of attempts counted above Free.
const maxCounted = 40

func (a *Attempts) count(l AttemptLimit, now time.Time) {
	if forgotten := int(max(0, now.Sub(a.Last)) / l.Decay); forgotten >= a.Count {
		a.Count, a.Last = 0, now
	} else {
		a.Count -= forgotten
		a.Last = a.Last.Add(time.Duration(forgotten) * l.Decay)
	}
	a.Count = min(a.Count+1, l.Free+maxCounted)
	a.Next = time.Time{}
	if a.Count >= l.Free {
		delay := l.Step
		for range a.Count - l.Free {
			delay = min(2*delay, l.Max)
		}
		a.Next = now.Add(delay)
	}
}

// An AttemptStore counts attempts, exactly over several processes.
type AttemptStore interface {
	// Attempt applies [Attempts.Try] to all limits or, if some require a wait,
	// only to those of them with Extend.
	Attempt(ctx context.Context, now time.Time, limits ...AttemptLimit) (wait time.Duration, err error)
	// Forgive removes one attempt of each key, and its delay.
	Forgive(ctx context.Context, keys ...TokenHash) error
	// ForgetAttempts removes all attempts of a key.
	ForgetAttempts(ctx context.Context, key TokenHash) error
}

// attemptKey returns the key of a count.
func attemptKey(parts ...string) TokenHash { return sha256.Sum256(fmt.Appendf(nil, "%q", parts)) }

const tooManyAttempts = "too_many_attempts" // code of errors

// attempt counts an attempt, or returns an error.
func (a *Accounts) attempt(ctx context.Context, limits ...AttemptLimit) error {
	wait, err := a.Store.Attempt(ctx, a.Now(), limits...)
	if err != nil {
		return err
	}
	if wait > 0 {
		return &registry.Error{Kind: registry.ErrLimited, Code: tooManyAttempts, RetryAfter: wait,
			Msg: "Too many attempts. Please try again in " + waitText(wait) + "."}
	}
	return nil
}

func waitText(d time.Duration) string {
	if d <= 90*time.Second {
		return text.Count((d+time.Second-1)/time.Second, "second")
	}
	return text.Count((d+time.Minute-1)/time.Minute, "minute")
}

// unattempted removes an attempt that was counted, but not made because of err, and
// returns err.
func (a *Accounts) unattempted(ctx context.Context, err error, limits ...AttemptLimit) error {
	keys := make([]TokenHash, len(limits))
	for i, l := range limits {
		keys[i] = l.Key
	}
	if uncounted := a.Store.Forgive(context.WithoutCancel(ctx), keys...); uncounted != nil {
		a.Log.Warn("cannot remove an attempt", "err", uncounted)
	}
	return err
}

// forgive removes a successful attempt, and all attempts of the first limit, which
// counts only those of the owner.
func (a *Accounts) forgive(ctx context.Context, limits ...AttemptLimit) error {
	if err := a.Store.ForgetAttempts(ctx, limits[0].Key); err != nil {
		return err
	}
	var keys []TokenHash
	for _, l := range limits[1:] {
		keys = append(keys, l.Key)
	}
	if len(keys) == 0 {
		return nil
	}
	return a.Store.Forgive(ctx, keys...)
}
