// Mcpcensus finds MCP servers in a registry, adds them to MCP clients, and audits
// the configured servers. `mcpcensus help` lists its commands.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"mcpcensus/internal/cli"
)

// version is set by the linker.
var version = "dev"

func main() {
	p, err := cli.System("mcpcensus", version)
	if err != nil {
		fmt.Fprintf(os.Stderr, "mcpcensus: %v\n", err)
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := p.Run(ctx, os.Args[1:])
	stop()
	os.Exit(status)
}
