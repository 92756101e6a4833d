package postgres

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/webhook"
)

const (
	dispatchEvents  = 200 // in a batch, which has a delivery for each and each endpoint
	dispatchServers = 500
)

// Dispatch creates deliveries of the next events, and reports whether there may be more. If
// another process is doing so, it returns immediately. compile returns the test of whether a
// server satisfies filters, given as JSON.
func (db *DB) Dispatch(
	ctx context.Context, compile func(filters string) (func(*registry.Server) bool, error),
	now time.Time,
) (more bool, err error) {
	err = inTx(ctx, db.db, func(tx *sqlx.Tx) error {
		var at struct {
			Mine, Stale  bool
			From, Latest int64
		}
		if err := tx.GetContext(ctx, &at, `
			SELECT pg_try_advisory_xact_lock($1) AS mine, p.sequence AS from, c.seq AS latest,
				EXISTS (SELECT 1 FROM webhook_endpoints e
					JOIN customs u ON u.account = e.account AND u.name = e.search
					LEFT JOIN webhook_views v ON v.account = e.account AND v.name = e.search
					WHERE e.search <> '' AND e.disabled_at IS NULL AND u.query = ''
						AND v.definition IS DISTINCT FROM u.filters) AS stale
			FROM webhook_progress p, changes c`, lockID("dispatch events")); err != nil {
			return err
		}
		if more = false; !at.Mine || at.From == at.Latest && !at.Stale {
			return nil
		}
		d := dispatch{tx: tx, compile: compile, from: at.From, to: at.Latest,
			batch: webhook.Batch{Now: now, Matchers: map[webhook.View]func(*registry.Server) bool{}}}
		if err := d.run(ctx); err != nil {
			return err
		}
		more = d.to < at.Latest
		return nil
	})
	return more, wrapped(err, "dispatch events")
}

// A dispatch makes deliveries of the changes after from, up to to, which it lowers if
// there are many.
type dispatch struct {
	tx       *sqlx.Tx
	compile  func(filters string) (func(*registry.Server) bool, error)
	from, to int64
	batch    webhook.Batch
}

func (d *dispatch) run(ctx context.Context) error {
	defined, err := d.readEndpoints(ctx)
	if err != nil {
		return err
	}
	if err := d.buildViews(ctx, defined); err != nil {
		return err
	}
	if len(d.batch.Endpoints) > 0 {
		for _, step := range []func(context.Context) error{d.readServers, d.readEvents, d.route} {
			if err := step(ctx); err != nil {
				return err
			}
		}
	}
	_, err = d.tx.ExecContext(ctx, `UPDATE webhook_progress SET sequence = $1`, d.to)
	return err
}

// readEndpoints reads the endpoints that receive events, with the definitions of their
// views: the oldest ones of each account, as many as its plan has.
func (d *dispatch) readEndpoints(ctx context.Context) (map[webhook.View]string, error) {
	var rows []struct {
		endpointRow
		account.Subscription
		Filters *string // nil: not defined, or by a text
	}
	if err := d.tx.SelectContext(ctx, &rows, `
		SELECT e.id, e.account, e.events, e.servers, e.search, a.plan, a.plan_until, a.plan_next,
			u.filters
		FROM webhook_endpoints e JOIN accounts a ON a.id = e.account
		LEFT JOIN customs u ON u.account = e.account AND u.name = e.search AND u.query = ''
		WHERE e.disabled_at IS NULL ORDER BY e.account, e.id`); err != nil {
		return nil, err
	}
	defined := map[webhook.View]string{}
	used := map[int64]int{}
	for _, r := range rows {
		plan := r.At(d.batch.Now)
		if used[r.Account]++; used[r.Account] > plan.Webhooks {
			continue
		}
		if r.Search != "" {
			if r.Filters == nil || !plan.Custom {
				continue
			}
			view := webhook.View{Account: r.Account, Name: r.Search}
			matches, err := d.compile(*r.Filters)
			if err != nil { // saved by a version with other filters
				continue
			}
			d.batch.Matchers[view], defined[view] = matches, *r.Filters
		}
		d.batch.Endpoints = append(d.batch.Endpoints, r.endpoint())
	}
	return defined, nil
}

// buildViews stores the results of views that are new or defined differently, without
// events, and deletes those of views that no endpoint uses.
func (d *dispatch) buildViews(ctx context.Context, defined map[webhook.View]string) error {
	var stored []struct {
		webhook.View
		Definition string
	}
	if err := d.tx.SelectContext(ctx, &stored,
		`SELECT account, name, definition FROM webhook_views`); err != nil {
		return err
	}
	build := maps.Clone(defined)
	for _, v := range stored {
		if filters, ok := defined[v.View]; ok && filters == v.Definition {
			delete(build, v.View)
			continue
		}
		if _, err := d.tx.ExecContext(ctx, `DELETE FROM webhook_views WHERE account = $1 AND name = $2`,
			v.Account, v.Name); err != nil {
			return err
		}
	}
	if len(build) == 0 {
		return nil
	}
	for v, filters := range build {
		if _, err := d.tx.ExecContext(ctx,
			`INSERT INTO webhook_views (account, name, definition) VALUES ($1, $2, $3)`,
			v.Account, v.Name, filters); err != nil {
			return err
		}
	}
	return eachPage(ctx, d.tx, factsPage, "servers", `
		SELECT id, seq, slug, `+wholeRecord+` AS record FROM servers s
		WHERE id > $1 AND listed AND hidden_at IS NULL ORDER BY id LIMIT $2`,
		func(rows []changedRow) (after int64, err error) {
			servers, err := changedServers(rows)
			if err != nil {
				return 0, err
			}
			var members []webhook.Member
			for _, s := range servers {
				after = s.ID
				for v := range build {
					if d.batch.Matchers[v](s.Server) {
						members = append(members, webhook.Member{View: v, ServerID: s.ID, Server: s.Slug})
					}
				}
			}
			return after, d.insertMembers(ctx, members)
		})
}

type changedRow struct {
	ID, Seq int64
	Slug    string
	Record  document // nil: not listed
}

func changedServers(rows []changedRow) ([]webhook.ChangedServer, error) {
	all := make([]webhook.ChangedServer, len(rows))
	err := parallel(len(rows), func(i int) error {
		r := rows[i]
		all[i] = webhook.ChangedServer{ID: r.ID, Seq: r.Seq, Slug: r.Slug}
		if r.Record == nil {
			return nil
		}
		s := new(registry.Server)
		err := json.Unmarshal(r.Record, s)
		s.ID, s.Slug, all[i].Server = r.ID, r.Slug, s
		return wrapped(err, "record of %s", r.Slug)
	})
	return all, err
}

// readServers reads the changed servers and in which views they were, if there are views.
func (d *dispatch) readServers(ctx context.Context) error {
	if len(d.batch.Matchers) == 0 {
		return nil
	}
	var rows []changedRow
	if err := d.tx.SelectContext(ctx, &rows, `
		(SELECT id, seq, slug,
			CASE WHEN listed AND hidden_at IS NULL THEN `+wholeRecord+` END AS record
		FROM servers s WHERE seq > $1 AND seq <= $2 ORDER BY seq LIMIT $3)
		UNION ALL
		(SELECT server_id, seq, slug, NULL FROM tombstones
		WHERE seq > $1 AND seq <= $2 ORDER BY seq LIMIT $3)
		ORDER BY seq LIMIT $3`, d.from, d.to, dispatchServers); err != nil {
		return err
	}
	if len(rows) == dispatchServers {
		d.to = rows[len(rows)-1].Seq
	}
	var err error
	if d.batch.Servers, err = changedServers(rows); err != nil {
		return err
	}
	return d.tx.SelectContext(ctx, &d.batch.Members, `
		SELECT account, name, server_id, slug AS server FROM webhook_members
		WHERE server_id = ANY($1)`,
		pq.Array(mapped(rows, func(r changedRow) int64 { return r.ID })))
}

// readEvents reads the events of the changes.
func (d *dispatch) readEvents(ctx context.Context) error {
	if err := d.tx.SelectContext(ctx, &d.batch.Events, `
		SELECT id, sequence, type, coalesce(server_id, 0) AS server_id, slug AS server
		FROM server_events WHERE sequence > $1 AND sequence <= $2 AND account IS NULL
		ORDER BY sequence FETCH FIRST $3 ROWS WITH TIES`, d.from, d.to, dispatchEvents); err != nil {
		return err
	}
	if n := len(d.batch.Events); n >= dispatchEvents {
		d.to = d.batch.Events[n-1].Sequence
		// Servers that changed later belong to the next batch.
		d.batch.Servers = slices.DeleteFunc(d.batch.Servers, func(s webhook.ChangedServer) bool {
			return s.Seq > d.to
		})
	}
	return nil
}

// route stores the deliveries of the batch.
func (d *dispatch) route(ctx context.Context) error {
	d.batch.Sequence = d.to
	r, err := webhook.Route(&d.batch)
	if err != nil {
		return err
	}
	if err := insertEvents(ctx, d.tx, r.Events); err != nil {
		return err
	}
	if len(r.Deliveries) > 0 {
		if _, err := d.tx.ExecContext(ctx, `
			INSERT INTO webhook_deliveries (endpoint, event, due_at, created_at)
			SELECT "Endpoint", "Event", $2, $2
			FROM json_to_recordset($1) AS p ("Endpoint" bigint, "Event" text)
			WHERE EXISTS (SELECT 1 FROM webhook_endpoints e WHERE e.id = "Endpoint")
			ON CONFLICT DO NOTHING`, asJSON{r.Deliveries}, d.batch.Now); err != nil {
			return err
		}
	}
	if err := d.insertMembers(ctx, r.Joined); err != nil || len(r.Left) == 0 {
		return err
	}
	_, err = d.tx.ExecContext(ctx, `
		DELETE FROM webhook_members m
		USING json_to_recordset($1) AS l ("Account" bigint, "Name" text, "ServerID" bigint)
		WHERE m.account = l."Account" AND m.name = l."Name" AND m.server_id = l."ServerID"`,
		asJSON{r.Left})
	return err
}

func (d *dispatch) insertMembers(ctx context.Context, members []webhook.Member) error {
	if len(members) == 0 {
		return nil
	}
	_, err := d.tx.ExecContext(ctx, `
		INSERT INTO webhook_members (account, name, server_id, slug)
		SELECT * FROM json_to_recordset($1)
			AS m ("Account" bigint, "Name" text, "ServerID" bigint, "Server" text)
		ON CONFLICT DO NOTHING`, asJSON{members})
	return err
}
