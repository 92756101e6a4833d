package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mcpcensus/internal/registry"
)

// Status returns the progress of the crawl, without AgeP50 and AgeP95 (see [DB.Freshness]).
// It reads what is due, leased or failing by indexes, and no large table as a whole.
func (db *DB) Status(ctx context.Context, now time.Time) (registry.Status, error) {
	s := registry.Status{At: now.UTC(), Repositories: map[string]int{}, Named: map[string]int{},
		Endpoints: map[string]int{}, Failing: []registry.Failure{}}
	wrap := func(err error) (registry.Status, error) {
		return s, fmt.Errorf("status: %w", err)
	}
	if err := db.tallies(ctx, &s); err != nil {
		return wrap(err)
	}
	var queue struct {
		Due, Leased, Forced int
		LagP50              *float64 `db:"lag_p50"`
		LagP95              *float64 `db:"lag_p95"`
		PackagesDue         int      `db:"packages_due"`
		DownloadsDue        int      `db:"downloads_due"`
		EndpointsDue        int      `db:"endpoints_due"`
		Seq                 int64
	}
	if err := db.db.GetContext(ctx, &queue, `
		SELECT count(*) AS due,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM $1 - due_at)::float8) AS lag_p50,
			percentile_cont(0.95) WITHIN GROUP (ORDER BY extract(epoch FROM $1 - due_at)::float8) AS lag_p95,
			(SELECT count(*) FROM repositories WHERE lease_until > $1) AS leased,
			(SELECT count(*) FROM repositories WHERE forced) AS forced,
			(SELECT count(*) FROM package_tasks WHERE kind = 'facts' AND due_at <= $1) AS packages_due,
			(SELECT count(*) FROM package_tasks WHERE kind = 'downloads'
				AND due_at <= $1) AS downloads_due,
			(SELECT count(*) FROM package_tasks WHERE kind = 'probe'
				AND due_at <= $1) AS endpoints_due,
			(SELECT seq FROM changes) AS seq
		FROM repositories WHERE due_at <= $1 AND (lease_until IS NULL OR lease_until <= $1)`, now.UTC()); err != nil {
		return wrap(err)
	}
	s.Due, s.Leased, s.Forced, s.Seq = queue.Due, queue.Leased, queue.Forced, queue.Seq
	s.LagP50, s.LagP95 = queue.LagP50, queue.LagP95
	s.PackagesDue, s.DownloadsDue = queue.PackagesDue, queue.DownloadsDue
	s.EndpointsDue = queue.EndpointsDue

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
			SELECT 'package', error, regexp_replace(error, '[0-9]{2,}', 'N', 'g'),
				coalesce(error_at, 'epoch'), registry_type || ' ' || identifier
			FROM package_tasks WHERE error <> ''
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
	var age struct{ P50, P95 *float64 }
	if err := db.db.GetContext(ctx, &age, `
		SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM $1 - probed_at)::float8) AS p50,
			percentile_cont(0.95) WITHIN GROUP (ORDER BY extract(epoch FROM $1 - probed_at)::float8) AS p95
		FROM repositories WHERE state = 'server' AND probed_at IS NOT NULL`, s.At); err != nil {
		return fmt.Errorf("freshness: %w", err)
	}
	s.AgeP50, s.AgeP95 = age.P50, age.P95
	return nil
}
