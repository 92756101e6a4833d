package jobs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpcensus/crawler"
	"mcpcensus/crawler/git"
	"mcpcensus/crawler/github"
	"mcpcensus/crawler/github/fakegithub"
	"mcpcensus/crawler/inspect"
	"mcpcensus/crawler/read"
	"mcpcensus/crawler/transport"
	"mcpcensus/crawler/upstream"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
)

// A clock is a time that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// poll calls done every few milliseconds until it returns true, at most for half a
// minute. It reports whether it did. It is for tests whose time passes in Postgres.
func poll(done func() bool) bool {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	timeout := time.After(30 * time.Second)
	for !done() {
		select {
		case <-tick.C:
		case <-timeout:
			return false
		}
	}
	return true
}

// A fixture is a database and the real clients of a made-up internet.
type fixture struct {
	t      *testing.T
	clock  *clock
	world  *fakegithub.Server
	url    string
	db     *postgres.DB
	github *github.Client
	enrich *upstream.Enricher
	source *upstream.MCPRegistry
	reader *read.Pool
}

const token = "ghp_test"

// newFixture returns a fixture whose GitHub holds the repositories of the given
// fixtures, or all of the demo's without any.
func newFixture(t *testing.T, fixtures ...string) *fixture {
	t.Helper()
	return newFixtureOn(t, pgtest.URL(t), fixtures...)
}

// crawledOnce is the database of newCrawledFixture.
var crawledOnce pgtest.Template

// reader reads for all tests. Its children are this test.
var reader *read.Pool

func TestMain(m *testing.M) {
	inspect.Init()
	read.Init()
	reader = read.NewPool(read.Options{})
	code := m.Run()
	reader.Close()
	if err := crawledOnce.Drop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// newCrawledFixture returns a fixture with all repositories of the demo, which have
// just been visited.
func newCrawledFixture(t *testing.T) *fixture {
	t.Helper()
	url := crawledOnce.URL(t, func(url string) {
		h := newFixtureOn(t, url)
		h.enqueue(h.world.Names()...)
		h.refresh()
		h.must(h.db.Close())
	})
	return newFixtureOn(t, url)
}

// newFixtureOn returns a fixture, as newFixture does, with a given database.
func newFixtureOn(t *testing.T, url string, fixtures ...string) *fixture {
	t.Helper()
	db, err := postgres.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	h := &fixture{t: t, clock: &clock{now: time.Date(2026, 3, 4, 9, 30, 0, 0, time.UTC)}, db: db}
	if len(fixtures) == 0 {
		h.world = fakegithub.New(h.clock.Now())
	} else {
		h.world = fakegithub.Empty(h.clock.Now())
		for _, f := range fixtures {
			if err := h.world.Add(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	h.world.SetClock(h.clock.Now)
	server := httptest.NewServer(h.world)
	t.Cleanup(server.Close)
	h.url = server.URL
	h.reader = reader
	h.github = h.newGitHub(nil)
	options := func(path string) upstream.Options {
		return upstream.Options{
			Base: h.url + path, Now: h.clock.Now, Timeout: 10 * time.Second,
			Log: slog.New(slog.DiscardHandler),
		}
	}
	var errs [6]error
	h.enrich = new(upstream.Enricher)
	h.enrich.DepsDev, errs[0] = upstream.NewDepsDev(options("/deps-dev"))
	h.enrich.OSV, errs[1] = upstream.NewOSV(options("/osv"))
	h.enrich.NPM, errs[2] = upstream.NewNPMDownloads(options("/npm-downloads"))
	h.enrich.PyPI, errs[3] = upstream.NewPyPIStats(options("/pypistats"))
	h.source, errs[4] = upstream.NewMCPRegistry(options("/mcp-registry"))
	h.enrich.Archives, errs[5] = upstream.NewArchives(h.enrich.DepsDev, h.reader,
		options("/npm"), options("/pypi"))
	h.enrich.Archives.Guard = h.strikes().Guard
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// strikes are those of the database.
func (h *fixture) strikes() *read.Strikes {
	return &read.Strikes{Store: h.db, Log: slog.New(slog.DiscardHandler)}
}

// hosts are the clients of the code hosts.
func (h *fixture) hosts() jobs.Hosts { return jobs.Hosts{registry.GitHub: h.github} }

// A hostWith is a host of which some methods are replaced.
type hostWith struct {
	jobs.Host
	backoff func() (time.Time, error)
	paths   func(registry.Repository)
	resolve func() registry.Visit
}

func (a hostWith) Resolve(
	ctx context.Context, ref registry.RepoRef, onProgress func(registry.Repository,
		[]registry.File),
) registry.Visit {
	if a.resolve == nil {
		return a.Host.Resolve(ctx, ref, onProgress)
	}
	v := a.resolve()
	v.Work.Ref = ref
	return v
}

func (a hostWith) Backoff(known bool) (time.Time, error) {
	if a.backoff != nil {
		return a.backoff()
	}
	return a.Host.Backoff(known)
}

func (a hostWith) PathActivity(
	ctx context.Context, r registry.Repository, paths []string,
) (map[string]registry.Activity, map[string]string, error) {
	if a.paths != nil {
		a.paths(r)
	}
	return a.Host.PathActivity(ctx, r, paths)
}

// newGitHub returns a client of the world's GitHub that never really waits:
// its waits move the clock.
func (h *fixture) newGitHub(change func(*github.Options)) *github.Client {
	h.t.Helper()
	opt := github.Options{
		BaseURL: h.url + "/github/", Token: token, Now: h.clock.Now, Log: slog.New(
			slog.DiscardHandler),
		PerMinute: map[string]int{"core": 1e6, "graphql": 1e6},
		Sleep: func(ctx context.Context,
			d time.Duration) error {
			h.clock.advance(d)
			return ctx.Err()
		},
	}
	if change != nil {
		change(&opt)
	}
	g, err := github.New(opt)
	if err != nil {
		h.t.Fatal(err)
	}
	files, err := git.New(registry.HostOf(registry.GitHub), git.Options{BaseURL: h.url + "/git/",
		Token: opt.Token, Pace: transport.Pace{Max: 10_000}, Transport: transport.Options{
			Now: opt.Now, Log: opt.Log, Sleep: opt.Sleep}})
	if err != nil {
		h.t.Fatal(err)
	}
	g.Contents = &crawler.Contents{Git: files, Now: opt.Now, Imports: h.reader.Imports,
		Guard: h.strikes().GuardPart}
	return g
}

func (h *fixture) crawler() *jobs.Crawler {
	return &jobs.Crawler{
		Ingester: jobs.Ingester{
			Facts: h.db, Results: h.db, SDK: h.enrich.SDK, Hosts: h.hosts(), Texts: h.db.Texts,
			Reader: h.reader, Strikes: h.strikes(),
			Log: slog.New(slog.DiscardHandler), Now: h.clock.Now,
		},
		Queue: h.db, Discoveries: h.db,
	}
}

func (h *fixture) packager() *jobs.Packager {
	return &jobs.Packager{Store: h.db, Enrich: h.enrich, Log: slog.New(slog.DiscardHandler),
		Now: h.clock.Now}
}

// enqueue puts repositories down for the crawl, due now.
func (h *fixture) enqueue(names ...string) {
	h.t.Helper()
	var candidates []registry.Candidate
	for _, name := range names {
		candidates = append(candidates, registry.Candidate{Ref: ref(name), Source: "a list"})
	}
	if _, err := h.db.Enqueue(h.t.Context(), candidates, h.clock.Now()); err != nil {
		h.t.Fatal(err)
	}
}

// refresh visits all that is due and returns how many that were.
func (h *fixture) refresh() int {
	h.t.Helper()
	n, err := h.crawler().Refresh(h.t.Context(), 0)
	if err != nil {
		h.t.Fatal(err)
	}
	return n
}

// later moves the time of everything on.
func (h *fixture) later(d time.Duration) {
	h.clock.advance(d)
	h.world.Advance(d)
}

func (h *fixture) servers(name string) []registry.Server {
	h.t.Helper()
	return pgtest.ServersOf(h.t, h.db, ref(name).Key(), 0)
}

// server returns the one listed server of a repository.
func (h *fixture) server(name string) registry.Server {
	h.t.Helper()
	servers := h.servers(name)
	if len(servers) != 1 {
		h.t.Fatalf("%s: got %d listed servers, want 1", name, len(servers))
	}
	s := servers[0]
	records, _, _, err := h.db.RecordsAfter(h.t.Context(), s.Seq-1, 1)
	h.must(err)
	h.must(json.Unmarshal([]byte(records[0].Record), &s)) // with checks
	return s
}

func (h *fixture) work(name string) registry.Work {
	h.t.Helper()
	return pgtest.WorkOf(h.t, h.db, ref(name).Key())
}

// scores returns the health score of every listed server by slug; -1 if unknown.
func (h *fixture) scores() map[string]int {
	h.t.Helper()
	scores := map[string]int{}
	servers, _, _, err := h.db.RecordsAfter(h.t.Context(), 0, 10_000)
	h.must(err)
	for _, s := range servers {
		scores[s.Slug] = -1
		if s.Health.Score != nil {
			scores[s.Slug] = *s.Health.Score
		}
	}
	return scores
}

func (h *fixture) status() registry.Status {
	h.t.Helper()
	s, err := h.db.Status(h.t.Context(), h.clock.Now())
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}

func (h *fixture) seq() int64 {
	h.t.Helper()
	seq, err := h.db.LastSeq(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	return seq
}

// asked counts the requests of the world whose path or body holds text.
func (h *fixture) asked(text string) int {
	n := 0
	for _, r := range h.world.Requests() {
		if strings.Contains(r.Path, text) || strings.Contains(r.Body, text) {
			n++
		}
	}
	return n
}

func (h *fixture) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func ref(name string) registry.RepoRef {
	owner, base, _ := strings.Cut(name, "/")
	return registry.RepoRef{Host: registry.GitHub, Owner: owner, Name: base}
}

// aServer is a repository with one small server in it.
func aServer(name string) string {
	_, base, _ := strings.Cut(name, "/")
	return fmt.Sprintf(`repo: %s
description: Looks up train times
topics: [mcp-server]
license: MIT
stars: 120
forks: 9
created: 400d
servers: 1
commits: {count: 60, last: 5d, people: 3}
issues: {open: 4, closed: 30, answered: 0.8}
packages:
  - {system: npm, name: %s, license: MIT, downloads: 900, versions: [{version: 1.0.0, age: 200d}, {version: 1.2.0, age: 20d}]}
-- README.md --
# %[2]s

An MCP server for train times. Add it to your client:

    {"mcpServers": {"trains": {"command": "npx", "args": ["-y", "%[2]s"]}}}
-- LICENSE --
MIT
-- package.json --
{ "name": "%[2]s", "version": "1.2.0", "license": "MIT", "bin": {"%[2]s": "index.js"}, "repository": "github:%[1]s",
  "dependencies": {"@modelcontextprotocol/sdk": "^1.20.0"} }
-- index.js --
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "%[2]s", version: "1.2.0" });
server.registerTool("departures", { description: "Lists the next departures" }, async () => ({ content: [] }));
await server.connect(new StdioServerTransport());
`, name, base)
}

// noServer is a repository without a server.
func noServer(name string) string {
	return fmt.Sprintf(`repo: %s
description: A cook book
stars: 7
created: 300d
servers: 0
commits: {count: 5, last: 50d, people: 1}
-- README.md --
# Cook book

Soups and cakes.
`, name)
}
