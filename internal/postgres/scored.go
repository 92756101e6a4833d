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
	ListedAt  time.Time
	UpdatedAt time.Time
	Facts     document
}

// scoredColumns are those of a scoredRow, of a server s.
var scoredColumns = `s.id, s.seq, s.slug, s.listed_at, s.updated_at, ` + wholeFacts + ` AS facts,
	` + serverAliases + ` AS aliases`

func scoredOf(rows []scoredRow) ([]registry.Scored, error) {
	scored := make([]registry.Scored, len(rows))
	err := parallel(len(rows), func(i int) error {
		r, s := &rows[i], &scored[i]
		s.ReadmeKept = true
		s.Server = registry.Server{ID: r.ID, Seq: r.Seq, Slug: r.Slug, OldSlugs: r.Aliases,
			ListedAt: r.ListedAt, UpdatedAt: r.UpdatedAt}
		return wrapped(json.Unmarshal(r.Facts, &s.Facts), "facts of %s", r.Slug)
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
		SELECT `+scoredColumns+` FROM servers s
		WHERE repo_id = $1 AND listed ORDER BY subfolder`, repoID); err != nil {
		return nil, fmt.Errorf("servers of repository %d: %w", repoID, err)
	}
	return scoredOf(rows)
}
