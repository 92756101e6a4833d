package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/lib/pq"
)

// LeaseHolders returns the workers that hold leases on repositories, as they
// named themselves to [DB.Lease].
func (db *DB) LeaseHolders(ctx context.Context, now time.Time) ([]string, error) {
	var workers []string
	if err := db.db.SelectContext(ctx, &workers, `
		SELECT DISTINCT leased_by FROM repositories WHERE lease_until > $1
			AND leased_by IS NOT NULL ORDER BY leased_by`, now); err != nil {
		return nil, fmt.Errorf("lease holders: %w", err)
	}
	return workers, nil
}

// TakeLeasesFrom ends the leases of workers that are known to be dead, so that
// nobody waits for them to run out. It returns how many there were.
func (db *DB) TakeLeasesFrom(ctx context.Context, workers []string) (int, error) {
	done, err := db.db.ExecContext(ctx, `
		UPDATE repositories SET lease = NULL, lease_until = NULL, leased_by = NULL
			WHERE leased_by = ANY($1)`, pq.Array(workers))
	if err != nil {
		return 0, fmt.Errorf("take leases: %w", err)
	}
	n, err := done.RowsAffected()
	return int(n), err
}
