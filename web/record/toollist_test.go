package record

import (
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

func TestToolsOrigin(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	tides := registry.PackageKey{RegistryType: "npm", Identifier: "@octo/tides"}
	for name, tc := range map[string]struct {
		server registry.Server
		want   string
	}{
		"unknown": {registry.Server{}, ""},
		"repository": {registry.Server{ToolsFrom: "source", ToolsVersion: "1.4.0", ToolsAt: &at},
			"Read from the source code of version 1.4.0 on 20 Nov 2026."},
		"archive": {registry.Server{ToolsFrom: "source", ToolsPackage: tides, ToolsVersion: "1.4.0", ToolsAt: &at},
			"Read from the source code of the package @octo/tides, version 1.4.0, on 20 Nov 2026."},
		"run": {registry.Server{ToolsFrom: "run", ToolsVersion: "1.4.0"},
			"Listed by its published package, started in a sandbox (version 1.4.0)."},
		"run of a package": {registry.Server{ToolsFrom: "run", ToolsVersion: "1.4.0", ToolsAt: &at,
			Packages: []registry.Package{{Identifier: "other"}, {Identifier: "@octo/tides", Inspection: &registry.Inspection{At: at}}}},
			"Listed by its published package @octo/tides, started in a sandbox (version 1.4.0) on 20 Nov 2026."},
		"endpoint": {registry.Server{ToolsFrom: "probe", ToolsEndpoint: "https://tides.dev/mcp", ToolsVersion: "2.0", ToolsAt: &at},
			"Listed by its hosted endpoint https://tides.dev/mcp (version 2.0) on 20 Nov 2026."},
		"readme": {registry.Server{ToolsFrom: "readme"}, "Read from the README."},
		"partial": {registry.Server{ToolsFrom: "readme", ToolsPartial: true},
			"Read from the README. The list is incomplete: its source has more tools."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (Record{Server: &tc.server}).ToolsOrigin(); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestToolOrigin(t *testing.T) {
	for want, tool := range map[string]registry.Tool{
		"":                                  {Name: "a"},
		"Description from the source code.": {DescriptionFrom: "source"},
		"Parameters from the README.":       {SchemaFrom: "readme"},
		"Description and parameters from the source code.":              {DescriptionFrom: "source", SchemaFrom: "source"},
		"Description from the source code, parameters from the README.": {DescriptionFrom: "source", SchemaFrom: "readme"},
	} {
		if got := (Tool{Tool: tool}).Origin(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
