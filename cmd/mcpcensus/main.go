// Mcpcensus finds MCP servers in a registry, adds them to MCP clients, and audits
// the configured servers. `mcpcensus help` lists its commands.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"mcpcensus/internal/cli"
)

// version is set by the linker.
var version = "dev"

func main() {
	p := &cli.Program{
		Name: "mcpcensus", Version: version, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv,
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := p.Run(ctx, os.Args[1:])
	stop()
	os.Exit(status)
}
