package detect

import (
	"strings"
	"testing"

	"mcpcensus/crawler/manifest"
)

func TestEntryPoint(t *testing.T) {
	for name, tt := range map[string]struct {
		unit  unit
		files string
		want  string
	}{
		"nothing":           {unit{}, "main.py main.go", ""},
		"npm bin":           {unit{npm: &manifest.Package{Programs: map[string]string{"x": "x"}}}, "", "bin in package.json"},
		"npm script":        {unit{npm: &manifest.Package{Scripts: map[string]string{"start": "x"}}}, "", "script start in package.json"},
		"worker":            {unit{dir: "a", npm: &manifest.Package{}}, "a/wrangler.toml", "a/wrangler.toml"},
		"JavaScript file":   {unit{npm: &manifest.Package{}}, "src/index.ts", "src/index.ts"},
		"of a folder":       {unit{dir: "a", npm: &manifest.Package{}}, "a/src/index.ts", ""},
		"Python script":     {unit{reqs: []manifest.Dependency{{Name: "mcp"}}}, "server.py", "server.py"},
		"Python package":    {unit{py: &manifest.Package{}}, "x/y/__main__.py", "__main__.py"},
		"Go command":        {unit{gomod: &manifest.Package{}}, "cmd/x/main.go", "cmd/x/main.go"},
		"Go example":        {unit{gomod: &manifest.Package{}}, "examples/x/main.go", ""},
		"crate":             {unit{cargo: &manifest.Package{}}, "src/main.rs", "src/main.rs"},
		"Maven plugin":      {unit{pom: &manifest.Package{Plugins: []string{"a", "spring-boot-maven-plugin"}}}, "", "spring-boot-maven-plugin in pom.xml"},
		"Gradle":            {unit{gradle: &manifest.Package{Application: true}}, "", "application in the Gradle script"},
		".NET library":      {unit{csproj: []*manifest.Package{{}}}, "", ""},
		".NET tool":         {unit{csproj: []*manifest.Package{{}, {Tool: true}}}, "", "an executable .NET project"},
		"Swift":             {unit{other: &manifest.Package{}}, "Sources/main.swift", "Sources/main.swift"},
		"image of the root": {unit{docker: &manifest.Dockerfile{Entrypoint: "x"}}, "", ""},
		"image of a folder": {unit{dir: "a", docker: &manifest.Dockerfile{Entrypoint: "x"}}, "", "entry point in Dockerfile"},
	} {
		s := snapshotOf(strings.Fields(tt.files)...)
		if got := read(s).entryPoint(&tt.unit); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}
