package postgres

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"mcpcensus/internal/registry"
)

type complaintRow struct {
	ID                          int64
	Slug, Reason, Text, Contact string
	At                          time.Time
	ClosedAt                    *time.Time `db:"closed_at"`
	Note                        string
}

func (r complaintRow) complaint() registry.Complaint {
	c := registry.Complaint{ID: r.ID, Slug: r.Slug, Reason: r.Reason, Text: r.Text, Contact: r.Contact, At: r.At.UTC(), Note: r.Note}
	if r.ClosedAt != nil {
		at := r.ClosedAt.UTC()
		c.ClosedAt = &at
	}
	return c
}

// AddComplaint stores a complaint. One that is open already, word for word, is
// not stored again. When too many are open, the error is of kind
// [registry.ErrUnavailable].
func (db *DB) AddComplaint(ctx context.Context, c registry.Complaint) error {
	var open int
	if err := db.db.GetContext(ctx, &open, `
		SELECT count(*) FROM (SELECT 1 FROM complaints WHERE closed_at IS NULL LIMIT $1) AS o`, registry.MaxOpenComplaint); err != nil {
		return failed("open complaints", err)
	}
	if open >= registry.MaxOpenComplaint {
		return &registry.Error{Kind: registry.ErrUnavailable, RetryAfter: 24 * time.Hour,
			Msg: "So many reports wait to be read that no more are taken for now. Please try again in a day."}
	}
	_, err := db.db.ExecContext(ctx, `
		INSERT INTO complaints (slug, reason, text, contact, at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (slug, reason, md5(text)) WHERE closed_at IS NULL DO UPDATE
		SET contact = CASE WHEN complaints.contact = '' THEN excluded.contact ELSE complaints.contact END`,
		cleanText(c.Slug), cleanText(c.Reason), cleanText(c.Text), cleanText(c.Contact), c.At)
	if err != nil {
		return failed("store a complaint", err)
	}
	return nil
}

// Complaints returns the complaints that are open, the oldest first, and then,
// if closed is true, the others, the last closed first; at most limit.
func (db *DB) Complaints(ctx context.Context, closed bool, limit int) ([]registry.Complaint, error) {
	var rows []complaintRow
	if err := db.db.SelectContext(ctx, &rows, `
		SELECT id, slug, reason, text, contact, at, closed_at, note FROM complaints
		WHERE $1 OR closed_at IS NULL
		ORDER BY closed_at IS NOT NULL, closed_at DESC, at, id LIMIT $2`, closed, limit); err != nil {
		return nil, failed("complaints", err)
	}
	out := make([]registry.Complaint, len(rows))
	for i, r := range rows {
		out[i] = r.complaint()
	}
	return out, nil
}

// Complaint returns the complaint with that ID. The error is of kind
// [registry.ErrNotFound] if there is none.
func (db *DB) Complaint(ctx context.Context, id int64) (registry.Complaint, error) {
	var row complaintRow
	err := db.db.GetContext(ctx, &row, `
		SELECT id, slug, reason, text, contact, at, closed_at, note FROM complaints WHERE id = $1`, id)
	if errors.Is(err, sql.ErrNoRows) {
		return registry.Complaint{}, noComplaint(id)
	}
	if err != nil {
		return registry.Complaint{}, failed("a complaint", err)
	}
	return row.complaint(), nil
}

func noComplaint(id int64) error {
	return registry.Errorf(registry.ErrNotFound, "there is no report %d; `census reports` lists them", id)
}

// CloseComplaint closes an open complaint with what was done, and deletes how
// its writer may be reached. The error is of kind [registry.ErrNotFound] if
// there is none with that ID, and of kind [registry.ErrConflict] if it is
// closed.
func (db *DB) CloseComplaint(ctx context.Context, id int64, note string, now time.Time) error {
	done, err := db.db.ExecContext(ctx, `
		UPDATE complaints SET closed_at = $2, note = $3, contact = '' WHERE id = $1 AND closed_at IS NULL`, id, now, cleanText(note))
	if err != nil {
		return failed("close a complaint", err)
	}
	if n, err := done.RowsAffected(); err != nil || n == 1 {
		return err
	}
	if _, err := db.Complaint(ctx, id); err != nil {
		return err
	}
	return registry.Errorf(registry.ErrConflict, "report %d is closed already", id)
}
