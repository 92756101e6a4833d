package jobs_test

import (
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/github/fakegithub"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
)

func TestFetchedRepositoryIsListedWithItsFacts(t *testing.T) {
	h := newHouse(t, aServer("rail/trains-mcp"), noServer("cook/book"))
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

func TestUnchangedRepositoryIsOnlyProbed(t *testing.T) {
	h := newHouse(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	before := h.server("rail/trains-mcp")

	h.later(20 * time.Hour * 24) // its turn has come
	h.world.Forget()
	var outcomes []registry.Outcome
	c := h.crawler("worker/0")
	c.Observe.Visited = func(o registry.Outcome) { outcomes = append(outcomes, o) }
	if _, err := c.Refresh(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(outcomes, []registry.Outcome{registry.Unchanged}) {
		t.Fatalf("got outcomes %v", outcomes)
	}
	if n := h.asked("/repos/"); n != 0 {
		t.Errorf("%d REST requests for a repository that did not change", n)
	}
	if after := h.server("rail/trains-mcp"); after.Slug != before.Slug ||
		len(after.Tools) != len(before.Tools) || after.License != before.License {
		t.Errorf("a probe lost something: before %+v, after %+v", before, after)
	}
	h.must(h.world.Star("rail/trains-mcp", 500))
	h.later(20 * 24 * time.Hour)
	h.refresh()
	if s := h.server("rail/trains-mcp"); s.Stars == nil || *s.Stars != 500 {
		t.Errorf("the probe's stars are not stored: %v", s.Stars)
	}
}

func TestMissingRepositoryIsGoneOnlyAfterThreeMissesOver72Hours(t *testing.T) {
	h := newHouse(t, aServer("rail/trains-mcp"))
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

func TestMissedRepositoryThatComesBackIsActiveAtOnce(t *testing.T) {
	h := newHouse(t, aServer("rail/trains-mcp"))
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

func TestBlockedRepositoryLeavesTheListAndComesBack(t *testing.T) {
	h := newHouse(t, aServer("rail/trains-mcp"))
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
		t.Errorf("readers are told %+v, %v", removed, err)
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

func TestFailedVisitKeepsEverythingAndIsTriedAgain(t *testing.T) {
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
			h := newHouse(t, aServer("rail/trains-mcp"))
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
			h.world.Heal()
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

func TestEmptyRepositoryIsRecordedAsSuch(t *testing.T) {
	h := newHouse(t, "repo: rail/nothing\ncreated: 3d\nservers: 0\n")
	h.enqueue("rail/nothing")
	h.refresh()
	if got := h.status().Repositories; got["empty"] != 1 {
		t.Errorf("got states %v", got)
	}
	if got := h.servers("rail/nothing"); len(got) != 0 {
		t.Errorf("an empty repository is listed")
	}
}

func TestArchivedRepositoryScoresAtMost29(t *testing.T) {
	h := newHouse(t, aServer("rail/trains-mcp"))
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

func TestRenamedRepositoryKeepsItsSlug(t *testing.T) {
	h := newHouse(t, aServer("rail/trains-mcp"))
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

func TestNameTakenByAnotherRepositoryIsAnotherServer(t *testing.T) {
	h := newHouse(t, aServer("rail/trains-mcp"))
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

func TestServerThatLeftItsRepositoryLeavesTheList(t *testing.T) {
	h := newHouse(t, aServer("rail/trains-mcp"))
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

func TestMonorepoIsListedServerByServer(t *testing.T) {
	h := newHouse(t)
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
	h := newHouse(t, aServer("rail/trains-mcp"), noServer("cook/book"))
	in := &jobs.Ingester{Knowledge: jobs.NoKnowledge{}, SDK: h.enrich.SDK, Hosts: h.hosts(),
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
