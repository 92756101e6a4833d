package install

import (
	"testing"

	"github.com/google/go-cmp/cmp"

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
		"a folder of the author's":             {image(registry.Argument{Type: "named", Name: "-v", Value: "${HOME}/.tides:/root/.tides"}), "docker run -i --rm -v YOUR_HOME/.tides:/root/.tides docker.io/octo/weather:1.2.0"},
		"a switch needs no value":              {image(registry.Argument{Type: "named", Name: "--init", IsRequired: true}), "docker run -i --rm --init docker.io/octo/weather:1.2.0"},
	} {
		if got := Command(test.pkg); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, test.want)
		}
	}
}

// The {names} in values are filled in as server.json declares them.
func TestTemplates(t *testing.T) {
	type variables = map[string]registry.Variable
	folder := registry.Variable{Description: "Folder to read", IsRequired: true, Placeholder: "/home/me/notes"}
	type want struct {
		Line   string
		Env    map[string]string
		Blanks []Blank
	}
	none := map[string]string{}
	notes := []Blank{{Placeholder: "YOUR_DIR", Description: "Folder to read", Example: "/home/me/notes"}}
	for name, c := range map[string]struct {
		arg  registry.Argument
		env  registry.Variable
		want want
	}{
		"required variable of an argument": {
			arg:  registry.Argument{Type: "positional", Value: "{dir}", Variables: variables{"dir": folder}},
			want: want{"npx -y tides YOUR_DIR", none, notes},
		},
		"in the name of an option": {
			arg:  registry.Argument{Type: "named", Name: "--notes={dir}", Variables: variables{"dir": folder}},
			want: want{"npx -y tides --notes=YOUR_DIR", none, notes},
		},
		"other brackets": {
			arg:  registry.Argument{Type: "positional", Value: "${dir}:{{dir}}", Variables: variables{"dir": folder}},
			want: want{"npx -y tides YOUR_DIR:YOUR_DIR", none, notes},
		},
		"default": {
			arg: registry.Argument{Type: "named", Name: "--port", Value: "{port}",
				Variables: variables{"port": {Default: "8080", IsRequired: true}}},
			want: want{"npx -y tides --port 8080", none, nil},
		},
		"choices of an optional argument": {
			arg: registry.Argument{Type: "named", Name: "--unit", Value: "{unit}",
				Variables: variables{"unit": {Choices: []string{"m", "ft"}}}},
			want: want{"npx -y tides", none, nil},
		},
		"choices of a required argument": {
			arg: registry.Argument{Type: "named", Name: "--unit", Value: "{unit}", IsRequired: true,
				Variables: variables{"unit": {Choices: []string{"m", "ft"}}}},
			want: want{"npx -y tides --unit YOUR_UNIT", none,
				[]Blank{{Placeholder: "YOUR_UNIT", Option: "--unit", Choices: []string{"m", "ft"}}}},
		},
		"secret part of an argument": {
			arg: registry.Argument{Type: "named", Name: "--header", Value: "X-Key: {key}", IsSecret: true,
				Variables: variables{"key": {IsRequired: true, IsSecret: true, Default: "hunter2"}}},
			want: want{"npx -y tides --header 'X-Key: YOUR_KEY'", none,
				[]Blank{{Placeholder: "YOUR_KEY", Option: "--header", IsSecret: true}}},
		},
		"value hint": {
			arg: registry.Argument{Type: "positional", ValueHint: "dir", Description: "Folder to read", IsRequired: true},
			want: want{"npx -y tides YOUR_DIR", none,
				[]Blank{{Placeholder: "YOUR_DIR", Description: "Folder to read"}}},
		},
		"parts of a variable": {
			env: registry.Variable{Name: "DATABASE", IsRequired: true, Value: "postgres://{user}@{host}/tides",
				Variables: variables{"user": {Description: "User name"}, "host": {Default: "localhost"}}},
			want: want{"npx -y tides", map[string]string{"DATABASE": "postgres://YOUR_DATABASE_USER@localhost/tides"},
				[]Blank{{Placeholder: "YOUR_DATABASE_USER", Description: "User name"}}},
		},
		"parts of an optional variable": {
			env:  registry.Variable{Name: "DATABASE", Value: "postgres://{user}/", Variables: variables{"user": {}}},
			want: want{"npx -y tides", none, nil},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := registry.Package{RegistryType: "npm", Identifier: "tides"}
			if c.arg.Type != "" {
				p.PackageArguments = []registry.Argument{c.arg}
			}
			if c.env.Name != "" {
				p.EnvironmentVariables = []registry.Variable{c.env}
			}
			l, ok := Of(p)
			if !ok {
				t.Fatal(Why(p).Why)
			}
			got := want{Command(p), l.Env, Blanks(&registry.Server{Packages: []registry.Package{p}})}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestHeaderTemplates(t *testing.T) {
	h := registry.Variable{Name: "X-Auth", IsRequired: true, Value: "{region}/{key}",
		Variables: map[string]registry.Variable{
			"region": {Default: "eu"}, "key": {IsRequired: true, IsSecret: true, Description: "Access key"}}}
	s := &registry.Server{Slug: "a-b", Remotes: []registry.Remote{{Type: registry.TransportHTTP,
		URL: "https://tides.dev/mcp", Headers: []registry.Variable{h}}}}
	want := []Blank{{Placeholder: "YOUR_KEY", Option: "X-Auth", Description: "Access key", IsSecret: true}}
	if d := cmp.Diff(want, Blanks(s)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
