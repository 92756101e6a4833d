// Package catalog is the read model: all listed servers in memory, with their
// documents encoded, in every order that a listing is asked for. Postgres is
// the truth; a catalog is one process's copy, kept current by [Catalog.Follow].
//
// A version of the data is a [View], which never changes: a request takes one
// and reads totals, pages and records that belong together.
package catalog

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"iter"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"mcpcensus/internal/registry"
)

// A Record is what a server looks like to readers, as JSON: its entry in
// lists, its tool entry, its detail record, and its health report. The catalog
// does not look inside.
type Record struct{ Basic, Entry, Detail, Health []byte }

// An Encode makes the documents of a server, if brief only the entry in lists.
// They must follow from what the server's JSON holds, its number, its slug and
// its old ones; and if it fails, it must fail in brief. It must be safe for use by
// several goroutines.
type Encode func(s *registry.Server, brief bool) (Record, error)

// A Catalog holds the current version of the listed servers.
type Catalog struct {
	encode Encode
	view   atomic.Pointer[View]
	ready  chan struct{} // closed when it is
	once   sync.Once
	mu     sync.Mutex // held by writers
	codecs *codecs
	byOld  int // items the dictionaries were learned from
}

// New returns an empty catalog, which is not ready.
func New(encode Encode) *Catalog {
	c := &Catalog{encode: encode, ready: make(chan struct{})}
	c.view.Store(emptyView())
	return c
}

// Identify makes the entity tags of this catalog differ from those of
// catalogs with another identity: of another database, or written by another
// version of the program. It must be called before anything is put in.
func (c *Catalog) Identify(identity string) {
	sum := sha256.Sum256([]byte(identity))
	v := emptyView()
	v.id = hex.EncodeToString(sum[:4]) + "-"
	v.tag = v.tagOf(0)
	c.view.Store(v)
}

func (v *View) tagOf(seq int64) string { return `W/"` + v.id + strconv.FormatInt(seq, 36) + `"` }

// View returns the current version.
func (c *Catalog) View() *View { return c.view.Load() }

// Servers returns the servers of the current version, as [View.Servers] does.
func (c *Catalog) Servers() iter.Seq[*registry.Server] { return c.View().Servers() }

// Ready reports whether the catalog has read all that there was when it
// started.
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

// SetReady says that the catalog is complete.
func (c *Catalog) SetReady() { c.once.Do(func() { close(c.ready) }) }

// Apply makes a new version in which servers are as given and removed ones are
// gone; seq is the number of the last change that it holds. A server whose
// documents cannot be encoded stays as it was, and the error says which; all
// others are applied.
func (c *Catalog) Apply(servers []registry.Server, removed []registry.Change, seq int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	servers, removed = listed(servers, removed)
	items, err := c.items(servers)
	c.commit(items, removed, seq)
	return err
}

// listed takes the servers that are deleted upstream for removed ones.
func listed(servers []registry.Server, removed []registry.Change) ([]registry.Server, []registry.Change) {
	deleted := func(s registry.Server) bool { return s.Status == registry.StatusDeleted }
	if !slices.ContainsFunc(servers, deleted) {
		return servers, removed
	}
	removed = slices.Clone(removed)
	for _, s := range servers {
		if deleted(s) {
			removed = append(removed, registry.Change{Seq: s.Seq, ID: s.ID, Slug: s.Slug, Deleted: true, Gone: true})
		}
	}
	return slices.DeleteFunc(slices.Clone(servers), deleted), removed
}

// learnAt is how many servers make it worth learning new dictionaries.
const learnAt = 64

// items encodes servers on all processors. Items of servers that do not encode
// are left out.
func (c *Catalog) items(servers []registry.Server) ([]*Item, error) {
	if c.codecs == nil || (c.byOld < learnAt && len(servers) >= learnAt) {
		if err := c.learn(servers); err != nil {
			return nil, err
		}
	}
	items := make([]*Item, len(servers))
	var g errgroup.Group
	n := min(runtime.GOMAXPROCS(0), len(servers)/16+1)
	var next atomic.Int64
	for range n {
		g.Go(func() (failed error) {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(servers) {
					return failed
				}
				s := &servers[i]
				later := !c.Ready() && s.Record != ""
				r, err := c.encode(s, later)
				if err != nil {
					failed = registry.Wrap(registry.ErrInvalid, err, "server "+s.Slug+" cannot be shown")
					continue
				}
				var d *documents
				if later {
					d = &documents{codecs: c.codecs, later: true}
				} else {
					d = newDocuments(c.codecs, r)
				}
				record, err := recordOf(s)
				if err != nil {
					failed = err
					continue
				}
				items[i] = newItem(s, r.Basic, bytes.Clone(c.codecs.record.encode(nil, record)), d, c.View().licenses, c.View().tagNames, c.View().terms)
			}
		})
	}
	err := g.Wait()
	return slices.DeleteFunc(items, func(i *Item) bool { return i == nil }), err
}

// recordOf returns the JSON of s: as it was read from the store, or encoded
// where it was made here.
func recordOf(s *registry.Server) ([]byte, error) {
	if s.Record != "" {
		return []byte(s.Record), nil
	}
	return json.Marshal(s)
}

// learn makes dictionaries from a spread of servers.
func (c *Catalog) learn(servers []registry.Server) error {
	var entries, details, healths, docs, records [][]byte
	step := max(1, len(servers)/200)
	for i := 0; i < len(servers); i += step {
		r, err := c.encode(&servers[i], false)
		if err != nil {
			continue // items reports it
		}
		entries, details = append(entries, r.Entry), append(details, r.Detail)
		healths, docs = append(healths, r.Health), append(docs, docOf(&servers[i]))
		if record, err := recordOf(&servers[i]); err == nil {
			records = append(records, record)
		}
	}
	c.codecs = &codecs{c.encode, newQuick(entries), newDense(details), newDense(healths), newQuick(docs), newQuick(records)}
	c.byOld = len(servers)
	return nil
}

// commit publishes a new version with items in place of those of the same
// slug, and without the removed. Changes older than what is there are ignored,
// so that reading the same changes twice does no harm.
func (c *Catalog) commit(items []*Item, removed []registry.Change, seq int64) {
	old := c.view.Load()
	c.view.Store(old.with(items, removed, max(seq, old.seq)))
}

// A View is one version of the listed servers. All its methods are safe for
// use by several goroutines.
type View struct {
	seq   int64
	tag   string
	id    string   // in every tag
	items []*Item  // by slot; nil is a free slot
	at    []uint32 // by slot: where the item is kept, see chunk
	// chunks are those of the items, by their numbers; unused numbers are of none.
	chunks []*chunk
	unused []uint32
	// traits are what servers are chosen by, by slot: scanning them touches
	// less memory than scanning items.
	traits   []trait
	licenses *names
	tagNames *names
	terms    *names // of facts
	free     []uint32
	slugs    index // slug → slot
	names    index // old slugs and registry names → slot
	repos    multi // repository key → slots
	gone     index // slugs deleted upstream → one of the reasons

	orders [sorts][1 + categories][]uint32
	sdks   sdkOrder
	tags   [categories]tagTable // made when they are asked for

	cache    *Cache
	mu       sync.Mutex
	derived  map[derivedKey]*derivedList
	chosen   map[string]*chosen
	answered map[string]*answered
}

const categories = 10

func emptyView() *View {
	return &View{tag: `W/"0"`, cache: NewCache(pageCacheSize), licenses: new(names), tagNames: new(names), terms: new(names)}
}

// pageCacheSize bounds the answers that one version keeps compressed.
const pageCacheSize = 16 << 20

// Seq returns the number of the last change that the version holds.
func (v *View) Seq() int64 { return v.seq }

// Tag returns an entity tag of the version: equal in every process that has
// read the same changes.
func (v *View) Tag() string { return v.tag }

// Identity is the part of entity tags that [Catalog.Identify] makes: ever the
// same for a catalog, "" unless it is identified. It belongs into the tags of
// all that is made of single servers, whose numbers are of one database only.
func (v *View) Identity() string { return v.id }

// Len returns the number of listed servers.
func (v *View) Len() int { return len(v.orders[ByQuality][0]) }

// Cache returns the place for answers made of this version. It goes with the
// version.
func (v *View) Cache() *Cache { return v.cache }

// Find returns the server that has or had the slug, or has that name in the
// official registry, and whether one was deleted upstream.
func (v *View) Find(name string) (i *Item, gone bool) {
	if s, ok := v.slugs.get(name); ok {
		return v.items[s], false
	}
	if s, ok := v.names.get(name); ok {
		return v.items[s], false
	}
	_, gone = v.gone.get(name)
	return nil, gone
}

// WhyGone says what has become of the repository of a server that is gone, as
// the end of a sentence that begins with it.
func (v *View) WhyGone(name string) string {
	why, ok := v.gone.get(name)
	if !ok {
		why, _ = v.gone.get(strings.ToLower(name))
	}
	return goneWords[why]
}

// goneWords are what becomes of repositories.
var goneWords = [...]string{"was deleted from its code host", "is withheld by its code host", "no longer holds it"}

func goneReason(state string) uint32 {
	switch state {
	case "blocked":
		return 1
	case "server", "not_server", "empty", "unknown":
		return 2
	}
	return 0
}

// InRepo returns the servers of a repository, by [registry.RepoRef.Key], best
// first.
func (v *View) InRepo(key string) []*Item {
	slots := v.repos.get(key)
	out := make([]*Item, len(slots))
	for i, s := range slots {
		out[i] = v.items[s]
	}
	slices.SortFunc(out, func(a, b *Item) int { return compare(ByQuality, a, b) })
	return out
}

// with returns the version after v.
func (v *View) with(items []*Item, removed []registry.Change, seq int64) *View {
	n := &View{
		seq: seq, id: v.id, tag: v.tagOf(seq),
		items: slices.Clone(v.items), at: slices.Clone(v.at), chunks: slices.Clone(v.chunks), unused: slices.Clone(v.unused),
		traits: slices.Clone(v.traits), licenses: v.licenses, tagNames: v.tagNames, terms: v.terms, free: slices.Clone(v.free),
		slugs: v.slugs, names: v.names, repos: v.repos, gone: v.gone, cache: NewCache(pageCacheSize),
	}
	items = slices.DeleteFunc(slices.Clone(items), func(i *Item) bool {
		slot, ok := v.slugs.get(i.slug)
		return ok && v.items[slot].seq > i.seq // a newer change was read already
	})
	slices.SortFunc(items, func(a, b *Item) int { return compare(ByQuality, a, b) })
	items = layOut(items)
	first := len(n.items) == 0
	if first { // slots in the order of quality too
		n.items, n.at, n.traits = make([]*Item, len(items)), make([]uint32, len(items)), make([]trait, len(items))
	}
	order := make([]int, len(items))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(items[a].seq, items[b].seq) }) // who names itself last is found by a name
	own := new(owned)
	thin := map[*chunk]bool{}
	bury := func(i *Item) {
		if i.home.dead++; i.home.thin() {
			thin[i.home] = true
		}
	}
	touched := make([]bool, len(v.items)) // slots whose place in the orders is no longer valid
	drop := func(slot uint32) {
		i := n.items[slot]
		if i == nil {
			return
		}
		if int(slot) < len(touched) {
			touched[slot] = true
		}
		n.items[slot] = nil
		n.traits[slot] = trait{}
		bury(i)
		n.slugs.delete(own, i.slug)
		for _, k := range i.aliases() {
			if s, ok := n.names.get(k); ok && s == slot {
				n.names.delete(own, k)
			}
		}
		if i.keys.repo != "" {
			n.repos.remove(own, i.keys.repo, slot)
		}
	}
	var fresh []uint32
	for _, k := range order {
		i := items[k]
		slot, ok := n.slugs.get(i.slug)
		switch {
		case ok && n.items[slot].seq > i.seq: // it comes twice
			bury(i)
			if first {
				n.free = append(n.free, uint32(k))
			}
			continue
		case ok:
			drop(slot)
			if first {
				n.free = append(n.free, uint32(k))
			}
		case first:
			slot = uint32(k)
		case len(n.free) > 0:
			slot = n.free[len(n.free)-1]
			n.free = n.free[:len(n.free)-1]
			if int(slot) < len(touched) {
				touched[slot] = true
			}
		default:
			slot = uint32(len(n.items))
			n.items, n.at, n.traits = append(n.items, nil), append(n.at, 0), append(n.traits, trait{})
		}
		n.keep(slot, i)
		n.traits[slot] = traitOf(i)
		n.slugs.set(own, i.slug, slot)
		for _, k := range i.aliases() {
			if k != i.slug {
				n.names.set(own, k, slot)
			}
		}
		if i.keys.repo != "" {
			n.repos.add(own, i.keys.repo, slot)
		}
		n.gone.delete(own, i.slug)
		fresh = append(fresh, slot)
	}
	slices.SortStableFunc(removed, func(a, b registry.Change) int { return cmp.Compare(a.Seq, b.Seq) }) // the last one says why
	for _, r := range removed {
		if slot, ok := n.slugs.get(r.Slug); ok && n.items[slot].seq <= r.Seq {
			drop(slot)
			n.free = append(n.free, slot)
		} else if ok {
			continue
		}
		if r.Gone {
			n.gone.set(own, r.Slug, goneReason(r.Why))
		} else {
			n.gone.delete(own, r.Slug)
		}
	}
	n.move(thin)
	fresh = slices.DeleteFunc(fresh, func(s uint32) bool { return n.items[s] == nil })
	slices.Sort(fresh)
	fresh = slices.Compact(fresh)

	var g errgroup.Group
	for s := range Sort(sorts) {
		g.Go(func() error {
			n.sort(s, v.orders[s][0], touched, slices.Clone(fresh))
			return nil
		})
	}
	_ = g.Wait()
	return n
}

// aliases are the names that find i besides its slug.
func (i *Item) aliases() []string {
	if i.keys.registry == "" {
		return i.keys.old
	}
	return append([]string{i.keys.registry}, i.keys.old...)
}

// sort fills the lists of one order: what was there without the touched slots,
// merged with the fresh ones.
func (v *View) sort(s Sort, before []uint32, touched []bool, fresh []uint32) {
	slices.SortFunc(fresh, func(a, b uint32) int { return compare(s, v.items[a], v.items[b]) })
	all := make([]uint32, 0, len(before)+len(fresh))
	f := 0
	for _, slot := range before {
		if touched[slot] {
			continue
		}
		for f < len(fresh) && compare(s, v.items[fresh[f]], v.items[slot]) < 0 {
			all = append(all, fresh[f])
			f++
		}
		all = append(all, slot)
	}
	all = append(all, fresh[f:]...)
	v.orders[s][0] = all
	var counts [categories]int
	for _, slot := range all {
		counts[v.items[slot].category]++
	}
	for c := range counts {
		v.orders[s][1+c] = make([]uint32, 0, counts[c])
	}
	for _, slot := range all {
		c := v.items[slot].category
		v.orders[s][1+c] = append(v.orders[s][1+c], slot)
	}
	if s == ByQuality {
		for c, slots := range v.orders[s] {
			v.cutBySDK(c, slots)
		}
	}
}

// Facets returns how many listed servers have each category, sdk, license,
// transport and grade. Callers must not change it.
func (v *View) Facets() map[string]map[string]int {
	_, all := v.Select(Choice{}, ByQuality)
	counts := maps.Clone(all)
	delete(counts, "type")
	return counts
}

// CategoryCounts returns the number of listed servers in each category, in the
// order of [registry.Categories].
func (v *View) CategoryCounts() []int {
	out := make([]int, categories)
	for c := range out {
		out[c] = len(v.orders[ByQuality][1+c])
	}
	return out
}
