package github

import (
	"context"
	"encoding/json"
	"strings"

	"mcpcensus/crawler"
	"mcpcensus/internal/registry"
)

// One probe requests 100 IDs, GitHub's maximum, in each of two fields. Together they
// cost one point.
const (
	probeIDs    = 100
	probeFields = 2
)

const probeQuery = `query Probe($a: [ID!]!, $b: [ID!]!) {
  rateLimit { cost remaining resetAt }
  a: nodes(ids: $a) { __typename ...P }
  b: nodes(ids: $b) { __typename ...P }
}
fragment P on Repository { id databaseId nameWithOwner pushedAt updatedAt stargazerCount forkCount
  isArchived isDisabled isPrivate isEmpty isLocked defaultBranchRef { name target { oid } }
  latestRelease { publishedAt } }
`

// probe requests the state of known repositories. It yields those that have not changed
// and returns those that need a full read and those without a reliable response.
func (v *visitor) probe(ctx context.Context, batch []*target) (changed, retry []*target, err error) {
	ids := nodeIDs(batch)
	cut := min(len(ids), probeIDs)
	r, err := v.g.query(ctx, probeQuery, map[string]any{"a": ids[:cut], "b": ids[cut:]})
	if err != nil {
		return nil, nil, err
	}
	items, err := r.lists(len(batch), "a", "b")
	if err != nil {
		return nil, nil, err
	}
	var missing []*target
	for i, t := range batch {
		if items[i].limited() {
			retry = append(retry, t)
			continue
		}
		switch node, verdict := items[i].node(t.work); {
		case verdict == nodeMissing:
			missing = append(missing, t)
		case verdict != nodeRead || differs(node, t.work.Stored):
			changed = append(changed, t) // the full query determines its state
		default:
			stored := t.work.Stored
			t.snap = &registry.Snapshot{Repo: node.counts(stored.Repo, v.g.opt.Now().UTC())}
			known := *stored
			switch {
			case stored.Selection < crawler.Selection:
				v.outdated = append(v.outdated, t)
			case t.work.State == "server" && issuesDue(&known, v.g.opt.Now()):
				v.due = append(v.due, t)
			default:
				v.unchanged(t)
			}
		}
	}
	v.settleMissing(ctx, missing, len(batch), true)
	return changed, retry, nil
}

// differs reports whether a repository must be re-read.
func differs(n *repoNode, stored *registry.Snapshot) bool {
	r := &stored.Repo
	head, branch := n.head()
	switch {
	case head != r.Commit, branch != r.DefaultBranch, n.NameWithOwner != r.FullName(),
		n.IsArchived != r.Archived, n.IsDisabled != r.Disabled, n.IsEmpty != r.Empty,
		n.IsPrivate != r.Private, n.IsLocked != r.Locked,
		fellByHalf(r.Stars, n.StargazerCount), fellByHalf(r.Forks, n.ForkCount):
		return true
	}
	// A release without a push: published after the snapshot was read.
	l := n.LatestRelease
	return l != nil && l.PublishedAt != nil && l.PublishedAt.After(r.ObservedAt)
}

// fellByHalf reports whether a count fell by more than half and more than ten.
func fellByHalf(before, now *int) bool {
	return before != nil && now != nil && *before-*now > 10 && *now*2 < *before
}

// A verdict is the meaning of an item in a response.
type verdict int

const (
	nodeRead       verdict = iota
	nodeMissing            // NOT_FOUND, or private
	nodeBlocked            // withheld by GitHub
	nodeHidden             // hidden from this token, not from everyone
	nodeOdd                // unusable, regardless of the size of the query
	nodeUnreliable         // must be retried in a smaller query
)

// node decodes a repository and checks that it is the requested one.
func (it *item) node(w registry.Work) (*repoNode, verdict) {
	if len(it.raw) == 0 || string(it.raw) == "null" {
		return nil, it.absence()
	}
	var n repoNode
	if err := json.Unmarshal(it.raw, &n); err != nil {
		return nil, nodeOdd
	}
	_, _, named := n.fullName()
	if n.Typename != "" && n.Typename != "Repository" || n.ID == "" || !named {
		return nil, nodeOdd
	}
	// GitHub may return an old ID in its new form. The number must then be equal.
	sameNumber := n.DatabaseID != nil && w.HostID != 0 && *n.DatabaseID == w.HostID
	if w.NodeID != "" && n.ID != w.NodeID && !sameNumber {
		return nil, nodeOdd
	}
	if n.IsPrivate {
		return nil, nodeMissing
	}
	return &n, nodeRead
}

// absence returns the verdict of the errors of an item without data.
func (it *item) absence() verdict {
	switch {
	case it.own == nil:
	case it.own.Type == "NOT_FOUND":
		return nodeMissing
	case strings.Contains(strings.ToLower(it.own.Message), "access blocked"):
		return nodeBlocked
	case it.own.Type == "FORBIDDEN":
		return nodeHidden
	}
	return nodeOdd
}
