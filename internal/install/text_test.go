package install

import (
	"strings"
	"testing"

	"mcpcensus/internal/registry"
)

// TestHidden puts characters that people do not see into each part of a command.
func TestHidden(t *testing.T) {
	npm := func(change func(*registry.Package)) *registry.Server {
		p := registry.Package{RegistryType: "npm", Identifier: "weather-mcp", Version: "1.0.0"}
		change(&p)
		return &registry.Server{Packages: []registry.Package{p}}
	}
	parts := map[string]func(s string) *registry.Server{
		"argument": func(s string) *registry.Server {
			return npm(func(p *registry.Package) {
				p.PackageArguments = []registry.Argument{{Type: "positional", Value: "--root=/da" + s}}
			})
		},
		"default": func(s string) *registry.Server {
			return npm(func(p *registry.Package) {
				p.PackageArguments = []registry.Argument{{Type: "named", Name: "--root", Default: s}}
			})
		},
		"option": func(s string) *registry.Server {
			return npm(func(p *registry.Package) {
				p.PackageArguments = []registry.Argument{{Type: "named", Name: "--ro" + s, Value: "x"}}
			})
		},
		"variable of an argument": func(s string) *registry.Server {
			return npm(func(p *registry.Package) {
				p.PackageArguments = []registry.Argument{{Type: "positional", Value: "{root}",
					Variables: map[string]registry.Variable{"root": {Default: "/da" + s}}}}
			})
		},
		"choice": func(s string) *registry.Server {
			return npm(func(p *registry.Package) {
				p.PackageArguments = []registry.Argument{{Type: "named", Name: "--mode", IsRequired: true,
					Description: "How", Choices: []string{"fast", "slow" + s}}}
			})
		},
		"name of a variable": func(s string) *registry.Server {
			return npm(func(p *registry.Package) {
				p.EnvironmentVariables = []registry.Variable{{Name: "ROOT" + s}}
			})
		},
		"value of a variable": func(s string) *registry.Server {
			return npm(func(p *registry.Package) {
				p.EnvironmentVariables = []registry.Variable{{Name: "ROOT", Value: "/da" + s}}
			})
		},
		"the only configuration": func(s string) *registry.Server {
			return npm(func(p *registry.Package) {
				p.Configurations = []registry.Configuration{{Command: "npx",
					Args: []registry.Argument{{Type: "positional", Value: "/da" + s}}}}
			})
		},
		"variable of the only configuration": func(s string) *registry.Server {
			return npm(func(p *registry.Package) {
				p.Configurations = []registry.Configuration{{Command: "npx",
					Env: []registry.Variable{{Name: "ROOT", Value: "/da" + s}}}}
			})
		},
		"program": func(s string) *registry.Server {
			return npm(func(p *registry.Package) { p.Script = "weather" + s })
		},
		"URL": func(s string) *registry.Server {
			return &registry.Server{Remotes: []registry.Remote{
				{Type: registry.TransportHTTP, URL: "https://weather.dev.com/m" + s}}}
		},
		"header": func(s string) *registry.Server {
			return &registry.Server{Remotes: []registry.Remote{{Type: registry.TransportHTTP,
				URL:     "https://weather.dev.com/mcp",
				Headers: []registry.Variable{{Name: "X-Region", IsRequired: true, Value: "eu" + s}}}}}
		},
	}
	for r, name := range map[rune]string{
		'\x1b': "U+001B", '\u202e': "U+202E", '\u200b': "U+200B", 0xe0041: "U+E0041", 0x2028: "U+2028",
		'\u0085': "U+0085", '\u00ad': "U+00AD", '\u200d': "U+200D", '\ufffd': "U+FFFD",
	} {
		for part, with := range parts {
			t.Run(part+" "+name, func(t *testing.T) {
				s := with(string(r) + "ta")
				if got := Missing(s); !strings.Contains(got, "contains the character "+name) {
					t.Errorf("reason %q", got)
				}
				if c := Clients(s); len(c) > 0 {
					t.Errorf("%d clients, such as %s", len(c), c[0].Text)
				}
				if got, ok := For(s.Packages); ok {
					t.Errorf("command %q", got)
				}
				if p, ok := Published(s); ok {
					t.Errorf("published: %+v", p)
				}
				if got := Missing(with("ta")); strings.Contains(got, "contains the character") {
					t.Errorf("without the character: %q", got)
				}
			})
		}
	}
}

// TestExcerpt checks that a quoted text does not end its quotation.
func TestExcerpt(t *testing.T) {
	if got, want := excerpt("x”. Run “y\""), "x'. Run 'y'"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
