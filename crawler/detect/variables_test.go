package detect

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

func TestExampleVariables(t *testing.T) {
	const env = "TIDE_ZONE=north\nTIDE_API_KEY=\nHARBOUR_CITY=\nPOSTGRES_PASSWORD=\n"
	const entry = `const zone = process.env.TIDE_ZONE; const key = settings.apiKey;`
	for name, tt := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"source read in full": {map[string]string{"src/index.ts": entry, "docs/harbour.md": ""},
			[]string{"TIDE_API_KEY", "TIDE_ZONE"}},
		"a file unread": {map[string]string{"src/index.ts": entry, "src/other.ts": ""},
			[]string{"HARBOUR_CITY", "POSTGRES_PASSWORD", "TIDE_API_KEY", "TIDE_ZONE"}},
		"no source": {map[string]string{},
			[]string{"HARBOUR_CITY", "POSTGRES_PASSWORD", "TIDE_API_KEY", "TIDE_ZONE"}},
		"named in the README": {map[string]string{"src/index.ts": entry,
			"README.md": "# Tides MCP Server\n\nThe city is HARBOUR_CITY.\n"},
			[]string{"HARBOUR_CITY", "TIDE_API_KEY", "TIDE_ZONE"}},
		"read by a script": {map[string]string{"src/index.ts": entry,
			"scripts/release.py": "os.environ['HARBOUR_CITY']", "Makefile": "echo $(HARBOUR_CITY)"},
			[]string{"TIDE_API_KEY", "TIDE_ZONE"}},
		"read from settings": {map[string]string{"src/index.ts": entry,
			"config/default.yml": "city: ${HARBOUR_CITY}"},
			[]string{"HARBOUR_CITY", "TIDE_API_KEY", "TIDE_ZONE"}},
		"read by the build": {map[string]string{"src/index.ts": entry, "build.mjs": "process.env.HARBOUR_CITY!",
			"package.json": strings.Replace(npmServer, "{", `{"scripts": {"build": "node build.mjs"}, `, 1)},
			[]string{"TIDE_API_KEY", "TIDE_ZONE"}},
		"a part of another word": {map[string]string{"src/index.ts": entry + " capacity();",
			"README.md": "# Tides MCP Server\n\nHas capacity.\n"},
			[]string{"TIDE_API_KEY", "TIDE_ZONE"}},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{".env.example": env, "package.json": npmServer}
			for p, text := range tt.files {
				files[p] = text
			}
			s := repoOf("octo/tides-mcp", files)
			for p, text := range files {
				if text == "" {
					delete(s.Texts, p)
				}
			}
			r := Servers(s, nil)
			if len(r.Servers) != 1 {
				t.Fatalf("%d servers: %s", len(r.Servers), r.Reason)
			}
			got := []string{}
			for _, v := range r.Servers[0].Detection.Variables {
				got = append(got, v.Name)
			}
			slices.Sort(got)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestVariablesOfOthers checks that variables in configurations of other servers, which the README
// shows, are not its own.
func TestVariablesOfOthers(t *testing.T) {
	const conf = "# Tides Hub\n\nJoins several MCP servers.\n\n```json\n" +
		`{"mcpServers": {"harbour": {"command": "/opt/harbour/server", "env": {"HARBOUR_KEY": ""}}}}` +
		"\n```\n\n- `HUB_ZONE`: zone of the harbours\n\n```json\n" +
		`{"mcpServers": {"hub": {"command": "/opt/hub", "env": {"HUB_ZONE": ""}}}}` +
		"\n```\n\n```json\n" +
		`{"mcpServers": {"tides": {"command": "npx", "args": ["-y", "tides-mcp"], "env": {"HUB_PORT": "80"}},
			"mail": {"command": "npx", "args": ["-y", "@post/mail-mcp"], "env": {"MAIL_KEY": "", "MAIL_ZONE": ""}}}}` +
		"\n```\n"
	const serves = `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
const server = new McpServer({}); server.connect(t);`
	const relays = serves + `
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
const client = new Client({}); client.connect(u);`
	for code, want := range map[string][]string{
		serves:                              {"HARBOUR_KEY", "HUB_PORT", "HUB_ZONE"},
		relays:                              {"HUB_PORT", "HUB_ZONE"},
		serves + "f(process.env.MAIL_ZONE)": {"HARBOUR_KEY", "HUB_PORT", "HUB_ZONE", "MAIL_ZONE"},
	} {
		d := of(t, map[string]string{"package.json": npm(""), "README.md": conf, "src/index.ts": code}, nil)
		var got []string
		for _, v := range d.Variables {
			got = append(got, v.Name)
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestNumberedVariables(t *testing.T) {
	const table = "# Tides MCP server\n\n| Variable | Required | Fallback |\n|---|---|---|\n" +
		"| `TIDE_N_NAME` | Yes | _(none)_ |\n| `TOP_N_TIDES` | Yes | - |\n"
	for name, c := range map[string]struct {
		env  string
		want []string
	}{
		"other placeholder": {"TIDE_1_NAME=\n", []string{"TIDE_1_NAME", "TOP_N_TIDES"}},
		"alone":             {"TIDE_ZONE=\n", []string{"TIDE_N_NAME", "TIDE_ZONE", "TOP_N_TIDES"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := of(t, map[string]string{"package.json": npm(""), "README.md": table, ".env.example": c.env}, nil)
			var got []string
			for _, v := range d.Variables {
				got = append(got, v.Name)
			}
			slices.Sort(got)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestVariablesOfCode checks that settings which only the server's own code names are listed if it
// fails without them, and that a server reads none only if all of its code was read.
func TestVariablesOfCode(t *testing.T) {
	const serves = `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
const server = new McpServer({}); server.connect(t);
`
	const demands = "const key = process.env.TIDE_KEY!;\n"
	const zone = "# Tides MCP server\n\n- `TIDE_ZONE`: zone\n"
	for name, tt := range map[string]struct {
		files     map[string]string
		want      []string
		readsNone bool
	}{
		"fails without":    {map[string]string{"src/a.ts": demands}, []string{"TIDE_KEY!"}, false},
		"may be missing":   {map[string]string{"src/a.ts": "f(process.env.TIDE_TOKEN)"}, []string{"TIDE_TOKEN"}, false},
		"in a header":      {map[string]string{"src/a.ts": "f({authorization: `Bearer ${process.env.TIDE_TOKEN}`})"}, []string{"TIDE_TOKEN"}, false},
		"set only":         {map[string]string{"src/a.ts": `process.env.TIDE_TOKEN = "x"; delete process.env.SEA_TOKEN`}, nil, false},
		"no secret":        {map[string]string{"src/a.ts": "f(process.env.TIDE_ZONE)"}, nil, false},
		"fallback":         {map[string]string{"src/a.ts": `f(process.env.TIDE_KEY ?? "x")`}, nil, false},
		"fallback at last": {map[string]string{"src/a.ts": demands, "src/b.ts": `f(process.env.TIDE_KEY ?? "x")`}, nil, false},
		"one default": {map[string]string{"src/a.ts": `f(process.env.TIDE_ZONE ?? "x")`,
			"src/b.ts": "f(process.env.TIDE_ZONE)", "README.md": zone}, []string{"TIDE_ZONE=x"}, false},
		"two defaults": {map[string]string{"src/a.ts": `f(process.env.TIDE_ZONE ?? "x")`,
			"src/b.ts": `f(process.env.TIDE_ZONE ?? "y")`, "README.md": zone}, []string{"TIDE_ZONE"}, false},
		"words in a place": {map[string]string{"src/a.ts": `f({zone: process.env.TIDE_ZONE || "not set"})`,
			"src/b.ts": "f(process.env.TIDE_ZONE)", "README.md": zone}, []string{"TIDE_ZONE"}, false},
		"in a text": {map[string]string{"src/a.ts": "f(`Zone: ${process.env.TIDE_ZONE ?? 'unset'}`)",
			"src/b.ts": "f(process.env.TIDE_ZONE)", "README.md": zone}, []string{"TIDE_ZONE"}, false},
		"in the only text": {map[string]string{"src/a.ts": "f(`//${process.env.TIDE_ZONE ?? 'x'}/`)",
			"README.md": zone}, []string{"TIDE_ZONE=x"}, false},
		"demanded, and in a text": {map[string]string{"src/a.ts": demands,
			"src/b.ts": "f(`Key: ${process.env.TIDE_KEY ?? 'unset'}`)"}, []string{"TIDE_KEY!"}, false},
		"off in a place": {map[string]string{"src/a.ts": "if (process.env.TIDE_ZONE !== 'true') f()",
			"src/b.ts": "if (process.env.TIDE_ZONE) zone = process.env.TIDE_ZONE", "README.md": zone},
			[]string{"TIDE_ZONE"}, false},
		"fallback of another program": {map[string]string{"src/a.ts": demands, "client/client.csproj": "<Project>" +
			"<PropertyGroup><OutputType>Exe</OutputType></PropertyGroup></Project>",
			"client/Program.cs": "var k = Environment.GetEnvironmentVariable(\"TIDE_KEY\") ?? \"x\";"},
			[]string{"TIDE_KEY!"}, false},
		"of the tests":   {map[string]string{"test/a.test.ts": demands}, nil, true},
		"of a release":   {map[string]string{"scripts/release.ts": demands}, nil, true},
		"other language": {map[string]string{"draft/a.py": `key = os.environ["TIDE_KEY"]`}, nil, false},
		"of an example":  {map[string]string{"examples/a.ts": demands}, nil, true},
		"none":           {nil, nil, true},
		"any name":       {map[string]string{"src/a.ts": "f(process.env[name])"}, nil, false},
		"not read":       {map[string]string{"src/a.ts": demands, "src/b.ts": ""}, nil, false},
		"named by the README": {map[string]string{"src/a.ts": demands, "src/b.ts": "",
			"README.md": "# Tides MCP server\n\n- `TIDE_KEY`: key\n"}, []string{"TIDE_KEY!"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"package.json": npm(""), "README.md": "# Tides MCP server\n",
				"src/index.ts": serves}
			for p, text := range tt.files {
				files[p] = text
			}
			r := Servers(repoOf("octo/tides-mcp", files), nil)
			if len(r.Servers) != 1 {
				t.Fatalf("%d servers: %s", len(r.Servers), r.Reason)
			}
			d := r.Servers[0].Detection
			var got []string
			for _, v := range d.Variables {
				if v.IsRequired {
					v.Name += "!"
				}
				if v.Default != "" {
					v.Name += "=" + v.Default
				}
				got = append(got, v.Name)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if d.ReadsNoVariables != tt.readsNone {
				t.Errorf("reads none: %v", d.ReadsNoVariables)
			}
		})
	}
}

// TestWorkVariables checks that variables which only a build or a release reads are no settings.
func TestWorkVariables(t *testing.T) {
	const table = "# Tides MCP Server\n\n| Variable | Description |\n|---|---|\n" +
		"| `TIDE_ZONE` | The zone |\n| `OUTPUT_DIR` | Where the files are |\n"
	const entry = "const zone = process.env.TIDE_ZONE;"
	scripts := func(s string) string {
		return strings.Replace(npmServer, "{", `{"scripts": {`+s+`}, `, 1)
	}
	for name, tt := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"in a script": {map[string]string{"README.md": table, "src/index.ts": entry,
			"package.json": scripts(`"build": "tsc --outDir $OUTPUT_DIR"`)}, []string{"TIDE_ZONE"}},
		"in a file that a script runs": {map[string]string{"README.md": table, "src/index.ts": entry,
			"build.mjs":    "write(process.env.OUTPUT_DIR!)",
			"package.json": scripts(`"build": "node ./build.mjs"`)}, []string{"TIDE_ZONE"}},
		"in a file of the program": {map[string]string{"README.md": table, "src/index.ts": entry,
			"src/write.ts": "write(process.env.OUTPUT_DIR!)", "package.json": scripts(
				`"build": "tsc src/write.ts", "start": "node src/write.ts"`)}, []string{"OUTPUT_DIR", "TIDE_ZONE"}},
		"set beside a command that publishes": {map[string]string{"src/index.ts": entry,
			"README.md": "# Tides MCP Server\n\n```\nexport TIDE_ZONE=north\n```\n\n## More\n\n" +
				"```\nexport OUTPUT_TOKEN=x\nuv publish\n```\n"}, []string{"TIDE_ZONE"}},
		"a secret of a workflow": {map[string]string{"README.md": table, "src/index.ts": entry,
			".github/workflows/release.yml": "env:\n  X: ${{ secrets.OUTPUT_DIR }}\n"}, []string{"TIDE_ZONE"}},
		"of a library": {map[string]string{"README.md": table, "src/index.ts": entry},
			[]string{"OUTPUT_DIR", "TIDE_ZONE"}},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"package.json": npmServer}
			maps.Copy(files, tt.files)
			r := Servers(repoOf("octo/tides-mcp", files), nil)
			if len(r.Servers) != 1 {
				t.Fatalf("%d servers: %s", len(r.Servers), r.Reason)
			}
			got := []string{}
			for _, v := range r.Servers[0].Detection.Variables {
				got = append(got, v.Name)
			}
			slices.Sort(got)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestApplicationVariables(t *testing.T) {
	files := map[string]string{"README.md": "# Tides MCP Server\n\nAn MCP server for tides.\n",
		"pom.xml": mavenModule("tides-mcp", "spring-ai-starter-mcp-server"),
		"src/main/java/octo/App.java": "import org.springframework.ai.tool.annotation.Tool;\nclass App {\n" +
			"@Value(\"${TIDE_CITY}\") String city;\npublic static void main(String[] a) {}\n}\n",
		"src/main/resources/application.yml": "tide:\n  key: ${TIDE_KEY}\n  zone: ${TIDE_ZONE:north}\n" +
			"  city: ${TIDE_CITY:Hull}\n---\nspring.config.activate.on-profile: cloud\ncloud: ${CLOUD_HOST}\n",
		"src/main/resources/application-dev.yml": "tide:\n  dev: ${DEV_KEY}\n",
		"src/test/resources/application.yml":     "tide:\n  test: ${HARNESS_KEY}\n"}
	r := Servers(repoOf("octo/tides-mcp", files), nil)
	if len(r.Servers) != 1 {
		t.Fatalf("%d servers: %s", len(r.Servers), r.Reason)
	}
	var got []string
	for _, v := range r.Servers[0].Detection.Variables {
		s := v.Name + "=" + v.Default
		if v.IsRequired {
			s += "!"
		}
		got = append(got, s)
	}
	slices.Sort(got)
	if d := cmp.Diff([]string{"TIDE_CITY=Hull", "TIDE_KEY=!", "TIDE_ZONE=north"}, got); d != "" {
		t.Error(d)
	}
}

// TestOwnFilesRequireNothing checks that a variable that only a file of the repository's developers
// sets is optional if the README starts the server without it.
func TestOwnFilesRequireNothing(t *testing.T) {
	own := map[string]string{"package.json": npm(""), ".mcp.json": `{"mcpServers": {"t": {"command": "node",
		"args": ["dist/index.js"], "env": {"TIDES_PORT": "${TIDES_PORT}"}}}}`,
		"index.ts": "const port = process.env.TIDES_PORT;", "README.md": "# Tides MCP server\n"}
	for readme, want := range map[string]bool{
		"": true,
		"```json\n{\"mcpServers\": {\"tides\": {\"command\": \"npx\", \"args\": [\"@octo/tides-mcp\"]}}}\n```\n": false,
	} {
		own["README.md"] = "# Tides MCP server\n\n" + readme
		d := of(t, own, nil)
		at := slices.IndexFunc(d.Variables, func(v registry.Variable) bool { return v.Name == "TIDES_PORT" })
		if at < 0 || d.Variables[at].IsRequired != want {
			t.Errorf("%q: %+v", readme, d.Variables)
		}
	}
}

// TestDeclaredByOtherWays checks that a variable that other ways to start the server declare is
// required if the code fails without it, even if a configuration in the README has none.
func TestDeclaredByOtherWays(t *testing.T) {
	files := map[string]string{"package.json": npm(""), "README.md": "# Tides MCP server\n\n```json\n" +
		`{"mcpServers": {"tides": {"command": "npx", "args": ["@octo/tides-mcp"]}}}` + "\n```\n",
		"manifest.json": `{"manifest_version": "0.3", "name": "tides", "server": {"type": "node",
			"mcp_config": {"command": "node", "args": ["${__dirname}/dist/index.js"],
				"env": {"TIDES_KEY": "${user_config.key}"}}},
			"user_config": {"key": {"title": "Key", "sensitive": true, "required": true}}}`}
	for code, want := range map[string]bool{
		"const key = process.env.TIDES_KEY;\nif (!key) {\n  throw new Error('TIDES_KEY is missing');\n}": true,
		"const key = process.env.TIDES_KEY!;":                  true,
		"const key = process.env.TIDES_KEY ?? '';":             false,
		"const key = process.env.TIDES_KEY;":                   false,
		"const wave = () => use(process.env.TIDES_KEY ?? '');": false,
	} {
		files["index.ts"] = code
		d := of(t, files, nil)
		at := slices.IndexFunc(d.Variables, func(v registry.Variable) bool { return v.Name == "TIDES_KEY" })
		if at < 0 || d.Variables[at].IsRequired != want {
			t.Errorf("%q: %+v", code, d.Variables)
		}
	}
}

// TestVariablesOfAnotherProgram checks that the fallback of a program beside the server says nothing.
func TestVariablesOfAnotherProgram(t *testing.T) {
	const project = "<Project><PropertyGroup><OutputType>Exe</OutputType></PropertyGroup>%s</Project>"
	const read = `var k = Environment.GetEnvironmentVariable("TIDE_KEY") ?? `
	d := of(t, map[string]string{"README.md": "# Tides MCP Server\n\nAn MCP server for tides.\n",
		"src/Client/Client.csproj": strings.Replace(project, "%s", "", 1),
		"src/Client/Program.cs":    read + `"x";`,
		"src/Server/Server.csproj": strings.Replace(project, "%s",
			`<ItemGroup><PackageReference Include="ModelContextProtocol" Version="1.0.0" /></ItemGroup>`, 1),
		"src/Server/Program.cs": "using ModelContextProtocol.Server;\n" + read + "throw new E();\n" +
			"builder.Services.AddMcpServer().WithStdioServerTransport();",
	}, nil)
	if len(d.Variables) != 1 || !d.Variables[0].IsRequired {
		t.Errorf("%+v", d.Variables)
	}
}

// TestValuesOfParameters checks that a README's table of values of a parameter names no variables.
func TestValuesOfParameters(t *testing.T) {
	d := of(t, map[string]string{"package.json": npmServer,
		"README.md": "# Tides MCP Server\n\n| Form | For |\n|---|---|\n| `LOW_TIDE` | Walks |\n| `TIDE_KEY` | Keys |\n\n" +
			"Set `TIDE_ZONE` in the environment.\n",
		"src/index.ts": `server.registerTool("list_tides", {inputSchema: {form: z.enum(["LOW_TIDE", "TIDE_KEY"])}}, f);` +
			"\nconst k = process.env.TIDE_KEY, zone = process.env.TIDE_ZONE;\n",
	}, nil)
	var got []string
	for _, v := range d.Variables {
		got = append(got, v.Name)
	}
	if diff := cmp.Diff([]string{"TIDE_KEY", "TIDE_ZONE"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestVariablesOfProgramsBeside checks that what another program of the package requires is not required.
func TestVariablesOfProgramsBeside(t *testing.T) {
	table := func(name string) string {
		return "\n\n| Variable | Required |\n|---|---|\n| `" + name + "` | yes |\n"
	}
	add := func(program, name string) string {
		return "\n```sh\nclaude mcp add " + program + " /path/to/" + program + " --env " + name + "=your_key\n```\n"
	}
	d := of(t, map[string]string{
		"Cargo.toml": "[package]\nname = \"tides-mcp\"\nversion = \"1.0.0\"\n[dependencies]\nrmcp = \"1\"\n" +
			"[[bin]]\nname = \"tides-mcp\"\npath = \"src/tides.rs\"\n[[bin]]\nname = \"moon-mcp\"\npath = \"src/moon.rs\"\n",
		"README.md": "# Tides MCP Server\n\nAn MCP server for tides." + table("TIDE_KEY") + add("tides-mcp", "TIDE_KEY") +
			"\n## Moon" + table("MOON_KEY") + add("moon-mcp", "MOON_KEY"),
		"src/tides.rs": "use rmcp::ServiceExt;\nfn main() { let k = std::env::var(\"TIDE_KEY\"); }\n",
		"src/moon.rs":  "use rmcp::ServiceExt;\nfn main() { let k = std::env::var(\"MOON_KEY\"); }\n",
	}, nil)
	var required []string
	for _, v := range d.Variables {
		if v.IsRequired {
			required = append(required, v.Name)
		}
	}
	if diff := cmp.Diff([]string{"TIDE_KEY"}, required); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
