package postgres

import (
	"context"
	"time"

	"mcpcensus/internal/account"
)

// KnowDevice stores that the owner of an account has signed in with a browser.
func (db *DB) KnowDevice(
	ctx context.Context, accountID int64, device account.TokenHash, now time.Time,
) error {
	_, err := db.db.ExecContext(ctx, `
		INSERT INTO devices (account, hash, seen_at) SELECT id, $2, $3 FROM accounts
			WHERE id = $1 FOR KEY SHARE
		ON CONFLICT (account, hash) DO UPDATE
			SET seen_at = excluded.seen_at`, accountID, device[:], now)
	return failed("know a device", err)
}

// KnowsDevice reports whether the owner of the account with an address, given
// as its comparison key, has signed in with a browser before.
func (db *DB) KnowsDevice(
	ctx context.Context, emailKey string, device account.TokenHash,
) (ok bool, err error) {
	err = db.db.GetContext(ctx, &ok, `
		SELECT EXISTS (SELECT 1 FROM devices d JOIN accounts a ON a.id = d.account
			WHERE a.email_key = $1 AND d.hash = $2)`, emailKey, device[:])
	return ok, failed("know a device", err)
}
