// Package pgtest creates a PostgreSQL database for each test.
//
// The server is that of CENSUS_TEST_DATABASE_URL or DATABASE_URL if set. Otherwise it
// is an embedded one that all tests of the user share: the first test starts it, and it
// stops a while after the last.
package pgtest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"hash/fnv"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/lib/pq"

	"mcpcensus/internal/postgres"
)

// New returns a fresh, migrated database that is dropped when the test ends.
func New(t testing.TB) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), URL(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// URL returns the address of a fresh, migrated database that is dropped when
// the test ends, for tests that open it themselves or several times.
func URL(t testing.TB) string {
	t.Helper()
	from, err := template()
	if err != nil {
		t.Fatal(err)
	}
	return create(t, " TEMPLATE "+from)
}

// Empty is like URL, for a database without a schema.
func Empty(t testing.TB) string {
	t.Helper()
	return create(t, "")
}

// A Template is a database that the first test fills and that all tests copy. Its
// zero value is ready for use, and its methods are safe for concurrent use.
type Template struct {
	mu   sync.Mutex
	name string
}

// URL returns the address of a copy, which is dropped when the test ends. The first call
// fills the database: fill gets the address of a fresh, migrated database, and must close
// its connections.
func (f *Template) URL(t testing.TB, fill func(url string)) string {
	t.Helper()
	return create(t, " TEMPLATE "+f.filled(t, fill))
}

func (f *Template) filled(t testing.TB, fill func(url string)) string {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.name != "" {
		return f.name
	}
	from, err := template()
	if err != nil {
		t.Fatal(err)
	}
	server, name := createNamed(t, " TEMPLATE "+from)
	fill(databaseURL(server, name))
	f.name = name
	return name
}

// Drop removes the database. TestMain calls it when the tests have ended.
func (f *Template) Drop() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.name == "" {
		return nil
	}
	server, err := serverURL()
	if err != nil {
		return err
	}
	err = admin(server, "DROP DATABASE "+f.name+" WITH (FORCE)")
	f.name = ""
	return err
}

func create(t testing.TB, with string) string {
	t.Helper()
	server, name := createNamed(t, with)
	t.Cleanup(func() {
		if err := admin(server, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return databaseURL(server, name)
}

func createNamed(t testing.TB, with string) (server, name string) {
	t.Helper()
	server, err := serverURL()
	if err != nil {
		t.Fatal(err)
	}
	name = "test_" + strings.ToLower(rand.Text())
	// Copying files takes a tenth of the processor time of copying pages through the log.
	if err := admin(server, "CREATE DATABASE "+name+with+" STRATEGY FILE_COPY"); err != nil {
		t.Fatal(err)
	}
	return server, name
}

// serverURL returns the address of the server, and starts it if necessary.
var serverURL = sync.OnceValues(func() (string, error) {
	for _, name := range []string{"CENSUS_TEST_DATABASE_URL", "DATABASE_URL"} {
		if u := os.Getenv(name); u != "" {
			return u, nil
		}
	}
	return sharedServer()
})

// template returns the name of a migrated database to copy. It is created once for each
// set of migrations, for all later runs.
var template = sync.OnceValues(func() (string, error) {
	server, err := serverURL()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	db, err := sql.Open("postgres", databaseURL(server, ""))
	if err != nil {
		return "", err
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return "", err
	}
	defer conn.Close() // releases the lock
	// Test binaries run concurrently; one of them creates the template.
	h := fnv.New32a()
	h.Write([]byte("census test template"))
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock($1)`,
		int64(h.Sum32())); err != nil {
		return "", err
	}
	name := "census_template_" + postgres.SchemaHash()
	var done bool
	if err := conn.QueryRowContext(ctx,
		`SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)`, name).Scan(
		&done); err != nil || done {
		return name, err
	}
	// Migrate under another name, so that the template is never incomplete.
	draft := "census_draft_" + strings.ToLower(rand.Text())
	if err := admin(server, "CREATE DATABASE "+draft+
		" TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'"); err != nil {
		return "", err
	}
	migrated, err := postgres.Open(ctx, databaseURL(server, draft))
	if err != nil {
		return "", err
	}
	if err := migrated.Close(); err != nil {
		return "", err
	}
	// Renaming fails until the processes of the connections have exited.
	for try := 0; ; try++ {
		err := admin(server, "ALTER DATABASE "+draft+" RENAME TO "+name)
		if err == nil || try == 50 {
			return name, err
		}
		time.Sleep(20 * time.Millisecond)
	}
})

// databaseURL returns the address of another database of the same server, or of the same
// database for "".
func databaseURL(server, name string) string {
	u, err := url.Parse(server)
	if err != nil {
		return server
	}
	if name != "" {
		u.Path = "/" + name
	}
	q := u.Query()
	if q.Get("sslmode") == "" {
		q.Set("sslmode", "disable")
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// admin runs a statement outside the databases of tests. It retries while another
// process copies the same template.
func admin(server, stmt string) error {
	db, err := sql.Open("postgres", databaseURL(server, ""))
	if err != nil {
		return err
	}
	defer db.Close()
	for try := 0; ; try++ {
		_, err = db.Exec(stmt)
		if err == nil {
			return nil
		}
		if try == 100 || !strings.Contains(err.Error(), "is being accessed by other users") {
			return fmt.Errorf("%s: %w", stmt, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
