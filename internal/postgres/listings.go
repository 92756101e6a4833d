package postgres

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"

	"mcpcensus/internal/registry"
)

// A listingRow is an entry with the repository that it names.
type listingRow struct {
	listing registry.Listing
	repoKey string // "" if none
	hostID  int64  // 0 if unknown
}

// host returns the ID of the code host of the entry's repository, "" if it is
// unknown.
func (r listingRow) host() string {
	if host, _, ok := strings.Cut(r.repoKey, ":"); ok {
		return host
	}
	if id := r.listing.RepoSource; id != "" && registry.HostOf(id).ID == id {
		return id
	}
	return ""
}

// hostOfKey returns the host in the key of a repository.
func hostOfKey(key string) string {
	host, _, _ := strings.Cut(key, ":")
	return cmp.Or(host, registry.Hosts[0].ID)
}

// SaveListings stores entries of the official registry that do not name a
// repository of a known host. The others are stored by [DB.Enqueue].
func (db *DB) SaveListings(ctx context.Context, listings []registry.Listing, now time.Time) error {
	for batch := range slices.Chunk(listings, enqueueBatch) {
		var rows []listingRow
		for _, l := range batch {
			row := listingRow{listing: l}
			if row.host() != "" {
				row.hostID, _ = strconv.ParseInt(l.RepoID, 10, 64)
			}
			rows = append(rows, row)
		}
		if err := Write(ctx, db.db,
			func(tx *sqlx.Tx) error { return saveListings(ctx, tx, rows, now) }); err != nil {
			return fmt.Errorf("store listings: %w", err)
		}
	}
	return nil
}

func saveListings(ctx context.Context, tx *sqlx.Tx, rows []listingRow, now time.Time) error {
	type record struct {
		Name    string           `json:"name"`
		RepoKey string           `json:"repo_key"`
		HostID  int64            `json:"host_id"`
		Host    string           `json:"host"`
		Listing registry.Listing `json:"listing"`
	}
	byName := make(map[string]record) // the last of each name wins
	for _, r := range rows {
		if name := cleanText(r.listing.Name); name != "" && len(name) <= maxKey {
			byName[name] = record{name, r.repoKey, r.hostID, r.host(), r.listing}
		}
	}
	// Sorted, so that transactions do not deadlock. A repository is visited again if its
	// entry is new or changed since it was read.
	return Exec(ctx, tx, `
		WITH given AS (
			SELECT name, nullif(repo_key, '') AS repo_key, nullif(host_id, 0) AS host_id, listing, host
			FROM json_to_recordset($1)
				AS l (name text, repo_key text, host_id bigint, listing json, host text)
			ORDER BY name
		), changed AS (
			SELECT g.repo_key, g.host_id, g.host
			FROM given g LEFT JOIN listings l ON l.name = g.name
			WHERE l.name IS NULL OR l.listing::jsonb - 'observedAt' <> g.listing::jsonb - 'observedAt'
		), due AS (
			UPDATE repositories SET due_at = least(due_at, $2), turn_at = least(turn_at, $2)
			WHERE fetched_at IS NOT NULL AND id IN (
				SELECT r.id FROM changed c JOIN repositories r ON r.key = c.repo_key
				UNION
				SELECT r.id FROM changed c JOIN repositories r ON r.host = c.host
					AND r.host_id = c.host_id AND r.host_id IS NOT NULL)
		), replaced AS (
			INSERT INTO listing_versions (name, version, published_at, listing)
			SELECT l.name, l.listing->>'version', (l.listing->>'publishedAt')::timestamptz, l.listing
			FROM given g JOIN listings l ON l.name = g.name
			WHERE l.listing->>'version' <> g.listing->>'version' AND length(l.listing->>'version') <= 255
				AND l.listing->'document' IS NOT NULL AND l.listing->>'status' <> 'deleted'
				AND (l.listing->>'publishedAt')::timestamptz < (g.listing->>'publishedAt')::timestamptz
			ON CONFLICT (name, version) DO UPDATE
				SET published_at = excluded.published_at, listing = excluded.listing
		)
		INSERT INTO listings (name, repo_key, host_id, listing, seen_at)
		SELECT name, repo_key, host_id, listing, $2 FROM given
		ON CONFLICT (name) DO UPDATE SET repo_key = excluded.repo_key, host_id = excluded.host_id,
			listing = excluded.listing, seen_at = excluded.seen_at`,
		AsJSON{slices.Collect(maps.Values(byName))}, now)
}

// EarlierListings returns the entries of a name that later versions have replaced since this
// registry reads them, the newest first, at most [registry.MaxEarlier].
func (db *DB) EarlierListings(ctx context.Context, name string) ([]registry.Listing, error) {
	var rows []jsonColumn[registry.Listing]
	err := db.db.SelectContext(ctx, &rows, `
		SELECT listing FROM listing_versions WHERE name = $1
		ORDER BY published_at DESC, version LIMIT $2`, cleanText(name), registry.MaxEarlier)
	return Mapped(rows, func(r jsonColumn[registry.Listing]) registry.Listing { return r.V }),
		Wrapped(err, "earlier listings of %s", name)
}

// FormerNames returns the keys of names that the host redirected to a repository, at most 20.
func (db *DB) FormerNames(ctx context.Context, host string, hostID int64) (keys []string, err error) {
	if hostID == 0 {
		return nil, nil
	}
	err = db.db.SelectContext(ctx, &keys, `
		SELECT n.key FROM repository_names n JOIN repositories r ON r.id = n.repo_id
			WHERE n.trusted AND r.host = $1 AND r.host_id = $2 AND n.key IS DISTINCT FROM r.key
			ORDER BY n.key LIMIT 20`, host, hostID)
	return keys, err
}

// ListingsOfRepo returns the official registry's entries that name a
// repository, by its current or former key, or by the host's id if that is not
// 0, sorted by name. An entry with this repository's name and the id of another
// known repository belongs to the latter.
func (db *DB) ListingsOfRepo(
	ctx context.Context, repoKey string, hostID int64,
) ([]registry.Listing, error) {
	host := hostOfKey(repoKey)
	var rows []struct {
		Listing []byte
		Named   bool
	}
	if err := db.db.SelectContext(ctx, &rows, `
		WITH repository AS (
			SELECT id, key FROM repositories WHERE key = $1
			UNION
			SELECT id, key FROM repositories WHERE host = $2 AND host_id = $3 AND host_id <> 0
		), named AS (
			SELECT $1 AS key
			UNION
			SELECT key FROM repository
			UNION
			SELECT n.key FROM repository_names n JOIN repository r ON r.id = n.repo_id WHERE n.trusted
		)
		SELECT listing, coalesce(repo_key IN (SELECT key FROM named), false) AS named FROM listings
			WHERE name IN (
			SELECT name FROM listings WHERE host_id = $3 AND host_id <> 0
				AND coalesce(split_part(repo_key, ':', 1), listing->>'repoSource') = $2
			UNION
			SELECT l.name FROM named JOIN listings l ON l.repo_key = named.key
			WHERE $3 = 0 OR l.host_id IS NULL OR NOT EXISTS (
				SELECT 1 FROM repositories o WHERE o.host = $2 AND o.host_id = l.host_id))
		ORDER BY name`, cleanText(repoKey), host, hostID); err != nil {
		return nil, fmt.Errorf("listings of %s: %w", repoKey, err)
	}
	var all []registry.Listing
	for _, row := range rows {
		l := registry.Listing{AddressKnown: row.Named}
		if err := json.Unmarshal(row.Listing, &l); err != nil {
			return nil, fmt.Errorf("listings of %s: %w", repoKey, err)
		}
		all = append(all, l)
	}
	return all, nil
}
