package install

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

// derived returns the command that VS Code makes of a package of a server.json, with
// placeholders in place of its inputs.
func derived(p registry.Package) []string {
	var words []string
	word := func(text string, variables map[string]registry.Variable) {
		for name := range variables {
			text = strings.ReplaceAll(text, "{"+name+"}", asPlaceholder.of(value{name: name}))
		}
		words = append(words, text)
	}
	arguments := func(as []registry.Argument) {
		for _, a := range as {
			if a.Type == "named" {
				words = append(words, a.Name)
			}
			if a.Type == "positional" || a.Value != "" {
				word(a.Value, a.Variables)
			}
		}
	}
	words = append(words, registry.Programs[p.RegistryType])
	if p.RegistryType == "oci" {
		words = append(words, "run", "-i", "--rm")
	}
	arguments(p.RuntimeArguments)
	if p.RegistryType == "oci" {
		for _, e := range p.EnvironmentVariables {
			words = append(words, "-e", e.Name)
		}
	}
	sign := map[string]string{"npm": "@", "pypi": "==", "oci": ":", "nuget": "@"}[p.RegistryType]
	words = append(words, join(p.Identifier, sign, p.Version))
	if p.RegistryType == "nuget" {
		words = append(words, "--yes")
		if len(p.PackageArguments) > 0 {
			words = append(words, "--")
		}
	}
	arguments(p.PackageArguments)
	return words
}

func TestPublished(t *testing.T) {
	positional := func(v string) registry.Argument { return registry.Argument{Type: "positional", Value: v} }
	named := func(name, v string) registry.Argument { return registry.Argument{Type: "named", Name: name, Value: v} }
	folder := registry.Argument{Type: "named", Name: "--dir", ValueHint: "folder", Description: "Folder to read", IsRequired: true}
	key := registry.Variable{Name: "API_KEY", IsRequired: true, IsSecret: true}
	for name, p := range map[string]registry.Package{
		"npm":             {RegistryType: "npm", Identifier: "@octo/weather", Version: "1.2.0", EnvironmentVariables: []registry.Variable{key}},
		"npm, arguments":  {RegistryType: "npm", Identifier: "weather", Version: "1.2.0", PackageArguments: []registry.Argument{positional("serve"), folder, named("--port", "80"), named("--verbose", "")}},
		"npm, latest":     {RegistryType: "npm", Identifier: "weather", Version: "latest"},
		"npm, template":   {RegistryType: "npm", Identifier: "weather", Version: "0.0.0-development"},
		"npm, quiet":      {RegistryType: "npm", Identifier: "weather", Version: "1.2.0", RuntimeArguments: []registry.Argument{named("-q", ""), named("-y", "")}},
		"pypi":            {RegistryType: "pypi", Identifier: "weather", Version: "1.2", RuntimeArguments: []registry.Argument{named("--python", "3.12")}},
		"pypi, text":      {RegistryType: "pypi", Identifier: "weather", PackageArguments: []registry.Argument{{Type: "positional", Value: "db://{file}?mode=ro", IsRequired: true}}},
		"nuget":           {RegistryType: "nuget", Identifier: "Octo.Weather", Version: "1.2.0", RuntimeArguments: []registry.Argument{named("--yes", "")}, PackageArguments: []registry.Argument{positional("mcp")}},
		"oci":             {RegistryType: "oci", Identifier: "ghcr.io/octo/weather", Version: "1.2", EnvironmentVariables: []registry.Variable{key, {Name: "UNITS", Default: "metric"}}},
		"oci, options":    {RegistryType: "oci", Identifier: "ghcr.io/octo/weather:1", RuntimeArguments: []registry.Argument{named("--rm", ""), named("-i", ""), named("-v", "data:/data"), named("-e", "API_KEY")}, EnvironmentVariables: []registry.Variable{key}},
		"oci, set":        {RegistryType: "oci", Identifier: "ghcr.io/octo/weather:1", RuntimeArguments: []registry.Argument{named("-e", "TZ=UTC")}, EnvironmentVariables: []registry.Variable{{Name: "TZ", IsRequired: true}}},
		"oci, two values": {RegistryType: "oci", Identifier: "ghcr.io/octo/weather:1", PackageArguments: []registry.Argument{folder, {Type: "named", Name: "--out", ValueHint: "folder", Description: "Folder to write", IsRequired: true}}},
		"configuration": {RegistryType: "npm", Identifier: "weather", Version: "1.2.0", Configurations: []registry.Configuration{{Command: "npx",
			Runtime: []registry.Argument{positional("-y")}, Args: []registry.Argument{positional("--config"), {Type: "positional", Value: "{file}", IsRequired: true, Variables: map[string]registry.Variable{"file": {IsRequired: true}}}}}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := Published(&registry.Server{Packages: []registry.Package{p}})
			if !ok || len(got.Packages) != 1 {
				t.Fatalf("%+v", got)
			}
			if diff := cmp.Diff(Command(p), shellLine(derived(got.Packages[0]))); diff != "" {
				t.Error(diff)
			}
			l, _ := Of(p)
			env := map[string]string{}
			for _, e := range got.Packages[0].EnvironmentVariables {
				if env[e.Name] = e.Value; e.Value == "" {
					env[e.Name] = asPlaceholder.of(value{name: e.Name})
				}
				if e.Description == "" {
					t.Errorf("%s has no description: clients do not ask for it", e.Name)
				}
			}
			if diff := cmp.Diff(l.Env, env); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPublishedDownloads(t *testing.T) {
	stdio := registry.PackageTransport{Type: registry.TransportStdio}
	bundle := registry.Package{RegistryType: "mcpb", Identifier: "https://w.dev/w.mcpb", FileSHA256: strings.Repeat("0f", 32), Transport: stdio}
	crate := registry.Package{RegistryType: "cargo", Identifier: "weather-mcp", Version: "1.2.0", Transport: stdio}
	remote := registry.Remote{Type: registry.TransportHTTP, URL: "https://w.dev/mcp"}
	for name, x := range map[string]struct {
		s    registry.Server
		want Publication
	}{
		"alone":           {registry.Server{Packages: []registry.Package{crate, bundle}}, Publication{Packages: []registry.Package{bundle, crate}}},
		"beside a remote": {registry.Server{Packages: []registry.Package{crate}, Remotes: []registry.Remote{remote}}, Publication{Remotes: []registry.Remote{remote}}},
		"doubtful":        {registry.Server{Packages: []registry.Package{{RegistryType: "cargo", Identifier: "weather-mcp", Doubt: "unnamed"}}}, Publication{}},
	} {
		got, ok := Published(&x.s)
		if diff := cmp.Diff(x.want, got); diff != "" || ok != (len(x.want.Packages)+len(x.want.Remotes) > 0) {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A client that follows an entry starts the program with the name of the package.
func TestPublishedPrograms(t *testing.T) {
	script := registry.Package{RegistryType: "npm", Identifier: "@octo/tides", Script: "tides-mcp"}
	image := registry.Package{RegistryType: "oci", Identifier: "ghcr.io/octo/tides"}
	configured := registry.Package{RegistryType: "pypi", Identifier: "tides",
		Configurations: []registry.Configuration{{Command: "uvx", Script: "tides-mcp"}}}
	got, ok := Published(&registry.Server{Packages: []registry.Package{script, image, configured}})
	if len(got.Packages) != 1 || got.Packages[0].Identifier != "ghcr.io/octo/tides" || !ok {
		t.Errorf("%+v", got.Packages)
	}
	if diff := cmp.Diff([]string{"npm @octo/tides", "pypi tides"}, got.Omitted); diff != "" {
		t.Error(diff)
	}
	if got, ok := Published(&registry.Server{Packages: []registry.Package{script}}); len(got.Packages) > 0 || !ok {
		t.Errorf("alone: %+v, %t", got, ok)
	}
}

func TestPublishedRemotes(t *testing.T) {
	s := &registry.Server{Slug: "octo-weather", Remotes: []registry.Remote{
		{Type: registry.TransportSSE, URL: "https://w.dev/sse"},
		{Type: registry.TransportHTTP, URL: "http://w.dev/mcp"},
		{Type: registry.TransportHTTP, URL: "https://{tenant}.w.dev/<region>/mcp", Headers: []registry.Variable{{Name: "Authorization", IsRequired: true, IsSecret: true}}},
	}}
	got, ok := Published(s)
	want := Publication{Remotes: []registry.Remote{
		{Type: registry.TransportHTTP, URL: "https://{tenant}.w.dev/{region}/mcp",
			Headers: []registry.Variable{{Name: "Authorization", Description: "Authorization", IsRequired: true, IsSecret: true, Value: "Bearer {OCTO_WEATHER_TOKEN}",
				Variables: map[string]registry.Variable{"OCTO_WEATHER_TOKEN": {Description: "OCTO_WEATHER_TOKEN", IsRequired: true, IsSecret: true}}}},
			Variables: map[string]registry.Variable{"tenant": {Description: "tenant", IsRequired: true}, "region": {Description: "region", IsRequired: true}}},
		{Type: registry.TransportSSE, URL: "https://w.dev/sse"},
	}}
	if diff := cmp.Diff(want, got); diff != "" || !ok {
		t.Error(diff)
	}
	for name, s := range map[string]registry.Server{
		"nothing":         {},
		"bundle, no sum":  {Packages: []registry.Package{{RegistryType: "mcpb", Identifier: "https://w.dev/w.mcpb"}}},
		"private address": {Remotes: []registry.Remote{{Type: registry.TransportHTTP, URL: "https://10.0.0.1/mcp"}}},
		"unsafe option": {Packages: []registry.Package{{
			RegistryType: "npm", Identifier: "w", RuntimeArguments: []registry.Argument{
				{Type: "named", Name: "--registry", Value: "https://evil.dev"},
			},
		}}},
		"no address": {Packages: []registry.Package{{
			RegistryType: "npm", Identifier: "w",
			Transport: registry.PackageTransport{Type: registry.TransportHTTP},
		}}},
	} {
		if got, ok := Published(&s); ok {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestPublishedHarmful checks that clients of the registry's API get nothing to start or reach of
// servers whose command no other output offers.
func TestPublishedHarmful(t *testing.T) {
	for severity, want := range map[string]bool{registry.SeverityHarmful: false, registry.SeverityCaution: true} {
		s := &registry.Server{Packages: []registry.Package{{RegistryType: "npm", Identifier: "tides"}},
			Remotes:    []registry.Remote{{Type: registry.TransportHTTP, URL: "https://mcp.tides.dev/mcp"}},
			KnownRisks: []registry.Risk{{Kind: "deprecated", Severity: severity}}}
		if p, ok := Published(s); ok != want || (len(p.Packages)+len(p.Remotes) > 0) != want {
			t.Errorf("%s: %+v", severity, p)
		}
	}
}
