package readme

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
)

func equal(t *testing.T, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func parse(t *testing.T, text string) *Document {
	t.Helper()
	d, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const weatherReadme = "# Weather MCP Server\n\n[![npm](https://img.shields.io/npm/v/@octo/weather-mcp.svg)](https://x.dev) <!-- mcp-name: io.github.octo/weather-mcp -->\n\n" +
	"Forecasts and alerts for assistants, over the Model Context Protocol.\n\n## Install\n\n```json\n{\n  // paste this\n  \"mcpServers\": {\n    \"weather\": {\"command\": \"npx\", \"args\": [\"-y\", \"@octo/weather-mcp@1.4.0\"], \"env\": {\"WEATHER_KEY\": \"<your key>\", \"WEATHER_UNITS\": \"metric\"}},\n  }\n}\n```\n\n" +
	"```bash\n$ claude mcp add --transport http weather https://mcp.weather.dev/mcp\nuvx --from git+https://github.com/octo/weather weather\ndocker run -i --rm \\\n  -e WEATHER_KEY ghcr.io/octo/weather:1.4\n```\n\n" +
	"[Install](vscode:mcp/install?%7B%22name%22%3A%22weather%22%2C%22command%22%3A%22npx%22%2C%22args%22%3A%5B%22weather-mcp%22%5D%7D)\n\n" +
	"## Configuration\n\n| Variable | Required | Default | Description |\n|---|---|---|---|\n| `WEATHER_KEY` | yes | | Key of the service |\n| `WEATHER_UNITS` | no | metric | Units |\n\n- `WEATHER_PROXY` (optional): proxy to use\n\n" +
	"## Tools\n\n- `get_forecast` - Forecast for a place and a day\n  - `city` (string): where\n  - `days` (number)\n- **get_alerts**(region): Alerts of a region\n\n### `radar_image`\n\nThe latest radar picture.\n\n- `zoom` (integer): how near\n\n### Prompts\n\n- `plan_trip` - a prompt\n\n## Development\n\n- `npm_test` - not a tool\n"

func TestReadme(t *testing.T) {
	r := parse(t, weatherReadme)
	equal(t, "Weather MCP Server", r.Title)
	equal(t, "Forecasts and alerts for assistants, over the Model Context Protocol.", r.Summary)
	equal(t, "io.github.octo/weather-mcp", r.MCPName)
	equal(t, "json", r.ClientConfig)
	equal(t, []registry.Tool{{Name: "get_forecast", Description: "Forecast for a place and a day"}, {Name: "get_alerts", Description: "(region): Alerts of a region"}, {Name: "radar_image", Description: "The latest radar picture."}}, bare(r.Tools))
	equal(t, []registry.Variable{{Name: "WEATHER_KEY", Description: "Key of the service", IsRequired: true, IsSecret: true}, {Name: "WEATHER_UNITS", Description: "Units", Default: "metric"}, {Name: "WEATHER_PROXY", Description: "proxy to use"}}, r.Variables)
	var launches []string
	for _, l := range r.Commands {
		launches = append(launches, l.Runner+" "+l.RegistryType+" "+l.Identifier+" "+l.Version)
	}
	equal(t, []string{"npx npm @octo/weather-mcp 1.4.0", "url   ", "uvx   ", "docker oci ghcr.io/octo/weather 1.4", "npx npm weather-mcp "}, launches)
	equal(t, []manifest.Launch{{RegistryType: "npm", Identifier: "@octo/weather-mcp"}}, r.Badges)
	remote := false
	for _, s := range r.Servers {
		remote = remote || s.URL == "https://mcp.weather.dev/mcp" && s.Type == "http" && s.Name == "weather"
	}
	if !remote {
		t.Errorf("no remote among %+v", r.Servers)
	}
	if !r.ToolHeading || r.ToolEntries != 3 || r.Deprecation != "" {
		t.Errorf("heading %v, %d entries, %q", r.ToolHeading, r.ToolEntries, r.Deprecation)
	}
}

func TestReadmeCharactersCountTextOnly(t *testing.T) {
	a := parse(t, "# Ab\n\ncd [ef](https://x.dev/very/long/address)\n")
	b := parse(t, "# Ab\n\n<div align=\"center\"><b>html</b></div>\n\n[![badge text](https://b.dev/i.svg)](https://b.dev) ![alt text](i.png)\n\n```sh\nsome code\n```\n\ncd [ef](https://x.dev/very/long/address)\n")
	if a.Characters != 7 || b.Characters != 7 {
		t.Errorf("%d and %d characters, want 7", a.Characters, b.Characters)
	}
}

func TestToolsInTablesAndInHeadingsOfTheirOwn(t *testing.T) {
	r := parse(t, "# X\n\n| Tool | What it does |\n|---|---|\n| `run_query` | Runs a query |\n| list_tables | Lists tables |\n\n## Parameters\n\n| Name | Type |\n|---|---|\n| `max_rows` | int |\n")
	equal(t, []registry.Tool{{Name: "run_query", Description: "Runs a query"}, {Name: "list_tables", Description: "Lists tables"}}, bare(r.Tools))
	r = parse(t, "# X\n\n## Invoices\n\n1. `createInvoice` — makes a new invoice\n2. `listInvoices` — lists all the invoices\n\n## Customers\n\n3. `findCustomer` — looks one customer up\n\n## Options\n\n- `someOption` — is no tool at all\n")
	if len(r.Tools) != 3 || r.Tools[2].Name != "findCustomer" {
		t.Errorf("%+v", r.Tools)
	}
	r = parse(t, "# X\n\n## Available Tools\n\n### 1. Search (`web_search`)\n\nSearches the web.\n\n**Parameters:**\n- `query` (string, required): terms\n- `count` (number)\n\n### 2. News (`news_search`)\n\n- Finds news of the week.\n- Issues: `get_issue`, `list_issues`\n")
	equal(t, []registry.Tool{{Name: "web_search", Description: "Searches the web."}, {Name: "news_search", Description: "Finds news of the week."}}, bare(r.Tools))
	r = parse(t, "# X\n\n## The `tide_table` tool\n\nSays when the water is high.\n\n- `harbour_id` of the place\n\n## Other things\n\n- `not_listed` here\n")
	equal(t, []registry.Tool{{Name: "tide_table", Description: "Says when the water is high."}}, bare(r.Tools))
	if r := parse(t, "# Developer tools\n\n## Features\n\n- **Cross-Platform** - runs anywhere\n- **Fast** - yes\n\n## Installing tools\n\n- `npm_x` - no\n"); len(r.Tools) != 0 {
		t.Errorf("features are taken for tools: %+v", r.Tools)
	}
}

func TestNamesOfToolsInOtherShapes(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"names in capitals in a column": {"## Tools\n\n| **Product** | **Tool** | **What** |\n|---|---|---|\n| Sea | ReadTides | Tides |\n| | ListHarbours | All of them |\n", []string{"ReadTides", "ListHarbours"}},
		"products in a column":          {"## Tools we use\n\n| Name | What |\n|---|---|\n| CloudSea | Hosting |\n", nil},
		"tools of groups in a table":    {"## Choosing groups\n\n<table><tr><th>Group</th><th>Featured tools</th></tr><tr><td><code>sea</code></td><td><code>tide_table</code>, <code>tide_map</code></td></tr></table>\n", []string{"tide_table", "tide_map"}},
		"signatures":                    {"## API Reference\n\n### Sea\n\n```python\ntide_table(harbour, day=0)\n# all of them\nlist_harbours(near=None,\n              far=None)\n```\n\n### Sky\n\n```python\nmoon_phase(night)\n```\n", []string{"tide_table", "moon_phase", "list_harbours"}},
		"a program is no list":          {"## API\n\n```python\nfrom tides import x\nopen_sea(1)\nread_all(2)\nclose_sea(3)\n```\n", nil},
		"an ordinary word among tools":  {"## Tools\n\n- list_harbours: Lists them\n- search: Searches all harbours\n- tide_table: The tides\n", []string{"list_harbours", "tide_table", "search"}},
		"one of a group":                {"## Tools\n\n- Sea: `tide_table`, `tide_map`\n- Cache management: `clear_cache`\n", []string{"tide_table", "tide_map", "clear_cache"}},
		"names without their prefix":    {"## How to choose a tool\n\n## Tools\n\n- `sea_scrape`: a\n- `sea_map_all`: b\n- `sea_find_one`: c\n\n### Which to use\n\n- For many: `map_all`\n- `find_one` for one of them\n", []string{"sea_scrape", "sea_map_all", "sea_find_one"}},
		"fields among tools":            {"## Tools\n\n- `list_a`: a\n- `list_b`: b\n- `list_c`: c\n- `list_d`: d\n- `list_e`: e\n- `list_f`: f\n- `list_g`: g\n- `list_h`: h\n- FlowKind (0=in, 1=out)\n", []string{"list_a", "list_b", "list_c", "list_d", "list_e", "list_f", "list_g", "list_h"}},
		"options of all tools":          {"## Tools\n\n- `list_a`: a\n- `list_b`: b\n\n## Common options for all tools\n\n- `timeout`: how long\n- `max_age`: how old\n", []string{"list_a", "list_b"}},
		"what was removed":              {"## Tools\n\n- `list_a`: a\n\n### Backward compatibility\n\n- `old_param` is still taken\n", []string{"list_a"}},
		"categories with their tools":   {"## Tool categories\n\n#### Sea\n- `tide_table`: Tides\n- `tide_map`: Maps\n\n#### Finding things\n- **Harbours**: many\n", []string{"tide_table", "tide_map"}},
	} {
		r := parse(t, "# X\n\n"+c.text)
		var got []string
		for _, tool := range r.Tools {
			got = append(got, tool.Name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestToolsHoweverTheyAreWritten(t *testing.T) {
	tide, moon := "Says when the water is high.", "Draws the moon as it is tonight."
	want := []registry.Tool{{Name: "tide_table", Description: tide}, {Name: "moon_phase", Description: moon}}
	for name, text := range map[string]string{
		"list with code":          "## Tools\n\n- `tide_table`: " + tide + "\n- `moon_phase` — " + moon + "\n",
		"list with pictures":      "## 🛠️ Available Tools\n\n- 🌊 **tide_table** - " + tide + "\n- 🌙 **`moon_phase`**: " + moon + "\n",
		"numbered, with bold":     "## MCP Tools\n\n1. **tide_table**: " + tide + "\n2. **moon_phase**: " + moon + "\n",
		"plain list of names":     "## Tools\n\n* tide_table - " + tide + "\n* moon_phase - " + moon + "\n",
		"nested description":      "## Tools\n\n- **tide_table**\n  - Title: Tides\n  - Description: " + tide + "\n  - Parameters:\n    - `harbour_id` (string): where\n- **moon_phase**\n  - " + moon + "\n  - Inputs:\n    - `night` (string)\n",
		"name and description":    "## Tools\n\n### Tides\n- **Name:** `tide_table`\n- **Description:** " + tide + "\n\n### Moon\n- **Name:** `moon_phase`\n- **Description:** " + moon + "\n",
		"the same without tools":  "## Usage\n\n### Tides\n- <b>Name:</b> `tide_table`\n- <b>Description:</b> " + tide + "\n\n### Moon\n- <b>Name:</b> `moon_phase`\n- <b>Description:</b> " + moon + "\n",
		"headings":                "## Tools\n\n### tide_table\n\n" + tide + "\n\n**Parameters:**\n- `harbour_id` (string): where\n\n### 2. `moon_phase`\n" + moon + "\n",
		"headings with arguments": "## Tools\n\n#### tide_table(harbour_id, day)\n" + tide + "\n\n#### `moon_phase(night)`\n" + moon + "\n",
		"headings with a prefix":  "## Tools\n\n### Tool: tide_table\n" + tide + "\n\n### Tool 2: `moon_phase`\n" + moon + "\n",
		"headings with the rest":  "## Tools\n\n### tide_table - " + tide + "\n\n### moon_phase — " + moon + "\n",
		"groups":                  "## Tools\n\n### Field operations\n\n- `tide_table`: " + tide + "\n\n### Resource management\n\n- `moon_phase`: " + moon + "\n",
		"table":                   "## Tools\n\n| Tool | Description | Input |\n|---|---|---|\n| `tide_table` | " + tide + " | - |\n| `moon_phase` | " + moon + " | - |\n",
		"table by category":       "## Tools\n\n| Category | Tool | Description |\n|---|---|---|\n| **Sea** | `tide_table` | " + tide + " |\n| **Sky** | `moon_phase` | " + moon + " |\n",
		"table without heading":   "| MCP Tool | What it does |\n|---|---|\n| [`tide_table`](#a) | " + tide + " |\n| [`moon_phase`](#b) | " + moon + " |\n",
		"folded":                  "## Features\n\n<details>\n<summary><b>Available tools</b></summary>\n\n- `tide_table` – " + tide + "\n- `moon_phase` – " + moon + "\n\n</details>\n",
		"each folded":             "## Tools\n\n<details>\n<summary><code>tide_table</code></summary>\n\n" + tide + "\n\n- `harbour_id` (string): where\n\n</details>\n\n<details>\n<summary><b>moon_phase</b></summary>\n\n" + moon + "\n\n</details>\n",
		"HTML table":              "## Tools\n\n<table>\n<tr><th>Tool</th><th>Description</th></tr>\n<tr><td><code>tide_table</code></td><td>" + tide + "</td></tr>\n<tr>\n<td><b>moon_phase</b></td>\n<td>" + moon + "</td>\n</tr>\n</table>\n",
		"HTML list":               "## Tools\n\n<ul>\n<li><code>tide_table</code> - " + tide + "</li>\n<li><strong>moon_phase</strong>: " + moon + "</li>\n</ul>\n",
		"folded HTML list":        "<details><summary>🔧 Tools</summary>\n<ul><li><code>tide_table</code>: " + tide + "</li><li><code>moon_phase</code>: " + moon + "</li></ul>\n</details>\n",
		"tools below features":    "## Features\n\n### Tools\n\n- `tide_table`: " + tide + "\n- `moon_phase`: " + moon + "\n\n### Functionality\n\n- **Tide management** for all\n",
		"announced by a sentence": "## Overview\n\nThis server provides two main tools:\n\n1. **tide_table**: " + tide + "\n2. **moon_phase**: " + moon + "\n",
		"labels in one item":      "## Tools\n\n1. **Get the tides**\n   **Name:** `tide_table`\n   **Description:** " + tide + "\n   **Parameters:**\n   - `harbour_id` (required): where\n2. **Get the moon**\n   **Name:** `moon_phase`\n   **Description:** " + moon + "\n   **Parameters:** none\n",
		"calls in JSON":           "## Tools\n\n### Tides\n\n" + tide + "\n\n```json\n{\"name\": \"tide_table\", \"arguments\": {\"harbour\": {\"name\": \"west_pier\"}}}\n```\n\n### Moon\n\n" + moon + "\n\n```json\n{\"name\": \"moon_phase\", \"arguments\": {}}\n```\n",
		"signature in code":       "## Available Tools\n\n### 1. Tides\n\n```python\nasync def tide_table(harbour_id: str, day: int = 0) -> str\n```\n\n" + tide + "\n\n**Parameters:**\n- `harbour_id`: where\n\n### 2. Moon\n\n```ts\nmoon_phase(night: string)\n```\n\n" + moon + "\n",
		"Spanish":                 "## Herramientas disponibles\n\n- `tide_table`: " + tide + "\n- `moon_phase`: " + moon + "\n",
		"Chinese":                 "## 可用工具\n\n- `tide_table`: " + tide + "\n- `moon_phase`: " + moon + "\n",
	} {
		r := parse(t, "# Sea MCP server\n\nAbout the sea and the sky.\n\n"+text+"\n## License\n\nMIT, see `LICENSE_FILE`.\n")
		got := bare(r.Tools)
		if !cmp.Equal(got, want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	r := parse(t, "# Sea\n\n## API\n\n### tide_table\n\n"+tide+"\n\n### moon_phase\n\n"+moon+"\n\n### star_chart\n\nA chart of all the stars.\n")
	if len(r.Tools) != 3 || r.Tools[1].Description != moon {
		t.Errorf("headings that are names: %+v", r.Tools)
	}
}

func TestWhatIsNoTool(t *testing.T) {
	for name, text := range map[string]string{
		"parameters under a label": "## Tools\n\n### Search\n\nFinds things.\n\n**Parameters:**\n- `max_results`: how many\n- `query`: what\n",
		"codes under a label":      "## Tools\n\n### Search\n\nRegion codes:\n- `us-en`: United States\n- `de-de`: Germany\n",
		"categories":               "## Tools\n\nCategories of tools:\n\n- `harbour` - tools about harbours\n- `sky-map` - tools about the sky\n",
		"other projects":           "## Similar tools\n\n- [sea-cli](https://sea.dev) - on the command line\n- [sky-cli](https://sky.dev) - the same for the sky\n",
		"disabled ones":            "## Disabling tools\n\n- `tide_table` can be named here\n",
		"toolsets in a table":      "## Toolsets\n\n| Project | Toolset | Tools |\n|---|---|---|\n| [SeaWorks](https://s.dev) | `sea` | 12 |\n| [SkyWorks](https://k.dev) | `sky` | 3 |\n",
		"a group and a pattern":    "## Tools\n\n### Add-ons\n\n- a date as `YYYY-MM-DD`\n- `YYYY-MM-DD` is how dates look\n",
		"prompts":                  "## Tools\n\nNone yet.\n\n### Prompts\n\n- `plan_a_trip`: plans a trip to the sea\n",
		"flags":                    "## Command line\n\n- `--read-only`: no writes\n- `--log_level`: more or less\n",
		"files":                    "## Project structure\n\n- `src/tide_table.ts` - the tides\n- `src/moon_phase.ts` - the moon\n- `src/star_chart.ts` - the stars\n",
		"tools that are no more":   "## Tools\n\n**Removed tools (2):**\n\n- `tide_table` - replaced by `tides`\n- `moon_phase` - replaced by `moon`\n",
		"items that say so":        "## Tools\n\n- `tide_table`: removed in 2.0\n- `moon_phase` — replaced by `moon`\n",
		"old and new in a table":   "## Moving to 2.0\n\n| Old Tool (v1.x) | New Tool (v2.0) | Parameter Change |\n|---|---|---|\n| `tide_table` | `tides` | `harbour` is now `harbour_id` |\n",
		"a change log":             "## What's new\n\n- `tide_table` - says when the water is high\n- `moon_phase` - draws the moon as it is\n- `star_chart` - charts all the stars there are\n",
		"breaking changes":         "## ⚠️ Version 2 breaking changes\n\n**New tools (3):**\n\n- `tide_table` - says when the water is high\n- `moon_phase` - draws the moon as it is\n- `star_chart` - charts all the stars there are\n",
		"settings":                 "## Configuration\n\n- `sea_url` - address of the sea\n- `sea_depth` - how deep to look\n- `sea_salt` - how much salt\n",
	} {
		if r := parse(t, "# Sea MCP server\n\nAbout the sea.\n\n"+text); len(r.Tools) != 0 {
			t.Errorf("%s: %+v", name, r.Tools)
		}
	}
}

func TestADocumentOfTools(t *testing.T) {
	tide, moon := "Says when the water is high.", "Draws the moon as it is tonight."
	want := []registry.Tool{{Name: "tide_table", Description: tide}, {Name: "moonPhase", Description: moon}}
	for name, text := range map[string]string{
		"names in code":         "# Tools\n\n- `tide_table`: " + tide + "\n- `moonPhase`: " + moon + "\n",
		"bold names, in groups": "# Available Tools\n\n## Sea operations\n\n- **tide_table**: " + tide + "\n\n  ```js\n  { harbour: \"west\" }\n  ```\n\n## Sky\n\n- **moonPhase**: " + moon + "\n",
		"a title of its own":    "# Sea MCP\n\nAll there is.\n\n| Tool Name | Description |\n|---|---|\n| `tide_table` | " + tide + " |\n| `moonPhase` | " + moon + " |\n",
		"with their parameters": "# Tools\n\n## tide_table\n\n" + tide + "\n\n| Parameter | Type |\n|---|---|\n| `harbour_id` | string |\n\n## `moonPhase`\n\n" + moon + "\n\n### Parameters\n\n- `night_of` (string): when\n",
		"with those to come":    "# Sea tools\n\n| Tool | Description | Status |\n|---|---|---|\n| `tide_table` | " + tide + " | ✅ Implemented |\n| `wave_height` | How high they are. | 📝 Planned |\n| `moonPhase` | " + moon + " | Done |\n| `sun_spots` | Counts them. | 🔄 In progress |\n",
		"and no tools":          "# Sea tools\n\n## Tools\n\n- `tide_table` - " + tide + "\n- `moonPhase` - " + moon + "\n\n## Resources\n\n- `sea://harbours` - all of them\n\n## Environment variables\n\n- `SEA_URL` - where to ask\n",
	} {
		got, err := ParseTools([]byte(text))
		if got = bare(got); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestWhatIsRequiredInSomeCasesIsNotRequired(t *testing.T) {
	for text, want := range map[string]bool{
		"| Variable | Description | Default |\n|---|---|---|\n| `TIDE_CERT` | Path of a certificate, required for non-localhost deployment | `\"\"` (empty) |\n": false,
		"| Variable | Description | Default |\n|---|---|---|\n| `TIDE_CERT` | Path of a certificate | `\"\"` |\n":                                                false,
		"| Variable | Description | Default |\n|---|---|---|\n| `TIDE_CERT` | Path of a certificate (required) | - |\n":                                          true,
		"| Variable | Required | Description |\n|---|---|---|\n| `TIDE_CERT` | Yes for HTTP | Path of a certificate |\n":                                         false,
		"| Variable | Required | Description |\n|---|---|---|\n| `TIDE_CERT` | Yes | Path of a certificate, needed in HTTP mode |\n":                             true,
		"- `TIDE_CERT` (**required** in HTTP mode): path of a certificate\n":                                                                                     false,
		"- `TIDE_CERT`: path of a certificate, must be set when the server is on the network\n":                                                                  false,
		"- `TIDE_CERT`: path of a certificate. The server refuses to start in HTTP mode without it.\n":                                                           false,
		"- set `\"TIDE_CERT\": \"<path of a certificate>\"` in the file\n":                                                                                       true,
		"- `TIDE_CERT` (required): path of a certificate\n":                                                                                                      true,
		"- `TIDE_CERT`: required for authentication\n":                                                                                                           true,
		"- `TIDE_CERT`: must be set. Only needed once.\n":                                                                                                        true,
	} {
		r := parse(t, "# Sea MCP server\n\nAbout the sea.\n\n## Configuration\n\n"+text)
		if len(r.Variables) != 1 || r.Variables[0].IsRequired != want {
			t.Errorf("%s\nwant required %v: %+v", text, want, r.Variables)
		}
	}
}

func TestLaunchCommands(t *testing.T) {
	cases := map[string]manifest.Launch{
		"npx -y @a/b@1.2.3 --flag x":                      {Runner: "npx", RegistryType: "npm", Identifier: "@a/b", Version: "1.2.3"},
		"npx --package=@a/b some-bin":                     {Runner: "npx", RegistryType: "npm", Identifier: "@a/b"},
		"bunx a-mcp@latest":                               {Runner: "bunx", RegistryType: "npm", Identifier: "a-mcp"},
		"pnpm dlx a-mcp":                                  {Runner: "npx", RegistryType: "npm", Identifier: "a-mcp"},
		"cmd /c npx -y a-mcp":                             {Runner: "npx", RegistryType: "npm", Identifier: "a-mcp"},
		"API_KEY=x npx a-mcp":                             {Runner: "npx", RegistryType: "npm", Identifier: "a-mcp"},
		"npx -y mcp-remote https://a.dev/mcp":             {Runner: "npx", RegistryType: "npm", Identifier: "mcp-remote", URL: "https://a.dev/mcp"},
		"uvx a_mcp==0.1":                                  {Runner: "uvx", RegistryType: "pypi", Identifier: "a_mcp", Version: "0.1"},
		"uvx a-mcp@latest":                                {Runner: "uvx", RegistryType: "pypi", Identifier: "a-mcp"},
		"uvx --from a-pkg a-command":                      {Runner: "uvx", RegistryType: "pypi", Identifier: "a-pkg"},
		"uvx --from git+https://github.com/a/b a":         {Runner: "uvx", Source: true},
		"uv tool run a-mcp":                               {Runner: "uv", RegistryType: "pypi", Identifier: "a-mcp"},
		"pipx run a-mcp":                                  {Runner: "pipx", RegistryType: "pypi", Identifier: "a-mcp"},
		"pip install 'a-mcp[all]>=1'":                     {Runner: "pip", RegistryType: "pypi", Identifier: "a-mcp"},
		"pip install -e .":                                {Runner: "pip", Source: true},
		"docker run -i --rm -e A_KEY -p 1:1 a/b:2 stdio":  {Runner: "docker", RegistryType: "oci", Identifier: "a/b", Version: "2"},
		"docker run --env=A=1 ghcr.io/a/b":                {Runner: "docker", RegistryType: "oci", Identifier: "ghcr.io/a/b"},
		"docker run my-local-image":                       {Runner: "docker", Source: true},
		"dnx A.Mcp --version 1.0.0 --yes":                 {Runner: "dnx", RegistryType: "nuget", Identifier: "A.Mcp", Version: "1.0.0"},
		"dotnet tool install -g A.Mcp":                    {Runner: "dnx", RegistryType: "nuget", Identifier: "A.Mcp"},
		"cargo install a-mcp":                             {Runner: "cargo", RegistryType: "cargo", Identifier: "a-mcp"},
		"cargo install --git https://github.com/a/b":      {Runner: "cargo", Source: true},
		"go install github.com/a/b/cmd/c@latest":          {Runner: "go", Source: true},
		"claude mcp add a -e K=V --scope user -- npx a-p": {Runner: "npx", RegistryType: "npm", Identifier: "a-p"},
		"git clone x && cd x && npx a-mcp":                {Runner: "npx", RegistryType: "npm", Identifier: "a-mcp"},
	}
	for line, want := range cases {
		got, ok := manifest.ParseLine(line)
		got.Line = ""
		if !ok || got != want {
			t.Errorf("%s\n  gives %+v (%v)\n  want  %+v", line, got, ok, want)
		}
	}
	for _, line := range []string{"cd x", "curl https://x.dev | sh", "npx -y @your-org/your-server", "# npx a", "npx <package>", "docker run <image>", "npx"} {
		if got, ok := manifest.ParseLine(line); ok {
			t.Errorf("%s gives %+v", line, got)
		}
	}
}

func TestDescriptionsOfVariablesAreWhole(t *testing.T) {
	r := parse(t, "# Sea\n\nWhere it looks:\n\n1. `SEA_FOLDER` env var (path to the folder), or\n2. `SEA_TOOLS`/`SKY_TOOLS` env vars win over everything\n3. `SEA_DEPTH`: how deep to look\n4. `SEA_SALT` (optional) - how much salt\n")
	got := map[string]string{}
	for _, v := range r.Variables {
		got[v.Name] = v.Description
	}
	if got["SEA_FOLDER"] != "" || got["SEA_TOOLS"] != "" || got["SEA_DEPTH"] != "how deep to look" || got["SEA_SALT"] != "how much salt" {
		t.Errorf("%q", got)
	}
}

func TestToolsThatServersAreRunWithAreNoServers(t *testing.T) {
	for line, want := range map[string]bool{"brew install uv": false, "brew install node@22 git": false, "brew install octo/tap/tides": true, "brew install uv tides-mcp": true} {
		if _, ok := manifest.ParseLine(line); ok != want {
			t.Errorf("%s: %v", line, ok)
		}
	}
}

func TestInstallLinks(t *testing.T) {
	for _, link := range []string{
		"vscode:mcp/install?%7B%22name%22%3A%22fs%22%2C%22type%22%3A%22stdio%22%2C%22command%22%3A%22npx%22%2C%22args%22%3A%5B%22-y%22%2C%22a-mcp%22%5D%7D",
		"https://vscode.dev/redirect/mcp/install?name=fs&config=%7B%22command%22%3A%22npx%22%2C%22args%22%3A%5B%22-y%22%2C%22a-mcp%22%5D%7D",
		"https://insiders.vscode.dev/redirect?url=vscode%3Amcp%2Finstall%3F%257B%2522name%2522%253A%2522fs%2522%252C%2522command%2522%253A%2522npx%2522%252C%2522args%2522%253A%255B%2522-y%2522%252C%2522a-mcp%2522%255D%257D",
		"cursor://anysphere.cursor-deeplink/mcp/install?name=fs&config=eyJjb21tYW5kIjoibnB4IiwiYXJncyI6WyIteSIsImEtbWNwIl19",
		"goose://extension?cmd=npx&arg=-y&arg=a-mcp&name=fs",
	} {
		c, ok := manifest.ParseInstallLink(link)
		if !ok || c.Name != "fs" || c.Command != "npx" || len(c.Args) != 2 || c.Args[1] != "a-mcp" {
			t.Errorf("%s\n  gives %+v (%v)", link, c, ok)
		}
	}
	if c, ok := manifest.ParseInstallLink("https://cursor.com/en/install-mcp?name=x&config=eyJ1cmwiOiJodHRwczovL21jcC5leGFtcGxlLmNvbS9tY3AifQ%3D%3D"); !ok || c.URL != "https://mcp.example.com/mcp" {
		t.Errorf("%+v", c)
	}
	for _, link := range []string{"", "https://x.dev/", "vscode:mcp/install?%7B", "cursor://x/mcp/install?config=%%%", "https://x.dev/install?config=e30"} {
		if c, ok := manifest.ParseInstallLink(link); ok {
			t.Errorf("%q gives %+v", link, c)
		}
	}
}

func TestRemoteURLsOfTheWorldOnly(t *testing.T) {
	for u, want := range map[string]bool{
		"https://mcp.weather.dev/mcp": true, "http://weather.dev:8080/sse": true, "https://weather.dev/{tenant}/mcp": true,
		"http://localhost:3000/mcp": false, "https://127.0.0.1/mcp": false, "https://[::1]/mcp": false, "https://10.0.0.1/mcp": false, "https://server.internal/mcp": false, "https://{host}/mcp": false,
		"https://your-server.com/mcp": false, "https://example.com/mcp": false, "https://api.example.org/mcp": false, "https://<host>/mcp": false, "ftp://weather.dev/mcp": false, "https://user:pw@weather.dev/mcp": false,
		"https://YOUR_HOST.dev/mcp": false, "https://x.dev/YOUR_ID/mcp": false, "https://github.com/octo/weather/mcp": false, "javascript:alert(1)": false, "": false, "https://weather/mcp": false,
	} {
		if manifest.IsRemoteURL(u) != want {
			t.Errorf("IsRemoteURL(%q) is not %v", u, want)
		}
	}
}

// deprecations are READMEs of our own writing, labelled: "d" declared, "s"
// soft, "" neither. Half of them have the words and mean something else.
var deprecations = []struct{ label, text string }{
	{"d", "# X\n\nThis repository is deprecated.\n"},
	{"d", "# X\n\n> [!CAUTION]\n> This project is no longer maintained. Use [Y](https://y.dev) instead.\n"},
	{"d", "# X (deprecated)\n\nText.\n"},
	{"d", "# ⚠️ DEPRECATED\n\nSee elsewhere.\n"},
	{"d", "# X\n\n**This server has been superseded by [Y](https://y.dev).**\n"},
	{"d", "# X\n\nThis repository has been archived and is read-only.\n"},
	{"d", "# X\n\nThis MCP server is now deprecated in favor of the remote one.\n"},
	{"d", "# X\n\n" + strings.Repeat("Long text about many things. ", 100) + "\n\n## Note\n\nThis project is no longer actively maintained.\n"},
	{"d", "# X\n\n> [!WARNING]\n> Deprecated: use the official server.\n"},
	{"d", "# X\n\nThis project has moved to https://github.com/z/y.\n"},
	{"d", "# X\n\nThe server has been moved into the main CLI.\n"},
	{"d", "# X\n\n> This repository is unmaintained.\n"},
	{"d", "# X\n\nWe no longer maintain this project.\n"},
	{"d", "# X\n\nThis package has been discontinued.\n"},
	{"d", "# X\n\nDevelopment of this project has ceased.\n"},
	{"d", "# X\n\nThis is the final release of this server.\n"},
	{"d", "# X\n\nThis server will only receive critical security updates.\n"},
	{"d", "# X\n\n## Repository moved\n\nGo to [the new one](https://y.dev).\n"},
	{"d", "# X\n\n> [!WARNING]\n> This server is not maintained anymore.\n"},
	{"d", "# X\n\nThis project is obsolete.\n"},
	{"d", "# X\n\nThis project has been replaced by Y.\n"},
	{"d", "# X\n\nThe project is end-of-life.\n"},
	{"d", "# X\n\nThis integration is no longer supported.\n"},
	{"d", "# X\n\nThis repository was archived in May.\n"},
	{"d", "# X\n\n# No longer maintained\n\nSorry.\n"},
	{"d", "# X\n\nThe repository is deprecated and will be removed.\n"},
	{"s", "# X\n\nWe may sunset this server later.\n"},
	{"s", "# X\n\nIssues are not actively monitored here.\n"},
	{"s", "# X\n\nWe recommend using the hosted service instead.\n"},
	{"s", "# X\n\nThis may be deprecated in the future.\n"},
	{"s", "# X\n\nWe are looking for maintainers.\n"},
	{"s", "# X\n\nPlease use the hosted server instead of this one. Please use Y instead.\n"},
	{"", "# X\n\nFilter by archived repositories.\n"},
	{"", "# X\n\n| Tool | Does |\n|---|---|\n| `get` | Says whether the project is archived |\n"},
	{"", "# X\n\n### Archived\n\n- [A](https://a.dev)\n- [B](https://b.dev)\n"},
	{"", "# Servers\n\n## Archived\n\nThe following are archived.\n\n- [A](https://a.dev) is old\n- [B](https://b.dev) too\n"},
	{"", "# X\n\nThe SSE transport is deprecated, use HTTP.\n"},
	{"", "# X\n\n> [!WARNING]\n> The `--foo` option is deprecated.\n"},
	{"", "# X\n\n```\nThis repository is deprecated.\n```\n"},
	{"", "# X\n\nDeprecated tools are hidden by default.\n"},
	{"", "# X\n\n- `include_archived`: whether to include archived projects\n"},
	{"", "# X\n\nThe old API is no longer supported upstream.\n"},
	{"", "# X\n\n> [!NOTE]\n> Node 18 support is deprecated and will be removed.\n"},
	{"", "# X\n\nFinds unmaintained dependencies and deprecated packages.\n"},
	{"", "# X\n\nThis server is built with TypeScript.\n"},
	{"", "# X\n\nThis project is actively maintained.\n"},
	{"", "# X\n\nThe server is integrated with Slack.\n"},
	{"", "# X\n\nIf this repository is archived, the tool returns an error.\n"},
	{"", "# X\n\nMoves archived cards. `moved to` is a status.\n"},
	{"", "# X\n\nReturns deprecated fields as null.\n"},
	{"", "# X\n\n## Changelog\n\n- Deprecated `old_tool`\n- Removed support of X\n"},
	{"", "# X\n\nGet a list of retired employees.\n"},
	{"", "# X\n\nTracks sunset and sunrise times.\n"},
	{"", "# X\n\nThe `v1` endpoint is deprecated since March.\n"},
	{"", "# X\n\nEnvironment variables: the `OLD_KEY` variable is deprecated.\n"},
	{"", "# X\n\nDetects end-of-life software.\n"},
	{"", "# X\n\nThe archived flag is set.\n"},
	{"", "# X\n\n> [!IMPORTANT]\n> Do not use deprecated models.\n"},
	{"", "# X\n\nWe do not give guarantees about compatibility and deprecation.\n"},
	{"", "# X\n\nMaintenance mode can be turned on with `maintenance_on`.\n"},
	{"", "# Sunset Times\n\nWhen does the sun set?\n"},
	{"", "# X\n\nChecks if your package is deprecated.\n"},
	{"", "# X\n\n## Migration\n\nSettings of version 1 are no longer read.\n"},
	{"", "# X\n\n| Server | |\n|---|---|\n| Old ⚠️ **DEPRECATED** | x |\n"},
}

func TestDeprecationDetector(t *testing.T) {
	var hit, falseHit, missed int
	for _, c := range deprecations {
		r := parse(t, c.text)
		switch {
		case r.Deprecation == map[string]string{"d": "declared", "s": "soft"}[c.label]:
			if c.label != "" {
				hit++
			}
		case c.label == "":
			falseHit++
			t.Logf("false: %s in %q (%s)", r.Deprecation, c.text, r.DeprecationText)
		default:
			missed++
			t.Logf("missed: %q is %q, want %q", c.text, r.Deprecation, c.label)
		}
	}
	precision, recall := float64(hit)/float64(hit+falseHit), float64(hit)/float64(hit+missed)
	t.Logf("%d READMEs, precision %.2f, recall %.2f", len(deprecations), precision, recall)
	if len(deprecations) < 60 || precision < 0.95 || recall < 0.85 {
		t.Error("precision must be 0.95, recall 0.85, over 60 READMEs")
	}
}

func TestDeprecationNamesTheSuccessor(t *testing.T) {
	r := parse(t, "# X\n\n> [!CAUTION]\n> **This project is deprecated.**\n> Please use [the new server](https://github.com/octo/new) instead.\n\n[docs](https://docs.dev)\n")
	if r.Successor != "https://github.com/octo/new" || r.DeprecationText != "This project is deprecated." {
		t.Errorf("%q, %q", r.Successor, r.DeprecationText)
	}
}

func TestHostileReadmesEnd(t *testing.T) {
	for name, s := range map[string]string{
		"quotes": strings.Repeat(">", untyped.MaxSize), "spaced quotes": strings.Repeat("> ", untyped.MaxSize/2), "lists": strings.Repeat("- ", untyped.MaxSize/2), "brackets": strings.Repeat("[", untyped.MaxSize), "images": strings.Repeat("![a](", untyped.MaxSize/5), "stars": strings.Repeat("*a_", untyped.MaxSize/3),
		"backticks": strings.Repeat("`a", untyped.MaxSize/2), "table": "|a|\n|-|\n" + strings.Repeat("|`a_b`", untyped.MaxSize/6), "html": strings.Repeat("<a href=\"x\">", untyped.MaxSize/12), "comment": "<!--" + strings.Repeat("-", untyped.MaxSize), "headings": strings.Repeat("# a_b\n", untyped.MaxSize/6), "code": strings.Repeat("```\n{\"command\":", untyped.MaxSize/14),
		"deep list": func() string {
			var b strings.Builder
			for i := 0; b.Len() < untyped.MaxSize/2; i++ {
				b.WriteString(strings.Repeat(" ", min(i, 400)*2) + "- `a_b`\n")
			}
			return b.String()
		}(), "links": strings.Repeat("[a](b) ", untyped.MaxSize/7), "named items": strings.Repeat("- Name: `a_b`\n", untyped.MaxSize/14), "summaries": "## Tools\n\n" + strings.Repeat("<summary>a_b</summary>", untyped.MaxSize/22), "open rows": "## Tools\n\n<table>" + strings.Repeat("<tr><td>", untyped.MaxSize/8), "open items": "<ul>" + strings.Repeat("<li>", untyped.MaxSize/4), "AsciiDoc": "= A\n" + strings.Repeat("----\n", untyped.MaxSize/5),
		"nul": strings.Repeat("\x00", untyped.MaxSize), "entities": strings.Repeat("&amp;", untyped.MaxSize/5),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Parse([]byte(s)); err != nil {
				t.Error(err)
			}
		})
	}
}
