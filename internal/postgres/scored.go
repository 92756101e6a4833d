package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"mcpcensus/internal/registry"
)

// A scoredRow is a server with the facts that it was scored from.
type scoredRow struct {
	feedRow
	Facts []byte
}

func scoredOf(rows []scoredRow) ([]registry.Scored, error) {
	scored := make([]registry.Scored, 0, len(rows))
	for _, r := range rows {
		server, err := r.server()
		if err != nil {
			return nil, err
		}
		s := registry.Scored{Server: server}
		if err := json.Unmarshal(r.Facts, &s.Facts); err != nil {
			return nil, fmt.Errorf("facts of %s: %w", r.Slug, err)
		}
		scored = append(scored, s)
	}
	return scored, nil
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
