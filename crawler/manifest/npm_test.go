package manifest

import (
	"testing"
)

func TestParsePackageJSON(t *testing.T) {
	got := must(t, ParsePackageJSON, `{
	 "name": "@octo/weather-mcp", "version": "1.4.0", "description": "Forecasts over MCP", "license": "MIT",
	 "mcpName": "io.github.octo/weather-mcp", "keywords": ["weather", 7, ""], "bin": {"weather-mcp": "dist/cli.js"},
	 "repository": {"type": "git", "url": "git+https://github.com/octo/weather.git", "directory": "packages/weather"},
	 "scripts": {"start": "node dist/cli.js"}, "workspaces": {"packages": ["packages/*"]},
	 "dependencies": {"zod": "^3", "@modelcontextprotocol/sdk": "^1.20.0"}, "devDependencies": {"vitest": "^2"}, "peerDependencies": {"react": "*"}
	}`)
	equal(t, &Package{
		Name: "@octo/weather-mcp", Version: "1.4.0", Description: "Forecasts over MCP", License: "MIT", MCPName: "io.github.octo/weather-mcp",
		Keywords: []string{"weather"},
		Programs: map[string]string{"weather-mcp": "dist/cli.js"}, Scripts: map[string]string{"start": "node dist/cli.js"}, Members: []string{"packages/*"},
		Dependencies: []Dependency{{Name: "@modelcontextprotocol/sdk", Version: "^1.20.0"}, {Name: "zod", Version: "^3"}, {Name: "react", Version: "*"}, {Name: "vitest", Version: "^2", Dev: true}},
	}, got)
	odd := must(t, ParsePackageJSON, `{"name": "@octo/x", "license": {"type": "ISC"}, "keywords": "a, b", "bin": "./x.js", "repository": "octo/x", "private": true, "dependencies": ["no"], "version": 3,}`)
	equal(t, &Package{Name: "@octo/x", License: "ISC", Keywords: []string{"a", "b"}, Programs: map[string]string{"x": "./x.js"}, Private: true, Version: "3"}, odd)
}

func TestParseDenoJSON(t *testing.T) {
	d := must(t, ParseDenoJSON, "{\n // tasks\n \"tasks\": {\"start\": \"deno run x.ts\"}, \"imports\": {\"mcp\": \"npm:@modelcontextprotocol/sdk@^1.2\", \"./x\": \"./y.ts\"}}")
	equal(t, &Package{Scripts: map[string]string{"start": "deno run x.ts"}, Dependencies: []Dependency{{Name: "@modelcontextprotocol/sdk", Version: "^1.2"}}}, d)
}
