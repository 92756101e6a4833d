// Package catalog is the read model: all listed servers in memory, in every order of lists.
// Postgres is the source of truth; a catalog is one process's copy, kept current by
// [Catalog.Follow].
//
// A version of the data is an immutable [View]. A request uses one, so that its totals, pages
// and records are consistent.
package catalog

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"iter"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"mcpcensus/internal/changes"
	"mcpcensus/internal/registry"
)

// A Catalog holds the current version of the listed servers. It is safe for
// concurrent use.
type Catalog struct {
	view   atomic.Pointer[View]
	ready  chan struct{} // closed when it is ready
	once   sync.Once     // of closing ready
	mu     sync.Mutex    // held while a version is made
	packer *packer       // of the first servers; nil until there are some
}

// New returns an empty catalog, which is not ready.
func New() *Catalog {
	c := &Catalog{ready: make(chan struct{})}
	c.view.Store(newView("", 0))
	return c
}

// Identify makes the entity tags of this catalog differ from those of other databases or
// versions of the program. It must be called before the first Apply.
func (c *Catalog) Identify(identity string) {
	sum := sha256.Sum256([]byte(identity))
	c.view.Store(newView(hex.EncodeToString(sum[:4])+"-", 0))
}

// View returns the current version.
func (c *Catalog) View() *View { return c.view.Load() }

// Servers returns the servers of the current version, as [View.Servers] does.
func (c *Catalog) Servers() iter.Seq[*registry.Server] { return c.View().Servers() }

// Ready reports whether the catalog has read everything that the feed had at
// the start.
func (c *Catalog) Ready() bool {
	select {
	case <-c.ready:
		return true
	default:
		return false
	}
}

// Await returns when the catalog is ready, or with the error of ctx.
func (c *Catalog) Await(ctx context.Context) error {
	select {
	case <-c.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// SetReady marks the catalog as complete.
func (c *Catalog) SetReady() { c.once.Do(func() { close(c.ready) }) }

// Apply publishes a version with the given servers added or replaced and the removed ones left
// out; seq is the number of its last change. Older changes than those applied before are
// ignored, so applying the same ones twice is harmless. A server that cannot be encoded is
// unchanged and named in the error; all others are applied.
func (c *Catalog) Apply(servers []registry.Server, removed []registry.Change, seq int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	servers, removed = splitDeleted(servers, removed)
	items, err := c.newItems(servers)
	c.publish(items, removed, seq)
	return err
}

// publish makes items and removals the current version. The caller holds c.mu.
func (c *Catalog) publish(items []*Item, removed []registry.Change, seq int64) {
	c.view.Store(c.View().with(items, removed, seq))
}

// splitDeleted moves servers that are deleted upstream from servers to removed.
func splitDeleted(
	servers []registry.Server, removed []registry.Change,
) ([]registry.Server, []registry.Change) {
	deleted := func(s registry.Server) bool { return s.Status == registry.StatusDeleted }
	if !slices.ContainsFunc(servers, deleted) {
		return servers, removed
	}
	removed = slices.Clone(removed)
	for _, s := range servers {
		if deleted(s) {
			removed = append(removed, registry.Change{
				Seq: s.Seq, ID: s.ID, Slug: s.Slug, Deleted: true, Gone: true,
			})
		}
	}
	return slices.DeleteFunc(slices.Clone(servers), deleted), removed
}

// newItems makes items of servers on all processors. Servers that cannot be
// encoded are omitted and named in the error. The caller holds c.mu.
func (c *Catalog) newItems(servers []registry.Server) ([]*Item, error) {
	if c.packer == nil && len(servers) > 0 {
		c.packer = newPacker(servers)
	}
	items := make([]*Item, len(servers))
	errs := make([]error, len(servers))
	var g errgroup.Group
	workers := min(runtime.GOMAXPROCS(0), len(servers)/16+1)
	for w := range workers {
		g.Go(func() error {
			for i := w; i < len(servers); i += workers {
				items[i], errs[i] = newItem(&servers[i], c.packer)
			}
			return nil
		})
	}
	_ = g.Wait()
	return slices.DeleteFunc(items, func(i *Item) bool { return i == nil }), errors.Join(errs...)
}

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
	failed = cmp.Or(failed, ctx.Err())
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
