package jobs_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/read"
	"mcpcensus/internal/registry"
)

// TestSlowedCrawl checks that two crawls of the same repositories give the same facts, the second
// with one reader that hardly gets processor time.
func TestSlowedCrawl(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: needs /proc")
	}
	crawl := func(h *fixture) map[string][]registry.Scored {
		h.must(h.world.Add(aServer("rail/slow-mcp")))
		h.must(h.world.Push("rail/slow-mcp", map[string]string{"server.py": endless, "requirements.txt": "mcp\n"}))
		h.github = h.newGitHub(nil)
		h.enqueue(h.world.Names()...)
		h.refresh()
		return h.facts()
	}
	want := crawl(newCrawledFixture(t))
	slowed := newFixture(t)
	slowed.reader = read.NewPool(read.Options{Children: 1})
	t.Cleanup(slowed.reader.Close)
	stop := slowReaders()
	got := crawl(slowed)
	stop()
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if len(got) < 20 {
		t.Errorf("facts of only %d repositories", len(got))
	}
}

// facts returns the stored facts of all repositories by key, without what depends on the order of
// visits.
func (h *fixture) facts() map[string][]registry.Scored {
	conn, err := sql.Open("postgres", h.db.URL())
	h.must(err)
	defer conn.Close()
	rows, err := conn.Query(`SELECT id, key || ' ' || state || ' ' || reason FROM repositories`)
	h.must(err)
	defer rows.Close()
	all := map[string][]registry.Scored{}
	for rows.Next() {
		var id int64
		var key string
		h.must(rows.Scan(&id, &key))
		scored, err := h.db.ScoredOfRepo(h.t.Context(), id)
		h.must(err)
		for i := range scored {
			scored[i].Server.ID, scored[i].Server.Seq = 0, 0
		}
		all[key] = scored
	}
	h.must(rows.Err())
	return all
}

// slowReaders stops the children of this process that read for most of the time, until stop is
// called.
func slowReaders() (stop func()) {
	ended, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			children, _ := filepath.Glob("/proc/self/task/*/children")
			var pids []int
			for _, c := range children {
				text, _ := os.ReadFile(c)
				for _, field := range strings.Fields(string(text)) {
					pid, _ := strconv.Atoi(field)
					command, _ := os.ReadFile("/proc/" + field + "/cmdline")
					if pid > 0 && strings.HasPrefix(string(command), "census-read\x00") {
						pids = append(pids, pid)
					}
				}
			}
			for _, pid := range pids {
				_ = syscall.Kill(pid, syscall.SIGSTOP)
			}
			time.Sleep(60 * time.Millisecond)
			for _, pid := range pids {
				_ = syscall.Kill(pid, syscall.SIGCONT)
			}
			select {
			case <-ended:
				return
			case <-time.After(15 * time.Millisecond):
			}
		}
	}()
	return func() { close(ended); <-done }
}
