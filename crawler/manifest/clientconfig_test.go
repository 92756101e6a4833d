package manifest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/shell"
)

func TestParseClientConfig(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []ClientServer
	}{
		"command": {
			`{"mcpServers": {/* comment */ "tides": {"command": "npx", "args": ["tides-mcp"], "env": {"KEY": "x"}}}}`,
			[]ClientServer{{Name: "tides", Entry: shell.Entry{
				Command: "npx", Args: []string{"tides-mcp"}, Env: map[string]string{"KEY": "x"},
			}}},
		},
		"remote": {
			`{"servers": {"tides": {"httpUrl": "https://tides.dev/mcp", "headers": {"A": "b"}}}}`,
			[]ClientServer{{Name: "tides", Entry: shell.Entry{
				URL: "https://tides.dev/mcp", Type: "http", Headers: map[string]string{"A": "b"},
			}}},
		},
		"parts of an address": {
			`{"servers": {"tides": {"url": "https://tides.dev/<harbour>/mcp"}}}`,
			[]ClientServer{{Name: "tides", Entry: shell.Entry{
				URL: "https://tides.dev/{harbour}/mcp",
			}}},
		},
		"command as a list": {
			`{"mcp": {"tides": {"type": "local", "command": ["uvx", "tides"], "environment": {"KEY": "x"}}}}`,
			[]ClientServer{{Name: "tides", Entry: shell.Entry{
				Command: "uvx", Args: []string{"tides"}, Env: map[string]string{"KEY": "x"},
				Type: "local",
			}}},
		},
		"command as an object": {
			`{"context_servers": {"tides": {"command": {"path": "uvx", "args": ["tides"]}}}}`,
			[]ClientServer{{Name: "tides", Entry: shell.Entry{
				Command: "uvx", Args: []string{"tides"},
			}}},
		},
		"nested": {
			`{"mcp": {"servers": {"tides": {"command": "tides"}}}}`,
			[]ClientServer{{Name: "tides", Entry: shell.Entry{Command: "tides"}}},
		},
		"unwrapped": {`{"tides": {"command": "tides"}}`, []ClientServer{{
			Name: "tides", Entry: shell.Entry{Command: "tides"},
		}}},
		"inner object": {
			`{"name": "tides", "command": "tides"}`,
			[]ClientServer{{Name: "tides", Entry: shell.Entry{Command: "tides"}}},
		},
		"list": {
			`{"mcpServers": [{"name": "tides", "url": "https://tides.dev/mcp", "type": "http", "oauth": {}}]}`,
			[]ClientServer{{Name: "tides", Entry: shell.Entry{URL: "https://tides.dev/mcp", Type: "http", OAuth: true}}},
		},
		"servers of an interface": {`{"servers": [{"name": "Test", "url": "https://tides.dev/api"}]}`, nil},
		"none":                    {`{"tides": {"port": 80}}`, nil},
	} {
		t.Run(name, func(t *testing.T) { equal(t, c.want, must(t, ParseClientConfig, c.text)) })
	}
}

func TestParseAddition(t *testing.T) {
	npx := func(shown bool, env map[string]string) ClientServer {
		return ClientServer{Name: "tides", Entry: shell.Entry{Command: "npx", Args: []string{"-y", "tides-mcp"}, Env: env}, Shell: shown}
	}
	remote := func(kind string, headers map[string]string) ClientServer {
		return ClientServer{Name: "tides", Entry: shell.Entry{URL: "https://tides.dev/mcp", Type: kind, Headers: headers}}
	}
	key := map[string]string{"KEY": "x"}
	zone := map[string]string{"X-Zone": "${zone}"}
	for line, want := range map[string]ClientServer{
		"claude mcp add --transport http -s user tides https://tides.dev/mcp":                                             remote("http", nil),
		"gemini mcp add tides https://tides.dev/mcp --transport sse":                                                      remote("sse", nil),
		`droid mcp add tides https://tides.dev/mcp --type http --header 'X-Zone: ${zone}'`:                                remote("http", zone),
		"codex mcp add tides --url https://tides.dev/mcp":                                                                 remote("", nil),
		"codex mcp add tides --url https://tides.dev/mcp --bearer-token-env-var TIDE":                                     remote("", map[string]string{"Authorization": "Bearer ${TIDE}"}),
		`amp mcp add tides --header "X-Zone=${zone}" https://tides.dev/mcp`:                                               remote("", zone),
		`claude mcp add-json tides '{"url": "https://tides.dev/mcp", "type": "http"}'`:                                    remote("http", nil),
		"gemini mcp add -e KEY=x tides npx -y tides-mcp":                                                                  npx(true, key),
		"amp mcp add tides --env KEY=x -- npx -y tides-mcp":                                                               npx(true, key),
		"claude mcp remove tides && claude mcp add tides -- npx -y tides-mcp":                                             npx(true, nil),
		`droid mcp add tides "npx -y tides-mcp" --env KEY=x`:                                                              npx(true, key),
		`claude mcp add-json -s user tides '{"command": "npx", "args": ["-y", "tides-mcp"]}'`:                             npx(false, nil),
		`claude mcp add-json tides "{\"command\": \"npx\", \"args\": [\"-y\", \"tides-mcp\"]}"`:                           npx(false, nil),
		`code-insiders --add-mcp='{"name": "tides", "command": "npx", "args": ["-y", "tides-mcp"], "env": {"KEY": "x"}}'`: npx(false, key),
		`code --add-mcp '{\"name\": \"tides\", \"command\": \"npx\", \"args\": [\"-y\", \"tides-mcp\"]}'`:                 npx(false, nil),
		"claude mcp add tides --env KEY=x --env=B='y z' -- npx -y tides-mcp /path":                                        {Name: "tides", Entry: shell.Entry{Command: "npx", Args: []string{"-y", "tides-mcp", "/path"}, Env: map[string]string{"KEY": "x", "B": "y z"}}, Shell: true},
		"claude mcp add tides tides --dir /srv":                                                                           {Name: "tides", Entry: shell.Entry{Command: "tides", Args: []string{"--dir", "/srv"}}, Shell: true},
		"claude mcp add tides -e KEY=<your key> -- npx tides-mcp --dir <a path>":                                          {Name: "tides", Entry: shell.Entry{Command: "npx", Args: []string{"tides-mcp", "--dir", "<a path>"}, Env: map[string]string{"KEY": "<your key>"}}, Shell: true},

		"kiro-cli mcp add --name tides --scope global --command npx --args -y,tides-mcp --env KEY=x": npx(true, key),
		"claude mcp add tides npx -y tides-mcp -e KEY=x":                                             npx(true, key),
		"claude mcp add tides docker run -e KEY=x octo/tides": {Name: "tides", Shell: true,
			Entry: shell.Entry{Command: "docker", Args: []string{"run", "-e", "KEY=x", "octo/tides"}}},
		`q mcp add --name tides --command=npx --args '["-y", "tides-mcp"]'`: npx(true, nil),

		"$ code --add-mcp '{\"name\": \"tides\"}'": {},
	} {
		got, ok := ParseAddition(line)
		if !ok {
			t.Errorf("%s: adds no server", line)
		}
		equal(t, want, got)
	}
	for _, line := range []string{
		"npx tides-mcp", "npx tides-mcp --add-mcp x", "claude mcp add", "claude mcp list", "echo claude mcp add tides",
	} {
		if got, ok := ParseAddition(line); ok {
			t.Errorf("%s: adds %+v", line, got)
		}
	}
}

// TestLaunch checks that a wrapper's variables count as those of the configuration, and are the
// ones that the server gets.
func TestLaunch(t *testing.T) {
	set := map[string]string{"TIDE_KEY": "a", "TIDE_ZONE": "north"}
	for name, c := range map[string]struct {
		server ClientServer
		want   map[string]string
	}{
		"none": {
			ClientServer{Entry: shell.Entry{Command: "npx", Args: []string{"tides-mcp"}, Env: set}},
			set,
		},
		"wrapper": {
			ClientServer{Entry: shell.Entry{
				Command: "env", Args: []string{"TIDE_KEY=b", "LEVEL=c", "npx", "tides-mcp"},
				Env: set,
			}},
			map[string]string{"TIDE_KEY": "b", "TIDE_ZONE": "north", "LEVEL": "c"}},
		"not understood": {
			ClientServer{Entry: shell.Entry{Command: "tides", Args: []string{"start"}, Env: set}},
			set,
		},
		"endpoint": {
			ClientServer{Entry: shell.Entry{URL: "https://tides.dev/mcp"}}, map[string]string{},
		},
	} {
		l, err := c.server.Launch()
		if (err != nil) != (name == "not understood" || name == "endpoint") {
			t.Errorf("%s: %v", name, err)
		}
		if d := cmp.Diff(c.want, l.Env); d != "" {
			t.Errorf("%s: (-want +got)\n%s", name, d)
		}
	}
	if d := cmp.Diff(map[string]string{"TIDE_KEY": "a", "TIDE_ZONE": "north"}, set); d != "" {
		t.Errorf("the configuration has changed: %s", d)
	}
}
