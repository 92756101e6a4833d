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
		"TOML below a comment": {
			"", "# ~/.codex/config.toml\n[mcp_servers.tides]\ncommand = \"npx\"\nargs = [\"-y\", \"tides-mcp\"]\n", npx,
		},
		"TOML, list": {
			"toml", "[[mcp_servers]]\nname = \"tides\"\ncommand = \"npx\"\nargs = [\"-y\", \"tides-mcp\"]\n", npx,
		},
		"invalid TOML": {"toml", "[mcp_servers.tides]\ncommand = npx\n", nil},
		"goose": {
			"yaml", "extensions:\n  tides:\n    cmd: npx\n    args: [-y, tides-mcp]\n", npx,
		},
		"YAML without a language": {
			"", "# config.yaml\nmcp_servers:\n  tides:\n    command: \"npx\"\n    args: [\"-y\", \"tides-mcp\"]\n", npx,
		},
		"Continue": {
			"yml", "name: Tides\nschema: v1\nmcpServers:\n  - name: tides\n    command: npx\n    args:\n      - -y\n      - tides-mcp\n", npx,
		},
		"servers of OpenAPI":   {"yaml", "openapi: 3.1.0\nservers:\n  - url: https://tides.dev/mcp\n    name: tides\n", nil},
		"containers":           {"yaml", "services:\n  mcp:\n    image: tides\n    command: npx tides-mcp\n", nil},
		"a container":          {"yaml", "mcp:\n  image: tides\n  command: npx tides-mcp\n", nil},
		"YAML without servers": {"yaml", "extensions:\n  - tides\n", nil},
		"invalid YAML":         {"yaml", "mcpServers:\n  tides: [\n", nil},
		"cannot be decoded": {
			"json", `{"mcpServers": {"tides": {"command": "npx", "args": ["-y", 'tides-mcp'], …}}`,
			[]ClientServer{{Entry: shell.Entry{Command: "npx", Args: []string{"-y", "tides-mcp"}}}},
		},
		"header that cannot be decoded": {
			"json", `{"mcpServers": {"tides": {"url": "https://tides.dev/mcp", "headers": {"X-Zone": "{zone}"}, …}}`,
			[]ClientServer{{Entry: shell.Entry{URL: "https://tides.dev/mcp", Headers: map[string]string{"X-Zone": "{zone}"}}}},
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
