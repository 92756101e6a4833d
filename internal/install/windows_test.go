package install

import (
	"strings"
	"testing"

	"mcpcensus/internal/registry"

	"github.com/google/go-cmp/cmp"
)

// TestWindows checks which commands and clients get a shell on Windows, in snippets, in the
// configuration of the API, in files and in the sentence of pages.
func TestWindows(t *testing.T) {
	for name, c := range map[string]struct {
		p    registry.Package
		want string
	}{
		"npx": {registry.Package{RegistryType: "npm", Identifier: "tides"},
			`{"command":"cmd","args":["/c","npx","-y","tides"]}`},
		"uvx": {registry.Package{RegistryType: "pypi", Identifier: "tides"}, ""},
		"docker": {registry.Package{RegistryType: "oci", Identifier: "ghcr.io/octo/tides",
			Version: "1.0.0"}, ""},
		"characters of the shell": {registry.Package{RegistryType: "npm", Identifier: "tides",
			PackageArguments: []registry.Argument{{Type: "positional",
				Value: "https://tides.dev/?a=1&b=2"}}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c.p.Transport.Type = registry.TransportStdio
			s := &registry.Server{Slug: "tides", Repo: registry.Repository{Owner: "octo", Name: "tides"},
				Packages: []registry.Package{c.p}}
			if d := cmp.Diff(c.want, OnWindows(s)); d != "" {
				t.Error(d)
			}
			all := Clients(s)
			if len(all) == 0 {
				t.Fatal("no client")
			}
			for _, sn := range all {
				wants := c.want != "" && sn.Client != "vscode" && sn.Client != "codex" && sn.Client != "goose"
				w := sn.OnWindows()
				if (sn.Windows != "") != wants || wants == (w.Text+w.URL == sn.Text+sn.URL) {
					t.Errorf("%s %s: %q", sn.Client, sn.Kind, sn.Windows)
				}
			}
			raw, err := JSON(s)
			has := strings.Contains(string(raw),
				`"windows":{"mcpServers":{"tides":{"command":"cmd","args":["/c","npx","-y","tides"]}},`+
					`"claude-code":"claude mcp add tides --scope user -- cmd /c npx -y tides","cursor":"`)
			if err != nil || has != (c.want != "") || strings.Contains(string(raw), "windows") != has {
				t.Errorf("%v %s", err, raw)
			}
		})
	}
}

// TestForWindows checks files, in which values are filled in after the choice of the system.
func TestForWindows(t *testing.T) {
	for name, c := range map[string]struct {
		client, value string
		want          bool
	}{
		"another client":         {"claude-code", "oslo", true},
		"Goose":                  {"goose", "oslo", true},
		"one that has a shell":   {"vscode", "oslo", false},
		"a value with a command": {"claude-code", "oslo&calc", false},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := ParseSetup([]byte(`{"tides":{"command":"npx","args":["-y","tides","YOUR_PLACE"]}}`),
				"", "", nil)
			if err != nil {
				t.Fatal(err)
			}
			s.ForWindows()
			s.Fill("PLACE", c.value)
			f, err := s.ForFile(c.client)
			if err != nil || strings.Contains(f.Text, `"cmd"`) != c.want || !strings.Contains(f.Text, `"npx"`) {
				t.Errorf("%v %s", err, f.Text)
			}
		})
	}
}

// TestWindowsValues checks that no command for Windows refers to a variable of a POSIX shell, and
// that configurations have the variables of the command.
func TestWindowsValues(t *testing.T) {
	open := registry.Variable{Name: "TIDES_TOKEN", IsRequired: true, IsSecret: true}
	fixed := registry.Variable{Name: "READ_ONLY", Value: "true"}
	header := registry.Variable{Name: "Authorization", Value: "Bearer {TIDES_TOKEN}",
		Variables: map[string]registry.Variable{"TIDES_TOKEN": open}}
	for runner, want := range map[string]string{
		"npm": `{"command":"cmd","args":["/c","npx","-y","tides"],` +
			`"env":{"TIDES_TOKEN":"YOUR_TIDES_TOKEN","READ_ONLY":"true"}}`,
		"pypi": "",
	} {
		s := &registry.Server{Slug: "tides", Repo: registry.Repository{Owner: "octo", Name: "tides"},
			Packages: []registry.Package{{RegistryType: runner, Identifier: "tides",
				EnvironmentVariables: []registry.Variable{open, fixed}}},
			Remotes: []registry.Remote{{Type: registry.TransportHTTP, URL: "https://mcp.tides.dev/mcp",
				Headers: []registry.Variable{header}}}}
		if d := cmp.Diff(want, OnWindows(s)); d != "" {
			t.Error(d)
		}
		values := 0
		for _, sn := range Clients(s) {
			if sn.Kind != KindCommand || !strings.Contains(sn.Text, "${") {
				continue
			}
			w, asked := sn.OnWindows(), "replace YOUR_TIDES_TOKEN instead."
			values++
			if strings.ContainsAny(w.Text, "$'") || !strings.Contains(w.Text, "YOUR_TIDES_TOKEN") ||
				!strings.Contains(w.Note, asked) {
				t.Errorf("%s: %s %s", sn.Client, w.Text, w.Note)
			}
		}
		raw, err := JSON(s)
		_, windows, _ := strings.Cut(string(raw), `"windows"`)
		if err != nil || values != 3 || !strings.Contains(windows, "-e TIDES_TOKEN=YOUR_TIDES_TOKEN") {
			t.Errorf("%d %v %s", values, err, raw)
		}
	}
}
