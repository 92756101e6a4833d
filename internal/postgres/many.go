package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/lib/pq"

	"mcpcensus/internal/registry"
)

// Histories returns the daily scores, stars and downloads of servers between two UTC days,
// by slug, oldest first. Other fields of the days are not set. Servers without a day are
// absent.
func (db *DB) Histories(
	ctx context.Context, slugs []string, from, to time.Time,
) (map[string][]registry.DayStats, error) {
	var rows []struct {
		Slug      string
		Days      pq.Int64Array // since 1970
		Scores    pq.Int64Array // -1: unknown
		Stars     pq.Int64Array
		Downloads pq.Int64Array
	}
	// One array per server is ten times faster to read than one row per day.
	if err := db.db.SelectContext(ctx, &rows, `
		SELECT s.slug, array_agg(d.date - '1970-01-01'::date ORDER BY d.date) AS days,
			array_agg(coalesce(d.score, -1) ORDER BY d.date) AS scores,
			array_agg(coalesce(d.stars, -1) ORDER BY d.date) AS stars,
				array_agg(coalesce(d.downloads, -1) ORDER BY d.date) AS downloads
		FROM servers s JOIN day_stats d ON d.server_id = s.id
		WHERE s.slug = ANY($1) AND d.date BETWEEN $2::date AND $3::date
		GROUP BY s.slug`, cleanTexts(slugs), dateOf(from), dateOf(to)); err != nil {
		return nil, fmt.Errorf("histories: %w", err)
	}
	number := func(n int64) *int {
		if n < 0 {
			return nil
		}
		i := int(n)
		return &i
	}
	all := make(map[string][]registry.DayStats, len(rows))
	for _, r := range rows {
		days := make([]registry.DayStats, len(r.Days))
		for i, day := range r.Days {
			days[i] = registry.DayStats{Date: time.Unix(day*24*3600, 0).UTC(),
				Score: number(r.Scores[i]), Stars: number(r.Stars[i])}
			if n := r.Downloads[i]; n >= 0 {
				days[i].Downloads = &n
			}
		}
		all[r.Slug] = days
	}
	return all, nil
}

// Readmes returns the READMEs of listed servers by slug. Servers without one are absent.
func (db *DB) Readmes(ctx context.Context, slugs []string) (map[string]registry.Readme, error) {
	var rows []struct {
		Slug string
		registry.Readme
	}
	if err := db.db.SelectContext(ctx, &rows, `
		SELECT s.slug, t.path, t.text FROM servers s
		JOIN repository_texts t ON t.repo_id = s.repo_id AND t.path = s.facts->'readme'->>'path'
		WHERE s.slug = ANY($1) AND s.listed AND s.hidden_at IS NULL`, cleanTexts(slugs)); err != nil {
		return nil, fmt.Errorf("READMEs: %w", err)
	}
	all := make(map[string]registry.Readme, len(rows))
	for _, r := range rows {
		all[r.Slug] = r.Readme
	}
	return all, nil
}
