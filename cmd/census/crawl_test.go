package main

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/github/fakegithub"
	"mcpcensus/crawler/read"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/registry"
)

// TestKilledCrawl kills crawls at random moments, CENSUS_TEST_KILLS times, and compares the
// final state with that of an undisturbed crawl.
func TestKilledCrawl(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("SKIPPED: kills processes, which -short leaves out")
	}
	kills := 3
	if s := os.Getenv("CENSUS_TEST_KILLS"); s != "" {
		var err error
		if kills, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	w := newEnvironment(t)
	for _, resource := range []string{"core", "graphql", "search"} {
		w.world.SetLimit(resource, 1_000_000)
	}
	w.world.Fail(fakegithub.Fault{Delay: 15 * time.Millisecond}) // only slow
	program(t)                                                   // so that building is not measured
	start := time.Now()
	w.undisturbed()
	whole := time.Since(start)
	want := w.result()
	if len(want) < 40 {
		t.Fatalf("the undisturbed crawl found only %d servers", len(want))
	}

	for round := 1; kills > 0; round++ {
		w.useDatabase(pgtest.URL(t))
		killed := 0
		// A repository during whose reading the process died [read.MaxStrikes] times is left out.
		for kills > 0 && killed < read.MaxStrikes-1 && w.killed(rand.N(whole*2/3)) {
			kills--
			killed++
		}
		start := time.Now()
		w.undisturbed()
		if d := cmp.Diff(want, w.result()); d != "" {
			t.Fatalf("round %d, killed %d times (-undisturbed +killed):\n%.8000s", round, killed, d)
		}
		if s := w.status(); s.Leased != 0 || s.Due != 0 || s.PackagesDue != 0 ||
			s.DownloadsDue != 0 {
			t.Errorf("round %d left work: %d leased, %d due, %d packages, %d downloads", round,
				s.Leased, s.Due, s.PackagesDue, s.DownloadsDue)
		}
		took := time.Since(start)
		t.Logf("round %d: killed %d times, then %s to the end; an undisturbed crawl takes %s",
			round, killed, took.Round(time.Millisecond), whole.Round(time.Millisecond))
	}
}

// undisturbed crawls to the end in a separate process.
func (w *environment) undisturbed() {
	w.t.Helper()
	cmd := exec.Command(program(w.t), "crawl")
	cmd.Env = w.environ
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("a crawl ended with %v:\n%.4000s", err, out)
	}
}

// killed starts a crawl in a separate process and kills it after a time. It reports false if
// the crawl had ended before.
func (w *environment) killed(after time.Duration) bool {
	w.t.Helper()
	cmd := exec.Command(program(w.t), "crawl")
	cmd.Env = w.environ
	log, err := os.CreateTemp(w.t.TempDir(), "log")
	if err != nil {
		w.t.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	w.world.ClearRequests()
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	within(w.t, 30*time.Second, "asking the first question",
		func() bool { return len(w.world.Requests()) > 0 || len(ended) > 0 })
	select {
	case err := <-ended:
		if err != nil {
			text, _ := os.ReadFile(log.Name())
			w.t.Fatalf("a crawl ended with %v:\n%.4000s", err, text)
		}
		return false
	case <-time.After(after):
	}
	if err := cmd.Process.Kill(); err != nil {
		w.t.Fatal(err)
	}
	<-ended
	return true
}

// result returns all stored data of each server by slug, without data that depends on times
// and order.
func (w *environment) result() map[string]any {
	w.t.Helper()
	out := map[string]any{}
	servers := map[string]registry.Server{}
	for seq := int64(0); ; {
		some, _, last, err := w.db.RecordsAfter(w.t.Context(), seq, 1000)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, s := range some {
			servers[s.Slug] = s
		}
		if last == seq {
			break
		}
		seq = last
	}
	err := w.db.EachFacts(w.t.Context(), func(s registry.Scored) error {
		text, err := json.Marshal(map[string]any{"facts": s.Facts,
			"server": servers[s.Server.Slug]})
		if err != nil {
			return err
		}
		var v any
		if err := json.Unmarshal(text, &v); err != nil {
			return err
		}
		out[s.Server.Slug] = timeless(v)
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// timeless removes times of observation and numbers of the database.
func timeless(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, member := range v {
			switch l := strings.ToLower(k); {
			case strings.Contains(l, "observed"), l == "id" &&
				v["slug"] != nil, l == "seq", l == "listedat", l == "updatedat" && v["slug"] != nil,
				l == "scoredat", l == "computedat", l == "lastcrawledat",
				l == "firstseenat", l == "lastseenat", l == "countedat",
				l == "missingsince", l == "toolsat", l == "downloadsat", l == "versionat",
				l == "statusat", l == "readat",
				l == "at" && v["reader"] != nil: // when an archive was read
				delete(v, k)
			default:
				v[k] = timeless(member)
			}
		}
	case []any:
		for i := range v {
			v[i] = timeless(v[i])
		}
	}
	return v
}
