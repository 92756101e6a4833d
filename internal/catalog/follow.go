package catalog

import (
	"context"
	"log/slog"
	"time"

	"mcpcensus/internal/registry"
)

// A Feed is where a catalog reads changes from.
type Feed interface {
	// RecordsAfter returns listed servers and removals with numbers above seq,
	// in the order of their numbers, at most limit together, and the highest
	// number read, which is seq if there is nothing new. READMEs may be left out.
	RecordsAfter(ctx context.Context, seq int64, limit int) (servers []registry.Server, removed []registry.Change, last int64, err error)
	// Listen returns a channel that gets a number whenever something changed.
	// It is closed when the connection breaks.
	Listen(ctx context.Context) (<-chan int64, error)
}

const (
	batch    = 500                   // servers read at once: some 10 MB
	pollEach = time.Second           // without a notification
	gather   = 50 * time.Millisecond // changes this close together become one version
)

// Follow reads everything from feed, sets the catalog ready, and keeps it
// current until ctx is done, whose error it returns. Failures are logged and
// tried again: the last good version stays.
func (c *Catalog) Follow(ctx context.Context, feed Feed, log *slog.Logger) error {
	var notes <-chan int64
	failing := false
	for {
		if notes == nil {
			n, err := feed.Listen(ctx)
			if err == nil {
				notes = n
			} else if !failing && ctx.Err() == nil {
				log.Warn("catalog: no notifications, polling only", "err", err)
			}
		}
		err := c.catchUp(ctx, feed)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && !failing:
			log.Error("catalog: cannot read changes", "err", err)
		case err == nil && !c.Ready():
			c.SetReady()
			log.Info("catalog ready", "servers", c.View().Len(), "seq", c.View().Seq())
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollEach):
		case _, ok := <-notes:
			if !ok {
				notes = nil
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(gather):
			}
			drain(notes)
		}
	}
}

func drain(notes <-chan int64) {
	for {
		select {
		case _, ok := <-notes:
			if !ok {
				return
			}
		default:
			return
		}
	}
}

// catchUp reads what is new and publishes it as one version. While the next
// servers are read, the last ones are encoded.
func (c *Catalog) catchUp(ctx context.Context, feed Feed) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	type page struct {
		servers []registry.Server
		removed []registry.Change
		last    int64
		err     error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pages := make(chan page)
	go func() {
		defer close(pages)
		for seq := c.View().Seq(); ; {
			servers, removed, last, err := feed.RecordsAfter(ctx, seq, batch)
			select {
			case pages <- page{servers, removed, last, err}:
			case <-ctx.Done():
				return
			}
			if err != nil || last <= seq {
				return
			}
			seq = last
		}
	}()
	var items []*Item
	var removed []registry.Change
	var failed error
	seq, read := c.View().Seq(), 0
	for p := range pages {
		if p.err != nil {
			failed = p.err
			break
		}
		servers, gone := listed(p.servers, p.removed)
		is, err := c.items(servers)
		if err != nil {
			failed = err
		}
		items, removed = append(items, is...), append(removed, gone...)
		seq, read = max(seq, p.last), read+len(p.servers)+len(p.removed)
	}
	if read > 0 || seq > c.View().Seq() {
		c.commit(items, removed, seq)
	}
	if failed == nil {
		failed = ctx.Err()
	}
	return failed
}
