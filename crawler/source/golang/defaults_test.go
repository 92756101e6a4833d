package golang

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

func names(tools []registry.Tool) []string {
	var out []string
	for _, t := range tools {
		out = append(out, t.Name)
	}
	return out
}

func TestDefaults(t *testing.T) {
	const head = "package main\nimport \"github.com/mark3labs/mcp-go/mcp\"\n"
	for name, test := range map[string]struct {
		files           map[string]string
		tools, optional []string
	}{
		"flags": {
			map[string]string{"main.go": head + `
				func main() {
					flag.BoolVar(&options.Audit, "audit", false, "Audit")
					stock := flag.Bool("stock", true, "Stock")
					if *stock { s.AddTool(mcp.NewTool("count"), count) }
					if options.Audit { addAudit(s) }
				}
				func addAudit(s *Server) { s.AddTool(mcp.NewTool("trace"), trace) }`},
			[]string{"count"}, []string{"trace"},
		},
		"environment": {
			map[string]string{"main.go": head + `
				func main() {
					mode := os.Getenv("SHOP_MODE")
					if os.Getenv("SHOP_TOKEN") != "" { s.AddTool(mcp.NewTool("count"), count) }
					if mode == "admin" { s.AddTool(mcp.NewTool("trace"), trace) } else { s.AddTool(mcp.NewTool("sell"), sell) }
				}`},
			[]string{"count", "sell"}, []string{"trace"},
		},
		"groups_in_packages": {
			map[string]string{
				"config.go": head + `var base = Config{Toolsets: []string{"stock"}}`,
				"stock/stock.go": head + `func (t *Set) GetName() string { return "stock" }
					func (t *Set) GetTools() []mcp.Tool { return []mcp.Tool{mcp.NewTool("count")} }`,
				"audit/audit.go": head + `func (t *Set) GetName() string { return "audit" }
					func (t *Set) GetTools() []mcp.Tool { return []mcp.Tool{mcp.NewTool("trace")} }`,
			},
			[]string{"count"}, []string{"trace"},
		},
		"groups_of_tools": {
			map[string]string{"main.go": head + `
				type Group struct { ID string; Default bool }
				var stock, audit = Group{ID: "stock", Default: true}, Group{ID: "audit"}
				func count() Tool { return NewServerTool(stock, mcp.Tool{Name: "count"}) }
				func trace() Tool { return NewServerTool(audit, mcp.Tool{Name: "trace"}) }`},
			[]string{"count"}, []string{"trace"},
		},
		"nothing_else": {
			map[string]string{"main.go": head + `
				func main() { if os.Getenv("SHOP_MODE") == "all" { s.AddTool(mcp.NewTool("count"), count) } }`},
			[]string{"count"}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			tools, optional, _ := Tools(t.Context(), test.files)
			if diff := cmp.Diff(test.tools, names(tools)); diff != "" {
				t.Errorf("tools (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.optional, names(optional)); diff != "" {
				t.Errorf("optional (-want +got):\n%s", diff)
			}
		})
	}
}
