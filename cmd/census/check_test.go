package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcpcensus/crawler/read/readtest"
	"mcpcensus/internal/cli"
	"mcpcensus/internal/registry"
)

func TestCardPopularityInputs(t *testing.T) {
	score := 41
	for _, c := range []struct {
		inputs []string
		want   string
	}{
		{[]string{"stars", "forks"},
			"Popularity  41   of stars and forks; unknown here: downloads, dependents and growth."},
		{[]string{"downloads", "stars", "dependents", "forks", "growth"},
			"Popularity  41   of downloads, stars, dependents, forks and growth\n"},
	} {
		var out strings.Builder
		s := registry.Server{Name: "Trains", Kind: registry.KindProxy,
			Popularity: registry.Popularity{Score: &score, Inputs: c.inputs}}
		s.Health.Status = registry.HealthEmpty
		printCard(&out, s, paint(false))
		if !strings.Contains(out.String(), c.want) {
			t.Errorf("the card does not say %q:\n%s", c.want, out.String())
		}
		if !strings.Contains(out.String(), "  Kind        proxy\n") {
			t.Errorf("the card does not say what it is:\n%s", out.String())
		}
	}
	cards, err := cardsOf(registry.CheckResult{Servers: []registry.Scored{{Server: registry.Server{Popularity: registry.Popularity{Inputs: []string{"stars"}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := cards.Servers[0].PopularityUnknown; len(got) != 4 || got[0] != "downloads" {
		t.Errorf("as JSON: %v", got)
	}
}

// TestCardDates checks that health, caps and risks have their source and date.
func TestCardDates(t *testing.T) {
	at := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	s := registry.Server{Name: "Trains", LastCrawledAt: &at, Status: registry.StatusArchived,
		Repo: registry.Repository{Host: registry.GitHub, Owner: "o", Name: "r"},
		Health: registry.Health{Score: new(40), Grade: "D", Version: "m-1", ComputedAt: at.AddDate(0, 0, 1),
			CommitChance: new(0.5), Caps: []registry.Cap{{ID: "archived", Max: 40, Reason: "Archived.", Applied: true},
				{ID: "low_coverage", Max: 60, Reason: "Little is known.", Applied: true}}}}
	var out strings.Builder
	printCard(&out, s, paint(false))
	for _, want := range []string{
		"0% measured (model m-1, 3 Nov 2026)\n",
		"had a commit in the next 90 days (model m-1, 3 Nov 2026)\n",
		"Capped at most 40: Archived. (github, 2 Nov 2026)\n",
		"Capped at most 60: Little is known. (model m-1, 3 Nov 2026)\n",
		"Risk Archived. (github, 2 Nov 2026)\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %s", want, out.String())
		}
	}
}

// TestCheckOfTools checks that the text and the JSON mark composed descriptions, incomplete lists
// and conditional tools as the API does.
func TestCheckOfTools(t *testing.T) {
	s := registry.Server{Name: "Glass", Description: "MCP server for Glass: cut",
		DescriptionFrom: registry.DescriptionComposed, ToolsFrom: "source", ToolCount: new(1), Tools: []registry.Tool{
			{Name: "cut", InputSchema: []byte(`{"type":"object"}`),
				Inferred: &registry.ToolEffect{Effect: registry.EffectDestructive,
					Basis: registry.BasisSource, Evidence: "main.go:3"}},
			{Name: "melt", Conditional: &registry.ToolCondition{Setting: "HOT=true", Off: true}}},
		Variables: []registry.Variable{{Name: "COLOR"},
			{Name: "GLASS_KEY", IsRequired: true, IsSecret: true}}}
	noted := s
	noted.Packages = []registry.Package{{RegistryType: "npm", Identifier: "glass", Version: "1.0.0",
		Configurations: []registry.Configuration{{Command: "npx", Env: []registry.Variable{
			{Name: "NODE_OPTIONS", Value: "--inspect"}}}}}}
	noted.InstallCommand = "npx -y glass@1.0.0"
	r := registry.CheckResult{Servers: []registry.Scored{{Server: s}, {Server: noted}}}
	var out strings.Builder
	printReport(&out, r, false)
	for _, want := range []string{"  Install     npx -y glass@1.0.0\n              The command does not set “NODE_OPTIONS”",
		"MCP server for Glass: cut (composed by Census)\n",
		"  Tools       1 from source: cut, melt (only with HOT=true)\n",
		"  Settings    2 environment variables, 1 required: GLASS_KEY (secret)\n",
		"  Install     No published package or hosted endpoint is known.\n",
		"  What it can do\n    Can change or delete: 1 tool: cut (from the source code)\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %s", want, out.String())
		}
	}
	r.Servers[0].Server.ToolsPartial, r.Servers[0].Server.ToolCount = true, nil
	all, err := cardsOf(r)
	if err != nil {
		t.Fatal(err)
	}
	record := all.Servers[0].Server
	for name, want := range map[string]string{"descriptionSource": `"composed"`,
		"tools": `"inputSchema":{"type":"object"}`, "toolList": `"complete":false`} {
		if !strings.Contains(string(record[name]), want) {
			t.Errorf("%s: no %s in %s", name, want, record[name])
		}
	}
	for _, name := range []string{"id", "slug", "links"} {
		if record[name] != nil {
			t.Errorf("%s of an unlisted server: %s", name, record[name])
		}
	}
}

func TestCheckExitStatus(t *testing.T) {
	score := 41
	of := func(h registry.Health) []registry.Scored {
		return []registry.Scored{{Server: registry.Server{Health: h}}}
	}
	notFound := registry.Errorf(registry.ErrNotFound, "GitHub has no public repository o/r.")
	for name, c := range map[string]struct {
		err  error
		want int
		says string
	}{
		"score":     {outcomeOf(registry.CheckResult{Servers: of(registry.Health{Score: &score})}), 0, ""},
		"no server": {outcomeOf(registry.CheckResult{}), 3, ""},
		"not found": {
			&cli.ExitError{Status: cli.ExitNotFound, Err: notFound}, 4,
			"census: GitHub has no public repository o/r.\n",
		},
		"no score": {outcomeOf(registry.CheckResult{Servers: of(registry.Health{})}), 5, ""},
		"blocked":  {outcomeOf(registry.CheckResult{Blocked: "dmca"}), 5, ""},
	} {
		var out strings.Builder
		if got := exitStatus(c.err, &out); got != c.want || out.String() != c.says {
			t.Errorf("%s: %d %q, want %d %q", name, got, out.String(), c.want, c.says)
		}
	}
}

func TestReportOfSeveralServers(t *testing.T) {
	score := 41
	r := registry.CheckResult{Ref: registry.RepoRef{Host: registry.GitHub, Owner: "o", Name: "r"}}
	for _, f := range []string{"src/a", "src/longer"} {
		s := registry.Server{Name: "Trains " + f[4:], Subfolder: f}
		s.Health.Score, s.Health.Grade = &score, "D"
		r.Servers = append(r.Servers, registry.Scored{Server: s})
	}
	var out strings.Builder
	printReport(&out, r, false)
	want := "o/r contains 2 MCP servers:\n\n" +
		"  Trains a       src/a        41 D\n  Trains longer  src/longer   41 D\n\n"
	if !strings.HasPrefix(out.String(), want) {
		t.Errorf("got\n%s", out.String())
	}
}

func TestCheckOfFolder(t *testing.T) {
	report := func(path string) registry.CheckResult {
		r := registry.CheckResult{Ref: registry.RepoRef{Host: registry.GitHub, Owner: "o",
			Name: "r", Path: path}}
		for _, f := range []string{"src/a", "src/b"} {
			r.Servers = append(r.Servers, registry.Scored{Server: registry.Server{Subfolder: f}})
		}
		return ofFolder(r)
	}
	if r := report("main/src/b"); len(r.Servers) != 1 || r.Servers[0].Server.Subfolder != "src/b" ||
		len(r.Warnings) != 0 {
		t.Errorf("of a server's folder: %+v", r)
	}
	if r := report("main/src/nonesuch"); len(r.Servers) != 0 ||
		!strings.Contains(r.Reason, "src/nonesuch") || !strings.Contains(r.Reason, "src/a, src/b") {
		t.Errorf("of a folder without one: %+v", r)
	}
	for _, path := range []string{"", "main", "main/README.md"} {
		if r := report(path); len(r.Servers) != 2 {
			t.Errorf("of the repository as %q: %+v", path, r)
		}
	}
}

// TestFolderOfCheck checks which arguments of check are folders: an existing one is no repository.
func TestFolderOfCheck(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("octo/tides", 0o755); err != nil {
		t.Fatal(err)
	}
	for arg, want := range map[string]bool{"octo/tides": true, "./none": true, "/none": true, "octo/other": false,
		"https://github.com/octo/tides": false} {
		if got := isFolder(arg); got != want {
			t.Errorf("%s: got %v", arg, got)
		}
	}
}

// TestReportOfFolder checks what authors see of a folder: a report in plain words, no log, and a status
// that does not blame them for what only a code host knows.
func TestReportOfFolder(t *testing.T) {
	for name, c := range map[string]struct {
		files  map[string]string
		status int
		want   []string
	}{
		"server": {map[string]string{
			"package.json": `{"name":"@harbour/tides","version":"1.0.0","bin":"index.js",` +
				`"dependencies":{"@modelcontextprotocol/sdk":"^1.20.0"}}`,
			"index.js": "import {McpServer} from '@modelcontextprotocol/sdk/server/mcp.js';\n" +
				"new McpServer({}).tool('tides','Reads tides',{},f)",
		}, 0, []string{"  tides-folder\n", "1 from source: tides", "can be fixed before pushing"}},
		"nothing": {map[string]string{"README.md": "# Tides\n"}, 3,
			[]string{"tides-folder contains no MCP server: "}},
		"hostile": {readtest.Hostile()["script: expressions in a row"], 0,
			[]string{"note: Some files take too long to read"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "tides-folder")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			for file, text := range c.files {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			w := &environment{t: t, environ: []string{"HOME=/nowhere",
				"CENSUS_DATA_DIR=" + t.TempDir()}}
			out, errs, status := w.try("check", dir)
			if status != c.status || errs != "" {
				t.Errorf("status %d, %q on standard error", status, errs)
			}
			for _, want := range c.want {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
		})
	}
}
