package postgres

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/registry"
)

// A workRow is a row of repositories as a worker sees it.
type workRow struct {
	registry.Work
	Host, Owner, Name string
	HostID            sql.NullInt64
	IntervalDays      float64
	Snapshot          document
}

func (r workRow) work() (registry.Work, error) {
	r.Work.Ref = registry.RepoRef{Host: r.Host, Owner: r.Owner, Name: r.Name}
	r.Work.HostID, r.Work.Interval = r.HostID.Int64, r.IntervalDays
	if r.Snapshot != nil {
		if err := json.Unmarshal(r.Snapshot, &r.Stored); err != nil {
			return r.Work, fmt.Errorf("stored snapshot of %s: %w", r.Ref, err)
		}
	}
	return r.Work, nil
}

// leaseBytes is the maximum size of the stored snapshots of one lease, as compressed by
// Postgres, because a worker holds them in memory.
const leaseBytes = 12 << 20

// Lease leases up to n due repositories to a worker for ttl: manually requested ones
// first, then the longest overdue, adjusted by priority. No other call returns them until
// they are saved or released, or ttl is over. It returns fewer if their snapshots are
// large, at least one.
func (db *DB) Lease(
	ctx context.Context, worker string, n int, ttl time.Duration, now time.Time,
) ([]registry.Work, error) {
	var rows []workRow
	err := db.db.SelectContext(ctx, &rows, `
		WITH due AS (
			SELECT id, forced, turn_at, coalesce(pg_column_size(snapshot), 0) AS size FROM repositories
			WHERE due_at <= $1 AND (lease IS NULL OR lease_until <= $1)
			ORDER BY forced DESC, turn_at, id
			LIMIT $2
			FOR UPDATE SKIP LOCKED
		), counted AS (
			SELECT id, sum(size) OVER (ORDER BY forced DESC, turn_at, id) - size AS before FROM due
		), leased AS (
			UPDATE repositories AS r SET lease = $3, lease_until = $4, leased_by = $5
			FROM counted AS c WHERE r.id = c.id AND c.before < $6
			RETURNING r.*
		)
		SELECT id, host, host_id, node_id, owner, name, lease, attempt, state,
			`+wholeSnapshot+` AS snapshot, fetched_at, changed_at, interval_days, misses,
			missing_since, last_miss_at, forced
		FROM leased ORDER BY forced DESC, turn_at, id`,
		now, n, rand.Text(), now.Add(ttl), cleanText(worker), leaseBytes)
	works := make([]registry.Work, len(rows))
	for i := 0; i < len(rows) && err == nil; i++ {
		works[i], err = rows[i].work()
	}
	return works, Wrapped(err, "lease repositories")
}

// ExtendLease extends leases to now plus ttl, and returns those that are still held.
func (db *DB) ExtendLease(
	ctx context.Context, works []registry.Work, ttl time.Duration, now time.Time,
) ([]registry.Work, error) {
	ids, leases := leased(works)
	type lease struct {
		ID    int64
		Lease string
	}
	var held []lease
	err := InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		held = nil
		return tx.SelectContext(ctx, &held, `
			UPDATE repositories AS r SET lease_until = $3
			FROM unnest($1::bigint[], $2::text[]) AS w (id, lease)
			WHERE r.id = w.id AND r.lease = w.lease
			RETURNING r.id, r.lease`, pq.Array(ids), pq.Array(leases), now.Add(ttl))
	})
	if err != nil {
		return nil, Wrapped(err, "extend leases")
	}
	return slices.DeleteFunc(slices.Clone(works), func(w registry.Work) bool {
		return !slices.Contains(held, lease{w.ID, w.Lease})
	}), nil
}

// Release releases repositories that were not visited. They are due at nextAt. A
// non-empty errText counts as a failed attempt of each. Repositories whose lease has
// passed to another worker are skipped.
func (db *DB) Release(
	ctx context.Context, works []registry.Work, nextAt time.Time, errText string,
) error {
	return db.release(ctx, works, nextAt, errText, errText != "")
}

// Postpone releases repositories that could not be visited yet, with the reason. They
// are due at nextAt; this does not count as a failed attempt.
func (db *DB) Postpone(
	ctx context.Context, works []registry.Work, nextAt time.Time, why string,
) error {
	return db.release(ctx, works, nextAt, why, false)
}

func (db *DB) release(
	ctx context.Context, works []registry.Work, nextAt time.Time, errText string, tried bool,
) error {
	ids, leases := leased(works)
	err := InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		_, err := tx.ExecContext(ctx, `
			UPDATE repositories AS r SET lease = NULL, lease_until = NULL, leased_by = NULL,
				due_at = $3::timestamptz,
				turn_at = $3::timestamptz - make_interval(secs => 7200 * log(2, 1 + greatest(wanted,
					0)::bigint)::float8),
				attempt = attempt + CASE WHEN $5 THEN 1 ELSE 0 END,
				last_error = CASE WHEN $4::text = '' THEN last_error ELSE $4 END,
				last_error_at = CASE WHEN $4::text = '' THEN last_error_at ELSE now() END
			FROM unnest($1::bigint[], $2::text[]) AS w (id, lease)
			WHERE r.id = w.id AND r.lease = w.lease`, pq.Array(ids), pq.Array(leases), nextAt, cleanText(errText), tried)
		return err
	})
	return Wrapped(err, "release repositories")
}

func leased(works []registry.Work) (ids []int64, leases []string) {
	for _, w := range works {
		if w.ID != 0 && w.Lease != "" {
			ids, leases = append(ids, w.ID), append(leases, w.Lease)
		}
	}
	return ids, leases
}

// LeaseHolders returns the names of workers that hold leases on repositories,
// as given to [DB.Lease].
func (db *DB) LeaseHolders(ctx context.Context, now time.Time) ([]string, error) {
	var workers []string
	err := db.db.SelectContext(ctx, &workers, `
		SELECT DISTINCT leased_by FROM repositories WHERE lease_until > $1
			AND leased_by IS NOT NULL ORDER BY leased_by`, now)
	return workers, Wrapped(err, "lease holders")
}

// EndLeases ends the leases of dead workers before they expire, and
// returns how many.
func (db *DB) EndLeases(ctx context.Context, workers []string) (int, error) {
	n, err := Affected(db.db.ExecContext(ctx, `
		UPDATE repositories SET lease = NULL, lease_until = NULL, leased_by = NULL
			WHERE lease_until IS NOT NULL AND leased_by = ANY($1)`, pq.Array(workers)))
	return n, Wrapped(err, "take leases")
}
