package github

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"mcpcensus/crawler"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

const (
	// issuesAge is the maximum age of issue statistics, and issuesRetry the delay after a
	// failure. They cost more than all other data.
	issuesAge   = 14 * 24 * time.Hour
	issuesRetry = 24 * time.Hour
	// issuesBatch repositories cost about five points.
	issuesBatch = 8
	// issuesReserve is the number of points reserved for cheaper queries.
	issuesReserve = 1000

	issueWindow = 180 * 24 * time.Hour
	answerTime  = 14 * 24 * time.Hour
)

const issuesQuery = `query Issues($ids: [ID!]!) {
  rateLimit { cost remaining resetAt }
  nodes(ids: $ids) { ...Talk }
}
fragment Talk on Repository { id
  issues(first: 20, orderBy: {field: CREATED_AT, direction: DESC}) { pageInfo { hasNextPage } nodes {
    number createdAt closedAt authorAssociation author { __typename login }
    comments(first: 5) { nodes { createdAt authorAssociation author { __typename login } } } } }
  pullRequests(first: 20, orderBy: {field: CREATED_AT, direction: DESC}) { pageInfo { hasNextPage } nodes {
    number createdAt closedAt mergedAt authorAssociation author { __typename login }
    comments(first: 5) { nodes { createdAt authorAssociation author { __typename login } } }
    reviews(first: 5) { nodes { createdAt authorAssociation author { __typename login } } } } }
}
`

// withIssues yields unchanged repositories whose issues and pull requests are due, the most used
// first, with how those of non-members were handled. Failures leave them unknown, with the reason;
// what the limit does not allow is left for the next visit.
func (v *visitor) withIssues(ctx context.Context) {
	due := v.due
	slices.SortStableFunc(due, func(a, b *target) int {
		return cmp.Compare(starsOf(b), starsOf(a))
	})
	err := inBatches(ctx, v.g, newBatchSize(issuesBatch), due, func(batch []*target) ([]*target, error) {
		if left, known := v.g.api.Remaining(graphqlLimit); known && left < issuesReserve {
			return nil, errReserve
		}
		return v.issuesBatch(ctx, batch)
	}, func(t *target, err error) {
		t.fail("GitHub did not return them: "+reasonOf(err), v.g.opt.Now())
	})
	for _, t := range due {
		isRead := t.snap.Issues != nil || t.snap.Failures[issuesPart] != ""
		v.g.missing.seen(false)
		v.emit(t, registry.Visit{Outcome: registry.Unchanged, Snapshot: t.snap,
			Again: !isRead && err != nil})
		*t = target{done: true}
	}
}

var errReserve = fmt.Errorf("%w: the rest of the limit is reserved", errDown)

func starsOf(t *target) int {
	if n := t.snap.Repo.Stars; n != nil {
		return *n
	}
	return 0
}

// fail records why and when issues could not be read.
func (t *target) fail(reason string, now time.Time) {
	t.snap.Failures = map[string]string{issuesPart: reason}
	t.snap.FailedAt = map[string]time.Time{issuesPart: now.UTC()}
}

// issuesPart is the name of issues in [registry.Snapshot.Failures].
const issuesPart = "issues"

// issuesDue reports whether the statistics must be read. Without any issue there is nothing to
// read; the result is then in s.
func issuesDue(s *registry.Snapshot, now time.Time) bool {
	r := &s.Repo
	if r.IssuesEnabled != nil && !*r.IssuesEnabled || r.Empty {
		return false
	}
	total := 0
	for _, n := range []*int{r.OpenIssues, r.ClosedIssues, r.OpenPRs, r.MergedPRs, r.ClosedPRs} {
		if n != nil {
			total += *n
		}
	}
	if total == 0 {
		s.Issues = &registry.IssueActivity{ObservedAt: now.UTC()}
		return false
	}
	if at, failed := s.FailedAt[issuesPart]; failed && now.Sub(at) < issuesRetry {
		return false
	}
	return s.Issues == nil || now.Sub(s.Issues.ObservedAt) >= issuesAge
}

type commenter struct {
	CreatedAt         time.Time
	AuthorAssociation string
	Author            *struct {
		Typename string `json:"__typename"`
		Login    string `json:"login"`
	}
}

type commenters struct{ Nodes []*commenter }

type issueNode struct {
	commenter
	Number             int
	ClosedAt, MergedAt *time.Time
	Comments, Reviews  *commenters
}

type issuePage struct {
	PageInfo struct{ HasNextPage bool }
	Nodes    []*issueNode
}

func (v *visitor) issuesBatch(ctx context.Context, batch []*target) (retry []*target, err error) {
	ids := make([]string, len(batch))
	for i, t := range batch {
		ids[i] = t.snap.Repo.NodeID
	}
	r, err := v.g.query(ctx, issuesQuery, map[string]any{"ids": ids})
	if err != nil {
		return nil, err
	}
	items, err := r.lists(len(batch), "nodes")
	if err != nil {
		return nil, err
	}
	for i, t := range batch {
		var n struct {
			ID                   string
			Issues, PullRequests *issuePage
		}
		it := &items[i]
		err := json.Unmarshal(it.raw, &n)
		switch e, bad := it.has(""); {
		case it.limited():
			retry = append(retry, t)
		case err != nil || n.ID != t.snap.Repo.NodeID || n.Issues == nil || n.PullRequests == nil:
			t.fail("GitHub did not return them", v.g.opt.Now())
		case bad:
			t.fail("GitHub did not return all of them: "+text.Clean(e.Message, 200), v.g.opt.Now())
		default:
			t.snap.Issues = issueActivity(n.Issues, n.PullRequests, v.g.opt.Now().UTC())
		}
	}
	return retry, nil
}

// issueActivity counts the issues and pull requests that non-members opened between 180 and 14
// days ago, and how many of them were answered by a human member, merged or closed within 14
// days.
func issueActivity(issues, pulls *issuePage, now time.Time) *registry.IssueActivity {
	a := &registry.IssueActivity{ObservedAt: now}
	for _, p := range []*issuePage{issues, pulls} {
		for _, n := range p.Nodes {
			if n != nil {
				n.count(a, now)
			}
		}
		a.Truncated = a.Truncated || p.truncated(now)
	}
	return a
}

// count adds an issue or a pull request.
func (n *issueNode) count(a *registry.IssueActivity, now time.Time) {
	if at := n.answeredAt(); at != nil && (a.LastAnswer == nil || at.After(*a.LastAnswer)) {
		a.LastAnswer = at
	}
	if age := now.Sub(n.CreatedAt); n.member() || n.bot() || age > issueWindow || age < answerTime {
		return
	}
	a.Opened++
	if n.answered() {
		a.Answered++
	} else if len(a.Unanswered) < 10 {
		a.Unanswered = append(a.Unanswered, n.Number)
	}
}

// truncated reports whether the next page has issues of the window.
func (p *issuePage) truncated(now time.Time) bool {
	if !p.PageInfo.HasNextPage || len(p.Nodes) == 0 {
		return false
	}
	last := p.Nodes[len(p.Nodes)-1]
	return last != nil && now.Sub(last.CreatedAt) < issueWindow
}

func (s *commenter) member() bool {
	switch s.AuthorAssociation {
	case "OWNER", "MEMBER", "COLLABORATOR":
		return true
	}
	return false
}

func (s *commenter) bot() bool {
	return s.Author != nil && (s.Author.Typename == "Bot" || crawler.IsBot(s.Author.Login))
}

// answeredAt returns the time of the first response by a human member, or nil.
func (n *issueNode) answeredAt() *time.Time {
	var first *time.Time
	for _, list := range []*commenters{n.Comments, n.Reviews} {
		if list == nil {
			continue
		}
		for _, s := range list.Nodes {
			if s != nil && s.member() && !s.bot() && (first == nil || s.CreatedAt.Before(*first)) {
				first = possible(&s.CreatedAt)
			}
		}
	}
	return first
}

// answered reports whether a member responded, or the issue was closed or merged, within 14 days.
func (n *issueNode) answered() bool {
	times := []*time.Time{n.answeredAt(), n.ClosedAt, n.MergedAt}
	return slices.ContainsFunc(times, func(at *time.Time) bool {
		return at != nil && at.Sub(n.CreatedAt) <= answerTime
	})
}
