package manifest

import (
	"cmp"
	"slices"

	"mcpcensus/crawler/untyped"
)

// A CargoTOML is a Rust crate's or workspace's manifest.
type CargoTOML struct {
	Name, Version, Description, License, Homepage string
	Keywords                                      []string
	Private                                       bool // publish = false
	Bins                                          []string
	Dependencies                                  []Dependency
	Dist                                          *Dist // nil if releases publish no npm package
}

// A Dist is how cargo-dist publishes programs of a workspace to npm.
type Dist struct {
	Scope   string // with its @, "" for none
	Package string // the package's name in place of the crate's, "" for the crate's
}

// ParseDist reads a dist-workspace.toml. It returns nil if no release is published to npm.
func ParseDist(b []byte) (*Dist, error) {
	o, err := untyped.TOML(b)
	if err != nil {
		return nil, err
	}
	return distOf(o.Object("dist")), nil
}

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

// ParseCargoTOML reads a Cargo.toml.
func ParseCargoTOML(b []byte) (*CargoTOML, error) {
	o, err := untyped.TOML(b)
	if err != nil {
		return nil, err
	}
	p := o.Object("package")
	inherited := o.Object("workspace").Object("package")
	c := &CargoTOML{
		Name: p.Text("name"), Version: cmp.Or(p.Text("version"), inherited.Text("version")),
		Description: p.Text("description"), Homepage: p.Text("homepage"), Keywords: p.Texts("keywords"),
		License: cmp.Or(p.Text("license"), inherited.Text("license")),
	}
	metadata := o.Object("workspace").Object("metadata")
	if metadata == nil {
		metadata = p.Object("metadata")
	}
	c.Dist = distOf(metadata.Object("dist"))
	publish, known := p.Bool("publish")
	c.Private = known && !publish
	for _, bin := range o.Objects("bin") {
		c.Bins = append(c.Bins, cmp.Or(bin.Text("name"), c.Name))
	}
	c.add(o.Object("dependencies"), false)
	c.add(o.Object("dev-dependencies"), true)
	c.add(o.Object("build-dependencies"), true)
	targets := o.Object("target")
	for _, k := range targets.Keys() {
		c.add(targets.Object(k).Object("dependencies"), false)
	}
	return c, nil
}

func (c *CargoTOML) add(table untyped.Object, dev bool) {
	for _, name := range table.Keys() {
		d := Dependency{Name: untyped.Short(name), Version: table.Text(name), Dev: dev}
		if t := table.Object(name); t != nil {
			d.Version = t.Text("version")
			d.Name = cmp.Or(t.Text("package"), d.Name)
		}
		c.Dependencies = append(c.Dependencies, d)
	}
}
