package others

import (
	"strings"
	"testing"
	"time"
)

// TestHostileSize checks that the work is linear in the size of a file: 50 kB of any of these
// must not take minutes.
func TestHostileSize(t *testing.T) {
	for name, unit := range map[string][2]string{
		"rust_attributes":  {"rs", "#[tool] "},
		"rust_impl":        {"rs", "impl Tool for A { const NAME "},
		"rust_open":        {"rs", "Tool::new("},
		"csharp":           {"cs", "[McpServerTool] "},
		"java_annotations": {"java", "@Tool "},
		"kotlin":           {"kt", "{ override val name "},
		"ruby_heredocs":    {"rb", "x <<~A\nA\n"},
		"php_attributes":   {"php", "#[McpTool] "},
		"swift":            {"swift", "Tool(name: "},
		"hints":            {"rs", "fn a() {read_only_hint=annotations(a), "},
		"hinted tools":     {"kt", "addTool(name=\"a\",description=\"b\",toolAnnotations=A(readOnlyHint=b "},
		"named hints":      {"swift", "a = [annotations: a readOnlyHint ]; Tool(name: a, description: b, annotations: a) "},
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			Tools(map[string]string{"a." + unit[0]: strings.Repeat(unit[1], 50_000/len(unit[1]))}, nil)
			if d := time.Since(start); d > time.Minute {
				t.Errorf("50 kB took %v", d)
			}
		})
	}
}
