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

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// sharedFolder returns the folder of test data beside the repository.
func sharedFolder(t *testing.T) string {
	dir := os.Getenv("CENSUS_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	if _, err := os.Stat(filepath.Join(dir, "corpus", "lists")); err != nil {
		t.Skip("no corpus of real servers: set CENSUS_SHARED to the folder that holds corpus/lists")
	}
	return dir
}

type judged struct {
	text string
	slug string // of the server that the text describes
}

// relevanceData makes servers of the repositories that people's lists name.
// Those with a record of their own in the corpus have its texts and nothing
// from the lists; own are all descriptions that lists give them. The others
// have the description of the first list that names them; others are the
// descriptions of the other lists, as far as they differ.
func relevanceData(t *testing.T) (servers []registry.Server, own, others []judged) {
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
			if json.Unmarshal(lines.Bytes(), &e) != nil || e.Repo == "" || len(terms(e.Description)) < 2 {
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
				if j := (judged{e.Description, s.Slug}); recorded {
					own = append(own, j)
				} else {
					others = append(others, j)
				}
			}
		}
	}
	return servers, own, others
}

// TestRelevance measures how well the description of a server in one list
// finds that server by its own texts, or by those of another list. Run it
// with -v for the figures of docs/search.md.
func TestRelevance(t *testing.T) {
	servers, own, others := relevanceData(t)
	forEachEngine(t, func(t *testing.T, idx Index) {
		load(t, idx, servers)
		for _, set := range []struct {
			name    string
			queries []judged
			least   float64
		}{{"records", own, 0.5}, {"other lists", others, 0.6}} {
			var recall, rank float64
			for _, j := range set.queries {
				res, err := idx.Search(t.Context(), query.Query{Text: j.text, Limit: 10})
				if err != nil {
					t.Fatal(err)
				}
				if i := slices.Index(res.Slugs, j.slug); i >= 0 {
					recall++
					rank += 1 / float64(i+1)
				}
			}
			n := float64(len(set.queries))
			t.Logf("%s: %d servers, %d queries: recall@10 %.3f, MRR %.3f", set.name, len(servers), len(set.queries), recall/n, rank/n)
			if n == 0 || recall/n < set.least {
				t.Errorf("%s: recall@10 %.3f of %d queries is below %.2f", set.name, recall/n, len(set.queries), set.least)
			}
		}
	})
}
