package detect

import (
	"net/url"
	"slices"
	"strings"

	"mcpcensus/internal/registry"
)

// Prefixes of marks other than those of packages, see [registry.Detection.Marks].
const (
	NameMark = "mcp:"
	HostMark = "host:"
)

// PackageMark returns the mark of a package. Spellings that mean the same
// package give the same mark.
func PackageMark(registryType, identifier string) string {
	id := strings.ToLower(strings.TrimSpace(identifier))
	switch registryType {
	case "pypi":
		words := strings.FieldsFunc(id, func(r rune) bool { return r == '-' || r == '_' || r == '.' })
		id = strings.Join(words, "-")
	case "oci":
		id, _, _ = strings.Cut(id, "@")
		if i := strings.LastIndexByte(id, ':'); i > strings.LastIndexByte(id, '/') {
			id = id[:i]
		}
		id = strings.TrimPrefix(id, "docker.io/")
	}
	return registryType + ":" + id
}

// OwnListings returns those of the official registry's entries for a repository
// that its owner published. Anyone may publish an entry that names any
// repository: the registry verifies the namespace of the entry's name and that
// the packages carry the name, but not the address of the repository.
//
// Marks identify what the repository's files say of themselves; see
// [registry.Detection.Marks]. An entry is the owner's if
//
//   - the files carry its name,
//   - its name is in the namespace of the owner at the code host, now or before,
//   - one of its packages is built by the files, or is an image in the owner's
//     namespace at the code host, or
//   - its name is in the namespace of a domain that is the repository's homepage
//     or at which, by the files, the server runs.
//
// Entries whose name the files carry come first; otherwise the order is kept.
// Nil marks mean that no file has been read: then the result is all entries in
// the owner's namespace, or all entries if there are none.
func OwnListings(listings []registry.Listing, r *registry.Repository, marks []string) []registry.Listing {
	var named, own []registry.Listing
	for i := range listings {
		l := &listings[i]
		switch {
		case hasMark(marks, NameMark+l.Name):
			named = append(named, *l)
		case ofOwner(l, r), marks != nil && (builtHere(l, r, marks) || ofDomain(l, r, marks)):
			own = append(own, *l)
		}
	}
	if own = append(named, own...); marks == nil && len(own) == 0 {
		return listings
	}
	return own
}

func hasMark(marks []string, mark string) bool {
	return slices.ContainsFunc(marks, func(m string) bool { return strings.EqualFold(m, mark) })
}

func ofOwner(l *registry.Listing, r *registry.Repository) bool {
	if r.Ref().OwnsName(l.Name) {
		return true
	}
	former, err := registry.ParseRepoRef(l.RepoURL)
	return err == nil && l.AddressKnown && former.OwnsName(l.Name)
}

func builtHere(l *registry.Listing, r *registry.Repository, marks []string) bool {
	images := registry.HostOf(r.Host).Images
	space := "oci:" + images + "/" + strings.ToLower(r.Owner) + "/"
	for _, p := range l.Packages {
		mark := PackageMark(p.RegistryType, p.Identifier)
		if images != "" && r.Owner != "" && strings.HasPrefix(mark, space) || slices.Contains(marks, mark) {
			return true
		}
	}
	return false
}

// ofDomain reports whether an entry is in the namespace of a domain that belongs
// to the repository. Those of code hosts belong to their users.
func ofDomain(l *registry.Listing, r *registry.Repository, marks []string) bool {
	space, _, ok := strings.Cut(strings.ToLower(l.Name), "/")
	labels := strings.Split(space, ".")
	if !ok || len(labels) < 2 || slices.Contains(labels, "") || ofCodeHost(space) {
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

// ofCodeHost reports whether a namespace begins with that of a code host's users
// or with the host's own domain.
func ofCodeHost(space string) bool {
	return slices.ContainsFunc(registry.Hosts, func(h *registry.Host) bool {
		labels := strings.Split(h.Domain, ".")
		slices.Reverse(labels)
		users := strings.TrimSuffix(h.Namespace, ".")
		return strings.HasPrefix(space, strings.Join(labels, ".")) || users != "" && strings.HasPrefix(space, users)
	})
}
