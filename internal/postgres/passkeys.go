package postgres

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jmoiron/sqlx"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
)

// Passkeys implements [account.PasskeyStore].
func (db *DB) Passkeys(
	ctx context.Context, accountID int64,
) (all []account.Passkey, err error) {
	var rows []struct {
		account.Passkey
		Credential []byte
	}
	err = db.db.SelectContext(ctx, &rows, `
		SELECT id, account, name, created_at, used_at, credential FROM passkeys
			WHERE account = $1 ORDER BY id`, accountID)
	for i := 0; i < len(rows) && err == nil; i++ {
		err = json.Unmarshal(rows[i].Credential, &rows[i].Passkey.Credential)
		all = append(all, rows[i].Passkey)
	}
	return all, failed("passkeys", err)
}

// PasskeyOwner implements [account.PasskeyStore].
func (db *DB) PasskeyOwner(ctx context.Context, credential []byte) (id int64, err error) {
	err = db.db.GetContext(ctx, &id, `SELECT account FROM passkeys WHERE credential_id = $1`, credential)
	return id, noRow(failed("owner of a passkey", err), "no such passkey")
}

// AddPasskey implements [account.PasskeyStore].
func (db *DB) AddPasskey(ctx context.Context, p account.Passkey, most int, e account.AuditEntry) error {
	return db.changeFactor(ctx, "add a passkey", e, func(tx *sqlx.Tx) error {
		var n int
		if err := tx.GetContext(ctx, &n, `SELECT count(*) FROM passkeys WHERE account = $1`,
			p.Account); err != nil {
			return err
		}
		if n >= most {
			return registry.Errorf(registry.ErrConflict, "An account has at most %d passkeys. Remove one first.", most)
		}
		n, err := affected(tx.ExecContext(ctx, `
			INSERT INTO passkeys (account, credential_id, credential, sign_count, name, created_at)
			VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (credential_id) DO NOTHING`, p.Account,
			p.Credential.ID, asJSON{p.Credential}, p.Credential.Authenticator.SignCount,
			cleanText(p.Name), p.CreatedAt))
		if err == nil && n == 0 {
			err = registry.Errorf(registry.ErrConflict, "This passkey is registered already.")
		}
		return err
	})
}

// UsePasskey implements [account.PasskeyStore].
func (db *DB) UsePasskey(ctx context.Context, p account.Passkey, now time.Time) (bool, error) {
	n, err := affected(db.db.ExecContext(ctx, `
		UPDATE passkeys SET credential = $2, sign_count = $3, used_at = $4
			WHERE id = $1 AND (sign_count < $3 OR sign_count = 0 AND $3 = 0)`,
		p.ID, asJSON{p.Credential}, int64(p.Credential.Authenticator.SignCount), now))
	return n == 1, failed("use a passkey", err)
}

// RenamePasskey implements [account.PasskeyStore].
func (db *DB) RenamePasskey(ctx context.Context, id int64, name string, e account.AuditEntry) error {
	return db.changePasskey(ctx, e, `UPDATE passkeys SET name = $3 WHERE account = $1 AND id = $2`,
		e.Account, id, cleanText(name))
}

// DropPasskey implements [account.PasskeyStore].
func (db *DB) DropPasskey(ctx context.Context, id int64, e account.AuditEntry) error {
	return db.changePasskey(ctx, e, `DELETE FROM passkeys WHERE account = $1 AND id = $2`, e.Account, id)
}

func (db *DB) changePasskey(ctx context.Context, e account.AuditEntry, query string, args ...any) error {
	return db.changeFactor(ctx, "change a passkey", e, func(tx *sqlx.Tx) error {
		n, err := affected(tx.ExecContext(ctx, query, args...))
		if err == nil && n == 0 {
			err = account.NoPasskey("The account has no such passkey.")
		}
		return err
	})
}

// SaveChallenge implements [account.PasskeyStore].
func (db *DB) SaveChallenge(ctx context.Context, token account.TokenHash, data []byte, expires time.Time) error {
	_, err := db.db.ExecContext(ctx, `
		INSERT INTO passkey_challenges (hash, data, expires_at) VALUES ($1, $2, $3)`, token[:], string(data), expires)
	return failed("save a challenge", err)
}

// TakeChallenge implements [account.PasskeyStore].
func (db *DB) TakeChallenge(ctx context.Context, token account.TokenHash, now time.Time) (data []byte, err error) {
	err = db.db.GetContext(ctx, &data, `
		DELETE FROM passkey_challenges WHERE hash = $1 AND expires_at > $2 RETURNING data`, token[:], now)
	return data, noRow(failed("take a challenge", err), "no such passkey")
}
