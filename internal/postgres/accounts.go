package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"mcpcensus/internal/registry"
)

// An accountRow is an account as it is stored.
type accountRow struct {
	ID          int64
	Email       string
	EmailKey    string `db:"email_key"`
	Password    string
	Epoch       int
	GitHubID    sql.NullInt64 `db:"github_id"`
	GitHubLogin string        `db:"github_login"`
	ConfirmedAt *time.Time    `db:"confirmed_at"`
	CreatedAt   time.Time     `db:"created_at"`
	Plan        string
	PlanUntil   *time.Time `db:"plan_until"`
	PlanNext    string     `db:"plan_next"`
}

func (r accountRow) login() registry.Login {
	return registry.Login{
		Account: registry.Account{
			ID: r.ID, Email: r.Email, HasPassword: r.Password != "", GitHubID: r.GitHubID.Int64, GitHubLogin: r.GitHubLogin,
			ConfirmedAt: utc(r.ConfirmedAt), CreatedAt: r.CreatedAt.UTC(),
			Subscription: registry.Subscription{Plan: r.Plan, Until: utc(r.PlanUntil), Next: r.PlanNext},
		},
		Password: r.Password, Epoch: r.Epoch,
	}
}

// Account returns the account with that ID. The error is of kind
// [registry.ErrNotFound] if there is none.
func (db *DB) Account(ctx context.Context, id int64) (registry.Login, error) {
	return oneAccount(ctx, db.db, `SELECT * FROM accounts WHERE id = $1`, id)
}

// AccountOf returns the account with an address, given as it is compared. The
// error is of kind [registry.ErrNotFound] if there is none.
func (db *DB) AccountOf(ctx context.Context, emailKey string) (registry.Login, error) {
	return oneAccount(ctx, db.db, `SELECT * FROM accounts WHERE email_key = $1`, emailKey)
}

func oneAccount(ctx context.Context, q sqlx.QueryerContext, query string, args ...any) (registry.Login, error) {
	var row accountRow
	err := sqlx.GetContext(ctx, q, &row, query, args...)
	if errors.Is(err, sql.ErrNoRows) {
		return registry.Login{}, registry.Wrap(registry.ErrNotFound, err, "there is no such account")
	}
	if err != nil {
		return registry.Login{}, fmt.Errorf("account: %w", err)
	}
	return row.login(), nil
}
