package tools

import (
	_ "embed"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

var update = flag.Bool("update", false, "write docs/tools.md")

//go:embed testdata/tools.md.tmpl
var docText string

var docTemplate = template.Must(template.New("tools").Parse(docText))

// sourceTexts describe the sources of lists.
var sourceTexts = map[string]string{
	registry.ToolsFromProbe: "The response of the server's hosted endpoint to `tools/list`.",
	registry.ToolsFromRun: "The response of the published package to `tools/list`, started in a sandbox without " +
		"network and with dummy credentials.",
	registry.ToolsFromManifest: "The manifest of a bundle (`manifest.json`) or a server card in the repository.",
	registry.ToolsFromSource: "The registrations of tools in the source code of the repository or, if `package` is " +
		"set, in the archive of that published package. The code is parsed, not executed.",
	registry.ToolsFromReadme: "Lists and tables of tools in the README.",
}

// document returns docs/tools.md.
func document() string {
	type source struct{ Name, Text string }
	var sources []source
	for _, name := range registry.ToolSources {
		sources = append(sources, source{name, sourceTexts[name]})
	}
	yes := true
	example := registry.Tool{Name: "get_forecast", Description: "Returns the forecast.",
		InputSchema: []byte(`{"type":"object","properties":{"city":{"type":"string"}}}`),
		Annotations: &registry.ToolAnnotations{ReadOnly: &yes}}
	definition, err := json.MarshalIndent(define(example), "", "  ")
	if err != nil {
		panic("tools: " + err.Error()) // a constant
	}
	var b strings.Builder
	if err := docTemplate.Execute(&b, map[string]any{
		"Sources": sources, "Rules": Rules, "Example": string(definition), "ExampleHash": Hash(example),
		"Window": text.Thousands(ContextWindow), "Heavy": text.Thousands(Heavy), "MaxLists": registry.MaxToolLists,
	}); err != nil {
		panic("tools: " + err.Error()) // the template does not fit the data
	}
	return b.String()
}

func TestDocument(t *testing.T) {
	const file = "../../docs/tools.md"
	got := document()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("docs/tools.md is old, run go test ./internal/tools -update: %s", d)
	}
	for from, text := range sourceTexts {
		if text == "" || len(sourceTexts) != len(registry.ToolSources) {
			t.Errorf("source %s has no text", from)
		}
	}
}
