package readme

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/shell"
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

func TestParse(t *testing.T) {
	d := parse(t, weatherReadme)
	var launches []string
	for _, l := range d.Commands {
		launches = append(launches, l.Runner+" "+l.RegistryType+" "+l.Identifier+" "+l.Version)
	}
	equal(t, []string{"npx npm @octo/weather-mcp 1.4.0", "url   ", "uvx   ", "docker oci ghcr.io/octo/weather 1.4", "npx npm weather-mcp "}, launches)
	remote := manifest.ClientServer{Name: "weather", Entry: shell.Entry{
		URL: "https://mcp.weather.dev/mcp", Type: "http",
	}}
	if !slices.ContainsFunc(d.Servers, func(c manifest.ClientServer) bool { return cmp.Equal(c, remote) }) {
		t.Errorf("no remote server among %+v", d.Servers)
	}
	got := Document{
		Title: d.Title, Summary: d.Summary, MCPName: d.MCPName, ClientConfig: d.ClientConfig, Badges: d.Badges,
		Tools: undetailed(d.Tools), ToolHeading: d.ToolHeading, ToolEntries: d.ToolEntries,
		Deprecation: d.Deprecation,
	}
	equal(t, Document{
		Title: "Weather MCP Server", Summary: "Forecasts and alerts for assistants, over the Model Context Protocol.",
		MCPName: "io.github.octo/weather-mcp", ClientConfig: "json",
		Badges: []shell.Launch{{RegistryType: "npm", Identifier: "@octo/weather-mcp"}},
		Tools: []registry.Tool{
			{Name: "get_forecast", Description: "Forecast for a place and a day"},
			{Name: "get_alerts", Description: "(region): Alerts of a region"},
			{Name: "radar_image", Description: "The latest radar picture."},
		},
		ToolHeading: true, ToolEntries: 3,
	}, got)
	equal(t, []registry.Variable{
		{Name: "WEATHER_KEY", Description: "Key of the service", IsRequired: true, IsSecret: true},
		{Name: "WEATHER_UNITS", Description: "Units", Default: "metric"},
		{Name: "WEATHER_PROXY", Description: "proxy to use"},
	}, variablesOf(d))
}

func TestParseAsciiDoc(t *testing.T) {
	d := parse(t, "= Tides\n\nThe tides.\n\n== Tools\n\n* `tide_table`: says when the water is high\n\n== Use\n\n"+
		"[source,json]\n----\n{\"mcpServers\": {\"tides\": {\"command\": \"npx\", \"args\": [\"tides-mcp\"]}}}\n----\n")
	equal(t, []any{"Tides", []string{"tide_table"}, "json"}, []any{d.Title, names(d.Tools), d.ClientConfig})
}

func TestParseReStructuredText(t *testing.T) {
	d := parse(t, "Tides\n=====\n\nThe tides.\n\n"+
		".. code-block:: json\n   :caption: Client\n\n   {\n     \"mcpServers\": {\n"+
		"       \"tides\": {\"command\": \"npx\", \"args\": [\"tides-mcp\"]}\n     }\n   }\n\nMore.\n")
	equal(t, []any{"Tides", "json", 1}, []any{d.Title, d.ClientConfig, len(d.Servers)})
}

func TestCharacters(t *testing.T) {
	const link = "cd [ef](https://x.dev/very/long/address)\n"
	for name, text := range map[string]string{
		"text":   "# Ab\n\n" + link,
		"HTML":   "# Ab\n\n<div align=\"center\"><b>html</b></div>\n\n" + link,
		"images": "# Ab\n\n[![badge text](https://b.dev/i.svg)](https://b.dev) ![alt text](i.png)\n\n" + link,
		"code":   "# Ab\n\n```sh\nsome code\n```\n\n" + link,
	} {
		t.Run(name, func(t *testing.T) {
			if got := parse(t, text).Characters; got != 7 {
				t.Errorf("got %d characters, want 7", got)
			}
		})
	}
}

func TestHostileInput(t *testing.T) {
	size := untyped.MaxSize
	for name, s := range map[string]string{
		"quotes": strings.Repeat(">", size), "spaced quotes": strings.Repeat("> ", size/2), "lists": strings.Repeat("- ", size/2), "brackets": strings.Repeat("[", size), "images": strings.Repeat("![a](", size/5), "stars": strings.Repeat("*a_", size/3),
		"backticks": strings.Repeat("`a", size/2), "table": "|a|\n|-|\n" + strings.Repeat("|`a_b`", size/6), "html": strings.Repeat("<a href=\"x\">", size/12), "comment": "<!--" + strings.Repeat("-", size), "headings": strings.Repeat("# a_b\n", size/6), "code": strings.Repeat("```\n{\"command\":", size/14),
		"deep list": func() string {
			var b strings.Builder
			for i := 0; b.Len() < size/2; i++ {
				b.WriteString(strings.Repeat(" ", min(i, 400)*2) + "- `a_b`\n")
			}
			return b.String()
		}(), "links": strings.Repeat("[a](b) ", size/7), "named items": strings.Repeat("- Name: `a_b`\n", size/14), "summaries": "## Tools\n\n" + strings.Repeat("<summary>a_b</summary>", size/22), "open rows": "## Tools\n\n<table>" + strings.Repeat("<tr><td>", size/8), "open items": "<ul>" + strings.Repeat("<li>", size/4), "AsciiDoc": "= A\n" + strings.Repeat("----\n", size/5),
		"nul": strings.Repeat("\x00", size), "entities": strings.Repeat("&amp;", size/5),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Parse([]byte(s)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestRemovedEndpoints(t *testing.T) {
	d := parse(t, "# Tides\n\nConnect to `https://mcp.tides.dev/mcp`.\n\n> The `https://mcp.tides.dev/sse` endpoint "+
		"has been removed in favor of `https://mcp.tides.dev/v2/mcp`.\n")
	equal(t, []string{"https://mcp.tides.dev/mcp", "https://mcp.tides.dev/v2/mcp"}, d.Endpoints)
}

func TestLocalImages(t *testing.T) {
	d := parse(t, intro+"After building with `docker build -t octo/tides .`, or:\n\n```\ndocker build . -t octo/sea\n```\n")
	equal(t, []string{"octo/tides", "octo/sea"}, d.LocalImages)
}
