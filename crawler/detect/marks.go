package detect

import (
	"net/url"
	"slices"
	"strings"

	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/serverjson"
)

// maxMarks is the largest number of marks of one server.
const maxMarks = 200

// allMarks returns what the repository's files say of themselves by which the
// owner's entries in the official registry are recognised, sorted; nil if no
// file has been read. See registry.Detection.Marks.
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

// marksOf returns the marks by which entries for one server are recognised: in a
// repository of many those of its own files, of the root's, and those of its
// own entry.
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
			isOwn := func(o string) bool { return strings.EqualFold(o, m) }
			return !strings.HasPrefix(m, HostMark) && !slices.ContainsFunc(own, isOwn)
		})
	}
	return all[:min(len(all), maxMarks)]
}

// marks returns the marks of one unit.
func (u *unit) marks() []string {
	return slices.Concat(u.nameMarks(), u.packageMarks(), u.hostMarks())
}

// nameMarks are the names in the official registry that the unit's files give.
func (u *unit) nameMarks() []string {
	var names []string
	if u.server != nil {
		names = append(names, u.server.Name)
	}
	if u.npm != nil {
		names = append(names, u.npm.MCPName)
	}
	if u.docker != nil {
		names = append(names, u.docker.Labels[manifest.ServerNameLabel])
	}
	if u.readme != nil {
		names = append(names, u.readme.MCPName)
	}
	var out []string
	for _, n := range names {
		if serverjson.IsName(n) {
			out = append(out, NameMark+n)
		}
	}
	return out
}

// packageMarks are the packages that the unit's manifests make.
func (u *unit) packageMarks() []string {
	var out []string
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
	if u.npm != nil && !u.npm.Private {
		add("npm", u.npm.Name)
	}
	if u.py != nil {
		add("pypi", u.py.Name)
	}
	if u.cargo != nil && !u.cargo.Private {
		add("cargo", u.cargo.Name)
	}
	for _, p := range u.csproj {
		add("nuget", p.PackageID)
	}
	return out
}

// hostMarks are the hosts of the endpoints that the unit's files name.
func (u *unit) hostMarks() []string {
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
	var out []string
	for _, a := range addresses {
		if p, err := url.Parse(a); err == nil && p.Hostname() != "" && len(p.Hostname()) <= 253 {
			out = append(out, HostMark+strings.ToLower(p.Hostname()))
		}
	}
	return out
}
