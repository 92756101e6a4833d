// Package jobs is the work of Census and when it is done: discover
// repositories, visit those whose turn it is, score what they hold, ask the
// package services, rescore, and keep the daily figures. Every piece of it is
// safe to repeat, to stop and to run in several processes at once: the store
// is the queue, and a result is kept only by the holder of the lease.
package jobs

import (
	"context"
	"iter"
	"time"

	"mcpcensus/internal/registry"
)

// A Store keeps everything. Its methods are those of postgres.DB.
type Store interface {
	Enqueue(ctx context.Context, candidates []registry.Candidate, now time.Time) (added int, err error)
	Lease(ctx context.Context, worker string, n int, ttl time.Duration, now time.Time) ([]registry.Work, error)
	ExtendLease(ctx context.Context, works []registry.Work, ttl time.Duration, now time.Time) ([]registry.Work, error)
	Release(ctx context.Context, works []registry.Work, nextAt time.Time, errText string) error
	Postpone(ctx context.Context, works []registry.Work, nextAt time.Time, why string) error
	LeaseHolders(ctx context.Context, now time.Time) ([]string, error)
	TakeLeasesFrom(ctx context.Context, workers []string) (int, error)
	SaveResult(ctx context.Context, r registry.Result) error
	ScoredOfRepo(ctx context.Context, repoID int64) ([]registry.Scored, error)

	SaveListings(ctx context.Context, listings []registry.Listing, now time.Time) error
	ListingsOfRepo(ctx context.Context, repoKey string, hostID int64) ([]registry.Listing, error)
	PackageFacts(ctx context.Context, keys []registry.PackageKey) (map[registry.PackageKey]registry.PackageFacts, error)
	WantPackages(ctx context.Context, keys []registry.PackageKey, now time.Time) error
	LeasePackages(ctx context.Context, kind string, registryTypes []string, n int, ttl time.Duration, now time.Time) ([]registry.PackageWork, error)
	FreePackages(ctx context.Context, kind string) error
	SavePackage(ctx context.Context, p registry.PackageFacts, next time.Time, errText string) error
	FailPackage(ctx context.Context, kind string, key registry.PackageKey, next time.Time, errText string) error
	ServersWithPackages(ctx context.Context, keys []registry.PackageKey) ([]int64, error)

	FactsOf(ctx context.Context, ids []int64, f func(registry.Scored) error) error
	EachFacts(ctx context.Context, f func(registry.Scored) error) error
	SaveScores(ctx context.Context, scored []registry.Scored, now time.Time) (changed int, err error)
	SnapshotDay(ctx context.Context, day time.Time) (int, error)

	SourceState(ctx context.Context, name string) (registry.SourceState, error)
	SaveSourceState(ctx context.Context, s registry.SourceState) error
	TryLock(ctx context.Context, name string) (release func(), ok bool, err error)
	JobStarted(ctx context.Context, run registry.JobRun) (id int64, err error)
	JobFinished(ctx context.Context, id int64, run registry.JobRun) error
	JobRuns(ctx context.Context) ([]registry.JobRun, error)
	SaveBudget(ctx context.Context, b registry.Budget) error
}

// A Host is a code host that can be asked about repositories.
type Host interface {
	// Visit asks about each of works and yields what came of it, in any
	// order. Works that it could not ask about, because the budget is gone or
	// ctx is done, are not yielded.
	Visit(ctx context.Context, works []registry.Work) iter.Seq[registry.Visit]
}

// A Source names repositories that may hold MCP servers.
type Source interface {
	Name() string
	// Discover reads on from state and yields candidates with the state from
	// which a later call goes on behind them.
	Discover(ctx context.Context, state []byte, yield func([]registry.Candidate, []byte) error) error
}

// An Observer is told what happened, for metrics and progress. Any of its
// functions may be nil.
type Observer struct {
	Visited  func(outcome registry.Outcome)
	JobDone  func(job, result string, took time.Duration)
	Found    func(source string, n int)
	Packages func(kind string, ok bool)
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
