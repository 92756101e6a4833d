package jobs

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"mcpcensus/internal/account"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
)

const (
	checkLease     = checkDeadline + 5*time.Second // a check that takes longer has died
	checkPoll      = 300 * time.Millisecond        // of checks of other processes
	checkRetrySoon = 2 * time.Second               // of clients that poll
	checkFailedFor = time.Minute                   // no new check after the host failed
	checkUnreadFor = 10 * time.Minute              // nor after files could not be read
)

// A checkQueue has the checks that run and their results. A check runs once in all processes.
// Its methods are safe for concurrent use.
type checkQueue struct {
	store *postgres.DB
	now   func() time.Time

	mu      sync.Mutex
	running map[string]chan struct{} // checks of this process; closed when they end
}

// start claims the check of a repository, unless it runs already. The caller must call end.
func (q *checkQueue) start(ctx context.Context, key string) (bool, registry.CheckRun, error) {
	run, started, err := q.store.StartCheck(ctx, key, q.now(), checkLease)
	if err == nil && started {
		q.mu.Lock()
		q.running[key] = make(chan struct{})
		q.mu.Unlock()
	}
	return started, run, err
}

// end wakes those who wait for a check of this process.
func (q *checkQueue) end(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	close(q.running[key])
	delete(q.running, key)
}

// stored returns the stored result of a repository: nil if there is none, a pending one if a
// check is running, a failed one if its check failed and there is no earlier result. wait is how
// much longer no check is started because of a failure or a miss.
func (q *checkQueue) stored(
	ctx context.Context, key string,
) (r *registry.CheckResult, wait time.Duration, err error) {
	run, err := q.store.Check(ctx, key)
	if errors.Is(err, registry.ErrNotFound) {
		return nil, 0, nil
	} else if err != nil {
		return nil, 0, err
	}
	now := q.now()
	if run.NegativeUntil != nil {
		wait = max(0, run.NegativeUntil.Sub(now))
	}
	switch {
	case run.State == registry.CheckRunning && now.Sub(run.StartedAt) < checkLease:
		return pending(key, run.Progress), 0, nil
	case run.State == registry.CheckNotFound:
		return &registry.CheckResult{ID: checkID(key, ""), Status: registry.CheckNotFound}, wait, nil
	}
	r = new(registry.CheckResult)
	if json.Unmarshal(run.Result, r) != nil { // none, or of an older version
		r = failedBecause(errInterrupted)
	}
	r.Stale = now.Sub(r.At) >= checkFresh
	return r, wait, nil
}

// errInterrupted is the failure of a check whose process ended.
var errInterrupted = registry.Errorf(registry.ErrUnavailable, "The check was interrupted.")

// failedBecause returns the result of a check that failed, without the text of internal errors.
func failedBecause(failure error) *registry.CheckResult {
	r := &registry.CheckResult{Status: registry.CheckFailed, Reason: "The check failed on our side."}
	if e, ok := errors.AsType[*registry.Error](failure); ok {
		r.Reason, r.Code = e.Msg, e.Code
	} else if _, ok := errors.AsType[hostError](failure); ok {
		r.Reason = "The code host didn't respond."
	}
	return r
}

// pending returns the result of a running check, with its progress.
func pending(key string, progress []byte) *registry.CheckResult {
	r := new(registry.CheckResult)
	if progress == nil || json.Unmarshal(progress, r) != nil { // written by another version
		r = new(registry.CheckResult)
	}
	r.ID, r.Status, r.RetryAfter = checkID(key, ""), registry.CheckPending, checkRetrySoon
	return r
}

// await waits for the result of a running check, and returns it as stored does; when time is
// up, it returns the progress.
func (q *checkQueue) await(
	ctx context.Context, key string, timeout time.Duration,
) (r *registry.CheckResult, wait time.Duration, err error) {
	q.mu.Lock()
	ended := q.running[key] // nil: another process runs it
	q.mu.Unlock()
	deadline := time.NewTimer(timeout)
	defer deadline.Stop()
	poll := time.NewTicker(checkPoll)
	defer poll.Stop()
	for isLast := false; ; {
		tick := poll.C
		if ended != nil {
			tick = nil
		}
		select {
		case <-ctx.Done():
			return nil, 0, ctx.Err()
		case <-deadline.C:
			isLast = true
		case <-ended:
			ended = nil
		case <-tick:
		}
		r, wait, err = q.stored(ctx, key)
		if isLast || err != nil || r == nil || r.Status != registry.CheckPending {
			return r, wait, err
		}
	}
}

// note stores the progress of a check.
func (q *checkQueue) note(ctx context.Context, key string, sofar registry.CheckResult) error {
	b, err := json.Marshal(sofar)
	if err != nil {
		return err
	}
	return q.store.NoteCheck(ctx, key, b)
}

func (q *checkQueue) finish(ctx context.Context, key string, r registry.CheckResult) error {
	r.ID = checkID(key, "")
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return q.store.FinishCheck(ctx, key, q.now(), b, r.Status != registry.CheckNotFound)
}

// fail stores that a check failed: a failed result, or an earlier one. No check is started for
// a while.
func (q *checkQueue) fail(
	ctx context.Context, key string, r *registry.CheckResult, wait time.Duration,
) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return q.store.FailCheck(ctx, key, q.now().Add(wait), b)
}

const maxCheckID = 256

// checkID returns the ID of the check of a repository and a path in it, safe in
// URLs. A path that is too long is left out.
func checkID(key, path string) string {
	if path != "" && base64.RawURLEncoding.EncodedLen(len(key)+1+len(path)) <= maxCheckID {
		key += " " + path
	}
	return base64.RawURLEncoding.EncodeToString([]byte(key))
}

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
