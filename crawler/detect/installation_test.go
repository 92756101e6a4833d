package detect

import (
	"testing"

	"mcpcensus/crawler/manifest/readme"
)

func TestInstallation_configuration(t *testing.T) {
	config := func(server string) string {
		return "# Tides\n\n```sh\ngit clone https://github.com/octo/tides\nnpm install && npm run build\n```\n\n" +
			"```json\n{\"mcpServers\": {\"tides\": " + server + "}}\n```\n"
	}
	for name, c := range map[string]struct{ server, want string }{
		"from source": {`{"command": "/opt/tides/run.sh", "args": ["--stdio"]}`, "/opt/tides/run.sh --stdio"},
		"node": {`{"command": "node", "args": ["/path/to/tides/build/index.js"]}`,
			"node /path/to/tides/build/index.js"},
		"remote": {`{"url": "https://tides.dev/mcp"}`, ""},
		"bridge": {`{"command": "npx", "args": ["mcp-remote", "https://tides.dev/mcp"]}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := readme.Parse([]byte(config(c.server)))
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := installation(m); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
