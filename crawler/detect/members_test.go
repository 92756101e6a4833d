package detect

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/manifest"
	"mcpcensus/internal/registry"
)

func TestShell(t *testing.T) {
	server := sides{server: "a.py", read: true}
	for name, tt := range map[string]struct {
		unit unit
		want bool
	}{
		"nothing":                   {unit{}, true},
		"workspace":                 {unit{npm: &manifest.Package{Members: []string{"a"}}, entry: "script"}, true},
		"workspace with Go":         {unit{npm: &manifest.Package{Private: true}, gomod: &manifest.Package{}, entry: "main.go"}, false},
		"workspace that serves":     {unit{npm: &manifest.Package{Members: []string{"a"}}, code: server}, false},
		"package":                   {unit{npm: &manifest.Package{Name: "x"}, entry: "script"}, false},
		"package without a program": {unit{npm: &manifest.Package{Name: "x"}}, true},
		"package that serves nothing": {unit{npm: &manifest.Package{Name: "x"}, entry: "script",
			code: sides{read: true}}, true},
		"package with a bin":         {unit{npm: &manifest.Package{Name: "x", Private: true, Programs: map[string]string{"x": "x"}}, entry: "bin"}, false},
		"Maven modules":              {unit{pom: &manifest.Package{Members: []string{"a"}}, entry: "plugin"}, true},
		"crate":                      {unit{cargo: &manifest.Package{Name: "x"}, entry: "main.rs"}, false},
		"uv workspace":               {unit{py: &manifest.Package{Name: "x", Members: []string{"a"}}, entry: "main.py"}, true},
		"tools for Python":           {unit{py: &manifest.Package{}}, true},
		"Python with scripts":        {unit{py: &manifest.Package{Programs: map[string]string{"x": "y"}}, entry: "scripts"}, false},
		"Go module":                  {unit{gomod: &manifest.Package{}, entry: "main.go"}, false},
		"requirements":               {unit{reqs: []manifest.Dependency{{Name: "mcp"}}}, true},
		"requirements and a program": {unit{reqs: []manifest.Dependency{{Name: "mcp"}}, entry: "main.py"}, false},
		"bundle":                     {unit{bundle: &manifest.Bundle{}}, false},
		"another language":           {unit{other: &manifest.Package{}}, false},
	} {
		r := &repo{byDir: map[string]*unit{"": &tt.unit}}
		if got := r.shell(&tt.unit, []*unit{{dir: "a", code: server}}); got != tt.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func TestOutermost(t *testing.T) {
	var got []string
	for _, u := range outermost([]*unit{{dir: "b/c"}, {dir: "a"}, {dir: "b"}, {dir: "bc"}, {dir: "a/x/y"}}) {
		got = append(got, u.dir)
	}
	if d := cmp.Diff([]string{"a", "b", "bc"}, got); d != "" {
		t.Error(d)
	}
}

func TestMatch(t *testing.T) {
	root := &unit{server: &registry.Listing{Name: "io.github.octo/root"}}
	mail := &unit{dir: "src/mail", npm: &manifest.Package{Name: "@octo/mail"}}
	chat := &unit{dir: "src/chat/mcp", py: &manifest.Package{Name: "octo_chat"}}
	all := []*unit{root, mail, chat}
	for name, tt := range map[string]struct {
		members []*unit
		listing registry.Listing
		want    *unit
	}{
		"name":             {all, registry.Listing{Name: "io.github.Octo/root", Subfolder: "src/mail"}, root},
		"folder":           {all, registry.Listing{Name: "a/b", Subfolder: "./src/mail/"}, mail},
		"folder above":     {all, registry.Listing{Name: "a/b", Subfolder: "src/chat"}, chat},
		"unknown folder":   {all, registry.Listing{Name: "a/b", Subfolder: "src/x"}, nil},
		"package":          {all, registry.Listing{Name: "a/b", Packages: []registry.Package{{RegistryType: "pypi", Identifier: "Octo-Chat"}}}, chat},
		"name of a folder": {all, registry.Listing{Name: "a/Mail"}, mail},
		"nothing":          {all, registry.Listing{Name: "a/b"}, root},
		"the only one":     {[]*unit{mail}, registry.Listing{Name: "a/b"}, mail},
		"no root":          {[]*unit{mail, chat}, registry.Listing{Name: "a/b"}, nil},
	} {
		if got := match(tt.members, &tt.listing); got != tt.want {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func TestServersOfBundle(t *testing.T) {
	files := func(command string) map[string]string {
		return map[string]string{
			"README.md": "# Tides\n\nControl harbours from any MCP client.\n",
			"manifest.json": `{"manifest_version": "0.3", "name": "tides", "server": {"type": "python",
				"mcp_config": {"command": "uvx", "args": ["--from", "` + command + `", "tides-mcp"]}},
				"tools": [{"name": "list_tides", "description": "Lists the tides"}]}`,
			"Server/pyproject.toml": "[project]\nname = \"tides-server\"\nversion = \"1.0.0\"\n" +
				"dependencies = [\"mcp>=1\"]\nscripts = {tides-mcp = \"main:run\"}\n",
			"Server/README.md": "# Tides MCP server\n\n```json\n{\"mcpServers\": {\"tides\": {\"command\": " +
				"\"uvx\", \"args\": [\"--from\", \"tides-server\", \"tides-mcp\"]}}}\n```\n",
			"Server/main.py": "",
		}
	}
	for command, want := range map[string]int{"tides-server": 1, "other-server": 2} {
		got := Servers(repoOf("octo/tides", files(command)), nil).Servers
		if len(got) != want {
			t.Fatalf("a bundle of %s: %d servers, want %d", command, len(got), want)
		}
		if d := got[0].Detection; want == 1 && (len(d.Tools) != 1 || len(d.Packages) != 1) {
			t.Errorf("tools %v, packages %v", d.Tools, d.Packages)
		}
	}
}

func TestServersOfServerJSON(t *testing.T) {
	for published, want := range map[string]int{"tides-server": 1, "other-server": 2} {
		files := map[string]string{
			"README.md":    "# Tides MCP server\n\nControl harbours.\n",
			"package.json": npm(`, "bin": "x"`),
			"server.json": `{"name": "io.github.octo/tides", "description": "Tides", "version": "1.0.0", "packages": [
				{"registryType": "npm", "identifier": "` + published + `", "transport": {"type": "stdio"}}]}`,
			"server/package.json": `{"name": "tides-server", "bin": "x.js", "main": "index.js",
				"dependencies": {"@modelcontextprotocol/sdk": "^1.0.0"}}`,
			"server/index.js": "",
			"server/README.md": "# Tides MCP server\n\n" +
				clientConfig(`{"command": "npx", "args": ["tides-server"]}`),
		}
		if got := Servers(repoOf("octo/tides", files), nil).Servers; len(got) != want {
			t.Errorf("server.json of %s: %d servers, want %d", published, len(got), want)
		}
	}
}

// TestServers_memberWithoutReadme checks that a member without a README has no facts of the
// root's README about another member.
func TestServers_memberWithoutReadme(t *testing.T) {
	const sdk = `"dependencies": {"@modelcontextprotocol/sdk": "^1.0.0"}`
	pkg := func(name, more string) string { return `{"name": "` + name + `", ` + more + sdk + `}` }
	files := map[string]string{
		"package.json": `{"private": true, "workspaces": ["packages/*"]}`,
		"README.md": "# Tides\n\nRun `npx @octo/tides-mcp`.\n\n## Environment variables\n\n- `TIDES_KEY` (required): the key.\n" +
			clientConfig(`{"command": "npx", "args": ["@octo/tides-mcp"], "env": {"TIDES_KEY": "your-key"}}`),
		"packages/tides/package.json":   pkg("@octo/tides-mcp", `"bin": "x.js", `),
		"packages/worker/package.json":  pkg("@octo/worker-mcp", `"private": true, `),
		"packages/worker/wrangler.toml": "name = \"tides\"\n",
		"packages/worker/.env.example":  "TIDES_KEY=\nWORKER_KEY=\n",
	}
	type member struct {
		Folder, Install string
		Transports      []string
		Config          bool
		Required        map[string]bool
	}
	member1 := member{"packages/tides", "npx @octo/tides-mcp", []string{registry.TransportStdio}, true,
		map[string]bool{"TIDES_KEY": true}}
	for name, c := range map[string]struct {
		more map[string]string
		want []member
	}{
		"the README is about the package": {nil, []member{member1, {Folder: "packages/worker",
			Required: map[string]bool{"TIDES_KEY": false, "WORKER_KEY": false}}}},
		"the package has a README, too": {map[string]string{
			"packages/tides/README.md": "# Tides MCP server\n\nRun `npx @octo/tides-mcp`.\n\nSet `TIDES_KEY` (required).\n" +
				clientConfig(`{"command": "npx", "args": ["@octo/tides-mcp"], "env": {"TIDES_KEY": "your-key"}}`)},
			[]member{member1, {Folder: "packages/worker",
				Required: map[string]bool{"TIDES_KEY": false, "WORKER_KEY": false}}}},
	} {
		t.Run(name, func(t *testing.T) {
			texts := maps.Clone(files)
			maps.Copy(texts, c.more)
			var got []member
			for _, s := range Servers(repoOf("octo/tides", texts), nil).Servers {
				m := member{Folder: s.Detection.Subfolder, Transports: s.Detection.Transports,
					Install: s.Readme.InstallCommand, Config: s.Readme.ClientConfig != "", Required: map[string]bool{}}
				for _, v := range s.Detection.Variables {
					m.Required[v.Name] = v.IsRequired
				}
				got = append(got, m)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

// TestInherited tests that members of a workspace have the versions that it sets for all.
func TestInherited(t *testing.T) {
	for name, c := range map[string]struct {
		files         map[string]string
		version, used string // of the server and of its SDK
	}{
		"Cargo": {map[string]string{
			"Cargo.toml": "[workspace]\nmembers = [\"tide\"]\n[workspace.package]\nversion = \"1.2.3\"\n" +
				"[workspace.dependencies]\nrmcp = { version = \"0.8\", features = [\"server\"] }\n",
			"tide/Cargo.toml": "[package]\nname = \"tide-mcp\"\nversion.workspace = true\n" +
				"[dependencies]\nrmcp = { workspace = true }\n",
			"tide/src/main.rs": "use rmcp::{tool, tool_router};\n#[tool_router]\nimpl T {\n" +
				"#[tool(description = \"d\")]\nfn tide(&self) {}\n}\nfn main() { serve(stdio()) }\n"}, "1.2.3", "0.8"},
		"pnpm": {map[string]string{
			"package.json":        `{"private": true}`,
			"pnpm-workspace.yaml": "packages: [packages/*]\ncatalog:\n  '@modelcontextprotocol/sdk': ^1.20.0\n",
			"packages/tide/package.json": `{"name": "tide-mcp", "version": "2.0.0", "bin": "dist/index.js",` +
				`"dependencies": {"@modelcontextprotocol/sdk": "catalog:"}}`,
			"packages/tide/src/index.ts": tsServer}, "2.0.0", "^1.20.0"},
		"Maven": {map[string]string{
			"pom.xml": "<project><artifactId>all</artifactId><version>${revision}</version><properties>" +
				"<revision>3.1</revision></properties><modules><module>tide</module></modules>" +
				"<dependencyManagement><dependencies><dependency><groupId>io.modelcontextprotocol.sdk</groupId>" +
				"<artifactId>mcp</artifactId><version>0.12.0</version></dependency></dependencies>" +
				"</dependencyManagement></project>",
			"tide/pom.xml": "<project><parent><artifactId>all</artifactId><version>${revision}</version></parent>" +
				"<artifactId>tide-mcp</artifactId><dependencies><dependency>" +
				"<groupId>io.modelcontextprotocol.sdk</groupId><artifactId>mcp</artifactId></dependency>" +
				"</dependencies></project>",
			"tide/src/main/java/Tide.java": "import io.modelcontextprotocol.server.McpServer;\nclass Tide {\n" +
				"  public static void main(String[] a) { McpServer.sync(t).build(); }\n}\n"}, "3.1", "0.12.0"},
	} {
		c.files["README.md"] = "# Tide MCP\n\nAn MCP server for tides.\n"
		r := Servers(repoOf("octo/tide-mcp", c.files), nil)
		if len(r.Servers) != 1 {
			t.Errorf("%s: %d servers: %s", name, len(r.Servers), r.Reason)
			continue
		}
		d := r.Servers[0].Detection
		if d.Version != c.version || d.SDKVersion != c.used {
			t.Errorf("%s: version %q, SDK %q", name, d.Version, d.SDKVersion)
		}
	}
}
