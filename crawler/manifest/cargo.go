package manifest

import (
	"cmp"
	"slices"

	"mcpcensus/crawler/untyped"
)

// A Dist configures how cargo-dist publishes the programs of a workspace to npm.
type Dist struct {
	Scope   string // with the @, "" for none
	Package string // "" for the crate's name
}

// ParseDist reads a dist-workspace.toml. It returns nil if no release is published to npm.
var ParseDist = parser(untyped.TOML, func(o untyped.Object) *Dist { return distOf(o.Object("dist")) })

func distOf(o untyped.Object) *Dist {
	if !slices.Contains(o.Texts("publish-jobs"), "npm") {
		return nil
	}
	return &Dist{Scope: o.Text("npm-scope"), Package: o.Text("npm-package")}
}

// NPM returns the name of the npm package of a crate, "" if d is nil.
func (d *Dist) NPM(crate string) string {
	switch {
	case d == nil || crate == "":
		return ""
	case d.Scope == "":
		return cmp.Or(d.Package, crate)
	}
	return d.Scope + "/" + cmp.Or(d.Package, crate)
}

// ParseCargoTOML reads the Cargo.toml of a crate or a workspace.
var ParseCargoTOML = parser(untyped.TOML, func(o untyped.Object) *Package {
	p := o.Object("package")
	inherited := o.Object("workspace").Object("package")
	publish, known := p.Bool("publish")
	c := &Package{
		Name: p.Text("name"), Version: cmp.Or(p.Text("version"), inherited.Text("version")),
		Description: p.Text("description"), Homepage: p.Text("homepage"), Keywords: p.Texts("keywords"),
		License: cmp.Or(p.Text("license"), inherited.Text("license")), Private: known && !publish,
	}
	if o.Object("badges").Object("maintenance").Text("status") == "deprecated" {
		c.Deprecated = "The maintenance status in Cargo.toml is deprecated."
	}
	metadata := o.Object("workspace").Object("metadata")
	if metadata == nil {
		metadata = p.Object("metadata")
	}
	c.Dist = distOf(metadata.Object("dist"))
	for _, bin := range o.Objects("bin") {
		c.addProgram(cmp.Or(bin.Text("name"), c.Name), bin.Text("path"))
	}
	c.manage(o.Object("workspace").Object("dependencies"))
	c.add(o.Object("dependencies"), false)
	c.add(o.Object("dev-dependencies"), true)
	c.add(o.Object("build-dependencies"), true)
	targets := o.Object("target")
	for _, k := range targets.Keys() {
		c.add(targets.Object(k).Object("dependencies"), false)
	}
	return c
})
