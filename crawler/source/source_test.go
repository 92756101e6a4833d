package source

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

func TestImports(t *testing.T) {
	for _, c := range []struct {
		name   string
		files  Files
		listed []string
		want   []string
	}{
		{
			"relative, of a compiled name, and of a package of the repository",
			Files{
				"packages/core/package.json": `{"name": "@octo/core", "main": "dist/index.js"}`,
				"src/index.ts": `import { a } from "./tools/a.js"; import core from "@octo/core"
import type { T } from "./types.js"; import { z } from "zod"`,
			},
			[]string{"packages/core/src/index.ts", "src/index.ts", "src/tools/a.ts", "src/types.ts", "src/other.ts"},
			[]string{"packages/core/src/index.ts", "src/tools/a.ts"},
		},
		{
			"entry point of a package",
			Files{"package.json": `{"bin": {"octo": "build/start.js"}}`},
			[]string{"src/start.ts", "src/other.ts"}, []string{"src/start.ts"},
		},
		{
			"Python",
			Files{"src/octo/server.py": "from .tools import weather\nfrom octo.api import get\nimport os\nfrom ..x import y\n"},
			[]string{"src/octo/tools/weather.py", "src/octo/tools/__init__.py", "src/octo/api.py", "src/octo/os.py", "src/z.py"},
			[]string{"src/octo/tools/__init__.py", "src/octo/tools/weather.py", "src/octo/api.py", "src/octo/os.py"},
		},
		{
			"a module of Python's own package",
			Files{"src/octo/server.py": "from . import api\nfrom .. import top\n"},
			[]string{"src/octo/api.py", "src/api.py", "src/octo/__init__.py", "src/top.py"},
			[]string{"src/octo/__init__.py", "src/octo/api.py", "src/top.py"},
		},
		{
			"packages of Go",
			Files{"go.mod": "module example.org/octo\n",
				"cmd/octo/main.go": "package main\n\nimport \"example.org/octo/tides\"\n"},
			[]string{"cmd/octo/flags.go", "tides/tides.go", "tides/tides_test.go", "octo/tides/tides.go"},
			[]string{"tides/tides.go", "cmd/octo/flags.go"},
		},
		{
			"modules of Rust that are named like tests or builds",
			Files{"src/tools/mod.rs": "mod test;\nmod build;\n#[cfg(test)]\nmod tests;\n"},
			[]string{"build.rs", "src/tools/build.rs", "src/tools/test.rs", "src/tools/tests.rs"},
			[]string{"src/tools/build.rs", "src/tools/test.rs"},
		},
		{"nothing", Files{"src/index.ts": `import "./a"`}, []string{"src/index.ts"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Imports(c.files, c.listed)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReach(t *testing.T) {
	files := Files{"tsconfig.json": `{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}`,
		"package.json": `{"name": "octo", "main": "dist/serve.js"}`,
		"src/cli.ts":   `import { a } from "@/a"; import b from "./b.json"`, "src/a.ts": `import "./a2"`,
		"src/a2.ts":  `import "./a"`,
		"src/b.json": "{}", "src/serve.ts": `import "./a"`, "lazy.js": "import(name)",
		"a.cs": "using A;", "gone.py": "import lost",
		"Cargo.toml": "[package]\nname = \"tide-mcp\"\n", "src/main.rs": "mod sea;\nuse tide_mcp::serve;",
		"src/lib.rs": "pub(crate) mod wave;\n#[cfg(test)]\nmod tests;", "src/tests.rs": "use tide_mcp::wave;",
		"src/wave.rs": "mod swell;", "src/wave/swell.rs": "",
		"src/sea/mod.rs": "mod salt;", "src/sea/salt.rs": "use std::fs;", "src/bin/release.rs": "",
		"notes.ts": "// import \"./src/a\"\n/* export * from \"./src/cli\" */\n" +
			"const u = 'http://x' // \"",
		"src/bin/notes.rs": "/*\nmod sea;\n*/\n// tide_mcp::serve\nfn main() {}",
		"src/other.rs":     "", "src/bin/open.rs": "mod old {\n    mod lost;\n}"}
	listed := []string{"a.cs", "lost.py"}
	for p := range files {
		listed = append(listed, p)
	}
	for name, c := range map[string]struct {
		main       string
		want, open []string
	}{
		"aliases and data":         {"src/cli.ts", []string{"src/a.ts", "src/a2.ts", "src/b.json", "src/cli.ts"}, nil},
		"code that chooses":        {"lazy.js", []string{"lazy.js"}, []string{"lazy.js"}},
		"a file that was not read": {"gone.py", []string{"gone.py", "lost.py"}, []string{"lost.py"}},
		"modules and crates": {"src/main.rs", []string{"src/lib.rs", "src/main.rs", "src/sea/mod.rs",
			"src/sea/salt.rs", "src/wave.rs", "src/wave/swell.rs"}, nil},
		"a module in another one": {"src/bin/open.rs", []string{"src/bin/open.rs"}, []string{"src/bin/open.rs"}},
		"comments":                {"notes.ts", []string{"notes.ts"}, nil},
		"comments in Rust":        {"src/bin/notes.rs", []string{"src/bin/notes.rs"}, nil},
		"imports that name none":  {"a.cs", []string{"a.cs"}, []string{"a.cs"}},
	} {
		isListed := map[string]bool{}
		for _, p := range listed {
			isListed[p] = true
		}
		reached, open := NewGraph(files, isListed).Reach([]string{c.main})
		if d := cmp.Diff(c.want, reached) + cmp.Diff(c.open, open); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestUnread(t *testing.T) {
	files := Files{"internal/tools/tides/tides.go": "", "src/index.ts": `import "./tools/winds/winds"`,
		"src/main.py": "import winds\n"}
	for name, c := range map[string]struct {
		listed []string
		root   string
		want   bool
	}{
		"all read":       {[]string{"internal/tools/tides/tides.go", "internal/tools/tides/cache.go"}, "", false},
		"another tool":   {[]string{"internal/tools/winds/winds.go"}, "", true},
		"a test":         {[]string{"internal/tools/winds/tests/tools.go"}, "", false},
		"another folder": {[]string{"internal/tools/winds/winds.go"}, "cmd", false},
		"a script":       {[]string{"src/tools/tides/tides.ts"}, "", false},
		"an import":      {[]string{"src/tools/winds/winds.ts"}, "", true},
		"any import":     {[]string{"src/winds.py"}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			unread := Unread(files, c.listed)
			if got := slices.ContainsFunc(unread, func(p string) bool { return IsOwn(c.root, p) }); got != c.want {
				t.Errorf("got %v: %v", got, unread)
			}
		})
	}
}

func TestCandidatesTakeTurns(t *testing.T) {
	got := Candidates([]string{"tools.py", "web/app.ts", "web/index.ts"})
	if diff := cmp.Diff([]string{"web/index.ts", "tools.py", "web/app.ts"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestPartial tests that files without tools are partial: their program may only start another
// package, or a program in another language.
func TestPartial(t *testing.T) {
	for _, files := range []Files{
		{"octo_shim.py": "from octo_core.server import main\n"},
		{"index.js": `import("octo-core").then(m => m.start())`},
		{"server.py": "from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('octo')\n"}, {},
	} {
		if !Tools(files, nil, nil, nil).Partial {
			t.Errorf("%v: not partial", files)
		}
	}
	many := Files{"a/server.py": "from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('octo')\n" +
		"@mcp.tool()\ndef dig(): ...\n"}
	for i := range 2 * MaxFiles {
		many[fmt.Sprintf("b/f%d.py", i)] = "x = 1\n"
	}
	if Tools(many, []string{"a"}, nil, nil).Partial || !Tools(many, []string{"a", "b"}, nil, nil).Partial {
		t.Error("the limits are not those of the files of a server")
	}
	files := Files{"package.json": `{"name": "octo-mcp", "bin": "index.js"}`, "index.js": `import "octo-core"`}
	if !Tools(files, nil, nil, nil).Partial {
		t.Error("a server whose tools are in another package is not partial")
	}
	files["main.go"] = `package main
import "github.com/mark3labs/mcp-go/mcp"
func main() { s.AddTool(mcp.NewTool("dig"), h) }`
	if r := Tools(files, nil, nil, nil); r.Partial || len(r.Tools) != 1 {
		t.Errorf("with a program in Go: %+v", r)
	}
}

// TestUnreadDescriptions tests that a description that code computes is unknown, not missing.
func TestUnreadDescriptions(t *testing.T) {
	for path, code := range map[string]string{
		"index.js": `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
const server = new McpServer({ name: "garden" });
server.registerTool("dig", { description: readFileSync("dig.md", "utf8"), inputSchema: {} }, run);
server.registerTool("rake", { inputSchema: {} }, run);`,
		"server.py": `from mcp.server.fastmcp import FastMCP
mcp = FastMCP("garden")
@mcp.tool(description=open("dig.md").read())
def dig(): pass
@mcp.tool()
def rake(): pass
`,
		"main.go": `package main
import ("github.com/mark3labs/mcp-go/mcp"; "github.com/mark3labs/mcp-go/server")
func main() {
	s := server.NewMCPServer("garden", "1")
	s.AddTool(mcp.NewTool("dig", mcp.WithDescription(load("dig.md"))), h)
	s.AddTool(mcp.NewTool("rake"), h)
}`} {
		got := map[string]bool{}
		for _, tool := range Tools(Files{path: code}, nil, nil, nil).Tools {
			got[tool.Name] = tool.DescriptionUnread
		}
		if d := cmp.Diff(map[string]bool{"dig": true, "rake": false}, got); d != "" {
			t.Errorf("%s: unread, -want +got:\n%s", path, d)
		}
	}
}

func TestTools_touches(t *testing.T) {
	files := Files{"package.json": `{"name": "garden-mcp", "main": "index.ts", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`,
		"index.ts": `import * as Sentry from "@sentry/node";
import { spawn } from "node:child_process";
import { readFile } from "fs/promises";
const help = "See https://docs.garden.example.com for help";
const base = "https://api.garden.dev/v1";
const schema = "http://json-schema.org/draft-07/schema#";
function start() {
  new Server({ name: "a", websiteUrl: "https://pages.garden.dev", icons: [{ src: "https://icons.garden.dev/a" }] });
  Sentry.init(); spawn("grow", []);
  return readFile("beds.json");
}
`, "tools.py": `import os
import http.server

def serve():
    SCOPES = ["https://scopes.garden.dev/read"]
    grant(scopes=SCOPES, redirect_uris=["https://grants.garden.dev"], more={"allowed_hosts": ["https://a.dev"]})
    os.makedirs("beds", exist_ok=True)
    http.server.HTTPServer(("", 80), None)
    return "https://api.garden.dev/v2"
`, "main.go": `package main

import "os/exec"

func main() {
	s := mcp.New(mcp.Options{WebsiteURL: "https://pages.garden.dev", Icons: []string{"https://icons.garden.dev/a"}})
	exec.Command("grow").Run()
}
`}
	want := &registry.Touches{
		Files:      []registry.SourceUse{{Name: "fs/promises.readFile", Evidence: "index.ts:10"}, {Name: "os.makedirs", Evidence: "tools.py:7"}},
		Processes:  []registry.SourceUse{{Name: "node:child_process.spawn", Evidence: "index.ts:9"}, {Name: "os/exec.Command", Evidence: "main.go:7"}},
		Listens:    []registry.SourceUse{{Name: "http.server.HTTPServer", Evidence: "tools.py:8"}},
		Telemetry:  []registry.SourceUse{{Name: "@sentry/node", Evidence: "index.ts:1"}},
		Hosts:      []registry.HostUse{{Host: "api.garden.dev", Evidence: "index.ts:5"}},
		SourceRead: registry.SourceReadWhole,
	}
	if d := cmp.Diff(want, Tools(files, nil, nil, nil).Touches); d != "" {
		t.Error(d)
	}
	if got := Tools(Files{"main.rs": "fn main() {}"}, nil, nil, nil).Touches; got != nil {
		t.Errorf("a language without known operations: %+v", got)
	}
}

// TestImportedAside tests that a module that is named like a test is read if the program imports it.
func TestImportedAside(t *testing.T) {
	const tool = "from garden.app import mcp\n@mcp.tool()\ndef "
	r := Tools(Files{
		"garden/app.py":             "from fastmcp import FastMCP\nmcp = FastMCP('garden')\nfrom . import tools\n",
		"garden/tools/__init__.py":  "from .test_soil import test_soil\n",
		"garden/tools/test_soil.py": tool + "test_soil(): pass\n",
		"garden/tools/test_dig.py":  tool + "test_dig(): pass\n",
	}, nil, nil, nil)
	if len(r.Tools) != 1 || r.Tools[0].Name != "test_soil" || r.Partial {
		t.Errorf("got %+v", r)
	}
}

// TestDeclaredModule tests that a module of a program is no test by its name alone.
func TestDeclaredModule(t *testing.T) {
	const tool = "#[tool(description = \"d\")]\nfn "
	got := Tools(Files{"Cargo.toml": "[package]\nname = \"tide\"\n", "src/main.rs": "mod tools;",
		"src/tools/mod.rs":   "mod test;\nmod build;\n#[cfg(test)]\nmod tests;",
		"src/tools/test.rs":  tool + "test(&self) {}",
		"src/tools/build.rs": tool + "build(&self) {}",
		"src/tools/tests.rs": tool + "other(&self) {}"}, nil, nil, nil)
	var names []string
	for _, tool := range got.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	if d := cmp.Diff([]string{"build", "test"}, names); d != "" {
		t.Error(d)
	}
}
