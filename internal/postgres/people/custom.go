package people

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/account"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/internal/webhook"
)

type customRow struct {
	account.Custom
	Fields pq.StringArray
}

func (r customRow) custom() account.Custom {
	r.Custom.Fields = r.Fields
	return r.Custom
}

// Customs returns the saved searches of an account, sorted by name.
func (db *Store) Customs(ctx context.Context, accountID int64) ([]account.Custom, error) {
	var rows []customRow
	err := db.db.SelectContext(ctx, &rows, `
		SELECT name, query, filters, sort, fields, page_limit, facets, created_at, updated_at
		FROM customs WHERE account = $1 ORDER BY name COLLATE "C"`, accountID)
	return postgres.Mapped(rows, customRow.custom), postgres.Wrapped(err, "saved searches of an account")
}

// PutCustom stores a saved search and reports whether it is new. It replaces the account's
// search of that name without changing its time of creation. The error is of kind
// [registry.ErrConflict] if the account has most others, and [registry.ErrNotFound] if the
// account does not exist.
func (db *Store) PutCustom(
	ctx context.Context, accountID int64, c account.Custom, most int,
) (stored account.Custom, made bool, err error) {
	err = postgres.InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		if err := lockAccount(ctx, tx, accountID); err != nil {
			return err
		}
		var others int
		if err := tx.GetContext(ctx, &others,
			`SELECT count(*) FROM customs WHERE account = $1 AND name <> $2`, accountID,
			c.Name); err != nil {
			return err
		}
		if others >= most {
			return &registry.Error{Kind: registry.ErrConflict, Code: "too_many_custom_endpoints",
				Msg: fmt.Sprintf("An account has at most %d custom endpoints: delete an unused one first.", most)}
		}
		var row struct {
			customRow
			Made bool
		}
		if err := tx.GetContext(ctx, &row, `
			INSERT INTO customs (account, name, query, filters, sort, fields, page_limit, facets,
				created_at, updated_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
			ON CONFLICT (account, name) DO UPDATE SET query = excluded.query,
				filters = excluded.filters, sort = excluded.sort,
				fields = excluded.fields, page_limit = excluded.page_limit,
					facets = excluded.facets, updated_at = excluded.updated_at
			RETURNING name, query, filters, sort, fields, page_limit, facets, created_at,
				updated_at, xmax = 0 AS made`,
			accountID, c.Name, text.Valid(c.Query), c.Filters, c.Sort, pq.StringArray(
				c.Fields), c.Limit, c.Facets, c.CreatedAt, c.UpdatedAt); err != nil {
			return err
		}
		stored, made = row.custom(), row.Made
		return nil
	})
	return stored, made, postgres.Failed("save a search", err)
}

// DeleteCustom deletes a saved search and disables the webhook endpoints that use it. The
// error is of kind [registry.ErrNotFound] if the account has none of that name.
func (db *Store) DeleteCustom(ctx context.Context, accountID int64, name string) error {
	var deleted int
	err := db.db.GetContext(ctx, &deleted, `
		WITH gone AS (DELETE FROM customs WHERE account = $1 AND name = $2 RETURNING account, name),
		unused AS (UPDATE webhook_endpoints e SET disabled_at = now(), disabled_why = $3
			FROM gone g WHERE e.account = g.account AND e.search = g.name AND e.disabled_at IS NULL)
		SELECT count(*) FROM gone`, accountID, name, webhook.DisabledSearch)
	if err == nil && deleted == 0 {
		return noCustom(name)
	}
	return postgres.Failed("delete a saved search", err)
}

func noCustom(name string) error {
	return registry.Errorf(registry.ErrNotFound, "No custom endpoint %s in your account.", name)
}

// MakeCustomToken returns a new token of a saved search, which replaces its earlier one and is
// stored as a hash. The error is of kind [registry.ErrNotFound] if the account has no search of that
// name.
func (db *Store) MakeCustomToken(
	ctx context.Context, accountID int64, name string,
) (token string, err error) {
	token = strings.ToLower(rand.Text())
	n, err := postgres.Affected(db.db.ExecContext(ctx, `
		UPDATE customs SET token = $3 WHERE account = $1 AND name = $2`, accountID,
		text.Valid(name), postgres.HashOfToken(token)))
	if err == nil && n == 0 {
		err = noCustom(name)
	}
	return token, postgres.Failed("token of a saved search", err)
}

// CustomByToken returns a saved search by its token, with the plan of its account. The error
// is of kind [registry.ErrNotFound] if there is none.
func (db *Store) CustomByToken(
	ctx context.Context, token string,
) (c account.Custom, plan account.Subscription, err error) {
	var row struct {
		customRow
		account.Subscription
	}
	err = db.db.GetContext(ctx, &row, `
		SELECT c.name, c.query, c.filters, c.sort, c.fields, c.page_limit, c.facets, c.created_at,
			c.updated_at, a.plan, a.plan_until, a.plan_next
		FROM customs c JOIN accounts a ON a.id = c.account WHERE c.token = $1`,
		postgres.HashOfToken(token))
	return row.custom(), row.Subscription,
		postgres.NoRow(postgres.Failed("saved search of a token", err), "There is no such view.")
}
