package jobs

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"mcpcensus/internal/registry"
)

// An Enricher queries package services.
type Enricher interface {
	// Facts fills in the services' facts on p. Parts without a response keep their value in p.
	// The error describes the missing parts, for the status.
	Facts(ctx context.Context, p registry.PackageFacts) (registry.PackageFacts, error)
	// Archive returns the tools that the archive of a version of a package registers, with hashes,
	// tokens and findings; nil without an error if archives of its kind are not read. If a limit
	// ended the reading, there are a result and an error.
	Archive(ctx context.Context, key registry.PackageKey, of registry.ArchiveWork) (*registry.ArchiveTools,
		error)
	// Downloads fills in the download counts of ps, all of one registry type.
	// Unknown counts keep their value.
	Downloads(ctx context.Context, ps []registry.PackageFacts) ([]registry.PackageFacts, error)
}

const (
	packagesEvery  = 24 * time.Hour // versions, advisories, deprecations
	missingEvery   = time.Hour      // initially, where the service has no such package
	downloadsEvery = 7 * 24 * time.Hour
	packageBatch   = 20
	packagesAtOnce = 6 // of a batch
	// npmBatch is the maximum number of names in one request for npm's download counts.
	npmBatch   = 128
	packageTTL = 2 * time.Minute
	// Incomplete responses are retried with a delay that doubles up to a day.
	packageRetry, latestRetry = 15 * time.Minute, 24 * time.Hour
	// saveTimeout is how long a process that is stopped may still store responses.
	saveTimeout = 5 * time.Second
)

// ScoreStore holds servers with their facts, by the packages they publish.
type ScoreStore interface {
	ServersWithPackages(ctx context.Context, keys []registry.PackageKey) ([]int64, error)
	FactsOf(ctx context.Context, ids []int64, f func(registry.Scored) error) error
	PackageFacts(
		ctx context.Context, keys []registry.PackageKey,
	) (map[registry.PackageKey]registry.PackageFacts, error)
	SaveScores(ctx context.Context, scored []registry.Scored, now time.Time) (changed int,
		err error)
}

// PackageStore is the queue of packages.
type PackageStore interface {
	ScoreStore
	TryLock(ctx context.Context, name string) (release func(), ok bool, err error)
	LeasePackages(
		ctx context.Context, kind string, registryTypes []string, n int, ttl time.Duration,
		now time.Time,
	) ([]registry.PackageWork, error)
	FreePackages(ctx context.Context, kind string) error
	SavePackage(ctx context.Context, p registry.PackageFacts, next time.Time, errText string) error
	FailPackage(ctx context.Context, kind string, key registry.PackageKey, next time.Time,
		errText string) error
}

// A Packager keeps the facts about packages fresh, and the scores of the servers
// that publish them.
type Packager struct {
	Store   PackageStore
	Enrich  Enricher
	Log     *slog.Logger
	Now     func() time.Time
	Observe Observer
	// RetryAt returns the time at which the service accepts a retry of a failed request; a
	// zero time if it named none. May be nil.
	RetryAt func(err error) time.Time
}

// Facts updates due packages until none are left or ctx is done. It returns immediately while
// another process runs it.
func (p *Packager) Facts(ctx context.Context) (n int, err error) {
	release, ok, err := begin(ctx, p.Store, registry.PackageFactsKind)
	if err != nil || !ok {
		return 0, err
	}
	defer release()
	for {
		batch, err := p.Store.LeasePackages(ctx, registry.PackageFactsKind, registry.FactTypes,
			packageBatch, packageTTL, p.Now())
		if err != nil || len(batch) == 0 {
			return n, err
		}
		known, err := p.Store.PackageFacts(ctx, keysOf(batch))
		if err != nil {
			return n, err
		}
		answers := make([]answer, len(batch))
		var asking errgroup.Group
		asking.SetLimit(packagesAtOnce)
		for i, w := range batch {
			asking.Go(func() error {
				if ctx.Err() == nil {
					answers[i] = p.ask(ctx, w, known)
				}
				return nil
			})
		}
		_ = asking.Wait() // errors are part of the answers
		if err := p.readArchives(ctx, batch, known, answers); err != nil && ctx.Err() == nil {
			return n, err
		}
		if ctx.Err() != nil {
			return n, p.saveComplete(ctx, registry.PackageFactsKind, answers)
		}
		if err := p.save(ctx, registry.PackageFactsKind, answers); err != nil {
			return n, err
		}
		n += len(answers)
	}
}

// ask queries the services about one package. Their clients limit their own rates.
func (p *Packager) ask(
	ctx context.Context, w registry.PackageWork,
	known map[registry.PackageKey]registry.PackageFacts,
) answer {
	old, ok := known[w.PackageKey]
	if !ok {
		old = registry.PackageFacts{RegistryType: w.RegistryType, Identifier: w.Identifier}
	}
	facts, err := p.Enrich.Facts(ctx, old)
	a := answer{key: w.PackageKey, err: err}
	if facts.ObservedAt != nil &&
		(old.ObservedAt == nil || !facts.ObservedAt.Equal(*old.ObservedAt)) {
		facts.DownloadsObservedAt = nil // not requested now
		a.facts, a.next = &facts, p.Now().Add(untilAskedAgain(facts, p.Now()))
	} else if err == nil {
		a.err = registry.Errorf(registry.ErrUnavailable, "no service covers packages of this kind")
	}
	if a.err != nil {
		a.next = p.retryAt(a.err, w.Attempt)
	}
	return a
}

func keysOf(works []registry.PackageWork) []registry.PackageKey {
	keys := make([]registry.PackageKey, len(works))
	for i, w := range works {
		keys[i] = w.PackageKey
	}
	return keys
}

// untilAskedAgain returns the delay after a response: for a package that the service does not
// have, first missingEvery, then as long as it has been missing.
func untilAskedAgain(f registry.PackageFacts, now time.Time) time.Duration {
	if f.MissingSince == nil || f.Found != nil && !*f.Found {
		return packagesEvery
	}
	return min(max(now.Sub(*f.MissingSince), missingEvery), packagesEvery)
}

// begin takes the lock of one kind of request. All other leases are then of dead processes.
func begin(ctx context.Context, store PackageStore, kind string) (release func(), ok bool, err error) {
	release, ok, err = store.TryLock(ctx, "packages "+kind)
	if err != nil || !ok {
		return nil, false, err
	}
	if err := store.FreePackages(ctx, kind); err != nil {
		release()
		return nil, false, err
	}
	return release, true, nil
}

// An answer is the result of a request about one package.
type answer struct {
	key   registry.PackageKey
	facts *registry.PackageFacts // nil if there was none
	next  time.Time
	err   error // describes missing parts, for the status
}

// save rescores the servers of packages and then stores the answers. If the process is killed
// in between, the requests are repeated, so no answer is lost.
func (p *Packager) save(ctx context.Context, kind string, answers []answer) error {
	fresh := map[registry.PackageKey]registry.PackageFacts{}
	for _, a := range answers {
		if a.facts != nil {
			fresh[a.key] = *a.facts
		}
	}
	release, err := alone(ctx, p.Store)
	if err != nil {
		return err
	}
	defer release()
	if err := p.rescore(ctx, kind, fresh); err != nil {
		return err
	}
	for _, a := range answers {
		var err error
		if a.facts != nil {
			err = p.Store.SavePackage(ctx, *a.facts, a.next, reason(a.err))
		} else {
			err = p.Store.FailPackage(ctx, kind, a.key, a.next, reason(a.err))
		}
		if err != nil {
			return err
		}
		p.Observe.packages(kind, a.err == nil)
	}
	// A visit that was stored in between used older facts. Visits re-read the packages after
	// they are stored, and this re-reads the servers after the answers are stored: one of the
	// two sees the other.
	return settlePackages(ctx, p.Store, slices.Collect(maps.Keys(fresh)), p.Now())
}

// saveComplete stores complete answers after ctx is done. The other requests are repeated;
// they do not count as failures.
func (p *Packager) saveComplete(ctx context.Context, kind string, answers []answer) error {
	answers = slices.DeleteFunc(answers,
		func(a answer) bool { return a.facts == nil || a.err != nil })
	if len(answers) == 0 {
		return ctx.Err()
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	return errors.Join(ctx.Err(), p.save(stopping, kind, answers))
}

// alone waits for the lock on storing answers. Storing one kind reads the other kind before
// scoring, so two at once would overwrite each other.
func alone(ctx context.Context, store PackageStore) (release func(), err error) {
	for {
		release, ok, err := store.TryLock(ctx, "packages keep")
		if err != nil || ok {
			return release, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// retryAt returns when to retry after a failure: not before the time that the
// service named, and later each time, unless the cause was a rate limit.
func (p *Packager) retryAt(err error, attempt int) time.Time {
	at := p.Now().Add(packageRetry)
	if p.RetryAt != nil {
		if said := p.RetryAt(err); said.After(at) || errors.Is(err, registry.ErrLimited) &&
			said.After(p.Now()) {
			at = said
		}
	}
	if errors.Is(err, registry.ErrLimited) {
		return at
	}
	if later := p.Now().Add(min(packageRetry<<min(attempt, 10), latestRetry)); later.After(at) {
		at = later
	}
	return at
}

// Downloads updates due download counts, of each registry type until its service's rate limit
// is reached. It returns immediately while another process runs it.
func (p *Packager) Downloads(ctx context.Context) (n int, err error) {
	release, ok, err := begin(ctx, p.Store, registry.PackageDownloadsKind)
	if err != nil || !ok {
		return 0, err
	}
	defer release()
	var errs []error
	for _, typ := range registry.DownloadTypes {
		for more := true; more && ctx.Err() == nil; {
			done, err := p.countDownloads(ctx, typ)
			n, more = n+done, done > 0 && err == nil
			errs = append(errs, err)
		}
	}
	return n, errors.Join(errs...)
}

// countDownloads updates the download counts of a batch of due packages of a registry type,
// and returns how many.
func (p *Packager) countDownloads(ctx context.Context, typ string) (n int, err error) {
	size := packageBatch
	if typ == "npm" {
		size = npmBatch
	}
	batch, err := p.Store.LeasePackages(ctx, registry.PackageDownloadsKind, []string{typ}, size,
		packageTTL*5, p.Now())
	if err != nil || len(batch) == 0 {
		return 0, err
	}
	known, err := p.Store.PackageFacts(ctx, keysOf(batch))
	if err != nil {
		return 0, err
	}
	asked := make([]registry.PackageFacts, len(batch))
	for i, w := range batch {
		asked[i] = registry.PackageFacts{
			RegistryType: w.RegistryType, Identifier: w.Identifier,
			Downloads:     known[w.PackageKey].Downloads,
			DownloadsPrev: known[w.PackageKey].DownloadsPrev,
		}
	}
	counted, askErr := p.Enrich.Downloads(ctx, asked)
	answers := make([]answer, len(batch))
	for i, w := range batch {
		a := &answers[i]
		a.key, a.err = w.PackageKey, askErr
		switch {
		case i < len(counted) && counted[i].DownloadsObservedAt != nil:
			a.facts, a.next, a.err = &counted[i], p.Now().Add(downloadsEvery), nil
			a.facts.ObservedAt = nil // not requested now
		case askErr != nil:
			a.next = p.retryAt(askErr, w.Attempt)
		default:
			a.next = p.Now().Add(min(packagesEvery<<min(w.Attempt, 10), downloadsEvery))
			a.err = registry.Errorf(registry.ErrNotFound, "the service has no such package")
		}
	}
	if ctx.Err() != nil {
		return 0, p.saveComplete(ctx, registry.PackageDownloadsKind, answers)
	}
	if err := p.save(ctx, registry.PackageDownloadsKind, answers); err != nil {
		return 0, err
	}
	return len(answers), askErr
}

func (p *Packager) rescore(
	ctx context.Context, kind string, fresh map[registry.PackageKey]registry.PackageFacts,
) error {
	return rescorePackages(ctx, p.Store, slices.Collect(maps.Keys(fresh)),
		func(known map[registry.PackageKey]registry.PackageFacts) {
			for key, f := range fresh {
				known[key] = merged(kind, known[key], f)
			}
		}, p.Now())
}

// packageServers is how many servers of packages are held in memory at a time.
const packageServers = 100

// eachServersWith calls f with the servers of packages and their facts, some at a time, and
// the stored facts of all packages of these servers.
func eachServersWith(
	ctx context.Context, store ScoreStore, keys []registry.PackageKey,
	f func([]registry.Scored, map[registry.PackageKey]registry.PackageFacts) error,
) error {
	if len(keys) == 0 {
		return nil
	}
	ids, err := store.ServersWithPackages(ctx, keys)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(ids, packageServers) {
		var servers []registry.Scored
		var all []registry.PackageKey
		if err := store.FactsOf(ctx, some, func(s registry.Scored) error {
			servers = append(servers, s)
			all = append(all, packageKeys(s.Facts)...)
			return nil
		}); err != nil {
			return err
		}
		known, err := store.PackageFacts(ctx, all)
		if err != nil {
			return err
		}
		if err := f(servers, known); err != nil {
			return err
		}
	}
	return nil
}

// rescorePackages rescores the servers of packages with the stored facts of their packages,
// changed by overlay.
func rescorePackages(
	ctx context.Context, store ScoreStore, keys []registry.PackageKey, overlay func(
		map[registry.PackageKey]registry.PackageFacts), now time.Time,
) error {
	return eachServersWith(ctx, store, keys, func(
		servers []registry.Scored, known map[registry.PackageKey]registry.PackageFacts,
	) error {
		overlay(known)
		for i, s := range servers {
			servers[i] = rescored(s, withPackages(s.Facts, known), now)
		}
		_, err := store.SaveScores(ctx, servers, now)
		return err
	})
}

// settlePackages rescores servers whose facts are older than the stored facts of their
// packages. It re-reads servers that another writer changes in the meantime.
func settlePackages(
	ctx context.Context, store ScoreStore, keys []registry.PackageKey, now time.Time,
) error {
	for range 3 {
		settled := true
		if err := eachServersWith(ctx, store, keys, func(
			servers []registry.Scored, known map[registry.PackageKey]registry.PackageFacts,
		) error {
			var behind []registry.Scored
			for _, s := range servers {
				if f := withPackages(s.Facts, known); !samePackages(s.Facts, f) {
					behind = append(behind, rescored(s, f, now))
				}
			}
			if len(behind) == 0 {
				return nil
			}
			settled = false
			_, err := store.SaveScores(ctx, behind, now)
			return err
		}); err != nil || settled {
			return err
		}
	}
	return nil
}

func samePackages(a, b registry.Facts) bool {
	if (a.Scorecard == nil) != (b.Scorecard == nil) || a.Scorecard != nil &&
		!(a.Scorecard.Score == b.Scorecard.Score && a.Scorecard.Date.Equal(b.Scorecard.Date)) {
		return false
	}
	aStars, aForks, _ := a.Counts()
	bStars, bForks, _ := b.Counts()
	if !equal(aStars, bStars) || !equal(aForks, bForks) {
		return false
	}
	return sameEndpoints(a.Endpoints, b.Endpoints) &&
		slices.EqualFunc(a.Packages, b.Packages, func(p, q registry.PackageFacts) bool {
			return p.RegistryType == q.RegistryType && p.Identifier == q.Identifier &&
				sameTime(p.ObservedAt, q.ObservedAt) &&
				sameTime(p.DownloadsObservedAt, q.DownloadsObservedAt) &&
				sameTime(inspectedAt(p), inspectedAt(q))
		})
}

func equal(a, b *int) bool { return a == b || a != nil && b != nil && *a == *b }

func inspectedAt(p registry.PackageFacts) *time.Time {
	if p.Inspection == nil {
		return nil
	}
	return &p.Inspection.At
}

// merged returns the stored facts of a package, updated by an answer of one kind.
func merged(kind string, stored, answered registry.PackageFacts) registry.PackageFacts {
	facts, counts := answered, stored
	if kind == registry.PackageDownloadsKind {
		facts, counts = stored, answered
		facts.RegistryType, facts.Identifier = answered.RegistryType, answered.Identifier
	}
	facts.Downloads, facts.DownloadsPrev, facts.DownloadsObservedAt = counts.Downloads,
		counts.DownloadsPrev, counts.DownloadsObservedAt
	facts.Inspection = stored.Inspection
	return facts
}

// rescored returns s rescored from f. Fields owned by the store are unchanged.
func rescored(s registry.Scored, f registry.Facts, now time.Time) registry.Scored {
	again := Score(f, now)
	again.ReadmeKept = s.ReadmeKept
	old := s.Server
	n := &again.Server
	n.ID, n.Seq, n.Slug, n.OldSlugs = old.ID, old.Seq, old.Slug, old.OldSlugs
	n.Sources, n.ListedAt, n.UpdatedAt, n.Readme = old.Sources, old.ListedAt, old.UpdatedAt,
		old.Readme
	return again
}
