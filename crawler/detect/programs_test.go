package detect

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// goTool returns a file of a package in Go that serves a tool.
func goTool(pkg, tool string) string {
	return "package " + pkg + "\n\nimport \"github.com/modelcontextprotocol/go-sdk/mcp\"\n\n" +
		"func main() {\n\ts := mcp.NewServer(nil, nil)\n\tmcp.AddTool(s, &mcp.Tool{Name: \"" + tool +
		"\"}, get)\n\ts.Run(ctx, &mcp.StdioTransport{})\n}\n"
}

// TestProgramsBeside tests that code of other programs of a folder is not the server's.
func TestProgramsBeside(t *testing.T) {
	const project = "[project]\nname = \"tides\"\ndependencies = [\"mcp\"]\n" +
		"[project.scripts]\ntides = \"tides.server:main\"\n"
	const server = "import os\nfrom mcp.server.fastmcp import FastMCP\nfrom tides import sea\n" +
		"mcp = FastMCP(\"tides\")\n\n@mcp.tool()\ndef tide(place: str) -> str:\n" +
		"    \"\"\"Get the tide.\"\"\"\n" +
		"    return sea.at(place)\n\ndef main():\n    mcp.run()\n"
	const sea = "import os\n\nKEY = os.environ[\"SEA_KEY\"]\n\ndef at(place):\n    return KEY\n"
	const release = "import os\nimport subprocess\nfrom mcp.server.fastmcp import FastMCP\n\n" +
		"token = os.environ[\"UPLOAD_TOKEN\"]\nsubprocess.run([\"twine\"])\n"
	const client = "import os\nimport subprocess\n\nTOKEN = os.environ[\"UPLOAD_TOKEN\"]\n" +
		"subprocess.run([\"twine\"])\n"
	tests := []struct {
		name  string
		files map[string]string
		want  string // tools, required and other variables, processes
	}{
		{"another script", map[string]string{
			"pyproject.toml": project, "src/tides/server.py": server, "src/tides/sea.py": sea,
			"src/tides/__init__.py": "# Tides.\n", "lab/upload.py": client,
		}, "tide; SEA_KEY; ; 0"},
		{"a script that is copied", map[string]string{
			"pyproject.toml": project, "src/tides/sea.py": sea, "src/tides/__init__.py": "# Tides.\n" +
				"",
			"src/tides/server.py": server + "\nCODE = open(\"upload.py\").read()\n",
			"src/tides/upload.py": client,
		}, "tide; SEA_KEY; ; 1"},
		{"modules that a library loads", map[string]string{
			"pyproject.toml": project, "src/tides/sea.py": sea, "src/tides/__init__.py": "# Tides.\n",
			"src/tides/server.py": server + "\nfrom loader import load_all\nload_all(\"tides.tools\")\n",
			"src/tides/tools/waves.py": "import os\nfrom tides.server import mcp\n\nKEY = os.environ[\"WAVE_KEY\"]\n\n" +
				"@mcp.tool()\ndef wave(place: str) -> str:\n    \"\"\"Get the waves.\"\"\"\n    return KEY\n",
		}, "tide wave; SEA_KEY WAVE_KEY; ; 0"},
		{"modules of a folder from which code chooses", map[string]string{
			"pyproject.toml": project, "src/tides/sea.py": sea, "src/tides/__init__.py": "# Tides.\n",
			"src/tides/server.py":         server + "\nfrom tides.tools import storms, waves\n",
			"src/tides/tools/__init__.py": "# from tides.tools import draft\n",
			"src/tides/tools/waves.py":    "from tides.server import mcp\n\n@mcp.tool()\ndef wave():\n    \"\"\"Get.\"\"\"\n",
			"src/tides/tools/storms.py":   "from tides.server import mcp\n\n@mcp.tool()\ndef storm():\n    \"\"\"Get.\"\"\"\n",
			"src/tides/tools/draft.py":    "from tides.server import mcp\n\n@mcp.tool()\ndef draft():\n    \"\"\"Get.\"\"\"\n",
		}, "tide storm wave; SEA_KEY; ; 0"},
		{"modules of a folder with a helper", map[string]string{
			"pyproject.toml": project, "src/tides/sea.py": sea, "src/tides/__init__.py": "# Tides.\n",
			"src/tides/server.py":         server + "\nfrom tides.tools.base import setup\nload_all(tools)\n",
			"src/tides/tools/__init__.py": "# Tools.\n",
			"src/tides/tools/base.py":     "def setup(): ...\n",
			"src/tides/tools/waves.py": "from tides.tools.base import setup\nfrom tides.server import mcp\n\n" +
				"@mcp.tool()\ndef wave():\n    \"\"\"Get.\"\"\"\n",
		}, "tide wave; SEA_KEY; ; 0"},
		{"a module of another folder in a string", map[string]string{
			"pyproject.toml": project, "src/tides/sea.py": sea, "src/tides/__init__.py": "# Tides.\n",
			"src/tides/server.py": server + "\nsubprocess.run([sys.executable, \"-m\", \"lab.upload\"])\n",
			"lab/upload.py":       client,
		}, "tide; SEA_KEY; ; 1"},
		{"unknown imports", map[string]string{
			"pyproject.toml": project, "src/tides/sea.py": sea, "src/tides/__init__.py": "# Tides.\n" +
				"",
			"src/tides/server.py":   server + "\nimport importlib\nimportlib.import_module(\"lab.\" + NAME)\n",
			"lab/upload.py":         client,
			"release/upload_all.py": strings.Replace(client, "UPLOAD", "RELEASE", 1),
		}, "tide; SEA_KEY UPLOAD_TOKEN; ; 1"},
		{"another server", map[string]string{
			"pyproject.toml": project, "src/tides/server.py": server, "src/tides/sea.py": sea,
			"src/tides/__init__.py": "# Tides.\n", "lab/upload.py": release,
		}, "tide; SEA_KEY UPLOAD_TOKEN; ; 1"},
		{"a command", map[string]string{
			"go.mod": "module example.com/tides\n\n" +
				"require github.com/modelcontextprotocol/go-sdk v1.0.0\n",
			"cmd/tides/main.go": "package main\n\nimport (\n\t\"os\"\n" +
				"\t\"github.com/modelcontextprotocol/go-sdk/mcp\"\n)\n\n" +
				"func main() {\n\tbranch, folder := \"main\", \"cmd\"\n\tkey := os.Getenv(\"SEA_KEY\")\n\tif key == \"\" {\n" +
				"\t\tpanic(\"no key\")\n\t}\n" +
				"\ts := mcp.NewServer(nil, nil)\n\tmcp.AddTool(s, &mcp.Tool{Name: \"tide\"}, get)\n" +
				"\ts.Run(ctx, &mcp.StdioTransport{})\n}\n",
			"cmd/release/main.go": "package main\n\nimport (\n\t\"os\"\n\t\"os/exec\"\n)\n\n" +
				"func main() {\n\tos.Getenv(\"UPLOAD_TOKEN\")\n\texec.Command(\"git\")\n}\n",
		}, "tide; SEA_KEY; ; 0"},
		{"a package that no command imports", map[string]string{
			"go.mod":            "module example.com/tides\n\nrequire github.com/modelcontextprotocol/go-sdk v1.0.0\n",
			"cmd/tides/main.go": goTool("main", "tide"),
			"old/server.go":     goTool("old", "wave"),
		}, "tide; ; ; 0"},
		{"another language", map[string]string{
			"pom.xml": "<project><artifactId>tides</artifactId><dependencies><dependency>" +
				"<groupId>org.springframework.ai</groupId><artifactId>spring-ai-starter-mcp-server</artifactId>" +
				"</dependency></dependencies><build><plugins><plugin><artifactId>spring-boot-maven-plugin</artifactId>" +
				"</plugin></plugins></build></project>",
			"src/main/java/Tides.java": "import org.springframework.ai.tool.annotation.Tool;\n" +
				"class Tides {\n" +
				"  @Tool(description = \"Get the tide.\")\n" +
				"  public String tide(String place) { return place; }\n}\n",
			"draft/server.py": strings.Replace(server, "def tide", "def draft", 1),
		}, "tide; ; ; 0"},
		{"another language with a manifest", map[string]string{
			"pyproject.toml": project, "src/tides/server.py": server, "src/tides/sea.py": sea,
			"src/tides/__init__.py": "# Tides.\n", "package.json": `{"name":"js"}`,
			"js/mcp.js": "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'\n" +
				"const s = new McpServer({name: 'a'})\n" +
				"s.registerTool('show', {description: 'Show.'}, async () => ({}))\n" +
				"await s.connect(new StdioServerTransport())\n",
		}, "show tide; SEA_KEY; ; 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := Servers(repoOf("a/tides-mcp", tt.files), nil)
			if len(r.Servers) != 1 {
				t.Fatalf("%d servers: %s", len(r.Servers), r.Reason)
			}
			d := r.Servers[0].Detection
			var tools, required, others []string
			for _, tool := range d.Tools {
				tools = append(tools, tool.Name)
			}
			for _, v := range d.Variables {
				if v.IsRequired {
					required = append(required, v.Name)
				} else {
					others = append(others, v.Name)
				}
			}
			slices.Sort(required)
			processes := 0
			if d.Touches != nil {
				processes = len(d.Touches.Processes)
			}
			got := strings.Join([]string{strings.Join(tools, " "), strings.Join(required, " "),
				strings.Join(others, " "), string(rune('0' + processes))}, "; ")
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestEntryOfCommands tests that the command that serves is the entry of a module.
func TestEntryOfCommands(t *testing.T) {
	files := map[string]string{
		"go.mod":              "module example.com/tides\n\nrequire github.com/modelcontextprotocol/go-sdk v1.0.0\n",
		"cmd/codegen/main.go": "package main\n\nfunc main() {}\n", "cmd/tides/main.go": goTool("main", "tide"),
	}
	r := Servers(repoOf("a/tides-mcp", files), nil)
	if want := "can be started (cmd/tides/main.go)"; !strings.Contains(r.Reason, want) {
		t.Errorf("%q, want %q", r.Reason, want)
	}
}

// TestGem tests that a gem is a server only with an executable or a file that a client starts.
func TestGem(t *testing.T) {
	const gem = "Gem::Specification.new do |s|\n  s.name = \"tides_mcp\"\n  s.add_dependency \"rails\"\n"
	const starts = "\n```json\n{\"mcpServers\": {\"tides\": {\"command\": \"ruby\", \"args\": [\"tides.rb\"]}}}\n```\n"
	for _, c := range []struct{ spec, config, want string }{
		{gem + "end\n", "", StateNotServer},
		{gem + "  s.executables = [\"tides-mcp\"]\nend\n", "", StateServer},
		{gem + "end\n", starts, StateServer},
	} {
		r := Servers(repoOf("a/tides_mcp", map[string]string{"tides_mcp.gemspec": c.spec, "tides.rb": "require 'tides_mcp'\n",
			"README.md":  "# Tides MCP\n\nAn MCP server for tides over stdio.\n" + c.config,
			"app/mcp.rb": "case request[\"method\"]\nwhen \"tools/list\" then list\nwhen \"tools/call\" then call\nend\n",
		}), nil)
		if r.State != c.want {
			t.Errorf("%s%s\n%s: %s, want %s", c.spec, c.config, r.State, r.Reason, c.want)
		}
	}
}

// TestOwnServerClass tests that a program with its own class of servers that answers requests is a
// server, even if it connects to others with an SDK; a class of what it connects to is none.
func TestOwnServerClass(t *testing.T) {
	for class, want := range map[string]string{
		"process.stdin.on('data', (m) => { switch (m.method) {\n  case 'tools/list': list();\n  " +
			"case 'tools/call': call(m);\n} });": StateServer,
		"spawn(config.command);": StateNotServer,
	} {
		r := Servers(repoOf("a/tides-mcp", map[string]string{
			"package.json": `{"name": "tides-mcp", "version": "1.0.0", "type": "module", "bin": "index.js", ` +
				`"dependencies": {"@modelcontextprotocol/sdk": "1.0.0"}}`,
			"README.md": "# Tides MCP\n\nAn MCP server for tides.\n",
			"index.js": "import { McpServer } from './own.js';\n" +
				"import { Client } from '@modelcontextprotocol/sdk/client/index.js';\n" +
				"const up = new Client({});\nconst s = new McpServer({});\n",
			"own.js": "export class McpServer { run() { " + class + " } }\n",
		}), nil)
		if r.State != want {
			t.Errorf("%s\n%s: %s, want %s", class, r.State, r.Reason, want)
		}
	}
}
