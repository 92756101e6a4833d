package postgres

import (
	"context"
	"strings"
	"time"

	"mcpcensus/internal/registry"
)

// Status returns the progress of the crawl, without AgeP50 and AgeP95 (see [DB.Freshness]) and
// without webhooks. It finds due, leased and failing rows by indexes, and scans no large table.
func (db *DB) Status(ctx context.Context, now time.Time) (registry.Status, error) {
	s := registry.Status{At: now.UTC(), Repositories: map[string]int{}, Named: map[string]int{},
		Endpoints: map[string]int{}, Failing: []registry.Failure{}}
	err := db.tallies(ctx, &s)
	if err == nil {
		err = db.db.GetContext(ctx, &s, `
			SELECT count(*) AS due,
				percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM $1 - due_at)::float8) AS lag_p50,
				percentile_cont(0.95) WITHIN GROUP (ORDER BY extract(epoch FROM $1 - due_at)::float8) AS lag_p95,
				(SELECT count(*) FROM repositories AS r JOIN leases AS l ON l.id = r.lease
					WHERE l.until > $1) AS leased,
				(SELECT count(*) FROM repositories WHERE forced) AS forced,
				(SELECT count(*) FROM package_tasks WHERE kind = 'facts' AND due_at <= $1) AS packages_due,
				(SELECT count(*) FROM package_tasks WHERE kind = 'downloads'
					AND due_at <= $1) AS downloads_due,
				(SELECT count(*) FROM package_tasks WHERE kind = 'probe'
					AND due_at <= $1) AS endpoints_due,
				(SELECT seq FROM changes) AS seq
			FROM repositories WHERE due_at <= $1 AND (lease IS NULL OR lease_until <= $1
				OR lease IN (SELECT id FROM leases WHERE until <= $1))`, s.At)
	}
	if err == nil {
		// Failures that differ only in numbers (times, sizes) are counted as one.
		err = db.db.SelectContext(ctx, &s.Failing, `
			SELECT of, max(error) AS error, count(*) AS count, max(at) AS last_at,
				min(example) AS example FROM (
				SELECT 'repository' AS of, last_error AS error, regexp_replace(last_error, '[0-9]{2,}',
					'N', 'g') AS kind,
					coalesce(last_error_at, 'epoch') AS at, owner || '/' || name AS example
				FROM repositories WHERE last_error <> ''
				UNION ALL
				SELECT 'package', error, regexp_replace(error, '[0-9]{2,}', 'N', 'g'),
					coalesce(error_at, 'epoch'), registry_type || ' ' || identifier
				FROM package_tasks WHERE error <> ''
			) AS e
			GROUP BY of, kind ORDER BY count DESC, of, kind LIMIT 20`)
	}
	if err == nil {
		s.Sources, err = db.SourceStates(ctx)
	}
	if err == nil {
		s.Budgets, err = db.Budgets(ctx)
	}
	if err == nil {
		s.Jobs, err = db.JobRuns(ctx)
	}
	return s, Wrapped(err, "status")
}

// tallies fills in how many rows there are of each kind, from the table that triggers
// maintain.
func (db *DB) tallies(ctx context.Context, s *registry.Status) error {
	var rows []struct {
		Name, Part string
		N          int
	}
	if err := db.db.SelectContext(ctx, &rows, `
		SELECT name, part, sum(n)::bigint AS n FROM tallies GROUP BY name, part
		HAVING sum(n) <> 0`); err != nil {
		return err
	}
	for _, r := range rows {
		switch r.Name {
		case "repositories":
			state, unvisited := strings.CutSuffix(r.Part, " unvisited")
			s.Repositories[state] += r.N
			if unvisited {
				s.Unvisited += r.N
			}
		case "servers":
			switch r.Part {
			case "listed":
				s.Servers = r.N
			case "hidden":
				s.Hidden = r.N
			}
		case "packages":
			if state, ok := strings.CutPrefix(r.Part, "remote "); ok {
				s.Endpoints[state] = r.N
			} else {
				s.Packages = r.N
			}
		case "sightings":
			s.Named[r.Part] = r.N
		case "listings":
			s.Listings = r.N
		}
	}
	return nil
}

// Freshness sets AgeP50 and AgeP95 of a status. It reads all repositories.
func (db *DB) Freshness(ctx context.Context, s *registry.Status) error {
	return Wrapped(db.db.GetContext(ctx, s, `
		SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM $1 - probed_at)::float8) AS age_p50,
			percentile_cont(0.95) WITHIN GROUP (ORDER BY extract(epoch FROM $1 - probed_at)::float8) AS age_p95
		FROM repositories WHERE state = 'server' AND probed_at IS NOT NULL`, s.At), "freshness")
}
