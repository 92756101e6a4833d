package manifest

import (
	"cmp"

	"mcpcensus/crawler/untyped"
)

// A CargoTOML is a Rust crate's or workspace's manifest.
type CargoTOML struct {
	Name, Version, Description, License, Homepage string
	Keywords                                      []string
	Private                                       bool // publish = false
	Bins                                          []string
	Dependencies                                  []Dependency
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
