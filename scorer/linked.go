package scorer

import (
	"slices"
	"strings"
	"time"

	"mcpcensus/internal/registry"
)

// Linked returns how the repository and a package or the official registry's entry name each
// other, as a sentence; "" if they do not. It is consistent with the check ownership_link: a
// package that names another repository prevents the link, unless another package proves it. A
// repository that was not read names nothing.
func Linked(f registry.Facts, now time.Time) string {
	in := newInput(&f, now)
	if f.Repo.ObservedAt.IsZero() {
		return ""
	}
	for i := range in.packages {
		if reason := in.linkedBy(&in.packages[i]); reason != "" {
			return reason
		}
	}
	return in.linkedByEntry()
}

// linkedBy returns how a package and the repository name each other, "" if they do
// not.
func (in *input) linkedBy(p *pkg) string {
	if !p.found || p.unnamed || in.relationTo(p) != registry.SameRepo || !in.named(p) {
		return ""
	}
	if s := in.linkOf(p); s.state != StateOK || s.value == 0 {
		return ""
	}
	l, the := in.activeListing(), "The package "+clean(p.identifier)
	switch {
	case p.facts.Attested != nil && *p.facts.Attested:
		return the + " names this repository, and its build is attested."
	case l != nil && strings.EqualFold(p.facts.MCPName(), l.Name):
		return the + " names this repository and the registry entry " + clean(l.Name) + "."
	}
	return the + " and this repository name each other."
}

// named reports whether the repository names a package as its own.
func (in *input) named(p *pkg) bool {
	return slices.ContainsFunc(in.f.Detection.Packages, func(d registry.Package) bool {
		return in.f.DoubtOf(d) == "" && d.RegistryType == p.registryType && d.Identifier == p.identifier
	})
}

// nameMark is the prefix of a registry name in [registry.Detection.Marks].
const nameMark = "mcp:"

// linkedByEntry returns how the repository and its entry in the official registry name
// each other, "" if they do not or if a published package contradicts it. Being in the
// owner's namespace is not enough: unless the repository's files name the entry, the
// check ownership_link must have passed for a package.
func (in *input) linkedByEntry() string {
	l := in.listing
	if l == nil || l.Status == "deleted" || in.f.Relation(l.RepoURL) != registry.SameRepo {
		return ""
	}
	passed := false
	for i := range in.packages {
		p := &in.packages[i]
		if p.listed && p.facts != nil && p.facts.Missing() {
			return "" // the entry names a package that its service does not have
		}
		if !p.found {
			continue
		}
		s := in.linkOf(p)
		switch link := in.relationTo(p); {
		case link == registry.OtherRepo, link == registry.SiblingRepo, link == registry.MovedRepo,
			s.state == StateOK && s.value == 0:
			return ""
		}
		passed = passed || s.state == StateOK && s.value == 1
	}
	named := func(m string) bool { return strings.EqualFold(m, nameMark+l.Name) }
	the := "The registry entry " + clean(l.Name) + " names this repository"
	switch {
	case slices.ContainsFunc(in.f.Detection.Marks, named):
		return the + ", whose files name the entry."
	case in.f.Repo.Ref().OwnsName(l.Name) && passed:
		return the + " and is in its owner's namespace."
	}
	return ""
}
