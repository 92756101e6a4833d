package detect

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	rsServer = "use rmcp::{ServerHandler, tool};\n\nimpl ServerHandler for Tides {}\n"
	// goSDKServer uses the official SDK.
	goSDKServer = "package main\n\nimport \"github.com/modelcontextprotocol/go-sdk/mcp\"\n\n" +
		"func main() { s := mcp.NewServer(&mcp.Implementation{}, nil) }\n"
	javaServer = "package x;\nimport io.modelcontextprotocol.server.McpServer;\nclass Main { void main() " +
		"{ McpServer.sync(t).build(); } }\n"
	tsTool = "export const tides = { name: \"tide_table\" };\n"

	javaSDK = "<dependency><groupId>io.modelcontextprotocol.sdk</groupId><artifactId>mcp</artifactId>" +
		"<version>0.12.0</version></dependency>"
	shade = "<build><plugins><plugin><artifactId>maven-shade-plugin</artifactId></plugin></plugins></build>"
)

// pom is a module of Maven with more elements.
func pom(artifact, more string) string {
	return "<project><parent><groupId>org.octo</groupId><artifactId>harbour</artifactId><version>1</version>" +
		"</parent><artifactId>" + artifact + "</artifactId>" + more + "</project>"
}

// readmeWith is a README with a configuration of a package.
func readmeWith(title, config string) string { return "# " + title + "\n\nTides.\n\n" + config }

// crate is a crate that depends on the official SDK and more.
func crate(name, more string) string {
	return "[package]\nname = \"" + name + "\"\nversion = \"0.2.0\"\n[dependencies]\nrmcp = \"0.8\"\n" + more
}

// goModule is a module that depends on the official SDK.
func goModule(path string) string {
	return "module " + path + "\nrequire github.com/modelcontextprotocol/go-sdk v1.0.0\n"
}

// TestLayouts checks that each server of a repository is found once, in its folder: "" is the
// root, or the only server of a repository about it.
func TestLayouts(t *testing.T) {
	for _, tt := range []struct {
		name, repo string
		texts      map[string]string
		want       []string
		packages   string // of the first
	}{
		// One server in parts.
		{"npm workspaces: the server beside a core and a web application", "octo/harbour",
			map[string]string{"README.md": readmeWith("Harbour", npxConfig("@octo/harbour-mcp")),
				"package.json":               `{"name": "harbour", "private": true, "workspaces": ["packages/*", "apps/*"], "scripts": {"start": "turbo dev"}}`,
				"packages/core/package.json": `{"name": "@octo/core", "main": "i.js"}`, "packages/core/src/index.ts": tsTool,
				"packages/mcp-server/package.json": `{"name": "@octo/harbour-mcp", "version": "1.0.0", "bin": "i.js",
					"dependencies": {"@octo/core": "*", "@modelcontextprotocol/sdk": "1"}}`,
				"packages/mcp-server/src/index.ts": tsServer,
				"apps/web/package.json":            `{"name": "web", "private": true, "scripts": {"start": "next"}, "dependencies": {"next": "15"}}`,
				"apps/web/src/page.tsx":            "import React from 'react';\nexport default function P() {}\n"},
			[]string{"packages/mcp-server"}, "npm:@octo/harbour-mcp"},
		{"the SDK is in the core, the program beside it", "octo/harbour-mcp",
			map[string]string{"README.md": readmeWith("Harbour MCP", npxConfig("harbour-mcp")),
				"package.json":               `{"name": "root", "private": true, "workspaces": ["packages/*"]}`,
				"packages/core/package.json": npmPackage("@octo/harbour-core", "", ""), "packages/core/src/index.ts": tsServer,
				"packages/cli/package.json": `{"name": "harbour-mcp", "version": "1.0.0", "bin": "i.js", "dependencies": {"@octo/harbour-core": "workspace:*"}}`,
				"packages/cli/src/index.ts": "import { serve } from '@octo/harbour-core';\nserve();\n"},
			[]string{""}, "npm:harbour-mcp"},
		{"a program that starts the server beside it", "octo/harbour-mcp",
			map[string]string{"README.md": readmeWith("Harbour MCP", npxConfig("harbour-mcp")),
				"package.json":                 `{"name": "root", "private": true, "workspaces": ["packages/*"]}`,
				"packages/server/package.json": npmPackage("@octo/harbour-mcp-server", "", npmBin), "packages/server/src/index.ts": tsServer,
				"packages/cli/package.json": `{"name": "harbour-mcp", "version": "1.0.0", "bin": "i.js", "dependencies": {"@octo/harbour-mcp-server": "workspace:*"}}`,
				"packages/cli/src/index.ts": "import { serve } from '@octo/harbour-mcp-server';\nserve();\n"},
			[]string{""}, "npm:harbour-mcp"},
		{"the root exports its member again", "octo/harbour-mcp",
			map[string]string{"README.md": readmeWith("Harbour MCP server", npxConfig("harbour-mcp")),
				"package.json": `{"name": "harbour-mcp", "version": "1.0.0", "bin": "cli.js", "workspaces": ["packages/*"],
					"dependencies": {"@octo/harbour-mcp-server": "*"}}`,
				"cli.js":                           "require('@octo/harbour-mcp-server').main();\n",
				"packages/mcp-server/package.json": npmPackage("@octo/harbour-mcp-server", "MCP server", npmBin),
				"packages/mcp-server/README.md":    readmeWith("Harbour MCP server", npxConfig("@octo/harbour-mcp-server")),
				"packages/mcp-server/src/index.ts": tsServer},
			[]string{""}, "npm:harbour-mcp"},
		{"pnpm and turbo: two servers, one of a shared package", "octo/harbour-mcp",
			map[string]string{"README.md": "# Harbour MCP servers\n\nMCP servers of the harbour.\n",
				"package.json":        `{"name": "harbour", "private": true, "devDependencies": {"turbo": "2"}}`,
				"pnpm-workspace.yaml": "packages:\n  - servers/*\n  - shared\n", "turbo.json": "{}",
				"shared/package.json": npmPackage("@octo/shared", "", ""), "shared/src/index.ts": tsServer,
				"servers/tides/package.json": `{"name": "@octo/tides-mcp", "bin": "i.js", "dependencies": {"@octo/shared": "workspace:*"}}`,
				"servers/tides/src/index.ts": "import { serve } from '@octo/shared';\nserve();\n",
				"servers/waves/package.json": npmPackage("@octo/waves-mcp", "", npmBin), "servers/waves/src/index.ts": tsServer},
			[]string{"servers/tides", "servers/waves"}, ""},
		{"lerna: the root depends on the SDK for all", "octo/harbour-mcp",
			map[string]string{"README.md": "# Harbour MCP\n\nMCP servers of the harbour.\n",
				"package.json":                npmPackage("harbour", "", `"private": true, "scripts": {"start": "lerna run start"}, `),
				"lerna.json":                  `{"packages": ["packages/*"]}`,
				"packages/tides/package.json": npmPackage("@octo/tides-mcp", "", npmBin), "packages/tides/src/index.ts": tsServer,
				"packages/waves/package.json": npmPackage("@octo/waves-mcp", "", npmBin), "packages/waves/src/index.ts": tsServer},
			[]string{"packages/tides", "packages/waves"}, ""},
		{"nx: an application with an MCP server among its applications", "octo/harbour",
			map[string]string{"README.md": "# Harbour\n\nThe harbour's web application.\n",
				"package.json": npmPackage("harbour", "", `"private": true, "scripts": {"start": "nx serve"}, `), "nx.json": "{}",
				"apps/web/package.json": `{"name": "web", "private": true}`, "apps/web/src/main.ts": "import x from 'y';\n",
				"apps/mcp/package.json": npmPackage("@octo/harbour-mcp", "MCP server of Harbour", npmBin),
				"apps/mcp/src/main.ts":  tsServer},
			[]string{"apps/mcp"}, "npm:@octo/harbour-mcp"},

		// Python.
		{"uv workspace of two servers and a library", "octo/harbour-mcp",
			map[string]string{"README.md": "# Harbour MCP\n\nMCP servers.\n",
				"pyproject.toml":                 "[project]\nname = \"harbour\"\nversion = \"0\"\ndependencies = [\"mcp\"]\n[tool.uv.workspace]\nmembers = [\"packages/*\"]\n",
				"packages/common/pyproject.toml": "[project]\nname = \"harbour-common\"\ndependencies = [\"mcp\"]\n",
				"packages/common/app/x.py":       pyServer,
				"packages/tides/pyproject.toml":  pyProject("tides-mcp", ""), "packages/tides/app/server.py": pyServer,
				"packages/waves/pyproject.toml": "[project]\nname = \"waves-mcp\"\ndependencies = [\"harbour-common\"]\n[project.scripts]\nwaves-mcp = \"app.server:main\"\n",
				"packages/waves/app/server.py":  "from harbour_common import serve\nserve()\n"},
			[]string{"packages/tides", "packages/waves"}, ""},
		{"Poetry: a product with a server in a folder", "octo/harbour",
			map[string]string{"README.md": "# Harbour\n\nTides. Its MCP server:\n\n" + uvxConfig("harbour-mcp"),
				"pyproject.toml":     "[tool.poetry]\nname = \"harbour\"\nversion = \"3.0\"\n[tool.poetry.scripts]\nharbour = \"harbour:main\"\n",
				"harbour/main.py":    "import click\n\ndef main(): ...\n",
				"mcp/pyproject.toml": "[tool.poetry]\nname = \"harbour-mcp\"\nversion = \"1.0\"\n[tool.poetry.dependencies]\nmcp = \"^1\"\n[tool.poetry.scripts]\nharbour-mcp = \"app.server:main\"\n",
				"mcp/app/server.py":  pyServer},
			[]string{"mcp"}, "pypi:harbour-mcp"},
		{"a Python server with a wrapper for npm", "octo/tides-mcp",
			map[string]string{"README.md": readmeWith("Tides MCP server", uvxConfig("tides-mcp")),
				"pyproject.toml": pyProject("tides-mcp", "MCP server"), "app/server.py": pyServer,
				"npm/package.json": `{"name": "tides-mcp", "version": "1.0.0", "bin": "i.js"}`,
				"npm/README.md":    readmeWith("Tides MCP server", npxConfig("tides-mcp")),
				"npm/i.js":         "require('child_process').spawn('uvx', ['tides-mcp']);\n"},
			[]string{""}, "pypi:tides-mcp"},
		{"a stray list of requirements above one server", "octo/tides-mcp",
			map[string]string{"README.md": readmeWith("Tides MCP server", npxConfig("tides-mcp")),
				"requirements.txt":    "mkdocs\nmcp\n",
				"server/package.json": npmPackage("tides-mcp", "MCP server", npmBin), "server/src/index.ts": tsServer},
			[]string{""}, "npm:tides-mcp"},
		{"a stray list of requirements and a script above servers", "octo/harbour-mcp",
			map[string]string{"README.md": "# Harbour MCP servers\n\nMCP servers of the harbour.\n",
				"requirements.txt": "mcp\npytest\n", "run.py": "import subprocess\nsubprocess.run(['a'])\n",
				"tides/requirements.txt": "mcp\n", "tides/server.py": pyServer,
				"waves/requirements.txt": "fastmcp\n", "waves/server.py": pyServer},
			[]string{"tides", "waves"}, ""},

		// Rust and Go.
		{"Cargo workspace: a server of a library and a program", "octo/tides-mcp",
			map[string]string{"README.md": "# tides-mcp\n\nAn MCP server for tides.\n",
				"Cargo.toml":                  "[workspace]\nmembers = [\"crates/*\"]\n",
				"crates/tides-lib/Cargo.toml": crate("tides-lib", ""), "crates/tides-lib/src/lib.rs": rsServer,
				"crates/tides-mcp/Cargo.toml":  "[package]\nname = \"tides-mcp\"\nversion = \"0.2.0\"\n[dependencies]\ntides-lib = { path = \"../tides-lib\" }\n",
				"crates/tides-mcp/src/main.rs": "use tides_lib::serve;\nfn main() { serve() }\n"},
			[]string{""}, ""},
		{"Cargo: the root is a crate and the workspace", "octo/tides-mcp",
			map[string]string{"README.md": "# tides-mcp\n\nAn MCP server for tides.\n",
				"Cargo.toml":             crate("tides-mcp", "tides-core = { path = \"core\" }\n[workspace]\nmembers = [\"core\"]\n"),
				"src/main.rs":            rsServer,
				"crates/core/Cargo.toml": crate("tides-core", ""), "crates/core/src/lib.rs": "use rmcp::model::Tool;\npub fn x() {}\n"},
			[]string{""}, ""},
		{"Cargo workspace of two servers", "octo/harbour-mcp",
			map[string]string{"README.md": "# Harbour\n\nMCP servers of the harbour.\n",
				"Cargo.toml":       "[workspace]\nmembers = [\"tides\", \"waves\"]\n[workspace.dependencies]\nrmcp = \"0.8\"\n",
				"tides/Cargo.toml": crate("tides-mcp", ""), "tides/src/main.rs": rsServer,
				"waves/Cargo.toml": crate("waves-mcp", ""), "waves/src/main.rs": rsServer},
			[]string{"tides", "waves"}, ""},
		{"go.work with a module of its own in the root", "octo/harbour",
			map[string]string{"README.md": "# Harbour\n\nThe harbour's service.\n", "go.work": "use (\n\t.\n\t./mcp\n)\n",
				"go.mod": "module github.com/octo/harbour\n", "main.go": "package main\n\nimport \"net/http\"\n\nfunc main() {}\n",
				"mcp/go.mod": goModule("github.com/octo/harbour/mcp"), "mcp/main.go": goSDKServer,
				"mcp/README.md": "# Harbour MCP server\n\nAn MCP server.\n"},
			[]string{"mcp"}, ""},
		{"Go: commands of one module", "octo/harbour-mcp",
			map[string]string{"README.md": "# Harbour\n\nMCP servers.\n", "go.mod": goModule("github.com/octo/harbour-mcp"),
				"cmd/tides-mcp/main.go": goSDKServer, "cmd/waves-mcp/main.go": goSDKServer},
			[]string{"cmd/tides-mcp", "cmd/waves-mcp"}, ""},
		{"Go: a server and a tool of one module", "octo/harbour-mcp",
			map[string]string{"README.md": "# Harbour\n\nAn MCP server.\n", "go.mod": goModule("github.com/octo/harbour-mcp"),
				"cmd/harbour-mcp/main.go": goSDKServer, "cmd/import/main.go": "package main\n\nimport \"os\"\n\nfunc main() {}\n"},
			[]string{""}, ""},
		{"an npm package that starts a Go program", "octo/tides-mcp",
			map[string]string{"README.md": readmeWith("Tides MCP server", npxConfig("tides-mcp")),
				"package.json":  `{"name": "tides-mcp", "version": "1.0.0", "bin": "run.js"}`,
				"run.js":        "const { spawn } = require('child_process');\nspawn('./tides');\n",
				"server/go.mod": goModule("github.com/octo/tides-mcp/server"), "server/main.go": goSDKServer},
			[]string{""}, "npm:tides-mcp"},

		// Java, Kotlin and .NET.
		{"Maven: a server of two modules", "octo/tides-mcp",
			map[string]string{"README.md": "# Tides MCP server\n\nAn MCP server.\n",
				"pom.xml":      "<project><artifactId>harbour</artifactId><modules><module>core</module><module>server</module></modules></project>",
				"core/pom.xml": pom("tides-core", ""), "core/src/main/java/x/A.java": "package x;\nclass A {}\n",
				"server/pom.xml":                   pom("tides-server", "<dependencies>"+javaSDK+"</dependencies>"+shade),
				"server/src/main/java/x/Main.java": javaServer},
			[]string{""}, ""},
		{"Maven: two servers, the SDK in the parent", "octo/harbour-mcp",
			map[string]string{"README.md": "# Harbour\n\nMCP servers.\n",
				"pom.xml":       "<project><artifactId>harbour</artifactId><modules><module>tides</module><module>waves</module></modules><dependencies>" + javaSDK + "</dependencies></project>",
				"tides/pom.xml": pom("tides-mcp", shade), "tides/src/main/java/x/Main.java": javaServer,
				"waves/pom.xml": pom("waves-mcp", shade), "waves/src/main/java/x/Main.java": javaServer},
			[]string{"tides", "waves"}, ""},
		{"Gradle: a server of two projects", "octo/tides-mcp",
			map[string]string{"README.md": "# Tides MCP server\n\nAn MCP server.\n",
				"settings.gradle.kts":         `include(":core", ":app")`,
				"build.gradle.kts":            "plugins { kotlin(\"jvm\") version \"2.0\" }\n",
				"core/build.gradle.kts":       "dependencies { implementation(\"org.x:y:1\") }\n",
				"core/src/main/kotlin/A.kt":   "package x\nclass A\n",
				"app/build.gradle.kts":        "plugins { application }\napplication { mainClass.set(\"x.MainKt\") }\ndependencies { implementation(\"io.modelcontextprotocol:kotlin-sdk:0.7.0\") }\n",
				"app/src/main/kotlin/Main.kt": "package x\nimport io.modelcontextprotocol.kotlin.sdk.server.Server\nfun main() { Server(x) }\n"},
			[]string{""}, ""},
		{".NET: a server and its library", "octo/TidesMcp",
			map[string]string{"README.md": "# Tides MCP server\n\nAn MCP server.\n", "TidesMcp.sln": "Microsoft Visual Studio Solution File\n",
				"src/Tides.Core/Tides.Core.csproj": `<Project Sdk="Microsoft.NET.Sdk"></Project>`, "src/Tides.Core/A.cs": "namespace A;\n",
				"src/Tides.Mcp/Tides.Mcp.csproj": strings.Replace(csProj, "<ItemGroup>", `<ItemGroup><ProjectReference Include="..\Tides.Core\Tides.Core.csproj" />`, 1),
				"src/Tides.Mcp/Program.cs":       "using A;\n" + csServer},
			[]string{""}, ""},
		{".NET: two servers with a library that has the SDK", "octo/HarbourMcp",
			map[string]string{"README.md": "# Harbour MCP servers\n\nMCP servers.\n", "HarbourMcp.sln": "",
				"src/Shared/Shared.csproj":       `<Project Sdk="Microsoft.NET.Sdk"><ItemGroup>` + csSDK + `</ItemGroup></Project>`,
				"src/Shared/Host.cs":             "using A;\n" + csServer,
				"src/Tides.Mcp/Tides.Mcp.csproj": strings.Replace(csProj, csSDK, `<ProjectReference Include="..\Shared\Shared.csproj" />`, 1),
				"src/Tides.Mcp/Program.cs":       "using Shared;\nHost.Run();\n",
				"src/Waves.Mcp/Waves.Mcp.csproj": csProj, "src/Waves.Mcp/Program.cs": "using A;\n" + csServer},
			[]string{"src/Tides.Mcp", "src/Waves.Mcp"}, ""},

		// Others.
		{"Docker in the root, the code below", "octo/tides-mcp",
			map[string]string{"README.md": "# Tides MCP server\n\nAn MCP server.\n\n```sh\ndocker build -t tides . && docker run -i tides\n```\n",
				"Dockerfile":             "FROM python:3.12\nCOPY backend /app\nENTRYPOINT [\"python\", \"/app/server.py\"]\n",
				"docker-compose.yml":     "services:\n  tides:\n    build: .\n",
				"backend/pyproject.toml": pyProject("tides-mcp", ""), "backend/app/server.py": pyServer},
			[]string{""}, ""},
		{"a product with a server in mcp/", "octo/harbour",
			map[string]string{"README.md": "# Harbour\n\nA database of harbours.\n\n## MCP server\n\n" + npxConfig("harbour-mcp"),
				"package.json": `{"name": "harbour", "version": "2.0.0", "main": "dist/i.js", "bin": {"harbour": "dist/cli.js"}}`,
				"src/cli.ts":   "import { run } from './run';\nrun();\n", "src/run.ts": "import fs from 'fs';\nexport const run = 1;\n",
				"mcp/package.json": npmPackage("harbour-mcp", "MCP server of Harbour", npmBin), "mcp/src/index.ts": tsServer},
			[]string{"mcp"}, "npm:harbour-mcp"},
		{"a server in the root beside another of its own", "octo/harbour-mcp",
			map[string]string{"README.md": readmeWith("Harbour MCP server", npxConfig("harbour-mcp")),
				"package.json": npmPackage("harbour-mcp", "MCP server", npmBin), "src/index.ts": tsServer,
				"admin/package.json": npmPackage("harbour-admin-mcp", "", npmBin), "admin/src/index.ts": tsServer,
				"admin/README.md": readmeWith("Harbour admin", npxConfig("harbour-admin-mcp"))},
			[]string{"", "admin"}, "npm:harbour-mcp"},
		{"the same server for a host of workers", "octo/tides-mcp",
			map[string]string{"README.md": readmeWith("Tides MCP server", npxConfig("tides-mcp")),
				"package.json": npmPackage("tides-mcp", "MCP server", npmBin), "src/index.ts": tsServer,
				"worker/package.json": npmPackage("worker", "", ""), "worker/src/index.ts": tsServer,
				"worker/wrangler.toml": "name = \"tides\"\n",
				"worker/README.md": "# Tides MCP server\n\n```json\n{\"mcpServers\": {\"tides\": " +
					"{\"url\": \"https://tides.octo.dev/mcp\"}}}\n```\n"},
			[]string{""}, "npm:tides-mcp"},
		{"the same server in two languages, each with its README", "octo/tides-mcp",
			map[string]string{"README.md": readmeWith("Tides MCP server", npxConfig("@octo/tides-mcp")),
				"package.json": npmPackage("@octo/tides-mcp", "MCP server", npmBin), "src/index.ts": tsServer,
				"python/README.md":      readmeWith("Tides MCP server", uvxConfig("tides_mcp")),
				"python/pyproject.toml": pyProject("tides-mcp", "MCP server"), "python/app/server.py": pyServer},
			[]string{""}, "npm:@octo/tides-mcp"},
		{"the same server in two languages", "octo/tides-mcp",
			map[string]string{"README.md": "# Tides MCP server\n\n" + npxConfig("tides-mcp") + uvxConfig("tides-mcp"),
				"package.json": npmPackage("tides-mcp", "MCP server", npmBin), "src/index.ts": tsServer,
				"python/pyproject.toml": pyProject("tides-mcp", "MCP server"), "python/app/server.py": pyServer},
			[]string{""}, "npm:tides-mcp"},
		{"a server.json in the root about its member", "octo/harbour",
			map[string]string{"README.md": "# Harbour\n\nHarbours.\n",
				"package.json": `{"name": "harbour", "private": true, "workspaces": ["packages/*"]}`,
				"server.json": `{"name": "io.github.octo/harbour", "description": "Harbours", "version": "1.0.0", "packages": [
					{"registryType": "npm", "identifier": "harbour-mcp", "version": "1.0.0", "transport": {"type": "stdio"},
					"environmentVariables": [{"name": "HARBOUR_KEY", "isRequired": true}]}]}`,
				"packages/mcp/package.json": npmPackage("harbour-mcp", "MCP server", npmBin), "packages/mcp/src/index.ts": tsServer,
				"packages/web/package.json": `{"name": "web", "private": true}`},
			[]string{"packages/mcp"}, "npm:harbour-mcp"},
		{"a bundle in the root of the server below", "octo/harbour",
			map[string]string{"README.md": "# Harbour\n\nHarbours in any MCP client.\n",
				"manifest.json": `{"manifest_version": "0.3", "name": "harbour", "server": {"type": "node",
					"entry_point": "server/dist/index.js", "mcp_config": {"command": "node", "args": ["${__dirname}/server/dist/index.js"]}}}`,
				"server/package.json": npmPackage("harbour-mcp", "MCP server", npmBin), "server/src/index.ts": tsServer},
			[]string{"server"}, ""},
		{"a server with a client beside it that starts it", "octo/tides-mcp",
			map[string]string{"README.md": "# Tides MCP server\n\nAn MCP server.\n", "package.json": npmPackage("tides-mcp", "MCP server", npmBin),
				"src/index.ts": tsServer, "chat/package.json": npmPackage("tides-mcp-chat", "", npmBin), "chat/src/index.ts": tsClient,
				"chat/README.md": readmeWith("Chat with the Tides MCP server", npxConfig("tides-mcp"))},
			[]string{""}, "npm:tides-mcp"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := Servers(repoOf(tt.repo, tt.texts), nil)
			if d := cmp.Diff(tt.want, folders(r)); d != "" {
				t.Fatalf("%s %s (-want +got)\n%s%v", r.Kind, r.Reason, d, r.Evidence)
			}
			var packages []string
			for _, p := range r.Servers[0].Detection.Packages {
				packages = append(packages, p.RegistryType+":"+p.Identifier)
			}
			if tt.packages != "" && (len(packages) == 0 || packages[0] != tt.packages) {
				t.Errorf("packages %v, want %s first", packages, tt.packages)
			}
		})
	}
}
