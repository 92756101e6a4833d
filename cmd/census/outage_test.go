package main

import (
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/lib/pq"

	"mcpcensus/api/mcp"
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
