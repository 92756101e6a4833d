package detect

import (
	"cmp"
	"slices"
	"strings"

	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/manifest/readme"
	"mcpcensus/crawler/serverjson"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/version"
)

// A unit is a folder that has manifests of its own: a candidate for a server.
type unit struct {
	dir       string
	npm       *manifest.PackageJSON
	py        *manifest.PyProject
	gomod     *manifest.GoMod
	cargo     *manifest.CargoTOML
	dist      *manifest.Dist // of releases, nil if they publish no npm package
	distNPM   string         // the npm package of the crate's releases, "" for none
	pom       *manifest.POM
	gradle    *manifest.Gradle
	csproj    []*manifest.CSProj
	csprojAt  []string
	deno      *manifest.DenoJSON
	other     *manifest.Project
	otherKind string // "swift", "ruby", "php", "other"
	reqs      []manifest.Dependency
	server    *registry.Listing // server.json
	bundle    *manifest.Bundle
	smithery  *manifest.Smithery
	docker    *manifest.Dockerfile
	configs   []manifest.ClientServer
	env       []registry.Variable
	card      []registry.Tool // tools of a server card
	readme    *readme.Document
	readmeAt  string
	manifests []string // paths

	sdk     sdkUse
	entry   string            // what shows that it can be started, "" if nothing does
	listing *registry.Listing // its entry in the official registry
	// unfounded reports that only the listing says that there is a server.
	unfounded bool

	folder     string // subfolder of the record
	confidence float64
	reason     string
	evidence   []registry.Evidence
}

// A declaration is what one manifest says about what it builds.
type declaration struct {
	title, description, version, license, homepage string
	keywords                                       []string
}

// declarations returns what the unit's manifests say, in the order in which
// they are believed.
func (u *unit) declarations() []declaration {
	var out []declaration
	if p := u.npm; p != nil {
		out = append(out, declaration{"", p.Description, p.Version, p.License, p.Homepage, p.Keywords})
	}
	if p := u.py; p != nil {
		out = append(out, declaration{"", p.Description, p.Version, p.License, p.Homepage, p.Keywords})
	}
	if p := u.cargo; p != nil {
		out = append(out, declaration{"", p.Description, p.Version, p.License, p.Homepage, p.Keywords})
	}
	for _, p := range u.csproj {
		out = append(out, declaration{"", p.Description, p.Version, p.License, "", p.Tags})
	}
	if l := u.server; l != nil {
		out = append(out, declaration{title: l.Title, description: l.Description, version: l.Version})
	}
	if p := u.bundle; p != nil {
		out = append(out, declaration{"", p.Description, p.Version, p.License, p.Homepage, p.Keywords})
	}
	if p := u.pom; p != nil {
		out = append(out, declaration{p.Name, p.Description, p.Version, p.License, "", nil})
	}
	if p := u.gradle; p != nil {
		out = append(out, declaration{version: p.Version})
	}
	if p := u.deno; p != nil {
		out = append(out, declaration{license: p.License})
	}
	if p := u.other; p != nil {
		out = append(out, declaration{"", p.Description, p.Version, p.License, "", p.Keywords})
	}
	return out
}

// descriptions returns the texts of the manifests.
func (u *unit) descriptions() []string {
	var out []string
	for _, d := range u.declarations() {
		out = append(out, d.description, d.title)
	}
	return out
}

// version returns the first exact version of the manifests, "" if there is
// none.
func (u *unit) version() string {
	for _, d := range u.declarations() {
		if v := exact(d.version); v != "" && !strings.Contains(v, "SNAPSHOT") {
			return v
		}
	}
	return ""
}

// hasStaleBundle reports whether the bundle's manifest has a lower version than the
// package that the unit makes: it was left behind, with its title and tools.
func (u *unit) hasStaleBundle() bool {
	if u.bundle == nil {
		return false
	}
	order, ok := version.CompareAny(u.bundle.Version, u.version())
	return ok && order < 0
}

// names returns the names by which other manifests of the repository refer to
// the unit, as "ecosystem:name".
func (u *unit) names() []string {
	var out []string
	add := func(ecosystem, name string) {
		if name != "" {
			out = append(out, ecosystem+":"+name)
		}
	}
	if u.npm != nil {
		add("npm", u.npm.Name)
	}
	if u.py != nil && u.py.Name != "" {
		add("pypi", registry.PyPIName(u.py.Name))
	}
	if u.cargo != nil {
		add("cargo", u.cargo.Name)
	}
	if u.pom != nil {
		add("maven", u.pom.ArtifactID)
	}
	if u.gomod != nil {
		add("go", u.gomod.Module)
	}
	return out
}

// registryName returns the name in the official registry that the unit's own
// files give, "" if they give none.
func (u *unit) registryName() string {
	n := ""
	if u.server != nil {
		n = u.server.Name
	}
	if u.npm != nil {
		n = cmp.Or(n, u.npm.MCPName)
	}
	if u.docker != nil {
		n = cmp.Or(n, u.docker.Labels[manifest.ServerNameLabel])
	}
	if u.readme != nil {
		n = cmp.Or(n, u.readme.MCPName)
	}
	if !serverjson.IsName(n) {
		return ""
	}
	return n
}

// named reports whether a package has the name of one of the unit's manifests.
func (u *unit) named(kind, id string) bool {
	switch {
	case kind == "npm" && u.npm != nil:
		return strings.EqualFold(u.npm.Name, id)
	case kind == "npm":
		return u.distNPM != "" && u.distNPM == id
	case kind == "pypi" && u.py != nil:
		return registry.PyPIName(u.py.Name) == registry.PyPIName(id)
	case kind == "cargo" && u.cargo != nil:
		return strings.EqualFold(u.cargo.Name, id)
	case kind == "nuget":
		for _, p := range u.csproj {
			if strings.EqualFold(p.PackageID, id) {
				return true
			}
		}
	}
	return false
}

// listings returns what server.json and the official registry say of the unit.
func (u *unit) listings() []*registry.Listing {
	var out []*registry.Listing
	if u.server != nil {
		out = append(out, u.server)
	}
	if u.listing != nil {
		out = append(out, u.listing)
	}
	return out
}

// builds reports whether a manifest of a language's build tool is there.
func (u *unit) builds() bool {
	switch {
	case u.npm != nil, u.py != nil, u.gomod != nil, u.cargo != nil, u.pom != nil, u.gradle != nil:
		return true
	}
	return len(u.csproj) > 0 || u.deno != nil
}

// bare reports whether the folder has no manifest of a package.
func (u *unit) bare() bool { return !u.builds() && u.server == nil }

// empty reports whether the folder has no manifest that anything could be built
// or run from.
func (u *unit) empty() bool {
	return u.bare() && u.other == nil && len(u.reqs) == 0 && u.bundle == nil && u.smithery == nil
}

// hasName reports whether a manifest names the package that it builds.
func (u *unit) hasName() bool {
	return u.npm != nil && u.npm.Name != "" || u.py != nil && u.py.Name != "" || u.cargo != nil &&
		u.cargo.Name != ""
}

// python merges what several Python manifests of one folder say: the first
// that says a thing wins, and pyproject.toml comes first by name.
func (u *unit) python(v *manifest.PyProject) {
	if u.py == nil {
		u.py = v
		return
	}
	p := u.py
	p.Name = cmp.Or(p.Name, v.Name)
	p.Version = cmp.Or(p.Version, v.Version)
	p.Description = cmp.Or(p.Description, v.Description)
	p.License = cmp.Or(p.License, v.License)
	p.Homepage = cmp.Or(p.Homepage, v.Homepage)
	p.RepositoryURL = cmp.Or(p.RepositoryURL, v.RepositoryURL)
	if len(p.Scripts) == 0 {
		p.Scripts = v.Scripts
	}
	if len(p.Keywords) == 0 {
		p.Keywords = v.Keywords
	}
	p.Dependencies = append(p.Dependencies, v.Dependencies...)
}

// ruby merges a Gemfile and a gemspec.
func (u *unit) ruby(v *manifest.Project) {
	if old := u.other; old != nil && u.otherKind == "ruby" {
		v.Dependencies = append(old.Dependencies, v.Dependencies...)
		if v.Name == "" {
			v.Name, v.Version, v.Description = old.Name, old.Version, old.Description
			v.License, v.Executables = old.License, old.Executables
		}
	}
	u.other, u.otherKind = v, "ruby"
}

// license returns the licence that the unit's manifests state, "" if none do.
func (u *unit) license() string {
	for _, d := range u.declarations() {
		if d.license != "" {
			return spdx(d.license)
		}
	}
	return ""
}

// spdx returns the SPDX identifier for how people write licences in manifests,
// "" for what does not name a licence.
func spdx(s string) string {
	s = strings.TrimSpace(s)
	l := strings.ToLower(s)
	if v, ok := licences[l]; ok {
		return v
	}
	switch l {
	case "", "none", "unlicensed", "proprietary", "license", "private":
		return ""
	}
	if strings.HasPrefix(l, "see ") || strings.HasPrefix(l, "file:") || len(s) > 60 ||
		strings.ContainsAny(s, "\n{}<>") {
		return ""
	}
	return s
}

// licenseFile reports whether the listing has a licence file for a folder.
func (r *repo) licenseFile(dir string) bool {
	return slices.ContainsFunc(append(slices.Clone(r.dirs[dir]), r.dirs[""]...), func(base string) bool {
		l := strings.ToLower(base)
		return strings.HasPrefix(l, "license") || strings.HasPrefix(l, "licence") ||
			strings.HasPrefix(l, "copying") || l == "unlicense"
	})
}
