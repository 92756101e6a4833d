package registry

import (
	"net/url"
	"slices"
	"strings"
)

// OwnListings returns those of the official registry's entries for a
// repository that are its owner's. Anybody may publish an entry that names
// any repository: the registry checks who owns the entry's name and that its
// packages carry it, and not the address of the repository.
//
// Marks are what the repository's files say of themselves; see
// [Detection.Marks]. An entry is the owner's if
//
//   - the files carry its name,
//   - its name is of the namespace io.github.<owner>, of the owner now or
//     before,
//   - one of its packages is one that the files build, or an image in the
//     owner's namespace at the code host, or
//   - its name is of a domain that the repository calls its homepage, or at
//     which its files say the server runs.
//
// Those of which the files carry the name come first; else the order stays.
// With nil marks no file has been read: then all entries are returned that
// are of the owner's namespace, or all there are if none is.
func OwnListings(listings []Listing, r *Repository, marks []string) []Listing {
	var named, own []Listing
	for _, l := range listings {
		switch {
		case slices.ContainsFunc(marks, func(m string) bool { return strings.EqualFold(m, NameMark+l.Name) }):
			named = append(named, l)
		case l.ofOwner(r), marks != nil && (l.builtHere(r, marks) || l.ofDomain(r, marks)):
			own = append(own, l)
		}
	}
	if own = append(named, own...); marks == nil && len(own) == 0 {
		return listings
	}
	return own
}

// What marks begin with that are no packages, see [Detection.Marks].
const (
	NameMark = "mcp:"
	HostMark = "host:"
)

// PackageMark returns the mark of a package, in which the spellings of one
// identifier are the same.
func PackageMark(registryType, identifier string) string {
	id := strings.ToLower(strings.TrimSpace(identifier))
	switch registryType {
	case "pypi":
		id = strings.Join(strings.FieldsFunc(id, func(r rune) bool { return r == '-' || r == '_' || r == '.' }), "-")
	case "oci":
		id, _, _ = strings.Cut(id, "@")
		if i := strings.LastIndexByte(id, ':'); i > strings.LastIndexByte(id, '/') {
			id = id[:i]
		}
		id = strings.TrimPrefix(id, "docker.io/")
	}
	return registryType + ":" + id
}

// CanBePackage reports whether a package service can have a package of that
// name: one of npm has a slash only behind its scope, one of PyPI has none.
func CanBePackage(registryType, identifier string) bool {
	slashes := strings.Count(identifier, "/")
	switch registryType {
	case "npm":
		return slashes == 0 || slashes == 1 && strings.HasPrefix(identifier, "@")
	case "pypi", "nuget", "cargo":
		return slashes == 0
	}
	return true
}

func (l *Listing) ofOwner(r *Repository) bool {
	space, _, ok := strings.Cut(l.Name, "/")
	const github = "io.github."
	if !ok || len(space) <= len(github) || !strings.EqualFold(space[:len(github)], github) || r.Host != "" && r.Host != GitHub {
		return false
	}
	owner := space[len(github):]
	if strings.EqualFold(owner, r.Owner) {
		return true
	}
	former, err := ParseRepoRef(l.RepoURL)
	return err == nil && l.AddressKnown && strings.EqualFold(owner, former.Owner)
}

func (l *Listing) builtHere(r *Repository, marks []string) bool {
	for _, p := range l.Packages {
		mark := PackageMark(p.RegistryType, p.Identifier)
		if p.RegistryType == "oci" && r.Owner != "" && strings.HasPrefix(mark, "oci:ghcr.io/"+strings.ToLower(r.Owner)+"/") || slices.Contains(marks, mark) {
			return true
		}
	}
	return false
}

func (l *Listing) ofDomain(r *Repository, marks []string) bool {
	space, _, ok := strings.Cut(strings.ToLower(l.Name), "/")
	labels := strings.Split(space, ".")
	if !ok || len(labels) < 2 || slices.Contains(labels, "") || strings.HasPrefix(space, "io.github") || strings.HasPrefix(space, "com.github") {
		return false
	}
	slices.Reverse(labels)
	domain := strings.Join(labels, ".")
	of := func(host string) bool { return host == domain || strings.HasSuffix(host, "."+domain) }
	if u, err := url.Parse(r.Homepage); err == nil && of(strings.ToLower(u.Hostname())) {
		return true
	}
	return slices.ContainsFunc(marks, func(m string) bool {
		host, ok := strings.CutPrefix(m, HostMark)
		return ok && of(host)
	})
}
