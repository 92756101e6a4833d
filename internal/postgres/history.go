package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"mcpcensus/internal/registry"
)

// SnapshotDay stores the figures of every listed server as those of a day
// (UTC) and returns how many there are. Doing it again for the same day stores
// the newer figures.
func (db *DB) SnapshotDay(ctx context.Context, date time.Time) (n int, err error) {
	done, err := db.db.ExecContext(ctx, `
		INSERT INTO day_stats (server_id, date, score, stars, forks, downloads, downloads_by)
		SELECT id, $1::date, score, stars, forks, downloads, record->'downloadsBreakdown' FROM servers WHERE listed
		ON CONFLICT (server_id, date) DO UPDATE SET
			score = excluded.score, stars = excluded.stars, forks = excluded.forks, downloads = excluded.downloads, downloads_by = excluded.downloads_by`,
		date.UTC().Format(time.DateOnly))
	if err != nil {
		return 0, fmt.Errorf("snapshot of the day: %w", err)
	}
	rows, err := done.RowsAffected()
	return int(rows), err
}

// History returns the figures of a server from one UTC day to another, both
// included, oldest first. Days without figures are absent. The server is found
// by its slug or an old one; one that does not exist has no days.
func (db *DB) History(ctx context.Context, slug string, from, to time.Time) ([]registry.DayStats, error) {
	var rows []struct {
		Date        time.Time
		Score       *int
		Stars       *int
		Forks       *int
		Downloads   *int64
		DownloadsBy []byte `db:"downloads_by"`
	}
	if err := db.db.SelectContext(ctx, &rows, `
		SELECT date, score, stars, forks, downloads, downloads_by FROM day_stats
		WHERE server_id = coalesce((SELECT id FROM servers WHERE slug = $1), (SELECT server_id FROM slug_aliases WHERE slug = $1))
			AND date BETWEEN $2::date AND $3::date
		ORDER BY date`, cleanText(slug), dayOf(from).Format(time.DateOnly), dayOf(to).Format(time.DateOnly)); err != nil {
		return nil, fmt.Errorf("history of %s: %w", slug, err)
	}
	all := make([]registry.DayStats, len(rows))
	for i, r := range rows {
		y, m, d := r.Date.Date()
		all[i] = registry.DayStats{Date: time.Date(y, m, d, 0, 0, 0, 0, time.UTC), Score: r.Score, Stars: r.Stars, Forks: r.Forks, Downloads: r.Downloads}
		if r.DownloadsBy != nil {
			if err := json.Unmarshal(r.DownloadsBy, &all[i].DownloadsBy); err != nil {
				return nil, fmt.Errorf("history of %s: %w", slug, err)
			}
		}
	}
	return all, nil
}
