package postgres

import (
	"cmp"
	"context"
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

// insert stores the report.
func (r *report) insert(ctx context.Context, tx *sqlx.Tx) error {
	if err := InsertEvents(ctx, tx, r.events); err != nil {
		return err
	}
	return insertDeparted(ctx, tx, r.left)
}

// InsertEvents stores events.
func InsertEvents(ctx context.Context, tx *sqlx.Tx, events []webhook.Event) error {
	if len(events) == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO server_events (id, sequence, type, server_id, slug, account, at, data)
		SELECT "ID", "Sequence", "Type", nullif("ServerID", 0), "Server", nullif("Account", 0), "At",
			"Data"
		FROM json_to_recordset($1) AS e ("ID" text, "Sequence" bigint, "Type" text,
			"ServerID" bigint, "Server" text, "Account" bigint, "At" timestamptz, "Data" json)`,
		AsJSON{events})
	return err
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
// returns how many. It deletes secrets of endpoints that no longer sign.
func (db *DB) ForgetEvents(ctx context.Context, before time.Time) (int, error) {
	n, err := Affected(db.db.ExecContext(ctx, `
		WITH replaced AS (UPDATE webhook_endpoints SET secret = '', old_secret = ''
			WHERE generation > 0 AND secret <> '' AND old_until < now())
		DELETE FROM server_events WHERE at < $1`, before))
	return n, Wrapped(err, "delete events")
}
