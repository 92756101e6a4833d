package github

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// foldersBatch is the number of folders in one query.
const foldersBatch = 5

// youngFolder is the maximum age of a folder whose first commit is looked up.
const youngFolder = 180 * 24 * time.Hour

// PathActivity returns the activity of the commits that changed each path, by path, for servers
// in subfolders. The second map contains the reasons for paths without it. Errors end the visit,
// such as a spent budget.
func (g *Client) PathActivity(
	ctx context.Context, repo registry.Repository, paths []string,
) (map[string]registry.Activity, map[string]string, error) {
	f := &folders{
		Client: g, repo: repo, now: g.opt.Now().UTC(),
		found: map[string]registry.Activity{}, failures: map[string]string{},
	}
	if !g.HasToken() || repo.NodeID == "" || !isOID(repo.Commit) {
		for _, p := range paths {
			f.failures[p] = "reading the commits of a folder requires a GitHub token"
		}
		return f.found, f.failures, nil
	}
	err := inBatches(ctx, g, newBatchSize(foldersBatch), paths, func(batch []string) ([]string, error) {
		return f.read(ctx, batch)
	}, func(p string, err error) {
		f.failures[p] = "GitHub did not return the commits of the folder: " + reasonOf(err)
	})
	if err == nil {
		err = f.confirmFirst(ctx)
	}
	return f.found, f.failures, err
}

// folders are folders of one repository whose commits are being read.
type folders struct {
	*Client
	repo     registry.Repository
	now      time.Time
	found    map[string]registry.Activity
	failures map[string]string
}

// historyQuery returns a query for the history of each of the folders, as r0, r1, ….
func (f *folders) historyQuery(name, selection string, batch []string) *builder {
	q := newQuery(name)
	q.open, q.close = "  node(id: $id) { ... on Repository {\n", "  } }\n"
	q.param("id", "ID!", f.repo.NodeID)
	for i, p := range batch {
		q.param(fmt.Sprintf("p%d", i), "String!", p)
		q.field("    r%d: object(oid: %q) { ... on Commit { ", i, f.repo.Commit)
		q.field(selection, i)
		q.field(" } }\n")
	}
	return q
}

// read reads the commits of a batch of folders. It returns those without a reliable response.
func (f *folders) read(ctx context.Context, batch []string) (retry []string, err error) {
	q := f.historyQuery("Folders", "history(first: 100, since: $since, path: $p%d) { ...History }", batch)
	q.param("since", "GitTimestamp!", timestamp(f.now.Add(-humanWindow)))
	r, err := q.send(ctx, f.Client, historyFields)
	if err != nil {
		return nil, err
	}
	items, err := nodeAliases(r, len(batch))
	if err != nil {
		return nil, err
	}
	for i, p := range batch {
		var n struct{ History *historyPage }
		switch it := items[i]; {
		case it.limited():
			retry = append(retry, p)
		case json.Unmarshal(it.raw, &n) != nil || n.History == nil:
			f.failures[p] = "GitHub did not return the commits of the folder"
			if e, bad := it.has(""); bad {
				f.failures[p] += ": " + text.Clean(e.Message, 200)
			}
		default:
			f.found[p] = f.activity(n.History)
		}
	}
	return retry, nil
}

// activity returns the activity in one page of a folder's history. FirstCommitAt is the oldest
// commit of the page if there is no other page; it is valid only if the folder has no commits
// before the window.
func (f *folders) activity(page *historyPage) registry.Activity {
	d := newDraft(f.now)
	d.add(page)
	a := d.activity(nil)
	if !d.more && !d.oldest.IsZero() {
		a.FirstCommitAt = &d.oldest
	}
	return a
}

// confirmFirst clears FirstCommitAt of folders that may have older commits than those that were
// read. GitHub must walk the whole history to find none, so only folders that look young are
// queried, once.
func (f *folders) confirmFirst(ctx context.Context) error {
	first := map[string]*time.Time{}
	for p, a := range f.found {
		if at := a.FirstCommitAt; at != nil {
			a.FirstCommitAt = nil
			f.found[p] = a
			if f.now.Sub(*at) < youngFolder {
				first[p] = at
			}
		}
	}
	for batch := range slices.Chunk(slices.Sorted(maps.Keys(first)), foldersBatch) {
		none, err := f.withoutOlder(ctx, batch)
		if stops(err) || ctx.Err() != nil {
			return err
		}
		if err != nil {
			return nil
		}
		for _, p := range none {
			a := f.found[p]
			a.FirstCommitAt = first[p]
			f.found[p] = a
		}
	}
	return nil
}

// withoutOlder returns the folders without commits before the window.
func (f *folders) withoutOlder(ctx context.Context, batch []string) (none []string, err error) {
	q := f.historyQuery("Older", "history(first: 1, until: $until, path: $p%d) { nodes { oid } }", batch)
	q.param("until", "GitTimestamp!", timestamp(f.now.Add(-humanWindow)))
	r, err := q.send(ctx, f.Client, "")
	if err != nil {
		return nil, err
	}
	items, err := nodeAliases(r, len(batch))
	for i, it := range items {
		var n struct {
			History *struct{ Nodes *[]json.RawMessage }
		}
		if json.Unmarshal(it.raw, &n) == nil && n.History != nil && n.History.Nodes != nil &&
			len(*n.History.Nodes) == 0 {
			none = append(none, batch[i])
		}
	}
	return none, err
}

// nodeAliases returns the items of the aliases of the field node.
func nodeAliases(r *reply, n int) ([]item, error) {
	var data struct{ Node json.RawMessage }
	if err := decode(r.Data, &data); err != nil {
		return nil, err
	}
	return r.aliasesIn(n, data.Node, "node.")
}
