package postgres

import (
	"context"
	"time"

	"github.com/jmoiron/sqlx"

	"mcpcensus/internal/account"
)

// audit writes an entry to the audit log, in the transaction of the logged
// change.
func audit(ctx context.Context, tx sqlx.ExtContext, e account.AuditEntry) error {
	_, err := tx.ExecContext(ctx,
		`INSERT INTO audit (at, account, actor, action, detail) VALUES ($1, $2, $3, $4, $5)`,
		e.At, e.Account, e.Actor, e.Action, cleanText(e.Detail))
	return err
}

// Audit returns the latest entries of an account's audit log, newest first, at
// most limit.
func (db *DB) Audit(ctx context.Context, accountID int64, limit int) ([]account.AuditEntry, error) {
	var rows []struct {
		At                    time.Time
		Account               int64
		Actor, Action, Detail string
	}
	err := db.db.SelectContext(ctx, &rows, `
		SELECT at, account, actor, action, detail FROM audit WHERE account = $1
			ORDER BY id DESC LIMIT $2`, accountID, limit)
	if err != nil {
		return nil, failed("audit log", err)
	}
	out := make([]account.AuditEntry, len(rows))
	for i, r := range rows {
		out[i] = account.AuditEntry{At: r.At.UTC(), Account: r.Account, Actor: r.Actor,
			Action: r.Action, Detail: r.Detail}
	}
	return out, nil
}
