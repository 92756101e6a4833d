package jobs_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mcpcensus/crawler"
	"mcpcensus/crawler/git"
	"mcpcensus/crawler/read"
	"mcpcensus/crawler/read/readtest"
	"mcpcensus/crawler/transport"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
)

// slow are files that take some seconds to read, and quiet the same files with hardly any content.
var slow, quiet = slowFiles()

func slowFiles() (slow, quiet map[string]string) {
	slow = map[string]string{"index.js": readtest.Hostile()["functions: each other"]["index.js"]}
	quiet = map[string]string{"index.js": "// nothing"}
	for i := range 12 {
		manifest, readme := fmt.Sprintf("p%d/package.json", i), fmt.Sprintf("p%d/README.md", i)
		slow[manifest], quiet[manifest] = `{"name": "a"}`, `{"name": "a"}`
		slow[readme], quiet[readme] = "# Trains\n"+strings.Repeat("a/", 120_000), "# Trains\n"
	}
	return slow, quiet
}

// withReader returns a fixture with two repositories, of which reading rail/slow-mcp takes too
// much processor time, and a counter of such readings.
func withReader(t *testing.T) (h *fixture, failed *atomic.Int32) {
	h = newFixture(t, aServer("rail/trains-mcp"), aServer("rail/slow-mcp"))
	h.must(h.world.Push("rail/slow-mcp", slow))
	failed = new(atomic.Int32)
	h.reader = read.NewPool(read.Options{Children: 1, CPU: time.Second,
		Failed: func(string) { failed.Add(1) }})
	t.Cleanup(h.reader.Close)
	h.github = h.newGitHub(nil)
	h.enqueue("rail/slow-mcp", "rail/trains-mcp")
	return h, failed
}

// TestUnreadable visits a repository whose files cannot be read until it is blocked, and again
// after they have changed.
func TestUnreadable(t *testing.T) {
	h, failed := withReader(t)
	for attempt := range int32(3) {
		h.refresh()
		if n := failed.Load(); n != attempt+1 {
			t.Fatalf("read %d times after %d visits", n, attempt+1)
		}
		if w := h.work("rail/slow-mcp"); w.Attempt != int(attempt)+1 || w.Stored != nil {
			t.Errorf("attempt %d, stored %v", w.Attempt, w.Stored != nil)
		}
		h.later(25 * time.Hour)
	}
	h.server("rail/trains-mcp")
	failing := h.status().Failing
	if len(failing) != 1 || !strings.Contains(failing[0].Error, "could not be read (processor time)") {
		t.Errorf("failing: %+v", failing)
	}
	h.refresh()
	if n := failed.Load(); n != 3 {
		t.Errorf("read %d times after three strikes", n)
	}
	h.must(h.world.Push("rail/slow-mcp", quiet))
	h.later(8 * 24 * time.Hour)
	h.refresh()
	h.server("rail/slow-mcp")
	if n := failed.Load(); n != 3 {
		t.Errorf("read %d times", n)
	}
}

// TestUnreadableKeeps checks that a listed repository stays as it is when its files can no longer
// be read.
func TestUnreadableKeeps(t *testing.T) {
	h, _ := withReader(t)
	h.must(h.world.Push("rail/slow-mcp", quiet))
	h.refresh()
	before := h.server("rail/slow-mcp")
	h.must(h.world.Push("rail/slow-mcp", slow))
	h.later(40 * 24 * time.Hour)
	h.refresh()
	after := h.server("rail/slow-mcp")
	if d := cmp.Diff(before, after, cmpopts.IgnoreFields(registry.Server{}, "UpdatedAt", "Seq",
		"Health", "Popularity")); d != "" {
		t.Error(d)
	}
}

// TestStrikesOfDeadProcesses checks that a repository is not read during whose reading three
// processes died, until the rules change.
func TestStrikesOfDeadProcesses(t *testing.T) {
	h, _ := withReader(t)
	h.refresh()
	w := h.work("rail/trains-mcp")
	again := func() {
		pgtest.Exec(t, h.db, `UPDATE repositories SET forced = true, due_at = $1, turn_at = $1
			WHERE id = $2`, h.clock.Now(), w.ID)
		h.refresh()
	}
	before := h.server("rail/trains-mcp")
	what, of := crawler.Reading(&before.Repo)
	pgtest.Exec(t, h.db, `INSERT INTO readings VALUES ($1, $2, 3)`, what, of)
	again()
	if now := h.work("rail/trains-mcp"); now.Attempt != 1 {
		t.Errorf("it was read: attempt %d", now.Attempt)
	}
	h.server("rail/trains-mcp") // as before
	_, err := h.checker().Check(t.Context(), ref("rail/trains-mcp"))
	if e, ok := errors.AsType[*registry.Error](err); !ok || e.Code != "not_readable" {
		t.Errorf("a check of it: %v", err)
	}
	pgtest.Exec(t, h.db, `UPDATE readings SET of = 'other rules' WHERE what = $1`, what)
	again()
	if now := h.work("rail/trains-mcp"); now.Attempt != 0 {
		t.Errorf("it was not read: attempt %d", now.Attempt)
	}
}

// TestStrikeBeforeImports checks that a strike is stored before the imports of sources are read,
// and that it remains if they cannot be read, for visits and for checks.
func TestStrikeBeforeImports(t *testing.T) {
	for name, visit := range map[string]func(h *fixture){
		"visit": func(h *fixture) { h.refresh() },
		"check": func(h *fixture) {
			_, err := h.checker().Check(h.t.Context(), ref("rail/slow-mcp"))
			if e, ok := errors.AsType[*registry.Error](err); !ok || e.Code != "not_readable" {
				h.t.Errorf("got %v", err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t, aServer("rail/slow-mcp"))
			var during int
			h.github.Contents.Imports = func(
				context.Context, map[string]string, []string,
			) ([]string, error) {
				during = h.struck()
				return nil, &read.Failure{Reason: read.Crash}
			}
			h.enqueue("rail/slow-mcp")
			visit(h)
			if after := h.struck(); during != 1 || after != 1 {
				t.Errorf("%d and %d strikes", during, after)
			}
		})
	}
}

// struck returns the number of stored strikes.
func (h *fixture) struck() (n int) {
	conn, err := sql.Open("postgres", h.db.URL())
	h.must(err)
	defer conn.Close()
	h.must(conn.QueryRow(`SELECT coalesce(sum(strikes), 0) FROM readings`).Scan(&n))
	return n
}

// endless is a source file whose reading a limit of steps ends. It registers a tool before.
var endless = "from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('a')\n" +
	"@mcp.tool()\ndef departures() -> str:\n    'Reads departures'\n" +
	"L = [" + strings.Repeat("1,", 1900) + "]\nfor a in L:\n for b in L:\n" +
	"  for c in L:\n   if c == 2:\n    mcp.add_tool(departures)\n"

// TestEnded visits a repository whose reading a limit of steps ends: it is reported, read again
// until it has three strikes, and never loses the tools of the same commit.
func TestEnded(t *testing.T) {
	h := newFixture(t, aServer("rail/slow-mcp"))
	h.must(h.world.Push("rail/slow-mcp", map[string]string{"server.py": endless, "requirements.txt": "mcp\n"}))
	reasons := map[string]int{}
	var mu sync.Mutex
	h.reader = read.NewPool(read.Options{Children: 1, Failed: func(reason string) {
		mu.Lock()
		defer mu.Unlock()
		reasons[reason]++
	}})
	t.Cleanup(h.reader.Close)
	h.github = h.newGitHub(nil)
	h.enqueue("rail/slow-mcp")
	known := 0
	for visit := 1; visit <= 5; visit++ {
		h.refresh()
		s := h.server("rail/slow-mcp")
		if len(s.Tools) == 0 || !s.ToolsPartial {
			t.Fatalf("visit %d: %d tools, partial %v", visit, len(s.Tools), s.ToolsPartial)
		}
		failing := h.status().Failing
		if visit <= read.MaxStrikes && (len(failing) != 1 ||
			!strings.Contains(failing[0].Error, "Not all of the repository's files")) {
			t.Errorf("visit %d: failing %+v", visit, failing)
		}
		if visit == 1 { // as if earlier rules had found more
			w := h.work("rail/slow-mcp")
			scored, err := h.db.ScoredOfRepo(t.Context(), w.ID)
			h.must(err)
			d := &scored[0].Facts.Detection
			d.Tools = append(d.Tools, registry.Tool{Name: "arrivals"}, registry.Tool{Name: "delays"})
			known = len(d.Tools)
			_, err = h.db.SaveScores(t.Context(), scored, h.clock.Now())
			h.must(err)
		} else if len(s.Tools) != known {
			t.Errorf("visit %d: %d tools instead of %d", visit, len(s.Tools), known)
		}
		h.later(25 * time.Hour)
	}
	if d := cmp.Diff(map[string]int{read.Steps: read.MaxStrikes}, reasons); d != "" {
		t.Errorf("failed readings: %s", d)
	}
	h.must(h.world.Push("rail/slow-mcp", map[string]string{"server.py": "# nothing"}))
	h.later(40 * 24 * time.Hour)
	h.refresh()
	if s := h.server("rail/slow-mcp"); len(s.Tools) >= known || len(h.status().Failing) > 0 {
		t.Errorf("%d tools of another commit", len(s.Tools))
	}
}

// TestUnsentFiles visits a repository of which the host sends a part: it is reported and read again,
// and what is stored of all its files stays.
func TestUnsentFiles(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	whole := h.github.Contents.Git
	part, err := git.New(registry.HostOf(registry.GitHub), git.Options{BaseURL: h.url + "/git/",
		Limits: git.Limits{Blobs: 1, Requests: 1}, Transport: transport.Options{Now: h.clock.Now}})
	h.must(err)
	visit := func(files *git.Client, wantError string) {
		t.Helper()
		h.github.Contents.Git = files
		h.later(time.Hour)
		h.refresh()
		var got string
		for _, f := range h.status().Failing {
			got += f.Error
		}
		if wantError == "" && got != "" || !strings.Contains(got, wantError) {
			t.Errorf("failing: %q, want %q", got, wantError)
		}
	}
	visit(part, "(files not fetched)")
	visit(whole, "")
	want := h.server("rail/trains-mcp")
	pgtest.Exec(t, h.db, `UPDATE repositories SET forced = true, due_at = $1, turn_at = $1`,
		h.clock.Now())
	visit(part, "files are missing")
	if got := h.server("rail/trains-mcp"); len(want.Tools) == 0 || len(got.Tools) != len(want.Tools) {
		t.Errorf("%d tools, want %d", len(got.Tools), len(want.Tools))
	}
}

// TestCheckDeadline checks a repository whose files are not read in time.
func TestCheckDeadline(t *testing.T) {
	h, _ := withReader(t)
	c := h.checker()
	c.Ingester.Reader = read.NewPool(read.Options{Children: 1})
	t.Cleanup(c.Ingester.Reader.Close)
	err := context.DeadlineExceeded
	// A deadline that ends before the files were fetched says nothing about the reader.
	for wait := time.Second / 2; errors.Is(err, context.DeadlineExceeded); wait += wait / 2 {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		_, err = jobs.CheckOnce(ctx, &c.Ingester, nil, ref("rail/slow-mcp"))
		cancel()
		if err != nil && strings.Contains(err.Error(), "could not be read (time)") {
			if n := h.struck(); n != 1 || !errors.Is(err, read.ErrLate) {
				t.Errorf("%d strikes, %v", n, err)
			}
			return
		}
	}
	t.Errorf("got %v", err)
}

func TestCheckOfUnreadable(t *testing.T) {
	h, failed := withReader(t)
	c := h.checker()
	for range 2 {
		_, err := c.Check(t.Context(), ref("rail/slow-mcp"))
		e, ok := errors.AsType[*registry.Error](err)
		if !ok || !strings.Contains(e.Msg, "could not be read") || e.Code != "not_readable" ||
			e.RetryAfter < time.Minute {
			t.Errorf("got %v", err)
		}
	}
	if n := failed.Load(); n != 1 {
		t.Errorf("read %d times", n)
	}
	h.check(c, "rail/trains-mcp")
}
