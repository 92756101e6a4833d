package postgres

import (
	"context"
	"strings"
	"time"

	"mcpcensus/internal/registry"
)

// DueAvatars returns owners of listed repositories whose avatars are due, at most
// limit.
func (db *DB) DueAvatars(
	ctx context.Context, now time.Time, limit int,
) (due []registry.OwnerAvatar, err error) {
	err = db.db.SelectContext(ctx, &due, `
		WITH due AS (
			SELECT host, lower(owner) AS owner, max(id) AS id FROM repositories r
			WHERE state = 'server' AND snapshot IS NOT NULL AND NOT EXISTS (
				SELECT FROM owner_avatars a
				WHERE a.host = r.host AND a.owner = lower(r.owner) AND a.due_at > $1)
			GROUP BY 1, 2 LIMIT $2)
		SELECT due.host, due.owner, coalesce(r.repo->>'ownerAvatarUrl',
			r.snapshot->'repo'->>'ownerAvatarUrl', '') AS url
		FROM due JOIN repositories r USING (id) ORDER BY due.id`, now.UTC(), limit)
	return due, Wrapped(err, "due avatars")
}

// SaveAvatar stores an owner's avatar as PNG, nil for none, and when it is due
// again.
func (db *DB) SaveAvatar(
	ctx context.Context, a registry.OwnerAvatar, image []byte, dueAt time.Time,
) error {
	_, err := db.db.ExecContext(ctx, `
		INSERT INTO owner_avatars (host, owner, image, due_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (host, owner) DO UPDATE SET image = $3, due_at = $4`,
		a.Host, strings.ToLower(a.Owner), image, dueAt.UTC())
	return Wrapped(err, "avatar of %s", a.Owner)
}

// AvatarOwners returns the owners of which an avatar is stored, without URLs.
func (db *DB) AvatarOwners(ctx context.Context) (owners []registry.OwnerAvatar, err error) {
	err = db.db.SelectContext(ctx, &owners,
		`SELECT host, owner FROM owner_avatars WHERE image IS NOT NULL ORDER BY host, owner`)
	return owners, Wrapped(err, "owners with avatars")
}

// Avatar returns an owner's avatar as PNG. The error is of kind
// [registry.ErrNotFound] if none is stored.
func (db *DB) Avatar(ctx context.Context, host, owner string) (image []byte, err error) {
	err = db.db.GetContext(ctx, &image, `SELECT image FROM owner_avatars
		WHERE host = $1 AND owner = $2 AND image IS NOT NULL`,
		cleanText(host), cleanText(strings.ToLower(owner)))
	return image, NoRow(Wrapped(err, "avatar of %s", owner), "no avatar is stored")
}
