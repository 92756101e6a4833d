package detect

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A kind is a repository of our own writing with what is to be found in it.
type kind struct {
	name, repo  string
	description string // at the code host
	topics      string
	texts       map[string]string
	folders     []string // of the servers; nil: no server
	sdk         string   // of the first
	framework   string
	packages    string // "npm:x pypi:y", of the first
	transports  string
}

const (
	uvReadme  = "# Tides MCP Server\n\nForecasts the tides of every harbour.\n\n```json\n{\"mcpServers\": {\"tides\": {\"command\": \"uvx\", \"args\": [\"tides-mcp\"]}}}\n```\n\n## Tools\n\n- `tide_table`: says when the water is high\n"
	npxReadme = "# Tides MCP Server\n\nForecasts the tides of every harbour.\n\n```json\n{\"mcpServers\": {\"tides\": {\"command\": \"npx\", \"args\": [\"-y\", \"tides-mcp\"]}}}\n```\n\n## Tools\n\n- `tide_table`: says when the water is high\n"
	srcReadme = "# Tides MCP Server\n\nForecasts the tides of every harbour over the Model Context Protocol (stdio).\n\n## Tools\n\n- `tide_table`: says when the water is high\n"
)

var kinds = []kind{
	// Python packaging.
	{name: "uv and FastMCP", repo: "octo/tides-mcp",
		texts: map[string]string{"README.md": uvReadme,
			"pyproject.toml": "[project]\nname = \"tides-mcp\"\nversion = \"0.2.0\"\ndependencies = " +
				"[\"fastmcp>=2.10\", \"httpx\"]\n[project.scripts]\ntides-mcp = " +
				"\"tides.server:main\"\n[build-system]\nrequires = [\"uv_build\"]\n", "uv.lock": "",
			"src/tides/server.py": ""},
		folders: []string{""}, sdk: "python", framework: "fastmcp", packages: "pypi:tides-mcp",
		transports: "stdio"},
	{name: "framework", repo: "octo/fastmcp", description: "MCP server in TypeScript, fast",
		topics: "mcp mcp-server",
		texts: map[string]string{"README.md": "# FastMCP\n\nAn MCP server in TypeScript, fast.\n\n" +
			"```json\n{\"mcpServers\": {\"mine\": {\"command\": \"npx\", \"args\": [\"tsx\", \"/path/index.ts\"]}}}\n" +
			"```\n\n## Tools\n\n- `url`: of the image\n",
			"package.json": `{"name": "fastmcp", "version": "3.0.0", "bin": {"fastmcp": "dist/cli.js"},
				"description": "MCP server in TypeScript",
				"keywords": ["MCP", "SSE"], "dependencies": {"@modelcontextprotocol/sdk": "^1.17.0"}}`}},
	{name: "Poetry", repo: "octo/tides-mcp",
		texts: map[string]string{"README.md": uvReadme,
			"pyproject.toml": "[tool.poetry]\nname = \"tides-mcp\"\nversion = " +
				"\"0.2.0\"\n[tool.poetry.dependencies]\npython = \"^3.11\"\nmcp = {extras = [\"cli\"], " +
				"version = \"^1.9\"}\n[tool.poetry.scripts]\ntides-mcp = \"tides:main\"\n"},
		folders: []string{""}, sdk: "python", packages: "pypi:tides-mcp", transports: "stdio"},
	{name: "PDM with groups", repo: "octo/tides",
		texts: map[string]string{"README.md": uvReadme,
			"pyproject.toml": "[project]\nname = \"tides-mcp\"\ndynamic = [\"version\"]\ndependencies = " +
				"[\"mcp[cli]>=1.2,<2\"]\n[project.scripts]\ntides-mcp = " +
				"\"tides:main\"\n[tool.pdm.dev-dependencies]\ntest = [\"pytest\"]\n"},
		folders: []string{""}, sdk: "python", packages: "pypi:tides-mcp", transports: "stdio"},
	{name: "Hatch", repo: "octo/tides-mcp",
		texts: map[string]string{"README.md": uvReadme,
			"pyproject.toml": "[build-system]\nrequires = [\"hatchling\"]\n[project]\nname = " +
				"\"Tides_MCP\"\ndynamic = [\"version\"]\ndependencies = [\"mcp ~= " +
				"1.4\"]\n[project.scripts]\ntides-mcp = \"tides:main\"\n[tool.hatch.version]\npath " +
				"= \"tides/__about__.py\"\n"},
		folders: []string{""}, sdk: "python", packages: "pypi:tides-mcp", transports: "stdio"},
	{name: "setup.cfg only", repo: "octo/tides-mcp",
		texts: map[string]string{"README.rst": "Tides MCP Server\n================\n\nForecasts the " +
			"tides of every harbour.\n\n.. code-block:: bash\n\n    uvx tides-mcp\n",
			"setup.cfg": "[metadata]\nname = tides-mcp\nversion = 1.0\ndescription = An MCP server " +
				"for tides\nlicense = MIT\n[options]\ninstall_requires =\n    mcp>=1.0\n    " +
				"requests\n[options.entry_points]\nconsole_scripts =\n    tides-mcp = tides:main\n", "setup.py": "from setuptools import setup\nsetup()\n"},
		folders: []string{""}, sdk: "python", packages: "pypi:tides-mcp"},
	{name: "requirements only", repo: "octo/tides-mcp-server",
		texts: map[string]string{"README.md": srcReadme,
			"requirements.txt": "# the SDK\nmcp[cli]==1.6.0\nrequests\n",
			"server.py": "from mcp.server.fastmcp import FastMCP\nmcp = " +
				"FastMCP(\"tides\")\n\n@mcp.tool()\ndef tide_table(harbour: str) -> str:\n    " +
				"\"\"\"Says when the water is high.\"\"\"\n"},
		folders: []string{""}, sdk: "python", transports: "stdio"},
	{name: "uv workspace", repo: "octo/ocean-mcp",
		texts: map[string]string{"README.md": "# Ocean MCP servers\n\nMCP servers about the ocean.\n",
			"pyproject.toml": "[project]\nname = \"ocean\"\nversion = " +
				"\"0\"\n[tool.uv.workspace]\nmembers = [\"packages/*\"]\n",
			"packages/tides/pyproject.toml": "[project]\nname = " +
				"\"ocean-tides-mcp\"\ndependencies = [\"mcp>=1\"]\n[project.scripts]\nt = " +
				"\"t:main\"\n", "packages/waves/pyproject.toml": "[project]\nname = " +
				"\"ocean-waves-mcp\"\ndependencies = [\"ocean-common\", " +
				"\"fastmcp\"]\n[project.scripts]\nw = \"w:main\"\n",
			"packages/common/pyproject.toml": "[project]\nname = " +
				"\"ocean-common\"\ndependencies = [\"mcp>=1\"]\n"},
		folders: []string{"packages/tides", "packages/waves"}, sdk: "python"},
	{name: "a script with inline metadata", repo: "octo/tides-mcp",
		texts: map[string]string{"README.md": srcReadme,
			"tides.py": "# /// script\n# dependencies = [\"mcp>=1.2\"]\n# ///\nfrom mcp.server.fastmcp " +
				"import FastMCP\nmcp = FastMCP(\"tides\")\n"},
		folders: []string{""}, sdk: "python", transports: "stdio"},

	{name: "Pipfile", repo: "octo/tides-mcp",
		texts: map[string]string{"README.md": srcReadme,
			"Pipfile": "[[source]]\nurl = \"https://x.example\"\n[packages]\nmcp = {extras = [\"cli\"], " +
				"version = \"*\"}\nrequests = \"*\"\n[dev-packages]\npytest = \"*\"\n", "server.py": ""},
		folders: []string{""}, sdk: "python", transports: "stdio"},
	{name: "nothing but a script", repo: "octo/tides-mcp",
		texts: map[string]string{"README.md": srcReadme,
			"tides.py": "import httpx\nfrom mcp.server.fastmcp import FastMCP\n\nmcp = FastMCP(\"tides\")\n"},
		folders: []string{""}, sdk: "python", transports: "stdio"},
	{name: "servers named like folders of parts", repo: "octo/mcp-servers",
		texts: map[string]string{"README.md": "# MCP servers\n\nOur MCP servers.\n",
			"servers/helm/pyproject.toml": "[project]\nname = \"helm-mcp\"\ndependencies = " +
				"[\"mcp\"]\n[project.scripts]\nh = \"h:main\"\n",
			"servers/docs/pyproject.toml": "[project]\nname = \"docs-mcp\"\ndependencies = " +
				"[\"mcp\"]\n[project.scripts]\nd = \"d:main\"\n",
			"docs/pyproject.toml": "[project]\nname = \"pages-mcp\"\ndependencies = " +
				"[\"mcp\"]\n[project.scripts]\nd = \"d:main\"\n"},
		folders: []string{"servers/docs", "servers/helm"}, sdk: "python"},

	// JavaScript and TypeScript workspaces.
	{name: "FastMCP for TypeScript", repo: "octo/tides-mcp", texts: map[string]string{"README.md": npxReadme, "package.json": `{"name": "tides-mcp", "version": "1.0.0", "bin": "dist/index.js", "dependencies": {"fastmcp": "^3.0.0", "zod": "3"}}`},
		folders: []string{""}, sdk: "typescript", framework: "fastmcp", packages: "npm:tides-mcp",
		transports: "stdio"},
	{name: "xmcp", repo: "octo/tides-mcp", texts: map[string]string{"README.md": npxReadme, "package.json": `{"name": "tides-mcp", "version": "1.0.0", "scripts": {"build": "xmcp build", "start-stdio": "node dist/stdio.js"}, "dependencies": {"xmcp": "0.3"}}`, "src/tools/tide_table.ts": "", "xmcp.config.ts": ""},
		folders: []string{""}, sdk: "typescript", framework: "xmcp", packages: "npm:tides-mcp",
		transports: "stdio"},
	{name: "mcp-framework", repo: "octo/tides-mcp", texts: map[string]string{"README.md": npxReadme, "package.json": `{"name": "tides-mcp", "version": "1.0.0", "bin": {"tides": "dist/index.js"}, "dependencies": {"mcp-framework": "^0.2"}}`},
		folders: []string{""}, sdk: "typescript", framework: "mcp-framework", packages: "npm:tides-mcp",
		transports: "stdio"},
	{name: "a manifest with a mark, comments and commas", repo: "octo/tides-mcp",
		texts: map[string]string{"README.md": npxReadme,
			"package.json": "\ufeff{\n  // the server\n  \"name\": \"tides-mcp\",\n  \"version\": " +
				"\"1.0.0\",\n  \"bin\": {\"tides\": \"i.js\",},\n  /* needed */ \"dependencies\": " +
				"{\"@modelcontextprotocol/sdk\": \"^1.0.0\",},\n}\n"},
		folders: []string{""}, sdk: "typescript", packages: "npm:tides-mcp", transports: "stdio"},
	{name: "a manifest in UTF-16", repo: "octo/tides-mcp", texts: map[string]string{"README.md": npxReadme, "package.json": utf16(`{"name": "tides-mcp", "version": "1.0.0", "bin": "i.js", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`)},
		folders: []string{""}, sdk: "typescript", packages: "npm:tides-mcp", transports: "stdio"},
	{name: "pnpm and turbo", repo: "octo/ocean", texts: map[string]string{"README.md": "# Ocean\n\nThe web application of Ocean.\n", "package.json": `{"name": "ocean", "private": true, "scripts": {"build": "turbo build"}, "devDependencies": {"turbo": "2"}}`, "pnpm-workspace.yaml": "packages:\n  - apps/*\n  - packages/*\n", "turbo.json": "",
		"apps/web/package.json": `{"name": "web", "private": true, "scripts": {"start": "next start"}, "dependencies": {"next": "15"}}`, "apps/mcp/package.json": `{"name": "@ocean/mcp", "version": "1.0.0", "bin": "i.js", "dependencies": {"@modelcontextprotocol/sdk": "catalog:"}}`, "packages/ui/package.json": `{"name": "@ocean/ui"}`},
		folders: []string{"apps/mcp"}, sdk: "typescript", packages: "npm:@ocean/mcp"},
	{name: "nx", repo: "octo/ocean-mcp", texts: map[string]string{"README.md": "# Ocean MCP\n\nMCP servers for the ocean.\n", "package.json": `{"name": "ocean", "private": true, "dependencies": {"@modelcontextprotocol/sdk": "1"}}`, "nx.json": "", "apps/tides-mcp/package.json": `{"name": "@ocean/tides-mcp", "version": "1.0.0", "bin": "i.js", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`, "apps/waves-mcp/package.json": `{"name": "@ocean/waves-mcp", "version": "1.0.0", "bin": "i.js", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`, "libs/shared/package.json": `{"name": "@ocean/shared", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`},
		folders: []string{"apps/tides-mcp", "apps/waves-mcp"}, sdk: "typescript"},
	{name: "lerna and yarn", repo: "octo/ocean-mcp", texts: map[string]string{"README.md": "# Ocean MCP\n\nMCP servers for the ocean.\n", "package.json": `{"name": "root", "private": true, "workspaces": {"packages": ["servers/*"]}}`, "lerna.json": "", "servers/tides/package.json": `{"name": "@ocean/server-tides", "version": "1.0.0", "bin": "i.js", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`, "servers/tides/README.md": "# Tides\n\nTides of every harbour.\n", "servers/waves/package.json": `{"name": "@ocean/server-waves", "version": "1.0.0", "bin": "i.js", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`},
		folders: []string{"servers/tides", "servers/waves"}, sdk: "typescript",
		packages: "npm:@ocean/server-tides"},
	{name: "Deno", repo: "octo/tides-mcp", texts: map[string]string{"README.md": srcReadme, "deno.json": `{"name": "@octo/tides-mcp", "version": "0.1.0", "exports": "./main.ts", "tasks": {"start": "deno run -A main.ts"}, "imports": {"@modelcontextprotocol/sdk": "npm:@modelcontextprotocol/sdk@^1.10.0", "zod": "npm:zod"}}`, "main.ts": ""},
		folders: []string{""}, sdk: "typescript", transports: "stdio"},
	{name: "Deno with comments", repo: "octo/tides-mcp",
		texts: map[string]string{"README.md": srcReadme,
			"deno.jsonc": "{\n  // the server\n  \"tasks\": {\"start\": \"deno run main.ts\"},\n  " +
				"\"imports\": {\"mcp\": \"npm:@modelcontextprotocol/sdk@1\",},\n}\n", "main.ts": ""},
		folders: []string{""}, sdk: "typescript", transports: "stdio"},
	{name: "Bun", repo: "octo/tides-mcp", texts: map[string]string{"README.md": strings.ReplaceAll(npxReadme, `"npx", "args": ["-y", `, `"bunx", "args": [`), "package.json": `{"name": "tides-mcp", "version": "1.0.0", "module": "index.ts", "bin": "index.ts", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`, "bun.lock": ""},
		folders: []string{""}, sdk: "typescript", packages: "npm:tides-mcp", transports: "stdio"},
	{name: "a Cloudflare worker", repo: "octo/tides-mcp", texts: map[string]string{"README.md": "# Tides MCP\n\nA remote MCP server for tides. Connect to `https://tides-mcp.octo.workers.dev/sse`.\n", "package.json": `{"name": "tides-mcp", "private": true, "scripts": {"deploy": "wrangler deploy"}, "dependencies": {"agents": "0.1", "@modelcontextprotocol/sdk": "1", "workers-mcp": "0.1"}}`, "wrangler.jsonc": ""},
		folders: []string{""}, sdk: "typescript", framework: "workers-mcp",
		transports: "sse streamable-http"},

	// Go, Rust, Java, Kotlin, C#, Ruby, PHP, Swift.
	{name: "the official Go SDK", repo: "octo/tides-mcp",
		texts: map[string]string{"README.md": srcReadme,
			"go.mod": "module github.com/octo/tides-mcp\n\ngo 1.24\n\nrequire " +
				"(\n\tgithub.com/modelcontextprotocol/go-sdk v1.0.0\n\tgolang.org/x/net v0.1.0 // " +
				"indirect\n)\n", "main.go": ""},
		folders: []string{""}, sdk: "go", transports: "stdio"},
	{name: "mcp-go", repo: "octo/tides", description: "MCP server for tides",
		texts: map[string]string{"README.md": srcReadme,
			"go.mod":            "module github.com/octo/tides\nrequire github.com/mark3labs/mcp-go v0.41.1\n",
			"cmd/tides/main.go": ""},
		folders: []string{""}, sdk: "go", framework: "mcp-go", transports: "stdio"},
	{name: "go.work", repo: "octo/ocean-mcp",
		texts: map[string]string{"README.md": "# Ocean MCP\n\nMCP servers for the ocean.\n",
			"go.work": "go 1.24\nuse (\n\t./tides\n\t./waves\n\t./shared\n)\n",
			"tides/go.mod": "module github.com/octo/ocean-mcp/tides\nrequire " +
				"github.com/mark3labs/mcp-go v0.41.1\n", "tides/main.go": "",
			"waves/go.mod": "module github.com/octo/ocean-mcp/waves\nrequire " +
				"github.com/modelcontextprotocol/go-sdk v1.0.0\n",
			"waves/cmd/waves/main.go": "",
			"shared/go.mod": "module github.com/octo/ocean-mcp/shared\nrequire " +
				"github.com/modelcontextprotocol/go-sdk v1.0.0\n"},
		folders: []string{"tides", "waves"}, sdk: "go", framework: "mcp-go"},
	{name: "rmcp", repo: "octo/tides-mcp",
		texts: map[string]string{"README.md": srcReadme,
			"Cargo.toml": "[package]\nname = \"tides-mcp\"\nversion = \"0.3.0\"\n\n[dependencies]\nrmcp " +
				"= { version = \"0.8\", features = [\"server\", \"transport-io\"] }\ntokio = \"1\"\n",
			"src/main.rs": ""},
		folders: []string{""}, sdk: "rust", transports: "stdio"},
	{name: "a Cargo workspace", repo: "octo/ocean-mcp",
		texts: map[string]string{"README.md": "# Ocean MCP\n\nAn MCP server for the ocean.\n",
			"Cargo.toml": "[workspace]\nmembers = [\"crates/*\"]\n[workspace.dependencies]\nrmcp = \"0.8\"\n", "crates/ocean-core/Cargo.toml": "[package]\nname = \"ocean-core\"\n", "crates/ocean-core/src/lib.rs": "", "crates/ocean-mcp/Cargo.toml": "[package]\nname = \"ocean-mcp\"\nversion = \"0.1.0\"\n[dependencies]\nrmcp = { workspace = true }\nocean-core = { path = \"../ocean-core\" }\n", "crates/ocean-mcp/src/main.rs": ""},
		folders: []string{""}, sdk: "rust"},
	{name: "Spring AI in Maven", repo: "octo/tides-mcp-server",
		texts: map[string]string{"README.md": srcReadme,
			"pom.xml": "<project><parent><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-parent</artifactId></parent><groupId>dev.octo</groupId><artifactId>tides</artifactId><version>0.1.0</version><dependencies><dependency><groupId>org.springframework.ai</groupId><artifactId>spring-ai-starter-mcp-server-webmvc</artifactId></dependency></dependencies><build><plugins><plugin><groupId>org.springframework.boot</groupId><artifactId>spring-boot-maven-plugin</artifactId></plugin></plugins></build></project>"},
		folders: []string{""}, sdk: "java", framework: "spring-ai"},
	{name: "Quarkus in Gradle", repo: "octo/tides-mcp",
		texts: map[string]string{"README.md": srcReadme,
			"build.gradle": "plugins {\n  id 'java'\n  id 'io.quarkus'\n}\ndependencies {\n  " +
				"implementation 'io.quarkiverse.mcp:quarkus-mcp-server-stdio:1.5.0'\n}\n"},
		folders: []string{""}, sdk: "java", framework: "quarkus-mcp-server", transports: "stdio"},
	{name: "the Java SDK by a property", repo: "octo/tides-mcp",
		texts: map[string]string{"README.md": srcReadme,
			"pom.xml": "<project><groupId>dev.octo</groupId><artifactId>tides-mcp</artifactId><properties><mcp.version>0.12.1</mcp.version></properties><dependencies><dependency><groupId>io.modelcontextprotocol.sdk</groupId><artifactId>mcp</artifactId><version>${mcp.version}</version></dependency></dependencies></project>", "src/main/java/dev/octo/Main.java": ""},
		folders: []string{""}, sdk: "java", transports: "stdio"},
	{name: "Maven with several modules", repo: "octo/ocean-mcp",
		texts: map[string]string{"README.md": "# Ocean MCP\n\nAn MCP server for the ocean.\n",
			"pom.xml": "<project><groupId>dev.octo</groupId><artifactId>parent</artifactId><packaging>pom</packaging><modules><module>core</module><module>server</module></modules></project>", "core/pom.xml": "<project><parent><artifactId>parent</artifactId></parent><artifactId>ocean-core</artifactId></project>", "server/pom.xml": "<project><parent><artifactId>parent</artifactId></parent><artifactId>ocean-mcp-server</artifactId><dependencies><dependency><groupId>io.modelcontextprotocol.sdk</groupId><artifactId>mcp-spring-webflux</artifactId></dependency></dependencies><build><plugins><plugin><artifactId>spring-boot-maven-plugin</artifactId></plugin></plugins></build></project>"},
		folders: []string{""}, sdk: "java"},
	{name: "Kotlin with a version catalogue", repo: "octo/tides-mcp",
		texts: map[string]string{"README.md": srcReadme,
			"build.gradle.kts": "plugins {\n    alias(libs.plugins.kotlin.jvm)\n    " +
				"application\n}\ndependencies {\n    implementation(libs.mcp.kotlin)\n}\napplication { " +
				"mainClass.set(\"dev.octo.MainKt\") }\n",
			"gradle/libs.versions.toml": "[versions]\nmcp = " +
				"\"0.7.2\"\n[libraries]\nmcp-kotlin = { group = " +
				"\"io.modelcontextprotocol\", name = \"kotlin-sdk\", version.ref = " +
				"\"mcp\" }\n", "settings.gradle.kts": "rootProject.name = \"tides\"\n"},
		folders: []string{""}, sdk: "kotlin", transports: "stdio"},
	{name: "Gradle with several modules", repo: "octo/tides-mcp",
		texts: map[string]string{"README.md": srcReadme,
			"build.gradle.kts":    "plugins { kotlin(\"jvm\") version \"2.0.0\" apply false }\n",
			"settings.gradle.kts": "include(\":server\", \":core\")\n",
			"server/build.gradle.kts": "plugins { application }\ndependencies { " +
				"implementation(\"io.modelcontextprotocol:kotlin-sdk:0.7.2\") }\n",
			"core/build.gradle.kts": "plugins { kotlin(\"jvm\") }\n"},
		folders: []string{""}, sdk: "kotlin", transports: "stdio"},
	{name: "C# as a tool", repo: "octo/TidesMcp",
		texts: map[string]string{"README.md": srcReadme,
			"src/TidesMcp/TidesMcp.csproj": "<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup><OutputType>Exe</OutputType><PackAsTool>true</PackAsTool><PackageId>Octo.TidesMcp</PackageId><PackageType>McpServer</PackageType></PropertyGroup><ItemGroup><PackageReference Include=\"ModelContextProtocol\" Version=\"0.4.0-preview.1\" /></ItemGroup></Project>", "TidesMcp.sln": "", "tests/TidesMcp.Tests/TidesMcp.Tests.csproj": "<Project Sdk=\"Microsoft.NET.Sdk\"><ItemGroup><PackageReference Include=\"xunit\" Version=\"2\" /></ItemGroup></Project>"},
		folders: []string{""}, sdk: "csharp", packages: "nuget:Octo.TidesMcp", transports: "stdio"},
	{name: "C# with server.json in .mcp", repo: "octo/TidesMcp", texts: map[string]string{"README.md": srcReadme, "TidesMcp.csproj": "<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup><OutputType>Exe</OutputType></PropertyGroup><ItemGroup><PackageReference Include=\"ModelContextProtocol\" Version=\"0.4.0-preview.1\" /></ItemGroup></Project>", ".mcp/server.json": `{"$schema": "x", "name": "io.github.octo/tides", "description": "Tides of every harbour", "version": "0.1.0", "packages": [{"registryType": "nuget", "identifier": "Octo.Tides", "version": "0.1.0", "transport": {"type": "stdio"}}]}`},
		folders: []string{""}, sdk: "csharp", packages: "nuget:Octo.Tides", transports: "stdio"},
	{name: "ASP.NET", repo: "octo/tides-mcp",
		texts: map[string]string{"README.md": "# Tides MCP\n\nAn MCP server for tides over streamable " +
			"HTTP.\n", "Tides.Server/Tides.Server.csproj": "<Project Sdk=\"Microsoft.NET.Sdk.Web\"><ItemGroup><PackageReference Include=\"ModelContextProtocol.AspNetCore\" /></ItemGroup></Project>", "Directory.Packages.props": "<Project><ItemGroup><PackageVersion Include=\"ModelContextProtocol.AspNetCore\" Version=\"0.4.0\" /></ItemGroup></Project>"},
		folders: []string{""}, sdk: "csharp", transports: "streamable-http"},
	{name: "Ruby", repo: "octo/tides-mcp",
		texts: map[string]string{"README.md": srcReadme,
			"Gemfile": "source 'https://gems.example'\ngem 'mcp', '~> 0.3'\n", "bin/server": "",
			"lib/tides.rb": ""},
		folders: []string{""}, sdk: "ruby", transports: "stdio"},
	{name: "a gem", repo: "octo/tides-mcp",
		texts: map[string]string{"README.md": srcReadme,
			"tides-mcp.gemspec": "Gem::Specification.new do |spec|\n  spec.name = \"tides-mcp\"\n  " +
				"spec.version = \"0.1.0\"\n  spec.summary = \"Tides\"\n  spec.executables = " +
				"[\"tides-mcp\"]\n  spec.add_dependency \"fast-mcp\", \"~> 1.0\"\nend\n"},
		folders: []string{""}, sdk: "ruby", framework: "fast-mcp", transports: "stdio"},
	{name: "PHP", repo: "octo/tides-mcp", texts: map[string]string{"README.md": srcReadme, "composer.json": `{"name": "octo/tides-mcp", "description": "Tides", "type": "project", "require": {"php": "^8.1", "php-mcp/server": "^3.0"}, "bin": ["bin/server"]}`, "bin/server": ""},
		folders: []string{""}, sdk: "php", framework: "php-mcp", transports: "stdio"},
	{name: "Swift", repo: "octo/tides-mcp",
		texts: map[string]string{"README.md": srcReadme,
			"Package.swift": "// swift-tools-version: 6.0\nimport PackageDescription\nlet package = " +
				"Package(name: \"tides-mcp\", dependencies: [.package(url: " +
				"\"https://github.com/modelcontextprotocol/swift-sdk.git\", from: \"0.9.0\")], " +
				"targets: [.executableTarget(name: \"tides\", dependencies: [.product(name: " +
				"\"MCP\", package: \"swift-sdk\")])])\n", "Sources/tides/main.swift": ""},
		folders: []string{""}, sdk: "swift", transports: "stdio"},

	// Monorepos of several languages.
	{name: "servers of two languages", repo: "octo/servers", description: "MCP servers of Octo", texts: map[string]string{"README.md": "# Octo MCP servers\n\nOur Model Context Protocol servers.\n", "servers/tides/package.json": `{"name": "@octo/tides", "version": "1.0.0", "bin": "i.js", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`, "servers/waves/pyproject.toml": "[project]\nname = \"octo-waves\"\ndependencies = [\"mcp\"]\n[project.scripts]\nw = \"w:main\"\n", "servers/wind/go.mod": "module x/wind\nrequire github.com/mark3labs/mcp-go v0.4.0\n", "servers/wind/main.go": ""},
		folders: []string{"servers/tides", "servers/waves", "servers/wind"}, sdk: "typescript"},
	{name: "server and client in folders", repo: "octo/tides-mcp", texts: map[string]string{"README.md": srcReadme, "server/package.json": `{"name": "tides-mcp-server", "version": "1.0.0", "bin": "i.js", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`, "client/package.json": `{"name": "tides-mcp-client", "version": "1.0.0", "bin": "i.js", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`},
		folders: []string{""}, sdk: "typescript", packages: "npm:tides-mcp-server", transports: "stdio"},
	{name: "src with folders of source", repo: "octo/tides-mcp", texts: map[string]string{"README.md": npxReadme, "package.json": `{"name": "tides-mcp", "version": "1.0.0", "bin": "i.js", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`, "src/server/index.ts": "", "src/tools/tide.ts": "", "web/package.json": `{"name": "tides-web", "private": true, "scripts": {"start": "vite"}, "dependencies": {"@modelcontextprotocol/sdk": "1"}}`},
		folders: []string{""}, sdk: "typescript", packages: "npm:tides-mcp", transports: "stdio"},

	// Unusual servers.
	{name: "remote only, with server.json", repo: "octo/tides", texts: map[string]string{"README.md": "# Tides\n\nDocumentation of the Tides MCP server, which we host.\n", "server.json": `{"$schema": "x", "name": "dev.octo/tides", "description": "Tides of every harbour", "version": "1.0.0", "remotes": [{"type": "streamable-http", "url": "https://mcp.tides-octo.dev/mcp"}]}`},
		folders: []string{""}, transports: "streamable-http"},
	{name: "a gateway", repo: "octo/mcp-gateway", description: "A gateway that puts many MCP servers behind one endpoint", texts: map[string]string{"README.md": "# MCP Gateway\n\nAn MCP server that aggregates other MCP servers: one endpoint for all your tools.\n\n```json\n{\"mcpServers\": {\"gateway\": {\"command\": \"npx\", \"args\": [\"-y\", \"@octo/mcp-gateway\"]}}}\n```\n", "package.json": `{"name": "@octo/mcp-gateway", "version": "1.0.0", "bin": "i.js", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`},
		folders: []string{""}, sdk: "typescript", packages: "npm:@octo/mcp-gateway", transports: "stdio"},
	{name: "a proxy", repo: "octo/mcp-proxy", description: "Bridge between stdio and SSE for MCP servers", texts: map[string]string{"README.md": "# mcp-proxy\n\nA proxy that lets stdio clients use remote MCP servers.\n\n```json\n{\"mcpServers\": {\"proxy\": {\"command\": \"uvx\", \"args\": [\"octo-mcp-proxy\", \"https://x.octo.dev/sse\"]}}}\n```\n", "pyproject.toml": "[project]\nname = \"octo-mcp-proxy\"\ndependencies = [\"mcp>=1.8\"]\n[project.scripts]\nocto-mcp-proxy = \"p:main\"\n"},
		folders: []string{""}, sdk: "python"},
	{name: "a plain description", repo: "octo/harbour-assistant", description: "Model Context Protocol server for harbours", topics: "mcp mcp-server", texts: map[string]string{"README.md": "# Harbour Assistant\n\nTalk to your harbour.\n", "package.json": `{"name": "harbour-assistant", "version": "1.0.0", "bin": "i.js", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`},
		folders: []string{""}, sdk: "typescript"},

	{name: "a server of two programs", repo: "octo/harbour-mcp", texts: map[string]string{"README.md": "# Harbour MCP Server\n\nThis is a Model Context Protocol (MCP) server for your harbour.\n\n```json\n{\"mcpServers\": {\"harbour\": {\"command\": \"/path/to/uv\", \"args\": [\"--directory\", \"/path/to/harbour-mcp-server\", \"run\", \"main.py\"]}}}\n```\n", "harbour-bridge/go.mod": "module harbour-bridge\nrequire go.mau.fi/x v0.1.0\n", "harbour-bridge/main.go": "", "harbour-mcp-server/pyproject.toml": "[project]\nname = \"harbour-mcp-server\"\nversion = \"0.1.0\"\ndescription = \"Add your description here\"\ndependencies = [\"httpx\", \"mcp[cli]>=1.6.0\"]\n", "harbour-mcp-server/main.py": ""},
		folders: []string{""}, sdk: "python", transports: "stdio"},
	{name: "reference servers among many links", repo: "octo/servers", description: "Model Context Protocol Servers", texts: map[string]string{"README.md": "# Model Context Protocol servers\n\nThis repository is a collection of reference implementations for the Model Context Protocol (MCP), as well as references to community-built servers.\n\n" + links(60), "package.json": `{"name": "@octo/servers", "private": true, "workspaces": ["src/*"]}`, "src/tides/package.json": `{"name": "@octo/server-tides", "version": "1.0.0", "bin": "i.js", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`, "src/waves/package.json": `{"name": "@octo/server-waves", "version": "1.0.0", "bin": "i.js", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`, "src/wind/pyproject.toml": "[project]\nname = \"mcp-server-wind\"\ndependencies = [\"mcp>=1\"]\n[project.scripts]\nmcp-server-wind = \"w:main\"\n"},
		folders: []string{"src/tides", "src/waves", "src/wind"}, sdk: "typescript",
		packages: "npm:@octo/server-tides"},
	{name: "a server and packages for other uses", repo: "octo/tidebook", description: "Tidebook MCP Server -- tide tables for AI code editors", texts: map[string]string{"README.md": "# Tidebook MCP - tide tables for any prompt\n\nTidebook puts tides into your prompt.\n\n```json\n{\"mcpServers\": {\"tidebook\": {\"command\": \"npx\", \"args\": [\"-y\", \"@octo/tidebook-mcp\"]}}}\n```\n", "package.json": `{"name": "@octo/tidebook", "private": true, "workspaces": ["packages/*"]}`, "pnpm-workspace.yaml": "packages:\n  - packages/*\n", "packages/mcp/package.json": `{"name": "@octo/tidebook-mcp", "version": "1.0.0", "mcpName": "io.github.octo/tidebook", "bin": {"tidebook-mcp": "i.js"}, "dependencies": {"@modelcontextprotocol/sdk": "1"}}`, "packages/sdk/package.json": `{"name": "@octo/tidebook-sdk", "version": "1.0.0"}`, "packages/tools-ai-sdk/package.json": `{"name": "@octo/tidebook-tools", "version": "1.0.0", "dependencies": {"ai": "5"}}`},
		folders: []string{""}, sdk: "typescript", packages: "npm:@octo/tidebook-mcp", transports: "stdio"},
	{name: "in Chinese", repo: "octo/chaoxi", description: "潮汐查询 MCP 服务", texts: map[string]string{"README.md": "# 潮汐 MCP 服务器\n\n一个查询潮汐的 MCP 服务器，支持所有港口。\n\n```json\n{\"mcpServers\": {\"chaoxi\": {\"command\": \"npx\", \"args\": [\"-y\", \"chaoxi-mcp\"]}}}\n```\n\n## 工具\n\n- `tide_table`: 查询潮汐\n", "package.json": `{"name": "chaoxi-mcp", "version": "1.0.0", "bin": "i.js", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`},
		folders: []string{""}, sdk: "typescript", packages: "npm:chaoxi-mcp", transports: "stdio"},
	{name: "about registries of packages", repo: "octo/terraform-registry-mcp", description: "MCP server for a registry of modules", texts: map[string]string{"README.md": "# Registry MCP Server\n\nSearches a registry of modules.\n", "package.json": `{"name": "terraform-registry-mcp", "version": "1.0.0", "bin": "i.js", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`},
		folders: []string{""}, sdk: "typescript"},
	{name: "a small server without words", repo: "octo/calc", texts: map[string]string{"README.md": "# Calculator MCP Server\n\nA Model Context Protocol server for calculating.\n\n## Tools\n\n- `calculate` - evaluates an expression\n  - `expression` (string, required)\n", "pyproject.toml": "[project]\nname = \"mcp-server-calc\"\nversion = \"0.1\"\ndependencies = [\"mcp>=1.4\"]\n[project.scripts]\nmcp-server-calc = \"c:main\"\n"},
		folders: []string{""}, sdk: "python", packages: "pypi:mcp-server-calc"},

	{name: "without an SDK, with a client configuration", repo: "octo/tides-mcp",
		texts: map[string]string{"README.md": npxReadme,
			"package.json": `{"name": "tides-mcp", "version": "1.0.0", "bin": "i.js", "dependencies": {"axios": "1"}}`},
		folders: []string{""}, packages: "npm:tides-mcp"},
	{name: "without an SDK, with a list of tools", repo: "octo/tides-mcp",
		texts: map[string]string{"README.md": srcReadme,
			"Cargo.toml": "[package]\nname = \"tides-mcp\"\nversion = \"0.1.0\"\n[dependencies]\n" +
				"serde = \"1\"\n", "src/main.rs": ""},
		folders: []string{""}},
	{name: "a manager that is a server", repo: "octo/mcp-keeper",
		description: "Manage MCP servers from a chat",
		texts: map[string]string{"README.md": "# mcp-keeper\n\nA tool for managing MCP servers.\n\n" +
			"```json\n{\"mcpServers\": {\"keeper\": {\"command\": \"npx\", \"args\": [\"-y\", \"mcp-keeper\"]}}}\n```\n\n" +
			"## Tools\n\n- `add_server`: adds one\n",
			"package.json": `{"name": "mcp-keeper", "version": "1.0.0", "bin": "i.js", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`},
		folders: []string{""}, sdk: "typescript", packages: "npm:mcp-keeper"},

	// No servers.
	{name: "a package manager", repo: "octo/mcpman", description: "CLI MCP package manager & registry for all platforms and all clients. Search & configure MCP servers, clients, routers & profiles.", texts: map[string]string{"README.md": "# mcpman\n\nOpen source command line for managing MCP servers. Install servers, share them across clients.\n\n```bash\nmcpman install tides\n```\n", "pyproject.toml": "[project]\nname = \"mcpman\"\ndescription = \"MCP - Model Context Protocol Management CLI\"\ndependencies = [\"mcp>=1.8\", \"click\"]\n[project.scripts]\nmcpman = \"m:main\"\n"}},
	{name: "a runner of servers", repo: "octo/hive",
		description: "Hive makes deploying MCP servers easy, secure and fun",
		texts: map[string]string{"README.md": "# Hive\n\nRun any MCP server in a container: secure, " +
			"with a registry of servers and clients set up for you.\n",
			"go.mod":           "module github.com/octo/hive\nrequire github.com/mark3labs/mcp-go v0.41.1\n",
			"cmd/hive/main.go": ""}},
	{name: "a catalogue as files", repo: "octo/mcp-registry", description: "Official registry of container images of MCP servers", texts: map[string]string{"README.md": "# MCP Registry\n\nContribute your MCP server to this registry.\n", "servers/tides/server.yaml": "name: tides\n", "servers/tides/tools.json": `[{"name": "tide_table"}]`, "go.mod": "module github.com/octo/mcp-registry\nrequire github.com/mark3labs/mcp-go v0.41.1\n", "cmd/build/main.go": "", "cmd/wizard/main.go": ""}},
	{name: "a list with installers", repo: "octo/awesome-mcp-hub", description: "A collection of the best MCP servers, one API for all", texts: map[string]string{"README.md": "# MCP Hub\n\n" + links(80), "package.json": `{"name": "@octo/mcp-hub", "version": "1.0.0", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`}},
	{name: "an SDK with examples of servers", repo: "octo/kotlin-sdk",
		description: "Kotlin SDK for Model Context Protocol servers and clients",
		texts: map[string]string{"README.md": "# MCP Kotlin SDK\n\nKotlin implementation of the " +
			"Model Context Protocol.\n", "build.gradle.kts": "plugins { kotlin(\"multiplatform\") }\n",
			"samples/weather-stdio-server/build.gradle.kts": "plugins { application " +
				"}\ndependencies { implementation(\"io.modelcontextprotocol:kotlin-sdk:0.7.2\") }\n"}},
	{name: "an evaluation of servers", repo: "octo/mcp-bench",
		description: "A benchmark for language models that use MCP servers",
		texts: map[string]string{"README.md": "# MCP-Bench\n\nA benchmark of tool use with MCP " +
			"servers.\n", "requirements.txt": "mcp\nopenai\n", "run.py": ""}},
	{name: "a client", repo: "octo/mcp-chat", description: "A chat client for MCP servers", topics: "mcp mcp-client", texts: map[string]string{"README.md": "# MCP Chat\n\nA desktop client that connects to MCP servers.\n\n## Configuration\n\n```json\n{\"mcpServers\": {\"filesystem\": {\"command\": \"npx\", \"args\": [\"-y\", \"@modelcontextprotocol/server-filesystem\"]}}}\n```\n", "package.json": `{"name": "mcp-chat", "version": "1.0.0", "bin": "i.js", "scripts": {"start": "electron ."}, "dependencies": {"@modelcontextprotocol/sdk": "1"}}`}},
	{name: "an agent framework", repo: "octo/agents", description: "Build agents that use MCP servers",
		texts: map[string]string{"README.md": "# Agents\n\nA Python framework for building agents. " +
			"Agents can use tools of MCP servers.\n",
			"pyproject.toml": "[project]\nname = \"octo-agents\"\ndependencies = [\"mcp>=1\", " +
				"\"openai\"]\n[project.scripts]\nagents = \"a:main\"\n"}},
	{name: "a list under another name", repo: "octo/mcp-collection",
		texts: map[string]string{"README.md": "# MCP collection\n\nA curated list of Model Context " +
			"Protocol servers.\n\n- [A](https://github.com/a/a) - first\n- [B](https://github.com/b/b) " +
			"- second\n- [C](https://github.com/c/c) - third\n"}},
	{name: "a framework with commands in a workspace", repo: "octo/mcp-use",
		texts: map[string]string{
			"README.md": "# The TypeScript framework for MCP\n\n### Build, test and ship MCP servers\n\nFully typed, with " +
				"views and an inspector.\n",
			"package.json": `{"private": true, "workspaces": ["packages/*"]}`,
			"packages/cli/package.json": `{"name": "@octo/cli", "description": "CLI of the framework", "bin": "x",
				"dependencies": {"@modelcontextprotocol/sdk": "1.0.0"}}`,
			"packages/server/package.json": `{"name": "mcp-use", "description": "MCP framework and CLI", "bin": "x",
				"dependencies": {"@modelcontextprotocol/sdk": "1.0.0"}}`,
			"packages/server/README.md": "# mcp-use\n\nMCP framework and CLI.\n"}},
	{name: "an SDK for Rust", repo: "octo/mcp-rust",
		description: "A Rust SDK for the Model Context Protocol",
		texts: map[string]string{"README.md": "# mcp-rust\n\nRust SDK for the Model Context " +
			"Protocol: write MCP servers and clients.\n",
			"Cargo.toml": "[package]\nname = \"mcp-rust\"\ndescription = \"Rust SDK for " +
				"MCP\"\nversion = \"0.1.0\"\n", "src/lib.rs": "",
			"examples/server/Cargo.toml": "[package]\nname = " +
				"\"example-server\"\n[dependencies]\nmcp-rust = { path = \"../..\" }\n",
			"examples/server/src/main.rs": ""}},
	{name: "a documentation site", repo: "octo/mcp-docs", description: "Documentation about the Model Context Protocol", texts: map[string]string{"README.md": "# MCP documentation\n\nThe source of the documentation website about MCP.\n", "package.json": `{"name": "docs", "private": true, "scripts": {"start": "docusaurus start", "build": "docusaurus build"}, "dependencies": {"@docusaurus/core": "3"}}`, "docusaurus.config.js": ""}},
	{name: "a template", repo: "octo/mcp-server-template", description: "Template for MCP servers in TypeScript", texts: map[string]string{"README.md": "# MCP server template\n\nA starter template for building MCP servers in TypeScript. Use this template to create your own.\n", "package.json": `{"name": "mcp-server-template", "version": "1.0.0", "bin": "i.js", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`}},
	{name: "a course", repo: "octo/learn-mcp", description: "A course about building MCP servers", texts: map[string]string{"README.md": "# Learn MCP\n\nA hands-on course: build your own MCP servers step by step.\n\n## Lessons\n\n1. First server\n2. Tools\n", "lessons/01/package.json": `{"name": "lesson-01", "bin": "i.js", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`}},
	{name: "an application with a client configuration", repo: "octo/shop", texts: map[string]string{"README.md": "# Shop\n\nA web shop.\n", ".mcp.json": `{"mcpServers": {"playwright": {"command": "npx", "args": ["@playwright/mcp@latest"]}}}`, "package.json": `{"name": "shop", "private": true, "scripts": {"start": "next"}, "dependencies": {"next": "15"}}`}},
	{name: "a game server", repo: "octo/mcp-world", description: "Minecraft Coder Pack mappings",
		texts: map[string]string{"README.md": "# MCP World\n\nMappings of the Mod Coder Pack for a game.\n", "build.gradle": "plugins { id 'java' }\n"}},
	{name: "a registry", repo: "octo/mcp-hub", description: "A registry for discovering and installing MCP servers", texts: map[string]string{"README.md": "# MCP Hub\n\nThe registry of MCP servers: discover, install and manage MCP servers.\n", "package.json": `{"name": "mcp-hub", "private": true, "scripts": {"start": "next start"}, "dependencies": {"next": "15", "@modelcontextprotocol/sdk": "1"}}`}},
	{name: "an installer without an SDK", repo: "octo/mcp-fetcher",
		description: "Install MCP servers with one command",
		texts: map[string]string{"README.md": "# mcp-fetcher\n\nThe MCP server installer. Searches, " +
			"installs and updates an MCP server for you over stdio.\n\n```sh\nnpx mcp-fetcher install tides\n```\n",
			"package.json": `{"name": "mcp-fetcher", "version": "1.0.0", "bin": "i.js", "dependencies": {"commander": "1"}}`}},
	{name: "only the plural", repo: "octo/harbour",
		description: "A harbour for MCP servers over stdio",
		texts: map[string]string{"README.md": "# harbour\n\nKeeps MCP servers running.\n",
			"package.json": `{"name": "harbour", "version": "1.0.0", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`}},
	{name: "a manager with configurations of others", repo: "octo/mcp-keeper",
		description: "MCP manager: manages every MCP server in one place",
		texts: map[string]string{"README.md": "# mcp-keeper\n\nA tool for managing MCP servers over stdio.\n\n" +
			"```json\n{\"mcpServers\": {\"tides\": {\"command\": \"npx\", \"args\": [\"-y\", \"tides-mcp\"]}}}\n```\n\n" +
			"## Tools\n\n- `keeper add`: adds one\n",
			"package.json": `{"name": "mcp-keeper", "version": "1.0.0", "bin": "i.js", "dependencies": {"@modelcontextprotocol/sdk": "1"}}`}},
	{name: "an empty shell", repo: "octo/tides-mcp", texts: map[string]string{"README.md": "# tides\n"}},
}

func links(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "- [Server %d](https://github.com/owner%d/server%d) - does one thing\n", i, i, i)
	}
	return b.String()
}

func utf16(s string) string {
	b := []byte{0xFF, 0xFE}
	for _, r := range s {
		b = append(b, byte(r), byte(r>>8))
	}
	return string(b)
}

func TestKinds(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			s := repoOf(k.repo, k.texts)
			s.Repo.Description, s.Repo.Topics = k.description, strings.Fields(k.topics)
			r := Servers(s, nil)
			if diff := cmp.Diff(k.folders, folders(r)); diff != "" {
				t.Fatalf("folders (%s: %s) (-want +got)\n%s%v", r.State, r.Reason, diff, r.Evidence)
			}
			if k.folders == nil {
				return
			}
			d := r.Servers[0].Detection
			var packages []string
			for _, p := range d.Packages {
				packages = append(packages, p.RegistryType+":"+p.Identifier)
			}
			transports := append([]string{}, d.Transports...)
			sort.Strings(transports)
			got := []string{d.SDK, d.Framework}
			want := []string{k.sdk, k.framework}
			if k.packages != "" {
				got, want = append(got,
					strings.ToLower(strings.ReplaceAll(strings.Join(packages, " "), "_", "-"))),
					append(want, strings.ToLower(k.packages))
			}
			if k.transports != "" {
				got, want = append(got, strings.Join(transports, " ")), append(want, k.transports)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if d.Name == "" || d.Category == "" || len(d.Evidence) == 0 {
				t.Errorf("name %q, category %q, evidence %v", d.Name, d.Category, d.Evidence)
			}
		})
	}
}
