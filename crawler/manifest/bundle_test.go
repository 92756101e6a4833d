package manifest

import (
	"testing"

	"mcpcensus/internal/registry"
)

func TestParseBundle(t *testing.T) {
	got := must(t, ParseBundle, `{"manifest_version": "0.3", "name": "w", "display_name": "Weather", "version": "{{VERSION}}", "tools": [{"name": "get_forecast", "description": "Forecast of a place"}],
	 "server": {"type": "node", "entry_point": "x.js", "mcp_config": {"command": "node", "args": ["x.js"], "env": {"W_KEY": "${user_config.key}", "MODE": "fast"}}},
	 "user_config": {"key": {"type": "string", "title": "Key", "sensitive": true, "required": true, "default": "never shown"}}}`)
	equal(t, []registry.Variable{{Name: "MODE", Default: "fast"}, {Name: "W_KEY", Description: "Key", IsRequired: true, IsSecret: true}}, got.Launch.Variables())
	equal(t, []registry.Tool{{Name: "get_forecast", Description: "Forecast of a place"}}, got.Tools)
	if got.Version != "" || got.DisplayName != "Weather" {
		t.Errorf("%+v", got)
	}
	if _, err := ParseBundle([]byte(`{"manifest_version": 3, "name": "a browser's extension", "background": {}}`)); err == nil {
		t.Error("no error for a browser extension's manifest")
	}
}
