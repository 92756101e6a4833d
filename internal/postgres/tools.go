package postgres

import (
	"context"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/webhook"
)

// saveToolLists appends the servers' lists of tools to their histories. A list that
// equals the newest stored one only updates its last version. A list of the same version
// of a package, which cannot change, was read by other rules: it replaces the stored one.
// A list is skipped if a more reliable source has one of the same version. Tools without
// hashes are not stored.
func saveToolLists(ctx context.Context, tx *sqlx.Tx, drafts []*draft, now time.Time) error {
	type record struct {
		ServerID int64           `json:"server_id"`
		Hash     string          `json:"hash"`
		Source   string          `json:"source"`
		Package  string          `json:"package"`
		Version  string          `json:"version"`
		Tools    []registry.Tool `json:"tools"`
	}
	var records []record
	for _, d := range drafts {
		s := &d.server
		if d.row.ID != 0 && s.ToolsHash != "" {
			records = append(records, record{d.row.ID, s.ToolsHash, s.ToolsFrom,
				packageText(s.ToolsPackage), s.ToolsVersion, s.Tools})
		}
	}
	if len(records) == 0 {
		return nil
	}
	return Exec(ctx, tx, `
		-- the new lists
		WITH written AS (
			SELECT server_id, hash, source, package, version, coalesce(tools, 'null') AS tools
			FROM json_to_recordset($1) AS w (server_id bigint, hash text, source text, package text,
				version text, tools jsonb)
		-- equal to the newest list: a new last version
		), same AS (
			UPDATE tool_lists l SET last_version = w.version FROM written w
			WHERE l.server_id = w.server_id AND l.hash = w.hash AND l.source = w.source
				AND l.package = w.package
				AND coalesce(nullif(l.last_version, ''), l.version) <> w.version
				AND l.since = (SELECT max(n.since) FROM tool_lists n WHERE n.server_id = w.server_id)
		-- the same version of a package, read by other rules: replaced
		), reread AS (
			UPDATE tool_lists l SET hash = w.hash, tools = w.tools FROM written w
			WHERE l.server_id = w.server_id AND l.hash <> w.hash AND l.source = w.source
				AND l.package = w.package AND w.package <> ''
				AND coalesce(nullif(l.last_version, ''), l.version) = w.version
				AND l.since = (SELECT max(n.since) FROM tool_lists n WHERE n.server_id = w.server_id)
			RETURNING l.server_id
		-- other lists, unless a more reliable source has one of the version
		), added AS (
			INSERT INTO tool_lists (server_id, since, hash, source, package, version, tools)
			SELECT w.server_id, greatest($2, (SELECT max(l.since) + interval '1 microsecond'
					FROM tool_lists l WHERE l.server_id = w.server_id)),
				w.hash, w.source, w.package, w.version, w.tools FROM written w
			WHERE (w.hash, w.source, w.package) IS DISTINCT FROM (
				SELECT (l.hash, l.source, l.package) FROM tool_lists l WHERE l.server_id = w.server_id
				ORDER BY l.since DESC LIMIT 1)
				AND w.server_id NOT IN (SELECT server_id FROM reread)
				AND NOT EXISTS (SELECT 1 FROM tool_lists l WHERE l.server_id = w.server_id
					AND w.version <> '' AND w.version IN (l.version, l.last_version)
					AND array_position($4, l.source) < array_position($4, w.source))
			RETURNING server_id
		)
		-- the oldest lists beyond the maximum; this snapshot lacks the added ones
		DELETE FROM tool_lists l USING added a WHERE l.server_id = a.server_id
			AND l.since <= (SELECT k.since FROM tool_lists k WHERE k.server_id = a.server_id
				ORDER BY k.since DESC OFFSET $3 LIMIT 1)`,
		AsJSON{records}, now, registry.MaxToolLists-1, pq.Array(registry.ToolSources))
}

// packageText returns a package in one column: "npm weather-mcp"; "" for none.
func packageText(p registry.PackageKey) string {
	if p.Identifier == "" {
		return ""
	}
	return cleanText(p.RegistryType + " " + p.Identifier)
}

// ToolSources counts the listed servers by the source of their last list of tools, "" for
// none. It reads an index entry of each server.
func (db *DB) ToolSources(ctx context.Context) (map[string]int, error) {
	var rows []struct {
		Source string
		Count  int
	}
	err := db.db.SelectContext(ctx, &rows, `
		SELECT coalesce(l.source, '') AS source, count(*) AS count
		FROM servers s LEFT JOIN LATERAL (SELECT source FROM tool_lists t WHERE t.server_id = s.id
			ORDER BY since DESC LIMIT 1) l ON true
		WHERE s.listed AND s.hidden_at IS NULL GROUP BY 1`)
	counts := make(map[string]int, len(rows))
	for _, r := range rows {
		counts[r.Source] = r.Count
	}
	return counts, Wrapped(err, "sources of tools")
}

// packageKey returns the package of a text of packageText.
func packageKey(text string) (p registry.PackageKey) {
	p.RegistryType, p.Identifier, _ = strings.Cut(text, " ")
	return p
}

// ToolLists returns the history of a listed server's tools, newest first, at most limit; the
// time of a list is when it was first seen. The server is found by its slug, current or
// former; an unknown one has none.
func (db *DB) ToolLists(
	ctx context.Context, slug string, limit int,
) ([]registry.ToolList, error) {
	var rows []toolListRow
	err := db.db.SelectContext(ctx, &rows, `
		SELECT since AS at, source AS from, package, version, last_version, tools FROM tool_lists
		WHERE server_id = (SELECT id FROM servers WHERE listed AND hidden_at IS NULL
			AND id = `+serverOfSlug+`)
		ORDER BY since DESC LIMIT $2`, cleanText(slug), limit)
	return Mapped(rows, toolListRow.list), Wrapped(err, "tools of %s", slug)
}

// ToolHistories is [DB.ToolLists] for the listed servers with the given current slugs that
// have several lists, by slug.
func (db *DB) ToolHistories(
	ctx context.Context, slugs []string, limit int,
) (map[string][]registry.ToolList, error) {
	var rows []toolListRow
	err := db.db.SelectContext(ctx, &rows, `
		SELECT slug, since AS at, source AS from, package, version, last_version, tools FROM (
			SELECT s.slug, l.*, row_number() OVER w AS n, count(*) OVER (PARTITION BY s.id) AS lists
			FROM servers s JOIN tool_lists l ON l.server_id = s.id
			WHERE s.slug = ANY($1) AND s.listed AND s.hidden_at IS NULL
			WINDOW w AS (PARTITION BY s.id ORDER BY l.since DESC)
		) AS ranked
		WHERE lists > 1 AND n <= $2 ORDER BY slug, since DESC`, cleanTexts(slugs), limit)
	all := make(map[string][]registry.ToolList)
	for _, r := range rows {
		all[r.Slug] = append(all[r.Slug], r.list())
	}
	return all, Wrapped(err, "histories of tools")
}

type toolListRow struct {
	registry.ToolList
	Slug    string
	Package string
	Tools   jsonColumn[[]registry.Tool]
}

func (r toolListRow) list() registry.ToolList {
	r.ToolList.Package, r.ToolList.Tools = packageKey(r.Package), r.Tools.V
	return r.ToolList
}

// newsOfTools returns the lists of tools, except from READMEs, that replaced one of the same
// source from since until before until, as [DB.News] does.
func (db *DB) newsOfTools(
	ctx context.Context, slugs pq.StringArray, since, until time.Time, limit int,
) (news []registry.News, err error) {
	var rows []struct {
		Slug                  string
		Since                 time.Time
		Source, Version, Last string
		Package               string
		Before, Then          jsonColumn[map[string]string] // hashes by name
	}
	err = db.db.SelectContext(ctx, &rows, `
		SELECT s.slug, l.since, l.source, l.package, l.version,
			coalesce(nullif(b.last_version, ''), b.version) AS last,
			(SELECT json_object_agg(t->>'name', coalesce(t->>'hash', ''))
				FROM jsonb_array_elements(b.tools) AS t) AS before,
			(SELECT json_object_agg(t->>'name', coalesce(t->>'hash', ''))
				FROM jsonb_array_elements(l.tools) AS t) AS then
		FROM tool_lists l
		JOIN servers s ON s.id = l.server_id AND s.listed AND s.hidden_at IS NULL
		CROSS JOIN LATERAL (SELECT * FROM tool_lists o WHERE o.server_id = l.server_id
			AND o.source = l.source AND o.package = l.package AND o.since < l.since ORDER BY o.since DESC LIMIT 1) AS b
		WHERE l.since >= $2 AND l.since < $3 AND l.source <> $5 AND l.hash <> b.hash
			AND jsonb_typeof(l.tools) = 'array' AND jsonb_typeof(b.tools) = 'array'
			AND ($1::text[] IS NULL OR s.slug = ANY($1))
		ORDER BY l.since DESC, s.slug LIMIT $4`,
		slugs, since, until, limit, registry.ToolsFromReadme)
	for _, r := range rows {
		change := &registry.ToolsChange{From: r.Source, Package: packageKey(r.Package), Version: r.Version,
			SameVersion: r.Version != "" && r.Version == r.Last}
		change.Added, change.Removed, change.Changed = webhook.CompareHashes(r.Before.V, r.Then.V)
		news = append(news, registry.News{Slug: r.Slug, At: r.Since, Tools: change})
	}
	return news, Wrapped(err, "news of tools")
}
