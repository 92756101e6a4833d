package postgres_test

import (
	"database/sql"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
)

// everything holds all reads of a registry with one repository.
type everything struct {
	Servers []registry.Server // with Record
	Facts   []registry.Facts
	Stored  *registry.Snapshot
}

func readEverything(t *testing.T, db *postgres.DB, now time.Time) (all everything, w registry.Work) {
	t.Helper()
	var err error
	if all.Servers, _, _, err = db.RecordsAfter(t.Context(), 0, 100); err != nil {
		t.Fatal(err)
	}
	for i, s := range all.Servers {
		whole := registry.Server{Slug: s.Slug}
		if err := json.Unmarshal(s.Record, &whole); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s.Repo, whole.Repo); diff != "" {
			t.Errorf("record of %s: %s", s.Slug, diff)
		}
		all.Servers[i].Record = nil
	}
	if err := db.EachFacts(t.Context(), func(s registry.Scored) error {
		all.Facts = append(all.Facts, s.Facts)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	w = lease(t, db, 1, now)[0]
	all.Stored = w.Stored
	return all, w
}

// TestSharedRepository stores a repository with two servers and reads it back: in the current
// form, in the form before migration 0044, and after visits of that.
func TestSharedRepository(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	own, err := sql.Open("postgres", db.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	// with returns how many documents include their repository.
	with := func() (n int) {
		t.Helper()
		if err := own.QueryRow(`SELECT count(*) FROM (SELECT record FROM servers
			UNION ALL SELECT facts FROM servers UNION ALL SELECT snapshot FROM repositories) AS d (document)
			WHERE document->'repo'->'owner' IS NOT NULL`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	unchanged := func(w registry.Work, repo registry.Repository, now time.Time) {
		t.Helper()
		save(t, db, registry.Result{Visit: registry.Visit{Work: w, Outcome: registry.Unchanged,
			Snapshot: &registry.Snapshot{Repo: repo}}, Now: now, NextAt: now.Add(time.Hour), State: "server",
			Scored: []registry.Scored{scoredServer(repo, "a", 70), scoredServer(repo, "b", 70)}})
	}
	crawled(t, db, "octo/weather", 7, at(0), "a", "b")
	read, _ := readEverything(t, db, at(25))
	if n := with(); n != 0 || len(read.Servers) != 2 || len(read.Facts) != 2 {
		t.Fatalf("%d of five documents have a repository; read %d servers and %d facts", n,
			len(read.Servers), len(read.Facts))
	}
	repo := observed("octo/weather", 7, at(0))
	for _, got := range []registry.Repository{read.Servers[0].Repo, read.Servers[1].Repo,
		read.Facts[0].Repo, read.Facts[1].Repo, read.Stored.Repo} {
		if diff := cmp.Diff(repo, got); diff != "" {
			t.Fatal(diff)
		}
	}

	for _, statement := range []string{
		`UPDATE servers s SET record = jsonb_set(record::jsonb, '{repo}', (r.repo::jsonb) || (record::jsonb->'repo')),
			facts = jsonb_set(facts::jsonb, '{repo}', (r.repo::jsonb) || (facts::jsonb->'repo'))
			FROM repositories r WHERE r.id = s.repo_id`,
		`UPDATE repositories SET repo = NULL, lease = NULL,
			snapshot = jsonb_set(snapshot::jsonb, '{repo}', (repo::jsonb) || (snapshot::jsonb->'repo'))`,
	} {
		if _, err := own.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	before, w := readEverything(t, db, at(25))
	if diff := cmp.Diff(read, before); diff != "" || with() != 5 {
		t.Fatalf("%d documents of before; read: %s", with(), diff)
	}
	repo.ObservedAt = at(25)
	unchanged(w, repo, at(25)) // writes records, since they are a day old
	after, w := readEverything(t, db, at(27))
	seen := func(r *everything, s, f time.Time) {
		for i := range r.Servers {
			r.Servers[i].Seq, r.Servers[i].Repo.ObservedAt = 0, s
			r.Servers[i].LastCrawledAt, r.Servers[i].ScoredAt, r.Servers[i].Health.ComputedAt = &s, &s, s
			r.Facts[i].Repo.ObservedAt = f
		}
		r.Stored.Repo.ObservedAt = s
	}
	seen(&read, at(25), at(25))
	seen(&after, at(25), after.Facts[0].Repo.ObservedAt)
	if diff := cmp.Diff(read, after); diff != "" || with() != 0 {
		t.Errorf("%d documents have a repository after a visit; read: %s", with(), diff)
	}

	// News from a probe are stored once: the snapshot is not written.
	var written, then string
	row := `SELECT snapshot FROM repositories`
	if err := own.QueryRow(row).Scan(&written); err != nil {
		t.Fatal(err)
	}
	repo.Stars, repo.ObservedAt = new(99), at(27)
	unchanged(w, repo, at(27))
	after, w = readEverything(t, db, at(29))
	if err := own.QueryRow(row).Scan(&then); err != nil || then != written {
		t.Errorf("the snapshot was written: %s, %v", then, err)
	}
	if diff := cmp.Diff([]int{99, 99, 99, 99, 99}, []int{*after.Servers[0].Repo.Stars,
		*after.Servers[1].Repo.Stars, *after.Facts[0].Repo.Stars, *after.Facts[1].Repo.Stars,
		*after.Stored.Repo.Stars}); diff != "" || with() != 0 {
		t.Errorf("%d documents have a repository after news; stars: %s", with(), diff)
	}

	// A server whose facts are of an earlier visit has the repository of that visit.
	earlier := repo
	repo.Stars, repo.ObservedAt = new(100), at(29)
	save(t, db, registry.Result{Visit: registry.Visit{Work: w, Outcome: registry.Unchanged,
		Snapshot: &registry.Snapshot{Repo: repo}}, Now: at(29), NextAt: at(30), State: "server",
		Scored: []registry.Scored{scoredServer(repo, "a", 70), scoredServer(earlier, "b", 70)}})
	after, _ = readEverything(t, db, at(31))
	if diff := cmp.Diff([]int{100, 99, 100, 99, 100}, []int{*after.Servers[0].Repo.Stars,
		*after.Servers[1].Repo.Stars, *after.Facts[0].Repo.Stars, *after.Facts[1].Repo.Stars,
		*after.Stored.Repo.Stars}); diff != "" {
		t.Errorf("stars after visits of different ages: %s", diff)
	}
}
