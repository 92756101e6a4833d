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
			"Listed by running its package in a sandbox (version 1.4.0)."},
		"run of a package": {registry.Server{ToolsFrom: "run", ToolsVersion: "1.4.0", ToolsAt: &at,
			Packages: []registry.Package{{Identifier: "other"}, {Identifier: "@octo/tides", Inspection: &registry.Inspection{At: at}}}},
			"Listed by running the package @octo/tides in a sandbox (version 1.4.0) on 20 Nov 2026."},
		"endpoint": {registry.Server{ToolsFrom: "probe", ToolsEndpoint: "https://tides.dev/mcp", ToolsVersion: "2.0", ToolsAt: &at},
			"Listed by its hosted endpoint https://tides.dev/mcp (version 2.0) on 20 Nov 2026."},
		"readme": {registry.Server{ToolsFrom: "readme"}, "Read from the README (version unknown)."},
		"endpoint without a version": {registry.Server{
			ToolsFrom: "probe", ToolsEndpoint: "https://tides.dev/mcp", ToolsAt: &at,
		},
			"Listed by its hosted endpoint https://tides.dev/mcp (version unknown) on 20 Nov 2026."},
		"source without a version": {registry.Server{ToolsFrom: "source", ToolsAt: &at},
			"Read from the source code (version unknown) on 20 Nov 2026."},
		"partial": {registry.Server{ToolsFrom: "readme", ToolsPartial: true},
			"Read from the README (version unknown). The list may be incomplete."},
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

func TestLeastTokens(t *testing.T) {
	known, unknown := registry.Tool{InputSchema: []byte("{}")}, registry.Tool{}
	for name, tt := range map[string]struct {
		s    registry.Server
		want bool
	}{
		"all known":      {registry.Server{ToolsFrom: "source", Tools: []registry.Tool{known}}, false},
		"unknown schema": {registry.Server{ToolsFrom: "source", Tools: []registry.Tool{known, unknown}}, true},
		"incomplete":     {registry.Server{ToolsFrom: "source", Tools: []registry.Tool{known}, ToolsPartial: true}, true},
		"README":         {registry.Server{ToolsFrom: "readme", Tools: []registry.Tool{known}}, true},
		"schema of the README": {registry.Server{ToolsFrom: "source", Tools: []registry.Tool{
			{InputSchema: []byte("{}"), SchemaFrom: "readme"}}}, true},
		"no tools": {registry.Server{ToolsFrom: "probe"}, false},
	} {
		if got := New(&tt.s).LeastTokens(); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	w := ToolWeight{Tokens: 58, Least: true}
	if got, want := w.String(), "At least 58 tokens."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestToolWeight(t *testing.T) {
	for _, tc := range []struct {
		tokens int
		want   string
	}{
		{0, "No tokens."}, {1, "1 token."}, {4999, "4,999 tokens."},
		{12_412, "12,412 tokens, 6.2% of a context window of 200,000."},
	} {
		w := ToolWeight{Tokens: tc.tokens}
		if got := w.String(); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
}
