package github

import (
	"maps"
	"slices"
	"strings"
	"time"

	"mcpcensus/crawler"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

const (
	activeWeeks = 26 * 7 * 24 * time.Hour
	botWindow   = 180 * 24 * time.Hour
	humanWindow = 365 * 24 * time.Hour
	// maxHistoryPages limits how many pages of 100 commits are read.
	maxHistoryPages = 10
)

type commitAuthor struct {
	Name *string
	User *struct{ Login string }
}

type historyPage struct {
	TotalCount *int
	PageInfo   struct {
		HasNextPage bool
		EndCursor   string
	}
	Nodes []*commitNode
}

type commitNode struct {
	OID           string `json:"oid"`
	CommittedDate time.Time
	Author        *commitAuthor
}

// identity returns a key that distinguishes the author, for counting only, and whether the author
// is a bot. Keys are never stored.
func (a *commitAuthor) identity() (key string, bot bool) {
	name, login := a.names()
	key = strings.ToLower(login)
	if key == "" && a != nil {
		key = "name " + strings.ToLower(strings.TrimSpace(name))
	}
	return key, crawler.IsBot(name) || crawler.IsBot(login)
}

func (a *commitAuthor) updatesDependencies() bool {
	name, login := a.names()
	return crawler.IsDependencyBot(name) || crawler.IsDependencyBot(login)
}

// names returns the names of an author, who may be nil.
func (a *commitAuthor) names() (name, login string) {
	if a != nil && a.Name != nil {
		name = *a.Name
	}
	if a != nil && a.User != nil {
		login = a.User.Login
	}
	return name, login
}

// An activityDraft accumulates the pages of a history, newest commit first.
type activityDraft struct {
	now    time.Time
	forked time.Time   // when the repository was created, if it is a fork
	own    []time.Time // human commits since then
	last   *time.Time  // last human commit
	lastID string
	oldest time.Time // of all commits read
	days   map[string]bool
	humans map[string]bool
	bots   int
	pages  int
	cursor string
	more   bool
	failed bool // a request for older commits failed
}

func newDraft(now time.Time) *activityDraft {
	return &activityDraft{now: now, days: map[string]bool{}, humans: map[string]bool{}}
}

// draftActivity starts the activity of a repository with its newest commits.
func (t *target) draftActivity(n *repoNode, it *item, now time.Time) {
	head := n.DefaultBranchRef.Target
	if head.History == nil {
		reason := "GitHub did not return the commits"
		if e, ok := it.has("defaultBranchRef.target.history"); ok {
			reason = text.Clean(e.Message, 200)
		}
		t.fail("activity", reason)
		return
	}
	d := newDraft(now)
	t.activity = d
	if t.repo.Fork {
		d.forked = t.repo.CreatedAt
	}
	d.add(head.History)
	if _, bot := head.Author.identity(); bot || d.last != nil {
		return
	}
	if at := t.repo.CommittedAt; at != nil && !at.After(now) {
		d.last, d.lastID = at, t.repo.Commit
	}
}

// add adds a page of commits.
func (d *activityDraft) add(p *historyPage) {
	d.pages++
	d.cursor = p.PageInfo.EndCursor
	d.more = p.PageInfo.HasNextPage && len(p.Nodes) > 0 && d.cursor != ""
	for _, c := range p.Nodes {
		if c == nil {
			continue
		}
		at := possible(&c.CommittedDate)
		if at == nil || at.After(d.now) {
			continue // forged, or from a wrong clock
		}
		if d.oldest.IsZero() || at.Before(d.oldest) {
			d.oldest = *at
		}
		key, bot := c.Author.identity()
		switch {
		case !bot:
			d.addHuman(c, *at, key)
		case c.Author.updatesDependencies() && d.now.Sub(*at) <= botWindow:
			d.bots++
		}
	}
}

func (d *activityDraft) addHuman(c *commitNode, at time.Time, author string) {
	if !d.forked.IsZero() && at.After(d.forked) {
		d.own = append(d.own, at)
	}
	if d.last == nil || at.After(*d.last) {
		d.last = &at
		if isOID(c.OID) {
			d.lastID = c.OID
		}
	}
	if d.now.Sub(at) <= activeWeeks {
		d.days[at.Format(time.DateOnly)] = true
	}
	if d.now.Sub(at) <= humanWindow {
		d.humans[author] = true
	}
}

// covers reports whether all commits since t were read.
func (d *activityDraft) covers(t time.Time) bool {
	return !d.more || !d.oldest.IsZero() && d.oldest.Before(t)
}

// ownCommits returns the number of human commits on the default branch of a fork since it was
// forked, nil if unknown. It is an upper bound: commits merged from the parent since then count
// too.
func (d *activityDraft) ownCommits(stored *registry.Activity) *int {
	n := 0
	switch {
	case d.forked.IsZero():
		return nil
	case d.now.Sub(d.forked) <= humanWindow && d.covers(d.forked):
		n = len(d.own)
	case stored != nil && stored.OwnCommits != nil &&
		d.now.Sub(stored.ObservedAt) <= humanWindow && d.covers(stored.ObservedAt):
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

// needsMore reports whether older commits are needed and may be read.
func (d *activityDraft) needsMore(stored *registry.Activity) bool {
	if !d.more || d.pages >= maxHistoryPages {
		return false
	}
	known := stored != nil && !stored.Truncated && d.counted(stored) && d.covers(stored.ObservedAt)
	return !known
}

// counted reports whether the last complete count is recent enough to extend.
func (d *activityDraft) counted(stored *registry.Activity) bool {
	return stored.CountedAt != nil && d.now.Sub(*stored.CountedAt) < fullAge
}

// activity returns the result. A stored activity supplies commits older than those that were read
// if there is no gap. Counts older than a month are not extended, because they could never
// decrease.
func (d *activityDraft) activity(stored *registry.Activity) registry.Activity {
	if d.failed && stored != nil && !stored.Truncated && d.now.Sub(stored.ObservedAt) < fullAge {
		return *stored // more complete than the newest commits
	}
	now, humans := d.now, len(d.humans)
	a := registry.Activity{
		LastCommitAt: d.last, LastCommit: d.lastID, BotCommits: d.bots, OwnCommits: d.ownCommits(stored),
		ObservedAt: now, CountedAt: &now,
	}
	days := maps.Clone(d.days)
	switch {
	case d.covers(d.now.Add(-humanWindow)):
		a.Humans = &humans
	case stored != nil && d.covers(stored.ObservedAt):
		d.addStored(&a, days, stored)
	default:
		a.Truncated = !d.covers(d.now.Add(-activeWeeks))
	}
	a.ActiveDays = slices.Sorted(maps.Keys(days))
	if a.ActiveDays == nil {
		a.ActiveDays = []string{}
	}
	return a
}

// addStored adds the commits of a stored activity that were not re-read.
func (d *activityDraft) addStored(a *registry.Activity, days map[string]bool, stored *registry.Activity) {
	first := d.now.Add(-activeWeeks).Format(time.DateOnly)
	for _, day := range stored.ActiveDays {
		if day >= first {
			days[day] = true
		}
	}
	a.Truncated = stored.Truncated
	if d.counted(stored) {
		a.CountedAt = stored.CountedAt
		a.BotCommits = max(d.bots, stored.BotCommits)
		if stored.Humans != nil {
			n := max(len(d.humans), *stored.Humans)
			a.Humans = &n
		}
	}
	if a.LastCommitAt == nil {
		a.LastCommitAt, a.LastCommit = stored.LastCommitAt, stored.LastCommit
	}
}
