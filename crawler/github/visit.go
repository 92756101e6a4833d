package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"mcpcensus/crawler"
	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

// One probe asks for 100 ids in each of two fields: GitHub allows no more in
// one, and both together still cost one point.
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
  isArchived isDisabled isPrivate isEmpty isLocked defaultBranchRef { name target { oid } } latestRelease { tagName publishedAt } }
`

const fullQuery = `query Full($ids: [ID!]!, $since: GitTimestamp!) {
  rateLimit { cost remaining resetAt }
  nodes(ids: $ids) { __typename ...Repo }
}
` + repoFields

// byGraphQL visits with a token.
func (v *visiting) byGraphQL(ctx context.Context, works []registry.Work) error {
	var fresh, probe, full []*target
	now := v.g.opt.Now()
	for _, w := range works {
		t := &target{work: w}
		switch {
		case w.NodeID == "":
			fresh = append(fresh, t)
		case w.Forced || w.Stored == nil || w.FetchedAt == nil || now.Sub(*w.FetchedAt) >= fullAge || w.Stored.Repo.NodeID == "" || lacksParts(w.Stored):
			full = append(full, t)
		default:
			probe = append(probe, t)
		}
	}
	err := inBatches(ctx, v.g, v.g.probes, probe, func(batch []*target) ([]*target, error) {
		changed, again, err := v.probe(ctx, batch)
		full = append(full, changed...)
		return again, err
	}, func(t *target, err error) { full = append(full, t) })
	if err != nil {
		return err
	}
	err = inBatches(ctx, v.g, v.g.fulls, full, func(batch []*target) ([]*target, error) {
		return v.full(ctx, batch, false)
	}, func(t *target, err error) { v.alone(ctx, t, err) })
	if err != nil {
		return err
	}
	return inBatches(ctx, v.g, v.g.fulls, fresh, func(batch []*target) ([]*target, error) {
		return v.full(ctx, batch, true)
	}, func(t *target, err error) { v.alone(ctx, t, err) })
}

// lacksParts reports whether something failed at the last whole reading that
// no probe will make good.
func lacksParts(s *registry.Snapshot) bool {
	for part := range s.Failures {
		if part == "tree" || part == "texts" || strings.HasPrefix(part, "activity") {
			return true
		}
	}
	return false
}

// probe asks what a batch looks like from outside. It yields the unchanged
// ones and returns those to be read whole and those without an answer.
func (v *visiting) probe(ctx context.Context, batch []*target) (changed, again []*target, err error) {
	ids := make([]string, len(batch))
	for i, t := range batch {
		ids[i] = t.work.NodeID
	}
	cut := min(len(ids), max(probeIDs, 0))
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
	errs := errorsByNode(r.Errors, func(path []any) (int, int) {
		if len(path) < 2 {
			return -1, 0
		}
		i, ok := path[1].(float64)
		n := int(i)
		if path[0] == "b" {
			n += cut
		} else if path[0] != "a" {
			return -1, 0
		}
		if !ok || n < 0 || n >= len(batch) {
			return -1, 0
		}
		return n, 2
	})
	var missing []*target
	now := v.g.opt.Now().UTC()
	for i, raw := range append(data.A, data.B...) {
		t := batch[i]
		if errs[i].limited() {
			again = append(again, t)
			continue
		}
		node, verdict := readNode(raw, errs[i], t.work)
		switch verdict {
		case nodeMissing:
			missing = append(missing, t)
		case nodeOdd, nodeBlocked, nodeHidden:
			changed = append(changed, t) // the full query says what it is
		case nodeRead:
			if differs(node, t.work.Stored) {
				changed = append(changed, t)
				continue
			}
			v.unchanged(t, node, now)
		}
	}
	v.settleMissing(ctx, missing, len(batch), true)
	return changed, again, nil
}

// unchanged yields the counts of a probe.
func (v *visiting) unchanged(t *target, n *repoNode, now time.Time) {
	repo := t.work.Stored.Repo
	if s := natural(n.StargazerCount); s != nil {
		repo.Stars = s
	}
	if f := natural(n.ForkCount); f != nil {
		repo.Forks = f
	}
	setTime(&repo.PushedAt, n.PushedAt)
	setTime(&repo.UpdatedAt, n.UpdatedAt)
	repo.ObservedAt = now
	v.g.missing.seen(false)
	t.done = true
	v.give(registry.Visit{Work: t.work, Outcome: registry.Unchanged, Snapshot: &registry.Snapshot{Repo: repo}})
}

// differs reports whether a repository must be read again.
func differs(n *repoNode, stored *registry.Snapshot) bool {
	r := &stored.Repo
	head, branch := "", ""
	if n.DefaultBranchRef != nil {
		branch = n.DefaultBranchRef.Name
		if n.DefaultBranchRef.Target != nil {
			head = n.DefaultBranchRef.Target.OID
		}
	}
	if head != r.Commit || branch != r.DefaultBranch || n.NameWithOwner != r.FullName() ||
		n.IsArchived != r.Archived || n.IsDisabled != r.Disabled || n.IsEmpty != r.Empty || n.IsPrivate != r.Private || n.IsLocked != r.Locked {
		return true
	}
	before := func(was, is *int) bool {
		return was != nil && is != nil && *was-*is > 10 && *is*2 < *was
	}
	if before(r.Stars, n.StargazerCount) || before(r.Forks, n.ForkCount) {
		return true
	}
	// A release without a push: newer than what was seen, and not among it.
	if l := n.LatestRelease; l != nil && l.PublishedAt != nil && l.PublishedAt.After(r.ObservedAt) {
		return true
	}
	return false
}

// What a node of an answer turned out to be.
type verdict int

const (
	nodeRead    verdict = iota
	nodeMissing         // NOT_FOUND, or private
	nodeBlocked         // withheld by GitHub
	nodeHidden          // hidden from this token, not from everybody
	nodeOdd             // something that cannot be trusted
)

// readNode decodes one item of an answer and checks that it is about the
// repository that was asked for.
func readNode(raw json.RawMessage, errs *nodeErrors, w registry.Work) (*repoNode, verdict) {
	if len(raw) == 0 || string(raw) == "null" {
		if errs == nil || errs.own == nil {
			return nil, nodeOdd
		}
		message := strings.ToLower(errs.own.Message)
		switch {
		case errs.own.Type == "NOT_FOUND":
			return nil, nodeMissing
		case strings.Contains(message, "access blocked"):
			return nil, nodeBlocked
		case errs.own.Type == "FORBIDDEN":
			return nil, nodeHidden
		}
		return nil, nodeOdd
	}
	var n repoNode
	if err := json.Unmarshal(raw, &n); err != nil {
		return nil, nodeOdd
	}
	if n.Typename != "" && n.Typename != "Repository" || n.ID == "" {
		return nil, nodeOdd
	}
	if _, _, ok := n.fullName(); !ok {
		return nil, nodeOdd
	}
	// GitHub may answer to an old id with the new form of it; then the
	// number must be the same.
	if w.NodeID != "" && n.ID != w.NodeID && (n.DatabaseID == nil || w.HostID == 0 || *n.DatabaseID != w.HostID) {
		return nil, nodeOdd
	}
	if n.IsPrivate {
		return nil, nodeMissing
	}
	return &n, nodeRead
}

// full reads a batch whole: by name on first contact, else by id. It returns
// those without a believable answer.
func (v *visiting) full(ctx context.Context, batch []*target, byName bool) ([]*target, error) {
	raws, errs, err := v.askFull(ctx, batch, byName)
	if err != nil {
		return nil, err
	}
	var again, read, missing []*target
	now := v.g.opt.Now().UTC()
	for i, t := range batch {
		if errs[i].limited() {
			again = append(again, t)
			continue
		}
		node, verdict := readNode(raws[i], errs[i], t.work)
		switch verdict {
		case nodeMissing:
			missing = append(missing, t)
		case nodeBlocked:
			v.blocked(t, v.g.blockReason(ctx, t))
		case nodeHidden:
			v.hidden(ctx, t, errs[i].own)
		case nodeOdd:
			v.alone(ctx, t, &overload{why: "its answer is not about the repository that was asked for"})
		case nodeRead:
			t.draft(node, errs[i], now)
			if t.work.Stored != nil && len(batch) > 1 && collapsed(&t.work.Stored.Repo, &t.repo) {
				again = append(again, t) // alone, before it is believed
				continue
			}
			t.progress()
			read = append(read, t)
		}
	}
	v.settleMissing(ctx, missing, len(batch), !byName)
	if err := v.details(ctx, read); err != nil {
		return nil, err
	}
	if len(again) == len(batch) && len(batch) > 1 {
		return again, nil
	}
	for _, t := range again {
		if err := v.fullAlone(ctx, t, byName); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// fullAlone asks for one repository by itself.
func (v *visiting) fullAlone(ctx context.Context, t *target, byName bool) error {
	left, err := v.full(ctx, []*target{t}, byName)
	var over *overload
	switch {
	case err != nil && (stops(err) || ctx.Err() != nil):
		return err
	case errors.As(err, &over) || err == nil && len(left) > 0:
		v.alone(ctx, t, err)
	case err != nil:
		v.failed(t, err)
	}
	return nil
}

// askFull sends the query for a batch and returns the raw items in order.
func (v *visiting) askFull(ctx context.Context, batch []*target, byName bool) ([]json.RawMessage, map[int]*nodeErrors, error) {
	since := v.g.opt.Now().UTC().Add(-humanWindow).Truncate(time.Second).Format(time.RFC3339)
	if !byName {
		ids := make([]string, len(batch))
		for i, t := range batch {
			ids[i] = t.work.NodeID
		}
		r, err := v.g.ask(ctx, fullQuery, map[string]any{"ids": ids, "since": since})
		if err != nil {
			return nil, nil, err
		}
		var data struct{ Nodes []json.RawMessage }
		if err := decodeData(r, &data); err != nil {
			return nil, nil, err
		}
		if len(data.Nodes) != len(batch) {
			return nil, nil, &overload{why: fmt.Sprintf("%d answers to %d ids", len(data.Nodes), len(batch))}
		}
		return data.Nodes, errorsByNode(r.Errors, listIndex(len(batch))), nil
	}
	var head, body strings.Builder
	head.WriteString("query Resolve($since: GitTimestamp!")
	vars := map[string]any{"since": since}
	for i, t := range batch {
		fmt.Fprintf(&head, ", $o%d: String!, $n%d: String!", i, i)
		fmt.Fprintf(&body, "  r%d: repository(owner: $o%d, name: $n%d, followRenames: true) { __typename ...Repo }\n", i, i, i)
		vars[fmt.Sprintf("o%d", i)], vars[fmt.Sprintf("n%d", i)] = t.work.Ref.Owner, t.work.Ref.Name
	}
	r, err := v.g.ask(ctx, head.String()+") {\n  rateLimit { cost remaining resetAt }\n"+body.String()+"}\n"+repoFields, vars)
	if err != nil {
		return nil, nil, err
	}
	var data map[string]json.RawMessage
	if err := decodeData(r, &data); err != nil {
		return nil, nil, err
	}
	raws := make([]json.RawMessage, len(batch))
	for i := range batch {
		raw, ok := data[fmt.Sprintf("r%d", i)]
		if !ok {
			return nil, nil, &overload{why: "an alias is missing from the answer"}
		}
		raws[i] = raw
	}
	return raws, errorsByNode(r.Errors, aliasIndex("r", len(batch))), nil
}

// draft begins the snapshot of a repository from its node.
func (t *target) draft(n *repoNode, errs *nodeErrors, now time.Time) {
	t.repo = n.repository(now, errs)
	t.snap = &registry.Snapshot{}
	t.activity = nil
	t.listed = false
	if stored := t.work.Stored; stored != nil && sameRepo(&stored.Repo, &t.repo) {
		t.repo.Contributors, t.repo.ContributorsAt = stored.Repo.Contributors, stored.Repo.ContributorsAt
	}
	if n.DefaultBranchRef == nil || n.DefaultBranchRef.Target == nil {
		return
	}
	head := n.DefaultBranchRef.Target
	if head.History == nil {
		reason := "GitHub did not give the commits"
		if e, ok := errs.has("defaultBranchRef.target.history"); ok {
			reason = crawler.Clean(e.Message, 200)
		}
		t.fail("activity", reason)
		return
	}
	t.activity = newDraft(now)
	if t.repo.Fork {
		t.activity.forked = t.repo.CreatedAt
	}
	t.activity.add(head.History)
	if _, bot := head.Author.who(); t.activity.last == nil && !bot && t.repo.CommittedAt != nil && !t.repo.CommittedAt.After(now) {
		t.activity.last, t.activity.lastID = t.repo.CommittedAt, t.repo.Commit
	}
}

// storedActivity returns what is known of the repository's commits, or nil.
func (t *target) storedActivity() *registry.Activity {
	if s := t.work.Stored; s != nil && sameRepo(&s.Repo, &t.repo) {
		if a, ok := s.Activity[""]; ok {
			return &a
		}
	}
	return nil
}

func sameRepo(a, b *registry.Repository) bool {
	return a.ID != 0 && a.ID == b.ID || a.NodeID != "" && a.NodeID == b.NodeID
}

// details reads what the full query does not hold (listing, texts, older
// commits, contributors, issues) and yields the visits. Each part that fails
// leaves its facts unknown with a reason.
func (v *visiting) details(ctx context.Context, list []*target) error {
	if len(list) == 0 {
		return nil
	}
	if err := v.listings(ctx, list); err != nil {
		return err
	}
	for _, t := range list {
		t.progress()
	}
	if err := v.texts(ctx, list); err != nil {
		return err
	}
	if err := v.history(ctx, list); err != nil {
		return err
	}
	v.contributors(ctx, list)
	v.issues(ctx, list)
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, t := range list {
		v.fetched(t)
	}
	return nil
}

// partTries is after how many tries in a row a snapshot is given out though it
// lacks what the stored one has: three days of them.
const partTries = 10

// lost says which part of the files GitHub did not give, though they were read
// before; "" if none. Without a token some files are left out by plan.
func (t *target) lost(token bool) string {
	s := t.work.Stored
	if s == nil || len(s.Files) == 0 || !sameRepo(&s.Repo, &t.repo) || t.repo.Empty {
		return ""
	}
	if why := t.snap.Failures["tree"]; why != "" && s.Failures["tree"] == "" {
		return why
	}
	if why := t.snap.Failures["texts"]; why != "" && (t.broke || token && s.Failures["texts"] == "") {
		return why
	}
	return ""
}

// fetched yields a whole snapshot. One that lacks files because GitHub did not
// give them says nothing about what a known repository holds: that is a
// failure.
func (v *visiting) fetched(t *target) {
	if t.done {
		return
	}
	if why := t.lost(v.g.HasToken()); why != "" && t.work.Attempt < partTries {
		v.failed(t, registry.Errorf(registry.ErrUnavailable, "GitHub did not give its files: %s", why))
		return
	}
	stored := t.storedActivity()
	if t.activity != nil {
		t.snap.Activity = map[string]registry.Activity{"": t.activity.activity(stored)}
	} else if stored != nil && t.snap.Failures["activity"] != "" {
		t.snap.Activity = map[string]registry.Activity{"": *stored}
	}
	t.snap.Repo = t.repo
	t.done = true
	v.g.missing.seen(false)
	v.give(registry.Visit{Work: t.work, Outcome: registry.Fetched, Snapshot: t.snap})
}

// settleMissing decides about repositories that GraphQL says are not there.
// One or two are believed. More than 2 % of a batch, and at least five, are
// each asked for in another way; and when too many known repositories go
// missing in a day, none is believed any more.
func (v *visiting) settleMissing(ctx context.Context, missing []*target, of int, known bool) {
	suspicious := len(missing) >= 5 && len(missing)*50 > of
	if !known && suspicious {
		// Names that lists give are often stale; a sample tells whether
		// GitHub is to be believed.
		suspicious = len(missing)*2 > of
	}
	for i, t := range missing {
		if suspicious && (known || i < 3) {
			there, err := v.g.exists(ctx, t)
			if err != nil && ctx.Err() != nil {
				return
			}
			if err != nil || there {
				if !known && there {
					for _, t := range missing {
						v.failed(t, errDoubt)
					}
					return
				}
				v.failed(t, errDoubt)
				continue
			}
		}
		if known && v.g.missing.seen(true) {
			v.failed(t, errBreaker)
			continue
		}
		v.missed(t, errMissing)
	}
}

var (
	errDoubt   = errors.New("GitHub gave two answers about whether this repository is there; it is asked again later")
	errBreaker = errors.New("breaker: too many repositories went missing at once to believe it; it is asked again later")
)

// alone reads one repository by REST, after GraphQL had no answer for it.
func (v *visiting) alone(ctx context.Context, t *target, cause error) {
	if t.done {
		return
	}
	if ctx.Err() != nil {
		return
	}
	var over *overload
	if cause != nil && !errors.As(cause, &over) {
		v.failed(t, cause)
		return
	}
	v.restVisit(ctx, t, v.g.api, v.g.rest, "GitHub had no answer for it in a batch; asked for by itself, without activity and issues")
}

// hidden reads a repository that its organization keeps from this token but
// shows to everybody.
func (v *visiting) hidden(ctx context.Context, t *target, e *fieldError) {
	why := "its organization refuses our token"
	message := strings.ToLower(e.Message)
	switch {
	case e.Extensions.SAML || strings.Contains(message, "saml"):
		why = "its organization wants single sign-on (SAML) from tokens"
	case strings.Contains(message, "ip allow list"):
		why = "its organization has an IP allow list"
	}
	v.restVisit(ctx, t, v.g.anonymous, v.g.anonREST, why+"; read without a token")
}

// limitOf returns the limit behind an error, or nil.
func limitOf(err error) *transport.LimitError {
	var limit *transport.LimitError
	errors.As(err, &limit)
	return limit
}
