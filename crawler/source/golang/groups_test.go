package golang

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

// names returns the names of the tools of a start with the default settings.
func names(tools []registry.Tool) []string {
	var out []string
	for _, t := range tools {
		if !t.IsDefault() {
			continue
		}
		out = append(out, t.Name)
	}
	return out
}

func TestGroups(t *testing.T) {
	const head = "package main\nimport \"github.com/mark3labs/mcp-go/mcp\"\n"
	for name, test := range map[string]struct {
		files map[string]string
		tools []string
	}{
		"field_of_a_struct": {
			map[string]string{"main.go": head + `
				type Group struct { ID string; Default bool }
				var stock, audit = Group{ID: "stock", Default: true}, Group{ID: "audit"}
				func count() Tool { return NewServerTool(stock, mcp.Tool{Name: "count"}) }
				func trace() Tool { return NewServerTool(audit, mcp.Tool{Name: "trace"}) }`},
			[]string{"count"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tools, _ := Tools(test.files, nil)
			if diff := cmp.Diff(test.tools, names(tools)); diff != "" {
				t.Errorf("tools (-want +got):\n%s", diff)
			}
		})
	}
}
