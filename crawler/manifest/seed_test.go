package manifest

import (
	"testing"

	"mcpcensus/internal/registry"
)

func TestArgumentsOfTheSeedAreMended(t *testing.T) {
	l, err := ParseServerJSON([]byte(`{"name": "io.github.octo/weather", "description": "Weather", "version_detail": {"version": "1.0.0"}, "packages": [
		{"registry_name": "npm", "name": "weather-mcp", "version": "1.0.0", "package_arguments": [
			{"type": "named", "name": "--key your-key", "value": "--key your-key", "default": "--key your-key", "value_hint": "your-key", "is_required": true},
			{"type": "positional", "value": "db://ann:secret@localhost/x", "default": "db://ann:secret@localhost/x", "value_hint": "db://ann:secret@localhost/x", "is_required": true}]},
		{"registry_name": "docker", "name": "octo/weather", "version": "", "package_arguments": [{"type": "named", "name": "--rm", "value": "--rm"}]}]}`))
	if err != nil || len(l.Packages) != 2 {
		t.Fatalf("%+v, %v", l, err)
	}
	want := []registry.Argument{
		{Type: "named", Name: "--key", ValueHint: "your-key", IsRequired: true},
		{Type: "positional", ValueHint: "db://ann:secret@localhost/x", IsRequired: true},
	}
	equal(t, want, l.Packages[0].PackageArguments)
	if n := len(l.Packages[1].PackageArguments); n != 0 {
		t.Errorf("an image has %d arguments that are words of docker run", n)
	}
}
