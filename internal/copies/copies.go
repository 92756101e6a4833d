// Package copies finds servers that are copies of older servers of other owners, and servers
// whose names imitate better known ones. Its functions are pure.
//
// Naming the product that a server connects to is not an imitation. A copy shares a README,
// tools or a package with the original, or is a fork of it with almost no changes. An imitation
// has a name that differs in a letter or two, and a similar text or tools.
package copies

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"mcpcensus/internal/registry"
)

// A Server holds the data that servers are compared by.
type Server struct {
	ID   int64
	Slug string

	Owner, Repo string // as the host spells them
	// Keys are [registry.RepoRef.Key] of the repository and of its former names.
	Keys       []string
	Subfolder  string
	Created    time.Time // of the repository; zero if unknown
	Released   time.Time // the first version of a package; zero if unknown
	Fork       bool
	Template   bool // others are meant to begin with the repository
	Official   bool
	Stars      int
	Popularity int
	Category   string
	// Namespace is the namespace of its entry in the official registry, "" for none.
	Namespace string
	// Successor is [registry.RepoRef.Key] of the repository that its owner recommends instead.
	Successor string
	Packages  []Package

	// parent is [registry.RepoRef.Key] of the repository that a fork has hardly changed, and
	// forkReason says so; "" for other servers.
	parent, forkReason string

	description []uint64 // hashes of words, sorted
	tools       []tool   // sorted by name
	toolNames   Signature
	Readme      Signature
	names       []name
}

// A Package is a package in a server's manifests or registry entry.
type Package struct {
	Type, Identifier string
	// Repo is [registry.RepoRef.Key] of the repository that the published package
	// names; "" if unknown.
	Repo string
}

// tool holds the hashes of a tool's name and definition.
type tool struct{ name, definition uint64 }

// Of returns the data for comparing s, except Released and the links of Packages, which a
// record does not have.
func Of(s *registry.Server, formerNames []string, readme Signature) *Server {
	c := &Server{
		ID: s.ID, Slug: strings.Clone(s.Slug), Owner: s.Repo.Owner, Repo: s.Repo.Name,
		Keys: append([]string{s.Repo.Ref().Key()}, formerNames...), Subfolder: s.Subfolder,
		Created: s.Repo.CreatedAt, Fork: s.Repo.Fork, Template: s.Repo.Template,
		Official: s.Official, Category: s.Category, Readme: readme,
	}
	if s.Stars != nil {
		c.Stars = *s.Stars
	}
	if s.Popularity.Score != nil {
		c.Popularity = *s.Popularity.Score
	}
	if space, _, ok := strings.Cut(s.RegistryName, "/"); ok {
		c.Namespace = strings.ToLower(space)
	}
	if ref, err := registry.ParseRepoRef(s.SuccessorURL); err == nil {
		c.Successor = ref.Key()
	}
	for _, k := range s.Health.Caps {
		if k.ID == "fork_copy" {
			owner, name, _ := strings.Cut(s.Repo.Parent, "/")
			c.parent = registry.RepoRef{Host: s.Repo.Host, Owner: owner, Name: name}.Key()
			c.forkReason = k.Reason
		}
	}
	for _, p := range s.Packages {
		c.Packages = append(c.Packages, Package{
			Type: p.RegistryType, Identifier: strings.ToLower(p.Identifier)})
	}
	for _, t := range s.Tools {
		definition := cmp.Or(t.Hash, t.Name+"\x00"+t.Description)
		c.tools = append(c.tools, tool{xxhash.Sum64String(strings.ToLower(t.Name)),
			xxhash.Sum64String(definition)})
	}
	slices.SortFunc(c.tools, func(a, b tool) int { return cmp.Compare(a.name, b.name) })
	c.tools = slices.CompactFunc(c.tools, func(a, b tool) bool { return a.name == b.name })
	if len(c.tools) >= minTools {
		c.toolNames = sign(func(yield func(uint64)) {
			for _, t := range c.tools {
				yield(t.name)
			}
		}, toolHashes)
	}
	c.description = wordSet(s.Description)
	c.names = namesOf(c)
	return c
}

// A Finding reports that the server with the ID is a copy or a look-alike.
type Finding struct {
	ID   int64
	Copy registry.Copy // without Since
}

// Find compares all servers and returns copies and look-alikes by ID. It sorts servers; their
// order does not affect the result.
func Find(servers []*Server) []Finding {
	// A copy is younger than its original: each server is compared with earlier ones.
	slices.SortFunc(servers, byAge)
	f := &finder{servers: servers, best: make([]match, len(servers)), owners: map[int][]string{}}
	f.pairs(f.compare)
	f.imitations()
	f.forks()
	return f.findings()
}

// match is the best reason why a server is a copy or a look-alike.
type match struct {
	of       *Server // nil: none
	kind     string
	reason   string
	strength float64
	// boilerplate reports that only the README is alike, which may be from a template.
	boilerplate bool
}

type finder struct {
	servers []*Server
	best    []match
	// owners are the owners of other servers that share only the README with a server, by the
	// index of the server.
	owners map[int][]string
}

// compare records the match of the servers with these indexes, if there is one.
func (f *finder) compare(old, young int) {
	o, y := f.servers[old], f.servers[young]
	if !eligible(o, y) {
		return
	}
	m, ok := copied(o, y)
	if !ok {
		return
	}
	if m.boilerplate {
		for index, other := range map[int]*Server{young: o, old: y} {
			owner := strings.ToLower(other.Owner)
			if !slices.Contains(f.owners[index], owner) {
				f.owners[index] = append(f.owners[index], owner)
			}
		}
	}
	f.offer(young, m)
}

// forks records that hardly changed forks are copies of the servers that they were forked from.
func (f *finder) forks() {
	type place struct{ repo, folder string }
	servers := map[place]*Server{}
	for _, s := range f.servers {
		for i, key := range s.Keys { // the first one is the current name
			if at := (place{key, s.Subfolder}); i == 0 || servers[at] == nil {
				servers[at] = s
			}
		}
	}
	for i, s := range f.servers {
		if o := servers[place{s.parent, s.Subfolder}]; o != nil && o != s {
			f.best[i] = match{of: o, kind: registry.CopyOf, reason: s.forkReason}
		}
	}
}

// offer records the stronger match; of equal ones the match with the older server.
func (f *finder) offer(young int, m match) {
	best := &f.best[young]
	if best.of == nil || m.strength > best.strength ||
		m.strength == best.strength && byAge(m.of, best.of) < 0 {
		*best = m
	}
}

func byAge(a, b *Server) int {
	return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
}

// maxOwners is how many other owners may have the README of a server. If more have it, and
// nothing else is the same, it is from a template.
const maxOwners = 3

// findings returns the matches as findings. The original of a copy of a copy is that
// of the first one.
func (f *finder) findings() []Finding {
	slugs := map[*Server]match{}
	var out []Finding
	for i, s := range f.servers { // originals are before their copies
		m := f.best[i]
		if m.of == nil || m.boilerplate && len(f.owners[i]) > maxOwners {
			continue
		}
		if first, ok := slugs[m.of]; ok && eligible(first.of, s) {
			m.of = first.of
			m.reason += " That server looks like a copy of " + first.of.label() + "."
		}
		slugs[s] = m
		out = append(out, Finding{ID: s.ID,
			Copy: registry.Copy{Of: m.of.Slug, Kind: m.kind, Reason: m.reason}})
	}
	slices.SortFunc(out, func(a, b Finding) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

func (s *Server) label() string {
	if s.Subfolder == "" {
		return s.Owner + "/" + s.Repo
	}
	return s.Owner + "/" + s.Repo + "/" + s.Subfolder
}
