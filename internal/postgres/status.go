package postgres

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
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

// SourceState returns the reading state of a source. If it was never read, only
// the name is set.
func (db *DB) SourceState(ctx context.Context, name string) (registry.SourceState, error) {
	var s registry.SourceState
	err := db.db.GetContext(ctx, &s, `SELECT * FROM source_states WHERE name = $1`, cleanText(name))
	if errors.Is(err, sql.ErrNoRows) {
		return registry.SourceState{Name: name}, nil
	}
	return s, Wrapped(err, "state of source %s", name)
}

// SaveSourceState stores the reading state of a source. The cursor must be JSON
// or nil.
func (db *DB) SaveSourceState(ctx context.Context, s registry.SourceState) error {
	if s.Cursor != nil && !json.Valid(s.Cursor) {
		return fmt.Errorf("save state of source %s: the cursor is not valid JSON", s.Name)
	}
	_, err := db.db.ExecContext(ctx, `
		INSERT INTO source_states (name, cursor, last_started, last_success, last_error,
			last_error_at, found)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (name) DO UPDATE SET cursor = excluded.cursor, last_started = excluded.last_started,
			last_success = excluded.last_success, last_error = excluded.last_error,
			last_error_at = excluded.last_error_at, found = excluded.found`,
		cleanText(s.Name), nullJSON(s.Cursor), s.LastStarted, s.LastSuccess, text.Cut(
			cleanText(s.LastError), 1000), s.LastErrorAt, s.Found)
	return Wrapped(err, "save state of source %s", s.Name)
}

// SourceStates returns the reading states of all sources, sorted by name.
func (db *DB) SourceStates(ctx context.Context) ([]registry.SourceState, error) {
	states := []registry.SourceState{}
	err := db.db.SelectContext(ctx, &states, `SELECT * FROM source_states ORDER BY name`)
	return states, Wrapped(err, "states of sources")
}

// SaveBudget stores the remaining requests of an upstream's rate limit, unless
// a newer observation is stored.
func (db *DB) SaveBudget(ctx context.Context, b registry.Budget) error {
	_, err := db.db.ExecContext(ctx, `
		INSERT INTO budgets (upstream, credential, resource, "limit", remaining, reset_at,
			observed_at, problem)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (upstream, credential, resource) DO UPDATE SET "limit" = excluded."limit",
			remaining = excluded.remaining,
			reset_at = excluded.reset_at, observed_at = excluded.observed_at, problem = excluded.problem
		WHERE budgets.observed_at <= excluded.observed_at`,
		cleanText(b.Upstream), cleanText(b.Credential), cleanText(
			b.Resource), b.Limit, b.Remaining, b.ResetAt, b.ObservedAt, text.Cut(
			cleanText(b.Problem), 1000))
	return Wrapped(err, "save budget of %s", b.Upstream)
}

// Budgets returns the last observation of every upstream rate limit.
func (db *DB) Budgets(ctx context.Context) ([]registry.Budget, error) {
	budgets := []registry.Budget{}
	err := db.db.SelectContext(ctx, &budgets,
		`SELECT * FROM budgets ORDER BY upstream, credential, resource`)
	return budgets, Wrapped(err, "budgets")
}

// JobStarted stores the start of a job run, and returns the ID of the run. The
// last hundred runs of each job are stored.
func (db *DB) JobStarted(ctx context.Context, run registry.JobRun) (id int64, err error) {
	job := cleanText(run.Job)
	err = db.db.GetContext(ctx, &id,
		`INSERT INTO job_runs (job, started_at) VALUES ($1, $2) RETURNING id`, job, run.StartedAt)
	if err != nil {
		return 0, fmt.Errorf("start of job %s: %w", job, err)
	}
	_, err = db.db.ExecContext(ctx, `
		DELETE FROM job_runs WHERE job = $1 AND id <= (SELECT id FROM job_runs WHERE job = $1
			ORDER BY id DESC OFFSET 100 LIMIT 1)`, job)
	return id, err
}

// JobFinished stores the result of a run: its FinishedAt, Note and Error.
func (db *DB) JobFinished(ctx context.Context, id int64, run registry.JobRun) error {
	_, err := db.db.ExecContext(ctx,
		`UPDATE job_runs SET finished_at = $2, note = $3, error = $4 WHERE id = $1`,
		id, run.FinishedAt, text.Cut(cleanText(run.Note), 1000), text.Cut(cleanText(run.Error), 1000))
	return Wrapped(err, "end of job run %d", id)
}

// JobRuns returns the last run of each job, sorted by name.
func (db *DB) JobRuns(ctx context.Context) ([]registry.JobRun, error) {
	runs := []registry.JobRun{}
	err := db.db.SelectContext(ctx, &runs, `
		SELECT DISTINCT ON (job) job, started_at, finished_at, note, error FROM job_runs
			ORDER BY job, started_at DESC, id DESC`)
	return runs, Wrapped(err, "runs of jobs")
}
