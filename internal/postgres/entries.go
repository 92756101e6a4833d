package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/registry"
)

// Departed returns the names that entries lost after a time. Some may be in use again.
func (db *DB) Departed(ctx context.Context, since time.Time) (all []registry.Departed, err error) {
	err = db.db.SelectContext(ctx, &all, `
		SELECT name, version, published, server_id, at FROM entry_tombstones
		WHERE at > $1 ORDER BY name, at DESC`, since)
	return all, Wrapped(err, "entries that left")
}

func insertDeparted(ctx context.Context, tx *sqlx.Tx, all []registry.Departed) error {
	if len(all) == 0 {
		return nil
	}
	var names, versions []string
	var ids []int64
	var published []bool
	var at []time.Time
	for _, d := range all {
		names, versions = append(names, cleanText(d.Name)), append(versions, cleanText(d.Version))
		ids, published, at = append(ids, d.ServerID), append(published, d.Published), append(at, d.At)
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO entry_tombstones (name, server_id, version, published, at)
		SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::boolean[], $5::timestamptz[])
		ON CONFLICT (name, server_id) DO UPDATE SET version = excluded.version,
			published = excluded.published, at = excluded.at`,
		pq.Array(names), pq.Array(ids), pq.Array(versions), pq.Array(published), pq.Array(at))
	return err
}

// SaveMembers stores the entries that a view has, as versions by name, and returns those
// that it had before and lost after since. The loss counts from now. Of the token of a custom
// endpoint, which is longer than names of views, it stores the hash.
func (db *DB) SaveMembers(
	ctx context.Context, view string, members map[string]string, now, since time.Time,
) (left []registry.Departed, err error) {
	if len(view) > 15 {
		view = HashOfToken(view)
	}
	err = InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		if err := LockUntilEnd(ctx, tx, "view "+view); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `
			WITH given AS (SELECT * FROM json_each_text($2) AS g (name, version)),
			lost AS (
				UPDATE view_members m SET left_at = $3 WHERE view = $1 AND left_at IS NULL
					AND NOT EXISTS (SELECT 1 FROM given g WHERE g.name = m.name))
			INSERT INTO view_members (view, name, version)
			SELECT $1, g.name, g.version FROM given g
			LEFT JOIN view_members m ON m.view = $1 AND m.name = g.name
			WHERE m.name IS NULL OR m.left_at IS NOT NULL OR m.version <> g.version
			ON CONFLICT (view, name) DO UPDATE SET version = excluded.version, left_at = NULL`,
			view, AsJSON{members}, now); err != nil {
			return err
		}
		return tx.SelectContext(ctx, &left, `
			SELECT name, version, left_at AS at FROM view_members
			WHERE view = $1 AND left_at > $2 ORDER BY name`, view, since)
	})
	return left, Wrapped(err, "members of a view")
}

// HashOfToken returns the form in which the token of a custom endpoint is stored.
func HashOfToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// ForgetEntries deletes losses of entries and views before a time, and the members of deleted
// custom endpoints. Of each name it leaves [registry.MaxEarlier] earlier versions. It returns the number of
// deleted rows.
func (db *DB) ForgetEntries(ctx context.Context, before time.Time) (int, error) {
	var n int
	err := db.db.GetContext(ctx, &n, `
		WITH a AS (DELETE FROM entry_tombstones WHERE at < $1 RETURNING 1),
		b AS (DELETE FROM view_members m WHERE left_at < $1 OR length(view) > 15
			AND NOT EXISTS (SELECT 1 FROM customs c WHERE c.token = m.view) RETURNING 1),
		c AS (DELETE FROM listing_versions v USING (SELECT name, version,
				row_number() OVER (PARTITION BY name ORDER BY published_at DESC, version) AS place
			FROM listing_versions) AS o
			WHERE o.place > $2 AND v.name = o.name AND v.version = o.version RETURNING 1)
		SELECT (SELECT count(*) FROM a) + (SELECT count(*) FROM b) + (SELECT count(*) FROM c)`,
		before, registry.MaxEarlier)
	return n, Wrapped(err, "delete former entries")
}
