package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/lib/pq"

	"mcpcensus/internal/registry"
)

// A scoredRow holds the facts of a server, and its fields that only the store
// knows.
type scoredRow struct {
	ID        int64
	Seq       int64
	Slug      string
	Aliases   pq.StringArray
	ListedAt  time.Time `db:"listed_at"`
	UpdatedAt time.Time `db:"updated_at"`
	Facts     document
}

func scoredOf(rows []scoredRow) ([]registry.Scored, error) {
	scored := make([]registry.Scored, len(rows))
	err := parallel(len(rows), func(i int) error {
		r, s := &rows[i], &scored[i]
		s.ReadmeKept = true
		s.Server = registry.Server{
			ID: r.ID, Seq: r.Seq, Slug: r.Slug, OldSlugs: r.Aliases, ListedAt: r.ListedAt.UTC(),
			UpdatedAt: r.UpdatedAt.UTC(),
		}
		if err := json.Unmarshal(r.Facts, &s.Facts); err != nil {
			return fmt.Errorf("facts of %s: %w", r.Slug, err)
		}
		return nil
	})
	return scored, err
}

// ScoredOfRepo returns the listed servers of the repository with that id in
// this database, including hidden ones, with the facts of their scores. Only
// fields of the server that the facts do not hold are set: ID, Seq, slugs, and
// times of listing and change.
func (db *DB) ScoredOfRepo(ctx context.Context, repoID int64) ([]registry.Scored, error) {
	var rows []scoredRow
	if err := db.db.SelectContext(ctx, &rows, `
		SELECT id, seq, slug, listed_at, updated_at, `+wholeFacts+` AS facts,
			ARRAY(SELECT a.slug FROM slug_aliases a WHERE a.server_id = s.id ORDER BY a.slug) AS aliases
		FROM servers s WHERE repo_id = $1 AND listed ORDER BY subfolder`, repoID); err != nil {
		return nil, fmt.Errorf("servers of repository %d: %w", repoID, err)
	}
	return scoredOf(rows)
}
