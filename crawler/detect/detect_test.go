package detect

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcpcensus/internal/registry"
)

// repoOf builds a snapshot from texts by path. A path with an empty text is a file that was not
// read.
func repoOf(full string, texts map[string]string) *registry.Snapshot {
	owner, name, _ := strings.Cut(full, "/")
	s := &registry.Snapshot{Repo: registry.Repository{Host: registry.GitHub, Owner: owner, Name: name,
		ObservedAt: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}, Texts: map[string]string{}}
	for p, t := range texts {
		s.Files = append(s.Files, registry.File{Path: p, Size: int64(max(len(t), 100))})
		if t != "" {
			s.Texts[p] = t
		}
	}
	sortFiles(s.Files)
	return s
}

func sortFiles(f []registry.File) {
	for i := range f {
		for j := i; j > 0 && f[j].Path < f[j-1].Path; j-- {
			f[j], f[j-1] = f[j-1], f[j]
		}
	}
}

const npmServer = `{"name": "@octo/NAME", "version": "1.4.0", "description": "Forecasts and alerts of the weather", "license": "MIT", "bin": {"x": "x.js"}, "keywords": ["weather", "mcp"], "dependencies": {"@modelcontextprotocol/sdk": "^1.20.0"}}`

func TestServers(t *testing.T) {
	s := repoOf("octo/weather-mcp", map[string]string{
		"package.json": strings.Replace(npmServer, "NAME", "weather-mcp", 1),
		"README.md":    "# Weather MCP Server\n\nForecasts over the Model Context Protocol.\n\n```json\n{\"mcpServers\": {\"weather\": {\"command\": \"npx\", \"args\": [\"-y\", \"@octo/weather-mcp\"], \"env\": {\"WEATHER_KEY\": \"YOUR_KEY\"}}}}\n```\n\nOr by `https://mcp.weather-mcp.dev/mcp`.\n\n## Tools\n\n- `get_forecast` - Forecast of a place and a day\n",
		"package-lock.json": "{\n  \"packages\": {\n    " +
			"\"node_modules/@modelcontextprotocol/sdk\": {\n      \"version\": \"1.20.2\"\n",
		"server.json":            `{"$schema": "x", "name": "io.github.octo/weather-mcp", "title": "Weather", "description": "Weather for assistants everywhere", "version": "1.4.0", "packages": [{"registryType": "npm", "identifier": "@octo/weather-mcp", "version": "1.4.0", "transport": {"type": "stdio"}, "environmentVariables": [{"name": "WEATHER_KEY", "description": "Key", "isRequired": true, "isSecret": true}]}]}`,
		"LICENSE":                "",
		"src/index.ts":           "",
		"test/index.test.ts":     "",
		"tsconfig.json":          "",
		"SECURITY.md":            "",
		".github/dependabot.yml": "",
		".github/workflows/ci.yml": "on:\n  push:\n    branches: [main]\npermissions: " +
			"read-all\njobs:\n  t:\n    steps:\n      - run: npm test\n",
		".github/workflows/unsafe.yml": "on: pull_request_target\njobs:\n  t:\n    steps:\n      - " +
			"uses: actions/checkout@v4\n        with: {ref: \"${{ github.event.pull_request.head.sha }}\"}\n",
		"CHANGELOG.md":                    "",
		"node_modules/x/test/a.test.js":   "",
		"examples/client/package.json":    strings.Replace(npmServer, "NAME", "client", 1),
		"packages/shared-utils/README.md": "# Utils\n",
	})
	r := Servers(s, nil)
	if r.State != StateServer || len(r.Servers) != 1 {
		t.Fatalf("%s: %s: %d servers", r.State, r.Reason, len(r.Servers))
	}
	d := r.Servers[0].Detection
	for name, pair := range map[string][2]any{
		"name": {"Weather", d.Name}, "title": {"Weather", d.Title},
		"description":   {"Weather for assistants everywhere", d.Description},
		"registry name": {"io.github.octo/weather-mcp", d.RegistryName},
		"sdk":           {"typescript", d.SDK}, "sdk version": {"^1.20.0", d.SDKVersion},
		"locked": {"1.20.2", d.SDKLocked}, "licence": {"MIT", d.License},
		"licence file": {true, d.LicenseFile}, "version": {"1.4.0", d.Version},
		"category": {"data", d.Category},
		"packages": {[]registry.Package{{RegistryType: "npm", Identifier: "@octo/weather-mcp",
			Version: "1.4.0", RuntimeHint: "npx", Transport: registry.PackageTransport{Type: "stdio"},
			EnvironmentVariables: []registry.Variable{{Name: "WEATHER_KEY", Description: "Key",
				IsRequired: true, IsSecret: true}},
			Declared: registry.DeclaredInRepo,
			Configurations: []registry.Configuration{{
				Key: "weather", Command: "npx",
				Runtime: []registry.Argument{{Type: "positional", Value: "-y"}},
				Env:     []registry.Variable{{Name: "WEATHER_KEY", IsSecret: true, Placeholder: "YOUR_KEY"}},
			}}}}, d.Packages},
		"remotes": {[]registry.Remote{{Type: "streamable-http",
			URL: "https://mcp.weather-mcp.dev/mcp"}}, d.Remotes},
		"transports": {[]string{"stdio", "streamable-http"}, d.Transports},
		"variables": {[]registry.Variable{{Name: "WEATHER_KEY", Description: "Key", IsRequired: true,
			IsSecret: true}}, d.Variables},
		"tools": {[]registry.Tool{{Name: "get_forecast",
			Description: "Forecast of a place and a day"}}, d.Tools},
		"tools from": {"readme", d.ToolsFrom}, "subfolder": {"", d.Subfolder},
		"server.json": {true, d.ServerJSON},
		"explained":   {1, r.Servers[0].Readme.ToolsExplained},
		"tree": {registry.TreeFacts{TestFiles: 1,
			CI: []string{".github/workflows/ci.yml"},
			CIStep: &registry.CIStep{Path: ".github/workflows/ci.yml", Job: "t", Command: "npm test",
				Tests: true, On: "push"},
			CIRead: true, Workflows: 2, WorkflowsRead: 2, WithPermissions: 1,
			UnsafeCheckout: ".github/workflows/unsafe.yml", Lockfile: "package-lock.json",
			HasDependencies: true,
			LintOrTypes:     "tsconfig.json", Changelog: "CHANGELOG.md", SecurityFile: "SECURITY.md",
			UpdateBot: ".github/dependabot.yml", ObservedAt: s.Repo.ObservedAt}, r.Servers[0].Tree},
	} {
		if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
	if len(d.Evidence) < 3 || d.Reason == "" || len(d.Tags) == 0 || len(d.CategoryWords) == 0 {
		t.Errorf("no reasons: %+v", d)
	}
}

func folders(r Result) (out []string) {
	for _, s := range r.Servers {
		out = append(out, s.Detection.Subfolder)
	}
	return out
}

func TestServersFolders(t *testing.T) {
	py := func(name string) string {
		return "[project]\nname = \"" + name + "\"\ndependencies = [\"mcp>=1.2\"]\n[project.scripts]\n" +
			name + " = \"x:main\"\n"
	}
	npm := func(name string) string { return strings.Replace(npmServer, "NAME", name, 1) }
	cases := []struct {
		name, repo string
		texts      map[string]string
		state      string
		want       []string
	}{
		{"npm workspace without its parts", "octo/mcp-servers", map[string]string{
			"package.json": `{"name": "root", "private": true, "workspaces": ["packages/*"]}`, "README.md": "# MCP servers\n\nMCP servers for Octo.\n",
			"packages/mail-mcp/package.json": npm("mail-mcp"), "packages/chat-mcp/package.json": npm("chat-mcp"), "packages/mcp-utils/package.json": `{"name": "@octo/mcp-utils", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`,
			"packages/mcp-test-client/package.json": npm("mcp-test-client"),
			"examples/demo/package.json":            npm("demo-mcp"), "docs/package.json": npm("docs"),
		}, StateServer, []string{"packages/chat-mcp", "packages/mail-mcp"}},
		{"npm workspace with code that no manifest starts", "octo/mcp-servers", map[string]string{
			"package.json": `{"name": "root", "private": true, "workspaces": ["packages/*"],
				"dependencies": {"@modelcontextprotocol/sdk": "1"}}`,
			"src/index.ts": tsServer, "README.md": "# Octo MCP servers\n",
			"packages/mail-mcp/package.json": npm("mail-mcp"), "packages/mail-mcp/src/index.ts": tsServer,
			"packages/mail-mcp/README.md":    "# Mail\n\nAn MCP server for mail.\n",
			"packages/chat-mcp/package.json": npm("chat-mcp"), "packages/chat-mcp/src/index.ts": tsServer,
		}, StateServer, []string{"packages/chat-mcp", "packages/mail-mcp"}},
		{"an SDK through a sibling", "octo/mcp", map[string]string{
			"package.json": `{"private": true, "workspaces": ["packages/*"]}`, "packages/mcp-core/package.json": `{"name": "@octo/mcp-core", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`,
			"packages/a-mcp/package.json": `{"name": "@octo/a-mcp", "bin": "x", "dependencies": {"@octo/mcp-core": "workspace:*"}}`, "packages/b-mcp/package.json": `{"name": "@octo/b-mcp", "bin": "x", "dependencies": {"@octo/mcp-core": "workspace:*"}}`,
		}, StateServer, []string{"packages/a-mcp", "packages/b-mcp"}},
		{"Python folders", "octo/mcp",
			map[string]string{"README.md": "# MCP servers of Octo\n",
				"src/a-mcp-server/pyproject.toml": py("a"), "src/b-mcp-server/pyproject.toml": py("b"),
				"src/common-lib/pyproject.toml": "[project]\nname='c'\ndependencies=['mcp']\n",
				"tests/x/pyproject.toml":        py("x")}, StateServer,
			[]string{"src/a-mcp-server", "src/b-mcp-server"}},
		{"commands of a Go module", "octo/servers",
			map[string]string{"go.mod": "module x\nrequire github.com/modelcontextprotocol/go-sdk v1.0.0\n", "README.md": "# Octo MCP servers\n", "cmd/mail-mcp/main.go": "", "cmd/chat-mcp/main.go": "", "cmd/release/main.go": ""}, StateServer, []string{"cmd/chat-mcp", "cmd/mail-mcp"}},
		{"one command of a Go module", "octo/mail-mcp",
			map[string]string{"go.mod": "module x\nrequire github.com/mark3labs/mcp-go v0.40.0\n",
				"cmd/mail-mcp/main.go": ""}, StateServer, []string{""}},
		{"Maven modules that inherit", "octo/mcp-servers",
			map[string]string{"pom.xml": "<project><artifactId>p</artifactId><packaging>pom</packaging><modules><module>a</module></modules><dependencies><dependency><groupId>io.quarkiverse.mcp</groupId><artifactId>quarkus-mcp-server-stdio</artifactId></dependency></dependencies></project>",
				"a/pom.xml":      "<project><parent><artifactId>p</artifactId></parent><artifactId>mcp-a</artifactId><build><plugins><plugin><artifactId>quarkus-maven-plugin</artifactId></plugin></plugins></build></project>",
				"b/pom.xml":      "<project><parent><artifactId>p</artifactId></parent><artifactId>mcp-b</artifactId><build><plugins><plugin><artifactId>quarkus-maven-plugin</artifactId></plugin></plugins></build></project>",
				"shared/pom.xml": "<project><parent><artifactId>p</artifactId></parent><artifactId>mcp-shared</artifactId></project>"}, StateServer, []string{"a", "b"}},
		{"crates", "octo/mcp-crates",
			map[string]string{"Cargo.toml": "[workspace]\nmembers=['crates/*']\n",
				"crates/mail-mcp/Cargo.toml":  "[package]\nname='mail-mcp'\n[dependencies]\nrmcp='0.8'\n",
				"crates/mail-mcp/src/main.rs": "",
				"crates/chat-mcp/Cargo.toml":  "[package]\nname='chat-mcp'\n[[bin]]\nname='c'\n[dependencies]\nrmcp='0.8'\n", "crates/mcp-types/Cargo.toml": "[package]\nname='mcp-types'\n[dependencies]\nrmcp='0.8'\n"}, StateServer, []string{"crates/chat-mcp", "crates/mail-mcp"}},
		{"one server in a folder of a repository about it", "octo/weather-mcp",
			map[string]string{"README.md": "# Weather MCP server\n",
				"server-ts/package.json": npm("weather-mcp")}, StateServer, []string{""}},
		{"one server in a folder of a product", "octo/weather", map[string]string{"README.md": "# Weather\n\nAn application that shows the weather.\n", "package.json": `{"name": "weather", "private": true, "scripts": {"start": "x"}}`, "packages/weather-mcp/package.json": npm("weather-mcp")}, StateServer, []string{"packages/weather-mcp"}},
		{"a remote server with a README only", "octo/trips-mcp", map[string]string{"README.md": "# Trips\n\nA remote MCP server for trips.\n\nURL: `https://trips.octo.dev/mcp`\n"}, StateServer, []string{""}},
		{"another language", "octo/clojure-mcp", map[string]string{"README.md": "# Clojure MCP\n\nAn MCP server for Clojure.\n\n## Tools\n\n- `eval_form` - evaluates\n", "deps.edn": ""}, StateServer, []string{""}},

		{"a list", "octo/awesome-mcp-servers",
			map[string]string{"README.md": "# Awesome MCP Servers\n\nA curated list of MCP " +
				"servers.\n\n- [A](https://github.com/a/a)\n"}, StateNotServer, nil},
		{"a registry", "octo/mcp-registry", map[string]string{"README.md": "# MCP Registry\n\nA registry of MCP servers.\n", "go.mod": "module x\nrequire github.com/modelcontextprotocol/go-sdk v1.0.0\n", "cmd/registry/main.go": "", "tools/publisher/server.json": `{"name": "io.github.<owner>/<name>"}`}, StateNotServer, nil},
		{"an SDK", "octo/mcp-python-sdk",
			map[string]string{"README.md": "# MCP Python SDK\n\nThe Python SDK for the Model Context " +
				"Protocol: build MCP servers and clients.\n",
				"pyproject.toml": "[project]\nname='octo-mcp'\ndescription='SDK for " +
					"MCP'\n[project.scripts]\nm='m:main'\n",
				"examples/servers/simple/pyproject.toml": py("simple-mcp")}, StateNotServer,
			nil},
		{"a framework", "octo/quickmcp", map[string]string{"README.md": "# QuickMCP\n\nA TypeScript framework for building MCP servers with ease.\n\n```json\n{\"mcpServers\": {\"mine\": {\"command\": \"npx\", \"args\": [\"tsx\", \"my.ts\"]}}}\n```\n", "package.json": `{"name": "quickmcp", "bin": "x", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`}, StateNotServer, nil},
		{"an inspector", "octo/inspector", map[string]string{"README.md": "# MCP Inspector\n\nA tool to test and debug MCP servers.\n\n```json\n{\"mcpServers\": {\"mine\": {\"command\": \"node\", \"args\": [\"x.js\"]}}}\n```\n", "package.json": `{"name": "@octo/mcp-inspector", "bin": "x", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`}, StateNotServer, nil},
		{"a server beside a tool of its own", "octo/mail-mcp",
			map[string]string{"go.mod": "module x\nrequire github.com/mark3labs/mcp-go v0.40.0\n",
				"cmd/mail-mcp/main.go": "", "cmd/mcpcurl/main.go": ""}, StateServer, []string{""}},
		{"a client", "octo/chat", map[string]string{"README.md": "# Chat\n\nA chat application for many models that can use MCP servers.\n", "package.json": `{"name": "chat", "scripts": {"start": "x"}, "dependencies": {"@modelcontextprotocol/sdk": "1"}}`}, StateNotServer, nil},
		{"something else", "octo/dotfiles", map[string]string{"README.md": "# Dotfiles\n\nMy settings.\n", "package.json": `{"name": "x"}`}, StateNotServer, nil},
		{"nothing was read", "octo/x", nil, StateUnknown, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := repoOf(c.repo, c.texts)
			r := Servers(s, nil)
			if r.State != c.state || cmp.Diff(c.want, folders(r)) != "" {
				t.Errorf("%s (%s): %q, want %s %q", r.State, r.Reason, folders(r), c.state, c.want)
			}
			if r.Reason == "" {
				t.Error("no reason")
			}
		})
	}
}

func TestServersListed(t *testing.T) {
	l := registry.Listing{Name: "io.github.octo/trips", Title: "Trips",
		Description: "Plans trips for people", Version: "2.0.0", RepoURL: "https://github.com/octo/trips",
		Status: "active", Remotes: []registry.Remote{{Type: "sse", URL: "https://trips.dev/sse"}}}
	for name, s := range map[string]*registry.Snapshot{"no snapshot": nil, "nothing read": {Repo: registry.Repository{Owner: "octo", Name: "trips"}}, "a list": repoOf("octo/awesome-trips", map[string]string{"README.md": "# Awesome\n"})} {
		r := Servers(s, []registry.Listing{l})
		if r.State != StateServer || len(r.Servers) != 1 {
			t.Fatalf("%s: %s %s", name, r.State, r.Reason)
		}
		d := r.Servers[0].Detection
		if d.Name != "Trips" || d.RegistryName != l.Name || d.Description != l.Description ||
			d.Version != "2.0.0" || len(d.Remotes) != 1 || cmp.Diff([]string{"sse"}, d.Transports) != "" ||
			d.Confidence < 0.9 {
			t.Errorf("%s: %+v", name, d)
		}
		if name != "a list" && r.Servers[0].HasTree() {
			t.Errorf("%s: engineering facts of a listing that was not read", name)
		}
	}
	l.Subfolder = "servers/trips"
	if r := Servers(&registry.Snapshot{Repo: registry.Repository{Owner: "octo", Name: "all"}}, []registry.Listing{l}); cmp.Diff([]string{"servers/trips"}, folders(r)) != "" {
		t.Errorf("%q", folders(r))
	}
	l.Status = "deleted"
	if r := Servers(&registry.Snapshot{Repo: registry.Repository{Owner: "octo", Name: "x"}}, []registry.Listing{l}); r.State == StateServer {
		t.Error("a deleted listing counts")
	}
}

func TestServersListings(t *testing.T) {
	s := repoOf("octo/mcp",
		map[string]string{"src/a-mcp/package.json": strings.Replace(npmServer, "NAME", "a-mcp", 1),
			"src/b-mcp/package.json": strings.Replace(npmServer, "NAME", "b-mcp", 1)})
	r := Servers(s, []registry.Listing{
		{Name: "io.github.octo/alpha",
			Packages: []registry.Package{{RegistryType: "npm", Identifier: "@octo/a-mcp"}}},
		{Name: "io.github.octo/beta", Subfolder: "src/b-mcp"},
		{Name: "io.github.octo/gamma", Subfolder: "src/c-mcp"},
		{Name: "io.github.octo/of-all"}, // without packages and remotes: no further server
		// A package that no member builds is a further server, regardless of the root: the owner
		// published it under the repository.
		{Name: "io.github.octo/older",
			Packages: []registry.Package{{RegistryType: "npm", Identifier: "@octo/all-in-one"}}},
	})
	got := map[string]string{}
	for _, x := range r.Servers {
		got[x.Detection.Subfolder] = x.Detection.RegistryName
		if x.Detection.Subfolder == "" &&
			(len(x.Detection.Packages) != 1 || x.Detection.Packages[0].Identifier != "@octo/all-in-one") {
			t.Errorf("the root has %+v", x.Detection.Packages)
		}
	}
	if d := cmp.Diff(map[string]string{"": "io.github.octo/older", "src/a-mcp": "io.github.octo/alpha", "src/b-mcp": "io.github.octo/beta", "src/c-mcp": "io.github.octo/gamma"}, got); d != "" {
		t.Error(d)
	}
}

func TestToolsDocuments(t *testing.T) {
	const list = "# Tools\n\n## Sea\n\n- **tides**: says when the water is high\n- **moon_phase**: " +
		"draws the moon as it is tonight\n"
	files := func(more map[string]string) map[string]string {
		out := map[string]string{"package.json": npm("")}
		for p, text := range more {
			out[p] = text
		}
		return out
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  int
	}{
		"next to the README": {files(map[string]string{"README.md": "# Tides MCP server",
			"TOOLS.md": list}), 2},
		"linked from it": {files(map[string]string{"README.md": "# Tides MCP server\n\nSee " +
			"[the tools](docs/tools.md#sea).", "docs/tools.md": list}), 2},
		"not linked from it": {files(map[string]string{"README.md": "# Tides MCP server",
			"docs/tools.md": list}), 0},
		"shorter than the README's": {files(map[string]string{"README.md": "# Tides MCP server\n\n## Tools\n\n- `a_b`: one\n- `c_d`: two\n- `e_f`: three\n", "TOOLS.md": list}), 3},
	} {
		d := of(t, c.files, nil)
		if len(d.Tools) != c.want {
			t.Errorf("%s: %+v", name, d.Tools)
		}
	}
}

func TestPackagesOfOthers(t *testing.T) {
	s := repoOf("octo/weather-mcp",
		map[string]string{"package.json": strings.Replace(npmServer, "NAME", "weather-mcp", 1),
			"README.md": "# Weather MCP Server\n\n```sh\nnpx -y @smithery/cli install weather\nnpx @modelcontextprotocol/inspector npx x\nnpx -y mcp-remote https://weather-mcp.dev/mcp\npip install numpy\nnpx -y @modelcontextprotocol/server-filesystem /tmp\ndocker build -t octo/weather .\ndocker run -i octo/weather\ndocker run -i ghcr.io/octo/weather-mcp:2\n```\n"})
	var got []string
	for _, p := range Servers(s, nil).Servers[0].Detection.Packages {
		got = append(got, p.RegistryType+" "+p.Identifier+" "+p.Version)
	}
	if d := cmp.Diff([]string{"oci ghcr.io/octo/weather-mcp 2", "npm @octo/weather-mcp 1.4.0"}, got); d != "" {
		t.Error(d)
	}
}

// TestPackagesOfReleases covers releases of Rust programs that publish npm packages without a
// package.json.
func TestPackagesOfReleases(t *testing.T) {
	for name, c := range map[string]struct {
		dist string
		want []string
	}{
		"npm":    {"publish-jobs = [\"npm\"]\nnpm-scope = \"@octo\"\n", []string{"npm @octo/tides-mcp 1.4.0", "cargo tides-mcp 1.4.0"}},
		"no npm": {"publish-jobs = [\"homebrew\"]\n", []string{"cargo tides-mcp 1.4.0"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := repoOf("octo/tides-mcp", map[string]string{"README.md": "# Tides MCP server\n\n```sh\nnpm i -g @octo/tides-mcp@latest\n```\n",
				"Cargo.toml": "[package]\nname = \"tides-mcp\"\nversion = \"1.4.0\"\ndescription = \"Tides\"\nlicense = \"MIT\"\n" +
					"[dependencies]\nrmcp = \"0.8\"\n", "src/main.rs": "fn main() {}", "dist-workspace.toml": "[dist]\n" + c.dist})
			var got []string
			for _, p := range Servers(s, nil).Servers[0].Detection.Packages {
				if p.RegistryType != "npm" || name == "npm" { // not the one in the README
					got = append(got, p.RegistryType+" "+p.Identifier+" "+p.Version)
				}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestTrimTitle(t *testing.T) {
	for title, want := range map[string]string{
		"Weather MCP Server": "Weather", "mcp-server-google-maps": "Google Maps",
		"🚀 Octo Mail - MCP Server": "Octo Mail", "MySQL Model Context Protocol (MCP) Server": "MySQL",
		"BlenderMCP - Blender Model Context Protocol Integration": "Blender",
		"@octo/aws-s3-mcp": "AWS S3", "MCP Server": "", "DuckDB MCP": "DuckDB", "": "",
	} {
		if got := trimTitle(title); got != want {
			t.Errorf("%q: got %q, want %q", title, got, want)
		}
	}
}

func TestClassify(t *testing.T) {
	for description, want := range map[string]string{
		"Query PostgreSQL databases and inspect schemas": "database",
		"Send and read Slack messages":                   "communication", "Scan code for vulnerabilities": "security",
		"Grafana dashboards and Prometheus metrics": "analytics",
		"Control a browser with Playwright":         "automation", "Search the web and scrape pages": "data",
		"Manage tasks and calendars in Notion":         "productivity",
		"Gateway that aggregates multiple MCP servers": "integration",
		"Generate images with Stable Diffusion":        "api",
		"Read and write files of the local filesystem": "tools",
	} {
		got := Classify(Text{Description: description})
		if got.Category != want || got.Confidence < 0.3 || len(got.Words) == 0 {
			t.Errorf("%q is %+v, want %s", description, got, want)
		}
	}
	for description, want := range map[string]string{
		"A secure server for harbours": "tools", // one word is no sign
		"Secure vault of passwords":    "security",
		// A hint decides no category if another subject has more weight.
		"AWS harbours: AWS AWS. An access policy, credentials.": "tools",
	} {
		if got := Classify(Text{Description: description}).Category; got != want {
			t.Errorf("%q is %s, want %s", description, got, want)
		}
	}
	for name, want := range map[string]string{"secure-harbours": "tools", "postgres": "database"} {
		if got := Classify(Text{Description: "Asks " + splitName(name), Name: name}).Category; got != want {
			t.Errorf("%s in name and description is %s, want %s", name, got, want)
		}
	}
	for tool, want := range map[string]string{"list_buoys": "tools", "list_firewall_rules": "security"} {
		got := Classify(Text{Description: "Secure MCP server for Harbour with IAM or JWT authentication",
			Name: "harbour", Tools: []string{tool}}).Category
		if got != want {
			t.Errorf("secure server with the tool %s: %s, want %s", tool, got, want)
		}
	}
	nothing := Classify(Text{Description: "An MCP server for Claude", Name: "zzz"})
	if want := (Classification{Category: "tools", Confidence: 0.1}); !cmp.Equal(want, nothing) {
		t.Errorf("nothing is %+v, want %+v", nothing, want)
	}
	unsure := Classify(Text{Description: "Summarizes notes, tasks, emails and messages"})
	if unsure.Second == "" || unsure.Second == unsure.Category {
		t.Errorf("two subjects are %+v, want a second category", unsure)
	}
}

// TestServersAnySnapshot detects servers in random snapshots of hostile and contradictory files.
// Detection must return valid, deterministic results.
func TestServersAnySnapshot(t *testing.T) {
	names := []string{"package.json", "pyproject.toml", "setup.py", "go.mod", "Cargo.toml", "pom.xml",
		"build.gradle.kts", "x.csproj", "server.json", "manifest.json", "smithery.yaml", "mcp.json",
		"Dockerfile", "README.md", "main.go", "src/main.rs", "Package.swift", "composer.json",
		"Gemfile", "deno.json", ".env.example", "uv.lock", ".github/workflows/ci.yml", "x.py"}
	dirs := []string{"", "src/", "src/a-mcp/", "packages/b-mcp/", "cmd/c-mcp/", "examples/", "..//",
		"a/b/c/d/", "mcpb/"}
	contents := []string{"", "{}", "[]", "{", "\x00\xFF", strings.Replace(npmServer, "NAME", "x-mcp", 1), `{"name": "a/b", "packages": [{"registryType": "oci", "identifier": "a"}], "remotes": [{"type": "sse", "url": "https://a.dev/sse"}]}`, "[project]\nname='x-mcp'\ndependencies=['mcp']\n[project.scripts]\nx='y'\n", "module x\nrequire github.com/mark3labs/mcp-go v1.0.0\n", "<project><artifactId>x</artifactId></project>", "# An MCP server\n\nThis project is deprecated.\n\n## Tools\n\n- `a_b` - c d e f g\n\n`npx a-mcp`\n", `{"manifest_version": "1", "server": {"mcp_config": {"command": "npx", "args": ["-y", "a"]}}, "tools": [{"name": "\u0000x"}]}`, "startCommand:\n  type: http\n", "FROM x\nLABEL io.modelcontextprotocol.server.name=a/b\n", "[package]\nname='x-mcp'\n[dependencies]\nrmcp='1'\n"}
	rapid.Check(t, func(t *rapid.T) {
		s := &registry.Snapshot{Repo: registry.Repository{Owner: rapid.SampledFrom([]string{"octo",
			""}).Draw(t, "owner"),
			Name: rapid.SampledFrom([]string{"mcp", "awesome-mcp", "x", "", "\xFF"}).Draw(t, "name")},
			Texts: map[string]string{}}
		for range rapid.IntRange(0, 8).Draw(t, "files") {
			p := rapid.SampledFrom(dirs).Draw(t, "dir") + rapid.SampledFrom(names).Draw(t, "file")
			if rapid.Bool().Draw(t, "listed") {
				s.Files = append(s.Files, registry.File{Path: p, Size: 100})
			}
			s.Texts[p] = rapid.OneOf(rapid.SampledFrom(contents), rapid.String()).Draw(t, "text")
		}
		var listings []registry.Listing
		for range rapid.IntRange(0, 2).Draw(t, "listings") {
			listings = append(listings,
				registry.Listing{Name: rapid.SampledFrom([]string{"a/b", "io.github.octo/x", ""}).Draw(t,
					"listing"), Subfolder: rapid.SampledFrom([]string{"", "src/a-mcp", "../..",
					"/"}).Draw(t, "subfolder"),
					Packages: []registry.Package{{RegistryType: "npm", Identifier: "a"}}})
		}
		r := Servers(s, listings)
		if d := cmp.Diff(r, Servers(s, listings)); d != "" {
			t.Fatalf("two different results:\n%s", d)
		}
		if r.Reason == "" || (r.State == StateServer) != (len(r.Servers) > 0) ||
			len(OwnListings(listings, &s.Repo, read(s).allMarks())) > 0 && r.State != StateServer {
			t.Fatalf("state %q, %d servers, reason %q", r.State, len(r.Servers), r.Reason)
		}
		seen := map[string]bool{}
		for _, x := range r.Servers {
			d := x.Detection
			if seen[d.Subfolder] {
				t.Fatalf("two servers in %q", d.Subfolder)
			}
			seen[d.Subfolder] = true
			if strings.HasPrefix(d.Subfolder, "/") || strings.Contains(d.Subfolder, "..") {
				t.Fatalf("subfolder %q", d.Subfolder)
			}
			if d.Category == "" || d.Confidence < 0 || d.Confidence > 1 || d.CategoryConfidence > 1 ||
				len(d.Tags) > 12 || len(d.Description) > 310 {
				t.Fatalf("%+v", d)
			}
			for _, v := range d.Variables {
				if v.IsSecret && (v.Default != "" || v.Value != "") {
					t.Fatalf("a secret's value is shown: %+v", v)
				}
			}
			for _, p := range d.Packages {
				if p.RegistryType == "" || p.Identifier == "" {
					t.Fatalf("package %+v", p)
				}
			}
		}
	})
}

func FuzzServers(f *testing.F) {
	f.Add("package.json", npmServer, "README.md", "# An MCP server\n")
	f.Add("a/pyproject.toml", "[project]\n", "a/server.json", "{}")
	f.Fuzz(func(t *testing.T, p1, t1, p2, t2 string) {
		s := &registry.Snapshot{Repo: registry.Repository{Owner: "octo", Name: "x-mcp"},
			Files: []registry.File{{Path: p1}, {Path: p2}}, Texts: map[string]string{p1: t1, p2: t2}}
		if r := Servers(s, nil); r.Reason == "" {
			t.Fatal("no reason")
		}
	})
}

func TestServersBareListing(t *testing.T) {
	list := repoOf("octo/awesome-mcp-servers", map[string]string{
		"README.md": "# Awesome MCP Servers\n\nA curated list of Model Context Protocol servers.\n\n- " +
			"[Weather](https://github.com/octo/weather-mcp) - Forecasts\n- " +
			"[Mail](https://github.com/octo/mail-mcp) - Mail\n",
	})
	bare := registry.Listing{Name: "io.github.octo/awesome-mcp-servers",
		Description: "A curated list of MCP servers", Status: "active"}
	if r := Servers(list, []registry.Listing{bare}); r.State != StateNotServer {
		t.Errorf("bare listing: %s: %s", r.State, r.Reason)
	}
	runnable := bare
	runnable.Packages = []registry.Package{{RegistryType: "npm", Identifier: "awesome-mcp-servers",
		Transport: registry.PackageTransport{Type: registry.TransportStdio}}}
	if r := Servers(list, []registry.Listing{runnable}); r.State != StateServer {
		t.Errorf("listing with a package: %s: %s", r.State, r.Reason)
	}
	unread := &registry.Snapshot{Repo: list.Repo}
	if r := Servers(unread, []registry.Listing{bare}); r.State != StateServer {
		t.Errorf("nothing read: %s: %s; the listing is the only evidence", r.State, r.Reason)
	}
}

func TestDescription(t *testing.T) {
	for name, c := range map[string]struct{ manifest, host, readme, want string }{
		"a bare name in the manifest": {"MCP server for Tides",
			"Forecasts for every harbour of the coast", "", "Forecasts for every harbour of the coast"},
		"only bare names": {"Tides MCP Server", "", "", "MCP server for Tides"},
		"the README says more": {"Tides MCP server in TypeScript", "",
			"Says when the water is high, for every harbour.",
			"Says when the water is high, for every harbour."},
		"text of a generator": {"Add your description here", "",
			"Says when the water is high, for every harbour.",
			"Says when the water is high, for every harbour."},
		"text of a template": {"Demo project for Spring Boot",
			"Forecasts for every harbour of the coast", "", "Forecasts for every harbour of the coast"},
		"the manifest says it": {"Says when the water is high", "Something of the code host",
			"And something of the README in words.", "Says when the water is high"},
		"shortcodes of emoji": {":ocean: Says when the <b>water</b> is `high` ([docs](https://d.dev))", "", "", "Says when the water is high (docs)"},
		"another language":    {"查询全国所有港口的潮汐时间", "", "", "查询全国所有港口的潮汐时间"},
		"a product called a sample": {"Sample library for synthesizers", "", "",
			"Sample library for synthesizers"},
	} {
		s := repoOf("octo/tides-mcp", map[string]string{
			"package.json": `{"name": "tides-mcp", "version": "1.0.0", "bin": "i.js", "description": "` + strings.ReplaceAll(c.manifest, `"`, `\"`) + `", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`,
			"README.md": "# Tides MCP Server\n\n[![Build](https://b.dev/i.svg)](https://b.dev)\n\n" +
				c.readme + "\n\n## Install\n\nRun this command in the shell of your choice.\n",
		})
		s.Repo.Description = c.host
		r := Servers(s, nil)
		if len(r.Servers) != 1 {
			t.Fatalf("%s: %s", name, r.Reason)
		}
		if got := r.Servers[0].Detection.Description; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestNamedAfter(t *testing.T) {
	r := &repo{snap: repoOf("octo/tides-mcp", nil)}
	for dir, want := range map[string]bool{"packages/mcp-server-tides": true, "packages/mcp-winds": false,
		"packages/mcp-server": false} {
		if got := r.namedAfter(&unit{dir: dir}); got != want {
			t.Errorf("%s: %v", dir, got)
		}
	}
}
