package detect

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

// of returns the only server of a repository with files and, optionally, listings.
func of(t *testing.T, files map[string]string, listing *registry.Listing) registry.Detection {
	t.Helper()
	s := &registry.Snapshot{Repo: registry.Repository{Host: registry.GitHub, Owner: "octo",
		Name: "tides-mcp"}, Texts: files}
	for p := range files {
		s.Files = append(s.Files, registry.File{Path: p, Size: int64(len(files[p]))})
	}
	var listings []registry.Listing
	if listing != nil {
		listings = append(listings, *listing)
	}
	r := Servers(s, listings)
	if len(r.Servers) != 1 {
		t.Fatalf("%d servers: %s", len(r.Servers), r.Reason)
	}
	return r.Servers[0].Detection
}

const tidesPackage = `{"name": "tides-mcp", "bin": "x.js", "dependencies": {"@modelcontextprotocol/sdk": "^1.0.0"}%s}`

func npm(extra string) string { return strings.Replace(tidesPackage, "%s", extra, 1) }

func TestDescriptionCut(t *testing.T) {
	const whole = "Forecasts the tides and the heights of waves for every harbour of the coast, with " +
		"warnings about storms."
	listing := &registry.Listing{Name: "io.github.octo/tides", Status: "active", Description: whole[:100],
		Packages: []registry.Package{{RegistryType: "npm", Identifier: "tides-mcp"}}}
	if d := of(t, map[string]string{"package.json": npm(`, "description": "` + whole + `"`), "README.md": "# Tides MCP server"}, listing); d.Description != whole {
		t.Errorf("got %q", d.Description)
	}
	if d := of(t, map[string]string{"package.json": npm(""), "README.md": "# Tides MCP server"}, listing); !strings.HasSuffix(d.Description, "about…") || strings.Contains(d.Description, "stor") {
		t.Errorf("alone: got %q", d.Description)
	}
}

func TestFullerDescription(t *testing.T) {
	const brief, full = "Tides of harbours", "Forecasts the tides of harbours and the heights of waves for sailors."
	for readme, want := range map[string]string{full: full, "Finds the boats of a coast.": brief} {
		d := of(t, map[string]string{"package.json": npm(`, "description": "` + brief + `"`),
			"README.md": "# Tides MCP server\n\n" + readme + "\n"}, nil)
		if d.Description != want {
			t.Errorf("got %q, want %q", d.Description, want)
		}
	}
}

func TestDescriptionDeprecation(t *testing.T) {
	const about = "Forecasts the tides for every harbour of the coast."
	for name, readme := range map[string]string{
		"a quotation": "# Tides MCP server\n\n> [!WARNING]\n> **Deprecated.** Use " +
			"sea-mcp.\n>\n> The new one has two generic tools that give agents access to the whole sea.\n\n" + about + "\n",
		"a section": "# Tides MCP server\n\n## ⚠️ Deprecated\n\nThis server is deprecated. " +
			"Use sea-mcp, which knows more harbours.\n\nIt gives agents access to the whole sea through " +
			"code.\n\n## About\n\n" + about + "\n",
		"connection instructions first": "# Tides MCP server\n\nConnect your client directly to " +
			"https://tides.dev/mcp and finish the flow in the browser.\n\n" + about + "\n",
		"text about an alternative": "# Tides MCP server\n\nThat server uses code to give agents the whole " +
			"sea and all its harbours.\n\n" + about + "\n",
	} {
		if d := of(t, map[string]string{"package.json": npm(""), "README.md": readme}, nil); d.Description != about {
			t.Errorf("%s: got %q", name, d.Description)
		}
	}
}

// TestSentences checks that a description is one sentence about what the server does, and
// composed if no text of the owner has one.
func TestSentences(t *testing.T) {
	const source = `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
const server = new McpServer({ name: "x", version: "1.0.0" });
server.registerTool("list_tides", { description: "Lists the tides" }, async () => ({ content: [] }));
server.registerTool("getHarbour", { description: "Returns a harbour" }, async () => ({ content: [] }));
server.registerTool("find_boat", { description: "Finds a boat" }, async () => ({ content: [] }));
server.registerTool("sell_boat", { description: "Sells a boat" }, async () => ({ content: [] }));
`
	const composed = "MCP server for Tides: list tides, get harbour and find boat"
	for text, want := range map[string]string{
		"Lists the tides of every harbour. Written in Go.":          "Lists the tides of every harbour.",
		"Lists tides, e.g. of Kiel. Fast.":                          "Lists tides, e.g. of Kiel.",
		"Work smarter. Sells boats in every harbour.":               "Sells boats in every harbour.",
		"The future of work is here":                                composed,
		"Lists boats of every harbour, so that you can sell yours.": "Lists boats of every harbour.",
		"Sells boats, allowing agents to trade with your harbour.":  "Sells boats.",
		"Sells your boats, allowing agents to trade.":               composed,
		"Never miss a tide again!":                                  composed,
		"Want to know the tide of a harbour?":                       composed,
		"Give your agent the tides of every harbour":                composed,
		"Ask \"When is the next tide in the harbour of Kiel?\"":     composed,
		"Source: https://tides.dev of every harbour":                composed,
		"Version: 1.0 Harbours: Kiel":                               composed,
		"🌊 Tides of every harbour 🚢 Boats 🐟 Fish":                   composed,
		"Lists boats of J. K. Smith. And more.":                     "Lists boats of J. K. Smith.",
		"npx tides-mcp --harbour kiel":                              composed,
		"This server is deprecated in favour of tides-next.":        composed,
		"It is also fast.":                                          composed,
		"Boat tools":                                                "Boat tools",
		"Coming soon":                                               composed,
		"This project uses Quarkus, the framework of boats.":        composed,
		"This project currently must be cloned and run with uv.":    composed,
		"Great! Boats of every harbour are also in the shop.":       composed,
		"让你的助手知道每个港口的潮汐":                                            composed,
		"查询每个港口的潮汐时间。支持多种语言。":                                       "查询每个港口的潮汐时间。",
		"Покажет вам время прилива в гавани":                        composed,
	} {
		manifest := npm(`, "description": "` + strings.ReplaceAll(text, `"`, `\"`) + `"`)
		d := of(t, map[string]string{"package.json": manifest, "src/index.ts": source}, nil)
		from := ""
		if want == composed {
			from = registry.DescriptionComposed
		}
		got := [2]string{d.Description, d.DescriptionFrom}
		if diff := cmp.Diff([2]string{want, from}, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", text, diff)
		}
	}
}

// TestComposedOfDefaultTools checks that a composed description has no tools that are off.
func TestComposedOfDefaultTools(t *testing.T) {
	tools := []registry.Tool{{Name: "melt", Conditional: &registry.ToolCondition{Off: true}},
		{Name: "cut_glass"}, {Name: "polish", Conditional: &registry.ToolCondition{}}}
	if got := composed("Glass", tools); got != "MCP server for Glass: cut glass and polish" {
		t.Error(got)
	}
	if got := composed("Cut", tools[1:2]); got != "MCP server for Cut: glass" {
		t.Error(got)
	}
	if got := composed("Glass", tools[:1]); got != "MCP server for Glass" {
		t.Error(got)
	}
}

// TestGenericNames checks that a repository whose name and title say nothing keeps its whole
// name.
func TestGenericNames(t *testing.T) {
	for name, c := range map[string]struct{ repo, readme, want string }{
		"named after the protocol": {"harbour-works/mcp", "# MCP Server", "harbour-works/mcp"},
		"a generic word":           {"harbour-works/mcp-api", "# API", "harbour-works/mcp-api"},
		"only generic words": {
			"harbour-works/remote-mcp-server", "# Remote MCP server", "harbour-works/remote-mcp-server"},
		"a kind of program":     {"harbour-works/mcp-agent", "# Agent", "harbour-works/mcp-agent"},
		"a box of tools":        {"harbour-works/mcp-toolbox", "# MCP Toolbox", "harbour-works/mcp-toolbox"},
		"an agent of something": {"harbour-works/tide-agent", "# Tide Agent", "Tide Agent"},
		"a phrase":              {"harbour-works/sail-a-mcp", "# Sail A MCP", "Sail A MCP"},
		"a slug with a phrase":  {"harbour-works/sail-an-mcp", "# Readme", "Sail An MCP"},
		"a title that says it":  {"harbour-works/mcp", "# Harbour MCP", "Harbour"},
		"a number":              {"harbour-works/12306-mcp", "# MCP", "12306-mcp"},
		"a language":            {"harbour-works/mcp-rs", "# Harbour MCP Server", "Harbour"},
		"a short word":          {"harbour-works/iMCP", "# MCP", "iMCP"},
		"a word with a meaning": {"harbour-works/docker-mcp", "# MCP", "Docker"},
	} {
		s := repoOf(c.repo, map[string]string{
			"package.json": strings.Replace(npm(""), "tides-mcp", "@harbour-works/mcp", 1),
			"README.md":    c.readme + "\n",
		})
		if r := Servers(s, nil); len(r.Servers) != 1 || r.Servers[0].Detection.Name != c.want {
			t.Errorf("%s: got %+v, want the name %s", name, r.Servers, c.want)
		}
	}
}

// TestProgramLanguage checks that the language is that of the SDK.
func TestProgramLanguage(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"pages beside a server in Python": {map[string]string{
			"pyproject.toml": "[project]\nname = \"tides-mcp\"\nversion = \"1.0\"\ndependencies = [\"mcp\"]\n" +
				"[project.scripts]\ntides-mcp = \"tides:main\"\n",
			"tides.py": "x = 1", "web/a.js": "", "web/b.js": "", "web/c.js": ""}, "Python"},
		"JavaScript": {
			map[string]string{"package.json": npm(""), "index.js": "x", "lib/tides.js": "x"}, "JavaScript"},
		"TypeScript": {
			map[string]string{"package.json": npm(""), "src/index.ts": "x", "eslint.config.js": "x"}, "TypeScript"},
		"without an SDK and the host's statistics": {map[string]string{"tides.clj": "x", "deps.edn": "{}"}, "Clojure"},
	} {
		c.files["README.md"] = "# Tides MCP server\n"
		if d := of(t, c.files, nil); d.Language != c.want {
			t.Errorf("%s: got %q, want %q", name, d.Language, c.want)
		}
	}
}

func TestTags(t *testing.T) {
	d := of(t, map[string]string{"package.json": npm(`, "description": "Enables leaving notes in PostgreSQL databases through natural language, with full-text search", "keywords": ["mcp-sailing", "mcp-get", "mcp"]`), "README.md": "# Tides MCP server"}, nil)
	for _, want := range []string{"sailing", "tide", "postgres", "database"} {
		if !slices.Contains(d.Tags, want) {
			t.Errorf("%s is missing in %q", want, d.Tags)
		}
	}
	for _, wrong := range []string{"enables", "leaving", "full", "get", "mcp-sailing", "natural"} {
		if slices.Contains(d.Tags, wrong) {
			t.Errorf("%s is in %q", wrong, d.Tags)
		}
	}
}

func TestVariablesInCapitals(t *testing.T) {
	readme := "# Tides MCP server\n\n## Options\n\n- `TIDES_MODE`: how to look\n  - `STRICT`: only what is sure\n  - `OFF`: all\n- **HTML** — a page of it\n- `PORT`: where to listen\n"
	d := of(t, map[string]string{"package.json": npm(""), "README.md": readme}, nil)
	var got []string
	for _, v := range d.Variables {
		got = append(got, v.Name)
	}
	if !slices.Equal(got, []string{"TIDES_MODE", "PORT"}) {
		t.Errorf("got %q", got)
	}
}

// TestVariablesOfImage checks that an image requires exactly the variables that its entry passes,
// regardless of the README.
func TestVariablesOfImage(t *testing.T) {
	d := of(t, map[string]string{
		"package.json": npm(""),
		"server.json": `{"name": "io.github.octo/tides", "description": "Tides for assistants", "version": "1.0.0", "packages": [{"registryType": "oci", "identifier": "ghcr.io/octo/tides:1.0.0", "transport": {"type": "stdio"}, "runtimeArguments": [
			{"type": "named", "name": "-e", "description": "Where to ask", "value": "TIDES_URL={url}", "isRequired": true, "variables": {"url": {"default": "https://tides.example.org"}}},
			{"type": "named", "name": "-e", "description": "A token", "value": "TIDES_TOKEN={token}", "variables": {"token": {"isSecret": true}}},
			{"type": "named", "name": "--network", "value": "host"}]}]}`,
		"README.md": "# Tides MCP server\n\n```json\n{\"mcpServers\": {\"tides\": {\"command\": \"docker\", \"args\": [\"run\", \"ghcr.io/octo/tides\"], \"env\": {\"TIDES_TOKEN\": \"<your token>\", \"TIDES_CERT\": \"<a file>\"}}}}\n```\n",
	}, nil)
	got := map[string]registry.Variable{}
	for _, v := range d.Variables {
		got[v.Name] = v
	}
	if v := got["TIDES_URL"]; !v.IsRequired || v.Default != "https://tides.example.org" ||
		v.Description != "Where to ask" {
		t.Errorf("the address: %+v", v)
	}
	if v := got["TIDES_TOKEN"]; v.IsRequired || !v.IsSecret || v.Description != "A token" {
		t.Errorf("the token: %+v", v)
	}
	for _, p := range d.Packages {
		if p.RegistryType == "oci" && len(p.EnvironmentVariables) != 0 {
			t.Errorf("the image also has %+v", p.EnvironmentVariables)
		}
	}
}

func TestDescriptionOfProtocol(t *testing.T) {
	const about = "Forecasts the tides for every harbour of the coast."
	for name, description := range map[string]string{
		"definition first": "The Model Context Protocol (MCP) is an open standard for tools. " + about,
		"name of the protocol twice": "Model Context Protocol (MCP) MCP (Model Context Protocol) is an open " +
			"protocol for tools. " + about,
		"two definitions": "Model Context Protocol standardizes how models get context. MCP is an open " +
			"protocol for tools. " + about,
		"status label": "[DEPRECATED] " + about,
		"heading":      "## " + about,
	} {
		d := of(t, map[string]string{"package.json": npm(`, "description": "` + description + `"`),
			"README.md": "# Tides MCP server"}, nil)
		if d.Description != about {
			t.Errorf("%s: got %q", name, d.Description)
		}
	}
}

func TestNamesOfMembers(t *testing.T) {
	const sdk = `, "bin": "x", "dependencies": {"@modelcontextprotocol/sdk": "1.0.0"}}`
	snap := repoOf("octo/sea-mcp", map[string]string{
		"README.md":                   "# Octo MCP servers\n\nServers that read everything about the sea for agents.\n",
		"packages/winds/package.json": `{"name": "@octo/mcp-winds"` + sdk,
		"packages/winds/index.ts":     "",
		"packages/x/package.json":     `{"name": "b-mcp"` + sdk,
		"packages/x/README.md":        "# Harbour Master MCP Server\n\nTells which ships are in the harbour today.\n",
		"packages/x/main.py":          "", "packages/x/x.py": "",
		"src/python/pyproject.toml": pyProject("sea_mcp", "MCP server"),
		"src/python/app/server.py":  pyServer,
	})
	type member struct{ Name, Description, Language string }
	var got []member
	for _, s := range Servers(snap, nil).Servers {
		got = append(got, member{s.Detection.Name, s.Detection.Description, s.Detection.Language})
	}
	want := []member{
		{"Octo Winds", "MCP server for Octo Winds", "TypeScript"},
		{"Harbour Master", "Tells which ships are in the harbour today.", "TypeScript"},
		{"Sea Python", "MCP server for Sea Python: tide table", "Python"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestNamesOnAShelf checks that members with short names are not named after the folder of all.
func TestNamesOnAShelf(t *testing.T) {
	const sdk = `, "bin": "x", "dependencies": {"@modelcontextprotocol/sdk": "1.0.0"}}`
	var got []string
	for _, s := range Servers(repoOf("octo/sea-mcp", map[string]string{
		"README.md":                    "# Sea MCP servers\n",
		"crates/xe-mcp/package.json":   `{"name": "xe-mcp"` + sdk,
		"crates/ai-mcp/package.json":   `{"name": "ai-mcp"` + sdk,
		"crates/tide-mcp/package.json": `{"name": "tide-mcp"` + sdk,
	}), nil).Servers {
		got = append(got, s.Detection.Name)
	}
	if want := []string{"Sea AI", "Tide", "Xe"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNameAsWritten(t *testing.T) {
	for name, c := range map[string]struct{ readme, want string }{
		"inner capitals":         {"# tides-mcp\n\nTiDes reads harbours. With TiDes you know.\n", "TiDes"},
		"once":                   {"# tides-mcp\n\nTiDes reads harbours.\n", "Tides"},
		"more often capitalized": {"# tides-mcp\n\nTides here, Tides there, Tides! Or TiDes, TiDes.\n", "Tides"},
		"in capitals":            {"# tides-mcp\n\nTIDES reads harbours. Use TIDES or TIDES_URL.\n", "Tides"},
	} {
		t.Run(name, func(t *testing.T) {
			d := of(t, map[string]string{"package.json": npm(""), "README.md": c.readme}, nil)
			if d.Name != c.want {
				t.Errorf("got %q, want %q", d.Name, c.want)
			}
		})
	}
}

func TestAcronymOfTwoLetters(t *testing.T) {
	r := Servers(repoOf("octo/qr-paint-mcp", map[string]string{"README.md": "# qr-paint-mcp\n\nPaints QR codes " +
		"for agents over MCP. A QR code is found again.\n", "package.json": npmPackage("qr-paint-mcp", "", npmBin),
		"src/index.ts": tsServer}), nil)
	if len(r.Servers) != 1 || r.Servers[0].Detection.Name != "QR Paint" {
		t.Errorf("got %+v", r.Servers)
	}
}

// TestNamesOfWords checks names of which a common noun is left, and those with a language.
func TestNamesOfWords(t *testing.T) {
	const main = "package main\n\nimport \"github.com/mark3labs/mcp-go/server\"\n\nfunc main() {\n" +
		"\ts := server.NewMCPServer(\"x\", \"1\")\n\tserver.ServeStdio(s)\n}\n"
	for repo, c := range map[string]struct{ about, readme, want string }{
		"octo/mcp-debugger":    {"A debugger for programs of ships", "# MCP\n", "MCP Debugger"},
		"octo/mcp-plotter":     {"A Plotter for ships", "# MCP\n\nIt asks the Plotter for ships.\n", "Plotter"},
		"octo/tides-mcp":       {"Says when the water is high", "# Tides MCP\n", "Tides"},
		"octo/harbour-go":      {"Lists the ships of a harbour", "# Harbour Go\n", "Harbour"},
		"octo/harbour-golang":  {"A Go MCP server for a harbour, written in Go", "", "Harbour"},
		"octo/go-harbour-mcp":  {"Lists the ships of a harbour", "", "Harbour"},
		"octo/go-docs-mcp":     {"Finds documents of Go packages", "", "Go Docs"},
		"octo/harbour-php-mcp": {"Lists the ships of a harbour", "", "Harbour PHP"},
		"octo/tap-mcp-bridge":  {"Asks TAP for payments", "# TAP-MCP Bridge\n", "TAP Bridge"},
	} {
		snap := repoOf(repo, map[string]string{"main.go": main,
			"README.md": c.readme + "\nThis is an MCP server.\n",
			"go.mod":    "module x\nrequire github.com/mark3labs/mcp-go v0.40.0\n"})
		snap.Repo.Description = c.about
		r := Servers(snap, nil)
		if len(r.Servers) != 1 {
			t.Fatalf("%s: %s", repo, r.Reason)
		}
		if got := r.Servers[0].Detection.Name; got != c.want {
			t.Errorf("%s: got %q, want %q", repo, got, c.want)
		}
	}
}

func TestNameOfAbbreviation(t *testing.T) {
	for repo, c := range map[string]struct{ readme, want string }{
		"octo/mcp-tide-adt": {"# mcp-tide-adt: tools\n\nReads TIDE systems with ADT. TIDE and ADT are old.\n", "TIDE ADT"},
		"octo/t8s-mcp":      {"# t8s MCP Server\n\nThis asks t8s for workflows, the t8s of harbours.\n", "t8s"},
		"octo/ht-mcp":       {"# The Unofficial and Great Harbour Tides MCP Server\n\nReads tides.\n", "Harbour Tides"},
		"octo/hx-mcp":       {"# The Unofficial and Great Harbour Tides MCP Server\n\nReads tides.\n", "Hx"},
	} {
		snap := repoOf(repo, map[string]string{"package.json": npm(""), "README.md": c.readme})
		if got := Servers(snap, nil).Servers[0].Detection.Name; got != c.want {
			t.Errorf("%s: got %q, want %q", repo, got, c.want)
		}
	}
}

func TestDescriptionSentences(t *testing.T) {
	for name, c := range map[string]struct{ description, want string }{
		"subject dropped": {"Model Context Protocol is an open standard for tools. It forecasts tides for harbours.",
			"Forecasts tides for harbours."},
		"subject kept": {"It is about tides for every harbour.", "It is about tides for every harbour."},
		"pointer at the end": {"Forecasts tides for harbours. See the whole list of them.",
			"Forecasts tides for harbours."},
		"a label": {"The Need: Sailors wait for high water. Forecasts tides for harbours.",
			"Forecasts tides for harbours."},
		"its name as a label": {"Tides: Forecasts the water in harbours.",
			"Tides: Forecasts the water in harbours."},
		"this server": {"A Rust implementation of an MCP server. This MCP server reads tides of harbours.",
			"This MCP server reads tides of harbours."},
		"the reader's": {"An MCP server for tides. This MCP server tells your agents the water in your harbour.",
			"This MCP server tells the user's agents the water in the user's harbour."},
		"the reader":     {"Tides helps you to read your harbour.", "MCP server for Tides"},
		"a problem":      {"Sailors don't know the water. Forecasts tides for harbours.", "Forecasts tides for harbours."},
		"no problem":     {"Server for harbours that doesn't need a key.", "Server for harbours that doesn't need a key."},
		"a slogan":       {"High water, unlocked. Forecasts tides for harbours.", "Forecasts tides for harbours."},
		"only a pointer": {"See the whole list of harbours.", "See the whole list of harbours."},
	} {
		t.Run(name, func(t *testing.T) {
			d := of(t, map[string]string{"package.json": npm(`, "description": "` + c.description + `"`),
				"README.md": "# Tides MCP server"}, nil)
			if d.Description != c.want {
				t.Errorf("got %q, want %q", d.Description, c.want)
			}
		})
	}
}

func TestNameOfTitle(t *testing.T) {
	bundle := func(version string) string {
		return `{"manifest_version": "0.3", "name": "tides", "display_name": "Tides Ext.", "version": "` + version +
			`", "server": {"type": "node", "mcp_config": {"command": "node", "args": ["x"]}},
			"tools": [{"name": "old_tool"}]}`
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"domain":            {map[string]string{"README.md": "# tides.com MCP Server"}, "tides.com"},
		"one word, once":    {map[string]string{"README.md": "# TidesMCP\n\nReads tides."}, "Tides"},
		"shortcode":         {map[string]string{"README.md": "# Tides MCP Server :robot:"}, "Tides"},
		"state in brackets": {map[string]string{"README.md": "# [DEPRECATED] Tides MCP"}, "Tides"},
		"state first":       {map[string]string{"README.md": "# Archived: Tides MCP server"}, "Tides"},
		"state last":        {map[string]string{"README.md": "# Tides – no longer maintained"}, "Tides"},
		"state beside":      {map[string]string{"README.md": "# ~~Tides~~ Archived"}, "Tides"},
		"advice":            {map[string]string{"README.md": "# Deprecated: use Seas"}, "Tides"},
		"possessive":        {map[string]string{"README.md": "# Tides's official MCP Server"}, "Tides"},
		"bundle of this version": {map[string]string{"README.md": "# Tides MCP server",
			"mcpb/manifest.json": bundle("2.0.0")}, "Tides Ext"},
		"marked bundle": {map[string]string{"README.md": "# An MCP server", "mcpb/manifest.json": strings.Replace(
			bundle("2.0.0"), "Tides Ext.", "[DEPRECATED] Tides Pro", 1)}, "Tides Pro"},
		"stale bundle": {map[string]string{"README.md": "# Tides MCP server",
			"mcpb/manifest.json": bundle("1.9.0")}, "Tides"},
	} {
		t.Run(name, func(t *testing.T) {
			c.files["package.json"] = npm(`, "version": "2.0.0"`)
			if d := of(t, c.files, nil); d.Name != c.want {
				t.Errorf("got %q, want %q", d.Name, c.want)
			}
		})
	}
}

func TestNameOfOnlyServer(t *testing.T) {
	files := map[string]string{
		"README.md":             "# Tide Table MCP Server\n\nReads the tides of all harbours for agents.\n",
		"app/host/package.json": npm(`, "description": "Native host (Node)"`),
		"app/host/README.md":    "# Fast tide native host\n\nThe host of the extension, in one process.\n",
	}
	got := Servers(repoOf("octo/mcp-tide", files), nil).Servers
	if len(got) != 1 || got[0].Detection.Name != "Tide Table" {
		t.Errorf("got %+v", got)
	}
}
