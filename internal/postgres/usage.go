package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/account"
	"mcpcensus/internal/meter"
)

// eventDays are parts of statements on event_days AS d, which has a column for each event: its
// columns, their sums over rows with event and count, and the assignments that add a row to a
// stored one. NULL means none.
var eventDays = func() (of struct{ columns, sums, add string }) {
	var columns, sums, add []string
	for event := range meter.Event(meter.Events) {
		name := event.String()
		columns = append(columns, name)
		sums = append(sums, "sum(count) FILTER (WHERE event = '"+name+"')")
		add = append(add, fmt.Sprintf(
			"%[1]s = nullif(coalesce(d.%[1]s, 0) + coalesce(excluded.%[1]s, 0), 0)", name))
	}
	of.columns, of.sums = strings.Join(columns, ", "), strings.Join(sums, ", ")
	of.add = "ON CONFLICT (server_id, date) DO UPDATE SET " + strings.Join(add, ", ")
	return of
}()

func dayOf(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// dateOf returns the UTC day of a time as a date.
func dateOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// AddCounts stores a batch of counts in one transaction. Counts of servers and
// accounts that do not exist are left out. A batch that is already stored is
// skipped.
func (db *DB) AddCounts(ctx context.Context, c meter.Counts, now time.Time) error {
	return wrapped(inTx(ctx, db.db, func(tx *sqlx.Tx) error {
		n, err := affected(tx.ExecContext(ctx, `
			INSERT INTO count_batches (process, batch, at) VALUES ($1, $2, $3)
			ON CONFLICT (process) DO UPDATE SET batch = excluded.batch, at = excluded.at
				WHERE count_batches.batch < excluded.batch`, c.Process, c.Batch, now))
		if err != nil || n == 0 {
			return err
		}
		if err := addEvents(ctx, tx, c.Events); err != nil {
			return err
		}
		return addCalls(ctx, tx, c.Calls)
	}), "counts")
}

func addEvents(ctx context.Context, tx *sqlx.Tx, events []meter.EventCount) error {
	type record struct {
		Date  time.Time `json:"date"`
		Slug  string    `json:"slug"`
		Event string    `json:"event"`
		Count int64     `json:"count"`
	}
	var records []record
	for _, e := range events {
		if e.Event < meter.Events {
			records = append(records, record{e.Date, e.Slug, e.Event.String(), e.N})
		}
	}
	if len(records) == 0 {
		return nil
	}
	// Sorted, so that transactions do not deadlock.
	_, err := tx.ExecContext(ctx, `
		INSERT INTO event_days AS d (server_id, date, `+eventDays.columns+`)
		SELECT s.id, n.date, `+eventDays.sums+`
		FROM json_to_recordset($1) AS n (date date, slug text, event text, count bigint)
		JOIN servers s ON s.slug = n.slug COLLATE "C"
		GROUP BY s.id, n.date ORDER BY s.id, n.date `+eventDays.add, asJSON{records})
	return err
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
		asJSON{calls})
	return err
}

// SumEvents sums the counts that an earlier version wrote into partitions and drops these,
// sums the tallies of rows, and deletes calls older than keepCalls. It returns the number
// of dropped partitions.
func (db *DB) SumEvents(
	ctx context.Context, now time.Time, keepCalls time.Duration,
) (dropped int, err error) {
	var names []string
	if err := db.db.SelectContext(ctx, &names, `
		SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
		WHERE i.inhparent = 'events'::regclass ORDER BY c.relname`); err != nil {
		return 0, fmt.Errorf("partitions of events: %w", err)
	}
	for _, name := range names {
		table := pq.QuoteIdentifier(name)
		if err := inTx(ctx, db.db, func(tx *sqlx.Tx) error {
			return execAll(ctx, tx, nil, `LOCK TABLE events IN ACCESS EXCLUSIVE MODE`, `
				INSERT INTO event_days AS d (server_id, date, `+eventDays.columns+`)
				SELECT e.server_id, e.date, `+eventDays.sums+`
				FROM `+table+` e JOIN servers s ON s.id = e.server_id
				GROUP BY e.server_id, e.date `+eventDays.add, `DROP TABLE `+table)
		}); err != nil {
			return dropped, fmt.Errorf("sum up %s: %w", name, err)
		}
		dropped++
	}
	if _, err := db.db.ExecContext(ctx, `
		WITH old AS (DELETE FROM tallies RETURNING name, part, n)
		INSERT INTO tallies (name, part, n)
		SELECT name, part, sum(n) FROM old GROUP BY name, part HAVING sum(n) <> 0`); err != nil {
		return dropped, fmt.Errorf("sum tallies: %w", err)
	}
	_, err = db.db.ExecContext(ctx, `
		WITH batches AS (DELETE FROM count_batches WHERE at < $2)
		DELETE FROM call_days WHERE date < $1::date`, dateOf(now.Add(-keepCalls)), now.AddDate(0, 0, -7))
	return dropped, wrapped(err, "old calls")
}

// Events returns the counts of a server between two UTC days, both included,
// oldest first. Days without counts are absent. The server is found by its
// slug, current or former.
func (db *DB) Events(
	ctx context.Context, slug string, from, to time.Time,
) ([]meter.DayEvents, error) {
	var rows []struct {
		Date  time.Time
		Event string
		Count int64
	}
	if err := db.db.SelectContext(ctx, &rows, `
		WITH id AS (
			SELECT `+serverOfSlug+` AS id
		), counted AS (
			SELECT e.date, e.event, e.count FROM events e, id WHERE e.server_id = id.id
			UNION ALL
			SELECT d.date, c.key, c.value::bigint FROM id, event_days d,
				jsonb_each_text(to_jsonb(d) - 'server_id' - 'date') AS c
			WHERE d.server_id = id.id AND d.date BETWEEN $2::date AND $3::date
				AND c.value IS NOT NULL
		)
		SELECT date::timestamptz AS date, event, sum(count)::bigint AS count
		FROM counted WHERE date BETWEEN $2::date AND $3::date
		GROUP BY date, event ORDER BY date, event`,
		cleanText(slug), dateOf(from), dateOf(to)); err != nil {
		return nil, fmt.Errorf("events of %s: %w", slug, err)
	}
	days := []meter.DayEvents{}
	for _, r := range rows {
		if len(days) == 0 || days[len(days)-1].Date != r.Date {
			days = append(days, meter.DayEvents{Date: r.Date})
		}
		if event, ok := meter.EventOf(r.Event); ok {
			days[len(days)-1].Counts[event] = r.Count
		}
	}
	return days, nil
}

// Calls returns the calls of an account between two UTC days, both included,
// oldest first, then by key and endpoint.
func (db *DB) Calls(
	ctx context.Context, account int64, from, to time.Time,
) (days []meter.DayCalls, err error) {
	err = db.db.SelectContext(ctx, &days, `
		SELECT date::timestamptz AS date, key, endpoint, calls FROM call_days
		WHERE account = $1 AND date BETWEEN $2::date AND $3::date ORDER BY date, key, endpoint`,
		account, dateOf(from), dateOf(to))
	return days, wrapped(err, "calls of an account")
}

// TakeUsageAlerts implements [account.AlertStore].
func (db *DB) TakeUsageAlerts(
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
		dateOf(now), now, asJSON{limits}, pq.Array(percents))
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
