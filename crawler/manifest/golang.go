package manifest

import (
	"golang.org/x/mod/modfile"

	"mcpcensus/crawler/untyped"
)

func ParseGoMod(b []byte) (g *Package, err error) {
	defer untyped.Guard(&err)
	text, err := plainText(b)
	if err != nil {
		return nil, err
	}
	f, err := modfile.ParseLax("go.mod", []byte(text), nil)
	if err != nil {
		return nil, err
	}
	g = &Package{}
	if f.Module != nil {
		g.Name = untyped.Short(f.Module.Mod.Path)
	}
	for _, r := range bounded(f.Require) {
		d := Dependency{Name: untyped.Short(r.Mod.Path), Version: r.Mod.Version, Indirect: r.Indirect}
		g.Dependencies = append(g.Dependencies, d)
	}
	return g, nil
}
