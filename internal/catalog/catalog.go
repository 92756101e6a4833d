// Package catalog is the read model: all listed servers in memory, in every order of lists.
// Postgres is the source of truth; a catalog is one process's copy, kept current by
// [Catalog.Follow].
//
// A version of the data is an immutable [View]. A request uses one, so that its totals, pages
// and records are consistent.
package catalog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"iter"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

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
