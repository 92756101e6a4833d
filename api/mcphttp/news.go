package mcphttp

import (
	"cmp"
	"context"
	"slices"
	"time"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/mcpserver"
	"mcpcensus/internal/registry"
)

const (
	newsAge    = 7 * 24 * time.Hour
	maxNewsAge = 90 * 24 * time.Hour
	maxListed  = 1000 // listings that are read
)

// WhatsNew implements the tool whats_new.
func (s *Source) WhatsNew(
	ctx context.Context, in mcpserver.WhatsNewInput,
) (*mcpserver.WhatsNewOutput, error) {
	v, err := s.API.View()
	if err != nil {
		return nil, err
	}
	now := s.API.Now().UTC()
	since, err := parseSince(in.Since, now)
	if err != nil {
		return nil, err
	}
	if s.News == nil {
		return nil, unavailable("News are")
	}
	listings, err := s.News.News(ctx, nil, since, now.Add(24*time.Hour), maxListed)
	if err != nil {
		return nil, err
	}
	var all []mcpserver.NewsEntry
	listed := map[string]bool{}
	add := func(r *registry.Server, event string, at time.Time) {
		if at.Before(since) || in.Category != "" && r.Category != in.Category {
			return
		}
		e := mcpserver.NewsEntry{ID: r.Slug, Name: brief(cmp.Or(r.Name, r.Slug), maxName), Event: event,
			At: at.UTC(), Description: brief(r.Description, maxSentence), Score: r.Health.Score}
		all = append(all, e)
	}
	for _, n := range listings {
		if i, _ := v.Find(n.Slug); i != nil && n.Event() == registry.EventListed {
			add(i.Summary(), "listed", n.At)
			listed[n.Slug] = true
		}
	}
	l := v.List(in.Category, catalog.ByQuality, -1)
	for n := range l.Total() {
		i := l.At(n)
		switch slug := i.Slug(); {
		case !i.Active():
			if i.UpdatedAt().After(since) {
				add(i.Summary(), "deprecated", i.UpdatedAt())
			}
		case i.ReleasedAt().After(since) && !i.ReleasedAt().After(now) && !listed[slug]:
			add(i.Summary(), "updated", i.ReleasedAt())
		}
	}
	slices.SortStableFunc(all, func(a, b mcpserver.NewsEntry) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.ID, b.ID))
	})
	out := &mcpserver.WhatsNewOutput{Since: since, Servers: []mcpserver.NewsEntry{}, Warnings: []string{}}
	shown := s.safe(v, all, 60)
	n := mcpserver.Fit(out, shown)
	out.Servers, out.More = list(shown[:n]), n < len(all)
	return out, nil
}

// safe returns the first n entries whose servers are not dangerous.
func (s *Source) safe(v *catalog.View, all []mcpserver.NewsEntry, n int) (out []mcpserver.NewsEntry) {
	for _, e := range all {
		if len(out) == n {
			break
		}
		if i, _ := v.Find(e.ID); i != nil {
			if r, err := i.Record(); err == nil && !dangerous(r) {
				e.Version = known(brief(r.LatestVersion, maxName))
				out = append(out, e)
			}
		}
	}
	return out
}

// parseSince reads a time or a day within the last 90 days; empty is a week ago.
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
