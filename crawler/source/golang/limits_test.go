package golang

import (
	"fmt"
	"strings"
	"testing"

	"mcpcensus/crawler/source/listing"
)

// TestHostileSize checks that evaluation is bounded.
func TestHostileSize(t *testing.T) {
	list := "var L = []string{" + strings.Repeat(`"a",`, 2000) + "}\n"
	var chain, double strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&chain, "func f%d(a string) { f%d(a); f%d(a) }\n", i, i+1, i+1)
		fmt.Fprintf(&double, "var v%d = v%d + v%d\n", i, i+1, i+1)
	}
	for name, src := range map[string]string{
		"nested_loops": list + "func f() { for _, a := range L { for _, b := range L { for _, c := range L { } } } }",
		"calls":        chain.String() + "func f3000(a string) { mcp.NewTool(a) }\nfunc f() { f0(\"a\") }",
		"variables":    double.String() + "func f() { mcp.NewTool(v0) }",
		"parentheses":  "var x = " + strings.Repeat("(", 50_000) + "\n",
		"literals":     "func f() { " + strings.Repeat("mcp.Tool{Name: m, InputSchema: map[string]any{\"a\": ", 2000) + "}",
	} {
		t.Run(name, func(t *testing.T) {
			left := listing.Reading{Left: maxSteps}
			Tools(map[string]string{"a.go": "package a\nimport \"x/mcp\"\n" + src}, &left)
			if left.Left < -maxSteps/10 {
				t.Errorf("took %d steps", maxSteps-left.Left)
			}
		})
	}
}

// TestChains checks that the steps for a chain of calls grow with its length, not exponentially.
func TestChains(t *testing.T) {
	handler := "v := check().text(" + strings.TrimSuffix(strings.Repeat(`"a").text(`, 60), ".text(") + "\n"
	src := "package a\nimport \"x/mcp\"\ntype checks struct{}\n" +
		"func check() *checks { return &checks{} }\n" +
		"func (c *checks) text(s string) *checks { return c }\n" +
		"func f() { s.AddTool(mcp.NewTool(\"dig\"), func() {\n" + strings.Repeat(handler, 40) + "}) }\n"
	left := listing.Reading{Left: maxSteps}
	tools, partial := Tools(map[string]string{"a.go": src}, &left)
	if len(tools) != 1 || partial || maxSteps-left.Left > 1_000_000 {
		t.Errorf("%d tools, partial: %t, %d steps", len(tools), partial, maxSteps-left.Left)
	}
}
