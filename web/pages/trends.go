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
	// MaxScoreRises is the number of score increases that are requested.
	MaxScoreRises = 3 * riseRows

	riseDays = 14 // in which a rise is recent
)

// ScoreRisesSince is the first day for which a score increase is recent.
func ScoreRisesSince(now time.Time) time.Time { return now.AddDate(0, 0, -riseDays) }

// A risingServer is a server whose score rose.
type risingServer struct {
	*registry.Server
	Before, Then int
}

// recentRises returns the servers with the largest recent score increases.
func (p *Pages) recentRises(v *catalog.View, limit int) (all []risingServer) {
	if p.Figures == nil {
		return nil
	}
	now := p.Now()
	for _, c := range site.Loaded(p.Site, &p.rises, func(ctx context.Context) ([]registry.ScoreRise, error) {
		return p.Figures.ScoreRises(ctx, ScoreRisesSince(now), MaxScoreRises)
	}) {
		if i, _ := v.Find(c.Slug); i != nil && shown(i) && len(all) < limit {
			all = append(all, risingServer{record.Row(i), c.Before, c.Then})
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
	for _, g := range site.Loaded(p.Site, &p.growth, func(ctx context.Context) ([]registry.DayGrowth, error) {
		return p.Figures.Growth(ctx, now.Add(-GrowthAge))
	}) {
		all = append(all, growth{g.Date.Format(time.DateOnly), g.Servers, g.Score})
	}
	return all
}
