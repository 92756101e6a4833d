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
)

// Customer returns the payment provider's customer of an account. Its ID is
// empty if the account is not a customer.
func (db *Store) Customer(ctx context.Context, accountID int64) (account.Customer, error) {
	c, err := customerOf(ctx, db.db, accountID)
	return c, postgres.Failed("customer", err)
}

func customerOf(
	ctx context.Context, q sqlx.QueryerContext, accountID int64,
) (account.Customer, error) {
	c := account.Customer{Account: accountID}
	err := sqlx.GetContext(ctx, q, &c, `SELECT id, subscription FROM customers WHERE account = $1`,
		accountID)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return c, err
}

// MakeCustomer returns the payment provider's customer of an account, and calls create if it has
// none; nothing is locked while create waits. A customer that is not stored, because another
// call was faster or the account was deleted, is added to the former ones.
func (db *Store) MakeCustomer(
	ctx context.Context, accountID int64, now time.Time,
	create func(context.Context) (id string, err error),
) (account.Customer, error) {
	c, err := db.Customer(ctx, accountID)
	if err != nil || c.ID != "" {
		return c, err
	}
	id, err := create(ctx)
	if err != nil {
		return c, err
	}
	_, err = db.db.ExecContext(ctx, `
		WITH made AS (
			INSERT INTO customers (account, id, checked_at)
			SELECT id, $2, $3 FROM accounts WHERE id = $1 FOR KEY SHARE
			ON CONFLICT (account) DO NOTHING RETURNING id
		)
		INSERT INTO former_customers (id, gone_at)
		SELECT $2, $3 WHERE NOT EXISTS (SELECT 1 FROM made)`, accountID, id, now)
	if err == nil {
		c, err = customerOf(ctx, db.db, accountID)
	}
	if err == nil && c.ID == "" {
		err = registry.Errorf(registry.ErrNotFound, "no such account")
	}
	return c, postgres.Failed("make a customer", err)
}

// Settle sets the plan of a customer's account to that of the payment provider. ask returns the
// ID and plan of the active subscription; nothing is locked while it waits. If a later call has
// settled meanwhile, its data are newer and stay. Without a subscription, an account that had a
// subscription loses its plan; other accounts keep the operator's choice. changed is the account
// that changed, 0 for none. Unknown customers are ignored.
func (db *Store) Settle(
	ctx context.Context, actor, customer string, now time.Time, ask func(context.Context) (
		id string, s account.Subscription, err error),
) (changed int64, err error) {
	var call int64
	err = db.db.GetContext(ctx, &call,
		`UPDATE customers SET asked = asked + 1 WHERE id = $1 RETURNING asked`, customer)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	} else if err != nil {
		return 0, postgres.Failed("settle", err)
	}
	id, s, err := ask(ctx)
	if err != nil {
		return 0, err
	}
	err = postgres.InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		changed, err = settle(ctx, tx, actor, customer, now, call, id, s)
		return err
	})
	return changed, postgres.Failed("settle", err)
}

// settle stores the response to the call of [Store.Settle] with a number, unless a later one is
// stored.
func settle(
	ctx context.Context, tx *sqlx.Tx, actor, customer string, now time.Time, call int64,
	id string, s account.Subscription,
) (changed int64, err error) {
	var c struct {
		Account      int64
		Subscription string
		Settled      int64
	}
	err = tx.GetContext(ctx, &c.Account, `SELECT account FROM customers WHERE id = $1`, customer)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	} else if err != nil {
		return 0, err
	}
	if err := lockAccount(ctx, tx, c.Account); errors.Is(err, registry.ErrNotFound) {
		return 0, nil // deleted in the meantime
	} else if err != nil {
		return 0, err
	}
	if err := tx.GetContext(ctx, &c, `
		SELECT account, subscription, settled FROM customers WHERE id = $1`, customer,
	); err != nil || c.Settled >= call {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, `
		UPDATE customers SET subscription = $2, checked_at = $3, settled = $4 WHERE id = $1`,
		customer, id, now, call); err != nil {
		return 0, err
	}
	if id == "" {
		if c.Subscription == "" {
			return 0, nil
		}
		s = account.Subscription{Plan: account.Basic}
	}
	isChanged, err := setPlan(ctx, tx, actor, now, c.Account, s)
	if !isChanged {
		return 0, err
	}
	return c.Account, err
}

// DropCustomer deletes a customer that no longer exists at the payment provider. Its account
// is unchanged.
func (db *Store) DropCustomer(ctx context.Context, id string) error {
	return db.exec(ctx, "drop a customer", `DELETE FROM customers WHERE id = $1`, id)
}

// LeaveSubscription removes the subscription from an account, so that the
// operator can set its plan. The plan stays until the operator or an event of
// the payment provider changes it.
func (db *Store) LeaveSubscription(ctx context.Context, accountID int64) error {
	// Calls of Settle that wait for the provider do not bring it back.
	return db.exec(ctx, "leave a subscription", `
		UPDATE customers SET subscription = '', asked = asked + 1, settled = asked + 1
		WHERE account = $1`, accountID)
}

// SetPlan sets the plan of an account. The error is of kind
// [registry.ErrConflict] if the account pays for its plan, because the next
// event of the payment provider would override the change.
func (db *Store) SetPlan(
	ctx context.Context, actor string, now time.Time, accountID int64, s account.Subscription,
) error {
	return postgres.Failed("set a plan", postgres.InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		if err := lockAccount(ctx, tx, accountID); err != nil {
			return err
		}
		c, err := customerOf(ctx, tx, accountID)
		if err != nil {
			return err
		}
		if c.Subscription != "" {
			return registry.Errorf(registry.ErrConflict, "the account pays for its plan with "+
				"subscription %s: change or cancel that at the payment provider", c.Subscription)
		}
		_, err = setPlan(ctx, tx, actor, now, accountID, s)
		return err
	}))
}

func setPlan(
	ctx context.Context, tx *sqlx.Tx, actor string, now time.Time, accountID int64,
	s account.Subscription,
) (changed bool, err error) {
	n, err := postgres.Affected(tx.ExecContext(ctx, `
		UPDATE accounts SET plan = $2, plan_until = $3, plan_next = $4
		WHERE id = $1 AND (plan, plan_until, plan_next) IS DISTINCT FROM ($2, $3::timestamptz,
			$4)`, accountID, s.Plan, s.Until, s.Next))
	if err != nil || n == 0 {
		return false, err
	}
	detail := s.Plan
	if s.Until != nil {
		detail += " until " + s.Until.UTC().Format(time.RFC3339) + ", then " + s.At(*s.Until).ID
	}
	return true, audit(ctx, tx,
		account.AuditEntry{At: now, Account: accountID, Actor: actor, Action: "plan.changed",
			Detail: detail})
}

// CustomersToCheck returns the IDs of customers last checked before a time, at
// most limit.
func (db *Store) CustomersToCheck(
	ctx context.Context, before time.Time, limit int,
) (ids []string, err error) {
	err = db.db.SelectContext(ctx, &ids,
		`SELECT id FROM customers WHERE checked_at < $1 ORDER BY checked_at LIMIT $2`, before,
		limit)
	return ids, postgres.Failed("customers to check", err)
}

// FormerCustomers returns the IDs of customers whose account was deleted and
// that still exist at the payment provider, at most limit.
func (db *Store) FormerCustomers(ctx context.Context, limit int) (ids []string, err error) {
	err = db.db.SelectContext(ctx, &ids,
		`SELECT id FROM former_customers ORDER BY gone_at LIMIT $1`, limit)
	return ids, postgres.Failed("former customers", err)
}

// ForgetCustomer deletes a former customer.
func (db *Store) ForgetCustomer(ctx context.Context, id string) error {
	return db.exec(ctx, "forget a customer", `DELETE FROM former_customers WHERE id = $1`,
		id)
}
