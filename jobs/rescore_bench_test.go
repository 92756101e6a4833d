package jobs_test

import (
	"database/sql"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"mcpcensus/internal/generate"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
)

// benchServers is how many servers are rescored; CENSUS_BENCH_SERVERS sets
// another number, such as 100000.
func benchServers() int {
	if n, err := strconv.Atoi(os.Getenv("CENSUS_BENCH_SERVERS")); err == nil && n > 0 {
		return n
	}
	return 2000
}

// BenchmarkRescore scores generated servers again at the same time, when
// nothing changes, and then as far in the future as makes every score another.
func BenchmarkRescore(b *testing.B) {
	n := benchServers()
	db := pgtest.New(b)
	now := generate.Epoch
	servers := make(map[int64]registry.Server)
	var candidates []registry.Candidate
	for i := range min(n, 1000) {
		s := generate.Server(i, 1)
		s.Subfolder = ""
		servers[s.Repo.ID] = s
		candidates = append(candidates, registry.Candidate{
			Ref: registry.RepoRef{Host: registry.GitHub, Owner: s.Repo.Owner,
				Name: s.Repo.Name}, HostID: s.Repo.ID, Source: "github",
		})
	}
	if _, err := db.Enqueue(b.Context(), candidates, now); err != nil {
		b.Fatal(err)
	}
	works, err := db.Lease(b.Context(), len(candidates), time.Hour, now)
	if err != nil {
		b.Fatal(err)
	}
	for _, w := range works {
		s := servers[w.HostID]
		sc := jobs.Score(factsOf(s, now), now)
		sc.Server.Readme = s.Readme
		if err := db.SaveResult(b.Context(), registry.Result{
			Visit: registry.Visit{Work: w, Outcome: registry.Fetched,
				Snapshot: &registry.Snapshot{Repo: s.Repo}},
			Now: now, NextAt: now.Add(time.Hour), State: "server", Scored: []registry.Scored{sc},
		}); err != nil {
			b.Fatal(err)
		}
	}
	own, err := sql.Open("postgres", db.URL())
	if err != nil {
		b.Fatal(err)
	}
	defer own.Close()
	for have := len(works); have < n; {
		more := min(len(works), n-have)
		if _, err := own.Exec(fmt.Sprintf(`
			INSERT INTO repositories (host, host_id, owner, name, repo, snapshot, state, due_at, turn_at, fetched_at, probed_at, created_at)
			SELECT host, host_id + %[1]d::bigint * 1000000, owner, name, repo, snapshot, state, due_at, turn_at, fetched_at, probed_at, created_at
			FROM (SELECT * FROM repositories ORDER BY id LIMIT %[2]d) AS r;
			INSERT INTO sightings (repo_id, source, first_seen_at, last_seen_at)
			SELECT r2.id, source, first_seen_at, last_seen_at
			FROM sightings g JOIN (SELECT * FROM repositories ORDER BY id LIMIT %[2]d) AS r ON r.id = g.repo_id JOIN repositories r2 ON r2.host_id = r.host_id + %[1]d::bigint * 1000000;
			INSERT INTO servers (repo_id, subfolder, slug, seq, record, digest, facts, facts_digest, facts_at, readme, registry_name, verified,
				score, stars, forks, downloads, listed, listed_at, written_at, updated_at)
			SELECT r2.id, subfolder, slug || '-%[1]d', seq + %[1]d, record, digest, facts, facts_digest, facts_at, readme, registry_name, verified,
				score, stars, forks, downloads, listed, listed_at, written_at, updated_at
			FROM (SELECT * FROM servers ORDER BY id LIMIT %[2]d) AS s JOIN repositories r ON r.id = s.repo_id JOIN repositories r2 ON r2.host_id = r.host_id + %[1]d::bigint * 1000000;
			UPDATE servers SET written_at = now();
			UPDATE changes SET seq = (SELECT max(seq) FROM servers)`, have, more)); err != nil {
			b.Fatal(err)
		}
		have += more
	}
	var size string
	if err := own.QueryRow(`SELECT format('%s bytes of record, %s of facts', avg(length(record::text))::int, avg(length(facts::text))::int) FROM (SELECT * FROM servers LIMIT 1000) AS s`).Scan(&size); err != nil {
		b.Fatal(err)
	}
	b.Logf("%d servers with %s each", n, size)
	if _, err := own.Exec(`ANALYZE`); err != nil {
		b.Fatal(err)
	}
	for _, run := range []struct {
		name string
		step time.Duration
	}{{"same", 0}, {"day", 24 * time.Hour}, {"all", 90 * 24 * time.Hour}} {
		b.Run(run.name, func(b *testing.B) {
			at := now
			for b.Loop() {
				at = at.Add(run.step)
				seen, changed, err := jobs.Rescore(b.Context(), db, at, nil)
				if err != nil || seen != n {
					b.Fatalf("%d of %d servers: %v", seen, n, err)
				}
				b.ReportMetric(float64(changed)/float64(n), "changed")
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/server")
		})
	}
}

// factsOf returns facts that a server such as s could have been scored from.
func factsOf(s registry.Server, now time.Time) registry.Facts {
	yes, at := true, s.Repo.ObservedAt
	f := registry.Facts{
		Repo: s.Repo, ListingKnown: true,
		Detection: registry.Detection{
			IsServer: true, Confidence: 1, Reason: "It depends on an SDK and starts a server.",
			Name: s.Name, Description: s.Description,
			Evidence: []registry.Evidence{{Type: "file", Ref: "package.json",
				Text: "depends on the SDK"}},
			SDK: s.SDK, Framework: s.Framework, License: s.License, LicenseFile: true,
			Packages: s.Packages, Remotes: s.Remotes,
			Transports: s.Transports, Variables: s.Variables, Tools: s.Tools, ToolsFrom: "readme",
			Category:           s.Category,
			CategoryConfidence: s.CategoryConfidence, Tags: s.Tags,
			Manifests: []string{"package.json"},
		},
		Tree: &registry.TreeFacts{TestFiles: 5, CI: []string{".github/workflows/ci.yml"},
			CIRead: true, CIStep: &registry.CIStep{Path: "ci.yml", Command: "npm test", Tests: true, On: "push"}, Workflows: 1, WorkflowsRead: 1, Lockfile: "package-lock.json",
			HasDependencies: true, LintOrTypes: "tsconfig.json", ObservedAt: at},
		Readme: &registry.ReadmeFacts{Path: "README.md", Characters: len(s.Readme),
			ClientConfig: "json", ToolHeading: true, ToolEntries: len(s.Tools), ObservedAt: at},
		Activity: &registry.Activity{LastCommitAt: s.LastCommitAt, ObservedAt: at},
	}
	for _, p := range s.Packages {
		versions := 4
		f.Packages = append(f.Packages, registry.PackageFacts{
			RegistryType: p.RegistryType, Identifier: p.Identifier, Found: &yes, Latest: p.Version,
			LatestAt: s.LastCommitAt, FirstAt: &s.CreatedAt,
			Versions: &versions, License: s.License, RepoURL: s.Repo.URL(), RepoURLKnown: true,
			AdvisoriesKnown: true,
			Downloads:       s.Downloads, ObservedAt: &now, DownloadsObservedAt: &now,
		})
	}
	return f
}
