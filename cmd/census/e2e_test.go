package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/github/fakegithub"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
)

// An environment is fake upstream services, a database, and the variables with which a
// census uses them.
type environment struct {
	t       *testing.T
	world   *fakegithub.Server
	url     string
	db      *postgres.DB
	environ []string
}

func newEnvironment(t *testing.T) *environment {
	t.Helper()
	w := newEmptyEnvironment(t)
	w.useDatabase(pgtest.URL(t))
	return w
}

// newCrawledEnvironment returns an environment whose repositories have just been crawled.
func newCrawledEnvironment(t *testing.T) *environment {
	t.Helper()
	w := newEmptyEnvironment(t)
	w.useDatabase(crawledOnce.URL(t, func(url string) {
		first := newEmptyEnvironment(t)
		first.useDatabase(url)
		first.run("crawl")
		if err := first.db.Close(); err != nil {
			t.Fatal(err)
		}
	}))
	return w
}

// crawledOnce is the database of newCrawledEnvironment, environmentTime the time of all environments.
var (
	crawledOnce     pgtest.Template
	environmentTime = time.Now()
)

// newEmptyEnvironment returns an environment without a database.
func newEmptyEnvironment(t *testing.T) *environment {
	t.Helper()
	w := &environment{t: t, world: fakegithub.New(environmentTime)}
	server := httptest.NewServer(w.world)
	t.Cleanup(server.Close)
	w.url = server.URL
	return w
}

// useDatabase points the environment at a database.
func (w *environment) useDatabase(url string) {
	w.t.Helper()
	db, err := postgres.Open(w.t.Context(), url)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { db.Close() })
	w.db = db
	w.environ = append(upstreamsAt(w.url), "DATABASE_URL="+url, "CENSUS_DATA_DIR="+w.t.TempDir(),
		"CENSUS_LISTS="+w.url+"/lists/mcp-servers.md")
}

// withKey sets the key of all processes of tests.
const withKey = "CENSUS_SECRET_KEY=a2V5IG9mIGFsbCBwcm9jZXNzZXMgb2YgdGhlIHRlc3Q="

// upstreamsAt returns the environment in which every upstream is a fake.
func upstreamsAt(url string) []string {
	return []string{
		"HOME=/nowhere", withKey, "GITHUB_TOKEN=ghp_test", "CENSUS_GITHUB_CHECK_TOKEN=ghp_checks",
		"CENSUS_METRICS_ADDR=off",
		"CENSUS_GIT_URL=" + url + "/git/",
		"CENSUS_GITHUB_URL=" + url + "/github/", "CENSUS_MCP_REGISTRY_URL=" + url +
			"/mcp-registry/", "CENSUS_DEPSDEV_URL=" + url + "/deps-dev/",
		"CENSUS_NPM_DOWNLOADS_URL=" + url + "/npm-downloads/", "CENSUS_PYPISTATS_URL=" + url +
			"/pypistats/", "CENSUS_OSV_URL=" + url + "/osv/",
		"CENSUS_IMAGES_URL=" + url + "/images/",
		"CENSUS_NPM_URL=" + url + "/npm/", "CENSUS_PYPI_URL=" + url + "/pypi/",
	}
}

// try runs the program and returns its output and exit status.
func (w *environment) try(args ...string) (stdout, stderr string, status int) {
	w.t.Helper()
	var out, errs bytes.Buffer
	err := run(w.t.Context(), args, w.environ, &out, &errs)
	status = exitStatus(err, &errs)
	return out.String(), errs.String(), status
}

// run runs the program, which must succeed, and returns its output.
func (w *environment) run(args ...string) string {
	w.t.Helper()
	stdout, stderr, status := w.try(args...)
	if status != 0 {
		w.t.Fatalf("census %s ended with %d\nstdout:\n%s\nstderr:\n%s", strings.Join(args, " "),
			status, stdout, stderr)
	}
	return stdout
}

// listed returns how many servers are listed of each repository of the world.
func (w *environment) listed() map[string]int {
	w.t.Helper()
	got := map[string]int{}
	for _, name := range w.world.Names() {
		owner, base, _ := strings.Cut(name, "/")
		got[name] = len(pgtest.ServersOf(w.t, w.db,
			registry.RepoRef{Host: registry.GitHub, Owner: owner, Name: base}.Key(), 0))
	}
	return got
}

func (w *environment) seq() int64 {
	w.t.Helper()
	seq, err := w.db.LastSeq(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return seq
}

func (w *environment) status() registry.Status {
	w.t.Helper()
	var s registry.Status
	if err := json.Unmarshal([]byte(w.run("status", "--json")), &s); err != nil {
		w.t.Fatal(err)
	}
	return s
}

func TestCrawl(t *testing.T) {
	w := newCrawledEnvironment(t)
	if d := cmp.Diff(w.world.Servers(), w.listed()); d != "" {
		t.Errorf("servers by repository (-true +listed):\n%s", d)
	}
	total := 0
	for _, n := range w.world.Servers() {
		total += n
	}
	s := w.status()
	if s.Servers != total {
		t.Errorf("%d servers are listed, the world has %d", s.Servers, total)
	}
	if s.Due != 0 || s.Leased != 0 || s.PackagesDue != 0 || s.DownloadsDue != 0 {
		t.Errorf("the crawl left work: %d due, %d leased, %d packages, %d downloads", s.Due,
			s.Leased, s.PackagesDue, s.DownloadsDue)
	}
	for _, f := range s.Failing {
		if f.Error != "the service has no such package" {
			t.Errorf("failing: %+v", f)
		}
	}

	seq := w.seq()
	w.world.ClearRequests()
	w.run("crawl")
	if got := w.seq(); got != seq {
		t.Errorf("a second crawl wrote changes %d to %d", seq+1, got)
	}
	for _, r := range w.world.Requests() {
		if strings.HasPrefix(r.Path, "/github/repos/") {
			t.Errorf("a second crawl asked for %s again", r.Path)
		}
	}
}

// TestCrawlWithoutToken checks that a crawl without a token lists the same servers, with tools,
// install commands and scores.
func TestCrawlWithoutToken(t *testing.T) {
	w := newEnvironment(t)
	w.environ = append(w.environ, "GITHUB_TOKEN=", "CENSUS_GITHUB_CHECK_TOKEN=")
	w.run("crawl")
	if d := cmp.Diff(w.world.Servers(), w.listed()); d != "" {
		t.Errorf("servers by repository (-true +listed):\n%s", d)
	}
	with := newCrawledEnvironment(t)
	type summary struct {
		Tools, Packages, Stars int
		Install                string
		Scored                 bool
	}
	summaries := func(w *environment) map[string]summary {
		servers, _, _, err := w.db.RecordsAfter(t.Context(), 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]summary{}
		for _, s := range servers {
			stars := -1
			if s.Stars != nil {
				stars = *s.Stars
			}
			out[s.Slug] = summary{len(s.Tools), len(s.Packages), stars, s.SourceInstall,
				s.Health.Score != nil}
		}
		return out
	}
	if d := cmp.Diff(summaries(with), summaries(w)); d != "" {
		t.Errorf("-with a token +without:\n%s", d)
	}
	for _, r := range w.world.Requests() {
		if strings.HasPrefix(r.Path, "/github/graphql") {
			t.Error("GraphQL was queried without a token")
		}
	}
	if text := w.run("status"); !strings.Contains(text, "Set GITHUB_TOKEN") {
		t.Errorf("status says\n%s", text)
	}
	t.Run("without searches", func(t *testing.T) { crawlByName(t, w) })
}

// crawlByName crawls without a token while GitHub answers no search: the servers of lists and the
// official registry appear by name. Then searches work, and each gets its id; nothing is doubled.
// full is the same world, crawled with searches.
func crawlByName(t *testing.T, full *environment) {
	w := newEnvironment(t)
	w.environ = append(w.environ, "GITHUB_TOKEN=", "CENSUS_GITHUB_CHECK_TOKEN=")
	w.world.Fail(fakegithub.Fault{Path: "/github/", Status: http.StatusBadGateway})
	w.run("crawl")
	records := func(w *environment) []registry.Server {
		servers, _, _, err := w.db.RecordsAfter(t.Context(), 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		return servers
	}
	complete := map[string]registry.Server{}
	for _, s := range records(full) {
		complete[s.Slug] = s
	}
	before, misjudged := map[string]bool{}, 0
	for _, s := range records(w) {
		want, ok := complete[s.Slug]
		if !ok { // only its description says that it is a client
			misjudged++
			continue
		}
		before[s.Slug] = true
		switch {
		case s.Repo.ID != 0:
			t.Errorf("%s has an id", s.Slug)
		case s.Repo.Commit == "":
		case len(s.Tools) != len(want.Tools) || s.SourceInstall != want.SourceInstall ||
			len(s.Packages) != len(want.Packages) || s.Health.Score == nil:
			t.Errorf("%s has %d tools, %d packages, %q, score %v", s.Slug, len(s.Tools),
				len(s.Packages), s.SourceInstall, s.Health.Score)
		case s.Stars == nil || s.CountedAt == nil || *s.Stars != *want.Stars:
			t.Errorf("%s has stars %v, read %v", s.Slug, s.Stars, s.CountedAt)
		}
	}
	if len(before)*4 < len(complete)*3 || misjudged > 1 {
		t.Errorf("%d of %d servers, and %d others, are listed without searches", len(before),
			len(complete), misjudged)
	}
	w.world.ClearFaults()
	for _, name := range w.world.Names() {
		w.run("add", name)
	}
	w.run("crawl")
	for _, s := range records(w) {
		delete(before, s.Slug)
		if s.Repo.ID == 0 && s.Repo.Commit != "" || s.CountedAt != nil {
			t.Errorf("%s has the id %d and stars of deps.dev of %v", s.Slug, s.Repo.ID, s.CountedAt)
		}
	}
	if len(before) > 0 {
		t.Errorf("slugs have changed: %v", before)
	}
	if d := cmp.Diff(full.world.Servers(), w.listed()); d != "" {
		t.Errorf("servers by repository (-true +listed):\n%s", d)
	}
}

func TestStatusFormats(t *testing.T) {
	w := newEnvironment(t)
	if s := w.status(); s.Servers != 0 || s.Repositories == nil {
		t.Errorf("of an empty registry: %+v", s)
	}
	w = newCrawledEnvironment(t)
	text := w.run("status")
	for _, want := range []string{"Listed servers", "Repositories", "Sources", "official-registry",
		"Upstream rate limits", "graphql"} {
		if !strings.Contains(text, want) {
			t.Errorf("status does not say %q:\n%s", want, text)
		}
	}
}

func TestDryRunAndLimit(t *testing.T) {
	w := newEnvironment(t)
	out := w.run("crawl", "--dry-run", "--limit", "3", "--source", "official-registry")
	if n := strings.Count(out, "\n"); n != 3 {
		t.Errorf("a dry run with --limit 3 printed %d lines:\n%s", n, out)
	}
	if s := w.status(); len(s.Repositories) != 0 {
		t.Errorf("a dry run stored %v", s.Repositories)
	}
	w.run("crawl", "--limit", "3", "--source", "official-registry")
	s := w.status()
	if s.Servers == 0 || s.Servers > 12 {
		t.Errorf("--limit 3 listed %d servers", s.Servers)
	}
	_, stderr, status := w.try("crawl", "--source", "yellow-pages")
	if status != 2 || !strings.Contains(stderr, "official-registry") {
		t.Errorf("an unknown source ended with %d: %s", status, stderr)
	}
	if _, _, status := w.try("crawl", "--limit", "-1"); status != 2 {
		t.Errorf("--limit -1 ended with %d", status)
	}
}

func TestErrorTexts(t *testing.T) {
	w := newEnvironment(t)
	for _, tc := range []struct {
		args   string
		status int
		says   string
	}{
		{"--version", 0, "score model"}, {"-v", 0, "census "}, {"version", 0, "score model"},
		{"frobnicate", 2, "census help"}, {"stauts", 2, "did you mean status?"},
		{"serve --roles apo", 2, "api, pages, worker, probe or all"}, {"serve extra", 2,
			`"extra"`}, {"serve --bogus", 2, "--bogus"},
		{"hide", 2, "slug"}, {"hide x", 2, "--reason"}, {"hide nobody --reason spam", 1,
			`"nobody"`},
		{"check", 2, "https://github.com/owner/repository"}, {"check nonsense", 2,
			`"nonsense" names no repository`},
		{"check https://gitlab.com/a/b", 2, "GitLab"}, {"add -f /no/such/file", 1,
			"list of repositories"},
		{"crawl --fast", 2, "--fast"}, {"crawl --limit many", 2, "many"}, {"status now", 2, `"now"`},
		{"status --demo", 2, "DATABASE_URL"}, {"healthcheck", 1, "CENSUS_ADDR"},
	} {
		w.environ = append(w.environ, "CENSUS_ADDR=127.0.0.1:1")
		stdout, stderr, status := w.try(strings.Fields(tc.args)...)
		if status != tc.status || !strings.Contains(stdout+stderr, tc.says) {
			t.Errorf("census %s ended with %d, want %d and %q:\n%s%s", tc.args, status, tc.status,
				tc.says, stdout, stderr)
		}
	}
}

func TestAdd(t *testing.T) {
	w := newEnvironment(t)
	file := filepath.Join(t.TempDir(), "list.txt")
	text := "# ours\n\nhttps://github.com/octo-labs/weather-mcp\nnimbus-tools/toolbox\nhttps://gitlab.example/a/b\nnot a repository at all\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, status := w.try("add", "-f", file)
	if status != 1 || !strings.Contains(stdout, "2 added, 0 already known, 2 refused") ||
		strings.Count(stderr, "not added:") != 2 {
		t.Errorf("got %d\n%s%s", status, stdout, stderr)
	}
	if out := w.run("add", "https://github.com/Octo-Labs/Weather-MCP"); !strings.Contains(out,
		"0 added, 1 already known") {
		t.Errorf("added again: %s", out)
	}
	list := filepath.Join(t.TempDir(), "list.md")
	if err := os.WriteFile(list,
		[]byte("# Servers\n\nThese are ours.\n\n- [Weather](https://github.com/octo-labs/weather-mcp#readme) - for sailors, see [this](https://github.com/nimbus-tools/toolbox/tree/main/src)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := w.run("add", "-f", list); !strings.Contains(out,
		"0 added, 2 already known, 0 refused") {
		t.Errorf("a Markdown list: %s", out)
	}
	if _, stderr, status := w.try("add", "nonsense"); status != 1 ||
		!strings.Contains(stderr, `"nonsense" names no repository`) {
		t.Errorf("only bad lines ended with %d: %s", status, stderr)
	}
	if _, _, status := w.try("add"); status != 2 {
		t.Errorf("add without arguments ended with %d", status)
	}
	if _, _, status := w.try("add", "-f", "/no/such/file"); status != 1 {
		t.Errorf("a file that is not there ended with %d", status)
	}
	if s := w.status(); s.Forced != 2 {
		t.Errorf("%d repositories are asked for by hand, want 2", s.Forced)
	}
}

func TestHideRescoreReindexAndPriors(t *testing.T) {
	w := newCrawledEnvironment(t)
	owner := registry.RepoRef{Host: registry.GitHub, Owner: "octo-labs", Name: "weather-mcp"}
	servers := pgtest.ServersOf(t, w.db, owner.Key(), 0)
	if len(servers) != 1 {
		t.Fatalf("got %d servers", len(servers))
	}
	slug, before := servers[0].Slug, w.status().Servers

	if _, _, status := w.try("hide", slug); status != 2 {
		t.Errorf("hide without a reason ended with %d", status)
	}
	if _, _, status := w.try("hide", "no-such-server", "--reason", "x"); status != 1 {
		t.Errorf("hiding nothing ended with %d", status)
	}
	w.run("hide", slug, "--reason", "a test")
	if s := w.status(); s.Servers != before-1 || s.Hidden != 1 {
		t.Errorf("after hide: %d listed, %d hidden", s.Servers, s.Hidden)
	}
	w.run("unhide", slug)
	if s := w.status(); s.Servers != before || s.Hidden != 0 {
		t.Errorf("after unhide: %d listed, %d hidden", s.Servers, s.Hidden)
	}

	seq := w.seq()
	if out := w.run("rescore"); !strings.HasPrefix(out, fmt.Sprintf("%d servers scored", before)) {
		t.Errorf("rescore said: %s", out)
	}
	if got := w.seq(); got != seq {
		t.Errorf("rescoring what has just been scored wrote changes %d to %d", seq+1, got)
	}
	if out := w.run("reindex"); !strings.HasPrefix(out, fmt.Sprintf("%d servers indexed", before)) {
		t.Errorf("reindex said: %s", out)
	}
}

func TestCheckWithoutDatabase(t *testing.T) {
	w := newEnvironment(t)
	w.environ = append(upstreamsAt(w.url), "DATABASE_URL=postgres://nobody@127.0.0.1:1/nothing",
		"CENSUS_DATA_DIR="+t.TempDir())
	out := w.run("check", "https://github.com/octo-labs/weather-mcp")
	for _, want := range []string{"octo-labs/weather-mcp", "Health", "Popularity", "Maintenance"} {
		if !strings.Contains(out, want) {
			t.Errorf("the card does not say %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "\x1b[") {
		t.Error("colors in output that is not a terminal")
	}
	if out := w.run("check", "--color", "octo-labs/weather-mcp"); !strings.Contains(out, "\x1b[") {
		t.Error("no colours with --color")
	}
	var report cards
	if err := json.Unmarshal([]byte(w.run("check", "--json", "nimbus-tools/toolbox")),
		&report); err != nil {
		t.Fatal(err)
	}
	if report.IsMCPServer == nil || !*report.IsMCPServer || len(report.Servers) != 4 ||
		report.Servers[0].Health.Score == nil {
		t.Errorf("got %d servers of %s", len(report.Servers), report.Repository)
	}
	none, _, status := w.try("check", "--json", "listkeepers/awesome-mcp-things")
	if err := json.Unmarshal([]byte(none), &report); err != nil || status != 3 {
		t.Fatal(status, err)
	}
	if report.IsMCPServer == nil || *report.IsMCPServer || report.Reason == "" {
		t.Errorf("of a list: %+v", report)
	}
	if _, stderr, status := w.try("check", "no/body"); status != 4 ||
		!strings.Contains(stderr, "no/body") {
		t.Errorf("not found ended with %d: %s", status, stderr)
	}
	if out := w.run("check", "nimbus-tools/toolbox"); !strings.HasPrefix(out,
		"nimbus-tools/toolbox contains 4 MCP servers:") {
		t.Errorf("a repository with several begins with %s", out[:min(len(out), 200)])
	}
	for _, address := range []string{"gh repo clone octo-labs/weather-mcp", "io.github.octo-labs/weather-mcp"} {
		if out := w.run("check", address); !strings.Contains(out, "octo-labs/weather-mcp") {
			t.Errorf("%s: %s", address, out)
		}
	}
	if _, _, status := w.try("check"); status != 2 {
		t.Errorf("check without a repository ended with %d", status)
	}
}

func TestOutputs(t *testing.T) {
	w := newEnvironment(t)
	for _, args := range [][]string{{"--help"}, {"version"}, {"config"}, {"completion", "bash"},
		{"crawl", "--help"}} {
		if out := w.run(args...); out == "" {
			t.Errorf("census %s said nothing", strings.Join(args, " "))
		}
	}
	if out := w.run("config"); strings.Contains(out, "ghp_") {
		t.Error("config prints a token")
	}
}

// served is a running census with its address.
type served struct {
	t       *testing.T
	url     string
	metrics string
	stop    func() time.Duration // stops it and returns the duration
}

// addressIn waits until a census logs where it is "listening", or serves "metrics", and returns
// the URL.
func addressIn(t testing.TB, log fmt.Stringer, what string) string {
	t.Helper()
	line := regexp.MustCompile(`msg"?[=:]"?` + what + `"?[ ,]"?address"?[=:]"?(http://[^" ]+)`)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if m := line.FindStringSubmatch(log.String()); m != nil {
			return m[1]
		}
		if time.Now().After(deadline) {
			t.Fatalf("no address:\n%s", log)
		}
	}
}

// serve starts a census with roles, and waits until it is ready.
func (w *environment) serve(roles string) *served {
	w.t.Helper()
	s := &served{t: w.t}
	environ := append(slices.Clone(w.environ), "CENSUS_ADDR=127.0.0.1:0", "CENSUS_METRICS_ADDR=localhost:0",
		"CENSUS_DATA_DIR="+w.t.TempDir())
	ctx, cancel := context.WithCancel(context.Background())
	var log syncBuffer
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"serve", "--roles", roles}, environ, io.Discard,
			&log)
	}()
	var once sync.Once
	var took time.Duration
	s.stop = func() time.Duration {
		once.Do(func() {
			start := time.Now()
			cancel()
			select {
			case err := <-ended:
				if err != nil {
					w.t.Errorf("serve ended with: %v", err)
				}
			case <-time.After(30 * time.Second):
				w.t.Errorf("serve did not end:\n%s", log.String())
			}
			took = time.Since(start)
		})
		return took
	}
	w.t.Cleanup(func() { s.stop() })
	s.url, s.metrics = addressIn(w.t, &log, "listening"), addressIn(w.t, &log, "metrics")
	within(w.t, 30*time.Second, "ready", func() bool {
		select {
		case err := <-ended:
			w.t.Fatalf("serve ended: %v\n%s", err, log.String())
		default:
		}
		resp, err := http.Get(s.url + "/readyz")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return s
}

// within waits until ok holds.
func within(t *testing.T, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(limit); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not %s within %s", what, limit)
		}
	}
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// get requests a path and returns the status and the body.
func (s *served) get(path string) (int, string) {
	s.t.Helper()
	resp, err := http.Get(s.url + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// seq returns the number of the last change in the process's read model.
func (s *served) seq() int64 {
	s.t.Helper()
	resp, err := http.Get(s.metrics + "/metrics")
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	for line := range strings.Lines(string(body)) {
		if v, ok := strings.CutPrefix(line, "census_catalog_seq "); ok {
			f, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
			if err != nil {
				s.t.Fatal(err)
			}
			return int64(f)
		}
	}
	s.t.Fatalf("no census_catalog_seq in:\n%.500s", body)
	return 0
}

// json requests a path and decodes the response into v.
func (s *served) json(path string, v any) int {
	s.t.Helper()
	status, body := s.get(path)
	if err := json.Unmarshal([]byte(body), v); err != nil {
		s.t.Fatalf("%s: %v\n%.500s", path, err, body)
	}
	return status
}

// report requests the report of a repository until its check has ended.
func (s *served) report(path string) (status int, body string) {
	s.t.Helper()
	within(s.t, time.Minute, path, func() bool {
		status, body = s.get(path)
		return status != http.StatusAccepted
	})
	return status, body
}

func TestServe(t *testing.T) {
	w := newCrawledEnvironment(t)
	total := w.status().Servers
	s := w.serve("api,pages")

	type object = map[string]any
	var discover object
	if status := s.json("/api/discover?limit=3", &discover); status != 200 ||
		len(list(discover)) != 3 {
		t.Errorf("/api/discover: %d with %d servers", status, len(list(discover)))
	}
	var servers object
	if status := s.json("/api/servers?limit=5", &servers); status != 200 ||
		len(list(servers)) != 5 {
		t.Errorf("/api/servers: %d with %d servers", status, len(list(servers)))
	}
	if text := fmt.Sprint(servers); !strings.Contains(text, fmt.Sprint(total)) {
		t.Errorf("/api/servers does not say that there are %d: %.600s", total, text)
	}
	within(t, 10*time.Second, "indexed", func() bool {
		var found object
		s.json("/api/servers?search=weather", &found)
		return strings.Contains(fmt.Sprint(found), "octo-labs")
	})
	const health, home = "/api/health?githubUrl=", "https://github.com/"
	if status, text := s.report(health + home + "octo-labs/weather-mcp"); status != 200 {
		t.Errorf("/api/health of a listed server: %d %s", status, text)
	}
	if _, err := w.db.Check(t.Context(), "github:octo-labs/weather-mcp"); err == nil {
		t.Error("a listed server was checked on demand")
	}
	if status, text := s.report(health + home + "no/body"); status != 404 && status != 200 ||
		!strings.Contains(text, "not_found") {
		t.Errorf("/api/health of nothing: %d %s", status, text)
	}
	if status, text := s.report(health + home + "listkeepers/awesome-mcp-things"); status != 200 {
		t.Errorf("/api/health of no server: %d %s", status, text)
	}
	if err := w.world.Add("repo: newcomers/chess-mcp\ndescription: Plays chess over MCP\ntopics: [mcp-server]\nlicense: MIT\nstars: 3\ncreated: 20d\nservers: 1\n" +
		"commits: {count: 4, last: 2d, people: 1}\n-- README.md --\n# chess\n\nAn MCP server that plays chess.\n-- package.json --\n" +
		`{"name":"chess-mcp","version":"0.1.0","bin":{"chess-mcp":"index.js"},"dependencies":{"@modelcontextprotocol/sdk":"^1.20.0"}}` + "\n"); err != nil {
		t.Fatal(err)
	}
	if status, text := s.report(health + home + "newcomers/chess-mcp"); status != 200 {
		t.Errorf("/api/health on demand: %d %s", status, text)
	}
	if st := w.status(); st.Repositories["new"] != 1 {
		t.Errorf("a repository checked on demand is not queued: %v", st.Repositories)
	}
	if status, text := s.report(health + "ftp://x"); status < 400 || status >= 500 {
		t.Errorf("/api/health of nonsense: %d %s", status, text)
	}
	var categories object
	if status := s.json("/api/categories", &categories); status != 200 ||
		!strings.Contains(fmt.Sprint(categories), "database") {
		t.Errorf("/api/categories: %d %v", status, categories)
	}
	for _, path := range []string{"/", "/servers", "/servers?q=mail",
		"/check?url=octo-labs/weather-mcp", "/docs/scoring", "/docs", "/openapi.json", "/healthz",
		"/readyz"} {
		if status, body := s.get(path); status != 200 || len(body) == 0 {
			t.Errorf("%s: %d with %d bytes", path, status, len(body))
		}
	}
	if status, _ := s.get("/no-such-page"); status != 404 {
		t.Errorf("/no-such-page: %d", status)
	}
	resp, err := http.Post(s.url+"/webhooks/stripe", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 404 {
		t.Errorf("events of Stripe, which is not configured: %d", resp.StatusCode)
	}
	if resp, err = http.Get(s.metrics + "/metrics"); err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	if !strings.Contains(string(text), fmt.Sprintf("census_catalog_servers %d", total)) {
		t.Errorf("/metrics does not count the servers:\n%.500s", text)
	}
	if took := s.stop(); took > 10*time.Second {
		t.Errorf("it took %s to stop", took)
	}
}

// list returns the list in a response's envelope.
func list(answer map[string]any) []any {
	for _, k := range []string{"servers", "data", "results", "items"} {
		if l, ok := answer[k].([]any); ok {
			return l
		}
	}
	return nil
}

func TestServeRecrawls(t *testing.T) {
	w := newEnvironment(t)
	s := w.serve("all")
	total := 0
	for _, n := range w.world.Servers() {
		total += n
	}
	within(t, 2*time.Minute, "all crawled by the worker", func() bool {
		st, err := w.db.Status(t.Context(), time.Now())
		return err == nil && st.Servers == total
	})
	within(t, 5*time.Second, "all answered", func() bool {
		var answer map[string]any
		s.json("/api/servers?limit=1", &answer)
		return strings.Contains(fmt.Sprint(answer), fmt.Sprint(total))
	})
	if took := s.stop(); took > 10*time.Second {
		t.Errorf("it took %s to stop", took)
	}
}

func TestProcessesAgreeAfterChange(t *testing.T) {
	w := newCrawledEnvironment(t)
	a, b := w.serve("worker,api"), w.serve("api")
	servers := pgtest.ServersOf(t, w.db, "github:octo-labs/weather-mcp", 0)
	if len(servers) != 1 {
		t.Fatalf("got %d servers", len(servers))
	}
	slug := servers[0].Slug
	shows := func(s *served) bool {
		_, body := s.get("/api/servers?limit=100")
		return strings.Contains(body, `"`+slug+`"`)
	}
	if !shows(a) || !shows(b) {
		t.Fatalf("%s is not answered before it is hidden", slug)
	}
	// TestChangesAreInTheCatalogWithinTwoSeconds of the catalog bounds the time; this checks
	// only that both end in the same state.
	caughtUp := func() bool {
		seq := w.seq()
		return a.seq() >= seq && b.seq() >= seq
	}
	for _, change := range []struct {
		args []string
		show bool
	}{
		{[]string{"hide", slug, "--reason", "a test"}, false},
		{[]string{"unhide", slug}, true},
	} {
		before := w.seq()
		w.run(change.args...)
		start := time.Now()
		if w.seq() == before {
			t.Fatalf("%v changed nothing", change.args)
		}
		within(t, 30*time.Second, "caught up", caughtUp)
		t.Logf("%v: both have it after %v", change.args, time.Since(start).Round(time.Millisecond))
		if shows(a) != change.show || shows(b) != change.show {
			t.Errorf("%v: shown by one %v, by the other %v", change.args, shows(a), shows(b))
		}
	}
}
