// Package people stores in PostgreSQL what belongs to accounts: sessions, links, keys, members,
// the audit log, plans and payments, usage and quota, saved searches, webhooks.
package people

import (
	"context"

	"github.com/jmoiron/sqlx"

	"mcpcensus/internal/postgres"
)

// A Store stores what belongs to accounts. It is safe for concurrent use.
type Store struct {
	registry *postgres.DB
	db       *sqlx.DB
}

// New returns a store in the database of the registry, on the same connections.
func New(registry *postgres.DB) *Store { return &Store{registry, registry.Pool()} }

// TryLock is [postgres.DB.TryLock].
func (db *Store) TryLock(ctx context.Context, name string) (release func(), ok bool, err error) {
	return db.registry.TryLock(ctx, name)
}
