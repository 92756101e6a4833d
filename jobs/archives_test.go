package jobs_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/github/fakegithub"
	"mcpcensus/internal/registry"
)

// trainsArchive are the files of a version of the package trains-mcp that registers a
// tool.
func trainsArchive(tool string) map[string]string {
	return map[string]string{
		"package.json": `{"name": "trains-mcp", "bin": {"trains-mcp": "dist/index.js"}}`,
		"dist/index.js": `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
const server = new McpServer({ name: "trains-mcp", version: "1.0.0" });
server.registerTool("` + tool + `", { description: "Of the package" }, async () => ({ content: [] }));
`}
}

func TestArchiveOfNewPackage(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.must(h.world.PublishPackage("npm", "trains-mcp", "1.3.0", trainsArchive("arrivals")))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	p := h.packager()
	for _, want := range []string{"departures", "arrivals"} {
		if _, err := p.Facts(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := h.toolOrigin("rail/trains-mcp").Tool; got != want {
			t.Errorf("at %v: tool %q, want %q", h.clock.Now(), got, want)
		}
		h.later(11 * time.Minute)
	}
	if n := h.asked("/npm/trains-mcp/"); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

// A toolOrigin is where the tools of a server are from.
type toolOrigin struct {
	Tool, From, Package, Version string
}

func (h *fixture) toolOrigin(name string) toolOrigin {
	h.t.Helper()
	s := h.server(name)
	o := toolOrigin{From: s.ToolsFrom, Package: s.ToolsPackage.Identifier, Version: s.ToolsVersion}
	if len(s.Tools) == 1 {
		o.Tool = s.Tools[0].Name
	}
	return o
}

func TestArchives(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	p := h.packager()
	facts := func() {
		t.Helper()
		h.later(25 * time.Hour)
		if _, err := p.Facts(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	check := func(what string, want toolOrigin, requests int) {
		t.Helper()
		if d := cmp.Diff(want, h.toolOrigin("rail/trains-mcp")); d != "" {
			t.Errorf("%s: %s", what, d)
		}
		if n := h.asked("/npm/trains-mcp/"); n != requests {
			t.Errorf("%s: %d requests, want %d", what, n, requests)
		}
	}
	facts()
	check("version of the repository", toolOrigin{"departures", "source", "", "1.2.0"}, 0)

	h.must(h.world.PublishPackage("npm", "trains-mcp", "1.3.0", trainsArchive("arrivals")))
	h.world.Fail(fakegithub.Fault{Path: "/npm/", Status: http.StatusServiceUnavailable})
	facts()
	check("registry down", toolOrigin{"departures", "source", "", "1.2.0"}, 1)
	if failing := h.status().Failing; len(failing) != 1 {
		t.Errorf("failing: %+v", failing)
	}
	h.world.ClearFaults()
	facts()
	check("another version", toolOrigin{"arrivals", "source", "trains-mcp", "1.3.0"}, 3)
	s := h.server("rail/trains-mcp")
	if s.ToolsAt == nil || !s.ToolsAt.Equal(h.clock.Now()) || s.ToolsHash == "" {
		t.Errorf("read at %v, hash %q", s.ToolsAt, s.ToolsHash)
	}
	facts()
	check("unchanged", toolOrigin{"arrivals", "source", "trains-mcp", "1.3.0"}, 3)

	h.must(h.world.PublishPackage("npm", "trains-mcp", "1.4.0", trainsArchive("platforms")))
	facts()
	check("next version", toolOrigin{"platforms", "source", "trains-mcp", "1.4.0"}, 5)
	lists, err := h.db.ToolLists(t.Context(), s.Slug, 9)
	h.must(err)
	var history []toolOrigin
	for _, l := range lists {
		history = append(history, toolOrigin{l.Tools[0].Name, l.From, l.Package.Identifier, l.Version})
	}
	if d := cmp.Diff([]toolOrigin{{"platforms", "source", "trains-mcp", "1.4.0"},
		{"arrivals", "source", "trains-mcp", "1.3.0"}, {"departures", "source", "", "1.2.0"}}, history); d != "" {
		t.Errorf("history: %s", d)
	}

	// A reader that has changed reads an archive again, within two weeks.
	f, _ := h.packageFacts(npm("trains-mcp"))
	f.Archive.Reader, f.Archive.Tools = 0, []registry.Tool{{Name: "old"}}
	h.must(h.db.SavePackage(t.Context(), f, h.clock.Now(), ""))
	for range 14 {
		facts()
	}
	check("other reader", toolOrigin{"platforms", "source", "trains-mcp", "1.4.0"}, 7)
	if lists, err := h.db.ToolLists(t.Context(), s.Slug, 9); len(lists) != 3 || err != nil {
		t.Errorf("other reader: %d lists, %v", len(lists), err)
	}

	h.must(h.world.PublishPackage("npm", "trains-mcp", "1.5.0", map[string]string{"package.json": "{}"}))
	facts()
	check("no tools found", toolOrigin{"departures", "source", "", "1.2.0"}, 9)
}

func TestArchiveOfCheck(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.must(h.world.PublishPackage("npm", "trains-mcp", "1.3.0", trainsArchive("arrivals")))
	toolOf := func() string {
		t.Helper()
		r := h.check(h.checker(), "rail/trains-mcp")
		if len(r.Servers) != 1 || len(r.Servers[0].Server.Tools) != 1 {
			t.Fatalf("%d servers", len(r.Servers))
		}
		s := r.Servers[0].Server
		return s.Tools[0].Name + " from " + s.ToolsFrom + " " + s.ToolsPackage.Identifier
	}
	if got := toolOf(); got != "arrivals from source trains-mcp" {
		t.Errorf("got %s", got)
	}
	// Without the archive, the tools of the repository are the result.
	h.later(25 * time.Hour)
	h.world.Fail(fakegithub.Fault{Path: "/npm/", Status: http.StatusServiceUnavailable})
	if got := toolOf(); got != "departures from source " {
		t.Errorf("without the archive: got %s", got)
	}
}

// TestEndedArchive checks that an archive whose reading a limit of steps ended is reported, read
// again, and does not replace a longer list of the same version.
func TestEndedArchive(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	files := trainsArchive("arrivals")
	files["dist/index.js"] += "const a = [" + strings.Repeat("1,", 1900) + "];\n" +
		"for (const b of a) for (const c of a) for (const d of a) f(d);\n"
	h.must(h.world.PublishPackage("npm", "trains-mcp", "1.3.0", files))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	p := h.packager()
	read := func() *registry.ArchiveTools {
		h.later(25 * time.Hour)
		if _, err := p.Facts(t.Context()); err != nil {
			t.Fatal(err)
		}
		f, _ := h.packageFacts(npm("trains-mcp"))
		return f.Archive
	}
	read() // the first facts
	for n := 1; n <= 4; n++ {
		a := read()
		if a == nil || a.Ended != (n < 3) || len(a.Tools) != min(n, 2) || !a.Partial {
			t.Fatalf("reading %d: %+v", n, a)
		}
		if failing := h.status().Failing; (len(failing) == 1) != (n <= 3) {
			t.Errorf("reading %d: failing %+v", n, failing)
		}
		if n == 1 { // as if an earlier reading had found more
			f, _ := h.packageFacts(npm("trains-mcp"))
			f.Archive.Tools = append(f.Archive.Tools, registry.Tool{Name: "delays"})
			h.must(h.db.SavePackage(t.Context(), f, h.clock.Now(), "ended"))
		}
	}
}
