package github

import (
	"slices"
	"strings"
	"time"

	"mcpcensus/crawler"
	"mcpcensus/internal/registry"
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
	Nodes []*struct {
		OID           string `json:"oid"`
		CommittedDate time.Time
		Author        *commitAuthor
	}
}

// who returns a key for the author that holds for this batch, and whether it
// is a program. The key is never stored.
func (a *commitAuthor) who() (key string, bot bool) {
	if a == nil {
		return "", false
	}
	name, login := "", ""
	if a.Name != nil {
		name = *a.Name
	}
	if a.User != nil {
		login = a.User.Login
	}
	key = strings.ToLower(login)
	if key == "" {
		key = "name " + strings.ToLower(strings.TrimSpace(name))
	}
	return key, crawler.IsBot(name) || crawler.IsBot(login)
}

func (a *commitAuthor) updatesDependencies() bool {
	return a != nil && (a.Name != nil && crawler.IsDependencyBot(*a.Name) ||
		a.User != nil && crawler.IsDependencyBot(a.User.Login))
}

const (
	activeWeeks = 26 * 7 * 24 * time.Hour
	botWindow   = 180 * 24 * time.Hour
	humanWindow = 365 * 24 * time.Hour
	// maxHistoryPages bounds how many pages of 100 commits are read.
	maxHistoryPages = 10
)

// An activityDraft adds up pages of one history, newest commit first.
type activityDraft struct {
	now    time.Time
	forked time.Time   // when the repository was made, if it is a fork
	own    []time.Time // human commits since then
	last   *time.Time  // of a human
	lastID string
	oldest time.Time // of all commits read
	days   map[string]bool
	humans map[string]bool
	bots   int
	read   int
	pages  int
	cursor string
	more   bool
	broke  bool // older commits that were asked for did not come
	total  *int
}

func newDraft(now time.Time) *activityDraft {
	return &activityDraft{now: now, days: map[string]bool{}, humans: map[string]bool{}}
}

func (d *activityDraft) add(p *historyPage) {
	d.pages++
	if d.total == nil {
		d.total = natural(p.TotalCount)
	}
	d.more, d.cursor = p.PageInfo.HasNextPage, p.PageInfo.EndCursor
	if len(p.Nodes) == 0 || d.cursor == "" {
		d.more = false
	}
	for _, c := range p.Nodes {
		if c == nil || c.CommittedDate.IsZero() {
			continue
		}
		d.read++
		at := c.CommittedDate.UTC()
		if at.After(d.now) || possible(&at) == nil {
			continue // a date that a clock or a person made up
		}
		if d.oldest.IsZero() || at.Before(d.oldest) {
			d.oldest = at
		}
		key, bot := c.Author.who()
		if bot {
			if c.Author.updatesDependencies() && d.now.Sub(at) <= botWindow {
				d.bots++
			}
			continue
		}
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
			d.humans[key] = true
		}
	}
}

// covers reports whether all commits since t were read.
func (d *activityDraft) covers(t time.Time) bool {
	return !d.more || !d.oldest.IsZero() && d.oldest.Before(t)
}

// ownCommits returns how many human commits the default branch of a fork has
// got since it was forked, nil if that is not known: all of them were read, or
// those since the stored ones were counted. What it took over from its parent
// since then counts too, so it may be too many and never too few.
func (d *activityDraft) ownCommits(stored *registry.Activity) *int {
	n := 0
	switch {
	case d.forked.IsZero():
		return nil
	case d.now.Sub(d.forked) <= humanWindow && d.covers(d.forked):
		n = len(d.own)
	case stored != nil && stored.OwnCommits != nil && d.now.Sub(stored.ObservedAt) <= humanWindow && d.covers(stored.ObservedAt):
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

// wantsMore reports whether older commits matter and may be read.
func (d *activityDraft) wantsMore(stored *registry.Activity) bool {
	if !d.more || d.pages >= maxHistoryPages {
		return false
	}
	if stored != nil && !stored.Truncated && d.counted(stored) && d.covers(stored.ObservedAt) {
		return false // the rest is known already
	}
	return true
}

// counted reports whether the last whole count is young enough to add to.
func (d *activityDraft) counted(stored *registry.Activity) bool {
	return stored.CountedAt != nil && d.now.Sub(*stored.CountedAt) < fullAge
}

// activity returns the result. A stored activity fills in what lies before
// the commits that were read, as long as no gap is between them. Numbers of a
// count that is a month old are not gone on with: they could never fall.
func (d *activityDraft) activity(stored *registry.Activity) registry.Activity {
	if d.broke && stored != nil && !stored.Truncated && d.now.Sub(stored.ObservedAt) < fullAge {
		return *stored // it says more than the newest commits do
	}
	a := registry.Activity{LastCommitAt: d.last, LastCommit: d.lastID, BotCommits: d.bots, OwnCommits: d.ownCommits(stored), ObservedAt: d.now}
	days := make([]string, 0, len(d.days))
	for day := range d.days {
		days = append(days, day)
	}
	humans, now := len(d.humans), d.now
	a.CountedAt = &now
	switch {
	case d.covers(d.now.Add(-humanWindow)):
		a.Humans = &humans
	case stored != nil && d.covers(stored.ObservedAt):
		first := d.now.Add(-activeWeeks).Format(time.DateOnly)
		for _, day := range stored.ActiveDays {
			if day >= first && !d.days[day] {
				days = append(days, day)
			}
		}
		a.Truncated = stored.Truncated
		if d.counted(stored) {
			a.CountedAt = stored.CountedAt
			a.BotCommits = max(d.bots, stored.BotCommits)
			if stored.Humans != nil {
				n := max(humans, *stored.Humans)
				a.Humans = &n
			}
		}
		if a.LastCommitAt == nil {
			a.LastCommitAt, a.LastCommit = stored.LastCommitAt, stored.LastCommit
		}
	default:
		a.Truncated = !d.covers(d.now.Add(-activeWeeks))
	}
	slices.Sort(days)
	a.ActiveDays = days
	return a
}
