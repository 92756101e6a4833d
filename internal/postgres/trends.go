package postgres

import (
	"context"
	"database/sql"
	"errors"
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
	return r, wrapped(err, "README of %s", slug)
}

// ScoreRises returns the listed servers with the largest score increases since a
// UTC day, largest first, at most limit. Servers without a score on that day or
// now are left out.
func (db *DB) ScoreRises(
	ctx context.Context, since time.Time, limit int,
) (all []registry.ScoreRise, err error) {
	err = db.db.SelectContext(ctx, &all, `
		SELECT s.slug, d.score AS before, s.score AS then FROM servers s
		JOIN day_stats d ON d.server_id = s.id AND d.date = $1::date
		WHERE s.listed AND s.hidden_at IS NULL AND s.score > d.score
		ORDER BY s.score - d.score DESC, s.score DESC, s.slug LIMIT $2`, dateOf(since), limit)
	return all, wrapped(err, "rises")
}

// Growth returns the stored figures of the registry by UTC day, beginning with
// the day of since, oldest first.
func (db *DB) Growth(ctx context.Context, since time.Time) (all []registry.DayGrowth, err error) {
	err = db.db.SelectContext(ctx, &all, `
		SELECT date::timestamptz AS date, servers, score FROM day_totals WHERE date >= $1::date
			ORDER BY date`, dateOf(since))
	return all, wrapped(err, "growth")
}
