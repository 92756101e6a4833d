package record

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"mcpcensus/internal/install"
)

// TestConnect checks what pages show for adding an endpoint to clients.
func TestConnect(t *testing.T) {
	for _, address := range []string{"https://census.example/mcp", "http://127.0.0.1:8080/mcp"} {
		var ids []string
		for _, c := range Connect("census", "Census", address) {
			ids = append(ids, c.ID)
			for _, s := range c.Snippets {
				if s.Kind == install.KindJSON && (!json.Valid([]byte(s.Text)) || !strings.Contains(s.Text, address)) {
					t.Errorf("%s: %s", c.ID, s.Text)
				}
			}
		}
		for _, want := range []string{"claude-code", "cursor", "vscode", "windsurf", "codex", "gemini-cli", "zed"} {
			if !slices.Contains(ids, want) {
				t.Errorf("%s: there is nothing for %s", address, want)
			}
		}
	}
	if got := Connect("census", "Census", "http://census.example/mcp"); got != nil {
		t.Errorf("got %v for an address that clients refuse", got)
	}
}
