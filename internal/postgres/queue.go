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

// Lease leases up to n due repositories to this process for ttl: manually requested ones
// first, then the longest overdue, adjusted by priority. No other call returns them until
// they are saved or released, or ttl is over. It returns fewer if their snapshots are
// large, at least one.
func (db *DB) Lease(
	ctx context.Context, n int, ttl time.Duration, now time.Time,
) ([]registry.Work, error) {
	if err := db.locks.keep(ctx, db.db, workerLock(db.worker)); err != nil {
		return nil, Wrapped(err, "lease repositories")
	}
	var rows []workRow
	err := db.db.SelectContext(ctx, &rows, `
		WITH due AS (
			SELECT id, forced, turn_at, coalesce(pg_column_size(snapshot), 0) AS size
			FROM repositories
			WHERE due_at <= $1 AND (lease IS NULL OR lease_until <= $1 -- of an older process
				OR lease IN (SELECT id FROM leases WHERE until <= $1))
			ORDER BY forced DESC, turn_at, id
			LIMIT $2
			FOR UPDATE SKIP LOCKED
		), counted AS (
			SELECT id, sum(size) OVER (ORDER BY forced DESC, turn_at, id) - size AS before FROM due
		), leased AS (
			UPDATE repositories AS r SET lease = $3, lease_until = NULL, leased_by = NULL
			FROM counted AS c WHERE r.id = c.id AND c.before < $6
			RETURNING r.*
		), held AS (
			INSERT INTO leases (id, worker, until) SELECT $3, $5, $4 WHERE EXISTS (SELECT FROM due)
		), ended AS (
			DELETE FROM leases AS l WHERE until <= $1
				AND NOT EXISTS (SELECT FROM repositories AS r WHERE r.lease = l.id)
		)
		SELECT id, host, host_id, node_id, owner, name, lease, attempt, state,
			`+wholeSnapshot+` AS snapshot, fetched_at, changed_at, interval_days, misses,
			missing_since, last_miss_at, forced
		FROM leased ORDER BY forced DESC, turn_at, id`,
		now, n, rand.Text(), now.Add(ttl), db.worker, leaseBytes)
	works := make([]registry.Work, len(rows))
	for i := 0; i < len(rows) && err == nil; i++ {
		works[i], err = rows[i].work()
	}
	return works, Wrapped(err, "lease repositories")
}

// ExtendLease extends leases to now plus ttl, and returns the works that are still leased.
func (db *DB) ExtendLease(
	ctx context.Context, works []registry.Work, ttl time.Duration, now time.Time,
) ([]registry.Work, error) {
	if err := db.locks.keep(ctx, db.db, workerLock(db.worker)); err != nil {
		return nil, Wrapped(err, "extend leases")
	}
	ids, leases := leased(works)
	var held []struct {
		ID    int64
		Lease string
	}
	err := db.db.SelectContext(ctx, &held, `
		WITH extended AS (
			UPDATE leases SET until = $3 WHERE id = ANY($2::text[]) RETURNING id
		)
		SELECT r.id, r.lease FROM unnest($1::bigint[], $2::text[]) AS w (id, lease)
		JOIN repositories AS r ON r.id = w.id AND r.lease = w.lease
		JOIN extended AS e ON e.id = r.lease`, pq.Array(ids), pq.Array(leases), now.Add(ttl))
	if err != nil {
		return nil, Wrapped(err, "extend leases")
	}
	of := map[int64]string{}
	for _, h := range held {
		of[h.ID] = h.Lease
	}
	return slices.DeleteFunc(slices.Clone(works), func(w registry.Work) bool {
		return w.Lease == "" || of[w.ID] != w.Lease
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
	if ids == nil {
		return nil
	}
	err := InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		return Exec(ctx, tx, `
			UPDATE repositories AS r SET lease = NULL, due_at = $3::timestamptz,
				turn_at = $3::timestamptz - make_interval(secs => 7200 * log(2, 1 + greatest(wanted,
					0)::bigint)::float8),
				attempt = attempt + CASE WHEN $5 THEN 1 ELSE 0 END,
				last_error = CASE WHEN $4::text = '' THEN last_error ELSE $4 END,
				last_error_at = CASE WHEN $4::text = '' THEN last_error_at ELSE now() END
			FROM unnest($1::bigint[], $2::text[]) AS w (id, lease)
			WHERE r.id = w.id AND r.lease = w.lease`, pq.Array(ids), pq.Array(leases), nextAt, cleanText(errText), tried)
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

// EndDeadLeases ends the leases of other processes that have ended before they expire, and returns the
// number of those processes. A process holds a lock while it lives.
func (db *DB) EndDeadLeases(ctx context.Context, now time.Time) (ended int, err error) {
	var workers []string
	err = db.db.SelectContext(ctx, &workers,
		`SELECT DISTINCT worker FROM leases WHERE until > $1 AND worker <> $2`, now, db.worker)
	for i := 0; i < len(workers) && err == nil; i++ {
		var dead bool
		err = InTx(ctx, db.db, func(tx *sqlx.Tx) error {
			err := tx.GetContext(ctx, &dead, `SELECT pg_try_advisory_xact_lock($1)`,
				LockID("name "+workerLock(workers[i])))
			if err != nil || !dead {
				return err
			}
			return Exec(ctx, tx, `UPDATE leases SET until = $2 WHERE worker = $1`, workers[i], now)
		})
		if err == nil && dead {
			ended++
		}
	}
	return ended, Wrapped(err, "end leases")
}

func workerLock(worker string) string { return "worker " + worker }
