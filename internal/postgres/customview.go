package postgres

import (
	"context"
	"database/sql"
	"errors"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
)

// CustomToken returns the token of a saved search. The error is of kind
// [registry.ErrNotFound] if the account has none of that name.
func (db *DB) CustomToken(ctx context.Context, accountID int64, name string) (token string, err error) {
	err = db.db.GetContext(ctx, &token, `SELECT token FROM customs WHERE account = $1 AND name = $2`,
		accountID, cleanText(name))
	if errors.Is(err, sql.ErrNoRows) {
		return "", registry.Errorf(registry.ErrNotFound, "No custom endpoint %s in your account.", name)
	}
	return token, wrapped(err, "token of a saved search")
}

// RotateCustomToken gives a saved search another token. The error is of kind
// [registry.ErrNotFound] if the account has none of that name.
func (db *DB) RotateCustomToken(ctx context.Context, accountID int64, name string) error {
	n, err := affected(db.db.ExecContext(ctx, `
		UPDATE customs SET token = replace(gen_random_uuid()::text, '-', '')
		WHERE account = $1 AND name = $2`, accountID, cleanText(name)))
	if err == nil && n == 0 {
		return noCustom(name)
	}
	return failed("replace the token of a saved search", err)
}

// CustomByToken returns a saved search by its token, with the plan of its account. The error
// is of kind [registry.ErrNotFound] if there is none.
func (db *DB) CustomByToken(
	ctx context.Context, token string,
) (c account.Custom, plan account.Subscription, err error) {
	var row struct {
		customRow
		account.Subscription
	}
	err = db.db.GetContext(ctx, &row, `
		SELECT c.name, c.query, c.filters, c.sort, c.fields, c.page_limit, c.facets, c.created_at,
			c.updated_at, a.plan, a.plan_until, a.plan_next
		FROM customs c JOIN accounts a ON a.id = c.account WHERE c.token = $1`, cleanText(token))
	if errors.Is(err, sql.ErrNoRows) {
		return c, plan, registry.Errorf(registry.ErrNotFound, "There is no such view.")
	}
	return row.custom(), row.Subscription, wrapped(err, "saved search of a token")
}
