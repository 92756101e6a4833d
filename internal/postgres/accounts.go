package postgres

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
)

// An accountRow is a row of accounts.
type accountRow struct {
	account.Login
	EmailKey string
	GitHubID sql.NullInt64 `db:"github_id"`
}

func (r accountRow) login() account.Login {
	r.Login.HasPassword, r.Login.GitHubID = r.Password != "", r.GitHubID.Int64
	return r.Login
}

// Account returns the account with that ID. The error is of kind
// [registry.ErrNotFound] if it does not exist.
func (db *DB) Account(ctx context.Context, id int64) (account.Login, error) {
	return oneAccount(ctx, db.db, `SELECT * FROM accounts WHERE id = $1`, id)
}

// AccountOf returns the account with an address, given as its comparison key.
// The error is of kind [registry.ErrNotFound] if it does not exist.
func (db *DB) AccountOf(ctx context.Context, emailKey string) (account.Login, error) {
	return oneAccount(ctx, db.db, `SELECT * FROM accounts WHERE email_key = $1`, emailKey)
}

func oneAccount(
	ctx context.Context, q sqlx.QueryerContext, query string, args ...any,
) (account.Login, error) {
	var row accountRow
	err := sqlx.GetContext(ctx, q, &row, query, args...)
	return row.login(), noRow(failed("account", err), "no such account")
}

// Accounts returns all accounts, oldest first.
func (db *DB) Accounts(ctx context.Context) ([]account.Account, error) {
	var rows []accountRow
	err := db.db.SelectContext(ctx, &rows, `SELECT * FROM accounts ORDER BY id`)
	return mapped(rows, func(r accountRow) account.Account { return r.login().Account }),
		failed("accounts", err)
}

// SignUp creates an account, or returns the existing one of the address; made
// says which. A non-nil link is added to an account that is not confirmed. The
// same statements run and a row is written in each case, so that the duration
// does not reveal whether an account exists.
func (db *DB) SignUp(
	ctx context.Context, l account.Login, emailKey string, link *account.Link, now time.Time,
) (got account.Login, made bool, err error) {
	err = inTx(ctx, db.db, func(tx *sqlx.Tx) error {
		if got, made, err = insertAccount(ctx, tx, l, emailKey, now); err != nil {
			return err
		}
		v := account.VisitorOf(ctx)
		if _, err := tx.ExecContext(ctx, `
			INSERT INTO audit (at, account, actor, action, detail, network, agent)
			SELECT $1, $2, $3, 'account.made', 'signed up with an email address', $5, $6
				WHERE $4`, now, got.ID, account.BySomebody, made, v.Network(),
			cleanText(v.Agent)); err != nil {
			return err
		}
		if link == nil {
			return nil
		}
		_, err := tx.ExecContext(ctx, `
			INSERT INTO links (hash, account, purpose, password, created_at, expires_at)
			SELECT $1, id, $3, $4, $5, $6 FROM accounts WHERE id = $2 AND confirmed_at IS NULL`,
			link.Hash[:], got.ID, link.Purpose, link.Password, now, link.ExpiresAt)
		return err
	})
	return got, made, failed("sign up", err)
}

// insertAccount creates an account, or returns the existing one of the address.
func insertAccount(
	ctx context.Context, tx *sqlx.Tx, l account.Login, emailKey string, now time.Time,
) (account.Login, bool, error) {
	var row struct {
		accountRow
		Made bool
	}
	err := tx.GetContext(ctx, &row, `
		INSERT INTO accounts (email, email_key, password, github_id, github_login, confirmed_at,
			created_at)
		VALUES ($1, $2, $3, NULLIF($4::bigint, 0), $5, $6, $7)
		ON CONFLICT (email_key) DO UPDATE SET email = accounts.email
		RETURNING *, xmax = 0 AS made`,
		l.Email, emailKey, l.Password, l.GitHubID, cleanText(l.GitHubLogin), l.ConfirmedAt, now)
	return row.login(), row.Made, err
}

// insertLink adds a link to an account.
func insertLink(
	ctx context.Context, tx sqlx.ExtContext, accountID int64, l account.Link, now time.Time,
) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO links (hash, account, purpose, email, email_key, password, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		l.Hash[:], accountID, l.Purpose, l.Email, l.EmailKey, l.Password, now, l.ExpiresAt)
	return err
}

// AddLink adds a link to an account and an entry to its audit log. Of links to
// set a password, and of links to change the address, only the last one is
// valid.
func (db *DB) AddLink(
	ctx context.Context, accountID int64, l account.Link, e account.AuditEntry,
) error {
	return failed("add a link", inTx(ctx, db.db, func(tx *sqlx.Tx) error {
		if _, err := oneAccount(ctx, tx, `SELECT * FROM accounts WHERE id = $1 FOR KEY SHARE`,
			accountID); err != nil {
			return err
		}
		if l.Purpose != account.LinkConfirm { // each sign-up has its own, with its password
			if _, err := tx.ExecContext(ctx,
				`DELETE FROM links WHERE account = $1 AND purpose = $2`, accountID,
				l.Purpose); err != nil {
				return err
			}
		}
		if err := insertLink(ctx, tx, accountID, l, e.At); err != nil {
			return err
		}
		return audit(ctx, tx, e)
	}))
}

// A linkRow is a used link.
type linkRow struct {
	Account                            int64
	Purpose, Email, EmailKey, Password string
}

// useLink deletes a link that has not expired and returns it with its account.
// The account stays locked, so links of one account are used one at a time. The
// error is of kind [registry.ErrNotFound] if there is no such link.
func useLink(
	ctx context.Context, tx *sqlx.Tx, hash account.TokenHash, now time.Time, purposes ...string,
) (l account.Login, row linkRow, err error) {
	// The account is always locked before its links.
	l, err = oneAccount(ctx, tx,
		`SELECT * FROM accounts WHERE id = (SELECT account FROM links WHERE hash = $1) FOR UPDATE`,
		hash[:])
	if err != nil {
		return l, row, err
	}
	err = tx.GetContext(ctx, &row, `
		DELETE FROM links WHERE hash = $1 AND purpose = ANY($3) AND expires_at > $2
		RETURNING account, purpose, email, email_key, password`, hash[:], now, pq.Array(purposes))
	return l, row, noRow(err, "no such link")
}

// Confirm uses a link to confirm an address: that of a new account, which gets
// the password that was chosen with the link, or a changed one of an existing
// account. It returns the account before and after. The error is of kind
// [registry.ErrNotFound] if there is no such link, and of kind
// [registry.ErrConflict] if another account has taken the new address.
func (db *DB) Confirm(
	ctx context.Context, hash account.TokenHash, now time.Time,
) (before, after account.Login, err error) {
	err = inTx(ctx, db.db, func(tx *sqlx.Tx) error {
		was, link, err := useLink(ctx, tx, hash, now, account.LinkConfirm, account.LinkEmail)
		if err != nil {
			return err
		}
		before = was
		if link.Purpose == account.LinkEmail {
			after, err = changeEmail(ctx, tx, link, account.ByOwner, now)
			return err
		}
		if before.ConfirmedAt != nil {
			return registry.Errorf(registry.ErrNotFound, "the account is already confirmed")
		}
		after, err = confirm(ctx, tx, link.Account, link.Password, account.ByOwner, now)
		return err
	})
	return before, after, failed("confirm", err)
}

// confirm confirms the address of a new account and gives it a password hash,
// "" for none. Its other pending confirmations end.
func confirm(
	ctx context.Context, tx *sqlx.Tx, id int64, password, actor string, now time.Time,
) (account.Login, error) {
	l, err := oneAccount(ctx, tx, `
		WITH ended AS (DELETE FROM links WHERE account = $1 AND purpose = 'confirm')
		UPDATE accounts SET confirmed_at = $2, password = $3 WHERE id = $1 RETURNING *`,
		id, now, password)
	if err != nil {
		return l, err
	}
	return l, audit(ctx, tx, account.AuditEntry{At: now, Account: id, Actor: actor,
		Action: "email.confirmed", Detail: l.Email})
}

// changeEmail changes the address of an account to that of a link. Links that
// were sent to the old address end. An unconfirmed account with the new address
// is deleted.
func changeEmail(
	ctx context.Context, tx *sqlx.Tx, link linkRow, actor string, now time.Time,
) (account.Login, error) {
	if _, err := tx.ExecContext(ctx,
		`DELETE FROM accounts WHERE email_key = $1 AND id <> $2 AND confirmed_at IS NULL`,
		link.EmailKey, link.Account); err != nil {
		return account.Login{}, err
	}
	l, err := oneAccount(ctx, tx, `
		WITH ended AS (DELETE FROM links WHERE account = $1)
		UPDATE accounts SET email = $2, email_key = $3, confirmed_at = $4
		WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM accounts WHERE email_key = $3 AND id <> $1)
		RETURNING *`, link.Account, link.Email, link.EmailKey, now)
	switch {
	case errors.Is(err, registry.ErrNotFound) || isUnique(err):
		return l, registry.Wrap(registry.ErrConflict, err,
			"Another account has this address by now.")
	case err != nil:
		return l, err
	}
	return l, audit(ctx, tx, account.AuditEntry{At: now, Account: link.Account, Actor: actor,
		Action: "email.changed", Detail: "to " + link.Email})
}

// ConfirmByOperator confirms an address, given as its comparison key: that of a
// new account, or a requested change of address; fresh says which. A new
// account loses the password of its sign-up, and gets the link to set one. The
// error is of kind [registry.ErrNotFound] if no confirmation of the address is
// pending.
func (db *DB) ConfirmByOperator(
	ctx context.Context, emailKey string, reset account.Link, now time.Time,
) (got account.Login, fresh bool, err error) {
	err = inTx(ctx, db.db, func(tx *sqlx.Tx) error {
		got, err = oneAccount(ctx, tx,
			`SELECT * FROM accounts WHERE email_key = $1 AND confirmed_at IS NULL FOR UPDATE`,
			emailKey)
		if err == nil {
			fresh = true
			if got, err = confirm(ctx, tx, got.ID, "", account.ByOperator, now); err != nil {
				return err
			}
			return insertLink(ctx, tx, got.ID, reset, now)
		}
		if !errors.Is(err, registry.ErrNotFound) {
			return err
		}
		var links []linkRow
		if err := tx.SelectContext(ctx, &links, `
			SELECT account, purpose, email, email_key, password FROM links
			WHERE purpose = 'email' AND email_key = $1 AND expires_at > $2
				ORDER BY created_at DESC`, emailKey, now); err != nil {
			return err
		}
		switch {
		case len(links) == 0:
			return registry.Errorf(registry.ErrNotFound,
				"no confirmation of this address is pending")
		case len(links) > 1 && links[0].Account != links[len(links)-1].Account:
			return registry.Errorf(registry.ErrConflict,
				"several accounts requested this address: delete those that should not have it")
		}
		got, err = changeEmail(ctx, tx, links[0], account.ByOperator, now)
		return err
	})
	return got, fresh, failed("confirm", err)
}

// SetPassword replaces the password hash of an account. All its sessions and
// links end.
func (db *DB) SetPassword(
	ctx context.Context, id int64, password string, e account.AuditEntry,
) (got account.Login, err error) {
	err = inTx(ctx, db.db, func(tx *sqlx.Tx) error {
		got, err = setPassword(ctx, tx, id, password, e)
		return err
	})
	return got, failed("set password", err)
}

func setPassword(
	ctx context.Context, tx *sqlx.Tx, id int64, password string, e account.AuditEntry,
) (account.Login, error) {
	if _, err := tx.ExecContext(ctx, `
		WITH links AS (DELETE FROM links WHERE account = $1),
			devices AS (DELETE FROM devices WHERE account = $1)
		UPDATE accounts SET password = $2 WHERE id = $1`, id, password); err != nil {
		return account.Login{}, err
	}
	return endSessions(ctx, tx, id, e)
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
func (db *DB) EndSessions(
	ctx context.Context, id int64, e account.AuditEntry,
) (got account.Login, err error) {
	err = inTx(ctx, db.db, func(tx *sqlx.Tx) error {
		got, err = endSessions(ctx, tx, id, e)
		return err
	})
	return got, failed("end sessions", err)
}

// ResetPassword uses a link to set a password hash. The link was sent to the
// address or given by the operator, so it also confirms the address. The error
// is of kind [registry.ErrNotFound] if there is no such link.
func (db *DB) ResetPassword(
	ctx context.Context, hash account.TokenHash, password string, now time.Time,
) (got account.Login, err error) {
	err = inTx(ctx, db.db, func(tx *sqlx.Tx) error {
		_, link, err := useLink(ctx, tx, hash, now, account.LinkReset)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx,
			`UPDATE accounts SET confirmed_at = $2 WHERE id = $1 AND confirmed_at IS NULL`,
			link.Account, now); err != nil {
			return err
		}
		got, err = setPassword(ctx, tx, link.Account, password, account.AuditEntry{
			At: now, Actor: account.ByOwner, Action: "password.reset",
			Detail: "with a link; all sessions ended",
		})
		return err
	})
	return got, failed("reset password", err)
}

// UseSignInLink uses a link to sign in, and returns its account. The error is of
// kind [registry.ErrNotFound] if there is no such link.
func (db *DB) UseSignInLink(
	ctx context.Context, hash account.TokenHash, now time.Time,
) (got account.Login, err error) {
	err = inTx(ctx, db.db, func(tx *sqlx.Tx) error {
		got, _, err = useLink(ctx, tx, hash, now, account.LinkSignIn)
		return err
	})
	return got, failed("sign in with a link", err)
}

// LinkWaits reports whether a link exists and has not expired.
func (db *DB) LinkWaits(
	ctx context.Context, hash account.TokenHash, purpose string, now time.Time,
) (ok bool, err error) {
	err = db.db.GetContext(ctx, &ok, `
		SELECT EXISTS (SELECT 1 FROM links WHERE hash = $1 AND purpose = $2
			AND expires_at > $3)`, hash[:], purpose, now)
	return ok, failed("look for a link", err)
}

// UpgradePassword replaces a password hash by a better one of the same
// password, unless the password was changed in the meantime.
func (db *DB) UpgradePassword(ctx context.Context, id int64, old, better string) error {
	_, err := db.db.ExecContext(ctx,
		`UPDATE accounts SET password = $3 WHERE id = $1 AND password = $2`, id, old,
		better)
	return failed("upgrade a password hash", err)
}

// DeleteAccount deletes an account and all its data.
func (db *DB) DeleteAccount(ctx context.Context, id int64) error {
	n, err := affected(db.db.ExecContext(ctx, `DELETE FROM accounts WHERE id = $1`, id))
	if err == nil && n == 0 {
		return registry.Errorf(registry.ErrNotFound, "no such account")
	}
	return failed("delete account", err)
}

// Maximum numbers per account; the oldest are deleted.
const (
	maxSessions = 100
	maxDevices  = 20
)

// ForgetAccounts deletes expired sessions, links, invitations and attempts, devices unused
// for a year, entries of the audit log after a year, unconfirmed accounts created before unconfirmed, and rows beyond
// the maximum per account: a program that signs in every minute creates a
// session each time. It returns the number of deleted rows.
func (db *DB) ForgetAccounts(ctx context.Context, unconfirmed, now time.Time) (int, error) {
	total := 0
	for _, q := range []struct {
		query string
		arg   any
	}{
		{`DELETE FROM sessions WHERE expires_at < $1 OR seen_at + idle < $1`, now},
		{`DELETE FROM links WHERE expires_at < $1`, now},
		{`DELETE FROM invitations WHERE expires_at < $1`, now},
		{`DELETE FROM attempts WHERE gone_at < $1`, now},
		{`DELETE FROM usage_alerts WHERE day < $1`, now.AddDate(0, 0, -7)},
		{`DELETE FROM audit WHERE at < $1`, now.Add(-account.AuditFor)},
		{`DELETE FROM devices WHERE seen_at < $1`, now.AddDate(-1, 0, 0)},
		{`DELETE FROM sessions WHERE hash IN (
			SELECT hash FROM (SELECT hash, row_number() OVER (PARTITION BY account
				ORDER BY seen_at DESC) AS n FROM sessions WHERE account IS NOT NULL) s
			WHERE n > $1)`, maxSessions},
		{`DELETE FROM devices WHERE (account, hash) IN (
			SELECT account, hash FROM (SELECT account, hash,
				row_number() OVER (PARTITION BY account ORDER BY seen_at DESC) AS n FROM devices) d
			WHERE n > $1)`, maxDevices},
		{`DELETE FROM accounts a WHERE confirmed_at IS NULL AND created_at < $1 AND NOT EXISTS (SELECT 1 FROM links WHERE account = a.id)`, unconfirmed},
	} {
		n, err := affected(db.db.ExecContext(ctx, q.query, q.arg))
		if err != nil {
			return total, failed("delete expired data of accounts", err)
		}
		total += n
	}
	return total, nil
}

// AccountOfGitHub returns the account that a GitHub user is linked to. The
// error is of kind [registry.ErrNotFound] if the user is not linked.
func (db *DB) AccountOfGitHub(ctx context.Context, id int64) (account.Login, error) {
	return oneAccount(ctx, db.db, `SELECT * FROM accounts WHERE github_id = $1`, id)
}

// LinkGitHub links a GitHub user to an account. The error is of kind
// [registry.ErrConflict] if the user is linked to another account, or another
// user to this one.
func (db *DB) LinkGitHub(
	ctx context.Context, accountID, github int64, login string, now time.Time,
) (got account.Login, err error) {
	err = inTx(ctx, db.db, func(tx *sqlx.Tx) error {
		got, err = oneAccount(ctx, tx, `
			UPDATE accounts SET github_id = $2, github_login = $3
			WHERE id = $1 AND github_id IS NULL RETURNING *`, accountID, github, cleanText(login))
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
	return got, failed("link GitHub", err)
}

// otherAccount returns err, of kind [registry.ErrConflict] if another account is linked to
// the GitHub user.
func otherAccount(err error) error {
	if isUnique(err) {
		return registry.Wrap(registry.ErrConflict, err,
			"This GitHub user signs in to another account here.")
	}
	return err
}

// UnlinkGitHub removes the GitHub user from an account. The error is of kind
// [registry.ErrConflict] if the account has no password.
func (db *DB) UnlinkGitHub(
	ctx context.Context, accountID int64, now time.Time,
) (got account.Login, err error) {
	err = inTx(ctx, db.db, func(tx *sqlx.Tx) error {
		got, err = oneAccount(ctx, tx,
			`UPDATE accounts SET github_id = NULL, github_login = '' WHERE id = $1 AND password <> '' RETURNING *`, accountID)
		if errors.Is(err, registry.ErrNotFound) {
			return registry.Wrap(registry.ErrConflict, err,
				"Set a password first: without GitHub there would be no way to sign in.")
		}
		if err != nil {
			return err
		}
		return audit(ctx, tx, account.AuditEntry{At: now, Account: accountID,
			Actor: account.ByOwner, Action: "github.unlinked"})
	})
	return got, failed("unlink GitHub", err)
}

// SignUpProven creates an account for an address that a sign-in service has verified; how
// names the service. If the address has an account, before is that account. It is only
// changed if it was not confirmed: then it is confirmed, and loses its password, since
// anyone may have signed up with the address.
func (db *DB) SignUpProven(
	ctx context.Context, l account.Login, emailKey, how string, now time.Time,
) (before, after account.Login, err error) {
	err = inTx(ctx, db.db, func(tx *sqlx.Tx) error {
		l.ConfirmedAt = &now
		got, made, err := insertAccount(ctx, tx, l, emailKey, now)
		if err == nil && !made {
			before = got
			if got.ConfirmedAt == nil {
				if got, err = confirm(ctx, tx, got.ID, "", account.ByOwner, now); err == nil && l.GitHubID != 0 {
					got, err = oneAccount(ctx, tx,
						`UPDATE accounts SET github_id = $2, github_login = $3 WHERE id = $1 RETURNING *`,
						got.ID, l.GitHubID, cleanText(l.GitHubLogin))
				}
			}
		}
		if after = got; err != nil || !made {
			return otherAccount(err)
		}
		return audit(ctx, tx, account.AuditEntry{At: now, Account: got.ID, Actor: account.ByOwner,
			Action: "account.made", Detail: "signed up with " + how})
	})
	if err != nil {
		return account.Login{}, account.Login{}, failed("sign up with a sign-in service", err)
	}
	return before, after, nil
}
