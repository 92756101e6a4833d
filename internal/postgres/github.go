package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jmoiron/sqlx"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
)

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
