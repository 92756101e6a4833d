package postgres

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/jmoiron/sqlx"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
)

// Customer returns what the payment provider knows an account as. It has no ID
// if the provider does not know it.
func (db *DB) Customer(ctx context.Context, accountID int64) (account.Customer, error) {
	c := account.Customer{Account: accountID}
	err := db.db.QueryRowContext(ctx, `SELECT id, subscription FROM customers WHERE account = $1`,
		accountID).Scan(&c.ID, &c.Subscription)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return c, failed("customer", err)
	}
	return c, nil
}

// MakeCustomer returns what the payment provider knows an account as, and has
// it made if it does not know it. However many ask at once, one is made.
func (db *DB) MakeCustomer(
	ctx context.Context, accountID int64, now time.Time, introduce func(context.Context) (id string,
		err error),
) (account.Customer, error) {
	c := account.Customer{Account: accountID}
	var made string // a transaction that is tried again introduces nobody twice
	err := inTx(ctx, db.db, func(tx *sqlx.Tx) error {
		if err := lockAccount(ctx, tx, accountID); err != nil {
			return err
		}
		err := tx.QueryRowContext(ctx, `SELECT id, subscription FROM customers WHERE account = $1`,
			accountID).Scan(&c.ID, &c.Subscription)
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if made == "" {
			if made, err = introduce(ctx); err != nil {
				return err
			}
		}
		c.ID = made
		_, err = tx.ExecContext(ctx,
			`INSERT INTO customers (account, id, checked_at) VALUES ($1, $2, $3)`, accountID, c.ID,
			now)
		return err
	})
	if err != nil {
		return c, failed("make a customer", err)
	}
	return c, nil
}

// Settle gives the account of a customer the plan that the payment provider
// says. ask is called with the account locked, so that of several who settle
// at once each sees what is true after those before it. It returns the
// subscription in force and its plan; without one, the plan is taken from an
// account that had one, and the operator's choice stays for others. changed
// says whether the account is another than before. Customers that are not
// known are left alone.
func (db *DB) Settle(
	ctx context.Context, actor, customer string, now time.Time, ask func(context.Context) (
		id string, s account.Subscription, err error),
) (changed bool, err error) {
	err = inTx(ctx, db.db, func(tx *sqlx.Tx) error {
		changed = false
		var accountID int64
		err := tx.GetContext(ctx, &accountID, `SELECT account FROM customers WHERE id = $1`,
			customer)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		} else if err != nil {
			return err
		}
		if err := lockAccount(ctx, tx, accountID); errors.Is(err, registry.ErrNotFound) {
			return nil // deleted meanwhile
		} else if err != nil {
			return err
		}
		var had string
		if err := tx.GetContext(ctx, &had, `SELECT subscription FROM customers WHERE id = $1`,
			customer); err != nil {
			return err
		}
		id, s, err := ask(ctx)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx,
			`UPDATE customers SET subscription = $2, checked_at = $3 WHERE id = $1`, customer, id,
			now); err != nil {
			return err
		}
		if id == "" {
			if had == "" {
				return nil
			}
			s = account.Subscription{Plan: account.Basic}
		}
		changed, err = setPlan(ctx, tx, actor, now, accountID, s)
		return err
	})
	if err != nil {
		return false, failed("settle", err)
	}
	return changed, nil
}

// DropCustomer deletes a customer whom the payment provider does not know any
// more. Its account stays as it is.
func (db *DB) DropCustomer(ctx context.Context, id string) error {
	if _, err := db.db.ExecContext(ctx, `DELETE FROM customers WHERE id = $1`, id); err != nil {
		return failed("drop a customer", err)
	}
	return nil
}

// LeaveSubscription forgets that an account pays for its plan, so that the
// operator can set it. The plan stays until then, or until the payment
// provider says otherwise.
func (db *DB) LeaveSubscription(ctx context.Context, accountID int64) error {
	if _, err := db.db.ExecContext(ctx, `UPDATE customers SET subscription = '' WHERE account = $1`,
		accountID); err != nil {
		return failed("leave a subscription", err)
	}
	return nil
}

// SetPlan gives an account a plan. One that pays for its plan is refused with
// registry.ErrConflict: the next word of the payment provider would undo it.
func (db *DB) SetPlan(
	ctx context.Context, actor string, now time.Time, accountID int64, s account.Subscription,
) error {
	err := inTx(ctx, db.db, func(tx *sqlx.Tx) error {
		if err := lockAccount(ctx, tx, accountID); err != nil {
			return err
		}
		var paid string
		err := tx.GetContext(ctx, &paid,
			`SELECT subscription FROM customers WHERE account = $1 AND subscription <> ''`,
			accountID)
		if err == nil {
			return registry.Errorf(registry.ErrConflict,
				"the account pays for its plan with subscription %s: change or cancel that at the payment "+
					"provider", paid)
		} else if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		_, err = setPlan(ctx, tx, actor, now, accountID, s)
		return err
	})
	if err != nil {
		return failed("set a plan", err)
	}
	return nil
}

func setPlan(
	ctx context.Context, tx *sqlx.Tx, actor string, now time.Time, accountID int64,
	s account.Subscription,
) (changed bool, err error) {
	done, err := tx.ExecContext(ctx, `
		UPDATE accounts SET plan = $2, plan_until = $3, plan_next = $4
		WHERE id = $1 AND (plan, plan_until, plan_next) IS DISTINCT FROM ($2, $3::timestamptz,
			$4)`, accountID, s.Plan, s.Until, s.Next)
	if err != nil {
		return false, err
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
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

// CustomersToCheck returns the IDs of customers for whom the payment provider
// was not asked since before, at most limit.
func (db *DB) CustomersToCheck(
	ctx context.Context, before time.Time, limit int,
) (ids []string, err error) {
	if err := db.db.SelectContext(ctx, &ids,
		`SELECT id FROM customers WHERE checked_at < $1 ORDER BY checked_at LIMIT $2`, before,
		limit); err != nil {
		return nil, failed("customers to check", err)
	}
	return ids, nil
}

// FormerCustomers returns the IDs of customers whose account is gone and that
// the payment provider still has, at most limit.
func (db *DB) FormerCustomers(ctx context.Context, limit int) (ids []string, err error) {
	if err := db.db.SelectContext(ctx, &ids,
		`SELECT id FROM former_customers ORDER BY gone_at LIMIT $1`, limit); err != nil {
		return nil, failed("former customers", err)
	}
	return ids, nil
}

// ForgetCustomer deletes a former customer.
func (db *DB) ForgetCustomer(ctx context.Context, id string) error {
	if _, err := db.db.ExecContext(ctx, `DELETE FROM former_customers WHERE id = $1`,
		id); err != nil {
		return failed("forget a customer", err)
	}
	return nil
}
