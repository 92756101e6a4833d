package people

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"mcpcensus/internal/account"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
)

type linkRow struct {
	Account         *int64
	Email, EmailKey string
}

func (r linkRow) link() account.Link {
	l := account.Link{Email: r.Email, EmailKey: r.EmailKey}
	if r.Account != nil {
		l.Account = *r.Account
	}
	return l
}

// AddLink implements [account.Store].
func (db *Store) AddLink(ctx context.Context, l account.Link, now time.Time) error {
	return postgres.Failed("add a link", postgres.InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		var browser, code []byte
		if l.Code != nil {
			code = l.Code[:]
		}
		if l.Browser != nil {
			browser = l.Browser[:]
			if _, err := tx.ExecContext(ctx, `DELETE FROM links WHERE browser = $1 AND purpose = $2`,
				browser, l.Purpose); err != nil {
				return err
			}
		}
		n, err := postgres.Affected(tx.ExecContext(ctx, `
			INSERT INTO links (hash, purpose, account, email, email_key, browser, code, created_at,
				expires_at)
			SELECT $1, $2, NULLIF($3::bigint, 0), $4, $5, $6, $7, $8, $9
				WHERE $3::bigint = 0 OR EXISTS (SELECT 1 FROM accounts WHERE id = $3 FOR KEY SHARE)`,
			l.Hash[:], l.Purpose, l.Account, l.Email, l.EmailKey, browser, code, now, l.ExpiresAt))
		if err == nil && n == 0 {
			err = registry.Errorf(registry.ErrNotFound, "no such account")
		}
		return err
	}))
}

// linkWaits is the condition of a link that a browser can use.
const linkWaits = `hash = $1 AND purpose = $2 AND (browser IS NULL OR browser = $3) AND expires_at > $4`

// LinkWaits implements [account.Store].
func (db *Store) LinkWaits(
	ctx context.Context, hash account.TokenHash, purpose string, browser account.TokenHash,
	now time.Time,
) (ok bool, err error) {
	err = db.db.GetContext(ctx, &ok, `SELECT EXISTS (SELECT 1 FROM links WHERE `+linkWaits+`)`,
		hash[:], purpose, browser[:], now)
	return ok, postgres.Failed("look for a link", err)
}

// TakeLink implements [account.Store].
func (db *Store) TakeLink(
	ctx context.Context, hash account.TokenHash, purpose string, browser account.TokenHash,
	now time.Time,
) (account.Link, error) {
	var row linkRow
	err := db.db.GetContext(ctx, &row,
		`DELETE FROM links WHERE `+linkWaits+` RETURNING account, email, email_key`,
		hash[:], purpose, browser[:], now)
	return row.link(), postgres.NoRow(postgres.Failed("use a link", err), "no such link")
}

// TakeCode implements [account.Store].
func (db *Store) TakeCode(
	ctx context.Context, code account.TokenHash, purpose string, browser account.TokenHash,
	known string, now time.Time,
) (account.Link, error) {
	var row linkRow
	var right bool
	err := postgres.InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		var found struct {
			Hash, Code []byte
			EmailKey   string
			Tries      int
		}
		if err := tx.GetContext(ctx, &found, `
			SELECT hash, code, email_key, tries FROM links
			WHERE browser = $1 AND purpose = $2 AND expires_at > $3 AND code IS NOT NULL
			FOR UPDATE`, browser[:], purpose, now); err != nil {
			return err
		}
		limit := account.CodeLimit(found.EmailKey, found.EmailKey == known)
		wait, err := limitWait(ctx, tx, limit, now)
		if err != nil {
			return err
		}
		if wait > 0 {
			return &registry.Error{Kind: registry.ErrLimited, Msg: "too many wrong codes",
				RetryAfter: wait}
		}
		right = bytes.Equal(found.Code, code[:])
		if !right {
			if err := countLimit(ctx, tx, limit, now); err != nil {
				return err
			}
		}
		if !right && found.Tries+1 < account.CodeTries {
			return postgres.Exec(ctx, tx, `UPDATE links SET tries = tries + 1 WHERE hash = $1`,
				found.Hash)
		}
		return tx.GetContext(ctx, &row,
			`DELETE FROM links WHERE hash = $1 RETURNING account, email, email_key`, found.Hash)
	})
	if err == nil && !right {
		return account.Link{}, registry.Errorf(registry.ErrNotFound, "no link has this code")
	}
	return row.link(), postgres.NoRow(postgres.Failed("use a code", err), "no such link")
}

// EmailLinks implements [account.Store].
func (db *Store) EmailLinks(
	ctx context.Context, emailKey string, now time.Time,
) ([]account.Link, error) {
	var rows []linkRow
	err := db.db.SelectContext(ctx, &rows, `
		SELECT account, email, email_key FROM links
		WHERE purpose = 'email' AND email_key = $1 AND expires_at > $2 ORDER BY created_at DESC`,
		emailKey, now)
	return postgres.Mapped(rows, linkRow.link), postgres.Failed("requested changes of address", err)
}

// CountMail implements [account.Store].
func (db *Store) CountMail(
	ctx context.Context, now time.Time, limits ...account.MailLimit,
) (wait time.Duration, of account.TokenHash, err error) {
	// Locks are taken in the order of keys, so that transactions do not deadlock.
	limits = slices.Clone(limits)
	slices.SortFunc(limits, func(a, b account.MailLimit) int {
		return bytes.Compare(a.Key[:], b.Key[:])
	})
	err = postgres.InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		wait = 0
		for _, l := range limits {
			w, err := limitWait(ctx, tx, l, now)
			if err != nil {
				return err
			}
			if w > wait {
				wait, of = w, l.Key
			}
		}
		if wait > 0 {
			return nil
		}
		for _, l := range limits {
			if err := countLimit(ctx, tx, l, now); err != nil {
				return err
			}
		}
		return nil
	})
	return wait, of, postgres.Failed("count a mail", err)
}

// limitWait returns how long a limit is reached, 0 if it is not. Until the transaction ends,
// no other one reads or counts the limit.
func limitWait(
	ctx context.Context, tx *sqlx.Tx, l account.MailLimit, now time.Time,
) (time.Duration, error) {
	if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`,
		int64(binary.BigEndian.Uint64(l.Key[:8]))); err != nil {
		return 0, err
	}
	var ats []time.Time // latest first
	if err := tx.SelectContext(ctx, &ats, `
		SELECT at FROM mail_counts WHERE key = $1 AND at > $2 ORDER BY at DESC LIMIT $3`,
		l.Key[:], now.Add(-l.In), l.Max); err != nil || len(ats) < l.Max {
		return 0, err
	}
	return ats[len(ats)-1].Add(l.In).Sub(now), nil
}

func countLimit(ctx context.Context, tx *sqlx.Tx, l account.MailLimit, now time.Time) error {
	return postgres.Exec(ctx, tx, `INSERT INTO mail_counts (key, at) VALUES ($1, $2)`, l.Key[:], now)
}
