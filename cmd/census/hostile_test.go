package main

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcpcensus/crawler/github/fakegithub"
	"mcpcensus/crawler/read/readtest"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/race"
	"mcpcensus/internal/registry"
)

// readers returns the processes of this test that read, with the processor time that each has
// used, in ticks.
func readers(t *testing.T) map[int]int {
	t.Helper()
	all := map[int]int{}
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	for _, d := range dirs {
		pid, err := strconv.Atoi(d.Name())
		if err != nil {
			continue
		}
		command, _ := os.ReadFile("/proc/" + d.Name() + "/cmdline")
		stat, _ := os.ReadFile("/proc/" + d.Name() + "/stat")
		_, rest, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest) // from the third on
		if !strings.HasPrefix(string(command), "census-read\x00") || len(fields) < 13 ||
			fields[1] != strconv.Itoa(os.Getpid()) {
			continue
		}
		all[pid], _ = strconv.Atoi(fields[11])
	}
	return all
}

// TestHostileQueue serves a registry whose queue holds hostile repositories. Each ends as a
// result, also one whose reader is killed, and pages and probes answer meanwhile.
func TestHostileQueue(t *testing.T) {
	race.Skip(t) // readers would exceed their limits
	w := &environment{t: t, world: fakegithub.Empty(environmentTime)}
	server := httptest.NewServer(w.world)
	t.Cleanup(server.Close)
	w.url = server.URL
	w.useDatabase(pgtest.URL(t))
	add := []string{"add"}
	hostile := readtest.Hostile()
	for i, kind := range slices.Sorted(maps.Keys(hostile)) {
		name := fmt.Sprintf("hostile/tides%03d-mcp", i)
		fixture := "repo: " + name + "\ndescription: Tides\nstars: 3\ncreated: 400d\n" +
			"commits: {count: 5, last: 5d, people: 1}\n-- a.txt --\na\n"
		if err := w.world.Add(fixture); err != nil {
			t.Fatal(err)
		}
		if err := w.world.Push(name, hostile[kind]); err != nil {
			t.Fatal(err)
		}
		add = append(add, name)
	}
	s := w.serve("api,pages,worker")
	paths := []string{"/readyz", "/", "/api/discover?search=tides"}
	before := slowest(t, s.url, paths, 10)
	w.run(add...)
	crashes, slow := 0, time.Duration(0) // a kill between two readings causes no crash
	var last map[int]int
	within(t, 5*time.Minute, "all read", func() bool {
		slow = max(slow, slowest(t, s.url, paths, 1))
		st, now := w.status(), readers(t)
		crashes = crashed(st.Failing)
		for pid, ticks := range now {
			if before, known := last[pid]; known && ticks > before+5 && crashes == 0 { // it reads
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		last = now
		return st.Due == 0 && st.Leased == 0
	})
	t.Logf("slowest request: %v before, %v while hostile repositories were read", before, slow)
	if slow > 10*time.Second {
		t.Errorf("a request took %v", slow)
	}
	missing := 0
	for _, name := range add[1:] {
		owner, base, _ := strings.Cut(name, "/")
		ref := registry.RepoRef{Host: registry.GitHub, Owner: owner, Name: base}
		if len(pgtest.ServersOf(t, w.db, ref.Key(), 0)) == 0 {
			work := pgtest.WorkOf(t, w.db, ref.Key())
			t.Logf("not listed: %s, attempt %d", name, work.Attempt)
			missing++
		}
	}
	if crashes == 0 {
		t.Errorf("no reader was killed while it read; failing: %+v", w.status().Failing)
	}
	if missing != crashes {
		t.Errorf("%d repositories are not listed, and the readers of %d were killed", missing, crashes)
	}
}

// crashed returns how many repositories' readers were killed.
func crashed(failing []registry.Failure) (n int) {
	for _, f := range failing {
		if strings.Contains(f.Error, "could not be read (crash)") {
			n += f.Count
		}
	}
	return n
}

// slowest requests pages n times and returns the longest response time.
func slowest(t *testing.T, url string, paths []string, n int) (longest time.Duration) {
	t.Helper()
	for range n {
		for _, p := range paths {
			start := time.Now()
			resp, err := http.Get(url + p)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusTooManyRequests {
				t.Fatalf("%s: status %d", p, resp.StatusCode)
			}
			longest = max(longest, time.Since(start))
		}
	}
	return longest
}

func TestCheckFolder(t *testing.T) {
	w := &environment{t: t, environ: []string{"HOME=/nowhere", "CENSUS_DATA_DIR=" + t.TempDir()}}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"README.md": "# Tides\n\nAn MCP server for tides. Run `npx -y @harbour/tides-mcp`.\n",
		"package.json": `{"name":"@harbour/tides-mcp","version":"1.0.0","bin":"index.js",` +
			`"dependencies":{"@modelcontextprotocol/sdk":"^1.20.0"}}`,
		"index.js": "import {tools} from './tools.js';\n" +
			"import {McpServer} from '@modelcontextprotocol/sdk/server/mcp.js';\n" +
			"const server = new McpServer({name:'tides'});\ntools(server);\n",
		"tools.js": "export function tools(s) { s.tool('tides', 'Reads tides', {}, f) }\n",
	} {
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/passwd", dir+"/LICENSE"); err != nil {
		t.Fatal(err)
	}
	out, _, status := w.try("check", dir)
	if status != 0 { // also without a score, which needs the code host
		t.Errorf("status %d", status)
	}
	for _, want := range []string{"tides", "1 from source: tides", "npx", "unknown here"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if out, _, status := w.try("check", t.TempDir()); status != 3 {
		t.Errorf("status %d of an empty folder:\n%s", status, out)
	}
	if _, errs, status := w.try("check", dir+"/none"); status != 2 {
		t.Errorf("status %d without a folder: %s", status, errs)
	}
}
