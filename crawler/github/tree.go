package github

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"mcpcensus/crawler"
	"mcpcensus/internal/registry"
)

const (
	treeDepth = 8 // folders below the root that one query lists
	// maxEntries is the number of files of a repository that are stored.
	maxEntries = 50_000
	// batchEntries is the approximate maximum number of entries in one query. GitHub looks up
	// each of them.
	batchEntries = 600
)

// treeSelection is the nested selection that lists a tree to treeDepth.
var treeSelection = func() string {
	const fields = "entries { name type mode size oid"
	var b strings.Builder
	for range treeDepth {
		b.WriteString(" object { ... on Tree { " + fields)
	}
	return "... on Tree { " + fields + b.String() + strings.Repeat(" } } }", treeDepth) + " } }"
}()

type treeEntry struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Mode   int    `json:"mode"`
	Size   int64  `json:"size"`
	OID    string `json:"oid"`
	Object *struct {
		Entries *[]treeEntry `json:"entries"`
	} `json:"object"`
}

// sameTree reports whether the stored snapshot is complete and has the same files.
func (t *target) sameTree() bool {
	s := t.work.Stored
	return s != nil && !t.work.Forced && s.Files != nil && s.Repo.TreeID != "" &&
		s.Repo.TreeID == t.repo.TreeID && s.Failures["tree"] == "" && s.Failures["texts"] == ""
}

// outdated reports whether the files of a stored snapshot were selected by older rules.
func outdated(s *registry.Snapshot) bool { return s.Selection < crawler.Selection }

// listings reads the file listings of repositories whose files may have changed. Errors end the
// visit.
func (v *visitor) listings(ctx context.Context, list []*target) error {
	byGraphQL, byREST := v.divide(list)
	for _, t := range byREST {
		if err := v.g.listByREST(ctx, v.g.connection, t); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			byGraphQL = append(byGraphQL, t)
		}
	}
	incomplete, err := v.listByGraphQL(ctx, byGraphQL)
	if err != nil {
		return err
	}
	for _, t := range incomplete {
		if t.listedByREST {
			continue
		}
		if err := v.g.listByREST(ctx, v.g.connection, t); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			t.failTree(err)
		}
	}
	return nil
}

// divide returns the repositories whose listing must be read by GraphQL and by REST. For the
// others it copies the stored listing.
func (v *visitor) divide(list []*target) (byGraphQL, byREST []*target) {
	for _, t := range list {
		switch {
		case t.repo.Empty || t.repo.Commit == "":
			t.snap.Files = []registry.File{}
		case t.sameTree():
			t.snap.Files, t.snap.FilesTruncated = t.work.Stored.Files, t.work.Stored.FilesTruncated
			t.listed = outdated(t.work.Stored)
			t.snap.TextsStored = !t.listed
		case v.listsByREST(t):
			byREST = append(byREST, t)
		default:
			byGraphQL = append(byGraphQL, t)
		}
	}
	return byGraphQL, byREST
}

// listByGraphQL reads listings and returns the repositories whose listing is incomplete. Batches
// are limited by the number of expected files.
func (v *visitor) listByGraphQL(
	ctx context.Context, list []*target,
) (incomplete []*target, err error) {
	for len(list) > 0 {
		n, sum := 0, 0
		for n < len(list) && (n == 0 || sum+list[n].expectedEntries() <= batchEntries) {
			sum += list[n].expectedEntries()
			n++
		}
		err := inBatches(ctx, v.g, v.g.trees, list[:n], func(batch []*target) ([]*target, error) {
			retry, deep, err := v.listBatch(ctx, batch)
			incomplete = append(incomplete, deep...)
			return retry, err
		}, func(t *target, err error) { incomplete = append(incomplete, t) })
		if err != nil {
			return nil, err
		}
		list = list[n:]
	}
	return incomplete, nil
}

// failTree records why the listing, or the rest of it, could not be read.
func (t *target) failTree(err error) {
	stored := t.work.Stored
	switch {
	case t.snap.Files == nil:
		t.fail("tree", "the listing could not be read: "+reasonOf(err))
	case stored != nil && !stored.FilesTruncated:
		t.fail("tree", "the listing could only be read in part: "+reasonOf(err))
	}
}

// listsByREST reports whether to read a listing by REST, which returns all of it in one request.
// A known repository gets at most one REST request per visit: if its contributors are due, or the
// REST limits are reached, the listing is read by GraphQL.
func (v *visitor) listsByREST(t *target) bool {
	if t.expectedEntries() > batchEntries {
		return true
	}
	if t.work.Stored != nil && !t.work.Forced && t.contributorsDue(v.g.opt.Now()) {
		return false
	}
	return v.g.api.Free(coreLimit)
}

// expectedEntries estimates how many entries a listing has.
func (t *target) expectedEntries() int {
	if s := t.work.Stored; s != nil && len(s.Files) > 0 {
		if s.FilesTruncated {
			return batchEntries
		}
		return len(s.Files) + len(s.Files)/3
	}
	return 150
}

// listBatch lists up to 20 repositories at their commits. It returns those to retry and those
// with folders deeper than the query reaches.
func (v *visitor) listBatch(
	ctx context.Context, batch []*target,
) (retry, deep []*target, err error) {
	q := newQuery("Tree")
	for i, t := range batch {
		q.param(fmt.Sprintf("i%d", i), "ID!", t.repo.NodeID)
		q.field("  r%d: node(id: $i%d) { ... on Repository { id ", i, i)
		q.field("object(expression: %q) { __typename ...T } } }\n", t.repo.Commit+":")
	}
	r, err := q.send(ctx, v.g, "fragment T on GitObject { "+treeSelection+" }\n")
	if err != nil {
		return nil, nil, err
	}
	items, err := r.aliases(len(batch))
	if err != nil {
		return nil, nil, err
	}
	for i, t := range batch {
		if items[i].limited() {
			retry = append(retry, t)
		} else if !t.list(items[i].raw) {
			deep = append(deep, t) // REST returns the reason
		}
	}
	return retry, deep, nil
}

// list stores the listing of a response. It reports whether it is complete.
func (t *target) list(raw json.RawMessage) bool {
	var node struct {
		ID     string
		Object *struct{ Entries *[]treeEntry }
	}
	err := json.Unmarshal(raw, &node)
	if err != nil || node.Object == nil || node.Object.Entries == nil || node.ID != t.repo.NodeID {
		return false
	}
	files, complete := flatten(*node.Object.Entries)
	t.snap.Files, t.listed = files, true
	if !complete {
		t.snap.FilesTruncated = true
	}
	return complete
}

// flatten returns nested entries as files sorted by path. complete is false if a folder was not
// listed or there are too many files.
func flatten(entries []treeEntry) (files []registry.File, complete bool) {
	files, complete = []registry.File{}, true
	var walk func(prefix string, entries []treeEntry)
	walk = func(prefix string, entries []treeEntry) {
		for _, e := range entries {
			if !validPathPart(e.Name) {
				continue
			}
			p := prefix + e.Name
			switch {
			case e.Type == "tree":
				if e.Object == nil || e.Object.Entries == nil {
					complete = false
					continue
				}
				walk(p+"/", *e.Object.Entries)
			case len(files) >= maxEntries:
				complete = false
			default:
				files = append(files, file(p, e.Size, e.OID, fmt.Sprintf("%06o", e.Mode), e.Type))
			}
		}
	}
	walk("", entries)
	sortFiles(files)
	return files, complete
}

func file(p string, size int64, oid, mode, kind string) registry.File {
	if !isOID(oid) {
		oid = ""
	}
	if kind == "commit" {
		mode = crawler.ModeSubmodule
	}
	return registry.File{Path: p, Size: max(0, size), OID: oid, Mode: mode}
}

func sortFiles(files []registry.File) {
	slices.SortFunc(files, func(a, b registry.File) int { return strings.Compare(a.Path, b.Path) })
}

// validPathPart reports whether a name is valid in git and can be stored.
func validPathPart(s string) bool {
	return s != "" && s != "." && s != ".." && len(s) <= 255 && !strings.ContainsAny(s, "/\x00") &&
		utf8.ValidString(s)
}

// listByREST reads a listing of any depth in one request.
func (g *Client) listByREST(ctx context.Context, c connection, t *target) error {
	if err := c.api.Ready(coreLimit); err != nil {
		return err
	}
	if !validName(t.repo.Owner, t.repo.Name) {
		return errInvalidName
	}
	sha := t.repo.Commit
	if sha == "" {
		sha = "HEAD"
	}
	tree, _, err := c.rest.Git.GetTree(ctx, t.repo.Owner, t.repo.Name, sha, true)
	if err != nil {
		return err
	}
	files := []registry.File{}
	truncated := tree.GetTruncated()
	for _, e := range tree.Entries {
		p := e.GetPath()
		if e.GetType() == "tree" || !validPath(p) {
			continue
		}
		if len(files) >= maxEntries {
			truncated = true
			break
		}
		files = append(files, file(p, int64(e.GetSize()), e.GetSHA(), e.GetMode(), e.GetType()))
	}
	sortFiles(files)
	t.snap.Files, t.snap.FilesTruncated, t.listed = files, truncated, true
	t.listedByREST = true
	return nil
}

func validPath(p string) bool {
	if p == "" || len(p) > 4096 || path.Clean(p) != p {
		return false
	}
	for part := range strings.SplitSeq(p, "/") {
		if !validPathPart(part) {
			return false
		}
	}
	return true
}
