package detect

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

func TestImageDigest(t *testing.T) {
	digest := "sha256:" + strings.Repeat("ab", 32)
	d := of(t, map[string]string{"server.json": `{"name": "io.github.octo/tides", "version": "1.0.0", "packages": [
		{"registryType": "oci", "registryBaseUrl": "https://ghcr.io", "identifier": "octo/tides:1.0.0@` + digest + `"}]}`}, nil)
	var got []string
	for _, p := range d.Packages {
		got = append(got, p.Identifier+" "+p.Version+" "+p.RegistryBaseURL)
	}
	if diff := cmp.Diff([]string{"ghcr.io/octo/tides@" + digest + " 1.0.0 "}, got); diff != "" {
		t.Error(diff)
	}
}

func TestExact(t *testing.T) {
	for version, want := range map[string]string{
		"1.2.3": "1.2.3", "v1.2.3": "v1.2.3", "2026.11.1": "2026.11.1", "1.0.0-beta.1": "1.0.0-beta.1",
		"0.0.0": "", "0.0.0-development": "", "1.7.1.dev0": "", "1.8.0-dev": "", "1.0-SNAPSHOT": "",
		"^1.0.0": "", "1.x": "", "latest": "", "$VERSION": "",
	} {
		if got := exact(version); got != want {
			t.Errorf("exact(%q) = %q, want %q", version, got, want)
		}
	}
}

func TestFileArguments(t *testing.T) {
	l := &registry.Listing{Name: "io.github.octo/tides", Status: "active", Packages: []registry.Package{{
		RegistryType: "pypi", Identifier: "tides-mcp-py", PackageArguments: []registry.Argument{
			{Type: "positional", Value: "src/tides.py"}, {Type: "positional", Value: "stdio"}}}}}
	d := of(t, map[string]string{"pyproject.toml": tidesProject, "README.md": "# Tides MCP server\n", "src/tides.py": "x"}, l)
	for _, p := range d.Packages {
		if p.Identifier == "tides-mcp-py" && (len(p.PackageArguments) != 1 || p.PackageArguments[0].Value != "stdio") {
			t.Errorf("got %+v", p.PackageArguments)
		}
	}
}
