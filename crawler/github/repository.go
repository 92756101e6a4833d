package github

import (
	"math"
	"strings"
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// fullRepos is the number of repositories in a query for repoFields. GitHub counts the three
// lists of each, divides by 100 and rounds: one point.
const fullRepos = 40

// repoFields selects what git does not send of a [registry.Repository].
const repoFields = `fragment Repo on Repository {
  id databaseId nameWithOwner description homepageUrl
  owner { __typename login avatarUrl ... on Organization { isVerified createdAt } ... on User { createdAt } }
  isPrivate isFork isTemplate isMirror isEmpty isLocked isDisabled isArchived archivedAt
  parent { nameWithOwner }
  createdAt updatedAt pushedAt stargazerCount forkCount watchers { totalCount }
  hasIssuesEnabled
  openIssues: issues(states: OPEN) { totalCount } closedIssues: issues(states: CLOSED) { totalCount }
  openPRs: pullRequests(states: OPEN) { totalCount } mergedPRs: pullRequests(states: MERGED) { totalCount }
  closedPRs: pullRequests(states: CLOSED) { totalCount }
  licenseInfo { spdxId } primaryLanguage { name }
  languages(first: 10, orderBy: {field: SIZE, direction: DESC}) { edges { size node { name } } }
  repositoryTopics(first: 20) { nodes { topic { name } } }
  isSecurityPolicyEnabled codeOfConduct { key } contributingGuidelines { url } fundingLinks { platform }
  releases(first: 5, orderBy: {field: CREATED_AT, direction: DESC}) { totalCount nodes {
    tagName publishedAt isPrerelease isDraft notes: shortDescriptionHTML(limit: 1) releaseAssets { totalCount } } }
  defaultBranchRef { name target { __typename oid ... on Commit { statusCheckRollup { state } } } }
}
`

type count struct {
	TotalCount *int `json:"totalCount"`
}

func (c *count) value() *int {
	if c == nil {
		return nil
	}
	return c.TotalCount
}

// A repoNode is a repository in GraphQL.
type repoNode struct {
	Typename      string  `json:"__typename"`
	ID            string  `json:"id"`
	DatabaseID    *int64  `json:"databaseId"`
	NameWithOwner string  `json:"nameWithOwner"`
	Description   *string `json:"description"`
	HomepageURL   *string `json:"homepageUrl"`
	Owner         *struct {
		Typename   string     `json:"__typename"`
		Login      string     `json:"login"`
		AvatarURL  string     `json:"avatarUrl"`
		IsVerified *bool      `json:"isVerified"`
		CreatedAt  *time.Time `json:"createdAt"`
	} `json:"owner"`
	IsPrivate, IsFork, IsTemplate, IsMirror, IsEmpty, IsLocked, IsDisabled, IsArchived bool
	ArchivedAt                                                                         *time.Time
	Parent                                                                             *struct{ NameWithOwner string }
	CreatedAt, UpdatedAt, PushedAt                                                     *time.Time
	StargazerCount, ForkCount                                                          *int
	Watchers                                                                           *count
	HasIssuesEnabled                                                                   *bool
	OpenIssues, ClosedIssues                                                           *count
	OpenPRs, MergedPRs, ClosedPRs                                                      *count
	IsSecurityPolicyEnabled                                                            *bool
	CodeOfConduct, ContributingGuidelines                                              *struct{}
	FundingLinks                                                                       *[]struct{}
	LicenseInfo                                                                        *struct{ SpdxID *string }
	PrimaryLanguage                                                                    *struct{ Name string }
	Languages                                                                          *struct {
		Edges []*struct {
			Size int64
			Node *struct{ Name string }
		}
	}
	RepositoryTopics *struct {
		Nodes []*struct {
			Topic *struct{ Name string }
		}
	}
	Releases *struct {
		TotalCount *int
		Nodes      []*struct {
			TagName               string
			PublishedAt           *time.Time
			IsPrerelease, IsDraft bool
			Notes                 *string
			ReleaseAssets         *count
		}
	}
	LatestRelease    *struct{ PublishedAt *time.Time }
	DefaultBranchRef *struct {
		Name   string
		Target *struct {
			Typename          string `json:"__typename"`
			OID               string `json:"oid"`
			StatusCheckRollup *struct{ State string }
		}
	}
}

// fullName returns owner and name, or false if the node does not contain them.
func (n *repoNode) fullName() (owner, name string, ok bool) {
	owner, name, ok = strings.Cut(n.NameWithOwner, "/")
	return owner, name, ok && validName(owner, name)
}

// head returns the commit and the name of the default branch, "" if the
// repository is empty.
func (n *repoNode) head() (commit, branch string) {
	if n.DefaultBranchRef == nil {
		return "", ""
	}
	if n.DefaultBranchRef.Target != nil {
		commit = n.DefaultBranchRef.Target.OID
	}
	return commit, n.DefaultBranchRef.Name
}

// counts returns a stored repository with the counts and times of a probe.
func (n *repoNode) counts(repo registry.Repository, now time.Time) registry.Repository {
	if s := natural(n.StargazerCount); s != nil {
		repo.Stars = s
	}
	if f := natural(n.ForkCount); f != nil {
		repo.Forks = f
	}
	setTime(&repo.PushedAt, n.PushedAt)
	setTime(&repo.UpdatedAt, n.UpdatedAt)
	repo.ObservedAt = now
	return repo
}

// repository converts a node. Fields with an error stay unknown.
func (n *repoNode) repository(now time.Time, it *item) registry.Repository {
	owner, name, _ := n.fullName()
	r := registry.Repository{
		Host: host.ID, NodeID: n.ID, Owner: owner, Name: name,
		Private: n.IsPrivate, Fork: n.IsFork, Template: n.IsTemplate, Mirror: n.IsMirror,
		Empty:  n.IsEmpty,
		Locked: n.IsLocked, Disabled: n.IsDisabled, Archived: n.IsArchived,
		ArchivedAt: possible(n.ArchivedAt),
		Stars:      natural(n.StargazerCount), Forks: natural(n.ForkCount),
		Watchers:   natural(n.Watchers.value()),
		OpenIssues: natural(n.OpenIssues.value()), ClosedIssues: natural(n.ClosedIssues.value()),
		OpenPRs: natural(n.OpenPRs.value()), MergedPRs: natural(n.MergedPRs.value()),
		ClosedPRs:     natural(n.ClosedPRs.value()),
		IssuesEnabled: n.HasIssuesEnabled, SecurityPolicy: n.IsSecurityPolicyEnabled,
		ObservedAt: now,
	}
	if n.DatabaseID != nil {
		r.ID = *n.DatabaseID
	}
	if n.Description != nil {
		r.Description = text.Clean(*n.Description, 2000)
	}
	if n.HomepageURL != nil {
		r.Homepage = plainURL(*n.HomepageURL)
	}
	if o := n.Owner; o != nil {
		r.OwnerType, r.OwnerAvatarURL = o.Typename, plainURL(o.AvatarURL)
		r.OwnerVerified, r.OwnerCreatedAt = o.IsVerified, possible(o.CreatedAt)
		if o.Typename == "User" {
			r.OwnerVerified = nil
		}
	}
	if n.Parent != nil {
		r.Parent = text.Clean(n.Parent.NameWithOwner, 150)
	}
	setTime(&r.CreatedAt, n.CreatedAt)
	setTime(&r.UpdatedAt, n.UpdatedAt)
	setTime(&r.PushedAt, n.PushedAt)
	n.policies(&r, it)
	n.kinds(&r, it)
	n.releases(&r)
	n.branch(&r, it)
	return r
}

func (n *repoNode) policies(r *registry.Repository, it *item) {
	known := func(field string, present bool) *bool {
		if _, bad := it.has(field); bad {
			return nil
		}
		return &present
	}
	r.CodeOfConduct = known("codeOfConduct", n.CodeOfConduct != nil)
	r.Contributing = known("contributingGuidelines", n.ContributingGuidelines != nil)
	if n.FundingLinks != nil {
		r.Funding = known("fundingLinks", len(*n.FundingLinks) > 0)
	}
}

func (n *repoNode) kinds(r *registry.Repository, it *item) {
	if _, bad := it.has("licenseInfo"); !bad {
		r.LicenseKnown = true
		if l := n.LicenseInfo; l != nil {
			r.License = "NOASSERTION" // GitHub's "other": a file with an unrecognized license
			if l.SpdxID != nil && *l.SpdxID != "" {
				r.License = text.Clean(*l.SpdxID, 60)
			}
		}
	}
	if n.PrimaryLanguage != nil {
		r.Language = text.Clean(n.PrimaryLanguage.Name, 60)
	}
	if n.Languages != nil {
		for _, e := range n.Languages.Edges {
			if e != nil && e.Node != nil && e.Size >= 0 {
				name := text.Clean(e.Node.Name, 60)
				r.Languages = append(r.Languages, registry.LanguageShare{Name: name, Bytes: e.Size})
			}
		}
	}
	if n.RepositoryTopics != nil {
		for _, t := range n.RepositoryTopics.Nodes {
			if t != nil && t.Topic != nil && t.Topic.Name != "" {
				r.Topics = append(r.Topics, text.Clean(t.Topic.Name, 60))
			}
		}
	}
}

func (n *repoNode) releases(r *registry.Repository) {
	if n.Releases != nil {
		r.Releases = natural(n.Releases.TotalCount)
		for _, rel := range n.Releases.Nodes {
			if rel == nil || rel.IsDraft || rel.TagName == "" {
				continue
			}
			out := registry.Release{
				Tag: text.Clean(rel.TagName, 200), PublishedAt: possible(rel.PublishedAt),
				Prerelease: rel.IsPrerelease,
			}
			if rel.Notes != nil {
				out.HasNotes = new(*rel.Notes != "")
			}
			if c := rel.ReleaseAssets.value(); c != nil {
				out.HasAssets = new(*c > 0)
			}
			r.LatestReleases = append(r.LatestReleases, out)
		}
	}
}

func (n *repoNode) branch(r *registry.Repository, it *item) {
	if n.DefaultBranchRef == nil {
		return
	}
	r.DefaultBranch = text.Clean(n.DefaultBranchRef.Name, 255)
	t := n.DefaultBranchRef.Target
	if t == nil {
		return
	}
	if isOID(t.OID) {
		r.Commit = t.OID
	}
	if _, bad := it.has("defaultBranchRef.target.statusCheckRollup"); !bad &&
		t.Typename == "Commit" {
		r.CheckStateKnown = true
		if t.StatusCheckRollup != nil {
			r.CheckState = text.Clean(t.StatusCheckRollup.State, 20)
		}
	}
}

// isOID reports whether s is a git object id, of either length.
func isOID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// natural returns a count, at most 2³¹-1; nil if it is negative.
func natural(n *int) *int {
	if n == nil || *n < 0 {
		return nil
	}
	return new(min(*n, math.MaxInt32))
}

// possible returns a time in UTC, nil if it is implausible. Commit dates are untrusted: a
// five-digit year cannot be stored.
func possible(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	if u.Year() < 1970 || u.Year() > 9000 {
		return nil
	}
	return &u
}

func setTime(to *time.Time, from *time.Time) {
	if t := possible(from); t != nil {
		*to = *t
	}
}

// collapsed reports whether totals may be wrong because one fell by more than half and more than
// ten, or to zero. In heavy queries GitHub returns totals that are too small, without an error. A
// few open issues and pull requests may all have been closed.
func collapsed(before, now *registry.Repository) bool {
	fell := func(a, b *int, few int) bool {
		toZero := a != nil && b != nil && *b == 0 && *a > few
		return toZero || fellByHalf(a, b)
	}
	return fell(before.Stars, now.Stars, 0) || fell(before.Forks, now.Forks, 0) ||
		fell(before.ClosedIssues, now.ClosedIssues, 0) ||
		fell(before.MergedPRs, now.MergedPRs, 0) ||
		fell(before.ClosedPRs, now.ClosedPRs, 0) || fell(before.Releases, now.Releases, 0) ||
		fell(before.Watchers, now.Watchers, 1) ||
		fell(before.OpenIssues, now.OpenIssues, 5) || fell(before.OpenPRs, now.OpenPRs, 5)
}
