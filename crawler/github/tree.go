package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	gh "github.com/google/go-github/v66/github"

	"mcpcensus/crawler"
	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

const (
	treeDepth = 8 // folders below the root that one query lists
	// maxEntries is how many files of a repository are kept.
	maxEntries = 50_000
	// batchEntries is about how many entries one query may list: GitHub looks
	// every one of them up.
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

// needsTexts reports whether the files must be read again: always unless they
// are to the byte those of a stored snapshot that was read in full.
func (t *target) needsTexts() bool {
	s := t.work.Stored
	if t.repo.Empty || t.repo.Commit == "" {
		return false
	}
	if s == nil || t.work.Forced || s.Files == nil || s.Repo.TreeID == "" || s.Repo.TreeID != t.repo.TreeID {
		return true
	}
	return s.Failures["tree"] != "" || s.Failures["texts"] != ""
}

// listings reads the file listings of those whose files may have changed. It
// fails only with an error that ends the visit.
func (v *visiting) listings(ctx context.Context, list []*target) error {
	var wanted, huge []*target
	for _, t := range list {
		switch {
		case t.repo.Empty || t.repo.Commit == "":
			t.snap.Files = []registry.File{}
		case !t.needsTexts():
			t.snap.Files, t.snap.FilesTruncated = t.work.Stored.Files, t.work.Stored.FilesTruncated
			t.snap.TextsKept = true
		case v.listsByREST(t):
			huge = append(huge, t)
		default:
			wanted = append(wanted, t)
		}
	}
	for _, t := range huge {
		if err := v.g.listByREST(ctx, v.g.api, v.g.rest, t); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			wanted = append(wanted, t) // GraphQL may do better
		}
	}
	huge = nil
	// Those with few files go together, so that one query never lists too many.
	for len(wanted) > 0 {
		n, sum := 0, 0
		for n < len(wanted) && (n == 0 || sum+wanted[n].expectedEntries() <= batchEntries) {
			sum += wanted[n].expectedEntries()
			n++
		}
		err := inBatches(ctx, v.g, v.g.trees, wanted[:n], func(batch []*target) ([]*target, error) {
			again, deep, err := v.listBatch(ctx, batch)
			huge = append(huge, deep...)
			return again, err
		}, func(t *target, err error) { huge = append(huge, t) })
		if err != nil {
			return err
		}
		wanted = wanted[n:]
	}
	for _, t := range huge {
		if t.listedByREST {
			continue
		}
		if err := v.g.listByREST(ctx, v.g.api, v.g.rest, t); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if stored := t.work.Stored; t.snap.Files == nil {
				t.fail("tree", "the listing could not be read: "+reasonOf(err))
			} else if stored != nil && !stored.FilesTruncated {
				t.fail("tree", "the listing could not be read to its end: "+reasonOf(err))
			}
		}
	}
	return nil
}

// listsByREST reports whether a listing is to be read by REST, which gives it
// whole in one request. The one REST request that a known repository may cost
// goes to its contributors when their turn has come; then, and while REST's
// pace or budget leaves no room, the listing comes by GraphQL.
func (v *visiting) listsByREST(t *target) bool {
	if t.expectedEntries() > batchEntries {
		return true
	}
	if t.work.Stored != nil && !t.work.Forced && t.contributorsDue(v.g.opt.Now()) {
		return false
	}
	return v.g.api.Free(coreLimit)
}

// expectedEntries guesses how many entries a listing has.
func (t *target) expectedEntries() int {
	if s := t.work.Stored; s != nil && len(s.Files) > 0 {
		if s.FilesTruncated {
			return batchEntries
		}
		return len(s.Files) + len(s.Files)/3
	}
	return 150
}

// listBatch lists up to 20 repositories at their commits. It returns those to
// ask again and those with folders deeper than the query goes.
func (v *visiting) listBatch(ctx context.Context, batch []*target) (again, deep []*target, err error) {
	var head, body strings.Builder
	head.WriteString("query Tree(")
	vars := map[string]any{}
	for i, t := range batch {
		if i > 0 {
			head.WriteString(", ")
		}
		fmt.Fprintf(&head, "$i%d: ID!", i)
		fmt.Fprintf(&body, "  r%d: node(id: $i%d) { ... on Repository { id object(expression: \"%s:\") { __typename ...T } } }\n", i, i, t.repo.Commit)
		vars[fmt.Sprintf("i%d", i)] = t.repo.NodeID
	}
	query := head.String() + ") {\n  rateLimit { cost remaining resetAt }\n" + body.String() + "}\nfragment T on GitObject { " + treeSelection + " }\n"
	r, err := v.g.ask(ctx, query, vars)
	if err != nil {
		return nil, nil, err
	}
	var data map[string]json.RawMessage
	if err := decodeData(r, &data); err != nil {
		return nil, nil, err
	}
	errs := errorsByNode(r.Errors, aliasIndex("r", len(batch)))
	for i, t := range batch {
		if errs[i].limited() {
			again = append(again, t)
			continue
		}
		var node struct {
			ID     string
			Object *struct{ Entries *[]treeEntry }
		}
		if err := json.Unmarshal(data[fmt.Sprintf("r%d", i)], &node); err != nil || node.Object == nil || node.Object.Entries == nil || node.ID != t.repo.NodeID {
			deep = append(deep, t) // REST says why there is none
			continue
		}
		files, complete := flatten(*node.Object.Entries)
		t.snap.Files, t.listed = files, true
		if !complete {
			t.snap.FilesTruncated = true
			deep = append(deep, t)
		}
	}
	return again, deep, nil
}

// flatten turns nested entries into files sorted by path; complete is false if
// a folder was not listed or there are too many files.
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

// validPathPart refuses names that git does not allow and those that cannot be
// stored.
func validPathPart(s string) bool {
	return s != "" && s != "." && s != ".." && len(s) <= 255 && !strings.ContainsAny(s, "/\x00") && strings.ToValidUTF8(s, "") == s
}

// listByREST reads a listing of any depth with one request.
func (g *Client) listByREST(ctx context.Context, api *transport.Client, rest *gh.Client, t *target) error {
	if err := api.Ready(coreLimit); err != nil {
		return err
	}
	if !validName(t.repo.Owner, t.repo.Name) {
		return errors.New("the host gave a name that cannot be asked for")
	}
	sha := t.repo.Commit
	if sha == "" {
		sha = "HEAD"
	}
	tree, _, err := rest.Git.GetTree(ctx, t.repo.Owner, t.repo.Name, sha, true)
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
