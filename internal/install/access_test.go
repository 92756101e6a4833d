package install

import (
	"slices"
	"strings"
	"testing"

	"mcpcensus/internal/registry"
)

// TestAccess checks the commands with each access, and the usual one.
func TestAccess(t *testing.T) {
	words := func(line string) (all []registry.Argument) {
		for _, w := range strings.Fields(line) {
			all = append(all, registry.Argument{Type: "positional", Value: w})
		}
		return all
	}
	npm := func(args string, env ...registry.Variable) registry.Package {
		return registry.Package{RegistryType: "npm", Identifier: "tides", Version: "1.0.0",
			Configurations: []registry.Configuration{{Command: "npx", Args: words(args), Env: env}}}
	}
	image := func(runtime string) registry.Package {
		return registry.Package{RegistryType: "oci", Identifier: "docker.io/octo/tides:1.0.0",
			Configurations: []registry.Configuration{{Command: "docker", Runtime: words(runtime)}}}
	}
	declared := registry.Package{RegistryType: "npm", Identifier: "tides", Version: "1.0.0",
		Declared: registry.DeclaredInRepo, PackageArguments: []registry.Argument{
			{Type: "named", Name: "--read-only", Description: "Do not write"}}}
	declaredOnly := npm("-t stdio")
	declaredOnly.Declared = registry.DeclaredInRepo
	flag := registry.ReadOnlySwitch{Kind: registry.SwitchFlag, Name: "--read-only"}
	lifting := registry.ReadOnlySwitch{Kind: registry.SwitchFlag, Name: "--allow-write", Default: true}
	lifted := lifting
	lifted.Lifted = "--allow-write"
	mode := registry.ReadOnlySwitch{Kind: registry.SwitchArgument, Name: "--mode", Value: "narrow", Lifted: "--mode=wide"}
	without := registry.ReadOnlySwitch{Kind: registry.SwitchArgument, Name: "--scope", Default: true, Lifted: "--scope=wide"}
	unset := registry.ReadOnlySwitch{Kind: registry.SwitchVariable, Name: "SCOPE", Default: true, Lifted: "SCOPE=wide"}
	variable := registry.ReadOnlySwitch{Kind: registry.SwitchVariable, Name: "READ_ONLY", Value: "1"}
	writes := registry.ReadOnlySwitch{Kind: registry.SwitchVariable, Name: "WRITES", Value: "False"}
	value := func(name, text string) registry.Variable { return registry.Variable{Name: name, Value: text} }
	for name, tt := range map[string]struct {
		p                   registry.Package
		by                  registry.ReadOnlySwitch
		usual, reading, all string // the commands
	}{
		"a flag":                {npm("--port 1"), flag, "--port 1", "--port 1 --read-only", "--port 1"},
		"a flag in use":         {npm("--read-only --port 1"), flag, "--read-only --port 1", "--read-only --port 1", "--port 1"},
		"a flag that lifts":     {npm("a"), lifting, "a", "a", "a --allow-write"},
		"a lifted flag":         {npm("--allow-write a"), lifted, "a", "a", "a --allow-write"},
		"a value":               {npm("--mode=wide a"), mode, "--mode=narrow a", "--mode=narrow a", "--mode=wide a"},
		"a value in two":        {npm("--mode wide a"), mode, "--mode=narrow a", "--mode=narrow a", "--mode=wide a"},
		"an option that lifts":  {npm("--scope wide a"), without, "a", "a", "a --scope=wide"},
		"a variable that lifts": {npm("a", value("SCOPE", "wide")), unset, "a", "a", "SCOPE=wide a"},
		"a variable":            {npm("a"), variable, "a", "READ_ONLY=1 a", "a"},
		"a variable in use":     {npm("a", value("READ_ONLY", "true")), variable, "READ_ONLY=true a", "READ_ONLY=true a", "a"},
		"a variable to write":   {npm("a"), writes, "a", "WRITES=False a", "WRITES=True a"},
		"a declared package":    {declaredOnly, flag, "-t stdio", "-t stdio --read-only", "-t stdio"},
		"a declared option":     {declared, flag, "npx -y tides@1.0.0", "--read-only", "npx -y tides@1.0.0"},
		"an image": {image("run -i --rm"), variable, "docker run -i --rm docker.io/octo/tides:1.0.0",
			"docker run -i --rm -e READ_ONLY=1 docker.io/octo/tides:1.0.0", "docker run -i --rm docker.io/octo/tides:1.0.0"},
		"an image in use": {image("run -i --rm -e READ_ONLY=1 -e ZONE=a"), variable,
			"docker run -i --rm -e READ_ONLY=1 -e ZONE=a docker.io/octo/tides:1.0.0",
			"docker run -i --rm -e READ_ONLY=1 -e ZONE=a docker.io/octo/tides:1.0.0",
			"docker run -i --rm -e ZONE=a docker.io/octo/tides:1.0.0"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &registry.Server{Name: "Tides", Packages: []registry.Package{tt.p}, ReadOnly: &tt.by,
				Remotes: []registry.Remote{{Type: "streamable-http", URL: "https://tides.example/mcp"}}}
			var before, kept []registry.Argument
			for _, c := range tt.p.Configurations {
				before, kept = c.Args, slices.Clone(c.Args)
			}
			SetCommand(s)
			line := func(s *registry.Server) string {
				return strings.Replace(s.InstallCommand, "npx -y tides@1.0.0 ", "", 1)
			}
			if got := line(s); got != tt.usual {
				t.Errorf("usual: got %q, want %q", got, tt.usual)
			}
			for access, want := range map[string]string{AccessReadOnly: tt.reading, AccessFull: tt.all} {
				other, ok := With(s, access)
				if !ok {
					t.Fatalf("%s: none", access)
				}
				if got := line(other); got != want {
					t.Errorf("%s: got %q, want %q", access, got, want)
				}
				if got := Access(other); got != access {
					t.Errorf("%s: it gives %q", access, got)
				}
				if (len(other.Remotes) == 0) != (access == AccessReadOnly) {
					t.Errorf("%s: %d endpoints", access, len(other.Remotes))
				}
			}
			if !slices.EqualFunc(before, kept, func(a, b registry.Argument) bool { return a.Value == b.Value }) {
				t.Error("the package was changed")
			}
			noted := strings.Contains(strings.Join(Notes(s), " "), "gives full access")
			if noted != (tt.by.Lifted != "") {
				t.Errorf("notes: %q", Notes(s))
			}
		})
	}
}

// TestAccessOfEndpoints checks the endpoints with each access.
func TestAccessOfEndpoints(t *testing.T) {
	query := registry.ReadOnlySwitch{Kind: registry.SwitchQuery, Name: "read_only", Value: "true"}
	writes := registry.ReadOnlySwitch{Kind: registry.SwitchQuery, Name: "writes", Value: "0", Default: true}
	path := registry.ReadOnlySwitch{Kind: registry.SwitchPath, Name: "/readonly"}
	header := registry.ReadOnlySwitch{Kind: registry.SwitchHeader, Name: "X-Readonly", Value: "true"}
	for name, tt := range map[string]struct {
		url                  string
		by                   registry.ReadOnlySwitch
		usual, reading, full string
	}{
		"a parameter": {"https://a.dev/mcp", query, AccessFull,
			"https://a.dev/mcp?read_only=true", "https://a.dev/mcp"},
		"a parameter in use": {"https://a.dev/mcp?read_only=1&x={y}", query, AccessReadOnly,
			"https://a.dev/mcp?x={y}&read_only=true", "https://a.dev/mcp?x={y}"},
		"a parameter to write": {"https://a.dev/mcp", writes, AccessReadOnly,
			"https://a.dev/mcp?writes=0", "https://a.dev/mcp?writes=1"},
		"a path": {"https://a.dev/mcp/?x=y", path, AccessFull,
			"https://a.dev/mcp/readonly?x=y", "https://a.dev/mcp/?x=y"},
		"a header": {"https://a.dev/mcp", header, AccessFull,
			"https://a.dev/mcp X-Readonly: true", "https://a.dev/mcp"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &registry.Server{Name: "Tides", ReadOnlyEndpoint: &tt.by,
				Remotes: []registry.Remote{{Type: "streamable-http", URL: tt.url}}}
			if got := Access(s); got != tt.usual {
				t.Errorf("usual: got %q, want %q", got, tt.usual)
			}
			for access, want := range map[string]string{AccessReadOnly: tt.reading, AccessFull: tt.full} {
				other, ok := With(s, access)
				if !ok {
					t.Fatalf("%s: none", access)
				}
				got := other.Remotes[0].URL
				for _, h := range other.Remotes[0].Headers {
					got += " " + h.Name + ": " + h.Value
				}
				if got != want {
					t.Errorf("%s: got %q, want %q", access, got, want)
				}
			}
			s.Packages = []registry.Package{{RegistryType: "npm", Identifier: "tides", Version: "1.0.0",
				Declared: registry.DeclaredInRepo}}
			if other, ok := With(s, AccessReadOnly); !ok || Access(s) != AccessFull || len(other.Packages) > 0 {
				t.Errorf("with a command: %q, read-only %v", Access(s), ok)
			}
		})
	}
}

// TestIsReadOnly checks entries of clients.
func TestIsReadOnly(t *testing.T) {
	flag := registry.ReadOnlySwitch{Kind: registry.SwitchFlag, Name: "--read-only"}
	lifting := registry.ReadOnlySwitch{Kind: registry.SwitchFlag, Name: "--allow-write", Default: true}
	variable := registry.ReadOnlySwitch{Kind: registry.SwitchVariable, Name: "READ_ONLY", Value: "true"}
	query := registry.ReadOnlySwitch{Kind: registry.SwitchQuery, Name: "read_only", Value: "true"}
	header := registry.ReadOnlySwitch{Kind: registry.SwitchHeader, Name: "read_only", Value: "true"}
	for name, tt := range map[string]struct {
		entry, value string // the value of READ_ONLY
		by           registry.ReadOnlySwitch
		want         bool
	}{
		"no flag":                   {"tides", "", flag, false},
		"a flag":                    {"tides --read-only x", "", flag, true},
		"a flag that is on":         {"tides --read-only=true", "", flag, true},
		"a flag that is off":        {"tides --read-only=false", "", flag, false},
		"the default":               {"tides", "", lifting, true},
		"a lifted default":          {"tides --allow-write", "", lifting, false},
		"a variable":                {"tides", "1", variable, true},
		"a variable to fill in":     {"tides", "${X}", variable, false},
		"a variable of a container": {"run -e READ_ONLY=true octo/tides", "", variable, true},
		"no parameter":              {"https://a.dev/mcp", "", query, false},
		"a parameter":               {"https://a.dev/mcp?read_only=true", "", query, true},
		"no header":                 {"https://a.dev/mcp", "", header, false},
		"a header":                  {"https://a.dev/mcp", "true", header, true},
	} {
		url, args := "", strings.Fields(tt.entry)
		if strings.HasPrefix(tt.entry, "https:") {
			url, args = tt.entry, nil
		}
		if got := IsReadOnly(url, args, map[string]string{"READ_ONLY": tt.value}, &tt.by); got != tt.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
