package catalog

import (
	"strings"
	"testing"

	"mcpcensus/internal/registry"
)

func TestSimilar(t *testing.T) {
	c := New()
	var all []registry.Server
	for i, slug := range []string{"octo-weather-mcp", "octo-weather-mcp-2", "acme-postgres", "acme-postgresql", "zed-files"} {
		all = append(all, registry.Server{ID: int64(i), Seq: int64(i), Slug: slug, Category: "data"})
	}
	all = append(all, registry.Server{ID: 9, Seq: 5, Slug: "evil-weather-mcq", Category: "data",
		Copy: &registry.Copy{Of: "octo-weather-mcp", Kind: registry.CopyOf}})
	if err := c.Apply(all, nil, 5); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"octo-wether-mcp": "octo-weather-mcp", "evil-weather-mcp": "",
		"Octo/Weather-MCP": "octo-weather-mcp", "acme-postgre": "acme-postgres",
		"postgres": "acme-postgres", "files": "zed-files", "xyzzy-plugh": "", "ab": "", "": "", strings.Repeat("x", 500): "",
	} {
		got := c.View().Similar(name, 1)
		if strings.Join(got, " ") != want {
			t.Errorf("%.30q: %v, want %q", name, got, want)
		}
	}
}
