package postgres_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/registry"
)

func TestUnchangedRecord(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	crawled(t, db, "octo/weather", 7, start, "")
	visit := func(now time.Time, change func(*registry.Server)) (seq int64) {
		t.Helper()
		w := lease(t, db, 1, now)[0]
		repo := observed("octo/weather", 7, now)
		r := fetched(w, repo, now, "")
		r.NextAt = now
		if change != nil {
			change(&r.Scored[0].Server)
		}
		save(t, db, r)
		return lastSeq(t, db)
	}
	w := lease(t, db, 1, at(24))[0]
	same := fetched(w, observed("octo/weather", 7, start), start, "")
	same.Now, same.NextAt = at(24), at(30)
	save(t, db, same)
	if lastSeq(t, db) != 1 {
		t.Error("the same bytes got a number")
	}
	first, _ := pgtest.Find(t, db, "octo-weather")
	if seq := visit(at(48), nil); seq != 2 {
		t.Errorf("a day later, only times differ: number %d, want 2", seq)
	}
	if seq := visit(at(50), nil); seq != 2 {
		t.Errorf("soon after, only times differ: number %d, want 2", seq)
	}
	if seq := visit(at(51), func(s *registry.Server) { s.Readme += " more" }); seq != 3 {
		t.Errorf("the README changed: number %d, want 3", seq)
	}
	if seq := visit(at(52), func(s *registry.Server) { s.Stars = new(3) }); seq != 4 {
		t.Errorf("stars changed: number %d, want 4", seq)
	}
	suspicious := func(read time.Time) func(*registry.Server) {
		return func(s *registry.Server) {
			s.Stars, s.VersionAt = new(3), &read
			s.Suspicious = []registry.SuspiciousText{{Rule: "R1", Tool: "get", ReadAt: &read}}
		}
	}
	if seq := visit(at(53), suspicious(at(53))); seq != 5 {
		t.Errorf("a tool became suspicious: number %d, want 5", seq)
	}
	if seq := visit(at(54), suspicious(at(54))); seq != 5 {
		t.Errorf("its texts were read again: number %d, want 5", seq)
	}
	last, err := pgtest.Find(t, db, "octo-weather")
	if err != nil || !last.ListedAt.Equal(start) || !last.UpdatedAt.Equal(at(53)) ||
		!first.UpdatedAt.Equal(start) {
		t.Errorf("listed %v, updated %v, %v", last.ListedAt, last.UpdatedAt, err)
	}
}

func TestRemovedServers(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	crawled(t, db, "octo/many", 7, start, "a", "b")
	w := lease(t, db, 1, at(30))[0]
	save(t, db, fetched(w, observed("octo/many", 7, at(30)), at(30), "a"))
	_, removed, _, err := db.ServersAfter(t.Context(), 2, 10)
	if err != nil || len(removed) != 1 || removed[0].Slug != "octo-many-b" || !removed[0].Gone {
		t.Errorf("removed: %+v %v", removed, err)
	}
	if _, err := pgtest.Find(t, db, "octo-many-b"); !errors.Is(err, registry.ErrGone) {
		t.Errorf("the one that vanished: %v, want ErrGone", err)
	}
	// The repository disappears, and nothing is lost.
	w = lease(t, db, 1, at(60))[0]
	gone := fetched(w, observed("octo/many", 7, at(60)), at(60), "a")
	gone.Visit.Outcome, gone.Visit.Snapshot, gone.State = registry.Missing, nil, "gone"
	gone.Scored[0].Server.Status = registry.StatusDeleted
	save(t, db, gone)
	if _, err := pgtest.Find(t, db, "octo-many-a"); !errors.Is(err, registry.ErrGone) {
		t.Errorf("after the repository has gone: %v, want ErrGone", err)
	}
	w = lease(t, db, 1, at(100))[0]
	save(t, db, fetched(w, observed("octo/many", 7, at(100)), at(100), "a", "b"))
	if got, want := slugs(t, db), "octo-many-a octo-many-b"; got != want {
		t.Errorf("after it has come back: %s, want %s", got, want)
	}
	s, _ := pgtest.Find(t, db, "octo-many-b")
	if !s.ListedAt.Equal(start) {
		t.Errorf("first listed %v, want %v", s.ListedAt, start)
	}
}

func TestHideAndUnhide(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	crawled(t, db, "octo/weather", 7, start, "")
	if err := db.Hide(t.Context(), "octo-weather", "spam\x00"); err != nil {
		t.Fatal(err)
	}
	_, removed, _, err := db.ServersAfter(t.Context(), 1, 10)
	if err != nil || len(removed) != 1 || removed[0].Gone {
		t.Errorf("removed: %+v %v", removed, err)
	}
	if _, err := pgtest.Find(t, db, "octo-weather"); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("hidden: %v, want ErrNotFound", err)
	}
	w := lease(t, db, 1, at(30))[0]
	r := fetched(w, observed("octo/weather", 7, at(30)), at(30), "")
	r.Scored[0].Server.Stars = new(5)
	save(t, db, r)
	if got := slugs(t, db); got != "" {
		t.Errorf("a visit shows a hidden server: %s", got)
	}
	if err := db.Unhide(t.Context(), "octo-weather"); err != nil {
		t.Fatal(err)
	}
	if s, err := pgtest.Find(t, db, "octo-weather"); err != nil || *s.Stars != 5 || time.Since(s.UpdatedAt) > time.Hour {
		t.Errorf("shown again: %v, updated %v, %v", s.Stars, s.UpdatedAt, err)
	}
	if err := db.Unhide(t.Context(), "octo-weather"); !errors.Is(err, registry.ErrConflict) {
		t.Errorf("unhide what is not hidden: %v", err)
	}
	if err := db.Hide(t.Context(), "no-such", "x"); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("hide what is not there: %v", err)
	}
}

// A reader that continues from its last number never misses a change, however writers overlap.
func TestChangeFeedConcurrently(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	const writers, each = 6, 20
	var all []registry.Candidate
	for i := range writers * each {
		all = append(all, candidate(fmt.Sprintf("o/r%d", i), int64(i+1)))
	}
	enqueue(t, db, start, all...)
	works := lease(t, db, len(all), start)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := make(map[string]int64)
	done := make(chan error, 1)
	go func() {
		done <- func() error {
			for after := int64(0); ; {
				finished := ctx.Err() != nil
				servers, _, last, err := db.RecordsAfter(t.Context(), after, 7)
				if err != nil {
					return err
				}
				for _, s := range servers {
					var read registry.Server
					if err := json.Unmarshal(s.Record, &read); err != nil ||
						read.Repo.Name != s.Repo.Name {
						return fmt.Errorf("the record of %s reads %q, %v", s.Slug, s.Record, err)
					}
					if s.Seq <= after {
						return fmt.Errorf("number %d came after %d", s.Seq, after)
					}
					seen[s.Slug] = s.Seq
				}
				if finished && last == after {
					return nil
				}
				after = last
			}
		}()
	}()
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range each {
				work := works[w*each+i]
				if err := db.SaveResult(t.Context(),
					fetched(work, observed(work.Ref.String(), work.HostID, start), start, "",
						"sub")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if want := 2 * writers * each; len(seen) != want || lastSeq(t, db) != int64(want) {
		t.Errorf("the reader saw %d servers and the last number is %d; want %d", len(seen),
			lastSeq(t, db), want)
	}
}

func TestListen(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	notes, err := db.Listen(ctx)
	if err != nil {
		t.Fatal(err)
	}
	crawled(t, db, "octo/weather", 7, start, "", "sub")
	select {
	case seq := <-notes:
		if seq != 2 {
			t.Errorf("told of %d, want 2", seq)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("not told of a change")
	}
	// A change happens while the connection is broken.
	breakConnections(t, db)
	if err := db.Hide(t.Context(), "octo-weather", "x"); err != nil {
		t.Fatal(err)
	}
	for seq := int64(0); seq != 3; {
		select {
		case seq = <-notes:
		case <-time.After(20 * time.Second):
			t.Fatal("not told after a broken connection")
		}
	}
	cancel()
	for range notes {
	}
}

func TestHostileText(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	nasty := "a\x00b\xff\xfe\u2028 \\u0000 \\\\u0000 \"'; DROP TABLE servers; -- " +
		strings.Repeat("<x>é", 60_000)
	c := candidate("octo/weather", 7)
	c.NodeID, c.Source = "R\x00\xff", "list\x00"
	c.Listing = &registry.Listing{Name: "io.github.octo/weather", Description: nasty,
		Status: "active"}
	enqueue(t, db, start, c)
	w := lease(t, db, 1, start)[0]
	repo := observed("octo/weather", 7, start)
	repo.Description = nasty
	r := fetched(w, repo, start, "", "sub\x00\xff", strings.Repeat("long/", 2000))
	r.Reason = nasty
	r.Visit.Snapshot.Texts["bad\x00\xff"] = nasty
	r.Visit.Snapshot.Texts[strings.Repeat("long/", 2000)] = "x"
	s := &r.Scored[0].Server
	s.Description, s.Readme, s.RegistryName, s.Tags = nasty, nasty, nasty, []string{nasty}
	s.Packages = []registry.Package{{RegistryType: "npm", Identifier: nasty},
		{RegistryType: "npm", Identifier: "ok\x00"}}
	r.Scored[0].Facts.Detection.Packages = s.Packages
	save(t, db, r)

	got, err := pgtest.Find(t, db, "octo-weather")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.ToValidUTF8(strings.ReplaceAll(nasty, "\x00", "\uFFFD"), "\uFFFD")
	// encoding/json replaces each invalid byte by U+FFFD.
	squash := func(s string) string {
		for strings.Contains(s, "\uFFFD\uFFFD") {
			s = strings.ReplaceAll(s, "\uFFFD\uFFFD", "\uFFFD")
		}
		return s
	}
	if squash(got.Description) != squash(want) || squash(got.Readme) != squash(want) {
		t.Errorf("description comes back as %.60q", got.Description)
	}
	if got, want := slugs(t, db), "octo-weather octo-weather-sub"; got != want {
		t.Errorf("slugs %s, want %s", got, want)
	}
	texts, err := db.Texts(t.Context(), w.ID)
	if err != nil || len(texts) != 2 || squash(texts["bad\uFFFD\uFFFD"]) != squash(want) {
		t.Errorf("texts: %d, %v", len(texts), err)
	}
	w = lease(t, db, 1, at(100))[0]
	if err := db.SaveResult(t.Context(),
		registry.Result{Visit: registry.Visit{Work: w, Outcome: registry.Failed,
			Err: errors.New(nasty)}, Now: at(100), NextAt: at(101)}); err != nil {
		t.Error(err)
	}
	if _, err := db.Status(t.Context(), at(100)); err != nil {
		t.Error(err)
	}
	// One that cannot be stored does not keep the others out.
	n, err := db.Enqueue(t.Context(),
		[]registry.Candidate{candidate("", 1), candidate(strings.Repeat("x", 5000)+"/y", 2),
			candidate("fine/one", 3)}, at(1))
	if n != 1 || !errors.Is(err, registry.ErrInvalid) || len(err.Error()) > 500 {
		t.Errorf("added %d, %.300v; want 1 and ErrInvalid", n, err)
	}
}

func TestSaveScores(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for i := range 30 {
		crawled(t, db, fmt.Sprintf("o/r%02d", i), int64(i+1), start, "")
	}
	var all []registry.Scored
	read := func() {
		t.Helper()
		all = nil
		if err := db.EachFacts(t.Context(), func(s registry.Scored) error {
			if s.Server.Slug != "o-"+s.Facts.Repo.Name || s.Server.Seq == 0 ||
				!s.Server.ListedAt.Equal(start) || !s.ReadmeKept {
				return fmt.Errorf("facts of %s came with %+v", s.Facts.Repo.Name, s.Server)
			}
			// without sources and README: the store has them
			again := scoredServer(s.Facts.Repo, "", 70)
			again.Server.ID, again.Server.Seq, again.Server.Readme, again.ReadmeKept = s.Server.ID,
				s.Server.Seq, "", true
			all = append(all, again)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	read()
	if n, err := db.SaveScores(t.Context(), all, start); n != 0 || err != nil ||
		lastSeq(t, db) != 30 {
		t.Errorf("the same scores: %d changed, %v", n, err)
	}
	for i := range 10 {
		all[i].Server.Health.Score = new(90 + i)
	}
	all[20].Facts.Packages = []registry.PackageFacts{{RegistryType: "npm", Identifier: "late"}}
	n, err := db.SaveScores(t.Context(), all, start)
	if n != 10 || err != nil || lastSeq(t, db) != 40 {
		t.Errorf("%d changed, %v, last number %d; want 10 and 40", n, err, lastSeq(t, db))
	}
	servers, _, _, err := db.ServersAfter(t.Context(), 30, 100)
	if err != nil || len(servers) != 10 || *servers[3].Health.Score != 93 ||
		servers[3].Slug != "o-r03" || servers[3].Readme != "# r03" ||
		len(servers[3].Sources) != 1 || servers[3].Sources[0].Name != "github" {
		t.Errorf("changes: %v %v", servers, err)
	}
	if ids, err := db.ServersWithPackages(t.Context(),
		[]registry.PackageKey{{RegistryType: "npm", Identifier: "late"}}); err != nil ||
		len(ids) != 1 || ids[0] != all[20].Server.ID {
		t.Errorf("servers with the package: %v %v", ids, err)
	}
	if ids, err := db.ServersWithPackages(t.Context(),
		[]registry.PackageKey{{RegistryType: registry.ProjectType,
			Identifier: "github.com/o/r03"}}); err != nil || len(ids) != 1 ||
		ids[0] != all[3].Server.ID {
		t.Errorf("servers of a project: %v %v", ids, err)
	}
	if f := pgtest.FactsOf(t, db, all[20].Server.ID); len(f.Packages) != 1 {
		t.Errorf("facts: %v", f.Packages)
	}
	// A score of data read before another write does not overwrite it.
	for i := range all {
		all[i].Server.Health.Score = new(1)
	}
	if n, err := db.SaveScores(t.Context(), all, start); n != 20 || err != nil {
		t.Errorf("%d changed, %v; want the 20 that nobody wrote since", n, err)
	}
	if s, _ := pgtest.Find(t, db, "o-r03"); *s.Health.Score != 93 {
		t.Errorf("overwritten with %d", *s.Health.Score)
	}
	read()
	var some []int64
	for _, s := range all[5:8] {
		some = append(some, s.Server.ID)
	}
	n = 0
	if err := db.FactsOf(t.Context(), some,
		func(registry.Scored) error { n++; return nil }); n != 3 || err != nil {
		t.Errorf("facts of three: %d, %v", n, err)
	}
	if _, err := db.SaveScores(t.Context(),
		[]registry.Scored{{Server: all[1].Server, Facts: registry.Facts{Gone: true},
			FactsKept: true}}, start); err != nil {
		t.Fatal(err)
	}
	if f := pgtest.FactsOf(t, db, all[1].Server.ID); f.Gone {
		t.Error("facts that were to stay are gone")
	}
	if s, err := pgtest.Find(t, db, "o-r01"); err != nil || s.Readme != "" {
		t.Errorf("a README that was removed: %q, %v", s.Readme, err)
	}
	stop := errors.New("stop")
	if err := db.EachFacts(t.Context(),
		func(registry.Scored) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("stopped: %v", err)
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	crawled(t, db, "octo/weather", 7, start, "")
	for range 2 {
		if n, err := db.SnapshotDay(t.Context(), start); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	w := lease(t, db, 1, at(24))[0]
	r := fetched(w, observed("octo/weather", 7, at(24)), at(24), "")
	r.Scored[0].Server.Stars, r.Scored[0].Server.Health.Score = new(9), nil
	r.Scored[0].Server.DownloadsBy = map[string]int64{"npm": 40}
	save(t, db, r)
	if _, err := db.SnapshotDay(t.Context(), at(24)); err != nil {
		t.Fatal(err)
	}
	days, err := db.History(t.Context(), "octo-weather", at(-48), at(24))
	if err != nil || len(days) != 2 {
		t.Fatal(days, err)
	}
	if d := days[0]; !d.Date.Equal(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)) ||
		*d.Score != 70 || d.Stars != nil {
		t.Errorf("first day %+v", d)
	}
	if d := days[1]; d.Score != nil || *d.Stars != 9 || d.DownloadsBy["npm"] != 40 {
		t.Errorf("second day %+v", d)
	}
	if days, err := db.History(t.Context(), "octo-weather", at(24), at(24)); err != nil ||
		len(days) != 1 || days[0].Score != nil {
		t.Errorf("the last day: %v %v", days, err)
	}
	many, err := db.Histories(t.Context(), []string{"octo-weather", "nobody", "a\x00b"}, at(-48),
		at(24))
	if err != nil || len(many) != 1 || len(many["octo-weather"]) != len(days) {
		t.Fatalf("many: %v %v", many, err)
	}
	for n, d := range days {
		d.Forks, d.DownloadsBy = nil, nil
		if got := many["octo-weather"][n]; !reflect.DeepEqual(got, d) {
			t.Errorf("day %d of many is %+v, want %+v", n, got, d)
		}
	}
}

func TestTrends(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	crawled(t, db, "octo/weather", 7, start, "")
	crawled(t, db, "octo/other", 8, start, "")
	if _, err := db.SnapshotDay(t.Context(), start); err != nil {
		t.Fatal(err)
	}
	for _, w := range lease(t, db, 2, at(24)) {
		r := fetched(w, observed(w.Ref.String(),
			map[string]int64{"octo/weather": 7,
				"octo/other": 8}[w.Ref.String()], at(24)), at(24), "")
		if w.Ref.String() == "octo/weather" {
			r.Scored[0].Server.Health.Score = new(83)
			r.Scored[0].Facts.Readme = &registry.ReadmeFacts{Path: "docs/README.md"}
			r.Visit.Snapshot.Texts = map[string]string{"docs/README.md": "# Weather",
				"README.md": "# Other"}
		}
		save(t, db, r)
	}
	growth, err := db.Growth(t.Context(), at(-24))
	if err != nil || len(growth) != 1 || growth[0].Servers != 2 || *growth[0].Score != 70 {
		t.Errorf("growth %+v, %v", growth, err)
	}
	r, err := db.Readme(t.Context(), "octo-weather")
	if err != nil || r != (registry.Readme{Path: "docs/README.md", Text: "# Weather"}) {
		t.Errorf("README %+v, %v", r, err)
	}
	if _, err := db.Readme(t.Context(), "octo-other"); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("no README: %v", err)
	}
	many, err := db.Readmes(t.Context(), []string{"octo-other", "octo-weather"})
	if want := map[string]registry.Readme{"octo-weather": r}; err != nil ||
		!maps.Equal(many, want) {
		t.Errorf("READMEs of many: %v, %v", many, err)
	}
	if err := db.Hide(t.Context(), "octo-weather", "a test"); err != nil {
		t.Fatal(err)
	}
	if many, err := db.Readmes(t.Context(), []string{"octo-weather"}); err != nil ||
		len(many) != 0 {
		t.Errorf("README of what is hidden, of many: %v, %v", many, err)
	}
	if _, err := db.SnapshotDay(t.Context(), at(24)); err != nil {
		t.Fatal(err)
	}
	growth, err = db.Growth(t.Context(), start)
	if err != nil || len(growth) != 2 || growth[0].Servers != 2 || growth[1].Servers != 1 {
		t.Errorf("growth since one was hidden: %+v, %v", growth, err)
	}
	if growth, err := db.Growth(t.Context(), at(48)); err != nil || len(growth) != 0 {
		t.Errorf("growth of days to come: %+v, %v", growth, err)
	}
	if _, err := db.Readme(t.Context(), "octo-weather"); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("README of what is hidden: %v", err)
	}
}
