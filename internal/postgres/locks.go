package postgres

import (
	"context"
	"database/sql/driver"
	"fmt"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"
)

// locks are those that this process holds. All belong to one connection, so
// that holding many does not use up the pool.
type locks struct {
	mu   sync.Mutex
	conn *sqlx.Conn // while any is held
	held map[string]bool
}

// lockTime is how long Postgres may take to give or take a lock.
const lockTime = 5 * time.Second

// TryLock takes the named lock, if nobody has it, this process included. If
// ok, the caller must call release. A process that dies loses its locks.
func (db *DB) TryLock(ctx context.Context, name string) (release func(), ok bool, err error) {
	if err := ctx.Err(); err != nil {
		return nil, false, fmt.Errorf("lock %s: %w", name, err)
	}
	l := &db.locks
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held[name] {
		return nil, false, nil
	}
	// A query that its caller cancels would take the connection with it, and
	// with that the locks of others.
	asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), lockTime)
	defer cancel()
	if l.conn == nil {
		if l.conn, err = db.db.Connx(asking); err != nil {
			l.conn = nil
			return nil, false, fmt.Errorf("lock %s: %w", name, err)
		}
	}
	if err := l.conn.GetContext(asking, &ok, `SELECT pg_try_advisory_lock($1)`, lockID("name "+name)); err != nil {
		l.drop()
		return nil, false, fmt.Errorf("lock %s: %w", name, err)
	}
	if !ok {
		l.rest()
		return nil, false, nil
	}
	if l.held == nil {
		l.held = map[string]bool{}
	}
	l.held[name] = true
	conn := l.conn
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if !l.held[name] {
			return
		}
		delete(l.held, name)
		if l.conn != conn { // it broke, and Postgres took the lock back
			return
		}
		// The work may have been cancelled, but the lock must still go.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lockTime)
		defer cancel()
		if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_unlock($1)`, lockID("name "+name)); err != nil {
			l.drop()
			return
		}
		l.rest()
	}, true, nil
}

// drop closes the connection: one that may hold a lock must not go back to the
// pool.
func (l *locks) drop() {
	_ = l.conn.Raw(func(any) error { return driver.ErrBadConn })
	l.conn.Close()
	l.conn = nil
}

// rest gives the connection back while nothing is held.
func (l *locks) rest() {
	if len(l.held) == 0 && l.conn != nil {
		l.conn.Close()
		l.conn = nil
	}
}
