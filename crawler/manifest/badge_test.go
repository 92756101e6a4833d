package manifest

import (
	"testing"

	"mcpcensus/crawler/shell"

	"github.com/google/go-cmp/cmp"
)

func TestParseBadge(t *testing.T) {
	for link, want := range map[string]shell.Launch{
		"https://img.shields.io/npm/v/@octo/tides.svg":     {RegistryType: "npm", Identifier: "@octo/tides"},
		"https://img.shields.io/npm/dm/%40octo%2Ftides?x":  {RegistryType: "npm", Identifier: "@octo/tides"},
		"https://img.shields.io/pypi/pyversions/tides-mcp": {RegistryType: "pypi", Identifier: "tides-mcp"},
		"https://img.shields.io/nuget/v/Octo.Tides.svg":    {RegistryType: "nuget", Identifier: "Octo.Tides"},
		"https://img.shields.io/crates/v/tides":            {RegistryType: "cargo", Identifier: "tides"},
		"https://img.shields.io/github/v/release/octo/x":   {},
	} {
		got, ok := ParseBadge(link)
		if d := cmp.Diff(want, got); d != "" || ok != (want.Identifier != "") {
			t.Errorf("%s: %v, (-want +got)\n%s", link, ok, d)
		}
	}
}
