package people

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/account"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
)

// Acting returns a person in an account. The error is of kind [registry.ErrNotFound] if the person
// does not belong to it.
func (db *Store) Acting(ctx context.Context, accountID, person int64) (account.Acting, error) {
	l, err := db.Account(ctx, person)
	if err != nil || accountID == person {
		return account.Own(l), err
	}
	role, err := roleOf(ctx, db.db, accountID, person)
	if err != nil {
		return account.Acting{}, postgres.Failed("role", err)
	}
	org, err := db.Account(ctx, accountID)
	return account.Acting{Person: l, Account: org.Account, Role: role}, err
}

// roleOf returns the role of a person in an account. The error is of kind
// registry.ErrNotFound if the person does not belong to it.
func roleOf(ctx context.Context, q sqlx.QueryerContext, accountID, person int64) (role account.Role, err error) {
	if accountID == person {
		return account.RoleOwner, nil
	}
	err = sqlx.GetContext(ctx, q, &role,
		`SELECT role FROM members WHERE account = $1 AND member = $2`, accountID, person)
	if errors.Is(err, sql.ErrNoRows) {
		return "", &registry.Error{Kind: registry.ErrNotFound, Code: "member_not_found",
			Msg: "The account has no such member."}
	}
	return role, err
}

// Memberships returns the accounts that a person belongs to, their own first.
func (db *Store) Memberships(ctx context.Context, person int64) (all []account.Membership, err error) {
	err = db.db.SelectContext(ctx, &all, `
		SELECT id AS account, email, 'owner' AS role FROM accounts WHERE id = $1
		UNION ALL
		(SELECT a.id, a.email, m.role FROM members m JOIN accounts a ON a.id = m.account
			WHERE m.member = $1 ORDER BY a.email)`, person)
	return all, postgres.Failed("memberships", err)
}

// Members returns the members of an account, the one who signed up first.
func (db *Store) Members(ctx context.Context, accountID int64) (all []account.Member, err error) {
	err = db.db.SelectContext(ctx, &all, `
		SELECT id, email, 'owner' AS role, created_at AS since FROM accounts WHERE id = $1
		UNION ALL
		(SELECT a.id, a.email, m.role, m.since FROM members m JOIN accounts a ON a.id = m.member
			WHERE m.account = $1 ORDER BY m.since, a.id)`, accountID)
	return all, postgres.Failed("members", err)
}

// Invitations returns the open invitations to an account.
func (db *Store) Invitations(
	ctx context.Context, accountID int64, now time.Time,
) (all []account.Invitation, err error) {
	err = db.db.SelectContext(ctx, &all, `SELECT id, account, email, role, expires_at FROM invitations
		WHERE account = $1 AND expires_at > $2 ORDER BY id`, accountID, now)
	return all, postgres.Failed("invitations", err)
}

// changeMembers calls f in a transaction with the role of by, in which only this one
// changes the members of an account.
func (db *Store) changeMembers(
	ctx context.Context, what string, by, accountID int64, f func(tx *sqlx.Tx, role account.Role) error,
) error {
	return postgres.Failed(what, postgres.InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		if err := lockAccount(ctx, tx, accountID); err != nil {
			return err
		}
		role, err := roleOf(ctx, tx, accountID, by)
		if err != nil {
			return err
		}
		return f(tx, role)
	}))
}

// Invite implements [account.Store].
func (db *Store) Invite(ctx context.Context, by int64, i account.Invitation, now time.Time) error {
	return db.changeMembers(ctx, "invite", by, i.Account, func(tx *sqlx.Tx, role account.Role) error {
		if err := account.MayChange(role, "", i.Role); err != nil {
			return err
		}
		var belongs bool
		var n int
		if err := tx.QueryRowxContext(ctx, `
			SELECT EXISTS (SELECT 1 FROM accounts a WHERE email_key = $2 AND (id = $1 OR EXISTS
				(SELECT 1 FROM members WHERE account = $1 AND member = a.id))),
				(SELECT count(*) FROM members WHERE account = $1) + (SELECT count(*) FROM invitations
				WHERE account = $1 AND email_key <> $2 AND expires_at > $3)`,
			i.Account, i.EmailKey, now).Scan(&belongs, &n); err != nil {
			return err
		}
		switch {
		case belongs:
			return registry.Errorf(registry.ErrConflict, "%s is already a member.", i.Email)
		case n >= account.MaxMembers:
			return registry.Errorf(registry.ErrConflict,
				"An account has at most %d members and open invitations.", account.MaxMembers)
		}
		if _, err := tx.ExecContext(ctx, `
			INSERT INTO invitations (account, hash, email, email_key, role, invited_by, expires_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (account, email_key) DO UPDATE SET hash = excluded.hash, email = excluded.email,
				role = excluded.role, invited_by = excluded.invited_by, expires_at = excluded.expires_at`,
			i.Account, i.Hash[:], i.Email, i.EmailKey, i.Role, by, i.ExpiresAt); err != nil {
			return err
		}
		return audit(ctx, tx, account.AuditEntry{At: now, Account: i.Account, Actor: account.ByOwner,
			Action: "member.invited", Detail: fmt.Sprintf("%s as %s", i.Email, i.Role)})
	})
}

// Invitation implements [account.Store].
func (db *Store) Invitation(
	ctx context.Context, hash account.TokenHash, now time.Time,
) (i account.ShownInvitation, err error) {
	err = db.db.GetContext(ctx, &i, `
		SELECT i.email, i.role, a.email AS account, coalesce(b.email, a.email) AS inviter
		FROM invitations i JOIN accounts a ON a.id = i.account
			LEFT JOIN accounts b ON b.id = i.invited_by
		WHERE i.hash = $1 AND i.expires_at > $2`, hash[:], now)
	return i, postgres.NoRow(postgres.Failed("invitation", err), "no such invitation")
}

func (db *Store) RevokeInvitation(ctx context.Context, by, accountID, id int64, now time.Time) error {
	return db.changeMembers(ctx, "revoke an invitation", by, accountID, func(tx *sqlx.Tx, role account.Role) error {
		var row struct {
			Email string
			Role  account.Role
		}
		err := tx.GetContext(ctx, &row,
			`DELETE FROM invitations WHERE id = $1 AND account = $2 RETURNING email, role`, id, accountID)
		if errors.Is(err, sql.ErrNoRows) {
			return &registry.Error{Kind: registry.ErrNotFound, Code: "invitation_not_found",
				Msg: "The account has no such invitation."}
		}
		if err == nil {
			err = account.MayChange(role, row.Role, "")
		}
		if err != nil {
			return err
		}
		return audit(ctx, tx, account.AuditEntry{At: now, Account: accountID, Actor: account.ByOwner,
			Action: "invitation.revoked", Detail: row.Email})
	})
}

// Accept implements [account.Store].
func (db *Store) Accept(
	ctx context.Context, person int64, hash account.TokenHash, now time.Time,
) (m account.Membership, err error) {
	err = postgres.InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		var address, to struct {
			account.Membership
			EmailKey string
		}
		if err := tx.GetContext(ctx, &address, `SELECT email_key, email FROM accounts
			WHERE id = $1 FOR KEY SHARE`, person); err != nil {
			return err
		}
		err := tx.GetContext(ctx, &to, `SELECT i.account, i.email_key, i.role, a.email FROM invitations i
			JOIN accounts a ON a.id = i.account WHERE i.hash = $1 AND i.expires_at > $2 FOR UPDATE OF i`,
			hash[:], now)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return &registry.Error{Kind: registry.ErrInvalid, Code: "invalid_link",
				Msg: "This invitation is invalid, expired, revoked or already used."}
		case err != nil:
			return err
		case to.EmailKey != address.EmailKey:
			return &registry.Error{Kind: registry.ErrForbidden, Code: "wrong_address",
				Msg: "This invitation is for another address. Sign in with the one that it was sent to."}
		}
		m = to.Membership
		if _, err := tx.ExecContext(ctx, `
			WITH used AS (DELETE FROM invitations WHERE hash = $5)
			INSERT INTO members (account, member, role, since)
			VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
			m.Account, person, m.Role, now, hash[:]); err != nil {
			return err
		}
		return audit(ctx, tx, account.AuditEntry{At: now, Account: m.Account, Actor: account.ByOwner,
			Action: "member.joined", Detail: fmt.Sprintf("%s as %s", address.Email, m.Role)})
	})
	return m, postgres.Failed("accept an invitation", err)
}

// ChangeMember sets the role of a member; "" removes the member and revokes their keys. by must
// have permission, see [account.MayChange]. The person who signed up stays an owner.
func (db *Store) ChangeMember(
	ctx context.Context, by, accountID, person int64, to account.Role, now time.Time,
) error {
	return db.changeMembers(ctx, "change a member", by, accountID, func(tx *sqlx.Tx, role account.Role) error {
		if accountID == person {
			return &registry.Error{Kind: registry.ErrConflict, Code: "last_owner",
				Msg: "Who signed up with the account stays its owner. To hand it over, change its e-mail " +
					"address; to end it, delete it."}
		}
		from, err := roleOf(ctx, tx, accountID, person)
		if err != nil {
			return err
		}
		if leaves := by == person && to == ""; !leaves {
			if err := account.MayChange(role, from, to); err != nil {
				return err
			}
		}
		e := account.AuditEntry{At: now, Account: accountID, Actor: account.ByOwner}
		var email string
		if err := tx.GetContext(ctx, &email, `SELECT email FROM accounts WHERE id = $1`, person); err != nil {
			return err
		}
		if to == "" {
			e.Action, e.Detail = "member.removed", email
			_, err = tx.ExecContext(ctx, `DELETE FROM members WHERE account = $1 AND member = $2`, accountID, person)
		} else {
			e.Action, e.Detail = "member.changed", fmt.Sprintf("%s from %s to %s", email, from, to)
			err = setRole(ctx, tx, accountID, person, to, now)
		}
		if err != nil {
			return err
		}
		return audit(ctx, tx, e)
	})
}

// setRole sets the role of a member. Keys of a member keep the scopes that the role
// allows; without any they are revoked. Invitations that the role does not allow end.
func setRole(
	ctx context.Context, tx *sqlx.Tx, accountID, person int64, role account.Role, now time.Time,
) error {
	if _, err := tx.ExecContext(ctx, `UPDATE members SET role = $3 WHERE account = $1 AND member = $2`,
		accountID, person, role); err != nil || role == account.RoleOwner {
		return err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM invitations WHERE account = $1 AND invited_by = $2`,
		accountID, person); err != nil || role == account.RoleAdmin {
		return err
	}
	return postgres.Exec(ctx, tx, `
		UPDATE keys SET revoked_at = CASE WHEN scopes && $3::text[] THEN revoked_at ELSE $4 END,
			scopes = CASE WHEN scopes && $3::text[] THEN
				ARRAY(SELECT s FROM unnest(scopes) s WHERE s = ANY ($3::text[])) ELSE scopes END
		WHERE account = $1 AND made_by = $2 AND revoked_at IS NULL`,
		accountID, person, pq.Array(account.MemberScopes.Names()), now)
}
