package git

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-git/go-git/v5/plumbing"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// SizeUnknown is the size of files in a listing: git does not send it without the content.
const SizeUnknown = -1

// A Tree is the listing of a commit.
type Tree struct {
	Commit Commit
	// Files are sorted by path. Their Size is SizeUnknown. Symbolic links and submodules have
	// their modes; they are not followed.
	Files []registry.File
	// Skipped is the number of entries that cannot be in a listing: names that are empty, too
	// long, not UTF-8, "." or "..", ".git", doubles, or entries of an unknown mode.
	Skipped int
	// Cut is why files are missing, "" if the listing is complete. It does not cover Skipped.
	Cut string
}

// Tree reads the listing of a commit, in one request. An incomplete listing is not an error.
func (r *Repository) Tree(ctx context.Context, commit string) (*Tree, error) {
	if !isID(commit) {
		return nil, &Error{Kind: Gone, Reason: "the commit's ID is invalid"}
	}
	got, err := r.fetch(ctx, fetch{wants: []string{commit}, depth: 1, filter: noBlobs})
	c, ok := got.commit(commit)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case !ok && err == nil:
		err = &Error{Kind: Corrupt, Reason: r.client.host.Name + " did not send the commit"}
		fallthrough
	case !ok:
		return nil, err
	}
	l := lister{got: &got, entries: r.client.lim.Entries, steps: r.client.lim.Objects}
	l.walk(c.Tree, "", 0)
	if err != nil {
		l.cut = Reason(err)
	}
	slices.SortFunc(l.files, func(a, b registry.File) int { return strings.Compare(a.Path, b.Path) })
	return &Tree{Commit: c, Files: l.files, Skipped: l.skipped, Cut: l.cut}, nil
}

// A treeEntry is an entry of a tree object.
type treeEntry struct{ mode, name, id string }

const modeTree = "040000"

// modes are the modes that git creates, or once created, by how they are written in trees.
var modes = map[string]string{
	"40000": modeTree, "040000": modeTree,
	"100644": "100644", "100664": "100644", "100755": "100755",
	"120000": "120000", "160000": "160000",
}

// parseTree returns the entries of a tree object. ok is false if it is invalid; the entries
// before the error are returned.
func parseTree(data []byte) (entries []treeEntry, ok bool) {
	for len(data) > 0 {
		mode, rest, found := bytes.Cut(data, []byte{' '})
		name, rest, named := bytes.Cut(rest, []byte{0})
		if !found || !named || len(rest) < 20 || len(mode) > 6 {
			return entries, false
		}
		id := hex.EncodeToString(rest[:20])
		entries = append(entries, treeEntry{modes[string(mode)], string(name), id})
		data = rest[20:]
	}
	return entries, true
}

// validName reports whether a name, or a path, can be stored and shown.
func validName(s string) bool {
	return s != "" && len(s) <= maxName && utf8.ValidString(s) && !strings.ContainsRune(s, 0)
}

// valid reports whether an entry can be in a listing.
func (e treeEntry) valid() bool {
	return e.mode != "" && validName(e.name) && e.name != "." && e.name != ".." &&
		!strings.EqualFold(e.name, ".git") && !strings.Contains(e.name, "/")
}

// A lister collects the files of a tree. A tree may contain the same subtree many times, so
// steps are limited, not only objects.
type lister struct {
	got     *fetched
	entries int // that may be added
	steps   int // trees and entries that may be visited, with those that are skipped
	bytes   int // of all paths
	files   []registry.File
	skipped int
	cut     string
}

// walk adds the files of a tree and its subtrees.
func (l *lister) walk(id, dir string, depth int) {
	data, found := l.got.data(id, plumbing.TreeObject)
	l.steps--
	switch {
	case l.steps < 0:
		l.cut = "it has too many files and folders"
		return
	case depth > maxDepth:
		l.cut = fmt.Sprintf("it has folders below %d others", maxDepth)
		return
	case !found:
		l.cut = "a folder was not sent"
		return
	}
	entries, ok := parseTree(data)
	if !ok {
		l.cut = "a folder is corrupt"
	}
	l.steps -= len(entries)
	seen := map[string]bool{}
	for _, e := range entries {
		p := path.Join(dir, e.name)
		if !e.valid() || seen[e.name] || len(p) > maxPath {
			l.skipped++
			continue
		}
		seen[e.name] = true
		if e.mode == modeTree {
			if l.walk(e.id, p, depth+1); l.entries < 0 {
				return
			}
			continue
		}
		if l.entries--; l.entries < 0 || l.bytes+len(p) > maxPathBytes {
			l.entries, l.cut = -1, "it has more than "+text.Count(len(l.files), "file")
			return
		}
		l.bytes += len(p)
		l.files = append(l.files, registry.File{Path: p, Size: SizeUnknown, OID: e.id, Mode: e.mode})
	}
}
