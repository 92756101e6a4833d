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

// Attempt implements [account.AttemptStore].
func (db *DB) Attempt(
	ctx context.Context, now time.Time, limits ...account.AttemptLimit,
) (wait time.Duration, err error) {
	now = now.UTC().Truncate(time.Microsecond) // the precision of Postgres
	limits = slices.Clone(limits)
	// Rows are locked in key order, so that transactions do not deadlock.
	slices.SortFunc(limits, func(a,
		b account.AttemptLimit) int {
		return bytes.Compare(a.Key[:], b.Key[:])
	})
	err = inTx(ctx, db.db, func(tx *sqlx.Tx) error {
		wait = 0
		var passed, refused []attemptRow
		for _, l := range limits {
			a, err := lockAttempts(ctx, tx, l.Key, now)
			if err != nil {
				return err
			}
			w := a.Try(l, now)
			wait = max(wait, w)
			switch {
			case w == 0:
				passed = append(passed, attemptRow{l, a})
			case l.Extend:
				refused = append(refused, attemptRow{l, a})
			}
		}
		switch {
		case wait == 0:
			return saveAttempts(ctx, tx, now, passed)
		case len(refused) > 0:
			return saveAttempts(ctx, tx, now, refused)
		}
		return errWait
	})
	if err != nil && !errors.Is(err, errWait) {
		return 0, failed("count an attempt", err)
	}
	return wait, nil
}

type attemptRow struct {
	account.AttemptLimit
	account.Attempts
}

// lockAttempts returns the attempts of a key, and adds its row if it is missing.
func lockAttempts(
	ctx context.Context, tx *sqlx.Tx, key account.TokenHash, now time.Time,
) (a account.Attempts, err error) {
	err = tx.QueryRowxContext(ctx, `
		INSERT INTO attempts AS a (key, count, last_at, free_at, gone_at) VALUES ($1, 0, $2, $2, $2)
		ON CONFLICT (key) DO UPDATE SET count = a.count
		RETURNING count, last_at, free_at`, key[:], now).Scan(&a.Count, &a.Last, &a.Next)
	return a, err
}

func saveAttempts(ctx context.Context, tx *sqlx.Tx, now time.Time, rows []attemptRow) error {
	for _, r := range rows {
		gone := now.Add(time.Duration(r.Count) * r.Decay)
		if r.Attempts.Next.After(gone) {
			gone = r.Attempts.Next
		}
		if _, err := tx.ExecContext(ctx,
			`UPDATE attempts SET count = $2, last_at = $3, free_at = $4, gone_at = $5 WHERE key = $1`,
			r.Key[:], r.Count, r.Last, r.Attempts.Next, gone); err != nil {
			return err
		}
	}
	return nil
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
	if err != nil {
		return failed("forgive an attempt", err)
	}
	return nil
}

// ForgetAttempts implements [account.AttemptStore].
func (db *DB) ForgetAttempts(ctx context.Context, key account.TokenHash) error {
	if _, err := db.db.ExecContext(ctx, `DELETE FROM attempts WHERE key = $1`, key[:]); err != nil {
		return failed("forget attempts", err)
	}
	return nil
}

// DeviceOwner implements [account.DeviceStore].
func (db *DB) DeviceOwner(
	ctx context.Context, device account.TokenHash,
) (accountID int64, err error) {
	err = db.db.GetContext(ctx, &accountID, `SELECT account FROM devices WHERE hash = $1`,
		device[:])
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, failed("find a device", err)
	}
	return accountID, nil
}
