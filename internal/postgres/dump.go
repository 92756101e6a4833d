package postgres

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/registry"
)

// dumpPage is how many rows of a dump are read at a time.
const dumpPage = 200

// repositoryJSON is the registry.DumpRepository of a row r of repositories.
var repositoryJSON = `json_build_object('host', r.host, 'hostId', coalesce(r.host_id, 0),
	'nodeId', r.node_id, 'owner', r.owner, 'name', r.name, 'unnamed', r.key IS NULL,
	'state', r.state, 'reason', r.reason, 'priority', r.wanted, 'interval', r.interval_days,
	'fetchedAt', r.fetched_at, 'probedAt', r.probed_at, 'changedAt', r.changed_at,
	'dueAt', r.due_at, 'createdAt', r.created_at, 'misses', r.misses,
	'missingSince', r.missing_since, 'lastMissAt', r.last_miss_at,
	'formerNames', (SELECT json_agg(json_build_object('key', n.key, 'trusted', n.trusted,
		'until', n.until) ORDER BY n.key) FROM repository_names n WHERE n.repo_id = r.id),
	'sources', ` + sourcesOfRepo("r.id") + `)`

// The rows of a dump. Servers are in the order of their changes, which decides who has a name
// that several servers have. Data that the operator has hidden is left out.
const (
	listedServers = `FROM servers s WHERE s.listed AND s.hidden_at IS NULL`
	goneServers   = `FROM servers s WHERE NOT s.listed AND s.hidden_at IS NULL`
	departedNames = `FROM entry_tombstones e WHERE NOT EXISTS (
		SELECT 1 FROM servers s WHERE s.id = e.server_id AND s.hidden_at IS NOT NULL)`
	otherRepos    = `FROM repositories r WHERE r.state <> 'new' AND NOT EXISTS (SELECT 1 FROM servers s WHERE s.repo_id = r.id)`
	knownPackages = `FROM packages p WHERE p.facts IS NOT NULL`
	serverAliases = `ARRAY(SELECT a.slug FROM slug_aliases a WHERE a.server_id = s.id ORDER BY a.slug)`
)

var repoOfServer = `(SELECT ` + repositoryJSON + ` FROM repositories r WHERE r.id = s.repo_id)`

// Dump reads the registry at one moment, without accounts, keys, usage and hidden
// servers. It calls start with the last change and the numbers of lines, and then line
// with each line. It stops at the first error of either.
func (db *DB) Dump(
	ctx context.Context, start func(registry.DumpHeader) error,
	line func(*registry.DumpLine) error,
) error {
	tx, err := db.db.BeginTxx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return fmt.Errorf("dump: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // it only reads
	var head struct {
		ID                                                              string
		Seq                                                             int64
		At                                                              time.Time
		Servers, Gone, Departed, Repositories, Packages, Listings, Days int
	}
	if err := tx.GetContext(ctx, &head, `
		SELECT (SELECT id::text FROM identity) AS id, (SELECT seq FROM changes) AS seq, now() AS at,
			(SELECT count(*) `+listedServers+`) AS servers, (SELECT count(*) `+goneServers+`) AS gone,
			(SELECT count(*) `+departedNames+`) AS departed,
			(SELECT count(*) `+otherRepos+`) AS repositories,
			(SELECT count(*) `+knownPackages+`) AS packages,
			(SELECT count(*) FROM listings) AS listings, (SELECT count(*) FROM day_totals) AS days`); err != nil {
		return fmt.Errorf("dump: %w", err)
	}
	if err := start(registry.DumpHeader{Registry: registry.DumpRegistry{ID: head.ID},
		Time: head.At, LastChange: head.Seq, Lines: map[string]int{
			"server": head.Servers, "gone": head.Gone, "departed": head.Departed, "repository": head.Repositories,
			"package": head.Packages, "listing": head.Listings, "day": head.Days,
		}}); err != nil {
		return err
	}
	for _, part := range []func(context.Context, *sqlx.Tx, func(*registry.DumpLine) error) error{
		dumpServers, dumpGone, dumpDeparted, dumpRepositories, dumpPackages, dumpListings, dumpDays,
	} {
		if err := part(ctx, tx, line); err != nil {
			return fmt.Errorf("dump: %w", err)
		}
	}
	return nil
}

// A dumpRow is a server with its related data.
type dumpRow struct {
	registry.DumpServer
	ID         int64
	Seq        int64
	OldSlugs   pq.StringArray
	Repository jsonColumn[registry.DumpRepository]
	Record     document
	Facts      document
	Path, Text sql.NullString
	Copy       jsonColumn[*registry.Copy]
	Days       jsonColumn[[]registry.DumpDay]
	ToolLists  jsonColumn[[]registry.DumpToolList]
}

func (r *dumpRow) line() (*registry.DumpLine, error) {
	d := &r.DumpServer
	d.OldSlugs, d.Repository, d.Copy = r.OldSlugs, r.Repository.V, r.Copy.V
	d.Days, d.ToolLists = r.Days.V, r.ToolLists.V
	if err := errors.Join(json.Unmarshal(r.Record, &d.Server), json.Unmarshal(r.Facts, &d.Facts)); err != nil {
		return nil, fmt.Errorf("%s: %w", d.Slug, err)
	}
	if r.Path.Valid {
		d.Readme = &registry.DumpText{Path: r.Path.String, Text: r.Text.String}
	}
	s := &d.Server
	// The columns are rounded where the record is truncated.
	if !s.ListedAt.IsZero() && !s.UpdatedAt.IsZero() {
		d.ListedAt, d.UpdatedAt = s.ListedAt, s.UpdatedAt
	}
	s.ID, s.Seq, s.Slug, s.OldSlugs = r.ID, r.Seq, d.Slug, d.OldSlugs
	if d.ScoredAt = s.Health.ComputedAt; s.ScoredAt != nil {
		d.ScoredAt = *s.ScoredAt
	}
	return &registry.DumpLine{Server: d}, nil
}

func dumpServers(ctx context.Context, tx *sqlx.Tx, line func(*registry.DumpLine) error) error {
	return eachPage(ctx, tx, dumpPage, "servers", `
		SELECT s.id, s.seq, s.slug, `+serverAliases+` AS old_slugs, s.listed_at, s.updated_at,
			`+repoOfServer+` AS repository, `+wholeRecord+` AS record,
			`+wholeFacts+` AS facts, s.readme AS search_text, t.path, t.text, s.copy,
			(SELECT json_agg(json_build_object('date', d.date, 'score', d.score, 'stars', d.stars,
				'forks', d.forks, 'downloads', d.downloads, 'downloadsBreakdown', d.downloads_by)
				ORDER BY d.date) FROM day_stats d WHERE d.server_id = s.id) AS days,
			(SELECT json_agg(json_build_object('since', l.since, 'hash', l.hash, 'source', l.source,
				'package', l.package, 'version', l.version, 'lastVersion', l.last_version,
				'tools', l.tools) ORDER BY l.since) FROM tool_lists l
				WHERE l.server_id = s.id) AS tool_lists
		FROM servers s LEFT JOIN repository_texts t
			ON t.repo_id = s.repo_id AND t.path = s.facts->'readme'->>'path'
		WHERE s.seq > $1 AND s.listed AND s.hidden_at IS NULL ORDER BY s.seq LIMIT $2`,
		func(rows []dumpRow) (after int64, err error) {
			lines := make([]*registry.DumpLine, len(rows))
			err = parallel(len(rows), func(i int) (err error) {
				lines[i], err = rows[i].line()
				return err
			})
			for i := 0; i < len(rows) && err == nil; i++ {
				after, err = rows[i].Seq, line(lines[i])
			}
			return after, err
		})
}

func dumpGone(ctx context.Context, tx *sqlx.Tx, line func(*registry.DumpLine) error) error {
	return dumpJSON[int64](ctx, tx, func(g *registry.DumpGone) error {
		return line(&registry.DumpLine{Gone: g})
	}, `SELECT s.id AS place, json_build_object('slug', s.slug, 'oldSlugs', `+serverAliases+`,
			'subfolder', s.subfolder, 'listedAt', s.listed_at, 'goneAt', coalesce(s.gone_at, s.updated_at),
			'repository', `+repoOfServer+`) AS line `+goneServers+` AND s.id > $1 ORDER BY s.id LIMIT $2`)
}

func dumpDeparted(ctx context.Context, tx *sqlx.Tx, line func(*registry.DumpLine) error) error {
	var all []registry.Departed
	err := tx.SelectContext(ctx, &all,
		`SELECT name, version, published, at `+departedNames+` ORDER BY name, server_id`)
	for i := 0; i < len(all) && err == nil; i++ {
		err = line(&registry.DumpLine{Departed: &all[i]})
	}
	return err
}

func dumpRepositories(ctx context.Context, tx *sqlx.Tx, line func(*registry.DumpLine) error) error {
	return dumpJSON[int64](ctx, tx, func(r *registry.DumpRepository) error {
		return line(&registry.DumpLine{Repository: r})
	}, `SELECT r.id AS place, `+repositoryJSON+` AS line `+otherRepos+` AND r.id > $1 ORDER BY r.id LIMIT $2`)
}

// dumpJSON calls f with the value of each row of a query for [eachPage], which returns rows
// with their place and JSON.
func dumpJSON[Place, T any](
	ctx context.Context, tx *sqlx.Tx, f func(*T) error, query string,
) error {
	type row struct {
		Place Place
		Line  jsonColumn[*T]
	}
	return eachPage(ctx, tx, dumpPage, "rows", query, func(rows []row) (after Place, err error) {
		for i := 0; i < len(rows) && err == nil; i++ {
			after, err = rows[i].Place, f(rows[i].Line.V)
		}
		return after, err
	})
}

func dumpPackages(ctx context.Context, tx *sqlx.Tx, line func(*registry.DumpLine) error) error {
	return dumpJSON[string](ctx, tx, func(p *registry.DumpPackage) error {
		return line(&registry.DumpLine{Package: p})
	}, `SELECT p.registry_type || ' ' || p.identifier AS place,
			json_build_object('registryType', p.registry_type, 'identifier', p.identifier,
				'facts', p.facts, 'days', d.days, 'inspection', i.result,
				'inspected', coalesce(i.version, ''), 'inspectionDueAt', i.due_at,
				'dueAt', coalesce(k.due_at, p.asked_at),
				'downloadsDueAt', coalesce(c.due_at, k.due_at, p.asked_at)) AS line
		FROM packages p
		LEFT JOIN package_tasks k ON k.registry_type = p.registry_type
			AND k.identifier = p.identifier AND k.kind IN ('facts', 'probe')
		LEFT JOIN package_tasks c ON c.registry_type = p.registry_type
			AND c.identifier = p.identifier AND c.kind = 'downloads'
		LEFT JOIN package_days d ON d.registry_type = p.registry_type
			AND d.identifier = p.identifier
		LEFT JOIN inspections i ON i.registry_type = p.registry_type
			AND i.identifier = p.identifier AND i.result IS NOT NULL
		WHERE p.facts IS NOT NULL AND (p.registry_type, p.identifier) >
			(split_part($1, ' ', 1), substring($1 FROM position(' ' IN $1) + 1))
		ORDER BY p.registry_type, p.identifier LIMIT $2`)
}

func dumpListings(ctx context.Context, tx *sqlx.Tx, line func(*registry.DumpLine) error) error {
	return dumpJSON[string](ctx, tx, func(l *registry.DumpListing) error {
		return line(&registry.DumpLine{Listing: l})
	}, `SELECT name AS place, json_build_object('listing', listing, 'repoKey', coalesce(repo_key, ''),
			'hostId', coalesce(host_id, 0), 'seenAt', seen_at, 'earlier', (SELECT json_agg(v.listing)
				FROM (SELECT listing FROM listing_versions WHERE name = l.name
					ORDER BY published_at DESC, version LIMIT `+strconv.Itoa(registry.MaxEarlier)+`) AS v)) AS line
		FROM listings l WHERE name > $1 ORDER BY name LIMIT $2`)
}

func dumpDays(ctx context.Context, tx *sqlx.Tx, line func(*registry.DumpLine) error) error {
	var days []registry.DumpDay
	err := tx.SelectContext(ctx, &days,
		`SELECT date::text AS date, servers, score FROM day_totals ORDER BY day_totals.date`)
	for i := 0; i < len(days) && err == nil; i++ {
		err = line(&registry.DumpLine{Day: &days[i]})
	}
	return err
}
