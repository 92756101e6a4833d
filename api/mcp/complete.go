package mcp

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// maxValues is the maximum number of values in a completion, set by the protocol.
const maxValues = 100

type completer struct{ from *source }

// complete completes arguments of prompts and variables of resource templates.
func (c completer) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	typed := text.Cut(text.OneLine(req.Params.Argument.Value), maxID)
	var all []string
	switch req.Params.Argument.Name {
	case "category":
		all = registry.Categories
	case "client":
		all = clientIDs()
	case "sdk":
		all = registry.SDKs
	case "slug", "id":
		values, total, err := c.from.slugs(ctx, typed, maxValues)
		if err != nil {
			return nil, err
		}
		return completion(values, total), nil
	}
	values := []string{}
	for _, v := range all {
		if strings.HasPrefix(v, strings.ToLower(typed)) {
			values = append(values, v)
		}
	}
	return completion(values, len(values)), nil
}

func completion(values []string, total int) *mcp.CompleteResult {
	if values == nil {
		values = []string{}
	}
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{
		Values: values, Total: total, HasMore: total > len(values),
	}}
}
