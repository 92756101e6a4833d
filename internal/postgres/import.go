package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/registry"
)

// StartImport begins or continues the import of a dump, which is identified by a hash. It
// returns an error of kind [registry.ErrConflict] if the registry has servers that are
// not of this dump.
func (db *DB) StartImport(
	ctx context.Context, dump string, now time.Time,
) (state registry.ImportState, err error) {
	if err := db.addMonths(ctx, now); err != nil {
		return state, err
	}
	err = Write(ctx, db.db, func(tx *sqlx.Tx) error {
		var row struct {
			Dump string
			registry.ImportState
		}
		err := tx.GetContext(ctx, &row,
			`SELECT dump, line, stored, rejected, finished_at FROM imports FOR UPDATE`)
		if err == nil && row.Dump == dump {
			state = row.ImportState
			return nil
		}
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		unfinished := err == nil && row.FinishedAt == nil
		var servers bool
		if err := tx.GetContext(ctx, &servers, `SELECT EXISTS (SELECT 1 FROM servers)`); err != nil {
			return err
		}
		switch {
		case servers && unfinished:
			return registry.Errorf(registry.ErrConflict, "the registry was filled in part from "+
				"another dump: import that one to its end, or begin with an empty database")
		case servers:
			return registry.Errorf(registry.ErrConflict, "the registry is not empty: a dump can "+
				"only be imported into an empty database, see DATABASE_URL and CENSUS_DATA_DIR")
		}
		state = registry.ImportState{}
		return Exec(ctx, tx, `
			INSERT INTO imports (dump, line, stored, rejected, started_at) VALUES ($1, 0, 0, 0, $2)
			ON CONFLICT (one) DO UPDATE SET dump = excluded.dump, line = 0, stored = 0, rejected = 0,
				started_at = excluded.started_at, finished_at = NULL`, dump, now)
	})
	return state, Wrapped(err, "start the import")
}

// FinishImport stores that an import is complete.
func (db *DB) FinishImport(ctx context.Context, now time.Time) error {
	_, err := db.db.ExecContext(ctx, `UPDATE imports SET finished_at = $1`, now)
	return Wrapped(err, "finish the import")
}

// ImportLines stores lines of a dump, and state with them. A line that contradicts stored data
// is passed to reject with the reason, is counted in state, and changes nothing. Neither do
// lines of known servers and repositories.
func (db *DB) ImportLines(
	ctx context.Context, lines []registry.ImportLine, state *registry.ImportState, now time.Time,
	reject func(number int64, err error),
) error {
	err := db.importBatch(ctx, lines, state, now)
	if len(lines) < 2 || !isBadData(err) {
		if isBadData(err) && len(lines) == 1 {
			reject(lines[0].Number, err)
			state.Rejected++
			return db.importBatch(ctx, nil, state, now)
		}
		return err
	}
	for i := range lines { // one by one, to find the wrong one
		part := *state
		part.Line = lines[i].Number
		if err := db.ImportLines(ctx, lines[i:i+1], &part, now, reject); err != nil {
			return err
		}
		state.Stored, state.Rejected = part.Stored, part.Rejected
	}
	return nil
}

// isBadData reports whether an error is about the data of a statement: a conflict, or a
// value that violates a constraint or is out of range.
func isBadData(err error) bool {
	if pqErr, ok := errors.AsType[*pq.Error](err); ok {
		class := pqErr.Code.Class()
		return class == "22" || class == "23" || class == "54"
	}
	return errors.Is(err, registry.ErrInvalid)
}

func (db *DB) importBatch(
	ctx context.Context, lines []registry.ImportLine, state *registry.ImportState, now time.Time,
) error {
	var stored int64
	err := Write(ctx, db.db, func(tx *sqlx.Tx) error {
		stored = 0
		if err := LockUntilEnd(ctx, tx, namesLock); err != nil {
			return err
		}
		for i := range lines {
			added, err := importLine(ctx, tx, &lines[i], now)
			if err != nil {
				return fmt.Errorf("line %d: %w", lines[i].Number, err)
			}
			if added {
				stored++
			}
		}
		return Exec(ctx, tx, `UPDATE imports SET line = $1, stored = $2, rejected = $3`,
			state.Line, state.Stored+stored, state.Rejected)
	})
	if err == nil {
		state.Stored += stored
	}
	return err
}

// importLine stores a line and reports whether it added a server.
func importLine(
	ctx context.Context, tx *sqlx.Tx, l *registry.ImportLine, now time.Time,
) (added bool, err error) {
	switch {
	case l.Server != nil:
		return importServer(ctx, tx, l.Server, *l.Scored, now)
	case l.Gone != nil:
		return false, importGone(ctx, tx, l.Gone, now)
	case l.Departed != nil:
		return false, insertDeparted(ctx, tx, []registry.Departed{*l.Departed})
	case l.Repository != nil:
		_, err := importRepository(ctx, tx, l.Repository, nil, now)
		return false, err
	case l.Package != nil:
		return false, importPackage(ctx, tx, l.Package, now)
	case l.Listing != nil:
		return false, importListing(ctx, tx, l.Listing)
	case l.Day != nil:
		_, err := tx.ExecContext(ctx, `INSERT INTO day_totals (date, servers, score)
			VALUES ($1::date, $2, $3) ON CONFLICT DO NOTHING`, l.Day.Date, l.Day.Servers, l.Day.Score)
		return false, err
	}
	return false, nil
}

// importRepository stores a repository, unless it is known, and returns its ID. The snapshot
// of a repository with servers has no files: the next visit reads all of them, and until then
// the servers stay unchanged.
func importRepository(
	ctx context.Context, tx *sqlx.Tx, r *registry.DumpRepository, facts *registry.Facts,
	now time.Time,
) (id int64, err error) {
	key := registry.RepoRef{Host: r.Host, Owner: r.Owner, Name: r.Name}.Key()
	err = tx.GetContext(ctx, &id, `
		SELECT id FROM repositories WHERE host = $1 AND host_id = $2 AND $2 <> 0
		UNION ALL SELECT id FROM repositories WHERE key = $3 AND NOT $4 AND (host_id IS NULL OR $2 = 0)
		LIMIT 1`, r.Host, r.HostID, key, r.Unnamed)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, err
	}
	known := err == nil
	var snapshot *registry.Snapshot
	var repo any
	if facts != nil {
		text, err := sharedRepo(facts.Repo)
		if err != nil {
			return 0, err
		}
		repo = string(text)
		if r.FetchedAt != nil {
			// Without the ID of the tree the listing is re-read.
			snapshot = &registry.Snapshot{Repo: facts.Repo, Files: []registry.File{{Path: "README.md"}}}
			snapshot.Repo.TreeID = ""
		}
	}
	due := clamp(r.DueAt, now, now.Add(30*24*time.Hour))
	if known {
		// It was queued without having been read, or another server of it was imported.
		_, err := tx.ExecContext(ctx, `
			UPDATE repositories SET snapshot = $2, repo = $14, state = $3, reason = $4, interval_days = $5,
				due_at = $6, turn_at = $7, wanted = greatest(wanted, $8), fetched_at = $9, probed_at = $10,
				changed_at = $11, host_id = coalesce(host_id, nullif($12::bigint, 0)),
				node_id = coalesce(nullif(node_id, ''), $13)
			WHERE id = $1 AND fetched_at IS NULL AND state = 'new' AND lease IS NULL`,
			id, AsJSON{snapshot}, r.State, r.Reason, r.Interval, due, turnAt(due, r.Priority),
			r.Priority, r.FetchedAt, r.ProbedAt, r.ChangedAt, r.HostID, r.NodeID, repo)
		return id, err
	}
	if err := tx.GetContext(ctx, &id, `
		INSERT INTO repositories (host, host_id, node_id, owner, name, key, snapshot, state, reason,
			due_at, turn_at, wanted, interval_days, fetched_at, probed_at, changed_at, created_at, misses,
			missing_since, last_miss_at, repo)
		VALUES ($1, nullif($2::bigint, 0), $3, $4, $5, CASE WHEN NOT $6 THEN $7 END, $8, $9, $10, $11, $12, $13,
			$14, $15, $16, $17, $18, $19, $20, $21, $22) RETURNING id`,
		r.Host, r.HostID, cleanText(r.NodeID), cleanText(r.Owner), cleanText(r.Name), r.Unnamed, key,
		AsJSON{snapshot}, r.State, cleanText(r.Reason), due, turnAt(due, r.Priority), r.Priority,
		r.Interval, r.FetchedAt, r.ProbedAt, r.ChangedAt, r.CreatedAt, r.Misses, r.MissingSince,
		r.LastMissAt, repo); err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, `
		INSERT INTO repository_names (key, repo_id, trusted, until)
		SELECT key, $1, trusted, until
		FROM json_to_recordset($2) AS n (key text, trusted boolean, until timestamptz)
		ON CONFLICT DO NOTHING`, id, AsJSON{r.FormerNames}); err != nil {
		return 0, err
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO sightings (repo_id, source, first_seen_at, last_seen_at)
		SELECT $1, left(name, 200), "firstSeenAt", "lastSeenAt" FROM json_to_recordset($2)
			AS s (name text, "firstSeenAt" timestamptz, "lastSeenAt" timestamptz)
		ON CONFLICT DO NOTHING`, id, AsJSON{r.Sources})
	return id, err
}

func clamp(t, low, high time.Time) time.Time {
	if t.Before(low) {
		return low
	}
	if t.After(high) {
		return high
	}
	return t
}

// takeSlug returns a sequence number, and an error if another server has or had a slug. The
// lock on sequence numbers, held until the commit, keeps others from taking it.
func takeSlug(ctx context.Context, tx *sqlx.Tx, slug string) (seq int64, err error) {
	if seq, err = takeSeqs(ctx, tx, 1); err != nil {
		return 0, err
	}
	return seq, freeSlug(ctx, tx, slug)
}

// freeSlug returns an error if another server has or had a slug.
func freeSlug(ctx context.Context, tx *sqlx.Tx, slug string) error {
	var taken bool
	err := tx.GetContext(ctx, &taken, `
		SELECT EXISTS (SELECT 1 FROM servers WHERE slug = $1)
			OR EXISTS (SELECT 1 FROM slug_aliases WHERE slug = $1)`, slug)
	if taken {
		return registry.Errorf(registry.ErrInvalid, "another server has the slug %s", slug)
	}
	return err
}

func knownServer(ctx context.Context, tx *sqlx.Tx, repoID int64, subfolder string) (ok bool, err error) {
	err = tx.GetContext(ctx, &ok, `
		SELECT EXISTS (SELECT 1 FROM servers WHERE repo_id = $1 AND subfolder = $2)`, repoID, subfolder)
	return ok, err
}

func importServer(
	ctx context.Context, tx *sqlx.Tx, in *registry.DumpServer, scored registry.Scored,
	now time.Time,
) (added bool, err error) {
	repoID, err := importRepository(ctx, tx, &in.Repository, &in.Facts, now)
	if err != nil {
		return false, err
	}
	d := newDraft(serverRow{}, scored)
	s := &d.server
	if known, err := knownServer(ctx, tx, repoID, s.Subfolder); err != nil || known {
		return false, err
	}
	if err := tx.GetContext(ctx, &d.row.Repo, `SELECT repo FROM repositories WHERE id = $1`,
		repoID); err != nil {
		return false, err
	}
	seq, err := takeSlug(ctx, tx, in.Slug)
	if err != nil {
		return false, err
	}
	d.row.Slug, d.row.Copy.V = in.Slug, in.Copy
	s.Readme, s.Sources = in.SearchText, in.Repository.Sources
	if err := d.prepare(now); err != nil {
		return false, err
	}
	d.listed, s.ListedAt, s.UpdatedAt = true, in.ListedAt, in.UpdatedAt
	if err := d.render(); err != nil {
		return false, err
	}
	if err := insertServer(ctx, tx, repoID, d, seq, now); err != nil {
		return false, err
	}
	if err := savePackagesOf(ctx, tx, d.row.ID, d); err != nil {
		return false, err
	}
	return true, importHistory(ctx, tx, repoID, d.row.ID, in)
}

// importHistory stores former slugs, the README, days and lists of tools of a server.
func importHistory(
	ctx context.Context, tx *sqlx.Tx, repoID, id int64, in *registry.DumpServer,
) error {
	if err := importAliases(ctx, tx, id, in.OldSlugs); err != nil {
		return err
	}
	if in.Readme != nil {
		// Without an object ID, the next visit reads the file.
		if _, err := tx.ExecContext(ctx, `
			INSERT INTO repository_texts (repo_id, path, oid, text) VALUES ($1, $2, '', $3)
			ON CONFLICT DO NOTHING`, repoID, cleanText(in.Readme.Path), cleanText(in.Readme.Text)); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, `
		INSERT INTO day_stats (server_id, date, score, stars, forks, downloads, downloads_by)
		SELECT $1, date, round(score), stars, forks, downloads, "downloadsBreakdown"
		FROM json_to_recordset($2) AS d (date date, score float8, stars integer, forks integer,
			downloads bigint, "downloadsBreakdown" json)
		ON CONFLICT DO NOTHING`, id, AsJSON{in.Days}); err != nil {
		return err
	}
	return Exec(ctx, tx, `
		INSERT INTO tool_lists (server_id, since, hash, source, package, version, last_version, tools)
		SELECT $1, since, hash, source, coalesce(package, ''), coalesce(version, ''),
			coalesce("lastVersion", ''), coalesce(tools, 'null')
		FROM json_to_recordset($2) AS l (since timestamptz, hash text, source text, package text,
			version text, "lastVersion" text, tools jsonb)
		ON CONFLICT DO NOTHING`, id, AsJSON{in.ToolLists})
}

// importAliases stores former slugs of a server that no other server has or had.
func importAliases(ctx context.Context, tx *sqlx.Tx, id int64, slugs []string) error {
	for _, slug := range slugs {
		if err := freeSlug(ctx, tx, slug); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx,
			`INSERT INTO slug_aliases (slug, server_id) VALUES ($1, $2)`, slug, id); err != nil {
			return err
		}
	}
	return nil
}

// importGone stores a server that is not listed, without a record: its slug stays taken.
func importGone(ctx context.Context, tx *sqlx.Tx, in *registry.DumpGone, now time.Time) error {
	repoID, err := importRepository(ctx, tx, &in.Repository, nil, now)
	if err != nil {
		return err
	}
	if known, err := knownServer(ctx, tx, repoID, in.Subfolder); err != nil || known {
		return err
	}
	seq, err := takeSlug(ctx, tx, in.Slug)
	if err != nil {
		return err
	}
	var id int64
	if err := tx.GetContext(ctx, &id, `
		INSERT INTO servers (repo_id, subfolder, slug, seq, record, digest, facts, facts_digest,
			facts_at, listed, listed_at, written_at, updated_at, gone_at)
		VALUES ($1, $2, $3, $4, '{}', '', '{}', '', $5, false, $6, $7, $5, $5) RETURNING id`,
		repoID, in.Subfolder, in.Slug, seq, in.GoneAt, in.ListedAt, now); err != nil {
		return err
	}
	return importAliases(ctx, tx, id, in.OldSlugs)
}

func importPackage(ctx context.Context, tx *sqlx.Tx, p *registry.DumpPackage, now time.Time) error {
	types, identifiers := packageColumns(map[registry.PackageKey]bool{p.PackageKey: true})
	if len(types) == 0 {
		return registry.Errorf(registry.ErrInvalid, "the package has no type or identifier, or a too long one")
	}
	month := now.Add(30 * 24 * time.Hour)
	n, err := Affected(tx.ExecContext(ctx, `
		INSERT INTO packages (registry_type, identifier, facts, asked_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT DO NOTHING`, types[0], identifiers[0], AsJSON{p.Facts}, now))
	if err != nil || n == 0 {
		return err
	}
	for kind, of := range taskTypes {
		if !slices.Contains(of, types[0]) {
			continue
		}
		due := p.DueAt
		if kind == registry.PackageDownloadsKind {
			due = p.DownloadsDueAt
		}
		if _, err := tx.ExecContext(ctx, `
			INSERT INTO package_tasks (registry_type, identifier, kind, due_at)
			VALUES ($1, $2, $3, $4)`, types[0], identifiers[0], kind, clamp(due, now, month)); err != nil {
			return err
		}
	}
	if len(p.Days) > 0 {
		if _, err := tx.ExecContext(ctx, `
			INSERT INTO package_days (registry_type, identifier, days) VALUES ($1, $2, $3)
			ON CONFLICT DO NOTHING`, types[0], identifiers[0], AsJSON{p.Days}); err != nil {
			return err
		}
	}
	if p.Inspection == nil || !slices.Contains(registry.InspectedTypes, types[0]) {
		return nil
	}
	due := now
	if p.InspectionDue != nil {
		due = clamp(*p.InspectionDue, now, now.Add(90*24*time.Hour))
	}
	return Exec(ctx, tx, `
		INSERT INTO inspections (registry_type, identifier, version, result, attempt, due_at)
		VALUES ($1, $2, $3, $4, 1, $5) ON CONFLICT DO NOTHING`,
		types[0], identifiers[0], cleanText(p.Inspected), AsJSON{p.Inspection}, due)
}

func importListing(ctx context.Context, tx *sqlx.Tx, l *registry.DumpListing) error {
	return Exec(ctx, tx, `
		WITH earlier AS (
			INSERT INTO listing_versions (name, version, published_at, listing)
			SELECT $1, e->>'version', (e->>'publishedAt')::timestamptz, e
			FROM json_array_elements($6) AS e ON CONFLICT DO NOTHING
		)
		INSERT INTO listings (name, repo_key, host_id, listing, seen_at)
		VALUES ($1, nullif($2, ''), nullif($3::bigint, 0), $4, $5) ON CONFLICT DO NOTHING`,
		l.Listing.Name, l.RepoKey, l.HostID, AsJSON{l.Listing}, l.SeenAt, AsJSON{l.Earlier})
}
