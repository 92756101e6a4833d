package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"

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

// dateOf returns the UTC day of a time as a date.
func DateOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// AddEvents adds counts of servers. Those of servers that do not exist are left out.
func AddEvents(ctx context.Context, tx *sqlx.Tx, events []meter.EventCount) error {
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
	return Exec(ctx, tx, `
		INSERT INTO event_days AS d (server_id, date, `+eventDays.columns+`)
		SELECT s.id, n.date, `+eventDays.sums+`
		FROM json_to_recordset($1) AS n (date date, slug text, event text, count bigint)
		JOIN servers s ON s.slug = n.slug COLLATE "C"
		GROUP BY s.id, n.date ORDER BY s.id, n.date `+eventDays.add, AsJSON{records})
}

// SumTallies sums the tallies of rows.
func (db *DB) SumTallies(ctx context.Context) error {
	_, err := db.db.ExecContext(ctx, `
		WITH old AS (DELETE FROM tallies RETURNING name, part, n)
		INSERT INTO tallies (name, part, n)
		SELECT name, part, sum(n) FROM old GROUP BY name, part HAVING sum(n) <> 0`)
	return Wrapped(err, "sum tallies")
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
	err := db.db.SelectContext(ctx, &rows, `
		SELECT d.date::timestamptz AS date, c.key AS event, c.value::bigint AS count
		FROM event_days d, jsonb_each_text(to_jsonb(d) - 'server_id' - 'date') AS c
		WHERE d.server_id = `+serverOfSlug+` AND d.date BETWEEN $2::date AND $3::date
			AND c.value IS NOT NULL
		ORDER BY d.date, event`,
		cleanText(slug), DateOf(from), DateOf(to))
	days := []meter.DayEvents{}
	for _, r := range rows {
		if len(days) == 0 || days[len(days)-1].Date != r.Date {
			days = append(days, meter.DayEvents{Date: r.Date})
		}
		if event, ok := meter.EventOf(r.Event); ok {
			days[len(days)-1].Counts[event] = r.Count
		}
	}
	return days, Wrapped(err, "events of %s", slug)
}
