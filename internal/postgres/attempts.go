package postgres

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/account"
)

// Attempt counts an attempt against all of the allowances, or, if one of them
// is used up, against none, and returns how long to wait then; 0: go on. It is
// exact over any number of processes: of those that come at once, no more pass
// than may.
func (db *DB) Attempt(ctx context.Context, now time.Time, allowances ...account.Allowance) (wait time.Duration, err error) {
	now = now.UTC().Truncate(time.Microsecond) // what Postgres keeps
	allowances = slices.Clone(allowances)
	slices.SortFunc(allowances, func(a, b account.Allowance) int { return bytes.Compare(a.Key[:], b.Key[:]) }) // everybody locks in the same order
	err = inTx(ctx, db.db, func(tx *sqlx.Tx) error {
		wait = 0
		for _, a := range allowances {
			var count int
			err := tx.GetContext(ctx, &count, `
				INSERT INTO attempts AS a (key, count, last_at, free_at, gone_at) VALUES ($1, 1, $2::timestamptz, $2::timestamptz, $2::timestamptz + make_interval(secs => $3))
				ON CONFLICT (key) DO UPDATE SET
					count = 1 + greatest(0, a.count - greatest(0, floor(extract(epoch FROM $2::timestamptz - a.last_at) / $3)::int)),
					-- what is left of a decay counts towards the next
					last_at = CASE WHEN extract(epoch FROM $2::timestamptz - a.last_at) / $3 >= a.count THEN $2::timestamptz
						ELSE a.last_at + make_interval(secs => $3 * greatest(0, floor(extract(epoch FROM $2::timestamptz - a.last_at) / $3))) END
				WHERE a.free_at <= $2::timestamptz
				RETURNING count`, a.Key[:], now, a.Decay.Seconds())
			if errors.Is(err, sql.ErrNoRows) {
				var free time.Time
				if err := tx.GetContext(ctx, &free, `SELECT free_at FROM attempts WHERE key = $1`, a.Key[:]); err != nil {
					return err
				}
				wait = max(free.Sub(now), time.Second)
				return errUsedUp
			}
			if err != nil {
				return err
			}
			// Without a pause the next may come at once, also one whose clock is
			// a little behind.
			pause := delay(a, count)
			free := now.Add(pause)
			if pause == 0 {
				free = now.Add(-time.Hour)
			}
			if _, err := tx.ExecContext(ctx, `UPDATE attempts SET free_at = $2, gone_at = $3 WHERE key = $1`,
				a.Key[:], free, now.Add(max(pause, time.Duration(count)*a.Decay))); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, errUsedUp) {
		return wait, nil
	}
	if err != nil {
		return 0, failed("count an attempt", err)
	}
	return 0, nil
}

var errUsedUp = errors.New("used up")

// delay returns how long the next attempt must wait after count of them.
func delay(a account.Allowance, count int) time.Duration {
	if count < a.Free {
		return 0
	}
	d := a.Step
	for range count - a.Free {
		if d >= a.Max {
			break
		}
		d *= 2
	}
	return min(d, a.Max)
}

// Forgive takes an attempt that went well back.
func (db *DB) Forgive(ctx context.Context, keys ...account.TokenHash) error {
	list := make([][]byte, len(keys))
	for i, k := range keys {
		list[i] = k[:]
	}
	slices.SortFunc(list, bytes.Compare)
	_, err := db.db.ExecContext(ctx, `
		UPDATE attempts SET count = greatest(0, count - 1), free_at = last_at - interval '1 hour'
		WHERE key IN (SELECT key FROM attempts WHERE key = ANY($1) ORDER BY key FOR UPDATE)`, pq.Array(list))
	if err != nil {
		return failed("take back an attempt", err)
	}
	return nil
}

// ForgetAttempts forgets all attempts counted under a key.
func (db *DB) ForgetAttempts(ctx context.Context, key account.TokenHash) error {
	if _, err := db.db.ExecContext(ctx, `DELETE FROM attempts WHERE key = $1`, key[:]); err != nil {
		return failed("forget attempts", err)
	}
	return nil
}

// DeviceOwner returns the account that a device is known of, 0 if of none.
func (db *DB) DeviceOwner(ctx context.Context, device account.TokenHash) (accountID int64, err error) {
	err = db.db.GetContext(ctx, &accountID, `SELECT account FROM devices WHERE hash = $1`, device[:])
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, failed("know a device", err)
	}
	return accountID, nil
}
