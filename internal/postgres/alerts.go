package postgres

import (
	"context"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/account"
)

// TakeUsageAlerts implements [account.AlertStore].
func (db *DB) TakeUsageAlerts(
	ctx context.Context, now time.Time, limits map[string]int, percents []int,
) ([]account.UsageAlert, error) {
	var plans []string
	var most []int64
	for plan, limit := range limits {
		plans, most = append(plans, plan), append(most, int64(limit))
	}
	var alerts []account.UsageAlert
	err := db.db.SelectContext(ctx, &alerts, `
		WITH used AS (
			SELECT account, sum(calls) AS calls FROM call_days
			WHERE date = $1::date AND endpoint LIKE '/v1%' GROUP BY account
		)
		INSERT INTO usage_alerts (account, day, percent)
		SELECT a.id, $1::date, p.percent FROM used u
		JOIN accounts a ON a.id = u.account AND a.usage_alerts
		JOIN unnest($3::text[], $4::bigint[]) AS l (plan, most) ON l.plan =
			CASE WHEN a.plan_until > $2 OR a.plan_until IS NULL THEN a.plan
				ELSE coalesce(nullif(a.plan_next, ''), 'basic') END
		JOIN unnest($5::int[]) AS p (percent) ON u.calls * 100 >= l.most * p.percent
		ORDER BY 1, 3 ON CONFLICT DO NOTHING RETURNING account, percent`,
		dateOf(now), now, pq.Array(plans), pq.Array(most), pq.Array(percents))
	return alerts, failed("usage alerts", err)
}

// SetUsageAlerts implements [account.AlertStore].
func (db *DB) SetUsageAlerts(ctx context.Context, id int64, on bool, e account.AuditEntry) error {
	return failed("set usage alerts", inTx(ctx, db.db, func(tx *sqlx.Tx) error {
		n, err := affected(tx.ExecContext(ctx,
			`UPDATE accounts SET usage_alerts = $2 WHERE id = $1 AND usage_alerts <> $2`, id, on))
		if err != nil || n == 0 {
			return err
		}
		return audit(ctx, tx, e)
	}))
}
