package people

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/account"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
)

// maxEndedKeys is the number of ended keys stored per account, so that requests with them get
// an error with the reason.
const maxEndedKeys = 100

type keyRow struct {
	account.Key
	Scopes, Addresses pq.StringArray
}

const keyColumns = `id, account, name, prefix, created_at, last_used_at, expires_at, revoked_at, scopes,
	addresses::text[] AS addresses, replaced_by IS NOT NULL AS rotated,
	coalesce(made_by, 0) AS made_by`

func (r keyRow) key() account.Key {
	r.Key.Scopes, r.Key.Addresses = scopesOf(r.Scopes), prefixes(r.Addresses)
	return r.Key
}

// scopesOf returns stored scopes, which are valid.
func scopesOf(names []string) account.Scopes {
	s, err := account.ParseScopes(names)
	if err != nil {
		return account.ScopeRead // the least
	}
	return s
}

// prefixes returns stored networks.
func prefixes(texts []string) []netip.Prefix {
	var out []netip.Prefix
	for _, text := range texts {
		p, _ := netip.ParsePrefix(text) // an invalid one contains no address
		out = append(out, p)
	}
	return out
}

// Keys returns an account's keys, newest first: the working ones, and the last
// hundred that ended.
func (db *Store) Keys(ctx context.Context, accountID int64) ([]account.Key, error) {
	var rows []keyRow
	err := db.db.SelectContext(ctx, &rows, `
		SELECT `+keyColumns+` FROM keys WHERE account = $1 ORDER BY id DESC`, accountID)
	return postgres.Mapped(rows, keyRow.key), postgres.Failed("keys", err)
}

// MakeKey stores a new key of k.Account with its name, prefix and time of
// creation, and returns it with its ID. The error is of kind
// [registry.ErrConflict] if the account has the maximum number of keys, and
// [registry.ErrNotFound] if the account does not exist.
func (db *Store) MakeKey(
	ctx context.Context, actor string, k account.Key, hash account.KeyHash,
) (account.Key, error) {
	err := postgres.InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		if err := lockAccount(ctx, tx, k.Account); err != nil {
			return err
		}
		var working int
		if err := tx.GetContext(ctx, &working, `
			SELECT count(*) FROM keys k
			WHERE account = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)
				-- the two keys of a rotation count as one
				AND NOT EXISTS (SELECT 1 FROM keys n WHERE n.id = k.replaced_by
					AND n.revoked_at IS NULL)`,
			k.Account, k.CreatedAt); err != nil {
			return err
		}
		if working >= account.MaxKeys {
			return &registry.Error{Kind: registry.ErrConflict, Code: "too_many_keys",
				Msg: fmt.Sprintf("an account has at most %d keys: revoke an unused one",
					account.MaxKeys)}
		}
		var err error
		if k.ID, err = insertKey(ctx, tx, k, hash); err != nil {
			return err
		}
		return auditKey(ctx, tx, k.CreatedAt, k, actor, "key.made", k.Restrictions())
	})
	return k, postgres.Failed("make a key", err)
}

// insertKey stores a new key and deletes keys that ended long ago.
func insertKey(
	ctx context.Context, tx *sqlx.Tx, k account.Key, hash account.KeyHash,
) (id int64, err error) {
	if _, err := tx.ExecContext(ctx, `
		DELETE FROM keys WHERE id IN (
			SELECT id FROM keys WHERE account = $1 AND (revoked_at IS NOT NULL OR expires_at <= $2)
			ORDER BY coalesce(revoked_at, expires_at) DESC,
				id DESC OFFSET $3)`, k.Account, k.CreatedAt, maxEndedKeys-1); err != nil {
		return 0, err
	}
	err = tx.GetContext(ctx, &id, `
		INSERT INTO keys (account, name, prefix, hash, created_at, scopes, addresses, expires_at,
			made_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7::text[]::cidr[], $8, nullif($9::bigint, 0)) RETURNING id`,
		k.Account, k.Name, k.Prefix, hash[:], k.CreatedAt, pq.Array(k.Scopes.Names()),
		pq.Array(k.Networks()), k.ExpiresAt, k.MadeBy)
	return id, err
}

// lockAccount locks an account, so that one transaction at a time changes its keys, or uses the
// last place for something.
func lockAccount(ctx context.Context, tx *sqlx.Tx, accountID int64) error {
	var id int64
	err := tx.GetContext(ctx, &id, `SELECT id FROM accounts WHERE id = $1 FOR NO KEY UPDATE`,
		accountID)
	if errors.Is(err, sql.ErrNoRows) {
		return &registry.Error{Kind: registry.ErrNotFound, Code: "account_not_found",
			Msg: "no such account"}
	}
	return err
}

func auditKey(
	ctx context.Context, tx *sqlx.Tx, now time.Time, k account.Key, actor, action, more string,
) error {
	return audit(ctx, tx, account.AuditEntry{At: now, Account: k.Account, Actor: actor,
		Action: action, Detail: fmt.Sprintf("%q, %s…%s", k.Name, k.Prefix, more)})
}

// lockKey locks and returns an account's key. A key of another account is not
// found.
func lockKey(
	ctx context.Context, tx *sqlx.Tx, accountID, id int64,
) (k account.Key, err error) {
	if err := lockAccount(ctx, tx, accountID); err != nil {
		return k, err
	}
	var row keyRow
	err = tx.GetContext(ctx, &row, `
		SELECT `+keyColumns+` FROM keys WHERE id = $2 AND account = $1`, accountID, id)
	if errors.Is(err, sql.ErrNoRows) {
		return k, &registry.Error{Kind: registry.ErrNotFound, Code: "key_not_found",
			Msg: "the account has no such key"}
	}
	return row.key(), err
}

// ChangeKey changes the name and the restrictions of an account's key by calling change.
func (db *Store) ChangeKey(
	ctx context.Context, actor string, now time.Time, accountID, id int64,
	change func(*account.Key) error,
) (k account.Key, err error) {
	err = postgres.InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		if k, err = lockKey(ctx, tx, accountID, id); err != nil {
			return err
		}
		old := k
		if err := change(&k); err != nil {
			return err
		}
		if err := limitToMaker(ctx, tx, accountID, old, k); err != nil {
			return err
		}
		action, more := "key.changed", k.Restrictions()
		switch {
		case old.Restrictions() != more:
		case old.Name != k.Name:
			action, more = "key.renamed", fmt.Sprintf(", was %q", old.Name)
		default:
			return nil
		}
		if _, err := tx.ExecContext(ctx, `
			UPDATE keys SET name = $2, scopes = $3, addresses = $4::text[]::cidr[], expires_at = $5
			WHERE id = $1`, id, k.Name, pq.Array(k.Scopes.Names()), pq.Array(k.Networks()),
			k.ExpiresAt); err != nil {
			return err
		}
		return auditKey(ctx, tx, now, k, actor, action, more)
	})
	return k, postgres.Failed("change a key", err)
}

// limitToMaker returns an error if a change gives the key of a member, who may rotate it, scopes
// that the member cannot give it.
func limitToMaker(ctx context.Context, tx *sqlx.Tx, accountID int64, old, k account.Key) error {
	if k.Scopes == old.Scopes || account.MemberScopes.Has(k.Scopes) && k.Scopes != 0 {
		return nil
	}
	var role account.Role
	err := tx.GetContext(ctx, &role, `SELECT role FROM members WHERE account = $1 AND member = $2`,
		accountID, k.MadeBy)
	if errors.Is(err, sql.ErrNoRows) || err == nil && role.May(account.RoleAdmin) {
		return nil
	}
	return cmp.Or[error](err, account.ErrMemberScopes)
}

// RevokeKey ends an account's key. It does nothing if the key has already
// ended.
func (db *Store) RevokeKey(
	ctx context.Context, actor string, now time.Time, accountID, id int64,
) (k account.Key, err error) {
	err = postgres.InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		if k, err = lockKey(ctx, tx, accountID, id); err != nil || !k.Works(now) {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE keys SET revoked_at = $2 WHERE id = $1`, id,
			now); err != nil {
			return err
		}
		k.RevokedAt = &now
		return auditKey(ctx, tx, now, k, actor, "key.revoked", "")
	})
	return k, postgres.Failed("revoke a key", err)
}

// RotateKey replaces a working key of an account by a new one with the same
// name. The old one works until [account.KeyOverlap] after now. The error is of
// kind [registry.ErrConflict] if the key has ended, was rotated, or has a
// predecessor that still works, so a name never has more than two keys.
func (db *Store) RotateKey(
	ctx context.Context, actor string, now time.Time, accountID, id int64, prefix string,
	hash account.KeyHash,
) (old, made account.Key, err error) {
	err = postgres.InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		if old, err = lockKey(ctx, tx, accountID, id); err != nil {
			return err
		}
		switch {
		case !old.Works(now):
			return registry.Errorf(registry.ErrConflict,
				"this key no longer works: create a new one")
		case old.Rotated:
			return registry.Errorf(registry.ErrConflict,
				"this key was already rotated and ends at %s: rotate its replacement",
				old.ExpiresAt.Format(time.RFC3339))
		}
		var before []keyRow
		if err := tx.SelectContext(ctx, &before, `
			SELECT `+keyColumns+` FROM keys WHERE account = $1 AND replaced_by = $2 AND revoked_at IS NULL
				AND expires_at > $3`, accountID, id, now); err != nil {
			return err
		}
		if len(before) > 0 {
			return registry.Errorf(registry.ErrConflict,
				"the key before this one, %s…, still works: revoke it first, or wait until %s",
				before[0].Prefix, before[0].ExpiresAt.UTC().Format(time.RFC3339))
		}
		made = account.Key{Account: accountID, Name: old.Name, Prefix: prefix, CreatedAt: now,
			Scopes: old.Scopes, Addresses: old.Addresses, ExpiresAt: old.ExpiresAt,
			MadeBy: account.VisitorOf(ctx).Member} // who receives its text
		if actor == account.ByOperator {
			made.MadeBy = old.MadeBy
		}
		if made.ID, err = insertKey(ctx, tx, made, hash); err != nil {
			return err
		}
		ends := now.Add(account.KeyOverlap)
		if old.ExpiresAt != nil && old.ExpiresAt.Before(ends) {
			ends = *old.ExpiresAt
		}
		if _, err := tx.ExecContext(ctx,
			`UPDATE keys SET expires_at = $2, replaced_by = $3 WHERE id = $1`, id, ends,
			made.ID); err != nil {
			return err
		}
		old.ExpiresAt, old.Rotated = &ends, true
		return auditKey(ctx, tx, now, made, actor, "key.rotated",
			fmt.Sprintf(" to replace %s…, which works until %s", old.Prefix,
				ends.UTC().Format(time.RFC3339)))
	})
	return old, made, postgres.Failed("rotate a key", err)
}

// FindKey returns the key with a hash and the subscription of its account. The error is of
// kind [registry.ErrNotFound] if there is none.
func (db *Store) FindKey(
	ctx context.Context, hash account.KeyHash,
) (k account.HeldKey, err error) {
	var row struct {
		account.Subscription
		keyRow
	}
	err = db.db.GetContext(ctx, &row, `
		SELECT a.plan, a.plan_until, coalesce(a.plan_next, '') AS plan_next, k.*
		FROM (SELECT `+keyColumns+` FROM keys WHERE hash = $1) k JOIN accounts a ON a.id = k.account`,
		hash[:])
	if errors.Is(err, sql.ErrNoRows) {
		return k, &registry.Error{Kind: registry.ErrNotFound, Code: "key_not_found",
			Msg: "no key has this hash"}
	}
	return account.HeldKey{Key: row.key(), Subscription: row.Subscription},
		postgres.Failed("find a key", err)
}

// TouchKeys stores when keys were last used, unless a later time is stored.
func (db *Store) TouchKeys(ctx context.Context, used map[int64]time.Time) error {
	if len(used) == 0 {
		return nil
	}
	ids, seconds := make([]int64, 0, len(used)), make([]float64, 0, len(used))
	for id, at := range used {
		ids, seconds = append(ids, id), append(seconds, float64(at.UnixMilli())/1000)
	}
	return db.exec(ctx, "last use of keys", `
		WITH used AS (SELECT * FROM unnest($1::bigint[], $2::float8[]) AS u (id, at)),
		locked AS (SELECT k.id FROM keys k JOIN used u ON u.id = k.id
			ORDER BY k.id FOR NO KEY UPDATE OF k)
		UPDATE keys k SET last_used_at = greatest(k.last_used_at, to_timestamp(u.at))
		FROM used u JOIN locked l ON l.id = u.id WHERE k.id = u.id`, pq.Array(ids), pq.Array(seconds))
}
