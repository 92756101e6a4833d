package people

import (
	"context"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/postgres"
	"mcpcensus/internal/quota"
)

// LeaseQuota implements [quota.Store].
func (db *Store) LeaseQuota(
	ctx context.Context, process int32, requests []quota.LeaseRequest,
) (leases []quota.Lease, err error) {
	tx, err := db.db.BeginTxx(ctx, nil)
	if err != nil {
		return nil, postgres.Wrapped(err, "lease requests")
	}
	if leases, err = leaseQuota(ctx, tx, process, requests); err != nil {
		_ = tx.Rollback()
	} else if err = tx.Commit(); err != nil {
		err = fmt.Errorf("%w: %w", quota.ErrUncertain, err)
	}
	return leases, postgres.Wrapped(err, "lease requests")
}

// A countRow is a row of quota_counts.
type countRow struct {
	Kind    quota.Kind    `json:"kind"`
	Starts  int64         `json:"starts"`
	Subject int64         `json:"subject"`
	Granted int           `json:"granted"`
	Holders pq.Int32Array `json:"holders"`
	Scarce  bool          `json:"scarce"`
}

func (r countRow) key() quota.Key {
	return quota.Key{Subject: quota.Subject{Of: r.Kind, ID: uint64(r.Subject)}, Starts: r.Starts}
}

func leaseQuota(
	ctx context.Context, tx *sqlx.Tx, process int32, requests []quota.LeaseRequest,
) ([]quota.Lease, error) {
	keys := make([]countRow, len(requests))
	at := make(map[quota.Key]int, len(requests))
	for i, r := range requests {
		keys[i] = countRow{Kind: r.Of, Starts: r.Starts, Subject: int64(r.ID)}
		at[r.Key] = i
	}
	// Rows are locked in the order of the primary key, so that transactions do
	// not deadlock.
	var rows []countRow
	if err := tx.SelectContext(ctx, &rows, `
		INSERT INTO quota_counts AS c (kind, starts, subject, granted, holders, scarce)
		SELECT kind, starts, subject, 0, '{}', false
		FROM jsonb_to_recordset($1) AS r (kind int, starts bigint, subject bigint)
		ORDER BY 1, 2, 3
		ON CONFLICT (kind, starts, subject) DO UPDATE SET granted = c.granted
		RETURNING kind, starts, subject, granted, holders, scarce`, postgres.AsJSON{V: keys}); err != nil {
		return nil, err
	}
	leases := make([]quota.Lease, len(requests))
	for n := range rows {
		row := &rows[n]
		i := at[row.key()]
		c := quota.Count{Granted: row.Granted, Holders: row.Holders, Scarce: row.Scarce}
		leases[i] = c.Lease(process, requests[i])
		row.Granted, row.Holders, row.Scarce = c.Granted, c.Holders, c.Scarce
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE quota_counts c SET granted = n.granted, holders = n.holders, scarce = n.scarce
		FROM jsonb_to_recordset($1)
			AS n (kind int, starts bigint, subject bigint, granted int, holders int[], scarce boolean)
		WHERE c.kind = n.kind AND c.starts = n.starts AND c.subject = n.subject`, postgres.AsJSON{V: rows})
	return leases, err
}

// QuotaRecalls implements [quota.Store].
func (db *Store) QuotaRecalls(ctx context.Context, process int32) (keys []quota.Key, err error) {
	var rows []countRow
	err = db.db.SelectContext(ctx, &rows, `
		SELECT kind, starts, subject FROM quota_counts WHERE scarce AND $1 = ANY (holders)`, process)
	for _, r := range rows {
		keys = append(keys, r.key())
	}
	return keys, postgres.Wrapped(err, "recalls of requests")
}

// ForgetQuota deletes counts of windows that ended at least one window ago, and
// returns how many.
func (db *Store) ForgetQuota(ctx context.Context, now time.Time) (n int, err error) {
	for k := range quota.Kinds {
		deleted, err := postgres.Affected(db.db.ExecContext(ctx, `
			DELETE FROM quota_counts WHERE kind = $1 AND starts < $2`, k, now.Add(-2*k.Window()).Unix()))
		if err != nil {
			return n, fmt.Errorf("delete old counts: %w", err)
		}
		n += deleted
	}
	return n, nil
}
