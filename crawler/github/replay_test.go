package github

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

// A replay is a running server that replays recorded repositories.
type replay struct {
	url   string
	repos int
	t     *testing.T
}

var installed struct {
	once sync.Once
	dir  string
	err  error
}

// shared returns the folder with the recorded repositories, or skips.
func shared(t *testing.T) string {
	dirs := []string{os.Getenv("CENSUS_SHARED"), "../../../shared"}
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, "internet-replay", "server.mjs")); err == nil {
			abs, err := filepath.Abs(dir)
			if err != nil {
				t.Fatal(err)
			}
			return abs
		}
	}
	t.Skip("SKIPPED: no internet-replay; set CENSUS_SHARED to the folder that contains " +
		"internet-replay and corpus")
	return ""
}

// startReplay starts the server with the given options.
func startReplay(t *testing.T, args ...string) *replay {
	t.Helper()
	if testing.Short() {
		t.Skip("SKIPPED: internet-replay is not started with -short")
	}
	dir := shared(t)
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("SKIPPED: internet-replay needs %s, which is not installed", program)
		}
	}
	installed.once.Do(func() {
		installed.dir,
			installed.err = install(filepath.Join(dir, "internet-replay"))
	})
	if installed.err != nil {
		t.Skipf("SKIPPED: internet-replay could not be installed: %v", installed.err)
	}
	cmd := exec.Command("node",
		append([]string{"server.mjs", "--corpus", filepath.Join(dir, "corpus"), "--port", "0",
			"--placeholders", "1"},
			args...)...)
	cmd.Dir = installed.dir
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatalf("internet-replay did not start: %v", err)
	}
	var ready struct {
		URL   string
		Repos int
	}
	if err := json.Unmarshal(line, &ready); err != nil {
		t.Fatalf("internet-replay printed %q", line)
	}
	return &replay{url: ready.URL, repos: ready.Repos, t: t}
}

// install copies the server to a folder where its dependencies can be installed.
func install(from string) (string, error) {
	dir, err := os.MkdirTemp("", "census-replay-")
	if err != nil {
		return "", err
	}
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err == nil {
		return dir, nil
	}
	cmd := exec.Command("npm", "ci", "--silent", "--no-audit", "--no-fund")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm ci: %w: %s", err, out)
	}
	return dir, nil
}

func TestMain(m *testing.M) {
	code := m.Run()
	if installed.dir != "" {
		os.RemoveAll(installed.dir)
	}
	os.Exit(code)
}

// post changes the state of the server.
func (r *replay) post(path string, body any) {
	r.t.Helper()
	raw, _ := json.Marshal(body)
	resp, err := http.Post(r.url+"/_replay/"+path, "application/json", bytes.NewReader(raw))
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	if said, _ := io.ReadAll(resp.Body); resp.StatusCode != 200 {
		r.t.Fatalf("%s %s: %s", path, raw, said)
	}
}

func (r *replay) get(path string, into any) {
	r.t.Helper()
	resp, err := http.Get(r.url + "/_replay/" + path)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		r.t.Fatal(err)
	}
}

func (r *replay) stats() map[string]any {
	var s map[string]any
	r.get("stats", &s)
	return s
}

// names returns the names of all repositories served.
func (r *replay) names() []string {
	var all []string
	for page := 1; ; page++ {
		var p struct {
			Names []string `json:"full_names"`
		}
		r.get(fmt.Sprintf("repos?page=%d", page), &p)
		if len(p.Names) == 0 {
			return all
		}
		all = append(all, p.Names...)
	}
}

// sample returns n of the names, spread evenly.
func sample(names []string, n int) []string {
	var some []string
	for i := range min(n, len(names)) {
		some = append(some, names[i*len(names)/n])
	}
	return some
}

func (r *replay) github(t *testing.T, change func(*Options)) *Client {
	t.Helper()
	opt := Options{BaseURL: r.url + "/github/", Token: "ann.1"}
	if change != nil {
		change(&opt)
	}
	g, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	g.Contents = contentsAt(t, r.url, opt)
	return g
}

func newWorks(t *testing.T, names []string) []registry.Work {
	var works []registry.Work
	for i, name := range names {
		ref, err := registry.ParseRepoRef(name)
		if err != nil {
			t.Fatal(err)
		}
		works = append(works, registry.Work{ID: int64(i + 1), Ref: ref})
	}
	return works
}

// next returns the work of the next visit, as the store would.
func next(v registry.Visit, at time.Time) registry.Work {
	w := v.Work
	switch v.Outcome {
	case registry.Fetched:
		s := *v.Snapshot
		s.Texts = nil
		w.Stored, w.FetchedAt = &s, &at
		w.NodeID, w.HostID = s.Repo.NodeID, s.Repo.ID
	case registry.Unchanged:
		s := *w.Stored
		s.Repo = v.Snapshot.Repo
		w.Stored = &s
	}
	w.Forced = false
	return w
}

func TestReplayVisit(t *testing.T) {
	r := startReplay(t)
	g := r.github(t, nil)
	works := newWorks(t, sample(r.names(), 12))
	var again []registry.Work
	outcomes := map[registry.Outcome]int{}
	for v := range g.Visit(t.Context(), works) {
		outcomes[v.Outcome]++
		if v.Outcome != registry.Fetched {
			t.Errorf("%s: %s: %v", v.Work.Ref, v.Outcome, v.Err)
			continue
		}
		s := v.Snapshot
		if s.Repo.ID == 0 || s.Repo.Stars == nil || s.Repo.Contributors == nil ||
			len(s.Files) == 0 || len(s.Texts) == 0 {
			t.Errorf("%s: incomplete: %d files, %d texts, %v", v.Work.Ref, len(s.Files),
				len(s.Texts), s.Failures)
		}
		if _, ok := s.Activity[""]; !ok {
			t.Errorf("%s: no activity: %v", v.Work.Ref, s.Failures)
		}
		again = append(again, next(v, time.Now()))
		if testing.Verbose() {
			a := s.Activity[""]
			t.Logf("%s files %d (%v) texts %d days %d humans %v trunc %v failures %v", v.Work.Ref,
				len(s.Files), s.FilesTruncated, len(s.Texts), len(a.ActiveDays), a.Humans != nil,
				a.Truncated, s.Failures)
		}
	}
	if outcomes[registry.Fetched] != len(works) {
		t.Fatalf("outcomes %v of %d", outcomes, len(works))
	}
	first, _ := json.MarshalIndent(r.stats(), "", " ")
	t.Logf("first crawl: %s", first)
	r.post("reset", map[string]any{})
	for v := range g.Visit(t.Context(), again) {
		if v.Outcome != registry.Unchanged {
			t.Errorf("second pass: %s: %s: %v", v.Work.Ref, v.Outcome, v.Err)
		}
	}
	second, _ := json.MarshalIndent(r.stats(), "", " ")
	t.Logf("second pass: %s", second)
}

// TestReplayFaults crawls while one request in eight fails, in every way that the server
// supports, until everything is read.
func TestReplayFaults(t *testing.T) {
	r := startReplay(t)
	r.post("faults", map[string]any{"rate": 0.12,
		"kinds":    []string{"502", "503", "reset", "429", "secondary", "truncated-json", "cut"},
		"services": []string{"github", "git"}})
	r.post("settings", map[string]any{"graphql_timeout": "rotate", "secondary_form": "rotate"})
	g := r.github(t, nil)
	left := newWorks(t, sample(r.names(), 20))
	read := map[string]bool{}
	for round := 0; len(left) > 0 && round < 12; round++ {
		done := map[int64]bool{}
		for v := range g.Visit(t.Context(), left) {
			switch v.Outcome {
			case registry.Fetched:
				done[v.Work.ID] = true
				read[v.Work.Ref.Key()] = true
				if v.Snapshot.Repo.Stars == nil || v.Snapshot.Repo.ID == 0 {
					t.Errorf("%s: partial record", v.Work.Ref)
				}
			case registry.Failed:
			default:
				t.Errorf("%s: %s: %v", v.Work.Ref, v.Outcome, v.Err)
			}
		}
		var again []registry.Work
		for _, w := range left {
			if !done[w.ID] {
				again = append(again, w)
			}
		}
		left = again
	}
	if len(left) > 0 {
		t.Errorf("%d were never read", len(left))
	}
	s := r.stats()
	t.Logf("read %d, faults %v, statuses %v", len(read), s["faults"], s["statuses"])
	if s["asked_while_limited"] != 0.0 || s["stray_tokens"] != 0.0 {
		t.Errorf("%v requests while limited, %v stray tokens", s["asked_while_limited"],
			s["stray_tokens"])
	}
}

// TestReplayBudget spends the GraphQL budget in the middle of a visit.
func TestReplayBudget(t *testing.T) {
	r := startReplay(t)
	g := r.github(t, nil)
	names := r.names() // more than a query has
	for range g.Visit(t.Context(), newWorks(t, names[:1])) {
	}
	r.post("limits", map[string]any{"resource": "graphql", "remaining": 1, "reset_in": 1800})
	n := 0
	for v := range g.Visit(t.Context(), newWorks(t, names)) {
		n++
		if v.Outcome != registry.Fetched {
			t.Errorf("%s: %s: %v", v.Work.Ref, v.Outcome, v.Err)
		}
	}
	if n == len(names) || g.Ready() == nil {
		t.Errorf("%d visits with a spent budget; ready: %v", n, g.Ready())
	}
	for range g.Visit(t.Context(), newWorks(t, names)) {
		t.Error("a visit without a budget")
	}
	if late := r.stats()["asked_while_limited"]; late != 0.0 {
		t.Errorf("%v late requests", late)
	}
}

// TestReplayChanges changes recorded repositories between two visits.
func TestReplayChanges(t *testing.T) {
	r := startReplay(t)
	g := r.github(t, nil)
	names := r.names()[:12]
	var works []registry.Work
	for v := range g.Visit(t.Context(), newWorks(t, names)) {
		if v.Outcome != registry.Fetched {
			t.Fatalf("%s: %s: %v", v.Work.Ref, v.Outcome, v.Err)
		}
		works = append(works, next(v, time.Now()))
	}
	full := func(i int) string { return works[i].Stored.Repo.FullName() }
	set := func(i int, what map[string]any) {
		r.post("repo", map[string]any{"full_name": full(i), "set": what})
	}
	renamed := full(0)
	set(0, map[string]any{"renamed_to": "someone/else"})
	set(1, map[string]any{"gone": true})
	set(2, map[string]any{"private": true})
	set(3, map[string]any{"dmca": true})
	set(4, map[string]any{"tos": true})
	set(5, map[string]any{"saml": true})
	set(6, map[string]any{"ip_allow_list": true})
	set(7, map[string]any{"archived": true})
	set(8, map[string]any{"huge_history": true, "files": map[string]any{"x.txt": "1"}})
	set(9, map[string]any{"stars": 424242})
	set(10, map[string]any{"empty": true})
	got := visitAll(t, g, works)
	want := []registry.Outcome{registry.Fetched, registry.Missing, registry.Missing,
		registry.Blocked, registry.Blocked, registry.Unchanged, registry.Unchanged,
		registry.Fetched, registry.Fetched, registry.Unchanged, registry.Fetched,
		registry.Unchanged}
	for i, w := range works {
		if v := got[w.ID]; v.Outcome != want[i] {
			t.Errorf("%d %s: %s, want %s: %v", i, full(i), v.Outcome, want[i], v.Err)
		}
	}
	if t.Failed() {
		return
	}
	snap := func(i int) *registry.Snapshot { return got[works[i].ID].Snapshot }
	if snap(0).Repo.FullName() != "someone/else" || snap(0).Repo.ID != works[0].HostID ||
		!snap(0).TextsStored {
		t.Errorf("renamed from %s: %+v", renamed, snap(0).Repo.FullName())
	}
	if got[works[3].ID].Blocked != "dmca" || got[works[4].ID].Blocked != "tos" {
		t.Errorf("blocked as %q and %q", got[works[3].ID].Blocked, got[works[4].ID].Blocked)
	}
	// Repositories hidden from the token are read without it.
	if snap(5).Repo.ID != works[5].HostID || snap(6).Repo.ID != works[6].HostID {
		t.Error("hidden ones were mixed up")
	}
	if !snap(7).Repo.Archived || *snap(9).Repo.Stars != 424242 || !snap(10).Repo.Empty {
		t.Error("changes were not seen")
	}
	if snap(8).TextsStored || snap(8).Repo.Contributors == nil {
		t.Errorf("a push: texts stored %v, contributors %v", snap(8).TextsStored,
			snap(8).Repo.Contributors)
	}
	stray := r.stats()["stray_tokens"]
	if stray != 0.0 {
		t.Errorf("%v stray tokens", stray)
	}
}
