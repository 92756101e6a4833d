package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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
)

// reasonOf says in words fit to show why a request failed, without what the
// host wrote.
func reasonOf(err error) string {
	var limit *transport.LimitError
	var answer *gh.ErrorResponse
	var over *overload
	switch {
	case err == nil:
		return "no answer that can be believed"
	case errors.As(err, &limit):
		return limit.Error()
	case errors.As(err, &answer) && answer.Response != nil:
		return "status " + strconv.Itoa(answer.Response.StatusCode)
	case errors.As(err, &over):
		return over.why
	case errors.Is(err, transport.ErrForeignHost):
		return "it redirected to another host"
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer in time"
	}
	return "no answer"
}

// statusOf returns the HTTP status behind a go-github error, 0 if there is none.
func statusOf(err error) int {
	var answer *gh.ErrorResponse
	if errors.As(err, &answer) && answer.Response != nil {
		return answer.Response.StatusCode
	}
	return 0
}

// contributorsDue reports whether the number of contributors is unknown or
// older than a month.
func (t *target) contributorsDue(now time.Time) bool {
	r := &t.repo
	return r.Contributors == nil || r.ContributorsAt == nil || now.Sub(*r.ContributorsAt) >= contributorsAge
}

// contributors counts the contributors of those where that is due: one REST
// request each, only while pace and budget leave room for what matters more,
// and never a second one for a repository that is known already.
func (v *visiting) contributors(ctx context.Context, list []*target) {
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
		if !v.g.api.Free(coreLimit) || v.g.scarce() {
			if r.Contributors == nil {
				t.fail("contributors", "left for later, to keep within GitHub's limits")
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

// scarce reports whether less than two fifths of the REST budget are left.
func (g *Client) scarce() bool {
	for _, b := range g.api.Budgets() {
		if b.Resource == coreLimit {
			return b.Remaining*5 < b.Limit*2 && g.opt.Now().Before(b.ResetAt)
		}
	}
	return false
}

// countContributors returns the number of contributors, those without an
// account included. It asks for pages of one and reads the number of the last.
func countContributors(ctx context.Context, rest *gh.Client, owner, name string) (int, error) {
	if !validName(owner, name) {
		return 0, errors.New("the host gave a name that cannot be asked for")
	}
	list, resp, err := rest.Repositories.ListContributors(ctx, owner, name, &gh.ListContributorsOptions{
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

// exists asks by REST whether a repository is there.
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

// getRepo asks for a repository by its number, or by its name on first
// contact.
func (g *Client) getRepo(ctx context.Context, rest *gh.Client, t *target) (*gh.Repository, *gh.Response, error) {
	if t.work.HostID > 0 && t.work.NodeID != "" {
		return rest.Repositories.GetByID(ctx, t.work.HostID)
	}
	if !validName(t.work.Ref.Owner, t.work.Ref.Name) {
		return nil, nil, registry.Errorf(registry.ErrInvalid, "%q is no repository name", crawler.Clean(t.work.Ref.String(), 80))
	}
	return rest.Repositories.Get(ctx, t.work.Ref.Owner, t.work.Ref.Name)
}

// blockReason asks why GitHub withholds a repository: "dmca", "tos" or
// "blocked".
func (g *Client) blockReason(ctx context.Context, t *target) string {
	_, _, err := g.getRepo(ctx, g.rest, t)
	var answer *gh.ErrorResponse
	if errors.As(err, &answer) {
		if answer.Block != nil && answer.Block.Reason != "" {
			return crawler.Clean(answer.Block.Reason, 20)
		}
		if statusOf(err) == http.StatusUnavailableForLegalReasons {
			return "dmca"
		}
	}
	return "blocked"
}

// restVisit reads one repository by REST: what it is, its listing, its README
// and its most telling manifest, in three or four requests. why says, fit to
// show, why there is no more.
func (v *visiting) restVisit(ctx context.Context, t *target, api *transport.Client, rest *gh.Client, why string) {
	if t.done {
		return
	}
	r, _, err := v.g.getRepo(ctx, rest, t)
	if err != nil {
		v.restFailed(ctx, t, api, err, why)
		return
	}
	if r.GetPrivate() {
		v.missed(t, errMissing)
		return
	}
	now := v.g.opt.Now().UTC()
	repo, ok := fromREST(r, now)
	if !ok {
		v.failed(t, registry.Errorf(registry.ErrUnavailable, "GitHub's answer about the repository cannot be used"))
		return
	}
	stored := t.work.Stored
	if stored != nil && !t.work.Forced && t.work.FetchedAt != nil && now.Sub(*t.work.FetchedAt) < fullAge && sameOutside(&stored.Repo, &repo) {
		same := stored.Repo
		same.Stars, same.Forks, same.UpdatedAt, same.ObservedAt = repo.Stars, repo.Forks, repo.UpdatedAt, now
		v.g.missing.seen(false)
		t.done = true
		v.give(registry.Visit{Work: t.work, Outcome: registry.Unchanged, Snapshot: &registry.Snapshot{Repo: same}})
		return
	}
	t.repo, t.snap, t.activity = repo, &registry.Snapshot{}, nil
	if stored != nil && sameRepo(&stored.Repo, &repo) {
		keepKnown(&t.repo, &stored.Repo)
	}
	t.fail("activity", why)
	t.keepIssues(why)
	if r.GetSize() == 0 && t.repo.Commit == "" {
		t.repo.Empty = r.PushedAt == nil || r.GetDefaultBranch() == ""
	}
	t.progress()
	if err := v.g.listByREST(ctx, api, rest, t); err != nil {
		switch {
		case limitOf(err) != nil || ctx.Err() != nil:
			return // not touched: the whole repository comes again with the next budget
		case statusOf(err) == http.StatusConflict:
			t.repo.Empty, t.snap.Files = true, []registry.File{}
			delete(t.snap.Failures, "activity")
			delete(t.snap.Failures, "issues")
		default:
			t.fail("tree", "the listing could not be read: "+reasonOf(err))
		}
	}
	t.progress()
	if !t.keepCommit() {
		v.restTexts(ctx, t, rest, why)
	}
	v.fetched(t)
}

// refused reports whether a request was refused for a reason that GitHub is
// not known to have with single repositories.
func refused(status int, answer *gh.ErrorResponse) bool {
	if status < 300 || status >= 500 || status == http.StatusUnauthorized {
		return false
	}
	message := strings.ToLower(answer.Message)
	return !strings.Contains(message, "ip allow list") && !strings.Contains(message, "saml")
}

func (v *visiting) restFailed(ctx context.Context, t *target, api *transport.Client, err error, why string) {
	var answer *gh.ErrorResponse
	errors.As(err, &answer)
	switch status := statusOf(err); {
	case ctx.Err() != nil || limitOf(err) != nil:
		// not touched
	case status == http.StatusNotFound || status == http.StatusGone:
		if t.work.NodeID != "" && v.g.missing.seen(true) {
			v.failed(t, errBreaker)
			return
		}
		v.missed(t, errMissing)
	case status == http.StatusUnavailableForLegalReasons:
		v.blocked(t, "dmca")
	case status == http.StatusForbidden && answer.Block != nil:
		v.blocked(t, crawler.Clean(answer.Block.Reason, 20))
	case status == http.StatusForbidden && strings.Contains(strings.ToLower(answer.Message), "access blocked"):
		v.blocked(t, "tos")
	case errors.Is(err, registry.ErrInvalid):
		v.failed(t, err)
	default:
		if refused(status, answer) && api.NoteRefusal(coreLimit) != nil {
			return // not touched
		}
		msg := "GitHub gave no answer about the repository"
		if said := reasonOf(err); said != "no answer" {
			msg += " (" + said + ")"
		}
		if v.g.HasToken() {
			msg += "; " + why // what went wrong before
		}
		v.failed(t, registry.Wrap(registry.ErrUnavailable, err, msg))
	}
}

// restTexts reads the README, and the manifest that says most, one request
// each: as many as an unknown caller can afford.
func (v *visiting) restTexts(ctx context.Context, t *target, rest *gh.Client, why string) {
	if !t.listed {
		return
	}
	t.snap.Texts = map[string]string{}
	wanted := v.keptTexts(ctx, t, crawler.SelectFiles(t.snap.Files, false))
	chosen := crawler.EssentialFiles(wanted)
	for _, f := range chosen {
		raw, _, err := rest.Git.GetBlobRaw(ctx, t.repo.Owner, t.repo.Name, f.OID)
		if err != nil {
			t.failTexts("files could not be read: " + reasonOf(err))
			return
		}
		if text, ok := crawler.Text(string(raw)); ok {
			t.snap.Texts[f.Path] = text
		}
	}
	if len(chosen) < len(wanted) {
		t.fail("texts", fmt.Sprintf("%d of %d files read; %s", len(chosen), len(wanted), why))
	}
}

// sameOutside reports whether nothing that REST shows of a repository changed.
func sameOutside(a, b *registry.Repository) bool {
	return a.ID == b.ID && a.FullName() == b.FullName() && a.PushedAt.Equal(b.PushedAt) && a.Archived == b.Archived &&
		a.Disabled == b.Disabled && a.DefaultBranch == b.DefaultBranch && a.Description == b.Description
}

// keepKnown takes over what REST does not say from what was known before, as
// far as it does not hang on the commit.
func keepKnown(r, old *registry.Repository) {
	r.Contributors, r.ContributorsAt = old.Contributors, old.ContributorsAt
	r.OwnerVerified, r.OwnerCreatedAt = old.OwnerVerified, old.OwnerCreatedAt
	r.SecurityPolicy, r.CodeOfConduct, r.Contributing, r.Funding = old.SecurityPolicy, old.CodeOfConduct, old.Contributing, old.Funding
	r.LatestReleases, r.LatestTag, r.Releases, r.Tags = old.LatestReleases, old.LatestTag, old.Releases, old.Tags
	r.Languages = old.Languages
	r.OpenIssues, r.ClosedIssues = old.OpenIssues, old.ClosedIssues
	r.OpenPRs, r.MergedPRs, r.ClosedPRs = old.OpenPRs, old.MergedPRs, old.ClosedPRs
	if r.Archived && old.Archived {
		r.ArchivedAt = old.ArchivedAt
	}
}

// keepCommit takes over all that hangs on the commit, if the files are those
// of the stored snapshot and were read in full, and reports whether they are.
func (t *target) keepCommit() bool {
	s := t.work.Stored
	if s == nil || t.work.ID == 0 || !t.listed || !sameRepo(&s.Repo, &t.repo) || len(s.Files) == 0 || s.Failures["tree"] != "" || s.Failures["texts"] != "" {
		return false
	}
	if s.FilesTruncated || t.snap.FilesTruncated || !slices.EqualFunc(s.Files, t.snap.Files, func(a, b registry.File) bool { return a.Path == b.Path && a.OID == b.OID && a.OID != "" }) {
		return false
	}
	t.snap.TextsKept = true
	t.repo.Commit, t.repo.TreeID, t.repo.CommittedAt, t.repo.CommitsInYear = s.Repo.Commit, s.Repo.TreeID, s.Repo.CommittedAt, s.Repo.CommitsInYear
	t.repo.CheckState, t.repo.CheckStateKnown = s.Repo.CheckState, s.Repo.CheckStateKnown
	return true
}

// fromREST turns go-github's repository into our noun; false if it lacks what
// identifies it.
func fromREST(r *gh.Repository, now time.Time) (registry.Repository, bool) {
	owner, name := r.GetOwner().GetLogin(), r.GetName()
	if r.GetID() <= 0 || !validName(owner, name) {
		return registry.Repository{}, false
	}
	out := registry.Repository{
		Host: registry.GitHub, ID: r.GetID(), NodeID: r.GetNodeID(), Owner: owner, Name: name,
		OwnerType: crawler.Clean(r.GetOwner().GetType(), 20), OwnerAvatarURL: plainURL(r.GetOwner().GetAvatarURL()),
		Description: crawler.Clean(r.GetDescription(), 2000), Homepage: plainURL(r.GetHomepage()), DefaultBranch: crawler.Clean(r.GetDefaultBranch(), 255),
		Private: r.GetPrivate(), Fork: r.GetFork(), Template: r.GetIsTemplate(), Mirror: r.GetMirrorURL() != "",
		Disabled: r.GetDisabled(), Archived: r.GetArchived(), Parent: crawler.Clean(r.GetParent().GetFullName(), 150),
		Stars: natural(r.StargazersCount), Forks: natural(r.ForksCount), Watchers: natural(r.SubscribersCount),
		IssuesEnabled: r.HasIssues, LicenseKnown: true, Language: crawler.Clean(r.GetLanguage(), 60), ObservedAt: now,
	}
	for to, from := range map[*time.Time]time.Time{&out.CreatedAt: r.GetCreatedAt().Time, &out.UpdatedAt: r.GetUpdatedAt().Time, &out.PushedAt: r.GetPushedAt().Time} {
		setTime(to, &from)
	}
	if l := r.License; l != nil {
		out.License = "NOASSERTION"
		if id := l.GetSPDXID(); id != "" {
			out.License = crawler.Clean(id, 60)
		}
	}
	for _, topic := range r.Topics {
		out.Topics = append(out.Topics, crawler.Clean(topic, 60))
	}
	return out, true
}

// byREST visits without a token, one repository after another in the order
// given, until the budget is spent.
func (v *visiting) byREST(ctx context.Context, works []registry.Work) error {
	for _, w := range works {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := v.g.api.Ready(coreLimit); err != nil {
			return err
		}
		t := &target{work: w}
		v.restVisit(ctx, t, v.g.api, v.g.rest, v.g.WithoutToken())
		if v.ended {
			return nil
		}
	}
	return nil
}

// PathActivity returns what the commits that touched each path say, by path,
// for servers in subfolders; what could not be told is in the second map, with
// the reason. The error is one that ends a visit, such as a spent budget.
func (g *Client) PathActivity(ctx context.Context, repo registry.Repository, paths []string) (map[string]registry.Activity, map[string]string, error) {
	found, failures := map[string]registry.Activity{}, map[string]string{}
	if !g.HasToken() || repo.NodeID == "" || !isOID(repo.Commit) {
		for _, p := range paths {
			failures[p] = "the commits of a folder can be told with a GitHub token only"
		}
		return found, failures, nil
	}
	v := &visiting{g: g, stop: func() {}, yield: func(registry.Visit) bool { return false }}
	size := newSizer(5)
	err := inBatches(ctx, g, size, paths, func(batch []string) ([]string, error) {
		return v.pathBatch(ctx, repo, batch, found, failures)
	}, func(p string, err error) {
		failures[p] = "GitHub did not give the commits of the folder: " + reasonOf(err)
	})
	if err != nil {
		return found, failures, err
	}
	return found, failures, v.firstCommits(ctx, repo, found)
}

func (v *visiting) pathBatch(ctx context.Context, repo registry.Repository, batch []string, found map[string]registry.Activity, failures map[string]string) ([]string, error) {
	now := v.g.opt.Now().UTC()
	var head, body strings.Builder
	head.WriteString("query Folders($id: ID!, $since: GitTimestamp!")
	vars := map[string]any{"id": repo.NodeID, "since": now.Add(-humanWindow).Truncate(time.Second).Format(time.RFC3339)}
	for i, p := range batch {
		fmt.Fprintf(&head, ", $p%d: String!", i)
		fmt.Fprintf(&body, " r%d: object(oid: \"%s\") { ... on Commit { history(first: 100, since: $since, path: $p%d) { ...History } } }", i, repo.Commit, i)
		vars[fmt.Sprintf("p%d", i)] = p
	}
	r, err := v.g.ask(ctx, head.String()+") {\n  rateLimit { cost remaining resetAt }\n  node(id: $id) { ... on Repository {"+body.String()+" } }\n}\n"+historyFields, vars)
	if err != nil {
		return nil, err
	}
	var data struct {
		Node map[string]*struct{ History *historyPage }
	}
	if err := decodeData(r, &data); err != nil {
		return nil, err
	}
	alias := aliasIndex("r", len(batch))
	errs := errorsByNode(r.Errors, func(path []any) (int, int) {
		if len(path) < 2 {
			return -1, 0
		}
		i, used := alias(path[1:])
		return i, used + 1
	})
	var again []string
	for i, p := range batch {
		n := data.Node[fmt.Sprintf("r%d", i)]
		switch {
		case errs[i].limited():
			again = append(again, p)
		case n == nil || n.History == nil:
			failures[p] = "GitHub did not give the commits of the folder"
			if e, bad := errs[i].any(); bad {
				failures[p] += ": " + crawler.Clean(e.Message, 200)
			}
		default:
			d := newDraft(now)
			d.add(n.History)
			a := d.activity(nil)
			if !d.more && !d.oldest.IsZero() {
				a.FirstCommitAt = &d.oldest // unless there are older ones
			}
			found[p] = a
		}
	}
	return again, nil
}

// youngFolder is how young a folder is whose age makes a difference.
const youngFolder = 180 * 24 * time.Hour

// firstCommits keeps the first commits of folders that have none older than
// those that were read. Only about what looks young GitHub is asked, and not
// twice: to find no older commit it has to go through the whole history. Where
// it does not say, the first commit is not known.
func (v *visiting) firstCommits(ctx context.Context, repo registry.Repository, found map[string]registry.Activity) error {
	first := map[string]*time.Time{}
	for p, a := range found {
		if at := a.FirstCommitAt; at != nil {
			a.FirstCommitAt = nil
			found[p] = a
			if v.g.opt.Now().Sub(*at) < youngFolder {
				first[p] = at
			}
		}
	}
	for batch := range slices.Chunk(slices.Sorted(maps.Keys(first)), 5) {
		none, err := v.withoutOlder(ctx, repo, batch)
		if stops(err) || ctx.Err() != nil {
			return err
		}
		if err != nil {
			return nil
		}
		for _, p := range none {
			a := found[p]
			a.FirstCommitAt = first[p]
			found[p] = a
		}
	}
	return nil
}

// withoutOlder returns those of the folders that have no commit from before
// the year that is read.
func (v *visiting) withoutOlder(ctx context.Context, repo registry.Repository, batch []string) (none []string, err error) {
	var head, body strings.Builder
	head.WriteString("query Older($id: ID!, $until: GitTimestamp!")
	vars := map[string]any{"id": repo.NodeID, "until": v.g.opt.Now().UTC().Add(-humanWindow).Truncate(time.Second).Format(time.RFC3339)}
	for i, p := range batch {
		fmt.Fprintf(&head, ", $p%d: String!", i)
		fmt.Fprintf(&body, " r%d: object(oid: \"%s\") { ... on Commit { history(first: 1, until: $until, path: $p%d) { nodes { oid } } } }", i, repo.Commit, i)
		vars[fmt.Sprintf("p%d", i)] = p
	}
	r, err := v.g.ask(ctx, head.String()+") {\n  rateLimit { cost remaining resetAt }\n  node(id: $id) { ... on Repository {"+body.String()+" } }\n}\n", vars)
	if err != nil {
		return nil, err
	}
	var data struct {
		Node map[string]*struct {
			History *struct{ Nodes *[]json.RawMessage }
		}
	}
	if err := decodeData(r, &data); err != nil {
		return nil, err
	}
	for i, p := range batch {
		n := data.Node[fmt.Sprintf("r%d", i)]
		if n != nil && n.History != nil && n.History.Nodes != nil && len(*n.History.Nodes) == 0 {
			none = append(none, p)
		}
	}
	return none, nil
}
