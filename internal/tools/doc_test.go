package tools

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

var update = flag.Bool("update", false, "write docs/tools.md")

func TestMarkdown(t *testing.T) {
	const file = "../../docs/tools.md"
	got := Markdown()
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
