package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/lib/pq"

	"mcpcensus/internal/registry"
)

// Status returns the progress of the crawl.
func (db *DB) Status(ctx context.Context, now time.Time) (registry.Status, error) {
	s := registry.Status{At: now.UTC(), Repositories: map[string]int{}, Named: map[string]int{},
		Failing: []registry.Failure{}}
	wrap := func(err error) (registry.Status, error) {
		return s, fmt.Errorf("status: %w", err)
	}
	var states []struct {
		State string
		Count int
	}
	if err := db.db.SelectContext(ctx, &states, `
		SELECT CASE WHEN misses > 0 AND state NOT IN ('gone',
			'blocked') THEN 'missing' ELSE state END AS state, count(*) AS count
		FROM repositories GROUP BY 1`); err != nil {
		return wrap(err)
	}
	for _, st := range states {
		s.Repositories[st.State] = st.Count
	}
	var named []struct {
		Source string
		Count  int
	}
	if err := db.db.SelectContext(ctx, &named,
		`SELECT source, count(*) AS count FROM sightings GROUP BY source`); err != nil {
		return wrap(err)
	}
	for _, n := range named {
		s.Named[n.Source] = n.Count
	}
	var queue struct {
		Due, Leased, Forced       int
		Unvisited                 int
		LagP50                    *float64 `db:"lag_p50"`
		LagP95                    *float64 `db:"lag_p95"`
		AgeP50                    *float64 `db:"age_p50"`
		AgeP95                    *float64 `db:"age_p95"`
		Servers, Hidden, Listings int
		Packages                  int
		PackagesDue               int `db:"packages_due"`
		DownloadsDue              int `db:"downloads_due"`
		Seq                       int64
	}
	if err := db.db.GetContext(ctx, &queue, `
		WITH q AS (
			SELECT state, forced, due_at, probed_at,
				lease IS NOT NULL AND lease_until > $1 AS is_leased
			FROM repositories
		)
		SELECT
			count(*) FILTER (WHERE due_at <= $1 AND NOT is_leased) AS due,
			count(*) FILTER (WHERE is_leased) AS leased,
			count(*) FILTER (WHERE forced) AS forced,
			count(*) FILTER (WHERE probed_at IS NULL) AS unvisited,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch
				FROM $1 - due_at)::float8) FILTER (WHERE due_at <= $1 AND NOT is_leased) AS lag_p50,
			percentile_cont(0.95) WITHIN GROUP (ORDER BY extract(epoch
				FROM $1 - due_at)::float8) FILTER (WHERE due_at <= $1 AND NOT is_leased) AS lag_p95,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch
				FROM $1 - probed_at)::float8) FILTER (WHERE state = 'server'
				AND probed_at IS NOT NULL) AS age_p50,
			percentile_cont(0.95) WITHIN GROUP (ORDER BY extract(epoch
				FROM $1 - probed_at)::float8) FILTER (WHERE state = 'server'
				AND probed_at IS NOT NULL) AS age_p95,
			(SELECT count(*) FROM servers WHERE listed AND hidden_at IS NULL) AS servers,
			(SELECT count(*) FROM servers WHERE hidden_at IS NOT NULL) AS hidden,
			(SELECT count(*) FROM listings) AS listings,
			(SELECT count(*) FROM packages WHERE registry_type <> 'remote') AS packages,
			(SELECT count(*) FROM packages WHERE due_at <= $1
				AND registry_type <> 'remote') AS packages_due,
			(SELECT count(*) FROM packages WHERE downloads_due_at <= $1
				AND registry_type = ANY($2)) AS downloads_due,
			(SELECT seq FROM changes) AS seq
		FROM q`, now.UTC(), pq.Array(registry.DownloadTypes)); err != nil {
		return wrap(err)
	}
	s.Due, s.Leased, s.Forced, s.Unvisited = queue.Due, queue.Leased, queue.Forced, queue.Unvisited
	s.LagP50, s.LagP95, s.AgeP50, s.AgeP95 = queue.LagP50, queue.LagP95, queue.AgeP50, queue.AgeP95
	s.Servers, s.Hidden, s.Listings, s.Seq = queue.Servers, queue.Hidden, queue.Listings, queue.Seq
	s.Packages, s.PackagesDue, s.DownloadsDue = queue.Packages, queue.PackagesDue,
		queue.DownloadsDue

	var failing []struct {
		Of, Error string
		Count     int
		LastAt    time.Time `db:"last_at"`
		Example   string
	}
	// Failures that differ only in numbers (times, sizes) are counted as one.
	if err := db.db.SelectContext(ctx, &failing, `
		SELECT of, max(error) AS error, count(*) AS count, max(at) AS last_at,
			min(example) AS example FROM (
			SELECT 'repository' AS of, last_error AS error, regexp_replace(last_error, '[0-9]{2,}',
				'N', 'g') AS kind,
				coalesce(last_error_at, 'epoch') AS at, owner || '/' || name AS example
			FROM repositories WHERE last_error <> ''
			UNION ALL
			SELECT 'package', last_error, regexp_replace(last_error, '[0-9]{2,}', 'N', 'g'),
				coalesce(last_error_at, 'epoch'), registry_type || ' ' || identifier
			FROM packages WHERE last_error <> ''
			UNION ALL
			SELECT 'package', downloads_error, regexp_replace(downloads_error, '[0-9]{2,}', 'N',
				'g'), coalesce(downloads_error_at, 'epoch'), registry_type || ' ' || identifier
			FROM packages WHERE downloads_error <> ''
		) AS e
		GROUP BY of, kind ORDER BY count DESC, of, kind LIMIT 20`); err != nil {
		return wrap(err)
	}
	for _, f := range failing {
		s.Failing = append(s.Failing,
			registry.Failure{Of: f.Of, Error: f.Error, Count: f.Count, LastAt: f.LastAt.UTC(),
				Example: f.Example})
	}
	var err error
	if s.Endpoints, s.EndpointsDue, err = db.endpoints(ctx, now.UTC()); err != nil {
		return wrap(err)
	}
	if s.Webhooks, err = db.WebhookStatus(ctx, now.UTC()); err != nil {
		return wrap(err)
	}
	if s.Sources, err = db.SourceStates(ctx); err != nil {
		return wrap(err)
	}
	if s.Budgets, err = db.Budgets(ctx); err != nil {
		return wrap(err)
	}
	if s.Jobs, err = db.JobRuns(ctx); err != nil {
		return wrap(err)
	}
	return s, nil
}
