package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mcpcensus/internal/account"
)

// A neighbour is a census in a process of its own.
type neighbour struct {
	t    *testing.T
	url  string
	cmd  *exec.Cmd
	log  *os.File
	once sync.Once
}

// neighbour starts a census that answers the API, and waits until it is ready.
func (w *town) neighbour() *neighbour {
	w.t.Helper()
	addr := freeAddress(w.t)
	n := &neighbour{t: w.t, url: "http://" + addr,
		cmd: exec.Command(program(w.t), "serve", "--roles", "api")}
	n.cmd.Env = append(slices.Clone(w.environ), "CENSUS_ADDR="+addr, "CENSUS_DATA_DIR="+w.t.TempDir(),
		"CENSUS_TRUSTED_PROXIES=127.0.0.1")
	var err error
	if n.log, err = os.CreateTemp(w.t.TempDir(), "log"); err != nil {
		w.t.Fatal(err)
	}
	n.cmd.Stdout, n.cmd.Stderr = n.log, n.log
	if err := n.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { n.end(syscall.SIGKILL); n.log.Close() })
	within(w.t, 60*time.Second, "ready", func() bool {
		res, err := http.Get(n.url + "/readyz")
		if err != nil {
			return false
		}
		res.Body.Close()
		return res.StatusCode == http.StatusOK
	})
	return n
}

// end sends a signal and waits until the process is gone.
func (n *neighbour) end(how os.Signal) {
	n.once.Do(func() {
		if err := n.cmd.Process.Signal(how); err != nil {
			n.t.Error(err)
		}
		err := n.cmd.Wait()
		if how == syscall.SIGTERM && err != nil {
			text, _ := os.ReadFile(n.log.Name())
			n.t.Errorf("ended with %v:\n%.4000s", err, text)
		}
	})
}

// rush sends requests with one header at the same time, so many to each
// neighbour, and returns how many answers there were of each status, and the
// ends of the windows that they name.
func rush(
	t *testing.T, path, header, value string, each map[*neighbour]int,
) (statuses map[int]int, resets []string) {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	statuses = map[int]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for n, requests := range each {
		for range requests {
			wg.Go(func() {
				req, err := http.NewRequest("GET", n.url+path, nil)
				if err != nil {
					t.Error(err)
					return
				}
				req.Header.Set(header, value)
				<-begin
				res, err := transport.RoundTrip(req)
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, res.Body)
				res.Body.Close()
				mu.Lock()
				defer mu.Unlock()
				statuses[res.StatusCode]++
				if r := res.Header.Get("X-RateLimit-Reset"); !slices.Contains(resets, r) {
					resets = append(resets, r)
				}
			})
		}
	}
	close(begin)
	wg.Wait()
	return statuses, resets
}

// Three processes, 500 simultaneous requests of a client who has 100 left.
func TestLimitOverProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: kills processes, which -short leaves out")
	}
	w := newCrawledTown(t)
	a, b, c := w.neighbour(), w.neighbour(), w.neighbour()
	anonymous := func(client string, each map[*neighbour]int) (map[int]int, []string) {
		return rush(t, "/api/categories", "X-Forwarded-For", client, each)
	}
	tries := 0
	exactly := func(passed int, each map[*neighbour]int) (client string) {
		t.Helper()
		for {
			tries++
			client = fmt.Sprintf("198.51.100.%d", tries)
			got, resets := anonymous(client, each)
			if len(resets) > 1 {
				continue // the hour ended meanwhile, and with it the count
			}
			total := 0
			for _, n := range each {
				total += n
			}
			if got[200] != passed || got[429] != total-passed {
				t.Errorf("%v: answers by status: %v, want %d of 200 and all others 429", client,
					got, passed)
			}
			return client
		}
	}
	exactly(100, map[*neighbour]int{a: 350, b: 100, c: 50})
	exactly(100, map[*neighbour]int{a: 0, b: 20, c: 480})
	exactly(90, map[*neighbour]int{a: 30, b: 30, c: 30})

	if _, _, err := w.db.SignUp(t.Context(),
		account.Login{Account: account.Account{Email: "ann@example.com"}}, "ann@example.com", nil,
		time.Now()); err != nil {
		t.Fatal(err)
	}
	bearer := "Bearer " + strings.TrimSpace(w.run("key", "make", "ann@example.com", "--name", "ci"))
	within(t, 10*time.Second, "known in every process", func() bool {
		known := 0
		for _, n := range []*neighbour{a, b, c} {
			res, _ := rush(t, "/api/categories", "Authorization", bearer, map[*neighbour]int{n: 1})
			known += res[200]
		}
		return known == 3
	})
	if got, resets := rush(t, "/v1/plans", "Authorization", bearer,
		map[*neighbour]int{a: 40, b: 430, c: 30}); (got[200] != 100 || got[429] != 400) &&
		len(resets) == 1 {
		t.Errorf("with a Basic key: %v, want 100 of 200 and 400 of 429", got)
	}

	// What was counted outlives the processes: in order at once, killed at the
	// cost of what they had not used.
	client := exactly(60, map[*neighbour]int{a: 30, b: 20, c: 10})
	a.end(syscall.SIGTERM)
	c.end(syscall.SIGTERM)
	d := w.neighbour()
	if got, resets := anonymous(client, map[*neighbour]int{b: 10, d: 90}); got[200] != 40 &&
		len(resets) == 1 {
		t.Errorf("after orderly restarts: %v, want 40 of 200", got)
	}
	client = exactly(60, map[*neighbour]int{b: 30, d: 30})
	b.end(syscall.SIGKILL)
	if got, resets := anonymous(client, map[*neighbour]int{d: 100}); got[200] > 40 &&
		len(resets) == 1 || got[200]+got[429] != 100 {
		t.Errorf("after a kill: %v, want at most 40 of 200", got)
	} else {
		t.Logf("after a kill: %d of the 40 that were left passed", got[200])
	}
}
