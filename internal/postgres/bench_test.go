package postgres_test

import (
	"database/sql"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"mcpcensus/internal/generate"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
)

// benchServers is how many servers the benchmarks work on; CENSUS_BENCH_SERVERS
// sets another number, such as 100000.
func benchServers() int {
	if n, err := strconv.Atoi(os.Getenv("CENSUS_BENCH_SERVERS")); err == nil && n > 0 {
		return n
	}
	return 2000
}

// crawlAtMost is how many servers are stored the way the crawl stores them;
// more are copies of those.
const crawlAtMost = 2000

// filled returns a database with generated servers.
func filled(b *testing.B, want int) *postgres.DB {
	db := pgtest.New(b)
	n := min(want, crawlAtMost)
	began := time.Now()
	var batch []registry.Candidate
	servers := make(map[string]registry.Server)
	flush := func() {
		if _, err := db.Enqueue(b.Context(), batch, start); err != nil {
			b.Fatal(err)
		}
		for {
			works, err := db.Lease(b.Context(), 500, time.Hour, start)
			if err != nil {
				b.Fatal(err)
			}
			if len(works) == 0 {
				break
			}
			for _, w := range works {
				s := servers[w.Ref.Key()]
				sc := registry.Scored{Server: s,
					Facts: registry.Facts{Repo: s.Repo,
						Detection: registry.Detection{IsServer: true, Packages: s.Packages,
							Tools: s.Tools, Description: s.Description}}}
				r := registry.Result{Visit: registry.Visit{Work: w, Outcome: registry.Fetched,
					Snapshot: &registry.Snapshot{Repo: s.Repo,
						Texts: map[string]string{"README.md": s.Readme}}},
					Now: start, NextAt: start.Add(
						time.Hour), State: "server", Scored: []registry.Scored{sc}}
				if err := db.SaveResult(b.Context(), r); err != nil {
					b.Fatal(err)
				}
			}
		}
		batch, servers = nil, make(map[string]registry.Server)
	}
	id := int64(0)
	for s := range generate.Servers(n, 1) {
		id++
		s.Repo.ID, s.Subfolder, s.Status = id, "", registry.StatusActive
		s.Repo.Name += "-" + strconv.FormatInt(id, 10)
		c := registry.Candidate{Ref: registry.RepoRef{Host: registry.GitHub, Owner: s.Repo.Owner,
			Name: s.Repo.Name}, HostID: id, Source: "github"}
		batch, servers[c.Ref.Key()] = append(batch, c), s
		if len(batch) == 1000 {
			flush()
		}
	}
	flush()
	b.Logf("%d repositories enqueued, leased and saved by one worker in %v", n,
		time.Since(began).Round(time.Millisecond))
	own, err := sql.Open("postgres", db.URL())
	if err != nil {
		b.Fatal(err)
	}
	defer own.Close()
	for have := n; have < want; {
		more := min(n, want-have)
		if _, err := own.Exec(fmt.Sprintf(`
			INSERT INTO repositories (host, host_id, owner, name, key, repo, snapshot, state, due_at, turn_at, fetched_at, probed_at, created_at)
			SELECT host, host_id + %[1]d, owner, name, key || '-%[1]d', repo, snapshot, state, due_at, turn_at, fetched_at, probed_at, created_at
			FROM repositories WHERE host_id <= %[2]d;
			INSERT INTO servers (repo_id, subfolder, slug, seq, record, digest, facts, facts_digest, facts_at, readme, registry_name, verified,
				score, stars, forks, downloads, listed, listed_at, written_at, updated_at)
			SELECT r2.id, subfolder, slug || '-%[1]d', seq + %[1]d, record, digest, facts, facts_digest, facts_at, readme, registry_name, verified,
				score, stars, forks, downloads, listed, listed_at, written_at, updated_at
			FROM servers s JOIN repositories r ON r.id = s.repo_id JOIN repositories r2 ON r2.host = r.host AND r2.host_id = r.host_id + %[1]d
			WHERE r.host_id <= %[2]d;
			UPDATE changes SET seq = (SELECT max(seq) FROM servers)`, have, more)); err != nil {
			b.Fatal(err)
		}
		have += more
	}
	var size string
	if err := own.QueryRow(`SELECT format('%s bytes of record, %s of facts, %s of README', avg(length(record::text))::int, avg(length(facts::text))::int, avg(length(readme))::int) FROM (SELECT * FROM servers LIMIT 1000) AS s`).Scan(&size); err != nil {
		b.Fatal(err)
	}
	b.Logf("%d servers with %s each", want, size)
	if _, err := own.Exec(`ANALYZE`); err != nil {
		b.Fatal(err)
	}
	return db
}

func BenchmarkStore(b *testing.B) {
	n := benchServers()
	db := filled(b, n)
	load := func(b *testing.B, after func(seq int64) ([]registry.Server, int64, error)) {
		for b.Loop() {
			got := 0
			for seq := int64(0); ; {
				servers, last, err := after(seq)
				if err != nil {
					b.Fatal(err)
				}
				if got += len(servers); last == seq {
					break
				}
				seq = last
			}
			if got != n {
				b.Fatalf("%d servers, want %d", got, n)
			}
		}
	}
	b.Run("ServersAfter", func(b *testing.B) {
		load(b, func(seq int64) ([]registry.Server, int64, error) {
			servers, _, last, err := db.ServersAfter(b.Context(), seq, 500)
			return servers, last, err
		})
	})
	b.Run("RecordsAfter", func(b *testing.B) {
		load(b, func(seq int64) ([]registry.Server, int64, error) {
			servers, _, last, err := db.RecordsAfter(b.Context(), seq, 500)
			return servers, last, err
		})
	})
	all := make([]registry.Scored, 0, n)
	b.Run("EachFacts", func(b *testing.B) {
		for b.Loop() {
			all = all[:0]
			if err := db.EachFacts(b.Context(), func(s registry.Scored) error {
				all = append(all, s)
				return nil
			}); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, change := range []string{"all", "none"} {
		b.Run("SaveScores/"+change, func(b *testing.B) {
			round := 0
			for b.Loop() {
				round++
				for i := range all {
					all[i].Server.Seq = 0
					if change == "all" {
						all[i].Server.Health.Score = new(round % 100)
					}
				}
				if _, err := db.SaveScores(b.Context(), all, time.Now()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("Status", func(b *testing.B) {
		if err := db.SumTallies(b.Context()); err != nil { // as each hour
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := db.Status(b.Context(), start); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("SnapshotDay", func(b *testing.B) {
		for b.Loop() {
			if _, err := db.SnapshotDay(b.Context(), start); err != nil {
				b.Fatal(err)
			}
		}
	})
}
