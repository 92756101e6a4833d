package jobs

import (
	"context"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
)

// rescoreBatch is how many scores are written in one statement.
const rescoreBatch = 250

// FactsStore holds the facts and scores of all servers.
type FactsStore interface {
	// EachFacts calls f with the facts of every stored server.
	EachFacts(ctx context.Context, f func(registry.Scored) error) error
	SaveScores(ctx context.Context, scored []registry.Scored, now time.Time) (changed int,
		err error)
}

// Rescore recomputes the score of every stored server from its stored facts, and stores
// changed ones. progress, which may be nil, is called after each batch with the number of
// servers done.
func Rescore(
	ctx context.Context, store FactsStore, now time.Time, progress func(done int),
) (seen, changed int, err error) {
	var mu sync.Mutex // guards seen and changed
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	score := func(batch []registry.Scored) {
		group.Go(func() error {
			return recovered(func() error {
				for i, s := range batch {
					batch[i] = rescored(s, s.Facts, now)
					batch[i].FactsKept = true
				}
				n, err := store.SaveScores(gctx, batch, now)
				mu.Lock()
				defer mu.Unlock()
				seen += len(batch)
				changed += n
				if err == nil && progress != nil {
					progress(seen)
				}
				return err
			})
		})
	}
	var batch []registry.Scored
	err = store.EachFacts(gctx, func(s registry.Scored) error {
		if batch = append(batch, s); len(batch) == rescoreBatch {
			score(batch)
			batch = nil
		}
		return nil
	})
	if err == nil && len(batch) > 0 {
		score(batch)
	}
	if waitErr := group.Wait(); waitErr != nil {
		err = waitErr
	}
	return seen, changed, err
}

// Snapshot stores today's statistics of every server for its history.
func Snapshot(ctx context.Context, store *postgres.DB, now time.Time, log *slog.Logger) error {
	n, err := store.SnapshotDay(ctx, now.UTC().Truncate(24*time.Hour))
	if err == nil {
		log.InfoContext(ctx, "daily figures stored", "servers", n)
	}
	return err
}
