package people

import (
	"context"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"mcpcensus/internal/account"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/webhook"
)

// dispatchEvents is the size of a batch, which has a delivery for each event and endpoint.
const dispatchEvents = 200

// Dispatch creates the deliveries of the next events that route returns, and reports whether
// there may be more. If another process is doing so, it returns immediately.
func (db *Store) Dispatch(
	ctx context.Context, route func(*webhook.Batch) ([]webhook.Pair, error), now time.Time,
) (more bool, err error) {
	err = postgres.InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		var at struct {
			Mine         bool
			From, Latest int64
		}
		if err := tx.GetContext(ctx, &at, `
			SELECT pg_try_advisory_xact_lock($1) AS mine, p.sequence AS from, c.seq AS latest
			FROM webhook_progress p, changes c`, postgres.LockID("dispatch events")); err != nil {
			return err
		}
		if more = false; !at.Mine || at.From == at.Latest {
			return nil
		}
		b, to, err := nextBatch(ctx, tx, at.From, at.Latest)
		if err != nil {
			return err
		}
		pairs, err := route(b)
		if err != nil {
			return err
		}
		if err := insertDeliveries(ctx, tx, pairs, now); err != nil {
			return err
		}
		more = to < at.Latest
		_, err = tx.ExecContext(ctx, `UPDATE webhook_progress SET sequence = $1`, to)
		return err
	})
	return more, postgres.Wrapped(err, "dispatch events")
}

// nextBatch returns the events of the changes after from, with their endpoints, and the last
// change that it covers, at most latest. Without endpoints it has no events.
func nextBatch(
	ctx context.Context, tx *sqlx.Tx, from, latest int64,
) (b *webhook.Batch, to int64, err error) {
	b = &webhook.Batch{}
	if b.Subscribers, err = subscribers(ctx, tx); err != nil || len(b.Subscribers) == 0 {
		return b, latest, err
	}
	if err := tx.SelectContext(ctx, &b.Events, `
		SELECT id, sequence, type, coalesce(server_id, 0) AS server_id, slug AS server
		FROM server_events WHERE sequence > $1 AND sequence <= $2 AND account IS NULL
		ORDER BY sequence FETCH FIRST $3 ROWS WITH TIES`, from, latest, dispatchEvents); err != nil {
		return nil, 0, err
	}
	if to = latest; len(b.Events) >= dispatchEvents {
		to = b.Events[len(b.Events)-1].Sequence
	}
	searching := func(s webhook.Subscriber) bool { return s.Filters != nil }
	if !slices.ContainsFunc(b.Subscribers, searching) {
		return b, to, nil
	}
	b.Records, err = postgres.Records(ctx, tx,
		postgres.Mapped(b.Events, func(e webhook.Event) int64 { return e.ServerID }))
	return b, to, err
}

// subscribers returns the enabled endpoints by account and ID.
func subscribers(ctx context.Context, tx *sqlx.Tx) ([]webhook.Subscriber, error) {
	type row struct {
		endpointRow
		account.Subscription
		Filters *string
	}
	var rows []row
	err := tx.SelectContext(ctx, &rows, `
		SELECT e.id, e.account, e.events, e.servers, e.search, a.plan, a.plan_until, a.plan_next,
			u.filters
		FROM webhook_endpoints e JOIN accounts a ON a.id = e.account
		LEFT JOIN customs u ON u.account = e.account AND u.name = e.search AND u.query = ''
		WHERE e.disabled_at IS NULL ORDER BY e.account, e.id`)
	return postgres.Mapped(rows, func(r row) webhook.Subscriber {
		return webhook.Subscriber{Endpoint: r.endpoint(), Plan: r.Subscription, Filters: r.Filters}
	}), err
}

func insertDeliveries(ctx context.Context, tx *sqlx.Tx, pairs []webhook.Pair, now time.Time) error {
	if len(pairs) == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO webhook_deliveries (endpoint, event, due_at, created_at)
		SELECT "Endpoint", "Event", $2, $2
		FROM json_to_recordset($1) AS p ("Endpoint" bigint, "Event" text)
		WHERE EXISTS (SELECT 1 FROM webhook_endpoints e WHERE e.id = "Endpoint")
		ON CONFLICT DO NOTHING`, postgres.AsJSON{V: pairs}, now)
	return err
}
