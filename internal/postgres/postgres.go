// Package postgres stores the registry in PostgreSQL: repositories and their queue,
// servers, packages, scores, history, events, and the progress of sources. What belongs to
// accounts is in package people, on the same pool.
//
// SQL is written out in the method that runs it. Documents are json, not jsonb:
// they are read as written, and reading all of them at startup is several times
// faster. It is one package because saving a crawl changes most of its tables in one
// transaction.
package postgres

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"database/sql/driver"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"net"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"mcpcensus/internal/hosts"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// A DB is the registry's store. It is safe for concurrent use.
type DB struct {
	db     *sqlx.DB
	url    string
	worker string // random name of this process in leases
	locks  locks
	guard  *guard // nil: none
}

// maxConns is the size of the pool.
const maxConns = 20

// Open connects to the database at a URL such as postgres://user:password@host:5432/name and
// migrates its schema. Errors describe the fault of the URL or the server, and never contain
// the password.
func Open(ctx context.Context, url string) (*DB, error) {
	db, err := connect(ctx, url)
	if err != nil {
		return nil, err
	}
	if err := db.Migrate(ctx); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// Holds reports whether the database at a URL holds a registry. It changes nothing.
func Holds(ctx context.Context, url string) (found bool, err error) {
	db, err := connect(ctx, url)
	if err != nil {
		return false, err
	}
	defer db.Close()
	err = db.db.GetContext(ctx, &found, `SELECT to_regclass('migrations') IS NOT NULL`)
	return found, err
}

func connect(ctx context.Context, rawURL string) (*DB, error) {
	u, err := url.Parse(rawURL)
	if err != nil || (u.Scheme != "postgres" && u.Scheme != "postgresql") || u.Opaque != "" {
		// The cause of url.Parse quotes the URL with its password.
		return nil, registry.Errorf(registry.ErrInvalid,
			"DATABASE_URL must look like postgres://user:password@host:5432/name")
	}
	q := u.Query()
	if q.Get("sslmode") == "" {
		// lib/pq requires TLS by default; a server on this machine has none.
		if u.Host == "" || hosts.KindOf(u.Host) == hosts.Loopback {
			q.Set("sslmode", "disable")
		}
	}
	if q.Get("connect_timeout") == "" {
		q.Set("connect_timeout", "10")
	}
	if q.Get("application_name") == "" {
		q.Set("application_name", "census")
	}
	if q.Get("binary_parameters") == "" {
		q.Set("binary_parameters", "yes") // one round trip for a query instead of two
	}
	q.Set("timezone", "UTC") // of the times that are read
	u.RawQuery = q.Encode()
	db, err := open(u.String(), new(net.Dialer).DialContext, maxConns)
	if err != nil {
		return nil, registry.Errorf(registry.ErrInvalid, "invalid DATABASE_URL: %s",
			hideSecrets(err.Error(), u))
	}
	if err := db.PingContext(ctx); err != nil {
		db.Close()
		return nil, registry.Errorf(registry.ErrUnavailable, "cannot use the database at %s: %s",
			place(u), explain(err, u))
	}
	return &DB{db: db, url: u.String(), worker: rand.Text()}, nil
}

// column returns the column of a struct's field without a tag: "repo_id" of RepoID.
func column(field string) string {
	return strings.ToLower(strings.ReplaceAll(text.Apart(field), " ", "_"))
}

// place names a database without its password.
func place(u *url.URL) string {
	s := u.Host + u.Path
	if u.User != nil {
		s = u.User.Username() + "@" + s
	}
	return s
}

// explain returns why a connection failed, and how to fix it.
func explain(err error, u *url.URL) string {
	if pqErr, ok := errors.AsType[*pq.Error](err); ok {
		switch pqErr.Code {
		case "28P01", "28000":
			return "it refuses this user or password; check DATABASE_URL"
		case "3D000":
			return "the database does not exist; create it with CREATE DATABASE or check " +
				"DATABASE_URL"
		case "53300":
			return "it has no connection left; raise max_connections or close some"
		}
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return "no response in time"
	}
	if strings.Contains(err.Error(), "SSL is not enabled") {
		return "it does not speak TLS; add ?sslmode=disable to DATABASE_URL"
	}
	return hideSecrets(err.Error(), u) + "; is the server running and DATABASE_URL right?"
}

func hideSecrets(msg string, u *url.URL) string {
	if u.User == nil {
		return msg
	}
	if p, ok := u.User.Password(); ok && p != "" {
		for _, form := range []string{p, url.QueryEscape(p), url.PathEscape(p), u.User.String()} {
			msg = strings.ReplaceAll(msg, form, "…")
		}
	}
	return msg
}

func (db *DB) Close() error {
	db.locks.close()
	err := db.db.Close()
	if db.guard != nil {
		err = errors.Join(err, db.guard.close())
	}
	return err
}

// Pool returns the connections, for package people.
func (db *DB) Pool() *sqlx.DB { return db.db }

// URL returns the URL of the database, including the password.
func (db *DB) URL() string { return db.url }

// Ping returns an error if the database does not respond.
func (db *DB) Ping(ctx context.Context) error { return db.db.PingContext(ctx) }

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate migrates the schema to this version, one process at a time. It fails on a
// database that a newer version has migrated.
func (db *DB) Migrate(ctx context.Context) error {
	names, err := fs.Glob(migrations, "migrations/*.sql") // sorted
	if err != nil {
		return err
	}
	err = InTx(ctx, db.db, func(tx *sqlx.Tx) error {
		if err := LockUntilEnd(ctx, tx, "migrate"); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `
			CREATE TABLE IF NOT EXISTS migrations (
				name       text PRIMARY KEY,
				applied_at timestamptz NOT NULL DEFAULT now()
			)`); err != nil {
			return err
		}
		var applied []string
		if err := tx.SelectContext(ctx, &applied,
			`SELECT name FROM migrations ORDER BY name`); err != nil {
			return err
		}
		done := make(map[string]bool)
		for _, name := range applied {
			done[name] = true
		}
		for _, name := range names {
			short := strings.TrimSuffix(strings.TrimPrefix(name, "migrations/"), ".sql")
			if done[short] {
				delete(done, short)
				continue
			}
			text, err := migrations.ReadFile(name)
			if err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, string(text)); err != nil {
				return fmt.Errorf("%s: %w", short, err)
			}
			if _, err := tx.ExecContext(ctx, `INSERT INTO migrations (name) VALUES ($1)`,
				short); err != nil {
				return err
			}
		}
		if len(done) > 0 {
			return ErrNewer
		}
		return nil
	})
	return Wrapped(err, "migrate the database")
}

// ErrNewer is returned instead of work, and for its results, while the database has the schema of
// a newer version of this program.
var ErrNewer = registry.Errorf(registry.ErrUnavailable, "the database was migrated by a newer "+
	"census: start that version instead of this one, or use another database")

// checkSchema returns [ErrNewer] if more migrations were applied than this program has. One that
// was added later may precede others by its number.
func checkSchema(applied int) error {
	names, _ := fs.Glob(migrations, "migrations/*.sql")
	if applied > len(names) {
		return ErrNewer
	}
	return nil
}

// SchemaHash returns a hash of the migrations of this program.
func SchemaHash() string {
	h := fnv.New64a()
	names, _ := fs.Glob(migrations, "migrations/*.sql")
	for _, name := range names {
		text, _ := migrations.ReadFile(name)
		h.Write([]byte(name))
		h.Write(text)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// InTx calls f in a transaction, which is committed if f returns nil and rolled back
// otherwise. After deadlocks, serialization failures and broken connections it is
// retried, so f must not have effects outside of the transaction.
func InTx(ctx context.Context, db *sqlx.DB, f func(*sqlx.Tx) error) error {
	for try := 1; ; try++ {
		begun, err := once(ctx, db, f)
		var pqErr *pq.Error
		inTheWay := errors.As(err, &pqErr) && (pqErr.Code == "40P01" || pqErr.Code == "40001")
		if err != nil && ctx.Err() != nil &&
			(errors.Is(err, sql.ErrTxDone) || pqErr != nil && pqErr.Code == "57014") {
			return ctx.Err() // the transaction was rolled back under f, because ctx is done
		}
		if err == nil || try == 5 || begun && !inTheWay {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Duration(try*try) * 10 * time.Millisecond):
		}
	}
}

// Write is [InTx] for work that goes on by itself. It fails with [ErrNewer] if that is so.
func Write(ctx context.Context, db *sqlx.DB, f func(*sqlx.Tx) error) error {
	return InTx(ctx, db, func(tx *sqlx.Tx) error {
		var schema int
		err := tx.GetContext(ctx, &schema, `SELECT count(*) FROM migrations`)
		if err == nil {
			err = checkSchema(schema)
		}
		if err != nil {
			return err
		}
		return f(tx)
	})
}

func once(ctx context.Context, db *sqlx.DB, f func(*sqlx.Tx) error) (begun bool, err error) {
	tx, err := db.BeginTxx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer tx.Rollback() // does nothing after Commit
	if err := f(tx); err != nil {
		return true, err
	}
	return true, tx.Commit()
}

// execAll runs statements with named arguments (:name).
func execAll(
	ctx context.Context, tx *sqlx.Tx, args map[string]any, statements ...string,
) error {
	for _, s := range statements {
		if _, err := tx.NamedExecContext(ctx, s, args); err != nil {
			return err
		}
	}
	return nil
}

// LockUntilEnd takes the named lock until the end of the transaction.
func LockUntilEnd(ctx context.Context, tx *sqlx.Tx, name string) error {
	return Exec(ctx, tx, `SELECT pg_advisory_xact_lock($1)`, LockID(name))
}

// LockID returns the ID of the advisory lock of that name.
func LockID(name string) int64 {
	h := fnv.New64a()
	h.Write([]byte("census " + name))
	return int64(h.Sum64())
}

// Wrapped returns err with the name of the failed operation, nil for nil.
func Wrapped(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}

// NoRow replaces err by an error of kind [registry.ErrNotFound] if a query found no row.
func NoRow(err error, format string, args ...any) error {
	if errors.Is(err, sql.ErrNoRows) {
		return registry.Errorf(registry.ErrNotFound, format, args...)
	}
	return err
}

// Exec runs a statement that returns nothing.
func Exec(ctx context.Context, q sqlx.ExecerContext, query string, args ...any) error {
	_, err := q.ExecContext(ctx, query, args...)
	return err
}

// exec is [Exec] with an error of [Failed].
func (db *DB) exec(ctx context.Context, what, query string, args ...any) error {
	return Failed(what, Exec(ctx, db.db, query, args...))
}

// Affected returns how many rows a statement has changed.
func Affected(done sql.Result, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	n, err := done.RowsAffected()
	return int(n), err
}

// IsUnique reports whether an error is about a value that must be unique and is not.
func IsUnique(err error) bool {
	pqErr, ok := errors.AsType[*pq.Error](err)
	return ok && pqErr.Code == "23505"
}

// Failed wraps err with the name of the failed operation, nil for nil. The error is of kind
// [registry.ErrUnavailable] if the database does not respond.
func Failed(what string, err error) error {
	if err == nil {
		return nil
	}
	_, said := errors.AsType[*registry.Error](err)
	err = fmt.Errorf("%s: %w", what, err)
	if said {
		return err // may be from another service
	}
	if IsAway(err) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return registry.Wrap(registry.ErrUnavailable, err,
			"The database is unavailable. Try again in a moment.")
	}
	return err
}

// IsAway reports whether err, of any origin, says that the database accepts no connections, has ended
// one, or has no space left.
func IsAway(err error) bool {
	if e, ok := errors.AsType[*pq.Error](err); ok {
		// Connection exceptions, a refused user or password or an absent database, a full disk, too
		// many connections, and being shut down or starting.
		return slices.Contains([]string{"08", "28", "3D"}, string(e.Code.Class())) ||
			e.Code == "53100" || e.Code == "53300" || strings.HasPrefix(string(e.Code), "57P")
	}
	_, broken := errors.AsType[unreachable](err)
	return broken || errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone)
}

// Cause returns why the database does not respond, without addresses and names.
func Cause(err error) string {
	if e, ok := errors.AsType[*pq.Error](err); ok {
		return strings.ReplaceAll(e.Code.Name(), "_", " ")
	}
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		return e.Error()
	}
	return "no response"
}

// cleanText returns s in a form that Postgres accepts.
func cleanText(s string) string { return text.Valid(s) }

// toJSON returns v as JSON that Postgres accepts: without the escape \u0000, which is
// valid JSON but not a valid Postgres text.
func toJSON(v any) ([]byte, error) {
	b, err := json.Marshal(v) // replaces invalid UTF-8 itself
	if err != nil {
		return nil, err
	}
	return cleanJSON(b), nil
}

// An AsJSON is written as the JSON of its value, without characters that Postgres rejects and
// without HTML escapes. A JSON null becomes NULL.
type AsJSON struct{ V any }

// Value implements [driver.Valuer].
func (j AsJSON) Value() (driver.Value, error) {
	b, err := text.JSON(j.V)
	if err != nil || string(b) == "null" {
		return nil, err
	}
	return string(cleanJSON(b)), nil
}

// A jsonColumn reads JSON into V. NULL leaves V unchanged.
type jsonColumn[T any] struct{ V T }

// Scan implements [sql.Scanner].
func (c *jsonColumn[T]) Scan(value any) error {
	b, _ := value.([]byte)
	if b == nil {
		return nil
	}
	return json.Unmarshal(b, &c.V)
}

func cleanTexts(texts []string) pq.StringArray { return Mapped(texts, text.Valid) }

// Mapped returns f of each value.
func Mapped[V, W any](values []V, f func(V) W) []W {
	all := make([]W, len(values))
	for i, v := range values {
		all[i] = f(v)
	}
	return all
}

func cleanJSON(b []byte) []byte {
	nul := []byte(`\u0000`)
	for from := 0; ; {
		i := bytes.Index(b[from:], nul)
		if i < 0 {
			return b
		}
		i += from
		// After an odd number of backslashes this one is itself escaped.
		before := 0
		for i-before > 0 && b[i-before-1] == '\\' {
			before++
		}
		if before%2 == 0 {
			copy(b[i:], `\ufffd`)
		}
		from = i + len(nul)
	}
}
