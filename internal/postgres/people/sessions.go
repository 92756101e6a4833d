package people

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/jmoiron/sqlx"

	"mcpcensus/internal/account"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// seenEvery is the precision of the time when a session was last used.
const seenEvery = time.Minute

// Session returns the session of a token, if it has not expired at now, and
// stores that it was used.
func (db *Store) Session(
	ctx context.Context, token account.TokenHash, now time.Time,
) (account.Session, bool, error) {
	var row struct {
		account.Session
		SeenAt time.Time
	}
	err := db.db.GetContext(ctx, &row, `
		SELECT coalesce(account, 0) AS account, data,
			(extract(epoch FROM idle) * 1e9)::bigint AS idle, seen_at, expires_at
		FROM sessions
		WHERE hash = $1 AND expires_at > $2 AND seen_at + idle > $2`, token[:], now)
	if errors.Is(err, sql.ErrNoRows) {
		return account.Session{}, false, nil
	}
	if err == nil && now.Sub(row.SeenAt) > seenEvery {
		_, err = db.db.ExecContext(ctx,
			`UPDATE sessions SET seen_at = $2 WHERE hash = $1 AND seen_at < $2`, token[:], now)
	}
	if err != nil {
		return account.Session{}, false, postgres.Failed("session", err)
	}
	return row.Session, true, nil
}

// SaveSession stores a session. One that is not fresh is only updated: ok is
// false if it was ended since it was read.
func (db *Store) SaveSession(
	ctx context.Context, token account.TokenHash, s account.Session, fresh bool, now time.Time,
) (ok bool, err error) {
	acct := sql.NullInt64{Int64: s.Account, Valid: s.Account != 0}
	v := account.VisitorOf(ctx)
	query := `
		UPDATE sessions SET account = $2, data = $3, seen_at = $4, idle = make_interval(secs => $5),
			expires_at = $6, network = $7, agent = $8
		WHERE hash = $1`
	if fresh {
		// No session is created for an account that was deleted in the
		// meantime.
		query = `
			INSERT INTO sessions (hash, account, data, seen_at, idle, expires_at, network, agent,
				created_at)
			SELECT $1, $2, $3, $4, make_interval(secs => $5), $6, $7, $8, $4
			WHERE $2::bigint IS NULL OR EXISTS (SELECT 1 FROM accounts WHERE id = $2 FOR KEY SHARE)`
	}
	n, err := postgres.Affected(db.db.ExecContext(ctx, query, token[:], acct, s.Data, now, s.Idle.Seconds(),
		s.ExpiresAt, v.Network(), text.Valid(v.Agent)))
	return n == 1, postgres.Failed("save session", err)
}

// ListSessions returns the active sessions of an account at now, last used first. The session
// of the token current is marked.
func (db *Store) ListSessions(
	ctx context.Context, accountID int64, current account.TokenHash, now time.Time,
) (all []account.SessionInfo, err error) {
	err = db.db.SelectContext(ctx, &all, `
		SELECT id, network, agent, created_at, seen_at, least(expires_at, seen_at + idle) AS expires_at,
			hash = $2 AS current
		FROM sessions WHERE account = $1 AND expires_at > $3 AND seen_at + idle > $3
		ORDER BY seen_at DESC, id DESC`, accountID, current[:], now)
	return all, postgres.Failed("sessions", err)
}

// EndSessionOf ends a session of an account. The error is of kind
// [registry.ErrNotFound] if the account has no such session.
func (db *Store) EndSessionOf(ctx context.Context, id int64, e account.AuditEntry) error {
	return postgres.Failed("end a session", postgres.InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		n, err := postgres.Affected(tx.ExecContext(ctx,
			`DELETE FROM sessions WHERE id = $1 AND account = $2`, id, e.Account))
		if err != nil {
			return err
		}
		if n == 0 {
			return registry.Errorf(registry.ErrNotFound, "no such session")
		}
		return audit(ctx, tx, e)
	}))
}

// EndSession deletes the session of a token.
func (db *Store) EndSession(ctx context.Context, token account.TokenHash) error {
	_, err := db.db.ExecContext(ctx, `DELETE FROM sessions WHERE hash = $1`,
		token[:])
	return postgres.Failed("end session", err)
}
