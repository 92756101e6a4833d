package detect

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

// TestReaders checks that each kind of file is read into the unit of its folder.
func TestReaders(t *testing.T) {
	const config = `{"mcpServers": {"a": {"command": "npx", "args": ["a"]}}}`
	for name, tt := range map[string]struct {
		path, text string
		dir        string // of the unit
		has        func(u *unit) bool
	}{
		"package.json":            {"a/package.json", `{"name": "x"}`, "a", func(u *unit) bool { return u.npm != nil }},
		"in a packaging folder":   {"a/src/pyproject.toml", "[project]\nname = 'x'\n", "a", func(u *unit) bool { return u.py != nil }},
		"requirements":            {"a/requirements.txt", "mcp\n", "a", func(u *unit) bool { return len(u.reqs) == 1 }},
		"folder of requirements":  {"requirements/base.txt", "mcp\n", "", func(u *unit) bool { return len(u.reqs) == 1 }},
		"of development":          {"requirements/dev.txt", "mcp\n", "", func(u *unit) bool { return len(u.reqs) == 0 }},
		"go.mod":                  {"go.mod", "module x\n", "", func(u *unit) bool { return u.gomod != nil }},
		"a .NET project":          {"src/X.CSPROJ", "<Project></Project>", "", func(u *unit) bool { return len(u.csproj) == 1 }},
		"gemspec":                 {"x.gemspec", "Gem::Specification.new { |s| s.name = 'x' }", "", func(u *unit) bool { return u.otherKind == "ruby" }},
		"server.json":             {"server.json", `{"name": "io.github.octo/x", "version": "1.0.0"}`, "", func(u *unit) bool { return u.server != nil }},
		"server.json of another":  {"server.json", `{"name": "a/b", "repository": {"url": "https://github.com/a/b"}}`, "", func(u *unit) bool { return u.server == nil }},
		"a client's config":       {"a/mcp.json", config, "a", func(u *unit) bool { return len(u.configs) == 1 }},
		"config of the developer": {"mcp.json", config, "", func(u *unit) bool { return len(u.configs) == 0 }},
		"config of an editor":     {".vscode/mcp.json", config, ".vscode", func(u *unit) bool { return len(u.configs) == 0 }},
		"env file":                {"a/.env.example", "A_KEY=\n", "a", func(u *unit) bool { return len(u.env) == 1 }},
		"other build file":        {"mix.exs", "", "", func(u *unit) bool { return u.otherKind == "other" }},
		"invalid":                 {"package.json", "{", "", func(u *unit) bool { return u.npm == nil && u.manifests == nil }},
	} {
		t.Run(name, func(t *testing.T) {
			s := &registry.Snapshot{
				Repo:  registry.Repository{Owner: "octo", Name: "x"},
				Texts: map[string]string{tt.path: tt.text},
			}
			if u := read(s).unit(tt.dir); !tt.has(u) {
				t.Errorf("got %+v", u)
			}
		})
	}
}

func TestRootReadme(t *testing.T) {
	for want, paths := range map[string][]string{
		"README.md":         {"README.rst", "README.md", "docs/README.md"},
		".github/README.md": {".github/README.md", "docs/README.md", "src/README.md"},
		"docs/README.adoc":  {"docs/README.adoc"},
		"":                  {"src/README.md"},
		"readme":            {"readme", ".github/README.md"},
	} {
		s := &registry.Snapshot{Texts: map[string]string{}}
		for _, p := range paths {
			s.Texts[p] = "# X\n"
		}
		if d := cmp.Diff(want, read(s).unit("").readmeAt); d != "" {
			t.Errorf("%q: %s", paths, d)
		}
	}
}

// TestExtensions checks which files of extensions and editors declare variables of the server.
func TestExtensions(t *testing.T) {
	const manifest = `{"name": "tides-mcp", "version": "1.2.0", "bin": {"tides-mcp": "dist/index.js"},
		"dependencies": {"@modelcontextprotocol/sdk": "^1.0.0"}}`
	required := func(name, description string) registry.Variable {
		return registry.Variable{Name: name, Description: description, IsRequired: true, IsSecret: true}
	}
	for name, tt := range map[string]struct {
		path, text string
		want       []registry.Variable
	}{
		"package": {".mcp.json", `{"mcpServers": {"t": {"command": "npx", "args": ["-y", "tides-mcp"],
			"env": {"TIDE_KEY": "${TIDE_KEY}"}}}}`, []registry.Variable{required("TIDE_KEY", "")}},
		"inputs": {".vscode/mcp.json", `{"inputs": [{"id": "key", "type": "promptString", "password": true,
			"description": "Key of the tides"}], "servers": {"t": {"command": "npx", "args": ["tides-mcp"],
			"env": {"TIDE_ID": "${input:key}"}}}}`, []registry.Variable{required("TIDE_ID", "Key of the tides")}},
		"settings": {"gemini-extension.json", `{"name": "t", "settings": [{"name": "Key", "description": "Key of the tides",
			"envVar": "TIDE_KEY", "sensitive": true}], "mcpServers": {"t": {"command": "node",
			"args": ["${extensionPath}${/}dist${/}index.js"]}}}`, []registry.Variable{required("TIDE_KEY", "Key of the tides")}},
		"configuration of the user": {".claude-plugin/plugin.json", `{"name": "t", "userConfig": {"key": {"title": "Key",
			"sensitive": true, "required": true}}, "mcpServers": {"t": {"command": "node",
			"args": ["${CLAUDE_PLUGIN_ROOT}/dist/index.js"], "env": {"TIDE_ID": "${user_config.key}"}}}}`,
			[]registry.Variable{required("TIDE_ID", "Key")}},
		"bundle": {"manifest.json", `{"manifest_version": "0.3", "name": "tides-mcp", "server": {"mcp_config": {
			"command": "node", "args": ["${__dirname}/dist/index.js"], "env": {"TIDE_KEY": "${user_config.key}"}}},
			"user_config": {"key": {"title": "Key", "sensitive": true, "required": true}}}`,
			[]registry.Variable{required("TIDE_KEY", "Key")}},
		"bundle with settings of its own": {"manifest.json", `{"manifest_version": "0.3", "name": "tides-mcp",
			"server": {"mcp_config": {"command": "node", "args": ["${__dirname}/dist/index.js", "--config",
			"${__dirname}/tides.toml"], "env": {"TIDE_KEY": "${user_config.key}"}}},
			"user_config": {"key": {"title": "Key", "sensitive": true, "required": true}}}`, nil},
		"reference without braces": {".cursor/mcp.json", `{"mcpServers": {"t": {"command": "node", "args": ["./dist/index.js"],
			"env": {"TIDE_KEY": "$TIDE_KEY"}}}}`, []registry.Variable{required("TIDE_KEY", "")}},
		"reference with a default": {".mcp.json", `{"mcpServers": {"t": {"command": "tides-mcp",
			"env": {"TIDE_ZONE": "${TIDE_ZONE:-north}"}}}}`, []registry.Variable{{Name: "TIDE_ZONE"}}},
		"tool of the developers": {".mcp.json", `{"mcpServers": {"other": {"command": "npx", "args": ["-y", "waves-mcp"],
			"env": {"WAVE_KEY": "${WAVE_KEY}"}}, "image": {"command": "docker", "args": ["run", "-i", "waves"],
			"env": {"WAVE_KEY": "x"}}}}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"package.json": manifest, tt.path: tt.text,
				"src/index.ts": `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"; new McpServer({})`}
			s := &registry.Snapshot{Repo: registry.Repository{Owner: "octo", Name: "tides-mcp"}, Texts: files}
			for p := range files {
				s.Files = append(s.Files, registry.File{Path: p, OID: "1"})
			}
			got := Servers(s, nil)
			if len(got.Servers) != 1 {
				t.Fatalf("%+v", got)
			}
			if d := cmp.Diff(tt.want, got.Servers[0].Detection.Variables); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestEndpointsOfExtensions checks which endpoints in files of clients are the server's.
func TestEndpointsOfExtensions(t *testing.T) {
	const mcp, readme = "https://mcp.tides.dev", "# Tides\n\nAn MCP server for tides.\n"
	const other = "Connect to `https://tides.dev/mcp`.\n"
	for name, tt := range map[string]struct{ readme, server, want string }{
		"under its name":               {readme, `"octo-tides": {"httpUrl": "` + mcp + `"}`, mcp},
		"under another name":           {readme, `"stories": {"url": "https://ann--stories.tides.dev/mcp"}`, ""},
		"on a host of others":          {readme, `"tides": {"url": "https://x.smithery.ai/mcp"}`, ""},
		"with a documented one beside": {readme + other, `"tides": {"url": "` + mcp + `"}`, "https://tides.dev/mcp"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &registry.Snapshot{Repo: registry.Repository{Owner: "octo", Name: "tides-mcp"}, Texts: map[string]string{
				"README.md": tt.readme, ".mcp.json": `{"mcpServers": {` + tt.server + `}}`,
				"package.json": `{"name": "tides-mcp", "bin": "x.js", "dependencies": {"@modelcontextprotocol/sdk": "^1.0.0"}}`}}
			got := ""
			for _, r := range Servers(s, nil).Servers[0].Detection.Remotes {
				got += r.URL
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestShippedPackages(t *testing.T) {
	for name, tt := range map[string]struct {
		project, text string
		path          string
		want          bool // it is a manifest
	}{
		"of a Gradle project":   {"build.gradle", "", "src/main/resources/package.json", false},
		"of a Go module":        {"go.mod", "module x\n", "web/static/app/package.json", false},
		"of a npm package":      {"package.json", `{"name": "y"}`, "assets/package.json", true},
		"beside a module":       {"go.mod", "module x\n", "web/package.json", true},
		"of no project":         {"README.md", "# X\n", "resources/package.json", true},
		"of a sibling's folder": {"b/go.mod", "module x\n", "a/static/package.json", true},
	} {
		t.Run(name, func(t *testing.T) {
			units := read(&registry.Snapshot{Repo: registry.Repository{Owner: "octo", Name: "x"}, Texts: map[string]string{
				tt.project: tt.text, tt.path: `{"name": "x"}`,
			}}).units
			isRead := func(u *unit) bool { return u.npm != nil && u.npm.Name == "x" }
			if got := slices.ContainsFunc(units, isRead); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
