package postgres_test

import (
	"database/sql"
	"errors"
	"testing"
	"time"

	"mcpcensus/internal/meter"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
)

func TestRename(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	const id = 6_442_450_951 // more than 32 bits
	crawled(t, db, "octo/weather", id, start, "")
	w := lease(t, db, 1, at(30))[0]
	save(t, db, fetched(w, observed("Octo-Labs/Forecast", id, at(30)), at(30), ""))

	s, err := pgtest.Find(t, db, "octo-weather")
	if err != nil || s.Repo.Owner != "Octo-Labs" || s.Slug != "octo-weather" {
		t.Errorf("by its slug: %v %v", s.Repo.FullName(), err)
	}
	for _, key := range []string{"github:octo/weather", "github:octo-labs/forecast"} {
		if servers := pgtest.ServersOf(t, db, key, 0); len(servers) != 1 {
			t.Errorf("by %s: %v", key, servers)
		}
	}
	// A list that still has the old name makes no new repository.
	if n := enqueue(t, db, at(31), candidate("octo/weather", 0), candidate("OCTO/weather", id),
		candidate("octo-labs/forecast", id)); n != 0 {
		t.Errorf("%d new repositories, want 0", n)
	}
}

func TestNameReused(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	crawled(t, db, "octo/weather", 7, start, "")
	// A source reports another id for the name. It may be wrong, so nothing is taken away, and
	// both are visited.
	if n := enqueue(t, db, at(2), candidate("octo/weather", 8)); n != 1 {
		t.Fatalf("%d new, want 1", n)
	}
	if id, err := db.RepositoryID(t.Context(), "github:octo/weather", 0); err != nil || id != 1 {
		t.Errorf("the name leads to %d, %v; want the first repository", id, err)
	}
	works := lease(t, db, 10, at(2))
	if len(works) != 2 {
		t.Fatalf("due: %s, want both", names(works))
	}
	for _, w := range works {
		switch w.HostID {
		case 7: // moved away
			save(t, db, fetched(w, observed("octo/old-weather", 7, at(2)), at(2), ""))
		case 8:
			save(t, db, fetched(w, observed("octo/weather", 8, at(2)), at(2), ""))
		}
	}
	if got, want := slugs(t, db), "octo-weather octo-weather-2"; got != want {
		t.Errorf("slugs %s, want %s", got, want)
	}
	if servers := pgtest.ServersOf(t, db, "github:octo/weather", 0); len(servers) != 1 ||
		servers[0].Repo.ID != 8 {
		t.Errorf("the name leads to %v; want the repository that has it", servers)
	}
	if servers := pgtest.ServersOf(t, db, "github:octo/weather", 7); len(servers) != 1 ||
		servers[0].Repo.ID != 7 {
		t.Errorf("by id: %v", servers)
	}
}

func TestOtherRepositoryReturned(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	crawled(t, db, "octo/weather", 7, start, "")
	w := lease(t, db, 1, at(30))[0]
	// It was requested by name, and another repository has that now.
	save(t, db, fetched(w, observed("octo/weather", 8, at(30)), at(30), ""))
	s, err := pgtest.Find(t, db, "octo-weather")
	if err != nil || s.Repo.ID != 7 {
		t.Errorf("the old record was overwritten: %v %v", s.Repo.ID, err)
	}
	works := lease(t, db, 10, at(30))
	if len(works) != 1 || works[0].HostID != 8 {
		t.Fatalf("the new repository is not queued: %+v", works)
	}
	save(t, db, fetched(works[0], observed("octo/weather", 8, at(30)), at(30), ""))
	if got, want := slugs(t, db), "octo-weather octo-weather-2"; got != want {
		t.Errorf("slugs %s, want %s", got, want)
	}
	old := lease(t, db, 10, at(60))
	for _, w := range old {
		if w.HostID == 7 && w.Misses != 1 {
			t.Errorf("the old repository has %d misses, want 1", w.Misses)
		}
	}
	if len(old) != 2 {
		t.Errorf("due later: %s, want both", names(old))
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	list := candidate("octo/old-name", 0)
	list.Source = "a list"
	enqueue(t, db, at(-10), list) // the older row, known only by a name
	crawled(t, db, "octo/weather", 7, start, "", "extra")
	works := lease(t, db, 10, at(2))
	if len(works) != 1 || works[0].Ref != ref("octo/old-name") {
		t.Fatalf("due: %s", names(works))
	}
	// The old name redirects.
	save(t, db, fetched(works[0], observed("octo/weather", 7, at(2)), at(2), "", "extra"))
	if id, err := db.RepositoryID(t.Context(), "github:octo/weather", 7); err != nil ||
		id != works[0].ID {
		t.Errorf("repository %d, %v; want the older row %d", id, err, works[0].ID)
	}
	if got, want := slugs(t, db), "octo-weather octo-weather-extra"; got != want {
		t.Errorf("slugs %s, want %s", got, want)
	}
	if servers := pgtest.ServersOf(t, db, "github:octo/old-name", 0); len(servers) != 2 ||
		len(servers[0].Sources) != 2 {
		t.Errorf("by the old name: %v", servers)
	}
	if works := lease(t, db, 10, at(100)); len(works) != 1 {
		t.Errorf("rows left: %s", names(works))
	}
}

func TestMergeServers(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	// Both rows have servers: the official registry described them before the
	// host was asked.
	for i, name := range []string{"octo/one", "octo/two"} {
		enqueue(t, db, at(float64(i)), candidate(name, 0))
		w := lease(t, db, 1, at(float64(i)))[0]
		r := fetched(w, registry.Repository{Host: registry.GitHub, Owner: w.Ref.Owner,
			Name: w.Ref.Name}, at(float64(i)), "")
		r.Visit.Outcome, r.Visit.Snapshot, r.NextAt = registry.ListedOnly, nil, at(10)
		save(t, db, r)
	}
	if got, want := slugs(t, db), "octo-one octo-two"; got != want {
		t.Fatalf("slugs %s, want %s", got, want)
	}
	addCounts(t, db, counted("a", 1, event(0, "octo-one", meter.EventView, 1),
		event(0, "octo-two", meter.EventView, 2)), start)
	addCounts(t, db, counted("a", 2, event(-100, "octo-one", meter.EventView, 3),
		event(-100, "octo-two", meter.EventView, 4)), start)
	for _, day := range []time.Time{start, at(24)} {
		if _, err := db.SnapshotDay(t.Context(), day); err != nil {
			t.Fatal(err)
		}
	}
	seq := lastSeq(t, db)
	works := lease(t, db, 2, at(10))
	other := works[1]
	save(t, db, fetched(works[0], observed("octo/two", 7, at(10)), at(10), ""))
	servers, removed, last, err := db.ServersAfter(t.Context(), seq, 100)
	if err != nil || len(servers) != 1 || len(removed) != 1 || last != lastSeq(t, db) {
		t.Fatalf("changes: %v %v %d %v", servers, removed, last, err)
	}
	if s := servers[0]; s.Slug != "octo-one" || len(s.OldSlugs) != 1 ||
		s.OldSlugs[0] != "octo-two" {
		t.Errorf("merged: %s, before %v", s.Slug, s.OldSlugs)
	}
	events := eventsOf(t, db, "octo-two")
	if events["2026-11-01"][meter.EventView] != 3 || events["2026-10-28"][meter.EventView] != 7 {
		t.Errorf("counts of both: %v", events)
	}
	own, err := sql.Open("postgres", db.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	var days, owners int
	if err := own.QueryRow(`SELECT count(*), count(DISTINCT server_id) FROM day_stats`).Scan(
		&days, &owners); err != nil || days != 2 || owners != 1 {
		t.Errorf("%d days of %d servers, %v; want 2 of the one that stays", days, owners, err)
	}
	if removed[0].Slug != "octo-two" || !removed[0].Deleted {
		t.Errorf("removed: %+v", removed[0])
	}
	s, err := pgtest.Find(t, db, "octo-two")
	if err != nil || s.Slug != "octo-one" {
		t.Errorf("by the old slug: %s %v", s.Slug, err)
	}
	if err := db.SaveResult(t.Context(),
		fetched(other, observed("octo/two", 7, at(10)), at(10),
			"")); !errors.Is(err, registry.ErrLeaseLost) {
		t.Errorf("result of a row that was merged away: %v, want ErrLeaseLost", err)
	}
	// The slug of the merged server is not given to another.
	crawled(t, db, "Octo/Two.", 9, at(11), "")
	if s, err := pgtest.Find(t, db, "octo-two-2"); err != nil || s.Slug != "octo-two-2" {
		t.Errorf("a new server with the same words: %v %v", s.Slug, err)
	}
}

func TestMergeHidden(t *testing.T) {
	t.Parallel()
	for _, hidden := range []string{"octo-one", "octo-two"} {
		db := pgtest.New(t)
		for i, name := range []string{"octo/one", "octo/two"} {
			enqueue(t, db, at(float64(i)), candidate(name, 0))
			w := lease(t, db, 1, at(float64(i)))[0]
			r := fetched(w, registry.Repository{Host: registry.GitHub, Owner: w.Ref.Owner,
				Name: w.Ref.Name}, at(float64(i)), "")
			r.Visit.Outcome, r.Visit.Snapshot, r.NextAt = registry.ListedOnly, nil, at(10)
			save(t, db, r)
		}
		if err := db.Hide(t.Context(), hidden, "malware"); err != nil {
			t.Fatal(err)
		}
		save(t, db, fetched(lease(t, db, 2, at(10))[0], observed("octo/two", 7, at(10)), at(10),
			""))
		servers, _, _, err := db.ServersAfter(t.Context(), 0, 100)
		if err != nil || len(servers) != 0 {
			t.Errorf("%s was hidden, and %d servers are listed (%v)", hidden, len(servers), err)
		}
	}
}

func TestSlugCollision(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	crawled(t, db, "octo/weather-mcp", 1, start, "")
	crawled(t, db, "octo-weather/mcp", 2, start, "")
	crawled(t, db, "octo/weather", 3, start, "mcp", "Mcp", "src/mcp")
	if got, want := slugs(t,
		db), "octo-weather-mcp octo-weather-mcp-2 octo-weather-mcp-3 octo-weather-mcp-4 octo-weather-src-mcp"; got != want {
		t.Errorf("slugs %s\nwant  %s", got, want)
	}
}

func TestSourceWithWrongIDs(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	crawled(t, db, "octo/weather", 7, start, "")
	// An entry names its own repository with another's id.
	if n := enqueue(t, db, at(1), candidate("evil/repo", 7)); n != 0 {
		t.Errorf("%d new", n)
	}
	if servers := pgtest.ServersOf(t, db, "github:octo/weather", 0); len(servers) != 1 {
		t.Errorf("by its name: %v", servers)
	}
	if servers := pgtest.ServersOf(t, db, "github:evil/repo", 0); len(servers) != 0 {
		t.Error("the other name leads to the repository")
	}
}

// named is a repository that was read by its name, without the host's id.
func named(fullName string, when time.Time) registry.Repository {
	r := observed(fullName, 0, when)
	r.NodeID = ""
	return r
}

// byName visits the due repository with a name, and stores that it was read as a name leads now.
func byName(t *testing.T, db *postgres.DB, name, now string, when time.Time) {
	t.Helper()
	for _, w := range lease(t, db, 10, when) {
		if w.Ref == ref(name) {
			save(t, db, fetched(w, named(now, when), when, ""))
			return
		}
	}
	t.Fatalf("%s is not due", name)
}

// TestNamed stores repositories by name until their id is known: then they are one row with one
// slug.
func TestNamed(t *testing.T) {
	for _, tc := range []struct {
		title  string
		before func(t *testing.T, db *postgres.DB)
		slugs  string // before the id is known
	}{
		{"its only row", func(t *testing.T, db *postgres.DB) {
			enqueue(t, db, start, candidate("octo/weather", 0))
			byName(t, db, "octo/weather", "octo/weather", start)
		}, "octo-weather"},
		{"a source named another id", func(t *testing.T, db *postgres.DB) {
			enqueue(t, db, start, candidate("octo/weather", 3))
			byName(t, db, "octo/weather", "octo/weather", start)
		}, "octo-weather"},
		{"a source named its id afterwards", func(t *testing.T, db *postgres.DB) {
			enqueue(t, db, start, candidate("octo/weather", 0))
			byName(t, db, "octo/weather", "octo/weather", start)
			enqueue(t, db, start, candidate("octo/weather", 7))
		}, "octo-weather"},
		{"the name leads to a new one", func(t *testing.T, db *postgres.DB) {
			enqueue(t, db, start, candidate("octo/old", 0))
			byName(t, db, "octo/old", "octo/weather", start)
		}, "octo-weather"},
		{"renamed after it was read", func(t *testing.T, db *postgres.DB) {
			enqueue(t, db, start, candidate("octo/old", 0))
			byName(t, db, "octo/old", "octo/old", start)
			byName(t, db, "octo/old", "octo/weather", at(48))
		}, "octo-old"},
		{"the new name is known by name", func(t *testing.T, db *postgres.DB) {
			enqueue(t, db, start, candidate("octo/weather", 0))
			byName(t, db, "octo/weather", "octo/weather", start)
			enqueue(t, db, at(0.5), candidate("octo/old", 0))
			byName(t, db, "octo/old", "octo/weather", at(0.5))
		}, "octo-weather"},
		{"the new name has an id", func(t *testing.T, db *postgres.DB) {
			crawled(t, db, "octo/weather", 7, start, "")
			enqueue(t, db, at(0.5), candidate("octo/old", 0))
			byName(t, db, "octo/old", "octo/weather", at(0.5))
		}, "octo-weather"},
	} {
		t.Run(tc.title, func(t *testing.T) {
			t.Parallel()
			db := pgtest.New(t)
			tc.before(t, db)
			if got := slugs(t, db); got != tc.slugs {
				t.Errorf("slugs %s, want %s", got, tc.slugs)
			}
			for _, w := range lease(t, db, 10, at(100)) {
				result := fetched(w, observed("octo/weather", 7, at(100)), at(100), "")
				err := db.SaveResult(t.Context(), result)
				if err != nil && !errors.Is(err, registry.ErrLeaseLost) { // its row was merged
					t.Fatal(err)
				}
			}
			if got := slugs(t, db); got != tc.slugs {
				t.Errorf("slugs %s with an id, want %s", got, tc.slugs)
			}
			works := lease(t, db, 10, at(1000))
			if len(works) != 1 || works[0].HostID != 7 || works[0].Ref != ref("octo/weather") {
				t.Errorf("rows: %s, %+v", names(works), works)
			}
			if s := pgtest.ServersOf(t, db, "github:octo/weather", 7); len(s) != 1 {
				t.Errorf("%d servers", len(s))
			}
		})
	}
}
