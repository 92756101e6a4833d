// Package people stores in PostgreSQL what belongs to accounts: sessions, links, keys, members,
// the audit log, plans and payments, usage and quota, saved searches, webhooks.
package people

import (
	"context"
	"time"

	"github.com/jmoiron/sqlx"

	"mcpcensus/internal/account"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/text"
)

// A Store stores what belongs to accounts. It is safe for concurrent use.
type Store struct {
	registry *postgres.DB
	db       *sqlx.DB
}

// New returns a store in the database of the registry, on the same connections.
func New(registry *postgres.DB) *Store { return &Store{registry, registry.Pool()} }

// exec runs a statement. what describes it in an error.
func (db *Store) exec(ctx context.Context, what, query string, args ...any) error {
	return postgres.Failed(what, postgres.Exec(ctx, db.db, query, args...))
}

// TryLock is [postgres.DB.TryLock].
func (db *Store) TryLock(ctx context.Context, name string) (release func(), ok bool, err error) {
	return db.registry.TryLock(ctx, name)
}

// audit writes an entry to the audit log, in the transaction of the logged
// change, with the network and user agent of the visitor of ctx.
func audit(ctx context.Context, tx sqlx.ExtContext, e account.AuditEntry) error {
	v := account.VisitorOf(ctx)
	if e.Actor == account.ByOwner && v.Member != 0 && v.Member != e.Account {
		e.Actor = account.ByMember
	}
	return postgres.Exec(ctx, tx, `
		INSERT INTO audit (at, account, actor, action, detail, network, agent, member)
		VALUES ($1, $2, $3, $4, $5, $6, $7,
			coalesce((SELECT email FROM accounts WHERE id = $8 AND id <> $2), ''))`,
		e.At, e.Account, e.Actor, e.Action, text.Valid(e.Detail), v.Network(), text.Valid(v.Agent),
		v.Member)
}

const (
	repeatedFor = time.Hour
	// maxRepeated is how many rows of an action an account gets within repeatedFor.
	// Then the network and the agent are left out.
	maxRepeated = 100
)

// RecordRepeated implements [account.Store].
func (db *Store) RecordRepeated(ctx context.Context, e account.AuditEntry) error {
	return postgres.Failed("audit log", postgres.InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		if _, err := oneAccount(ctx, tx, `SELECT * FROM accounts WHERE id = $1 FOR KEY SHARE`,
			e.Account); err != nil {
			return err
		}
		var n int
		if err := tx.GetContext(ctx, &n, `
			SELECT count(*) FROM audit WHERE account = $1 AND action = $2 AND at > $3`,
			e.Account, e.Action, e.At.Add(-repeatedFor)); err != nil {
			return err
		}
		if n >= maxRepeated {
			ctx = account.WithVisitor(ctx, account.Visitor{})
		}
		v := account.VisitorOf(ctx)
		n, err := postgres.Affected(tx.ExecContext(ctx, `
			UPDATE audit SET times = times + 1, at = $2 WHERE id = (
				SELECT id FROM audit WHERE account = $1 AND at > $3 AND action = $4 AND detail = $5
					AND network = $6 AND agent = $7 ORDER BY id DESC LIMIT 1)`,
			e.Account, e.At, e.At.Add(-repeatedFor), e.Action, text.Valid(e.Detail), v.Network(),
			text.Valid(v.Agent)))
		if err != nil || n > 0 {
			return err
		}
		return audit(ctx, tx, e)
	}))
}

// SignedInFrom implements [account.Store].
func (db *Store) SignedInFrom(ctx context.Context, accountID int64) (here, ever bool, err error) {
	v := account.VisitorOf(ctx)
	err = db.db.QueryRowxContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM audit WHERE account = $1 AND action = 'signin'
				AND network = $2 AND agent = $3),
			EXISTS (SELECT 1 FROM audit WHERE account = $1 AND action = 'signin')`,
		accountID, v.Network(), text.Valid(v.Agent)).Scan(&here, &ever)
	return here, ever, postgres.Failed("audit log", err)
}

// Audit implements [account.Store].
func (db *Store) Audit(
	ctx context.Context, accountID int64, limit int,
) (entries []account.AuditEntry, err error) {
	err = db.db.SelectContext(ctx, &entries, `
		SELECT at, account, actor, action, detail, network, agent, times, member FROM audit
			WHERE account = $1 ORDER BY at DESC, id DESC LIMIT $2`, accountID, limit)
	return entries, postgres.Failed("audit log", err)
}
