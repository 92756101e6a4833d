package people

import (
	"context"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/account"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/postgres"
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
	_, err := tx.ExecContext(ctx, `
		INSERT INTO call_days AS d (account, date, key, endpoint, calls)
		SELECT n."Account", n."Date", n."Key", n."Endpoint", sum(n."Calls")
		FROM json_to_recordset($1) AS n ("Account" bigint, "Date" date, "Key" bigint,
			"Endpoint" text, "Calls" bigint)
		JOIN accounts a ON a.id = n."Account"
		GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
		ON CONFLICT (account, date, key, endpoint) DO UPDATE SET calls = d.calls + excluded.calls`,
		postgres.AsJSON{V: calls})
	return err
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
