package cli

import (
	"context"
	"log/slog"
)

// serveMCP is an MCP server over standard input and output until the client closes it. The
// registry answers all messages. Standard output belongs to the protocol.
func serveMCP(ctx context.Context, c *call) error {
	if c.Stdin == nil {
		return usagef("mcp needs standard input")
	}
	log := slog.New(slog.NewTextHandler(c.Stderr, nil))
	registry := c.client.BaseURL()
	log.Info("MCP server over standard input", "registry", registry)
	return newBridge(registry, c.Getenv("CENSUS_API_KEY"), c.Name+"/"+c.Version, c.Stdout, log).
		run(ctx, c.Stdin)
}
