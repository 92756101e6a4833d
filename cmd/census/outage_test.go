package main

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/lib/pq"

	"mcpcensus/api/mcp"
	"mcpcensus/internal/pgembed"
	"mcpcensus/internal/postgres"
)

// TestDatabaseAway closes the database to a process, as a failover does: connections end and new
// ones are refused. All that is in memory is served, to clients it knows and to others.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("SKIPPED: starts a process, which -short leaves out")
	}
	w := newCrawledEnvironment(t)
	n := w.startInstance()
	at, err := url.Parse(w.db.URL())
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(at.Path, "/")
	at.Path = "/postgres"
	admin, err := sql.Open("postgres", at.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { admin.Close() })
	accept := func(connections bool) {
		t.Helper()
		if _, err := admin.ExecContext(t.Context(), fmt.Sprintf(`ALTER DATABASE %s ALLOW_CONNECTIONS %t`,
			pq.QuoteIdentifier(name), connections)); err != nil {
			t.Fatal(err)
		}
		if _, err := admin.ExecContext(t.Context(),
			`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1`, name); err != nil {
			t.Fatal(err)
		}
	}
	served := func(client string) {
		t.Helper()
		for _, path := range []string{"/", "/servers", "/api/servers", "/api/discover?search=weather",
			"/v0.1/servers", mcp.Path, "/readyz", "/healthz"} {
			if got, _ := rush(t, path, "X-Forwarded-For", client, map[*instance]int{n: 1}); got[200] != 1 {
				t.Errorf("%s of %s: responses by status: %v", path, client, got)
			}
		}
	}
	ready := func() string {
		res, err := http.Get(n.url + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	served("198.51.100.1")
	accept(false)
	for range 2 {
		served("198.51.100.1")
		served("198.51.100.2")
	}
	within(t, 20*time.Second, "degraded", func() bool {
		return strings.Contains(ready(), "database: degraded: object not in prerequisite state; ") &&
			strings.Contains(ready(), "counting: degraded")
	})
	accept(true)
	within(t, 30*time.Second, "as before", func() bool { return !strings.Contains(ready(), "degraded") })
	served("198.51.100.2")
}

// TestDatabaseStopped stops and starts the PostgreSQL of a process with all roles, which says so in
// one line each.
func TestDatabaseStopped(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("SKIPPED: starts processes, which -short leaves out")
	}
	server, err := pgembed.Start(t.Context(), pgembed.Options{DataDir: t.TempDir(), Restart: true,
		Settings: map[string]string{"fsync": "off"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Stop(context.Background()) })
	w := newEmptyEnvironment(t)
	w.useDatabase(server.URL())
	n := w.startRoles("all")
	within(t, time.Minute, "filled", func() bool { s := w.status(); return s.Servers > 0 && s.Due == 0 })
	start := stopDatabase(t, server.SuperuserURL())
	stopped := len(n.log.String())
	for range 40 { // for ten seconds
		rush(t, "/api/servers", "X-Forwarded-For", "198.51.100.1", map[*instance]int{n: 1})
		time.Sleep(250 * time.Millisecond)
	}
	start()
	within(t, time.Minute, "back", func() bool { return strings.Contains(n.log.String(), "the database is back") })
	var got []string
	for line := range strings.Lines(n.log.String()[stopped:]) {
		var e struct{ Level, Msg, After string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if e.Level != "INFO" || e.After != "" {
			got = append(got, e.Level+" "+e.Msg)
		}
	}
	if len(got) != 2 || got[0] != "ERROR the database is away: what is in memory is served, other work waits" ||
		got[1] != "INFO the database is back" {
		t.Errorf("%s\n%s", strings.Join(got, "\n"), n.log.String()[stopped:])
	}
}

// stopDatabase stops a server, which cannot start before start is called.
func stopDatabase(t *testing.T, superuser string) (start func()) {
	t.Helper()
	db, err := sql.Open("postgres", superuser)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var config, data string
	if err := db.QueryRow(`SELECT current_setting('config_file'), current_setting('data_directory')`).Scan(
		&config, &data); err != nil {
		t.Fatal(err)
	}
	running, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.Fields(string(running))[0])
	if err == nil {
		err = os.Rename(config, config+".away")
	}
	if err == nil {
		err = syscall.Kill(pid, syscall.SIGINT)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Rename(config+".away", config); err != nil {
			t.Fatal(err)
		}
	}
}

func TestStoreLog(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := &storeLog{Handler: slog.NewTextHandler(&out, nil)}
	log := slog.New(l)
	refused := errors.New("connection refused")
	stopping := &pq.Error{Code: "57P01"}
	log.Error("a host", "err", &net.OpError{Op: "dial", Err: refused})
	log.Info("works again", "after", fmt.Errorf("late: %w", stopping))
	log.Error("catalog", "err", fmt.Errorf("changes: %w", stopping))
	log.Error("jobs", "err", fmt.Errorf("lock: %w", driver.ErrBadConn))
	log.Error("other", "err", refused)
	l.watch(t.Context(), func(context.Context) error { return refused })
	l.last = time.Now().Add(-backAfter)
	l.since = l.last.Add(-time.Minute)
	l.watch(t.Context(), func(context.Context) error { return nil })
	log.Info("works again", "after", stopping)
	log.Error("again", "err", stopping)
	log.Error("jobs", "err", postgres.ErrNewer)
	log.Error("webhooks", "err", fmt.Errorf("dispatch: %w", postgres.ErrNewer))
	var got []string
	for line := range strings.Lines(out.String()) {
		_, rest, _ := strings.Cut(line, "level=")
		rest, _, _ = strings.Cut(rest, " err=")
		got = append(got, rest)
	}
	want := []string{`ERROR msg="a host"`, `ERROR msg="the database is away: what is in memory is served, other work waits"`,
		`ERROR msg=other`, `INFO msg="the database is back" after=1m0s` + "\n"}
	want = append(want, want[1],
		`ERROR msg="this process only serves what it has: restart it with the newer census"`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
