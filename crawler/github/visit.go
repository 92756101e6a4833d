package github

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpcensus/crawler"
	"mcpcensus/crawler/git"
	"mcpcensus/internal/registry"
)

// A target is the state of one repository during a visit.
type target struct {
	work registry.Work
	snap *registry.Snapshot
	// hidden is set if the repository's organization rejects the token.
	hidden bool
	done   bool // the visit has been yielded, or its contents are being read
}

// progress reports the current state to the caller of the check.
func (t *target) progress() {
	if t.work.OnProgress != nil {
		t.work.OnProgress(t.snap.Repo, t.snap.Files)
	}
}

// A visitor is one call of Visit.
type visitor struct {
	g     *Client
	yield func(registry.Visit) bool
	stop  context.CancelFunc
	count int
	ended bool // by the caller
	// reading is the number of repositories whose contents are being read, and read receives
	// them afterwards. stopped is the error that ends the visit.
	reading int
	read    chan contents
	stopped error
	// outdated are unchanged repositories whose files were selected by older rules.
	outdated []*target
	// due are unchanged repositories whose issues must be read.
	due []*target
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

// notFound yields a repository that the host does not have, or that is not public.
func (v *visitor) notFound(t *target) {
	if t.work.Stored != nil && v.g.missing.seen(true) {
		v.failed(t, errBreaker)
		return
	}
	v.missed(t, errMissing)
}

func (v *visitor) blocked(t *target, reason string) {
	err := fmt.Errorf("GitHub blocks this repository (%s)", reason)
	v.emit(t, registry.Visit{Outcome: registry.Blocked, Blocked: reason, Err: err})
}

// unchanged yields a repository that equals the stored one except for counts.
func (v *visitor) unchanged(t *target) {
	v.g.missing.seen(false)
	v.emit(t, registry.Visit{Outcome: registry.Unchanged, Snapshot: t.snap})
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
	err = v.rereadOutdated(ctx, err)
	v.withIssues(ctx)
	return err
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
		if err == nil && started < maxRereads && !v.g.below(0.5, graphqlLimit) {
			started += len(batch)
			err = v.readFull(ctx, batch, false)
			continue
		}
		for _, t := range batch {
			v.emit(t, registry.Visit{Outcome: registry.Unchanged, Again: true,
				Snapshot: t.snap})
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

const fullQuery = `query Full($ids: [ID!]!) {
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
			if len(batch) > 1 && t.work.Stored != nil && collapsed(&t.work.Stored.Repo, &t.snap.Repo) {
				retry = append(retry, t) // confirm it in a separate query
				continue
			}
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
		t.draft(node.repository(v.g.opt.Now().UTC(), it))
	}
	return verdict
}

// fullAlone reads one repository in a separate query.
func (v *visitor) fullAlone(ctx context.Context, t *target, byName bool) error {
	left, err := v.full(ctx, []*target{t}, byName)
	_, isOverload := errors.AsType[*overload](err)
	switch {
	case err != nil && (stops(err) || ctx.Err() != nil):
		return err
	case isOverload || err == nil && len(left) > 0:
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
	r, err := v.g.query(ctx, fullQuery, map[string]any{"ids": nodeIDs(batch)})
	if err != nil {
		return nil, err
	}
	return r.lists(len(batch), "nodes")
}

// queryByName is queryByID for repositories without a known ID.
func (v *visitor) queryByName(ctx context.Context, batch []*target) ([]item, error) {
	var params, fields strings.Builder
	vars := map[string]any{}
	for i, t := range batch {
		vars[fmt.Sprintf("o%d", i)], vars[fmt.Sprintf("n%d", i)] = t.work.Ref.Owner, t.work.Ref.Name
		fmt.Fprintf(&params, " $o%d: String! $n%[1]d: String!", i)
		fmt.Fprintf(&fields, "  r%d: repository(owner: $o%[1]d, name: $n%[1]d, "+
			"followRenames: true) { __typename ...Repo }\n", i)
	}
	query := "query Resolve(" + params.String() + ") {\n  rateLimit { cost remaining resetAt }\n" +
		fields.String() + "}\n" + repoFields
	r, err := v.g.query(ctx, query, vars)
	if err != nil {
		return nil, err
	}
	return r.aliases(len(batch))
}

// draft starts the snapshot of a repository from its metadata.
func (t *target) draft(repo registry.Repository) {
	t.snap = &registry.Snapshot{Repo: repo, Selection: crawler.Selection}
	if s := t.work.Stored; s != nil && s.Repo.Same(&repo) {
		t.snap.Issues = s.Issues // see withIssues
		if why := s.Failures[issuesPart]; why != "" {
			t.fail(why, s.FailedAt[issuesPart])
		}
	}
}

// readers is the number of repositories whose contents are read at the same time.
const readers = 4

// contents are the contents of a target after they were read, or not because of an error.
type contents struct {
	of  *target
	err error
}

// details starts to read contents, as many at a time as there are readers, and yields those that
// are complete: a slow repository does not delay the batches after its own. Errors end the visit.
func (v *visitor) details(ctx context.Context, list []*target) error {
	for _, t := range list {
		if v.await(ctx, readers-1); v.stopped != nil {
			break
		}
		t.done = true
		t.progress()
		v.reading++
		go func() {
			v.read <- contents{t, v.g.Contents.Read(ctx, &t.work, t.snap, !t.hidden, t.progress)}
		}()
	}
	return v.stopped
}

// await yields repositories whose contents were read until at most left of them are being read.
func (v *visitor) await(ctx context.Context, left int) {
	for v.reading > left {
		c := <-v.read
		v.reading--
		switch {
		case ctx.Err() != nil && (c.of.work.ID != 0 || errors.Is(c.err, context.Canceled)):
			v.stopped = ctx.Err()
		case stops(c.err):
			v.stopped = c.err
		default:
			v.fetched(c.of, c.err)
		}
	}
}

// fetched yields a repository after its contents were read, or not because of an error.
func (v *visitor) fetched(t *target, err error) {
	t.done = false
	switch {
	case git.IsKind(err, git.Missing) && t.snap.Repo.Identified():
		v.failed(t, errDoubt) // the API returned it
	case git.IsKind(err, git.Missing):
		v.notFound(t)
	case git.IsKind(err, git.Blocked):
		v.blocked(t, "blocked")
	case err != nil:
		v.failed(t, registry.Wrap(registry.ErrUnavailable, err,
			"The repository's files could not be read: "+git.Reason(err)))
	default:
		v.g.missing.seen(false)
		again := !t.snap.Repo.Identified() || v.g.HasToken() && issuesDue(t.snap, v.g.opt.Now())
		v.emit(t, registry.Visit{Outcome: registry.Fetched, Snapshot: t.snap, Again: again})
	}
	*t = target{done: true} // frees the files; a visit may have a thousand repositories
}

// alone reads the metadata of one repository by REST after GraphQL returned none.
func (v *visitor) alone(ctx context.Context, t *target, cause error) {
	if t.done || ctx.Err() != nil {
		return
	}
	if _, ok := errors.AsType[*overload](cause); cause != nil && !ok {
		v.failed(t, cause)
		return
	}
	v.restVisit(ctx, t, v.g.connection, "")
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
	t.hidden = true
	v.restVisit(ctx, t, v.g.anonymous, why)
}
