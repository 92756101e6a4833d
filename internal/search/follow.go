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

// CatchUp puts everything into the index that the feed has beyond it, and
// returns how many changes that were. An index that is empty, that was filled
// from another feed, or that has seen changes the feed does not know (its
// database was put back to an earlier day), is rebuilt; a wrong one is not
// searched meanwhile.
func CatchUp(ctx context.Context, feed Feed, index Index) (changes int, err error) {
	for range 3 {
		n, err := catchUp(ctx, feed, index)
		changes += n
		if !errors.Is(err, ErrReplaced) {
			return changes, err
		}
	}
	return changes, ErrReplaced // it is tried again
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
	if at.Seq > 0 {
		wrong := at.Source != source
		if !wrong {
			// The change before the last one seen brings up that one.
			_, _, last, err := feed.ServersAfter(ctx, at.Seq-1, 1)
			if err != nil {
				return 0, err
			}
			wrong = last < at.Seq
		}
		if wrong {
			if err := index.Clear(ctx); err != nil {
				return 0, err
			}
			if at, err = index.At(ctx); err != nil {
				return 0, err
			}
		}
	}
	if at.Source = source; at.Seq == 0 {
		if _, _, last, err := feed.ServersAfter(ctx, 0, 1); err != nil {
			return 0, err
		} else if last == 0 {
			st, err := index.Stats(ctx)
			if err != nil {
				return 0, err
			}
			if st.Servers == 0 && st.Seq == 0 {
				if !st.Built {
					err = index.Put(ctx, nil, nil, at, 0) // as empty as what it is made from
				}
				return 0, err
			}
		}
		if err := index.Rebuild(ctx, feed); err != nil {
			return 0, err
		}
		st, err := index.Stats(ctx)
		return st.Servers, err
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
