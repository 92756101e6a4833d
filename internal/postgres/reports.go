package postgres

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"mcpcensus/internal/registry"
)

type reportRow struct {
	ID                          int64
	Slug, Reason, Text, Contact string
	At                          time.Time
	ClosedAt                    *time.Time `db:"closed_at"`
	Note                        string
}

func (r reportRow) report() registry.Report {
	c := registry.Report{ID: r.ID, Slug: r.Slug, Reason: r.Reason, Text: r.Text, Contact: r.Contact,
		At: r.At.UTC(), Note: r.Note}
	if r.ClosedAt != nil {
		at := r.ClosedAt.UTC()
		c.ClosedAt = &at
	}
	return c
}

// AddReport stores a report, unless an identical one is open. When too many are
// open, the error is of kind [registry.ErrUnavailable].
func (db *DB) AddReport(ctx context.Context, c registry.Report) error {
	var open int
	if err := db.db.GetContext(ctx, &open, `
		SELECT count(*) FROM (SELECT 1 FROM complaints
			WHERE closed_at IS NULL LIMIT $1) AS o`, registry.MaxOpenReports); err != nil {
		return failed("count open reports", err)
	}
	if open >= registry.MaxOpenReports {
		return &registry.Error{Kind: registry.ErrUnavailable, RetryAfter: 24 * time.Hour,
			Msg: "Too many reports are waiting for review. Please try again in a day."}
	}
	_, err := db.db.ExecContext(ctx, `
		INSERT INTO complaints (slug, reason, text, contact, at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (slug, reason, md5(text)) WHERE closed_at IS NULL DO UPDATE
		SET contact = CASE WHEN complaints.contact = '' THEN excluded.contact ELSE complaints.contact END`,
		cleanText(c.Slug), cleanText(c.Reason), cleanText(c.Text), cleanText(c.Contact), c.At)
	if err != nil {
		return failed("store a report", err)
	}
	return nil
}

// Reports returns the open reports, oldest first, and then, if closed is true,
// the closed ones, last closed first; at most limit.
func (db *DB) Reports(ctx context.Context, closed bool, limit int) ([]registry.Report, error) {
	var rows []reportRow
	if err := db.db.SelectContext(ctx, &rows, `
		SELECT id, slug, reason, text, contact, at, closed_at, note FROM complaints
		WHERE $1 OR closed_at IS NULL
		ORDER BY closed_at IS NOT NULL, closed_at DESC, at, id LIMIT $2`, closed, limit); err != nil {
		return nil, failed("reports", err)
	}
	out := make([]registry.Report, len(rows))
	for i, r := range rows {
		out[i] = r.report()
	}
	return out, nil
}

// Report returns the report with that ID. The error is of kind
// [registry.ErrNotFound] if it does not exist.
func (db *DB) Report(ctx context.Context, id int64) (registry.Report, error) {
	var row reportRow
	err := db.db.GetContext(ctx, &row, `
		SELECT id, slug, reason, text, contact, at, closed_at, note FROM complaints WHERE id = $1`, id)
	if errors.Is(err, sql.ErrNoRows) {
		return registry.Report{}, errNoReport(id)
	}
	if err != nil {
		return registry.Report{}, failed("a report", err)
	}
	return row.report(), nil
}

func errNoReport(id int64) error {
	return registry.Errorf(registry.ErrNotFound,
		"no report %d; see `census reports`", id)
}

// CloseReport closes an open report with a note, and deletes the contact of its
// writer. The error is of kind [registry.ErrNotFound] if it does not exist, and
// of kind [registry.ErrConflict] if it is already closed.
func (db *DB) CloseReport(ctx context.Context, id int64, note string, now time.Time) error {
	done, err := db.db.ExecContext(ctx, `
		UPDATE complaints SET closed_at = $2, note = $3, contact = '' WHERE id = $1
			AND closed_at IS NULL`, id, now, cleanText(note))
	if err != nil {
		return failed("close a report", err)
	}
	if n, err := done.RowsAffected(); err != nil || n == 1 {
		return err
	}
	if _, err := db.Report(ctx, id); err != nil {
		return err
	}
	return registry.Errorf(registry.ErrConflict, "report %d is already closed", id)
}
