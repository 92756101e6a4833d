package manifest

import (
	"testing"
)

func TestParseCargoTOML(t *testing.T) {
	c := must(t, ParseCargoTOML, "[package]\nname = \"w\"\nversion.workspace = true\npublish = false\n[[bin]]\nname = \"w-server\"\n[dependencies]\nrmcp = { version = \"0.8\", features = [\"server\"] }\nsdk = { package = \"rust-mcp-sdk\", version = \"1\" }\n[workspace]\nmembers = [\"crates/*\"]\n[workspace.package]\nversion = \"0.3.0\"\n")
	equal(t, &Package{Name: "w", Version: "0.3.0", Private: true, Programs: map[string]string{"w-server": ""}, Dependencies: []Dependency{{Name: "rmcp", Version: "0.8"}, {Name: "rust-mcp-sdk", Version: "1"}}}, c)
}

func TestParseDist(t *testing.T) {
	const jobs = "publish-jobs = [\"homebrew\", \"npm\"]\n"
	for text, want := range map[string]string{
		"[dist]\n" + jobs + "npm-scope = \"@octo\"\n": "@octo/tides",
		"[dist]\n" + jobs: "tides",
		"[dist]\n" + jobs + "npm-scope = \"@octo\"\nnpm-package = \"mcp\"\n": "@octo/mcp",
		"[dist]\ninstallers = [\"npm\"]\npublish-jobs = [\"homebrew\"]\n":    "",
		"[workspace]\n": "",
	} {
		if got := must(t, ParseDist, text).NPM("tides"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	c := must(t, ParseCargoTOML, "[package]\nname = \"tides\"\n[workspace.metadata.dist]\n"+jobs)
	if got := c.Dist.NPM(c.Name); got != "tides" {
		t.Errorf("in Cargo.toml: %q", got)
	}
}
