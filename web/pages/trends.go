package pages

import (
	"context"
	"time"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
	"mcpcensus/web/record"
	"mcpcensus/web/site"
)

const (
	// GrowthAge is the period for which the growth of the registry is shown.
	GrowthAge = 26 * 7 * 24 * time.Hour
	// MaxClimbs is the number of score increases that are requested.
	MaxClimbs = 3 * sectionRows

	climbDays = 14 // in which a rise is recent
)

// ClimbsSince is the first day for which a score increase is recent.
func ClimbsSince(now time.Time) time.Time { return now.AddDate(0, 0, -climbDays) }

// A climb is a server whose score rose.
type climb struct {
	*registry.Server
	Before, Then int
}

// recentClimbs returns the servers with the largest recent score increases.
func (p *Pages) recentClimbs(v *catalog.View, limit int) (all []climb) {
	if p.Figures == nil {
		return nil
	}
	now := p.Now()
	for _, c := range load(p, &p.climbs, func(ctx context.Context) ([]registry.ScoreRise, error) {
		return p.Figures.Climbs(ctx, ClimbsSince(now), MaxClimbs)
	}) {
		if i, _ := v.Find(c.Slug); i != nil && i.Active() && len(all) < limit {
			all = append(all, climb{record.Row(i), c.Before, c.Then})
		}
	}
	return all
}

// growthByDay returns the size of the registry by day, nil if it is unknown.
func (p *Pages) growthByDay() []growth {
	if p.Figures == nil {
		return nil
	}
	now := p.Now()
	var all []growth
	for _, g := range load(p, &p.growth, func(ctx context.Context) ([]registry.DayGrowth, error) {
		return p.Figures.Growth(ctx, now.Add(-GrowthAge))
	}) {
		all = append(all, growth{g.Date.Format(time.DateOnly), g.Servers, g.Score})
	}
	return all
}

// load returns a value that is loaded in the background; an export waits for it.
func load[T any](p *Pages, b *site.Background[T], ask func(context.Context) (T, error)) T {
	if p.Static {
		v, _ := b.Load(context.Background(), ask)
		return v
	}
	v, _ := b.Get(p.Now(), ask)
	return v
}
