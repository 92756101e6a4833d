package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"mcpcensus/internal/registry"
)

// Departed returns the servers that left the listing after a time, or were hidden since, as
// they were last.
func (db *DB) Departed(ctx context.Context, since time.Time) ([]registry.Departed, error) {
	var rows []struct {
		ID     int64
		Slug   string
		Record []byte
		At     time.Time
	}
	if err := db.db.SelectContext(ctx, &rows, `
		SELECT id, slug, record, greatest(gone_at, hidden_at) AS at FROM servers
		WHERE (NOT listed OR hidden_at IS NOT NULL) AND greatest(gone_at, hidden_at) > $1`, since); err != nil {
		return nil, fmt.Errorf("servers that left: %w", err)
	}
	out := make([]registry.Departed, len(rows))
	for i, r := range rows {
		s := &out[i].Server
		if err := json.Unmarshal(r.Record, s); err != nil {
			return nil, fmt.Errorf("record of %s: %w", r.Slug, err)
		}
		s.ID, s.Slug, out[i].At = r.ID, r.Slug, r.At.UTC()
	}
	return out, nil
}
