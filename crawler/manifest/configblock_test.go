package manifest

import (
	"testing"

	"mcpcensus/crawler/shell"
)

func TestParseConfigBlock(t *testing.T) {
	npx := []ClientServer{{Name: "tides", Entry: shell.Entry{
		Command: "npx", Args: []string{"-y", "tides-mcp"},
	}}}
	for name, c := range map[string]struct {
		lang, text string
		want       []ClientServer
	}{
		"whole": {
			"json", `{"mcpServers": {"tides": {"command": "npx", "args": ["-y", "tides-mcp"]}}}`,
			npx,
		},
		"without braces": {
			"json", `"tides": {"command": "npx", "args": ["-y", "tides-mcp"]}`, npx,
		},
		"unclosed": {
			"json", `{"mcpServers": {"tides": {"command": "npx", "args": ["-y", "tides-mcp"]}`, npx,
		},
		"below a heading": {
			"",
			"settings.json:\n" +
				`{"servers": {"tides": {"command": "npx", "args": ["-y", "tides-mcp"]}}}`, npx,
		},
		"TOML": {
			"toml", "[mcp_servers.tides]\ncommand = \"npx\"\nargs = [\"-y\", \"tides-mcp\"]\n", npx,
		},
		"add-json": {
			"bash",
			`claude mcp add-json tides '{"name": "tides", "command": "npx", "args": ["-y", "tides-mcp"]}'`, npx,
		},
		"cannot be decoded": {
			"json", `{"mcpServers": {"tides": {"command": "npx", "args": ["-y", 'tides-mcp'], …}}`,
			[]ClientServer{{Entry: shell.Entry{Command: "npx", Args: []string{"-y", "tides-mcp"}}}},
		},
		"remote": {
			"json", `{"mcpServers": {"tides": {"url": "https://tides.dev/mcp"}}}`,
			[]ClientServer{{Name: "tides", Entry: shell.Entry{URL: "https://tides.dev/mcp"}}},
		},
		"bookmark":   {"json", `{"url": "https://tides.dev/mcp"}`, nil},
		"other JSON": {"json", `{"tides": 3}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := ParseConfigBlock(c.lang, c.text)
			if len(got) == 0 {
				got = nil
			}
			equal(t, c.want, got)
		})
	}
}
