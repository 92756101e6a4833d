package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"mcpcensus/internal/registry"
)

// Readme returns the README of a listed server, by its slug. The error is of
// kind [registry.ErrNotFound] if none is stored.
func (db *DB) Readme(ctx context.Context, slug string) (r registry.Readme, err error) {
	err = db.db.GetContext(ctx, &r, `
		SELECT t.path, t.text FROM servers s
		JOIN repository_texts t ON t.repo_id = s.repo_id AND t.path = s.facts->'readme'->>'path'
		WHERE s.slug = $1 AND s.listed AND s.hidden_at IS NULL`, cleanText(slug))
	if errors.Is(err, sql.ErrNoRows) {
		return r, registry.Wrap(registry.ErrNotFound, err, "no README is known")
	}
	if err != nil {
		return r, fmt.Errorf("README of %s: %w", slug, err)
	}
	return r, nil
}

// ScoreRises returns the listed servers with the largest score increases since a
// UTC day, largest first, at most limit. Servers without a score on that day or
// now are left out.
func (db *DB) ScoreRises(ctx context.Context, since time.Time, limit int) ([]registry.ScoreRise, error) {
	var rows []struct {
		Slug       string
		Old, Score int
	}
	err := db.db.SelectContext(ctx, &rows, `
		SELECT s.slug, d.score AS old, s.score FROM servers s
		JOIN day_stats d ON d.server_id = s.id AND d.date = $1::date
		WHERE s.listed AND s.hidden_at IS NULL AND s.score > d.score
		ORDER BY s.score - d.score DESC, s.score DESC,
			s.slug LIMIT $2`, dayOf(since).Format(time.DateOnly), limit)
	if err != nil {
		return nil, fmt.Errorf("rises: %w", err)
	}
	all := make([]registry.ScoreRise, len(rows))
	for i, r := range rows {
		all[i] = registry.ScoreRise{Slug: r.Slug, Before: r.Old, Then: r.Score}
	}
	return all, nil
}

// Growth returns the stored figures of the registry by UTC day, beginning with
// the day of since, oldest first.
func (db *DB) Growth(ctx context.Context, since time.Time) ([]registry.DayGrowth, error) {
	var rows []struct {
		Date    time.Time
		Servers int
		Score   *float64
	}
	if err := db.db.SelectContext(ctx, &rows, `
		SELECT date, servers, score FROM day_totals WHERE date >= $1::date
			ORDER BY date`, dayOf(since).Format(time.DateOnly)); err != nil {
		return nil, fmt.Errorf("growth: %w", err)
	}
	all := make([]registry.DayGrowth, len(rows))
	for i, r := range rows {
		y, m, d := r.Date.Date()
		all[i] = registry.DayGrowth{Date: time.Date(y, m, d, 0, 0, 0, 0, time.UTC),
			Servers: r.Servers, Score: r.Score}
	}
	return all, nil
}
