package install

import (
	"encoding/json"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"mcpcensus/internal/registry"
)

func TestCommand(t *testing.T) {
	y := []registry.Argument{{Type: "named", Name: "-y"}}
	digest := "sha256:" + strings.Repeat("ab", 32)
	for name, c := range map[string]struct {
		p    registry.Package
		want string
	}{
		"npm":               {registry.Package{RegistryType: "npm", Identifier: "@octo/weather-mcp", Version: "1.4.0"}, "npx -y @octo/weather-mcp@1.4.0"},
		"npm with -y":       {registry.Package{RegistryType: "npm", Identifier: "weather", Version: "1.4.0-beta.1", RuntimeArguments: y}, "npx -y weather@1.4.0-beta.1"},
		"npm unversioned":   {registry.Package{RegistryType: "npm", Identifier: "weather"}, "npx -y weather"},
		"npm placeholder":   {registry.Package{RegistryType: "npm", Identifier: "weather", Version: "0.0.0-development"}, "npx -y weather"},
		"npm range":         {registry.Package{RegistryType: "npm", Identifier: "weather", Version: "^1.0.0"}, ""},
		"npm option":        {registry.Package{RegistryType: "npm", Identifier: "--call=sh"}, ""},
		"npm shell":         {registry.Package{RegistryType: "npm", Identifier: "a;rm -rf ~"}, ""},
		"npm substitution":  {registry.Package{RegistryType: "npm", Identifier: "a$(id)"}, ""},
		"npm newline":       {registry.Package{RegistryType: "npm", Identifier: "a\nb"}, ""},
		"npm address":       {registry.Package{RegistryType: "npm", Identifier: "https://evil.dev/x.tgz"}, ""},
		"npm git":           {registry.Package{RegistryType: "npm", Identifier: "octo/weather"}, ""},
		"npm path":          {registry.Package{RegistryType: "npm", Identifier: "../weather"}, ""},
		"npm version shell": {registry.Package{RegistryType: "npm", Identifier: "a", Version: "1.0.0 && id"}, ""},
		"npm elsewhere": {
			registry.Package{
				RegistryType: "npm", Identifier: "a", RegistryBaseURL: "https://npm.evil.dev",
			}, "",
		},
		"pypi": {
			registry.Package{RegistryType: "pypi", Identifier: "mcp_weather", Version: "2.0.1rc1"},
			"uvx mcp_weather==2.0.1rc1",
		},
		"pypi epoch": {
			registry.Package{RegistryType: "pypi", Identifier: "weather", Version: "1!2.0"},
			"uvx 'weather==1!2.0'",
		},
		"pypi option": {registry.Package{RegistryType: "pypi", Identifier: "--from"}, ""},
		"nuget": {
			registry.Package{
				RegistryType: "nuget", Identifier: "Octo.Weather.Mcp", Version: "1.2.3",
				PackageArguments: []registry.Argument{{Type: "positional", Value: "mcp"}},
			}, "dnx Octo.Weather.Mcp@1.2.3 --yes -- mcp",
		},
		"oci tag": {
			registry.Package{
				RegistryType: "oci", Identifier: "docker.io/octo/weather:1.0", Version: "1.0",
			}, "docker run -i --rm docker.io/octo/weather:1.0",
		},
		"oci version": {
			registry.Package{
				RegistryType: "oci", Identifier: "octo/weather", Version: "1.0",
				EnvironmentVariables: []registry.Variable{{
					Name: "KEY", IsRequired: true, IsSecret: true,
				}},
			}, "docker run -i --rm -e KEY octo/weather:1.0",
		},
		"oci digest": {
			registry.Package{
				RegistryType: "oci", Identifier: "ghcr.io/octo/weather@" + digest, Version: "1.0",
			}, "docker run -i --rm ghcr.io/octo/weather@" + digest,
		},
		"oci option": {registry.Package{RegistryType: "oci", Identifier: "--privileged"}, ""},
		"oci blank":  {registry.Package{RegistryType: "oci", Identifier: "a b"}, ""},
		"mcpb": {
			registry.Package{
				RegistryType: "mcpb",
				Identifier:   "https://github.com/o/r/releases/download/v1/x.mcpb",
			}, "",
		},
		"cargo":   {registry.Package{RegistryType: "cargo", Identifier: "weather"}, ""},
		"nothing": {registry.Package{}, ""},
		"history expansion": {registry.Package{RegistryType: "npm", Identifier: "a", PackageArguments: []registry.Argument{
			{Type: "positional", Value: "!rm"}, {Type: "positional", Value: "it's!"}}}, `npx -y a '!rm' 'it'\''s!'`},
		"argument quoted":   {registry.Package{RegistryType: "npm", Identifier: "a", PackageArguments: []registry.Argument{{Type: "positional", Value: "it's $HOME; `id`"}}}, `npx -y a 'it'\''s $HOME; ` + "`id`'"},
		"argument open":     {registry.Package{RegistryType: "npm", Identifier: "a", PackageArguments: []registry.Argument{{Type: "positional", ValueHint: "allowed dir", IsRequired: true}, {Type: "named", Name: "--token", Value: "hunter2", IsSecret: true}, {Type: "named", Name: "--opt"}}}, "npx -y a YOUR_ALLOWED_DIR --token YOUR_TOKEN --opt"},
		"argument control":  {registry.Package{RegistryType: "npm", Identifier: "a", PackageArguments: []registry.Argument{{Type: "positional", Value: "x\x1b[2K"}}}, ""},
		"argument reversed": {registry.Package{RegistryType: "npm", Identifier: "a", PackageArguments: []registry.Argument{{Type: "positional", Value: "x\u202ey"}}}, ""},
		"variable name":     {registry.Package{RegistryType: "npm", Identifier: "a", EnvironmentVariables: []registry.Variable{{Name: "A=$(id)", IsRequired: true}}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Command(c.p); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			l, ok := Of(c.p)
			if ok != (c.want != "") || ok && l.Env == nil {
				t.Errorf("Of: %+v %v", l, ok)
			}
		})
	}
}

func TestFor(t *testing.T) {
	got, ok := For([]registry.Package{{RegistryType: "mcpb", Identifier: "x"}, {RegistryType: "pypi", Identifier: "b"}})
	if got != "uvx b" || !ok {
		t.Errorf("For: %q %v", got, ok)
	}
	if got, ok := For(nil); got != "" || ok {
		t.Errorf("For(nil): %q %v", got, ok)
	}
}

// FuzzCommand checks that a shell reads the words of a command and runs nothing
// else, whatever a record contains.
func FuzzCommand(f *testing.F) {
	f.Add("npm", "weather", "1.0.0", "/tmp", "KEY", "v")
	f.Add("pypi", "a$(id)", "1;id", "'; touch x; '", "A B", "\x00")
	f.Add("oci", "ghcr.io/o/r:1", "", "`id`", "K", "\n")
	sh, err := exec.LookPath("sh")
	runs := 0
	f.Fuzz(func(t *testing.T, typ, id, version, arg, env, value string) {
		p := registry.Package{
			RegistryType: typ, Identifier: id, Version: version, Transport: registry.PackageTransport{Type: "stdio"},
			PackageArguments:     []registry.Argument{{Type: "positional", Value: arg, ValueHint: env, IsRequired: true}},
			EnvironmentVariables: []registry.Variable{{Name: env, Value: value, IsRequired: true}},
		}
		s := &registry.Server{Slug: "a-b", Name: id, Title: arg, Description: value, Packages: []registry.Package{p},
			Remotes: []registry.Remote{{Type: "streamable-http", URL: "https://h.dev/" + arg, Headers: p.EnvironmentVariables}}}
		for _, c := range Clients(s) {
			var v any
			switch c.Kind {
			case KindJSON:
				if err := json.Unmarshal([]byte(c.Text), &v); err != nil {
					t.Errorf("%s: %v\n%s", c.Client, err, c.Text)
				}
			case KindTOML:
				if err := toml.Unmarshal([]byte(c.Text), &v); err != nil {
					t.Errorf("%s: %v\n%s", c.Client, err, c.Text)
				}
			case KindLink:
				if _, err := url.Parse(c.URL); err != nil {
					t.Errorf("%s: %v", c.Client, err)
				}
			}
		}
		line := Command(p)
		l, ok := Of(p)
		if ok != (line != "") {
			t.Fatalf("%q but %v", line, ok)
		}
		if !ok || err != nil || runs > 300 {
			return
		}
		runs++
		out, err := exec.Command(sh, "-c", `printf '%s\0' `+line).Output()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		words := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		if want := append([]string{l.Command}, l.Args...); !slices.Equal(words, want) {
			t.Errorf("the shell reads %q as %q, not %q", line, words, want)
		}
	})
}
