package postgres

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

type sourceRow struct {
	Name        string
	Cursor      []byte
	LastStarted *time.Time `db:"last_started"`
	LastSuccess *time.Time `db:"last_success"`
	LastError   string     `db:"last_error"`
	LastErrorAt *time.Time `db:"last_error_at"`
	Found       int
}

func (r sourceRow) state() registry.SourceState {
	return registry.SourceState{Name: r.Name, Cursor: r.Cursor, LastStarted: utc(r.LastStarted),
		LastSuccess: utc(r.LastSuccess),
		LastError:   r.LastError, LastErrorAt: utc(r.LastErrorAt), Found: r.Found}
}

// SourceState returns the reading state of a source. If it was never read, only
// the name is set.
func (db *DB) SourceState(ctx context.Context, name string) (registry.SourceState, error) {
	var row sourceRow
	err := db.db.GetContext(ctx, &row, `SELECT * FROM source_states WHERE name = $1`,
		cleanText(name))
	if errors.Is(err, sql.ErrNoRows) {
		return registry.SourceState{Name: name}, nil
	}
	if err != nil {
		return registry.SourceState{}, fmt.Errorf("state of source %s: %w", name, err)
	}
	return row.state(), nil
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
	if err != nil {
		return fmt.Errorf("save state of source %s: %w", s.Name, err)
	}
	return nil
}

// SourceStates returns the reading states of all sources, sorted by name.
func (db *DB) SourceStates(ctx context.Context) ([]registry.SourceState, error) {
	var rows []sourceRow
	if err := db.db.SelectContext(ctx, &rows,
		`SELECT * FROM source_states ORDER BY name`); err != nil {
		return nil, fmt.Errorf("states of sources: %w", err)
	}
	states := make([]registry.SourceState, 0, len(rows))
	for _, r := range rows {
		states = append(states, r.state())
	}
	return states, nil
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
	if err != nil {
		return fmt.Errorf("save budget of %s: %w", b.Upstream, err)
	}
	return nil
}

// Budgets returns the last observation of every upstream rate limit.
func (db *DB) Budgets(ctx context.Context) ([]registry.Budget, error) {
	var rows []struct {
		Upstream, Credential, Resource string
		Limit, Remaining               int
		ResetAt                        time.Time `db:"reset_at"`
		ObservedAt                     time.Time `db:"observed_at"`
		Problem                        string
	}
	if err := db.db.SelectContext(ctx, &rows,
		`SELECT * FROM budgets ORDER BY upstream, credential, resource`); err != nil {
		return nil, fmt.Errorf("budgets: %w", err)
	}
	budgets := make([]registry.Budget, 0, len(rows))
	for _, r := range rows {
		budgets = append(budgets,
			registry.Budget{Upstream: r.Upstream, Credential: r.Credential, Resource: r.Resource,
				Limit: r.Limit, Remaining: r.Remaining, ResetAt: r.ResetAt.UTC(),
				ObservedAt: r.ObservedAt.UTC(), Problem: r.Problem})
	}
	return budgets, nil
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
	if err != nil {
		return fmt.Errorf("end of job run %d: %w", id, err)
	}
	return nil
}

// JobRuns returns the last run of each job, sorted by name.
func (db *DB) JobRuns(ctx context.Context) ([]registry.JobRun, error) {
	var rows []struct {
		Job        string
		StartedAt  time.Time  `db:"started_at"`
		FinishedAt *time.Time `db:"finished_at"`
		Note       string
		Error      string
	}
	if err := db.db.SelectContext(ctx, &rows, `
		SELECT DISTINCT ON (job) job, started_at, finished_at, note, error FROM job_runs
			ORDER BY job, started_at DESC, id DESC`); err != nil {
		return nil, fmt.Errorf("runs of jobs: %w", err)
	}
	runs := make([]registry.JobRun, 0, len(rows))
	for _, r := range rows {
		runs = append(runs, registry.JobRun{Job: r.Job, StartedAt: r.StartedAt.UTC(),
			FinishedAt: utc(r.FinishedAt), Note: r.Note, Error: r.Error})
	}
	return runs, nil
}
