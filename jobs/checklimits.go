package jobs

import (
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"mcpcensus/internal/registry"
)

// Limits of new checks in a process.
const (
	checkPerHour = 600 // of all clients
	checkBurst   = 30
	checkAtOnce  = 4
	// So many failures of the host within one period stop all new checks for another.
	breakerFailures = 5
	breakerWindow   = 30 * time.Second
	breakerOpen     = time.Minute
)

// checkLimits limit the checks of a process: how many start and run, and whether any start while
// the hosts fail. Its methods are safe for concurrent use.
type checkLimits struct {
	slots   chan struct{}
	limiter *rate.Limiter

	mu       sync.Mutex
	failures []time.Time // of hosts
	until    time.Time   // no check starts before
}

func newCheckLimits() *checkLimits {
	return &checkLimits{
		slots:   make(chan struct{}, checkAtOnce),
		limiter: rate.NewLimiter(rate.Limit(checkPerHour/time.Hour.Seconds()), checkBurst),
	}
}

// admit returns why no check may start at now and for how long, nil if one may.
func (l *checkLimits) admit(now time.Time) (*registry.Error, time.Duration) {
	l.mu.Lock()
	wait := l.until.Sub(now)
	l.mu.Unlock()
	switch {
	case wait > 0:
		return registry.Errorf(registry.ErrUnavailable,
			"The code host is failing, so no new checks are started. Try again in a minute."), wait
	case !l.limiter.AllowN(now, 1):
		return registry.Errorf(registry.ErrLimited,
			"Too many new repositories are being checked. Try again in a few minutes."), 5 * time.Minute
	}
	return nil, 0
}

// run calls f when few enough others run, or returns an error if ctx ends before.
func (l *checkLimits) run(ctx context.Context, f func() error) error {
	select {
	case l.slots <- struct{}{}:
		defer func() { <-l.slots }()
		return f()
	case <-ctx.Done():
		return registry.Errorf(registry.ErrUnavailable, "Too many repositories are being checked.")
	}
}

// hostFailed counts a failure of a host.
func (l *checkLimits) hostFailed(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failures = append(slices.DeleteFunc(l.failures,
		func(t time.Time) bool { return now.Sub(t) > breakerWindow }), now)
	if len(l.failures) >= breakerFailures {
		l.failures, l.until = nil, now.Add(breakerOpen)
	}
}

// backoffOf returns why a host accepts no requests at now and for how long, nil if it accepts
// them.
func backoffOf(host Host, now time.Time) (*registry.Error, time.Duration) {
	until, why := host.Backoff(false)
	switch {
	case why == nil:
		return nil, 0
	case until.IsZero():
		return registry.Errorf(registry.ErrUnavailable,
			"The code host rejects this registry's requests. No new checks are started until its "+
				"operator has fixed that."), time.Hour
	}
	return registry.Errorf(registry.ErrUnavailable, "No new checks can be started now. %s.",
		why), max(time.Second, until.Sub(now))
}
