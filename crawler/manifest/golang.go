package manifest

import (
	"golang.org/x/mod/modfile"

	"mcpcensus/crawler/untyped"
)

// A GoMod is a Go module's manifest.
type GoMod struct {
	Module  string
	Require []Dependency
}

// ParseGoMod reads a go.mod.
func ParseGoMod(b []byte) (g *GoMod, err error) {
	defer untyped.Guard(&err)
	if b, err = untyped.Text(b, untyped.MaxSize); err != nil {
		return nil, err
	}
	f, err := modfile.ParseLax("go.mod", b, nil)
	if err != nil {
		return nil, err
	}
	g = &GoMod{}
	if f.Module != nil {
		g.Module = untyped.Short(f.Module.Mod.Path)
	}
	for _, r := range f.Require[:min(len(f.Require), untyped.MaxList)] {
		d := Dependency{Name: untyped.Short(r.Mod.Path), Version: r.Mod.Version, Indirect: r.Indirect}
		g.Require = append(g.Require, d)
	}
	return g, nil
}
