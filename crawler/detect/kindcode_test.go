package detect

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Source code of our own writing.
const (
	tsServer = "import { McpServer } from \"@modelcontextprotocol/sdk/server/mcp.js\";\n" +
		"import { StdioServerTransport } from \"@modelcontextprotocol/sdk/server/stdio.js\";\n" +
		"const s = new McpServer({ name: \"tides\", version: \"1\" });\nawait s.connect(new StdioServerTransport());\n"
	tsClient = "import { Client } from \"@modelcontextprotocol/sdk/client/index.js\";\n" +
		"const c = new Client({ name: \"chat\", version: \"1\" });\n"
	pyServer = "from mcp.server.fastmcp import FastMCP\nmcp = FastMCP(\"tides\")\n\n@mcp.tool()\n" +
		"def tide_table(harbour: str) -> str:\n    \"\"\"Says when the water is high.\"\"\"\n\n" +
		"def main():\n    mcp.run()\n"
	pyClient = "from mcp import ClientSession, StdioServerParameters\nfrom mcp.client.stdio import stdio_client\n" +
		"async def connect(r, w):\n    async with ClientSession(r, w) as s:\n        return await s.list_tools()\n"
	tutorialServer = "from mcp.server.fastmcp import FastMCP\nmcp = FastMCP(\"x\")\n\n@mcp.tool()\n" +
		"def get_alerts(state: str) -> str:\n    \"\"\"Alerts.\"\"\"\n\n@mcp.tool()\n" +
		"def get_forecast(latitude: float, longitude: float) -> str:\n    \"\"\"Forecast.\"\"\"\n\n" +
		"def main():\n    mcp.run()\n"
	mainOfPython = "\nif __name__ == \"__main__\":\n    main()\n"

	goServer  = "package main\n\nimport \"github.com/mark3labs/mcp-go/server\"\n\nfunc main() { server.ServeStdio(nil) }\n"
	goClient  = "package main\n\nimport \"github.com/mark3labs/mcp-go/client\"\n\nfunc main() { client.NewClient(nil) }\n"
	rsClient  = "use rmcp::transport::TokioChildProcess;\n\nfn main() { TokioChildProcess::new(cmd); }\n"
	phpTool   = "<?php\nnamespace Octo;\nuse Laravel\\Mcp\\Server\\Tool;\nclass TideTool extends Tool {}\n"
	answering = "import json\n\ndef main():\n    answers = {\"tools/list\": lambda: [], \"tools/call\": lambda: None}\n"
	csServer  = "builder.Services.AddMcpServer().WithStdioServerTransport().WithToolsFromAssembly();\n"
	csClient  = "using ModelContextProtocol.Client;\nvar c = await McpClientFactory.CreateAsync(t);\n"

	ktServer  = "import io.modelcontextprotocol.kotlin.sdk.server.Server\nfun serve() = Server(info).connect(t)\n"
	kotlinSDK = `dependencies { implementation("io.modelcontextprotocol:kotlin-sdk:0.8.0") }`

	npmSDK = `"dependencies": {"@modelcontextprotocol/sdk": "1"}`
	csSDK  = `<PackageReference Include="ModelContextProtocol" Version="0.4.0" />`
	csProj = `<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType>` +
		`</PropertyGroup><ItemGroup>` +
		csSDK + `</ItemGroup></Project>`
	othersConfig = "```json\n{\"mcpServers\": {\"files\": {\"command\": \"npx\", \"args\": " +
		"[\"-y\", \"@modelcontextprotocol/server-filesystem\", \"/home/me\"]}}}\n```\n"
)

// uvxConfig is the configuration of a package of PyPI.
func uvxConfig(name string) string {
	return fmt.Sprintf("```json\n{\"mcpServers\": {\"x\": {\"command\": \"uvx\", \"args\": [%q]}}}\n```\n", name)
}

func npxConfig(name string) string {
	return fmt.Sprintf("```json\n{\"mcpServers\": {\"x\": {\"command\": \"npx\", \"args\": [\"-y\", %q]}}}\n```\n", name)
}

func pyProject(name, description string) string {
	return fmt.Sprintf("[project]\nname = %q\nversion = \"1.0\"\ndescription = %q\ndependencies = [\"mcp>=1.9\"]\n"+
		"[project.scripts]\n%s = \"app.server:main\"\n", name, description, name)
}

func npmPackage(name, description, more string) string {
	return fmt.Sprintf(`{"name": %q, "version": "1.0.0", "description": %q, %s%s}`, name,
		description, more, npmSDK)
}

func mavenModule(name, dependency string) string {
	return fmt.Sprintf("<project><artifactId>%s</artifactId><dependencies><dependency><groupId>"+
		"org.springframework.ai</groupId><artifactId>%s</artifactId></dependency></dependencies></project>",
		name, dependency)
}

const npmBin = `"bin": {"x": "dist/index.js"}, `

func TestKindsByCode(t *testing.T) {
	for _, tt := range []struct {
		name, repo, description string
		texts                   map[string]string
		want                    string // kind
	}{
		// Names, where code was read.
		{"a name that ends like a client's, of code that serves", "octo/harbour-host", "Serves tides",
			map[string]string{"README.md": "# harbour-host\n\nAn MCP server for tides.\n\n" +
				npxConfig("harbour-host"), "package.json": npmPackage("harbour-host", "Tides", npmBin),
				"src/index.ts": tsServer}, "server"},
		{"a server beside an application's bridge", "octo/harbour-mcp", "Moves cranes over the native bridge",
			map[string]string{"README.md": "# Harbour\n\nAn MCP server for cranes.\n",
				"package.json": `{"name": "harbour-mcp", "version": "1.0.0", "bin": "x", "dependencies": ` +
					`{"@modelcontextprotocol/sdk": "1", "mcp-client-names": "1"}}`,
				"src/index.ts": tsServer}, "server"},
		{"a playground with a program that serves", "octo/MCP-Playground", "",
			map[string]string{"README.md": "# MCP-Playground\n",
				"tides/pyproject.toml": pyProject("tides-mcp", "MCP server for tides"),
				"tides/app/server.py":  pyServer}, "server"},
		{"a playground that connects", "octo/harbour-mcp-playground", "A page for trying servers",
			map[string]string{"README.md": "# MCP Playground\n\nTries MCP servers.\n",
				"package.json": npmPackage("mcp-playground", "A page", ""), "src/index.ts": tsClient}, "client"},
		{"a client that others import", "octo/tide-host", "Connects agents",
			map[string]string{"README.md": "# tide-host\n\n```ts\nimport { Host } from \"tide-host\";\n```\n",
				"package.json": npmPackage("tide-host", "Hosts agents", ""), "src/index.ts": tsClient}, "client"},
		{"a client that depends on one", "octo/tide-talk", "Talks with MCP servers",
			map[string]string{"README.md": "# Tide talk\n\nTalks with models and an MCP server.\n\n" +
				"```json\n{\"mcpServers\": {\"x\": {\"command\": \"uv\", \"args\": [\"run\", \"tides\"]}}}\n```\n",
				"pyproject.toml": "[project]\nname = \"tide-talk\"\nversion = \"1\"\ndependencies = [\"tide-mcp-client\"]\n" +
					"[project.scripts]\ntide-talk = \"app:main\"\n",
				"app/__init__.py": "import asyncio\n"}, "client"},

		{"a client of its owner's service that also serves", "harbourworks/tide-cli", "A shell for servers",
			map[string]string{"README.md": "# tide\n\nA shell client for MCP servers.\n\n" +
				"```json\n{\"mcpServers\": {\"tides\": {\"url\": \"https://mcp.harbourworks.example/mcp\"}}}\n```\n",
				"package.json": npmPackage("tide-cli", "A shell", npmBin), "src/index.ts": tsClient,
				"src/relay-server.ts": tsServer}, "client"},

		{"a client whose README configures packages of others", "octo/tide-shell", "A shell",
			map[string]string{"README.md": "# tide\n\nA shell.\n\n## Tools\n\n" + othersConfig,
				"package.json": npmPackage("tide-shell", "A shell", npmBin), "src/index.ts": tsClient,
				"src/relay-server.ts": tsServer}, "client"},

		// Messages that are passed on without an SDK.
		{"a bridge between transports", "octo/tide-bridge", "",
			map[string]string{"README.md": "# Tide MCP Bridge\n\nConnects programs to remote services (stdio).\n",
				"go.mod": "module example.org/tide-bridge\n", "cmd/bridge/main.go": "package main\n\nfunc main() {}\n",
				"internal/relay.go": "package relay\n\nimport \"net/http\"\n\nconst session = \"Mcp-Session-Id\"\n"}, "proxy"},
		{"a reverse proxy of endpoints", "octo/tide-mcp-host", "",
			map[string]string{"README.md": "# tide-mcp-host\n\nServers behind one domain.\n",
				"go.mod": "module example.org/tide\n", "cmd/tide/main.go": "package main\n\nfunc main() {}\n",
				"internal/host.go": "package host\n\nimport \"net/http/httputil\"\n\nfunc p(n string) string { return " +
					"\"/\" + n + \"/mcp\" }\n\nvar proxy = httputil.NewSingleHostReverseProxy(nil)\n"}, "server"},

		// What is imported.
		{"a server that others may import, too", "octo/tides-mcp", "",
			map[string]string{"README.md": "# tides-mcp\n\nShows tides.\n\n" +
				"```ts\nimport { TOOLS } from \"tides-mcp/definitions\";\n```\n",
				"package.json": npmPackage("tides-mcp", "", `"scripts": {"start": "bun src/index.ts"}, `),
				"src/index.ts": "import { run } from \"./serve\";\nawait run();\n", "src/serve.ts": tsServer}, "server"},
		{"a package with types and without a command", "octo/tides-mcp", "A server of tides",
			map[string]string{"README.md": "# tides-mcp\n\nAn MCP server for tides at http://localhost:3000/mcp.\n",
				"package.json": npmPackage("tides-mcp", "", `"main": "dist/index.js", "types": "dist/index.d.ts", `),
				"src/index.ts": tsServer}, "framework"},
		{"a library of .NET that a program of its own shows", "octo/tides", "Tools of a web service",
			map[string]string{"README.md": "# Tides\n\nShows a web service as MCP tools.\n\n" +
				"```bash\ndotnet add package Tides.Mcp\n```\n",
				"src/Tides.Mcp/Tides.Mcp.csproj": `<Project Sdk="Microsoft.NET.Sdk"><ItemGroup>` + csSDK +
					`</ItemGroup></Project>`,
				"src/Tides.Mcp/Builder.cs": csServer,
				"src/Trial/Trial.csproj": `<Project Sdk="Microsoft.NET.Sdk.Web"><ItemGroup>` + csSDK +
					`<ProjectReference Include="..\Tides.Mcp\Tides.Mcp.csproj" /></ItemGroup></Project>`,
				"src/Trial/Program.cs": csServer}, "framework"},
		{"a package of Python without a program", "octo/django-tides", "Shows a site as tools of an MCP server",
			map[string]string{"README.md": "# Tides\n\nAdds an MCP server to a site.\n",
				"pyproject.toml": "[project]\nname = \"django-tides\"\nversion = \"1\"\ndependencies = [\"mcp\"]\n",
				"tides/views.py": pyServer}, "framework"},

		// Placeholders of names, and code that imports nothing.
		{"a copy of a template that was not renamed", "octo/harbour", "An MCP server",
			map[string]string{"README.md": "# MCP server\n\n" +
				"```json\n{\"mcpServers\": {\"x\": {\"command\": \"node\", \"args\": [\"dist/index.js\"]}}}\n```\n",
				"package.json": npmPackage("my-mcp-server", "An MCP server", npmBin),
				"src/index.ts": tsServer}, "template"},
		{"a name that begins like a placeholder", "octo/my-tides-mcp", "Tides",
			map[string]string{"README.md": "# My tides\n\n" + npxConfig("my-tides-mcp"),
				"package.json": npmPackage("my-tides-mcp", "Tides", npmBin),
				"src/index.ts": tsServer}, "server"},
		{"components without imports", "octo/mcp-panels", "Panels for MCP",
			map[string]string{"README.md": "# mcp-panels\n\nPanels that show tools.\n",
				"package.json": npmPackage("mcp-panels", "Panels", `"main": "src/index.ts", `),
				"src/index.ts": "export const Panel = (p: { title: string }) => p.title;\n"}, ""},
		{"a chat that only serves", "octo/tides-cli", "AI chat app for tides",
			map[string]string{"README.md": "# tides-cli\n\n```sh\nnpx -y tides-cli\n```\n",
				"package.json": npmPackage("tides-cli", "AI chat app for tides", npmBin),
				"src/index.ts": tsServer}, "server"},
		{"a course's server that is published", "octo/mcp-course", "Lectures, tutorials and workshops",
			map[string]string{"README.md": "# mcp-course\n\n" + npxConfig("@octo/mcp-course"),
				"package.json": npmPackage("@octo/mcp-course", "Lectures and tutorials", npmBin),
				"src/index.ts": tsServer}, "server"},
		// Clients, whatever their names, programs and configurations.
		{"a chat with the configuration of another server", "octo/harbour-chat",
			"Desktop chat with MCP servers",
			map[string]string{"README.md": "# Harbour chat\n\nAdd any MCP server:\n\n" +
				othersConfig,
				"package.json": npmPackage("harbour-chat", "Desktop chat", npmBin),
				"src/mcp.ts":   tsClient}, "client"},
		{"a client called a server", "octo/tides-mcp-server", "MCP server for tides",
			map[string]string{"README.md": "# Tides MCP Server\n\nTalks to a model.\n",
				"pyproject.toml": pyProject("tides-mcp-server", "MCP server"),
				"app/server.py":  pyClient}, "client"},
		{"a client in Go", "octo/ask", "Ask MCP servers from a shell",
			map[string]string{"README.md": "# ask\n\nAn MCP server in your shell.\n\n" +
				othersConfig,
				"go.mod":  "module github.com/octo/ask\nrequire github.com/mark3labs/mcp-go v0.41.1\n",
				"main.go": goClient}, "client"},
		{"a client in Rust", "octo/mcp-ask", "",
			map[string]string{"README.md": "# mcp-ask\n\nCalls an MCP server over stdio.\n",
				"Cargo.toml":  "[package]\nname = \"mcp-ask\"\nversion = \"0.1.0\"\n[dependencies]\nrmcp = \"0.8\"\n",
				"src/main.rs": rsClient}, "client"},
		{"a client in C#", "octo/Ask", "",
			map[string]string{"README.md": "# Ask\n\nAsks an MCP server over stdio.\n",
				"Ask/Ask.csproj": csProj,
				"Ask/Program.cs": csClient}, "client"},
		{"a client whose tests have a server", "octo/reef-mcp-adapters", "",
			map[string]string{"README.md": "# Reef adapters\n\nMakes tools of an MCP server tools of Reef.\n",
				"pyproject.toml":     pyProject("reef-mcp-adapters", "MCP server tools for Reef"),
				"reef_mcp/client.py": pyClient, "tests/servers/math_server.py": pyServer},
			"client"},

		{"a client that compares names of methods", "octo/mcp-timeline", "",
			map[string]string{"README.md": "# Timeline\n\nShows what an MCP server answers.\n",
				"package.json": npmPackage("mcp-timeline", "", npmBin),
				"src/log.ts": tsClient +
					"export const isList = (m: string) => m === \"tools/list\";\n"}, "client"},
		{"a chat with a server for itself", "octo/mcp-harbour-talk", "",
			map[string]string{"README.md": "# Harbour talk\n\nTalk to agents about ships.\n",
				"package.json": npmPackage("mcp-harbour-talk", "", `"scripts": {"start": "node ."}, `),
				"src/tools.ts": tsServer, "src/agent.ts": tsClient}, "client"},
		{"a chat of an agents' kit with a server for itself", "octo/mcp-harbour-agents", "",
			map[string]string{"README.md": "# Harbour agents\n\nAsk agents about ships.\n",
				"package.json": npmPackage("mcp-harbour-agents", "", `"scripts": {"start": "node ."}, `),
				"src/tools.ts": tsServer,
				"src/agent.ts": "import { MCPServerStdio } from '@openai/agents';\n" +
					"const ships = new MCPServerStdio({ command: 'ships' });\n"}, "client"},
		{"a manager that serves for a run", "octo/mcp-harbourmaster", "",
			map[string]string{"README.md": "# Harbourmaster\n\nA tool for managing MCP servers.\n\n" +
				"## Tools\n\n- `list`: servers\n",
				"pyproject.toml": pyProject("harbourmaster", "A tool for managing MCP servers"),
				"app/run.py":     "from fastmcp.server.proxy import FastMCPProxy\n"}, "client"},
		{"a client with a server.json", "octo/mcp-probe", "",
			map[string]string{"README.md": "# Probe\n\nTests an MCP server.\n",
				"server.json":    `{"name": "io.github.octo/mcp-probe", "description": "Tests servers", "version": "1.0.0"}`,
				"pyproject.toml": pyProject("mcp-probe", "Tests servers"),
				"app/probe.py":   pyClient}, "client"},
		{"an extension that asks a server on this machine", "octo/mcp-spyglass", "",
			map[string]string{"README.md": "# Spyglass\n\nAn extension that tests an MCP server over stdio.\n\n" +
				"```json\n{\"mcpServers\": {\"x\": {\"url\": \"http://localhost:3000/mcp\"}}}\n```\n",
				"package.json": `{"name": "mcp-spyglass", "scripts": {"start": "vite"}}`,
				"src/ask.ts":   "import { url } from './url';\nfetch(url);\n"}, ""},
		{"a program without an SDK that asks servers", "octo/mcp-model-bridge", "",
			map[string]string{"README.md": "# Model bridge\n\nConnects local models to an MCP " +
				"server over stdio.\n\n## Tools\n\n- `read`: of the MCP server\n",
				"src/main.ts": "import { spawn } from 'child_process';\nspawn('node').stdin.write('x');\n"},
			""},
		{"a program that starts built files of others", "octo/mcp-model-relay", "",
			map[string]string{"README.md": "# Model relay\n\nA bridge of local models to MCP servers." +
				"\n\n```json\n{\"mcpServers\": {\"files\": {\"command\": \"node\", \"args\": " +
				"[\"/path/to/file-reader/dist/index.js\"]}}}\n```\n",
				"package.json": npmPackage("model-relay", "", `"scripts": {"start": "node ."}, `),
				"src/main.ts":  "import { spawn } from 'child_process';\nspawn('node');\n"}, ""},
		{"a bridge without manifests that starts files of others", "octo/mcp-model-relay", "",
			map[string]string{"README.md": "# Model relay\n\nA bridge of local models to an MCP server." +
				"\n\n```json\n{\"mcpServers\": {\"files\": {\"command\": \"node\", \"args\": " +
				"[\"/path/to/files/dist/index.js\"]}}}\n```\n", "run.sh": ""}, ""},

		// Libraries.
		{"components", "octo/mcp-panels", "React components for results of MCP tools",
			map[string]string{"README.md": "# Panels\n\n```tsx\nimport { Panel } from \"mcp-panels\";\n```\n",
				"package.json":  npmPackage("mcp-panels", "Shows results of an MCP server", ""),
				"src/index.tsx": "export function Panel() { return null; }"}, "library"},
		{"a framework that its README imports", "octo/quick-mcp",
			"Write an MCP server in three lines",
			map[string]string{"README.md": "# quick-mcp\n\n```ts\nimport { quick } from \"quick-mcp\";\n```\n",
				"package.json": npmPackage("quick-mcp", "Write an MCP server in three lines", ""),
				"src/index.ts": tsServer}, "framework"},

		{"a package in Swift without an executable", "octo/harbour-mcp-kit", "",
			map[string]string{"README.md": "# Harbour kit\n\nTools for an MCP server in types.\n",
				"Package.swift": `let package = Package(name: "harbour-kit", products: [.library(name: "Kit", ` +
					`targets: ["Kit"])], dependencies: [.package(url: "https://github.com/` +
					`modelcontextprotocol/swift-sdk.git", from: "0.10.0")], targets: [.target(name: "Kit")])`,
				"Sources/Kit/Serve.swift": "import MCP\nlet s = Server(name: \"kit\", version: \"1\")\n"},
			"framework"},

		{"a library whose README connects to the reader's machine", "octo/harbour-kit", "Kit for MCP",
			map[string]string{"README.md": "# Harbour kit\n\nA kit for the Model Context Protocol.\n\n" +
				"```json\n{\"mcpServers\": {\"x\": {\"url\": \"http://localhost:3000/mcp\"}}}\n```\n",
				"build.gradle.kts":               kotlinSDK,
				"kit/src/main/kotlin/Harbour.kt": ktServer}, "framework"},
		{"a program on the reader's machine", "octo/harbour", "Harbours",
			map[string]string{"README.md": "# Harbour\n\nHarbours for the Model Context Protocol.\n\n" +
				"```json\n{\"mcpServers\": {\"x\": {\"url\": \"http://localhost:3000/mcp\"}}}\n```\n",
				"requirements.txt": "mcp\n", "harbour.py": pyServer + mainOfPython}, "server"},
		{"a library in Elixir", "octo/harbour_kit", "A kit of the Model Context Protocol",
			map[string]string{"README.md": "# HarbourKit\n\nA kit for MCP (stdio).\n\n" +
				"    {:harbour_kit, \"~> 1.0\"}\n\n## Tools\n\n- `HarbourKit.Tools`: tools\n",
				"mix.exs": "app: :harbour_kit\n", "lib/kit.ex": ""}, "library"},
		{"a server in Elixir that is added to an application", "octo/harbour_kit", "A server of tides",
			map[string]string{"README.md": "# Harbour MCP server\n\nAn MCP server.\n\n" +
				"    {:harbour_kit, \"~> 1.0\"}\n\n" +
				"```json\n{\"mcpServers\": {\"x\": {\"url\": \"http://localhost:4000/mcp\"}}}\n```\n",
				"mix.exs": "app: :harbour_kit\n", "lib/kit.ex": ""}, "server"},
		{"a library in Julia", "octo/HarbourKit.jl", "A kit of the Model Context Protocol",
			map[string]string{"README.md": "# HarbourKit.jl\n\nA kit for MCP (stdio).\n\n" +
				"    using Pkg; Pkg.add(\"HarbourKit\")\n\n## Tools\n\n- `input_schema`: a schema\n",
				"Project.toml": "name = \"HarbourKit\"\n", "src/HarbourKit.jl": ""}, "library"},
		{"a program whose modules the README imports", "octo/harbour-skills", "Skills",
			map[string]string{"README.md": "# Skills\n\n```python\nfrom skills.tides import Tides\n```\n\n" +
				"```sh\npython -m skills.serve\n```\n",
				"requirements.txt": "mcp\n", "skills/__init__.py": "", "skills/tides.py": "import os\n",
				"skills/serve.py": pyServer + mainOfPython}, "server"},
		{"a subject of a benchmark", "octo/harbour-trials", "Measures agents",
			map[string]string{"README.md": "# Trials\n\nMeasures agents with MCP.\n\n```sh\n./trial.sh\n```\n",
				"trial.sh": "", "subjects/tides.py": pyServer + mainOfPython}, "framework"},
		{"an application that a framework loads", "octo/harbour-mcp", "An MCP server for harbours",
			map[string]string{"README.md": "# Harbour MCP server\n\nAn MCP server.\n",
				"pyproject.toml":      "[project]\nname = \"harbour\"\nversion = \"1\"\n",
				"harbour/hooks.py":    "app_name = \"harbour\"\n",
				"harbour/modules.txt": "Harbour\n", "harbour/protocol.py": answering}, "server"},
		{"an SDK below a repository of its name", "octo/fastmcp", "Servers for agents",
			map[string]string{"README.md": "# fastmcp\n\nServers for agents.\n",
				"python/pyproject.toml": pyProject("fastmcp", "MCP server for everybody"),
				"python/app/server.py":  pyServer}, "framework"},
		{"a package of Composer that an application loads", "octo/harbour-mcp", "An MCP server in your application",
			map[string]string{"README.md": "# Harbour MCP\n\nAn MCP server.\n\n    composer require octo/harbour-mcp\n\n" +
				"```json\n{\"mcpServers\": {\"tides\": {\"command\": \"php\", \"args\": " +
				"[\"/path/to/app/artisan\", \"mcp:serve\"]}}}\n```\n",
				"composer.json":       `{"name": "octo/harbour-mcp", "require": {"php": "8"}}`,
				"src/Tools/Serve.php": "<?php\nuse Octo\\Tide;\n$h = ['tools/list' => 'a', 'tools/call' => 'b'];\n"},
			"framework"},
		{"entries of servers in other repositories", "octo/mcp-registry", "Where to find servers",
			map[string]string{"README.md": "# Registry\n\nEntries of MCP servers.\n",
				"src/build.ts": "import fs from \"node:fs\";\n",
				"servers/tides/server.json": `{"name": "io.github.octo/tides", "repository": {"url": ` +
					`"https://github.com/octo/tides-mcp"}, "packages": [{"registryType": "npm", "identifier": "tides-mcp"}]}`,
				"servers/winds/server.json": `{"name": "io.github.octo/winds", "repository": {"url": ` +
					`"https://github.com/octo/winds-mcp"}, "remotes": [{"type": "sse", "url": "https://mcp.octo.example"}]}`},
			""},
		{"skills that use a hosted server", "octo/tide-mcp-skills", "Skills for tides with MCP",
			map[string]string{"README.md": "# Tide skills\n\nTides for agents.\n\n" +
				"```json\n{\"mcpServers\": {\"tides\": {\"url\": \"https://mcp.octo.example/mcp\"}}}\n```\n",
				"skills/tides/SKILL.md": "---\nname: tides\n---\n", "skills/tides/scripts/plot.py": "import csv\n"},
			"client"},
		{"a hosted server whose developers have skills", "octo/tides-mcp", "",
			map[string]string{"README.md": "# Tides MCP server\n\nHosted.\n\n" +
				"```json\n{\"mcpServers\": {\"tides\": {\"url\": \"https://mcp.octo.example/mcp\"}}}\n```\n",
				".claude/skills/release/SKILL.md": "---\nname: release\n---\n"}, "server"},
		{"a server in PHP with an executable", "octo/harbour-mcp", "An MCP server for tides",
			map[string]string{"README.md": "# Harbour MCP server\n\nStart it with `php bin/serve`.\n",
				"composer.json": `{"name": "octo/harbour-mcp", "type": "project", "require": {"php": "8"}}`,
				"bin/serve":     "#!/usr/bin/env php\n",
				"src/Serve.php": "<?php\nuse Octo\\Tide;\n$h = ['tools/list' => 'a', 'tools/call' => 'b'];\n"},
			"server"},
		{"a server in a folder named as the SDK", "octo/mcp", "An MCP server for tides",
			map[string]string{"README.md": "# Tides MCP server\n\nTides.\n",
				"mcp/pyproject.toml": pyProject("mcp", "MCP server"), "mcp/app/server.py": pyServer}, "server"},
		{"entries that name the repository as it was called", "octo/mcp-servers", "MCP servers",
			map[string]string{"README.md": "# Servers\n\nMCP servers.\n",
				"tides/server.json": `{"name": "io.github.octo/tides", "repository": {"url": ` +
					`"https://github.com/octo/old-servers"}, "remotes": [{"type": "sse", "url": "https://mcp.octo.example"}]}`},
			"server"},
		{"a scanner with an SDK that its code does not use", "octo/harbour-scan", "A scanner for any MCP server",
			map[string]string{"README.md": "# Harbour scan\n\nScan any MCP server.\n",
				"package.json":  npmPackage("harbour-scan", "Scans an MCP server", `"bin": {"x": "src/index.mjs"}, `),
				"src/index.mjs": "import { spawn } from \"node:child_process\";\nspawn(\"npx\").stdin.write(\"x\");\n"},
			"client"},

		{"an application in Swift without a package", "octo/iHarbour", "An app",
			map[string]string{"README.md": "# iHarbour\n\nAn app for the Model Context Protocol.\n",
				"iHarbour.xcodeproj/project.pbxproj": "", "App/App.swift": "import SwiftUI\n@main\nstruct App {}\n",
				"App/Serve.swift": "import MCP\nlet s = Server(name: \"kit\", version: \"1\")\n"}, "server"},
		{"code in Groovy that answers", "octo/harbour-mcp-server", "",
			map[string]string{"README.md": "# Harbour MCP server\n\nRuns on the hub.\n",
				"app.groovy": "import groovy.json.JsonOutput\nswitch (m) {\n" +
					"case \"tools/list\": return list()\ncase \"tools/call\": return call()\n}\n"}, "server"},

		// Templates and courses contain servers that are nobody's.
		{"a template", "octo/mcp-server-starter", "Starter for MCP servers",
			map[string]string{"README.md": "# MCP server starter\n\nUse this template for your own.\n\n" + npxConfig("my-mcp-server"),
				"package.json": npmPackage("my-mcp-server", "MCP server", npmBin),
				"src/index.ts": tsServer}, "template"},
		{"a template in C#", "octo/mcp-dotnet-template", "Template for MCP servers",
			map[string]string{"README.md": "# MCP server template\n\nA project template.\n",
				"content/Tides/Tides.csproj":             csProj,
				"content/.template.config/template.json": `{"name": "x"}`,
				"content/Tides/Program.cs":               csServer}, "template"},
		{"settings of a template beside its project", "octo/harbour-tides", "An MCP server for .NET",
			map[string]string{"README.md": "# Harbour tides\n\nAn MCP server with `dotnet new`.\n",
				"src/Tides/Tides.csproj":             csProj,
				"src/.template.config/template.json": `{"name": "x"}`,
				"src/Tides/Program.cs":               csServer}, "template"},
		{"a server that also has a template", "octo/harbour-tides", "An MCP server for tides",
			map[string]string{"README.md": "# Harbour tides\n\nAn MCP server for tides.\n",
				"src/Tides/Tides.csproj": csProj, "src/Tides/Program.cs": csServer,
				"new/.template.config/template.json": `{"name": "x"}`}, "server"},
		{"files to fill in", "octo/harbour-kit", "MCP server for tides",
			map[string]string{"README.md": "# Harbour\n\nTides.\n\n" + uvxConfig("{{ name }}"),
				"{{ name }}/pyproject.toml": pyProject("{{ name }}", "MCP server"),
				"{{ name }}/app/server.py":  pyServer}, "template"},
		{"the settings of a generator", "octo/harbour", "MCP server for tides",
			map[string]string{"README.md": "# Harbour\n\nTides.\n\n" + uvxConfig("tides"),
				"cargo-generate.toml": "[template]\n", "pyproject.toml": pyProject("tides", "MCP server"),
				"app/server.py": pyServer}, "template"},
		{"a server that writes projects", "octo/harbour", "MCP server that writes projects",
			map[string]string{"README.md": "# Harbour\n\nWrites projects.\n\n" + uvxConfig("harbour"),
				"pyproject.toml":                       pyProject("harbour", "MCP server"),
				"app/server.py":                        pyServer,
				"app/projects/{{ name }}/package.json": `{"name": "{{ name }}"}`}, "server"},
		{"a generator", "octo/openapi-to-mcp", "Generates MCP servers from OpenAPI descriptions",
			map[string]string{"README.md": "# openapi-to-mcp\n\nGenerates MCP servers from OpenAPI descriptions.\n",
				"package.json": npmPackage("openapi-to-mcp", "Generates MCP servers from OpenAPI",
					npmBin),
				"src/write.ts": "export const program = `" + tsServer + "`;"}, "template"},
		{"a course in chapters", "octo/mcp-workshop", "Workshop about MCP servers",
			map[string]string{"README.md": "# MCP workshop\n\nBuild a server.\n",
				"01-first/pyproject.toml": pyProject("weather", ""),
				"01-first/app/server.py":  pyServer,
				"02-tools/pyproject.toml": pyProject("weather-mcp", "MCP server"),
				"02-tools/app/server.py":  pyServer}, "course"},
		{"lessons in any language, each with its configuration", "octo/mareas", "MCP server",
			map[string]string{"README.md": "# Mareas\n\nMCP server.\n\n```json\n{\"mcpServers\": {\"x\": " +
				"{\"command\": \"python\", \"args\": [\"dia-2/server.py\"]}}}\n```\n",
				"requirements.txt": "mcp\n",
				"dia-1/server.py":  pyServer, "dia-2/server.py": pyServer, "dia-2/README.md": "# Dia 2\n"}, "course"},
		{"two versions of one server", "octo/tides-mcp", "MCP server for tides",
			map[string]string{"README.md": srcReadme, "requirements.txt": "mcp\n",
				"v1/server.py": pyServer, "v2/server.py": pyServer}, "server"},
		{"one server in a repository that is named as learning", "octo/learn-mcp", "",
			map[string]string{"README.md": "# Tides\n\n```json\n{\"mcpServers\": {\"a\": {\"command\": " +
				"\"python\", \"args\": [\"tides.py\"]}}}\n```\n",
				"pyproject.toml": pyProject("learn-mcp", ""), "tides.py": pyServer}, "server"},
		{"a server of samples that is published", "octo/tides-samples-mcp", "MCP server for samples",
			map[string]string{"README.md": "# Samples\n\nMCP server for samples, a project template.\n\n" +
				npxConfig("tides-samples-mcp"), "package.json": npmPackage("tides-samples-mcp", "", npmBin),
				"src/index.ts": tsServer}, "server"},
		{"tools of a tutorial", "octo/harbour-mcp", "MCP server",
			map[string]string{"README.md": "# Harbour\n\nMCP server.\n", "pyproject.toml": pyProject("weather", ""),
				"app/server.py": tutorialServer}, "course"},
		{"tools of a tutorial in a published package", "octo/harbour-mcp", "MCP server",
			map[string]string{"README.md": "# Harbour\n\n" + uvxConfig("harbour-mcp"),
				"pyproject.toml": pyProject("harbour-mcp", ""), "app/server.py": tutorialServer}, "server"},
		{"a template whose configuration starts its placeholder", "octo/harbour", "MCP server",
			map[string]string{"README.md": "# Server\n\n" + npxConfig("my-mcp-server"),
				"package.json": npmPackage("my-mcp-server", "", npmBin), "src/index.ts": tsServer}, "template"},
		{"links to servers in other repositories", "octo/mcp-beginnings", "",
			map[string]string{"README.md": "# Beginnings\n\nModel Context Protocol (MCP) server implementations.\n\n" +
				links(7)}, ""},
		{"a published server without its code", "octo/harbour", "",
			map[string]string{"README.md": "# Harbour MCP server\n\nAn MCP server.\n\n" + npxConfig("@harbour/mcp-server")}, "server"},
		{"a package that others load", "octo/harbour-plugin", "",
			map[string]string{"README.md": "# Plugin\n\nAn MCP server in your application.\n",
				"package.json": npmPackage("harbour-plugin", "", `"main": "plugin.js", `),
				"src/serve.ts": tsServer}, "framework"},
		{"a collection with one client", "octo/harbour-all", "",
			map[string]string{"README.md": "# All\n",
				"a/pyproject.toml": pyProject("a-mcp", ""), "a/app/server.py": pyServer,
				"b/pyproject.toml": pyProject("b-mcp", ""), "b/app/server.py": pyServer,
				"chat/pyproject.toml": pyProject("chat", ""), "chat/app/chat.py": pyClient}, "server"},
		{"a list", "octo/awesome-tide-mcp", "Servers about tides",
			map[string]string{"README.md": "# Tides\n\n" + links(50)}, "list"},

		// Servers, whatever their names and adjectives.
		{"a directory service", "octo/active-directory", "Active Directory over MCP",
			map[string]string{"README.md": "# active-directory\n\nUsers and groups over MCP.\n\n" +
				uvxConfig("active-directory"),
				"pyproject.toml": pyProject("active-directory", "Active Directory over MCP"),
				"app/server.py":  pyServer}, "server"},
		{"a registry of images", "octo/image-registry", "MCP server for image registries",
			map[string]string{"README.md": "# image-registry\n\n" + npxConfig("image-registry"),
				"package.json": npmPackage("image-registry", "MCP server for image registries",
					npmBin), "src/index.ts": tsServer}, "server"},
		{"a client of another protocol", "octo/mqtt-client", "MCP server that reads MQTT messages",
			map[string]string{"README.md": "# mqtt-client\n\n" + uvxConfig("mqtt-client"),
				"pyproject.toml": pyProject("mqtt-client", "MCP server that reads MQTT messages"),
				"app/server.py":  pyServer}, "server"},
		{"an adjective", "octo/squalls", "An awesome MCP server for squall warnings",
			map[string]string{"README.md": "# Squalls\n\nAn awesome MCP server for squall warnings.\n\n" + npxConfig("squalls"),
				"package.json": npmPackage("squalls", "An awesome MCP server for squalls", npmBin),
				"src/index.ts": tsServer}, "server"},
		{"about lists", "octo/awesome-finder-mcp", "MCP server that searches awesome lists",
			map[string]string{"README.md": "# awesome-finder-mcp\n\n" +
				uvxConfig("awesome-finder-mcp") + links(45),
				"pyproject.toml": pyProject("awesome-finder-mcp",
					"MCP server that searches awesome lists"),
				"app/server.py": pyServer}, "server"},
		{"about templates", "octo/mail-templates-mcp", "MCP server for templates of mails",
			map[string]string{"README.md": "# Mail templates\n\n" + uvxConfig("mail-templates-mcp"),
				"pyproject.toml": pyProject("mail-templates-mcp",
					"MCP server for templates of mails"), "app/server.py": pyServer}, "server"},
		{"about courses", "octo/university-courses-mcp", "MCP server for a university's courses",
			map[string]string{"README.md": "# Courses\n\n" + uvxConfig("university-courses-mcp"),
				"pyproject.toml": pyProject("university-courses-mcp", "MCP server for courses"),
				"app/server.py":  pyServer}, "server"},
		{"a server in Go with a plain name", "octo/tides-catalog", "",
			map[string]string{"README.md": "# tides-catalog\n\nTides of every harbour, for MCP clients.\n\n## Tools\n\n- `tide_table`: x\n",
				"go.mod":  "module github.com/octo/tides-catalog\nrequire github.com/mark3labs/mcp-go v0.41.1\n",
				"main.go": goServer}, "server"},
		{"a server whose README imports its parts", "octo/harbour-mcp-registry", "",
			map[string]string{"README.md": "# Harbours\n\nKeeps harbours.\n\n```go\n" +
				"import \"harbour-mcp-registry/internal/store\"\n```\n",
				"go.mod":              "module harbour-mcp-registry\nrequire github.com/mark3labs/mcp-go v0.41.1\n",
				"main.go":             "package main\n\nimport \"harbour-mcp-registry/internal/mcp\"\n",
				"internal/mcp/mcp.go": goServer}, "server"},
		{"a server without an SDK that is named as a client", "octo/mcp-cli", "",
			map[string]string{"README.md": "# mcp-cli\n\nReads tides for agents.\n",
				"Cargo.toml": "[package]\nname = \"mcp-cli\"\nversion = \"0.1.0\"\n",
				"src/main.rs": "use serde_json::Value;\nfn answer(m: &str) {\n  match m {\n" +
					"    \"tools/list\" => list(),\n    \"tools/call\" => call(),\n  }\n}\n"}, "server"},
		{"a crate of a workspace that serves without an SDK", "octo/tides-cli", "",
			map[string]string{"README.md": "# tides-cli\n\nTides for agents.\n",
				"Cargo.toml":               "[workspace]\nmembers = [\"crates/*\"]\n",
				"crates/store/Cargo.toml":  "[package]\nname = \"store\"\nversion = \"0.1.0\"\n",
				"crates/store/src/lib.rs":  "pub fn tides() {}\n",
				"crates/bridge/Cargo.toml": "[package]\nname = \"bridge\"\nversion = \"0.1.0\"\n",
				"crates/bridge/src/main.rs": "use serde_json::Value;\nfn answer(m: &str) {\n  match m {\n" +
					"    \"tools/list\" => list(),\n    \"tools/call\" => call(),\n  }\n}\n"}, "server"},
		{"a program in a folder with the name of a library", "octo/harbour-bridge", "",
			map[string]string{"README.md": "# Harbour bridge\n\nTides for agents.\n",
				"package.json":               `{"private": true, "workspaces": ["packages/*"]}`,
				"packages/core/package.json": npmPackage("harbour-bridge", "", npmBin),
				"packages/core/src/index.ts": tsServer}, "server"},
		{"a main method of Java", "octo/harbour-spring-mcp", "",
			map[string]string{"README.md": "# Harbour\n\nAn MCP server and its client.\n",
				"pom.xml": "<project><artifactId>all</artifactId><modules><module>ask</module><module>tides" +
					"</module></modules></project>",
				"ask/pom.xml": mavenModule("ask", "spring-ai-starter-mcp-client"),
				"ask/src/main/java/a/Ask.java": "package a;\nclass Ask {\n  McpSyncClient c;\n" +
					"  public static void main(String[] args) { run(Ask.class); }\n}\n",
				"tides/pom.xml": mavenModule("tides", "spring-ai-starter-mcp-server"),
				"tides/src/main/java/a/TidesServer.java": "package a;\nclass TidesServer {\n" +
					"  public static void main(String[] args) { run(TidesServer.class); }\n}\n"}, "server"},
		{"a main function of Kotlin", "octo/harbour-kotlin-mcp", "",
			map[string]string{"README.md": "# Harbour\n\nTides over stdio.\n",
				"build.gradle.kts": `dependencies { implementation("io.modelcontextprotocol:kotlin-sdk:0.8.0") }`,
				"src/main/kotlin/Server.kt": "import io.modelcontextprotocol.kotlin.sdk.server.Server\n" +
					"suspend fun main() = Server(info).connect(t)\n"}, "server"},
		{"a manifest of another project's server", "octo/harbour-chatter", "",
			map[string]string{"README.md": "# Harbour chatter\n\nBrings models to MCP servers.\n",
				"package.json":            `{"name": "chatter", "scripts": {"start": "node ."}}`,
				"src/main.ts":             "import { spawn } from 'child_process';\nspawn('node');\n",
				"tides-copy/package.json": npmPackage("@octo/tides-copy", "", `"scripts": {"start": "node ."}, `)}, ""},
		{"a program in front of another, without an SDK", "octo/tide-mcp-reloader", "",
			map[string]string{"README.md": "# Tide reloader\n\nWatches a server.\n\n```json\n" +
				`{"mcpServers": {"x": {"command": "tidemon", "args": ["node", "server.js"]}}}` + "\n```\n",
				"package.json": `{"name": "tide-reloader", "description": "A monitor for MCP servers", ` +
					`"bin": {"tidemon": "dist/cli.js"}}`,
				"src/cli.ts": "import { spawn } from 'child_process';\nspawn('node');\n"}, "client"},
		// Programs that an application loads, and libraries.
		{"a plugin that is declared in a file", "octo/chart-desk-mcp", "",
			map[string]string{"README.md": "# Chart desk\n\nShows charts to agents.\n",
				"build.gradle.kts":                       kotlinSDK,
				"src/desk/resources/META-INF/plugin.xml": "<idea-plugin><id>a.desk</id></idea-plugin>",
				"src/desk/kotlin/a/Desk.kt":              ktServer}, "server"},
		{"a plugin that is a class of an application", "octo/chart-desk-mcp", "",
			map[string]string{"README.md": "# Chart desk\n\nShows charts to agents.\n",
				"build.gradle.kts":          kotlinSDK,
				"src/main/kotlin/a/Desk.kt": "package a\n\nclass Desk : DrawingPlugin() {\n}\n" + ktServer}, "server"},
		{"a plugin of an editor", "octo/chart-desk-mcp", "",
			map[string]string{"README.md": "# Chart desk\n\nShows charts to agents.\n",
				"package.json": npmPackage("chart-desk", "Charts", `"main": "dist/main.js", "contributions": {"menu": []}, `),
				"src/main.ts":  tsServer}, "server"},
		{"a base class of plugins", "octo/chart-desk-mcp", "",
			map[string]string{"README.md": "# Chart desk\n\nShows charts to agents.\n",
				"build.gradle.kts":                   kotlinSDK,
				"src/main/kotlin/a/DrawingPlugin.kt": "package a\n\nabstract class DrawingPlugin\n",
				"src/main/kotlin/a/Desk.kt":          "package a\n\nclass Desk : DrawingPlugin() {\n}\n" + ktServer}, "framework"},
		{"a plugin of a build", "octo/chart-build-mcp", "",
			map[string]string{"README.md": "# Chart build\n\nMakes charts for agents.\n",
				"build.gradle.kts":          kotlinSDK,
				"src/main/kotlin/a/Make.kt": "package a\n\nclass Make : Plugin<Project> {\n}\n" + ktServer}, "framework"},
		{"a package of Kotlin that the README imports", "octo/keel-kotlin", "",
			map[string]string{"README.md": "# Keel\n\nMCP server library.\n\n```kotlin\nimport dev.keel.serve.*\n" +
				"fun main() { Keel().serve() }\n```\n", "build.gradle.kts": kotlinSDK,
				"src/main/kotlin/dev/keel/serve/Keel.kt": ktServer,
				"src/main/kotlin/Trial.kt":               "fun main() { run() }\n"}, "framework"},
		{"a target of Swift that the README imports", "octo/keel-swift", "",
			map[string]string{"README.md": "# Keel\n\nMCP server library for Swift.\n\n```swift\nimport Keel\n\n" +
				"Keel().serve()\n```\n", "Package.swift": `let package = Package(name: "Keel", targets: [` +
				`.target(name: "Keel"), .executableTarget(name: "Trial", dependencies: ["Keel"])])`,
				"Sources/Keel/Keel.swift": "import Foundation\nfunc answer(m: String) {\n  switch m {\n" +
					"  case \"tools/list\": list()\n  case \"tools/call\": call()\n  default: none()\n  }\n}\n",
				"Sources/Trial/main.swift": "import Keel\nKeel().serve()\n"}, "framework"},
		{"a proxy without an SDK", "octo/harbour-relay", "A gateway of a harbour",
			map[string]string{"README.md": "# Harbour relay\n\nA gateway of a harbour.\n\n" + npxConfig("harbour-relay"),
				"package.json": npmPackage("harbour-relay", "A gateway of a harbour", npmBin),
				"src/index.ts": tsServer + "s.registerTool(\"tides\", {}, f);\n",
				"src/up.ts":    "export const ask = (p) => post({ jsonrpc: \"2.0\", method: \"tools/call\", params: p });\n"},
			"proxy"},
		{"pages of a gateway, which call its tools", "octo/MCP-Gateway-Pages", "",
			map[string]string{"README.md": "# Harbour MCP Gateway: pages\n\nPages of the MCP gateway of a harbour.\n",
				"pages/package.json": npmPackage("gateway-pages", "Pages", npmBin),
				"pages/src/index.ts": "import { post } from \"./net.js\";\nawait post({ \"jsonrpc\": \"2.0\", id: 1, " +
					"method: \"tools/call\", params: {} });\n"}, ""},
		{"a proxy of messages that it does not read", "octo/mcp-proxy", "",
			map[string]string{"README.md": "# mcp-proxy\n\nPasses what clients send to one daemon.\n\n" +
				"```json\n{\"mcpServers\": {\"a\": {\"command\": \"mcp-proxy\", \"args\": [\"ws://localhost:80\"]}}}\n```\n",
				"go.mod": "module example.org/mcp-proxy\n", "main.go": "package main\n\nimport \"io\"\n\n" +
					"func main() { io.Copy(out, in) }\n"}, "proxy"},
		{"both sides of its own, without an SDK", "octo/harbour-bridge", "",
			map[string]string{"README.md": "# harbour\n\nAn MCP server of a harbour.\n",
				"go.mod": "module example.org/harbour\n", "main.go": "package main\n\nimport \"example.org/harbour/mcp\"\n\n" +
					"func main() { mcp.Serve(mcp.NewClient()) }\n",
				"mcp/serve.go": "package mcp\n\nimport \"io\"\n\nfunc answer(m string) {\n\tswitch m {\n" +
					"\tcase \"tools/list\":\n\tcase \"tools/call\":\n\t}\n}\n"}, "server"},
		{"a module of Go without a program", "octo/tides-go", "",
			map[string]string{"README.md": "# tides-go\n\nWrite an MCP server in Go.\n",
				"go.mod":         "module example.org/tides\nrequire github.com/mark3labs/mcp-go v0.40.0\n",
				"serve/serve.go": goServer}, "framework"},
		{"a package of PHP that others require", "octo/tides-php", "",
			map[string]string{"README.md": "# An MCP server in PHP\n\n```sh\ncomposer require octo/tides\n```\n",
				"composer.json": `{"name": "octo/tides", "require": {"mcp/sdk": "^0.4"}}`,
				"src/Tides.php": "<?php\nuse Mcp\\Capability\\Attribute\\McpTool;\nclass Tides { #[McpTool] function a() {} }\n"},
			"framework"},
		{"an application of PHP", "octo/tides-php", "",
			map[string]string{"README.md": "# An MCP server in PHP\n\n```sh\ncomposer require octo/tides\n```\n",
				"composer.json": `{"name": "octo/tides", "require": {"laravel/mcp": "^0.4"}}`, "artisan": "<?php\n",
				"src/Tides.php": "<?php\nuse Mcp\\Capability\\Attribute\\McpTool;\nclass Tides { #[McpTool] function a() {} }\n"},
			"server"},
		{"a client of a file of servers", "octo/harbour-chat", "",
			map[string]string{"pyproject.toml": "[project]\nname = \"harbour-chat\"\ndependencies = [\"mcp-use\", \"mcp\"]\n",
				"main.py":          "from mcp_use import MCPClient\nclient = MCPClient.from_config_file(\"a.json\")\n",
				"servers/tides.py": pyServer}, "client"},
		{"a host with a sample of a server that it starts", "octo/harbour-desk", "A desk of a harbour",
			map[string]string{"README.md": "# Desk\n\nA desk with MCP server tools.\n",
				"pyproject.toml": pyProject("harbour-desk", "A desk"),
				"app/server.py":  "from . import link\n\ndef main():\n    link.connect()\n", "app/link.py": pyClient,
				"samples_of_tides/tides.py": pyServer}, "client"},
		{"a host in Go with a program for trying it", "octo/harbour-desk", "A desk of a harbour",
			map[string]string{"README.md": "# Desk\n\nA desk with MCP server tools.\n", "go.mod": "module example.org/desk\n" +
				"require github.com/mark3labs/mcp-go v0.40.0\n", "internal/tides/tides.go": goServer,
				"main.go":      "package main\n\nimport \"example.org/desk/link\"\n\nfunc main() { link.Run() }\n",
				"link/link.go": goClient}, "client"},
		{"a program that loads what it is told to", "octo/harbour-desk", "An MCP server of a harbour",
			map[string]string{"README.md": "# Desk\n\nAn MCP server of a harbour.\n",
				"pyproject.toml": pyProject("harbour-desk", "A desk"),
				"app/server.py":  "import importlib\nfrom . import link\n\ndef main():\n    importlib.import_module(name())\n",
				"app/link.py":    pyClient, "app/tides.py": pyServer}, "server"},
		{"a gateway to something else with a client for measuring it", "octo/harbour-gateway", "A gateway to a harbour",
			map[string]string{"README.md": "# Harbour gateway\n\nAn MCP server: a gateway to a harbour.\n",
				"go.mod": "module example.org/gate\n" +
					"require github.com/mark3labs/mcp-go v0.40.0\n", "cmd/gate/main.go": goServer,
				"internal/measure/main.go": goClient}, "server"},
		{"a gateway to something else", "octo/harbour-gateway", "A gateway to a harbour",
			map[string]string{"README.md": "# Harbour gateway\n\nA gateway to a harbour.\n\n" + npxConfig("harbour-gateway"),
				"package.json": npmPackage("harbour-gateway", "A gateway to a harbour", npmBin),
				"src/index.ts": tsServer + "s.registerTool(\"tides\", {}, f);\n"}, "server"},
		{"a proxy", "octo/mcp-relay", "Puts MCP servers behind one endpoint",
			map[string]string{"README.md": "# mcp-relay\n\nA gateway for MCP servers.\n\n" +
				npxConfig("mcp-relay"),
				"package.json": npmPackage("mcp-relay", "A gateway for MCP servers", npmBin),
				"src/index.ts": tsServer, "src/upstream.ts": tsClient}, "proxy"},
		// Templates.
		{"a name that a script replaces", "octo/harbour-base", "",
			map[string]string{"README.md": "# Harbour\n\nAn MCP server in Rust.\n\n" + uvxConfig("CRATE_NAME"),
				"Cargo.toml":  "[package]\nname = \"CRATE_NAME\"\nversion = \"0.1.0\"\n[dependencies]\nrmcp = \"1\"\n",
				"src/main.rs": rsServer}, "template"},
		{"a template of nothing in particular that is configured", "octo/go-mcp-template", "",
			map[string]string{"README.md": "# go-mcp-template\n\nA small MCP server.\n\n" +
				"```json\n{\"mcpServers\": {\"x\": {\"command\": \"/path/to/go-mcp-template\"}}}\n```\n",
				"go.mod":          "module example.org/x\nrequire github.com/mark3labs/mcp-go v0.40.0\n",
				"cmd/app/main.go": goServer}, "template"},
		{"a server for templates that is configured", "octo/mcp-mail-template", "",
			map[string]string{"README.md": "# mcp-mail-template\n\nAn MCP server for mails.\n\n" +
				npxConfig("mcp-mail-template"), "package.json": npmPackage("mcp-mail-template", "", npmBin),
				"src/index.ts": tsServer}, "server"},
		{"a generator with a server that it wrote", "octo/tide-gen", "",
			map[string]string{"README.md": "# tide-gen\n\nA plugin that generates a model-context-protocol(MCP) server " +
				"from tables.\n", "settings.gradle.kts": "include(\"shown\")\n",
				"build.gradle.kts":       "plugins { kotlin(\"jvm\") }\n",
				"src/main/kotlin/Gen.kt": "package gen\n\nfun main() { println() }\n",
				"shown/build.gradle.kts": "plugins { application }\n" + kotlinSDK,
				"shown/src/Main.kt":      ktServer}, "template"},
		{"a starter that is added to a project", "octo/tide-kit", "",
			map[string]string{"README.md": "# Tide kit\n\nTides as an MCP server.\n\n    composer require octo/tide-kit\n\n" +
				"```json\n{\"mcpServers\": {\"x\": {\"command\": \"php\", \"args\": [\"artisan\", \"mcp:start\"]}}}\n```\n",
				"composer.json": `{"name": "octo/tide-kit", "description": "An MCP starter kit with tides", ` +
					`"require": {"laravel/mcp": "^0.5"}}`, "src/TideTool.php": phpTool}, "template"},

		// Programs at the root beside servers.
		{"a host with servers to try it with", "octo/harbour-talk", "",
			map[string]string{"README.md": "# Harbour talk\n\nTalks in a chat with Model Context Protocol (MCP) servers.\n",
				"pyproject.toml": pyProject("harbour-talk", "Talks"), "app/server.py": pyClient,
				"tides/pyproject.toml": pyProject("tides-mcp", "MCP server"), "tides/app/server.py": pyServer,
				"waves/pyproject.toml": pyProject("waves-mcp", "MCP server"), "waves/app/server.py": pyServer}, "client"},
		{"a host in Rust with a server to try it with", "octo/harbour-shell", "",
			map[string]string{"README.md": "# Harbour shell\n\nA shell of a harbour.\n",
				"Cargo.toml": "[package]\nname = \"shell\"\nversion = \"1.0.0\"\n[workspace]\nmembers = [\"tides\"]\n" +
					"[dependencies]\nrmcp = \"1\"\n", "src/main.rs": rsClient,
				"tides/Cargo.toml":  "[package]\nname = \"tides-mcp\"\nversion = \"1.0.0\"\n[dependencies]\nrmcp = \"1\"\n",
				"tides/src/main.rs": rsServer}, "client"},

		// SDKs.
		{"an SDK that also has a program", "octo/tide-wire", "",
			map[string]string{"README.md": "# Tide wire\n\nA framework for building fast MCP tools with wires.\n\n" +
				"```python\nfrom tide_wire import tool\n```\n\n" + uvxConfig("tide-wire"),
				"pyproject.toml": "[project]\nname = \"tide-wire\"\nversion = \"1\"\n" +
					"[project.scripts]\ntide-wire = \"tide_wire:main\"\n",
				"tide_wire/__init__.py": "from .wire import main\n", "tide_wire/wire.py": answering}, "framework"},
		{"an SDK without a README", "octo/mcp-tide-sdk", "",
			map[string]string{"composer.json": `{"autoload": {"psr-4": {"Tide\\\\": "src"}}}`,
				"server.php": "<?php\nrequire 'vendor/autoload.php';\n", "src/Server.php": "<?php\nnamespace Tide;\n" +
					"return match ($m) { 'tools/list' => $this->list(), 'tools/call' => $this->call() };\n"}, "framework"},
		{"a name of an SDK of something else", "octo/mcp-harbour-sdk", "",
			map[string]string{"README.md": "# mcp-harbour-sdk\n\nAn MCP server for the harbour SDK.\n\n" +
				npxConfig("mcp-harbour-sdk"), "package.json": npmPackage("mcp-harbour-sdk", "", npmBin),
				"src/index.ts": tsServer}, "server"},
		{"a server.json that starts nothing", "octo/tide-rs", "",
			map[string]string{"README.md": "# tide\n\nAn SDK for the Model Context Protocol.\n\n" +
				"```rust\nuse tide::Server;\n```\n",
				"server.json": `{"name": "io.github.elsewhere/tide", "description": "An SDK", "version": "1.0.0"}`,
				"Cargo.toml":  "[package]\nname = \"tide\"\nversion = \"1.0.0\"\n[lib]\n",
				"src/lib.rs":  "use std::io;\nmatch m { \"tools/list\" => a(), \"tools/call\" => b() }\n"}, "framework"},

		// Samples.
		{"a sample on the machine of the reader", "octo/mcp-tide-sample", "",
			map[string]string{"README.md": "# mcp-tide-sample\n\nAn MCP server.\n\n```json\n{\"mcpServers\": " +
				"{\"x\": {\"url\": \"http://localhost:8080/mcp\"}}}\n```\n",
				"pom.xml": mavenModule("mcp-tide-sample", "spring-ai-starter-mcp-server-webmvc")}, "course"},
		{"samples of sounds at an endpoint of their owner", "harbourworks/mcp-sound-samples", "",
			map[string]string{"README.md": "# Sounds\n\nAn MCP server.\n\n```json\n{\"mcpServers\": " +
				"{\"x\": {\"url\": \"https://harbourworks.example/mcp\"}}}\n```\n",
				"package.json": npmPackage("mcp-sound-samples", "", npmBin), "src/index.ts": tsServer}, "server"},

		// What applications load.
		{"a component of an application", "octo/harbour-home", "",
			map[string]string{"README.md": "# Harbour MCP server\n\nAn MCP server inside a home.\n",
				"pyproject.toml": "[project]\nname = \"harbour\"\nversion = \"1\"\ndependencies = [\"mcp\"]\n",
				"custom_components/harbour/manifest.json": `{"domain": "harbour", "version": "1"}`,
				"custom_components/harbour/__init__.py":   "from .server import mcp\n",
				"custom_components/harbour/server.py":     pyServer}, "server"},
		{"a file that starts what another one serves", "octo/harbour-link", "",
			map[string]string{"README.md": "# Harbour MCP server\n\nAn MCP server.\n",
				"pyproject.toml":      "[project]\nname = \"harbour\"\nversion = \"1\"\ndependencies = [\"mcp\"]\n",
				"src/harbour/app.py":  pyServer,
				"src/harbour/boot.py": "from harbour.app import mcp\n\nif __name__ == \"__main__\":\n    mcp.run()\n"}, "server"},
		{"a program that says in a sentence that it bridges", "octo/harbour-mcp-adapter", "",
			map[string]string{"README.md": "# Harbour MCP Adapter\n\nA program that bridges HTTP to an MCP server on stdio.\n",
				"pom.xml": "<project><artifactId>adapter</artifactId><build><plugins><plugin><artifactId>" +
					"spring-boot-maven-plugin</artifactId></plugin></plugins></build></project>",
				"src/main/java/Adapter.java": "import java.util.Map;\n" +
					"class Adapter { String h = \"Mcp-Session-Id\"; }\n"}, "proxy"},
		{"no code could be read", "octo/tides-mcp", "MCP server for tides",
			map[string]string{"README.md": npxReadme, "package.json": npmPackage("tides-mcp",
				"MCP server for tides", npmBin)}, "server"},
		{"a program that reads what passes", "octo/tide-tap", "A transparent proxy that shows the calls of MCP servers",
			map[string]string{"README.md": "# tide-tap\n\n```json\n{\"mcpServers\": {\"a\": {\"command\": " +
				"\"tide-tap\", \"args\": [\"-v\", \"--\", \"uvx\", \"tides\"]}}}\n```\n",
				"go.mod": "module example.org/tide-tap\n", "main.go": "package main\n\nfunc count(m string) {\n" +
					"\tswitch m {\n\tcase \"tools/list\":\n\tcase \"tools/call\":\n\t}\n}\n\nfunc main() {}\n"}, "client"},
		{"a proxy with an SDK that starts the reader's server", "octo/tide-relay", "A proxy of MCP servers",
			map[string]string{"README.md": "# tide-relay\n\n```json\n{\"mcpServers\": {\"a\": {\"command\": " +
				"\"tide-relay\", \"args\": [\"npx\", \"tides\"]}}}\n```\n",
				"package.json": npmPackage("tide-relay", "A proxy of MCP servers", `"bin": {"tide-relay": "cli.ts"}, `),
				"cli.ts":       tsServer + tsClient}, "proxy"},
		{"a server whose demonstration is configured", "octo/tide-scan", "Finds what is wrong with tides of MCP",
			map[string]string{"README.md": "# tide-scan\n\n```json\n{\"mcpServers\": {\"a\": {\"command\": " +
				"\"uv\", \"args\": [\"run\", \"demoserver/server.py\"]}}}\n```\n",
				"pyproject.toml": pyProject("tide-scan", "Finds what is wrong"), "app/server.py": pyServer,
				"app/scan.py": pyClient, "demoserver/server.py": pyServer}, "client"},
		{"a library of whose code none serves", "octo/tide-sso", "Signs users of your MCP server in",
			map[string]string{"README.md": "# tide-sso\n\nFor your MCP server.\n\n```ts\n" +
				"import { guard } from \"tide-sso\";\n```\n",
				"package.json": npmPackage("tide-sso", "For your MCP server", npmBin),
				"src/index.ts": "export const guard = 1;\n"}, "library"},
		{"an SDK whose macros are a program of the compiler", "octo/swift-tides", "An SDK for MCP",
			map[string]string{"README.md": "# Swift Tides\n\nAn SDK for MCP in Swift.\n",
				"Package.swift":                 "let package = Package(name: \"swift-tides\")\n",
				"Sources/Tides/Server.swift":    "import MCP\nlet s = Server(name: \"tides\")\n",
				"Sources/TideMacros/Main.swift": "@main\nstruct TideMacros: CompilerPlugin {\n}\n"}, "framework"},
		{"a server that knows clients by name", "octo/mcp-tides", "An MCP server of tides",
			map[string]string{"README.md": "# MCP Tides\n\nAn MCP server of tides behind a bridge.\n\n" +
				"## Tools\n\n- `tide_table`: Says when the water is high\n\n" + npxConfig("mcp-tides"),
				"package.json": npmPackage("mcp-tides", "An MCP server of tides", npmBin),
				"src/index.ts": tsServer + "s.tool(\"tide_table\", async () => 1);\n" +
					"const known = { clientId: \"mcp-client\" };\n"}, "server"},
		{"a server with tools that stands behind a bridge", "octo/mcp-tides", "An MCP server of tides",
			map[string]string{"README.md": "# MCP Tides\n\nAn MCP server of tides behind an OAuth bridge.\n\n" +
				npxConfig("mcp-tides"),
				"package.json": npmPackage("mcp-tides", "An MCP server of tides", npmBin),
				"src/index.ts": tsServer + "s.tool(\"tide_table\", async () => 1);\n",
				"src/log.ts":   "export const ask = (p) => post({ jsonrpc: \"2.0\", method: \"tools/call\", params: p });\n"},
			"server"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := repoOf(tt.repo, tt.texts)
			s.Repo.Description = tt.description
			r := Servers(s, nil)
			got := r.Kind
			for _, v := range r.Servers {
				got = v.Detection.Kind
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("%s (-want +got)\n%s%v", r.Reason, d, r.Evidence)
			}
			if len(r.Servers) > 0 && tt.name == "no code could be read" && r.Servers[0].Detection.Confidence > 0.5 {
				t.Errorf("confidence %v without code", r.Servers[0].Detection.Confidence)
			}
		})
	}
}

func TestMembersByCode(t *testing.T) {
	for _, tt := range []struct {
		name, repo string
		texts      map[string]string
		want       []string
	}{
		{"a root with a stray list of requirements", "octo/harbour-servers",
			map[string]string{"README.md": "# Harbour MCP servers\n\nMCP servers of the harbour.\n",
				"requirements.txt":     "mcp\n",
				"tides/pyproject.toml": pyProject("tides-mcp", "MCP server"),
				"tides/app/server.py":  pyServer,
				"waves/pyproject.toml": pyProject("waves-mcp", "MCP server"),
				"waves/app/server.py":  pyServer},
			[]string{"tides", "waves"}},
		{"a workspace whose SDK is in a shared package", "octo/harbour-servers",
			map[string]string{"README.md": "# Harbour MCP servers\n\nMCP servers of the harbour.\n",
				"package.json":            `{"private": true, "workspaces": ["servers/*", "shared"]}`,
				"shared/package.json":     npmPackage("@octo/shared", "", ""),
				"shared/src/index.ts":     tsServer,
				"servers/a/package.json":  `{"name": "@octo/a-mcp", "bin": "i.js", "dependencies": {"@octo/shared": "*"}}`,
				"servers/a/src/index.ts":  "import { serve } from '@octo/shared';\nserve();",
				"servers/b/package.json":  `{"name": "@octo/b-mcp", "bin": "i.js", "dependencies": {"@octo/shared": "*"}}`,
				"servers/b/src/server.ts": "import { serve } from '@octo/shared';\nserve();"},
			[]string{"servers/a", "servers/b"}},
		{"libraries that the README imports beside servers of their own", "octo/harbour-kits",
			map[string]string{"README.md": "# Kits\n\n```ts\nimport { tides } from \"@octo/tides\";\n```\n",
				"package.json":                    `{"private": true, "workspaces": ["packages/*"]}`,
				"packages/tides/package.json":     `{"name": "@octo/tides", "description": "Tides"}`,
				"packages/tides/src/index.ts":     "export const tides = [];",
				"packages/tides-mcp/package.json": npmPackage("@octo/tides-mcp", "MCP server for tides", npmBin),
				"packages/tides-mcp/src/index.ts": tsServer,
				"packages/waves-mcp/package.json": npmPackage("@octo/waves-mcp", "MCP server for waves", npmBin),
				"packages/waves-mcp/src/index.ts": tsServer},
			[]string{"packages/tides-mcp", "packages/waves-mcp"}},
		{"a bundle of a copied server", "octo/server-trials",
			map[string]string{"README.md": "# Trials\n\nMeasures agents with servers of others.\n",
				"copies/tides/manifest.json": `{"manifest_version": "0.2", "name": "tides", "homepage": ` +
					`"https://github.com/elsewhere/tides", "server": {"type": "node", "mcp_config": {}}}`,
				"run.py": "import json\n"}, nil},
		{"servers of several owners", "octo/server-trials",
			map[string]string{"README.md": "# Trials\n\nMeasures agents with MCP servers of others.\n",
				"pyproject.toml":             "[project]\nname = \"trials\"\nversion = \"1\"\ndependencies = [\"mcp\"]\n",
				"trials/run.py":              pyClient,
				"subjects/tide/package.json": npmPackage("tide-mcp", "", npmBin+`"homepage": "https://github.com/a/tide", `),
				"subjects/tide/src/index.ts": tsServer,
				"subjects/wave/package.json": npmPackage("wave-mcp", "", npmBin+`"homepage": "https://github.com/b/wave", `),
				"subjects/wave/src/index.ts": tsServer,
				"subjects/wind/package.json": npmPackage("wind-mcp", "", npmBin),
				"subjects/wind/src/index.ts": tsServer}, nil},
		{"servers of an owner and one of another", "octo/harbour-servers",
			map[string]string{"README.md": "# Harbour MCP servers\n\nMCP servers of the harbour.\n",
				"servers/tide/package.json": npmPackage("tide-mcp", "", npmBin+`"homepage": "https://github.com/octo/tide", `),
				"servers/tide/src/index.ts": tsServer,
				"servers/wave/package.json": npmPackage("wave-mcp", "", npmBin+`"homepage": "https://github.com/b/wave", `),
				"servers/wave/src/index.ts": tsServer},
			[]string{"servers/tide", "servers/wave"}},
		{"a private package with the program of a published one", "octo/harbour-hub",
			map[string]string{"README.md": "# Harbour hub\n\nAll MCP servers of a harbour.\n\n" + npxConfig("harbour-hub"),
				"package.json":              `{"private": true, "workspaces": ["packages/*"]}`,
				"packages/cli/package.json": npmPackage("harbour-cli", "", `"private": true, "bin": {"hub": "dist/i.js"}, `),
				"packages/cli/src/index.ts": tsServer,
				"packages/hub/package.json": npmPackage("harbour-hub", "", `"bin": {"hub": "dist/i.js"}, `),
				"packages/hub/src/index.ts": tsServer},
			[]string{""}},
		{"servers in folders of one project", "octo/harbour-servers",
			map[string]string{"README.md": "# Harbour MCP servers\n\nThe MCP servers of a harbour.\n",
				"pyproject.toml":  "[project]\nname = \"harbour-servers\"\nversion = \"1\"\ndependencies = [\"mcp\"]\n",
				"common/shore.py": "import os\n",
				"tides/README.md": "# Tides\n", "tides/server.py": pyServer, "tides/tables.py": pyServer,
				"waves/README.md": "# Waves\n", "waves/server.py": pyServer},
			[]string{"tides", "waves"}},
		{"scripts beside packages", "octo/harbour-servers",
			map[string]string{"README.md": "# Harbour MCP servers\n\nThe MCP servers of a harbour.\n",
				"package.json":           `{"private": true, "workspaces": ["servers/*"]}`,
				"servers/a/package.json": npmPackage("a-mcp", "MCP server", npmBin), "servers/a/src/index.ts": tsServer,
				"servers/b/package.json": npmPackage("b-mcp", "MCP server", npmBin), "servers/b/src/index.ts": tsServer,
				"servers/c/package.json":  `{"name": "c-mcp", "version": "1.0.0", "description": "MCP server"}`,
				"servers/c/server.py":     pyServer + mainOfPython,
				"servers/d/tide_table.py": pyServer + mainOfPython,
				"servers/e/tables.py":     "import os\n" + mainOfPython, "servers/f/part.py": pyServer},
			[]string{"servers/a", "servers/b", "servers/c", "servers/d"}},
		{"scripts of a package that configurations start", "octo/harbour-servers",
			map[string]string{"README.md": "# Harbour MCP servers\n\nThe MCP servers of a harbour.\n\n" +
				clientConfig(`{"command": "bash", "args": ["-c", "cd ~/harbour-servers/servers/c; uv run server.py"]}`),
				"pyproject.toml":           pyProject("harbour-servers", "MCP servers"),
				"servers/a/pyproject.toml": pyProject("a-mcp", "MCP server"), "servers/a/app/server.py": pyServer,
				"servers/b/pyproject.toml": pyProject("b-mcp", "MCP server"), "servers/b/app/server.py": pyServer,
				"servers/c/server.py": pyServer + mainOfPython, "servers/c-tables/tables.py": "import os\n"},
			[]string{"servers/a", "servers/b", "servers/c"}},
		{"packages that configurations start below one that serves", "octo/harbour-servers",
			map[string]string{"README.md": srcReadme +
				clientConfig(`{"command": "uv", "args": ["--directory", "/path/harbour-servers/servers/a", "run", "a-mcp"]}`) +
				clientConfig(`{"command": "uv", "args": ["--directory", "/path/harbour-servers/servers/b", "run", "b-mcp"]}`),
				"pyproject.toml": pyProject("harbour-servers", "MCP servers"), "app/server.py": pyServer,
				"servers/a/pyproject.toml": pyProject("a-mcp", "MCP server"), "servers/a/app/server.py": pyServer,
				"servers/b/pyproject.toml": pyProject("b-mcp", "MCP server"), "servers/b/app/server.py": pyServer,
				"servers/c/pyproject.toml": pyProject("c-mcp", "MCP server"), "servers/c/app/server.py": pyServer},
			[]string{"", "servers/a", "servers/b"}},
		{"a script of the only package", "octo/tides-mcp",
			map[string]string{"README.md": srcReadme + clientConfig(`{"command": "python", "args": `+
				`["/path/tides-mcp/src/tides/server.py"]}`),
				"pyproject.toml":      pyProject("tides-mcp", "MCP server"),
				"src/tides/server.py": pyServer + mainOfPython, "src/waves/server.py": pyServer + mainOfPython},
			[]string{""}},
		{"a command beside the one that serves", "octo/tides-mcp",
			map[string]string{"README.md": srcReadme, "go.mod": "module example.org/tides\n\n" +
				"require github.com/mark3labs/mcp-go v1.0.0\n",
				"cmd/tides-mcp/main.go": goServer,
				"cmd/mcp-menu/main.go":  "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println() }\n"},
			[]string{""}},
		{"modules of one server", "octo/harbour-mcp",
			map[string]string{"README.md": srcReadme,
				"pyproject.toml": pyProject("harbour-mcp", "MCP server"), "app/server.py": pyServer,
				"tides/README.md": "# Tides\n", "tides/server.py": pyServer,
				"waves/README.md": "# Waves\n", "waves/server.py": pyServer},
			[]string{""}},
		{"a folder called assets", "octo/harbour-servers",
			map[string]string{"README.md": "# Harbour MCP servers\n\nMCP servers of the harbour.\n",
				"assets/pyproject.toml": pyProject("assets-mcp", "MCP server for assets of the harbour"),
				"assets/app/server.py":  pyServer,
				"waves/pyproject.toml":  pyProject("waves-mcp", "MCP server"),
				"waves/app/server.py":   pyServer},
			[]string{"assets", "waves"}},
		{"servers with an image only", "octo/harbour-servers",
			map[string]string{"README.md": "# Harbour MCP servers\n\nMCP servers of the harbour.\n",
				"tides/Dockerfile": "FROM python\nCMD [\"python\", \"server.py\"]\n", "tides/server.py": pyServer,
				"waves/Dockerfile": "FROM python\nCMD [\"python\", \"server.py\"]\n", "waves/server.py": pyServer},
			[]string{"tides", "waves"}},
		{"an image of a part", "octo/tides-mcp",
			map[string]string{"README.md": srcReadme, "pyproject.toml": pyProject("tides-mcp", "MCP server"),
				"app/Dockerfile": "FROM python\nCMD [\"python\", \"server.py\"]\n", "app/server.py": pyServer},
			[]string{""}},
		{"a server beside a client", "octo/tides-mcp",
			map[string]string{"README.md": srcReadme, "api/pyproject.toml": pyProject("tides-mcp",
				"MCP server"), "api/app/server.py": pyServer,
				"chat/pyproject.toml": pyProject("tides-mcp-chat", "MCP server chat"),
				"chat/app/chat.py":    pyClient},
			[]string{""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := Servers(repoOf(tt.repo, tt.texts), nil)
			if d := cmp.Diff(tt.want, folders(r)); d != "" {
				t.Errorf("%s (-want +got)\n%s", r.Reason, d)
			}
		})
	}
}
