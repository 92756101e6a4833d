package probe

import (
	"context"
	"encoding/json"
	"strings"

	"mcpcensus/internal/registry"
)

// Limits of a list of tools.
const (
	maxPages       = 20
	maxTools       = 1000
	maxList        = 5 << 20 // bytes of all pages
	maxSchemas     = 2 << 20 // bytes of all stored schemas
	maxDescription = 16 << 10
	maxName        = 200
)

// tools reads the whole list of tools. The error is that of a request, errNotMCP, or
// errTooLarge for a list beyond the limits.
func (c *conversation) tools(ctx context.Context, d *dialect) ([]registry.Tool, error) {
	tools, cursor, left, schemas := []registry.Tool{}, "", int64(maxList), maxSchemas
	for range maxPages {
		params := map[string]any{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		m, _, err := c.call(ctx, d, "tools/list", params, left)
		if err != nil {
			return nil, err
		}
		var page struct {
			Tools []struct {
				Name        string                    `json:"name"`
				Title       string                    `json:"title"`
				Description string                    `json:"description"`
				InputSchema json.RawMessage           `json:"inputSchema"`
				Annotations *registry.ToolAnnotations `json:"annotations"`
			} `json:"tools"`
			Next string `json:"nextCursor"`
		}
		if m.Error != nil || json.Unmarshal(m.Result, &page) != nil {
			return nil, errNotMCP
		}
		for _, t := range page.Tools {
			tool := registry.Tool{Name: clean(t.Name, maxName), Title: clean(t.Title, maxName),
				Description: clean(t.Description, maxDescription), Annotations: t.Annotations}
			if tool.Name == "" {
				continue
			}
			if n := len(t.InputSchema); n > 0 && t.InputSchema[0] == '{' && n <= schemas {
				tool.InputSchema, schemas = t.InputSchema, schemas-n
			}
			tools = append(tools, tool)
		}
		left -= int64(len(m.Result))
		if len(tools) > maxTools || left <= 0 {
			return nil, errTooLarge
		}
		if page.Next == "" {
			return tools, nil
		}
		if page.Next == cursor {
			return nil, errNotMCP
		}
		cursor = page.Next
	}
	return nil, errTooLarge
}

// clean returns at most the first n bytes of a text, as valid UTF-8.
func clean(s string, n int) string {
	s = strings.ReplaceAll(s, "\x00", "\uFFFD")
	if len(s) > n {
		s = s[:n]
	}
	return strings.TrimSpace(strings.ToValidUTF8(s, ""))
}
