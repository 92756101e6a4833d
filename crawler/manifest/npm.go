package manifest

import (
	"strings"

	"mcpcensus/crawler/untyped"
)

// A PackageJSON is an npm package's manifest.
type PackageJSON struct {
	Name, Version, Description, License, Homepage string
	MCPName                                       string // the package's name in the official MCP registry
	Private                                       bool
	Keywords                                      []string
	Bin                                           map[string]string // command to path
	Scripts                                       map[string]string
	Dependencies                                  []Dependency
	Workspaces                                    []string // patterns of members' folders
}

// ParsePackageJSON reads a package.json.
func ParsePackageJSON(b []byte) (*PackageJSON, error) {
	o, err := untyped.JSON(b)
	if err != nil {
		return nil, err
	}
	p := &PackageJSON{
		Name: o.Text("name"), Version: o.Text("version"), Description: o.Text("description"),
		License: o.Text("license"), Homepage: o.Text("homepage"), MCPName: o.Text("mcpName"),
		Private: o.Flag("private"), Keywords: o.Texts("keywords"),
		Bin: o.TextMap("bin"), Scripts: o.TextMap("scripts"), Workspaces: o.Texts("workspaces"),
	}
	if l := o.Object("license"); l != nil {
		p.License = l.Text("type", "name")
	} else if ls := o.Objects("licenses"); p.License == "" && len(ls) > 0 {
		p.License = ls[0].Text("type", "name")
	}
	if s := o.Text("keywords"); s != "" {
		p.Keywords = strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
	}
	if s := o.Text("bin"); s != "" {
		p.Bin = map[string]string{p.Name[strings.LastIndexByte(p.Name, '/')+1:]: s}
	}
	if w := o.Object("workspaces"); w != nil {
		p.Workspaces = w.Texts("packages")
	}
	for _, key := range []string{"dependencies", "optionalDependencies", "peerDependencies", "devDependencies"} {
		p.Dependencies = append(p.Dependencies, dependencyTable(o.Object(key), key == "devDependencies")...)
	}
	return p, nil
}

// dependencyTable returns the dependencies in a table of constraints by name.
func dependencyTable(table untyped.Object, dev bool) (out []Dependency) {
	for _, name := range table.Keys() {
		out = append(out, Dependency{Name: untyped.Short(name), Version: table.Text(name), Dev: dev})
	}
	return out
}

// A DenoJSON is a Deno configuration.
type DenoJSON struct {
	License      string
	Tasks        map[string]string
	Dependencies []Dependency // of npm: and jsr: imports
}

// ParseDenoJSON reads a deno.json or deno.jsonc.
func ParseDenoJSON(b []byte) (*DenoJSON, error) {
	o, err := untyped.JSON(b)
	if err != nil {
		return nil, err
	}
	d := &DenoJSON{License: o.Text("license"), Tasks: o.TextMap("tasks")}
	imports := o.Object("imports")
	for _, k := range imports.Keys() {
		kind, spec, _ := strings.Cut(imports.Text(k), ":")
		if kind == "npm" || kind == "jsr" {
			name, version := splitNPM(strings.TrimPrefix(spec, "/"))
			d.Dependencies = append(d.Dependencies, Dependency{Name: name, Version: version})
		}
	}
	return d, nil
}

// splitNPM splits name@version, where a name may begin with "@", and drops a
// path inside the package.
func splitNPM(spec string) (name, version string) {
	scope, rest := "", spec
	if strings.HasPrefix(spec, "@") {
		before, after, found := strings.Cut(spec, "/")
		if !found {
			return untyped.Short(spec), ""
		}
		scope, rest = before+"/", after
	}
	name, version, _ = strings.Cut(rest, "@")
	name, _, _ = strings.Cut(name, "/")
	version, _, _ = strings.Cut(version, "/")
	return untyped.Short(scope + name), untyped.Short(version)
}
