package registry

import (
	"slices"
	"strings"
)

// A Relation compares the repository that metadata name with the repository of a server.
type Relation int

const (
	NoRepo Relation = iota // none is named
	SameRepo
	OtherRepo   // of another owner, or not the address of a repository
	SiblingRepo // another one of the same owner
	MovedRepo   // same name, other owner; this is not a fork of it
	UnknownRepo // the metadata are not known
)

// Relation compares an address with the repository.
func (f *Facts) Relation(address string) Relation {
	r := &f.Repo
	if strings.TrimSpace(address) == "" || r.Owner == "" || r.Name == "" {
		return NoRepo
	}
	ref, ok := FindRepoRef(address)
	if !ok || HostOf(ref.Host) != HostOf(r.Host) {
		return OtherRepo
	}
	owner, name := strings.EqualFold(ref.Owner, r.Owner), strings.EqualFold(ref.Name, r.Name)
	switch {
	case owner && name, slices.Contains(f.FormerNames, ref.Key()):
		return SameRepo
	case owner:
		return SiblingRepo
	case name && r.IsFork() != nil && !r.Fork:
		return MovedRepo
	}
	return OtherRepo
}

// RelationOf compares the repository that a package names with the repository.
func (f *Facts) RelationOf(p PackageFacts) Relation {
	if !p.RepoURLKnown {
		return UnknownRepo
	}
	return f.Relation(p.RepoURL)
}

// DoubtOf returns the doubt of a package of the detection, after comparison with its own facts.
func (f *Facts) DoubtOf(p Package) string {
	i := slices.IndexFunc(f.Packages, func(known PackageFacts) bool {
		return known.RegistryType == p.RegistryType && known.Identifier == p.Identifier
	})
	if i < 0 {
		return p.Doubt
	}
	known := f.Packages[i]
	switch f.RelationOf(known) {
	case OtherRepo:
		// The labels of an image may be those of its base image.
		ref, ok := FindRepoRef(known.RepoURL)
		moved := strings.EqualFold(ref.Name, f.Repo.Name) && f.Repo.IsFork() == nil // or a fork
		if ok && !moved && p.RegistryType != "oci" {
			return DoubtForeign
		}
	case SameRepo, SiblingRepo:
		if p.Doubt == DoubtManifest {
			return ""
		}
	}
	named := f.Repo.Ref().OwnsName(known.MCPName())
	if p.Doubt == DoubtImage && known.Found != nil || p.Doubt == DoubtManifest && named {
		return ""
	}
	return p.Doubt
}
