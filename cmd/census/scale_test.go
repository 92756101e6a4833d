package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lib/pq"
	"golang.org/x/sync/errgroup"

	"mcpcensus/internal/pgtest"
)

// TestScale crawls many repositories of a recorded internet and prints the cost of each pass,
// at the end as the table of docs/performance.md. CENSUS_SCALE is the number of repositories
// of the first crawl, CENSUS_SCALE_KNOWN the numbers of known repositories in the passes after
// it, separated by spaces: the others are stored as copies of crawled ones.
// With "none" in CENSUS_SCALE_TOKEN, the crawls have no token.
// CENSUS_SCALE_INTERRUPT interrupts the first crawl and continues it. CENSUS_SCALE_DATABASE is
// a persistent database, so that later runs reuse the crawl. CENSUS_SCALE_PROFILES is a folder
// for profiles of processor time; the crawls then run in this process.
func TestScale(t *testing.T) {
	crawled, _ := strconv.Atoi(os.Getenv("CENSUS_SCALE"))
	if crawled == 0 {
		t.Skip("SKIPPED: CENSUS_SCALE is not set; `make scale CORPUS=dir` sets it")
	}
	var sizes []int
	for _, field := range strings.Fields(os.Getenv("CENSUS_SCALE_KNOWN")) {
		n, err := strconv.Atoi(field)
		if err != nil || n < crawled {
			t.Fatalf("CENSUS_SCALE_KNOWN is %q: want numbers from %d on", field, crawled)
		}
		sizes = append(sizes, n)
	}
	known := crawled
	if sizes != nil {
		known = slices.Max(sizes)
	}
	corpus := os.Getenv("CENSUS_CORPUS")
	if !filepath.IsAbs(corpus) {
		corpus = filepath.Join("..", "..", corpus) // as make is given it, from the root
	}
	records := len(readRecords(t, filepath.Join(corpus, "repos"))) +
		len(readRecords(t, filepath.Join(corpus, "repos_negative")))
	if records == 0 {
		t.Fatalf("%s holds no records", corpus)
	}
	const unlimited = "1000000000" // our limits are measured, not GitHub's
	// About a quarter is not copied: see readWorld and copyable.
	replay := startReplay(t, corpus, "--multiply", strconv.Itoa(known*4/3/records+1),
		"--rest-points", unlimited, "--graphql-points", unlimited)
	w := &environment{t: t, url: replay}
	if url := os.Getenv("CENSUS_SCALE_DATABASE"); url != "" {
		w.useDatabase(url)
	} else {
		w.useDatabase(pgtest.URL(t))
	}
	w.environ = slices.DeleteFunc(w.environ,
		func(kv string) bool { return strings.HasPrefix(kv, "CENSUS_LISTS=") })
	w.environ = append(w.environ, "CENSUS_ARCHIVES=off")
	if os.Getenv("CENSUS_SCALE_TOKEN") == "none" {
		w.environ = append(w.environ, "GITHUB_TOKEN=", "CENSUS_GITHUB_CHECK_TOKEN=")
	}
	direct, err := sql.Open("postgres", w.db.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer direct.Close()
	s := &scale{environment: w, direct: direct, log: filepath.Join(t.TempDir(), "crawl.log")}
	s.readWorld()
	if s.read() < crawled {
		s.firstCrawl(crawled)
		s.nothingChanged(crawled)
		s.changed(crawled)
	}
	of := s.copyable(crawled)
	for _, n := range sizes {
		if s.read() < n {
			if len(s.world) < n {
				t.Fatalf("internet-replay serves %d repositories that can be copied", len(s.world))
			}
			s.copyRepositories(n, of)
			s.due()
			s.crawl(fmt.Sprintf("%d known, all records written", n), 0)
		} else {
			s.nothingChanged(n)
		}
		s.changed(n)
	}
	fmt.Println("\n| pass | time | processor time | points | REST requests | git | memory |\n" +
		"| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n" + s.table.String())
}

// read returns how many repositories have been read.
func (s *scale) read() int {
	return s.count(`SELECT count(*) FROM repositories WHERE fetched_at IS NOT NULL`)
}

// firstCrawl crawls n repositories that are known by their names only.
func (s *scale) firstCrawl(n int) {
	s.t.Helper()
	list := filepath.Join(s.t.TempDir(), "names.txt")
	var text strings.Builder
	for _, r := range s.world[:n] {
		fmt.Fprintf(&text, "https://github.com/%s\n", r.FullName)
	}
	if err := os.WriteFile(list, []byte(text.String()), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.environment.run("add", "-f", list)
	if os.Getenv("CENSUS_SCALE_INTERRUPT") != "" {
		s.crawl("first crawl, interrupted", n/3)
		s.crawl("first crawl, continued", 0)
	} else {
		s.crawl("first crawl", 0)
	}
}

// A scale is a crawl of a large recorded internet.
type scale struct {
	*environment
	direct *sql.DB
	log    string // of the last crawl
	world  []scaleRepository
	table  strings.Builder
}

// A scaleRepository is a repository as internet-replay serves it.
type scaleRepository struct {
	FullName string `json:"full_name"`
	ID       int64
	NodeID   string `json:"node_id"`
	Of       string // the record
	Served   struct {
		Head                      string `json:"head_sha"`
		Stars, Forks, Watchers    int
		OpenIssues                int `json:"open_issues"`
		ClosedIssues              int `json:"closed_issues"`
		OpenPulls                 int `json:"open_pulls"`
		ClosedPulls               int `json:"closed_pulls"`
		MergedPulls               int `json:"merged_pulls"`
		Archived, Disabled, Empty bool
		PushedAt                  time.Time `json:"pushed_at"`
	}
}

// readWorld reads the content of internet-replay, without archived, disabled and empty
// repositories. Every record is before any second variant.
func (s *scale) readWorld() {
	s.t.Helper()
	var page struct {
		Names []string `json:"full_names"`
	}
	var all []scaleRepository
	for i := 1; ; i++ {
		s.control("repos?page="+strconv.Itoa(i), nil, &page)
		if len(page.Names) == 0 {
			break
		}
		found := make([]scaleRepository, len(page.Names))
		var group errgroup.Group
		group.SetLimit(8)
		for i, name := range page.Names {
			group.Go(func() error {
				s.control("truth?full_name="+name, nil, &found[i])
				return nil
			})
		}
		_ = group.Wait()
		all = append(all, found...)
	}
	all = slices.DeleteFunc(all, func(r scaleRepository) bool {
		return r.Served.Archived || r.Served.Disabled || r.Served.Empty
	})
	ofRecord := map[string]int{}
	variant := make(map[string]int, len(all))
	for _, r := range all {
		variant[r.FullName] = ofRecord[r.Of]
		ofRecord[r.Of]++
	}
	slices.SortStableFunc(all, func(a, b scaleRepository) int {
		return variant[a.FullName] - variant[b.FullName]
	})
	s.world = all
}

var controlClient = http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}

// control sends a request to internet-replay's control API.
func (s *scale) control(path string, body, answer any) {
	method, in := http.MethodGet, io.Reader(nil)
	if body != nil {
		text, _ := json.Marshal(body)
		method, in = http.MethodPost, bytes.NewReader(text)
	}
	req, err := http.NewRequest(method, s.url+"/_replay/"+path, in)
	if err != nil {
		panic(err)
	}
	resp, err := controlClient.Do(req)
	if err != nil {
		panic(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		panic(fmt.Sprintf("%s: %d %s %v", path, resp.StatusCode, text, err))
	}
	if answer != nil {
		if err := json.Unmarshal(text, answer); err != nil {
			panic(fmt.Sprintf("%s: %v", path, err))
		}
	}
}

// nothingChanged visits all of n known repositories.
func (s *scale) nothingChanged(n int) {
	s.t.Helper()
	s.due()
	s.crawl(fmt.Sprintf("%d known, nothing changed", n), 0)
}

// changed visits all of n known repositories after 4 % got a new commit.
func (s *scale) changed(n int) {
	s.t.Helper()
	for i := 0; i < n; i += 25 {
		s.control("repo", map[string]any{"full_name": s.world[i].FullName, "set": map[string]any{
			"files": map[string]string{"CHANGELOG.md": "changed " + time.Now().String()}}}, nil)
	}
	s.due()
	s.crawl(fmt.Sprintf("%d known, %d changed", n, (n+24)/25), 0)
}

// due makes all repositories due.
func (s *scale) due() {
	s.t.Helper()
	s.exec(`UPDATE repositories SET due_at = now(), turn_at = now() WHERE fetched_at IS NOT NULL`)
	s.exec(`VACUUM ANALYZE`) // as autovacuum would have done between passes
}

func (s *scale) exec(statement string, args ...any) {
	s.t.Helper()
	if _, err := s.direct.Exec(statement, args...); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scale) count(query string, args ...any) (n int) {
	s.t.Helper()
	if err := s.direct.QueryRow(query, args...).Scan(&n); err != nil {
		s.t.Fatal(err)
	}
	return n
}

// copyable limits the world to repositories that were crawled, and others of records with
// at most two servers, as most repositories have. It returns the name of a crawled repository
// by record.
func (s *scale) copyable(crawled int) (of map[string]string) {
	s.t.Helper()
	var keys pq.StringArray
	// Documents are copied unchanged: the repository is stored separately.
	if err := s.direct.QueryRow(`SELECT array_agg(key) FROM (
		SELECT r.key FROM repositories r LEFT JOIN servers s ON s.repo_id = r.id
		WHERE r.repo IS NOT NULL GROUP BY r.id HAVING count(s.id) <= 2
			AND r.snapshot->'repo'->'owner' IS NULL
			AND bool_and(s.record->'repo'->'owner' IS NULL AND s.facts->'repo'->'owner' IS NULL)) AS r`).
		Scan(&keys); err != nil {
		s.t.Fatal(err)
	}
	of = map[string]string{}
	for _, r := range s.world[:crawled] {
		if slices.Contains(keys, repoKey(r.FullName)) {
			of[r.Of] = r.FullName
		}
	}
	rest := slices.DeleteFunc(s.world[crawled:], func(r scaleRepository) bool { return of[r.Of] == "" })
	s.world = s.world[:crawled+len(rest)]
	return of
}

// copyRepositories stores repositories that were not crawled, until there are n, as copies
// of those that were: of the same record, with their own names, ids and commits. Texts are
// copied for those that will change.
func (s *scale) copyRepositories(n int, of map[string]string) {
	s.t.Helper()
	var from, names, patches []string
	var changes []bool
	for i, r := range s.world[:n] {
		if of[r.Of] == "" || of[r.Of] == r.FullName {
			continue
		}
		owner, name, _ := strings.Cut(r.FullName, "/")
		patch, _ := json.Marshal(map[string]any{"id": r.ID, "nodeId": r.NodeID, "owner": owner,
			"name": name, "commit": r.Served.Head, "stars": r.Served.Stars, "forks": r.Served.Forks,
			"pushedAt": r.Served.PushedAt, "watchers": r.Served.Watchers,
			"openIssues": r.Served.OpenIssues, "closedIssues": r.Served.ClosedIssues,
			"openPrs": r.Served.OpenPulls, "closedPrs": r.Served.ClosedPulls,
			"mergedPrs": r.Served.MergedPulls})
		from = append(from, repoKey(of[r.Of]))
		names, patches = append(names, repoKey(r.FullName)), append(patches, string(patch))
		changes = append(changes, i%25 == 0)
	}
	s.exec(`CREATE UNLOGGED TABLE copying AS
		SELECT DISTINCT ON (c.patch -> 'id') r.id AS old_id,
			(SELECT max(id) FROM repositories) + c.place AS id, c.key, c.patch, c.changes
		FROM unnest($1::text[], $2::text[], $3::text[]::jsonb[], $4::boolean[])
			WITH ORDINALITY AS c (of, key, patch, changes, place)
		JOIN repositories r ON r.key = c.of
		WHERE NOT EXISTS (SELECT FROM repositories k WHERE k.host_id = (c.patch ->> 'id')::bigint OR k.key = c.key)`,
		pq.Array(from), pq.Array(names), pq.Array(patches), pq.Array(changes))
	s.exec(`INSERT INTO repositories OVERRIDING SYSTEM VALUE
		SELECT x.* FROM copying c JOIN repositories r ON r.id = c.old_id,
		LATERAL jsonb_populate_record(r, jsonb_build_object('id', c.id, 'host_id', c.patch -> 'id',
			'node_id', c.patch -> 'nodeId', 'owner', c.patch -> 'owner', 'name', c.patch -> 'name',
			'key', c.key, 'repo', r.repo::jsonb || c.patch)) AS x`)
	s.exec(`CREATE UNLOGGED TABLE copied AS SELECT s.id AS old_id, c.id AS repo_id,
		(SELECT max(id) FROM servers) + row_number() OVER () AS id,
		(SELECT seq FROM changes) + row_number() OVER () AS seq
		FROM copying c JOIN servers s ON s.repo_id = c.old_id`)
	s.exec(`INSERT INTO servers OVERRIDING SYSTEM VALUE
		SELECT x.* FROM copied c JOIN servers s ON s.id = c.old_id,
		LATERAL jsonb_populate_record(s, jsonb_build_object('id', c.id, 'repo_id', c.repo_id, 'seq', c.seq,
			'slug', s.slug || '-' || c.id, 'digest', '', 'facts_digest', '')) AS x`)
	s.exec(`UPDATE changes SET seq = (SELECT max(seq) FROM servers)`)
	for _, table := range []string{"repositories", "servers"} {
		s.exec(`SELECT setval(pg_get_serial_sequence('` + table + `', 'id'), (SELECT max(id) FROM ` + table + `))`)
	}
	s.exec(`INSERT INTO server_packages
		SELECT x.* FROM copied c JOIN server_packages p ON p.server_id = c.old_id,
		LATERAL jsonb_populate_record(p, jsonb_build_object('server_id', c.id)) AS x`)
	s.exec(`WITH project AS (
			INSERT INTO packages SELECT x.* FROM copying c JOIN repositories r ON r.id = c.old_id
			JOIN packages p ON p.registry_type = 'project'
				AND p.identifier = 'github.com/' || r.owner || '/' || r.name,
			LATERAL jsonb_populate_record(p, jsonb_build_object('identifier',
				'github.com/' || (c.patch ->> 'owner') || '/' || (c.patch ->> 'name'))) AS x
			RETURNING identifier)
		INSERT INTO package_tasks (registry_type, identifier, kind, due_at)
		SELECT 'project', identifier, 'facts', now() + interval '1 day' FROM project`)
	s.exec(`INSERT INTO sightings
		SELECT x.* FROM copying c JOIN sightings g ON g.repo_id = c.old_id,
		LATERAL jsonb_populate_record(g, jsonb_build_object('repo_id', c.id)) AS x`)
	s.exec(`INSERT INTO repository_texts
		SELECT x.* FROM copying c JOIN repository_texts f ON f.repo_id = c.old_id,
		LATERAL jsonb_populate_record(f, jsonb_build_object('repo_id', c.id)) AS x
		WHERE c.changes`)
	fmt.Printf("%d repositories and %d servers copied\n", s.count(`SELECT count(*) FROM copying`),
		s.count(`SELECT count(*) FROM copied`))
	s.exec(`DROP TABLE copying, copied`)
}

// crawl runs the program and prints its cost. If interruptAt is not 0, it gets SIGINT when
// that many repositories have been read.
func (s *scale) crawl(name string, interruptAt int) {
	s.t.Helper()
	s.control("reset", map[string]any{}, nil)
	log, err := os.Create(s.log)
	if err != nil {
		s.t.Fatal(err)
	}
	defer log.Close()
	start, cost := time.Now(), ""
	var cpu time.Duration
	var resident int64 // MB
	if dir := os.Getenv("CENSUS_SCALE_PROFILES"); dir != "" {
		profile, err := os.Create(filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".pprof"))
		if err != nil {
			s.t.Fatal(err)
		}
		if err := pprof.StartCPUProfile(profile); err != nil {
			s.t.Fatal(err)
		}
		s.run("crawl", "--source", "official-registry")
		pprof.StopCPUProfile()
		profile.Close()
	} else {
		cmd := exec.Command(program(s.t), "crawl", "--source", "official-registry")
		cmd.Env, cmd.Stdout, cmd.Stderr = s.environ, log, log
		if err := cmd.Start(); err != nil {
			s.t.Fatal(err)
		}
		for interruptAt > 0 && s.read() < interruptAt {
			time.Sleep(time.Second)
		}
		if interruptAt > 0 {
			_ = cmd.Process.Signal(syscall.SIGINT)
		}
		if err := cmd.Wait(); err != nil && interruptAt == 0 {
			text, _ := os.ReadFile(s.log)
			s.t.Fatalf("%s: %v\n%s", name, err, text[max(0, len(text)-4000):])
		}
		usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		resident = usage.Maxrss / 1024
		cost = fmt.Sprintf("%s of processor time, at most %d MB resident", cpu.Round(time.Second), resident)
	}
	took := time.Since(start)
	var stats struct {
		Requests map[string]map[string]int
		Points   map[string]int `json:"points_spent"`
		Careless int            `json:"asked_while_limited"`
		Git      map[string]map[string]struct{ Requests, Bytes, Objects int }
	}
	s.control("stats", nil, &stats)
	requests, size := 0, 0
	for _, kind := range slices.Sorted(maps.Keys(stats.Git["git"])) {
		sum := stats.Git["git"][kind]
		requests, size = requests+sum.Requests, size+sum.Bytes
		fmt.Printf("  %8d git %s, %d kB, %d objects\n", sum.Requests, kind, sum.Bytes/1000, sum.Objects)
	}
	fmt.Printf("%s: %s, %s; %d points, %d REST requests, %d sent although limited\n", name,
		took.Round(time.Second), cost, stats.Points["graphql"], stats.Points["core"], stats.Careless)
	fmt.Fprintf(&s.table, "| %s | %s | %s | %d | %d | %d, %d MB | %d MB |\n", name,
		took.Round(time.Second), cpu.Round(time.Second), stats.Points["graphql"], stats.Points["core"],
		requests, size/1_000_000, resident)
	fmt.Printf("  %d repositories read, %d servers listed, database %d MB\n",
		s.read(), s.count(`SELECT count(*) FROM servers WHERE listed`),
		s.count(`SELECT pg_database_size(current_database()) / 1000000`))
	for _, service := range slices.Sorted(maps.Keys(stats.Requests)) {
		others := 0 // of kinds that internet-replay does not name
		for _, kind := range slices.Sorted(maps.Keys(stats.Requests[service])) {
			if n := stats.Requests[service][kind]; n > 1 || service == "github" {
				fmt.Printf("  %8d %s %s\n", n, service, kind)
			} else {
				others++
			}
		}
		if others > 0 {
			fmt.Printf("  %8d %s, others\n", others, service)
		}
	}
	text, _ := os.ReadFile(s.log)
	warnings := 0
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, "ERROR") || strings.Contains(line, "WARN") {
			if warnings++; warnings <= 5 {
				fmt.Printf("  %.300s", line)
			}
		}
	}
	fmt.Printf("  %d warnings and errors in the log\n", warnings)
}
