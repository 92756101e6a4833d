package install

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

// filesystem is the server of the published samples.
func filesystem() *registry.Server {
	return &registry.Server{
		Slug: "modelcontextprotocol-servers-src-filesystem", Title: "Filesystem", Description: "Secure file operations",
		Repo: registry.Repository{Owner: "modelcontextprotocol", Name: "servers"}, Subfolder: "src/filesystem",
		Packages: []registry.Package{{
			RegistryType: "npm", Identifier: "@modelcontextprotocol/server-filesystem", Transport: registry.PackageTransport{Type: "stdio"},
			PackageArguments:     []registry.Argument{{Type: "positional", Value: "/tmp"}},
			EnvironmentVariables: []registry.Variable{{Name: "LOG_LEVEL", Value: "info"}},
		}},
	}
}

func example() *registry.Server {
	return &registry.Server{
		Slug: "octo-example", Repo: registry.Repository{Owner: "octo", Name: "example"},
		Remotes: []registry.Remote{{Type: "sse", URL: "https://mcp.example.com/sse"}, {Type: "streamable-http", URL: "https://mcp.example.com/mcp"}},
	}
}

func find(t *testing.T, s *registry.Server, client, via, kind string) []Snippet {
	t.Helper()
	var out []Snippet
	for _, c := range Clients(s) {
		if c.Client == client && c.Via == via && c.Kind == kind {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		t.Fatalf("no %s of %s by %s", kind, client, via)
	}
	return out
}

func TestLinks(t *testing.T) {
	for _, c := range []struct {
		s                 *registry.Server
		client, via, want string
	}{
		{filesystem(), "cursor", "package", "cursor://anysphere.cursor-deeplink/mcp/install?name=filesystem&config=eyJjb21tYW5kIjoibnB4IiwiYXJncyI6WyIteSIsIkBtb2RlbGNvbnRleHRwcm90b2NvbC9zZXJ2ZXItZmlsZXN5c3RlbSIsIi90bXAiXSwiZW52Ijp7IkxPR19MRVZFTCI6ImluZm8ifX0%3D"},
		{example(), "cursor", "remote", "cursor://anysphere.cursor-deeplink/mcp/install?name=example&config=eyJ1cmwiOiJodHRwczovL21jcC5leGFtcGxlLmNvbS9tY3AifQ%3D%3D"},
		{filesystem(), "vscode", "package", "vscode:mcp/install?%7B%22name%22%3A%22io.github.modelcontextprotocol%2Fservers.src.filesystem%22%2C%22type%22%3A%22stdio%22%2C%22command%22%3A%22npx%22%2C%22args%22%3A%5B%22-y%22%2C%22%40modelcontextprotocol%2Fserver-filesystem%22%2C%22%2Ftmp%22%5D%2C%22env%22%3A%7B%22LOG_LEVEL%22%3A%22info%22%7D%7D"},
		{example(), "vscode", "remote", "vscode:mcp/install?%7B%22name%22%3A%22io.github.octo%2Fexample%22%2C%22type%22%3A%22http%22%2C%22url%22%3A%22https%3A%2F%2Fmcp.example.com%2Fmcp%22%7D"},
		{filesystem(), "vscode", "package", "https://vscode.dev/redirect/mcp/install?name=io.github.modelcontextprotocol%2Fservers.src.filesystem&config=%7B%22type%22%3A%22stdio%22%2C%22command%22%3A%22npx%22%2C%22args%22%3A%5B%22-y%22%2C%22%40modelcontextprotocol%2Fserver-filesystem%22%2C%22%2Ftmp%22%5D%2C%22env%22%3A%7B%22LOG_LEVEL%22%3A%22info%22%7D%7D"},
		{filesystem(), "goose", "package", "goose://extension?cmd=npx&arg=-y&arg=%40modelcontextprotocol%2Fserver-filesystem&arg=%2Ftmp&id=filesystem&name=Filesystem&description=Secure%20file%20operations"},
	} {
		found := false
		for _, s := range find(t, c.s, c.client, c.via, KindLink) {
			found = found || s.URL == c.want
		}
		if !found {
			t.Errorf("%s %s: no link %s\nhave %+v", c.client, c.via, c.want, find(t, c.s, c.client, c.via, KindLink))
		}
	}
	// The published Goose sample has no folder argument.
	s := filesystem()
	s.Packages[0].PackageArguments = nil
	want := "goose://extension?cmd=npx&arg=-y&arg=%40modelcontextprotocol%2Fserver-filesystem&id=filesystem&name=Filesystem&description=Secure%20file%20operations"
	if got := find(t, s, "goose", "package", KindLink)[0].URL; got != want {
		t.Errorf("goose: %s", got)
	}
}

func weather() *registry.Server {
	return &registry.Server{
		Slug: "octo-weather-mcp", Name: "Weather", Repo: registry.Repository{Owner: "octo", Name: "weather-mcp"},
		Packages: []registry.Package{{
			RegistryType: "npm", Identifier: "@octo/weather-mcp", Version: "1.4.0", Transport: registry.PackageTransport{Type: "stdio"},
			EnvironmentVariables: []registry.Variable{
				{Name: "WEATHER_KEY", Description: "API key", IsRequired: true, IsSecret: true, Default: "sk-real-secret", Value: "sk-real-secret"},
				{Name: "UNITS", Default: "metric"}, {Name: "DEBUG"}, {Name: "OTHER_SECRET", IsSecret: true, Value: "sk-real-secret"},
			},
		}},
		Remotes: []registry.Remote{{Type: "streamable-http", URL: "https://mcp.weather.dev/mcp", Headers: []registry.Variable{
			{Name: "Authorization", IsRequired: true, IsSecret: true, Value: "Bearer sk-real-secret"}, {Name: "X-Region", Value: "eu"},
		}}},
	}
}

func TestSecrets(t *testing.T) {
	for _, s := range Clients(weather()) {
		texts := []string{s.Text, s.URL, s.Note}
		if u, err := url.QueryUnescape(s.URL); err == nil {
			texts = append(texts, u)
			if _, config, ok := strings.Cut(u, "config="); ok {
				if raw, err := base64.StdEncoding.DecodeString(config); err == nil {
					texts = append(texts, string(raw))
				}
			}
		}
		if strings.Contains(strings.Join(texts, "\n"), "sk-real-secret") {
			t.Errorf("%s %s %s shows a secret: %q", s.Client, s.Via, s.Kind, texts)
		}
	}
	raw, err := JSON(weather())
	if err != nil || strings.Contains(string(raw), "sk-real-secret") || !json.Valid(raw) {
		t.Errorf("JSON: %v %s", err, raw)
	}
}

func TestJSON(t *testing.T) {
	raw, err := JSON(example())
	if err != nil {
		t.Fatal(err)
	}
	want := `{"mcpServers":{"example":{"type":"http","url":"https://mcp.example.com/mcp"}},` +
		`"claude-code":"claude mcp add --transport http example https://mcp.example.com/mcp",` +
		`"cursor":"cursor://anysphere.cursor-deeplink/mcp/install?name=example&config=eyJ1cmwiOiJodHRwczovL21jcC5leGFtcGxlLmNvbS9tY3AifQ%3D%3D",` +
		`"vscode":"vscode:mcp/install?%7B%22name%22%3A%22io.github.octo%2Fexample%22%2C%22type%22%3A%22http%22%2C%22url%22%3A%22https%3A%2F%2Fmcp.example.com%2Fmcp%22%7D",` +
		`"codex":"codex mcp add example --url https://mcp.example.com/mcp",` +
		`"gemini-cli":"gemini mcp add --transport http -s user example https://mcp.example.com/mcp"}`
	if diff := cmp.Diff(want, string(raw)); diff != "" {
		t.Error(diff)
	}
	if raw, _ := JSON(weather()); len(raw) > 1900 {
		t.Errorf("%d bytes, too large to store for every server", len(raw))
	}
}

func BenchmarkJSON(b *testing.B) {
	s := weather()
	for b.Loop() {
		if _, err := JSON(s); err != nil {
			b.Fatal(err)
		}
	}
}

func TestClients(t *testing.T) {
	for _, c := range []struct{ client, via, kind, want string }{
		{"claude-desktop", "package", KindJSON, `{"mcpServers":{"weather-mcp":{"command":"npx","args":["-y","@octo/weather-mcp@1.4.0"],"env":{"WEATHER_KEY":"YOUR_WEATHER_KEY","UNITS":"metric"}}}}`},
		{"claude-code", "package", KindCommand, `claude mcp add weather-mcp -e "WEATHER_KEY=${WEATHER_KEY}" -e UNITS=metric --scope user -- npx -y @octo/weather-mcp@1.4.0`},
		{"claude-code", "package", KindJSON, `{"mcpServers":{"weather-mcp":{"command":"npx","args":["-y","@octo/weather-mcp@1.4.0"],"env":{"WEATHER_KEY":"${WEATHER_KEY}","UNITS":"metric"}}}}`},
		{
			"claude-code", "remote", KindCommand,
			`claude mcp add --transport http weather-mcp https://mcp.weather.dev/mcp -H "Authorization: Bearer ${WEATHER_MCP_TOKEN}" -H 'X-Region: eu'`,
		},
		{
			"claude-code", "remote", KindJSON,
			`{"mcpServers":{"weather-mcp":{"type":"http","url":"https://mcp.weather.dev/mcp","headers":{"Authorization":"Bearer ${WEATHER_MCP_TOKEN}","X-Region":"eu"}}}}`,
		},
		{"vscode", "package", KindJSON, `{"inputs":[{"type":"promptString","id":"WEATHER_KEY","description":"API key","password":true}],"servers":{"io.github.octo/weather-mcp":{"type":"stdio","command":"npx","args":["-y","@octo/weather-mcp@1.4.0"],"env":{"WEATHER_KEY":"${input:WEATHER_KEY}","UNITS":"metric"}}}}`},
		{
			"windsurf", "remote", KindJSON,
			`{"mcpServers":{"weather-mcp":{"serverUrl":"https://mcp.weather.dev/mcp","headers":{"Authorization":"Bearer ${env:WEATHER_MCP_TOKEN}","X-Region":"eu"}}}}`,
		},
		{"codex", "package", KindTOML, "[mcp_servers.weather-mcp]\ncommand = \"npx\"\nargs = [\"-y\", \"@octo/weather-mcp@1.4.0\"]\nenv = { WEATHER_KEY = \"YOUR_WEATHER_KEY\", UNITS = \"metric\" }\n"},
		{
			"codex", "remote", KindTOML,
			"[mcp_servers.weather-mcp]\nurl = \"https://mcp.weather.dev/mcp\"\nbearer_token_env_var = \"WEATHER_MCP_TOKEN\"\nhttp_headers = { \"X-Region\" = \"eu\" }\n",
		},
		{
			"codex", "remote", KindCommand,
			`codex mcp add plain --url https://mcp.plain.dev/mcp --bearer-token-env-var PLAIN_TOKEN`,
		},
		{"visual-studio", "package", KindJSON, `{"inputs":[{"type":"promptString","id":"WEATHER_KEY","description":"API key","password":true}],"servers":{"io.github.octo/weather-mcp":{"type":"stdio","command":"npx","args":["-y","@octo/weather-mcp@1.4.0"],"env":{"WEATHER_KEY":"${input:WEATHER_KEY}","UNITS":"metric"}}}}`},
		{"codex", "package", KindCommand, `codex mcp add weather-mcp --env "WEATHER_KEY=${WEATHER_KEY}" --env UNITS=metric -- npx -y @octo/weather-mcp@1.4.0`},
		{
			"gemini-cli", "remote", KindJSON,
			`{"mcpServers":{"weather-mcp":{"httpUrl":"https://mcp.weather.dev/mcp","headers":{"Authorization":"Bearer $WEATHER_MCP_TOKEN","X-Region":"eu"}}}}`,
		},
		{"zed", "package", KindJSON, `{"context_servers":{"weather-mcp":{"command":"npx","args":["-y","@octo/weather-mcp@1.4.0"],"env":{"WEATHER_KEY":"YOUR_WEATHER_KEY","UNITS":"metric"}}}}`},
		{"opencode", "package", KindJSON, `{"mcp":{"weather-mcp":{"type":"local","command":["npx","-y","@octo/weather-mcp@1.4.0"],"environment":{"WEATHER_KEY":"{env:WEATHER_KEY}","UNITS":"metric"},"enabled":true}}}`},
		{
			"cline", "remote", KindJSON,
			`{"mcpServers":{"weather-mcp":{"type":"streamableHttp","url":"https://mcp.weather.dev/mcp","headers":{"Authorization":"Bearer YOUR_WEATHER_MCP_TOKEN","X-Region":"eu"}}}}`,
		},
		{
			"roo-code", "remote", KindJSON,
			`{"mcpServers":{"weather-mcp":{"type":"streamable-http","url":"https://mcp.weather.dev/mcp","headers":{"Authorization":"Bearer ${env:WEATHER_MCP_TOKEN}","X-Region":"eu"}}}}`,
		},
		{"copilot-cli", "package", KindJSON, `{"mcpServers":{"weather-mcp":{"type":"local","command":"npx","args":["-y","@octo/weather-mcp@1.4.0"],"env":{"WEATHER_KEY":"YOUR_WEATHER_KEY","UNITS":"metric"},"tools":["*"]}}}`},
	} {
		s := weather()
		if strings.Contains(c.want, "mcp add plain") {
			s = &registry.Server{
				Slug: "octo-plain", Repo: registry.Repository{Owner: "octo", Name: "plain"},
				Remotes: []registry.Remote{{
					Type: "streamable-http", URL: "https://mcp.plain.dev/mcp",
					Headers: []registry.Variable{
						{Name: "Authorization", IsRequired: true, IsSecret: true},
					},
				}},
			}
		}
		got := find(t, s, c.client, c.via, c.kind)[0].Text
		if c.kind == KindJSON {
			var v any
			if err := json.Unmarshal([]byte(got), &v); err != nil {
				t.Errorf("%s: %v", c.client, err)
			}
			var b strings.Builder
			for _, line := range strings.Split(got, "\n") {
				b.WriteString(strings.TrimLeft(line, " "))
			}
			got = strings.NewReplacer(`": `, `":`).Replace(b.String())
			got = strings.ReplaceAll(got, `,"`, `,"`)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s %s %s: %s", c.client, c.via, c.kind, diff)
		}
	}
}

func TestClientsNone(t *testing.T) {
	for name, s := range map[string]*registry.Server{
		"nothing":    {Slug: "a-b"},
		"hostile":    {Slug: "a-b", Packages: []registry.Package{{RegistryType: "npm", Identifier: "$(id)"}}},
		"local":      {Slug: "a-b", Remotes: []registry.Remote{{Type: "sse", URL: "http://localhost:8000/sse"}, {Type: "streamable-http", URL: "https://127.0.0.1/mcp"}, {Type: "streamable-http", URL: "https://localhost/mcp"}}},
		"javascript": {Slug: "a-b", Remotes: []registry.Remote{{Type: "streamable-http", URL: "javascript:alert(1)"}}},
		"user":       {Slug: "a-b", Remotes: []registry.Remote{{Type: "streamable-http", URL: "https://user:pw@mcp.example.com/"}}},
		"header":     {Slug: "a-b", Remotes: []registry.Remote{{Type: "streamable-http", URL: "https://mcp.example.com/", Headers: []registry.Variable{{Name: "A\r\nB", IsRequired: true}}}}},
	} {
		if got := Clients(s); len(got) > 0 {
			t.Errorf("%s: %+v", name, got[0])
		}
		if raw, err := JSON(s); err != nil || string(raw) != "{}" {
			t.Errorf("%s: %s %v", name, raw, err)
		}
	}
}

func TestAddressVariables(t *testing.T) {
	s := example()
	s.Remotes = []registry.Remote{{Type: "streamable-http", URL: "https://{tenant}.example.com/{path}", Variables: map[string]registry.Variable{"path": {Default: "mcp"}}}}
	for _, c := range Clients(s) {
		if c.Kind == KindLink || c.Kind == KindCommand {
			t.Errorf("%s: %s %s", c.Client, c.URL, c.Text)
		}
	}
	if got := find(t, s, "cursor", "remote", KindJSON)[0]; !strings.Contains(got.Text, "https://{tenant}.example.com/mcp") || got.Note == "" {
		t.Errorf("%+v", got)
	}
}

func TestNotes(t *testing.T) {
	s := filesystem()
	s.Packages[0].PackageArguments = []registry.Argument{{Type: "named", Name: "--dir", Value: "{folder}/notes", IsRequired: true}}
	s.Packages[0].EnvironmentVariables = []registry.Variable{{Name: "KEY", IsRequired: true, IsSecret: true}}
	for _, c := range []struct{ client, kind, want string }{
		{"cursor", KindJSON, "Set KEY in your environment first. Replace YOUR_FOLDER."},
		{"cursor", KindLink, "Set KEY in your environment first. Then replace YOUR_FOLDER in Cursor's settings. Install links never contain secrets."},
		{"zed", KindJSON, "Replace YOUR_KEY, YOUR_FOLDER."},
		{"vscode", KindLink, "VS Code asks for KEY, FOLDER."},
		{"goose", KindLink, "Then set KEY in Goose's settings. Then replace YOUR_FOLDER in Goose's settings. Install links never contain secrets."},
		{"claude-desktop", KindJSON, "Settings → Developer → Edit Config opens the file. Replace YOUR_KEY, YOUR_FOLDER."},
	} {
		if got := find(t, s, c.client, ViaPackage, c.kind)[0].Note; got != c.want {
			t.Errorf("%s %s: %s", c.client, c.kind, got)
		}
	}
	if got := find(t, s, "vscode", ViaPackage, KindJSON)[0].Text; !strings.Contains(got, `"${input:FOLDER}/notes"`) {
		t.Errorf("VS Code does not ask for the variable inside an argument: %s", got)
	}
}
