package search

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/race"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/synonyms"
)

// sharedFolder returns the folder of test data next to the repository.
func sharedFolder(t *testing.T) string {
	dir := os.Getenv("CENSUS_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	if _, err := os.Stat(filepath.Join(dir, "corpus", "lists")); err != nil {
		t.Skip("SKIPPED: no corpus of real servers; set CENSUS_SHARED to the folder that holds corpus/lists")
	}
	return dir
}

type relevanceCase struct {
	text string
	slug string // of the server that the text describes
}

// relevanceData makes servers of the repositories in published lists. Servers with a record in
// the corpus have its texts and nothing from the lists; own are all descriptions in the lists.
// The others have the description of the first list that names them; others are the different
// descriptions of the other lists.
func relevanceData(t *testing.T) (servers []registry.Server, own, others []relevanceCase) {
	dir := filepath.Join(sharedFolder(t), "corpus")
	files, err := filepath.Glob(filepath.Join(dir, "lists", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatal("no lists", err)
	}
	slices.Sort(files)
	type entry struct{ Repo, Name, Description string }
	byRepo := map[string][]entry{}
	var order []string
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(bytes.NewReader(data))
		lines.Buffer(nil, 1<<22)
		for lines.Scan() {
			var e entry
			if json.Unmarshal(lines.Bytes(), &e) != nil || e.Repo == "" || len(strings.Fields(e.Description)) < 2 {
				continue
			}
			key := strings.ToLower(e.Repo)
			if byRepo[key] == nil {
				order = append(order, key)
			}
			byRepo[key] = append(byRepo[key], e)
		}
	}
	for i, key := range order {
		entries := byRepo[key]
		owner, name, _ := strings.Cut(entries[0].Repo, "/")
		s := registry.Server{
			ID: int64(i + 1), Seq: int64(i + 1), Slug: strings.NewReplacer("/", "-", ".", "-", "_", "-").Replace(key),
			Name: name, Repo: registry.Repository{Owner: owner, Name: name},
		}
		var record struct {
			Readme struct{ Text string }
			Texts  map[string]string
		}
		data, err := os.ReadFile(filepath.Join(dir, "repos", strings.ReplaceAll(entries[0].Repo, "/", "__")+".json"))
		recorded := err == nil && json.Unmarshal(data, &record) == nil
		if recorded {
			var manifest struct {
				Description string
				Keywords    []string
			}
			_ = json.Unmarshal([]byte(record.Texts["package.json"]), &manifest) // not every server has one
			s.Description, s.Tags = manifest.Description, manifest.Keywords
			s.Readme = record.Readme.Text[:min(len(record.Readme.Text), 10_000)]
		} else {
			s.Name, s.Description = entries[0].Name, entries[0].Description
		}
		servers = append(servers, s)
		seen := []string{strings.ToLower(s.Description)}
		for _, e := range entries {
			if d := strings.ToLower(e.Description); !slices.Contains(seen, d) {
				seen = append(seen, d)
				if j := (relevanceCase{e.Description, s.Slug}); recorded {
					own = append(own, j)
				} else {
					others = append(others, j)
				}
			}
		}
	}
	return servers, own, others
}

// TestRelevance measures how well servers are found by the descriptions that
// people gave them, and by the queries of testdata/queries.txt. Run it with -v
// for the figures of docs/search.md. With the race detector, only the queries of
// the file are run.
func TestRelevance(t *testing.T) {
	servers, own, others := relevanceData(t)
	short := shortQueries(t, servers)
	forEachEngine(t, func(t *testing.T, idx Index) {
		load(t, idx, servers)
		for _, set := range []struct {
			name    string
			queries []relevanceCase
		}{{"records", own}, {"lists", others}} {
			if race.Enabled {
				t.Logf("SKIPPED: %s, with the race detector; make relevance measures them", set.name)
				break
			}
			var recall, reciprocal float64
			var took []time.Duration
			for _, j := range set.queries {
				start := time.Now()
				slugs := match(t, idx, j.text)
				took = append(took, time.Since(start))
				if i := slices.Index(slugs[:min(10, len(slugs))], j.slug); i >= 0 {
					recall++
					reciprocal += 1 / float64(i+1)
				}
			}
			n := float64(len(set.queries))
			recall, reciprocal = recall/n, reciprocal/n
			t.Logf("%s: %d servers, %d queries: recall@10 %.3f, MRR %.3f, median %v",
				set.name, len(servers), len(set.queries), recall, reciprocal, median(took).Round(10*time.Microsecond))
			if n == 0 || recall < 0.85 || reciprocal < 0.70 {
				t.Errorf("%s: recall@10 %.3f, MRR %.3f; want at least 0.85 and 0.70", set.name, recall, reciprocal)
			}
		}
		hits, share := 0.0, 0.0
		for _, q := range short {
			slugs := match(t, idx, q.text)
			first := slugs[:min(5, len(slugs))]
			good := 0.0
			for _, slug := range first {
				if slices.Contains(q.slugs, slug) {
					good++
				}
			}
			if good > 0 {
				hits++
			} else {
				t.Logf("%q: none of the expected servers among %v", q.text, first)
			}
			share += good / float64(min(5, len(q.slugs)))
			if len(slugs) == 0 {
				t.Errorf("%q: no results", q.text)
			}
		}
		n := float64(len(short))
		t.Logf("short queries: %d: an expected server among the first five for %.3f, share of expected servers %.3f", len(short), hits/n, share/n)
		if hits/n < 0.9 {
			t.Errorf("short queries: an expected server among the first five for %.3f, want at least 0.9", hits/n)
		}
	})
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

type shortQuery struct {
	text  string
	slugs []string // of the servers that are expected first
}

// shortQueries reads testdata/queries.txt: a query a line, and behind a colon
// the repositories of the servers that are expected among the first results.
func shortQueries(t *testing.T, servers []registry.Server) (queries []shortQuery) {
	t.Helper()
	slugs := map[string]string{}
	for _, s := range servers {
		slugs[strings.ToLower(s.Repo.Owner+"/"+s.Repo.Name)] = s.Slug
	}
	data, err := os.ReadFile("testdata/queries.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range synonyms.Lines(string(data)) {
		text, repos, _ := strings.Cut(line, ": ")
		q := shortQuery{text: text}
		for repo := range strings.FieldsSeq(repos) {
			slug := slugs[strings.ToLower(repo)]
			if slug == "" {
				t.Fatalf("%q: %s is not in the corpus", text, repo)
			}
			q.slugs = append(q.slugs, slug)
		}
		queries = append(queries, q)
	}
	return queries
}
