package manifest

import (
	"testing"
)

func TestParseCargoTOML(t *testing.T) {
	c := must(t, ParseCargoTOML, "[package]\nname = \"w\"\nversion.workspace = true\npublish = false\n[[bin]]\nname = \"w-server\"\n[dependencies]\nrmcp = { version = \"0.8\", features = [\"server\"] }\nsdk = { package = \"rust-mcp-sdk\", version = \"1\" }\n[workspace]\nmembers = [\"crates/*\"]\n[workspace.package]\nversion = \"0.3.0\"\n")
	equal(t, &CargoTOML{Name: "w", Version: "0.3.0", Private: true, Bins: []string{"w-server"}, Dependencies: []Dependency{{Name: "rmcp", Version: "0.8"}, {Name: "rust-mcp-sdk", Version: "1"}}}, c)
}
