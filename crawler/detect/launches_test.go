package detect

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

const tidesProject = "[project]\nname = \"tides-mcp-py\"\nversion = \"1.0.0\"\ndependencies = [\"mcp\"]\n" +
	"[project.scripts]\ntides = \"tides:main\"\n"

const goProject = "module x\n\nrequire github.com/modelcontextprotocol/go-sdk v1.0.0\n"

// clientConfig is a fenced configuration of a client.
func clientConfig(server string) string {
	return "\n```json\n{\"mcpServers\": {\"tides\": " + server + "}}\n```\n"
}

// tidesServer is a server.json with an npm package.
func tidesServer(id string) string {
	return `{"name": "io.github.octo/tides", "description": "Tides", "version": "1.0.0", "packages": [
		{"registryType": "npm", "identifier": "` + id + `", "transport": {"type": "stdio"}}]}`
}

func TestPackageOrder(t *testing.T) {
	listing := func(registryType, id string) *registry.Listing {
		return &registry.Listing{Name: "io.github.octo/tides", Status: "active",
			Packages: []registry.Package{{RegistryType: registryType, Identifier: id}}}
	}
	type named struct{ Package, Doubt string }
	const title = "# Tides MCP server\n"
	for name, c := range map[string]struct {
		files   map[string]string
		listing *registry.Listing
		want    []named
	}{
		"README leads with a confirmed package": {
			files: map[string]string{"package.json": npm(`, "version": "1.0.0", "bin": "x"`), "pyproject.toml": tidesProject,
				"README.md": title + clientConfig(`{"command": "uvx", "args": ["tides-mcp-py"]}`) +
					clientConfig(`{"command": "npx", "args": ["tides-mcp"]}`)},
			want: []named{{"pypi:tides-mcp-py", ""}, {"npm:tides-mcp", ""}},
		},
		"README leads with an unconfirmed package": {
			files: map[string]string{"package.json": npm(`, "version": "1.0.0", "bin": "x"`),
				"README.md": title + clientConfig(`{"command": "docker", "args": ["run", "-i", "ghcr.io/octo/tides-mcp"]}`) +
					clientConfig(`{"command": "npx", "args": ["tides-mcp"]}`)},
			want: []named{{"npm:tides-mcp", ""}, {"oci:ghcr.io/octo/tides-mcp", ""}},
		},
		"an image that is asked for its options": {
			files: map[string]string{"pyproject.toml": tidesProject, "README.md": title +
				clientConfig(`{"command": "uvx", "args": ["tides-mcp-py"]}`) +
				"\n```sh\ndocker run --rm -t ghcr.io/octo/tides-mcp:1.0.0 --help\n```\n"},
			want: []named{{"pypi:tides-mcp-py", ""}},
		},
		"named only by the registry": {
			files:   map[string]string{"package.json": npm(`, "version": "1.0.0", "bin": "x"`), "README.md": title},
			listing: listing("npm", "tides-of-others"),
			want:    []named{{"npm:tides-mcp", registry.DoubtManifest}, {"npm:tides-of-others", registry.DoubtUnnamed}},
		},
		"named by the registry and in the text": {
			files:   map[string]string{"go.mod": "module x\n", "README.md": title + "Run `npx @octo/tides`.\n"},
			listing: listing("npm", "@octo/tides"),
			want:    []named{{"npm:@octo/tides", ""}},
		},
		"npm package of a Python repository": {
			files: map[string]string{"pyproject.toml": tidesProject,
				"README.md": title + clientConfig(`{"command": "npx", "args": ["tides-mcp"]}`)},
			want: []named{{"npm:tides-mcp", registry.DoubtEcosystem}, {"pypi:tides-mcp-py", registry.DoubtManifest}},
		},
		"original in another language": {
			files: map[string]string{"go.mod": goProject, "main.go": goServer, "README.md": title +
				"A rewrite of [`mcp-tides-for-sea`](https://github.com/sea/mcp-tides-for-sea).\n" +
				"```sh\nuvx mcp-tides-for-sea@latest\n```\n"},
			want: nil,
		},
		"releases of a Go program": {
			files: map[string]string{"go.mod": goProject, "main.go": goServer, "README.md": title +
				clientConfig(`{"command": "npx", "args": ["@sea/tides-mcp-server"]}`)},
			want: []named{{"npm:@sea/tides-mcp-server", ""}},
		},
		"siblings of the owner": {
			files: map[string]string{"package.json": npm(`, "version": "1.0.0", "bin": "x"`), "README.md": title +
				clientConfig(`{"command": "npx", "args": ["tides-mcp"]}, "w": {"command": "npx", "args": ["@octo/waves-mcp"]}`) +
				"\n```sh\nnpx @octo/tides-skills\n```\n"},
			want: []named{{"npm:tides-mcp", ""}},
		},
		"registry on the reader's machine": {
			files: map[string]string{"go.mod": "module x\n", "README.md": title +
				clientConfig(`{"command": "docker", "args": ["run", "-i", "localhost:5000/tides-mcp"]}`) +
				clientConfig(`{"command": "docker", "args": ["run", "-i", "registry:5000/octo/tides-mcp"]}`) +
				clientConfig(`{"command": "docker", "args": ["run", "-i", "octo/tides-mcp"]}`)},
			want: []named{{"oci:octo/tides-mcp", registry.DoubtImage}},
		},
		"fetched from its repository, named by a manifest": {
			files: map[string]string{"pyproject.toml": tidesProject, "README.md": title +
				clientConfig(`{"command": "uvx", "args": ["--from", "git+https://github.com/octo/tides-mcp", "tides"]}`)},
			want: []named{{"pypi:tides-mcp-py", registry.DoubtManifest}},
		},
		"an image of another owner": {
			files: map[string]string{"go.mod": "module x\n", "README.md": title +
				clientConfig(`{"command": "docker", "args": ["run", "-i", "ghcr.io/sea/tides-mcp"]}`) +
				clientConfig(`{"command": "docker", "args": ["run", "-i", "ghcr.io/octo/tides-mcp"]}`)},
			want: []named{{"oci:ghcr.io/sea/tides-mcp", registry.DoubtForeign}, {"oci:ghcr.io/octo/tides-mcp", ""}},
		},
		"images of others in other registries": {
			files: map[string]string{"go.mod": "module x\n", "README.md": title +
				"Based on [tides](https://github.com/sea/tides).\n" +
				clientConfig(`{"command": "docker", "args": ["run", "-i", "registry.gitlab.com/sea/tides-mcp"]}`) +
				clientConfig(`{"command": "docker", "args": ["run", "-i", "docker.io/sea/tides"]}`) +
				clientConfig(`{"command": "docker", "args": ["run", "-i", "quay.io/waves/tides-mcp"]}`)},
			want: []named{{"oci:registry.gitlab.com/sea/tides-mcp", registry.DoubtForeign},
				{"oci:docker.io/sea/tides", registry.DoubtForeign}, {"oci:quay.io/waves/tides-mcp", ""}},
		},
		"named by the registry, part of a word in the text": {
			files: map[string]string{"package.json": npm(`, "version": "1.0.0", "bin": "x"`),
				"README.md": title + "Based on sea-tides-of-others and @octo/tides-of-others.\n"},
			listing: listing("npm", "tides-of-others"),
			want:    []named{{"npm:tides-mcp", registry.DoubtManifest}, {"npm:tides-of-others", registry.DoubtUnnamed}},
		},
		"named by the registry and by a link": {
			files: map[string]string{"go.mod": "module x\n", "README.md": title +
				"See https://pypi.example/project/octo.tides/\n"},
			listing: listing("pypi", "octo-tides"),
			want:    []named{{"pypi:octo-tides", ""}},
		},
		"NuGet package of an npm repository": {
			files: map[string]string{"package.json": npm(`, "version": "1.0.0", "bin": "x"`),
				"README.md": title + "Also `dnx Octo.Tides.Mcp`.\n"},
			listing: listing("nuget", "Octo.Tides.Mcp"),
			want:    []named{{"nuget:Octo.Tides.Mcp", registry.DoubtEcosystem}, {"npm:tides-mcp", registry.DoubtManifest}},
		},
		"crate of a Go repository": {
			files:   map[string]string{"go.mod": "module x\n", "README.md": title + "Also `cargo install tides-mcp`.\n"},
			listing: listing("cargo", "tides-mcp"),
			want:    []named{{"cargo:tides-mcp", registry.DoubtEcosystem}},
		},
		"server.json and README agree on another name": {
			files: map[string]string{"package.json": npm(`, "version": "1.0.0", "bin": "x"`),
				"server.json": tidesServer("@octo/tides"),
				"README.md": title + clientConfig(`{"command": "npx", "args": ["@octo/tides"]}`) +
					"\n```sh\ncd tides-mcp\nnpm install\n```\n"},
			want: []named{{"npm:@octo/tides", ""}, {"npm:tides-mcp", registry.DoubtManifest}},
		},
		"the manifest of the workspace is private": {
			files: map[string]string{"package.json": npm(`, "private": true, "workspaces": ["packages/*"]`),
				"packages/a/package.json": npm(`, "version": "1.0.0", "bin": "x"`),
				"README.md":               title + clientConfig(`{"command": "npx", "args": ["-y", "tides-mcp"]}`)},
			want: []named{{"npm:tides-mcp", ""}},
		},
		"the manifest is private": {
			files: map[string]string{"package.json": npm(`, "version": "1.0.0", "bin": "x", "private": true`),
				"README.md": title + clientConfig(`{"command": "npx", "args": ["-y", "tides-mcp"]}`)},
			want: []named{{"npm:tides-mcp", registry.DoubtManifest}},
		},
		"only a manifest names it": {
			files: map[string]string{"package.json": npm(`, "version": "1.0.0", "bin": "x"`),
				"README.md": title + "Clone this, then start `tides-mcp`.\n"},
			want: []named{{"npm:tides-mcp", registry.DoubtManifest}},
		},
		"the README installs it": {
			files: map[string]string{"package.json": npm(`, "version": "1.0.0", "bin": "x"`),
				"README.md": title + "```sh\nnpm i -g tides-mcp\n```\n"},
			want: []named{{"npm:tides-mcp", ""}},
		},
		"server.json has another name than README and manifest": {
			files: map[string]string{"package.json": npm(`, "version": "1.0.0", "bin": "x"`),
				"server.json": tidesServer("@octo/tides"),
				"README.md":   title + clientConfig(`{"command": "npx", "args": ["tides-mcp"]}`)},
			want: []named{{"npm:tides-mcp", ""}, {"npm:@octo/tides", ""}},
		},
		"README has both names": {
			files: map[string]string{"package.json": npm(`, "version": "1.0.0", "bin": "x"`),
				"server.json": tidesServer("@octo/tides"),
				"README.md": title + clientConfig(`{"command": "npx", "args": ["@octo/tides"]}`) +
					"\nFor old hosts:\n\n```sh\nnpm install -g tides-mcp\n```\n"},
			want: []named{{"npm:@octo/tides", ""}, {"npm:tides-mcp", ""}},
		},
		"npm package of a Go repository": {
			files: map[string]string{"go.mod": "module x\nrequire github.com/modelcontextprotocol/go-sdk v1.0.0\n",
				"main.go": "", "README.md": title + clientConfig(`{"command": "npx", "args": ["tides-mcp"]}`)},
			want: []named{{"npm:tides-mcp", ""}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []named
			for _, p := range of(t, c.files, c.listing).Packages {
				got = append(got, named{p.RegistryType + ":" + p.Identifier, p.Doubt})
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

// TestImagesOfOrigins checks that a fork does not offer the image of its origin.
func TestImagesOfOrigins(t *testing.T) {
	for parent, want := range map[string]string{"waves/tides-mcp": registry.DoubtForeign, "sea/tides-mcp": ""} {
		s := &registry.Snapshot{
			Repo: registry.Repository{Owner: "octo", Name: "tides-mcp", Fork: true, Parent: parent},
			Texts: map[string]string{"go.mod": goProject, "main.go": goServer, "README.md": "# Tides MCP server\n" +
				clientConfig(`{"command": "docker", "args": ["run", "-i", "docker.io/waves/tides-mcp"]}`)},
		}
		p := Servers(s, nil).Servers[0].Detection.Packages
		if len(p) != 1 || p[0].Doubt != want {
			t.Errorf("%s: %+v", parent, p)
		}
	}
}

func TestConfigurations(t *testing.T) {
	const title = "# Tides MCP server\n"
	word := func(text string) registry.Argument { return registry.Argument{Type: "positional", Value: text} }
	level := []registry.Variable{{Name: "LEVEL", Value: "info"}}
	for name, c := range map[string]struct {
		readme string
		want   []registry.Configuration
	}{
		"of the package": {
			clientConfig(`{"command": "uvx", "args": ["tides-mcp-py", "stdio"], "env": {"LEVEL": "info"}}`),
			[]registry.Configuration{{Key: "tides", Command: "uvx", Args: []registry.Argument{word("stdio")}, Env: level}},
		},
		"over HTTP, too": {
			clientConfig(`{"command": "uvx", "args": ["tides-mcp-py"]}`) +
				clientConfig(`{"command": "uvx", "args": ["tides-mcp-py", "--transport", "http"]}`) +
				clientConfig(`{"command": "uvx", "args": ["tides-mcp-py", "--http"]}`),
			[]registry.Configuration{{Key: "tides", Command: "uvx"},
				{Key: "tides", Command: "uvx", Args: []registry.Argument{word("--transport"), word("http")}, Special: true},
				{Key: "tides", Command: "uvx", Args: []registry.Argument{word("--http")}, Special: true}},
		},
		"one-off commands": {
			"\n```sh\nuvx tides-mcp-py --init-config\nuvx tides-mcp-py --config ./tides.yaml\n```\n",
			[]registry.Configuration{{Command: "uvx", Args: []registry.Argument{word("--config"), word("./tides.yaml")}}},
		},
		"of another package": {clientConfig(`{"command": "uvx", "args": ["other", "stdio"]}`), nil},
		"of the installed program": {
			clientConfig(`{"command": "tides", "args": ["stdio"], "env": {"LEVEL": "info"}}`),
			[]registry.Configuration{{Key: "tides", Command: "uvx", Script: "tides",
				Args: []registry.Argument{word("stdio")}, Env: level}},
		},
		"of the repository": {
			clientConfig(`{"command": "uvx", "args": ["--from", "git+https://github.com/octo/tides-mcp@main", "tides",
				"--read-only"], "env": {"LEVEL": "info"}}`),
			[]registry.Configuration{{Key: "tides", Command: "uvx", Script: "tides",
				Args: []registry.Argument{word("--read-only")}, Env: level}},
		},
		"command that adds it to a client": {
			"\n```sh\nclaude mcp add tides -e LEVEL=info -- uvx tides-mcp-py stdio\n```\n",
			[]registry.Configuration{{Key: "tides", Command: "uvx", Args: []registry.Argument{word("stdio")}, Env: level}},
		},
		"command without the variables of a configuration": {
			"\n```sh\nclaude mcp add tides -- uvx tides-mcp-py --zone x\n```\n" +
				clientConfig(`{"command": "uvx", "args": ["tides-mcp-py"], "env": {"LEVEL": "info"}, "cwd": "/srv"}`),
			[]registry.Configuration{{Key: "tides", Command: "uvx", Env: level, Beside: []string{"cwd"}},
				{Key: "tides", Command: "uvx", Args: []registry.Argument{word("--zone"), word("x")}, Special: true}},
		},
		"shell lines": {
			"\n```sh\nuvx tides-mcp-py --help\nuvx tides-mcp-py --port 80\nuvx tides-mcp-py stdio\n```\n",
			[]registry.Configuration{{Command: "uvx", Args: []registry.Argument{word("stdio")}}},
		},
		"special case": {
			"\n## Self-hosted\n" + clientConfig(`{"command": "uvx", "args": ["tides-mcp-py"]}`) +
				"\n## Usage\n" + clientConfig(`{"command": "uvx", "args": ["tides-mcp-py", "stdio"]}`),
			[]registry.Configuration{{Key: "tides", Command: "uvx", Args: []registry.Argument{word("stdio")}},
				{Key: "tides", Command: "uvx", Special: true}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := of(t, map[string]string{"pyproject.toml": tidesProject, "README.md": title + c.readme}, nil)
			if len(d.Packages) == 0 {
				t.Fatal("no packages")
			}
			i := 0
			for i < len(d.Packages)-1 && d.Packages[i].Identifier != "tides-mcp-py" {
				i++
			}
			if diff := cmp.Diff(c.want, d.Packages[i].Configurations); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if d.Packages[i].Script != "tides" {
				t.Errorf("script %q", d.Packages[i].Script)
			}
		})
	}
}

func TestUsualRunner(t *testing.T) {
	const also = "\n```sh\nnpx tides-mcp --zone north\n```\n"
	add := "\n```sh\nclaude mcp add tides -- bunx -y tides-mcp stdio\n```\n"
	for name, c := range map[string]struct{ readme, want string }{
		"only another":        {add, "bunx"},
		"also the usual":      {add + also, "npx"},
		"of another package":  {add + strings.ReplaceAll(also, "tides-mcp", "tides-cli"), "bunx"},
		"installed with npm":  {add + strings.ReplaceAll(also, "npx", "npm install"), "bunx"},
		"option of the other": {strings.ReplaceAll(add, "-y", "--bun") + also, "bunx"},
		"in a configuration":  {clientConfig(`{"command": "bunx", "args": ["tides-mcp", "stdio"]}`) + also, "npx"},
	} {
		d := of(t, map[string]string{"package.json": npm(`, "version": "1.0.0", "bin": "x"`),
			"README.md": "# Tides MCP server\n" + c.readme}, nil)
		if len(d.Packages) != 1 || len(d.Packages[0].Configurations) != 1 {
			t.Fatalf("%s: %+v", name, d.Packages)
		}
		if conf := d.Packages[0].Configurations[0]; conf.Command != c.want || conf.Args[0].Value != "stdio" {
			t.Errorf("%s: %+v, want %s", name, conf, c.want)
		}
	}
}

func TestVariablesOfWindows(t *testing.T) {
	const plain = `{"command": "npx", "args": ["tides-mcp"], "env": {"TIDES_KEY": "your-key"}}`
	windows := strings.NewReplacer(`npx", "args": [`, `cmd", "args": ["/c", "npx", `,
		`"TIDES_KEY`, `"SYSTEMDRIVE": "C:", "TIDES_KEY`).Replace(plain)
	for want, readme := range map[int]string{
		1: "# Tides MCP server\n" + clientConfig(windows) + clientConfig(plain),
		2: "# Tides MCP server\n" + clientConfig(windows),
	} {
		d := of(t, map[string]string{"package.json": npm(`, "version": "1.0.0", "bin": "x"`), "README.md": readme}, nil)
		if env := d.Packages[0].Configurations[0].Env; len(env) != want {
			t.Errorf("%d: %+v", want, env)
		}
		if len(d.Variables) != 1 {
			t.Errorf("%+v", d.Variables)
		}
	}
}

func TestRequiredByConfigurations(t *testing.T) {
	const title = "# Tides MCP server\n"
	config := func(env string) string {
		return clientConfig(`{"command": "npx", "args": ["tides-mcp"], "env": {` + env + `}}`)
	}
	for name, c := range map[string]struct {
		readme string
		want   bool
	}{
		"placeholder in all":         {config(`"TIDES_KEY": "your-key"`) + config(`"TIDES_KEY": "<key>"`), true},
		"absent from one":            {config(`"TIDES_KEY": "your-key"`) + config(``), false},
		"fixed in one":               {config(`"TIDES_SITE": "your-site"`) + config(`"TIDES_SITE": "north"`), false},
		"stated optional":            {config(`"TIDES_KEY": "your-key"`) + "\n- `TIDES_KEY`: Optional key\n", false},
		"stated required":            {config(``) + "\n- `TIDES_KEY`: (required) the key\n", true},
		"below a required heading":   {"\n### Required variables\n\n- `TIDES_KEY`: the key\n", true},
		"below a special heading":    {"\n### Enterprise\n\n- `TIDES_KEY`: the key, required\n", false},
		"of a special configuration": {config(``) + "\n## Self-hosted\n" + config(`"TIDES_URL": "<url>"`), false},
		"of another runner": {
			config(``) + clientConfig(`{"command": "docker", "args": ["run", "-e", "TIDES_KEY", "ghcr.io/octo/tides-mcp"], "env": {"TIDES_KEY": "<key>"}}`),
			false,
		},
		"of a bridge": {
			config(``) + clientConfig(`{"command": "npx", "args": ["mcp-remote", "https://tides.dev/mcp"], "env": {"TIDES_KEY": "<key>"}}`),
			false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := of(t, map[string]string{"package.json": npm(`, "version": "1.0.0", "bin": "x"`), "README.md": title + c.readme}, nil)
			for _, v := range d.Variables {
				if v.IsRequired != c.want {
					t.Errorf("%s: required is %v", v.Name, v.IsRequired)
				}
			}
			if c.want && len(d.Variables) == 0 {
				t.Error("no variable found")
			}
		})
	}
}

func TestTransportOfImages(t *testing.T) {
	const title = "# Tides MCP server\n\nRun `docker pull ghcr.io/octo/tides-mcp`.\n"
	for name, c := range map[string]struct{ readme, dockerfile, want string }{
		"plain":       {title, `ENTRYPOINT ["node", "x.js"]`, registry.TransportStdio},
		"web server":  {title, `CMD ["uvicorn", "tides:app"]`, registry.TransportHTTP},
		"HTTP option": {title, `CMD ["tides", "--transport", "streamable-http"]`, registry.TransportHTTP},
		"SSE option":  {title, `CMD ["tides", "--transport=sse"]`, registry.TransportSSE},
		"for a client": {title +
			clientConfig(`{"command": "docker", "args": ["run", "-i", "ghcr.io/octo/tides-mcp", "stdio"]}`),
			`CMD ["uvicorn", "tides:app"]`, registry.TransportStdio},
	} {
		t.Run(name, func(t *testing.T) {
			d := of(t, map[string]string{"package.json": npm(""), "Dockerfile": "FROM x\n" + c.dockerfile,
				"README.md": c.readme}, nil)
			for _, p := range d.Packages {
				if p.RegistryType == "oci" && p.Transport.Type == c.want {
					return
				}
			}
			t.Errorf("want %s: %+v", c.want, d.Packages)
		})
	}
}

func TestRequiredByServerJSON(t *testing.T) {
	const title = "# Tides MCP server\n"
	declared := func(required string) string {
		return `{"name": "io.github.octo/tides", "description": "Tides", "version": "1.0.0", "packages": [{
			"registryType": "npm", "identifier": "tides-mcp", "transport": {"type": "stdio"},
			"environmentVariables": [{"name": "TIDES_KEY", "isRequired": ` + required + `}]}]}`
	}
	config := func(env string) string {
		return clientConfig(`{"command": "npx", "args": ["tides-mcp"], "env": {` + env + `}}`)
	}
	for name, c := range map[string]struct {
		required, readme string
		want             bool
	}{
		"alone":                      {"true", "", true},
		"as in the README":           {"true", config(`"TIDES_KEY": "<key>"`), true},
		"a configuration without it": {"true", config(`"TIDES_KEY": "<key>"`) + config(``), false},
		"in one mode":                {"true", config(``) + "- `TIDES_KEY`: required only in HTTP mode\n", false},
		"optional, but always set":   {"false", config(`"TIDES_KEY": "<key>"`), false},
	} {
		t.Run(name, func(t *testing.T) {
			d := of(t, map[string]string{"package.json": npm(""), "server.json": declared(c.required),
				"README.md": title + c.readme}, nil)
			if len(d.Variables) != 1 || d.Variables[0].IsRequired != c.want {
				t.Errorf("want %v: %+v", c.want, d.Variables)
			}
			if env := d.Packages[0].EnvironmentVariables; len(env) != 1 || env[0].IsRequired != c.want {
				t.Errorf("want %v of the package: %+v", c.want, env)
			}
		})
	}
}

func TestRequiredWithExample(t *testing.T) {
	d := of(t, map[string]string{"package.json": npm(""), "server.json": `{
		"name": "io.github.octo/tides", "description": "Tides", "version": "1.0.0", "packages": [{
			"registryType": "npm", "identifier": "tides-mcp", "transport": {"type": "stdio"},
			"environmentVariables": [{"name": "TIDES_SITE", "isRequired": true},
				{"name": "TIDES_ZONE", "isRequired": true, "default": "north"}]}]}`,
		"README.md": "# Tides MCP server\n" + clientConfig(`{"command": "npx", "args": ["tides-mcp"],
			"env": {"TIDES_SITE": "https://localhost:{port}", "TIDES_ZONE": "south"}}`)}, nil)
	got := map[string]bool{}
	for _, v := range d.Packages[0].EnvironmentVariables {
		got[v.Name] = v.IsRequired
	}
	if diff := cmp.Diff(map[string]bool{"TIDES_SITE": true, "TIDES_ZONE": true}, got); diff != "" {
		t.Error(diff)
	}
}

func TestRequiredByText(t *testing.T) {
	const declared = `{"name": "io.github.octo/tides", "description": "Tides", "version": "1.0.0", "packages": [{
		"registryType": "npm", "identifier": "tides-mcp", "transport": {"type": "stdio"},
		"environmentVariables": [{"name": "TIDES_SITE", "isRequired": false}]}]}`
	const smithery = "startCommand:\n  type: stdio\n  configSchema:\n    type: object\n    required: [bucket]\n" +
		"    properties:\n      bucket:\n        type: string\n" +
		"  commandFunction: |\n    (config) => ({command: 'npx', env: {TIDES_BUCKET: config.bucket}})\n"
	readme := "# Tides MCP server\n" + clientConfig(`{"command": "npx", "args": ["tides-mcp"], "env": {"TIDES_SITE": "<site>"}}`)
	for name, c := range map[string]struct {
		files map[string]string
		want  map[string]bool
	}{
		"stated, but not in server.json": {
			map[string]string{"server.json": declared, "README.md": readme + "\n- `TIDES_SITE` (required): the site\n"},
			map[string]bool{"TIDES_SITE": true},
		},
		"not stated": {map[string]string{"server.json": declared, "README.md": readme}, map[string]bool{"TIDES_SITE": false}},
		"another way to start it": {map[string]string{"smithery.yaml": smithery, "README.md": readme},
			map[string]bool{"TIDES_SITE": true, "TIDES_BUCKET": false}},
		"the only way to start it": {map[string]string{"smithery.yaml": smithery, "README.md": "# Tides MCP server\n"},
			map[string]bool{"TIDES_BUCKET": true}},
	} {
		t.Run(name, func(t *testing.T) {
			c.files["package.json"] = npm("")
			got := map[string]bool{}
			for _, v := range of(t, c.files, nil).Variables {
				got[v.Name] = v.IsRequired
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestImagesBuiltAndPulled(t *testing.T) {
	for lines, want := range map[string]int{
		"docker build -t octo/tides-mcp .":                                                  0,
		"docker pull octo/tides-mcp:latest\ndocker buildx build -t octo/tides-mcp:latest .": 1,
	} {
		d := of(t, map[string]string{"pyproject.toml": "[project]\nname = \"tides\"\ndependencies = [\"mcp\"]\n",
			"README.md": "# Tides MCP server\n\n```sh\n" + lines + "\n```\n" +
				clientConfig(`{"command": "docker", "args": ["run", "-i", "--rm", "octo/tides-mcp:latest"]}`)}, nil)
		images := slices.DeleteFunc(d.Packages, func(p registry.Package) bool { return p.RegistryType != "oci" })
		if len(images) != want {
			t.Errorf("%q: %d images, want %d", lines, len(images), want)
		}
	}
}

// TestConfigurationsInRootReadme reads the configuration of a member in the README of the
// repository.
func TestConfigurationsInRootReadme(t *testing.T) {
	const sdk = `"bin": "x", "dependencies": {"@modelcontextprotocol/sdk": "^1.0.0"}}`
	snap := repoOf("octo/mcp", map[string]string{
		"package.json": `{"private": true, "workspaces": ["packages/*"]}`,
		"README.md": "# Octo MCP servers\n" + clientConfig(
			`{"command": "npx", "args": ["@octo/tides-mcp"], "env": {"TIDES_TOKEN": "your_token"}}`),
		"packages/tides/package.json": `{"name": "@octo/tides-mcp", ` + sdk,
		"packages/tides/README.md":    "# Tides MCP server\n\n```bash\nnpx @octo/tides-mcp -t abcd123\n```\n",
		"packages/winds/package.json": `{"name": "@octo/winds-mcp", ` + sdk,
		"packages/winds/README.md":    "# Winds MCP server\n\n```bash\nnpx @octo/winds-mcp\n```\n",
	})
	d := Servers(snap, nil).Servers[0].Detection
	conf := d.Packages[0].Configurations
	if len(conf) != 1 || len(conf[0].Args) != 0 || len(conf[0].Env) != 1 || len(d.Variables) != 1 ||
		!d.Variables[0].IsRequired {
		t.Errorf("configurations %+v, variables %+v", conf, d.Variables)
	}
}

func TestRequiredByAlternatives(t *testing.T) {
	const server = `{"name": "io.github.octo/tides", "description": "Tides", "version": "1.0.0", "packages": [{
		"registryType": "npm", "identifier": "tides-mcp", "transport": {"type": "stdio"},
		"environmentVariables": [{"name": "TIDES_ZONE"}]}]}`
	config := func(env string) string {
		return clientConfig(`{"command": "npx", "args": ["tides-mcp"], "env": {` + env + `}}`)
	}
	local := func(env string) string {
		return clientConfig(`{"command": "node", "args": ["/path/to/x.js"], "env": {` + env + `}}`)
	}
	const key, token, user = `"TIDES_KEY": "<key>"`, `"TIDES_TOKEN": "<token>"`, `"TIDES_USER": "<user>"`
	for name, c := range map[string]struct {
		readme string
		want   []string
	}{
		"none in common":  {config(key) + config(token+","+user), nil},
		"from source":     {local(token+","+user) + local(key), nil},
		"one in common":   {config(key) + config(key+","+token), []string{"TIDES_KEY"}},
		"one without any": {config(key) + config(``), nil},
		"the text decides": {config(key+","+token) + config(key) + "\n- `TIDES_TOKEN`: (required) it\n",
			[]string{"TIDES_KEY", "TIDES_TOKEN"}},
		"default in the text": {config(key+","+user) + "\n| Variable | Description | Default |\n|---|---|---|\n" +
			"| `TIDES_KEY` | Key | - |\n| `TIDES_USER` | User | guest |\n", []string{"TIDES_KEY"}},
		"optional, none in common": {config(key) + config(token) + "\n- `TIDES_KEY`: Optional key\n", nil},
	} {
		for declared, files := range map[string]map[string]string{
			"":              {"package.json": npm(`, "version": "1.0.0", "bin": "x"`)},
			", server.json": {"package.json": npm(""), "server.json": server},
		} {
			t.Run(name+declared, func(t *testing.T) {
				files["README.md"] = "# Tides MCP server\n" + c.readme
				d := of(t, files, nil)
				for of, list := range map[string][]registry.Variable{"server": d.Variables,
					"package": d.Packages[0].EnvironmentVariables} {
					var got []string
					for _, v := range required(list) {
						got = append(got, v.Name)
					}
					slices.Sort(got)
					if d := cmp.Diff(c.want, got); d != "" {
						t.Errorf("of the %s (-want +got)\n%s", of, d)
					}
				}
			})
		}
	}
}

// TestRequiredByPackages checks that variables left open by the configurations of one package are
// not required of another.
func TestRequiredByPackages(t *testing.T) {
	const image = "ghcr.io/octo/tides-mcp"
	npx := func(env string) string {
		return clientConfig(`{"command": "npx", "args": ["tides-mcp"], "env": {` + env + `}}`)
	}
	docker := func(env string) string {
		return clientConfig(`{"command": "docker", "args": ["run", "-i", "` + image + `"], "env": {` + env + `}}`)
	}
	const key, zone = `"TIDES_KEY": "<key>"`, `"TIDES_ZONE": "<zone>"`
	const server = `{"name": "io.github.octo/tides", "description": "Tides", "version": "1.0.0", "packages": [
		{"registryType": "npm", "identifier": "tides-mcp", "transport": {"type": "stdio"},
			"environmentVariables": [{"name": "TIDES_KEY", "isRequired": true}]},
		{"registryType": "oci", "identifier": "` + image + `:1.0.0", "transport": {"type": "stdio"},
			"environmentVariables": [{"name": "TIDES_KEY", "isRequired": true}, {"name": "TIDES_ZONE", "isRequired": true}]}]}`
	type result struct{ Server, NPM, Image []string }
	for name, c := range map[string]struct {
		readme string
		server string
		want   result
	}{
		"of the image": {npx(key) + docker(key+","+zone), "",
			result{[]string{"TIDES_KEY"}, []string{"TIDES_KEY"}, []string{"TIDES_KEY", "TIDES_ZONE"}}},
		"of the npm package": {npx(key+","+zone) + docker(key), "",
			result{[]string{"TIDES_KEY", "TIDES_ZONE"}, []string{"TIDES_KEY", "TIDES_ZONE"}, []string{"TIDES_KEY"}}},
		"as the text says": {npx(key) + docker(``) + "\n- `TIDES_ZONE`: (required) the zone\n", "",
			result{[]string{"TIDES_KEY", "TIDES_ZONE"}, []string{"TIDES_KEY", "TIDES_ZONE"}, []string{"TIDES_ZONE"}}},
		"an image without a configuration": {npx(key) + "\nRun `docker pull " + image + "`.\n", "",
			result{[]string{"TIDES_KEY"}, []string{"TIDES_KEY"}, []string{"TIDES_KEY"}}},
		"server.json": {npx(key), server,
			result{[]string{"TIDES_KEY"}, []string{"TIDES_KEY"}, []string{"TIDES_KEY", "TIDES_ZONE"}}},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"package.json": npm(`, "version": "1.0.0", "bin": "x"`),
				"README.md": "# Tides MCP server\n" + c.readme}
			if c.server != "" {
				files["server.json"] = c.server
			}
			d := of(t, files, nil)
			names := func(list []registry.Variable) (out []string) {
				for _, v := range required(list) {
					out = append(out, v.Name)
				}
				slices.Sort(out)
				return out
			}
			got := result{Server: names(d.Variables)}
			for _, p := range d.Packages {
				if p.RegistryType == "oci" {
					got.Image = names(p.EnvironmentVariables)
				} else {
					got.NPM = names(p.EnvironmentVariables)
				}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

// TestPackagesUnreadReadme checks that packages are not in doubt because of an unread README.
func TestPackagesUnreadReadme(t *testing.T) {
	l := &registry.Listing{Name: "io.github.octo/tides", Status: "active",
		Packages: []registry.Package{{RegistryType: "npm", Identifier: "tides-of-others"}}}
	s := repoOf("octo/tides-mcp", map[string]string{"package.json": npm(""), "README.md": ""})
	r := Servers(s, []registry.Listing{*l})
	if len(r.Servers) != 1 || len(r.Servers[0].Detection.Packages) == 0 {
		t.Fatalf("%+v", r)
	}
	for _, p := range r.Servers[0].Detection.Packages {
		if p.Doubt != "" {
			t.Errorf("%s: %s", p.Identifier, p.Doubt)
		}
	}
}

// TestSuperseded checks that a deprecated server is not started like its successor.
func TestSuperseded(t *testing.T) {
	const notice = "# Tides MCP server\n\n**This server is deprecated.** Use [Seas](https://mcp.seas.dev/mcp) instead.\n"
	successor := clientConfig(`{"command": "npx", "args": ["@octo/seas-mcp"], "env": {"SEAS_TOKEN": "your-token"}}`) +
		clientConfig(`{"url": "https://mcp.seas.dev/mcp"}`)
	own := clientConfig(`{"command": "npx", "args": ["tides-mcp"], "env": {"TIDES_TOKEN": "your-token"}}`) +
		clientConfig(`{"url": "https://tides.octo.dev/mcp"}`)
	type connection struct{ Packages, Remotes, Variables []string }
	for name, c := range map[string]struct {
		files map[string]string
		want  connection
	}{
		"its own and the successor's": {
			map[string]string{"package.json": npm(`, "version": "1.0.0", "bin": "x"`), "README.md": notice + successor + own},
			connection{[]string{"tides-mcp"}, []string{"https://tides.octo.dev/mcp"}, []string{"TIDES_TOKEN"}},
		},
		"only the successor's": {
			map[string]string{"go.mod": "module x\nrequire github.com/modelcontextprotocol/go-sdk v1.0.0\n", "main.go": "",
				"README.md": notice + successor},
			connection{},
		},
		"its own image": {
			map[string]string{"go.mod": "module x\nrequire github.com/modelcontextprotocol/go-sdk v1.0.0\n", "main.go": "",
				"README.md": notice + clientConfig(`{"command": "docker", "args": ["run", "-i", "ghcr.io/octo/tides-mcp"]}`) +
					clientConfig(`{"command": "docker", "args": ["run", "-i", "ghcr.io/octo/seas-mcp"]}`)},
			connection{Packages: []string{"ghcr.io/octo/tides-mcp"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := of(t, c.files, nil)
			var got connection
			for _, p := range d.Packages {
				got.Packages = append(got.Packages, p.Identifier)
			}
			for _, r := range d.Remotes {
				got.Remotes = append(got.Remotes, r.URL)
			}
			for _, v := range d.Variables {
				got.Variables = append(got.Variables, v.Name)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

// TestServices checks that images that a README runs next to the server are not the server.
func TestServices(t *testing.T) {
	for line, want := range map[string]string{
		"docker run -d --name tides -p 1:1 tides/tides-bundle:latest": "",
		"docker run -i --rm tides/tides-bundle":                       "tides/tides-bundle",
		"docker run --rm -it tides/tides-bundle":                      "tides/tides-bundle",
		"docker run -d -p 1:1 sea/tides-mcp":                          "sea/tides-mcp",
		"docker run -d -p 1:1 octo/tides-db":                          "",
	} {
		s := repoOf("octo/tides-mcp", map[string]string{
			"package.json": strings.Replace(npmServer, "NAME", "tides-mcp", 1),
			"README.md":    "# Tides MCP Server\n\n```sh\n" + line + "\n```\n"})
		var got string
		for _, p := range Servers(s, nil).Servers[0].Detection.Packages {
			if p.RegistryType == "oci" {
				got = p.Identifier
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}

// TestImagesThatListen: an image that only runs with a port serves HTTP at the documented address.
func TestImagesThatListen(t *testing.T) {
	connects := "\n```json\n{\"mcpServers\": {\"tides\": {\"command\": \"npx\", \"args\": " +
		"[\"-y\", \"mcp-remote\", \"http://localhost:9100/mcp/\"]}}}\n```\n"
	for name, tt := range map[string]struct {
		commands, config string
		want             registry.PackageTransport
	}{
		"with an address": {"docker run --rm -p 9100:80 ghcr.io/octo/tides-mcp:latest", connects,
			registry.PackageTransport{Type: registry.TransportHTTP, URL: "http://localhost:9100/mcp/"}},
		"in the background": {"docker run -d --publish 9100:80 ghcr.io/octo/tides-mcp", connects,
			registry.PackageTransport{Type: registry.TransportHTTP, URL: "http://localhost:9100/mcp/"}},
		"for this machine only": {"docker run --rm -p 127.0.0.1:9100:80 ghcr.io/octo/tides-mcp", connects,
			registry.PackageTransport{Type: registry.TransportHTTP, URL: "http://localhost:9100/mcp/"}},
		"with a query": {"docker run --rm -p 9100:80 ghcr.io/octo/tides-mcp",
			strings.ReplaceAll(connects, "/mcp/", "/mcp?zone=1"), registry.PackageTransport{Type: registry.TransportHTTP}},
		"with a part to fill in": {"docker run --rm -p 9100:80 ghcr.io/octo/tides-mcp",
			strings.ReplaceAll(connects, "/mcp/", "/mcp/${TIDES_KEY}"), registry.PackageTransport{Type: registry.TransportHTTP}},
		"at no port": {"docker run --rm -p 99999:80 ghcr.io/octo/tides-mcp",
			strings.ReplaceAll(connects, "9100", "99999"), registry.PackageTransport{Type: registry.TransportHTTP}},
		"on another port": {"docker run --rm -p 9200:80 ghcr.io/octo/tides-mcp", connects,
			registry.PackageTransport{Type: registry.TransportHTTP}},
		"also over standard input": {"docker run --rm -p 9100:80 ghcr.io/octo/tides-mcp\n" +
			"docker run -i --rm ghcr.io/octo/tides-mcp", connects,
			registry.PackageTransport{Type: registry.TransportStdio}},
		"without a port": {"docker run --rm ghcr.io/octo/tides-mcp", connects,
			registry.PackageTransport{Type: registry.TransportStdio}},
	} {
		s := repoOf("octo/tides-mcp", map[string]string{
			"package.json": strings.Replace(npmServer, "NAME", "tides-mcp", 1),
			"README.md":    "# Tides MCP server\n\n```sh\n" + tt.commands + "\n```\n" + tt.config})
		var got registry.PackageTransport
		for _, p := range Servers(s, nil).Servers[0].Detection.Packages {
			if p.RegistryType == "oci" {
				got = p.Transport
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// What a line that starts an image over HTTP says is in its configuration.
func TestLinesOfImagesThatListen(t *testing.T) {
	s := repoOf("octo/tides-mcp", map[string]string{
		"package.json": strings.Replace(npmServer, "NAME", "tides-mcp", 1),
		"README.md": "# Tides MCP server\n\n```sh\ndocker run -d -p 9100:80 -e TIDES_KEY=abc " +
			"-v ./data:/data ghcr.io/octo/tides-mcp --transport http\n```\n"})
	for _, p := range Servers(s, nil).Servers[0].Detection.Packages {
		if p.RegistryType != "oci" {
			continue
		}
		var words []string
		for _, conf := range p.Configurations {
			for _, a := range slices.Concat(conf.Runtime, conf.Args) {
				words = append(words, a.Value)
			}
			for _, v := range conf.Env {
				words = append(words, v.Name)
			}
		}
		if got := strings.Join(words, " "); got != "-d -p 9100:80 -v {FOLDER}:/data --transport http TIDES_KEY" {
			t.Error(got)
		}
	}
}

// The arguments of a local start of the server's program are those of its package.
func TestLocalStarts(t *testing.T) {
	npm := map[string]string{"package.json": npm(`, "version": "1.0.0", "bin": "dist/index.js"`)}
	pypi := map[string]string{"pyproject.toml": "[project]\nname = \"tides-mcp\"\nversion = \"1.0.0\"\n" +
		"dependencies = [\"mcp\"]\n[project.scripts]\ntides-mcp = \"tides_mcp.server:main\"\n"}
	for _, c := range []struct {
		files   map[string]string
		command string // and its arguments, before those of the server
		want    bool
	}{
		{npm, `node", "args": ["/usr/lib/node_modules/tides-mcp/dist/index.js"`, true},
		{npm, `node", "args": ["--import", "tsx", "C:\\tides\\dist\\index.js"`, true},
		{npm, `cmd", "args": ["/c", "C:\\npm\\tides-mcp.cmd"`, true},
		{npm, `node", "args": ["/path/to/sea/index.js"`, false},
		{npm, `make", "args": ["tides-mcp"`, false},
		{pypi, `python", "args": ["-m", "tides_mcp.server"`, true},
		{pypi, `python3", "args": ["-X", "utf8", "/path/to/src/tides_mcp/server.py"`, true},
		{pypi, `uv", "args": ["--directory", "/path/to/tides-mcp", "run", "tides-mcp"`, true},
		{pypi, `uv", "args": ["run", "--directory", "tides-mcp", "python", "-m", "tides_mcp"`, true},
		{pypi, `uv", "args": ["run", "--with", "tides-mcp", "--no-project", "python", "-m", "tides_mcp.server"`, true},
		{pypi, `uv", "args": ["run", "--directory", "tides-mcp", "server.py"`, false},
		{pypi, `uv", "args": ["run", "--with", "sea", "sea"`, false},
	} {
		files := maps.Clone(c.files)
		files["README.md"] = "# Tides MCP server\n" + clientConfig(`{"command": "`+c.command+`, "--mode", "ro"]}`)
		var got []string
		for _, p := range of(t, files, nil).Packages {
			for _, conf := range p.Configurations {
				got = append(got, conf.Command)
				for _, a := range conf.Args {
					got = append(got, a.Value)
				}
			}
		}
		if want := []string{"npx", "--mode", "ro"}; c.want != (len(got) == 3 && slices.Equal(got[1:], want[1:])) {
			t.Errorf("%s: %q", c.command, got)
		}
	}
}
