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

// complete completes arguments of prompts and variables of resource templates.
func (s *source) complete(
	ctx context.Context, req *mcp.CompleteRequest,
) (*mcp.CompleteResult, error) {
	typed := text.Cut(text.OneLine(req.Params.Argument.Value), maxID)
	values, total := []string{}, 0
	var all []string
	switch req.Params.Argument.Name {
	case "category":
		all = registry.Categories
	case "client":
		all = clientIDs()
	case "sdk":
		all = registry.SDKs
	case "slug", "id":
		var err error
		if values, total, err = s.slugs(ctx, typed, maxValues); err != nil {
			return nil, err
		}
	}
	for _, v := range all {
		if strings.HasPrefix(v, strings.ToLower(typed)) {
			values, total = append(values, v), total+1
		}
	}
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{
		Values: list(values), Total: total, HasMore: total > len(values),
	}}, nil
}
