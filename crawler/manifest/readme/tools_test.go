package readme

import (
	"testing"

	"mcpcensus/internal/registry"

	"github.com/google/go-cmp/cmp"
)

// Descriptions of the tools in the tests.
const (
	tide = "Says when the water is high."
	moon = "Draws the moon as it is tonight."
)

// intro is the beginning of a README, above its list of tools.
const intro = "# Sea MCP server\n\nAbout the sea and the sky.\n\n"

// undetailed returns tools without their parameters.
func undetailed(tools []registry.Tool) []registry.Tool {
	var out []registry.Tool
	for _, t := range tools {
		out = append(out, registry.Tool{Name: t.Name, Description: t.Description})
	}
	return out
}

func names(tools []registry.Tool) []string {
	var out []string
	for _, t := range tools {
		out = append(out, t.Name)
	}
	return out
}

// TestTools has the forms in which READMEs list tools.
func TestTools(t *testing.T) {
	want := []registry.Tool{{Name: "tide_table", Description: tide}, {Name: "moon_phase", Description: moon}}
	for name, text := range map[string]string{
		"list with code":                                 "## Tools\n\n- `tide_table`: " + tide + "\n- `moon_phase` — " + moon + "\n",
		"list with pictures":                             "## 🛠️ Available Tools\n\n- 🌊 **tide_table** - " + tide + "\n- 🌙 **`moon_phase`**: " + moon + "\n",
		"numbered, with bold":                            "## MCP Tools\n\n1. **tide_table**: " + tide + "\n2. **moon_phase**: " + moon + "\n",
		"plain list of names":                            "## Tools\n\n* tide_table - " + tide + "\n* moon_phase - " + moon + "\n",
		"nested description":                             "## Tools\n\n- **tide_table**\n  - Title: Tides\n  - Description: " + tide + "\n  - Parameters:\n    - `harbour_id` (string): where\n- **moon_phase**\n  - " + moon + "\n  - Inputs:\n    - `night` (string)\n",
		"name and description":                           "## Tools\n\n### Tides\n- **Name:** `tide_table`\n- **Description:** " + tide + "\n\n### Moon\n- **Name:** `moon_phase`\n- **Description:** " + moon + "\n",
		"name and description outside sections of tools": "## Usage\n\n### Tides\n- <b>Name:</b> `tide_table`\n- <b>Description:</b> " + tide + "\n\n### Moon\n- <b>Name:</b> `moon_phase`\n- <b>Description:</b> " + moon + "\n",
		"headings":                                       "## Tools\n\n### tide_table\n\n" + tide + "\n\n**Parameters:**\n- `harbour_id` (string): where\n\n### 2. `moon_phase`\n" + moon + "\n",
		"headings with arguments":                        "## Tools\n\n#### tide_table(harbour_id, day)\n" + tide + "\n\n#### `moon_phase(night)`\n" + moon + "\n",
		"headings with a prefix":                         "## Tools\n\n### Tool: tide_table\n" + tide + "\n\n### Tool 2: `moon_phase`\n" + moon + "\n",
		"headings with the rest":                         "## Tools\n\n### tide_table - " + tide + "\n\n### moon_phase — " + moon + "\n",
		"groups":                                         "## Tools\n\n### Field operations\n\n- `tide_table`: " + tide + "\n\n### Resource management\n\n- `moon_phase`: " + moon + "\n",
		"table":                                          "## Tools\n\n| Tool | Description | Input |\n|---|---|---|\n| `tide_table` | " + tide + " | - |\n| `moon_phase` | " + moon + " | - |\n",
		"table with notes":                               "## Tools\n\n| Tool | Purpose | Notes |\n|---|---|---|\n| `tide_table` | " + tide + " | Reads the harbours' own records and is never older than a day |\n| `moon_phase` | " + moon + " | |\n",
		"table by category":                              "## Tools\n\n| Category | Tool | Description |\n|---|---|---|\n| **Sea** | `tide_table` | " + tide + " |\n| **Sky** | `moon_phase` | " + moon + " |\n",
		"table without heading":                          "| MCP Tool | What it does |\n|---|---|\n| [`tide_table`](#a) | " + tide + " |\n| [`moon_phase`](#b) | " + moon + " |\n",
		"section in a summary":                           "## Features\n\n<details>\n<summary><b>Available tools</b></summary>\n\n- `tide_table` – " + tide + "\n- `moon_phase` – " + moon + "\n\n</details>\n",
		"summaries":                                      "## Tools\n\n<details>\n<summary><code>tide_table</code></summary>\n\n" + tide + "\n\n- `harbour_id` (string): where\n\n</details>\n\n<details>\n<summary><b>moon_phase</b></summary>\n\n" + moon + "\n\n</details>\n",
		"HTML table":                                     "## Tools\n\n<table>\n<tr><th>Tool</th><th>Description</th></tr>\n<tr><td><code>tide_table</code></td><td>" + tide + "</td></tr>\n<tr>\n<td><b>moon_phase</b></td>\n<td>" + moon + "</td>\n</tr>\n</table>\n",
		"HTML list":                                      "## Tools\n\n<ul>\n<li><code>tide_table</code> - " + tide + "</li>\n<li><strong>moon_phase</strong>: " + moon + "</li>\n</ul>\n",
		"folded HTML list":                               "<details><summary>🔧 Tools</summary>\n<ul><li><code>tide_table</code>: " + tide + "</li><li><code>moon_phase</code>: " + moon + "</li></ul>\n</details>\n",
		"section of tools below features":                "## Features\n\n### Tools\n\n- `tide_table`: " + tide + "\n- `moon_phase`: " + moon + "\n\n### Functionality\n\n- **Tide management** for all\n",
		"signature in code":                              "## Available Tools\n\n### 1. Tides\n\n```python\nasync def tide_table(harbour_id: str, day: int = 0) -> str\n```\n\n" + tide + "\n\n**Parameters:**\n- `harbour_id`: where\n\n### 2. Moon\n\n```ts\nmoon_phase(night: string)\n```\n\n" + moon + "\n",
		"Spanish":                                        "## Herramientas disponibles\n\n- `tide_table`: " + tide + "\n- `moon_phase`: " + moon + "\n",
		"Chinese":                                        "## 可用工具\n\n- `tide_table`: " + tide + "\n- `moon_phase`: " + moon + "\n",
		"labels with code":                               "## Tools\n\n**Tool: `tide_table`** " + tide + "\n\n**Tool: `moon_phase`**\n" + moon + "\n",
		"headings with a title":                          "## Available Tools\n\n### 1. Tides (`tide_table`)\n\n" + tide + "\n\n### 2. Moon (`moon_phase`)\n\n- " + moon + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			d := parse(t, intro+text+"\n## License\n\nMIT, see `LICENSE_FILE`.\n")
			equal(t, want, undetailed(d.Tools))
		})
	}
}

// TestToolNames has what is a name of a tool and what is not.
func TestToolNames(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"two names in an item":               {"## Tools\n\n- **`get_tide` / `set_tide`** – reads and writes tides\n- `list_a`, `list_b`: lists\n- `find_a`: like `list_a`\n", []string{"get_tide", "set_tide", "list_a", "list_b", "find_a"}},
		"a plain word among plain names":     {"## Tools\n\n- list_tides: Lists them\n- search: Finds tides\n- get_tide: Returns one\n", []string{"list_tides", "search", "get_tide"}},
		"plain words":                        {"## Tools\n\n- tides: all of them\n- moon: the moon\n- get_tide: Returns one\n", []string{"get_tide"}},
		"products in a column":               {"## Tools we use\n\n| Name | What |\n|---|---|\n| CloudSea | Hosting |\n", nil},
		"column of tools in an HTML table":   {"## Choosing groups\n\n<table><tr><th>Group</th><th>Featured tools</th></tr><tr><td><code>sea</code></td><td><code>tide_table</code>, <code>tide_map</code></td></tr></table>\n", []string{"tide_table", "tide_map"}},
		"names without their prefix":         {"## How to choose a tool\n\n## Tools\n\n- `sea_scrape`: a\n- `sea_map_all`: b\n- `sea_find_one`: c\n\n### Which to use\n\n- For many: `map_all`\n- `find_one` for one of them\n", []string{"sea_scrape", "sea_map_all", "sea_find_one"}},
		"plain camelCase words":              {"## Tools\n\n- `list_a`: a\n- `list_b`: b\n- `list_c`: c\n- `list_d`: d\n- `list_e`: e\n- `list_f`: f\n- `list_g`: g\n- `list_h`: h\n- FlowKind (0=in, 1=out)\n", []string{"list_a", "list_b", "list_c", "list_d", "list_e", "list_f", "list_g", "list_h"}},
		"common options":                     {"## Tools\n\n- `list_a`: a\n- `list_b`: b\n\n## Common options for all tools\n\n- `timeout`: how long\n- `max_age`: how old\n", []string{"list_a", "list_b"}},
		"backward compatibility":             {"## Tools\n\n- `list_a`: a\n\n### Backward compatibility\n\n- `old_param` is still taken\n", []string{"list_a"}},
		"categories with their tools":        {"## Tool categories\n\n#### Sea\n- `tide_table`: Tides\n- `tide_map`: Maps\n\n#### Finding things\n- **Harbours**: many\n", []string{"tide_table", "tide_map"}},
		"table outside of a section":         {"| Tool | What it does |\n|---|---|\n| `run_query` | Runs a query |\n| list_tables | Lists tables |\n\n## Parameters\n\n| Name | Type |\n|---|---|\n| `max_rows` | int |\n", []string{"run_query", "list_tables"}},
		"heading about one tool":             {"## The `tide_table` tool\n\nSays when the water is high.\n\n- `harbour_id` of the place\n\n## Other things\n\n- `not_listed` here\n", []string{"tide_table"}},
		"items outside of sections of tools": {"## Invoices\n\n1. `createInvoice` — makes a new invoice\n2. `listInvoices` — lists all the invoices\n\n## Customers\n\n3. `findCustomer` — looks one customer up\n\n## Options\n\n- `someOption` — is no tool at all\n", []string{"createInvoice", "listInvoices", "findCustomer"}},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(c.want, names(parse(t, "# X\n\n"+c.text).Tools)); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestNotTools has lists that look like those of tools.
func TestNotTools(t *testing.T) {
	for name, text := range map[string]string{
		"parameters under a label": "## Tools\n\n### Search\n\nFinds things.\n\n**Parameters:**\n- `max_results`: how many\n- `query`: what\n",
		"codes under a label":      "## Tools\n\n### Search\n\nRegion codes:\n- `us-en`: United States\n- `de-de`: Germany\n",
		"categories":               "## Tools\n\nCategories of tools:\n\n- `harbour` - tools about harbours\n- `sky-map` - tools about the sky\n",
		"other projects":           "## Similar tools\n\n- [sea-cli](https://sea.dev) - on the command line\n- [sky-cli](https://sky.dev) - the same for the sky\n",
		"disabled tools":           "## Disabling tools\n\n- `tide_table` can be named here\n",
		"toolsets in a table":      "## Toolsets\n\n| Project | Toolset | Tools |\n|---|---|---|\n| [SeaWorks](https://s.dev) | `sea` | 12 |\n| [SkyWorks](https://k.dev) | `sky` | 3 |\n",
		"patterns":                 "## Tools\n\n### Add-ons\n\n- a date as `YYYY-MM-DD`\n- `YYYY-MM-DD` is how dates look\n",
		"prompts":                  "## Tools\n\nNone yet.\n\n### Prompts\n\n- `plan_a_trip`: plans a trip to the sea\n",
		"flags":                    "## Command line\n\n- `--read-only`: no writes\n- `--log_level`: more or less\n",
		"files":                    "## Project structure\n\n- `src/tide_table.ts` - the tides\n- `src/moon_phase.ts` - the moon\n- `src/star_chart.ts` - the stars\n",
		"removed tools":            "## Tools\n\n**Removed tools (2):**\n\n- `tide_table` - replaced by `tides`\n- `moon_phase` - replaced by `moon`\n",
		"old and new in a table":   "## Moving to 2.0\n\n| Old Tool (v1.x) | New Tool (v2.0) | Parameter Change |\n|---|---|---|\n| `tide_table` | `tides` | `harbour` is now `harbour_id` |\n",
		"change log":               "## What's new\n\n- `tide_table` - says when the water is high\n- `moon_phase` - draws the moon as it is\n- `star_chart` - charts all the stars there are\n",
		"breaking changes":         "## ⚠️ Version 2 breaking changes\n\n**New tools (3):**\n\n- `tide_table` - says when the water is high\n- `moon_phase` - draws the moon as it is\n- `star_chart` - charts all the stars there are\n",
		"settings":                 "## Configuration\n\n- `sea_url` - address of the sea\n- `sea_depth` - how deep to look\n- `sea_salt` - how much salt\n",
		"features":                 "## Features\n\n- **Cross-Platform** - runs anywhere\n- **Fast** - yes\n\n## Installing tools\n\n- `npm_x` - no\n",
		"program":                  "## API\n\n```python\nfrom tides import x\nopen_sea(1)\nread_all(2)\nclose_sea(3)\n```\n",
	} {
		t.Run(name, func(t *testing.T) {
			if got := names(parse(t, intro+text).Tools); got != nil {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestParseTools(t *testing.T) {
	want := []registry.Tool{{Name: "tide_table", Description: tide}, {Name: "moonPhase", Description: moon}}
	for name, text := range map[string]string{
		"names in code":         "# Tools\n\n- `tide_table`: " + tide + "\n- `moonPhase`: " + moon + "\n",
		"bold names, in groups": "# Available Tools\n\n## Sea operations\n\n- **tide_table**: " + tide + "\n\n  ```js\n  { harbour: \"west\" }\n  ```\n\n## Sky\n\n- **moonPhase**: " + moon + "\n",
		"table below a title":   "# Sea MCP\n\nAll there is.\n\n| Tool Name | Description |\n|---|---|\n| `tide_table` | " + tide + " |\n| `moonPhase` | " + moon + " |\n",
		"with parameters":       "# Tools\n\n## tide_table\n\n" + tide + "\n\n| Parameter | Type |\n|---|---|\n| `harbour_id` | string |\n\n## `moonPhase`\n\n" + moon + "\n\n### Parameters\n\n- `night_of` (string): when\n",
		"with other sections":   "# Sea tools\n\n## Tools\n\n- `tide_table` - " + tide + "\n- `moonPhase` - " + moon + "\n\n## Resources\n\n- `sea://harbours` - all of them\n\n## Environment variables\n\n- `SEA_URL` - where to ask\n",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ParseTools([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			equal(t, want, undetailed(got))
		})
	}
}

func TestIsIdentifier(t *testing.T) {
	for name, want := range map[string]bool{
		"get_tide": true, "get-tide": true, "getTide": true, "tide.get": true,
		"tide": false, "Tide": false, "TIDE": false, "TIDE_URL": false, "tide-": false, "get tide": false,
		"tides/get": false, "README.md": false, "--tide_table": false, "string": false,
	} {
		if got := isIdentifier(name); got != want {
			t.Errorf("isIdentifier(%q) is %v", name, got)
		}
	}
}
