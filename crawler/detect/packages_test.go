package detect

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

func TestImageDigest(t *testing.T) {
	digest := "sha256:" + strings.Repeat("ab", 32)
	d := of(t, map[string]string{"server.json": `{"name": "io.github.octo/tides", "version": "1.0.0", "packages": [
		{"registryType": "oci", "registryBaseUrl": "https://ghcr.io", "identifier": "octo/tides:1.0.0@` + digest + `"}]}`}, nil)
	var got []string
	for _, p := range d.Packages {
		got = append(got, p.Identifier+" "+p.Version+" "+p.RegistryBaseURL)
	}
	if diff := cmp.Diff([]string{"ghcr.io/octo/tides@" + digest + " 1.0.0 "}, got); diff != "" {
		t.Error(diff)
	}
}

func TestExact(t *testing.T) {
	for version, want := range map[string]string{
		"1.2.3": "1.2.3", "v1.2.3": "v1.2.3", "2026.11.1": "2026.11.1", "1.0.0-beta.1": "1.0.0-beta.1",
		"0.0.0": "", "0.0.0-development": "", "1.7.1.dev0": "", "1.8.0-dev": "", "1.0-SNAPSHOT": "",
		"^1.0.0": "", "1.x": "", "latest": "", "$VERSION": "",
	} {
		if got := exact(version); got != want {
			t.Errorf("exact(%q) = %q, want %q", version, got, want)
		}
	}
}

func TestFileArguments(t *testing.T) {
	l := &registry.Listing{Name: "io.github.octo/tides", Status: "active", Packages: []registry.Package{{
		RegistryType: "pypi", Identifier: "tides-mcp-py", PackageArguments: []registry.Argument{
			{Type: "positional", Value: "src/tides.py"}, {Type: "positional", Value: "stdio"}}}}}
	d := of(t, map[string]string{"pyproject.toml": tidesProject, "README.md": "# Tides MCP server\n", "src/tides.py": "x"}, l)
	for _, p := range d.Packages {
		if p.Identifier == "tides-mcp-py" && (len(p.PackageArguments) != 1 || p.PackageArguments[0].Value != "stdio") {
			t.Errorf("got %+v", p.PackageArguments)
		}
	}
}

// TestInstallOfOthers checks the commands of registries whose packages are not checked.
func TestInstallOfOthers(t *testing.T) {
	for command, want := range map[string]string{
		"gem install tides-mcp": "gem install tides-mcp", "gem install tides-mcp-extra": "", "gem install bundler": "",
		"gem install tides-mcp sea":                                   "gem install tides-mcp",
		"gem install tides-mcp --source https://packages.example":     "gem install tides-mcp",
		"brew install octo/tap/tides":                                 "brew install octo/tap/tides",
		"brew install octo/tap/tides --HEAD -s https://tides.sea.dev": "brew install octo/tap/tides",
		"brew install octo/”. Run “x":                                 "",
		"brew install sea/tap/tides":                                  "", "brew install ruby": "",
	} {
		d := of(t, map[string]string{
			"tides.gemspec": "Gem::Specification.new do |s|\n  s.name = \"tides-mcp\"\n  s.executables << \"tides\"\n" +
				"  s.add_dependency \"mcp\"\nend\n",
			"lib/tides.rb": "require \"mcp\"\nserver = MCP::Server.new(name: \"tides\")\n",
			"README.md":    "# Tides MCP server\n\n```sh\n" + command + "\n```\n",
		}, nil)
		if got := d.SourceInstall; got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

// TestSourceInstall checks which documented commands are named as the way to install a server
// without a package of a known registry.
func TestSourceInstall(t *testing.T) {
	for command, want := range map[string]bool{
		"uvx --from git+https://github.com/octo/tides-mcp tides-mcp":                true,
		"npx -y github:octo/tides-mcp":                                              true,
		"npx octo/tides-mcp":                                                        true,
		"go install github.com/octo/tides-mcp/cmd/tides@latest":                     true,
		"deno run -A jsr:@octo/tides":                                               true,
		"deno run -A https://raw.githubusercontent.com/octo/tides-mcp/main/main.ts": true,
		"go install -toolexec=/x github.com/octo/tides-mcp@latest":                  false,
		"go install github.com/sea/tides-mcp@latest":                                false,
		"composer require sea/tides-mcp":                                            false,
		"composer require octo/tides-mcp":                                           true,
		"npx github:sea/tides-mcp":                                                  false,
		"deno run -A jsr:@sea/waves":                                                false,
		"uvx --from git+https://github.com/sea/waves waves":                         false,
		"deno run -A main.ts":                                                       false,
	} {
		s := &registry.Snapshot{Repo: registry.Repository{Owner: "octo", Name: "tides-mcp"}, Texts: map[string]string{
			"README.md": "# Tides\n\nAn MCP server for tides.\n\n```sh\n" + command + "\n```\n",
			"deno.json": `{"name": "@octo/tides", "version": "0.4.0", "imports": {"mcp": "npm:@modelcontextprotocol/sdk@^1.2"}}`,
			"main.ts":   `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"; new McpServer({})`,
		}}
		got := Servers(s, nil)
		if len(got.Servers) != 1 {
			t.Fatalf("%s: %+v", command, got)
		}
		d := got.Servers[0].Detection
		if d.Version != "0.4.0" || (d.SourceInstall == command) != want {
			t.Errorf("%s: %q, version %q", command, d.SourceInstall, d.Version)
		}
	}
}

// TestShownLine checks that sentences about a command have no secrets of any form.
func TestShownLine(t *testing.T) {
	for line, want := range map[string]string{
		"uvx tides-mcp --zone north":                "uvx tides-mcp --zone north",
		"uvx tides-mcp --password sesame --zone x":  "uvx tides-mcp",
		"docker run -i -e TIDES_TOKEN=sesame o/t x": "docker run -i -e",
		"uv run tides.py --zone x --api-key=sesame": "uv run tides.py --zone x",
		"npx token-counter-mcp --tokenizer x":       "npx token-counter-mcp --tokenizer x",
		"npx github:o/tides --user wilma --zone x":  "npx github:o/tides --user YOUR_USER --zone x",
		"docker run --label owner=wilma o/t nas.local:9 --host=http://10.0.0.7": "docker run --label owner=YOUR_VALUE o/t " +
			"YOUR_VALUE_6 --host=YOUR_HOST",
	} {
		if got := shownLine(line); got != want {
			t.Errorf("%s: got %s", line, got)
		}
	}
}
