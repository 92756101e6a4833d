package postgres

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/entry"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/webhook"
)

// A previousState is the stored state of a server before it is written.
type previousState struct {
	hidden bool
	state  *webhook.State // nil if it is not listed or hidden
}

// formerStates reads servers by ID. The advisories of their packages are read for
// those in withAdvisories.
func formerStates(
	ctx context.Context, tx *sqlx.Tx, ids, withAdvisories []int64,
) (map[int64]previousState, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var rows []struct {
		ID       int64
		Hidden   bool
		Record   document
		Packages jsonColumn[[]registry.PackageFacts]
	}
	if err := tx.SelectContext(ctx, &rows, `
		SELECT id, hidden_at IS NOT NULL AS hidden,
			CASE WHEN listed AND hidden_at IS NULL THEN `+wholeRecord+` END AS record,
			CASE WHEN listed AND id = ANY($2) THEN facts->'packages' END AS packages
		FROM servers s WHERE id = ANY($1)`, pq.Array(ids), pq.Array(withAdvisories)); err != nil {
		return nil, err
	}
	states := make([]*webhook.State, len(rows))
	if err := parallel(len(rows), func(i int) (err error) {
		if rows[i].Record != nil {
			states[i], err = stateOf(rows[i].Record)
			states[i].Advisories = advisoriesOf(rows[i].Packages.V)
		}
		return err
	}); err != nil {
		return nil, err
	}
	by := make(map[int64]previousState, len(rows))
	for i, r := range rows {
		by[r.ID] = previousState{r.Hidden, states[i]}
	}
	return by, nil
}

func stateOf(record []byte) (*webhook.State, error) {
	s := new(registry.Server)
	return &webhook.State{Server: s}, json.Unmarshal(record, s)
}

func advisoriesOf(packages []registry.PackageFacts) (all []registry.Advisory) {
	for _, p := range packages {
		all = append(all, p.Advisories...)
	}
	return all
}

// formerOf is [formerStates] of the servers that drafts replace.
func formerOf(ctx context.Context, tx *sqlx.Tx, drafts []*draft) (map[int64]previousState, error) {
	var ids, withAdvisories []int64
	for _, d := range drafts {
		if d.row.ID == 0 {
			continue
		}
		ids = append(ids, d.row.ID)
		if d.writeFacts && advisoriesOf(d.facts.Packages) != nil {
			withAdvisories = append(withAdvisories, d.row.ID)
		}
	}
	return formerStates(ctx, tx, ids, withAdvisories)
}

// A report holds the results of a transaction for readers of changes: events, and names that
// entries no longer have.
type report struct {
	events []webhook.Event
	left   []registry.Departed
}

// addDraft adds a draft that was written with a sequence number.
func (r *report) addDraft(d *draft, was previousState, seq int64, now time.Time) error {
	var after *webhook.State
	if was.hidden {
		return nil
	}
	if d.listed {
		var err error
		if after, err = stateOf(d.record); err != nil {
			return err
		}
		if d.writeFacts {
			after.Advisories = advisoriesOf(d.facts.Packages)
		}
	}
	return r.add(d.row.ID, was.state, after, seq, now)
}

// add adds a change of the server with an ID.
func (r *report) add(id int64, before, after *webhook.State, seq int64, now time.Time) error {
	for _, c := range webhook.Changes(before, after) {
		e, err := c.Event(seq, now)
		if err != nil {
			return err
		}
		e.ServerID, e.Server = id, cmp.Or(after.Slug(), before.Slug())
		r.events = append(r.events, e)
	}
	r.addName(id, before, after, now)
	return nil
}

// addName adds the former name of an entry whose name changed.
func (r *report) addName(id int64, before, after *webhook.State, now time.Time) {
	if before == nil {
		return
	}
	was, ok := entry.HeadOf(before.Server)
	if !ok {
		return
	}
	if after != nil {
		if is, ok := entry.HeadOf(after.Server); ok && is.Name == was.Name {
			return
		}
	}
	r.left = append(r.left, registry.Departed{ServerID: id, Name: was.Name, Version: was.Version,
		Published: was.Published, At: now})
}

func (r *report) insert(ctx context.Context, tx *sqlx.Tx) error {
	if err := InsertEvents(ctx, tx, r.events); err != nil {
		return err
	}
	return insertDeparted(ctx, tx, r.left)
}

func InsertEvents(ctx context.Context, tx *sqlx.Tx, events []webhook.Event) error {
	if len(events) == 0 {
		return nil
	}
	return Exec(ctx, tx, `
		INSERT INTO server_events (id, sequence, type, server_id, slug, account, at, data)
		SELECT "ID", "Sequence", "Type", nullif("ServerID", 0), "Server", nullif("Account", 0), "At",
			"Data"
		FROM json_to_recordset($1) AS e ("ID" text, "Sequence" bigint, "Type" text,
			"ServerID" bigint, "Server" text, "Account" bigint, "At" timestamptz, "Data" json)`,
		AsJSON{events})
}

// Retired returns when listed servers were last deprecated or archived since a time, newest
// first, at most limit. It covers as long as events are stored.
func (db *DB) Retired(
	ctx context.Context, since time.Time, limit int,
) (all []registry.News, err error) {
	err = db.db.SelectContext(ctx, &all, `
		SELECT s.slug, max(v.at) AS at FROM server_events v JOIN servers s ON s.id = v.server_id
		WHERE v.at >= $1 AND v.type IN ($3, $4) AND s.listed AND s.hidden_at IS NULL
		GROUP BY s.slug ORDER BY max(v.at) DESC, s.slug LIMIT $2`,
		since, limit, webhook.Deprecated, webhook.Archived)
	return all, Wrapped(err, "retired servers")
}

// ForgetEvents deletes events, with their deliveries, that are older than before, and
// returns how many.
func (db *DB) ForgetEvents(ctx context.Context, before time.Time) (int, error) {
	n, err := Affected(db.db.ExecContext(ctx, `
		DELETE FROM server_events WHERE at < $1`, before))
	return n, Wrapped(err, "delete events")
}

// Departed returns the names that entries lost after a time. Some may be in use again.
func (db *DB) Departed(ctx context.Context, since time.Time) (all []registry.Departed, err error) {
	err = db.db.SelectContext(ctx, &all, `
		SELECT name, version, published, server_id, at FROM entry_tombstones
		WHERE at > $1 ORDER BY name, at DESC`, since)
	return all, Wrapped(err, "entries that left")
}

func insertDeparted(ctx context.Context, tx *sqlx.Tx, all []registry.Departed) error {
	if len(all) == 0 {
		return nil
	}
	var names, versions []string
	var ids []int64
	var published []bool
	var at []time.Time
	for _, d := range all {
		names, versions = append(names, cleanText(d.Name)), append(versions, cleanText(d.Version))
		ids, published, at = append(ids, d.ServerID), append(published, d.Published), append(at, d.At)
	}
	return Exec(ctx, tx, `
		INSERT INTO entry_tombstones (name, server_id, version, published, at)
		SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::boolean[], $5::timestamptz[])
		ON CONFLICT (name, server_id) DO UPDATE SET version = excluded.version,
			published = excluded.published, at = excluded.at`,
		pq.Array(names), pq.Array(ids), pq.Array(versions), pq.Array(published), pq.Array(at))
}

// SaveMembers stores the entries that a view has, as versions by name, and returns those
// that it had before and lost after since. The loss counts from now. Of the token of a custom
// endpoint, which is longer than names of views, it stores the hash.
func (db *DB) SaveMembers(
	ctx context.Context, view string, members map[string]string, now, since time.Time,
) (left []registry.Departed, err error) {
	if len(view) > 15 {
		view = HashOfToken(view)
	}
	err = Write(ctx, db.db, func(tx *sqlx.Tx) error {
		if err := LockUntilEnd(ctx, tx, "view "+view); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `
			WITH given AS (SELECT * FROM json_each_text($2) AS g (name, version)),
			lost AS (
				UPDATE view_members m SET left_at = $3 WHERE view = $1 AND left_at IS NULL
					AND NOT EXISTS (SELECT 1 FROM given g WHERE g.name = m.name))
			INSERT INTO view_members (view, name, version)
			SELECT $1, g.name, g.version FROM given g
			LEFT JOIN view_members m ON m.view = $1 AND m.name = g.name
			WHERE m.name IS NULL OR m.left_at IS NOT NULL OR m.version <> g.version
			ON CONFLICT (view, name) DO UPDATE SET version = excluded.version, left_at = NULL`,
			view, AsJSON{members}, now); err != nil {
			return err
		}
		return tx.SelectContext(ctx, &left, `
			SELECT name, version, left_at AS at FROM view_members
			WHERE view = $1 AND left_at > $2 ORDER BY name`, view, since)
	})
	return left, Wrapped(err, "members of a view")
}

// HashOfToken returns the form in which the token of a custom endpoint is stored.
func HashOfToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// ForgetEntries deletes losses of entries and views before a time, and the members of deleted
// custom endpoints. Of each name it leaves [registry.MaxEarlier] earlier versions. It returns the number of
// deleted rows.
func (db *DB) ForgetEntries(ctx context.Context, before time.Time) (int, error) {
	var n int
	err := db.db.GetContext(ctx, &n, `
		WITH a AS (DELETE FROM entry_tombstones WHERE at < $1 RETURNING 1),
		b AS (DELETE FROM view_members m WHERE left_at < $1 OR length(view) > 15
			AND NOT EXISTS (SELECT 1 FROM customs c WHERE c.token = m.view) RETURNING 1),
		c AS (DELETE FROM listing_versions v USING (SELECT name, version,
				row_number() OVER (PARTITION BY name ORDER BY published_at DESC, version) AS place
			FROM listing_versions) AS o
			WHERE o.place > $2 AND v.name = o.name AND v.version = o.version RETURNING 1)
		SELECT (SELECT count(*) FROM a) + (SELECT count(*) FROM b) + (SELECT count(*) FROM c)`,
		before, registry.MaxEarlier)
	return n, Wrapped(err, "delete former entries")
}
