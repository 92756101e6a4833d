package jobs

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
)

// Limits of new checks in a process.
const (
	checkPerHour = 600 // of all clients
	checkBurst   = 60
	checkAtOnce  = 4
	// Of a client, and of its network (IPv4 /24, IPv6 /48), which has at most a quarter of all checks
	// at once.
	clientPerHour, clientBurst   = 10, 10
	networkPerHour, networkBurst = 40, 15
	maxCheckers                  = 50_000 // clients and networks whose checks are counted
	// So many failures of the host within one period stop all new checks for another.
	breakerFailures = 5
	breakerWindow   = 30 * time.Second
	breakerOpen     = time.Minute
)

// checkLimits limit the checks of a process: how many start and run, and whether any start while
// the hosts fail. Its methods are safe for concurrent use.
type checkLimits struct {
	slots chan struct{}

	mu       sync.Mutex
	started  *simplelru.LRU[string, *rest] // by client or network, and "all"
	failures []time.Time                   // of hosts
	until    time.Time                     // no check starts before
}

// A rest is how many checks may start at a time.
type rest struct {
	checks float64
	at     time.Time
}

func newCheckLimits() *checkLimits {
	started, _ := simplelru.NewLRU[string, *rest](maxCheckers, nil) // the size is valid
	return &checkLimits{slots: make(chan struct{}, checkAtOnce), started: started}
}

// admit returns why a visitor may start no check at now and for how long, nil if one may start.
func (l *checkLimits) admit(by account.Visitor, now time.Time) (*registry.Error, time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if wait := l.until.Sub(now); wait > 0 {
		return registry.Errorf(registry.ErrUnavailable,
			"The code host is failing, so no new checks are started. Try again in a minute."), wait
	}
	var all []*rest
	for _, of := range []struct {
		who            string
		perHour, burst float64
		text           string
	}{
		{by.Client, clientPerHour, clientBurst, "for this address: ten an hour. Try again later."},
		{by.Network(), networkPerHour, networkBurst, "for this network. Try again later."},
		{"all", checkPerHour, checkBurst, "at the moment. Try again in a few minutes."},
	} {
		if of.who == "" {
			continue
		}
		r, ok := l.started.Get(of.who)
		if !ok {
			r = &rest{of.burst, now}
			l.started.Add(of.who, r)
		}
		r.checks = min(of.burst, r.checks+max(0, now.Sub(r.at).Hours())*of.perHour)
		if r.at = now; r.checks < 1-1e-9 {
			wait := time.Duration((1 - r.checks) / of.perHour * float64(time.Hour))
			return registry.Errorf(registry.ErrLimited, "Too many new repositories are being checked %s",
				of.text), max(wait, time.Minute)
		}
		all = append(all, r)
	}
	for _, r := range all {
		r.checks--
	}
	return nil, 0
}

// refund reduces the cost of a check of a repository that does not exist to a third.
func (l *checkLimits) refund(by account.Visitor) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, who := range []string{by.Client, by.Network(), "all"} {
		if r, ok := l.started.Get(who); ok {
			r.checks += 2. / 3
		}
	}
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
