package postgres

import (
	"context"
	"database/sql/driver"
	"fmt"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"
)

// locks are the locks of this process. All belong to one connection, so that they do not
// exhaust the pool.
type locks struct {
	mu   sync.Mutex
	conn *sqlx.Conn // while any is held
	held map[string]bool
}

// lockTime is the timeout for taking and releasing a lock.
const lockTime = 5 * time.Second

// TryLock takes the named lock unless it is held, by this process or another. If ok, the
// caller must call release. A process that dies loses its locks.
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
	// A query canceled by its caller would close the connection, and release all other
	// locks.
	asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), lockTime)
	defer cancel()
	if l.conn == nil {
		if l.conn, err = db.db.Connx(asking); err != nil {
			l.conn = nil
			return nil, false, fmt.Errorf("lock %s: %w", name, err)
		}
	}
	if err := l.conn.GetContext(asking, &ok, `SELECT pg_try_advisory_lock($1)`,
		LockID("name "+name)); err != nil {
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
		if l.conn != conn { // the connection broke, so Postgres released the lock
			return
		}
		// The work may have been canceled; the lock must still be released.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lockTime)
		defer cancel()
		if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_unlock($1)`,
			LockID("name "+name)); err != nil {
			l.drop()
			return
		}
		l.rest()
	}, true, nil
}

// drop closes the connection: one that may hold a lock must not return to the pool.
func (l *locks) drop() {
	_ = l.conn.Raw(func(any) error { return driver.ErrBadConn })
	l.conn.Close()
	l.conn = nil
}

// rest returns the connection to the pool when no lock is held.
func (l *locks) rest() {
	if len(l.held) == 0 && l.conn != nil {
		l.conn.Close()
		l.conn = nil
	}
}
