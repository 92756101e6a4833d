package postgres_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
)

// TestTallies compares the maintained counts with the tables after every kind of change.
func TestTallies(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	own, err := sql.Open("postgres", db.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	compare := func(after string) {
		t.Helper()
		status, err := db.Status(t.Context(), start)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{"servers": status.Servers, "hidden": status.Hidden,
			"listings": status.Listings, "packages": status.Packages, "unvisited": status.Unvisited}
		for _, of := range []struct {
			kind   string
			counts map[string]int
		}{{"state ", status.Repositories}, {"source ", status.Named}, {"endpoint ", status.Endpoints}} {
			for part, n := range of.counts {
				got[of.kind+part] = n
			}
		}
		rows, err := own.Query(`
			SELECT 'state ' || CASE WHEN misses > 0 AND state NOT IN ('gone', 'blocked')
				THEN 'missing' ELSE state END, count(*) FROM repositories GROUP BY 1
			UNION ALL SELECT 'source ' || source, count(*) FROM sightings GROUP BY 1
			UNION ALL SELECT 'endpoint ' || coalesce(facts->'probe'->>'state', ''), count(*)
				FROM packages WHERE registry_type = 'remote' GROUP BY 1
			UNION ALL SELECT 'servers', count(*) FROM servers WHERE listed AND hidden_at IS NULL
			UNION ALL SELECT 'hidden', count(*) FROM servers WHERE hidden_at IS NOT NULL
			UNION ALL SELECT 'listings', count(*) FROM listings
			UNION ALL SELECT 'packages', count(*) FROM packages WHERE registry_type <> 'remote'
			UNION ALL SELECT 'unvisited', count(*) FROM repositories WHERE probed_at IS NULL`)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]int{}
		for rows.Next() {
			var part string
			var n int
			if err := rows.Scan(&part, &n); err != nil {
				t.Fatal(err)
			}
			want[part] = n
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after %s: %s", after, diff)
		}
	}
	crawled(t, db, "octo/weather", 7, start, "", "b")
	crawled(t, db, "octo/other", 8, start, "")
	listed := candidate("octo/new", 9)
	listed.Listing = &registry.Listing{Name: "io.github.octo/new"}
	enqueue(t, db, at(1), listed, candidate("octo/new2", 10), registry.Candidate{Ref: ref("octo/new"), Source: "list"})
	compare("visits and new repositories")
	if err := db.EnqueuePackages(t.Context(), []registry.PackageKey{
		{RegistryType: "npm", Identifier: "weather"},
		{RegistryType: registry.RemoteType, Identifier: "https://mcp.example/a"},
		{RegistryType: registry.RemoteType, Identifier: "https://mcp.example/b"},
	}, start); err != nil {
		t.Fatal(err)
	}
	probe := registry.PackageFacts{RegistryType: registry.RemoteType, Identifier: "https://mcp.example/a",
		Probe: &registry.Probe{State: registry.ProbeStates[0]}}
	if err := db.SaveProbe(t.Context(), probe, at(6), false, true); err != nil {
		t.Fatal(err)
	}
	compare("a probe")
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"hiding", func() error { return db.Hide(t.Context(), "octo-weather-b", "spam") }},
		{"showing", func() error { return db.Unhide(t.Context(), "octo-weather-b") }},
		{"summing", func() error { return db.SumTallies(t.Context()) }},
		{"forgetting endpoints", func() error { _, err := db.ForgetProbes(t.Context(), start, at(1)); return err }},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		compare(step.name)
	}
	for _, w := range lease(t, db, 10, at(48)) {
		save(t, db, registry.Result{Visit: registry.Visit{Work: w, Outcome: registry.Missing},
			Now: at(48), NextAt: at(72)})
	}
	compare("misses")
	pgtest.Exec(t, db, `UPDATE repositories SET state = 'gone' WHERE owner = 'octo' AND name = 'other'`)
	pgtest.Exec(t, db, `DELETE FROM repositories WHERE name = 'new2'`)
	pgtest.Exec(t, db, `DELETE FROM listings`)
	compare("deletions")
}

// TestStatusReads checks that Status reads no large table as a whole, as every process does
// each minute.
func TestStatusReads(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	own, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	fill, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{`
		INSERT INTO repositories (host, owner, name, state, snapshot, due_at, turn_at, probed_at, created_at)
		SELECT 'github', 'o', n, 'server', to_json(repeat('x', 500)), now() + interval '1 day', now(), now(), now()
		FROM generate_series(1, 20000) AS n`, `
		INSERT INTO servers (repo_id, subfolder, slug, seq, record, digest, facts, facts_digest, facts_at,
			listed, listed_at, written_at, updated_at)
		SELECT id, '', 'o-' || name, id, '{}', '', '{}', '', now(), true, now(), now(), now()
		FROM repositories`, `
		INSERT INTO sightings SELECT id, 'github', now(), now() FROM repositories`, `
		INSERT INTO listings (name, listing, seen_at) SELECT n, '{}', now() FROM generate_series(1, 20000) AS n`, `
		INSERT INTO packages (registry_type, identifier, asked_at)
		SELECT (ARRAY['npm', 'remote'])[1 + n % 2], n, now() FROM generate_series(1, 20000) AS n`, `
		INSERT INTO package_tasks (registry_type, identifier, kind, due_at)
		SELECT registry_type, identifier, CASE registry_type WHEN 'npm' THEN 'facts' ELSE 'probe' END,
			now() + interval '1 day' FROM packages`, `VACUUM ANALYZE`} {
		if _, err := fill.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	fill.Close() // a session reports its reads when it ends
	awaitEnd(t, own)
	db, err := postgres.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.SumTallies(t.Context()); err != nil {
		t.Fatal(err)
	}
	read := func() (rows int64) {
		t.Helper()
		if err := own.QueryRow(`
			SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE relname IN
				('repositories', 'servers', 'sightings', 'listings', 'packages', 'package_tasks')`).Scan(&rows); err != nil {
			t.Fatal(err)
		}
		return rows
	}
	before := read()
	status, err := db.Status(t.Context(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if status.Repositories["server"] != 20000 || status.Servers != 20000 || status.Packages != 10000 {
		t.Errorf("%d repositories, %d servers, %d packages", status.Repositories["server"],
			status.Servers, status.Packages)
	}
	if _, err := db.EndDeadLeases(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	db.Close()
	awaitEnd(t, own)
	if n := read() - before; n != 0 {
		t.Errorf("%d rows were read by sequential scans, want 0", n)
	}
}

// awaitEnd waits until the only session of a database is the caller's.
func awaitEnd(t *testing.T, own *sql.DB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for others := 1; others > 0; time.Sleep(10 * time.Millisecond) {
		if err := own.QueryRowContext(ctx, `
			SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
				AND backend_type = 'client backend' AND application_name = 'census'`).Scan(&others); err != nil {
			t.Fatal(err)
		}
	}
}
