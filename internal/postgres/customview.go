package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

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
	if err != nil {
		return "", fmt.Errorf("token of a saved search: %w", err)
	}
	return token, nil
}

// RotateCustomToken gives a saved search another token. The error is of kind
// [registry.ErrNotFound] if the account has none of that name.
func (db *DB) RotateCustomToken(ctx context.Context, accountID int64, name string) error {
	done, err := db.db.ExecContext(ctx, `
		UPDATE customs SET token = replace(gen_random_uuid()::text, '-', '')
		WHERE account = $1 AND name = $2`, accountID, cleanText(name))
	if err != nil {
		return failed("replace the token of a saved search", err)
	}
	if n, err := done.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return registry.Errorf(registry.ErrNotFound, "No custom endpoint %s in your account.", name)
}

// CustomByToken returns a saved search by its token, with the plan of its account. The error
// is of kind [registry.ErrNotFound] if there is none.
func (db *DB) CustomByToken(
	ctx context.Context, token string,
) (c account.Custom, plan account.Subscription, err error) {
	var row struct {
		customRow
		Plan      string
		PlanUntil *time.Time `db:"plan_until"`
		PlanNext  string     `db:"plan_next"`
	}
	err = db.db.GetContext(ctx, &row, `
		SELECT c.name, c.query, c.filters, c.sort, c.fields, c.page_limit, c.facets, c.created_at,
			c.updated_at, a.plan, a.plan_until, a.plan_next
		FROM customs c JOIN accounts a ON a.id = c.account WHERE c.token = $1`, cleanText(token))
	if errors.Is(err, sql.ErrNoRows) {
		return c, plan, registry.Errorf(registry.ErrNotFound, "There is no such view.")
	}
	if err != nil {
		return c, plan, fmt.Errorf("saved search of a token: %w", err)
	}
	return row.custom(), account.Subscription{Plan: row.Plan, Until: row.PlanUntil, Next: row.PlanNext}, nil
}
