package manifest

import (
	"testing"
)

func TestParseGoMod(t *testing.T) {
	g := must(t, ParseGoMod, "module example.com/w\n\ngo 1.24\n\nrequire (\n\tgithub.com/mark3labs/mcp-go v0.40.0\n\tgolang.org/x/net v0.1.0 // indirect\n)\nunknown directive\n")
	equal(t, &Package{Name: "example.com/w", Dependencies: []Dependency{{Name: "github.com/mark3labs/mcp-go", Version: "v0.40.0"}, {Name: "golang.org/x/net", Version: "v0.1.0", Indirect: true}}}, g)
}
