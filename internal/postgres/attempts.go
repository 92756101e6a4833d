package postgres

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/account"
)

// Attempt implements [account.AttemptStore].
func (db *DB) Attempt(
	ctx context.Context, now time.Time, limits ...account.AttemptLimit,
) (wait time.Duration, err error) {
	now = now.UTC().Truncate(time.Microsecond) // the precision of Postgres
	limits = slices.Clone(limits)
	// Rows are locked in key order, so that transactions do not deadlock.
	slices.SortFunc(limits, func(a, b account.AttemptLimit) int {
		return bytes.Compare(a.Key[:], b.Key[:])
	})
	err = inTx(ctx, db.db, func(tx *sqlx.Tx) error {
		wait = 0
		counts, waits := make([]account.Attempts, len(limits)), make([]time.Duration, len(limits))
		for i, l := range limits {
			if err := tx.GetContext(ctx, &counts[i], `
				INSERT INTO attempts AS a (key, count, last_at, free_at, gone_at)
				VALUES ($1, 0, $2, $2, $2) ON CONFLICT (key) DO UPDATE SET count = a.count
				RETURNING count, last_at AS last, free_at AS next`, l.Key[:], now); err != nil {
				return err
			}
			waits[i] = counts[i].Try(l, now)
			wait = max(wait, waits[i])
		}
		saved := false
		for i, l := range limits {
			if wait > 0 && (waits[i] == 0 || !l.Extend) {
				continue
			}
			a, gone := counts[i], now.Add(time.Duration(counts[i].Count)*l.Decay)
			if a.Next.After(gone) {
				gone = a.Next
			}
			if _, err := tx.ExecContext(ctx, `
				UPDATE attempts SET count = $2, last_at = $3, free_at = $4, gone_at = $5
				WHERE key = $1`, l.Key[:], a.Count, a.Last, a.Next, gone); err != nil {
				return err
			}
			saved = true
		}
		if !saved && wait > 0 {
			return errWait
		}
		return nil
	})
	if errors.Is(err, errWait) {
		err = nil
	}
	return wait, failed("count an attempt", err)
}

// errWait rolls back a transaction.
var errWait = errors.New("wait")

// Forgive implements [account.AttemptStore].
func (db *DB) Forgive(ctx context.Context, keys ...account.TokenHash) error {
	list := make([][]byte, len(keys))
	for i, k := range keys {
		list[i] = k[:]
	}
	slices.SortFunc(list, bytes.Compare)
	_, err := db.db.ExecContext(ctx, `
		UPDATE attempts SET count = greatest(0, count - 1), free_at = last_at - interval '1 hour'
		WHERE key IN (SELECT key FROM attempts WHERE key = ANY($1)
			ORDER BY key FOR UPDATE)`, pq.Array(list))
	return failed("forgive an attempt", err)
}

// ForgetAttempts implements [account.AttemptStore].
func (db *DB) ForgetAttempts(ctx context.Context, key account.TokenHash) error {
	_, err := db.db.ExecContext(ctx, `DELETE FROM attempts WHERE key = $1`, key[:])
	return failed("forget attempts", err)
}
