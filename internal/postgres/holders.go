package postgres

import (
	"context"
	"time"

	"github.com/lib/pq"
)

// LeaseHolders returns the names of workers that hold leases on repositories,
// as given to [DB.Lease].
func (db *DB) LeaseHolders(ctx context.Context, now time.Time) ([]string, error) {
	var workers []string
	err := db.db.SelectContext(ctx, &workers, `
		SELECT DISTINCT leased_by FROM repositories WHERE lease_until > $1
			AND leased_by IS NOT NULL ORDER BY leased_by`, now)
	return workers, wrapped(err, "lease holders")
}

// EndLeases ends the leases of dead workers before they expire, and
// returns how many.
func (db *DB) EndLeases(ctx context.Context, workers []string) (int, error) {
	n, err := affected(db.db.ExecContext(ctx, `
		UPDATE repositories SET lease = NULL, lease_until = NULL, leased_by = NULL
			WHERE lease_until IS NOT NULL AND leased_by = ANY($1)`, pq.Array(workers)))
	return n, wrapped(err, "take leases")
}
