package manifest

import (
	"testing"
)

func TestParsePyProject(t *testing.T) {
	got := must(t, ParsePyProject, `
[project]
name = "weather_mcp"
version = "0.2.0"
description = "Forecasts"
license = { text = "MIT License" }
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
	equal(t, &Package{
		Name: "weather_mcp", Version: "0.2.0", Description: "Forecasts", License: "MIT", Homepage: "https://weather.example",
		Programs: map[string]string{"weather-mcp": "weather_mcp:main"}, Members: []string{"packages/*"},
		Dependencies: []Dependency{{Name: "mcp", Version: ">=1.2.0,<2"}, {Name: "httpx"}, {Name: "tool"}, {Name: "pytest", Version: ">=8", Dev: true}, {Name: "ruff", Dev: true}},
	}, got)
	poetry := must(t, ParsePyProject, "[tool.poetry]\nname = \"w\"\nlicense = \"Apache-2.0\"\n[tool.poetry.dependencies]\npython = \"^3.11\"\nfastmcp = {version = \"^2\", extras = [\"x\"]}\n[tool.poetry.group.dev.dependencies]\npytest = \"*\"\n[tool.poetry.scripts]\nw = \"w:main\"\n")
	equal(t, &Package{Name: "w", License: "Apache-2.0", Programs: map[string]string{"w": "w:main"}, Dependencies: []Dependency{{Name: "fastmcp", Version: "^2"}, {Name: "pytest", Version: "*", Dev: true}}}, poetry)
}

func TestParseSetup(t *testing.T) {
	got := must(t, ParseSetupPy, "import os\nos.system('false')\nsetup(\n  name='weather-mcp',\n  version=\"1.0\",\n  install_requires=[\n    'mcp>=1.0',\n    \"requests\",\n  ],\n  entry_points={'console_scripts': ['weather=weather:main']},\n)\n")
	equal(t, &Package{Name: "weather-mcp", Version: "1.0", Programs: map[string]string{"weather": "weather:main"}, Dependencies: []Dependency{{Name: "mcp", Version: ">=1.0"}, {Name: "requests"}}}, got)
	cfg := must(t, ParseSetupCfg, "[metadata]\nname = weather\nversion = 2.1\nclassifiers =\n    License :: OSI Approved :: MIT License\n[options]\ninstall_requires =\n    mcp>=1\n    httpx\n[options.entry_points]\nconsole_scripts =\n    weather = weather:main\n")
	equal(t, &Package{Name: "weather", Version: "2.1", License: "MIT", Programs: map[string]string{"weather": "weather:main"}, Dependencies: []Dependency{{Name: "mcp", Version: ">=1"}, {Name: "httpx"}}}, cfg)
}

func TestScriptDependencies(t *testing.T) {
	got := ScriptDependencies([]byte("#!/usr/bin/env -S uv run\n# /// script\n# requires-python = \">=3.11\"\n# dependencies = [\n#   \"mcp[cli]>=1.2\",\n#   \"httpx\",\n# ]\n# ///\nimport httpx\n"))
	equal(t, []Dependency{{Name: "mcp", Version: ">=1.2"}, {Name: "httpx"}}, got)
	if got := ScriptDependencies([]byte("# dependencies = [\"mcp\"]\nimport x\n")); got != nil {
		t.Errorf("a comment: got %v", got)
	}
	pipfile := must(t, ParsePipfile, "[packages]\nmcp = {version = \"~=1.2\", extras = [\"cli\"]}\nHTTPX = \"*\"\n[dev-packages]\npytest = \">=8\"\n")
	equal(t, []Dependency{{Name: "httpx"}, {Name: "mcp", Version: "~=1.2"}, {Name: "pytest", Version: ">=8", Dev: true}}, pipfile)
}
