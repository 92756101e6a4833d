package github

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	gh "github.com/google/go-github/v66/github"

	"mcpcensus/crawler"
	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// noResponse is the reason for other failures.
const noResponse = "no response"

// reasonOf returns a displayable reason for a failed request, without text from the host.
func reasonOf(err error) string {
	over, isOverload := errors.AsType[*overload](err)
	switch {
	case err == nil:
		return "no reliable response"
	case limitOf(err) != nil:
		return limitOf(err).Error()
	case statusOf(err) != 0:
		return "status " + strconv.Itoa(statusOf(err))
	case isOverload:
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
	if response, ok := errors.AsType[*gh.ErrorResponse](err); ok && response.Response != nil {
		return response.Response.StatusCode
	}
	return 0
}

// exists requests by REST whether a repository exists and is public.
func (g *Client) exists(ctx context.Context, t *target) (bool, error) {
	r, err := getRepo(ctx, g.rest, t)
	switch {
	case err == nil:
		return !r.GetPrivate(), nil
	case statusOf(err) == http.StatusNotFound || statusOf(err) == http.StatusGone:
		return false, nil
	}
	return false, err
}

// getRepo requests a repository by its ID, or by its name if the ID is unknown.
func getRepo(ctx context.Context, rest *gh.Client, t *target) (r *gh.Repository, err error) {
	switch {
	case t.work.HostID > 0 && t.work.NodeID != "":
		r, _, err = rest.Repositories.GetByID(ctx, t.work.HostID)
	case !validName(t.work.Ref.Owner, t.work.Ref.Name):
		err = invalidName(t.work.Ref)
	default:
		r, _, err = rest.Repositories.Get(ctx, t.work.Ref.Owner, t.work.Ref.Name)
	}
	return r, err
}

func invalidName(ref registry.RepoRef) error {
	return registry.Errorf(registry.ErrInvalid, "%q is not a repository name",
		text.Clean(ref.String(), 80))
}

// blockReason requests why GitHub blocks a repository: "dmca", "tos" or
// "blocked".
func (g *Client) blockReason(ctx context.Context, t *target) string {
	_, err := getRepo(ctx, g.rest, t)
	if reason, ok := blockedBy(err); ok && reason != "" {
		return reason
	}
	return "blocked"
}

// blockedBy reports whether GitHub withholds a repository, and the reason.
func blockedBy(err error) (reason string, ok bool) {
	response, ok := errors.AsType[*gh.ErrorResponse](err)
	if !ok {
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

// restVisit reads one repository whose metadata are requested by REST. why is why they are, for
// errors. A repository that cannot be requested because of a limit gets no visit.
func (v *visitor) restVisit(ctx context.Context, t *target, c connection, why string) {
	if t.done {
		return
	}
	r, err := getRepo(ctx, c.rest, t)
	if err != nil {
		v.restFailed(ctx, t, c.api, err, why)
		return
	}
	if err := v.readREST(ctx, []*target{t}, []*gh.Repository{r}); err != nil && ctx.Err() == nil {
		v.g.opt.Log.Info("not visited", "repository", t.work.Ref.String(), "err", err)
	}
}

// readREST reads the contents of repositories with metadata of REST, unless they are unchanged.
// Errors end the visit.
func (v *visitor) readREST(ctx context.Context, list []*target, found []*gh.Repository) error {
	now := v.g.opt.Now().UTC()
	var read []*target
	for i, t := range list {
		repo, ok := fromREST(found[i], now)
		s := t.work.Stored
		switch {
		case found[i].GetPrivate():
			v.missed(t, errMissing)
			continue
		case !ok:
			v.failed(t, registry.Errorf(registry.ErrUnavailable,
				"GitHub returned an invalid response about the repository"))
			continue
		case t.fresh(now) && !lacksParts(s) && s.Selection == crawler.Selection &&
			sameByREST(&s.Repo, &repo):
			same := s.Repo
			same.Stars, same.Forks, same.UpdatedAt, same.ObservedAt = repo.Stars, repo.Forks,
				repo.UpdatedAt, now
			t.snap = &registry.Snapshot{Repo: same}
			v.unchanged(t)
			continue
		}
		t.draft(repo)
		if s != nil && s.Repo.Same(&repo) {
			copyUnread(&t.snap.Repo, &s.Repo)
		}
		read = append(read, t)
	}
	return v.details(ctx, read)
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
		if why != "" {
			msg += "; " + why
		} else {
			msg += ". Try again in a minute"
		}
		v.failed(t, registry.Wrap(registry.ErrUnavailable, err, msg))
	}
}

// refusesCaller reports whether GitHub may have refused a request because of the caller instead
// of the repository.
func refusesCaller(err error) bool {
	response, ok := errors.AsType[*gh.ErrorResponse](err)
	status := statusOf(err)
	if !ok || status < 300 || status >= 500 ||
		status == http.StatusUnauthorized {
		return false
	}
	message := strings.ToLower(response.Message)
	return !strings.Contains(message, "ip allow list") && !strings.Contains(message, "saml")
}

// sameByREST reports whether the fields that REST returns are unchanged, except counts.
func sameByREST(a, b *registry.Repository) bool {
	return a.ID == b.ID && a.FullName() == b.FullName() && a.PushedAt.Equal(b.PushedAt) &&
		a.Archived == b.Archived && a.Disabled == b.Disabled &&
		a.DefaultBranch == b.DefaultBranch && a.Description == b.Description
}

// copyUnread copies the fields that REST does not return from a stored repository.
func copyUnread(r, old *registry.Repository) {
	r.OwnerVerified, r.OwnerCreatedAt = old.OwnerVerified, old.OwnerCreatedAt
	r.SecurityPolicy, r.CodeOfConduct = old.SecurityPolicy, old.CodeOfConduct
	r.Contributing, r.Funding = old.Contributing, old.Funding
	r.LatestReleases, r.Releases, r.Languages = old.LatestReleases, old.Releases, old.Languages
	r.CheckState, r.CheckStateKnown = old.CheckState, old.CheckStateKnown
	r.Commit = old.Commit                         // compared with git's
	r.Watchers = cmp.Or(r.Watchers, old.Watchers) // not in search results
	if r.Fork && r.Parent == "" {
		r.Parent = old.Parent
	}
	r.OpenIssues, r.ClosedIssues = old.OpenIssues, old.ClosedIssues
	r.OpenPRs, r.MergedPRs, r.ClosedPRs = old.OpenPRs, old.MergedPRs, old.ClosedPRs
	if r.Archived && old.Archived {
		r.ArchivedAt = old.ArchivedAt
	}
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
