package install

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
		"npm address":       {registry.Package{RegistryType: "npm", Identifier: "https://evil.example/x.tgz"}, ""},
		"npm git":           {registry.Package{RegistryType: "npm", Identifier: "octo/weather"}, ""},
		"npm path":          {registry.Package{RegistryType: "npm", Identifier: "../weather"}, ""},
		"npm version shell": {registry.Package{RegistryType: "npm", Identifier: "a", Version: "1.0.0 && id"}, ""},
		"npm elsewhere":     {registry.Package{RegistryType: "npm", Identifier: "a", RegistryBaseURL: "https://npm.evil.example"}, ""},
		"pypi":              {registry.Package{RegistryType: "pypi", Identifier: "mcp_weather", Version: "2.0.1rc1"}, "uvx mcp_weather==2.0.1rc1"},
		"pypi epoch":        {registry.Package{RegistryType: "pypi", Identifier: "weather", Version: "1!2.0"}, "uvx 'weather==1!2.0'"},
		"pypi option":       {registry.Package{RegistryType: "pypi", Identifier: "--from"}, ""},
		"nuget":             {registry.Package{RegistryType: "nuget", Identifier: "Octo.Weather.Mcp", Version: "1.2.3", PackageArguments: []registry.Argument{{Type: "positional", Value: "mcp"}}}, "dnx Octo.Weather.Mcp@1.2.3 --yes -- mcp"},
		"oci tag":           {registry.Package{RegistryType: "oci", Identifier: "docker.io/octo/weather:1.0", Version: "1.0"}, "docker run -i --rm docker.io/octo/weather:1.0"},
		"oci version":       {registry.Package{RegistryType: "oci", Identifier: "octo/weather", Version: "1.0", EnvironmentVariables: []registry.Variable{{Name: "KEY", IsRequired: true, IsSecret: true}}}, "docker run -i --rm -e KEY octo/weather:1.0"},
		"oci digest":        {registry.Package{RegistryType: "oci", Identifier: "ghcr.io/octo/weather@" + digest, Version: "1.0"}, "docker run -i --rm ghcr.io/octo/weather@" + digest},
		"oci option":        {registry.Package{RegistryType: "oci", Identifier: "--privileged"}, ""},
		"oci blank":         {registry.Package{RegistryType: "oci", Identifier: "a b"}, ""},
		"mcpb":              {registry.Package{RegistryType: "mcpb", Identifier: "https://github.com/o/r/releases/download/v1/x.mcpb"}, ""},
		"cargo":             {registry.Package{RegistryType: "cargo", Identifier: "weather"}, ""},
		"nothing":           {registry.Package{}, ""},
		"argument quoted":   {registry.Package{RegistryType: "npm", Identifier: "a", PackageArguments: []registry.Argument{{Type: "positional", Value: "it's $HOME; `id`"}}}, `npx -y a 'it'\''s $HOME; ` + "`id`'"},
		"argument open":     {registry.Package{RegistryType: "npm", Identifier: "a", PackageArguments: []registry.Argument{{Type: "positional", ValueHint: "allowed dir", IsRequired: true}, {Type: "named", Name: "--token", Value: "hunter2", IsSecret: true}, {Type: "named", Name: "--opt"}}}, "npx -y a YOUR_ALLOWED_DIR --token YOUR_TOKEN --opt"},
		"argument control":  {registry.Package{RegistryType: "npm", Identifier: "a", PackageArguments: []registry.Argument{{Type: "positional", Value: "x\x1b[2K"}}}, ""},
		"argument reversed": {registry.Package{RegistryType: "npm", Identifier: "a", PackageArguments: []registry.Argument{{Type: "positional", Value: "x\u202ey"}}}, ""},
		"variable name":     {registry.Package{RegistryType: "npm", Identifier: "a", EnvironmentVariables: []registry.Variable{{Name: "A=$(id)", IsRequired: true}}}, ""},
	} {
		if got := Command(c.p); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		l, ok := Of(c.p)
		if ok != (c.want != "") || ok && l.Env == nil {
			t.Errorf("%s: %+v %v", name, l, ok)
		}
	}
	got, ok := For([]registry.Package{{RegistryType: "mcpb", Identifier: "x"}, {RegistryType: "pypi", Identifier: "b"}})
	if got != "uvx b" || !ok {
		t.Errorf("For: %q %v", got, ok)
	}
	if got, ok := For(nil); got != "" || ok {
		t.Errorf("For(nil): %q %v", got, ok)
	}
}

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

func TestLinksAreThePublishedOnesByteForByte(t *testing.T) {
	for _, c := range []struct {
		s                 *registry.Server
		client, via, want string
	}{
		{filesystem(), "cursor", "package", "cursor://anysphere.cursor-deeplink/mcp/install?name=filesystem&config=eyJjb21tYW5kIjoibnB4IiwiYXJncyI6WyIteSIsIkBtb2RlbGNvbnRleHRwcm90b2NvbC9zZXJ2ZXItZmlsZXN5c3RlbSIsIi90bXAiXSwiZW52Ijp7IkxPR19MRVZFTCI6ImluZm8ifX0%3D"},
		{example(), "cursor", "remote", "cursor://anysphere.cursor-deeplink/mcp/install?name=example&config=eyJ1cmwiOiJodHRwczovL21jcC5leGFtcGxlLmNvbS9tY3AifQ%3D%3D"},
		{filesystem(), "vscode", "package", "vscode:mcp/install?%7B%22name%22%3A%22filesystem%22%2C%22type%22%3A%22stdio%22%2C%22command%22%3A%22npx%22%2C%22args%22%3A%5B%22-y%22%2C%22%40modelcontextprotocol%2Fserver-filesystem%22%2C%22%2Ftmp%22%5D%2C%22env%22%3A%7B%22LOG_LEVEL%22%3A%22info%22%7D%7D"},
		{example(), "vscode", "remote", "vscode:mcp/install?%7B%22name%22%3A%22example%22%2C%22type%22%3A%22http%22%2C%22url%22%3A%22https%3A%2F%2Fmcp.example.com%2Fmcp%22%7D"},
		{filesystem(), "vscode", "package", "https://vscode.dev/redirect/mcp/install?name=filesystem&config=%7B%22type%22%3A%22stdio%22%2C%22command%22%3A%22npx%22%2C%22args%22%3A%5B%22-y%22%2C%22%40modelcontextprotocol%2Fserver-filesystem%22%2C%22%2Ftmp%22%5D%2C%22env%22%3A%7B%22LOG_LEVEL%22%3A%22info%22%7D%7D"},
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
		Remotes: []registry.Remote{{Type: "streamable-http", URL: "https://mcp.weather.example/mcp", Headers: []registry.Variable{
			{Name: "Authorization", IsRequired: true, IsSecret: true, Value: "Bearer sk-real-secret"}, {Name: "X-Region", Value: "eu"},
		}}},
	}
}

func TestSecretsNeverStandInASnippet(t *testing.T) {
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

func TestJSONIsShort(t *testing.T) {
	raw, err := JSON(example())
	if err != nil {
		t.Fatal(err)
	}
	want := `{"mcpServers":{"example":{"type":"http","url":"https://mcp.example.com/mcp"}},` +
		`"claude-code":"claude mcp add --transport http example https://mcp.example.com/mcp",` +
		`"cursor":"cursor://anysphere.cursor-deeplink/mcp/install?name=example&config=eyJ1cmwiOiJodHRwczovL21jcC5leGFtcGxlLmNvbS9tY3AifQ%3D%3D",` +
		`"vscode":"vscode:mcp/install?%7B%22name%22%3A%22example%22%2C%22type%22%3A%22http%22%2C%22url%22%3A%22https%3A%2F%2Fmcp.example.com%2Fmcp%22%7D",` +
		`"codex":"codex mcp add example --url https://mcp.example.com/mcp",` +
		`"gemini-cli":"gemini mcp add --transport http -s user example https://mcp.example.com/mcp"}`
	if diff := cmp.Diff(want, string(raw)); diff != "" {
		t.Error(diff)
	}
	if raw, _ := JSON(weather()); len(raw) > 1500 {
		t.Errorf("%d bytes: it is kept for every server", len(raw))
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

func TestSnippetsOfEachClient(t *testing.T) {
	for _, c := range []struct{ client, via, kind, want string }{
		{"claude-desktop", "package", KindJSON, `{"mcpServers":{"weather-mcp":{"command":"npx","args":["-y","@octo/weather-mcp@1.4.0"],"env":{"WEATHER_KEY":"YOUR_WEATHER_KEY","UNITS":"metric"}}}}`},
		{"claude-code", "package", KindCommand, `claude mcp add weather-mcp -e "WEATHER_KEY=${WEATHER_KEY}" -e UNITS=metric --scope user -- npx -y @octo/weather-mcp@1.4.0`},
		{"claude-code", "package", KindJSON, `{"mcpServers":{"weather-mcp":{"command":"npx","args":["-y","@octo/weather-mcp@1.4.0"],"env":{"WEATHER_KEY":"${WEATHER_KEY}","UNITS":"metric"}}}}`},
		{"claude-code", "remote", KindCommand, `claude mcp add --transport http weather-mcp https://mcp.weather.example/mcp -H "Authorization: Bearer ${WEATHER_MCP_TOKEN}" -H 'X-Region: eu'`},
		{"claude-code", "remote", KindJSON, `{"mcpServers":{"weather-mcp":{"type":"http","url":"https://mcp.weather.example/mcp","headers":{"Authorization":"Bearer ${WEATHER_MCP_TOKEN}","X-Region":"eu"}}}}`},
		{"vscode", "package", KindJSON, `{"inputs":[{"type":"promptString","id":"WEATHER_KEY","description":"API key","password":true}],"servers":{"weather-mcp":{"type":"stdio","command":"npx","args":["-y","@octo/weather-mcp@1.4.0"],"env":{"WEATHER_KEY":"${input:WEATHER_KEY}","UNITS":"metric"}}}}`},
		{"windsurf", "remote", KindJSON, `{"mcpServers":{"weather-mcp":{"serverUrl":"https://mcp.weather.example/mcp","headers":{"Authorization":"Bearer ${env:WEATHER_MCP_TOKEN}","X-Region":"eu"}}}}`},
		{"codex", "package", KindTOML, "[mcp_servers.weather-mcp]\ncommand = \"npx\"\nargs = [\"-y\", \"@octo/weather-mcp@1.4.0\"]\nenv = { WEATHER_KEY = \"YOUR_WEATHER_KEY\", UNITS = \"metric\" }\n"},
		{"codex", "remote", KindTOML, "[mcp_servers.weather-mcp]\nurl = \"https://mcp.weather.example/mcp\"\nbearer_token_env_var = \"WEATHER_MCP_TOKEN\"\nhttp_headers = { \"X-Region\" = \"eu\" }\n"},
		{"codex", "remote", KindCommand, `codex mcp add plain --url https://mcp.plain.example/mcp --bearer-token-env-var PLAIN_TOKEN`},
		{"visual-studio", "package", KindJSON, `{"inputs":[{"type":"promptString","id":"WEATHER_KEY","description":"API key","password":true}],"servers":{"weather-mcp":{"type":"stdio","command":"npx","args":["-y","@octo/weather-mcp@1.4.0"],"env":{"WEATHER_KEY":"${input:WEATHER_KEY}","UNITS":"metric"}}}}`},
		{"codex", "package", KindCommand, `codex mcp add weather-mcp --env "WEATHER_KEY=${WEATHER_KEY}" --env UNITS=metric -- npx -y @octo/weather-mcp@1.4.0`},
		{"gemini-cli", "remote", KindJSON, `{"mcpServers":{"weather-mcp":{"httpUrl":"https://mcp.weather.example/mcp","headers":{"Authorization":"Bearer $WEATHER_MCP_TOKEN","X-Region":"eu"}}}}`},
		{"zed", "package", KindJSON, `{"context_servers":{"weather-mcp":{"command":"npx","args":["-y","@octo/weather-mcp@1.4.0"],"env":{"WEATHER_KEY":"YOUR_WEATHER_KEY","UNITS":"metric"}}}}`},
		{"opencode", "package", KindJSON, `{"mcp":{"weather-mcp":{"type":"local","command":["npx","-y","@octo/weather-mcp@1.4.0"],"environment":{"WEATHER_KEY":"{env:WEATHER_KEY}","UNITS":"metric"},"enabled":true}}}`},
		{"cline", "remote", KindJSON, `{"mcpServers":{"weather-mcp":{"type":"streamableHttp","url":"https://mcp.weather.example/mcp","headers":{"Authorization":"Bearer YOUR_WEATHER_MCP_TOKEN","X-Region":"eu"}}}}`},
		{"roo-code", "remote", KindJSON, `{"mcpServers":{"weather-mcp":{"type":"streamable-http","url":"https://mcp.weather.example/mcp","headers":{"Authorization":"Bearer ${env:WEATHER_MCP_TOKEN}","X-Region":"eu"}}}}`},
		{"copilot-cli", "package", KindJSON, `{"mcpServers":{"weather-mcp":{"type":"local","command":"npx","args":["-y","@octo/weather-mcp@1.4.0"],"env":{"WEATHER_KEY":"YOUR_WEATHER_KEY","UNITS":"metric"},"tools":["*"]}}}`},
	} {
		s := weather()
		if strings.Contains(c.want, "mcp add plain") {
			s = &registry.Server{Slug: "octo-plain", Repo: registry.Repository{Owner: "octo", Name: "plain"}, Remotes: []registry.Remote{{Type: "streamable-http", URL: "https://mcp.plain.example/mcp",
				Headers: []registry.Variable{{Name: "Authorization", IsRequired: true, IsSecret: true}}}}}
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

func TestServersThatNoClientCanBeSetUpFor(t *testing.T) {
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

func TestAddressesWithVariablesAreNoLinks(t *testing.T) {
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

// Whatever stands in a record, the shell sees the words that were meant, and
// nothing runs.
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
			Remotes: []registry.Remote{{Type: "streamable-http", URL: "https://h.example/" + arg, Headers: p.EnvironmentVariables}}}
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
