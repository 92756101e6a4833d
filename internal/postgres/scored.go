package postgres

import (
	"context"
	"fmt"

	"mcpcensus/internal/registry"
)

// A scoredRow is a server with the facts that it was scored from.
type scoredRow struct {
	feedRow
	Facts []byte
}

func scoredOf(rows []scoredRow) ([]registry.Scored, error) {
	scored := make([]registry.Scored, len(rows))
	err := parallel(len(rows), func(i int) (err error) {
		if scored[i].Server, err = rows[i].server(); err != nil {
			return err
		}
		if err := reading.Unmarshal(rows[i].Facts, &scored[i].Facts); err != nil {
			return fmt.Errorf("facts of %s: %w", rows[i].Slug, err)
		}
		return nil
	})
	return scored, err
}

// ScoredOfRepo returns the listed servers of the repository with that id in
// this database, hidden ones too, with the facts that they were scored from.
func (db *DB) ScoredOfRepo(ctx context.Context, repoID int64) ([]registry.Scored, error) {
	var rows []scoredRow
	if err := db.db.SelectContext(ctx, &rows, `
		SELECT id, seq, slug, listed, hidden_at IS NOT NULL AS hidden, record, readme, facts,
			ARRAY(SELECT a.slug FROM slug_aliases a WHERE a.server_id = s.id ORDER BY a.slug) AS aliases
		FROM servers s WHERE repo_id = $1 AND listed ORDER BY subfolder`, repoID); err != nil {
		return nil, fmt.Errorf("servers of repository %d: %w", repoID, err)
	}
	return scoredOf(rows)
}
