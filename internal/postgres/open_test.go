package postgres_test

import (
	"context"
	"database/sql"
	"net/url"
	"strings"
	"testing"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
)

func TestOpenErrors(t *testing.T) {
	t.Parallel()
	server := pgtest.Empty(t)
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	password, ok := u.User.Password()
	if !ok {
		t.Skip("SKIPPED: the server of CENSUS_TEST_DATABASE_URL asks for no password")
	}
	for _, test := range []struct{ url, want string }{
		{"", "must look like"},
		{"mysql://root:hunter2@localhost/x", "must look like"},
		{"postgres://u:hunter2@[::1/x", "must look like"},
		{"postgres://u:hunter2@local host/x", "must look like"},
		{"postgres://u:hunter2@127.0.0.1:1/x", "is the server running"},
		{strings.Replace(server, password, "hunter2", 1), "refuses this user or password"},
		{strings.Replace(server, u.Path+"?", "/hunter?", 1), "the database does not exist"},
		{strings.Replace(server, "sslmode=disable", "sslmode=require", 1), "TLS"},
		{"postgres://u:hunter2@127.0.0.1:99999/x", "is the server running"},
	} {
		_, err := postgres.Open(t.Context(), test.url)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Open(%q): %v, want %q", test.url, err, test.want)
			continue
		}
		if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), password) {
			t.Errorf("Open(%q) leaks the password: %v", test.url, err)
		}
	}
}

func TestMigrateConcurrently(t *testing.T) {
	t.Parallel()
	server := pgtest.Empty(t)
	errs := make(chan error, 8)
	for range cap(errs) {
		go func() {
			db, err := postgres.Open(context.Background(), server)
			if err == nil {
				err = db.Close()
			}
			errs <- err
		}()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	db, err := sql.Open("postgres", server)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var seqs int
	if err := db.QueryRow(`SELECT count(*) FROM changes`).Scan(&seqs); err != nil || seqs != 1 {
		t.Errorf("%d counters, %v; want 1", seqs, err)
	}
	// A database of the future is refused.
	if _, err := db.Exec(`INSERT INTO migrations (name) VALUES ('9999_future')`); err != nil {
		t.Fatal(err)
	}
	if _, err := postgres.Open(t.Context(), server); err == nil ||
		!strings.Contains(err.Error(), "9999_future") {
		t.Errorf("a newer database: %v", err)
	}
}
