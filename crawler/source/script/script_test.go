package script

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

// found is a tool in a form that is short to write.
type found struct {
	Name, Title, Description, Schema string
	ReadOnly                         bool
}

func short(tools []registry.Tool) []found {
	var out []found
	for _, t := range tools {
		f := found{Name: t.Name, Title: t.Title, Description: t.Description, Schema: string(t.InputSchema)}
		f.ReadOnly = t.Annotations != nil && t.Annotations.ReadOnly != nil && *t.Annotations.ReadOnly
		out = append(out, f)
	}
	return out
}

const sdk = `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"; import { z } from "zod";
const server = new McpServer({ name: "shop", version: "1.0.0" });
`

func TestTools(t *testing.T) {
	const noParameters = `{"type":"object","properties":{}}`
	tests := []struct {
		name  string
		files map[string]string
		roots []string
		want  []found
	}{
		{name: "registerTool", files: map[string]string{"index.ts": sdk + `
			server.registerTool("list_shelves", {
				title: "List shelves", description: "Lists all " + "shelves",
				inputSchema: { floor: z.number().int().min(0).describe("The floor"), name: z.string().optional() },
				annotations: { readOnlyHint: true },
			}, async () => ({ content: [] }));`},
			want: []found{{
				Name: "list_shelves", Title: "List shelves", Description: "Lists all shelves", ReadOnly: true,
				Schema: `{"type":"object","properties":{"floor":{"type":"integer","minimum":0,"description":"The floor"},` +
					`"name":{"type":"string"}},"required":["floor"]}`,
			}},
		},
		{name: "tool", files: map[string]string{"index.ts": sdk + `
			server.tool("ping", async () => ({ content: [] }));
			server.tool("pong", "Answers", async () => ({ content: [] }));
			server.tool("add", "Adds", { a: z.number() }, { readOnlyHint: true }, async ({ a }) => ({ content: [] }));`},
			want: []found{
				{Name: "ping", Schema: noParameters}, {Name: "pong", Description: "Answers", Schema: noParameters},
				{Name: "add", Description: "Adds", ReadOnly: true,
					Schema: `{"type":"object","properties":{"a":{"type":"number"}},"required":["a"]}`},
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Tools(context.Background(), tt.files, tt.roots)
			if diff := cmp.Diff(tt.want, short(got.Tools)); diff != "" {
				t.Errorf("tools (-want +got):\n%s", diff)
			}
			for _, tool := range got.Tools {
				if tool.InputSchema != nil && !json.Valid(tool.InputSchema) {
					t.Errorf("%s: schema is not JSON: %s", tool.Name, tool.InputSchema)
				}
			}
		})
	}
}
