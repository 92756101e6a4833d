package jobs

import (
	"context"
	"log/slog"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

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

// SnapshotStore stores the statistics of a day.
type SnapshotStore interface {
	SnapshotDay(ctx context.Context, day time.Time) (int, error)
}

// Rescore computes the score of every stored server again from its stored facts, and
// stores those that changed. It calls progress, which may be nil, after each batch with
// the number of servers done.
func Rescore(
	ctx context.Context, store FactsStore, now time.Time, progress func(done int),
) (seen, changed int, err error) {
	group, gctx := errgroup.WithContext(ctx)
	batches := make(chan []registry.Scored, 2)
	results := make(chan [2]int, 16)
	for range max(1, runtime.GOMAXPROCS(0)) {
		group.Go(func() error {
			for batch := range batches {
				var n int
				err := recovered(func() (err error) {
					for i, s := range batch {
						batch[i] = rescored(s, s.Facts, now)
						batch[i].FactsKept = true
					}
					n, err = store.SaveScores(gctx, batch, now)
					return err
				})
				if err != nil {
					return err
				}
				select {
				case results <- [2]int{len(batch), n}:
				case <-gctx.Done():
					return gctx.Err()
				}
			}
			return nil
		})
	}
	counted := make(chan struct{})
	go func() {
		defer close(counted)
		for r := range results {
			seen += r[0]
			changed += r[1]
			if progress != nil {
				progress(seen)
			}
		}
	}()
	var batch []registry.Scored
	send := func() error {
		select {
		case batches <- batch:
			batch = nil
			return nil
		case <-gctx.Done():
			return gctx.Err()
		}
	}
	err = store.EachFacts(gctx, func(s registry.Scored) error {
		if batch = append(batch, s); len(batch) == rescoreBatch {
			return send()
		}
		return nil
	})
	if err == nil && len(batch) > 0 {
		err = send()
	}
	close(batches)
	if waitErr := group.Wait(); waitErr != nil {
		err = waitErr
	}
	close(results)
	<-counted
	return seen, changed, err
}

// Snapshot stores today's statistics of every server for its history.
func Snapshot(ctx context.Context, store SnapshotStore, now time.Time, log *slog.Logger) error {
	n, err := store.SnapshotDay(ctx, now.UTC().Truncate(24*time.Hour))
	if err == nil {
		log.InfoContext(ctx, "daily figures stored", "servers", n)
	}
	return err
}
