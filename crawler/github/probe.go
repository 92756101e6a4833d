package github

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"mcpcensus/internal/registry"
)

// One probe asks for 100 IDs in each of two fields: GitHub allows no more in a
// field, and both together cost one point.
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

// probe asks for the state of known repositories. It yields those that have not
// changed and returns those that are to be read whole and those without a
// reliable answer.
func (v *visitor) probe(ctx context.Context, batch []*target) (changed, retry []*target, err error) {
	raws, errs, err := v.askProbe(ctx, batch)
	if err != nil {
		return nil, nil, err
	}
	var missing []*target
	for i, t := range batch {
		if errs[i].limited() {
			retry = append(retry, t)
			continue
		}
		switch node, verdict := readNode(raws[i], errs[i], t.work); {
		case verdict == nodeMissing:
			missing = append(missing, t)
		case verdict != nodeRead || differs(node, t.work.Stored):
			changed = append(changed, t) // the full query says what it is
		default:
			repo := node.counts(t.work.Stored.Repo, v.g.opt.Now().UTC())
			if outdated(t.work.Stored) {
				v.g.missing.seen(false)
				t.repo = repo
				v.outdated = append(v.outdated, t)
			} else {
				v.unchanged(t, repo)
			}
		}
	}
	v.settleMissing(ctx, missing, len(batch), true)
	return changed, retry, nil
}

// askProbe sends the probe of a batch and returns the items in order with their
// errors by index.
func (v *visitor) askProbe(ctx context.Context, batch []*target) ([]json.RawMessage, map[int]*nodeErrors, error) {
	ids := make([]string, len(batch))
	for i, t := range batch {
		ids[i] = t.work.NodeID
	}
	cut := min(len(ids), probeIDs)
	a, b := ids[:cut], ids[cut:]
	r, err := v.g.ask(ctx, probeQuery, map[string]any{"a": a, "b": b})
	if err != nil {
		return nil, nil, err
	}
	var data struct{ A, B []json.RawMessage }
	if err := decodeData(r, &data); err != nil {
		return nil, nil, err
	}
	if len(data.A) != len(a) || len(data.B) != len(b) {
		return nil, nil, &overload{why: fmt.Sprintf("%d answers to %d ids", len(data.A)+len(data.B), len(ids))}
	}
	return append(data.A, data.B...), errorsByNode(r.Errors, probeIndex(cut, len(batch))), nil
}

// probeIndex reads the item's number from a path like ["b", 3], where the items
// of b follow the first cut items.
func probeIndex(cut, n int) func([]any) (int, int) {
	return func(path []any) (int, int) {
		if len(path) < 2 {
			return -1, 0
		}
		number, ok := path[1].(float64)
		i := int(number)
		switch path[0] {
		case "a":
		case "b":
			i += cut
		default:
			return -1, 0
		}
		if !ok || i < 0 || i >= n {
			return -1, 0
		}
		return i, 2
	}
}

// differs reports whether a repository must be read again.
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

// A verdict says what an item of a response is.
type verdict int

const (
	nodeRead       verdict = iota
	nodeMissing            // NOT_FOUND, or private
	nodeBlocked            // withheld by GitHub
	nodeHidden             // hidden from this token, not from everyone
	nodeOdd                // not reliable, whatever the query
	nodeUnreliable         // to be requested again, in a smaller query
)

// readNode decodes one item of a response and checks that it is about the
// repository that was requested.
func readNode(raw json.RawMessage, errs *nodeErrors, w registry.Work) (*repoNode, verdict) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, errs.verdict()
	}
	var n repoNode
	if err := json.Unmarshal(raw, &n); err != nil {
		return nil, nodeOdd
	}
	_, _, named := n.fullName()
	if n.Typename != "" && n.Typename != "Repository" || n.ID == "" || !named {
		return nil, nodeOdd
	}
	// GitHub may answer to an old ID with its new form; then the number must be
	// the same.
	sameNumber := n.DatabaseID != nil && w.HostID != 0 && *n.DatabaseID == w.HostID
	if w.NodeID != "" && n.ID != w.NodeID && !sameNumber {
		return nil, nodeOdd
	}
	if n.IsPrivate {
		return nil, nodeMissing
	}
	return &n, nodeRead
}

// verdict returns what the errors of an item without data say.
func (n *nodeErrors) verdict() verdict {
	if n == nil || n.own == nil {
		return nodeOdd
	}
	switch {
	case n.own.Type == "NOT_FOUND":
		return nodeMissing
	case strings.Contains(strings.ToLower(n.own.Message), "access blocked"):
		return nodeBlocked
	case n.own.Type == "FORBIDDEN":
		return nodeHidden
	}
	return nodeOdd
}
