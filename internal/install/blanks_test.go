package install

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

func TestFixes(t *testing.T) {
	s := &registry.Server{Slug: "a-b", Packages: []registry.Package{{
		RegistryType: "npm", Identifier: "weather", EnvironmentVariables: []registry.Variable{
			{Name: "KEY", IsRequired: true, IsSecret: true}, {Name: "ZONE", IsRequired: true, Value: "north"}},
	}}}
	for name, want := range map[string]bool{"KEY": false, "ZONE": true, "OTHER": false} {
		if got := Fixes(s, name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestBlanks(t *testing.T) {
	s := &registry.Server{Slug: "a-b", Packages: []registry.Package{{
		RegistryType: "oci", Identifier: "ghcr.io/octo/weather", Transport: registry.PackageTransport{Type: "streamable-http", URL: "http://localhost:{port}/mcp", Headers: []registry.Variable{{Name: "X-Key", IsRequired: true, IsSecret: true, Description: "A key", Default: "hunter2"}}},
		RuntimeArguments: []registry.Argument{
			{Type: "named", Name: "-v", IsRequired: true, Description: "Where notes lie", Placeholder: "~/notes:/notes:ro"},
			{Type: "named", Name: "-v", IsRequired: true, Description: "Where pictures lie"},
			{Type: "named", Name: "-p", Value: "{port}:8080", IsRequired: true, Variables: map[string]registry.Variable{"port": {Description: "Port here", Default: "8081"}}},
		},
		PackageArguments: []registry.Argument{
			{Type: "positional", ValueHint: "city", IsRequired: true, Choices: []string{"Oslo", "Bergen"}},
			{Type: "named", Name: "--store", Value: "sqlite://{file}?mode={mode}", IsRequired: true, Variables: map[string]registry.Variable{
				"file": {Description: "The file", Placeholder: "weather.db"}, "mode": {Default: "ro rw"}}},
			{Type: "named", Name: "--token", IsRequired: true, IsSecret: true, Placeholder: "ghp_example", Default: "ghp_real"},
		},
	}}}
	if want, got := "docker run -i --rm -v YOUR_VOLUME -v YOUR_VOLUME_2 -p 8081:8080 ghcr.io/octo/weather YOUR_CITY --store 'sqlite://YOUR_FILE?mode=ro rw' --token YOUR_TOKEN", Command(s.Packages[0]); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	want := []Blank{
		{Placeholder: "YOUR_VOLUME", Option: "-v", Description: "Where notes lie", Example: "~/notes:/notes:ro"},
		{Placeholder: "YOUR_VOLUME_2", Option: "-v", Description: "Where pictures lie"},
		{Placeholder: "YOUR_CITY", Choices: []string{"Oslo", "Bergen"}},
		{Placeholder: "YOUR_FILE", Option: "--store", Description: "The file", Example: "weather.db"},
		{Placeholder: "YOUR_TOKEN", Option: "--token", IsSecret: true},
		{Placeholder: "YOUR_X_KEY", Option: "X-Key", Description: "A key", IsSecret: true},
	}
	if diff := cmp.Diff(want, Blanks(s)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(&Endpoint{Transport: "streamable-http", URL: "http://localhost:8081/mcp"}, Started(s)); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct{ client, kind, want string }{
		{"claude-code", KindCommand, `claude mcp add --transport http a-b http://localhost:8081/mcp -H "X-Key: ${X_KEY}"`},
		{"codex", KindTOML, "url = \"http://localhost:8081/mcp\""},
		{"vscode", KindJSON, `"url": "http://localhost:8081/mcp"`},
	} {
		if got := find(t, s, c.client, ViaStarted, c.kind)[0].Text; !strings.Contains(got, c.want) {
			t.Errorf("%s: %s", c.client, got)
		}
	}
	for _, x := range Clients(s) {
		if x.Via != ViaStarted || x.Client == "claude-desktop" || strings.Contains(x.Text+x.URL, "hunter2") {
			t.Errorf("%+v", x)
		}
	}
	// A client that can start a package does not connect to another.
	s.Packages = append(s.Packages, registry.Package{RegistryType: "npm", Identifier: "weather"})
	if e := Started(s); e != nil || Clients(s)[0].Via != ViaPackage {
		t.Errorf("%+v, %+v", e, Clients(s)[0])
	}
}

func TestStarted(t *testing.T) {
	of := func(address string) *Endpoint {
		return Started(&registry.Server{Slug: "a", Packages: []registry.Package{{RegistryType: "npm", Identifier: "a", Transport: registry.PackageTransport{Type: "sse", URL: address},
			EnvironmentVariables: []registry.Variable{{Name: "PORT", Default: "3000"}, {Name: "SECRET", Default: "x", IsSecret: true}},
			PackageArguments:     []registry.Argument{{Type: "named", Name: "--path", Default: "sse"}}}}})
	}
	for address, want := range map[string]string{
		"http://localhost:{PORT}/{--path}": "http://localhost:3000/sse", "http://127.0.0.1:{PORT}/{path}": "http://127.0.0.1:3000/sse",
		"http://[::1]:1/": "http://[::1]:1/", "http://localhost:{other}/": "http://localhost:{other}/", "http://localhost/{SECRET}": "http://localhost/{SECRET}",
		"https://evil.dev/mcp": "", "http://localhost.evil.dev/": "",
		"http://user:pw@localhost/": "", "javascript:alert(1)": "", "http://localhost/ x": "",
		"": "", "http://0.0.0.0/": "", "http://{host}/": "",
	} {
		if got := of(address); got == nil || got.URL != want || got.Transport != "sse" {
			t.Errorf("%s: %+v, want %q", address, got, want)
		}
	}
}

func TestExampleOf(t *testing.T) {
	for placeholder, want := range map[string]string{
		"<your-id>": "", "[id]": "", "${ID}": "", "...": "", "xxxx": "", "your-api-key": "", "YOUR_KEY_HERE": "",
		"https://your-site.example.com": "https://your-site.example.com", "sk-1234": "sk-1234",
		"/path/to/notes": "/path/to/notes",
	} {
		if got := exampleOf(placeholder); got != want {
			t.Errorf("exampleOf(%q) = %q, want %q", placeholder, got, want)
		}
	}
}
