package manifest

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
	o, err := decodeTOML(b)
	if err != nil {
		return nil, err
	}
	p := o.obj("package")
	ws := o.obj("workspace")
	wp := ws.obj("package")
	c := &CargoTOML{
		Name: p.str("name"), Version: first(p.str("version"), wp.str("version")), Description: p.str("description"),
		License: first(p.str("license"), wp.str("license")), Homepage: p.str("homepage"),
		RepositoryURL: first(p.str("repository"), wp.str("repository")), Keywords: p.strs("keywords"),
		Lib: o["lib"] != nil, Members: ws.strs("members"),
	}
	if v, ok := p["publish"].(bool); ok && !v {
		c.Private = true
	}
	for _, bin := range o.objs("bin") {
		c.Bins = append(c.Bins, first(bin.str("name"), c.Name))
	}
	deps := func(m object, dev bool) []Dependency {
		var out []Dependency
		for _, name := range m.keys() {
			d := Dependency{Name: short(name), Version: m.str(name), Dev: dev}
			if t := m.obj(name); t != nil {
				d.Version = t.str("version")
				d.Name = first(t.str("package"), d.Name)
			}
			out = append(out, d)
		}
		return out
	}
	c.Dependencies = append(deps(o.obj("dependencies"), false), deps(o.obj("dev-dependencies"), true)...)
	c.Dependencies = append(c.Dependencies, deps(o.obj("build-dependencies"), true)...)
	targets := o.obj("target")
	for _, k := range targets.keys() {
		c.Dependencies = append(c.Dependencies, deps(targets.obj(k).obj("dependencies"), false)...)
	}
	c.WorkspaceDependencies = deps(ws.obj("dependencies"), false)
	return c, nil
}
