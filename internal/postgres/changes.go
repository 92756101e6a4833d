package postgres

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/registry"
)

// changesChannel is the channel on which Postgres announces new sequence numbers.
const changesChannel = "census_changes"

// takeSeqs returns the first of n consecutive sequence numbers for changed servers, and
// notifies listeners at commit. Until the commit no other transaction gets numbers: call
// it late. A Postgres sequence does not work, because its numbers become visible out of
// order: a reader that has seen 10 would miss a 9 that commits later.
func takeSeqs(ctx context.Context, tx *sqlx.Tx, n int) (first int64, err error) {
	var last struct {
		Seq  int64
		Told string
	}
	if err := tx.GetContext(ctx, &last, `
		WITH last AS (UPDATE changes SET seq = seq + $1 RETURNING seq)
		SELECT seq, pg_notify($2, seq::text) AS told FROM last`, n, changesChannel); err != nil {
		return 0, err
	}
	return last.Seq - int64(n) + 1, nil
}

// LastSeq returns the number of the last change, 0 if there are none. All
// changes up to it are visible.
func (db *DB) LastSeq(ctx context.Context) (seq int64, err error) {
	err = db.db.GetContext(ctx, &seq, `SELECT seq FROM changes`)
	return seq, Wrapped(err, "last change")
}

// ChangesBetween returns the last change of each server with a number above after, up to
// until, in order, at most limit. It sets Seq, ID, Slug, Deleted and, of deleted servers, At.
func (db *DB) ChangesBetween(
	ctx context.Context, after, until int64, limit int,
) (changes []registry.Change, err error) {
	err = db.db.SelectContext(ctx, &changes, `
		(SELECT seq, id, slug, NOT listed OR hidden_at IS NOT NULL AS deleted,
			coalesce(greatest(CASE WHEN NOT listed THEN gone_at END, hidden_at), written_at) AS at
		FROM servers WHERE seq > $1 AND seq <= $2 ORDER BY seq LIMIT $3)
		UNION ALL
		(SELECT seq, server_id, slug, true, at FROM tombstones
			WHERE seq > $1 AND seq <= $2 ORDER BY seq LIMIT $3)
		ORDER BY seq LIMIT $3`, after, until, limit)
	for i := range changes {
		if !changes[i].Deleted {
			changes[i].At = time.Time{}
		}
	}
	return changes, Wrapped(err, "changes after %d", after)
}

// Listen returns a channel that receives the number of the last change after each
// change; a slow reader gets only the latest. After a reconnect it receives the number
// again. The channel is closed when ctx ends.
func (db *DB) Listen(ctx context.Context) (<-chan int64, error) {
	out := make(chan int64, 1)
	listener := pq.NewListener(db.url, 100*time.Millisecond, 10*time.Second, nil)
	err := follow(ctx, listener, changesChannel, 30*time.Second, func(n *pq.Notification) {
		var seq int64
		if n != nil {
			seq, _ = strconv.ParseInt(n.Extra, 10, 64)
		} else { // notifications may be lost
			var err error
			if seq, err = db.LastSeq(ctx); err != nil {
				return
			}
		}
		select {
		case old := <-out:
			seq = max(seq, old)
		default:
		}
		out <- seq // does not block: only this function sends
	}, func() { close(out) })
	return out, err
}

// follow calls f with the notifications of a channel, and with nil after each reconnect,
// until ctx ends, and then end. It tests the connection at an interval. If it fails, it
// calls neither. Unlike [pq.Listener.Listen] it stops waiting for the connection when ctx
// ends.
func follow(
	ctx context.Context, listener *pq.Listener, channel string, interval time.Duration,
	f func(*pq.Notification), end func(),
) error {
	started := make(chan error, 1)
	go func() { started <- listener.Listen(channel) }()
	var err error
	select {
	case err = <-started:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		listener.Close()
		return fmt.Errorf("listen on %s: %w", channel, err)
	}
	go func() {
		defer end()
		defer listener.Close()
		alive := time.NewTicker(interval)
		defer alive.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-alive.C:
				go listener.Ping() // detects a dead connection
			case n, ok := <-listener.Notify:
				if !ok {
					return
				}
				f(n)
			}
		}
	}()
	return nil
}

// FitsKey reports whether a value was derived from the key of the installation: it stores the value
// if there is none, and compares it otherwise.
func (db *DB) FitsKey(ctx context.Context, derived []byte) (fits bool, err error) {
	err = db.db.GetContext(ctx, &fits, `
		UPDATE identity SET key_check = coalesce(key_check, $1) RETURNING key_check = $1`, derived)
	return fits, Wrapped(err, "key of the database")
}

// Identity returns the unique ID of this database, created with its schema.
func (db *DB) Identity(ctx context.Context) (id string, err error) {
	err = db.db.GetContext(ctx, &id, `SELECT id::text FROM identity`)
	return id, Wrapped(err, "identity of the database")
}
