package git

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// A FolderHistory is the commits that changed a folder, as "git log -- FOLDER" lists them, the
// newest first.
type FolderHistory struct {
	Commits []Commit
	Older   bool   // the folder existed at the start of the history
	Cut     string // why commits are missing, "" if the history is complete
}

// Folders reads the history that leads to a commit since some time, and returns the commits that
// changed each folder. Folders are paths without slashes at their ends. It is for repositories
// with several servers, since all trees of the history are read.
func (r *Repository) Folders(
	ctx context.Context, commit string, since time.Time, folders []string,
) (map[string]FolderHistory, error) {
	h, err := r.readLog(ctx, commit, since, noBlobs)
	if err != nil {
		return nil, err
	}
	f := folderLog{commitLog: h, folders: folders, names: map[string]bool{},
		trees: map[string]map[string]string{}, ids: map[string][]string{}}
	for _, p := range folders {
		for name := range strings.SplitSeq(p, "/") {
			f.names[name] = true
		}
	}
	out := map[string]FolderHistory{}
	for i, folder := range folders {
		out[folder] = f.history(i)
	}
	return out, nil
}

// A folderLog finds the commits of folders in a history.
type folderLog struct {
	*commitLog
	folders []string
	names   map[string]bool              // in the paths of folders
	trees   map[string]map[string]string // IDs of the folders with names of each tree, by ID and name
	ids     map[string][]string          // of the folders, by the ID of the root; nil if unknown
}

// history returns the history of a folder. Of a merge that has the same folder as one of its
// parents, only that parent is followed, as in git.
func (f *folderLog) history(folder int) (h FolderHistory) {
	h.Cut = f.cut
	if len(f.known) == 0 { // the history has no commit
		h.Older = f.cut == ""
		return h
	}
	seen := map[string]bool{}
	todo := []string{f.head}
	for len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		c, ok := f.known[id]
		own, read := f.id(c, folder)
		switch {
		case seen[id]:
			continue
		case !ok || !read:
			h.Cut = cmp.Or(f.cut, "a commit or its folders were not sent")
			continue
		case !f.young(c):
			h.Older = h.Older || own != ""
			continue
		}
		seen[id] = true
		if same, ok := f.parentWith(c, folder, own); ok {
			todo = append(todo, same)
			continue
		}
		if len(c.Parents) > 0 || own != "" {
			c.Boundary = f.got.shallow[id]
			h.Commits = append(h.Commits, c)
		}
		todo = append(todo, c.Parents...)
	}
	slices.SortFunc(h.Commits, newestFirst)
	return h
}

// parentWith returns the first parent that has the same folder.
func (f *folderLog) parentWith(c Commit, folder int, id string) (string, bool) {
	for _, parent := range c.Parents {
		p, ok := f.known[parent]
		if !ok {
			continue
		}
		if other, read := f.id(p, folder); read && other == id {
			return parent, true
		}
	}
	return "", false
}

// id returns the object ID of a folder in a commit, "" if it is not there. ok is false if a tree
// on the way did not arrive.
func (f *folderLog) id(c Commit, folder int) (id string, ok bool) {
	ids, done := f.ids[c.Tree]
	if !done {
		ids = make([]string, 0, len(f.folders))
		for _, p := range f.folders {
			id, ok := f.lookUp(c.Tree, p)
			if !ok {
				ids = nil
				break
			}
			ids = append(ids, id)
		}
		f.ids[c.Tree] = ids
	}
	if ids == nil {
		return "", false
	}
	return ids[folder], true
}

// lookUp returns the object ID of a path below a tree.
func (f *folderLog) lookUp(root, p string) (id string, ok bool) {
	id = root
	for part := range strings.SplitSeq(p, "/") {
		below, parsed := f.trees[id]
		if !parsed {
			data, ok := f.got.data(id, plumbing.TreeObject)
			if !ok {
				return "", false
			}
			below = f.foldersIn(data)
			f.trees[id] = below
		}
		if id = below[part]; id == "" {
			return "", true
		}
	}
	return id, true
}

// foldersIn returns the IDs of the folders with names in a tree object, by name.
func (f *folderLog) foldersIn(data []byte) map[string]string {
	below := map[string]string{}
	entries, _ := parseTree(data) // those before an error
	for _, e := range entries {
		if e.mode == modeTree && f.names[e.name] && below[e.name] == "" {
			below[e.name] = e.id
		}
	}
	return below
}
