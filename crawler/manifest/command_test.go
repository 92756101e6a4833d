package manifest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseLine(t *testing.T) {
	cases := map[string]Launch{
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
		"npx a-mcp --key <your key> > log.txt":            {Runner: "npx", RegistryType: "npm", Identifier: "a-mcp"},
		"npx -y \\\n  a-mcp":                              {Runner: "npx", RegistryType: "npm", Identifier: "a-mcp"},
		"npx a-mcp (needs Node 20)":                       {Runner: "npx", RegistryType: "npm", Identifier: "a-mcp"},
		"sh -c 'cd x && npx a-mcp'":                       {Runner: "npx", RegistryType: "npm", Identifier: "a-mcp"},
		"npx -y mcp-remote https://a.dev/mcp?a=1&b=2": {Runner: "npx", RegistryType: "npm",
			Identifier: "mcp-remote", URL: "https://a.dev/mcp?a=1&b=2"},
		"git clone x && cd x && npx a-mcp": {Runner: "npx", RegistryType: "npm", Identifier: "a-mcp"},
	}
	for line, want := range cases {
		got, ok := ParseLine(line)
		// The parts are in TestConfigure.
		got.Line, got.Runtime, got.Script, got.Args, got.Runs = "", nil, "", nil, false
		if d := cmp.Diff(want, got); !ok || d != "" {
			t.Errorf("%s: %v, (-want +got)\n%s", line, ok, d)
		}
	}
	for _, line := range []string{"cd x", "curl https://x.dev | sh", "npx -y @your-org/your-server", "# npx a", "npx <package>", "docker run <image>", "npx", "yarn global"} {
		if got, ok := ParseLine(line); ok {
			t.Errorf("%s: got %+v", line, got)
		}
	}
}

func TestPrerequisites(t *testing.T) {
	for line, want := range map[string]bool{"brew install uv": false, "brew install node@22 git": false, "brew install octo/tap/tides": true, "brew install uv tides-mcp": true} {
		if _, ok := ParseLine(line); ok != want {
			t.Errorf("%s: %v", line, ok)
		}
	}
}
