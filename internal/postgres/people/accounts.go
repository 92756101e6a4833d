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

type accountRow struct {
	account.Login
	EmailKey string
	GitHubID sql.NullInt64 `db:"github_id"`
}

func (r accountRow) login() account.Login {
	r.Login.GitHubID = r.GitHubID.Int64
	return r.Login
}

// Account returns the account with that ID. The error is of kind
// [registry.ErrNotFound] if it does not exist.
func (db *Store) Account(ctx context.Context, id int64) (account.Login, error) {
	return oneAccount(ctx, db.db, `SELECT * FROM accounts WHERE id = $1`, id)
}

// AccountOf returns the account with an address, given as its comparison key.
// The error is of kind [registry.ErrNotFound] if it does not exist.
func (db *Store) AccountOf(ctx context.Context, emailKey string) (account.Login, error) {
	return oneAccount(ctx, db.db, `SELECT * FROM accounts WHERE email_key = $1`, emailKey)
}

func oneAccount(
	ctx context.Context, q sqlx.QueryerContext, query string, args ...any,
) (account.Login, error) {
	var row accountRow
	err := sqlx.GetContext(ctx, q, &row, query, args...)
	return row.login(), postgres.NoRow(postgres.Failed("account", err), "no such account")
}

// Accounts returns all accounts, oldest first.
func (db *Store) Accounts(ctx context.Context) ([]account.Account, error) {
	var rows []accountRow
	err := db.db.SelectContext(ctx, &rows, `SELECT * FROM accounts ORDER BY id`)
	return postgres.Mapped(rows, func(r accountRow) account.Account { return r.login().Account }),
		postgres.Failed("accounts", err)
}

// SignUp implements [account.Store].
func (db *Store) SignUp(
	ctx context.Context, l account.Login, emailKey, actor, how string, now time.Time,
) (got account.Login, made bool, err error) {
	err = postgres.InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		var row struct {
			accountRow
			Made bool
		}
		if err := tx.GetContext(ctx, &row, `
			INSERT INTO accounts (email, email_key, github_id, github_login, created_at)
			VALUES ($1, $2, NULLIF($3::bigint, 0), $4, $5)
			ON CONFLICT (email_key) DO UPDATE SET email = accounts.email
			RETURNING *, xmax = 0 AS made`,
			l.Email, emailKey, l.GitHubID, text.Valid(l.GitHubLogin), now); err != nil {
			return otherAccount(err)
		}
		if got, made = row.login(), row.Made; !made {
			return nil
		}
		return audit(ctx, tx, account.AuditEntry{At: now, Account: got.ID, Actor: actor,
			Action: "account.made", Detail: how})
	})
	return got, made, postgres.Failed("sign up", err)
}

// ChangeEmail implements [account.Store].
func (db *Store) ChangeEmail(
	ctx context.Context, link account.Link, e account.AuditEntry,
) (got account.Login, err error) {
	err = postgres.InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		if got, err = oneAccount(ctx, tx, `
			WITH ended AS (DELETE FROM links WHERE account = $1 OR email_key = (
				SELECT email_key FROM accounts WHERE id = $1)),
			signed_out AS (DELETE FROM sessions WHERE account = $1)
			UPDATE accounts SET email = $2, email_key = $3, epoch = epoch + 1 WHERE id = $1
			RETURNING *`,
			link.Account, link.Email, link.EmailKey); err != nil {
			if postgres.IsUnique(err) {
				err = registry.Wrap(registry.ErrConflict, err, "Another account has this address.")
			}
			return err
		}
		return audit(ctx, tx, e)
	})
	return got, postgres.Failed("change an address", err)
}

// endSessions ends all sessions of an account, also those being created, and
// adds that to the audit log.
func endSessions(
	ctx context.Context, tx *sqlx.Tx, id int64, e account.AuditEntry,
) (account.Login, error) {
	l, err := oneAccount(ctx, tx, `UPDATE accounts SET epoch = epoch + 1 WHERE id = $1 RETURNING *`,
		id)
	if err != nil {
		return l, err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE account = $1`, id); err != nil {
		return l, err
	}
	e.Account = id
	return l, audit(ctx, tx, e)
}

// EndSessions ends all sessions of an account and returns the account.
func (db *Store) EndSessions(
	ctx context.Context, id int64, e account.AuditEntry,
) (got account.Login, err error) {
	err = postgres.InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		got, err = endSessions(ctx, tx, id, e)
		return err
	})
	return got, postgres.Failed("end sessions", err)
}

func (db *Store) DeleteAccount(ctx context.Context, id int64) error {
	n, err := postgres.Affected(db.db.ExecContext(ctx, `DELETE FROM accounts WHERE id = $1`, id))
	if err == nil && n == 0 {
		return registry.Errorf(registry.ErrNotFound, "no such account")
	}
	return postgres.Failed("delete account", err)
}

// maxSessions is the maximum number of sessions of an account; the oldest are deleted.
const maxSessions = 100

// ForgetAccounts deletes expired sessions, links, invitations and counts of mails, entries of
// the audit log after a year, and sessions beyond the maximum per account: a program that
// signs in every minute creates a session each time. It returns the number of deleted rows.
func (db *Store) ForgetAccounts(ctx context.Context, now time.Time) (int, error) {
	total := 0
	for _, q := range []struct {
		query string
		arg   any
	}{
		{`DELETE FROM sessions WHERE expires_at < $1 OR seen_at + idle < $1`, now},
		{`DELETE FROM links WHERE expires_at < $1`, now},
		{`DELETE FROM invitations WHERE expires_at < $1`, now},
		{`DELETE FROM mail_counts WHERE at < $1`, now.Add(-24 * time.Hour)},
		{`DELETE FROM usage_alerts WHERE day < $1`, now.AddDate(0, 0, -7)},
		{`DELETE FROM audit WHERE at < $1`, now.Add(-account.AuditFor)},
		{`DELETE FROM sessions WHERE hash IN (
			SELECT hash FROM (SELECT hash, row_number() OVER (PARTITION BY account
				ORDER BY seen_at DESC) AS n FROM sessions WHERE account IS NOT NULL) s
			WHERE n > $1)`, maxSessions},
	} {
		n, err := postgres.Affected(db.db.ExecContext(ctx, q.query, q.arg))
		if err != nil {
			return total, postgres.Failed("delete expired data of accounts", err)
		}
		total += n
	}
	return total, nil
}

// IsEmpty implements [account.Store].
func (db *Store) IsEmpty(ctx context.Context) (empty bool, err error) {
	err = db.db.GetContext(ctx, &empty, `
		SELECT NOT EXISTS (SELECT 1 FROM accounts) AND NOT EXISTS (SELECT 1 FROM repositories)`)
	return empty, postgres.Failed("look for accounts", err)
}

// AccountOfGitHub returns the account that a GitHub user is linked to. The
// error is of kind [registry.ErrNotFound] if the user is not linked.
func (db *Store) AccountOfGitHub(ctx context.Context, id int64) (account.Login, error) {
	return oneAccount(ctx, db.db, `SELECT * FROM accounts WHERE github_id = $1`, id)
}

// LinkGitHub links a GitHub user to an account. The error is of kind
// [registry.ErrConflict] if the user is linked to another account, or another
// user to this one.
func (db *Store) LinkGitHub(
	ctx context.Context, accountID, github int64, login string, now time.Time,
) (got account.Login, err error) {
	err = postgres.InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		got, err = oneAccount(ctx, tx, `
			UPDATE accounts SET github_id = $2, github_login = $3
			WHERE id = $1 AND github_id IS NULL RETURNING *`, accountID, github, text.Valid(login))
		switch {
		case errors.Is(err, registry.ErrNotFound):
			return registry.Wrap(registry.ErrConflict, err,
				"A GitHub user is linked to the account already. Unlink it first.")
		case err != nil:
			return otherAccount(err)
		}
		return audit(ctx, tx, account.AuditEntry{At: now, Account: accountID,
			Actor: account.ByOwner, Action: "github.linked", Detail: "GitHub user " + login})
	})
	return got, postgres.Failed("link GitHub", err)
}

// otherAccount returns err, of kind [registry.ErrConflict] if another account is linked to
// the GitHub user.
func otherAccount(err error) error {
	if postgres.IsUnique(err) {
		return registry.Wrap(registry.ErrConflict, err,
			"This GitHub user signs in to another account here.")
	}
	return err
}

// UnlinkGitHub removes the GitHub user from an account.
func (db *Store) UnlinkGitHub(
	ctx context.Context, accountID int64, now time.Time,
) (got account.Login, err error) {
	err = postgres.InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		if got, err = oneAccount(ctx, tx, `
			UPDATE accounts SET github_id = NULL, github_login = '' WHERE id = $1 RETURNING *`,
			accountID); err != nil {
			return err
		}
		return audit(ctx, tx, account.AuditEntry{At: now, Account: accountID,
			Actor: account.ByOwner, Action: "github.unlinked"})
	})
	return got, postgres.Failed("unlink GitHub", err)
}

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
	return db.exec(ctx, "end session", `DELETE FROM sessions WHERE hash = $1`,
		token[:])
}
