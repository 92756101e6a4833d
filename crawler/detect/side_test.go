package detect

import (
	"testing"
)

func TestSides(t *testing.T) {
	const server, client, both, none = "server", "client", "both", "none"
	for _, tt := range []struct{ path, text, want string }{
		{"src/index.ts", "import { McpServer } from \"@modelcontextprotocol/sdk/server/mcp.js\";",
			server},
		{"src/index.js", "const { Server } = require('@modelcontextprotocol/sdk/server/index.js');",
			server},
		{"src/index.ts", "export default createMcpHandler((server) => {});", server},
		{"src/chat.ts", "import { Client } from '@modelcontextprotocol/sdk/client/index.js';",
			client},
		{"src/chat.tsx", "const tools = await experimental_createMCPClient({ transport });",
			client},
		{"src/relay.ts",
			"const down = new StdioServerTransport();\nconst up = new SSEClientTransport(u);",
			both},
		{"src/new.ts",
			"const program = `\nimport { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\n" +
				"const s = new McpServer({});`;\nwrite(program);", none},
		{"src/host.ts", "import { type Config, McpServer } from './process';\nconst s = new McpServer(c);", none},
		{"src/note.ts", "// new McpServer({})\nexport {};", none},
		{"src/slash.ts", "const quote = /[`'\"]/g;\nconst s = new McpServer({});", server},
		{"src/index.js", "switch (m.method) {\n  case 'tools/list':\n    reply(tools);\n" +
			"  case 'tools/call':\n    reply(call(m));\n}", server},
		{"src/tide.ts", "export default class Tide extends MCPTool<In> {}", server},
		{"src/types.ts", "export interface Marked extends MCPTool { mark: string }", none},
		{"src/log.js", "const isList = (m) => m === 'tools/list';", none},
		{"src/log.ts", "import { Client } from '@modelcontextprotocol/sdk/client/index.js';\n" +
			"const short = method === 'tools/list' ? 'list' : method;", client},
		{"tides.py", "from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('tides')\n", server},
		{"tides.py", "from fastmcp import FastMCP\n", none},
		{"chat.py", "from mcp import ClientSession\nasync with ClientSession(r, w) as s: ...\n", client},
		{"tides.py", "from fastmcp import FastMCP\nmcp = FastMCP.from_openapi(spec, client)\n", server},
		{"chat.py", "from mcp import ClientSession\nclass Kit:\n    session: ClientSession\n", client},
		{"chat.py", "from mcp import (\n    ClientSession,\n    types,\n)\n", client},
		{"chat.py", "from aiohttp import ClientSession\nasync with ClientSession() as s: ...\n", none},
		{"chat.py", "from fastmcp import Client\n", client},
		{"new.py", "PROGRAM = \"\"\"\nfrom mcp.server import Server\nmcp = FastMCP('x')\n\"\"\"\n", none},
		{"main.go", "import \"github.com/mark3labs/mcp-go/server\"", server},
		{"main.go", "s := mcp.NewServer(&mcp.Implementation{}, nil)", server},
		{"main.go", "import \"github.com/mark3labs/mcp-go/client\"", client},
		{"gen.go", "const text = `s := mcp.NewServer(nil, nil)`", none},
		{"src/main.rs", "impl ServerHandler for Tides {}", server},
		{"src/serve.rs", "use serde::Deserialize;\nstruct ClientInfo;\nmatch m {\n\"tools/list\" => list(),\n" +
			"\"tools/call\" => call(),\n}", server},
		{"src/main.rs", "let p = TokioChildProcess::new(cmd)?;", client},
		{"Program.cs", "builder.Services.AddMcpServer().WithStdioServerTransport();", server},
		{"Program.cs", "var c = await McpClientFactory.CreateAsync(t);", client},
		{"Tides.java", "import io.modelcontextprotocol.server.McpSyncServer;", server},
		{"Chat.java", "import io.modelcontextprotocol.client.McpSyncClient;", client},
		{"Tides.kt", "import io.modelcontextprotocol.kotlin.sdk.server.Server", server},
		{"Chat.kt", "import io.modelcontextprotocol.kotlin.sdk.client.Client", client},
		{"Sources/main.swift", "import MCP\nlet server = Server(name: \"tides\", version: \"1\")", server},
		{"Sources/chat.swift", "import MCP\nlet client = Client(name: \"chat\", version: \"1\")", client},
		{"lib/tides.rb", "class TideTool < MCP::Tool\nend", server},
		{"tides.rb", "require 'mcp'\ntool \"tides\" do\n  description \"x\"\nend", server},
		{"lib/chat.rb", "client = MCPClient.create_client(x)", client},
		{"src/Tides.php", "use PhpMcp\\Server\\Server;", server},
		{"src/Chat.php", "use PhpMcp\\Client\\Client;", client},
		{"README.md", "new McpServer({})", none},
		// Types alone.
		{"src/tool.ts", "import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\n" +
			"export type Add = (s: McpServer) => void;", none},
		{"src/tool.ts", "import { type McpServer, type Tool } from \"@modelcontextprotocol/sdk/server/mcp.js\";",
			none},
		{"src/relay.ts", "import type { Server } from '@modelcontextprotocol/sdk/server/index.js'\n" +
			"import { Client } from '@modelcontextprotocol/sdk/client/index.js'", client},
		{"src/index.ts", "import { type Tool, McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'", server},
		{"chat.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from mcp.server import Server\n",
			none},
		{"tides.py", "if TYPE_CHECKING:\n    import x\nfrom mcp.server import Server\n", server},
		// Requests that are answered without an SDK.
		{"Rpc.java", "import java.util.Map;\nif (\"tools/list\".equals(m)) list();\n" +
			"else if (m.equals(\"tools/call\")) call();", server},
		{"rpc.py", "import json\nROUTES = {\n    \"tools/list\": self.list_tools,\n" +
			"    'tools/call': handle_call,\n}\n", server},
		{"rpc.js", "module.exports = {\n  'tools/list': async () => all,\n  \"tools/call\": (p) => run(p),\n};", server},
		{"rpc.rb", "require 'json'\nROUTES = { 'tools/list' => :list, 'tools/call' => :call }", server},
		{"rpc.go", "package a\n\nvar routes = map[string]handler{\n\"tools/list\": s.handleList,\n" +
			"\"tools/call\": func(r *request) { s.call(r) },\n}", server},
		{"src/rpc.rs", "use jsonrpsee::RpcModule;\nm.register_method(\"tools/list\", |_, _| all())?;\n" +
			"m.register_async_method(\"tools/call\", call)?;", server},
		{"rpc.ts", "export {};\nrpc.addMethod(\"tools/list\", list);\nrpc.addMethod('tools/call', call);", server},
		{"cost.py", "import x\nCOSTS = {\n    \"tools/list\": 1,\n    \"tools/call\": 10,\n}\n", none},
		{"scope.ts", "export const scopes = { 'tools/list': 'read', 'tools/call': 'write' };", none},
		{"ask.ts", "export {};\nawait rpc.request('tools/list', {});\nawait rpc.send(\"tools/call\", p);", none},
	} {
		s := sidesOf(tt.path, tt.text)
		got := none
		switch {
		case s.serves() && s.client != "":
			got = both
		case s.serves():
			got = server
		case s.onlyConnects():
			got = client
		}
		if got != tt.want {
			t.Errorf("%s: %q: got %s, want %s", tt.path, tt.text, got, tt.want)
		}
	}
}

// TestAnswersByName checks that names of methods count where they are compared, in any file.
func TestAnswersByName(t *testing.T) {
	for _, tt := range []struct {
		name, names, code string
		want              bool
	}{
		{"Kotlin", "object Methods {\n  const val LIST = \"tools/list\"\n  const val CALL = \"tools/call\"\n}\n",
			"import a.Methods\nfun answer(m: String) = when (m) {\n  Methods.LIST -> list()\n  Methods.CALL -> call()\n}\n",
			true},
		{"Java", "enum Method { TOOLS_LIST(\"tools/list\"), TOOLS_CALL(\"tools/call\"); }\n",
			"import a.Method;\nclass B { void c() { switch (m) { case TOOLS_LIST: a(); case TOOLS_CALL: b(); } } }\n", true},
		{"Java, asking", "class Methods { static final String LIST = \"tools/list\", CALL = \"tools/call\"; }\n",
			"import a.Methods;\nclass B { void c() { send(Methods.LIST); send(Methods.CALL); } }\n", false},
	} {
		ext := map[bool]string{true: ".kt", false: ".java"}[tt.name == "Kotlin"]
		r := read(repoOf("octo/tides", map[string]string{
			"src/main/java/a/Methods" + ext: "package a\n\n" + tt.names,
			"src/main/java/a/Rpc" + ext:     "package a\n\n" + tt.code}))
		r.resolve()
		if got := r.sides.serves(); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}
