package registry

import (
	"regexp"
	"strings"
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

func TestIsPackageName(t *testing.T) {
	long := strings.Repeat("a", 215)
	for registryType, names := range map[string]struct{ yes, no []string }{
		"npm": {[]string{"tides", "@octo/tides.mcp", "Legacy", "~x", long[:214]},
			[]string{"", "@Octo/tides", "-g", ".x", "_x", "octo/tides", "@octo/", "a b", "git+x:y", long}},
		"pypi": {[]string{"tides", "Tides_mcp.x", "a"},
			[]string{"", "-r", "tides-", "a/b", "tides==1", long}},
		"nuget": {[]string{"Octo.Tides", "a_b-c"}, []string{"", ".a", "a..b", "--x", long[:101]}},
		"cargo": {[]string{"tides-mcp"}, []string{"", "1a", "-x", "a.b", long[:65]}},
		"oci":   {nil, []string{"tides"}},
	} {
		for _, name := range names.yes {
			if !IsPackageName(registryType, name) {
				t.Errorf("%s has no %q", registryType, name)
			}
		}
		for _, name := range names.no {
			if IsPackageName(registryType, name) {
				t.Errorf("%s has %q", registryType, name)
			}
		}
	}
}
