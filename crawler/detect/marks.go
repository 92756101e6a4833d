package detect

import (
	"net/url"
	"slices"
	"strings"

	"mcpcensus/internal/oci"
	"mcpcensus/internal/registry"
)

// maxMarks is the maximum number of marks of one server.
const maxMarks = 200

// allMarks returns the marks in the repository's files that identify the owner's entries in
// the official registry, sorted; nil if no file has been read. See registry.Detection.Marks.
func (r *repo) allMarks() []string {
	if r.unread() && !r.snap.Repo.Empty {
		return nil
	}
	out := []string{}
	for _, u := range r.units {
		if !excluded(u.dir) {
			out = append(out, u.marks()...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// marksOf returns the marks that identify entries for one server. In a repository of several
// these are the marks of its files, of the root's files and of its entry.
func (r *repo) marksOf(u *unit, alone bool) []string {
	if r.marks == nil {
		return nil
	}
	all := slices.Clone(r.marks)
	if !alone && len(all) > 0 {
		own := append(u.marks(), r.unit("").marks()...)
		if u.listing != nil {
			own = append(own, NameMark+u.listing.Name)
			for _, p := range u.listing.Packages {
				own = append(own, PackageMark(p.RegistryType, p.Identifier))
			}
		}
		all = slices.DeleteFunc(all, func(m string) bool {
			return !strings.HasPrefix(m, HostMark) && !hasMark(own, m)
		})
	}
	return all[:min(len(all), maxMarks)]
}

func (u *unit) marks() []string {
	return slices.Concat(u.nameMarks(), u.packageMarks(), u.hostMarks())
}

// nameMarks are the names in the official registry in the unit's files.
func (u *unit) nameMarks() (out []string) {
	for _, n := range u.registryNames() {
		out = append(out, NameMark+n)
	}
	return out
}

// packageMarks are the packages that the unit's manifests build.
func (u *unit) packageMarks() (out []string) {
	add := func(kind, id string) {
		if id != "" && len(id) <= 300 {
			out = append(out, PackageMark(kind, id))
		}
	}
	if u.server != nil {
		for _, p := range u.server.Packages {
			add(p.RegistryType, p.Identifier)
		}
	}
	for kind, p := range u.packages() {
		switch {
		case kind == "pypi", kind == "nuget", (kind == "npm" || kind == "cargo") && !p.Private:
			add(kind, p.Name)
		}
	}
	return out
}

// hostMarks are the hosts of the endpoints that the unit's files name.
func (u *unit) hostMarks() (out []string) {
	var addresses []string
	if u.server != nil {
		for _, r := range u.server.Remotes {
			addresses = append(addresses, r.URL)
		}
	}
	servers := u.configs
	if u.readme != nil {
		addresses = append(addresses, u.readme.Endpoints...)
		servers = slices.Concat(servers, u.readme.Servers)
	}
	for _, s := range servers {
		addresses = append(addresses, s.URL)
	}
	for _, a := range addresses {
		if p, err := url.Parse(a); err == nil && p.Hostname() != "" && len(p.Hostname()) <= 253 {
			out = append(out, HostMark+strings.ToLower(p.Hostname()))
		}
	}
	return out
}

// Prefixes of marks other than those of packages, see [registry.Detection.Marks].
const (
	NameMark = "mcp:"
	HostMark = "host:"
)

// PackageMark returns the mark of a package, the same one for all spellings of its name.
func PackageMark(registryType, identifier string) string {
	id := strings.ToLower(strings.TrimSpace(identifier))
	switch registryType {
	case "pypi":
		id = registry.PyPIName(id)
	case "oci":
		if img, err := oci.Parse(id, ""); err == nil {
			id = strings.TrimPrefix(img.Name, oci.DockerHub+"/")
		}
	}
	return registryType + ":" + id
}

// OwnListings returns the official registry's entries for a repository that its owner
// published. Anyone may publish an entry with any repository: the registry verifies the
// namespace of the entry's name and that the packages contain the name, but not the URL of
// the repository.
//
// Marks are names, packages and hosts in the repository's files; see
// [registry.Detection.Marks]. An entry is the owner's if
//
//   - the files contain its name,
//   - its name is in a current or former namespace of the owner at the code host,
//   - one of its packages is built by the files, or is an image in the owner's
//     namespace at the code host, or
//   - its name is in the namespace of a domain that is the repository's homepage or, by the
//     files, the host of the server.
//
// Entries whose name is in the files are first; otherwise the order does not change. Nil marks
// mean that no file has been read; the result is then all entries in the owner's namespace, or
// all entries if there are none.
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
	former, err := registry.ParseRepoRef(l.RepoURL)
	return r.Ref().OwnsName(l.Name) || err == nil && l.AddressKnown && former.OwnsName(l.Name)
}

func builtHere(l *registry.Listing, r *registry.Repository, marks []string) bool {
	images := registry.HostOf(r.Host).Images
	space := "oci:" + images + "/" + strings.ToLower(r.Owner) + "/"
	return slices.ContainsFunc(l.Packages, func(p registry.Package) bool {
		mark := PackageMark(p.RegistryType, p.Identifier)
		return images != "" && r.Owner != "" && strings.HasPrefix(mark, space) || slices.Contains(marks, mark)
	})
}

// ofDomain reports whether an entry is in the namespace of a domain that belongs to the
// repository. Namespaces of code hosts belong to their users.
func ofDomain(l *registry.Listing, r *registry.Repository, marks []string) bool {
	space, _, ok := strings.Cut(strings.ToLower(l.Name), "/")
	labels := strings.Split(space, ".")
	if !ok || len(labels) < 2 || slices.Contains(labels, "") || ofCodeHost(space) {
		return false
	}
	domain := domainOf(space)
	of := func(host string) bool { return host == domain || strings.HasSuffix(host, "."+domain) }
	if u, err := url.Parse(r.Homepage); err == nil && of(strings.ToLower(u.Hostname())) {
		return true
	}
	return slices.ContainsFunc(marks, func(m string) bool {
		host, ok := strings.CutPrefix(m, HostMark)
		return ok && of(host)
	})
}

// ofCodeHost reports whether a namespace begins with that of a code host's users or of the host's
// own domain.
func ofCodeHost(space string) bool {
	return slices.ContainsFunc(registry.Hosts, func(h *registry.Host) bool {
		users := strings.TrimSuffix(h.Namespace, ".")
		return strings.HasPrefix(space, domainOf(h.Domain)) || users != "" && strings.HasPrefix(space, users)
	})
}
