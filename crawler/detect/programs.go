package detect

import (
	"maps"
	"path"
	"slices"
	"strings"

	"mcpcensus/internal/registry"
)

// programs returns the programs in a package of the unit, with their files or entry points.
func (c *candidate) programs(p *registry.Package) map[string]string {
	out := map[string]string{}
	if !c.unit.named(p.RegistryType, p.Identifier) {
		return out
	}
	for kind, m := range c.unit.packages() {
		if kind == p.RegistryType && (kind == "npm" || kind == "pypi") {
			for name, file := range m.Programs {
				out[name] = path.Clean(file)
			}
		}
	}
	return out
}

// hasNoProgram reports whether the manifest of a package for npm or PyPI declares no program.
func (c *candidate) hasNoProgram(p *registry.Package) bool {
	if p.RegistryType != "npm" && p.RegistryType != "pypi" || len(c.programs(p)) > 0 {
		return false
	}
	for kind, m := range c.unit.packages() {
		if m.Name != "" && PackageMark(kind, m.Name) == PackageMark(p.RegistryType, p.Identifier) {
			return true
		}
	}
	return false
}

// byPackage returns the program that the runner of a package starts by the name of the package, ""
// if there is none. npx starts the only program, which may have several names, or else the one
// named like the package without its scope; uvx the one named like the package.
func byPackage(p *registry.Package, programs map[string]string) string {
	names := slices.Sorted(maps.Keys(programs))
	other := func(name string) bool { return programs[name] != programs[names[0]] }
	if p.RegistryType == "npm" && len(names) > 0 && !slices.ContainsFunc(names, other) {
		return names[0]
	}
	name := p.Identifier
	if p.RegistryType == "npm" {
		name = path.Base(name)
	}
	if _, ok := programs[name]; ok {
		return name
	}
	return ""
}

// script returns the program to start in a package, "" for the one that its runner starts by the
// name of the package. ok is false if that is none, and it is not known which one is the server.
func (c *candidate) script(p *registry.Package) (name string, ok bool) {
	all := c.programs(p)
	usual, server := byPackage(p, all), c.serving(all)
	switch {
	case len(all) == 0, usual != "" && (server == "" || all[usual] == all[server] || hasMCP(usual)):
		return "", true
	case len(all) == 1:
		return slices.Collect(maps.Keys(all))[0], true
	}
	return server, server != ""
}

// serving returns the program that serves MCP: the only one whose source uses the server's side
// of an SDK, else the only one that imports code that does, else the only one with the protocol in
// its name; "" if there are none or several.
func (c *candidate) serving(programs map[string]string) string {
	for _, serves := range []func(name string) bool{
		func(name string) bool {
			p := c.sourceOf(programs[name])
			return p != "" && c.repo.sidesAt(p).serves()
		},
		func(name string) bool {
			p := c.sourceOf(programs[name])
			return p != "" && len(programs) > 1 && c.repo.reachesServer([]string{p})
		}, hasMCP,
	} {
		names := map[string]string{} // by file
		for _, name := range slices.Sorted(maps.Keys(programs)) {
			if _, known := names[programs[name]]; serves(name) && !known {
				names[programs[name]] = name
			}
		}
		if len(names) == 1 {
			return slices.Collect(maps.Values(names))[0]
		}
	}
	return ""
}

// sourceOf returns the source that was read of a program's file or entry point, "dist/a.js" or
// "a.b:main", "" for none.
func (c *candidate) sourceOf(file string) string {
	stem, _, entry := strings.Cut(file, ":")
	if entry {
		stem = strings.ReplaceAll(stem, ".", "/")
	} else {
		stem = strings.TrimSuffix(stem, path.Ext(stem))
	}
	if at := builtFolder.FindStringIndex(stem); at != nil {
		stem = stem[at[1]:]
	}
	sources := []string{stem, "src/" + stem, stem + "/__init__", "src/" + stem + "/__init__"}
	for _, p := range slices.Sorted(maps.Keys(c.repo.snap.Texts)) {
		own, below := strings.CutPrefix(strings.TrimSuffix(p, path.Ext(p)), prefix(c.unit.dir))
		if below && slices.Contains(sources, own) && sidesLanguage(p) != "" {
			return p
		}
	}
	return ""
}
