package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

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
		got, err = oneAccount(ctx, tx,
			`UPDATE accounts SET github_id = $2, github_login = $3 WHERE id = $1 AND github_id IS NULL RETURNING *`, accountID, github, cleanText(login))
		if errors.Is(err, registry.ErrNotFound) {
			return registry.Wrap(registry.ErrConflict, err,
				"A GitHub user is linked to the account already. Unlink it first.")
		}
		var pqErr *pq.Error
		if errors.As(err, &pqErr) && pqErr.Code == "23505" {
			return registry.Wrap(registry.ErrConflict, err,
				"This GitHub user signs in to another account here.")
		}
		if err != nil {
			return err
		}
		return audit(ctx, tx, account.AuditEntry{At: now, Account: accountID,
			Actor: account.ByOwner, Action: "github.linked", Detail: "GitHub user " + login})
	})
	if err != nil {
		return got, failed("link GitHub", err)
	}
	return got, nil
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
	if err != nil {
		return got, failed("unlink GitHub", err)
	}
	return got, nil
}

// SignUpWithGitHub creates a confirmed account for a GitHub user, or returns
// the existing one of the address; made says which. An unconfirmed account with
// the address is replaced.
func (db *DB) SignUpWithGitHub(
	ctx context.Context, l account.Login, emailKey string, now time.Time,
) (got account.Login, made bool, err error) {
	err = inTx(ctx, db.db, func(tx *sqlx.Tx) error {
		if _, err := tx.ExecContext(ctx,
			`DELETE FROM accounts WHERE email_key = $1 AND confirmed_at IS NULL`,
			emailKey); err != nil {
			return err
		}
		l.ConfirmedAt = &now
		got, made, err = insertAccount(ctx, tx, l, emailKey, now)
		var pqErr *pq.Error
		if errors.As(err, &pqErr) && pqErr.Code == "23505" {
			return registry.Wrap(registry.ErrConflict, err,
				"This GitHub user signs in to another account here.")
		}
		if err != nil || !made {
			return err
		}
		return audit(ctx, tx, account.AuditEntry{At: now, Account: got.ID, Actor: account.ByOwner,
			Action: "account.made", Detail: "signed up as GitHub user " + l.GitHubLogin})
	})
	if err != nil {
		return got, false, failed("sign up with GitHub", err)
	}
	return got, made, nil
}
