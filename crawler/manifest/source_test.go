package manifest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
