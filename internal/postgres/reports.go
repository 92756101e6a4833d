package postgres

import (
	"context"
	"time"

	"mcpcensus/internal/registry"
)

// AddReport stores a report, unless an identical one is open. When too many are
// open, the error is of kind [registry.ErrUnavailable].
func (db *DB) AddReport(ctx context.Context, c registry.Report) error {
	var open int
	if err := db.db.GetContext(ctx, &open, `
		SELECT count(*) FROM (SELECT 1 FROM complaints
			WHERE closed_at IS NULL LIMIT $1) AS o`, registry.MaxOpenReports); err != nil {
		return Failed("count open reports", err)
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
	return Failed("store a report", err)
}

// Reports returns the open reports, oldest first, and then, if closed is true,
// the closed ones, last closed first; at most limit.
func (db *DB) Reports(ctx context.Context, closed bool, limit int) (all []registry.Report, err error) {
	err = db.db.SelectContext(ctx, &all, `
		SELECT id, slug, reason, text, contact, at, closed_at, note FROM complaints
		WHERE $1 OR closed_at IS NULL
		ORDER BY closed_at IS NOT NULL, closed_at DESC, at, id LIMIT $2`, closed, limit)
	return all, Failed("reports", err)
}

// Report returns the report with that ID. The error is of kind
// [registry.ErrNotFound] if it does not exist.
func (db *DB) Report(ctx context.Context, id int64) (r registry.Report, err error) {
	err = db.db.GetContext(ctx, &r, `
		SELECT id, slug, reason, text, contact, at, closed_at, note FROM complaints WHERE id = $1`, id)
	return r, NoRow(Failed("a report", err), "no report %d; see `census reports`", id)
}

// CloseReport closes an open report with a note, and deletes the contact of its
// writer. The error is of kind [registry.ErrNotFound] if it does not exist, and
// of kind [registry.ErrConflict] if it is already closed.
func (db *DB) CloseReport(ctx context.Context, id int64, note string, now time.Time) error {
	n, err := Affected(db.db.ExecContext(ctx, `
		UPDATE complaints SET closed_at = $2, note = $3, contact = '' WHERE id = $1
			AND closed_at IS NULL`, id, now, cleanText(note)))
	if err != nil || n == 1 {
		return Failed("close a report", err)
	}
	if _, err := db.Report(ctx, id); err != nil {
		return err
	}
	return registry.Errorf(registry.ErrConflict, "report %d is already closed", id)
}
