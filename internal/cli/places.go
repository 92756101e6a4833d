package cli

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mcpcensus/internal/clientfile"
	"mcpcensus/internal/install"
)

// A place is where a client has its configuration.
type place struct{ install.Place }

func (p place) format() clientfile.Format { return clientfile.Format(p.Kind) }

// placeOf returns the place of a client with an ID or a shown name, in any case.
func placeOf(client string) (place, error) {
	all := install.Places()
	i := slices.IndexFunc(all, func(p install.Place) bool {
		return strings.EqualFold(p.Client, client) || strings.EqualFold(p.Name, client)
	})
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

// Where a client's entries apply.
const (
	userScope    = "user"
	projectScope = "project"
	localScope   = "local" // one folder, in a file of the user
)

func (c *call) setScope() error {
	var given []string
	if c.scope != "" {
		given = append(given, c.scope)
	}
	if c.user {
		given = append(given, userScope)
	}
	if c.project {
		given = append(given, projectScope)
	}
	switch given = slices.Compact(given); {
	case len(given) == 0:
		return nil
	case len(given) > 1:
		return usagef("--user, --project and --scope exclude each other")
	case !slices.Contains([]string{userScope, projectScope, localScope}, given[0]):
		return usagef("--scope must be user, project or local, got %q", given[0])
	}
	c.scope = given[0]
	return nil
}

// folder returns the folder of the local scope, "" in others.
func (c *call) folder() string {
	if c.scope != localScope {
		return ""
	}
	if path, err := filepath.Abs(c.Dir); err == nil {
		return path
	}
	return c.Dir
}

// foldersOf returns the entries of the local scope by folder.
func (p place) foldersOf(text []byte) (map[string]map[string]any, error) {
	if p.Folders == "" {
		return nil, nil
	}
	folders, err := clientfile.Entries(p.format(), text, p.Folders)
	if err != nil {
		return nil, err
	}
	all := map[string]map[string]any{}
	for folder, value := range folders {
		members, _ := value.(map[string]any)
		if entries, ok := members[p.Section].(map[string]any); ok {
			all[folder] = entries
		}
	}
	return all, nil
}

// entries returns the entries of a file, or those of a folder in it.
func (p place) entries(folder string, text []byte) (map[string]any, error) {
	if folder == "" {
		return clientfile.Entries(p.format(), text, p.Section)
	}
	all, err := p.foldersOf(text)
	return all[folder], err
}

// entries returns the entries of the file, none if it cannot be read: changing it fails then.
func (t target) entries() map[string]any {
	all, _ := t.place.entries(t.folder, t.file.Text)
	return all
}

// errNoFolder reports that a client has no entry for a folder yet. Only the client can create it.
var errNoFolder = errors.New("the file does not know this folder: start the client here once")

// within changes a file, or the object of a folder in it.
func (p place) within(folder string, text []byte, change func([]byte) ([]byte, error)) ([]byte, error) {
	if folder == "" {
		return change(text)
	}
	after, err := clientfile.Within(text, []string{p.Folders, folder}, change)
	if errors.Is(err, clientfile.ErrNoMember) {
		return nil, &ExitError{exitFile, fmt.Errorf("%w (%s)", errNoFolder, folder)}
	}
	return after, err
}

// put returns a file with the entry of doc, in the section of a folder unless that is "".
func (p place) put(folder string, text []byte, doc string) ([]byte, error) {
	return p.within(folder, text, func(text []byte) ([]byte, error) {
		return clientfile.Put(p.format(), text, p.Section, doc)
	})
}

// edit returns a file with changes to an entry, and elements added to lists of the file.
func (p place) edit(
	folder string, text []byte, name string, changes []clientfile.Change, lists string,
) ([]byte, error) {
	return p.within(folder, text, func(text []byte) ([]byte, error) {
		return clientfile.Edit(p.format(), text, p.Section, name, changes, lists)
	})
}

// remove returns a file without an entry, and false if it has no such entry.
func (p place) remove(folder string, text []byte, name string) (after []byte, ok bool, err error) {
	after, err = p.within(folder, text, func(text []byte) (after []byte, err error) {
		after, ok, err = clientfile.Remove(p.format(), text, p.Section, name)
		return after, err
	})
	return after, ok, err
}
