// Package jobs runs the scheduled work of Census: discovering repositories, visiting due ones,
// scoring servers, querying package services, rescoring, and storing daily figures. Every job
// can be stopped, repeated, and run in several processes at once: the store is the queue, and
// only the holder of a lease saves a result. It is one package because all jobs share the
// leases, the timetable and the Ingester, which turns what a visit read into a scored record.
package jobs

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"time"

	"mcpcensus/internal/registry"
)

// A Source finds repositories that may hold MCP servers.
type Source interface {
	// Name is the source's name in sightings.
	Name() string
	// Discover reads the source from where state left off; nil is the beginning. It yields
	// candidates together with the state that is valid once they are stored, so that a killed
	// run continues from the last stored state. Candidates may be nil if only the state
	// changed. It returns nil at the end of a complete run, and otherwise the first error: an
	// error of yield or, for a spent budget, a [*transport.LimitError].
	Discover(ctx context.Context, state []byte,
		yield func(found []registry.Candidate, state []byte) error) error
}

// An Observer is called for metrics and progress. Its functions may be nil.
type Observer struct {
	Visited  func(outcome registry.Outcome)
	JobDone  func(job, result string, took time.Duration)
	Found    func(source string, n int)
	Packages func(kind string, ok bool)
	Probed   func(state string) // the state of the endpoint after a probe
}

func (o Observer) visited(outcome registry.Outcome) {
	if o.Visited != nil {
		o.Visited(outcome)
	}
}

func (o Observer) found(source string, n int) {
	if o.Found != nil {
		o.Found(source, n)
	}
}

func (o Observer) packages(kind string, ok bool) {
	if o.Packages != nil {
		o.Packages(kind, ok)
	}
}

// An Outage logs the first of consecutive errors, others that say something else to operators, and
// their end. The zero value is ready for use, and safe for concurrent use.
type Outage struct {
	mu   sync.Mutex
	err  error  // of the last attempt
	said string // by it
}

// Note notes the result of an attempt.
func (o *Outage) Note(ctx context.Context, log *slog.Logger, what string, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	said := ""
	if e, ok := errors.AsType[*registry.Error](err); ok {
		said = e.Msg
	}
	switch {
	case err == nil && o.err != nil:
		log.InfoContext(ctx, what+": works again", "after", o.err)
	case err != nil && (o.err == nil || said != o.said):
		log.ErrorContext(ctx, what, "err", err)
	}
	o.err, o.said = err, said
}

// recovered calls f and turns a panic into an error. Repositories are untrusted input:
// a bug that one of them triggers must not end the process.
func recovered(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = registry.Wrap(registry.ErrUnavailable,
				fmt.Errorf("panic: %v\n%s", v,
					debug.Stack()), "The repository could not be processed because of a bug in Census. It "+
					"is retried later.")
		}
	}()
	return f()
}

// NoFacts is the [FactSource] of a check without a database: it has
// no facts and stores none.
type NoFacts struct{}

func (NoFacts) ListingsOfRepo(context.Context, string, int64) ([]registry.Listing, error) {
	return nil, nil
}

func (NoFacts) PackageFacts(
	context.Context, []registry.PackageKey,
) (map[registry.PackageKey]registry.PackageFacts, error) {
	return nil, nil
}

func (NoFacts) EnqueuePackages(context.Context, []registry.PackageKey, time.Time) error {
	return nil
}

// SourceState returns the state of a source that was never read.
func (NoFacts) SourceState(_ context.Context, name string) (registry.SourceState, error) {
	return registry.SourceState{Name: name}, nil
}

func (NoFacts) FormerNames(context.Context, string, int64) ([]string, error) { return nil, nil }

// Bounds of the time between probes of a repository, which is half of the smoothed
// time between its changes.
const (
	soonest     = 6 * time.Hour
	latest      = 14 * 24 * time.Hour
	latestQuiet = 30 * 24 * time.Hour // archived, empty, or without a server
)

// untilNext returns the time until a repository's next probe: half of the smoothed days
// between its changes, or of the days since the last one if that is longer, with 15% jitter.
func untilNext(
	r *registry.Repository, holdsServer bool, interval float64, changed, now time.Time,
) time.Duration {
	days := interval
	if quiet := now.Sub(changed).Hours() / 24; !changed.IsZero() && quiet > days {
		days = quiet
	}
	bound := latest
	if r.Archived || !holdsServer {
		bound = latestQuiet
		days *= 2
	}
	next := time.Duration(days / 2 * float64(24*time.Hour))
	next = max(soonest, min(next, bound))
	next = time.Duration(float64(next) * (0.85 + 0.3*rand.Float64()))
	if next > bound {
		next = 2*bound - next // facts must not become older than the bound
	}
	return next
}

// smoothed returns the exponentially weighted number of days between changes of a
// repository that has just been read in full.
func smoothed(w registry.Work, snap *registry.Snapshot, now time.Time) float64 {
	gap := now.Sub(lastChange(w, snap)).Hours() / 24
	if w.Stored != nil && w.Stored.Repo.Commit == snap.Repo.Commit {
		return w.Interval // fetched for another reason
	}
	if w.ChangedAt != nil {
		gap = now.Sub(*w.ChangedAt).Hours() / 24
	}
	gap = max(gap, 0.25)
	if w.Interval == 0 {
		return gap
	}
	return 0.7*w.Interval + 0.3*gap
}

// lastChange returns when the repository last changed, as far as is known.
func lastChange(w registry.Work, snap *registry.Snapshot) time.Time {
	changed := snap.Repo.PushedAt
	if c := snap.Repo.CommittedAt; c != nil {
		changed = *c // pushes to other branches do not count
	}
	if w.Stored != nil && w.Stored.Repo.Commit == snap.Repo.Commit && w.ChangedAt != nil &&
		w.ChangedAt.After(changed) {
		changed = *w.ChangedAt
	}
	return changed
}

// A Host is a client that reads repositories from one code host. Its methods
// are safe for concurrent use.
type Host interface {
	// Visit reads repositories and yields one visit for each, in any order. It yields none for
	// works that it could not request because of a rate limit or because ctx is done.
	Visit(ctx context.Context, works []registry.Work) iter.Seq[registry.Visit]
	// Resolve reads one whole repository immediately. onProgress is called with partial
	// results: first the repository alone, then with its files.
	Resolve(
		ctx context.Context, ref registry.RepoRef, onProgress func(registry.Repository,
			[]registry.File),
	) registry.Visit
	// PathActivity returns the activity below each path, and the errors of paths whose
	// activity could not be read, both by path.
	PathActivity(
		ctx context.Context, repo registry.Repository, paths []string,
	) (found map[string]registry.Activity, failures map[string]string, err error)
	// Backoff returns why the host accepts no requests now and when it will, a zero time if
	// unknown. The error is nil if it accepts them. known is whether the repositories were read
	// before.
	Backoff(known bool) (until time.Time, why error)
}

// Hosts are the clients of code hosts by the ID of their [registry.Host].
type Hosts map[string]Host

// of returns the client of a host. It never returns nil.
func (h Hosts) of(id string) Host {
	if host, ok := h[registry.HostOf(id).ID]; ok {
		return host
	}
	return noClient{id}
}

// visit reads repositories of several hosts, each host's at the same time as
// the others', as [Host.Visit] does.
func (h Hosts) visit(ctx context.Context, works []registry.Work) iter.Seq[registry.Visit] {
	groups := map[string][]registry.Work{}
	for _, w := range works {
		groups[w.Ref.Host] = append(groups[w.Ref.Host], w)
	}
	if len(groups) == 1 {
		return h.of(works[0].Ref.Host).Visit(ctx, works)
	}
	return func(yield func(registry.Visit) bool) {
		ctx, cancel := context.WithCancel(ctx)
		visits := make(chan registry.Visit)
		var readers sync.WaitGroup
		for id, works := range maps.All(groups) {
			readers.Go(func() {
				for v := range h.of(id).Visit(ctx, works) {
					visits <- v
				}
			})
		}
		go func() {
			readers.Wait()
			close(visits)
		}()
		defer func() {
			cancel()
			for range visits { // until all readers have ended
			}
		}()
		for v := range visits {
			if !yield(v) {
				return
			}
		}
	}
}

// noClient represents a host without a client in this program.
type noClient struct{ id string }

func (n noClient) err() error {
	return registry.Errorf(registry.ErrUnsupported, "Repositories on %s are not read.",
		registry.HostOf(n.id).Name)
}

func (n noClient) Visit(_ context.Context, works []registry.Work) iter.Seq[registry.Visit] {
	return func(yield func(registry.Visit) bool) {
		for _, w := range works {
			if !yield(registry.Visit{Work: w, Outcome: registry.Failed, Err: n.err()}) {
				return
			}
		}
	}
}

func (n noClient) Resolve(
	_ context.Context, ref registry.RepoRef, _ func(registry.Repository, []registry.File),
) registry.Visit {
	return registry.Visit{Work: registry.Work{Ref: ref}, Outcome: registry.Failed, Err: n.err()}
}

func (n noClient) PathActivity(
	context.Context, registry.Repository, []string,
) (map[string]registry.Activity, map[string]string, error) {
	return nil, nil, n.err()
}

func (n noClient) Backoff(bool) (time.Time, error) { return time.Time{}, nil }
