package golang

import (
	"testing"

	"mcpcensus/internal/registry"
)

func TestEffects(t *testing.T) {
	list, _ := Tools(map[string]string{"client/client.go": `package client

import "net/http"

type Client struct{}

func (c *Client) RemoveBed(id string) error {
	r, _ := http.NewRequest(http.MethodDelete, "https://garden.example/beds/"+id, nil)
	_, err := http.DefaultClient.Do(r)
	return err
}
`, "main.go": `package main

import (
	"context"
	"os"
	"os/exec"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"garden/client"
)

func plan(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	path, _ := req.RequireString("path")
	os.WriteFile(path, nil, 0o600)
	return nil, nil
}

func cached(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	os.WriteFile("cache.json", nil, 0o600)
	return nil, nil
}

func listed(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return mcp.NewToolResultText(req.GetString("id", "")), nil
}

func pruned(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	beds.DeleteCollection(ctx, req.GetString("id", ""))
	return nil, nil
}

func dig() (mcp.Tool, server.ToolHandlerFunc) {
	return mcp.NewTool("dig", mcp.WithString("command")), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		command, _ := req.GetArguments()["command"].(string)
		exec.CommandContext(ctx, "sh", "-c", command).Run()
		return nil, nil
	}
}

func main() {
	s := server.NewMCPServer("garden", "1.0.0")
	c := &client.Client{}
	s.AddTool(mcp.NewTool("plan"), plan)
	tool := mcp.NewTool("cached")
	s.AddTool(tool, cached)
	s.AddTool(mcp.NewTool("listed"), listed)
	s.AddTool(mcp.NewTool("pruned"), pruned)
	s.AddTool(dig())
	s.AddTools(server.ServerTool{Tool: mcp.NewTool("bed"), Handler: func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		c.RemoveBed(req.GetString("id", ""))
		return nil, nil
	}})
}
`}, nil)
	got := map[string]registry.ToolEffect{}
	for _, t := range list {
		got[t.Name] = registry.ToolEffect{}
		if t.Inferred != nil {
			got[t.Name] = *t.Inferred
		}
	}
	for name, want := range map[string]registry.ToolEffect{
		"plan":   {Effect: registry.EffectDestructive, Basis: registry.BasisSource, Evidence: "main.go:15"},
		"cached": {Effect: registry.EffectUnknown, Basis: registry.BasisSource, Evidence: "main.go:20"},
		"listed": {Effect: registry.EffectRead, Basis: registry.BasisSource, Evidence: "main.go:24"},
		"pruned": {Effect: registry.EffectUnknown, Basis: registry.BasisSource, Evidence: "main.go:29"},
		"dig":    {Effect: registry.EffectExecute, Basis: registry.BasisSource, Evidence: "main.go:36"},
		"bed":    {Effect: registry.EffectDestructive, Basis: registry.BasisSource, Evidence: "client/client.go:8"},
	} {
		if got[name] != want {
			t.Errorf("%s: got %+v, want %+v", name, got[name], want)
		}
	}
}
