package manifest

import "golang.org/x/mod/modfile"

// A GoMod is a Go module's manifest.
type GoMod struct {
	Module, Go string
	Require    []Dependency
}

// ParseGoMod reads a go.mod.
func ParseGoMod(b []byte) (g *GoMod, err error) {
	defer guard(&err)
	if b, err = text(b, MaxSize); err != nil {
		return nil, err
	}
	f, err := modfile.ParseLax("go.mod", b, nil)
	if err != nil {
		return nil, err
	}
	g = &GoMod{}
	if f.Module != nil {
		g.Module = short(f.Module.Mod.Path)
	}
	if f.Go != nil {
		g.Go = f.Go.Version
	}
	for _, r := range f.Require[:min(len(f.Require), maxList)] {
		g.Require = append(g.Require, Dependency{Name: short(r.Mod.Path), Version: r.Mod.Version, Indirect: r.Indirect})
	}
	return g, nil
}
