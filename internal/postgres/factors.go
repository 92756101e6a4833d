package postgres

import (
	"context"

	"github.com/jmoiron/sqlx"

	"mcpcensus/internal/account"
)

// Factor implements [account.FactorStore].
func (db *DB) Factor(ctx context.Context, accountID int64) (f account.Factor, err error) {
	err = db.db.GetContext(ctx, &f, `
		SELECT secret, created_at AS since,
			(SELECT count(*) FROM recovery_codes r WHERE r.account = f.account) AS recovery
		FROM second_factors f WHERE account = $1`, accountID)
	return f, noRow(failed("second factor", err), "no second factor")
}

// SetFactor implements [account.FactorStore].
func (db *DB) SetFactor(
	ctx context.Context, secret string, step int64, recovery []account.TokenHash, e account.AuditEntry,
) error {
	return db.changeFactor(ctx, "set the second factor", e, func(tx *sqlx.Tx) error {
		if _, err := tx.ExecContext(ctx, `
			INSERT INTO second_factors (account, secret, step, created_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (account) DO UPDATE SET secret = excluded.secret, step = excluded.step,
				created_at = excluded.created_at`, e.Account, secret, step, e.At); err != nil {
			return err
		}
		return setRecovery(ctx, tx, e.Account, recovery)
	})
}

// SetRecovery implements [account.FactorStore].
func (db *DB) SetRecovery(
	ctx context.Context, recovery []account.TokenHash, e account.AuditEntry,
) error {
	return db.changeFactor(ctx, "set recovery codes", e, func(tx *sqlx.Tx) error {
		return setRecovery(ctx, tx, e.Account, recovery)
	})
}

// DropFactor implements [account.FactorStore].
func (db *DB) DropFactor(ctx context.Context, e account.AuditEntry) error {
	return db.changeFactor(ctx, "remove the second factor", e, func(tx *sqlx.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM second_factors WHERE account = $1`, e.Account)
		return err
	})
}

// changeFactor runs change with the account locked, and writes the audit log.
func (db *DB) changeFactor(
	ctx context.Context, what string, e account.AuditEntry, change func(tx *sqlx.Tx) error,
) error {
	return failed(what, inTx(ctx, db.db, func(tx *sqlx.Tx) error {
		if err := lockAccount(ctx, tx, e.Account); err != nil {
			return err
		}
		if err := change(tx); err != nil {
			return err
		}
		return audit(ctx, tx, e)
	}))
}

func setRecovery(
	ctx context.Context, tx *sqlx.Tx, accountID int64, recovery []account.TokenHash,
) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM recovery_codes WHERE account = $1`,
		accountID); err != nil {
		return err
	}
	for _, hash := range recovery {
		if _, err := tx.ExecContext(ctx, `INSERT INTO recovery_codes (account, hash) VALUES ($1, $2)`,
			accountID, hash[:]); err != nil {
			return err
		}
	}
	return nil
}

// UseStep implements [account.FactorStore].
func (db *DB) UseStep(ctx context.Context, accountID, step int64) (bool, error) {
	n, err := affected(db.db.ExecContext(ctx,
		`UPDATE second_factors SET step = $2 WHERE account = $1 AND step < $2`, accountID, step))
	return n == 1, failed("use a code", err)
}

// UseRecovery implements [account.FactorStore].
func (db *DB) UseRecovery(
	ctx context.Context, hash account.TokenHash, e account.AuditEntry,
) (ok bool, err error) {
	err = inTx(ctx, db.db, func(tx *sqlx.Tx) error {
		n, err := affected(tx.ExecContext(ctx,
			`DELETE FROM recovery_codes WHERE account = $1 AND hash = $2`, e.Account, hash[:]))
		if ok = n == 1; err != nil || !ok {
			return err
		}
		return audit(ctx, tx, e)
	})
	return ok && err == nil, failed("use a recovery code", err)
}
