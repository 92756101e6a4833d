package search

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"mcpcensus/internal/changes"
	"mcpcensus/internal/registry"
)

const (
	batchSize = 1000
	interval  = 2 * time.Second // between reads without a notification
)

// fill reads the whole feed.
func fill(ctx context.Context, feed Feed, put func(servers []registry.Server, removed []string, seq int64) error) error {
	for seq := int64(0); ; {
		servers, removed, last, err := feed.ServersAfter(ctx, seq, batchSize)
		if err != nil {
			return err
		}
		if last <= seq {
			return nil
		}
		if err := put(servers, slugs(removed), last); err != nil {
			return err
		}
		seq = last
	}
}

func slugs(changes []registry.Change) []string {
	var out []string
	for _, c := range changes {
		if c.Deleted {
			out = append(out, c.Slug)
		}
	}
	return out
}

// CatchUp applies the changes of the feed that the index has not seen, and returns their
// number. It rebuilds an index that is empty, that was filled from another feed, or that has
// seen changes which the feed does not have (its database was restored from a backup). A wrong
// index is cleared first.
func CatchUp(ctx context.Context, feed Feed, index Index) (changes int, err error) {
	for range 3 {
		n, err := catchUp(ctx, feed, index)
		changes += n
		if !errors.Is(err, ErrReplaced) {
			return changes, err
		}
	}
	return changes, ErrReplaced
}

func catchUp(ctx context.Context, feed Feed, index Index) (changes int, err error) {
	at, err := index.At(ctx)
	if err != nil {
		return 0, err
	}
	source, err := feed.Identity(ctx)
	if err != nil {
		return 0, err
	}
	if ok, err := belongs(ctx, feed, source, at); err != nil {
		return 0, err
	} else if !ok {
		if err := index.Clear(ctx); err != nil {
			return 0, err
		}
		if at, err = index.At(ctx); err != nil {
			return 0, err
		}
	}
	at.Source = source
	if at.Seq == 0 {
		return firstFill(ctx, feed, index, at)
	}
	for {
		servers, removed, last, err := feed.ServersAfter(ctx, at.Seq, batchSize)
		if err != nil || last <= at.Seq {
			return changes, err
		}
		if err := index.Put(ctx, servers, slugs(removed), at, last); err != nil {
			return changes, err
		}
		changes += len(servers) + len(removed)
		at.Seq = last
	}
}

// belongs reports whether an index with this point was filled from the feed. An
// empty index belongs to all feeds.
func belongs(ctx context.Context, feed Feed, source string, at Point) (bool, error) {
	if at.Seq == 0 || at.Source != source {
		return at.Seq == 0, nil
	}
	_, _, last, err := feed.ServersAfter(ctx, at.Seq-1, 1) // the last change seen, or a later one
	return last >= at.Seq, err
}

// firstFill rebuilds an index that has seen no change, and returns the number of
// its servers. If feed and index are empty, it only marks the index as built.
func firstFill(ctx context.Context, feed Feed, index Index, at Point) (servers int, err error) {
	_, _, last, err := feed.ServersAfter(ctx, 0, 1)
	if err != nil {
		return 0, err
	}
	st, err := index.Stats(ctx)
	if err != nil {
		return 0, err
	}
	if last > 0 || st.Servers > 0 || st.Seq > 0 {
		if err := index.Rebuild(ctx, feed); err != nil {
			return 0, err
		}
		st, err = index.Stats(ctx)
		return st.Servers, err
	}
	if !st.Built {
		err = index.Put(ctx, nil, nil, at, 0)
	}
	return 0, err
}

// Follow keeps the index current until ctx is done, whose error it returns.
// It reads changes every two seconds, and when listen, which may be nil,
// announces some. Failures are logged and retried with a delay of up to a minute.
func Follow(
	ctx context.Context, feed Feed, index Index, listen func(context.Context) (<-chan int64, error), log *slog.Logger,
) error {
	f := changes.Follower{
		Name: "search index", Listen: listen, Interval: interval, MaxBackoff: time.Minute, Log: log,
		CatchUp: func(ctx context.Context) error {
			_, err := CatchUp(ctx, feed, index)
			return err
		},
	}
	return f.Run(ctx)
}
