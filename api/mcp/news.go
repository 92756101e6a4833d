package mcp

import (
	"cmp"
	"context"
	"slices"
	"time"

	"mcpcensus/api"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
)

const (
	newsAge    = 7 * 24 * time.Hour
	maxNewsAge = 90 * 24 * time.Hour
	maxListed  = 1000 // listings that are read
	maxNews    = 60
)

func (s *source) whatsNew(
	ctx context.Context, in whatsNewInput,
) (*whatsNewOutput, error) {
	v, err := s.api.View()
	if err != nil {
		return nil, err
	}
	now := s.api.Now().UTC()
	since, err := parseSince(in.Since, now)
	if err != nil {
		return nil, err
	}
	listings, err := s.news.News(ctx, nil, since, now.Add(24*time.Hour), maxListed)
	if err != nil {
		return nil, err
	}
	n := newsList{v: v, since: since, until: now, category: in.Category, listed: map[string]bool{}}
	retired, err := s.news.Retired(ctx, since, maxListed)
	if err != nil {
		return nil, err
	}
	n.addListings(listings)
	n.addRetired(retired)
	n.addReleases()
	slices.SortStableFunc(n.all, func(a, b newsEntry) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.ID, b.ID))
	})
	out := &whatsNewOutput{Since: since, Servers: []newsEntry{}, Warnings: []string{}}
	shown, more := safe(v, n.all, maxNews)
	fitting := fit(out, shown)
	out.Servers, out.More = api.EmptyList(shown[:fitting]), more || fitting < len(shown)
	return out, nil
}

// A newsList collects events of servers of a category, or of all.
type newsList struct {
	v            *catalog.View
	since, until time.Time
	category     string
	all          []newsEntry
	listed       map[string]bool
}

func (n *newsList) add(i *catalog.Item, event string, at time.Time) {
	if at.Before(n.since) || n.category != "" && i.Category() != n.category {
		return
	}
	r := i.Summary()
	n.all = append(n.all, newsEntry{
		ID: r.Slug, Name: brief(cmp.Or(r.Name, r.Slug), maxName), Event: event, At: at.UTC(),
		Description: brief(r.Description, maxSentence), Score: r.Health.Score,
		ScoredAt: second(r.ScoredAt), LastCrawledAt: second(r.LastCrawledAt),
		condition: conditionOf(r),
	})
}

func (n *newsList) addListings(news []registry.News) {
	for _, e := range news {
		if i, _ := n.v.Find(e.Slug); i != nil && e.Event() == registry.EventListed {
			n.add(i, "listed", e.At)
			n.listed[e.Slug] = true
		}
	}
}

// addRetired adds servers that are still deprecated or archived.
func (n *newsList) addRetired(news []registry.News) {
	for _, e := range news {
		if i, _ := n.v.Find(e.Slug); i != nil && i.Retired() {
			n.add(i, "deprecated", e.At)
		}
	}
}

// addReleases adds servers with a release, except newly listed ones.
func (n *newsList) addReleases() {
	l := n.v.List(n.category, catalog.ByQuality, -1)
	for k := range l.Total() {
		i := l.At(k)
		if released := i.ReleasedAt(); !released.After(n.until) && !n.listed[i.Slug()] {
			n.add(i, "updated", released)
		}
	}
}

// safe returns the first n entries whose servers are not dangerous, and reports whether
// there are more.
func safe(v *catalog.View, all []newsEntry, n int) (out []newsEntry, more bool) {
	for _, e := range all {
		if len(out) == n {
			return out, true
		}
		i, _ := v.Find(e.ID)
		if i == nil {
			continue
		}
		if r, err := i.Record(); err == nil && !dangerous(r) {
			e.Version, e.ReleasedAt = api.Known(brief(r.LatestVersion, maxName)), second(r.ReleasedAt)
			out = append(out, e)
		}
	}
	return out, false
}

// parseSince parses a time or date within the last 90 days. The default is a week ago.
func parseSince(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return now.Add(-newsAge).Truncate(time.Second), nil
	}
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		at, err = time.Parse(time.DateOnly, s)
	}
	switch {
	case err != nil:
		return at, registry.Invalid("since", "must be a time such as 2026-11-01T00:00:00Z or a date")
	case at.After(now):
		return at, registry.Invalid("since", "must be in the past")
	case at.Before(now.Add(-maxNewsAge)):
		at = now.Add(-maxNewsAge)
	}
	return at.UTC(), nil
}
