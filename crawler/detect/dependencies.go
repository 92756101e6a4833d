package detect

import (
	"cmp"
	"iter"
	"path"
	"strings"

	"mcpcensus/crawler/manifest"
)

// dependencies yields the unit's dependencies with their ecosystems, in a fixed order.
func (u *unit) dependencies() iter.Seq2[string, manifest.Dependency] {
	return func(yield func(string, manifest.Dependency) bool) {
		for kind, p := range u.packages() {
			for _, d := range p.Dependencies {
				if !yield(kind, d) {
					return
				}
			}
		}
		for _, d := range u.reqs {
			if !yield("pypi", d) {
				return
			}
		}
	}
}

// resolveNames replaces the accessors of Gradle's version catalog by the packages that they
// refer to, and adds the versions that a workspace sets for all of its packages.
func (r *repo) resolveNames(u *unit) {
	if u.gradle != nil {
		for i, d := range u.gradle.Dependencies {
			if accessor, ok := strings.CutPrefix(d.Name, "libs."); ok {
				u.gradle.Dependencies[i].Name = cmp.Or(r.catalog[accessor], sdkOfAccessor(accessor), d.Name)
			}
		}
	}
	for dir := range above(u.dir) {
		root := r.byDir[dir]
		if root != nil && u.cargo != nil && root.cargo != nil {
			u.cargo.Version = cmp.Or(u.cargo.Version, root.cargo.Version)
		}
		if root != nil && u.pom != nil && root.pom != nil && u.pom.Parent == root.pom.Name {
			u.pom.Version = cmp.Or(u.pom.Version, root.pom.Version)
		}
	}
	for kind, p := range u.packages() {
		for i, d := range p.Dependencies {
			if isShared := strings.HasPrefix(d.Version, "catalog:"); isShared || d.Version == "" {
				p.Dependencies[i].Version = r.versions[kind+":"+d.Name]
			}
		}
	}
}

// sdkOfAccessor guesses the SDK of an accessor of an unread catalog, "" if it does not look
// like one.
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

// siblingSDK returns a unit of the same repository that uses an SDK and that u depends on or
// inherits dependencies from, nil if there is none.
func (r *repo) siblingSDK(u, root *unit) *unit {
	usesSDK := func(v *unit) bool { return v != nil && v != u && v.sdk.language != "" }
	for v := range r.dependsOn(u) {
		if usesSDK(v) {
			return v
		}
	}
	if u.pom != nil && root.pom != nil && u.pom.Parent == root.pom.Name && usesSDK(root) {
		return root
	}
	return nil
}

// locked returns the version of the SDK in the nearest lock file.
func (r *repo) locked(u *unit) string {
	if u.sdk.pkg == "" {
		return ""
	}
	for dir := range above(u.dir) {
		for _, name := range manifest.LockNames {
			p := path.Join(dir, name)
			if v := manifest.Locked(p, []byte(r.snap.Texts[p]), u.sdk.pkg); v != "" {
				return v
			}
		}
	}
	if u.sdk.ecosystem == "go" {
		return u.sdk.version // go.mod contains the exact version
	}
	return ""
}
