package catalog

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"mcpcensus/internal/entry"
	"mcpcensus/internal/registry"
)

// Entries are servers with an entry in the API of the official registry (see package entry),
// ordered by name.
type Entries struct{ items []*Item }

// An EntryPosition is the position of a server in [Entries]. It stays meaningful when
// the server changes or is removed.
type EntryPosition struct {
	Name      string // of its head
	Published bool
	ID        int64
}

// Entries returns all servers with an entry.
func (v *View) Entries() Entries { return Entries{v.entries} }

// Entries returns the first servers of the list with an entry, at most max, ordered by name.
func (l List) Entries(max int) Entries {
	var items []*Item
	for _, i := range l.items {
		if i.hasEntry && len(items) < max {
			items = append(items, i)
		}
	}
	return EntriesOf(items)
}

// EntriesOf returns the items with an entry, ordered by name.
func EntriesOf(items []*Item) Entries {
	items = slices.DeleteFunc(slices.Clone(items), func(i *Item) bool { return !i.hasEntry })
	slices.SortFunc(items, compareEntries)
	return Entries{items}
}

// Len returns how many there are.
func (e Entries) Len() int { return len(e.items) }

func (e Entries) At(i int) *Item { return e.items[i] }

// After returns the index of the first server behind p.
func (e Entries) After(p EntryPosition) int {
	return sort.Search(len(e.items), func(i int) bool { return e.items[i].EntryPosition().Compare(p) > 0 })
}

// Has reports whether a server is among them.
func (e Entries) Has(i *Item) bool {
	_, ok := slices.BinarySearchFunc(e.items, i, compareEntries)
	return ok
}

// Entry returns the head of the server's entry, and whether it has one.
func (i *Item) Entry() (entry.Head, bool) { return i.entry, i.hasEntry }

// Status returns the status of the server, one of registry.Statuses.
func (i *Item) Status() string { return i.text("status") }

// EntryPosition returns the position of the server in [Entries].
func (i *Item) EntryPosition() EntryPosition {
	return EntryPosition{i.entry.Name, i.entry.Published, i.id}
}

// Compare compares positions: by name, then published entries before others, then by ID.
func (p EntryPosition) Compare(o EntryPosition) int {
	if p.Published != o.Published && p.Name == o.Name {
		if p.Published {
			return -1
		}
		return 1
	}
	return cmp.Or(strings.Compare(p.Name, o.Name), cmp.Compare(p.ID, o.ID))
}

func compareEntries(a, b *Item) int {
	return cmp.Or(a.EntryPosition().Compare(b.EntryPosition()), strings.Compare(a.slug, b.slug))
}

func withEntry(items []*Item) []*Item {
	return slices.DeleteFunc(slices.Clone(items), func(i *Item) bool { return !i.hasEntry })
}

// sameName returns the servers whose heads have the name.
func (v *View) sameName(name string) []*Item {
	from := sort.Search(len(v.entries), func(i int) bool { return v.entries[i].entry.Name >= name })
	to := from
	for to < len(v.entries) && v.entries[to].entry.Name == name {
		to++
	}
	return v.entries[from:to]
}

// EntryName returns the unique name of a server's entry.
func (v *View) EntryName(i *Item) string {
	all := v.sameName(i.entry.Name)
	n := slices.Index(all, i)
	if n <= 0 {
		return i.entry.Name
	}
	sameRepo := slices.ContainsFunc(all[:n], func(x *Item) bool { return x.repoID == i.repoID })
	return registry.DistinctEntryName(i.entry.Name, n, i.repoID, i.id, sameRepo)
}

// FindEntry returns the server whose entry has a name, or nil. It accepts names in any case,
// names that the server had before its owner published it, and names from former names of its
// repository.
func (v *View) FindEntry(name string) *Item {
	if i := v.entryNamed(name); i != nil {
		return i
	}
	if i := v.ByRegistryName(name); i != nil && i.hasEntry && strings.EqualFold(i.entry.Name, name) {
		return i
	}
	return v.formerlyNamed(name)
}

// entryNamed returns the server whose entry has a name, or nil.
func (v *View) entryNamed(name string) *Item {
	if all := v.sameName(name); len(all) > 0 {
		return all[0]
	}
	return v.numbered(name)
}

// numbered returns the server whose entry's name ends in a number that tells equal names
// apart.
func (v *View) numbered(name string) *Item {
	base := name
	for range 2 {
		cut := strings.LastIndexByte(base, '-')
		if cut < 0 || strings.Trim(base[cut+1:], "0123456789") != "" {
			break
		}
		base = base[:cut]
		for _, i := range v.sameName(base) {
			if v.EntryName(i) == name {
				return i
			}
		}
	}
	return nil
}

// formerlyNamed returns the server that had a name, see [Item.hadName].
func (v *View) formerlyNamed(name string) *Item {
	namespace, repo, _ := strings.Cut(name, "/")
	for _, h := range registry.Hosts {
		n := len(h.Namespace)
		if n == 0 || len(namespace) <= n || !strings.EqualFold(namespace[:n], h.Namespace) {
			continue
		}
		i, _ := v.Find(registry.Slug(namespace[n:], repo, ""))
		if i != nil && i.hasEntry && i.hadName(name) {
			return i
		}
	}
	return nil
}

// hadName reports whether a name is or was the name of the server's repository and folder.
func (i *Item) hadName(name string) bool {
	if strings.EqualFold(name, registry.EntryName(i.host, i.owner, i.repo, i.subfolder)) {
		return true
	}
	return slices.ContainsFunc(i.formerNames, func(key string) bool {
		host, full, _ := strings.Cut(key, ":")
		cut := strings.LastIndexByte(full, '/')
		return cut > 0 && strings.EqualFold(name, registry.EntryName(host, full[:cut], full[cut+1:], i.subfolder))
	})
}
