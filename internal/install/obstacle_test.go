package install

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

func TestWhatKeepsAPackageFromBeingStartedIsSaid(t *testing.T) {
	for name, c := range map[string]struct {
		p             registry.Package
		why, line, at string
	}{
		"cargo":           {registry.Package{RegistryType: "cargo", Identifier: "octo-weather", Version: "0.4.2"}, "Clients do not start Cargo packages", "cargo install octo-weather --version 0.4.2", ""},
		"cargo, hostile":  {registry.Package{RegistryType: "cargo", Identifier: "a;id", Version: "0.4.2"}, "Clients do not start", "", ""},
		"cargo, range":    {registry.Package{RegistryType: "cargo", Identifier: "a", Version: "^1"}, "Clients do not start", "", ""},
		"cargo elsewhere": {registry.Package{RegistryType: "cargo", Identifier: "a", RegistryBaseURL: "https://crates.octo.example"}, "Clients do not start", "", ""},
		"bundle":          {registry.Package{RegistryType: "mcpb", Identifier: "https://github.com/o/r/releases/download/v1/x.mcpb"}, "It is an MCP bundle", "", "https://github.com/o/r/releases/download/v1/x.mcpb"},
		"bundle, script":  {registry.Package{RegistryType: "mcpb", Identifier: "javascript:alert(1)"}, "It is an MCP bundle", "", ""},
		"elsewhere":       {registry.Package{RegistryType: "npm", Identifier: "a", RegistryBaseURL: "https://npm.octo.example/x"}, "on a private registry (npm.octo.example); the same name on npm may be a different package", "", ""},
		"version":         {registry.Package{RegistryType: "npm", Identifier: "a", Version: "^1.0.0"}, "invalid version (“^1.0.0”)", "", ""},
		"name":            {registry.Package{RegistryType: "pypi", Identifier: "--from"}, "“--from” is not a valid package name on PyPI", "", ""},
		"option":          {registry.Package{RegistryType: "oci", Identifier: "octo/a", RuntimeArguments: []registry.Argument{{Type: "named", Name: "--privileged"}}}, "passes “--privileged” to docker itself", "", ""},
		"misplaced word":  {registry.Package{RegistryType: "pypi", Identifier: "a", RuntimeArguments: []registry.Argument{{Type: "positional", Value: "start"}}}, "passes “start” to uvx itself", "", ""},
		"folder":          {registry.Package{RegistryType: "oci", Identifier: "octo/a", RuntimeArguments: []registry.Argument{{Type: "named", Name: "-v", Value: "/:/host"}}}, "passes “/:/host” to docker", "", ""},
		"argument":        {registry.Package{RegistryType: "npm", Identifier: "a", PackageArguments: []registry.Argument{{Type: "positional", Value: "x\x1b[2K"}}}, "cannot be shown safely", "", ""},
		"variable":        {registry.Package{RegistryType: "npm", Identifier: "a", EnvironmentVariables: []registry.Variable{{Name: "A B", IsRequired: true}}}, "“A B”, which is not a valid name", "", ""},
		"steering":        {registry.Package{RegistryType: "npm", Identifier: "a", EnvironmentVariables: []registry.Variable{{Name: "NODE_OPTIONS", Value: "-r x"}}}, "sets NODE_OPTIONS", "", ""},
		"no kind":         {registry.Package{RegistryType: "brew", Identifier: "a"}, "not supported", "", ""},
	} {
		o := Why(c.p)
		if o == nil {
			t.Errorf("%s: no obstacle", name)
			continue
		}
		if !strings.Contains(o.Why, c.why) || o.Command != c.line || o.URL != c.at {
			t.Errorf("%s: %+v", name, o)
		}
		s := &registry.Server{Packages: []registry.Package{c.p}}
		if said := Missing(s); !strings.Contains(said, o.Why) {
			t.Errorf("%s: of the server it is said: %s", name, said)
		}
	}
	if o := Why(registry.Package{RegistryType: "npm", Identifier: "a"}); o != nil {
		t.Errorf("a package that can be started: %+v", o)
	}
	for want, s := range map[string]*registry.Server{
		"": {Packages: []registry.Package{{RegistryType: "cargo", Identifier: "a"}, {RegistryType: "npm", Identifier: "a"}}},
		"No published package is known. Use the hosted endpoint.": example(),
		"No published package or hosted endpoint is known.":       {},
	} {
		if got := Missing(s); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestWhatOnlyTheUserKnowsIsDescribed(t *testing.T) {
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
	// A client that can start it is not told to connect.
	s.Packages = append(s.Packages, registry.Package{RegistryType: "npm", Identifier: "weather"})
	if e := Started(s); e != nil || Clients(s)[0].Via != ViaPackage {
		t.Errorf("%+v, %+v", e, Clients(s)[0])
	}
}

func TestAddressesOfStartedPackagesAreOnTheUsersMachine(t *testing.T) {
	of := func(address string) *Endpoint {
		return Started(&registry.Server{Slug: "a", Packages: []registry.Package{{RegistryType: "npm", Identifier: "a", Transport: registry.PackageTransport{Type: "sse", URL: address},
			EnvironmentVariables: []registry.Variable{{Name: "PORT", Default: "3000"}, {Name: "SECRET", Default: "x", IsSecret: true}},
			PackageArguments:     []registry.Argument{{Type: "named", Name: "--path", Default: "sse"}}}}})
	}
	for address, want := range map[string]string{
		"http://localhost:{PORT}/{--path}": "http://localhost:3000/sse", "http://127.0.0.1:{PORT}/{path}": "http://127.0.0.1:3000/sse",
		"http://[::1]:1/": "http://[::1]:1/", "http://localhost:{other}/": "http://localhost:{other}/", "http://localhost/{SECRET}": "http://localhost/{SECRET}",
		"https://evil.example/mcp": "", "http://localhost.evil.example/": "", "http://user:pw@localhost/": "", "javascript:alert(1)": "", "http://localhost/ x": "", "": "", "http://0.0.0.0/": "", "http://{host}/": "",
	} {
		if got := of(address); got == nil || got.URL != want || got.Transport != "sse" {
			t.Errorf("%s: %+v, want %q", address, got, want)
		}
	}
}

func TestNotesTellWhatIsReplacedAndWhatIsSet(t *testing.T) {
	s := filesystem()
	s.Packages[0].PackageArguments = []registry.Argument{{Type: "named", Name: "--dir", Value: "{folder}/notes", IsRequired: true}}
	s.Packages[0].EnvironmentVariables = []registry.Variable{{Name: "KEY", IsRequired: true, IsSecret: true}}
	for _, c := range []struct{ client, kind, want string }{
		{"cursor", KindJSON, "Set KEY in your environment first. Replace YOUR_FOLDER."},
		{"cursor", KindLink, "Set KEY in your environment first. Then replace YOUR_FOLDER in Cursor’s settings: links carry nothing that only you know, and without it the server does not start."},
		{"zed", KindJSON, "Replace YOUR_KEY, YOUR_FOLDER."},
		{"vscode", KindLink, "VS Code asks for KEY, FOLDER."},
		{"goose", KindLink, "Then set KEY in Goose: the link does not carry it, and without it the server does not start. Then replace YOUR_FOLDER in Goose’s settings: links carry nothing that only you know, and without it the server does not start."},
		{"claude-desktop", KindJSON, "Settings → Developer → Edit Config opens the file. Replace YOUR_KEY, YOUR_FOLDER."},
	} {
		if got := find(t, s, c.client, ViaPackage, c.kind)[0].Note; got != c.want {
			t.Errorf("%s %s: %s", c.client, c.kind, got)
		}
	}
	if got := find(t, s, "vscode", ViaPackage, KindJSON)[0].Text; !strings.Contains(got, `"${input:FOLDER}/notes"`) {
		t.Errorf("VS Code does not ask for what stands inside an argument: %s", got)
	}
}
