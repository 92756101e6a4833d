package detect

import (
	"fmt"
	"strings"
	"testing"

	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
)

// TestHidden checks that an argument with characters that people do not see is the reason
// why there is no command, whether the server.json or the README declares it.
func TestHidden(t *testing.T) {
	for root, at := range map[string]string{
		"/data": "", "/da\u200bta\U000E0041": "U+200B", "/da\u202eta": "U+202E",
		"/da\u0085ta": "U+0085", "/da\u2028ta": "U+2028", "/da\u001bta": "U+001B",
		"/da\U000E0041ta": "U+E0041",
	} {
		escaped := strings.ReplaceAll(root, "\x1b", `\u001b`)
		for name, files := range map[string]map[string]string{
			"server.json": {"server.json": fmt.Sprintf(`{"name": "io.github.octo/weather-mcp",
				"description": "Weather", "version": "1.4.0", "packages": [{"registryType": "npm",
				"identifier": "@octo/weather-mcp", "version": "1.4.0", "transport": {"type": "stdio"},
				"packageArguments": [{"type": "positional", "value": "--root=%s"}]}]}`, escaped)},
			"README": {"README.md": "# Weather MCP server\n" + clientConfig(fmt.Sprintf(
				`{"command": "npx", "args": ["-y", "@octo/weather-mcp", "--root=%s"]}`, escaped))},
			"line of the README": {"README.md": "# Weather MCP server\n\n```sh\nnpx -y " +
				"@octo/weather-mcp '--root=" + root + "'\n```\n"},
		} {
			t.Run(name+" "+at, func(t *testing.T) {
				files["package.json"] = strings.Replace(npmServer, "NAME", "weather-mcp", 1)
				r := Servers(repoOf("octo/weather-mcp", files), nil)
				if len(r.Servers) != 1 {
					t.Fatalf("%s: %s", r.State, r.Reason)
				}
				d := r.Servers[0].Detection
				s := &registry.Server{Name: d.Name, Packages: d.Packages}
				clients, why := install.Clients(s), install.Missing(s)
				if at == "" {
					if command, _ := install.For(s.Packages); !strings.HasSuffix(command, " --root=/data") ||
						len(clients) == 0 {
						t.Errorf("command %q, %d clients", command, len(clients))
					}
					return
				}
				if len(clients) > 0 {
					t.Errorf("%d clients, such as %s", len(clients), clients[0].Text)
				}
				want := at
				if name == "line of the README" && at == "U+001B" {
					want = "U+FFFD" // in the place of control characters that parsers reject
				}
				if !strings.Contains(why, "contains the character "+want) {
					t.Errorf("reason %q", why)
				}
			})
		}
	}
}
