package cli

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"io"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpcensus/internal/mcpserver"
)

func mcpFlags(set *flag.FlagSet, o *options) {
	const usage = "`address` of the registry; default CENSUS_URL, else http://127.0.0.1:8080"
	set.StringVar(&o.url, "registry", "", usage)
	set.StringVar(&o.url, "url", "", "`address` of the registry: the same as --registry")
}

// serveMCP is an MCP server over standard input and output until the client closes it. Its
// tools call those of the registry. Standard output belongs to the protocol.
func serveMCP(ctx context.Context, c *call) error {
	if c.Stdin == nil {
		return usagef("mcp needs standard input")
	}
	log := slog.New(slog.NewTextHandler(c.Stderr, nil))
	base := cmp.Or(c.url, c.Getenv("CENSUS_URL"), "http://127.0.0.1:8080")
	remote := mcpserver.NewRemote(base, c.Getenv("CENSUS_API_KEY"), c.Name, c.Version)
	defer remote.Close()
	server := mcpserver.New(mcpserver.Options{
		Source: remote, Namespace: "org.mcpcensus", Title: "Census", Version: c.Version, BaseURL: base,
		Log: log,
	})
	log.Info("MCP server over standard input; tools ask the registry", "registry", base)
	err := server.Run(ctx, &mcp.IOTransport{
		Reader: io.NopCloser(c.Stdin), Writer: unclosed{c.Stdout},
	})
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// unclosed is a writer whose Close does nothing.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
