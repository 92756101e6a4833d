package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/lib/pq" // the driver

	"mcpcensus/internal/generate"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/registry"
)

// BenchmarkServeReady measures a separate process: the time from the start of "census serve"
// on a database with CENSUS_BENCH_SERVERS servers to the first /readyz with status 200, and
// its memory.
func BenchmarkServeReady(b *testing.B) {
	n := 2000
	if s := os.Getenv("CENSUS_BENCH_SERVERS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			b.Fatal(err)
		}
	}
	url := pgtest.URL(b)
	store(b, url, n)
	exe := program(b)
	for b.Loop() {
		cmd := exec.Command(exe, "serve", "--roles", "api")
		cmd.Env = append(memoryVariables(), "HOME=/nowhere", "DATABASE_URL="+url,
			withKey, "CENSUS_ADDR=127.0.0.1:0", "CENSUS_METRICS_ADDR=off",
			"CENSUS_DATA_DIR="+b.TempDir(), "CENSUS_LOG_FORMAT=json")
		var log syncBuffer
		cmd.Stdout, cmd.Stderr = &log, &log
		start := time.Now()
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		base := addressIn(b, &log, "listening")
		for {
			if resp, err := http.Get(base + "/readyz"); err == nil {
				resp.Body.Close()
				if resp.StatusCode == http.StatusOK {
					break
				}
			}
			if time.Since(start) > 5*time.Minute || syscall.Kill(cmd.Process.Pid, 0) != nil ||
				strings.HasPrefix(log.String(), "census: ") {
				_ = cmd.Process.Kill()
				b.Fatalf("not ready:\n%s", &log)
			}
			time.Sleep(10 * time.Millisecond)
		}
		b.ReportMetric(time.Since(start).Seconds(), "s/ready")
		report := func(when string) {
			status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
			if err != nil {
				b.Logf("memory is not known: %v", err)
				return
			}
			for name, unit := range map[string]string{"VmRSS": "RSS-MB-", "VmHWM": "peak-MB-"} {
				if m := regexp.MustCompile(name + `:\s*(\d+) kB`).FindSubmatch(status); m != nil {
					kb, _ := strconv.ParseFloat(string(m[1]), 64)
					b.ReportMetric(kb/1000, unit+when)
				}
			}
		}
		report("when-ready")
		// after the name: 12th and 13th, in hundredths of a second
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid)); err == nil {
			fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
			user, _ := strconv.ParseFloat(fields[11], 64)
			system, _ := strconv.ParseFloat(fields[12], 64)
			b.ReportMetric((user+system)/100, "processor-s/ready")
		}
		// such as 3m, to see it with its index built
		if s := os.Getenv("CENSUS_BENCH_SETTLE"); s != "" {
			d, err := time.ParseDuration(s)
			if err != nil {
				b.Fatal(err)
			}
			time.Sleep(d)
			report("settled")
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			b.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			b.Fatalf("%v\n%s", err, &log)
		}
	}
}

// memoryVariables are those that set how the program uses memory.
func memoryVariables() (out []string) {
	for _, name := range []string{"GOGC", "GOMEMLIMIT", "GOMAXPROCS"} {
		if v, ok := os.LookupEnv(name); ok {
			out = append(out, name+"="+v)
		}
	}
	return out
}

// store fills a database with n servers, as the crawl would have, but all at
// once.
func store(b testing.TB, url string, n int) {
	b.Helper()
	db, err := sql.Open("postgres", url)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	now := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	copyIn := func(table string, columns []string, row func(i int) []any) {
		tx, err := db.BeginTx(b.Context(), nil)
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = tx.Rollback() }()
		in, err := tx.Prepare("COPY " + table + " (" + strings.Join(columns, ", ") + ") FROM STDIN")
		if err != nil {
			b.Fatal(err)
		}
		for i := range n {
			if _, err := in.Exec(row(i)...); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := in.Exec(); err != nil {
			b.Fatal(err)
		}
		if err := in.Close(); err != nil {
			b.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			b.Fatal(err)
		}
	}
	marshal := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			b.Fatal(err)
		}
		return string(text)
	}
	copyIn("repositories", []string{"host", "host_id", "owner", "name", "key", "snapshot", "state",
		"due_at", "turn_at", "fetched_at", "probed_at", "created_at"},
		func(i int) []any {
			name := "server-" + strconv.Itoa(i)
			later := now.AddDate(10, 0, 0)
			return []any{registry.GitHub, i + 1, "bench", name, "github:bench/" + name, "{}",
				"server", later, later, now, now, now}
		})
	var first int64
	if err := db.QueryRow(`SELECT min(id) FROM repositories`).Scan(&first); err != nil {
		b.Fatal(err)
	}
	copyIn("servers", []string{"repo_id", "subfolder", "slug", "seq", "record", "digest", "facts",
		"facts_digest", "facts_at", "readme", "registry_name", "verified",
		"score", "stars", "forks", "downloads", "listed", "listed_at", "written_at", "updated_at"},
		func(i int) []any {
			s := generate.Server(i, 1)
			s.Status = registry.StatusActive
			facts := registry.Facts{Repo: s.Repo,
				Detection: registry.Detection{IsServer: true, Packages: s.Packages, Tools: s.Tools,
					Description: s.Description}}
			return []any{first + int64(i), "", s.Slug, i + 1, marshal(s), []byte{1}, marshal(facts),
				[]byte{1}, now, s.Readme, s.RegistryName, s.Verified,
				s.Health.Score, s.Stars, s.Forks, s.Downloads, true, now, now, now}
		})
	for _, q := range []string{`UPDATE changes SET seq = ` + strconv.Itoa(n), `ANALYZE`} {
		if _, err := db.Exec(q); err != nil {
			b.Fatal(err)
		}
	}
}
