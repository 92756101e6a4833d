package postgres_test

import (
	"database/sql"
	"testing"

	"mcpcensus/internal/postgres"
)

// breakConnections ends every other connection to the database.
func breakConnections(t *testing.T, db *postgres.DB) {
	t.Helper()
	own, err := sql.Open("postgres", db.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	if _, err := own.Exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`); err != nil {
		t.Fatal(err)
	}
}
