package postgres

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/registry"
)

// SnapshotDay stores the figures of every listed server for a UTC day, with their number and
// mean, and returns the number. Calling it again for the same day overwrites them. It adds the
// partitions of this and the next month.
func (db *DB) SnapshotDay(ctx context.Context, date time.Time) (n int, err error) {
	if err := db.addMonths(ctx, date); err != nil {
		return 0, err
	}
	err = Write(ctx, db.db, func(tx *sqlx.Tx) error {
		if n, err = Affected(tx.ExecContext(ctx, `
			INSERT INTO day_stats (server_id, date, score, stars, forks, downloads, downloads_by)
			SELECT id, $1::date, score, stars, forks, downloads, record->'downloadsBreakdown'
				FROM servers WHERE listed
			ON CONFLICT (server_id, date) DO UPDATE SET
				score = excluded.score, stars = excluded.stars, forks = excluded.forks,
					downloads = excluded.downloads, downloads_by = excluded.downloads_by`,
			DateOf(date))); err != nil {
			return err
		}
		return Exec(ctx, tx, `
			INSERT INTO day_totals (date, servers, score)
			SELECT $1::date, count(*), avg(score) FROM servers WHERE listed AND hidden_at IS NULL
			ON CONFLICT (date) DO UPDATE SET servers = excluded.servers, score = excluded.score`,
			DateOf(date))
	})
	return n, Wrapped(err, "snapshot of the day")
}

// A month is a partition of day_stats.
type month struct {
	Name  string
	Until time.Time // the first day after it
}

// months returns the partitions of day_stats, oldest first. The first one has all earlier
// days.
func months(ctx context.Context, q sqlx.QueryerContext) (all []month, err error) {
	err = sqlx.SelectContext(ctx, q, &all, `
		SELECT name, until FROM (SELECT c.relname AS name,
				substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''([0-9-]+)''\)')::date AS until
			FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
			WHERE i.inhparent = 'day_stats'::regclass) AS months ORDER BY until`)
	return all, err
}

// addMonths adds the missing partitions of day_stats until the month after date. Readers
// and writers of others do not wait for it.
func (db *DB) addMonths(ctx context.Context, date time.Time) error {
	return Wrapped(Write(ctx, db.db, func(tx *sqlx.Tx) error {
		if err := LockUntilEnd(ctx, tx, "partitions"); err != nil {
			return err
		}
		all, err := months(ctx, tx)
		if err != nil {
			return err
		}
		for from := all[len(all)-1].Until.UTC(); !from.After(date.UTC().Truncate(24*time.Hour).AddDate(0, 0, 31)); {
			until := from.AddDate(0, 1, 0)
			if _, err := tx.ExecContext(ctx, fmt.Sprintf(`
				CREATE TABLE %[1]s (LIKE day_stats);
				ALTER TABLE day_stats ATTACH PARTITION %[1]s FOR VALUES FROM ('%[2]s') TO ('%[3]s')`,
				"day_stats_"+from.Format("200601"), from.Format(time.DateOnly),
				until.Format(time.DateOnly))); err != nil {
				return err
			}
			from = until
		}
		return nil
	}), "months of figures")
}

// ForgetDays deletes the figures of all months that ended before a UTC day, and returns the
// number of dropped partitions. It fails if a reader of the figures takes more than three
// seconds, because others would wait for both.
func (db *DB) ForgetDays(ctx context.Context, before time.Time) (dropped int, err error) {
	all, err := months(ctx, db.db)
	if err != nil {
		return 0, fmt.Errorf("months of figures: %w", err)
	}
	first := time.Date(before.Year(), before.Month(), 1, 0, 0, 0, 0, time.UTC)
	for _, m := range all[1:] { // days of any age belong into the first one
		if m.Until.After(first) {
			break
		}
		if err := Write(ctx, db.db, func(tx *sqlx.Tx) error {
			return Exec(ctx, tx, `SET LOCAL lock_timeout = '3s'; DROP TABLE `+m.Name)
		}); err != nil {
			return dropped, fmt.Errorf("forget %s: %w", m.Name, err)
		}
		dropped++
	}
	_, err = db.db.ExecContext(ctx, `DELETE FROM day_stats WHERE date < $1::date`,
		first.Format(time.DateOnly))
	return dropped, Wrapped(err, "forget days")
}

// History returns the figures of a server between two UTC days, both included,
// oldest first. Days without figures are absent. The server is found by its
// slug, current or former; an unknown one has no days.
func (db *DB) History(
	ctx context.Context, slug string, from, to time.Time,
) ([]registry.DayStats, error) {
	var rows []struct {
		registry.DayStats
		DownloadsBy jsonColumn[map[string]int64]
	}
	err := db.db.SelectContext(ctx, &rows, `
		SELECT date::timestamptz AS date, score, stars, forks, downloads, downloads_by FROM day_stats
		WHERE server_id = `+serverOfSlug+` AND date BETWEEN $2::date AND $3::date
		ORDER BY date`, cleanText(slug), DateOf(from), DateOf(to))
	all := make([]registry.DayStats, len(rows))
	for i, r := range rows {
		all[i] = r.DayStats
		all[i].DownloadsBy = r.DownloadsBy.V
	}
	return all, Wrapped(err, "history of %s", slug)
}

// newsOfScores is the minimum change of a score, in points, that is reported if
// the grade stays.
const newsOfScores = 5

// News returns when listed servers were first listed, and score changes between
// the UTC days of since and until, until excluded. A score change is reported
// if it changed the grade or was at least 5 points within a day. It also returns
// changes of tools between since and until, except in lists of READMEs. It covers the
// servers with the given slugs, or all if slugs is nil, and returns at most
// limit entries of each kind, newest first.
func (db *DB) News(
	ctx context.Context, slugs []string, since, until time.Time, limit int,
) (news []registry.News, err error) {
	clean := pq.StringArray(nil)
	if slugs != nil {
		clean = cleanTexts(slugs)
	}
	if err := db.db.SelectContext(ctx, &news, `
		SELECT slug, listed_at AS at FROM servers WHERE listed AND hidden_at IS NULL
			AND ($1::text[] IS NULL OR slug = ANY($1))
		ORDER BY listed_at DESC, slug LIMIT $2`, clean, limit); err != nil {
		return nil, fmt.Errorf("news of listings: %w", err)
	}
	var scores []registry.News
	if err := db.db.SelectContext(ctx, &scores, `
		SELECT s.slug, (d.date + 1)::timestamptz AS at, p.score AS before, d.score AS then
		FROM servers s
		JOIN day_stats d ON d.server_id = s.id AND d.date >= $2::date AND d.date < $3::date
		JOIN day_stats p ON p.server_id = s.id AND p.date = d.date - 1
			AND p.date >= $2::date - 1 AND p.date < $3::date
		WHERE s.listed AND s.hidden_at IS NULL AND ($1::text[] IS NULL OR s.slug = ANY($1))
			AND d.score <> p.score
			AND (abs(d.score - p.score) >= $5 OR width_bucket(d.score, ARRAY[30, 50, 65,
				80]) <> width_bucket(p.score, ARRAY[30, 50, 65, 80]))
		ORDER BY d.date DESC, abs(d.score - p.score) DESC, s.slug LIMIT $4`,
		clean, DateOf(since), DateOf(until), limit, newsOfScores); err != nil {
		return nil, fmt.Errorf("news of scores: %w", err)
	}
	changed, err := db.newsOfTools(ctx, clean, since, until, limit)
	return slices.Concat(news, scores, changed), err
}

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
	err := db.db.SelectContext(ctx, &rows, `
		SELECT s.slug, array_agg(d.date - '1970-01-01'::date ORDER BY d.date) AS days,
			array_agg(coalesce(d.score, -1) ORDER BY d.date) AS scores,
			array_agg(coalesce(d.stars, -1) ORDER BY d.date) AS stars,
				array_agg(coalesce(d.downloads, -1) ORDER BY d.date) AS downloads
		FROM servers s JOIN day_stats d ON d.server_id = s.id
		WHERE s.slug = ANY($1) AND d.date BETWEEN $2::date AND $3::date
		GROUP BY s.slug`, cleanTexts(slugs), DateOf(from), DateOf(to))
	number := func(n int64) *int {
		if n < 0 {
			return nil
		}
		return new(int(n))
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
	return all, Wrapped(err, "histories")
}

// Growth returns the stored figures of the registry by UTC day, beginning with
// the day of since, oldest first.
func (db *DB) Growth(ctx context.Context, since time.Time) (all []registry.DayGrowth, err error) {
	err = db.db.SelectContext(ctx, &all, `
		SELECT date::timestamptz AS date, servers, score FROM day_totals WHERE date >= $1::date
			ORDER BY date`, DateOf(since))
	return all, Wrapped(err, "growth")
}
