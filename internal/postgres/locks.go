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
	conn *sqlx.Conn            // while any is held
	held map[string]*sqlx.Conn // that has each
}

// lockTime is the timeout for taking and releasing a lock.
const lockTime = 5 * time.Second

// TryLock takes the named lock unless it is held, by this process or another. If ok, the
// caller must call release. A process that dies loses its locks. It fails with [ErrNewer] if
// that is so.
func (db *DB) TryLock(ctx context.Context, name string) (release func(), ok bool, err error) {
	l := &db.locks
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held[name] != nil {
		return nil, false, nil
	}
	if ok, err := l.take(ctx, db.db, name); !ok {
		return nil, false, err
	}
	return func() { l.release(ctx, name) }, true, nil
}

// keep takes a lock until the connections are closed, again if its connection was lost. It fails
// if another process has it.
func (l *locks) keep(ctx context.Context, pool *sqlx.DB, name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if conn := l.held[name]; conn != nil {
		if conn == l.conn {
			asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), lockTime)
			defer cancel()
			var schema int
			if conn.GetContext(asking, &schema, `SELECT count(*) FROM migrations`) == nil {
				return checkSchema(schema)
			}
			l.drop()
		}
		delete(l.held, name)
	}
	ok, err := l.take(ctx, pool, name)
	if err == nil && !ok {
		err = fmt.Errorf("lock %s: another process has it", name)
	}
	return err
}

// take takes a lock that this process does not have, and reports whether it has it now.
func (l *locks) take(ctx context.Context, pool *sqlx.DB, name string) (ok bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, fmt.Errorf("lock %s: %w", name, err)
	}
	// A query canceled by its caller would close the connection, and release all other
	// locks.
	asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), lockTime)
	defer cancel()
	if l.conn == nil {
		if l.conn, err = pool.Connx(asking); err != nil {
			l.conn = nil
			return false, fmt.Errorf("lock %s: %w", name, err)
		}
	}
	var row struct {
		Taken  bool
		Schema int
	}
	if err := l.conn.GetContext(asking, &row, `
		SELECT pg_try_advisory_lock($1) AS taken, (SELECT count(*) FROM migrations) AS schema`,
		LockID("name "+name)); err != nil {
		l.drop()
		return false, fmt.Errorf("lock %s: %w", name, err)
	}
	if !row.Taken {
		l.rest()
		return false, nil
	}
	if l.held == nil {
		l.held = map[string]*sqlx.Conn{}
	}
	l.held[name] = l.conn
	if err := checkSchema(row.Schema); err != nil {
		l.unlock(ctx, name)
		return false, err
	}
	return true, nil
}

func (l *locks) release(ctx context.Context, name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unlock(ctx, name)
}

// unlock releases a lock, unless its connection broke, so that Postgres has released it.
func (l *locks) unlock(ctx context.Context, name string) {
	conn := l.held[name]
	delete(l.held, name)
	if conn == nil || l.conn != conn {
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

func (l *locks) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != nil {
		l.drop()
	}
}
