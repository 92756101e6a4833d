package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"mcpcensus/internal/registry"
)

// A checkRow is a check that was asked for by address.
type checkRow struct {
	Key           string
	State         string
	Result        []byte
	Misses        int
	NegativeUntil *time.Time `db:"negative_until"`
	StartedAt     time.Time  `db:"started_at"`
	RunningUntil  *time.Time `db:"running_until"`
	FinishedAt    *time.Time `db:"finished_at"`
	Progress      []byte
}

func (r checkRow) run() registry.CheckRun {
	return registry.CheckRun{Key: r.Key, State: r.State, Result: r.Result, Misses: r.Misses,
		NegativeUntil: utc(r.NegativeUntil), StartedAt: r.StartedAt.UTC(), FinishedAt: utc(r.FinishedAt), Progress: r.Progress}
}

// maxCheckKey is how long a check's key may be.
const maxCheckKey = 500

// StartCheck joins the check of a repository or starts it: of all processes
// that ask, one gets started true and must call [DB.FinishCheck] within ttl;
// the others wait for its result with [DB.Check]. Nothing is started while a
// miss or a failure is remembered. A check that took longer than ttl is started anew. A
// finished check is started again; whether its result is new enough is for the
// caller to look at before.
func (db *DB) StartCheck(ctx context.Context, key string, now time.Time, ttl time.Duration) (state registry.CheckRun, started bool, err error) {
	if key == "" || len(key) > maxCheckKey {
		return state, false, registry.Errorf(registry.ErrInvalid, "the key of a check must have 1 to %d bytes", maxCheckKey)
	}
	key = cleanText(key)
	var row checkRow
	err = db.db.GetContext(ctx, &row, `
		INSERT INTO checks AS c (key, state, started_at, running_until) VALUES ($1, $2, $3, $4)
		ON CONFLICT (key) DO UPDATE SET state = excluded.state, started_at = excluded.started_at, running_until = excluded.running_until
		WHERE (c.running_until IS NULL OR c.running_until <= $3) AND (c.negative_until IS NULL OR c.negative_until <= $3)
		RETURNING *`, key, registry.CheckRunning, now, now.Add(ttl))
	if err == nil {
		return row.run(), true, nil
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return state, false, failed("start check of "+key, err)
	}
	state, err = db.Check(ctx, key)
	return state, false, err
}

// NoteCheck stores how far a check that is running has come. One that has
// ended has nothing noted.
func (db *DB) NoteCheck(ctx context.Context, key string, progress []byte) error {
	_, err := db.db.ExecContext(ctx, `
		INSERT INTO check_progress AS p (key, started_at, progress)
		SELECT key, started_at, $2 FROM checks WHERE key = $1 AND running_until IS NOT NULL
		ON CONFLICT (key) DO UPDATE SET started_at = excluded.started_at, progress = excluded.progress`, cleanText(key), progress)
	if err != nil {
		return failed("note check of "+key, err)
	}
	return nil
}

// FinishCheck stores the result of a check. If the repository was not found,
// nobody asks again for an hour, after the second time in a row for six, from
// the third on for a day. A nil result of one that was found is a check that
// came to nothing: the next to ask starts it again, and an older result stays.
func (db *DB) FinishCheck(ctx context.Context, key string, now time.Time, result []byte, found bool) error {
	_, err := db.db.ExecContext(ctx, `
		UPDATE checks SET running_until = NULL,
			state = CASE WHEN $3 THEN $5 ELSE $6 END,
			result = CASE WHEN $2::bytea IS NULL AND $3 THEN result ELSE $2 END,
			finished_at = CASE WHEN $2::bytea IS NULL AND $3 THEN finished_at ELSE $4 END,
			misses = CASE WHEN NOT $3 THEN misses + 1 WHEN $2::bytea IS NULL THEN misses ELSE 0 END,
			negative_until = CASE WHEN NOT $3 THEN $4::timestamptz + CASE misses WHEN 0 THEN interval '1 hour' WHEN 1 THEN interval '6 hours' ELSE interval '24 hours' END END
		WHERE key = $1`, cleanText(key), result, found, now, registry.CheckDone, registry.CheckNotFound)
	if err != nil {
		return failed("finish check of "+key, err)
	}
	return nil
}

// FailCheck ends a check to which the host gave no answer: nobody asks again
// before a time. A result takes the place of the one that is stored; nil
// leaves it.
func (db *DB) FailCheck(ctx context.Context, key string, until time.Time, result []byte) error {
	_, err := db.db.ExecContext(ctx, `
		UPDATE checks SET running_until = NULL, state = $4, negative_until = $3, result = coalesce($2, result) WHERE key = $1`,
		cleanText(key), result, until, registry.CheckFailed)
	if err != nil {
		return failed("fail check of "+key, err)
	}
	return nil
}

// Check returns how the check of a repository stands. The error is of kind
// [registry.ErrNotFound] if nobody has asked for it.
func (db *DB) Check(ctx context.Context, key string) (registry.CheckRun, error) {
	var row checkRow
	err := db.db.GetContext(ctx, &row, `
		SELECT c.*, p.progress FROM checks c
		LEFT JOIN check_progress p ON p.key = c.key AND p.started_at = c.started_at AND c.running_until IS NOT NULL
		WHERE c.key = $1`, cleanText(key))
	if errors.Is(err, sql.ErrNoRows) {
		return registry.CheckRun{}, registry.Wrap(registry.ErrNotFound, err, "no such check")
	}
	if err != nil {
		return registry.CheckRun{}, failed("check of "+key, err)
	}
	return row.run(), nil
}

// ForgetChecks deletes checks that began before a time and do not run, and
// returns how many.
func (db *DB) ForgetChecks(ctx context.Context, before time.Time) (int, error) {
	done, err := db.db.ExecContext(ctx, `
		DELETE FROM checks WHERE started_at < $1 AND (running_until IS NULL OR running_until < now())
			AND (negative_until IS NULL OR negative_until < now())`, before)
	if err != nil {
		return 0, fmt.Errorf("forget checks: %w", err)
	}
	n, err := done.RowsAffected()
	return int(n), err
}
