package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/registry"
)

// maxToolLists is how many lists of tools of a server are stored; the oldest are
// deleted.
const maxToolLists = 50

// saveToolLists adds the lists of tools of servers that were written at now, unless
// the newest stored one is the same. Servers whose tools have no hash have none.
func saveToolLists(ctx context.Context, tx *sqlx.Tx, drafts []*draft, now time.Time) error {
	var ids []int64
	var hashes, sources, versions, lists []string
	for _, d := range drafts {
		s := &d.server
		if d.row.ID == 0 || s.ToolsHash == "" {
			continue
		}
		list, err := toJSON(s.Tools)
		if err != nil {
			return err
		}
		ids, hashes = append(ids, d.row.ID), append(hashes, s.ToolsHash)
		sources, versions = append(sources, s.ToolsFrom), append(versions, cleanText(s.ToolsVersion))
		lists = append(lists, string(list))
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, `
		WITH written AS (
			SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::jsonb[])
				AS w (server_id, hash, source, version, tools)
		), added AS (
			INSERT INTO tool_lists (server_id, since, hash, source, version, tools)
			SELECT w.server_id, $6, w.hash, w.source, w.version, w.tools FROM written w
			WHERE (w.hash, w.source) IS DISTINCT FROM (
				SELECT (l.hash, l.source) FROM tool_lists l WHERE l.server_id = w.server_id
				ORDER BY l.since DESC LIMIT 1)
			ON CONFLICT (server_id, since) DO NOTHING
			RETURNING server_id
		)
		DELETE FROM tool_lists l USING added a WHERE l.server_id = a.server_id
			AND l.since <= (SELECT k.since FROM tool_lists k WHERE k.server_id = a.server_id
				ORDER BY k.since DESC OFFSET $7 LIMIT 1)`,
		pq.Array(ids), pq.Array(hashes), pq.Array(sources), pq.Array(versions), pq.Array(lists), now,
		maxToolLists-1)
	return err
}

// ToolLists returns the lists of tools that a listed server has had, the newest
// first, at most limit; the time of a list is when it was first seen. The server is
// found by its slug, current or former; an unknown one has none.
func (db *DB) ToolLists(
	ctx context.Context, slug string, limit int,
) ([]registry.ToolList, error) {
	var rows []struct {
		Since           time.Time
		Source, Version string
		Tools           []byte
	}
	if err := db.db.SelectContext(ctx, &rows, `
		SELECT since, source, version, tools FROM tool_lists
		WHERE server_id = (SELECT id FROM servers WHERE listed AND hidden_at IS NULL
			AND id = coalesce((SELECT id FROM servers WHERE slug = $1),
				(SELECT server_id FROM slug_aliases WHERE slug = $1)))
		ORDER BY since DESC LIMIT $2`, cleanText(slug), limit); err != nil {
		return nil, fmt.Errorf("tools of %s: %w", slug, err)
	}
	lists := make([]registry.ToolList, len(rows))
	for i, r := range rows {
		lists[i] = registry.ToolList{From: r.Source, Version: r.Version, At: r.Since.UTC()}
		if err := json.Unmarshal(r.Tools, &lists[i].Tools); err != nil {
			return nil, fmt.Errorf("tools of %s: %w", slug, err)
		}
	}
	return lists, nil
}
