package postgres_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mcpcensus/internal/generate"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/postgres/people"
	"mcpcensus/internal/registry"
)

// migratedUntil returns the URL of a database with the schema before the migration whose
// name starts with next, in which the statements were executed.
func migratedUntil(t testing.TB, next string, statements ...string) string {
	t.Helper()
	url := pgtest.Empty(t)
	db, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	exec := func(statement string, args ...any) {
		t.Helper()
		if _, err := db.Exec(statement, args...); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	exec(`CREATE TABLE migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())`)
	files, err := filepath.Glob("migrations/*.sql") // sorted
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".sql")
		if name >= next {
			break
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		exec(string(text))
		exec(`INSERT INTO migrations (name) VALUES ($1)`, name)
	}
	for _, s := range statements {
		exec(s)
	}
	return url
}

// openAll migrates a database as three processes that start at once do.
func openAll(t testing.TB, url string) *postgres.DB {
	t.Helper()
	var all [3]*postgres.DB
	var group sync.WaitGroup
	for i := range all {
		group.Go(func() {
			db, err := postgres.Open(t.Context(), url)
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(func() { db.Close() })
			all[i] = db
		})
	}
	group.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return all[0]
}

// oldServers are two repositories and their servers in the schema of 0030.
const oldServers = `
	INSERT INTO repositories (host, host_id, owner, name, key, state, due_at, turn_at, created_at)
	VALUES ('github', 7, 'octo', 'weather', 'github:octo/weather', 'server', '2026-11-01', '2026-11-01', '2026-10-01'),
		('github', 8, 'octo', 'other', 'github:octo/other', 'odd', '2026-11-01', '2026-11-01', '2026-10-01');
	INSERT INTO servers (repo_id, subfolder, slug, seq, record, digest, facts, facts_digest, facts_at,
		score, listed, listed_at, written_at, updated_at)
	SELECT id, '', owner || '-' || name, id, '{}', '', '{}', '', '2026-11-01', 70, true,
		'2026-10-01', '2026-11-01', '2026-11-01' FROM repositories;
	UPDATE changes SET seq = 2`

func TestMigrateNames(t *testing.T) {
	t.Parallel()
	db := openAll(t, migratedUntil(t, "0031", oldServers, `
		CREATE TABLE events_20261101 PARTITION OF events FOR VALUES FROM ('2026-11-01') TO ('2026-11-02');
		INSERT INTO events SELECT '2026-11-01', id, 5, 9 FROM servers WHERE slug = 'octo-weather';
		INSERT INTO event_days SELECT id, '2026-10-30', '{1,2,3,4,5,6}' FROM servers;
		INSERT INTO event_days SELECT id, '2026-10-31', '{0,0,3}' FROM servers;
		INSERT INTO checks (key, state, started_at) VALUES ('a', 'odd', now()), ('b', 'done', now());
		INSERT INTO tool_lists (server_id, since, hash, source, version, tools)
		SELECT id, now(), '', 'readme', '', '[]' FROM servers`))
	want := map[string][meter.Events]int64{
		"2026-10-30": {1, 2, 3, 4, 5, 6}, "2026-10-31": {meter.EventImpression: 3},
		"2026-11-01": {meter.EventBadgeView: 9},
	}
	if diff := cmp.Diff(want, eventsOf(t, db, "octo-weather")); diff != "" {
		t.Error(diff)
	}
	status, err := db.Status(t.Context(), start)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"server": 1, "unknown": 1}, status.Repositories); diff != "" {
		t.Error(diff)
	}
}

func TestStates(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, test := range []struct {
		insert string
		states []string
	}{
		{`INSERT INTO repositories (host, owner, name, state, due_at, turn_at, created_at)
			VALUES ('github', 'o', 'n', $1, now(), now(), now())`,
			[]string{"new", "server", "not_server", "empty", "gone", "blocked", "unknown"}},
		{`INSERT INTO checks (key, state, started_at) VALUES (gen_random_uuid(), $1, now())`,
			[]string{registry.CheckRunning, registry.CheckDone, registry.CheckNotFound,
				registry.CheckFailed}},
		{`INSERT INTO tool_lists (server_id, since, hash, source, version, tools)
			SELECT id, clock_timestamp(), '', $1, '', '[]' FROM servers`, registry.ToolSources},
	} {
		if _, err := db.Exec(`
			INSERT INTO servers (repo_id, subfolder, slug, seq, record, digest, facts, facts_digest,
				facts_at, listed, listed_at, written_at, updated_at)
			SELECT id, '', 'a', 1, '{}', '', '{}', '', now(), true, now(), now(), now()
			FROM repositories LIMIT 1 ON CONFLICT DO NOTHING`); err != nil {
			t.Fatal(err)
		}
		for _, state := range test.states {
			if _, err := db.Exec(test.insert, state); err != nil {
				t.Errorf("%s is refused: %v", state, err)
			}
		}
		if _, err := db.Exec(test.insert, "serverr"); err == nil ||
			!strings.Contains(err.Error(), "check constraint") {
			t.Errorf("%s: another state: %v", test.insert, err)
		}
	}
}

func TestMigrateMonths(t *testing.T) {
	t.Parallel()
	url := migratedUntil(t, "0031", oldServers, `
		INSERT INTO day_stats (server_id, date, score, stars, downloads_by)
		SELECT id, d::date, extract(day FROM d), id, '{"npm": 3}'
		FROM servers, generate_series('2026-08-30'::date, '2026-11-01', interval '1 day') AS d`)
	db := openAll(t, url)
	own, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	// 2030 is far beyond the partitions that the migration made.
	for _, day := range []time.Time{start, start.AddDate(0, 0, 1), start.AddDate(4, 0, 0)} {
		if n, err := db.SnapshotDay(t.Context(), day); n != 2 || err != nil {
			t.Fatalf("%s: %d servers, %v", day, n, err)
		}
	}
	days := func() (dates []string) {
		t.Helper()
		history, err := db.History(t.Context(), "octo-weather", start.AddDate(-1, 0, 0), start.AddDate(5, 0, 0))
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range history {
			dates = append(dates, d.Date.Format(time.DateOnly))
			if d.Date.Before(start.AddDate(0, 0, -1)) && (*d.Score != d.Date.Day() || d.DownloadsBy["npm"] != 3) {
				t.Errorf("carried over: %+v", d)
			}
		}
		return dates
	}
	before := days()
	if len(before) != 66 || before[0] != "2026-08-30" || before[65] != "2030-11-01" {
		t.Errorf("%d days: %v", len(before), before)
	}
	partitions := func() (n int) {
		t.Helper()
		if err := own.QueryRow(`SELECT count(*) FROM pg_inherits
			WHERE inhparent = 'day_stats'::regclass`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	had := partitions()
	if dropped, err := db.ForgetDays(t.Context(), time.Date(2026, 10, 31, 0, 0, 0, 0, time.UTC)); dropped != 0 || err != nil {
		t.Errorf("%d dropped, %v", dropped, err)
	}
	if got := days(); got[0] != "2026-10-01" || len(got) != 34 {
		t.Errorf("kept: %v", got)
	}
	dropped, err := db.ForgetDays(t.Context(), start.AddDate(4, 0, 0))
	if err != nil || dropped == 0 || partitions() != had-dropped {
		t.Errorf("%d of %d dropped, %d left, %v", dropped, had, partitions(), err)
	}
	if diff := cmp.Diff([]string{"2030-11-01"}, days()); diff != "" {
		t.Error(diff)
	}
}

// TestForgetDaysReader checks that a long reader does not stop others.
func TestForgetDaysReader(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	if _, err := db.SnapshotDay(t.Context(), start.AddDate(4, 0, 0)); err != nil {
		t.Fatal(err)
	}
	own, err := sql.Open("postgres", db.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	tx, err := own.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := tx.Exec(`LOCK TABLE day_stats IN ACCESS SHARE MODE`); err != nil {
		t.Fatal(err)
	}
	if _, err := db.SnapshotDay(t.Context(), start.AddDate(4, 1, 0)); err != nil {
		t.Errorf("a month cannot be added beside a reader: %v", err)
	}
	if n, err := db.ForgetDays(t.Context(), start.AddDate(4, 0, 0)); n != 0 || err == nil {
		t.Errorf("%d dropped below a reader, %v", n, err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if n, err := db.ForgetDays(t.Context(), start.AddDate(4, 0, 0)); n == 0 || err != nil {
		t.Errorf("%d dropped, %v", n, err)
	}
}

func TestMigratePackageTasks(t *testing.T) {
	t.Parallel()
	db := openAll(t, migratedUntil(t, "0031", `
		INSERT INTO packages (registry_type, identifier, facts, asked_at, due_at, lease_until, attempt,
			last_error, last_error_at, downloads_due_at, downloads_lease_until, downloads_attempt,
			downloads_error, downloads_error_at)
		SELECT type, 'weather', CASE type WHEN 'remote' THEN '{"probe": {"state": "alive_open"}}'::json END,
			'2026-10-01', '2026-11-01', '2026-11-02', 2, 'says 503', '2026-10-31',
			'2026-11-03', NULL, 4, '', NULL
		FROM unnest(ARRAY['npm', 'cargo', 'mcpb', 'remote']) AS type;
		UPDATE packages SET lease_until = NULL, attempt = 0, last_error = '' WHERE registry_type = 'remote'`))
	work := func(registryType string, attempt int) registry.PackageWork {
		return registry.PackageWork{PackageKey: registry.PackageKey{RegistryType: registryType,
			Identifier: "weather"}, Attempt: attempt}
	}
	for _, test := range []struct {
		kind string
		now  time.Time
		want []registry.PackageWork
	}{
		{registry.PackageFactsKind, at(0), nil}, // leased
		{registry.PackageFactsKind, at(24), []registry.PackageWork{work("cargo", 2), work("npm", 2)}},
		{registry.PackageDownloadsKind, at(24), nil},
		{registry.PackageDownloadsKind, at(48), []registry.PackageWork{work("npm", 4)}},
		{registry.PackageProbeKind, at(0), []registry.PackageWork{work("remote", 0)}},
	} {
		got, err := db.LeasePackages(t.Context(), test.kind, nil, 10, time.Hour, test.now)
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(got, func(a, b registry.PackageWork) int {
			return strings.Compare(a.RegistryType, b.RegistryType)
		})
		if diff := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s at %s: %s", test.kind, test.now, diff)
		}
	}
	status, err := db.Status(t.Context(), at(24))
	if err != nil {
		t.Fatal(err)
	}
	if status.Packages != 3 || status.Endpoints["alive_open"] != 1 || len(status.Failing) != 1 ||
		status.Failing[0].Count != 2 || status.PackagesDue != 2 || status.EndpointsDue != 1 {
		t.Errorf("status: %d packages, endpoints %v, failing %+v, %d and %d due", status.Packages,
			status.Endpoints, status.Failing, status.PackagesDue, status.EndpointsDue)
	}
}

func TestMigrateWebhookViews(t *testing.T) {
	t.Parallel()
	db := openAll(t, migratedUntil(t, "0060", `
		INSERT INTO accounts (email, email_key, created_at)
		VALUES ('a@example.com', 'a@example.com', now())`, `
		INSERT INTO webhook_endpoints (account, url, description, events, search, secret, created_at,
			updated_at, disabled_at, disabled_why)
		SELECT a.id, 'https://example.com', e.description, e.events::text[], 'good', '', now(), now(),
			CASE WHEN e.why <> '' THEN '2026-11-01'::timestamptz END, e.why
		FROM accounts a, (VALUES ('all', NULL, ''), ('others', '{server.listed}', ''),
			('both', '{server.listed,view.changed}', ''), ('only', '{view.changed}', ''),
			('disabled', '{view.changed}', 'failing')) AS e (description, events, why)`, `
		INSERT INTO webhook_views SELECT id, 'good', '{}' FROM accounts`, `
		INSERT INTO server_events (id, sequence, type, slug, at, data)
		VALUES ('evt_1', 1, 'view.changed', '', now(), '{}'), ('evt_2', 1, 'server.listed', 'a', now(), '{}')`, `
		INSERT INTO webhook_deliveries (endpoint, event, due_at, created_at)
		SELECT e.id, s.id, now(), now() FROM webhook_endpoints e, server_events s
		WHERE e.description = 'both'`))
	endpoints, err := people.New(db).Endpoints(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range endpoints {
		got = append(got, fmt.Sprint(e.Description, " ", e.Events, " ", e.DisabledAt == nil, " ", e.DisabledWhy))
	}
	want := []string{"all [] true ", "others [server.listed] true ", "both [server.listed] true ",
		"only [] false events", "disabled [] false failing"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	deliveries, err := people.New(db).Deliveries(t.Context(), 1, endpoints[2].ID, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(deliveries) != 1 || deliveries[0].Event.ID != "evt_2" {
		t.Errorf("deliveries: %+v, want that of the server's event only", deliveries)
	}
}

// BenchmarkMigrate migrates a database of the schema before 0031 with generated servers, a
// year of their daily figures and counts, and three packages for each, and reports the
// sizes of the tables before and after.
func BenchmarkMigrate(b *testing.B) {
	n := benchServers()
	url := migratedUntil(b, "0031")
	own, err := sql.Open("postgres", url)
	if err != nil {
		b.Fatal(err)
	}
	defer own.Close()
	text := func(v any) string {
		t, err := json.Marshal(v)
		if err != nil {
			b.Fatal(err)
		}
		return string(t)
	}
	for i := range n {
		s := generate.Server(i, 1)
		facts := registry.Facts{Repo: s.Repo, Detection: registry.Detection{IsServer: true,
			Packages: s.Packages, Tools: s.Tools, Description: s.Description}}
		if _, err := own.Exec(`
			WITH repo AS (
				INSERT INTO repositories (host, host_id, owner, name, key, state, snapshot, due_at, turn_at,
					fetched_at, probed_at, created_at)
				VALUES ('github', $1::bigint, 'octo', $1::bigint::text, $1::bigint::text, 'server', $2, now(), now(), now(), now(), now())
				RETURNING id)
			INSERT INTO servers (repo_id, subfolder, slug, seq, record, digest, facts, facts_digest,
				facts_at, readme, score, listed, listed_at, written_at, updated_at)
			SELECT id, '', $1::bigint::text, $1::bigint, $3, '', $4, '', now(), $5, $1::bigint % 100, true,
				now(), now(), now() FROM repo`,
			i, text(registry.Snapshot{Repo: s.Repo}), text(s), text(facts), s.Readme); err != nil {
			b.Fatal(err)
		}
	}
	for _, statement := range []string{`
		INSERT INTO packages (registry_type, identifier, facts, asked_at, due_at, downloads_due_at)
		SELECT type, 'package-' || id, json_build_object('latest', '1.2.3', 'versions', repeat('1.2.3 ', 100)),
			now(), now(), now() FROM servers, unnest(ARRAY['npm', 'project', 'remote']) AS type`, `
		INSERT INTO day_stats SELECT id, d, score, id % 1000, 3, id, '{"npm": 1234}'
		FROM servers, generate_series(current_date - 364, current_date, interval '1 day') AS d`, `
		INSERT INTO event_days SELECT id, d, ARRAY[id % 2, 0, 9, 0, 0, id % 3]
		FROM servers, generate_series(current_date - 364, current_date, interval '1 day') AS d`,
		`UPDATE changes SET seq = (SELECT max(seq) FROM servers)`, `VACUUM ANALYZE`} {
		if _, err := own.Exec(statement); err != nil {
			b.Fatal(err)
		}
	}
	size := func(when string) {
		var sizes string
		if err := own.QueryRow(`
			SELECT string_agg(relname || ' ' || pg_total_relation_size(oid) / 1000, ', '
				ORDER BY pg_total_relation_size(oid) DESC) || ', all '
				|| pg_database_size(current_database()) / 1000
			FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
				AND pg_total_relation_size(oid) > 200000`).Scan(&sizes); err != nil {
			b.Fatal(err)
		}
		b.Logf("kB %s, %d servers: %s", when, n, sizes)
	}
	size("before")
	for b.Loop() { // with -benchtime 1x: only the first round migrates
		openAll(b, url)
	}
	if _, err := own.Exec(`VACUUM ANALYZE`); err != nil {
		b.Fatal(err)
	}
	size("after")
}
