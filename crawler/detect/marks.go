package detect

import (
	"net/url"
	"slices"
	"strings"

	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/serverjson"
)

// maxMarks is how many marks are kept of one server.
const maxMarks = 200

// marks returns what the repository's files say of themselves by which the
// owner's entries in the official registry are known, sorted; nil if no file
// has been read. See registry.Detection.Marks.
func (r *repo) marks() []string {
	if r.snap.Files == nil && len(r.snap.Texts) == 0 && !r.snap.Repo.Empty {
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

// marksOf returns the marks by which entries for one server are known: in a
// repository of many those of its own files, of the root's, and what its own
// entry was known by.
func (r *repo) marksOf(u *unit, alone bool) []string {
	if r.own == nil {
		return nil
	}
	all := slices.Clone(r.own)
	if !alone && len(all) > 0 {
		own := append(u.marks(), r.unit("").marks()...)
		if l := u.listing; l != nil {
			own = append(own, NameMark+l.Name)
			for _, p := range l.Packages {
				own = append(own, PackageMark(p.RegistryType, p.Identifier))
			}
		}
		all = slices.DeleteFunc(all, func(m string) bool {
			return !strings.HasPrefix(m, HostMark) && !slices.ContainsFunc(own, func(o string) bool { return strings.EqualFold(o, m) })
		})
	}
	return all[:min(len(all), maxMarks)]
}

// marks returns those of one unit.
func (u *unit) marks() []string {
	var out []string
	name := func(n string) {
		if serverjson.IsName(n) {
			out = append(out, NameMark+n)
		}
	}
	pkg := func(kind, id string) {
		if id != "" && len(id) <= 300 {
			out = append(out, PackageMark(kind, id))
		}
	}
	host := func(address string) {
		if p, err := url.Parse(address); err == nil && p.Hostname() != "" && len(p.Hostname()) <= 253 {
			out = append(out, HostMark+strings.ToLower(p.Hostname()))
		}
	}
	if u.server != nil {
		name(u.server.Name)
		for _, p := range u.server.Packages {
			pkg(p.RegistryType, p.Identifier)
		}
		for _, l := range u.server.Remotes {
			host(l.URL)
		}
	}
	if u.npm != nil {
		name(u.npm.MCPName)
		if !u.npm.Private {
			pkg("npm", u.npm.Name)
		}
	}
	if u.py != nil {
		pkg("pypi", u.py.Name)
	}
	if u.cargo != nil {
		if !u.cargo.Private {
			pkg("cargo", u.cargo.Name)
		}
	}
	for _, p := range u.csproj {
		pkg("nuget", p.PackageID)
	}
	if u.docker != nil {
		name(u.docker.Labels[manifest.ServerNameLabel])
	}
	if u.readme != nil {
		name(u.readme.MCPName)
		for _, e := range u.readme.Endpoints {
			host(e)
		}
		for _, s := range u.readme.Servers {
			host(s.URL)
		}
	}
	for _, s := range u.configs {
		host(s.URL)
	}
	return out
}
