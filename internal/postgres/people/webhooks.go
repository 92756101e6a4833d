package people

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/account"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/webhook"
)

type endpointRow struct {
	webhook.Endpoint
	Events, Servers pq.StringArray
}

func (r endpointRow) endpoint() webhook.Endpoint {
	r.Endpoint.Events, r.Endpoint.Servers = r.Events, r.Servers
	return r.Endpoint
}

// Endpoints returns the webhook endpoints of an account, oldest first.
func (db *Store) Endpoints(ctx context.Context, accountID int64) ([]webhook.Endpoint, error) {
	var rows []endpointRow
	err := db.db.SelectContext(ctx, &rows,
		`SELECT * FROM webhook_endpoints WHERE account = $1 ORDER BY id`, accountID)
	return postgres.Mapped(rows, endpointRow.endpoint), postgres.Failed("webhook endpoints", err)
}

func noEndpoint(id int64) error {
	return &registry.Error{Kind: registry.ErrNotFound, Code: "webhook_not_found",
		Msg: fmt.Sprintf("No webhook endpoint %d in your account.", id)}
}

// Endpoint returns an endpoint of an account. The error is of kind
// [registry.ErrNotFound] if the account does not have it.
func (db *Store) Endpoint(ctx context.Context, accountID, id int64) (webhook.Endpoint, error) {
	e, err := oneEndpoint(ctx, db.db, accountID, id, ``)
	return e, postgres.Failed("webhook endpoint", err)
}

// oneEndpoint returns an endpoint of an account, locked as lock specifies.
func oneEndpoint(
	ctx context.Context, q sqlx.QueryerContext, accountID, id int64, lock string,
) (webhook.Endpoint, error) {
	var row endpointRow
	err := sqlx.GetContext(ctx, q, &row,
		`SELECT * FROM webhook_endpoints WHERE account = $1 AND id = $2 `+lock, accountID, id)
	if errors.Is(err, sql.ErrNoRows) {
		err = noEndpoint(id)
	}
	return row.endpoint(), err
}

// AddEndpoint stores an endpoint of e.Account and returns it with its ID. The error is of
// kind [registry.ErrConflict] if the account has the maximum number.
func (db *Store) AddEndpoint(
	ctx context.Context, e webhook.Endpoint, most int,
) (webhook.Endpoint, error) {
	err := postgres.InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		if err := lockAccount(ctx, tx, e.Account); err != nil {
			return err
		}
		var n int
		if err := tx.GetContext(ctx, &n,
			`SELECT count(*) FROM webhook_endpoints WHERE account = $1`, e.Account); err != nil {
			return err
		}
		if n >= most {
			return &registry.Error{Kind: registry.ErrConflict, Code: "too_many_webhooks",
				Msg: fmt.Sprintf("Your account has %d of at most %d webhook endpoints: delete an "+
					"unused one or upgrade.", n, most)}
		}
		if err := tx.GetContext(ctx, &e.ID, `
			INSERT INTO webhook_endpoints (account, url, description, events, servers, search,
				generation, created_at, updated_at, disabled_at, disabled_why)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING id`,
			e.Account, e.URL, e.Description, pq.StringArray(e.Events), pq.StringArray(e.Servers),
			e.Search, e.Generation, e.CreatedAt, e.UpdatedAt, e.DisabledAt, e.DisabledWhy); err != nil {
			return err
		}
		return auditEndpoint(ctx, tx, e, account.ByOwner, "webhook.made", e.CreatedAt)
	})
	return e, postgres.Failed("add a webhook endpoint", err)
}

func auditEndpoint(
	ctx context.Context, tx *sqlx.Tx, e webhook.Endpoint, actor, action string, now time.Time,
) error {
	return audit(ctx, tx, account.AuditEntry{At: now, Account: e.Account, Actor: actor,
		Action: action, Detail: e.URL})
}

// UpdateEndpoint changes an endpoint of an account by calling change, and logs the action. The
// error is of kind [registry.ErrNotFound] if the account does not have it.
func (db *Store) UpdateEndpoint(
	ctx context.Context, accountID, id int64, action string, change func(*webhook.Endpoint),
) (e webhook.Endpoint, err error) {
	err = postgres.InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		if e, err = oneEndpoint(ctx, tx, accountID, id, `FOR UPDATE`); err != nil {
			return err
		}
		change(&e)
		if _, err := tx.ExecContext(ctx, `
			UPDATE webhook_endpoints SET url = $2, description = $3, events = $4, servers = $5,
				search = $6, generation = $7, old_until = $8, updated_at = $9,
				disabled_at = $10, disabled_why = $11, failing_since = $12
			WHERE id = $1`, e.ID, e.URL, e.Description, pq.StringArray(e.Events),
			pq.StringArray(e.Servers), e.Search, e.Generation, e.OldUntil, e.UpdatedAt, e.DisabledAt,
			e.DisabledWhy, e.FailingSince); err != nil {
			return err
		}
		return auditEndpoint(ctx, tx, e, account.ByOwner, action, e.UpdatedAt)
	})
	return e, postgres.Failed("change a webhook endpoint", err)
}

// DeleteEndpoint deletes an endpoint of an account and its deliveries. The error is of
// kind [registry.ErrNotFound] if the account does not have it.
func (db *Store) DeleteEndpoint(ctx context.Context, accountID, id int64, now time.Time) error {
	return postgres.Failed("delete a webhook endpoint", postgres.InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		e := webhook.Endpoint{Account: accountID}
		err := tx.GetContext(ctx, &e.URL, `
			DELETE FROM webhook_endpoints WHERE account = $1 AND id = $2 RETURNING url`, accountID, id)
		if errors.Is(err, sql.ErrNoRows) {
			return noEndpoint(id)
		}
		if err != nil {
			return err
		}
		return auditEndpoint(ctx, tx, e, account.ByOwner, "webhook.deleted", now)
	}))
}

type deliveryRow struct {
	webhook.Delivery
	Event    string
	TookMS   int64
	Sequence int64
	Type     string
	Slug     string
	At       time.Time
	Data     []byte
}

// deliveryColumns are the columns of a deliveryRow, of deliveries d and events v.
const deliveryColumns = `d.id, d.endpoint AS endpoint_id, d.event, d.state, d.attempts, d.due_at,
	d.created_at, d.attempted_at, d.status, d.error, coalesce(d.took_ms, 0) AS took_ms,
	d.delivered_at, v.sequence, v.type, v.slug, v.at, v.data`

func (r deliveryRow) delivery() webhook.Delivery {
	r.Delivery.Took = time.Duration(r.TookMS) * time.Millisecond
	r.Delivery.Event = webhook.Event{ID: r.Event, Sequence: r.Sequence, Type: r.Type, Server: r.Slug,
		At: r.At, Data: r.Data}
	return r.Delivery
}

// Deliveries returns the deliveries to an endpoint of an account, newest first, at most
// limit, with IDs below before unless that is 0.
func (db *Store) Deliveries(
	ctx context.Context, accountID, endpoint, before int64, limit int,
) ([]webhook.Delivery, error) {
	var rows []deliveryRow
	err := db.db.SelectContext(ctx, &rows, `
		SELECT `+deliveryColumns+` FROM webhook_endpoints e
		JOIN webhook_deliveries d ON d.endpoint = e.id JOIN server_events v ON v.id = d.event
		WHERE e.account = $1 AND e.id = $2 AND ($3::bigint = 0 OR d.id < $3)
		ORDER BY d.id DESC LIMIT $4`, accountID, endpoint, before, limit)
	return postgres.Mapped(rows, deliveryRow.delivery), postgres.Failed("webhook deliveries", err)
}

// Resend makes a delivery of an account due now, as if it had not been attempted. The
// error is of kind [registry.ErrNotFound] if the account does not have it.
func (db *Store) Resend(
	ctx context.Context, accountID, endpoint, id int64, now time.Time,
) (webhook.Delivery, error) {
	var row deliveryRow
	err := db.db.GetContext(ctx, &row, `
		UPDATE webhook_deliveries d SET state = 'pending', attempts = 0, due_at = $4, lease = NULL,
			lease_until = NULL, delivered_at = NULL
		FROM webhook_endpoints e, server_events v
		WHERE d.id = $3 AND d.endpoint = e.id AND e.id = $2 AND e.account = $1 AND v.id = d.event
		RETURNING `+deliveryColumns, accountID, endpoint, id, now)
	if errors.Is(err, sql.ErrNoRows) {
		return webhook.Delivery{}, &registry.Error{Kind: registry.ErrNotFound,
			Code: "delivery_not_found", Msg: fmt.Sprintf(
				"No delivery %d to the webhook endpoint %d in your account. Deliveries are stored "+
					"for 30 days.", id, endpoint)}
	}
	return row.delivery(), postgres.Failed("resend a webhook", err)
}

// AddTest stores an event for one endpoint of an account, and its delivery.
func (db *Store) AddTest(
	ctx context.Context, accountID, endpoint int64, e webhook.Event,
) (d webhook.Delivery, err error) {
	err = postgres.InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		var found []int64
		if err := tx.SelectContext(ctx, &found,
			`SELECT id FROM webhook_endpoints WHERE account = $1 AND id = $2 FOR SHARE`,
			accountID, endpoint); err != nil {
			return err
		}
		if len(found) == 0 {
			return noEndpoint(endpoint)
		}
		if err := tx.GetContext(ctx, &e.Sequence, `SELECT seq FROM changes`); err != nil {
			return err
		}
		e.Account = accountID
		if err := postgres.InsertEvents(ctx, tx, []webhook.Event{e}); err != nil {
			return err
		}
		d = webhook.Delivery{EndpointID: endpoint, Event: e, State: webhook.Pending, DueAt: e.At,
			CreatedAt: e.At}
		return tx.GetContext(ctx, &d.ID, `
			INSERT INTO webhook_deliveries (endpoint, event, due_at, created_at)
			VALUES ($1, $2, $3, $3) RETURNING id`, endpoint, e.ID, e.At)
	})
	return d, postgres.Failed("test a webhook endpoint", err)
}
