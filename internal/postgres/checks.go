package postgres

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"mcpcensus/internal/registry"
)

const maxCheckKey = 500

// StartCheck starts or joins the check of a repository. Of all concurrent callers, one
// gets started true and must call [DB.FinishCheck] within ttl; the others wait for the
// result with [DB.Check]. No check is started until a recorded miss or failure expires. A check
// that exceeds ttl, or has finished, is started again: callers look at the age of its
// result first.
func (db *DB) StartCheck(
	ctx context.Context, key string, now time.Time, ttl time.Duration,
) (state registry.CheckRun, started bool, err error) {
	if key == "" || len(key) > maxCheckKey {
		return state, false, registry.Errorf(registry.ErrInvalid,
			"the key of a check must have 1 to %d bytes", maxCheckKey)
	}
	key = cleanText(key)
	err = db.db.GetContext(ctx, &state, `
		INSERT INTO checks AS c (key, state, started_at, running_until) VALUES ($1, $2, $3, $4)
		ON CONFLICT (key) DO UPDATE SET state = excluded.state, started_at = excluded.started_at,
			running_until = excluded.running_until
		WHERE (c.running_until IS NULL OR c.running_until <= $3) AND (c.negative_until IS NULL
			OR c.negative_until <= $3)
		RETURNING key, state, result, misses, negative_until, started_at, finished_at`,
		key, registry.CheckRunning, now, now.Add(ttl))
	if errors.Is(err, sql.ErrNoRows) {
		state, err = db.Check(ctx, key)
		return state, false, err
	}
	return state, err == nil, Failed("start check of "+key, err)
}

// NoteCheck stores the progress of a running check. It does nothing after the check has
// ended.
func (db *DB) NoteCheck(ctx context.Context, key string, progress []byte) error {
	return db.exec(ctx, "note check of "+key, `
		INSERT INTO check_progress AS p (key, started_at, progress)
		SELECT key, started_at, $2 FROM checks WHERE key = $1 AND running_until IS NOT NULL
		ON CONFLICT (key) DO UPDATE SET started_at = excluded.started_at,
			progress = excluded.progress`, cleanText(key), progress)
}

// FinishCheck stores the result of a check. If the repository was not found, no
// check is started for an hour, after the second consecutive miss for six
// hours, then for a day. A nil result with found means that the check was
// abandoned: it can be started again, and an older result stays.
func (db *DB) FinishCheck(
	ctx context.Context, key string, now time.Time, result []byte, found bool,
) error {
	return db.exec(ctx, "finish check of "+key, `
		UPDATE checks SET running_until = NULL,
			state = CASE WHEN $3 THEN $5 ELSE $6 END,
			result = CASE WHEN $2::bytea IS NULL AND $3 THEN result ELSE $2 END,
			finished_at = CASE WHEN $2::bytea IS NULL AND $3 THEN finished_at ELSE $4 END,
			misses = CASE WHEN NOT $3 THEN misses + 1 WHEN $2::bytea IS NULL THEN misses ELSE 0 END,
			negative_until = CASE WHEN NOT $3 THEN $4::timestamptz + CASE misses WHEN 0 THEN interval '1 hour' WHEN 1 THEN interval '6 hours' ELSE interval '24 hours' END END
		WHERE key = $1`, cleanText(key), result, found, now, registry.CheckDone, registry.CheckNotFound)
}

// FailCheck ends a check to which the host did not respond: no check is started
// before until. A non-nil result replaces the stored one.
func (db *DB) FailCheck(ctx context.Context, key string, until time.Time, result []byte) error {
	return db.exec(ctx, "fail check of "+key, `
		UPDATE checks SET running_until = NULL, state = $4, negative_until = $3,
			result = coalesce($2, result) WHERE key = $1`,
		cleanText(key), result, until, registry.CheckFailed)
}

// Check returns the state of a repository's check. The error is of kind
// [registry.ErrNotFound] if it has none.
func (db *DB) Check(ctx context.Context, key string) (c registry.CheckRun, err error) {
	err = db.db.GetContext(ctx, &c, `
		SELECT c.key, c.state, c.result, c.misses, c.negative_until, c.started_at, c.finished_at,
			p.progress
		FROM checks c
		LEFT JOIN check_progress p ON p.key = c.key AND p.started_at = c.started_at
			AND c.running_until IS NOT NULL
		WHERE c.key = $1`, cleanText(key))
	return c, NoRow(Failed("check of "+key, err), "no such check")
}

// ForgetChecks deletes checks that started before a time and are not running, and
// returns how many.
func (db *DB) ForgetChecks(ctx context.Context, before time.Time) (int, error) {
	n, err := Affected(db.db.ExecContext(ctx, `
		DELETE FROM checks WHERE started_at < $1 AND (running_until IS NULL OR running_until < now())
			AND (negative_until IS NULL OR negative_until < now())`, before))
	return n, Wrapped(err, "forget checks")
}

// BeginReading adds a strike to a repository or a package before it is read, and returns how many
// it had. of names what is read and by which rules: strikes of something else are forgotten.
func (db *DB) BeginReading(ctx context.Context, what, of string) (int, error) {
	var before int
	err := db.db.GetContext(ctx, &before, `
		INSERT INTO readings (what, of, strikes) VALUES ($1, $2, 1)
		ON CONFLICT (what) DO UPDATE SET of = excluded.of,
			strikes = CASE WHEN readings.of = excluded.of THEN least(readings.strikes + 1, 100) ELSE 1 END
		RETURNING strikes - 1`, cleanText(what), cleanText(of))
	return before, Wrapped(err, "strike of %s", what)
}

// EndReading sets the number of strikes.
func (db *DB) EndReading(ctx context.Context, what string, strikes int) error {
	query := `UPDATE readings SET strikes = $2 WHERE what = $1`
	if strikes == 0 {
		query = `DELETE FROM readings WHERE what = $1 AND $2 = 0`
	}
	_, err := db.db.ExecContext(ctx, query, cleanText(what), strikes)
	return Wrapped(err, "strikes of %s", what)
}

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
	return db.exec(ctx, "store a report", `
		INSERT INTO complaints (slug, reason, text, contact, at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (slug, reason, md5(text)) WHERE closed_at IS NULL DO UPDATE
		SET contact = CASE WHEN complaints.contact = '' THEN excluded.contact ELSE complaints.contact END`,
		cleanText(c.Slug), cleanText(c.Reason), cleanText(c.Text), cleanText(c.Contact), c.At)
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
