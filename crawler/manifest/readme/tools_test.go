package readme

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
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

// TestTools covers the forms in which READMEs list tools.
func TestTools(t *testing.T) {
	want := []registry.Tool{{Name: "tide_table", Description: tide}, {Name: "moon_phase", Description: moon}}
	for name, text := range map[string]string{
		"list with code": "## Tools\n\n- `tide_table`: " + tide + "\n- `moon_phase` — " + moon + "\n",
		"list with pictures": "## 🛠️ Available Tools\n\n- 🌊 **tide_table** - " + tide +
			"\n- 🌙 **`moon_phase`**: " + moon + "\n",
		"numbered, with bold": "## MCP Tools\n\n1. **tide_table**: " + tide + "\n" +
			"2. **moon_phase**: " + moon + "\n",
		"plain list of names": "## Tools\n\n* tide_table - " + tide + "\n* moon_phase - " + moon + "\n",
		"nested description": "## Tools\n\n- **tide_table**\n  - Title: Tides\n" +
			"  - Description: " + tide + "\n  - Parameters:\n    - `harbour_id` (string): where\n" +
			"- **moon_phase**\n  - " + moon + "\n  - Inputs:\n    - `night` (string)\n",
		"headings": "## Tools\n\n### tide_table\n\n" + tide + "\n\n" +
			"**Parameters:**\n- `harbour_id` (string): where\n\n### 2. `moon_phase`\n" + moon +
			"\n",
		"headings with arguments": "## Tools\n\n#### tide_table(harbour_id, day)\n" + tide +
			"\n\n#### `moon_phase(night)`\n" + moon + "\n",
		"headings with the rest": "## Tools\n\n### tide_table - " + tide + "\n\n### moon_phase — " + moon + "\n",
		"groups": "## Tools\n\n### Field operations\n\n- `tide_table`: " +
			tide + "\n\n### Resource management\n\n- `moon_phase`: " + moon + "\n",
		"table": "## Tools\n\n| Tool | Description | Input |\n" +
			"|---|---|---|\n| `tide_table` | " + tide + " | - |\n| `moon_phase` | " + moon +
			" | - |\n",
		"table with notes": "## Tools\n\n| Tool | Purpose | Notes |\n" +
			"|---|---|---|\n| `tide_table` | " + tide +
			" | Reads the harbours' own records and is never older than a day |\n" +
			"| `moon_phase` | " + moon + " | |\n",
		"table by category": "## Tools\n\n| Category | Tool | Description |\n" +
			"|---|---|---|\n| **Sea** | `tide_table` | " + tide + " |\n" +
			"| **Sky** | `moon_phase` | " + moon + " |\n",
		"table without heading": "| MCP Tool | What it does |\n|---|---|\n" +
			"| [`tide_table`](#a) | " + tide + " |\n| [`moon_phase`](#b) | " + moon + " |\n",
		"section in a summary": "## Features\n\n<details>\n" +
			"<summary><b>Available tools</b></summary>\n\n- `tide_table` – " + tide + "\n" +
			"- `moon_phase` – " + moon + "\n\n</details>\n",
		"summaries": "## Tools\n\n<details>\n" +
			"<summary><code>tide_table</code></summary>\n\n" + tide + "\n\n" +
			"- `harbour_id` (string): where\n\n</details>\n\n<details>\n" +
			"<summary><b>moon_phase</b></summary>\n\n" + moon + "\n\n</details>\n",
		"HTML table": "## Tools\n\n<table>\n" +
			"<tr><th>Tool</th><th>Description</th></tr>\n<tr><td><code>tide_table</code></td><td>" +
			tide + "</td></tr>\n<tr>\n<td><b>moon_phase</b></td>\n<td>" + moon + "</td>\n</tr>\n" +
			"</table>\n",
		"HTML list": "## Tools\n\n<ul>\n<li><code>tide_table</code> - " +
			tide + "</li>\n<li><strong>moon_phase</strong>: " + moon + "</li>\n</ul>\n",
		"folded HTML list": "<details><summary>🔧 Tools</summary>\n" +
			"<ul><li><code>tide_table</code>: " + tide + "</li><li><code>moon_phase</code>: " +
			moon + "</li></ul>\n</details>\n",
		"section of tools below features": "## Features\n\n### Tools\n\n- `tide_table`: " + tide +
			"\n- `moon_phase`: " + moon + "\n\n### Functionality\n\n" +
			"- **Tide management** for all\n",
		"Spanish": "## Herramientas disponibles\n\n- `tide_table`: " +
			tide + "\n- `moon_phase`: " + moon + "\n",
		"Chinese": "## 可用工具\n\n- `tide_table`: " + tide + "\n- `moon_phase`: " + moon + "\n",
		"headings with a title": "## Available Tools\n\n### 1. Tides (`tide_table`)\n\n" +
			tide + "\n\n### 2. Moon (`moon_phase`)\n\n- " + moon + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			d := parse(t, intro+text+"\n## License\n\nMIT, see `LICENSE_FILE`.\n")
			equal(t, want, undetailed(d.Tools))
		})
	}
}

// TestToolNames covers valid and invalid names of tools.
func TestToolNames(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"two names in an item": {"## Tools\n\n" +
			"- **`get_tide` / `set_tide`** – reads and writes tides\n" +
			"- `list_a`, `list_b`: lists\n- `find_a`: like `list_a`\n",
			[]string{"get_tide", "set_tide", "list_a", "list_b", "find_a"}},
		"names in bold": {"## Tools\n\n- **get_tide** / **set_tide** — reads and writes tides\n- **find_a** — finds\n",
			[]string{"get_tide", "set_tide", "find_a"}},
		"plain words": {"## Tools\n\n- tides: all of them\n- moon: the moon\n" +
			"- get_tide: Returns one\n", []string{"get_tide"}},
		"products in a column": {"## Tools we use\n\n| Name | What |\n|---|---|\n| CloudSea | Hosting |\n", nil},
		"plain camelCase words": {"## Tools\n\n- `list_a`: a\n- `list_b`: b\n" +
			"- `list_c`: c\n- `list_d`: d\n- `list_e`: e\n- `list_f`: f\n- `list_g`: g\n" +
			"- `list_h`: h\n- FlowKind (0=in, 1=out)\n",
			[]string{"list_a", "list_b", "list_c", "list_d", "list_e", "list_f", "list_g",
				"list_h"}},
		"common options": {"## Tools\n\n- `list_a`: a\n- `list_b`: b\n\n" +
			"## Common options for all tools\n\n- `timeout`: how long\n- `max_age`: how old\n",
			[]string{"list_a", "list_b"}},
		"backward compatibility": {"## Tools\n\n- `list_a`: a\n\n" +
			"### Backward compatibility\n\n- `old_param` is still taken\n", []string{"list_a"}},
		"categories with their tools": {"## Tool categories\n\n#### Sea\n- `tide_table`: Tides\n" +
			"- `tide_map`: Maps\n\n#### Finding things\n- **Harbours**: many\n",
			[]string{"tide_table", "tide_map"}},
		"table outside of a section": {"| Tool | What it does |\n|---|---|\n" +
			"| `run_query` | Runs a query |\n| list_tables | Lists tables |\n\n## Parameters\n\n" +
			"| Name | Type |\n|---|---|\n| `max_rows` | int |\n",
			[]string{"run_query", "list_tables"}},
		"sentences": {"## Tools\n\n- `list_a` Lists all of them\n- `limit` is how many\n" +
			"- `list_b` 列出\n", []string{"list_a", "list_b"}},
		"sentences about tools": {"## Available tools\n\n- `listEvents` lists the events\n" +
			"- `add_event` adds one\n", []string{"listEvents", "add_event"}},
		"heading about one tool": {"## The `tide_table` tool\n\n" +
			"Says when the water is high.\n\n- `harbour_id` of the place\n\n## Other things\n\n" +
			"- `not_listed` here\n", []string{"tide_table"}},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(c.want, names(parse(t, "# X\n\n"+c.text).Tools)); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestToolLists reads whole documents.
func TestToolLists(t *testing.T) {
	tides := []registry.Tool{{Name: "tide_table", Description: tide}}
	both := []registry.Tool{{Name: "tide_table", Description: tide}, {Name: "moon_phase", Description: moon}}
	dashes := strings.Repeat("-", 300)
	for name, c := range map[string]struct {
		text string
		want []registry.Tool
	}{
		"wide table": {"## Tools\n\n| Tool | Description |\n|" + dashes +
			"|:" + dashes + ":|\n| `tide_table` | " + tide + " |\n| `moon_phase` | " + moon +
			" |\n", both},
		"columns in another order": {"## Tools\n\n| Description | Since | Name |\n" +
			"|---|---|---|\n| " + tide + " | 1.0 | `tide_table` |\n| " + moon +
			" | 1.2 | moon_phase |\n", both},
		"names that begin with digits": {"## Tools\n\n1. `3d_tide`: " + tide + "\n" +
			"2. **2nd_moon**: " + moon + "\n", []registry.Tool{{Name: "3d_tide", Description: tide},
			{Name: "2nd_moon", Description: moon}}},
		"object of the server": {"## Tools\n\n```js\n" +
			"new Server({ name: \"sea_server\", version: \"1.0.0\" })\n```\n\n- `tide_table`: " +
			tide + "\n", tides},
		"flags": {"## Tools\n\n- `tide_table`: " + tide + "\n" +
			"- `--read-only`: no writes\n- **--log_level**: more\n- --tide-file: a file\n" +
			"- `-v`: more\n", tides},
		"flags in a table": {"## Tools\n\n| Name | Description |\n|---|---|\n" +
			"| `tide_table` | " + tide + " |\n| `--read-only` | no writes |\n", tides},
		"environment variables": {"## Tools\n\n- `tide_table`: " + tide + "\n" +
			"- `SEA_URL`: address\n- **SEA_KEY**: a key\n- SEA_DEPTH: how deep\n", tides},
		"the server's name": {"## Tools\n\n- `sea-mcp-server`: this server\n" +
			"- `tide_table`: " + tide + "\n", tides},
		"the package's name": {"```sh\nnpx -y @octo/tides-mcp\n```\n\n## Tools\n\n" +
			"- `tides-mcp`: this package\n- `tide_table`: " + tide + "\n", tides},
		"a parameter description": {"## Tools\n\n- **tide_table**\n" +
			"  - `description` (string): Text of the entry\n  - " + tide + "\n", tides},
		"a parameter description in bold": {"## Tools\n\n### tide_table\n\n" +
			"- **description** (string, required): Text of the entry\n- **Description**: " + tide +
			"\n", tides},
		"parameters on the level of tools": {"## Tools\n\n- `tide_table`: " + tide + "\n\n" +
			"### Common\n\n- `owner`: Owner of the harbour (string, required)\n" +
			"- `depth` (number): how deep\n", tides},
		"nested lists": {"## Tools\n\n- `tide_table`: " + tide + "\n" +
			"  - `harbour_id`: where\n    - `inner_id`: what\n", tides},
		"groups of nested lists": {"## Tools\n\n- Sea\n  - `tide_table`: " + tide +
			"\n- Sky\n  - `moon_phase`: " + moon + "\n", both},
		"headings inside details": {"<details>\n<summary>Tools</summary>\n\n" +
			"### `tide_table`\n\n" + tide + "\n\n#### Parameters\n\n- `harbour_id`: where\n\n" +
			"### `moon_phase`\n\n" + moon + "\n\n</details>\n\n- `not_listed` here\n", both},
		"details below a heading": {"## Tools\n\n<details>\n" +
			"<summary>Sea (1 tool)</summary>\n\n- `tide_table`: " + tide + "\n\n</details>\n\n" +
			"<details>\n<summary>Sky</summary>\n\n| Tool | Description |\n|---|---|\n" +
			"| `moon_phase` | " + moon + " |\n\n</details>\n", both},
		"a toolset in a heading": {"## Tools\n\n### `sea_set` toolset\n\n- `tide_table`: " + tide + "\n", tides},
		"notes": {"## Tools\n\n**Note: some need a key.**\n\n" +
			"- `tide_table`: " + tide + "\n", tides},
		"supported tools, below a category": {"## Supported tools\n\n#### Scan code\n\n" +
			"- `tide_table`: " + tide + "\n", tides},
	} {
		t.Run(name, func(t *testing.T) {
			equal(t, c.want, undetailed(parse(t, intro+c.text).Tools))
		})
	}
}

// TestNotTools covers lists that look like lists of tools.
func TestNotTools(t *testing.T) {
	for name, text := range map[string]string{
		"parameters under a label": "## Tools\n\n### Search\n\nFinds things.\n\n**Parameters:**\n- `max_results`: how many\n- `query`: what\n",
		"codes under a label":      "## Tools\n\n### Search\n\nRegion codes:\n- `us-en`: United States\n- `de-de`: Germany\n",
		"categories":               "## Tools\n\nCategories of tools:\n\n- `harbour` - tools about harbours\n- `sky-map` - tools about the sky\n",
		"other projects":           "## Similar tools\n\n- [sea-cli](https://sea.dev) - on the command line\n- [sky-cli](https://sky.dev) - the same for the sky\n",
		"resources by address":     "## Tools and resources\n\n- `sea-charts://all`: all charts\n- `moon-phases://{night}`: one\n",
		"resources in a table":     "## Tools and resources\n\n| URI | What it returns |\n|---|---|\n| `sea-charts://all` | Charts |\n| `get_rights` | Rights |\n",
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
		"hints":                    "## Tools\n\n### Sea\n\nTips:\n\n- Use a harbour instead of a town\n- `tide_limit` is how many at most\n",
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

func TestNameIn(t *testing.T) {
	for text, want := range map[string]string{
		"get_tide": "get_tide", "get-tide": "get-tide", "getTide": "getTide", "get_tide(a, b): x": "get_tide",
		"3d_tide": "3d_tide", "get_tide - x": "get_tide", "tide": "", "Tide": "", "TIDE_URL": "", "tide-": "",
		"get tide": "", "tides/get": "", "read-me.md": "", "--tide_table": "", "-tide_table": "", "string": "",
	} {
		if got, _ := nameIn(text, false); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// parametersOf returns the schemas of a README's tools by name, without their common members.
func parametersOf(t *testing.T, text string) map[string]string {
	t.Helper()
	r, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, x := range r.Tools {
		if x.InputSchema == nil {
			continue
		}
		if !json.Valid(x.InputSchema) {
			t.Errorf("%s: invalid JSON: %s", x.Name, x.InputSchema)
		}
		out[x.Name] = strings.TrimSuffix(strings.TrimPrefix(strings.ReplaceAll(string(x.InputSchema),
			`,"$comment":"read from the README"`, ""), `{"type":"object",`), "}")
	}
	return out
}

func TestParameters(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want map[string]string
	}{
		"items below a heading": {
			"# W\n\n## Tools\n\n### get_tide\n\nWhen the water is high.\n\n**Parameters:**\n" +
				"- `harbour` (string, required): Where\n" +
				"- `days` (integer, optional, default: 3): How many\n- `kind` (string[]): Which\n" +
				"- `deep` (boolean, default true)\n\n**Returns:**\n- `height` (number): Metres\n",
			map[string]string{"get_tide": `"properties":{"harbour":{"type":"string","description":"Where"},"days":{"type":"integer","description":"How many"},"kind":{"type":"array","description":"Which"},"deep":{"type":"boolean"}},"required":["harbour"]`},
		},
		"items below an item": {
			"# W\n\n## Tools\n\n- **get_tide**\n  - When the water is high\n  - Inputs:\n" +
				"    - `harbour` (string): Where\n      - `inner` (string): part of it\n" +
				"    - `options` (object)\n  - Returns: a table\n" +
				"    - `height` (number): Metres\n- **get_sun**\n  - About the sun\n",
			map[string]string{"get_tide": `"properties":{"harbour":{"type":"string","description":"Where"},"options":{"type":"object"}}`},
		},
		"items below a label": {
			"# W\n\n## Tools\n\n### get_tide\n\nRequired parameters:\n\n- `harbour`: Where\n" +
				"- `model` (string): Which\n\nNotes:\n\n- `height`: is in metres\n\n" +
				"### get_wind\n\n- `speed` is what it gives\n- `place`: Where\n",
			map[string]string{"get_tide": `"properties":{"harbour":{"description":"Where"},"model":{"type":"string","description":"Which"}}`,
				"get_wind": `"properties":{"speed":{"description":"is what it gives"},"place":{"description":"Where"}}`},
		},
		"tags after the description": {
			"# W\n\n## Tools\n\n- **get_tide** - When the water is high\n" +
				"  - `harbour`: Name of the place (string, required)\n" +
				"  - `days`: How many (number, optional)\n  - `owner`\n",
			map[string]string{"get_tide": `"properties":{"harbour":{"type":"string","description":"Name of the place"},"days":{"type":"number","description":"How many"},"owner":{}},"required":["harbour"]`},
		},
		"not parameters": {
			"# W\n\n## Tools\n\n### get_tide\n\nExample:\n\n- `harbour` (string): Bergen\n\n" +
				"```json\n{\"harbour\": \"Bergen\"}\n```\n\n### get_wind\n\n" +
				"- Fast (very): it is\n- Works offline\n\n## Environment variables\n\n" +
				"- `get_sun_key` (string, required): a key\n",
			map[string]string{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			equal(t, c.want, parametersOf(t, c.text))
		})
	}
}

func TestParameterBounds(t *testing.T) {
	var b strings.Builder
	b.WriteString("# W\n\n## Tools\n\n### get_tide\n\nParameters:\n\n")
	for i := range 5000 {
		b.WriteString("- `p" + strings.Repeat("x", i%50) + string(rune('a'+i%26)) +
			"` (string, required): " + strings.Repeat("<script>\x00\xff\u2028é", 100) + "\n")
	}
	for i := range 200 {
		b.WriteString("\n### tool_" + strings.Repeat("a", i%60) + "_" + string(rune('a'+i%26)) +
			"\n\n```json\n{\"type\": \"object\", \"properties\": " + strings.Repeat(`{"a":`, 2000) +
			"1" + strings.Repeat("}", 2000) + "}\n```\n")
	}
	r, err := Parse([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, x := range r.Tools {
		if len(x.InputSchema) > maxSchemas || x.InputSchema != nil && !json.Valid(x.InputSchema) {
			t.Errorf("%s: %d bytes", x.Name, len(x.InputSchema))
		}
		total += len(x.InputSchema)
	}
	if total > maxSchemas {
		t.Errorf("%d bytes of schemas", total)
	}
}

func FuzzParameters(f *testing.F) {
	for _, s := range []string{"- `a` (string, required): b\n- `c?`: d", "| Parameter | Type |\n" +
		"|---|---|\n| a | string |", "Parameters: `a` (string), `b`", "```ts\n{\n a: string;\n" +
		" b?: 'x' | 'y'\n}\n```",
		"- Inputs:\n  - a (int)\n  - Returns: x", "```json\n" +
			"{\"type\":\"object\",\"properties\":{\"a\":{}}}\n```", "get_tide(a: str, b=1)\n" +
			"get_wind(c)", "(((((", "- **a** (default: \"\\u0000\")",
		"- `a` - b - _Required String_"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := Parse([]byte("# W\n\n## Tools\n\n### get_tide\n\n" + s + "\n\n### get_wind\n\n" +
			"- `get_sun`: x\n  " + strings.ReplaceAll(s, "\n", "\n  ")))
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range r.Tools {
			var v struct {
				Type       string
				Properties map[string]any
			}
			if x.InputSchema == nil {
				continue
			}
			if err := json.Unmarshal(x.InputSchema, &v); err != nil || v.Type != "object" ||
				v.Properties == nil || len(x.InputSchema) > maxSchemas {
				t.Errorf("%v %s", err, x.InputSchema)
			}
		}
	})
}
