package people

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/account"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/internal/webhook"
)

// ClaimDeliveries leases up to n due deliveries for ttl, the longest overdue first. Of an
// endpoint, at most each are leased at a time, over all processes, and one if its last
// attempt failed, so that endpoints that do not respond do not hold up others.
func (db *Store) ClaimDeliveries(
	ctx context.Context, n, each int, ttl time.Duration, now time.Time,
) ([]webhook.Job, error) {
	var rows []struct {
		deliveryRow
		Lease    string
		Endpoint webhook.Endpoint
	}
	err := postgres.Write(ctx, db.db, func(tx *sqlx.Tx) error {
		rows = nil
		// One claim at a time, so that the leases of an endpoint are counted exactly.
		if err := postgres.LockUntilEnd(ctx, tx, "claim deliveries"); err != nil {
			return err
		}
		return tx.SelectContext(ctx, &rows, `
			WITH due AS (
				SELECT d.id, d.due_at FROM webhook_endpoints e
				CROSS JOIN LATERAL (
					SELECT id, due_at FROM webhook_deliveries
					WHERE endpoint = e.id AND state = 'pending' AND due_at <= $1
						AND (lease IS NULL OR lease_until <= $1)
					ORDER BY due_at, id
					LIMIT greatest(0, CASE WHEN e.failing_since IS NULL THEN $3::bigint ELSE 1 END - (
						SELECT count(*) FROM webhook_deliveries l WHERE l.endpoint = e.id
							AND l.state = 'pending' AND l.due_at <= $1 AND l.lease_until > $1))
				) AS d
				WHERE e.disabled_at IS NULL
				ORDER BY d.due_at, d.id LIMIT $2
			), claimed AS (
				UPDATE webhook_deliveries d SET lease = $4, lease_until = $5
				FROM due WHERE d.id = due.id
				RETURNING d.*
			)
			SELECT `+deliveryColumns+`, d.lease, e.id AS "endpoint.id",
				e.account AS "endpoint.account", e.url AS "endpoint.url",
				e.generation AS "endpoint.generation", e.old_until AS "endpoint.old_until",
				e.created_at AS "endpoint.created_at", e.failing_since AS "endpoint.failing_since"
			FROM claimed d JOIN webhook_endpoints e ON e.id = d.endpoint
			JOIN server_events v ON v.id = d.event
			ORDER BY d.due_at, d.id`, now, n, each, rand.Text(), now.Add(ttl))
	})
	jobs := make([]webhook.Job, len(rows))
	for i, r := range rows {
		jobs[i] = webhook.Job{Delivery: r.delivery(), Lease: r.Lease, Endpoint: r.Endpoint}
	}
	return jobs, postgres.Wrapped(err, "claim deliveries")
}

// ReleaseDeliveries ends the leases of jobs that were not attempted.
func (db *Store) ReleaseDeliveries(ctx context.Context, jobs []webhook.Job) error {
	var ids []int64
	var leases []string
	for _, j := range jobs {
		ids, leases = append(ids, j.ID), append(leases, j.Lease)
	}
	_, err := db.db.ExecContext(ctx, `
		UPDATE webhook_deliveries AS d SET lease = NULL, lease_until = NULL
		FROM unnest($1::bigint[], $2::text[]) AS j (id, lease)
		WHERE d.id = j.id AND d.lease = j.lease`, pq.Array(ids), pq.Array(leases))
	return postgres.Wrapped(err, "release deliveries")
}

// SaveAttempt stores the result of a job, unless its lease has ended. It returns the address
// of the account if that disables the endpoint, otherwise "".
func (db *Store) SaveAttempt(
	ctx context.Context, j webhook.Job, a webhook.Attempt,
) (mailTo string, err error) {
	err = postgres.Write(ctx, db.db, func(tx *sqlx.Tx) error {
		mailTo = ""
		var status *int
		if a.Status != 0 {
			status = &a.Status
		}
		var endpoint int64
		err := tx.GetContext(ctx, &endpoint, `
			UPDATE webhook_deliveries SET state = $3, attempts = attempts + 1, lease = NULL,
				lease_until = NULL, due_at = CASE WHEN $3 = 'pending' THEN $4 ELSE due_at END,
				attempted_at = $5, status = $6, error = $7, took_ms = $8,
				delivered_at = CASE WHEN $3 = 'delivered' THEN $5::timestamptz END
			WHERE id = $1 AND lease = $2 RETURNING endpoint`,
			j.ID, j.Lease, a.State, a.DueAt, a.At, status, text.Valid(a.Error),
			a.Took.Milliseconds())
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if a.Disable == "" {
			// Most attempts succeed and do not change the row.
			return postgres.Exec(ctx, tx, `
				UPDATE webhook_endpoints SET failing_since = CASE WHEN $2 THEN NULL ELSE $3::timestamptz END
				WHERE id = $1 AND (failing_since IS NULL) <> $2`, endpoint, a.Error == "", a.At)
		}
		n, err := postgres.Affected(tx.ExecContext(ctx, `
			UPDATE webhook_endpoints SET disabled_at = $2, disabled_why = $3,
				failing_since = coalesce(failing_since, $2)
			WHERE id = $1 AND disabled_at IS NULL`, endpoint, a.At, a.Disable))
		if err != nil || n == 0 {
			return err
		}
		if err := tx.GetContext(ctx, &mailTo, `SELECT email FROM accounts WHERE id = $1`,
			j.Endpoint.Account); err != nil {
			return err
		}
		return auditEndpoint(ctx, tx, j.Endpoint, account.ByRegistry, "webhook.disabled", a.At)
	})
	return mailTo, postgres.Wrapped(err, "save a delivery")
}

// WebhookStatus counts endpoints and deliveries.
func (db *Store) WebhookStatus(
	ctx context.Context, now time.Time,
) (s registry.WebhookStatus, err error) {
	err = db.db.GetContext(ctx, &s, `
		SELECT (SELECT count(*) FROM webhook_endpoints) AS endpoints,
			(SELECT count(*) FROM webhook_endpoints WHERE disabled_at IS NOT NULL) AS disabled,
			(SELECT count(*) FROM webhook_endpoints WHERE disabled_at IS NULL
				AND failing_since IS NOT NULL) AS failing,
			count(*) FILTER (WHERE d.due_at <= $1) AS due,
			count(*) FILTER (WHERE d.due_at > $1) AS waiting,
			(SELECT count(*) FROM server_events v, webhook_progress p
				WHERE v.sequence > p.sequence AND v.account IS NULL) AS undispatched
		FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint
		WHERE d.state = 'pending' AND e.disabled_at IS NULL`, now)
	return s, postgres.Wrapped(err, "status of webhooks")
}

// dispatchEvents is the size of a batch, which has a delivery for each event and endpoint.
const dispatchEvents = 200

// Dispatch creates the deliveries of the next events that route returns, and reports whether
// there may be more. If another process is doing so, it returns immediately.
func (db *Store) Dispatch(
	ctx context.Context, route func(*webhook.Batch) ([]webhook.Pair, error), now time.Time,
) (more bool, err error) {
	err = postgres.Write(ctx, db.db, func(tx *sqlx.Tx) error {
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
		return postgres.Exec(ctx, tx, `UPDATE webhook_progress SET sequence = $1`, to)
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
	return postgres.Exec(ctx, tx, `
		INSERT INTO webhook_deliveries (endpoint, event, due_at, created_at)
		SELECT "Endpoint", "Event", $2, $2
		FROM json_to_recordset($1) AS p ("Endpoint" bigint, "Event" text)
		WHERE EXISTS (SELECT 1 FROM webhook_endpoints e WHERE e.id = "Endpoint")
		ON CONFLICT DO NOTHING`, postgres.AsJSON{V: pairs}, now)
}
