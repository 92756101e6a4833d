package github

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpcensus/crawler"
	"mcpcensus/internal/registry"
)

// A target is the state of one repository during a visit.
type target struct {
	work registry.Work
	repo registry.Repository
	snap *registry.Snapshot
	done bool // the visit has been yielded

	activity     *activityDraft
	listed       bool // snap.Files was read in this visit, and texts must be read
	listedByREST bool
	stored       map[string]string // texts of the stored snapshot, loaded when needed
	textsFailed  bool              // a request for texts failed
	binary       []registry.File   // READMEs that GraphQL considers binary
}

// progress reports the current state to the caller of the check.
func (t *target) progress() {
	if t.work.OnProgress != nil {
		t.work.OnProgress(t.repo, t.snap.Files)
	}
}

// fail records why a part of the snapshot could not be read.
func (t *target) fail(part, reason string) {
	if t.snap.Failures == nil {
		t.snap.Failures = map[string]string{}
	}
	t.snap.Failures[part] = reason
}

// A visitor is one call of Visit.
type visitor struct {
	g     *Client
	yield func(registry.Visit) bool
	stop  context.CancelFunc
	count int
	ended bool // by the caller
	// outdated are unchanged repositories whose files were selected by older rules.
	outdated []*target
}

// emit yields the visit of a target at most once.
func (v *visitor) emit(t *target, visit registry.Visit) {
	if t.done || v.ended {
		return
	}
	t.done = true
	v.count++
	visit.Work = t.work
	if !v.yield(visit) {
		v.ended = true
		v.stop()
	}
}

func (v *visitor) failed(t *target, err error) {
	v.emit(t, registry.Visit{Outcome: registry.Failed, Err: err})
}

func (v *visitor) missed(t *target, err error) {
	v.emit(t, registry.Visit{Outcome: registry.Missing, Err: err})
}

func (v *visitor) blocked(t *target, reason string) {
	err := fmt.Errorf("GitHub blocks this repository (%s)", reason)
	v.emit(t, registry.Visit{Outcome: registry.Blocked, Blocked: reason, Err: err})
}

// unchanged yields a repository that equals the stored one except for counts.
func (v *visitor) unchanged(t *target, repo registry.Repository) {
	v.g.missing.seen(false)
	v.emit(t, registry.Visit{Outcome: registry.Unchanged, Snapshot: &registry.Snapshot{Repo: repo}})
	*t = target{done: true}
}

var errMissing = errors.New("GitHub has no such repository, or it is private")

// byGraphQL visits with a token.
func (v *visitor) byGraphQL(ctx context.Context, works []registry.Work) error {
	var byName, probe, full []*target
	now := v.g.opt.Now()
	for _, w := range works {
		t := &target{work: w}
		switch {
		case w.NodeID == "":
			byName = append(byName, t)
		case !t.fresh(now) || w.Stored.Repo.NodeID == "" || lacksParts(w.Stored):
			full = append(full, t)
		default:
			probe = append(probe, t)
		}
	}
	err := inBatches(ctx, v.g, v.g.probes, probe, func(batch []*target) ([]*target, error) {
		changed, retry, err := v.probe(ctx, batch)
		full = append(full, changed...)
		return retry, err
	}, func(t *target, err error) { full = append(full, t) })
	if err == nil {
		err = v.readFull(ctx, full, false)
	}
	if err == nil {
		err = v.readFull(ctx, byName, true)
	}
	return v.rereadOutdated(ctx, err)
}

// readFull reads repositories in full, by name or by ID. Errors end the visit.
func (v *visitor) readFull(ctx context.Context, list []*target, byName bool) error {
	return inBatches(ctx, v.g, v.g.fulls, list, func(batch []*target) ([]*target, error) {
		return v.full(ctx, batch, byName)
	}, func(t *target, err error) { v.alone(ctx, t, err) })
}

// maxRereads is the number of repositories of one visit that are re-read only because the rules
// of selection changed.
const maxRereads = 100

// rereadOutdated re-reads outdated repositories in full while more than half of GitHub's limits
// is left and err is nil. The rest is yielded as unchanged, so that a change of the rules is
// spread over days. It returns err or its own error.
func (v *visitor) rereadOutdated(ctx context.Context, err error) error {
	started := 0
	for batch := range slices.Chunk(v.outdated, v.g.fulls.top) {
		if err == nil && started < maxRereads && !v.g.below(0.5, graphqlLimit, coreLimit) {
			started += len(batch)
			err = v.readFull(ctx, batch, false)
			continue
		}
		for _, t := range batch {
			v.emit(t, registry.Visit{Outcome: registry.Unchanged, Outdated: true,
				Snapshot: &registry.Snapshot{Repo: t.repo}})
			*t = target{done: true}
		}
	}
	return err
}

// below reports whether less than a share of the limit of one of the resources is left.
func (g *Client) below(share float64, resources ...string) bool {
	return slices.ContainsFunc(g.api.Budgets(), func(b registry.Budget) bool {
		return slices.Contains(resources, b.Resource) && float64(b.Remaining) < share*float64(b.Limit) &&
			g.opt.Now().Before(b.ResetAt)
	})
}

// fresh reports whether the stored snapshot is recent enough to reuse if nothing has changed.
func (t *target) fresh(now time.Time) bool {
	w := &t.work
	return w.Stored != nil && !w.Forced && w.FetchedAt != nil && now.Sub(*w.FetchedAt) < fullAge
}

// lacksParts reports whether a snapshot lacks a part that requires a full read.
func lacksParts(s *registry.Snapshot) bool {
	for part := range s.Failures {
		if part == "tree" || part == "texts" || strings.HasPrefix(part, "activity") {
			return true
		}
	}
	return false
}

const fullQuery = `query Full($ids: [ID!]!, $since: GitTimestamp!) {
  rateLimit { cost remaining resetAt }
  nodes(ids: $ids) { __typename ...Repo }
}
` + repoFields

// full reads a batch in full: by name if GitHub's ID is unknown, otherwise by ID. It returns
// those without a reliable response.
func (v *visitor) full(ctx context.Context, batch []*target, byName bool) ([]*target, error) {
	query := v.queryByID
	if byName {
		query = v.queryByName
	}
	items, err := query(ctx, batch)
	if err != nil {
		return nil, err
	}
	var retry, read, missing []*target
	for i, t := range batch {
		switch v.readOne(ctx, t, &items[i]) {
		case nodeUnreliable:
			retry = append(retry, t)
		case nodeMissing:
			missing = append(missing, t)
		case nodeRead:
			if len(batch) > 1 && t.collapsed() {
				retry = append(retry, t) // confirm it in a separate query
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
	if len(retry) == len(batch) && len(batch) > 1 {
		return retry, nil
	}
	for _, t := range retry {
		if err := v.fullAlone(ctx, t, byName); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// readOne starts the snapshot of a repository from its item of a response, and handles
// repositories that GitHub hides or blocks.
func (v *visitor) readOne(ctx context.Context, t *target, it *item) verdict {
	if it.limited() {
		return nodeUnreliable
	}
	node, verdict := it.node(t.work)
	switch verdict {
	case nodeBlocked:
		v.blocked(t, v.g.blockReason(ctx, t))
	case nodeHidden:
		v.hidden(ctx, t, it.own)
	case nodeOdd:
		v.alone(ctx, t, &overload{why: "the response is about another repository"})
	case nodeRead:
		t.draft(node, it, v.g.opt.Now().UTC())
	}
	return verdict
}

// collapsed reports whether counts fell so far below the stored ones that they may be wrong.
func (t *target) collapsed() bool {
	return t.work.Stored != nil && collapsed(&t.work.Stored.Repo, &t.repo)
}

// fullAlone reads one repository in a separate query.
func (v *visitor) fullAlone(ctx context.Context, t *target, byName bool) error {
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

// nodeIDs returns the GraphQL IDs of known repositories.
func nodeIDs(batch []*target) []string {
	ids := make([]string, len(batch))
	for i, t := range batch {
		ids[i] = t.work.NodeID
	}
	return ids
}

// queryByID queries a batch by ID and returns the items in order.
func (v *visitor) queryByID(ctx context.Context, batch []*target) ([]item, error) {
	since := timestamp(v.g.opt.Now().Add(-humanWindow))
	r, err := v.g.query(ctx, fullQuery, map[string]any{"ids": nodeIDs(batch), "since": since})
	if err != nil {
		return nil, err
	}
	return r.lists(len(batch), "nodes")
}

// queryByName is queryByID for repositories without a known ID.
func (v *visitor) queryByName(ctx context.Context, batch []*target) ([]item, error) {
	q := newQuery("Resolve")
	q.param("since", "GitTimestamp!", timestamp(v.g.opt.Now().Add(-humanWindow)))
	for i, t := range batch {
		q.param(fmt.Sprintf("o%d", i), "String!", t.work.Ref.Owner)
		q.param(fmt.Sprintf("n%d", i), "String!", t.work.Ref.Name)
		q.field("  r%d: repository(owner: $o%d, name: $n%d, followRenames: true) { __typename "+
			"...Repo }\n", i, i, i)
	}
	r, err := q.send(ctx, v.g, repoFields)
	if err != nil {
		return nil, err
	}
	return r.aliases(len(batch))
}

// draft starts the snapshot of a repository from its node.
func (t *target) draft(n *repoNode, it *item, now time.Time) {
	t.repo = n.repository(now, it)
	t.snap = &registry.Snapshot{Selection: crawler.Selection}
	t.activity = nil
	t.listed = false
	if stored := t.work.Stored; stored != nil && sameRepo(&stored.Repo, &t.repo) {
		t.repo.Contributors, t.repo.ContributorsAt = stored.Repo.Contributors,
			stored.Repo.ContributorsAt
	}
	if n.DefaultBranchRef != nil && n.DefaultBranchRef.Target != nil {
		t.draftActivity(n, it, now)
	}
}

// storedActivity returns the stored activity of the repository, or nil.
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

// details reads the data that the full query does not return (listing, texts, older commits,
// contributors, issues) and yields the visits. Parts that fail stay unknown, with a reason.
func (v *visitor) details(ctx context.Context, list []*target) error {
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

// partTries is the number of consecutive tries, about three days of them, after which a snapshot
// that lacks data of the stored one is accepted.
const partTries = 10

// lost returns why GitHub did not return files that the stored snapshot has, "" if none are
// missing. Without a token, some files are omitted by design.
func (t *target) lost(token bool) string {
	s := t.work.Stored
	if s == nil || len(s.Files) == 0 || !sameRepo(&s.Repo, &t.repo) || t.repo.Empty {
		return ""
	}
	if why := t.snap.Failures["tree"]; why != "" && s.Failures["tree"] == "" {
		return why
	}
	if why := t.snap.Failures["texts"]; why != "" &&
		(t.textsFailed || token && s.Failures["texts"] == "") {
		return why
	}
	return ""
}

// fetched yields a complete snapshot. If files of a known repository are missing, its contents
// are unknown and the visit fails.
func (v *visitor) fetched(t *target) {
	if t.done {
		return
	}
	if why := t.lost(v.g.HasToken()); why != "" && t.work.Attempt < partTries {
		v.failed(t, registry.Errorf(registry.ErrUnavailable, "GitHub did not return its files: %s",
			why))
		return
	}
	stored := t.storedActivity()
	if t.activity != nil {
		t.snap.Activity = map[string]registry.Activity{"": t.activity.activity(stored)}
	} else if stored != nil && t.snap.Failures["activity"] != "" {
		t.snap.Activity = map[string]registry.Activity{"": *stored}
	}
	t.snap.Repo = t.repo
	v.g.missing.seen(false)
	v.emit(t, registry.Visit{Outcome: registry.Fetched, Snapshot: t.snap})
	*t = target{done: true} // frees the files; a visit may have a thousand repositories
}

// alone reads one repository by REST after GraphQL returned no data for it.
func (v *visitor) alone(ctx context.Context, t *target, cause error) {
	if t.done || ctx.Err() != nil {
		return
	}
	var over *overload
	if cause != nil && !errors.As(cause, &over) {
		v.failed(t, cause)
		return
	}
	v.restVisit(ctx, t, v.g.connection,
		"GitHub did not return it in a batch; it was read separately, without activity and issues")
}

// hidden reads a public repository that its organization hides from this token.
func (v *visitor) hidden(ctx context.Context, t *target, e *fieldError) {
	why := "its organization rejects our token"
	message := strings.ToLower(e.Message)
	switch {
	case e.Extensions.SAML || strings.Contains(message, "saml"):
		why = "its organization requires single sign-on (SAML) for tokens"
	case strings.Contains(message, "ip allow list"):
		why = "its organization has an IP allow list"
	}
	v.restVisit(ctx, t, v.g.anonymous, why+"; only partially read so far")
}
