package github

import (
	"context"
	"encoding/json"
	"time"

	"mcpcensus/crawler"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

const (
	// issuesAge is the maximum age of issue statistics, and issuesRetry the delay
	// after a failure. They cost more than all other data.
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

// issues reads how issues and pull requests of non-members were handled. Failures leave them
// unknown, with the reason.
func (v *visitor) issues(ctx context.Context, list []*target) {
	var due []*target
	for _, t := range list {
		if t.issuesDue(v.g.opt.Now()) {
			due = append(due, t)
		}
	}
	if len(due) == 0 {
		return
	}
	if left, known := v.g.api.Remaining(graphqlLimit); known && left < issuesReserve &&
		len(due) > 1 {
		for _, t := range due {
			t.reuseIssues("skipped to stay within GitHub's rate limit; retried later")
		}
		return
	}
	fail := func(t *target, err error) { t.reuseIssues("GitHub did not return them: " + reasonOf(err)) }
	err := inBatches(ctx, v.g, newBatchSize(issuesBatch), due, func(batch []*target) ([]*target, error) {
		return v.issuesBatch(ctx, batch)
	}, fail)
	for _, t := range due {
		if err != nil && t.snap.Issues == nil && t.snap.Failures["issues"] == "" {
			fail(t, err)
		}
	}
}

// issuesDue reports whether the statistics must be read, and otherwise reuses the stored ones.
func (t *target) issuesDue(now time.Time) bool {
	r := &t.repo
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
		t.snap.Issues = &registry.IssueActivity{ObservedAt: now.UTC()}
		return false
	}
	s := t.work.Stored
	if s == nil || t.work.Forced && t.work.ID == 0 {
		return true
	}
	if s.Issues != nil && now.Sub(s.Issues.ObservedAt) < issuesAge {
		t.snap.Issues = s.Issues
		return false
	}
	read := t.work.FetchedAt
	if reason := s.Failures["issues"]; reason != "" && read != nil && now.Sub(*read) < issuesRetry {
		t.reuseIssues(reason)
		return false
	}
	return true
}

// reuseIssues records a failure and reuses the stored statistics, if any.
func (t *target) reuseIssues(reason string) {
	t.fail("issues", reason)
	if s := t.work.Stored; s != nil && s.Issues != nil {
		t.snap.Issues = s.Issues
	}
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
		ids[i] = t.repo.NodeID
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
		case err != nil || n.ID != t.repo.NodeID || n.Issues == nil || n.PullRequests == nil:
			t.reuseIssues("GitHub did not return them")
		case bad:
			t.reuseIssues("GitHub did not return all of them: " + text.Clean(e.Message, 200))
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
	for _, at := range []*time.Time{n.answeredAt(), n.ClosedAt, n.MergedAt} {
		if at != nil && at.Sub(n.CreatedAt) <= answerTime {
			return true
		}
	}
	return false
}
