package catalog

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/errgroup"

	"mcpcensus/internal/registry"
)

// A View is one version of the listed servers. It is immutable and safe for
// concurrent use.
type View struct {
	seq int64
	id  string // in every tag
	tag string

	orders  map[Sort][]*Item
	entries []*Item // those with an entry, ordered by [compareEntries]
	slugs   map[string]*Item
	names   map[string]*Item   // by old slug and by name in the official registry
	repos   map[string][]*Item // by [registry.RepoRef.Key]
	gone    map[string]string  // states of repositories of servers deleted upstream, by slug

	selections *lru.Cache[string, *selection]
}

// maxSelections is how many selections a version caches.
const maxSelections = 32

func newView(id string, seq int64) *View {
	v := &View{
		id: id, seq: seq, tag: `W/"` + id + strconv.FormatInt(seq, 36) + `"`,
		orders: map[Sort][]*Item{}, slugs: map[string]*Item{}, names: map[string]*Item{},
		repos: map[string][]*Item{}, gone: map[string]string{},
	}
	v.selections, _ = lru.New[string, *selection](maxSelections) // fails only for no size
	return v
}

// Seq returns the number of the last change that the version includes.
func (v *View) Seq() int64 { return v.seq }

// Tag returns an entity tag of the version. It is equal in every process that
// has read the same changes.
func (v *View) Tag() string { return v.tag }

// Identity returns the part of entity tags that [Catalog.Identify] sets, ""
// without one. Tags of responses made of single servers must include it.
func (v *View) Identity() string { return v.id }

// Len returns the number of listed servers.
func (v *View) Len() int { return len(v.orders[ByQuality]) }

// Find returns the server with a slug, current or former, or a name in the official registry.
// gone reports whether it was deleted upstream.
func (v *View) Find(name string) (i *Item, gone bool) {
	if i := v.slugs[name]; i != nil {
		return i, false
	}
	if i := v.names[name]; i != nil {
		return i, false
	}
	_, gone = v.gone[name]
	return nil, gone
}

// Lookup is [View.Find], ignoring case. It also accepts the names of entries.
func (v *View) Lookup(name string) (i *Item, gone bool) {
	if i, gone = v.Find(name); i == nil && !gone {
		i, gone = v.Find(strings.ToLower(name))
	}
	if i == nil && !gone {
		i = v.entryNamed(name)
	}
	return i, gone
}

// WhyGone returns why the repository of a server is gone, as a phrase that follows the
// repository's name.
func (v *View) WhyGone(name string) string {
	state, ok := v.gone[name]
	if !ok {
		state = v.gone[strings.ToLower(name)]
	}
	switch state {
	case "blocked":
		return "is blocked by its code host"
	case "server", "not_server", "empty", "unknown":
		return "no longer contains it"
	}
	return "was deleted from its code host"
}

// InRepo returns the servers of a repository, by [registry.RepoRef.Key], best
// first.
func (v *View) InRepo(key string) []*Item {
	return slices.SortedFunc(slices.Values(v.repos[key]), ByQuality.compare)
}

// Servers returns the summaries of all servers in the order of quality.
func (v *View) Servers() iter.Seq[*registry.Server] {
	return func(yield func(*registry.Server) bool) {
		for _, i := range v.orders[ByQuality] {
			if !yield(i.Summary()) {
				return
			}
		}
	}
}

// Texts returns servers with their short texts only, in the order of quality: slug, names, tags,
// owner, category, description, names of tools, and remotes. Each is valid until the next.
func (v *View) Texts() iter.Seq[*registry.Server] {
	return func(yield func(*registry.Server) bool) {
		var s registry.Server
		for _, i := range v.orders[ByQuality] {
			s.Slug, s.Name, s.Title, s.Description = i.slug, i.name, i.title, i.description
			s.Repo.Owner, s.Repo.Name, s.Category = i.owner, i.repo, i.Category()
			s.Tags, s.Remotes, s.Tools = i.texts("tags"), i.remotes, s.Tools[:0]
			for _, name := range i.texts("tools") {
				s.Tools = append(s.Tools, registry.Tool{Name: name})
			}
			if !yield(&s) {
				return
			}
		}
	}
}

// with returns the next version: with items replacing those of the same slugs, and without the
// removed servers. Items and removals older than the current ones are ignored.
func (v *View) with(items []*Item, removed []registry.Change, seq int64) *View {
	n := newView(v.id, max(seq, v.seq))
	n.slugs, n.names = maps.Clone(v.slugs), maps.Clone(v.names)
	n.repos, n.gone = maps.Clone(v.repos), maps.Clone(v.gone)
	// The last change of a slug, or of a name that several servers have, wins.
	items = slices.SortedStableFunc(slices.Values(items), func(a, b *Item) int {
		return cmp.Compare(a.seq, b.seq)
	})
	removed = slices.SortedStableFunc(slices.Values(removed), func(a, b registry.Change) int {
		return cmp.Compare(a.Seq, b.Seq)
	})
	dropped := map[*Item]bool{} // items of v that n does not have
	for _, i := range items {
		n.put(i, dropped)
	}
	for _, r := range removed {
		n.remove(r, dropped)
	}
	var added []*Item
	for _, i := range items {
		if n.slugs[i.slug] == i {
			added = append(added, i)
		}
		delete(dropped, i)
	}
	n.sort(v, dropped, added)
	return n
}

// put adds an item, unless there is a newer one.
func (v *View) put(i *Item, dropped map[*Item]bool) {
	if old := v.slugs[i.slug]; old != nil {
		if old.seq > i.seq {
			return
		}
		v.drop(old, dropped)
	}
	v.slugs[i.slug] = i
	for _, name := range i.aliases() {
		if name != i.slug {
			v.names[name] = i
		}
	}
	if key := i.repoKey(); key != "" {
		v.repos[key] = append(slices.Clip(v.repos[key]), i)
	}
	delete(v.gone, i.slug)
}

// remove removes a server, unless there is a newer one with its slug.
func (v *View) remove(r registry.Change, dropped map[*Item]bool) {
	if old := v.slugs[r.Slug]; old != nil {
		if old.seq > r.Seq {
			return
		}
		v.drop(old, dropped)
	}
	if r.Gone {
		v.gone[r.Slug] = r.Why
	} else {
		delete(v.gone, r.Slug)
	}
}

// drop takes an item out of the maps.
func (v *View) drop(i *Item, dropped map[*Item]bool) {
	dropped[i] = true
	delete(v.slugs, i.slug)
	for _, name := range i.aliases() {
		if v.names[name] == i {
			delete(v.names, name)
		}
	}
	if key := i.repoKey(); key != "" {
		rest := slices.DeleteFunc(slices.Clone(v.repos[key]), func(x *Item) bool { return x == i })
		if v.repos[key] = rest; len(rest) == 0 {
			delete(v.repos, key)
		}
	}
}

// sort computes the orders of v from the previous version.
func (v *View) sort(before *View, dropped map[*Item]bool, added []*Item) {
	lists := make([][]*Item, len(Sorts))
	var g errgroup.Group
	for n, s := range Sorts {
		g.Go(func() error {
			out := slices.Collect(maps.Keys(dropped))
			lists[n] = merge(before.orders[s], out, slices.Clone(added), s.compare)
			return nil
		})
	}
	g.Go(func() error {
		out := withEntry(slices.Collect(maps.Keys(dropped)))
		v.entries = merge(before.entries, out, withEntry(added), compareEntries)
		return nil
	})
	_ = g.Wait()
	for n, s := range Sorts {
		v.orders[s] = lists[n]
	}
}

// merge returns a sorted list without the dropped items, which it contains, and
// with the added ones. It sorts dropped and added.
func merge(list, dropped, added []*Item, compare func(a, b *Item) int) []*Item {
	slices.SortFunc(dropped, compare)
	slices.SortFunc(added, compare)
	out := make([]*Item, 0, len(list)-len(dropped)+len(added))
	for len(dropped)+len(added) > 0 {
		drop := len(added) == 0 || len(dropped) > 0 && compare(dropped[0], added[0]) <= 0
		next := added
		if drop {
			next = dropped
		}
		n := sort.Search(len(list), func(n int) bool { return compare(list[n], next[0]) >= 0 })
		out, list = append(out, list[:n]...), list[n:]
		if drop {
			dropped, list = dropped[1:], list[1:]
		} else {
			out, added = append(out, added[0]), added[1:]
		}
	}
	return append(out, list...)
}

// ByAddress returns the servers at an address: the one of that name in the official registry,
// the one in the folder that a URL names (see [registry.RepoRef.Among]), or all of a
// repository, best first. It fails if the text is neither an address nor the name of a server.
func (v *View) ByAddress(address string) ([]*Item, error) {
	if i := v.ByRegistryName(address); i != nil {
		return []*Item{i}, nil
	}
	ref, err := registry.ParseRepoRef(address)
	if err != nil {
		return nil, err
	}
	items := v.InRepo(ref.Key())
	switch at, _ := Among(items, ref); {
	case at < 0:
		return nil, nil
	case items[at].IsFolderOf(ref):
		return items[at : at+1], nil
	}
	return items, nil
}

// ByRegistryName returns the server with that name in the official registry, or nil.
func (v *View) ByRegistryName(text string) *Item {
	name, ok := registry.RegistryName(text)
	if !ok {
		return nil
	}
	i, _ := v.Lookup(name)
	return i
}

// Among is [registry.RepoRef.Among] for the servers of a repository.
func Among(items []*Item, ref registry.RepoRef) (index int, folder string) {
	folders := make([]string, len(items))
	for n, i := range items {
		folders[n] = i.subfolder
	}
	return ref.Among(folders)
}

// IsFolderOf reports whether an address names the server's folder or a path in it.
func (i *Item) IsFolderOf(ref registry.RepoRef) bool {
	_, named := ref.Among([]string{""})
	_, folder := ref.Among([]string{i.subfolder})
	return i.subfolder != "" && named != "" && folder == ""
}
