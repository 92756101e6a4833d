package cli

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"mcpcensus/internal/clientfile"
	"mcpcensus/internal/install"
)

// A place is where a client has its configuration.
type place struct{ install.Place }

func (p place) format() clientfile.Format { return clientfile.Format(p.Kind) }

// placeOf returns the place of a client.
func placeOf(client string) (place, error) {
	all := install.Places()
	i := slices.IndexFunc(all, func(p install.Place) bool { return p.Client == client })
	if i < 0 {
		var known []string
		for _, p := range all {
			known = append(known, p.Client)
		}
		return place{}, usagef("there is no client %q; clients are %s", client, strings.Join(known, ", "))
	}
	return place{all[i]}, nil
}

// userFiles returns the paths of the user's files of a place.
func (p *Program) userFiles(at install.Place) []string {
	if p.OS == "windows" && at.Windows != "" {
		return []string{at.Windows}
	}
	return at.User
}

// path returns the file of a path of a place.
func (p *Program) path(name string) string {
	folder := cmp.Or(p.Getenv("XDG_CONFIG_HOME"), filepath.Join(p.Home, ".config"))
	switch p.OS {
	case "darwin":
		folder = filepath.Join(p.Home, "Library", "Application Support")
	case "windows":
		folder = cmp.Or(p.Getenv("APPDATA"), filepath.Join(p.Home, "AppData", "Roaming"))
	}
	if rest, ok := strings.CutPrefix(name, "~/.codex/"); ok && p.Getenv("CODEX_HOME") != "" {
		return filepath.Join(p.Getenv("CODEX_HOME"), rest)
	}
	for start, at := range map[string]string{"~/": p.Home, install.Config: folder} {
		if rest, ok := strings.CutPrefix(name, start); ok {
			return filepath.Join(at, filepath.FromSlash(rest))
		}
	}
	return filepath.Join(p.Dir, filepath.FromSlash(name))
}
