package install

import (
	"strings"
	"testing"

	"mcpcensus/internal/registry"
)

// An image is only run by the name under which it was published.
func TestImages(t *testing.T) {
	digest := "sha256:" + strings.Repeat("ab", 32)
	for name, c := range map[string]struct {
		identifier, base, version string
		command, why              string
	}{
		"Docker Hub":       {"octo/weather", "", "1.0.0", "docker run -i --rm octo/weather:1.0.0", ""},
		"Docker Hub, base": {"octo/weather", "https://docker.io", "1.0.0", "docker run -i --rm octo/weather:1.0.0", ""},
		"base":             {"octo/weather", "https://ghcr.io", "1.0.0", "docker run -i --rm ghcr.io/octo/weather:1.0.0", ""},
		"own registry":     {"weather", "https://r.octo.dev", "1.0.0", "docker run -i --rm r.octo.dev/weather:1.0.0", ""},
		"base, tag":        {"octo/weather:2", "https://ghcr.io", "", "docker run -i --rm ghcr.io/octo/weather:2", ""},
		"base, digest":     {"octo/weather@" + digest, "https://ghcr.io", "1.0.0", "docker run -i --rm ghcr.io/octo/weather@" + digest, ""},
		"base twice":       {"ghcr.io/octo/weather", "https://ghcr.io", "1.0.0", "docker run -i --rm ghcr.io/octo/weather:1.0.0", ""},
		"two hosts":        {"quay.io/octo/weather", "https://ghcr.io", "1.0.0", "", "names two container registries"},
		"not Docker Hub's": {"ghcr.io/octo/weather", "https://docker.io", "1.0.0", "", "names two container registries"},
		"path in base":     {"weather", "https://ghcr.io/octo", "1.0.0", "", "“https://ghcr.io/octo” is not the address of a container registry"},
		"one word":         {"weather", "", "1.0.0", "", "without an owner"},
		"own machine":      {"localhost:5000/weather", "", "1.0.0", "", "“localhost:5000”, which is not a public container registry"},
		"local network":    {"weather", "https://10.0.0.7", "1.0.0", "", "“10.0.0.7”, which is not a public container registry"},
		"name":             {"octo/Weather", "", "1.0.0", "", "“octo/Weather” is not a valid name"},
		"range":            {"octo/weather", "", "^1.0.0", "", "invalid version"},
		"placeholder":      {"octo/weather", "", "$VERSION", "", "invalid version"},
	} {
		t.Run(name, func(t *testing.T) {
			p := registry.Package{
				RegistryType: "oci", Identifier: c.identifier, RegistryBaseURL: c.base, Version: c.version,
			}
			if got := Command(p); got != c.command {
				t.Errorf("command %q, want %q", got, c.command)
			}
			if o := Why(p); (o == nil) != (c.why == "") || o != nil && !strings.Contains(o.Why, c.why) {
				t.Errorf("reason %+v, want %q", o, c.why)
			}
		})
	}
}
