package jobs

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"mcpcensus/internal/registry"
)

// Limits of checks on demand.
const (
	checkAnswer    = 8 * time.Second  // longest wait for a result
	checkDeadline  = 20 * time.Second // of the check itself
	checkFresh     = 24 * time.Hour   // a younger result is returned unchanged
	checkAnew      = 5 * time.Minute  // the same for Recheck
	checkGlance    = time.Second      // longest wait of Follow and Recheck
	checkPoll      = 300 * time.Millisecond
	checkPerHour   = 600 // new checks an hour, of all clients
	checkBurst     = 30
	checkAtOnce    = 4
	checkRetrySoon = 2 * time.Second
	checkFailedFor = time.Minute // a repository is not checked again after the host failed
	// So many failures of the host within one period stop all new checks for another.
	breakerFailures = 5
	breakerWindow   = 30 * time.Second
	breakerOpen     = time.Minute
)

// A CheckStore stores running checks and results, shared by all processes.
type CheckStore interface {
	StartCheck(ctx context.Context, key string, now time.Time,
		ttl time.Duration) (run registry.CheckRun, started bool, err error)
	NoteCheck(ctx context.Context, key string, progress []byte) error
	FinishCheck(ctx context.Context, key string, now time.Time, result []byte, found bool) error
	FailCheck(ctx context.Context, key string, until time.Time, result []byte) error
	Check(ctx context.Context, key string) (registry.CheckRun, error)
	// HiddenOfRepo returns the subfolders of a repository's hidden servers, and
	// whether all its servers are hidden.
	HiddenOfRepo(ctx context.Context, key string, hostID int64) (subfolders []string, all bool,
		err error)
	// RepositoryKey returns the key of a known repository, "" if it is unknown.
	RepositoryKey(ctx context.Context, key string, hostID int64) (string, error)
}

// A Checker checks the health of any repository on demand. It has its own rate
// limit, so that visitors cannot starve the crawl.
type Checker struct {
	Ingester Ingester
	Checks   CheckStore
	Enrich   Enricher
	Enqueue  func(ctx context.Context, candidates []registry.Candidate, now time.Time) (int, error)
	// Timeout is the longest wait for a result; 0 means eight seconds.
	Timeout time.Duration

	slots   chan struct{}
	limiter *rate.Limiter // of new checks
	breaker breaker
	prepare sync.Once
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
	return c.checkWithin(ctx, ref, min(checkGlance, cmp.Or(c.Timeout, checkAnswer)), checkAnew,
		begin)
}

func (c *Checker) checkWithin(
	ctx context.Context, ref registry.RepoRef, timeout, fresh time.Duration, begin func() error,
) (registry.CheckResult, error) {
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
	c.prepare.Do(func() {
		c.slots = make(chan struct{}, checkAtOnce)
		c.limiter = rate.NewLimiter(rate.Limit(checkPerHour/time.Hour.Seconds()), checkBurst)
	})
	key := ref.Key()
	known, failed, err := c.stored(ctx, key)
	if err != nil {
		return registry.CheckResult{}, err
	}
	now := c.Ingester.Now()
	switch {
	case known == nil && failed > 0:
		return c.noAnswer(ref.Host, failed)
	case known == nil:
	case known.Status == registry.CheckPending:
		return c.await(ctx, key, ref, timeout, *known)
	case known.Status != registry.CheckDone, now.Sub(known.At) < fresh, failed > 0: // it says why
		return named(*known, ref), nil
	}
	if why, wait := c.waiting(ref.Host); why != nil {
		return c.fallback(known, why, wait)
	}
	if err := begin(); err != nil {
		return registry.CheckResult{}, err
	}
	if wait := c.breaker.wait(now); wait > 0 {
		return c.fallback(known,
			registry.Errorf(registry.ErrUnavailable,
				"The code host is failing, so no new checks are started. Try again in a minute."),
			wait)
	}
	if !c.limiter.AllowN(now, 1) {
		return c.fallback(known,
			registry.Errorf(registry.ErrLimited,
				"Too many new repositories are being checked. Try again in a few minutes."),
			5*time.Minute)
	}
	run, started, err := c.Checks.StartCheck(ctx, key, now, checkDeadline+5*time.Second)
	if err != nil {
		return registry.CheckResult{}, err
	}
	if !started && run.State != registry.CheckRunning {
		if again, _, err := c.stored(ctx, key); err == nil && again != nil {
			return named(*again, ref), nil
		}
	}
	if started {
		go c.run(context.WithoutCancel(ctx), key, ref, known, fresh < checkFresh)
	}
	return c.await(ctx, key, ref, timeout, *pending(key, nil))
}

// named returns a result with the requested name, unless the host has given
// another one.
func named(r registry.CheckResult, ref registry.RepoRef) registry.CheckResult {
	if r.Ref.Name == "" {
		r.Ref = ref
	}
	return r
}

// Checked returns the result with an ID, pending or not. An unknown ID is an
// error of kind [registry.ErrNotFound].
func (c *Checker) Checked(ctx context.Context, id string) (registry.CheckResult, error) {
	decoded, err := base64.RawURLEncoding.DecodeString(id)
	if err != nil || len(id) > maxCheckID {
		return registry.CheckResult{}, registry.Errorf(registry.ErrNotFound, "Check not found.")
	}
	key, path, _ := strings.Cut(string(decoded), " ")
	r, failed, err := c.stored(ctx, key)
	if err != nil {
		return registry.CheckResult{}, err
	}
	if r == nil && failed > 0 {
		host, _, _ := strings.Cut(key, ":")
		return c.noAnswer(host, failed)
	}
	if r == nil {
		return registry.CheckResult{}, registry.Errorf(registry.ErrNotFound,
			"Check not found, or it failed: request the repository again.")
	}
	r.ID, r.Ref.Path = id, path
	return c.shown(ctx, key, *r)
}

// maxCheckID is the maximum length of the ID of a check, in bytes.
const maxCheckID = 256

// checkID returns the ID of the check of a repository and a path in it, safe in
// URLs. A path that is too long is left out.
func checkID(key, path string) string {
	if path != "" && base64.RawURLEncoding.EncodedLen(len(key)+1+len(path)) <= maxCheckID {
		key += " " + path
	}
	return base64.RawURLEncoding.EncodeToString([]byte(key))
}

// stored returns the stored result of a repository: nil if there is none, a
// pending one if a check is running. failed is how much longer no check is
// started because the host failed.
func (c *Checker) stored(
	ctx context.Context, key string,
) (r *registry.CheckResult, failed time.Duration, err error) {
	run, err := c.Checks.Check(ctx, key)
	if errors.Is(err, registry.ErrNotFound) {
		return nil, 0, nil
	} else if err != nil {
		return nil, 0, err
	}
	now := c.Ingester.Now()
	if run.State == registry.CheckFailed && run.NegativeUntil != nil {
		failed = max(0, run.NegativeUntil.Sub(now))
	}
	switch {
	case run.State == registry.CheckRunning && now.Sub(run.StartedAt) < checkDeadline+5*time.Second:
		return pending(key, run.Progress), 0, nil
	case run.State == registry.CheckNotFound && run.NegativeUntil != nil &&
		now.Before(*run.NegativeUntil):
		return &registry.CheckResult{ID: checkID(key, ""), Status: registry.CheckNotFound}, 0, nil
	case run.State == registry.CheckNotFound || run.Result == nil:
		return nil, failed, nil
	}
	r = new(registry.CheckResult)
	if err := json.Unmarshal(run.Result, r); err != nil {
		return nil, failed, nil // of an older version: check again
	}
	r.Stale = now.Sub(r.At) >= checkFresh
	return r, failed, nil
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

// await waits for the result of a running check; when time is up, it returns the
// progress.
func (c *Checker) await(
	ctx context.Context, key string, ref registry.RepoRef, timeout time.Duration,
	sofar registry.CheckResult,
) (registry.CheckResult, error) {
	deadline := time.NewTimer(timeout)
	defer deadline.Stop()
	poll := time.NewTicker(checkPoll)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return registry.CheckResult{}, ctx.Err()
		case <-deadline.C:
			return named(sofar, ref), nil
		case <-poll.C:
			r, failed, err := c.stored(ctx, key)
			if err != nil {
				return registry.CheckResult{}, err
			}
			if r == nil {
				return c.noAnswer(ref.Host, cmp.Or(failed, checkFailedFor))
			}
			if r.Status != registry.CheckPending {
				return named(*r, ref), nil
			}
			sofar = *r
		}
	}
}

// noAnswer returns why a check failed, and when to retry.
func (c *Checker) noAnswer(host string, failed time.Duration) (registry.CheckResult, error) {
	why, wait := c.waiting(host)
	if why == nil {
		why, wait = registry.Errorf(registry.ErrUnavailable,
			"The code host didn't respond. Try again in a minute."), failed
	}
	return c.fallback(nil, why, wait)
}

// waiting returns why a code host accepts no requests now and for how long, nil if it accepts
// them.
func (c *Checker) waiting(host string) (*registry.Error, time.Duration) {
	until, why := c.Ingester.Hosts.of(host).Backoff()
	switch {
	case why == nil:
		return nil, 0
	case until.IsZero():
		return registry.Errorf(registry.ErrUnavailable,
			"The code host rejects this registry's requests. No new checks are started until its operator "+
				"has fixed that."), time.Hour
	}
	return registry.Errorf(registry.ErrUnavailable, "No new checks can be started now. %s.",
		why), max(time.Second, until.Sub(c.Ingester.Now()))
}

// run checks a repository and stores the result. With again, the repository is listed.
func (c *Checker) run(
	ctx context.Context, key string, ref registry.RepoRef, known *registry.CheckResult, again bool,
) {
	ctx, cancel := context.WithTimeout(ctx, checkDeadline)
	defer cancel()
	var r registry.CheckResult
	var err error
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
		err = recovered(func() (err error) {
			r, err = checkOnce(ctx, &c.Ingester, c.Enrich, ref,
				func(sofar registry.CheckResult) { c.note(ctx, key, sofar) })
			return err
		})
	case <-ctx.Done():
		err = registry.Errorf(registry.ErrUnavailable, "Too many repositories are being checked.")
	}
	store, cancelStore := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancelStore()
	if err := c.store(store, key, ref, known, r, err, again); err != nil {
		c.Ingester.Log.ErrorContext(ctx, "check not stored", "repository", ref.String(), "err", err)
	}
}

// note stores the progress of a check. Failures are ignored: progress is optional.
func (c *Checker) note(ctx context.Context, key string, sofar registry.CheckResult) {
	b, err := json.Marshal(sofar)
	if err == nil {
		err = c.Checks.NoteCheck(ctx, key, b)
	}
	if err != nil && ctx.Err() == nil {
		c.Ingester.Log.WarnContext(ctx, "progress of a check not stored", "repository",
			sofar.Ref.String(), "err", err)
	}
}

// store stores the result of a check, or its failure.
func (c *Checker) store(
	ctx context.Context, key string, ref registry.RepoRef, known *registry.CheckResult,
	r registry.CheckResult, failure error, again bool,
) error {
	now := c.Ingester.Now()
	if failure != nil {
		c.Ingester.Log.WarnContext(ctx, "check failed", "repository", ref.String(), "err", failure)
		if _, ok := errors.AsType[hostError](failure); ok {
			c.breaker.failed(now)
		}
		var stale []byte
		if known != nil && known.Status == registry.CheckDone {
			stale, _ = json.Marshal(staleBecause(*known, reason(failure))) // only plain values
		}
		return c.Checks.FailCheck(ctx, key, now.Add(checkFailedFor), stale)
	}
	r.ID = checkID(key, "")
	if len(r.Servers) > 0 {
		c.list(ctx, r.Ref, r.Servers[0].Server.Repo, again)
	}
	result, _ := json.Marshal(r) // only plain values
	return c.Checks.FinishCheck(ctx, key, now, result, r.Status != registry.CheckNotFound)
}

// A hostError is a failure of the code host.
type hostError struct{ error }

func (e hostError) Unwrap() error { return e.error }

// CheckOnce reads one repository from its code host and the package services, and
// scores its servers. It fails if the host fails.
func CheckOnce(
	ctx context.Context, in *Ingester, enrich Enricher, ref registry.RepoRef,
) (registry.CheckResult, error) {
	return checkOnce(ctx, in, enrich, ref, func(registry.CheckResult) {})
}

// checkOnce is CheckOnce; it calls note with partial results after each step.
func checkOnce(
	ctx context.Context, in *Ingester, enrich Enricher, ref registry.RepoRef, note func(
		registry.CheckResult),
) (registry.CheckResult, error) {
	// Archives are read as long as the caller waits.
	waiting, cancel := context.WithTimeout(ctx, checkAnswer-checkReserve)
	defer cancel()
	sofar := registry.CheckResult{Ref: ref, Status: registry.CheckPending,
		Progress: new(registry.CheckProgress)}
	p := sofar.Progress
	v := in.Hosts.of(ref.Host).Resolve(ctx, ref,
		func(repo registry.Repository, files []registry.File) {
			p.Repo = &repo
			sofar.Ref.Owner, sofar.Ref.Name = repo.Owner, repo.Name
			if files != nil {
				n := len(files)
				p.Files = &n
			}
			note(sofar)
		})
	r := registry.CheckResult{Ref: ref, Status: registry.CheckDone,
		At: in.Now().UTC().Truncate(time.Second)}
	switch v.Outcome {
	case registry.Missing:
		r.Status = registry.CheckNotFound
		return r, nil
	case registry.Blocked:
		r.Blocked, r.Reason = cmp.Or(v.Blocked,
			"blocked"), "The code host withholds the repository ("+v.Blocked+")."
		return r, nil
	case registry.Fetched:
	default:
		if v.Err == nil {
			v.Err = registry.Errorf(registry.ErrUnavailable, "The code host didn't respond.")
		}
		return r, hostError{v.Err}
	}
	snap := v.Snapshot
	r.Ref.Owner, r.Ref.Name = snap.Repo.Owner, snap.Repo.Name
	sofar.Ref, sofar.At = r.Ref, r.At
	files, read := len(snap.Files), len(snap.Texts)
	p.Repo, p.Files, p.Read = &snap.Repo, &files, &read
	note(sofar)
	scored, verdict, err := in.Detect(ctx, snap)
	if err != nil {
		return r, err
	}
	if len(scored) == 0 && unread(snap) {
		return r, hostError{registry.Errorf(registry.ErrUnavailable,
			"The code host didn't return the repository's files. Try again in a minute.")}
	}
	r.Reason, r.Empty = verdict.Reason, snap.Repo.Empty
	p.Searched, sofar.Servers = true, slices.Clone(scored)
	var known map[registry.PackageKey]registry.PackageFacts
	r.Servers, known, r.Warnings = enriched(ctx, in, enrich, scored, func(asked, of int) {
		p.Asked, p.Packages = asked, of
		note(sofar)
	})
	withArchives(waiting, in, enrich, r.Servers, known)
	return r, nil
}

// checkPackages is the maximum number of packages whose services a check queries.
const checkPackages = 6

// enriched adds facts of the package services to servers within the deadline, and reports
// progress to tell. It also returns the facts.
func enriched(
	ctx context.Context, in *Ingester, enrich Enricher, scored []registry.Scored, tell func(asked,
		of int),
) ([]registry.Scored, map[registry.PackageKey]registry.PackageFacts, []string) {
	if enrich == nil {
		tell(0, 0)
		return scored, nil, nil
	}
	var keys, ask []registry.PackageKey
	known := map[registry.PackageKey]registry.PackageFacts{}
	for _, s := range scored {
		keys = append(keys, packageKeys(s.Facts)...)
		for _, p := range s.Facts.Packages {
			known[registry.PackageKey{RegistryType: p.RegistryType, Identifier: p.Identifier}] = p
		}
	}
	stored, err := in.Facts.PackageFacts(ctx, keys) // of the repositories too
	if err != nil {
		in.Log.WarnContext(ctx, "stored facts of packages not read", "err", err)
	}
	maps.Copy(known, stored)
	var warnings []string
	for _, k := range keys {
		if _, ok := known[k]; !ok && k.RegistryType != registry.RemoteType &&
			!slices.Contains(ask, k) && len(ask) < checkPackages {
			ask = append(ask, k)
		}
	}
	tell(0, len(ask))
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for i, k := range ask {
		facts, err := enrich.Facts(ctx,
			registry.PackageFacts{RegistryType: k.RegistryType, Identifier: k.Identifier})
		if err != nil {
			warnings = append(warnings, k.Identifier+": "+reason(err))
		}
		known[k] = facts
		tell(i+1, len(ask))
	}
	for i, s := range scored {
		scored[i] = rescored(s, withPackages(s.Facts, known), in.Now())
	}
	return scored, known, warnings
}

const (
	// checkArchives is the maximum number of archives that a check reads.
	checkArchives = 2
	// checkReserve is the rest of checkAnswer when a check stops reading archives.
	checkReserve = 2 * time.Second
)

// withArchives adds the tools that packages register to servers whose repository does not show
// them, until ctx is done. The packages job reads the rest once the server is listed.
func withArchives(
	ctx context.Context, in *Ingester, enrich Enricher, scored []registry.Scored,
	known map[registry.PackageKey]registry.PackageFacts,
) {
	read := 0
	for i, s := range scored {
		key, version, ok := archiveOf(s.Facts)
		if enrich == nil || !ok || isCurrent(known[key].Archive, key, version, in.Now()) {
			continue
		}
		if read++; read > checkArchives || ctx.Err() != nil {
			return
		}
		found, err := archiveTools(ctx, enrich, key, version)
		if err != nil {
			in.Log.DebugContext(ctx, "archive not read", "package", key.Identifier, "err", err)
			continue
		}
		if found == nil {
			continue
		}
		facts := known[key]
		facts.Archive = found
		known[key] = facts
		scored[i] = rescored(s, withPackages(s.Facts, known), in.Now())
	}
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
func (c *Checker) fallback(
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

// A breaker pauses an operation that keeps failing.
type breaker struct {
	mu       sync.Mutex
	failures []time.Time
	until    time.Time
}

func (b *breaker) failed(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures = append(slices.DeleteFunc(b.failures,
		func(t time.Time) bool { return now.Sub(t) > breakerWindow }), now)
	if len(b.failures) >= breakerFailures {
		b.failures, b.until = nil, now.Add(breakerOpen)
	}
}

// wait returns how much longer the pause lasts.
func (b *breaker) wait(now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(0, b.until.Sub(now))
}
