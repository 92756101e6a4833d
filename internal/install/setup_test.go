package install

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

// TestClientFolders checks that folders which only some clients know are passed to these, and are
// values to replace for others.
func TestClientFolders(t *testing.T) {
	for _, folder := range []string{"${workspaceFolder}", "${userHome}"} {
		servers := `{"tides": {"command": "npx", "args": ["tides-mcp", "--dir", "` + folder + `/x"]}}`
		s, err := ParseSetup([]byte(servers), "", "", nil)
		if err != nil || s.Refers() != "" {
			t.Fatalf("%s: %v %q", folder, err, s.Refers())
		}
		for client, want := range map[string][]string{
			"vscode": nil, "cursor": nil, "claude-desktop": {folder}, "goose": {folder}} {
			f, err := s.ForFile(client)
			if err != nil || !strings.Contains(f.Text, folder) || cmp.Diff(want, f.Replace) != "" {
				t.Errorf("%s, %s: %v, %+v", folder, client, err, f)
			}
		}
	}
}

// TestSetup checks that a setup that is read from what JSON returns makes the files
// that Clients returns for the server itself.
func TestSetup(t *testing.T) {
	variables := []registry.Variable{
		{Name: "API_KEY", IsRequired: true, IsSecret: true, Description: "Key"},
		{Name: "MODE", IsRequired: true, Default: "fast"},
	}
	servers := map[string]*registry.Server{
		"package": {Name: "Weather", Repo: registry.Repository{Owner: "octo", Name: "weather"},
			Packages: []registry.Package{{
				RegistryType: "npm", Identifier: "weather", Version: "1.0.0",
				EnvironmentVariables: variables,
			}}},
		"remote": {Name: "Weather", Repo: registry.Repository{Owner: "octo", Name: "weather"},
			Remotes: []registry.Remote{{
				Type: registry.TransportHTTP, URL: "https://mcp.weather.dev/{tenant}/mcp",
				Headers: []registry.Variable{{Name: "Authorization", IsRequired: true, IsSecret: true}},
			}}},
	}
	for name, s := range servers {
		t.Run(name, func(t *testing.T) {
			all, err := JSON(s)
			if err != nil {
				t.Fatal(err)
			}
			setup, err := ParseSetup(mcpServers(t, all), s.Name, s.Description, variables)
			if err != nil {
				t.Fatal(err)
			}
			if setup.Key() != "weather" {
				t.Errorf("the key is %s", setup.Key())
			}
			files := 0
			for _, want := range Clients(s) {
				if want.Kind != KindJSON && want.Kind != KindTOML {
					continue
				}
				files++
				named := *setup
				named.NameFor(want.Client, s.EntryName())
				if isEntry := named.Key() == "io.github.octo/weather"; named.Key() != "weather" && !isEntry ||
					isEntry != (want.Client == "vscode" || want.Client == "visual-studio") {
					t.Errorf("%s knows it as %s", want.Client, named.Key())
				}
				got, err := named.ForFile(want.Client)
				if err != nil {
					t.Errorf("%s: %v", want.Client, err)
					continue
				}
				if d := cmp.Diff(strings.TrimSpace(want.Text), strings.TrimSpace(got.Text)); d != "" {
					t.Errorf("%s: %s", want.Client, d)
				}
			}
			if files < 10 {
				t.Errorf("only %d clients have a file", files)
			}
		})
	}
}

// mcpServers returns the object under mcpServers.
func mcpServers(t *testing.T, all []byte) []byte {
	t.Helper()
	_, rest, ok := strings.Cut(string(all), `"mcpServers":`)
	if !ok {
		t.Fatalf("there is no mcpServers in %s", all)
	}
	depth := 0
	for i, r := range rest {
		switch r {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return []byte(rest[:i+1])
			}
		}
	}
	t.Fatalf("%s does not end", rest)
	return nil
}

func TestSetupFill(t *testing.T) {
	const text = `{"weather": {"command": "npx", "args": ["-y", "w@1", "--dir=YOUR_DIR", "YOUR_DIR"],
		"env": {"API_KEY": "YOUR_API_KEY", "MODE": "fast", "URL": "https://x.dev/YOUR_TENANT"}}}`
	parse := func() *Setup {
		s, err := ParseSetup([]byte(text), "Weather", "",
			[]registry.Variable{{Name: "API_KEY", IsSecret: true, Description: "Key"}})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	type question struct {
		Name        string
		IsSecret    bool
		Description string
	}
	var got []question
	s := parse()
	for _, q := range s.Questions() {
		got = append(got, question{q.Name, q.IsSecret, q.Description})
	}
	want := []question{{"API_KEY", true, "Key"}, {"TENANT", true, ""}, {"DIR", false, ""}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	s.Fill("API_KEY", "secret")
	s.Fill("DIR", "/tmp/a b")
	s.Fill("TENANT", "t1")
	f, err := s.ForFile("cursor")
	if err != nil {
		t.Fatal(err)
	}
	const filled = `{
  "mcpServers": {
    "weather": {
      "command": "npx",
      "args": [
        "-y",
        "w@1",
        "--dir=/tmp/a b",
        "/tmp/a b"
      ],
      "env": {
        "API_KEY": "secret",
        "MODE": "fast",
        "URL": "https://x.dev/t1"
      }
    }
  }
}
`
	if d := cmp.Diff(&ClientFile{Kind: KindJSON, Text: filled}, f); d != "" {
		t.Error(d)
	}
	s.NameFor("vscode", "io.github.octo/weather")
	if len(s.Questions()) != 0 || !s.Rename("mine") || s.Key() != "mine" || !parse().Rename("my_own") || s.Rename("a/b") ||
		s.Rename(strings.Repeat("a", 33)) {
		t.Errorf("questions %v, key %s", s.Questions(), s.Key())
	}
	if f, err := parse().ForFile("goose"); err != nil || !cmp.Equal(f.Set, []string{"API_KEY"}) ||
		!cmp.Equal(f.Replace, []string{"YOUR_DIR", "YOUR_TENANT"}) ||
		!strings.Contains(f.Text, "env_keys:\n      - \"API_KEY\"") {
		t.Errorf("got %+v, %v", f, err)
	}
	if _, err := parse().ForFile("notepad"); err == nil {
		t.Error("notepad is no client")
	}
}

// TestInFile compares the values that each client needs in its file with the file's text.
func TestInFile(t *testing.T) {
	for name, text := range map[string]string{
		"package": `{"w": {"command": "npx", "args": ["-y", "w@1", "YOUR_DIR"],
			"env": {"API_KEY": "YOUR_API_KEY", "URL": "https://x.dev/YOUR_TENANT"}}}`,
		"remote": `{"w": {"type": "http", "url": "https://{region}.dev/mcp",
			"headers": {"Authorization": "Bearer YOUR_API_KEY"}}}`,
	} {
		parse := func() *Setup {
			s, err := ParseSetup([]byte(text), "Weather", "", nil)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		files := 0
		for _, p := range Places() {
			s := parse()
			f, err := s.ForFile(p.Client)
			if err != nil {
				continue
			}
			files++
			for _, q := range s.Questions() {
				want := strings.Contains(f.Text, q.Placeholder) ||
					strings.Contains(f.Text, q.Name) && strings.HasPrefix(q.Name, "{")
				if got := s.InFile(p.Client, q); got != want {
					t.Errorf("%s, %s: %s in the file %v, want %v:\n%s", name, p.Client, q.Name, got, want,
						f.Text)
				}
			}
		}
		if files < 10 {
			t.Errorf("%s: only %d clients have a file", name, files)
		}
	}
}

func TestParseSetupErrors(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON": `{`, "null": `null`, "no server": `{}`,
		"two": `{"a": {"command": "x"}, "b": {"command": "x"}}`,
		"key": `{"a b": {"command": "x"}}`, "nothing to run": `{"a": {}}`,
		"shell": `{"a": {"command": "sh -c x"}}`,
		"path":  `{"a": {"command": "../x"}}`, "http": `{"a": {"url": "http://x.dev"}}`,
		"control character": `{"a": {"command": "x", "args": ["\u0007"]}}`,
	} {
		if s, err := ParseSetup([]byte(text), "", "", nil); !errors.Is(err, ErrSetup) {
			t.Errorf("%s: got %v, %v", name, s, err)
		}
	}
}

// TestHiddenInSetup checks that the error of a hidden character names it.
func TestHiddenInSetup(t *testing.T) {
	const shown = " contains the character U+200B, which cannot be shown safely"
	for text, want := range map[string]string{
		`{"a": {"command": "x", "args": ["/\u200b"]}}`:     `value "/<U+200B>"` + shown,
		`{"a": {"command": "x", "env": {"A": "/\u200b"}}}`: `value "/<U+200B>"` + shown,
		`{"a\u200b": {"command": "x"}}`:                    `name "a<U+200B>"` + shown,
		`{"a": {"command": "x\u200b"}}`:                    `command "x<U+200B>"` + shown,
		`{"a": {"url": "https://tides.dev/\u200b"}}`: `address "https://tides.dev/<U+200B>"` +
			shown,
		`{"a": {"url": "https://tides.dev", "headers": {"\u200b": "x"}}}`: `header "<U+200B>"` + shown,
		`{"a": {"command": "sh -c x"}}`:                                   `command "sh -c x"`,
		`{"a": {"command": "` + strings.Repeat("x", maxWord+1) + `"}}`: `command "` +
			strings.Repeat("x", 60) + `…" is too long`,
	} {
		_, err := ParseSetup([]byte(text), "", "", nil)
		if err == nil || err.Error() != ErrSetup.Error()+": "+want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}
