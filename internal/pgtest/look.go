package pgtest

import (
	"database/sql"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"testing"

	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
)

// Find returns a listed server by its current or former slug, as in the change
// feed. The error is of kind [registry.ErrGone] if it was deleted at its code
// host, and of kind [registry.ErrNotFound] if it is unknown or hidden.
func Find(t testing.TB, db *postgres.DB, slug string) (registry.Server, error) {
	t.Helper()
	servers, removed, _, err := db.ServersAfter(t.Context(), 0, math.MaxInt32)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range servers {
		if s.Slug == slug {
			return s, nil
		}
	}
	for _, s := range servers {
		if slices.Contains(s.OldSlugs, slug) {
			return s, nil
		}
	}
	for _, c := range removed {
		if c.Slug == slug && c.Gone {
			return registry.Server{}, registry.Errorf(registry.ErrGone, "%s is gone", slug)
		}
	}
	return registry.Server{}, registry.Errorf(registry.ErrNotFound, "no server %s", slug)
}

// ServersOf returns the listed servers of a repository, by subfolder; none if it is
// unknown. key and hostID are those of [postgres.DB.RepositoryID].
func ServersOf(t testing.TB, db *postgres.DB, key string, hostID int64) []registry.Server {
	t.Helper()
	id, err := db.RepositoryID(t.Context(), key, hostID)
	if errors.Is(err, registry.ErrNotFound) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	scored, err := db.ScoredOfRepo(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var servers []registry.Server
	for _, s := range scored {
		listed, _, _, err := db.ServersAfter(t.Context(), s.Server.Seq-1, 1)
		if err != nil {
			t.Fatal(err)
		}
		servers = append(servers, listed...)
	}
	return servers
}

// FactsOf returns the facts of the last score of a server.
func FactsOf(t testing.TB, db *postgres.DB, server int64) registry.Facts {
	t.Helper()
	var facts registry.Facts
	found := false
	if err := db.FactsOf(t.Context(), []int64{server}, func(s registry.Scored) error {
		facts, found = s.Facts, true
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if !found {
		t.Fatalf("no server %d", server)
	}
	return facts
}

// WorkOf returns the work of a repository, without a lease.
func WorkOf(t testing.TB, db *postgres.DB, key string) registry.Work {
	t.Helper()
	id, err := db.RepositoryID(t.Context(), key, 0)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := sql.Open("postgres", db.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	w := registry.Work{ID: id}
	var snapshot []byte
	if err := conn.QueryRowContext(t.Context(), `
		SELECT attempt, state, misses, missing_since, fetched_at, snapshot FROM repositories WHERE id = $1`, id).Scan(
		&w.Attempt, &w.State, &w.Misses, &w.MissingSince, &w.FetchedAt, &snapshot); err != nil {
		t.Fatal(err)
	}
	if snapshot != nil {
		if err := json.Unmarshal(snapshot, &w.Stored); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func Exec(t testing.TB, db *postgres.DB, statement string, args ...any) {
	t.Helper()
	conn, err := sql.Open("postgres", db.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(t.Context(), statement, args...); err != nil {
		t.Fatal(err)
	}
}
