package install

import (
	"testing"

	"mcpcensus/internal/registry"
)

func TestArguments(t *testing.T) {
	image := func(args ...registry.Argument) registry.Package {
		return registry.Package{RegistryType: "oci", Identifier: "docker.io/octo/weather:1.2.0", RuntimeArguments: args}
	}
	for name, test := range map[string]struct {
		pkg  registry.Package
		want string
	}{
		"an optional variable is left out":     {image(registry.Argument{Type: "named", Name: "-e", Value: "TOKEN={token}", Description: "Token"}), "docker run -i --rm docker.io/octo/weather:1.2.0"},
		"a required one is a place to fill in": {image(registry.Argument{Type: "named", Name: "-e", Value: "TOKEN={token}", IsRequired: true}), "docker run -i --rm -e TOKEN=YOUR_TOKEN docker.io/octo/weather:1.2.0"},
		"a required value that is not given":   {image(registry.Argument{Type: "named", Name: "-v", Description: "Folder to read", IsRequired: true}), "docker run -i --rm -v YOUR_VOLUME docker.io/octo/weather:1.2.0"},
		"a switch needs no value":              {image(registry.Argument{Type: "named", Name: "--init", IsRequired: true}), "docker run -i --rm --init docker.io/octo/weather:1.2.0"},
	} {
		if got := Command(test.pkg); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, test.want)
		}
	}
}
