package search

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// twins are a server, an unmaintained copy of it, and others.
func twins() []registry.Server {
	good, bad := 94, 25
	servers := corpus(60)
	original := registry.Server{
		ID: 1001, Seq: 1001, Slug: "harbor-ledger", Name: "ledger-navigator", Title: "Ledger Navigator",
		Description: "Read-only Ledgerbase for assistants: schemas, query plans and safe queries over MCP",
		Tags:        []string{"mcp", "mcp-server", "ledgerbase", "database", "sql"},
		Tools:       []registry.Tool{{Name: "list_schemas"}, {Name: "describe_table"}, {Name: "run_query"}, {Name: "explain_query"}},
		Repo:        registry.Repository{Owner: "harbor", Name: "ledger-navigator"},
		Readme:      "Ledger Navigator lets an assistant look into a ledger without being able to change it. Every query has a time limit.",
		Health:      registry.Health{Score: &good},
	}
	copied := registry.Server{
		ID: 1002, Seq: 1002, Slug: "sandboxer-ledger", Name: "ledger-navigator", Title: "ledger-navigator",
		Description: "My changes to ledger navigator", Repo: registry.Repository{Owner: "sandboxer", Name: "mcp-ledger-navigator"},
		Readme: "Ledger Navigator. My copy.", Health: registry.Health{Score: &bad},
	}
	return append(servers, original, copied)
}

func TestQuality(t *testing.T) {
	forEachEngine(t, func(t *testing.T, idx Index) {
		load(t, idx, twins())
		for _, text := range []string{"ledger", "ledg", "ledger ", "ledger navigator", "navigator"} {
			if slugs := match(t, idx, text); len(slugs) < 2 || slugs[0] != "harbor-ledger" {
				t.Errorf("%q: %v; the original should come before its copy", text, slugs)
			}
		}
		// Words that only the copy has find the copy, whatever its quality.
		if slugs := match(t, idx, "sandboxer ledger"); len(slugs) == 0 || slugs[0] != "sandboxer-ledger" {
			t.Errorf("%v", slugs)
		}
	})
}

// A server that can only be used through an endpoint that is down follows an equal one that
// works.
func TestOffline(t *testing.T) {
	forEachEngine(t, func(t *testing.T, idx Index) {
		server := func(id int64, slug, liveness string) registry.Server {
			return registry.Server{ID: id, Seq: id, Slug: slug, Name: "Cormorant alerts", Liveness: liveness}
		}
		load(t, idx, append(corpus(50), server(1001, "a-down", registry.LivenessDown),
			server(1002, "b-alive", registry.LivenessAlive)))
		if slugs := match(t, idx, "cormorant alerts"); len(slugs) < 2 || slugs[0] != "b-alive" {
			t.Errorf("%v", slugs)
		}
	})
}

func TestRankingBySegments(t *testing.T) {
	servers := corpus(150)
	whole, parts := engines["bleve"](t), engines["bleve"](t)
	if err := whole.Rebuild(t.Context(), &memoryFeed{servers: servers}); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(servers); i += 19 {
		load(t, parts, servers[i:min(len(servers), i+19)])
	}
	// Replaced servers count once.
	load(t, parts, servers[:20])
	for _, text := range []string{"query", "que", "mcp server", "slack messages", "server", "database tables schemas query with words nobody wrote"} {
		a, b := match(t, whole, text), match(t, parts, text)
		slices.Sort(a)
		slices.Sort(b)
		if diff := cmp.Diff(a, b); diff != "" {
			t.Errorf("%q: (-one segment +many)\n%s", text, diff)
		}
	}
}

// Of a text of which no server has a word, only servers about the others match, and a word is only
// replaced by one that a server has with another of them. Words without such a server do not count.
func TestOtherWords(t *testing.T) {
	idx := engines["bleve"](t)
	servers := append(smallRegistry(),
		registry.Server{Slug: "runner", Name: "runner", Description: "Run Python code"},
		registry.Server{Slug: "book", Name: "book-python", Description: "Pages", Readme: "Runs safely."})
	for i := range int64(10) {
		servers = append(servers, registry.Server{Slug: fmt.Sprint("create-", i), Description: "Create something"})
	}
	for i := range servers {
		servers[i].ID, servers[i].Seq = int64(i+1), int64(i+1)
	}
	load(t, idx, servers)
	for text, want := range map[string]query.Matches{
		"create jira tickets":    {Slugs: []string{"trains"}},
		"pots tickets":           {Slugs: []string{"trains"}}, // "pods" are of a cluster
		"pots deployments":       {Slugs: []string{"cluster"}, All: 1, Corrected: "pods deployments"},
		"run python code safely": {Slugs: []string{"runner", "book"}, All: 1},
	} {
		m, err := idx.Match(t.Context(), text)
		if d := cmp.Diff(want, m); d != "" || err != nil {
			t.Errorf("%s: %v\n%s", text, err, d)
		}
	}
}
