package jobs_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/registry"
)

// list puts an entry of the official registry down for a repository.
func (h *house) list(name string, packages ...registry.Package) {
	h.t.Helper()
	_, err := h.db.Enqueue(h.t.Context(),
		[]registry.Candidate{{Ref: ref(name), Source: "official-registry",
			Listing: &registry.Listing{
				Name: "io.github." + name, Description: "Trains of the region", Version: "1.0.0",
				Status: "active", RepoURL: "https://github.com/" + name, Packages: packages,
			}}}, h.clock.Now())
	h.must(err)
}

func TestAnEmptiedRepositoryLeavesTheList(t *testing.T) {
	h := newHouse(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	before := h.server("rail/trains-mcp")
	h.must(h.world.Clear("rail/trains-mcp"))
	h.later(20 * 24 * time.Hour)
	h.refresh()
	if got := h.servers("rail/trains-mcp"); len(got) != 0 {
		t.Errorf("it is listed still: %+v", got)
	}
	if _, err := pgtest.Find(t, h.db, before.Slug); !errors.Is(err, registry.ErrGone) {
		t.Errorf("asked for its slug: %v", err)
	}
	if w := h.work("rail/trains-mcp"); w.State != "empty" {
		t.Errorf("the repository is %s", w.State)
	}
	h.must(h.world.Push("rail/trains-mcp",
		map[string]string{"package.json": `{"name":"trains-mcp","bin":"x.js","dependencies":{"@modelcontextprotocol/sdk":"^1.0.0"}}`, "README.md": "# Trains MCP server\n\nAn MCP server for trains of the region."}))
	h.later(31 * 24 * time.Hour)
	h.refresh()
	if back := h.server("rail/trains-mcp"); back.Slug != before.Slug ||
		back.Status != registry.StatusActive {
		t.Errorf("filled again: slug %s (was %s), status %s", back.Slug, before.Slug, back.Status)
	}
}

func TestWhatOnlyTheRegistrySpeaksOfIsNotActive(t *testing.T) {
	npm := registry.Package{RegistryType: "npm", Identifier: "trains-mcp", Version: "1.0.0"}
	for name, c := range map[string]struct {
		packages []registry.Package
		change   func(h *house) error
		status   string // "" for not listed
		health   string
		says     string
	}{
		"emptied, with a package": {[]registry.Package{npm},
			func(h *house) error {
				return h.world.Clear(
					"rail/trains-mcp")
			}, registry.StatusUnreachable, registry.HealthEmpty, "no commit"},
		"emptied, nothing to run": {nil,
			func(h *house) error { return h.world.Clear("rail/trains-mcp") }, "", "", ""},
		"code taken out": {[]registry.Package{npm}, takeOut, registry.StatusUnreachable,
			registry.HealthScored, "only the official registry"},
		"code taken out, no package": {nil, takeOut, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, aServer("rail/trains-mcp"))
			h.list("rail/trains-mcp", c.packages...)
			h.refresh()
			if s := h.server("rail/trains-mcp"); s.Status != registry.StatusActive {
				t.Fatalf("before: %s", s.Status)
			}
			h.must(c.change(h))
			h.later(20 * 24 * time.Hour)
			h.refresh()
			servers := h.servers("rail/trains-mcp")
			if c.status == "" {
				if len(servers) != 0 {
					t.Errorf("it is listed still as %s: %s", servers[0].Status,
						servers[0].StatusMessage)
				}
				return
			}
			if len(servers) != 1 || servers[0].Status != c.status ||
				servers[0].Health.Status != c.health ||
				!strings.Contains(servers[0].StatusMessage, c.says) {
				t.Errorf("got %+v", servers)
			}
			if slices.Contains(servers[0].Health.Flags, "missing") {
				t.Error("the code host has it, but it is called missing")
			}
		})
	}
}

// takeOut removes everything but a notice.
func takeOut(h *house) error {
	files := map[string]string{"NOTICE": "Nothing here."}
	for _, f := range h.work("rail/trains-mcp").Stored.Files {
		files[f.Path] = ""
	}
	return h.world.Push("rail/trains-mcp", files)
}

func TestAMissedRepositoryIsFlagged(t *testing.T) {
	h := newHouse(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	h.must(h.world.Delete("rail/trains-mcp"))
	h.later(20 * 24 * time.Hour)
	h.refresh()
	if s := h.server("rail/trains-mcp"); !slices.Contains(s.Health.Flags, "missing") {
		t.Errorf("flags are %v", s.Health.Flags)
	}
}

func TestACheckOfARepositoryWithoutACommitSaysSo(t *testing.T) {
	h := newHouse(t, aServer("rail/trains-mcp"))
	h.must(h.world.Clear("rail/trains-mcp"))
	r := h.check(h.checker(), "rail/trains-mcp")
	if r.Status != registry.CheckDone || !r.Empty || len(r.Servers) != 0 || r.Reason == "" {
		t.Errorf("%+v", r)
	}
}
