package manifest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"unicode/utf16"

	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"

	"github.com/google/go-cmp/cmp"
)

func equal(t *testing.T, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func must[T any](t *testing.T, parse func([]byte) (T, error), text string) T {
	t.Helper()
	v, err := parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestPackageJSONInItsUsualAndItsOddForms(t *testing.T) {
	got := must(t, ParsePackageJSON, `{
	 "name": "@octo/weather-mcp", "version": "1.4.0", "description": "Forecasts over MCP", "license": "MIT",
	 "mcpName": "io.github.octo/weather-mcp", "keywords": ["weather", 7, ""], "bin": {"weather-mcp": "dist/cli.js"},
	 "repository": {"type": "git", "url": "git+https://github.com/octo/weather.git", "directory": "packages/weather"},
	 "scripts": {"start": "node dist/cli.js"}, "workspaces": {"packages": ["packages/*"]},
	 "dependencies": {"zod": "^3", "@modelcontextprotocol/sdk": "^1.20.0"}, "devDependencies": {"vitest": "^2"}, "peerDependencies": {"react": "*"}
	}`)
	equal(t, &PackageJSON{
		Name: "@octo/weather-mcp", Version: "1.4.0", Description: "Forecasts over MCP", License: "MIT", MCPName: "io.github.octo/weather-mcp",
		RepositoryURL: "git+https://github.com/octo/weather.git", RepositoryDirectory: "packages/weather", Keywords: []string{"weather"},
		Bin: map[string]string{"weather-mcp": "dist/cli.js"}, Scripts: map[string]string{"start": "node dist/cli.js"}, Workspaces: []string{"packages/*"},
		Dependencies: []Dependency{{Name: "@modelcontextprotocol/sdk", Version: "^1.20.0"}, {Name: "zod", Version: "^3"}, {Name: "react", Version: "*", Peer: true}, {Name: "vitest", Version: "^2", Dev: true}},
	}, got)
	odd := must(t, ParsePackageJSON, `{"name": "@octo/x", "license": {"type": "ISC"}, "keywords": "a, b", "bin": "./x.js", "repository": "octo/x", "private": true, "dependencies": ["no"], "version": 3,}`)
	equal(t, &PackageJSON{Name: "@octo/x", License: "ISC", Keywords: []string{"a", "b"}, Bin: map[string]string{"x": "./x.js"}, RepositoryURL: "octo/x", Private: true, Version: "3"}, odd)
}

func TestPyProjectOfEveryKind(t *testing.T) {
	got := must(t, ParsePyProject, `
[project]
name = "weather_mcp"
version = "0.2.0"
description = "Forecasts"
license = { text = "MIT License" }
dynamic = ["readme"]
dependencies = ["mcp[cli]>=1.2.0,<2", "httpx ; python_version > '3.9'", "tool @ git+https://x.example/y"]
[project.optional-dependencies]
test = ["pytest>=8"]
[project.scripts]
weather-mcp = "weather_mcp:main"
[project.urls]
Homepage = "https://weather.example"
Repository = "https://github.com/octo/weather"
[tool.uv.workspace]
members = ["packages/*"]
[dependency-groups]
dev = ["ruff", {include-group = "x"}]
`)
	equal(t, &PyProject{
		Name: "weather_mcp", Version: "0.2.0", Description: "Forecasts", License: "MIT", Homepage: "https://weather.example", RepositoryURL: "https://github.com/octo/weather",
		Scripts: map[string]string{"weather-mcp": "weather_mcp:main"}, Dynamic: []string{"readme"}, Workspace: []string{"packages/*"},
		Dependencies: []Dependency{{Name: "mcp", Version: ">=1.2.0,<2"}, {Name: "httpx"}, {Name: "tool"}, {Name: "pytest", Version: ">=8", Dev: true}, {Name: "ruff", Dev: true}},
	}, got)
	poetry := must(t, ParsePyProject, "[tool.poetry]\nname = \"w\"\nlicense = \"Apache-2.0\"\n[tool.poetry.dependencies]\npython = \"^3.11\"\nfastmcp = {version = \"^2\", extras = [\"x\"]}\n[tool.poetry.group.dev.dependencies]\npytest = \"*\"\n[tool.poetry.scripts]\nw = \"w:main\"\n")
	equal(t, &PyProject{Name: "w", License: "Apache-2.0", Scripts: map[string]string{"w": "w:main"}, Dependencies: []Dependency{{Name: "fastmcp", Version: "^2"}, {Name: "pytest", Version: "*", Dev: true}}}, poetry)
}

func TestSetupFilesAreReadAndNotRun(t *testing.T) {
	got := must(t, ParseSetupPy, "import os\nos.system('false')\nsetup(\n  name='weather-mcp',\n  version=\"1.0\",\n  install_requires=[\n    'mcp>=1.0',\n    \"requests\",\n  ],\n  entry_points={'console_scripts': ['weather=weather:main']},\n)\n")
	equal(t, &PyProject{Name: "weather-mcp", Version: "1.0", Scripts: map[string]string{"weather": "weather:main"}, Dependencies: []Dependency{{Name: "mcp", Version: ">=1.0"}, {Name: "requests"}}}, got)
	cfg := must(t, ParseSetupCfg, "[metadata]\nname = weather\nversion = 2.1\nclassifiers =\n    License :: OSI Approved :: MIT License\n[options]\ninstall_requires =\n    mcp>=1\n    httpx\n[options.entry_points]\nconsole_scripts =\n    weather = weather:main\n")
	equal(t, &PyProject{Name: "weather", Version: "2.1", License: "MIT", Scripts: map[string]string{"weather": "weather:main"}, Dependencies: []Dependency{{Name: "mcp", Version: ">=1"}, {Name: "httpx"}}}, cfg)
}

func TestManifestsOfOtherLanguages(t *testing.T) {
	g := must(t, ParseGoMod, "module example.com/w\n\ngo 1.24\n\nrequire (\n\tgithub.com/mark3labs/mcp-go v0.40.0\n\tgolang.org/x/net v0.1.0 // indirect\n)\nunknown directive\n")
	equal(t, &GoMod{Module: "example.com/w", Go: "1.24", Require: []Dependency{{Name: "github.com/mark3labs/mcp-go", Version: "v0.40.0"}, {Name: "golang.org/x/net", Version: "v0.1.0", Indirect: true}}}, g)

	c := must(t, ParseCargoTOML, "[package]\nname = \"w\"\nversion.workspace = true\npublish = false\n[[bin]]\nname = \"w-server\"\n[dependencies]\nrmcp = { version = \"0.8\", features = [\"server\"] }\nsdk = { package = \"rust-mcp-sdk\", version = \"1\" }\n[workspace]\nmembers = [\"crates/*\"]\n[workspace.package]\nversion = \"0.3.0\"\n")
	equal(t, &CargoTOML{Name: "w", Version: "0.3.0", Private: true, Bins: []string{"w-server"}, Members: []string{"crates/*"}, Dependencies: []Dependency{{Name: "rmcp", Version: "0.8"}, {Name: "rust-mcp-sdk", Version: "1"}}}, c)

	p := must(t, ParsePOM, `<?xml version="1.0"?><project><parent><groupId>org.octo</groupId><artifactId>parent</artifactId><version>2</version></parent><artifactId>w</artifactId>
	<properties><mcp.version>0.11.0</mcp.version></properties><modules><module>a</module></modules>
	<dependencies><dependency><groupId>io.modelcontextprotocol.sdk</groupId><artifactId>mcp</artifactId><version>${mcp.version}</version></dependency></dependencies>
	<build><plugins><plugin><artifactId>maven-shade-plugin</artifactId><dependencies><dependency><groupId>x</groupId><artifactId>y</artifactId></dependency></dependencies></plugin></plugins></build></project>`)
	equal(t, &POM{GroupID: "org.octo", ArtifactID: "w", Version: "2", ParentArtifact: "parent", Modules: []string{"a"}, Plugins: []string{"maven-shade-plugin"}, Dependencies: []Dependency{{Name: "io.modelcontextprotocol.sdk:mcp", Version: "0.11.0"}}}, p)

	k := must(t, ParseGradle, "plugins {\n  kotlin(\"jvm\") version \"2\"\n  application\n}\ngroup = \"org.octo\"\nversion = \"1.2\"\ndependencies {\n  implementation(\"io.modelcontextprotocol:kotlin-sdk:0.7.0\")\n  implementation(libs.mcp.server)\n  testImplementation('junit:junit:4')\n}\n")
	equal(t, &Gradle{Group: "org.octo", Version: "1.2", Plugins: []string{"kotlin", "application"}, Application: true, Kotlin: true, Dependencies: []Dependency{{Name: "io.modelcontextprotocol:kotlin-sdk", Version: "0.7.0"}, {Name: "junit:junit", Version: "4", Dev: true}, {Name: "libs.mcp.server"}}}, k)
	equal(t, map[string]string{"mcp.server": "io.modelcontextprotocol.sdk:mcp", "x": "a:b"}, must(t, ParseCatalog, "[libraries]\nmcp-server = { module = \"io.modelcontextprotocol.sdk:mcp\", version = \"1\" }\nx = { group = \"a\", name = \"b\" }\n"))

	s := must(t, ParseCSProj, "\xEF\xBB\xBF<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup><OutputType>Exe</OutputType><PackAsTool>true</PackAsTool><PackageId>Octo.Weather</PackageId><Version>1.0.1</Version></PropertyGroup><ItemGroup><PackageReference Include=\"ModelContextProtocol\" Version=\"0.4.0-preview.1\" /><PackageReference Include=\"X\"><Version>2</Version></PackageReference><ProjectReference Include=\"..\\Core\\Core.csproj\" /></ItemGroup></Project>")
	if !s.Executable || !s.Tool || s.PackageID != "Octo.Weather" || s.Version != "1.0.1" {
		t.Errorf("csproj: %+v", s)
	}
	equal(t, []Dependency{{Name: "ModelContextProtocol", Version: "0.4.0-preview.1"}, {Name: "X", Version: "2"}}, s.Dependencies)
	equal(t, []string{"../Core/Core.csproj"}, s.Projects)

	w := must(t, ParsePackageSwift, "let package = Package(\n name: \"Weather\",\n products: [.executable(name: \"weather\", targets: [\"W\"])],\n dependencies: [.package(url: \"https://github.com/modelcontextprotocol/swift-sdk.git\", from: \"0.9.0\")])")
	equal(t, &Project{Name: "Weather", Executables: []string{"weather"}, Dependencies: []Dependency{{Name: "modelcontextprotocol/swift-sdk", Version: "0.9.0"}}}, w)
	r := must(t, ParseRuby, "Gem::Specification.new do |spec|\n  spec.name = \"weather\"\n  spec.license = 'MIT'\n  spec.add_dependency \"mcp\", \"~> 0.4\"\nend\n")
	equal(t, &Project{Name: "weather", License: "MIT", Dependencies: []Dependency{{Name: "mcp", Version: "~> 0.4"}}}, r)
	h := must(t, ParseComposer, `{"name": "octo/w", "require": {"php-mcp/server": "^3"}, "require-dev": {"phpunit/phpunit": "*"}, "bin": ["bin/w"]}`)
	equal(t, &Project{Name: "octo/w", Executables: []string{"bin/w"}, Dependencies: []Dependency{{Name: "php-mcp/server", Version: "^3"}, {Name: "phpunit/phpunit", Version: "*", Dev: true}}}, h)
	d := must(t, ParseDenoJSON, "{\n // tasks\n \"tasks\": {\"start\": \"deno run x.ts\"}, \"imports\": {\"mcp\": \"npm:@modelcontextprotocol/sdk@^1.2\", \"./x\": \"./y.ts\"}}")
	equal(t, &DenoJSON{Tasks: map[string]string{"start": "deno run x.ts"}, Dependencies: []Dependency{{Name: "@modelcontextprotocol/sdk", Version: "^1.2"}}}, d)
}

func TestBundleVariablesComeFromUserConfiguration(t *testing.T) {
	got := must(t, ParseBundle, `{"manifest_version": "0.3", "name": "w", "display_name": "Weather", "version": "{{VERSION}}", "tools": [{"name": "get_forecast", "description": "Forecast of a place"}],
	 "server": {"type": "node", "entry_point": "x.js", "mcp_config": {"command": "node", "args": ["x.js"], "env": {"W_KEY": "${user_config.key}", "MODE": "fast"}}},
	 "user_config": {"key": {"type": "string", "title": "Key", "sensitive": true, "required": true, "default": "never shown"}}}`)
	equal(t, []registry.Variable{{Name: "MODE", Default: "fast"}, {Name: "W_KEY", Description: "Key", IsRequired: true, IsSecret: true}}, got.Variables)
	equal(t, []registry.Tool{{Name: "get_forecast", Description: "Forecast of a place"}}, got.Tools)
	if got.Version != "" || got.DisplayName != "Weather" {
		t.Errorf("%+v", got)
	}
	if _, err := ParseBundle([]byte(`{"manifest_version": 3, "name": "a browser's extension", "background": {}}`)); err == nil {
		t.Error("a browser extension's manifest is taken for a bundle")
	}
}

func TestSmitheryMapsConfigurationToVariables(t *testing.T) {
	got := must(t, ParseSmithery, "startCommand:\n  type: stdio\n  configSchema:\n    type: object\n    required: [apiKey]\n    properties:\n      apiKey:\n        type: string\n        description: The key\n      limit:\n        type: number\n  commandFunction: |-\n    (config) => ({command: 'node', env: {W_API_KEY: config.apiKey}})\n")
	equal(t, &Smithery{Type: "stdio", Variables: []registry.Variable{{Name: "W_API_KEY", Description: "The key", IsRequired: true, IsSecret: true}}}, got)
	equal(t, &Smithery{Runtime: "python"}, must(t, ParseSmithery, "runtime: \"python\"\n"))
}

func TestDockerfileLabelsAndEntryPoint(t *testing.T) {
	got := must(t, ParseDockerfile, "FROM node:22 AS build\nCMD [\"build\"]\nFROM node:22-slim\nLABEL io.modelcontextprotocol.server.name=\"io.github.octo/w\" \\\n  x=y\nENV PORT 8080\nENV A=b C=\"d e\"\nEXPOSE 8080\nENTRYPOINT [\"node\", \"x.js\"]\nCMD [\"--transport\", \"sse\"]\n")
	equal(t, &Dockerfile{Base: []string{"node:22", "node:22-slim"}, Labels: map[string]string{ServerNameLabel: "io.github.octo/w", "x": "y"}, Env: map[string]string{"PORT": "8080", "A": "b", "C": "d e"}, Entrypoint: "node x.js --transport sse", Ports: []string{"8080"}}, got)
}

func TestLockedVersions(t *testing.T) {
	cases := []struct{ file, text, pkg, want string }{
		{"package-lock.json", "{\n  \"packages\": {\n    \"node_modules/a\": {\n      \"version\": \"1.0.0\"\n    },\n    \"node_modules/@s/b\": {\n      \"version\": \"2.3.4\"\n", "@s/b", "2.3.4"},
		{"pnpm-lock.yaml", "packages:\n\n  '@s/b@2.3.4':\n    resolution: {}\n", "@s/b", "2.3.4"},
		{"pnpm-lock.yaml", "packages:\n  /a@1.2.3(zod@3):\n", "a", "1.2.3"},
		{"yarn.lock", "\"@s/b@^2.0.0\":\n  version \"2.3.4\"\n", "@s/b", "2.3.4"},
		{"sub/uv.lock", "[[package]]\nname = \"mcp\"\nversion = \"1.9.0\"\n", "mcp", "1.9.0"},
		{"go.sum", "x.org/a v1.0.0 h1:=\nx.org/a v1.2.0 h1:=\nx.org/a v1.3.0/go.mod h1:=\n", "x.org/a", "v1.2.0"},
		{"Cargo.lock", "[[package]]\nname = \"rmcp\"\nversion = \"0.8.1\"\n", "rmcp", "0.8.1"},
		{"composer.lock", "  {\n \"name\": \"mcp/sdk\",\n \"version\": \"v0.1\",\n", "mcp/sdk", "v0.1"},
		{"Gemfile.lock", "GEM\n  specs:\n    mcp (0.4.0)\n", "mcp", "0.4.0"},
		{"bun.lock", "    \"@s/b\": [\"@s/b@1.4.0\", \"\", {}],\n", "@s/b", "1.4.0"},
		{"uv.lock", "[[package]]\nname = \"other\"\nversion = \"1\"\n", "mcp", ""},
		{"notes.txt", "mcp 1.0", "mcp", ""},
	}
	for _, c := range cases {
		if got := Locked(c.file, []byte(c.text), c.pkg); got != c.want {
			t.Errorf("%s: %q, want %q", c.file, got, c.want)
		}
	}
}

func TestEnvFileTellsSecretsAndDefaults(t *testing.T) {
	got := must(t, ParseEnvFile, "# Key of the service\nW_API_KEY=your-key-here\n\nexport W_REGION=eu # where\n#W_DEBUG=true\nPATH=/bin\nnot a line\n")
	equal(t, []registry.Variable{{Name: "W_API_KEY", Description: "Key of the service", IsSecret: true}, {Name: "W_REGION", Description: "where", Default: "eu"}, {Name: "W_DEBUG", Default: "true"}}, got)
	for name, secret := range map[string]bool{"GITHUB_TOKEN": true, "DB_PASSWORD": true, "OPENAI_API_KEY": true, "APIKEY": true, "MAX_TOKENS": false, "AWS_REGION": false, "KEY_ID": false, "AUTHOR": false, "AWS_ACCESS_KEY_ID": false, "PUBLIC_KEY": false} {
		if LooksSecret(name) != secret {
			t.Errorf("LooksSecret(%s) is not %v", name, secret)
		}
	}
}

func TestSourceTools(t *testing.T) {
	cases := []struct {
		file, text string
		want       []string
	}{
		{"x.ts", "server.registerTool(\n  'get_forecast', {…});\nserver.tool(\"list-alerts\", …);\nconst t = {name: 'old_style', description: 'x', inputSchema: {}}", []string{"get_forecast", "list-alerts", "old_style"}},
		{"x.py", "@mcp.tool()\nasync def get_forecast(city):\n  pass\n\n@mcp.tool(name=\"renamed\", description=\"(x)\")\ndef other(): pass\n\nTool(name=\"low_level\", x=1)\n", []string{"renamed", "get_forecast", "low_level"}},
		{"x.go", "t := mcp.NewTool(\"get_forecast\",\n mcp.WithDescription(\"x\"))\nmcp.AddTool(s, &mcp.Tool{Name: \"second\"}, f)", []string{"get_forecast", "second"}},
		{"x.rs", "#[tool(description = \"Adds (two)\")]\nasync fn add(&self) {}\n#[tool(name = \"sub\")]\nfn x() {}", []string{"sub", "add"}},
		{"x.cs", "[McpServerTool, Description(\"x\")]\npublic static string GetForecast(string city) => \"\";\n[McpServerTool(Name = \"echo\")]\npublic static string E() => \"\";", []string{"echo", "GetForecast"}},
		{"X.java", "@Tool(description = \"x\")\npublic String getForecast(String c) {}\n@Tool(name = \"alerts\", description = \"x\")\nString a() {}", []string{"alerts", "getForecast"}},
		{"x.txt", "server.tool('no')", nil},
	}
	for _, c := range cases {
		var got []string
		for _, tool := range SourceTools(c.file, []byte(c.text)) {
			got = append(got, tool.Name)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got)\n%s", c.file, d)
		}
	}
}

func TestEncodingsAreCleaned(t *testing.T) {
	u := utf16.Encode([]rune(`{"name": "wärme"}`))
	var le bytes.Buffer
	le.Write([]byte{0xFF, 0xFE})
	_ = binary.Write(&le, binary.LittleEndian, u)
	for name, b := range map[string][]byte{"utf-16": le.Bytes(), "bom": []byte("\xEF\xBB\xBF{\"name\": \"wärme\"}"), "nul": []byte("{\"name\": \"wä\x00rme\"}"), "bad utf-8": []byte("{\"name\": \"wä\xFFrme\"}"), "carriage returns": []byte("{\r\n\"name\": \"wärme\"\r\n}")} {
		p, err := ParsePackageJSON(b)
		if err != nil || p.Name != "wärme" {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	if p, err := ParsePackageJSON([]byte(`{"name": "a\u0000b"}`)); err != nil || p.Name != "ab" {
		t.Errorf("an escaped NUL stays: %+v, %v", p, err)
	}
}

func TestHostileFilesAreRefused(t *testing.T) {
	big := []byte(`{"name": "` + strings.Repeat("x", untyped.MaxSize) + `"}`)
	if _, err := ParsePackageJSON(big); !errors.Is(err, untyped.ErrTooLarge) {
		t.Errorf("big: %v", err)
	}
	deep := []byte(strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000))
	if _, err := ParsePackageJSON(deep); !errors.Is(err, untyped.ErrTooDeep) {
		t.Errorf("deep: %v", err)
	}
	if _, err := ParsePyProject([]byte("a = " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000))); !errors.Is(err, untyped.ErrTooDeep) {
		t.Errorf("deep TOML: %v", err)
	}
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for i := range 12 {
		c, p := string(rune('b'+i)), string(rune('a'+i))
		bomb += c + ": &" + c + " [*" + p + ",*" + p + ",*" + p + ",*" + p + ",*" + p + ",*" + p + ",*" + p + ",*" + p + ",*" + p + "]\n"
	}
	if _, err := ParseSmithery([]byte(bomb + "startCommand: {type: stdio}\n")); err == nil {
		t.Error("aliases are expanded without limit")
	}
	xml := strings.Repeat("<profiles><profile>", 6000) + strings.Repeat("</profile></profiles>", 6000)
	if _, err := ParsePOM([]byte("<project>" + xml + "</project>")); err == nil {
		t.Error("deep XML is read")
	}
	if p, err := ParsePOM([]byte(`<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><project><artifactId>&b;</artifactId></project>`)); err == nil && strings.Contains(p.ArtifactID, "aaaa") {
		t.Error("declared entities are expanded")
	}
}

func TestDependenciesOfScriptsAndPipfiles(t *testing.T) {
	got := ScriptDependencies([]byte("#!/usr/bin/env -S uv run\n# /// script\n# requires-python = \">=3.11\"\n# dependencies = [\n#   \"mcp[cli]>=1.2\",\n#   \"httpx\",\n# ]\n# ///\nimport httpx\n"))
	equal(t, []Dependency{{Name: "mcp", Version: ">=1.2"}, {Name: "httpx"}}, got)
	if got := ScriptDependencies([]byte("# dependencies = [\"mcp\"]\nimport x\n")); got != nil {
		t.Errorf("a comment is taken for metadata: %v", got)
	}
	pipfile := must(t, ParsePipfile, "[packages]\nmcp = {version = \"~=1.2\", extras = [\"cli\"]}\nHTTPX = \"*\"\n[dev-packages]\npytest = \">=8\"\n")
	equal(t, []Dependency{{Name: "httpx"}, {Name: "mcp", Version: "~=1.2"}, {Name: "pytest", Version: ">=8", Dev: true}}, pipfile)
}
