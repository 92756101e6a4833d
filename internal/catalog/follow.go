package catalog

import (
	"context"
	"log/slog"
	"time"

	"mcpcensus/internal/changes"
	"mcpcensus/internal/registry"
)

// A Feed is where a catalog reads changes from.
type Feed interface {
	// RecordsAfter returns listed servers and removals with numbers above seq, in order, at
	// most limit together, and the highest number read, which is seq if there is nothing new.
	// READMEs may be left out.
	RecordsAfter(
		ctx context.Context, seq int64, limit int,
	) (servers []registry.Server, removed []registry.Change, last int64, err error)
	// Listen returns a channel that gets a number whenever something changed.
	// It is closed when the connection breaks.
	Listen(ctx context.Context) (<-chan int64, error)
}

const (
	batch    = 250                   // servers per read: about 12 MB
	interval = time.Second           // between reads without a notification
	gather   = 50 * time.Millisecond // changes this close together become one version
	publish  = time.Second / 2       // the longest that changes wait for later ones
)

// Follow reads everything from feed, sets the catalog ready, and keeps it
// current until ctx is done, whose error it returns. Failures are logged and
// retried: the last good version stays.
//
// A change is in the catalog within two seconds of its commit, as long as the
// feed responds within half a second. A backlog that takes longer is published
// in steps.
func (c *Catalog) Follow(ctx context.Context, feed Feed, log *slog.Logger) error {
	f := changes.Follower{
		Name: "catalog", Listen: feed.Listen, Interval: interval, Gather: gather, Log: log,
		CatchUp: func(ctx context.Context) error {
			if err := c.catchUp(ctx, feed); err != nil || c.Ready() {
				return err
			}
			c.SetReady()
			log.Info("catalog ready", "servers", c.View().Len(), "seq", c.View().Seq())
			return nil
		},
	}
	return f.Run(ctx)
}

// Load reads everything that feed has now and sets the catalog ready. Later
// changes are not read.
func (c *Catalog) Load(ctx context.Context, feed Feed) error {
	if err := c.catchUp(ctx, feed); err != nil {
		return err
	}
	c.SetReady()
	return nil
}

// catchUp reads new changes and publishes them as one version, or as several if it is slow and
// the catalog is ready. It compresses records while the next ones are read.
func (c *Catalog) catchUp(ctx context.Context, feed Feed) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	pages := make(chan page)
	defer func() { // stops the readers
		cancel()
		for range pages {
		}
	}()
	go func() {
		defer close(pages)
		read(ctx, feed, c.View().Seq(), pages)
	}()
	var items []*Item
	var removed []registry.Change
	var failed error
	seq, count := c.View().Seq(), 0
	published := time.Now()
	for p := range pages {
		if p.err != nil {
			failed = p.err
			break
		}
		servers, gone := splitDeleted(p.servers, p.removed)
		is, err := c.newItems(servers)
		if err != nil {
			failed = err
		}
		items, removed = append(items, is...), append(removed, gone...)
		seq = p.last
		count += len(p.servers) + len(p.removed)
		if c.Ready() && count > 0 && time.Since(published) >= publish {
			c.publish(items, removed, seq)
			items, removed, count, published = nil, nil, 0, time.Now()
		}
	}
	if count > 0 || seq > c.View().Seq() {
		c.publish(items, removed, seq)
	}
	if failed == nil {
		failed = ctx.Err()
	}
	return failed
}

// A page is the result of one read.
type page struct {
	servers []registry.Server
	removed []registry.Change
	last    int64
	err     error
}

// read sends the changes of feed after the number seq to pages, and an error.
func read(ctx context.Context, feed Feed, seq int64, pages chan<- page) {
	for {
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
}
