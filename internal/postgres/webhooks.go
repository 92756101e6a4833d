package postgres

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/webhook"
)

type endpointRow struct {
	ID, Account      int64
	URL, Description string
	Events, Servers  pq.StringArray
	Search, Secret   string
	OldSecret        string     `db:"old_secret"`
	OldUntil         *time.Time `db:"old_until"`
	CreatedAt        time.Time  `db:"created_at"`
	UpdatedAt        time.Time  `db:"updated_at"`
	DisabledAt       *time.Time `db:"disabled_at"`
	DisabledWhy      string     `db:"disabled_why"`
	FailingSince     *time.Time `db:"failing_since"`
}

func (r endpointRow) endpoint() webhook.Endpoint {
	return webhook.Endpoint{ID: r.ID, Account: r.Account, URL: r.URL, Description: r.Description,
		Events: r.Events, Servers: r.Servers, Search: r.Search, Secret: r.Secret,
		OldSecret: r.OldSecret, OldUntil: utc(r.OldUntil), CreatedAt: r.CreatedAt.UTC(),
		UpdatedAt: r.UpdatedAt.UTC(), DisabledAt: utc(r.DisabledAt), DisabledWhy: r.DisabledWhy,
		FailingSince: utc(r.FailingSince)}
}

// Endpoints returns the webhook endpoints of an account, oldest first.
func (db *DB) Endpoints(ctx context.Context, accountID int64) ([]webhook.Endpoint, error) {
	var rows []endpointRow
	if err := db.db.SelectContext(ctx, &rows,
		`SELECT * FROM webhook_endpoints WHERE account = $1 ORDER BY id`, accountID); err != nil {
		return nil, failed("webhook endpoints", err)
	}
	all := make([]webhook.Endpoint, len(rows))
	for i, r := range rows {
		all[i] = r.endpoint()
	}
	return all, nil
}

func noEndpoint(id int64) error {
	return &registry.Error{Kind: registry.ErrNotFound, Code: "webhook_not_found",
		Msg: fmt.Sprintf("No webhook endpoint %d in your account.", id)}
}

// Endpoint returns an endpoint of an account. The error is of kind
// [registry.ErrNotFound] if the account does not have it.
func (db *DB) Endpoint(ctx context.Context, accountID, id int64) (webhook.Endpoint, error) {
	var row endpointRow
	err := db.db.GetContext(ctx, &row,
		`SELECT * FROM webhook_endpoints WHERE account = $1 AND id = $2`, accountID, id)
	if errors.Is(err, sql.ErrNoRows) {
		return webhook.Endpoint{}, noEndpoint(id)
	}
	if err != nil {
		return webhook.Endpoint{}, failed("webhook endpoint", err)
	}
	return row.endpoint(), nil
}

// AddEndpoint stores an endpoint of e.Account and returns it with its ID. The error is of
// kind [registry.ErrConflict] if the account has the maximum number.
func (db *DB) AddEndpoint(
	ctx context.Context, e webhook.Endpoint, most int,
) (webhook.Endpoint, error) {
	err := inTx(ctx, db.db, func(tx *sqlx.Tx) error {
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
				secret, created_at, updated_at, disabled_at, disabled_why)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING id`,
			e.Account, e.URL, e.Description, pq.StringArray(e.Events), pq.StringArray(e.Servers),
			e.Search, e.Secret, e.CreatedAt, e.UpdatedAt, e.DisabledAt, e.DisabledWhy); err != nil {
			return err
		}
		return auditEndpoint(ctx, tx, e, account.ByOwner, "webhook.made", e.CreatedAt)
	})
	if err != nil {
		return webhook.Endpoint{}, failed("add a webhook endpoint", err)
	}
	return e, nil
}

func auditEndpoint(
	ctx context.Context, tx *sqlx.Tx, e webhook.Endpoint, actor, action string, now time.Time,
) error {
	return audit(ctx, tx, account.AuditEntry{At: now, Account: e.Account, Actor: actor,
		Action: action, Detail: e.URL})
}

// UpdateEndpoint changes an endpoint of an account by calling change. The error is of
// kind [registry.ErrNotFound] if the account does not have it.
func (db *DB) UpdateEndpoint(
	ctx context.Context, accountID, id int64, action string, change func(*webhook.Endpoint),
) (e webhook.Endpoint, err error) {
	err = inTx(ctx, db.db, func(tx *sqlx.Tx) error {
		var row endpointRow
		err := tx.GetContext(ctx, &row, `
			SELECT * FROM webhook_endpoints WHERE account = $1 AND id = $2 FOR UPDATE`, accountID, id)
		if errors.Is(err, sql.ErrNoRows) {
			return noEndpoint(id)
		}
		if err != nil {
			return err
		}
		e = row.endpoint()
		change(&e)
		if _, err := tx.ExecContext(ctx, `
			UPDATE webhook_endpoints SET url = $2, description = $3, events = $4, servers = $5,
				search = $6, secret = $7, old_secret = $8, old_until = $9, updated_at = $10,
				disabled_at = $11, disabled_why = $12, failing_since = $13
			WHERE id = $1`, e.ID, e.URL, e.Description, pq.StringArray(e.Events),
			pq.StringArray(e.Servers), e.Search, e.Secret, e.OldSecret, e.OldUntil, e.UpdatedAt,
			e.DisabledAt, e.DisabledWhy, e.FailingSince); err != nil {
			return err
		}
		return auditEndpoint(ctx, tx, e, account.ByOwner, action, e.UpdatedAt)
	})
	if err != nil {
		return webhook.Endpoint{}, failed("change a webhook endpoint", err)
	}
	return e, nil
}

// DeleteEndpoint deletes an endpoint of an account and its deliveries. The error is of
// kind [registry.ErrNotFound] if the account does not have it.
func (db *DB) DeleteEndpoint(ctx context.Context, accountID, id int64, now time.Time) error {
	err := inTx(ctx, db.db, func(tx *sqlx.Tx) error {
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
	})
	if err != nil {
		return failed("delete a webhook endpoint", err)
	}
	return nil
}

type deliveryRow struct {
	ID, Endpoint int64
	Event        string
	State        string
	Attempts     int
	DueAt        time.Time  `db:"due_at"`
	CreatedAt    time.Time  `db:"created_at"`
	AttemptedAt  *time.Time `db:"attempted_at"`
	Status       *int
	Error        string
	TookMS       *int64     `db:"took_ms"`
	DeliveredAt  *time.Time `db:"delivered_at"`
	Sequence     int64
	Type, Slug   string
	At           time.Time
	Data         []byte
}

// deliveryColumns are those of a deliveryRow, of deliveries d and events v.
const deliveryColumns = `d.id, d.endpoint, d.event, d.state, d.attempts, d.due_at, d.created_at,
	d.attempted_at, d.status, d.error, d.took_ms, d.delivered_at, v.sequence, v.type, v.slug, v.at,
	v.data`

func (r deliveryRow) delivery() webhook.Delivery {
	d := webhook.Delivery{ID: r.ID, EndpointID: r.Endpoint, State: r.State, Attempts: r.Attempts,
		DueAt: r.DueAt.UTC(), CreatedAt: r.CreatedAt.UTC(), AttemptedAt: utc(r.AttemptedAt),
		Status: r.Status, Error: r.Error, DeliveredAt: utc(r.DeliveredAt),
		Event: webhook.Event{ID: r.Event, Sequence: r.Sequence, Type: r.Type, Server: r.Slug,
			At: r.At.UTC(), Data: json.RawMessage(r.Data)}}
	if r.TookMS != nil {
		d.Took = time.Duration(*r.TookMS) * time.Millisecond
	}
	return d
}

// Deliveries returns the deliveries to an endpoint of an account, newest first, at most
// limit, with IDs below before unless that is 0.
func (db *DB) Deliveries(
	ctx context.Context, accountID, endpoint, before int64, limit int,
) ([]webhook.Delivery, error) {
	var rows []deliveryRow
	if err := db.db.SelectContext(ctx, &rows, `
		SELECT `+deliveryColumns+` FROM webhook_endpoints e
		JOIN webhook_deliveries d ON d.endpoint = e.id JOIN server_events v ON v.id = d.event
		WHERE e.account = $1 AND e.id = $2 AND ($3::bigint = 0 OR d.id < $3)
		ORDER BY d.id DESC LIMIT $4`, accountID, endpoint, before, limit); err != nil {
		return nil, failed("webhook deliveries", err)
	}
	all := make([]webhook.Delivery, len(rows))
	for i, r := range rows {
		all[i] = r.delivery()
	}
	return all, nil
}

// Resend makes a delivery of an account due now, as if it had not been attempted. The
// error is of kind [registry.ErrNotFound] if the account does not have it.
func (db *DB) Resend(
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
	if err != nil {
		return webhook.Delivery{}, failed("resend a webhook", err)
	}
	return row.delivery(), nil
}

// AddTest stores an event for one endpoint of an account, and its delivery.
func (db *DB) AddTest(
	ctx context.Context, accountID, endpoint int64, e webhook.Event,
) (d webhook.Delivery, err error) {
	err = inTx(ctx, db.db, func(tx *sqlx.Tx) error {
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
		if err := insertEvents(ctx, tx, []webhook.Event{e}); err != nil {
			return err
		}
		d = webhook.Delivery{EndpointID: endpoint, Event: e, State: webhook.Pending, DueAt: e.At,
			CreatedAt: e.At}
		return tx.GetContext(ctx, &d.ID, `
			INSERT INTO webhook_deliveries (endpoint, event, due_at, created_at)
			VALUES ($1, $2, $3, $3) RETURNING id`, endpoint, e.ID, e.At)
	})
	if err != nil {
		return webhook.Delivery{}, failed("test a webhook endpoint", err)
	}
	return d, nil
}
