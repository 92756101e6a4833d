package install

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

func TestNotesOfEndpoints(t *testing.T) {
	s := &registry.Server{
		Remotes: []registry.Remote{{URL: "https://a.dev/mcp", SignsIn: true},
			{URL: "https://b.dev/mcp", Beside: []string{"?sea"}}},
		Elsewhere: []string{"http://localhost:8930/mcp with X-Key", "aggregator.dev"}}
	want := []string{"Users of https://a.dev/mcp sign in with OAuth in the browser.",
		"Documents of https://b.dev/mcp also set “?sea”, which the configurations here do not.",
		"Documents also connect to “http://localhost:8930/mcp with X-Key”, “aggregator.dev”: what is on your machine or " +
			"network, or belongs to others, is not offered."}
	if d := cmp.Diff(want, Notes(s)); d != "" {
		t.Error(d)
	}
}

// TestNotesOfVersions checks that a version which is not the latest known one is said.
func TestNotesOfVersions(t *testing.T) {
	for latest, want := range map[string][]string{"1.0.0": nil, "": nil, "0.9": nil, "next": nil, "v1.2.0": {
		"The command starts version 1.0.0, which the server.json has. The latest known version is v1.2.0."}} {
		s := &registry.Server{LatestVersion: latest, Packages: []registry.Package{
			{RegistryType: "npm", Identifier: "tides-mcp", Version: "1.0.0", Declared: registry.DeclaredInRepo}}}
		if d := cmp.Diff(want, Notes(s)); d != "" {
			t.Errorf("%s: %s", latest, d)
		}
	}
}

func TestNotesOfCommands(t *testing.T) {
	words := func(list ...string) (out []registry.Argument) {
		for _, w := range list {
			out = append(out, registry.Argument{Type: "positional", Value: w})
		}
		return out
	}
	named := func(name, value string) registry.Argument {
		return registry.Argument{Type: "named", Name: name, Value: value}
	}
	npm := func(change func(*registry.Package)) registry.Package {
		p := registry.Package{RegistryType: "npm", Identifier: "weather-mcp", Version: "1.0.0"}
		change(&p)
		return p
	}
	image := registry.Package{RegistryType: "oci", Identifier: "ghcr.io/acme/weather", Version: "1.0.0",
		Declared: registry.DeclaredInRepo}
	for _, c := range []struct {
		name    string
		p       registry.Package
		command string
		want    []string
	}{
		{"a plain command", npm(func(p *registry.Package) {
			p.Configurations = []registry.Configuration{{Command: "npx", Runtime: words("-y"), Args: words("--port", "3000"),
				Env: []registry.Variable{{Name: "API_KEY"}}}}
		}), "npx -y weather-mcp@1.0.0 --port 3000", nil},
		{"a version that may change", npm(func(p *registry.Package) {
			p.Configurations = []registry.Configuration{{Command: "npx", Version: "@latest"}}
		}), "npx -y weather-mcp@1.0.0", []string{
			"A documented configuration starts version “@latest”. The command starts 1.0.0."}},
		{"a range without a known version", npm(func(p *registry.Package) {
			p.Version, p.Configurations = "", []registry.Configuration{{Command: "npx", Version: "@^1"}}
		}), "npx -y weather-mcp", []string{
			"A documented configuration starts version “@^1”. The command starts the latest one."}},
		{"what lets it write", npm(func(p *registry.Package) {
			p.Configurations = []registry.Configuration{{Command: "npx", Grants: []string{"ALLOW_DELETE=true"}}}
		}), "npx -y weather-mcp@1.0.0", []string{
			"A documented configuration has “ALLOW_DELETE=true”, which lets it change more. The command does not."}},
		{"the latest version", npm(func(p *registry.Package) {
			p.Version, p.Configurations = "", []registry.Configuration{{Command: "npx", Version: "@latest"}}
		}), "npx -y weather-mcp", nil},
		{"a runner that server.json has no name for", npm(func(p *registry.Package) {
			p.Configurations = []registry.Configuration{{Command: "bunx"}}
		}), "bunx weather-mcp@1.0.0", []string{
			"Clients that install from `/v0.1` start it with npx: a server.json cannot name bunx."}},
		{"the default registry", npm(func(p *registry.Package) {
			index := "https://npm-registry.example/"
			p.Configurations = []registry.Configuration{{Command: "npx",
				Runtime: words("--registry="+index, "--registry", index),
				Env:     []registry.Variable{{Name: "NPM_CONFIG_REGISTRY", Value: index}}}}
		}), "npx -y weather-mcp@1.0.0", nil},
		{"a variable of the runtime", npm(func(p *registry.Package) {
			p.Configurations = []registry.Configuration{{Command: "npx",
				Env: []registry.Variable{{Name: "NODE_OPTIONS", Value: "--no-warnings"}, {Name: "MODE", Value: "fast"}}}}
		}), "npx -y weather-mcp@1.0.0", []string{
			"The command does not set “NODE_OPTIONS”, which the documents do: it controls how packages or " +
				"code are loaded."}},
		{"a variable of the runtime, left to the user", npm(func(p *registry.Package) {
			p.EnvironmentVariables = []registry.Variable{{Name: "NODE_EXTRA_CA_CERTS", IsRequired: true}}
		}), "npx -y weather-mcp@1.0.0", []string{
			"The command does not set “NODE_EXTRA_CA_CERTS”, which the documents do: it controls how packages or " +
				"code are loaded."}},
		{"optional arguments of server.json", npm(func(p *registry.Package) {
			p.Declared = registry.DeclaredInRepo
			p.PackageArguments = append(words("serve"), named("--region", "{region}"), named("--level", "info"),
				registry.Argument{Type: "positional", ValueHint: "folder"})
		}), "npx -y weather-mcp@1.0.0 serve --level info", []string{
			"Not in the command: “--region {region} {folder}”. The server.json has it; add it if you need it."}},
		{"a configuration with other arguments than server.json", npm(func(p *registry.Package) {
			p.Declared = registry.DeclaredInRepo
			p.PackageArguments = words("serve", "--level", "info")
			p.Configurations = []registry.Configuration{{Command: "npx", Args: words("--fast")}}
		}), "npx -y weather-mcp@1.0.0 serve --level info", []string{
			"Not in the command: “--fast”. Documented configurations have it; add it if you need it."}},
		{"configurations of other cases and what no command has", npm(func(p *registry.Package) {
			p.Configurations = []registry.Configuration{{Command: "npx", Beside: []string{"cwd"}},
				{Command: "npx", Args: words("--zone", "x"), Special: true, Beside: []string{"envFile", "cwd"}}}
		}), "npx -y weather-mcp@1.0.0", []string{
			"Not in the command: “--zone x”. Documented configurations have it; add it if you need it.",
			"Documented configurations also set “cwd envFile”, which each client does in its own way."}},
		{"a configuration with another value and a variable", npm(func(p *registry.Package) {
			p.Configurations = []registry.Configuration{{Command: "npx", Args: words("--mode", "a")},
				{Command: "npx", Args: words("--mode", "b", "--extra"), Env: []registry.Variable{{Name: "DEEP", Value: "1"}}}}
		}), "npx -y weather-mcp@1.0.0 --mode a", []string{
			"Not in the command: “--mode b --extra”. Documented configurations have it; add it if you need it.",
			"Not set by the command: “DEEP”. Documented configurations set it; set it if you need it."}},
		{"arguments that repeat defaults, and a secret like a variable of the loader", npm(func(p *registry.Package) {
			p.Defaults = []string{"--transport=stdio", "--port=80"}
			p.Configurations = []registry.Configuration{{Command: "npx",
				Args: words("--transport", "stdio", "--port=80", "--zone", "x"),
				Env:  []registry.Variable{{Name: "LD_ACCESS_TOKEN", IsSecret: true}}}}
		}), "npx -y weather-mcp@1.0.0 --zone x", []string{
			"Left out of the command: “--transport stdio --port=80”. The server does the same without."}},
		{"a default of server.json that the configuration does without", npm(func(p *registry.Package) {
			p.Declared = registry.DeclaredInRepo
			p.PackageArguments = []registry.Argument{named("--transport", "stdio")}
			p.Configurations = []registry.Configuration{{Command: "npx", Runtime: words("-y")}}
		}), "npx -y weather-mcp@1.0.0", []string{
			"Not in the command: “--transport stdio”. The server.json has it; add it if you need it."}},
		{"the entry of the registry", npm(func(p *registry.Package) {
			p.Declared = registry.DeclaredInRegistry
			p.PackageArguments = []registry.Argument{named("--verbose", ""), named("--root", "{root}")}
			p.Configurations = []registry.Configuration{{Command: "npx", Args: []registry.Argument{
				{Type: "positional", Value: "--root={FOLDER}", IsRequired: true}}}}
		}), "npx -y weather-mcp@1.0.0 --root=YOUR_FOLDER", []string{
			"Not in the command: “--verbose”. The registry entry has it; add it if you need it."}},
		{"a secret that the command passes as a variable", npm(func(p *registry.Package) {
			p.Declared = registry.DeclaredInRegistry
			p.PackageArguments = []registry.Argument{named("--api-key", "{key}"),
				{Type: "positional", ValueHint: "https://weather.example/data"}}
			p.Configurations = []registry.Configuration{{Command: "npx", Args: []registry.Argument{
				{Type: "positional", Value: "{URL}", IsRequired: true}},
				Env: []registry.Variable{{Name: "API_KEY", IsSecret: true}}}}
		}), "npx -y weather-mcp@1.0.0 YOUR_URL", nil},
		{"an unsafe configuration", npm(func(p *registry.Package) {
			p.Configurations = []registry.Configuration{
				{Command: "npx", Runtime: words("--node-options=--inspect")}, {Command: "npx"}}
		}), "npx -y weather-mcp@1.0.0", []string{
			"A documented configuration is not used, because it passes “--node-options=--inspect” to npx."}},
		{"options of docker", func() registry.Package {
			p := image
			p.RuntimeArguments = []registry.Argument{named("-i", ""), named("-e", "MODE"),
				named("-e", "REGION={region}"), named("-v", "${HOME}/.weather:/root/.weather"), named("--volume", "{cache}:/cache")}
			p.EnvironmentVariables = []registry.Variable{{Name: "REGION", IsRequired: true}}
			return p
		}(), "docker run -i --rm -e MODE -v YOUR_HOME/.weather:/root/.weather -e REGION ghcr.io/acme/weather:1.0.0", []string{
			"Not in the command: “--volume {cache}:/cache”. The server.json has it; add it if you need it."}},
		{"no command", npm(func(p *registry.Package) {
			p.Doubt = registry.DoubtForeign
			p.PackageArguments = words("--fast")
		}), "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Command(c.p); got != c.command {
				t.Errorf("the command is %q, want %q", got, c.command)
			}
			got := Notes(&registry.Server{Packages: []registry.Package{c.p}})
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNotesQuoteShortly checks that hostile documents make no long notes.
func TestNotesQuoteShortly(t *testing.T) {
	p := registry.Package{RegistryType: "npm", Identifier: "weather-mcp", Declared: registry.DeclaredInRepo}
	for range 100 {
		p.PackageArguments = append(p.PackageArguments,
			registry.Argument{Type: "named", Name: "--" + strings.Repeat("a", 100), Value: "{x}\u202e"})
	}
	for _, n := range Notes(&registry.Server{Packages: []registry.Package{p}}) {
		if len(n) > 1500 || strings.ContainsRune(n, '\u202e') {
			t.Errorf("a note of %d bytes: %s", len(n), n)
		}
	}
}
