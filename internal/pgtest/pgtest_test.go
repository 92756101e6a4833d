package pgtest_test

import (
	"database/sql"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/registry"
)

var t0 = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

func TestSeparateDatabases(t *testing.T) {
	a, b := pgtest.New(t), pgtest.New(t)
	c := registry.Candidate{Ref: registry.RepoRef{Host: registry.GitHub, Owner: "octo",
		Name: "weather"}}
	for _, db := range []interface{ URL() string }{a, b} {
		if strings.Contains(db.URL(), "template") {
			t.Errorf("the template itself: %s", db.URL())
		}
	}
	if n, err := a.Enqueue(t.Context(), []registry.Candidate{c}, t0); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if n, err := b.Enqueue(t.Context(), []registry.Candidate{c}, t0); n != 1 || err != nil {
		t.Errorf("the second database is not fresh: %d, %v", n, err)
	}
}

func TestDatabaseIsDropped(t *testing.T) {
	var url string
	t.Run("inner", func(t *testing.T) { url = pgtest.URL(t) })
	db, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Ping(); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("after the test: %v", err)
	}
}

func TestFilled(t *testing.T) {
	var filled pgtest.Template
	fills := 0
	for range 2 {
		url := filled.URL(t, func(url string) {
			fills++
			db, err := sql.Open("postgres", url)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err := db.Exec(`CREATE TABLE filled (n int); INSERT INTO filled VALUES (1)`); err != nil {
				t.Fatal(err)
			}
		})
		db, err := sql.Open("postgres", url)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		var n int
		if err := db.QueryRow(`DELETE FROM filled RETURNING n`).Scan(&n); err != nil || n != 1 {
			t.Errorf("a copy: %d, %v", n, err)
		}
	}
	if fills != 1 {
		t.Errorf("filled %d times", fills)
	}
	if err := filled.Drop(); err != nil {
		t.Error(err)
	}
}

func TestEmpty(t *testing.T) {
	db, err := sql.Open("postgres", pgtest.Empty(t))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var n int
	if err := db.QueryRow(`SELECT count(*) FROM pg_tables WHERE schemaname = 'public'`).Scan(
		&n); err != nil || n != 0 {
		t.Errorf("%d tables, %v", n, err)
	}
}

// Two test programs at once share the server and make the template once.
func TestProgramsShareTheServer(t *testing.T) {
	if os.Getenv("CENSUS_PGTEST_INNER") != "" {
		pgtest.New(t)
		return
	}
	var cmds []*exec.Cmd
	for range 3 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestProgramsShareTheServer$")
		cmd.Env = append(os.Environ(), "CENSUS_PGTEST_INNER=1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
}
