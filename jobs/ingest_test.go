package jobs_test

import (
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/detect"
	"mcpcensus/crawler/git/gittest"
	"mcpcensus/crawler/github/fakegithub"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
)

func TestFetchedRepository(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"), noServer("cook/book"))
	h.enqueue("rail/trains-mcp", "cook/book")
	if n := h.refresh(); n != 2 {
		t.Fatalf("visited %d, want 2", n)
	}
	s := h.server("rail/trains-mcp")
	if s.SDK != "typescript" || s.License != "MIT" || s.Status != registry.StatusActive ||
		s.Health.Score == nil || s.Stars == nil || *s.Stars != 120 {
		t.Errorf("got %+v", s)
	}
	if len(s.Packages) != 1 || s.Packages[0].Identifier != "trains-mcp" {
		t.Errorf("got packages %+v", s.Packages)
	}
	if got := h.servers("cook/book"); len(got) != 0 {
		t.Errorf("a cook book is listed: %+v", got)
	}
	if got := h.status().Repositories; got["server"] != 1 || got["not_server"] != 1 {
		t.Errorf("got states %v", got)
	}
}

func TestUnchangedRepository(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	before := h.server("rail/trains-mcp")

	h.later(20 * time.Hour * 24) // due again
	h.world.ClearRequests()
	var outcomes []registry.Outcome
	c := h.crawler()
	c.Observe.Visited = func(o registry.Outcome) { outcomes = append(outcomes, o) }
	if _, err := c.Refresh(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(outcomes, []registry.Outcome{registry.Unchanged}) {
		t.Fatalf("got outcomes %v", outcomes)
	}
	if n := h.asked("/git/"); n != 0 {
		t.Errorf("%d requests of git for a repository that did not change", n)
	}
	if after := h.server("rail/trains-mcp"); after.Slug != before.Slug ||
		len(after.Tools) != len(before.Tools) || after.License != before.License {
		t.Errorf("a probe lost something: before %+v, after %+v", before, after)
	}
	h.must(h.world.SetStars("rail/trains-mcp", 500))
	h.later(20 * 24 * time.Hour)
	h.refresh()
	if s := h.server("rail/trains-mcp"); s.Stars == nil || *s.Stars != 500 {
		t.Errorf("the probe's stars are not stored: %v", s.Stars)
	}
	// A repository read under earlier rules is due a day later if the limits do not allow reading it now.
	for _, outdated := range []bool{false, true} {
		h.later(20 * 24 * time.Hour)
		works, err := h.db.Lease(t.Context(), 10, time.Hour, h.clock.Now())
		if err != nil || len(works) != 1 {
			t.Fatalf("%d leased, %v", len(works), err)
		}
		h.must(c.Ingest(t.Context(), registry.Visit{Work: works[0], Outcome: registry.Unchanged,
			Again: outdated, Snapshot: &registry.Snapshot{Repo: works[0].Stored.Repo}}))
		h.later(27 * time.Hour)
		if due := h.status().Due; (due == 1) != outdated {
			t.Errorf("outdated %v: %d due after 27 hours", outdated, due)
		}
	}
}

func TestGoneAfterThreeMissesOver72Hours(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	before := h.server("rail/trains-mcp")

	h.must(h.world.Delete("rail/trains-mcp"))
	h.later(20 * 24 * time.Hour)
	for miss := 1; miss <= 3; miss++ {
		if n := h.refresh(); n != 1 {
			t.Fatalf("miss %d: visited %d", miss, n)
		}
		s := h.server("rail/trains-mcp")
		if s.Status != registry.StatusUnreachable || s.Slug != before.Slug ||
			len(s.Tools) != len(before.Tools) {
			t.Fatalf("miss %d: status %s, slug %s, %d tools", miss, s.Status, s.Slug, len(s.Tools))
		}
		if h.status().Repositories["gone"] != 0 {
			t.Fatalf("miss %d: gone already", miss)
		}
		h.later(30*time.Hour + time.Minute)
	}
	// The third miss came 60 hours after the first; the fourth is past 72.
	h.refresh()
	if got := h.status().Repositories; got["gone"] != 1 {
		t.Fatalf("got states %v, want one gone", got)
	}
	if _, err := pgtest.Find(t, h.db, before.Slug); !errors.Is(err, registry.ErrGone) {
		t.Errorf("asked for the slug of a server that is gone: got %v", err)
	}
	if got := h.servers("rail/trains-mcp"); len(got) > 0 &&
		got[0].Status != registry.StatusDeleted {
		t.Errorf("got status %s", got[0].Status)
	}

	h.must(h.world.Restore("rail/trains-mcp"))
	h.later(31 * 24 * time.Hour)
	h.refresh()
	back := h.server("rail/trains-mcp")
	if back.Slug != before.Slug || back.Status != registry.StatusActive ||
		back.Health.Score == nil {
		t.Errorf("back again: slug %s (was %s), status %s, health %s", back.Slug, before.Slug,
			back.Status, back.Health.Status)
	}
}

func TestMissingRepositoryReturns(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	h.must(h.world.Delete("rail/trains-mcp"))
	h.later(20 * 24 * time.Hour)
	h.refresh()
	if w := h.work("rail/trains-mcp"); w.Misses != 1 || w.MissingSince == nil {
		t.Fatalf("got %d misses since %v", w.Misses, w.MissingSince)
	}
	h.must(h.world.Restore("rail/trains-mcp"))
	h.later(31 * time.Hour)
	h.refresh()
	if s := h.server("rail/trains-mcp"); s.Status != registry.StatusActive {
		t.Errorf("got status %s", s.Status)
	}
	if w := h.work("rail/trains-mcp"); w.Misses != 0 || w.MissingSince != nil {
		t.Errorf("misses are not forgotten: %d since %v", w.Misses, w.MissingSince)
	}
}

func TestBlockedRepository(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	before := h.server("rail/trains-mcp")
	h.must(h.world.Block("rail/trains-mcp", "dmca"))
	h.later(20 * 24 * time.Hour)
	h.refresh()
	if got := h.servers("rail/trains-mcp"); len(got) != 0 {
		t.Errorf("a withheld repository is listed: %s", got[0].Status)
	}
	if got := h.status().Repositories; got["blocked"] != 1 {
		t.Errorf("got states %v", got)
	}
	_, removed, _, err := h.db.ServersAfter(t.Context(), 0, 10)
	if err != nil || len(removed) != 1 || removed[0].Why != "blocked" {
		t.Errorf("removed servers: %+v, %v", removed, err)
	}
	if r := h.check(h.checker(), "rail/trains-mcp"); r.Blocked != "dmca" {
		t.Errorf("checked: withheld for %q", r.Blocked)
	}
	h.must(h.world.Restore("rail/trains-mcp"))
	h.later(31 * 24 * time.Hour)
	h.refresh()
	if s := h.server("rail/trains-mcp"); s.Slug != before.Slug ||
		s.Status != registry.StatusActive {
		t.Errorf("back again: slug %s (was %s), status %s", s.Slug, before.Slug, s.Status)
	}
}

func TestFailedVisit(t *testing.T) {
	for _, fault := range []struct {
		name  string
		fault fakegithub.Fault
	}{
		{"502", fakegithub.Fault{Path: "/github/", Status: http.StatusBadGateway,
			Body: "<html>Bad gateway</html>"}},
		{"500", fakegithub.Fault{Path: "/github/", Status: http.StatusInternalServerError,
			Body: `{"message":"Server Error"}`}},
		{"cut", fakegithub.Fault{Path: "/github/", Cut: true}},
		{"not JSON", fakegithub.Fault{Path: "/github/", Status: http.StatusOK, Body: "hello"}},
	} {
		t.Run(fault.name, func(t *testing.T) {
			h := newFixture(t, aServer("rail/trains-mcp"))
			h.enqueue("rail/trains-mcp")
			h.refresh()
			before := h.server("rail/trains-mcp")
			h.must(h.world.Push("rail/trains-mcp", map[string]string{"index.js": "// broken"}))
			h.later(20 * 24 * time.Hour)
			h.world.Fail(fault.fault)
			h.refresh()
			after := h.server("rail/trains-mcp")
			if d := cmp.Diff(before, after); d != "" {
				t.Errorf("a failure changed what is stored:\n%s", d)
			}
			s := h.status()
			if s.Repositories["server"] != 1 || s.Leased != 0 {
				t.Errorf("got states %v, %d leased", s.Repositories, s.Leased)
			}
			h.world.ClearFaults()
			h.later(25 * time.Hour)
			if n := h.refresh(); n != 1 {
				t.Errorf("visited %d after the failure, want 1", n)
			}
			if len(h.status().Failing) != 0 {
				t.Errorf("still failing: %+v", h.status().Failing)
			}
		})
	}
}

func TestEmptyRepository(t *testing.T) {
	h := newFixture(t, "repo: rail/nothing\ncreated: 3d\nservers: 0\n")
	h.enqueue("rail/nothing")
	h.refresh()
	if got := h.status().Repositories; got["empty"] != 1 {
		t.Errorf("got states %v", got)
	}
	if got := h.servers("rail/nothing"); len(got) != 0 {
		t.Errorf("an empty repository is listed")
	}
}

func TestArchivedRepository(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	before := h.server("rail/trains-mcp")
	if *before.Health.Score <= 29 {
		t.Fatalf("the score is %d before the repository is archived: nothing to see",
			*before.Health.Score)
	}
	h.must(h.world.Archive("rail/trains-mcp"))
	h.later(20 * 24 * time.Hour)
	h.refresh()
	s := h.server("rail/trains-mcp")
	if s.Status != registry.StatusArchived || s.Health.Score == nil || *s.Health.Score > 29 {
		t.Errorf("got status %s, score %v", s.Status, s.Health.Score)
	}
	if s.Slug != before.Slug {
		t.Errorf("the slug became %s", s.Slug)
	}
}

func TestRenamedRepository(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	before := h.server("rail/trains-mcp")
	h.must(h.world.Rename("rail/trains-mcp", "railway/timetable-mcp"))
	h.later(20 * 24 * time.Hour)
	h.refresh()
	s := h.server("railway/timetable-mcp")
	if s.Slug != before.Slug || s.Repo.FullName() != "railway/timetable-mcp" {
		t.Errorf("got slug %s (was %s) of %s", s.Slug, before.Slug, s.Repo.FullName())
	}
	if old := h.servers("rail/trains-mcp"); len(old) != 1 || old[0].ID != s.ID {
		t.Errorf("the old name does not lead to the server: %d found", len(old))
	}
	// Named by its old name again, it is still one repository.
	h.enqueue("rail/trains-mcp")
	h.refresh()
	names, err := h.db.FormerNames(t.Context(), registry.GitHub, s.Repo.ID)
	if diff := cmp.Diff([]string{"github:rail/trains-mcp"}, names); diff != "" || err != nil {
		t.Errorf("former names: %v %s", err, diff)
	}
	if n := h.status().Servers; n != 1 {
		t.Errorf("%d servers are listed, want 1", n)
	}
}

func TestNameTakenByOtherRepository(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	first := h.server("rail/trains-mcp")
	h.must(h.world.Rename("rail/trains-mcp", "railway/timetable-mcp"))
	h.must(h.world.Add(aServer("rail/trains-mcp")))
	h.later(20 * 24 * time.Hour)
	h.refresh()
	id, node, _ := h.world.ID("rail/trains-mcp")
	_, err := h.db.Enqueue(t.Context(),
		[]registry.Candidate{{Ref: ref("rail/trains-mcp"), HostID: id, NodeID: node,
			Source: registry.GitHub}}, h.clock.Now())
	h.must(err)
	h.refresh()
	moved, second := h.server("railway/timetable-mcp"), h.server("rail/trains-mcp")
	if moved.Slug != first.Slug || moved.ID != first.ID {
		t.Errorf("the repository that moved lost its slug: %s, was %s", moved.Slug, first.Slug)
	}
	if second.Slug == first.Slug || second.ID == first.ID {
		t.Errorf("the repository that took the name took the record, too")
	}
}

func TestServerRemovedFromRepository(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	h.must(h.world.Push("rail/trains-mcp", map[string]string{
		"package.json": `{"name":"timetable-pages","version":"2.0.0"}`,
		"index.js":     "console.log('trains')", "README.md": "# Timetable pages\n\nStatic pages.",
	}))
	h.later(20 * 24 * time.Hour)
	h.refresh()
	w := h.work("rail/trains-mcp")
	if w.Misses != 0 || w.FetchedAt == nil {
		t.Errorf("got %+v", w)
	}
	if w.State != "not_server" || len(h.servers("rail/trains-mcp")) != 0 ||
		h.status().Servers != 0 {
		t.Errorf("the repository is %s, listed are %+v, and the status says %d servers", w.State,
			h.servers("rail/trains-mcp"), h.status().Servers)
	}
}

func TestMonorepo(t *testing.T) {
	h := newFixture(t)
	h.enqueue("nimbus-tools/toolbox")
	h.refresh()
	servers := h.servers("nimbus-tools/toolbox")
	slugs := map[string]bool{}
	for _, s := range servers {
		slugs[s.Slug] = true
	}
	if len(servers) != 4 || len(slugs) != 4 {
		t.Errorf("got %d servers with %d slugs, want 4", len(servers), len(slugs))
	}
}

func TestReportWithoutADatabase(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"), noServer("cook/book"))
	in := &jobs.Ingester{Facts: jobs.NoFacts{}, SDK: h.enrich.SDK, Hosts: h.hosts(), Reader: h.reader,
		Log: slog.New(slog.DiscardHandler), Now: h.clock.Now}
	r, err := jobs.CheckOnce(t.Context(), in, h.enrich, ref("rail/trains-mcp"))
	if err != nil || len(r.Servers) != 1 || r.Servers[0].Server.Health.Score == nil {
		t.Fatalf("got %+v, %v", r, err)
	}
	if r.Servers[0].Server.LatestVersion != "1.2.0" {
		t.Errorf("package services were not asked: version %q", r.Servers[0].Server.LatestVersion)
	}
	r, err = jobs.CheckOnce(t.Context(), in, h.enrich, ref("cook/book"))
	if err != nil || len(r.Servers) != 0 || r.Reason == "" {
		t.Errorf("no server: got %+v, %v", r, err)
	}
	r, err = jobs.CheckOnce(t.Context(), in, h.enrich, ref("no/body"))
	if err != nil || r.Status != registry.CheckNotFound {
		t.Errorf("not found: got %+v, %v", r, err)
	}
}

// list puts an entry of the official registry down for a repository.
func (h *fixture) list(name string, packages ...registry.Package) {
	h.t.Helper()
	_, err := h.db.Enqueue(h.t.Context(),
		[]registry.Candidate{{Ref: ref(name), Source: "official-registry",
			Listing: &registry.Listing{
				Name: "io.github." + name, Description: "Trains of the region", Version: "1.0.0",
				Status: "active", RepoURL: "https://github.com/" + name, Packages: packages,
			}}}, h.clock.Now())
	h.must(err)
}

func TestEmptiedRepository(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	before := h.server("rail/trains-mcp")
	h.must(h.world.Clear("rail/trains-mcp"))
	h.later(20 * 24 * time.Hour)
	h.refresh()
	if got := h.servers("rail/trains-mcp"); len(got) != 0 {
		t.Errorf("it is listed still: %+v", got)
	}
	if _, err := pgtest.Find(t, h.db, before.Slug); !errors.Is(err, registry.ErrGone) {
		t.Errorf("asked for its slug: %v", err)
	}
	if w := h.work("rail/trains-mcp"); w.State != "empty" {
		t.Errorf("the repository is %s", w.State)
	}
	h.must(h.world.Push("rail/trains-mcp",
		map[string]string{"package.json": `{"name":"trains-mcp","bin":"x.js","dependencies":{"@modelcontextprotocol/sdk":"^1.0.0"}}`,
			"README.md": "# Trains MCP server\n\nAn MCP server for trains of the region."}))
	h.later(31 * 24 * time.Hour)
	h.refresh()
	if back := h.server("rail/trains-mcp"); back.Slug != before.Slug ||
		back.Status != registry.StatusActive {
		t.Errorf("filled again: slug %s (was %s), status %s", back.Slug, before.Slug, back.Status)
	}
}

func TestEmptiedRepositoryInRegistry(t *testing.T) {
	npm := registry.Package{RegistryType: "npm", Identifier: "trains-mcp", Version: "1.0.0"}
	for name, c := range map[string]struct {
		packages []registry.Package
		change   func(h *fixture) error
		status   string // "" for not listed
		health   string
		says     string
	}{
		"emptied, with a package": {[]registry.Package{npm},
			func(h *fixture) error {
				return h.world.Clear(
					"rail/trains-mcp")
			}, registry.StatusUnreachable, registry.HealthEmpty, "no commit"},
		"emptied, nothing to run": {nil,
			func(h *fixture) error { return h.world.Clear("rail/trains-mcp") }, "", "", ""},
		"code taken out": {[]registry.Package{npm}, takeOut, registry.StatusUnreachable,
			registry.HealthScored, "only the official registry"},
		"code taken out, no package": {nil, takeOut, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t, aServer("rail/trains-mcp"))
			h.list("rail/trains-mcp", c.packages...)
			h.refresh()
			if s := h.server("rail/trains-mcp"); s.Status != registry.StatusActive {
				t.Fatalf("before: %s", s.Status)
			}
			h.must(c.change(h))
			h.later(20 * 24 * time.Hour)
			h.refresh()
			servers := h.servers("rail/trains-mcp")
			if c.status == "" {
				if len(servers) != 0 {
					t.Errorf("it is listed still as %s: %s", servers[0].Status,
						servers[0].StatusMessage)
				}
				return
			}
			if len(servers) != 1 || servers[0].Status != c.status ||
				servers[0].Health.Status != c.health ||
				!strings.Contains(servers[0].StatusMessage, c.says) {
				t.Errorf("got %+v", servers)
			}
			if slices.Contains(servers[0].Health.Flags, "missing") {
				t.Error("the code host has it, but it is called missing")
			}
		})
	}
}

// takeOut removes everything but a notice.
func takeOut(h *fixture) error {
	files := map[string]string{"NOTICE": "Nothing here."}
	for _, f := range h.work("rail/trains-mcp").Stored.Files {
		files[f.Path] = ""
	}
	return h.world.Push("rail/trains-mcp", files)
}

func TestMissingRepositoryFlag(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	h.must(h.world.Delete("rail/trains-mcp"))
	h.later(20 * 24 * time.Hour)
	h.refresh()
	if s := h.server("rail/trains-mcp"); !slices.Contains(s.Health.Flags, "missing") {
		t.Errorf("flags are %v", s.Health.Flags)
	}
}

func TestCheckOfRepositoryWithoutCommits(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.must(h.world.Clear("rail/trains-mcp"))
	r := h.check(h.checker(), "rail/trains-mcp")
	if r.Status != registry.CheckDone || !r.Empty || len(r.Servers) != 0 || r.Reason == "" {
		t.Errorf("%+v", r)
	}
}

func TestFolderActivityFailure(t *testing.T) {
	h := newFixture(t)
	h.enqueue("nimbus-tools/toolbox")
	h.refresh()
	before := h.servers("nimbus-tools/toolbox")
	h.must(h.world.Push("nimbus-tools/toolbox", map[string]string{"NEWS.md": "All is new."}))
	h.later(20 * 24 * time.Hour)
	h.world.Fail(fakegithub.Fault{Path: "/git/", Contains: "deepen-since",
		Status: http.StatusBadGateway})
	asked := 0
	c := h.crawler()
	c.Hosts = jobs.Hosts{registry.GitHub: hostWith{Host: h.github,
		paths: func(registry.Repository) { asked++ }}}
	refresh := func() (n int) {
		t.Helper()
		asked = 0
		n, err := c.Refresh(t.Context(), 0)
		h.must(err)
		return n
	}
	refresh()
	after := h.servers("nimbus-tools/toolbox")
	if len(before) != 4 || len(after) != 4 {
		t.Fatalf("%d and %d servers", len(before), len(after))
	}
	seen := 0
	for i, s := range after {
		if was := before[i]; was.Subfolder != "" && was.LastCommitAt != nil {
			seen++
			if s.LastCommitAt == nil || !s.LastCommitAt.Equal(*was.LastCommitAt) {
				t.Errorf("%s: the last commit was %v, and is %v", s.Subfolder, was.LastCommitAt,
					s.LastCommitAt)
			}
		}
	}
	if seen == 0 {
		t.Fatal("no commits were known before: nothing to see")
	}
	h.world.ClearFaults()
	h.later(2 * time.Hour)
	_, err := h.db.Enqueue(t.Context(), []registry.Candidate{{Ref: ref("nimbus-tools/toolbox"), Force: true}},
		h.clock.Now())
	h.must(err)
	if n := refresh(); n != 1 {
		t.Fatalf("%d visits", n)
	}
	if asked != 0 {
		t.Errorf("asked %d times, two hours after the failure", asked)
	}
	// They are asked for again within a day, push or not.
	h.later(25 * time.Hour)
	refresh()
	if asked == 0 {
		t.Error("they are not asked for again")
	}
}

// TestVisitWithoutFiles tests a host that responds, but does not return the files that
// identify a server.
func TestVisitWithoutFiles(t *testing.T) {
	bad := func(path, asks string) fakegithub.Fault {
		return fakegithub.Fault{Path: path, Contains: asks, Status: http.StatusBadGateway,
			Body: "<html>Bad gateway</html>"}
	}
	manifest := `{"name":"trains-mcp","version":"1.3.0","license":"MIT","bin":"index.js",` +
		`"dependencies":{"@modelcontextprotocol/sdk":"^1.21.0"}}`
	blob := gittest.Object{Kind: "blob", Data: []byte(manifest)}
	for name, faults := range map[string][]fakegithub.Fault{
		"refs":                        {bad("/git/", "command=ls-refs")},
		"listing":                     {bad("/git/", "filter blob:none")},
		"texts":                       {bad("/git/", "want "+blob.ID())},
		"both, and what GraphQL says": {bad("/git/", ""), bad("/github/graphql", "")},
	} {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t, aServer("rail/trains-mcp"))
			h.enqueue("rail/trains-mcp")
			h.refresh()
			before := h.server("rail/trains-mcp")
			h.must(h.world.Push("rail/trains-mcp",
				map[string]string{"package.json": manifest, "NEWS.md": "1.3.0"}))
			h.later(20 * 24 * time.Hour)
			for _, f := range faults {
				h.world.Fail(f)
			}
			for range 9 {
				h.refresh()
				if d := cmp.Diff(before, h.server("rail/trains-mcp")); d != "" {
					t.Fatalf("what is stored changed:\n%s", d)
				}
				h.later(25 * time.Hour)
			}
			if s := h.status(); len(s.Failing) != 1 || s.Repositories["server"] != 1 {
				t.Errorf("it is not among the failing: %+v, %v", s.Failing, s.Repositories)
			}
			h.world.ClearFaults()
			if n := h.refresh(); n != 1 {
				t.Fatalf("visited %d after the failure, want 1", n)
			}
			if w := h.work("rail/trains-mcp"); w.Attempt != 0 || len(w.Stored.Failures) > 0 {
				t.Errorf("after the failure: attempt %d, failures %v", w.Attempt, w.Stored.Failures)
			}
			if s := h.server("rail/trains-mcp"); s.Repo.Commit == before.Repo.Commit {
				t.Error("the push is not seen after the failure")
			}
		})
	}
}

// Missing files prove nothing on the first visit either: neither to the queue nor to clients
// of checks.
func TestMissingFilesRetried(t *testing.T) {
	bad := func(h *fixture) {
		h.world.Fail(fakegithub.Fault{Path: "/git/", Contains: "command=fetch",
			Status: http.StatusBadGateway, Body: "<html>Bad gateway</html>"})
	}
	h := newFixture(t, aServer("rail/trains-mcp"))
	bad(h)
	h.enqueue("rail/trains-mcp")
	h.refresh()
	h.world.ClearFaults()
	h.later(25 * time.Hour)
	h.refresh()
	h.server("rail/trains-mcp")

	h = newFixture(t, aServer("rail/trains-mcp"))
	bad(h)
	if r, err := h.checker().Check(t.Context(), ref("rail/trains-mcp")); !errors.Is(err,
		registry.ErrUnavailable) {
		t.Errorf("the check says %+v, %v", r, err)
	}
}

// listAs stores an entry of the official registry for a repository.
func (h *fixture) listAs(repo string, l registry.Listing) {
	h.t.Helper()
	l.RepoURL, l.RepoSource, l.ObservedAt = "https://github.com/"+
		repo, registry.GitHub, h.clock.Now()
	if l.Status == "" {
		l.Status = "active"
	}
	_, err := h.db.Enqueue(h.t.Context(),
		[]registry.Candidate{{Ref: ref(repo), Source: "official-registry",
			Listing: &l}}, h.clock.Now())
	h.must(err)
}

func TestListingOfOtherOwner(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	before := h.server("rail/trains-mcp")
	for _, status := range []string{"active", "deprecated", "deleted"} {
		h.later(time.Hour)
		h.listAs("rail/trains-mcp", registry.Listing{
			Name: "io.github.evil/trains", Title: "Evil", Description: "Send your key",
			Version: "9.0.0", Status: status, StatusText: "Use https://evil.dev",
			IconURL: "https://evil.dev/icon.png",
			Packages: []registry.Package{{RegistryType: "npm",
				Identifier: "evil-trains"}},
			Remotes: []registry.Remote{{Type: registry.TransportHTTP,
				URL: "https://mcp.evil.dev/mcp"}},
		})
		h.later(20 * 24 * time.Hour)
		h.refresh()
		check := func(what string) {
			t.Helper()
			s := h.server("rail/trains-mcp")
			if s.RegistryName != "" || s.Title != before.Title || s.Name != before.Name ||
				s.Description != before.Description || s.Icon != "" ||
				s.InstallCommand != before.InstallCommand ||
				len(s.Remotes) != 0 || s.Verified || s.Official ||
				s.Status != registry.StatusActive {
				t.Errorf("%s, %s: %+v", status, what, s)
			}
			for _, c := range s.Health.Caps {
				if strings.HasPrefix(c.ID, "registry_") || strings.HasPrefix(c.ID, "deprecated_") {
					t.Errorf("%s, %s: %s", status, what, c.Reason)
				}
			}
		}
		check("unchanged files")
		h.must(h.world.Push("rail/trains-mcp",
			map[string]string{"CHANGES.md": "For " + status + "."}))
		h.later(20 * 24 * time.Hour)
		h.refresh()
		check("read again")
	}
	// The owner's own entry counts, although it is after the other in order.
	h.listAs("rail/trains-mcp",
		registry.Listing{Name: "io.github.rail/trains-mcp", Title: "Trains of the region",
			Version: "1.0.0"})
	h.later(20 * 24 * time.Hour)
	h.refresh()
	if s := h.server("rail/trains-mcp"); s.RegistryName != "io.github.rail/trains-mcp" ||
		s.Title != "Trains of the region" || s.Verified { // no file names the entry
		t.Errorf("the owner's entry: named %q, titled %q, verified %v", s.RegistryName, s.Title,
			s.Verified)
	}
}

func TestListingOfFormerOwner(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.listAs("rail/trains-mcp",
		registry.Listing{Name: "io.github.rail/trains-mcp", Title: "Trains of the region",
			Version: "1.0.0"})
	h.refresh()
	h.must(h.world.Rename("rail/trains-mcp", "tram/trains-mcp"))
	h.later(20 * 24 * time.Hour)
	h.refresh()
	if s := h.server("tram/trains-mcp"); s.RegistryName != "io.github.rail/trains-mcp" {
		t.Errorf("named %q", s.RegistryName)
	}
}

func TestCopyWithNameOfOriginal(t *testing.T) {
	named := func(name string) *registry.Server {
		s := jobs.Score(registry.Facts{
			Repo: registry.Repository{Host: registry.GitHub, Owner: "copy",
				Name: "trains-mcp"},
			Detection: registry.Detection{IsServer: true, RegistryName: name, ServerJSON: true,
				Marks: []string{detect.NameMark + name}}, ListingKnown: true,
		}, time.Now()).Server
		return &s
	}
	for _, name := range []string{"io.github.rail/trains-mcp", "com.company/trains",
		"io.github.copy/not-listed"} {
		if s := named(name); s.RegistryName != "" {
			t.Errorf("files that claim %s make it the name in the official registry, which does not list them", s.RegistryName)
		}
	}
}

func TestVerified(t *testing.T) {
	f := registry.Facts{
		Repo: registry.Repository{Host: registry.GitHub, Owner: "rail", Name: "trains-mcp", ObservedAt: time.Now()},
		Detection: registry.Detection{RegistryName: "com.company/trains",
			Marks: []string{"npm:trains-mcp"}},
		Listing: &registry.Listing{Name: "com.company/trains", Status: "active",
			RepoURL: "https://github.com/rail/trains-mcp"},
	}
	if jobs.Score(f, time.Now()).Server.Verified {
		t.Error("the entry names the repository, and nothing in the repository names the entry")
	}
	f.Detection.Marks = append(f.Detection.Marks, "mcp:com.company/trains")
	if !jobs.Score(f, time.Now()).Server.Verified {
		t.Error("entry and files name each other")
	}
	f.Repo.ObservedAt = time.Time{}
	if jobs.Score(f, time.Now()).Server.Verified {
		t.Error("the repository was not read")
	}
}

// TestIssuesAreReadLater checks that the first visit does not wait for issues, that the next one
// reads them once, and that its result is stored and scored.
func TestIssuesAreReadLater(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"), noServer("cook/book"))
	h.enqueue("rail/trains-mcp", "cook/book")
	h.refresh()
	if n := h.asked("query Issues"); n != 0 {
		t.Errorf("%d queries at the first visit", n)
	}
	responsiveness := func() string {
		for _, c := range h.server("rail/trains-mcp").Health.Categories[0].Checks {
			if c.ID == "responsiveness" {
				return c.State
			}
		}
		return ""
	}
	before := responsiveness()
	h.later(11 * time.Minute)
	h.world.Fail(fakegithub.Fault{Path: "/github/graphql", Contains: "query Issues",
		Status: http.StatusOK, Body: `{"data":{"nodes":[null]}}`})
	if n := h.refresh(); n != 1 || h.asked("query Issues") != 1 {
		t.Errorf("%d visits and %d queries after eleven minutes", n, h.asked("query Issues"))
	}
	if w := h.work("rail/trains-mcp"); w.Stored.Issues != nil || w.Stored.Failures["issues"] == "" ||
		w.Attempt != 0 {
		t.Errorf("failed: stored %+v, %v", w.Stored.Issues, w.Stored.Failures)
	}
	h.world.ClearFaults()
	h.world.ClearRequests()
	h.later(25 * 24 * time.Hour) // longer than a failure counts
	h.refresh()
	if w := h.work("rail/trains-mcp"); w.Stored.Issues == nil || w.Stored.Issues.Opened == 0 {
		t.Errorf("stored %+v", w.Stored.Issues)
	}
	if after := responsiveness(); before == after {
		t.Errorf("the check was %q and is %q", before, after)
	}
	h.later(5 * 24 * time.Hour)
	h.refresh()
	if n := h.asked("query Issues"); n != 1 {
		t.Errorf("%d queries five days later", n)
	}
	h.later(20 * 24 * time.Hour)
	h.refresh() // in full
	h.later(11 * time.Minute)
	h.refresh()
	if n := h.asked("query Issues"); n != 2 {
		t.Errorf("%d queries after three weeks", n)
	}
}

// filesAsked returns the number of requests for files, and of files in them.
func (h *fixture) filesAsked() (requests, files int) {
	for _, r := range h.world.Requests() {
		if strings.Contains(r.Body, "command=fetch") && !strings.Contains(r.Body, "filter ") {
			requests++
			files += strings.Count(r.Body, "want ")
		}
	}
	return requests, files
}

func TestUnchangedFilesNotRead(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.github.Contents.Texts = h.db.Texts
	h.enqueue("rail/trains-mcp")
	h.refresh()
	id := h.work("rail/trains-mcp").ID
	before, err := h.db.Texts(t.Context(), id)
	h.must(err)
	if before["package.json"] == "" || before["README.md"] == "" {
		t.Fatalf("read only %d texts", len(before))
	}

	// A file that nobody reads: no text is asked for.
	h.must(h.world.Push("rail/trains-mcp", map[string]string{"notes/of-today.txt": "nothing"}))
	h.later(20 * 24 * time.Hour)
	h.world.ClearRequests()
	h.refresh()
	if n, _ := h.filesAsked(); n != 0 {
		t.Errorf("%d requests for texts that are stored", n)
	}
	if after, err := h.db.Texts(t.Context(), id); err != nil || len(after) != len(before) ||
		after["README.md"] != before["README.md"] {
		t.Errorf("%d texts are stored of %d, %v", len(after), len(before), err)
	}

	// A README: it alone is asked for.
	h.must(h.world.Push("rail/trains-mcp",
		map[string]string{"README.md": "# Trains MCP Server\n\nAll the trains of the country, by number.\n"}))
	h.later(20 * 24 * time.Hour)
	h.world.ClearRequests()
	h.refresh()
	if n, files := h.filesAsked(); n != 1 || files != 1 {
		t.Errorf("%d requests for %d files", n, files)
	}
	after, err := h.db.Texts(t.Context(), id)
	h.must(err)
	if after["README.md"] == before["README.md"] ||
		after["package.json"] != before["package.json"] {
		t.Errorf("stored %q", after)
	}
	if s := h.server("rail/trains-mcp"); len(s.Packages) == 0 {
		t.Error("the server lost its package")
	}
}

func TestListingAfterVisit(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	if name := h.server("rail/trains-mcp").RegistryName; name != "" {
		t.Fatalf("listed as %q before the registry was read", name)
	}
	listing := registry.Listing{
		Name: "io.github.rail/trains-mcp", Status: "active", Version: "1.0.0", Subfolder: "",
		RepoURL: "https://github.com/rail/trains-mcp", RepoSource: registry.GitHub,
		ObservedAt: h.clock.Now(),
	}
	save := func() {
		t.Helper()
		found := registry.Candidate{Ref: registry.RepoRef{Host: registry.GitHub, Owner: "rail",
			Name: "trains-mcp"}, Source: "official-registry", Listing: &listing}
		if _, err := h.db.Enqueue(t.Context(), []registry.Candidate{found},
			h.clock.Now()); err != nil {
			t.Fatal(err)
		}
	}
	save()
	h.later(time.Second)
	h.refresh()
	if name := h.server("rail/trains-mcp").RegistryName; name != listing.Name {
		t.Errorf("listed as %q, want %q: a new listing makes its repository due", name,
			listing.Name)
	}
	h.later(time.Second)
	listing.ObservedAt = h.clock.Now()
	save()
	h.later(time.Second)
	if due := h.status().Due; due != 0 {
		t.Errorf("%d repositories are due for a listing that says what it said before", due)
	}
}
