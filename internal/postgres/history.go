package postgres

import (
	"context"
	"fmt"
	"time"

	"mcpcensus/internal/registry"
)

// SnapshotDay stores the figures of every listed server as those of a day
// (UTC) and returns how many there are. Doing it again for the same day stores
// the newer figures.
func (db *DB) SnapshotDay(ctx context.Context, date time.Time) (n int, err error) {
	done, err := db.db.ExecContext(ctx, `
		INSERT INTO day_stats (server_id, date, score, stars, forks, downloads)
		SELECT id, $1::date, score, stars, forks, downloads FROM servers WHERE listed
		ON CONFLICT (server_id, date) DO UPDATE SET
			score = excluded.score, stars = excluded.stars, forks = excluded.forks, downloads = excluded.downloads`,
		date.UTC().Format(time.DateOnly))
	if err != nil {
		return 0, fmt.Errorf("snapshot of the day: %w", err)
	}
	rows, err := done.RowsAffected()
	return int(rows), err
}

// History returns the figures of a server's last days, oldest first. Days
// without figures are absent. The server is found by its slug or an old one;
// one that does not exist has no days.
func (db *DB) History(ctx context.Context, slug string, days int) ([]registry.DayStats, error) {
	var rows []struct {
		Date      time.Time
		Score     *int
		Stars     *int
		Forks     *int
		Downloads *int64
	}
	if err := db.db.SelectContext(ctx, &rows, `
		SELECT date, score, stars, forks, downloads FROM (
			SELECT d.* FROM day_stats d
			WHERE d.server_id = coalesce((SELECT id FROM servers WHERE slug = $1), (SELECT server_id FROM slug_aliases WHERE slug = $1))
			ORDER BY date DESC LIMIT $2
		) AS latest ORDER BY date`, cleanText(slug), days); err != nil {
		return nil, fmt.Errorf("history of %s: %w", slug, err)
	}
	var all []registry.DayStats
	for _, r := range rows {
		y, m, d := r.Date.Date()
		all = append(all, registry.DayStats{Date: time.Date(y, m, d, 0, 0, 0, 0, time.UTC), Score: r.Score, Stars: r.Stars, Forks: r.Forks, Downloads: r.Downloads})
	}
	return all, nil
}
