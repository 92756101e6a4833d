package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/lib/pq"
)

// LeaseHolders returns the names of workers that hold leases on repositories,
// as given to [DB.Lease].
func (db *DB) LeaseHolders(ctx context.Context, now time.Time) ([]string, error) {
	var workers []string
	if err := db.db.SelectContext(ctx, &workers, `
		SELECT DISTINCT leased_by FROM repositories WHERE lease_until > $1
			AND leased_by IS NOT NULL ORDER BY leased_by`, now); err != nil {
		return nil, fmt.Errorf("lease holders: %w", err)
	}
	return workers, nil
}

// EndLeases ends the leases of dead workers before they expire, and
// returns how many.
func (db *DB) EndLeases(ctx context.Context, workers []string) (int, error) {
	done, err := db.db.ExecContext(ctx, `
		UPDATE repositories SET lease = NULL, lease_until = NULL, leased_by = NULL
			WHERE lease_until IS NOT NULL AND leased_by = ANY($1)`, pq.Array(workers))
	if err != nil {
		return 0, fmt.Errorf("take leases: %w", err)
	}
	n, err := done.RowsAffected()
	return int(n), err
}
