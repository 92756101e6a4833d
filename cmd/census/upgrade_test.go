package main

import (
	"bytes"
	"database/sql"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcpcensus/internal/pgtest"
)

// previous builds the program of before the last change of the schema, once.
func previous(t *testing.T) (exe string) {
	t.Helper()
	git := func(args ...string) []byte {
		out, err := exec.Command("git", args...).Output()
		if err != nil {
			t.Skipf("SKIPPED: the program of before the last migration needs the history of git: %v", err)
		}
		return out
	}
	all, err := filepath.Glob("../../internal/postgres/migrations/*.sql") // sorted
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	commit := strings.TrimSpace(string(git("log", "-1", "--diff-filter=A", "--format=%H^", "--",
		all[len(all)-1])))
	commit = strings.TrimSpace(string(git("rev-parse", "--verify", commit)))
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skipf("SKIPPED: no folder for a program: %v", err)
	}
	exe = filepath.Join(cache, "census-previous", commit)
	if _, err := os.Stat(exe); err == nil {
		return exe
	}
	dir := t.TempDir()
	unpack := exec.Command("tar", "-x", "-C", dir)
	unpack.Stdin = bytes.NewReader(git("-C", "../..", "archive", commit))
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", exe+".new", "./cmd/census")
	build.Dir, build.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
	for _, step := range []*exec.Cmd{unpack, build} {
		if out, err := step.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", step, err, out)
		}
	}
	if err := os.Rename(exe+".new", exe); err != nil {
		t.Fatal(err)
	}
	return exe
}

// TestUpgrade migrates the database of a process of the previous schema, which goes on to answer
// and stops working.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("SKIPPED: builds and starts a process, which -short leaves out")
	}
	exe, url := previous(t), pgtest.Empty(t)
	w := newEmptyEnvironment(t)
	old := &instance{t: t, cmd: exec.Command(exe, "serve"), log: new(syncBuffer)}
	keyless := slices.DeleteFunc(upstreamsAt(w.url), func(v string) bool { return v == withKey })
	old.cmd.Env = append(keyless, "DATABASE_URL="+url, "CENSUS_DATA_DIR="+t.TempDir(),
		"CENSUS_LISTS="+w.url+"/lists/mcp-servers.md", "CENSUS_ADDR=127.0.0.1:0")
	old.cmd.Stdout, old.cmd.Stderr = old.log, old.log
	if err := old.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { old.end(syscall.SIGKILL) })
	old.url = addressIn(t, old.log, "listening")
	status := func(path string) int {
		res, err := http.Get(old.url + path)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res.StatusCode
	}
	within(t, time.Minute, "listed", func() bool { return status("/servers/octo-labs-weather-mcp") == http.StatusOK })
	w.useDatabase(url)
	db, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	attempts := func() (n int) {
		if err := db.QueryRow(`SELECT sum(attempt) FROM repositories`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := attempts()
	pgtest.Exec(t, w.db, `UPDATE repositories SET due_at = now(), turn_at = now() WHERE due_at IS NOT NULL`)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%.4000s", old.log)
		}
	})
	within(t, 30*time.Second, "told", func() bool {
		return strings.Contains(old.log.String(), "the database was migrated by a newer census")
	})
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		for _, path := range []string{"/", "/servers", "/servers/octo-labs-weather-mcp", "/api/servers", "/v0.1/servers",
			"/api/discover?search=weather", "/readyz"} {
			if got := status(path); got != http.StatusOK {
				t.Errorf("%s: %d", path, got)
			}
		}
	}
	if s, n := w.status(), attempts(); s.Due == 0 || s.Leased > 0 || n > before {
		t.Errorf("the old process works: %d due, %d leased, %d attempts after %d", s.Due, s.Leased, n, before)
	}
}
