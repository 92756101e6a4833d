package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/jmoiron/sqlx"

	"mcpcensus/internal/registry"
)

// identify sets the id, if it is known, and the name that the host returned, and returns the row
// of the repository from now on: this one, or an older one that is the same. The caller holds the
// lock of names.
func identify(
	ctx context.Context, tx *sqlx.Tx, row repoRow, said registry.Repository, now time.Time,
) (repoRow, error) {
	key := registry.RepoRef{Host: row.Host, Owner: cleanText(said.Owner),
		Name: cleanText(said.Name)}.Key()
	var others bool
	if err := tx.GetContext(ctx, &others, `
		SELECT EXISTS (SELECT 1 FROM repositories WHERE host = $1 AND host_id = $2 AND id <> $4)
			OR EXISTS (SELECT 1 FROM repositories WHERE key = $3
				AND id <> $4)`, row.Host, said.ID, key, row.ID); err != nil {
		return row, err
	}
	if others {
		var err error
		if row, err = settle(ctx, tx, row, said, key, now); err != nil {
			return row, err
		}
	}
	if row.Key.Valid && row.Key.String != key {
		if err := keepName(ctx, tx, row.ID, row.Key.String, now); err != nil {
			return row, err
		}
	}
	// A former holder loses the name.
	_, err := tx.ExecContext(ctx, `
		WITH former AS (UPDATE repository_names SET trusted = false WHERE key = $6 AND repo_id <> $1)
		UPDATE repositories SET host_id = coalesce(nullif($2::bigint, 0), host_id),
			node_id = coalesce(nullif($3, ''), node_id), owner = $4, name = $5, key = $6
		WHERE id = $1`,
		row.ID, said.ID, cleanText(said.NodeID), cleanText(said.Owner), cleanText(said.Name), key)
	if said.ID != 0 {
		row.HostID = sql.NullInt64{Int64: said.ID, Valid: true}
	}
	row.Key = sql.NullString{String: key, Valid: true}
	return row, err
}

// nameTaken returns why a row cannot have the name under which its repository was read without an
// id, nil if it can: the name belongs to a row with an id, or may belong to one.
func nameTaken(
	ctx context.Context, tx *sqlx.Tx, row repoRow, said registry.Repository,
) (why, err error) {
	if said.ID != 0 {
		return nil, nil
	}
	key := registry.RepoRef{Host: row.Host, Owner: cleanText(said.Owner),
		Name: cleanText(said.Name)}.Key()
	var taken bool
	err = tx.GetContext(ctx, &taken, `
		SELECT EXISTS (SELECT 1 FROM repositories WHERE key = $1 AND id <> $2
			AND (host_id IS NOT NULL OR NOT $3))`, key, row.ID, row.Key.Valid)
	if err == nil && taken {
		why = registry.Errorf(registry.ErrUnavailable,
			"%s is known as another repository; it is read once its id is known.", said.FullName())
	}
	return why, err
}

// settle merges row with rows of the same repository, and removes the name from
// any other.
func settle(
	ctx context.Context, tx *sqlx.Tx, row repoRow, said registry.Repository, key string,
	now time.Time,
) (repoRow, error) {
	twin, err := lockRow(ctx, tx, `host = $1 AND host_id = $2 AND id <> $3`, row.Host, said.ID,
		row.ID)
	if err == nil && twin != nil {
		row, err = merge(ctx, tx, row, *twin, now)
	}
	if err != nil {
		return row, err
	}
	holder, err := lockRow(ctx, tx, `key = $1 AND id <> $2`, key, row.ID)
	switch {
	case err != nil || holder == nil:
	case !holder.HostID.Valid:
		// Known only by this name, so it is the same repository.
		row, err = merge(ctx, tx, row, *holder, now)
	default:
		err = loseName(ctx, tx, *holder, now, now)
	}
	return row, err
}

// saveReused stores that a repository's name now belongs to another repository.
func saveReused(
	ctx context.Context, tx *sqlx.Tx, row repoRow, said registry.Repository, result registry.Result,
) error {
	key := registry.RepoRef{Host: row.Host, Owner: cleanText(said.Owner),
		Name: cleanText(said.Name)}.Key()
	if row.Key.Valid {
		if err := loseName(ctx, tx, row, result.Now, result.NextAt); err != nil {
			return err
		}
	}
	other, err := lockRow(ctx, tx, `host = $1 AND host_id = $2`, row.Host, said.ID)
	if err != nil {
		return err
	}
	if other == nil {
		holder, err := lockRow(ctx, tx, `key = $1`, key)
		if err != nil {
			return err
		}
		if holder != nil && !holder.HostID.Valid {
			other = holder
		} else if holder != nil {
			key = "" // until its own visit settles it
		}
	}
	if other != nil {
		_, err = tx.ExecContext(ctx,
			`UPDATE repositories SET due_at = least(due_at, $2), turn_at = least(turn_at, $2) WHERE id = $1`,
			other.ID, result.Now)
	} else {
		_, err = tx.ExecContext(ctx, `
			INSERT INTO repositories (host, host_id, node_id, owner, name, key, wanted, due_at,
				turn_at, created_at)
			VALUES ($1, $2, $3, $4, $5, nullif($6, ''), $7, $8, $8, $8)`,
			row.Host, said.ID, cleanText(said.NodeID), cleanText(said.Owner), cleanText(
				said.Name), key, stars(said), result.Now)
	}
	if err != nil {
		return err
	}
	result.Visit.Err = registry.Errorf(registry.ErrNotFound,
		"the name %s now belongs to another repository", said.FullName())
	result.State, result.Reason = "", ""
	return saveMissing(ctx, tx, row.ID, result)
}

// loseName removes the name of a repository, and makes it due so that its new
// name is found.
func loseName(ctx context.Context, tx *sqlx.Tx, row repoRow, now, due time.Time) error {
	if _, err := tx.ExecContext(ctx, `
		INSERT INTO repository_names (key, repo_id, trusted, until) VALUES ($1, $2, false, $3)
		ON CONFLICT (key, repo_id) DO UPDATE SET trusted = false,
			until = excluded.until`, row.Key, row.ID, now); err != nil {
		return err
	}
	return Exec(ctx, tx, `
		UPDATE repositories SET key = NULL, due_at = least(due_at, $2), turn_at = least(turn_at,
			$2) WHERE id = $1`, row.ID, due)
}

// keepName stores a former name.
func keepName(ctx context.Context, tx *sqlx.Tx, id int64, key string, now time.Time) error {
	return Exec(ctx, tx, `
		INSERT INTO repository_names (key, repo_id, trusted, until) VALUES ($1, $2, true, $3)
		ON CONFLICT (key, repo_id) DO UPDATE SET trusted = true, until = excluded.until`, key, id, now)
}

// lockRow locks and returns the repository that matches a condition, or nil.
func lockRow(ctx context.Context, tx *sqlx.Tx, where string, args ...any) (*repoRow, error) {
	var row repoRow
	err := tx.GetContext(ctx, &row, `
		SELECT id, host, host_id, node_id, owner, name, key, repo, `+wholeSnapshot+` AS snapshot,
			wanted, forced, fetched_at
		FROM repositories WHERE `+where+` FOR UPDATE`, args...)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &row, err
}

// merge merges two repositories: the older row gets the names, sightings and servers of
// the other, and its snapshot if that is newer. Of two servers in the same subfolder the
// older row's stays, and the other's slug becomes its alias.
func merge(ctx context.Context, tx *sqlx.Tx, a, b repoRow, now time.Time) (repoRow, error) {
	winner, loser := a, b
	if loser.ID < winner.ID {
		winner, loser = loser, winner
	}
	winner.Sources.V = nil
	if err := mergeServers(ctx, tx, winner.ID, loser.ID, now); err != nil {
		return winner, err
	}
	args := map[string]any{"winner": winner.ID, "loser": loser.ID}
	if err := execAll(ctx, tx, args,
		`INSERT INTO sightings (repo_id, source, first_seen_at, last_seen_at)
		SELECT :winner, source, first_seen_at, last_seen_at FROM sightings WHERE repo_id = :loser
		ON CONFLICT (repo_id, source) DO UPDATE SET
			first_seen_at = least(sightings.first_seen_at, excluded.first_seen_at),
			last_seen_at = greatest(sightings.last_seen_at, excluded.last_seen_at)`,
		`INSERT INTO repository_names (key, repo_id, trusted, until)
		SELECT key, :winner, trusted, until FROM repository_names WHERE repo_id = :loser
		ON CONFLICT (key, repo_id) DO NOTHING`); err != nil {
		return winner, err
	}
	if loser.Key.Valid {
		if err := keepName(ctx, tx, winner.ID, loser.Key.String, now); err != nil {
			return winner, err
		}
	}
	if loser.FetchedAt != nil &&
		(winner.FetchedAt == nil || winner.FetchedAt.Before(*loser.FetchedAt)) {
		if err := execAll(ctx, tx, args,
			`DELETE FROM repository_texts WHERE repo_id = :winner`,
			`UPDATE repository_texts SET repo_id = :winner WHERE repo_id = :loser`,
			`UPDATE repositories AS w SET repo = l.repo, snapshot = l.snapshot, state = l.state,
				reason = l.reason, interval_days = l.interval_days, fetched_at = l.fetched_at,
				probed_at = l.probed_at, changed_at = l.changed_at
			FROM repositories AS l WHERE w.id = :winner AND l.id = :loser`); err != nil {
			return winner, err
		}
		winner.Repo, winner.Snapshot, winner.FetchedAt = loser.Repo, loser.Snapshot, loser.FetchedAt
	}
	winner.Priority = max(winner.Priority, loser.Priority)
	winner.Forced = winner.Forced || loser.Forced
	winner.NodeID = cmp.Or(winner.NodeID, loser.NodeID)
	_, err := tx.ExecContext(ctx, `
		WITH gone AS (DELETE FROM repositories WHERE id = $5)
		UPDATE repositories SET wanted = $2, forced = $3, node_id = $4 WHERE id = $1`,
		winner.ID, winner.Priority, winner.Forced, winner.NodeID, loser.ID)
	return winner, err
}

func mergeServers(ctx context.Context, tx *sqlx.Tx, winner, loser int64, now time.Time) error {
	var servers []struct {
		ID     int64
		Slug   string
		TwinID sql.NullInt64
	}
	if err := tx.SelectContext(ctx, &servers, `
		SELECT l.id, l.slug, w.id AS twin_id
		FROM servers l LEFT JOIN servers w ON w.repo_id = $1 AND w.subfolder = l.subfolder
		WHERE l.repo_id = $2 ORDER BY l.id`, winner, loser); err != nil || len(servers) == 0 {
		return err
	}
	seq, err := takeSeqs(ctx, tx, 2*len(servers))
	if err != nil {
		return err
	}
	ids := make([]int64, len(servers))
	for i, s := range servers {
		ids[i] = s.ID
	}
	was, err := formerStates(ctx, tx, ids, nil)
	if err != nil {
		return err
	}
	var told report
	for _, s := range servers {
		if s.TwinID.Valid {
			told.addName(s.ID, was[s.ID].state, nil, now)
			err = mergeServer(ctx, tx, s.ID, s.TwinID.Int64, s.Slug, seq)
		} else {
			_, err = tx.ExecContext(ctx, `UPDATE servers SET repo_id = $2, seq = $3 WHERE id = $1`,
				s.ID, winner, seq)
		}
		if err != nil {
			return err
		}
		seq += 2
	}
	return told.insert(ctx, tx)
}

// mergeServer replaces a server by its twin, with two sequence numbers from seq on.
func mergeServer(
	ctx context.Context, tx *sqlx.Tx, id, twin int64, slug string, seq int64,
) error {
	return execAll(ctx, tx, map[string]any{"id": id, "twin": twin, "slug": slug, "seq": seq},
		`UPDATE slug_aliases SET server_id = :twin WHERE server_id = :id`,
		`WITH gone AS (DELETE FROM day_stats WHERE server_id = :id RETURNING *)
		INSERT INTO day_stats (server_id, date, score, stars, forks, downloads, downloads_by)
		SELECT :twin, date, score, stars, forks, downloads, downloads_by FROM gone
		ON CONFLICT DO NOTHING`,
		`INSERT INTO event_days AS d (server_id, date, `+eventDays.columns+`)
		SELECT :twin, date, `+eventDays.columns+` FROM event_days WHERE server_id = :id
		`+eventDays.add,
		// A server hidden under either name stays hidden.
		`UPDATE servers w SET hidden_at = l.hidden_at, hidden_reason = l.hidden_reason FROM servers l
		WHERE w.id = :twin AND w.hidden_at IS NULL AND l.id = :id AND l.hidden_at IS NOT NULL`,
		`DELETE FROM servers WHERE id = :id`,
		`INSERT INTO slug_aliases (slug, server_id) VALUES (:slug, :twin)`,
		`INSERT INTO tombstones (seq, server_id, slug) VALUES (:seq, :id, :slug)`,
		// Old slugs are part of the record.
		`UPDATE servers SET seq = :seq + 1 WHERE id = :twin`)
}
