package postgres_test

import (
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jmoiron/sqlx"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
)

func TestSaveResult(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	c := candidate("Octo/Weather", 0)
	c.Listing = &registry.Listing{Name: "io.github.octo/weather", Status: "active"}
	if n := enqueue(t, db, start, c); n != 1 {
		t.Fatalf("added %d, want 1", n)
	}
	w := lease(t, db, 10, start)[0]
	if w.Ref != ref("Octo/Weather") || w.Stored != nil || w.FetchedAt != nil {
		t.Errorf("work of a new repository: %+v", w)
	}
	repo := observed("octo/weather", 7, start)
	repo.Stars = new(12)
	result := fetched(w, repo, start, "")
	save(t, db, result)

	servers, removed, last, err := db.ServersAfter(t.Context(), 0, 10)
	if err != nil || len(servers) != 1 || len(removed) != 0 || last != 1 {
		t.Fatalf("changes: %v %v %d %v", servers, removed, last, err)
	}
	want := result.Scored[0].Server
	want.ID, want.Seq, want.Slug, want.ListedAt, want.UpdatedAt = servers[0].ID, 1, "octo-weather",
		start, start
	want.Sources = []registry.Discovery{{Name: "github", FirstSeenAt: start, LastSeenAt: start}}
	want.OldSlugs = []string{}
	if diff := cmp.Diff(want, servers[0]); diff != "" {
		t.Errorf("server (-want +got):\n%s", diff)
	}
	facts := pgtest.FactsOf(t, db, servers[0].ID)
	if diff := cmp.Diff(result.Scored[0].Facts, facts); diff != "" {
		t.Errorf("facts: %s", diff)
	}
	texts, err := db.Texts(t.Context(), w.ID)
	if diff := cmp.Diff(result.Visit.Snapshot.Texts, texts); diff != "" || err != nil {
		t.Errorf("texts: %v\n%s", err, diff)
	}
	listings, err := db.ListingsOfRepo(t.Context(), "github:octo/weather", 7)
	if err != nil || len(listings) != 1 {
		t.Errorf("listings: %v %v", listings, err)
	}
	if works := lease(t, db, 10, at(23)); len(works) != 0 {
		t.Errorf("due too early: %s", names(works))
	}
	again := lease(t, db, 10, at(25))
	if len(again) != 1 || again[0].HostID != 7 || again[0].NodeID != "R_7" ||
		again[0].Stored == nil || again[0].Stored.Texts != nil ||
		*again[0].Stored.Repo.Stars != 12 {
		t.Errorf("second visit: %+v", again)
	}
}

func TestQueueOrder(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	few, many, none := candidate("a/few", 1), candidate("a/many", 2), candidate("a/none", 3)
	few.Priority, many.Priority = 3, 5000
	enqueue(t, db, at(0), none)
	enqueue(t, db, at(0.1), few)
	enqueue(t, db, at(0.2), many)
	asked := candidate("a/asked", 4)
	asked.Source = "manual"
	enqueue(t, db, at(0.3), asked)
	enqueue(t, db, at(5), candidate("a/later", 5))
	if got, want := names(lease(t, db, 4, at(1))), "a/asked a/many a/few a/none"; got != want {
		t.Errorf("order is %s, want %s", got, want)
	}
	if works := lease(t, db, 4, at(1)); len(works) != 0 {
		t.Errorf("leased twice: %s", names(works))
	}
	if got := names(lease(t, db, 9, at(1.5))); got != "" {
		t.Errorf("leased before the lease is over: %s", got)
	}
	if got, want := names(lease(t, db, 2, at(2.1))), "a/asked a/many"; got != want {
		t.Errorf("after the lease is over: %s, want %s", got, want)
	}
}

func TestLeaseExpiry(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	enqueue(t, db, start, candidate("octo/weather", 7))
	killed := lease(t, db, 1, start)[0]
	if works := lease(t, db, 1, at(0.9)); len(works) != 0 {
		t.Fatal("leased to two")
	}
	second := lease(t, db, 1, at(1.1))[0]
	if second.ID != killed.ID || second.Lease == killed.Lease {
		t.Fatalf("not leased again: %+v", second)
	}
	// The first was only slow.
	repo := observed("octo/weather", 7, start)
	if err := db.SaveResult(t.Context(),
		fetched(killed, repo, at(1.2), "", "extra")); !errors.Is(err, registry.ErrLeaseLost) {
		t.Errorf("late result: %v, want ErrLeaseLost", err)
	}
	if got := slugs(t, db); got != "" {
		t.Errorf("the late result was stored: %s", got)
	}
	if held, err := db.ExtendLease(t.Context(), []registry.Work{killed, second}, time.Hour,
		at(1.5)); err != nil || len(held) != 1 || held[0].Lease != second.Lease {
		t.Errorf("extended %v, %v", held, err)
	}
	if err := db.Release(t.Context(), []registry.Work{killed}, at(0), "late"); err != nil {
		t.Error(err)
	}
	if works := lease(t, db, 1, at(2.4)); len(works) != 0 {
		t.Error("a lost lease released or an extended one was over")
	}
	save(t, db, fetched(second, repo, at(2.4), ""))
	if err := db.SaveResult(t.Context(), fetched(second, repo, at(2.4), "")); !errors.Is(err,
		registry.ErrLeaseLost) {
		t.Errorf("saved twice: %v, want ErrLeaseLost", err)
	}
	if got := slugs(t, db); got != "octo-weather" {
		t.Errorf("servers %s", got)
	}
}

func TestReleaseReason(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	enqueue(t, db, start, candidate("octo/weather", 7))
	w := lease(t, db, 1, start)
	if err := db.Release(t.Context(), w, at(3), "upstream says 502 \x00"); err != nil {
		t.Fatal(err)
	}
	if works := lease(t, db, 1, at(2)); len(works) != 0 {
		t.Error("due before its time")
	}
	w = lease(t, db, 1, at(3))
	if len(w) != 1 || w[0].Attempt != 1 {
		t.Fatalf("after release: %+v", w)
	}
	if err := db.Release(t.Context(), w, at(3), ""); err != nil {
		t.Fatal(err)
	}
	if w = lease(t, db, 1, at(3)); w[0].Attempt != 1 {
		t.Errorf("giving back unvisited counts as an attempt: %+v", w[0])
	}
	if err := db.Postpone(t.Context(), w, at(3), "the budget is spent"); err != nil {
		t.Fatal(err)
	}
	if w = lease(t, db, 1, at(3)); w[0].Attempt != 1 {
		t.Errorf("waiting counts as an attempt: %+v", w[0])
	}
	if status, err := db.Status(t.Context(), at(3)); err != nil || len(status.Failing) != 1 ||
		status.Failing[0].Error != "the budget is spent" {
		t.Errorf("waiting: %+v, %v", status.Failing, err)
	}
	if err := db.Release(t.Context(), w, at(3), "upstream says 502 \x00"); err != nil {
		t.Fatal(err)
	}
	status, err := db.Status(t.Context(), at(3))
	if err != nil || len(status.Failing) != 1 ||
		status.Failing[0].Error != "upstream says 502 \uFFFD" ||
		status.Failing[0].Example != "octo/weather" {
		t.Errorf("failing: %+v, %v", status.Failing, err)
	}
}

func TestFailedAndMissingVisits(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	crawled(t, db, "octo/weather", 7, start, "")
	seq := lastSeq(t, db)
	visit := func(now time.Time, outcome registry.Outcome) registry.Work {
		t.Helper()
		w := lease(t, db, 1, now)[0]
		save(t, db, registry.Result{Visit: registry.Visit{Work: w, Outcome: outcome,
			Err: errors.New("says so")}, Now: now, NextAt: now.Add(2 * time.Hour)})
		return lease(t, db, 1, now.Add(3*time.Hour))[0]
	}
	w := visit(at(30), registry.Failed)
	if w.Attempt != 1 || w.Misses != 0 || w.Stored == nil {
		t.Errorf("after a failure: %+v", w)
	}
	w = visit(at(40), registry.Missing)
	if w.Attempt != 0 || w.Misses != 1 || !w.MissingSince.Equal(at(40)) {
		t.Errorf("after a miss: %+v", w)
	}
	if status, err := db.Status(t.Context(), at(45)); err != nil ||
		status.Repositories["missing"] != 1 || status.Repositories["server"] != 0 {
		t.Errorf("a missing repository counts as %v, %v", status.Repositories, err)
	}
	w = visit(at(50), registry.Missing)
	if w.Misses != 2 || !w.MissingSince.Equal(at(40)) || !w.LastMissAt.Equal(at(50)) {
		t.Errorf("after two misses: %+v", w)
	}
	if lastSeq(t, db) != seq || slugs(t, db) != "octo-weather" {
		t.Error("failures and misses without Scored touched the listing")
	}
	w = lease(t, db, 1, at(60))[0]
	probed := registry.Repository{ID: 7, NodeID: "R_7", Owner: "octo", Name: "weather",
		Stars: new(99)}
	save(t, db, registry.Result{Visit: registry.Visit{Work: w, Outcome: registry.Unchanged,
		Snapshot: &registry.Snapshot{Repo: probed}}, Now: at(60), NextAt: at(61)})
	w = lease(t, db, 1, at(62))[0]
	if w.Misses != 0 || w.MissingSince != nil || *w.Stored.Repo.Stars != 99 ||
		w.Stored.Repo.Commit != "c1" || !w.Stored.Repo.PushedAt.Equal(start) ||
		len(w.Stored.Files) != 1 {
		t.Errorf("after a probe: %+v", w)
	}
	if !w.FetchedAt.Equal(start) || !w.ChangedAt.Equal(start) {
		t.Errorf("a probe counts as a fetch or a change: %v %v", w.FetchedAt, w.ChangedAt)
	}
	// A probe that finds nothing new does not write the snapshot again.
	stored := w.Stored
	probed.ObservedAt = at(62)
	save(t, db, registry.Result{Visit: registry.Visit{Work: w, Outcome: registry.Unchanged,
		Snapshot: &registry.Snapshot{Repo: probed}}, Now: at(62), NextAt: at(63)})
	w = lease(t, db, 1, at(64))[0]
	if diff := cmp.Diff(stored, w.Stored); diff != "" {
		t.Errorf("after a probe without news: %s", diff)
	}
}

func TestEnqueueConcurrently(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	var all []registry.Candidate
	for i := range 200 {
		c := candidate(fmt.Sprintf("owner%d/repo", i), 0)
		if i%2 == 0 {
			c.HostID = int64(i + 1)
		}
		all = append(all, c)
	}
	var group sync.WaitGroup
	added := make([]int, 8)
	for p := range added {
		group.Go(func() {
			mine := append([]registry.Candidate(nil), all[p*20:]...)
			mine = append(mine, all[:p*20]...)
			n, err := db.Enqueue(t.Context(), mine, start)
			if err != nil {
				t.Error(err)
			}
			added[p] = n
		})
	}
	group.Wait()
	sum := 0
	for _, n := range added {
		sum += n
	}
	if works := lease(t, db, 1000, start); len(works) != 200 || sum != 200 {
		t.Errorf("%d rows, %d called new; want 200", len(works), sum)
	}
}

func TestLeaseConcurrently(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	var all []registry.Candidate
	for i := range 150 {
		all = append(all, candidate(fmt.Sprintf("o/r%d", i), int64(i+1)))
	}
	enqueue(t, db, start, all...)
	var mu sync.Mutex
	seen := make(map[int64]int)
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() {
			for {
				works, err := db.Lease(t.Context(), 7, time.Hour, start)
				if err != nil {
					t.Error(err)
					return
				}
				if len(works) == 0 {
					return
				}
				for _, w := range works {
					if err := db.SaveResult(t.Context(),
						fetched(w, observed(w.Ref.String(), w.HostID, start), start,
							"")); err != nil {
						t.Error(err)
					}
					mu.Lock()
					seen[w.ID]++
					mu.Unlock()
				}
			}
		})
	}
	group.Wait()
	for id, n := range seen {
		if n != 1 {
			t.Errorf("repository %d was visited %d times", id, n)
		}
	}
	if len(seen) != 150 || lastSeq(t, db) != 150 {
		t.Errorf("%d visited, last change %d; want 150", len(seen), lastSeq(t, db))
	}
}

// TestLeaseSize: the listing of a repository can be as long
// as tens of thousands of files, and a worker has all of a lease in memory.
func TestLeaseSize(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	const huge, small = 8, 30
	var all []registry.Candidate
	for i := range huge + small {
		all = append(all, candidate(fmt.Sprintf("octo/r%02d", i), int64(i+1)))
	}
	enqueue(t, db, start, all...)
	var id [20]byte
	for _, w := range lease(t, db, 100, start) {
		r := fetched(w, observed(w.Ref.Owner+"/"+w.Ref.Name, w.HostID, start), start, "")
		r.NextAt = at(1)
		for i := 0; w.HostID == 1 && i < 50_000; i++ {
			_, _ = rand.Read(id[:])
			r.Visit.Snapshot.Files = append(r.Visit.Snapshot.Files,
				registry.File{Path: fmt.Sprintf("packages/p%05d/index.ts", i), Size: 1234,
					OID: hex.EncodeToString(id[:]), Mode: "100644"})
		}
		save(t, db, r)
	}
	// The other huge ones are copies of the first.
	own, err := sql.Open("postgres", db.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	if _, err := own.Exec(`
		UPDATE repositories SET snapshot = (SELECT snapshot FROM repositories WHERE host_id = 1)
		WHERE host_id BETWEEN 2 AND $1`, huge); err != nil {
		t.Fatal(err)
	}
	seen, rounds := map[int64]bool{}, 0
	for len(seen) < huge+small && rounds < 20 {
		works, err := db.Lease(t.Context(), 100, time.Hour, at(2))
		if err != nil || len(works) == 0 {
			t.Fatalf("round %d: %d leased, %v", rounds, len(works), err)
		}
		files := 0
		for _, w := range works {
			seen[w.ID] = true
			files += len(w.Stored.Files)
		}
		if files > 320_000 {
			t.Errorf("round %d: %d files at once", rounds, files)
		}
		rounds++
	}
	if len(seen) != huge+small || rounds < 2 || rounds > 4 {
		t.Errorf("%d of %d leased in %d rounds", len(seen), huge+small, rounds)
	}
}

func TestEndDeadLeases(t *testing.T) {
	ctx, db, now := t.Context(), pgtest.New(t), time.Now()
	enqueue(t, db, now, candidate("acme/one", 1), candidate("acme/two", 2))
	other, err := postgres.Open(ctx, db.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for _, worker := range []*postgres.DB{db, other} {
		if works, err := worker.Lease(ctx, 1, time.Hour, now); err != nil || len(works) != 1 {
			t.Fatalf("%d works, %v", len(works), err)
		}
	}
	want := func(ended, due int) {
		t.Helper()
		n, err := db.EndDeadLeases(ctx, now)
		if err != nil || n != ended {
			t.Errorf("%d ended, %v, want %d", n, err, ended)
		}
		if st, err := db.Status(ctx, now); err != nil || st.Due != due {
			t.Errorf("%d due, %v, want %d", st.Due, err, due)
		}
	}
	want(0, 0)
	// A lost connection is not an end: the next renewal takes the lock again.
	own := sqlx.MustConnect("postgres", db.URL())
	defer own.Close()
	own.MustExec(`SELECT pg_terminate_backend(pid, 5000) FROM pg_locks
		WHERE locktype = 'advisory' AND granted
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
	if _, err := other.ExtendLease(ctx, nil, time.Hour, now); err != nil {
		t.Fatal(err)
	}
	want(0, 0)
	other.Close()
	for try := 0; try < 100; try++ { // Postgres notices the end a moment later
		var locks int
		if err := own.Get(&locks, `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`); err != nil {
			t.Fatal(err)
		} else if locks == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	want(1, 1)
}

// A process of the release before, which knows no table of leases, keeps its leases until they end.
func TestOlderLease(t *testing.T) {
	db := pgtest.New(t)
	enqueue(t, db, start, candidate("acme/one", 1))
	own := sqlx.MustConnect("postgres", db.URL())
	defer own.Close()
	own.MustExec(`UPDATE repositories SET lease = 'old', lease_until = $1, leased_by = 'host/1'`, at(1))
	for hours, want := range map[float64]int{0.9: 0, 1.1: 1} {
		if st, err := db.Status(t.Context(), at(hours)); err != nil || st.Due != want {
			t.Errorf("%d due after %v hours, %v", st.Due, hours, err)
		}
	}
	if works := lease(t, db, 1, at(0.9)); len(works) != 0 {
		t.Error("its lease is taken")
	}
	works := lease(t, db, 1, at(1.1))
	if len(works) != 1 || len(lease(t, db, 1, at(1.2))) != 0 {
		t.Errorf("%d leased, or twice", len(works))
	}
}

// TestRenewal checks that a renewal of a batch is one update, of its own row.
func TestRenewal(t *testing.T) {
	db := pgtest.New(t)
	for i := range 50 {
		enqueue(t, db, start, candidate(fmt.Sprintf("acme/a%d", i), int64(i+1)))
	}
	works := lease(t, db, 50, start)
	own := sqlx.MustConnect("postgres", db.URL())
	defer own.Close()
	rows := func() (id string) {
		if err := own.Get(&id, `SELECT string_agg(xmin::text, ' ' ORDER BY id) FROM repositories`); err != nil {
			t.Fatal(err)
		}
		return id
	}
	before := rows()
	held, err := db.ExtendLease(t.Context(), works, time.Hour, at(1))
	if err != nil || len(held) != 50 {
		t.Fatalf("%d held, %v", len(held), err)
	}
	if rows() != before {
		t.Error("rows of repositories were written")
	}
}
