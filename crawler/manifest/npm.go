package manifest

import (
	"strings"

	"mcpcensus/crawler/untyped"
)

// A PackageJSON is an npm package's manifest.
type PackageJSON struct {
	Name, Version, Description, License, Homepage string
	RepositoryURL, RepositoryDirectory            string
	MCPName                                       string // the package's name in the official MCP registry
	Main                                          string
	Private                                       bool
	Keywords                                      []string
	Bin                                           map[string]string // command to path
	Scripts                                       map[string]string
	Exports                                       bool // it can be imported
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
		Main: o.Text("main", "module"), Private: o.Flag("private"), Keywords: o.Texts("keywords"),
		Scripts: o.TextMap("scripts"), RepositoryURL: o.Text("repository"),
		Exports: o["exports"] != nil || o["types"] != nil,
	}
	if r := o.Object("repository"); r != nil {
		p.RepositoryURL, p.RepositoryDirectory = r.Text("url"), r.Text("directory")
	}
	if l := o.Object("license"); l != nil {
		p.License = l.Text("type", "name")
	} else if ls := o.Objects("licenses"); p.License == "" && len(ls) > 0 {
		p.License = ls[0].Text("type", "name")
	}
	if s := o.Text("keywords"); s != "" {
		p.Keywords = strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
	}
	p.Bin = o.TextMap("bin")
	if s := o.Text("bin"); s != "" {
		p.Bin = map[string]string{p.Name[strings.LastIndexByte(p.Name, '/')+1:]: s}
	}
	for _, t := range []struct {
		key       string
		dev, peer bool
	}{{"dependencies", false, false}, {"optionalDependencies", false, false}, {"peerDependencies", false, true}, {"devDependencies", true, false}} {
		m := o.Object(t.key)
		for _, name := range m.Keys() {
			p.Dependencies = append(p.Dependencies, Dependency{Name: untyped.Short(name), Version: m.Text(name), Dev: t.dev, Peer: t.peer})
		}
	}
	p.Workspaces = o.Texts("workspaces")
	if w := o.Object("workspaces"); w != nil {
		p.Workspaces = w.Texts("packages")
	}
	return p, nil
}

// A DenoJSON is a Deno configuration.
type DenoJSON struct {
	Name, Version, License string
	Tasks                  map[string]string
	Exports                bool
	Dependencies           []Dependency // of npm: and jsr: imports
}

// ParseDenoJSON reads a deno.json or deno.jsonc.
func ParseDenoJSON(b []byte) (*DenoJSON, error) {
	o, err := untyped.JSON(b)
	if err != nil {
		return nil, err
	}
	d := &DenoJSON{Name: o.Text("name"), Version: o.Text("version"), License: o.Text("license"), Tasks: o.TextMap("tasks"), Exports: o["exports"] != nil}
	imports := o.Object("imports")
	for _, k := range imports.Keys() {
		spec := imports.Text(k)
		rest, ok := strings.CutPrefix(spec, "npm:")
		if !ok {
			if rest, ok = strings.CutPrefix(spec, "jsr:"); !ok {
				continue
			}
		}
		name, version := SplitNPM(strings.TrimPrefix(rest, "/"))
		d.Dependencies = append(d.Dependencies, Dependency{Name: name, Version: version})
	}
	return d, nil
}

// SplitNPM splits name@version, where a name may begin with "@", and drops a
// path inside the package.
func SplitNPM(spec string) (name, version string) {
	at := strings.IndexByte(spec, '@')
	if at == 0 {
		if at = strings.IndexByte(spec[1:], '@'); at >= 0 {
			at++
		}
	}
	name = spec
	if at > 0 {
		name, version = spec[:at], spec[at+1:]
	}
	if i := strings.IndexByte(version, '/'); i >= 0 {
		version = version[:i]
	}
	parts := strings.SplitN(name, "/", 3)
	if strings.HasPrefix(name, "@") && len(parts) > 2 {
		name = parts[0] + "/" + parts[1]
	} else if !strings.HasPrefix(name, "@") && len(parts) > 1 && version == "" {
		name = parts[0]
	}
	return untyped.Short(name), untyped.Short(version)
}
