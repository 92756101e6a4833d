package detect

import (
	"cmp"
	"iter"
	"path"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/manifest/readme"
	"mcpcensus/crawler/serverjson"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/version"
)

// A unit is a folder with its own manifests: a candidate for a server.
type unit struct {
	dir       string
	npm       *manifest.Package
	py        *manifest.Package
	gomod     *manifest.Package
	cargo     *manifest.Package
	dist      *manifest.Dist // of releases, nil if they publish no npm package
	distNPM   string         // the npm package of the crate's releases, "" for none
	pom       *manifest.Package
	gradle    *manifest.Package
	csproj    []*manifest.Package
	csprojAt  []string
	deno      *manifest.Package
	jsr       *manifest.Package // of JSR: its name and version
	other     *manifest.Package
	otherKind string // "swift", "ruby", "php", "other"
	reqs      []manifest.Dependency
	server    *registry.Listing // server.json
	bundle    *manifest.Bundle
	smithery  *manifest.Smithery
	docker    *manifest.Dockerfile
	configs   []manifest.ClientServer
	others    []manifest.ClientServer // in files of extensions and editors, see candidate.configs
	env       []registry.Variable
	card      []registry.Tool // tools of a server card
	readme    *readme.Document
	readmeAt  string
	manifests []string // paths

	sdk       sdkUse
	code      sides             // that its own code uses
	sides     sides             // code, and that of the units that it depends on
	entry     string            // evidence that it can be started, "" for none
	unreached map[string]bool   // see repo.unreached
	listing   *registry.Listing // its entry in the official registry
	// unfounded reports that the listing is the only evidence of a server.
	unfounded bool

	folder     string // subfolder of the record
	confidence float64
	reason     string
	evidence   []registry.Evidence
}

// packages yields the unit's parsed manifests with their ecosystems, most reliable first. A
// server.json and a bundle have no ecosystem.
func (u *unit) packages() iter.Seq2[string, *manifest.Package] {
	return func(yield func(string, *manifest.Package) bool) {
		all := func(kind string, list ...*manifest.Package) bool {
			for _, p := range list {
				if p != nil && !yield(kind, p) {
					return false
				}
			}
			return true
		}
		var server, bundle *manifest.Package
		if l := u.server; l != nil {
			server = &manifest.Package{Title: l.Title, Description: l.Description, Version: l.Version}
		}
		if u.bundle != nil {
			bundle = &u.bundle.Package
		}
		_ = all("npm", u.npm) && all("pypi", u.py) && all("go", u.gomod) && all("cargo", u.cargo) &&
			all("nuget", u.csproj...) && all("", server, bundle) && all("maven", u.pom, u.gradle) &&
			all("npm", u.deno) && all("jsr", u.jsr) && all(u.otherKind, u.other)
	}
}

func (u *unit) descriptions() []string {
	var out []string
	for _, p := range u.packages() {
		out = append(out, p.Description, p.Title)
	}
	return out
}

// version returns the first exact version of the manifests, "" if there is
// none.
func (u *unit) version() string {
	for _, p := range u.packages() {
		if v := exact(p.Version); v != "" && !strings.Contains(v, "SNAPSHOT") {
			return v
		}
	}
	return ""
}

// hasStaleBundle reports whether the bundle's manifest, with its title and tools, has a lower
// version than the unit's package.
func (u *unit) hasStaleBundle() bool {
	order, ok := version.CompareAny(u.bundle.Version, u.version())
	return ok && order < 0
}

// names returns the names by which other manifests of the repository refer to the unit, as
// "ecosystem:name".
func (u *unit) names() (out []string) {
	for kind, p := range u.packages() {
		switch {
		case p.Name == "" || kind == "" || kind == "nuget" || kind == u.otherKind:
		case kind == "pypi":
			out = append(out, "pypi:"+registry.PyPIName(p.Name))
		default:
			out = append(out, kind+":"+p.Name)
		}
	}
	return out
}

// registryNames returns the names in the official registry in the unit's files.
func (u *unit) registryNames() (out []string) {
	add := func(name string) {
		if serverjson.IsName(name) {
			out = append(out, name)
		}
	}
	if u.server != nil {
		add(u.server.Name)
	}
	if u.npm != nil {
		add(u.npm.MCPName)
	}
	if u.docker != nil {
		add(u.docker.Labels[manifest.ServerNameLabel])
	}
	if u.readme != nil {
		add(u.readme.MCPName)
	}
	return out
}

// registryName returns the first of registryNames, "" if there are none.
func (u *unit) registryName() string {
	if names := u.registryNames(); len(names) > 0 {
		return names[0]
	}
	return ""
}

// named reports whether a package has the name of one of the unit's manifests.
func (u *unit) named(kind, id string) bool {
	if kind == "npm" && u.npm == nil {
		return u.distNPM != "" && u.distNPM == id
	}
	for k, p := range u.packages() {
		if k == kind && k != "" && sameName(kind, p.Name, id) {
			return true
		}
	}
	return false
}

// sameName reports whether two names refer to the same package.
func sameName(kind, a, b string) bool {
	return strings.EqualFold(a, b) || kind == "pypi" && registry.PyPIName(a) == registry.PyPIName(b)
}

// listings returns the unit's server.json and entry in the official registry.
func (u *unit) listings() []*registry.Listing {
	isNone := func(l *registry.Listing) bool { return l == nil }
	return slices.DeleteFunc([]*registry.Listing{u.server, u.listing}, isNone)
}

// builds reports whether the folder has a manifest of a language's build tool.
func (u *unit) builds() bool {
	return u.npm != nil || u.py != nil || u.gomod != nil || u.cargo != nil || u.pom != nil || u.gradle != nil ||
		len(u.csproj) > 0 || u.deno != nil
}

// bare reports whether the folder has no manifest of a package.
func (u *unit) bare() bool { return !u.builds() && u.server == nil }

// empty reports whether the folder has no manifest to build or run anything from.
func (u *unit) empty() bool {
	return u.bare() && u.other == nil && len(u.reqs) == 0 && u.bundle == nil && u.smithery == nil
}

// hasName reports whether a manifest names the package that it builds.
func (u *unit) hasName() bool {
	return u.npm != nil && u.npm.Name != "" || u.py != nil && u.py.Name != "" || u.cargo != nil &&
		u.cargo.Name != ""
}

// addManifest sets a manifest, or adds its facts to an earlier one of the same package.
func addManifest(known **manifest.Package, v *manifest.Package) {
	if *known == nil {
		*known = v
	} else {
		(*known).Complete(v)
	}
}

// license returns the license that the unit's manifests, the workspace of its crate or the title of
// its license file state, "" if none do. npm's default, ISC, yields to that of a file.
func (r *repo) license(u *unit) string {
	preset := ""
	for _, p := range u.packages() {
		if id := manifest.SPDX(p.License); id == "ISC" && p == u.npm {
			preset = id
		} else if id != "" {
			return id
		}
	}
	for dir := range above(u.dir) {
		if root := r.byDir[dir]; u.cargo != nil && root != nil && root.cargo != nil {
			if id := manifest.SPDX(root.cargo.License); id != "" {
				return id
			}
		}
		for _, name := range r.dirs[dir] {
			text, read := r.snap.Texts[path.Join(dir, name)]
			if read && licenseName.MatchString(name) {
				return cmp.Or(manifest.LicenseTitle([]byte(text)), preset)
			}
		}
	}
	return preset
}

var licenseName = regexp.MustCompile(`(?i)^(?:licen[sc]e|copying|unlicense$)`)
