package manifest

import (
	"cmp"

	"mcpcensus/crawler/untyped"
)

// A CargoTOML is a Rust crate's or workspace's manifest.
type CargoTOML struct {
	Name, Version, Description, License, Homepage, RepositoryURL string
	Keywords                                                     []string
	Private                                                      bool // publish = false
	Bins                                                         []string
	Lib                                                          bool // a [lib] section
	Dependencies                                                 []Dependency
	Members                                                      []string // patterns of workspace members
	// WorkspaceDependencies are those that members may inherit.
	WorkspaceDependencies []Dependency
}

// ParseCargoTOML reads a Cargo.toml.
func ParseCargoTOML(b []byte) (*CargoTOML, error) {
	o, err := untyped.TOML(b)
	if err != nil {
		return nil, err
	}
	p := o.Object("package")
	ws := o.Object("workspace")
	wp := ws.Object("package")
	c := &CargoTOML{
		Name: p.Text("name"), Version: cmp.Or(p.Text("version"), wp.Text("version")), Description: p.Text("description"),
		License: cmp.Or(p.Text("license"), wp.Text("license")), Homepage: p.Text("homepage"),
		RepositoryURL: cmp.Or(p.Text("repository"), wp.Text("repository")), Keywords: p.Texts("keywords"),
		Lib: o["lib"] != nil, Members: ws.Texts("members"),
	}
	if v, ok := p["publish"].(bool); ok && !v {
		c.Private = true
	}
	for _, bin := range o.Objects("bin") {
		c.Bins = append(c.Bins, cmp.Or(bin.Text("name"), c.Name))
	}
	deps := func(m untyped.Object, dev bool) []Dependency {
		var out []Dependency
		for _, name := range m.Keys() {
			d := Dependency{Name: untyped.Short(name), Version: m.Text(name), Dev: dev}
			if t := m.Object(name); t != nil {
				d.Version = t.Text("version")
				d.Name = cmp.Or(t.Text("package"), d.Name)
			}
			out = append(out, d)
		}
		return out
	}
	c.Dependencies = append(deps(o.Object("dependencies"), false), deps(o.Object("dev-dependencies"), true)...)
	c.Dependencies = append(c.Dependencies, deps(o.Object("build-dependencies"), true)...)
	targets := o.Object("target")
	for _, k := range targets.Keys() {
		c.Dependencies = append(c.Dependencies, deps(targets.Object(k).Object("dependencies"), false)...)
	}
	c.WorkspaceDependencies = deps(ws.Object("dependencies"), false)
	return c, nil
}
