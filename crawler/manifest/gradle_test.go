package manifest

import (
	"testing"
)

func TestParseGradle(t *testing.T) {
	k := must(t, ParseGradle, "plugins {\n  kotlin(\"jvm\") version \"2\"\n  application\n}\ngroup = \"org.octo\"\nversion = \"1.2\"\ndependencies {\n  implementation(\"io.modelcontextprotocol:kotlin-sdk:0.7.0\")\n  implementation(libs.mcp.server)\n  testImplementation('junit:junit:4')\n}\n")
	equal(t, &Package{Version: "1.2", Application: true, Kotlin: true, Dependencies: []Dependency{{Name: "io.modelcontextprotocol:kotlin-sdk", Version: "0.7.0"}, {Name: "libs.mcp.server"}, {Name: "junit:junit", Version: "4", Dev: true}}}, k)
	equal(t, map[string]string{"mcp.server": "io.modelcontextprotocol.sdk:mcp", "x": "a:b"}, must(t, ParseCatalog, "[libraries]\nmcp-server = { module = \"io.modelcontextprotocol.sdk:mcp\", version = \"1\" }\nx = { group = \"a\", name = \"b\" }\n"))
	for name, script := range map[string]string{
		"in one line": `plugins { kotlin("jvm") version "2"; application }`,
		"configured":  "application { mainClass = \"MainKt\" }",
	} {
		if p := must(t, ParseGradle, script); !p.Application {
			t.Errorf("%s: not an application", name)
		}
	}
}
