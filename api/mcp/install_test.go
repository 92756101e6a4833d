package mcp

import (
	"testing"

	"mcpcensus/internal/registry"

	"github.com/google/go-cmp/cmp"
)

// TestConfigure_windows checks that a configuration is that of the system, and says without a
// system where it differs.
func TestConfigure_windows(t *testing.T) {
	tides := &registry.Server{Slug: "tides", Packages: []registry.Package{{
		RegistryType: "npm", Identifier: "tides",
		Transport: registry.PackageTransport{Type: registry.TransportStdio},
	}}}
	const differs = `On Windows it differs: pass os "windows".`
	const plain, shell = "claude mcp add tides --scope user -- npx -y tides",
		"claude mcp add tides --scope user -- cmd /c npx -y tides"
	for system, want := range map[string][2]string{
		"": {plain, differs}, "linux": {plain, ""}, "windows": {shell, ""},
	} {
		var out getInstallConfigOutput
		configure(&out, tides, getInstallConfigInput{Client: "claude-code", OS: system})
		got := [2]string{*out.Command, ""}
		if out.Note != nil {
			got[1] = *out.Note
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q: %s", system, d)
		}
	}
}
