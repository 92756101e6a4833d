package install

import (
	"testing"

	"mcpcensus/internal/registry"

	"github.com/google/go-cmp/cmp"
)

func TestChoicesInURL(t *testing.T) {
	region := registry.Variable{IsRequired: true, Choices: []string{"eu", "us"}, Default: "eu"}
	s := &registry.Server{Slug: "tides", Remotes: []registry.Remote{{Type: registry.TransportHTTP,
		URL: "https://{region}.tides.dev/mcp", Variables: map[string]registry.Variable{"region": region}}}}
	p, ok := Published(s)
	if !ok {
		t.Fatal("nothing is published")
	}
	region.Description = "region"
	want := []registry.Remote{
		{Type: registry.TransportHTTP, URL: "https://eu.tides.dev/mcp"},
		{Type: registry.TransportHTTP, URL: "https://{region}.tides.dev/mcp",
			Variables: map[string]registry.Variable{"region": region}},
	}
	if d := cmp.Diff(want, p.Remotes); d != "" {
		t.Error(d)
	}
	blanks := []Blank{{Placeholder: "{region}", Description: "", Default: "eu", Choices: region.Choices}}
	if d := cmp.Diff(blanks, Blanks(s)); d != "" {
		t.Error(d)
	}
	s.Remotes[0].URL = "https://{region}/mcp"
	s.Remotes[0].Variables = nil
	want2 := "No published package is known. The endpoint is on “{region}”, which may be any host: its domain is a variable."
	if d := cmp.Diff(want2, Missing(s)); d != "" {
		t.Error(d)
	}
}

func TestMissingNamesTheReadmesWay(t *testing.T) {
	for command, want := range map[string]string{
		"": "No published package or hosted endpoint is known.",
		"deno run -A jsr:@octo/tides-mcp": "The README starts “deno run -A jsr:@octo/tides-mcp”. It is not shown as a " +
			"command because JSR is not among the registries whose packages are checked.",
		"gem install tides-mcp": "The README installs it with “gem install tides-mcp”. It is not shown as a command " +
			"because RubyGems is not among the registries whose packages are checked.",
		"go install octo.dev/tides@latest": "The README starts it from source: “go install octo.dev/tides@latest”. " +
			"It is not shown as a command because it starts whatever the source contains at the time.",
	} {
		if d := cmp.Diff(want, Missing(&registry.Server{SourceInstall: command})); d != "" {
			t.Error(d)
		}
	}
}
