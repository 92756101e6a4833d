package github

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	gh "github.com/google/go-github/v66/github"

	"mcpcensus/crawler"
	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

var errInvalidName = errors.New("GitHub returned a name that cannot be requested")

// noResponse is the reason for other failures.
const noResponse = "no response"

// reasonOf returns a displayable reason for a failed request, without text from the host.
func reasonOf(err error) string {
	var limit *transport.LimitError
	var over *overload
	switch {
	case err == nil:
		return "no reliable response"
	case errors.As(err, &limit):
		return limit.Error()
	case statusOf(err) != 0:
		return "status " + strconv.Itoa(statusOf(err))
	case errors.As(err, &over):
		return over.why
	case errors.Is(err, transport.ErrForeignHost):
		return "it redirected to another host"
	case errors.Is(err, context.DeadlineExceeded):
		return "no response in time"
	}
	return noResponse
}

// statusOf returns the HTTP status of a go-github error, 0 without a response.
func statusOf(err error) int {
	var response *gh.ErrorResponse
	if errors.As(err, &response) && response.Response != nil {
		return response.Response.StatusCode
	}
	return 0
}

// contributorsDue reports whether the number of contributors is unknown or
// older than a month.
func (t *target) contributorsDue(now time.Time) bool {
	r := &t.repo
	return r.Contributors == nil || r.ContributorsAt == nil ||
		now.Sub(*r.ContributorsAt) >= contributorsAge
}

// contributors counts the contributors of repositories where that is due, in one REST request
// each, while the rate limits allow it. A known repository gets at most one REST request.
func (v *visitor) contributors(ctx context.Context, list []*target) {
	now := v.g.opt.Now()
	for _, t := range list {
		r := &t.repo
		if ctx.Err() != nil {
			return
		}
		if r.Empty {
			none, at := 0, now.UTC()
			r.Contributors, r.ContributorsAt = &none, &at
			continue
		}
		known := t.work.Stored != nil && !t.work.Forced
		if !t.contributorsDue(now) || known && t.listedByREST {
			continue
		}
		if !v.g.api.Free(coreLimit) || v.g.below(0.4, coreLimit) {
			if r.Contributors == nil {
				t.fail("contributors", "deferred to stay within GitHub's rate limit")
			}
			continue
		}
		n, err := countContributors(ctx, v.g.rest, r.Owner, r.Name)
		if err != nil {
			reason := reasonOf(err)
			if statusOf(err) == http.StatusForbidden {
				reason = "the history is too large for GitHub to count them"
			}
			t.fail("contributors", reason)
			continue
		}
		at := now.UTC()
		r.Contributors, r.ContributorsAt = &n, &at
	}
}

// countContributors returns the number of contributors, including those without an account. It
// requests a page of one and reads the number of the last page.
func countContributors(ctx context.Context, rest *gh.Client, owner, name string) (int, error) {
	if !validName(owner, name) {
		return 0, errInvalidName
	}
	list, resp, err := rest.Repositories.ListContributors(ctx, owner, name,
		&gh.ListContributorsOptions{
			Anon: "1", ListOptions: gh.ListOptions{PerPage: 1},
		})
	switch {
	case err != nil:
		return 0, err
	case resp.LastPage > 0:
		return min(resp.LastPage, math.MaxInt32), nil
	}
	return len(list), nil // 204 in an empty repository: none
}

// exists requests by REST whether a repository exists and is public.
func (g *Client) exists(ctx context.Context, t *target) (bool, error) {
	r, _, err := g.getRepo(ctx, g.rest, t)
	switch {
	case err == nil:
		return !r.GetPrivate(), nil
	case statusOf(err) == http.StatusNotFound || statusOf(err) == http.StatusGone:
		return false, nil
	}
	return false, err
}

// getRepo requests a repository by its ID, or by its name if the ID is unknown.
func (g *Client) getRepo(
	ctx context.Context, rest *gh.Client, t *target,
) (*gh.Repository, *gh.Response, error) {
	if t.work.HostID > 0 && t.work.NodeID != "" {
		return rest.Repositories.GetByID(ctx, t.work.HostID)
	}
	if !validName(t.work.Ref.Owner, t.work.Ref.Name) {
		name := text.Clean(t.work.Ref.String(), 80)
		return nil, nil, registry.Errorf(registry.ErrInvalid, "%q is not a repository name", name)
	}
	return rest.Repositories.Get(ctx, t.work.Ref.Owner, t.work.Ref.Name)
}

// blockReason requests why GitHub blocks a repository: "dmca", "tos" or
// "blocked".
func (g *Client) blockReason(ctx context.Context, t *target) string {
	_, _, err := g.getRepo(ctx, g.rest, t)
	if reason, ok := blockedBy(err); ok && reason != "" {
		return reason
	}
	return "blocked"
}

// blockedBy reports whether GitHub withholds a repository, and the reason.
func blockedBy(err error) (reason string, ok bool) {
	var response *gh.ErrorResponse
	if !errors.As(err, &response) {
		return "", false
	}
	switch status := statusOf(err); {
	case response.Block != nil && (status == http.StatusForbidden || response.Block.Reason != ""):
		return text.Clean(response.Block.Reason, 20), true
	case status == http.StatusUnavailableForLegalReasons:
		return "dmca", true
	case status == http.StatusForbidden &&
		strings.Contains(strings.ToLower(response.Message), "access blocked"):
		return "tos", true
	}
	return "", false
}

// byREST visits repositories in order without a token, until the budget is spent.
func (v *visitor) byREST(ctx context.Context, works []registry.Work) error {
	for _, w := range works {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := v.g.api.Ready(coreLimit); err != nil {
			return err
		}
		v.restVisit(ctx, &target{work: w}, v.g.connection, "only partially read so far")
		if v.ended {
			return nil
		}
	}
	return nil
}

// restVisit reads the metadata, listing, README and most important manifest of one repository by
// REST, in three or four requests. why is the displayable reason for the missing parts. A
// repository that cannot be requested because of a limit gets no visit.
func (v *visitor) restVisit(ctx context.Context, t *target, c connection, why string) {
	if t.done {
		return
	}
	r, _, err := v.g.getRepo(ctx, c.rest, t)
	if err != nil {
		v.restFailed(ctx, t, c.api, err, why)
		return
	}
	if r.GetPrivate() {
		v.missed(t, errMissing)
		return
	}
	now := v.g.opt.Now().UTC()
	repo, ok := fromREST(r, now)
	if !ok {
		v.failed(t, registry.Errorf(registry.ErrUnavailable,
			"GitHub returned an invalid response about the repository"))
		return
	}
	if t.fresh(now) && sameByREST(&t.work.Stored.Repo, &repo) {
		same := t.work.Stored.Repo
		same.Stars, same.Forks, same.UpdatedAt, same.ObservedAt = repo.Stars, repo.Forks,
			repo.UpdatedAt, now
		v.unchanged(t, same)
		return
	}
	t.draftByREST(r, repo, why)
	t.progress()
	if !v.restListing(ctx, t, c) {
		return
	}
	t.progress()
	if !t.reuseCommit() {
		v.restTexts(ctx, t, c.rest, why)
	}
	v.fetched(t)
}

// draftByREST starts the snapshot of a repository that is read by REST.
func (t *target) draftByREST(r *gh.Repository, repo registry.Repository, why string) {
	t.repo, t.snap, t.activity = repo, &registry.Snapshot{Selection: crawler.Selection}, nil
	if stored := t.work.Stored; stored != nil && sameRepo(&stored.Repo, &repo) {
		copyUnread(&t.repo, &stored.Repo)
	}
	t.fail("activity", why)
	t.reuseIssues(why)
	if r.GetSize() == 0 && t.repo.Commit == "" {
		t.repo.Empty = r.PushedAt == nil || r.GetDefaultBranch() == ""
	}
}

// restListing reads the listing. It reports false if a limit prevents that; the repository then
// gets no visit.
func (v *visitor) restListing(ctx context.Context, t *target, c connection) bool {
	err := v.g.listByREST(ctx, c, t)
	switch {
	case err == nil:
	case limitOf(err) != nil || ctx.Err() != nil:
		return false
	case statusOf(err) == http.StatusConflict:
		t.repo.Empty, t.snap.Files = true, []registry.File{}
		delete(t.snap.Failures, "activity")
		delete(t.snap.Failures, "issues")
	default:
		t.fail("tree", "the listing could not be read: "+reasonOf(err))
	}
	return true
}

// restFailed derives the state of a repository from a failed request.
func (v *visitor) restFailed(
	ctx context.Context, t *target, api *transport.Client, err error, why string,
) {
	if ctx.Err() != nil || limitOf(err) != nil {
		return // not visited
	}
	status := statusOf(err)
	if reason, ok := blockedBy(err); ok {
		v.blocked(t, reason)
		return
	}
	switch {
	case status == http.StatusNotFound || status == http.StatusGone:
		if t.work.NodeID != "" && v.g.missing.seen(true) {
			v.failed(t, errBreaker)
			return
		}
		v.missed(t, errMissing)
	case errors.Is(err, registry.ErrInvalid):
		v.failed(t, err)
	case refusesCaller(err) && api.NoteRefusal(coreLimit) != nil:
		// not visited
	default:
		msg := "GitHub did not respond about the repository"
		if reason := reasonOf(err); reason != noResponse {
			msg += " (" + reason + ")"
		}
		if v.g.HasToken() {
			msg += "; " + why // the earlier failure
		}
		v.failed(t, registry.Wrap(registry.ErrUnavailable, err, msg))
	}
}

// refusesCaller reports whether GitHub may have refused a request because of the caller instead
// of the repository.
func refusesCaller(err error) bool {
	var response *gh.ErrorResponse
	status := statusOf(err)
	if !errors.As(err, &response) || status < 300 || status >= 500 ||
		status == http.StatusUnauthorized {
		return false
	}
	message := strings.ToLower(response.Message)
	return !strings.Contains(message, "ip allow list") && !strings.Contains(message, "saml")
}

// restTexts reads the README and the most important manifest, in one request each. Callers
// without a token cannot afford more.
func (v *visitor) restTexts(ctx context.Context, t *target, rest *gh.Client, why string) {
	if !t.listed {
		return
	}
	t.snap.Texts = map[string]string{}
	selected := v.reuseTexts(ctx, t, crawler.SelectFiles(host, t.snap.Files, false))
	essential := crawler.EssentialFiles(selected)
	for _, f := range essential {
		raw, _, err := rest.Git.GetBlobRaw(ctx, t.repo.Owner, t.repo.Name, f.OID)
		if err != nil {
			t.failTexts("files could not be read: " + reasonOf(err))
			return
		}
		decode := crawler.Text
		if crawler.IsReadme(f.Path) {
			decode = crawler.Prose
		}
		if text, ok := decode(string(raw)); ok {
			t.snap.Texts[f.Path] = text
		}
	}
	if len(essential) < len(selected) {
		t.fail("texts", fmt.Sprintf("%d of %d files read; %s", len(essential), len(selected), why))
	}
}

// sameByREST reports whether the fields that REST returns are unchanged, except counts.
func sameByREST(a, b *registry.Repository) bool {
	return a.ID == b.ID && a.FullName() == b.FullName() && a.PushedAt.Equal(b.PushedAt) &&
		a.Archived == b.Archived && a.Disabled == b.Disabled &&
		a.DefaultBranch == b.DefaultBranch && a.Description == b.Description
}

// copyUnread copies the fields that REST does not return and that do not depend on the commit
// from a stored repository.
func copyUnread(r, old *registry.Repository) {
	r.Contributors, r.ContributorsAt = old.Contributors, old.ContributorsAt
	r.OwnerVerified, r.OwnerCreatedAt = old.OwnerVerified, old.OwnerCreatedAt
	r.SecurityPolicy, r.CodeOfConduct = old.SecurityPolicy, old.CodeOfConduct
	r.Contributing, r.Funding = old.Contributing, old.Funding
	r.LatestReleases, r.LatestTag, r.Releases, r.Tags = old.LatestReleases, old.LatestTag,
		old.Releases, old.Tags
	r.Languages = old.Languages
	r.OpenIssues, r.ClosedIssues = old.OpenIssues, old.ClosedIssues
	r.OpenPRs, r.MergedPRs, r.ClosedPRs = old.OpenPRs, old.MergedPRs, old.ClosedPRs
	if r.Archived && old.Archived {
		r.ArchivedAt = old.ArchivedAt
	}
}

// reuseCommit copies the fields that depend on the commit from the stored snapshot if its files
// are unchanged and were read in full. It reports whether they are.
func (t *target) reuseCommit() bool {
	s := t.work.Stored
	if s == nil || t.work.ID == 0 || !t.listed || !sameRepo(&s.Repo, &t.repo) ||
		!sameFiles(s, t.snap) {
		return false
	}
	t.snap.TextsStored, t.snap.Selection = true, s.Selection
	r, old := &t.repo, &s.Repo
	r.Commit, r.TreeID, r.CommittedAt, r.CommitsInYear = old.Commit, old.TreeID, old.CommittedAt,
		old.CommitsInYear
	r.CheckState, r.CheckStateKnown = old.CheckState, old.CheckStateKnown
	return true
}

// sameFiles reports whether a stored snapshot was read in full and has the files of a new
// listing.
func sameFiles(stored, listed *registry.Snapshot) bool {
	if len(stored.Files) == 0 || stored.Failures["tree"] != "" || stored.Failures["texts"] != "" {
		return false
	}
	if stored.FilesTruncated || listed.FilesTruncated {
		return false
	}
	return slices.EqualFunc(stored.Files, listed.Files, func(a, b registry.File) bool {
		return a.Path == b.Path && a.OID == b.OID && a.OID != ""
	})
}

// fromREST converts a repository. It reports false if the ID or name is invalid.
func fromREST(r *gh.Repository, now time.Time) (registry.Repository, bool) {
	owner, name := r.GetOwner().GetLogin(), r.GetName()
	if r.GetID() <= 0 || !validName(owner, name) {
		return registry.Repository{}, false
	}
	clean := text.Clean
	out := registry.Repository{
		Host: host.ID, ID: r.GetID(), NodeID: r.GetNodeID(), Owner: owner, Name: name,
		OwnerType:      clean(r.GetOwner().GetType(), 20),
		OwnerAvatarURL: plainURL(r.GetOwner().GetAvatarURL()),
		Description:    clean(r.GetDescription(), 2000),
		Homepage:       plainURL(r.GetHomepage()),
		DefaultBranch:  clean(r.GetDefaultBranch(), 255),
		Private:        r.GetPrivate(),
		Fork:           r.GetFork(),
		Template:       r.GetIsTemplate(),
		Mirror:         r.GetMirrorURL() != "",
		Disabled:       r.GetDisabled(),
		Archived:       r.GetArchived(),
		Parent:         clean(r.GetParent().GetFullName(), 150),
		Stars:          natural(r.StargazersCount),
		Forks:          natural(r.ForksCount),
		Watchers:       natural(r.SubscribersCount),
		IssuesEnabled:  r.HasIssues,
		LicenseKnown:   true,
		Language:       clean(r.GetLanguage(), 60),
		ObservedAt:     now,
	}
	created, updated, pushed := r.GetCreatedAt().Time, r.GetUpdatedAt().Time, r.GetPushedAt().Time
	setTime(&out.CreatedAt, &created)
	setTime(&out.UpdatedAt, &updated)
	setTime(&out.PushedAt, &pushed)
	if l := r.License; l != nil {
		out.License = "NOASSERTION"
		if id := l.GetSPDXID(); id != "" {
			out.License = clean(id, 60)
		}
	}
	for _, topic := range r.Topics {
		out.Topics = append(out.Topics, clean(topic, 60))
	}
	return out, true
}
