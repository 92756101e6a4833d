package postgres

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"mcpcensus/internal/registry"
)

// maxCheckKey is the maximum length of a check's key.
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
	_, err := db.db.ExecContext(ctx, `
		INSERT INTO check_progress AS p (key, started_at, progress)
		SELECT key, started_at, $2 FROM checks WHERE key = $1 AND running_until IS NOT NULL
		ON CONFLICT (key) DO UPDATE SET started_at = excluded.started_at,
			progress = excluded.progress`, cleanText(key), progress)
	return Failed("note check of "+key, err)
}

// FinishCheck stores the result of a check. If the repository was not found, no
// check is started for an hour, after the second consecutive miss for six
// hours, then for a day. A nil result with found means that the check was
// abandoned: it can be started again, and an older result stays.
func (db *DB) FinishCheck(
	ctx context.Context, key string, now time.Time, result []byte, found bool,
) error {
	_, err := db.db.ExecContext(ctx, `
		UPDATE checks SET running_until = NULL,
			state = CASE WHEN $3 THEN $5 ELSE $6 END,
			result = CASE WHEN $2::bytea IS NULL AND $3 THEN result ELSE $2 END,
			finished_at = CASE WHEN $2::bytea IS NULL AND $3 THEN finished_at ELSE $4 END,
			misses = CASE WHEN NOT $3 THEN misses + 1 WHEN $2::bytea IS NULL THEN misses ELSE 0 END,
			negative_until = CASE WHEN NOT $3 THEN $4::timestamptz + CASE misses WHEN 0 THEN interval '1 hour' WHEN 1 THEN interval '6 hours' ELSE interval '24 hours' END END
		WHERE key = $1`, cleanText(key), result, found, now, registry.CheckDone, registry.CheckNotFound)
	return Failed("finish check of "+key, err)
}

// FailCheck ends a check to which the host did not respond: no check is started
// before until. A non-nil result replaces the stored one.
func (db *DB) FailCheck(ctx context.Context, key string, until time.Time, result []byte) error {
	_, err := db.db.ExecContext(ctx, `
		UPDATE checks SET running_until = NULL, state = $4, negative_until = $3,
			result = coalesce($2, result) WHERE key = $1`,
		cleanText(key), result, until, registry.CheckFailed)
	return Failed("fail check of "+key, err)
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
