package jobs

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"mcpcensus/crawler/read"
	"mcpcensus/internal/account"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
)

// Times of checks on demand.
const (
	checkAnswer   = 8 * time.Second // longest wait for a result
	checkDeadline = time.Minute     // of the check itself; its readings may use as much processor time
	checkFresh    = 24 * time.Hour  // a younger result is returned unchanged
	checkAgain    = 5 * time.Minute // the same for Recheck
	checkGlance   = time.Second     // longest wait of Follow and Recheck
)

// A Checker checks the health of any repository on demand. It has its own rate
// limit, so that visitors cannot starve the crawl. Limits of visitors apply to that of the context,
// see [account.WithVisitor].
type Checker struct {
	Ingester Ingester
	Checks   *postgres.DB
	Enrich   Enricher
	Enqueue  func(ctx context.Context, candidates []registry.Candidate, now time.Time) (int, error)
	// Timeout is the longest wait for a result; 0 means eight seconds.
	Timeout time.Duration

	prepare sync.Once
	limits  *checkLimits
	queue   *checkQueue
}

// ready makes the parts of the checker at the first call.
func (c *Checker) ready() {
	c.prepare.Do(func() {
		c.limits = newCheckLimits()
		c.queue = &checkQueue{store: c.Checks, now: c.Ingester.Now,
			running: map[string]chan struct{}{}}
	})
}

// Check returns the result of a repository: a stored one if it is fresh, a new one if it is
// ready within the checker's timeout, otherwise a pending one. Concurrent checks of a
// repository are deduplicated over all processes. Without a result, the error is of kind
// [registry.ErrLimited] or [registry.ErrUnavailable] if the host accepts no requests now, and
// of kind [registry.ErrNotFound] if the operator has hidden the repository's servers.
func (c *Checker) Check(ctx context.Context, ref registry.RepoRef) (registry.CheckResult, error) {
	return c.checkWithin(ctx, ref, cmp.Or(c.Timeout, checkAnswer), checkFresh,
		func() error { return nil })
}

// Follow is Check for a client that polls: it waits at most a second, and a
// pending result includes the progress. It calls begin before it starts a new
// check, and returns its error; joining or reading a check does not call begin.
func (c *Checker) Follow(
	ctx context.Context, ref registry.RepoRef, begin func() error,
) (registry.CheckResult, error) {
	return c.checkWithin(ctx, ref, min(checkGlance, cmp.Or(c.Timeout, checkAnswer)), checkFresh,
		begin)
}

// Recheck is Follow for a listed repository that must be re-read: results older than five
// minutes are not reused, and the repository is queued for the crawl, which updates its
// entries.
func (c *Checker) Recheck(
	ctx context.Context, ref registry.RepoRef, begin func() error,
) (registry.CheckResult, error) {
	return c.checkWithin(ctx, ref, min(checkGlance, cmp.Or(c.Timeout, checkAnswer)), checkAgain,
		begin)
}

func (c *Checker) checkWithin(
	ctx context.Context, ref registry.RepoRef, timeout, fresh time.Duration, begin func() error,
) (registry.CheckResult, error) {
	c.ready()
	if _, all, err := c.Checks.HiddenOfRepo(ctx, ref.Key(), 0); err != nil {
		return registry.CheckResult{}, notRead(err)
	} else if all {
		return registry.CheckResult{}, errHidden()
	}
	r, err := c.check(ctx, ref, timeout, fresh, begin)
	if err != nil {
		return r, notRead(err)
	}
	// One result serves all folders of a repository.
	r.Ref.Path = ref.Path
	r.ID = checkID(ref.Key(), ref.Path)
	return c.shown(ctx, ref.Key(), r)
}

// notRead turns an error of the store into one for the client.
func notRead(err error) error {
	if _, ok := errors.AsType[*registry.Error](err); ok || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return registry.Wrap(registry.ErrUnavailable, err,
		"The registry's database is unavailable. Try again in a minute.")
}

func errHidden() error {
	return &registry.Error{Kind: registry.ErrNotFound, Code: "server_not_found",
		Msg: "This repository is not part of the registry."}
}

// shown returns a result without hidden servers. It fails with
// [registry.ErrNotFound] if no others are left.
func (c *Checker) shown(
	ctx context.Context, key string, r registry.CheckResult,
) (registry.CheckResult, error) {
	var hostID int64
	if len(r.Servers) > 0 {
		key, hostID = r.Ref.Key(), r.Servers[0].Server.Repo.ID
	}
	hidden, all, err := c.Checks.HiddenOfRepo(ctx, key, hostID)
	if err != nil {
		return registry.CheckResult{}, err
	}
	if all {
		return registry.CheckResult{}, errHidden()
	}
	if hostID != 0 {
		if r.ListedAs, err = c.Checks.RepositoryKey(ctx, key, hostID); err != nil {
			return registry.CheckResult{}, err
		}
	}
	left := slices.DeleteFunc(slices.Clone(r.Servers),
		func(s registry.Scored) bool { return slices.Contains(hidden, s.Server.Subfolder) })
	if len(left) == 0 && len(r.Servers) > 0 {
		return registry.CheckResult{}, errHidden()
	}
	r.Servers = left
	return r, nil
}

func (c *Checker) check(
	ctx context.Context, ref registry.RepoRef, timeout, fresh time.Duration, begin func() error,
) (registry.CheckResult, error) {
	key := ref.Key()
	known, wait, err := c.queue.stored(ctx, key)
	if err != nil {
		return registry.CheckResult{}, err
	}
	now := c.Ingester.Now()
	switch {
	case known == nil:
	case known.Status == registry.CheckPending:
		return c.await(ctx, ref, timeout)
	case known.Status == registry.CheckFailed && wait > 0:
		return c.failed(ref, known, wait)
	case wait > 0, known.Status == registry.CheckDone && now.Sub(known.At) < fresh: // it says why
		return named(*known, ref), nil
	}
	if why, wait := backoffOf(c.Ingester.Hosts.of(ref.Host), now); why != nil {
		return fallback(known, why, wait)
	}
	if err := begin(); err != nil {
		return registry.CheckResult{}, err
	}
	if why, wait := c.limits.admit(account.VisitorOf(ctx), now); why != nil {
		return fallback(known, why, wait)
	}
	started, run, err := c.queue.start(ctx, key)
	switch {
	case err != nil:
		return registry.CheckResult{}, err
	case started:
		go c.run(context.WithoutCancel(ctx), ref, known, fresh < checkFresh)
	case run.State != registry.CheckRunning:
		if again, _, err := c.queue.stored(ctx, key); err == nil && again != nil &&
			again.Status != registry.CheckFailed {
			return named(*again, ref), nil
		}
	}
	return c.await(ctx, ref, timeout)
}

// await returns the result of a running check, or its progress when time is up.
func (c *Checker) await(
	ctx context.Context, ref registry.RepoRef, timeout time.Duration,
) (registry.CheckResult, error) {
	r, wait, err := c.queue.await(ctx, ref.Key(), timeout)
	switch {
	case err != nil:
		return registry.CheckResult{}, err
	case r == nil:
		r = failedBecause(errInterrupted)
		fallthrough
	case r.Status == registry.CheckFailed:
		return c.failed(ref, r, cmp.Or(wait, checkFailedFor))
	}
	return named(*r, ref), nil
}

// named returns a result with the requested name, unless the host has given
// another one.
func named(r registry.CheckResult, ref registry.RepoRef) registry.CheckResult {
	if r.Ref.Name == "" {
		r.Ref = ref
	}
	return r
}

// Checked returns the result with an ID, pending or not. The error is of kind
// [registry.ErrCheckFailed] for a check that failed, and of kind [registry.ErrNotFound] for an
// unknown ID.
func (c *Checker) Checked(ctx context.Context, id string) (registry.CheckResult, error) {
	c.ready()
	decoded, err := base64.RawURLEncoding.DecodeString(id)
	if err != nil || len(id) > maxCheckID {
		return registry.CheckResult{}, errUnknownCheck()
	}
	key, path, _ := strings.Cut(string(decoded), " ")
	r, _, err := c.queue.stored(ctx, key)
	switch {
	case err != nil:
		return registry.CheckResult{}, notRead(err)
	case r == nil:
		return registry.CheckResult{}, errUnknownCheck()
	case r.Status == registry.CheckFailed:
		return registry.CheckResult{}, registry.Errorf(registry.ErrCheckFailed,
			"%s. Request /api/health?githubUrl=… for another check.",
			strings.TrimSuffix(r.Reason, "."))
	}
	if r.Ref.Name == "" {
		r.Ref = refOf(key)
	}
	r.ID, r.Ref.Path = id, path
	return c.shown(ctx, key, *r)
}

// refOf returns the repository of a [registry.RepoRef.Key].
func refOf(key string) (ref registry.RepoRef) {
	host, name, _ := strings.Cut(key, ":")
	at := max(0, strings.LastIndexByte(name, '/'))
	return registry.RepoRef{Host: host, Owner: name[:at], Name: strings.TrimPrefix(name[at:], "/")}
}

func errUnknownCheck() error {
	return &registry.Error{Kind: registry.ErrNotFound, Code: "check_not_found",
		Msg: "There is no check with this ID. Request /api/health?githubUrl=… to start one."}
}

// failed returns the error of a failed check, and when to retry.
func (c *Checker) failed(
	ref registry.RepoRef, r *registry.CheckResult, wait time.Duration,
) (registry.CheckResult, error) {
	why, until := backoffOf(c.Ingester.Hosts.of(ref.Host), c.Ingester.Now())
	if why == nil || r.Code != "" {
		why, until = registry.Errorf(registry.ErrUnavailable, "%s", r.Reason), wait
		why.Code = r.Code
	}
	return fallback(nil, why, until)
}

// run checks a repository and stores the result. With again, the repository is listed.
func (c *Checker) run(
	ctx context.Context, ref registry.RepoRef, known *registry.CheckResult, again bool,
) {
	defer c.queue.end(ref.Key())
	ctx, cancel := context.WithTimeout(ctx, checkDeadline)
	defer cancel()
	var r registry.CheckResult
	err := c.limits.run(ctx, func() error {
		return recovered(func() (err error) {
			r, err = checkOnce(ctx, &c.Ingester, c.Enrich, ref,
				func(sofar registry.CheckResult) { c.note(ctx, ref.Key(), sofar) })
			return err
		})
	})
	store, cancelStore := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancelStore()
	if err := c.end(store, ref, known, r, err, again); err != nil {
		c.Ingester.Log.ErrorContext(ctx, "check not stored", "repository", ref.String(), "err", err)
	}
}

// note stores the progress of a check. Failures are ignored: progress is optional.
func (c *Checker) note(ctx context.Context, key string, sofar registry.CheckResult) {
	if err := c.queue.note(ctx, key, sofar); err != nil && ctx.Err() == nil {
		c.Ingester.Log.WarnContext(ctx, "progress of a check not stored", "repository",
			sofar.Ref.String(), "err", err)
	}
}

func (c *Checker) end(
	ctx context.Context, ref registry.RepoRef, known *registry.CheckResult,
	r registry.CheckResult, failure error, again bool,
) error {
	if failure == nil {
		if r.Status == registry.CheckNotFound {
			c.limits.refund(account.VisitorOf(ctx))
		}
		if len(r.Servers) > 0 {
			c.list(ctx, r.Ref, r.Servers[0].Server.Repo, again)
		}
		return c.queue.finish(ctx, ref.Key(), r)
	}
	c.Ingester.Log.WarnContext(ctx, "check failed", "repository", ref.String(), "err", failure)
	if _, ok := errors.AsType[hostError](failure); ok {
		c.limits.hostFailed(c.Ingester.Now())
	}
	result, wait := failedBecause(failure), checkFailedFor
	if result.Code == unreadCode {
		wait = checkUnreadFor
		if errors.Is(failure, read.ErrLate) { // the crawl waits longer
			c.list(ctx, r.Ref, registry.Repository{}, again)
		}
	}
	if known != nil && known.Status == registry.CheckDone {
		result = staleBecause(*known, result.Reason)
	}
	return c.queue.fail(ctx, ref.Key(), result, wait)
}

// list queues a repository with servers for the crawl: as found by this check, or for another
// visit now.
func (c *Checker) list(
	ctx context.Context, ref registry.RepoRef, repo registry.Repository, again bool,
) {
	if c.Enqueue == nil {
		return
	}
	ref.Path = ""
	candidate := registry.Candidate{Ref: ref, HostID: repo.ID, NodeID: repo.NodeID,
		Source: "on-demand"}
	if again {
		candidate.Source, candidate.Force = "", true
	}
	if _, err := c.Enqueue(ctx, []registry.Candidate{candidate}, c.Ingester.Now()); err != nil {
		c.Ingester.Log.WarnContext(ctx, "repository not queued", "repository", ref.String(),
			"err", err)
	}
}

// fallback returns the stored result of any age, or err if there is none.
func fallback(
	known *registry.CheckResult, err *registry.Error, retry time.Duration,
) (registry.CheckResult, error) {
	if known != nil && known.Status == registry.CheckDone {
		return *staleBecause(*known, err.Msg), nil
	}
	err.RetryAfter = retry
	return registry.CheckResult{}, err
}

// staleBecause returns a result marked as stale, with why as the only reason.
func staleBecause(r registry.CheckResult, why string) *registry.CheckResult {
	const warning = "Could not be checked again: "
	r.Stale = true
	r.Warnings = append(slices.DeleteFunc(slices.Clone(r.Warnings),
		func(w string) bool { return strings.HasPrefix(w, warning) }), warning+why)
	return &r
}
