package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// runDemo runs a demo that is expected to end by itself.
func runDemo(
	ctx context.Context, dir string, environ ...string,
) (stderr string, status int, err error) {
	var out, errs bytes.Buffer
	environ = append([]string{"HOME=/nowhere", "CENSUS_METRICS_ADDR=off", "CENSUS_ADDR=127.0.0.1:0",
		"CENSUS_DATA_DIR=" + dir}, environ...)
	err = run(ctx, []string{"serve", "--demo"}, environ, &out, &errs)
	status = exitStatus(err, &errs)
	return errs.String(), status, err
}

func TestDemoIsSeparate(t *testing.T) {
	stderr, status, _ := runDemo(t.Context(), t.TempDir(),
		"DATABASE_URL=postgres://nobody@127.0.0.1:1/nothing")
	if status != 2 || !strings.Contains(stderr, "DATABASE_URL") {
		t.Errorf("with a DATABASE_URL it ended with %d: %s", status, stderr)
	}
}

func TestDemoAddressInUse(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	dir := t.TempDir()
	stderr, status, _ := runDemo(t.Context(), dir, "CENSUS_ADDR="+taken.Addr().String())
	if status != 1 || !strings.Contains(stderr, taken.Addr().String()) ||
		!strings.Contains(stderr, "CENSUS_ADDR") {
		t.Errorf("it ended with %d: %s", status, stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "demo", "postgres")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a database: %v", err)
	}
}

func TestDemoInterruptedDuringStart(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	stderr, status, err := runDemo(ctx, t.TempDir())
	if status != 130 || !errors.Is(err, context.Canceled) || strings.Contains(stderr, "cannot") {
		t.Errorf("it ended with %d, %v: %s", status, err, stderr)
	}
}

func TestDemoRepositoriesWithoutSource(t *testing.T) {
	w := newEnvironment(t)
	names := []string{"quietcorner/tides-mcp", "pierhead/ferry-times-mcp"}
	for _, name := range names {
		if _, _, ok := w.world.ID(name); !ok {
			t.Fatalf("there is no %s", name)
		}
		if _, named := w.world.Servers()[name]; named {
			t.Errorf("%s counts among what a crawl should find", name)
		}
	}
	for _, source := range []string{"official-registry", "github",
		"list:" + strings.TrimPrefix(w.url, "http://") + "/lists/mcp-servers.md"} {
		out := w.run("crawl", "--dry-run", "--source", source)
		if !strings.Contains(out, "octo-labs/weather-mcp") {
			t.Errorf("%s does not name what it should:\n%s", source, out)
		}
		for _, name := range names {
			if strings.Contains(out, name) {
				t.Errorf("%s names %s", source, name)
			}
		}
	}
	for _, name := range names {
		if !strings.Contains(w.run("check", name), "Health") {
			t.Errorf("%s has no report", name)
		}
	}
}

// demoMarks checks the marks of servers that were made for them, and that no server was
// scored before it was read.
func demoMarks(d *demo) {
	t := d.t
	for path, want := range map[string]string{
		"/servers/oakenledger-erp-mcp/tools":                 "heavy",
		"/servers/hollowreed-clipboard-mcp":                  "contains invisible characters",
		"/api/servers/driftnotes-notebook-mcp/tools/changes": `"withoutNewVersion":true`,
		"/servers/palelantern-alerts-mcp":                    "Unreachable (the DNS lookup fails)",
		"/servers/easyhouse-house-mcp":                       "looks like a copy of",
		"/servers/basaltbox-drive-mcp/versions":              "login.basalt-drive.alt",
		"/api/discover?search=drive-mcp&limit=1":             `"source":"run"`,
		"/servers/kestrel-soft-issue-desk-mcp.md":            "DESK_TOKEN was rejected",
	} {
		within(t, time.Minute, path+": "+want, func() bool {
			return strings.Contains(d.shell("curl -s 'http://"+documentedAddress+path+"'"), want)
		})
	}
	var list struct {
		Servers []struct {
			ID                      string
			LastCrawledAt, ScoredAt time.Time
		}
	}
	body := d.shell("curl -s 'http://" + documentedAddress + "/api/servers?limit=100'")
	if err := json.Unmarshal([]byte(body), &list); err != nil || len(list.Servers) == 0 {
		t.Fatal(err, body)
	}
	for _, s := range list.Servers {
		if s.ScoredAt.Before(s.LastCrawledAt) {
			t.Errorf("%s was scored %v, before it was read %v", s.ID, s.ScoredAt, s.LastCrawledAt)
		}
	}
}
