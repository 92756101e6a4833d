package install

import (
	"strings"
	"testing"

	"mcpcensus/internal/registry"
)

func TestWhy(t *testing.T) {
	for name, c := range map[string]struct {
		p             registry.Package
		why, line, at string
	}{
		"cargo": {
			registry.Package{
				RegistryType: "cargo", Identifier: "octo-weather", Version: "0.4.2",
			}, "Clients cannot start Cargo packages", "cargo install octo-weather --version 0.4.2",
			"",
		},
		"cargo, hostile": {
			registry.Package{RegistryType: "cargo", Identifier: "a;id", Version: "0.4.2"},
			"Clients cannot start", "", "",
		},
		"cargo, range": {
			registry.Package{RegistryType: "cargo", Identifier: "a", Version: "^1"},
			"Clients cannot start", "", "",
		},
		"cargo elsewhere": {
			registry.Package{
				RegistryType: "cargo", Identifier: "a", RegistryBaseURL: "https://crates.octo.dev",
			}, "Clients cannot start", "", "",
		},
		"bundle": {
			registry.Package{
				RegistryType: "mcpb",
				Identifier:   "https://github.com/o/r/releases/download/v1/x.mcpb",
			}, "The package is an MCP bundle", "",
			"https://github.com/o/r/releases/download/v1/x.mcpb",
		},
		"bundle, script": {
			registry.Package{RegistryType: "mcpb", Identifier: "javascript:alert(1)"},
			"The package is an MCP bundle", "", "",
		},
		"elsewhere": {
			registry.Package{
				RegistryType: "npm", Identifier: "a", RegistryBaseURL: "https://npm.octo.dev/x",
			},
			"on a private registry (npm.octo.dev); the same name on npm may be a different package",
			"", "",
		},
		"version": {
			registry.Package{RegistryType: "npm", Identifier: "a", Version: "^1.0.0"},
			"invalid version (“^1.0.0”)", "", "",
		},
		"name": {
			registry.Package{RegistryType: "pypi", Identifier: "--from"},
			"“--from” is not a valid package name on PyPI", "", "",
		},
		"option": {
			registry.Package{
				RegistryType: "oci", Identifier: "octo/a",
				RuntimeArguments: []registry.Argument{{Type: "named", Name: "--privileged"}},
			}, "passes “--privileged” to docker", "", "",
		},
		"misplaced word": {
			registry.Package{
				RegistryType: "pypi", Identifier: "a",
				RuntimeArguments: []registry.Argument{{Type: "positional", Value: "start"}},
			}, "passes “start” to uvx", "", "",
		},
		"folder": {
			registry.Package{
				RegistryType: "oci", Identifier: "octo/a",
				RuntimeArguments: []registry.Argument{{
					Type: "named", Name: "-v", Value: "/:/host",
				}},
			}, "passes “-v /:/host” to docker", "", "",
		},
		"argument": {
			registry.Package{
				RegistryType: "npm", Identifier: "a",
				PackageArguments: []registry.Argument{{Type: "positional", Value: "x\x1b[2K"}},
			},
			"The argument “x<U+001B>[2K” contains the character U+001B, which cannot be shown safely.", "", "",
		},
		"variable": {
			registry.Package{
				RegistryType: "npm", Identifier: "a",
				EnvironmentVariables: []registry.Variable{{Name: "A B", IsRequired: true}},
			}, "“A B”, which is not a valid name", "", "",
		},
		"steering": {
			registry.Package{
				RegistryType: "npm", Identifier: "a",
				EnvironmentVariables: []registry.Variable{{Name: "NODE_OPTIONS", Value: "-r x"}},
			}, "sets NODE_OPTIONS", "", "",
		},
		"no kind": {
			registry.Package{RegistryType: "brew", Identifier: "a"}, "not supported", "", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := Why(c.p)
			if o == nil {
				t.Fatal("no obstacle")
			}
			if !strings.Contains(o.Why, c.why) || o.Command != c.line || o.URL != c.at {
				t.Errorf("%+v", o)
			}
			s := &registry.Server{Packages: []registry.Package{c.p}}
			if got := Missing(s); !strings.Contains(got, o.Why) {
				t.Errorf("Missing: %s", got)
			}
		})
	}
	if o := Why(registry.Package{RegistryType: "npm", Identifier: "a"}); o != nil {
		t.Errorf("a package without an obstacle: %+v", o)
	}
}

func TestMissing(t *testing.T) {
	for want, s := range map[string]*registry.Server{
		"": {Packages: []registry.Package{{RegistryType: "cargo", Identifier: "a"}, {RegistryType: "npm", Identifier: "a"}}},
		"No published package is known. Use the hosted endpoint.": example(),
		"No published package is known, and the hosted endpoint is down.": func() *registry.Server {
			s := example()
			s.Liveness = registry.LivenessDown
			return s
		}(),
		"No published package or hosted endpoint is known.": {},
		"No published package or hosted endpoint is known. Its files or its registry entry name the package npm " +
			"tides-mcp, which was not found.": {Unpublished: []string{"npm tides-mcp"}},
		"No install command for tides (npm). The package may be another project's: a manifest names it, which may be private " +
			"or a fork's, but no command of the README does, and the package is not known to name this repository. Its files or its registry entry name the package npm " +
			"@octo/tides, which was " +
			"not found.": {
			Packages:    []registry.Package{{RegistryType: "npm", Identifier: "tides", Doubt: registry.DoubtManifest}},
			Unpublished: []string{"npm @octo/tides"}},
		"The README starts it from source: “npx -y github:octo/tides”. It is not shown as a command because it starts " +
			"whatever the source contains at the time.": {SourceInstall: "npx -y github:octo/tides",
			Packages: []registry.Package{{RegistryType: "npm", Identifier: "tides", Doubt: registry.DoubtManifest}}},
	} {
		if got := Missing(s); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestObstacleSource(t *testing.T) {
	for declared, want := range map[string]string{
		registry.DeclaredInRepo: "The server.json specifies", registry.DeclaredInRegistry: "The registry entry specifies",
		"": "The repository specifies",
	} {
		o := Why(registry.Package{RegistryType: "npm", Identifier: "a", Version: "^1.0.0", Declared: declared})
		if o == nil || !strings.HasPrefix(o.Why, want) {
			t.Errorf("%q: %+v, want %q", declared, o, want)
		}
	}
}

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
		"one word":         {"weather", "", "1.0.0", "", "has no owner"},
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
