package registry

import "testing"

func TestPyPIName(t *testing.T) {
	for name, want := range map[string]string{
		"": "", "tides": "tides", "Tides.MCP": "tides-mcp", "tides_-._mcp": "tides-mcp", "_tides": "-tides",
	} {
		if got := PyPIName(name); got != want {
			t.Errorf("PyPIName(%q) = %q, want %q", name, got, want)
		}
	}
}
