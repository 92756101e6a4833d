package people

import (
	"context"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/account"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/quota"
)

// AddCounts stores a batch of counts in one transaction. Counts of servers and
// accounts that do not exist are left out. A batch that is already stored is
// skipped.
func (db *Store) AddCounts(ctx context.Context, c meter.Counts, now time.Time) error {
	return postgres.Wrapped(postgres.InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		n, err := postgres.Affected(tx.ExecContext(ctx, `
			INSERT INTO count_batches (process, batch, at) VALUES ($1, $2, $3)
			ON CONFLICT (process) DO UPDATE SET batch = excluded.batch, at = excluded.at
				WHERE count_batches.batch < excluded.batch`, c.Process, c.Batch, now))
		if err != nil || n == 0 {
			return err
		}
		if err := postgres.AddEvents(ctx, tx, c.Events); err != nil {
			return err
		}
		return addCalls(ctx, tx, c.Calls)
	}), "counts")
}

func addCalls(ctx context.Context, tx *sqlx.Tx, calls []meter.CallCount) error {
	if len(calls) == 0 {
		return nil
	}
	// Sorted, so that transactions do not deadlock.
	return postgres.Exec(ctx, tx, `
		INSERT INTO call_days AS d (account, date, key, endpoint, calls)
		SELECT n."Account", n."Date", n."Key", n."Endpoint", sum(n."Calls")
		FROM json_to_recordset($1) AS n ("Account" bigint, "Date" date, "Key" bigint,
			"Endpoint" text, "Calls" bigint)
		JOIN accounts a ON a.id = n."Account"
		GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
		ON CONFLICT (account, date, key, endpoint) DO UPDATE SET calls = d.calls + excluded.calls`,
		postgres.AsJSON{V: calls})
}

// ForgetCalls deletes calls older than keep, and the batches of processes that ended.
func (db *Store) ForgetCalls(ctx context.Context, now time.Time, keep time.Duration) error {
	_, err := db.db.ExecContext(ctx, `
		WITH batches AS (DELETE FROM count_batches WHERE at < $2)
		DELETE FROM call_days WHERE date < $1::date`, postgres.DateOf(now.Add(-keep)),
		now.AddDate(0, 0, -7))
	return postgres.Wrapped(err, "old calls")
}

// Calls returns the calls of an account between two UTC days, both included,
// oldest first, then by key and endpoint.
func (db *Store) Calls(
	ctx context.Context, account int64, from, to time.Time,
) (days []meter.DayCalls, err error) {
	err = db.db.SelectContext(ctx, &days, `
		SELECT date::timestamptz AS date, key, endpoint, calls FROM call_days
		WHERE account = $1 AND date BETWEEN $2::date AND $3::date ORDER BY date, key, endpoint`,
		account, postgres.DateOf(from), postgres.DateOf(to))
	return days, postgres.Wrapped(err, "calls of an account")
}

// TakeUsageAlerts implements [account.Store].
func (db *Store) TakeUsageAlerts(
	ctx context.Context, now time.Time, limits map[string]int, percents []int,
) (alerts []account.UsageAlert, err error) {
	err = db.db.SelectContext(ctx, &alerts, `
		WITH used AS (
			SELECT account, sum(calls) AS calls FROM call_days
			WHERE date = $1::date AND endpoint LIKE '/v1%' GROUP BY account
		)
		INSERT INTO usage_alerts (account, day, percent)
		SELECT a.id, $1::date, p.percent FROM used u
		JOIN accounts a ON a.id = u.account AND a.usage_alerts
		JOIN json_each_text($3) AS l (plan, most) ON l.plan =
			CASE WHEN a.plan_until > $2 OR a.plan_until IS NULL THEN a.plan
				ELSE coalesce(nullif(a.plan_next, ''), 'basic') END
		JOIN unnest($4::int[]) AS p (percent) ON u.calls * 100 >= l.most::bigint * p.percent
		ORDER BY 1, 3 ON CONFLICT DO NOTHING RETURNING account, percent`,
		postgres.DateOf(now), now, postgres.AsJSON{V: limits}, pq.Array(percents))
	return alerts, postgres.Failed("usage alerts", err)
}

// SetUsageAlerts implements [account.Store].
func (db *Store) SetUsageAlerts(ctx context.Context, id int64, on bool, e account.AuditEntry) error {
	return postgres.Failed("set usage alerts", postgres.InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		n, err := postgres.Affected(tx.ExecContext(ctx,
			`UPDATE accounts SET usage_alerts = $2 WHERE id = $1 AND usage_alerts <> $2`, id, on))
		if err != nil || n == 0 {
			return err
		}
		return audit(ctx, tx, e)
	}))
}

// LeaseQuota implements [quota.Store].
func (db *Store) LeaseQuota(
	ctx context.Context, process int32, requests []quota.LeaseRequest,
) (leases []quota.Lease, err error) {
	tx, err := db.db.BeginTxx(ctx, nil)
	if err != nil {
		return nil, postgres.Wrapped(err, "lease requests")
	}
	if leases, err = leaseQuota(ctx, tx, process, requests); err != nil {
		_ = tx.Rollback()
	} else if err = tx.Commit(); err != nil {
		err = fmt.Errorf("%w: %w", quota.ErrUncertain, err)
	}
	return leases, postgres.Wrapped(err, "lease requests")
}

type countRow struct {
	Kind    quota.Kind    `json:"kind"`
	Starts  int64         `json:"starts"`
	Subject int64         `json:"subject"`
	Granted int           `json:"granted"`
	Holders pq.Int32Array `json:"holders"`
	Scarce  bool          `json:"scarce"`
}

func (r countRow) key() quota.Key {
	return quota.Key{Subject: quota.Subject{Of: r.Kind, ID: uint64(r.Subject)}, Starts: r.Starts}
}

func leaseQuota(
	ctx context.Context, tx *sqlx.Tx, process int32, requests []quota.LeaseRequest,
) ([]quota.Lease, error) {
	keys := make([]countRow, len(requests))
	at := make(map[quota.Key]int, len(requests))
	for i, r := range requests {
		keys[i] = countRow{Kind: r.Of, Starts: r.Starts, Subject: int64(r.ID)}
		at[r.Key] = i
	}
	// Rows are locked in the order of the primary key, so that transactions do
	// not deadlock.
	var rows []countRow
	if err := tx.SelectContext(ctx, &rows, `
		INSERT INTO quota_counts AS c (kind, starts, subject, granted, holders, scarce)
		SELECT kind, starts, subject, 0, '{}', false
		FROM jsonb_to_recordset($1) AS r (kind int, starts bigint, subject bigint)
		ORDER BY 1, 2, 3
		ON CONFLICT (kind, starts, subject) DO UPDATE SET granted = c.granted
		RETURNING kind, starts, subject, granted, holders, scarce`, postgres.AsJSON{V: keys}); err != nil {
		return nil, err
	}
	leases := make([]quota.Lease, len(requests))
	for n := range rows {
		row := &rows[n]
		i := at[row.key()]
		c := quota.Count{Granted: row.Granted, Holders: row.Holders, Scarce: row.Scarce}
		leases[i] = c.Lease(process, requests[i])
		row.Granted, row.Holders, row.Scarce = c.Granted, c.Holders, c.Scarce
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE quota_counts c SET granted = n.granted, holders = n.holders, scarce = n.scarce
		FROM jsonb_to_recordset($1)
			AS n (kind int, starts bigint, subject bigint, granted int, holders int[], scarce boolean)
		WHERE c.kind = n.kind AND c.starts = n.starts AND c.subject = n.subject`, postgres.AsJSON{V: rows})
	return leases, err
}

// QuotaRecalls implements [quota.Store].
func (db *Store) QuotaRecalls(ctx context.Context, process int32) (keys []quota.Key, err error) {
	var rows []countRow
	err = db.db.SelectContext(ctx, &rows, `
		SELECT kind, starts, subject FROM quota_counts WHERE scarce AND $1 = ANY (holders)`, process)
	for _, r := range rows {
		keys = append(keys, r.key())
	}
	return keys, postgres.Wrapped(err, "recalls of requests")
}

// ForgetQuota deletes counts of windows that ended at least one window ago, and
// returns how many.
func (db *Store) ForgetQuota(ctx context.Context, now time.Time) (n int, err error) {
	for k := range quota.Kinds {
		deleted, err := postgres.Affected(db.db.ExecContext(ctx, `
			DELETE FROM quota_counts WHERE kind = $1 AND starts < $2`, k, now.Add(-2*k.Window()).Unix()))
		if err != nil {
			return n, fmt.Errorf("delete old counts: %w", err)
		}
		n += deleted
	}
	return n, nil
}
