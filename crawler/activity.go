package crawler

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"mcpcensus/crawler/git"
	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/version"
)

const (
	activeWeeks = 26 * 7 * 24 * time.Hour
	botWindow   = 180 * 24 * time.Hour
	humanWindow = 365 * 24 * time.Hour
	// overlap is the time before the last visit for which commits are read again: they may have
	// been merged since.
	overlap = 14 * 24 * time.Hour
)

// readCommits adds the activity on the default branch, the number of contributors and the newest
// tag. With a recent count, only commits since then are read.
func (r *reading) readCommits(ctx context.Context) error {
	d := newDraft(r.now, r.now.Add(-humanWindow))
	var stored *registry.Activity
	if r.stored != nil {
		if a, ok := r.stored.Activity[""]; ok {
			stored = &a
		}
		r.repo.Contributors = r.stored.Repo.Contributors
	}
	if r.repo.Fork {
		d.forked = r.repo.CreatedAt
	}
	// Without metadata it was not known whether the repository is a fork.
	isKnown := stored != nil && !r.work.Forced && d.extends(stored) &&
		(!r.repo.Fork || r.stored.Repo.Identified())
	if isKnown {
		d.since = stored.ObservedAt.Add(-overlap)
	}
	var history git.History
	var err error
	if !isKnown || r.stored.Repo.Commit != r.repo.Commit {
		history, err = r.git.Commits(ctx, r.repo.Commit, d.since)
	}
	if err != nil {
		if isHostError(ctx, err) {
			return err
		}
		r.fail("activity", "the commits could not be read: "+git.Reason(err))
		if stored != nil {
			r.snap.Activity = map[string]registry.Activity{"": *stored}
		}
	} else {
		d.add(history, r.head)
		r.snap.Activity = map[string]registry.Activity{"": d.activity(stored)}
		r.countContributors(d, isKnown)
	}
	return r.findTag(ctx, history)
}

// isHostError reports whether an error concerns more than one repository.
func isHostError(ctx context.Context, err error) bool {
	var limit *transport.LimitError
	return ctx.Err() != nil || git.IsKind(err, git.Throttled) || errors.As(err, &limit)
}

// countContributors sets the number of authors of the last 26 weeks. Commits since the last
// visit can only add to it.
func (r *reading) countContributors(d *activityDraft, isKnown bool) {
	if d.cut {
		return
	}
	n := d.authors.count()
	if old := r.repo.Contributors; isKnown && old != nil {
		n = max(n, *old)
	}
	r.repo.Contributors = &n
}

// newestVersions is the number of tags whose date is read because of their version.
const newestVersions = 5

// findTag sets the newest tag. Tags of commits in the history are compared by date; tags with
// the highest versions, too, as they may be on other branches.
func (r *reading) findTag(ctx context.Context, history git.History) error {
	tags := slices.Clone(r.git.Tags)
	dates := map[string]time.Time{}
	if s := r.stored; s != nil && s.Repo.LatestTag != nil {
		latest := s.Repo.LatestTag
		if s.Repo.Commit == r.repo.Commit && s.Repo.Tags != nil && *s.Repo.Tags == len(tags) {
			r.repo.LatestTag = latest
			return nil
		}
		for _, t := range tags {
			if t.Name == latest.Tag && latest.PublishedAt != nil {
				dates[t.Commit] = *latest.PublishedAt
			}
		}
	}
	for _, c := range append(history.Commits, r.head) {
		dates[c.ID] = c.Committer.At
	}
	slices.SortStableFunc(tags, func(a, b git.Tag) int {
		return cmp.Or(version.Compare("npm", versionOf(b.Name), versionOf(a.Name)),
			strings.Compare(b.Name, a.Name))
	})
	var unknown []string
	for _, t := range tags[:min(len(tags), newestVersions)] {
		if _, ok := dates[t.Commit]; !ok {
			unknown = append(unknown, t.Commit)
		}
	}
	commits, err := r.git.Heads(ctx, unknown)
	if err != nil && isHostError(ctx, err) {
		return err
	}
	for id, c := range commits {
		dates[id] = c.Committer.At
	}
	for i, t := range tags {
		at, known := dates[t.Commit]
		newest := r.repo.LatestTag
		switch {
		case i == 0:
			r.repo.LatestTag = &registry.Release{Tag: t.Name, PublishedAt: timeOf(at)}
		case known && !at.IsZero() && (newest.PublishedAt == nil || at.After(*newest.PublishedAt)):
			r.repo.LatestTag = &registry.Release{Tag: t.Name, PublishedAt: &at}
		}
	}
	return nil
}

// versionOf returns the version in the name of a tag: "1.2.0" of "server@v1.2.0".
func versionOf(tag string) string {
	if i := strings.LastIndexAny(tag, "@/"); i >= 0 {
		tag = tag[i+1:]
	}
	return strings.TrimPrefix(tag, "v")
}

// PathActivity returns the activity of the commits that changed each path, by path, for servers
// in subfolders. The second map contains the reasons for paths without it. Errors end the visit.
func (c *Contents) PathActivity(
	ctx context.Context, repo registry.Repository, paths []string,
) (map[string]registry.Activity, map[string]string, error) {
	found, failures := map[string]registry.Activity{}, map[string]string{}
	now := c.Now().UTC()
	since := now.Add(-humanWindow)
	var folders map[string]git.FolderHistory
	within, cancel := context.WithTimeoutCause(ctx, maxReading, errSlow)
	defer cancel()
	r, err := c.Git.Open(within, repo.Ref(), true)
	if err == nil {
		folders, err = r.Folders(within, repo.Commit, since, paths)
	}
	if err != nil && isHostError(ctx, err) {
		return found, failures, err
	}
	for _, p := range paths {
		h, ok := folders[p]
		if !ok || len(h.Commits) == 0 && h.Cut != "" {
			why := h.Cut
			if err != nil {
				why = git.Reason(err)
			}
			failures[p] = "the commits of the folder could not be read: " + why
			continue
		}
		d := newDraft(now, since)
		d.add(git.History{Commits: h.Commits, Cut: h.Cut}, git.Commit{})
		a := d.activity(nil)
		if n := len(h.Commits); !h.Older && h.Cut == "" && n > 0 {
			a.FirstCommitAt = timeOf(h.Commits[n-1].Committer.At)
		}
		found[p] = a
	}
	return found, failures, nil
}

// A people is a set of persons, each with several names and addresses. Nothing of it is stored.
type people map[string]string // to another identity of the same person

// add adds a commit's author.
func (p people) add(s git.Signature) {
	name, email := "name "+strings.ToLower(s.Name), strings.ToLower(s.Email)
	a, b := p.find(name), p.find(email)
	switch {
	case s.Email == "" && s.Name == "":
	case s.Email == "":
		p[a] = a
	case s.Name == "":
		p[b] = b
	default:
		p[a], p[b] = a, a
	}
}

// find returns the first identity of a person.
func (p people) find(id string) string {
	for p[id] != "" && p[id] != id {
		id = p[id]
	}
	return id
}

// count returns the number of persons.
func (p people) count() (n int) {
	for id, other := range p {
		if id == other {
			n++
		}
	}
	return n
}

// names returns the name of an author and the local part of the address, which contains the
// login in addresses of code hosts.
func names(s git.Signature) []string {
	local, _, _ := strings.Cut(s.Email, "@")
	return []string{s.Name, local}
}

// An activityDraft accumulates commits.
type activityDraft struct {
	now     time.Time
	since   time.Time   // start of the commits that were read
	cut     bool        // some of them are missing
	forked  time.Time   // when the repository was created, if it is a fork
	own     []time.Time // human commits since then
	last    *time.Time  // last human commit
	lastID  string
	days    map[string]bool
	humans  people // of the last year
	authors people // of the last 26 weeks
	bots    int
}

func newDraft(now, since time.Time) *activityDraft {
	return &activityDraft{now: now, since: since, days: map[string]bool{}, humans: people{},
		authors: people{}}
}

// add adds the commits of a history, and its newest one, which may be older than the history.
func (d *activityDraft) add(h git.History, head git.Commit) {
	d.cut = d.cut || h.Cut != ""
	for _, c := range h.Commits {
		at := c.Committer.At
		if at.IsZero() || at.After(d.now) {
			continue // forged, or from a wrong clock
		}
		switch {
		case !slices.ContainsFunc(names(c.Author), IsBot):
			d.addHuman(c)
		case slices.ContainsFunc(names(c.Author), IsDependencyBot) && d.now.Sub(at) <= botWindow:
			d.bots++
		}
	}
	if at := head.Committer.At; d.last == nil && !at.IsZero() && !at.After(d.now) &&
		!slices.ContainsFunc(names(head.Author), IsBot) {
		d.last, d.lastID = &at, head.ID
	}
}

func (d *activityDraft) addHuman(c git.Commit) {
	at := c.Committer.At
	if !d.forked.IsZero() && at.After(d.forked) {
		d.own = append(d.own, at)
	}
	if d.last == nil || at.After(*d.last) {
		d.last, d.lastID = &at, c.ID
	}
	if d.now.Sub(at) <= activeWeeks {
		d.days[at.Format(time.DateOnly)] = true
		d.authors.add(c.Author)
	}
	if d.now.Sub(at) <= humanWindow {
		d.humans.add(c.Author)
	}
}

// covers reports whether all commits since t were read.
func (d *activityDraft) covers(t time.Time) bool { return !d.cut && !d.since.After(t) }

// ownCommits returns the number of human commits on the default branch of a fork since it was
// forked, nil if unknown. It is an upper bound: commits merged from the parent since then count
// too.
func (d *activityDraft) ownCommits(stored *registry.Activity) *int {
	n := 0
	switch {
	case d.forked.IsZero():
		return nil
	case d.covers(d.forked):
		n = len(d.own)
	case stored != nil && stored.OwnCommits != nil && d.covers(stored.ObservedAt):
		n = *stored.OwnCommits
		for _, at := range d.own {
			if at.After(stored.ObservedAt) {
				n++
			}
		}
	default:
		return nil
	}
	return &n
}

// extends reports whether commits since the stored activity complete it. Counts older than a
// month are not extended, because they could never decrease.
func (d *activityDraft) extends(stored *registry.Activity) bool {
	return !stored.Truncated && stored.CountedAt != nil && stored.Humans != nil &&
		d.now.Sub(*stored.CountedAt) < fullAge
}

// activity returns the result. A stored activity supplies commits older than those that were
// read if there is no gap.
func (d *activityDraft) activity(stored *registry.Activity) registry.Activity {
	now, humans := d.now, d.humans.count()
	a := registry.Activity{
		LastCommitAt: d.last, LastCommit: d.lastID, BotCommits: d.bots,
		OwnCommits: d.ownCommits(stored), ObservedAt: now, CountedAt: &now,
	}
	days := maps.Clone(d.days)
	switch {
	case d.covers(d.now.Add(-humanWindow)):
		a.Humans = &humans
	case stored != nil && d.covers(stored.ObservedAt):
		d.addStored(&a, days, stored)
	default:
		a.Truncated = true
	}
	if a.LastCommitAt == nil && stored != nil {
		a.LastCommitAt, a.LastCommit = stored.LastCommitAt, stored.LastCommit
	}
	a.ActiveDays = slices.Sorted(maps.Keys(days))
	if a.ActiveDays == nil {
		a.ActiveDays = []string{}
	}
	return a
}

// addStored adds the commits of a stored activity that were not read again.
func (d *activityDraft) addStored(
	a *registry.Activity, days map[string]bool, stored *registry.Activity,
) {
	first := d.now.Add(-activeWeeks).Format(time.DateOnly)
	for _, day := range stored.ActiveDays {
		if day >= first {
			days[day] = true
		}
	}
	a.Truncated, a.CountedAt = stored.Truncated, stored.CountedAt
	a.BotCommits = max(d.bots, stored.BotCommits)
	if stored.Humans != nil {
		a.Humans = new(max(d.humans.count(), *stored.Humans))
	}
}
