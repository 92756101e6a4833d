package registry

import (
	"regexp"
	"testing"
)

func TestPyPIName(t *testing.T) {
	for name, want := range map[string]string{
		"": "", "tides": "tides", "Tides.MCP": "tides-mcp", "tides_-._mcp": "tides-mcp", "_tides": "-tides",
	} {
		if got := PyPIName(name); got != want {
			t.Errorf("PyPIName(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestPyPIPattern(t *testing.T) {
	pattern := regexp.MustCompile("^" + PyPIPattern("Tides.MCP+x") + "$")
	for name, want := range map[string]bool{
		"tides-mcp+x": true, "tides_.mcp+x": true, "tidesmcp+x": false, "tides-mcppx": false,
	} {
		if pattern.MatchString(name) != want {
			t.Errorf("%q matches: %v", name, !want)
		}
	}
}
