package detect

import (
	"testing"

	"mcpcensus/crawler/manifest"
	"mcpcensus/internal/registry"
)

func TestVersion(t *testing.T) {
	for name, tt := range map[string]struct {
		unit unit
		want string
	}{
		"package":          {unit{npm: &manifest.Package{Version: "1.2.3"}, server: &registry.Listing{Version: "2.0.0"}}, "1.2.3"},
		"placeholder":      {unit{npm: &manifest.Package{Version: "0.0.0-dev"}, server: &registry.Listing{Version: "2.0.0"}}, "2.0.0"},
		"range":            {unit{py: &manifest.Package{Version: ">=1"}}, ""},
		"snapshot":         {unit{pom: &manifest.Package{Version: "1.0-SNAPSHOT"}, gradle: &manifest.Package{Version: "1.1"}}, "1.1"},
		"bundle and build": {unit{bundle: &manifest.Bundle{Package: manifest.Package{Version: "3.0.0"}}, pom: &manifest.Package{Version: "1.0"}}, "3.0.0"},
	} {
		if got := tt.unit.version(); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

func TestFolders(t *testing.T) {
	for dir, want := range map[string]bool{
		"": false, "src/mail": false, "examples/mail": true, "packages/mail-test": true, ".github": true,
		"docs": true, "servers/docs": false, "node_modules/x": true,
	} {
		if got := excluded(dir); got != want {
			t.Errorf("excluded(%q) is %v", dir, got)
		}
	}
	for dir, want := range map[string]string{
		"./src/a/": "src/a", `src\a`: "src/a", "../x": "", "/": "", ".": "", "a/../b": "b",
	} {
		if got := clean(dir); got != want {
			t.Errorf("clean(%q) is %q, want %q", dir, got, want)
		}
	}
}

func TestLicense(t *testing.T) {
	const mit = "MIT License\n\nCopyright (c) 2026 Octo\n"
	crate := map[string]string{"Cargo.toml": "[workspace]\nmembers = [\"a\"]\n[workspace.package]\n" +
		"license = \"MIT OR Apache-2.0\"\n", "a/Cargo.toml": "[package]\nname = \"tides-mcp\"\n" +
		"license.workspace = true\n[dependencies]\nrmcp = \"1\"\n", "a/src/main.rs": "fn main() {}"}
	for name, tt := range map[string]struct {
		files map[string]string
		dir   string
		want  string
	}{
		"of the workspace":        {crate, "a", "MIT OR Apache-2.0"},
		"npm's default":           {map[string]string{"package.json": npm(`, "license": "ISC"`)}, "", "ISC"},
		"npm's default, and file": {map[string]string{"package.json": npm(`, "license": "ISC"`), "LICENSE": mit}, "", "MIT"},
		"manifest, and file":      {map[string]string{"package.json": npm(`, "license": "BSD-3-Clause"`), "LICENSE": mit}, "", "BSD-3-Clause"},
	} {
		r := read(repoOf("octo/tides-mcp", tt.files))
		if got := r.license(r.unit(tt.dir)); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}
