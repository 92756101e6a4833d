package jobs_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
)

// trip panics on input from one repository, like a bug in a reader of hostile files.
func trip(bad string) func(registry.Repository) {
	return func(r registry.Repository) {
		if r.Name == bad {
			panic("index out of range")
		}
	}
}

func folderServer(name string) string {
	return strings.NewReplacer("-- package.json --", "-- src/one/package.json --", "-- index.js --",
		"-- src/one/index.js --").Replace(aServer(name)) +
		"-- src/two/package.json --\n" +
		`{ "name": "two-mcp", "version": "1.2.0", "bin": "index.js", "dependencies": {"@modelcontextprotocol/sdk": "^1.20.0"} }` +
		"\n-- src/two/index.js --\n" + `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
const server = new McpServer({ name: "two", version: "1.2.0" });` + "\n"
}

func TestPanicInVisit(t *testing.T) {
	h := newFixture(t, aServer("rail/a-mcp"), folderServer("rail/b-mcp"), aServer("rail/c-mcp"))
	h.enqueue("rail/a-mcp", "rail/b-mcp", "rail/c-mcp")
	c := h.crawler()
	c.Hosts[registry.GitHub] = hostWith{Host: h.github, paths: trip("b-mcp")}
	n, err := c.Refresh(t.Context(), 0)
	if err != nil || n != 3 {
		t.Fatalf("visited %d, %v", n, err)
	}
	h.server("rail/a-mcp")
	h.server("rail/c-mcp")
	if w := h.work("rail/b-mcp"); w.Attempt != 1 {
		t.Errorf("attempt %d", w.Attempt)
	}
	if s := h.status(); s.Due != 0 || s.Leased != 0 || len(s.Failing) != 1 {
		t.Errorf("due %d, leased %d, failing %+v", s.Due, s.Leased, s.Failing)
	}
}

func TestPanicInCheck(t *testing.T) {
	h := newFixture(t, folderServer("rail/b-mcp"))
	c := h.checker()
	c.Ingester.Hosts[registry.GitHub] = hostWith{Host: h.github, paths: trip("b-mcp")}
	_, err := c.Check(t.Context(), ref("rail/b-mcp"))
	if err == nil {
		t.Fatal("no error")
	}
	if strings.Contains(err.Error(), "index out of range") {
		t.Errorf("error of the check: %q", err)
	}
	run, err := h.db.Check(t.Context(), ref("rail/b-mcp").Key())
	if err != nil || run.State != registry.CheckFailed {
		t.Errorf("got %+v, %v", run, err)
	}
}

// A panickingStore has a server that cannot be scored.
type panickingStore struct {
	jobs.FactsStore
	bad string
}

func (s panickingStore) SaveScores(
	ctx context.Context, scored []registry.Scored, now time.Time,
) (int, error) {
	for _, x := range scored {
		if x.Server.Slug == s.bad {
			panic("index out of range")
		}
	}
	return s.FactsStore.SaveScores(ctx, scored, now)
}

func TestPanicInRescore(t *testing.T) {
	h := newFixture(t, aServer("rail/a-mcp"))
	h.enqueue("rail/a-mcp")
	h.refresh()
	_, _, err := jobs.Rescore(t.Context(), panickingStore{h.db, h.server("rail/a-mcp").Slug},
		h.clock.Now().Add(time.Hour), nil)
	if err == nil || !strings.Contains(err.Error(), "index out of range") {
		t.Errorf("got %v", err)
	}
}
