package detect

import (
	"path"
	"slices"
	"strings"

	"mcpcensus/crawler/manifest"
)

// ecoDeps are dependencies of one ecosystem.
type ecoDeps struct {
	ecosystem string
	deps      []manifest.Dependency
}

// dependencies returns the unit's dependencies by ecosystem, in a fixed order.
func (r *repo) dependencies(u *unit) []ecoDeps {
	var out []ecoDeps
	add := func(eco string, deps []manifest.Dependency) {
		if len(deps) > 0 {
			out = append(out, ecoDeps{eco, deps})
		}
	}
	if u.npm != nil {
		add("npm", u.npm.Dependencies)
	}
	if u.deno != nil {
		add("npm", u.deno.Dependencies)
	}
	if u.py != nil {
		add("pypi", u.py.Dependencies)
	}
	add("pypi", u.reqs)
	if u.gomod != nil {
		add("go", u.gomod.Require)
	}
	if u.cargo != nil {
		add("cargo", u.cargo.Dependencies)
	}
	if u.pom != nil {
		add("maven", u.pom.Dependencies)
	}
	if u.gradle != nil {
		add("maven", r.withCatalogNames(u.gradle.Dependencies))
	}
	for _, p := range u.csproj {
		add("nuget", r.withCentralVersions(p.Dependencies))
	}
	if u.other != nil && u.otherKind != "other" {
		add(u.otherKind, u.other.Dependencies)
	}
	return out
}

// withCatalogNames replaces the accessors of Gradle's version catalogue by the
// packages that they stand for.
func (r *repo) withCatalogNames(deps []manifest.Dependency) []manifest.Dependency {
	deps = slices.Clone(deps)
	for i, d := range deps {
		accessor, ok := strings.CutPrefix(d.Name, "libs.")
		if !ok {
			continue
		}
		if name := r.catalog[accessor]; name != "" {
			deps[i].Name = name
		} else if name := sdkOfAccessor(accessor); name != "" {
			deps[i].Name = name
		}
	}
	return deps
}

// sdkOfAccessor guesses the SDK behind an accessor of a catalogue that was not
// read, "" if it does not look like one.
func sdkOfAccessor(accessor string) string {
	names := func(s string) bool { return strings.Contains(accessor, s) }
	switch {
	case !names("mcp") || names("client"):
		return ""
	case accessor != "mcp" && !names("server") && !names("sdk"):
		return ""
	case names("kotlin"):
		return "io.modelcontextprotocol:kotlin-sdk"
	}
	return "io.modelcontextprotocol.sdk:mcp"
}

// withCentralVersions adds the versions that a .NET repository sets for all its
// projects.
func (r *repo) withCentralVersions(deps []manifest.Dependency) []manifest.Dependency {
	deps = slices.Clone(deps)
	for i := range deps {
		if deps[i].Version == "" {
			deps[i].Version = r.versions[deps[i].Name]
		}
	}
	return deps
}

// siblingSDK returns a unit of the same repository that u depends on, or whose
// dependencies it inherits, and that uses an SDK; nil if there is none.
func (r *repo) siblingSDK(u, root *unit) *unit {
	usesSDK := func(v *unit) bool { return v != nil && v != u && v.sdk.language != "" }
	for _, e := range r.dependencies(u) {
		for _, d := range e.deps {
			name := d.Name
			if e.ecosystem == "maven" {
				_, name, _ = strings.Cut(d.Name, ":")
			}
			if v := r.byName[e.ecosystem+":"+name]; usesSDK(v) && !d.Dev {
				return v
			}
		}
	}
	if u.pom != nil && root.pom != nil && u.pom.ParentArtifact == root.pom.ArtifactID && usesSDK(root) {
		return root
	}
	for i, p := range u.csproj {
		for _, ref := range p.Projects {
			if v := r.byDir[home(dirOf(projectPath(u.csprojAt[i], ref)))]; usesSDK(v) {
				return v
			}
		}
	}
	return nil
}

// projectPath returns the path of a .NET project that another one refers to. A
// variable at its beginning stands for the root.
func projectPath(from, ref string) string {
	if _, rest, ok := strings.Cut(ref, "/"); ok && strings.HasPrefix(ref, "$(") {
		return rest
	}
	return path.Join(dirOf(from), ref)
}

// locked returns the version of the SDK that the nearest lock file fixes.
func (r *repo) locked(u *unit) string {
	if u.sdk.pkg == "" {
		return ""
	}
	for dir := u.dir; ; dir = dirOf(dir) {
		for _, name := range manifest.LockNames {
			p := path.Join(dir, name)
			if t, ok := r.snap.Texts[p]; ok {
				if v := manifest.Locked(p, []byte(t), u.sdk.pkg); v != "" {
					return v
				}
			}
		}
		if dir == "" {
			break
		}
	}
	if u.sdk.ecosystem == "go" {
		return u.sdk.version // go.mod has the exact version that is built with
	}
	return ""
}
