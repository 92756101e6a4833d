package manifest

import (
	"cmp"
	"strings"

	"mcpcensus/crawler/shell"
	"mcpcensus/crawler/untyped"
)

var ParsePackageJSON = parser(untyped.JSON, func(o untyped.Object) *Package {
	p := &Package{
		Name: o.Text("name"), Version: o.Text("version"), Description: o.Text("description"),
		License:  cmp.Or(o.Text("license"), o.Object("license").Text("type", "name")),
		Homepage: o.Text("homepage"), MCPName: o.Text("mcpName"), Deprecated: o.Text("deprecated"),
		Private: o.Flag("private"), Keywords: o.Texts("keywords"),
		Programs: o.TextMap("bin"), Scripts: o.TextMap("scripts"),
		Members: append(o.Texts("workspaces"), o.Object("workspaces").Texts("packages")...),
	}
	if ls := o.Objects("licenses"); p.License == "" && len(ls) > 0 {
		p.License = ls[0].Text("type", "name")
	}
	if s := o.Text("keywords"); s != "" {
		p.Keywords = strings.FieldsFunc(s, isSeparator)
	}
	if s := o.Text("bin"); s != "" {
		p.addProgram(p.Name[strings.LastIndexByte(p.Name, '/')+1:], s)
	}
	for _, key := range []string{"dependencies", "optionalDependencies", "peerDependencies", "devDependencies"} {
		p.add(o.Object(key), key == "devDependencies")
	}
	p.manageCatalogs(o)
	p.manageCatalogs(o.Object("workspaces"))
	p.Library = len(p.Programs) == 0 && !p.Private && o.Text("types", "typings") != ""
	return p
})

// ParsePNPMWorkspace reads the versions of a pnpm-workspace.yaml.
var ParsePNPMWorkspace = parser(untyped.YAML, func(o untyped.Object) *Package {
	p := &Package{}
	p.manageCatalogs(o)
	return p
})

// manageCatalogs adds the versions to which "catalog:" refers.
func (p *Package) manageCatalogs(o untyped.Object) {
	p.manage(o.Object("catalog"))
	named := o.Object("catalogs")
	for _, k := range named.Keys() {
		p.manage(named.Object(k))
	}
}

// ParseDenoJSON reads a deno.json, deno.jsonc or jsr.json, with its npm: and jsr: imports. Its name
// and version are those of a package of JSR.
var ParseDenoJSON = parser(untyped.JSON, func(o untyped.Object) *Package {
	d := &Package{Name: o.Text("name"), Version: o.Text("version"), License: o.Text("license"),
		Scripts: o.TextMap("tasks")}
	imports := o.Object("imports")
	for _, k := range imports.Keys() {
		kind, spec, _ := strings.Cut(imports.Text(k), ":")
		if kind == "npm" || kind == "jsr" {
			name, version := shell.SplitNPM(strings.TrimPrefix(spec, "/"))
			d.Dependencies = append(d.Dependencies, Dependency{Name: name, Version: version})
		}
	}
	return d
})
