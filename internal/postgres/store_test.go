package postgres_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
)

var start = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// at returns a time in hours after the start.
func at(hours float64) time.Time { return start.Add(time.Duration(hours * float64(time.Hour))) }

func ref(fullName string) registry.RepoRef {
	owner, name, _ := strings.Cut(fullName, "/")
	return registry.RepoRef{Host: registry.GitHub, Owner: owner, Name: name}
}

func candidate(fullName string, id int64) registry.Candidate {
	c := registry.Candidate{Ref: ref(fullName), HostID: id, Source: "github"}
	return c
}

// observed returns the host's view of a repository.
func observed(fullName string, id int64, when time.Time) registry.Repository {
	r := ref(fullName)
	return registry.Repository{
		Host: registry.GitHub, ID: id, NodeID: fmt.Sprintf("R_%d",
			id), Owner: r.Owner, Name: r.Name,
		Commit: "c1", CreatedAt: start.AddDate(-1, 0,
			0), UpdatedAt: start, PushedAt: start, ObservedAt: when,
	}
}

// scoredServer is a server of a repository with a score.
func scoredServer(repo registry.Repository, subfolder string, score int) registry.Scored {
	computed := repo.ObservedAt
	return registry.Scored{
		Server: registry.Server{
			Name: repo.Name, Description: "does " +
				repo.Name, Repo: repo, Subfolder: subfolder, Status: registry.StatusActive,
			Category: "tools", Readme: "# " +
				repo.Name, LastCrawledAt: &computed, ScoredAt: &computed,
			Health: registry.Health{Status: registry.HealthScored, Score: &score,
				Grade: registry.GradeOf(score), ComputedAt: computed, Version: "mh-1"},
		},
		Facts: registry.Facts{Repo: repo,
			Detection: registry.Detection{IsServer: true, Subfolder: subfolder}},
	}
}

// fetched is the result of a whole visit that found servers in the subfolders.
func fetched(
	w registry.Work, repo registry.Repository, now time.Time, subfolders ...string,
) registry.Result {
	r := registry.Result{
		Visit: registry.Visit{Work: w, Outcome: registry.Fetched, Snapshot: &registry.Snapshot{
			Repo:  repo,
			Files: []registry.File{{Path: "README.md", OID: "o1"}},
			Texts: map[string]string{"README.md": "# " + repo.Name},
		}},
		Now: now, NextAt: now.Add(
			24 * time.Hour), Interval: 1, State: "server", Reason: "has a manifest",
		Scored: []registry.Scored{},
	}
	for _, sub := range subfolders {
		r.Scored = append(r.Scored, scoredServer(repo, sub, 70))
	}
	return r
}

func enqueue(t *testing.T, db *postgres.DB, now time.Time, candidates ...registry.Candidate) int {
	t.Helper()
	n, err := db.Enqueue(t.Context(), candidates, now)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func lease(t *testing.T, db *postgres.DB, n int, now time.Time) []registry.Work {
	t.Helper()
	works, err := db.Lease(t.Context(), n, time.Hour, now)
	if err != nil {
		t.Fatal(err)
	}
	return works
}

func save(t *testing.T, db *postgres.DB, r registry.Result) {
	t.Helper()
	if err := db.SaveResult(t.Context(), r); err != nil {
		t.Fatal(err)
	}
}

// crawled stores a repository with servers in the subfolders.
func crawled(
	t *testing.T, db *postgres.DB, fullName string, id int64, now time.Time, subfolders ...string,
) {
	t.Helper()
	enqueue(t, db, now, candidate(fullName, id))
	for _, w := range lease(t, db, 100, now) {
		if w.Ref == ref(fullName) {
			save(t, db, fetched(w, observed(fullName, id, now), now, subfolders...))
		}
	}
}

func names(works []registry.Work) string {
	var all []string
	for _, w := range works {
		all = append(all, w.Ref.String())
	}
	return strings.Join(all, " ")
}

func slugs(t *testing.T, db *postgres.DB) string {
	t.Helper()
	servers, _, _, err := db.ServersAfter(t.Context(), 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, s := range servers {
		all = append(all, s.Slug)
	}
	return strings.Join(all, " ")
}

func lastSeq(t *testing.T, db *postgres.DB) int64 {
	t.Helper()
	n, err := db.LastSeq(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// breakConnections ends every other connection to the database.
func breakConnections(t *testing.T, db *postgres.DB) {
	t.Helper()
	own, err := sql.Open("postgres", db.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	if _, err := own.Exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`); err != nil {
		t.Fatal(err)
	}
}
