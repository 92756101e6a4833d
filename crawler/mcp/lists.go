package mcp

import (
	"context"
	"encoding/json"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// Limits of a list.
const (
	maxPages       = 20
	maxTools       = 1000
	maxList        = 5 << 20 // bytes of all pages
	maxSchemas     = 2 << 20 // bytes of all stored schemas
	maxDescription = 16 << 10
	maxName        = 200
)

// Tools reads the list of tools with calls of tools/list. The error is the error of a call,
// [ErrNotMCP], or [ErrTooLarge] for a list beyond the limits.
func Tools(ctx context.Context, call Caller) ([]registry.Tool, error) {
	tools, schemas := []registry.Tool{}, maxSchemas
	err := pages(ctx, call, func(raw json.RawMessage) (string, error) {
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
		if json.Unmarshal(raw, &page) != nil {
			return "", ErrNotMCP
		}
		for _, t := range page.Tools {
			tool := registry.Tool{Name: text.Clean(t.Name, maxName), Title: text.Clean(t.Title, maxName),
				Description: text.Clean(t.Description, maxDescription), Annotations: t.Annotations}
			if tool.Name == "" {
				continue
			}
			if n := len(t.InputSchema); n > 0 && t.InputSchema[0] == '{' && n <= schemas {
				tool.InputSchema, schemas = t.InputSchema, schemas-n
			}
			tools = append(tools, tool)
		}
		if len(tools) > maxTools {
			return "", ErrTooLarge
		}
		return page.Next, nil
	})
	if err != nil {
		return nil, err
	}
	return tools, nil
}

// Count returns the length of a list in a member of the results, such as "prompts". The
// errors are those of [Tools].
func Count(ctx context.Context, member string, call Caller) (int, error) {
	n := 0
	err := pages(ctx, call, func(raw json.RawMessage) (string, error) {
		var page map[string]json.RawMessage
		var list []json.RawMessage
		var next string
		if json.Unmarshal(raw, &page) != nil || json.Unmarshal(page[member], &list) != nil {
			return "", ErrNotMCP
		}
		_ = json.Unmarshal(page["nextCursor"], &next) // optional
		n += len(list)
		return next, nil
	})
	return n, err
}
