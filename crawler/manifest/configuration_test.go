package manifest

import (
	"fmt"
	"strings"
	"testing"

	"mcpcensus/crawler/shell"
	"mcpcensus/internal/registry"
)

func TestConfigure(t *testing.T) {
	word := func(text string) registry.Argument {
		return registry.Argument{Type: "positional", Value: text}
	}
	blank := func(text, name, example, description string, secret bool) registry.Argument {
		return registry.Argument{Type: "positional", Value: text, IsRequired: true,
			Variables: map[string]registry.Variable{name: {
				IsRequired: true, Placeholder: example, Description: description, IsSecret: secret,
			}}}
	}
	for name, c := range map[string]struct {
		server ClientServer
		want   registry.Configuration
		pkg    string
	}{
		"package alone": {
			ClientServer{Name: "tides", Entry: shell.Entry{
				Command: "npx", Args: []string{"-y", "tides-mcp@latest"},
			}},
			registry.Configuration{Key: "tides", Command: "npx", Runtime: []registry.Argument{word("-y")},
				Version: "@latest"},
			"npm:tides-mcp",
		},
		"options with one placeholder": {
			ClientServer{Entry: shell.Entry{Command: "uvx", Args: []string{"tides", "--zone", "<value>", "--port", "<value>"}}},
			registry.Configuration{Command: "uvx", Args: []registry.Argument{
				word("--zone"), blank("{ZONE}", "ZONE", "<value>", "value of --zone", false),
				word("--port"), blank("{PORT}", "PORT", "<value>", "value of --port", false),
			}},
			"pypi:tides",
		},
		"several placeholders in one word, and what one asks for": {
			ClientServer{Entry: shell.Entry{Command: "uvx", Args: []string{"tides", "YOUR_ZONE/YOUR_API_KEY"},
				Env: map[string]string{"TIDES_SESSION": "<YOUR_TIDES_COOKIE>"}}},
			registry.Configuration{Command: "uvx", Args: []registry.Argument{
				{Type: "positional", Value: "{ZONE}/{API_KEY}", IsRequired: true, Variables: map[string]registry.Variable{
					"ZONE":    {IsRequired: true, Placeholder: "YOUR_ZONE"},
					"API_KEY": {IsRequired: true, Placeholder: "YOUR_API_KEY", IsSecret: true}}},
			}, Env: []registry.Variable{{Name: "TIDES_SESSION", Placeholder: "<YOUR_TIDES_COOKIE>", IsSecret: true}}},
			"pypi:tides",
		},
		"a private value does not name what to fill in": {
			ClientServer{Entry: shell.Entry{Command: "uvx", Args: []string{"tides", "192.168.3.4"}}},
			registry.Configuration{Command: "uvx",
				Args: []registry.Argument{blank("{VALUE}", "VALUE", "192.168.3.4", "", false)}},
			"pypi:tides",
		},
		"header of an option": {
			ClientServer{Entry: shell.Entry{Command: "uvx",
				Args: []string{"tides", "--header", "Authorization: Bearer YOUR_KEY"}}},
			registry.Configuration{Command: "uvx", Args: []registry.Argument{word("--header"),
				blank("Authorization: Bearer {AUTHORIZATION}", "AUTHORIZATION", "YOUR_KEY", "value of Authorization", true)}},
			"pypi:tides",
		},
		"Windows shell": {
			ClientServer{Entry: shell.Entry{Command: "cmd", Args: []string{
				"/c", "npx", "-y", "tides-mcp", "start",
			}}},
			registry.Configuration{Command: "npx", Runtime: []registry.Argument{word("-y")},
				Args: []registry.Argument{word("start")}},
			"npm:tides-mcp",
		},
		"secret option": {
			ClientServer{Entry: shell.Entry{Command: "npx", Args: []string{
				"tides-mcp", "--api-key", "abc", "--stdio",
			}}},
			registry.Configuration{Command: "npx", Args: []registry.Argument{
				word("--api-key"), blank("{API_KEY}", "API_KEY", "abc", "value of --api-key", true),
				word("--stdio"),
			}},
			"npm:tides-mcp",
		},
		"options that are also variables": {
			ClientServer{Entry: shell.Entry{Command: "npx",
				Args: []string{"tides-mcp", "--api-key", "abc", "--zone=<zone>",
					"--level=<level>", "start"},
				Env: map[string]string{"API_KEY": "abc", "ZONE": "<zone>", "LEVEL": "info"}}},
			registry.Configuration{Command: "npx", Args: []registry.Argument{
				word("--api-key"), blank("{API_KEY}", "API_KEY", "abc", "value of --api-key", true),
				blank("--zone={ZONE}", "ZONE", "<zone>", "value of --zone", false),
				blank("--level={LEVEL}", "LEVEL", "<level>", "value of --level", false), word("start"),
			}, Env: []registry.Variable{{Name: "API_KEY", IsSecret: true, Placeholder: "abc"},
				{Name: "LEVEL", Value: "info"}, {Name: "ZONE", Placeholder: "<zone>"}}},
			"npm:tides-mcp",
		},
		"input": {
			ClientServer{
				Entry: shell.Entry{
					Command: "npx", Args: []string{"tides-mcp", "${input:tide_org}"},
					Env: map[string]string{"TIDE_ZONE": "${input:zone}"},
				}, Inputs: map[string]registry.Variable{
					"tide_org": {Description: "Name of the harbour"}, "zone": {Description: "Its zone"}},
			},
			registry.Configuration{Command: "npx", Args: []registry.Argument{
				blank("{TIDE_ORG}", "TIDE_ORG", "${input:tide_org}", "Name of the harbour", false),
			}, Env: []registry.Variable{{Name: "TIDE_ZONE", Description: "Its zone", Placeholder: "${input:zone}"}}},
			"npm:tides-mcp",
		},
		"defaults": {
			ClientServer{
				Entry: shell.Entry{Command: "npx", Args: []string{
					"tides-mcp", "--zone=${ZONE:-north}", "--level", "${LEVEL:-3}", "${input:port}"},
					Env: map[string]string{"TIDE_HOME": "${TIDE_HOME:-/Users/ann/tides}"}},
				Inputs: map[string]registry.Variable{"port": {Default: "80"}},
			},
			registry.Configuration{Command: "npx", Args: []registry.Argument{
				word("--zone=north"), word("--level"), word("3"),
				{Type: "positional", Value: "{PORT}", IsRequired: true, Variables: map[string]registry.Variable{
					"PORT": {IsRequired: true, Placeholder: "80"}}},
			}, Env: []registry.Variable{{Name: "TIDE_HOME", Placeholder: "/Users/ann/tides"}}},
			"npm:tides-mcp",
		},
		"joined placeholder": {
			ClientServer{Entry: shell.Entry{Command: "npx", Args: []string{
				"tides-mcp", "--apiUrl=https://your-site.dev",
			}}},
			registry.Configuration{Command: "npx", Args: []registry.Argument{
				blank("--apiUrl={API_URL}", "API_URL", "https://your-site.dev", "value of --apiUrl", false),
			}},
			"npm:tides-mcp",
		},
		"secrets without an option": {
			ClientServer{Entry: shell.Entry{Command: "uvx", Args: []string{"tides", "YOUR_TOKEN", "YOUR_TOKEN"}}},
			registry.Configuration{Command: "uvx", Args: []registry.Argument{
				blank("{TOKEN}", "TOKEN", "YOUR_TOKEN", "", true), blank("{TOKEN_2}", "TOKEN_2", "YOUR_TOKEN", "", true),
			}},
			"pypi:tides",
		},
		"an option that is repeated": {
			ClientServer{Entry: shell.Entry{Command: "uvx", Args: []string{"tides", "--sea", "<sea>", "--sea", "<sea>"}}},
			registry.Configuration{Command: "uvx", Args: []registry.Argument{
				word("--sea"), blank("{SEA}", "SEA", "<sea>", "value of --sea", false),
				word("--sea"), blank("{SEA_2}", "SEA_2", "<sea>", "value of --sea", false),
			}},
			"pypi:tides",
		},
		"text around what is to be filled in": {
			ClientServer{Entry: shell.Entry{Command: "uvx", Args: []string{"tides",
				"--header", "X-Sea: <sea>", "--env", "TIDE_A=<a>", "--env=TIDE_KEY=<b>", "octo/<harbour>",
				"--url", "https://<domain>.tides.dev/wiki/<domain>", "https://<your-host>/", "/path/to/<file>",
				"--token", "tide-<id>"}}},
			registry.Configuration{Command: "uvx", Args: []registry.Argument{
				word("--header"), blank("X-Sea: {SEA}", "SEA", "<sea>", "", false),
				word("--env"), blank("TIDE_A={A}", "A", "<a>", "", false),
				blank("--env=TIDE_KEY={TIDE_KEY}", "TIDE_KEY", "<b>", "value of TIDE_KEY", true),
				blank("octo/{HARBOUR}", "HARBOUR", "<harbour>", "", false),
				word("--url"), blank("https://{DOMAIN}.tides.dev/wiki/{DOMAIN}", "DOMAIN", "<domain>", "", false),
				blank("https://{HOST}/", "HOST", "<your-host>", "", false),
				blank("{FOLDER}", "FOLDER", "/path/to/<file>", "", false),
				word("--token"), blank("{TOKEN}", "TOKEN", "tide-<id>", "value of --token", true),
			}},
			"pypi:tides",
		},
		"folders": {
			ClientServer{Entry: shell.Entry{Command: "npx", Args: []string{
				"tides-mcp", "/Users/me/Desktop", "/path/to/other",
			}}},
			registry.Configuration{Command: "npx", Args: []registry.Argument{
				blank("{FOLDER}", "FOLDER", "/Users/me/Desktop", "", false),
				blank("{FOLDER_2}", "FOLDER_2", "/path/to/other", "", false),
			}},
			"npm:tides-mcp",
		},
		"address with a password": {
			ClientServer{Entry: shell.Entry{Command: "npx", Args: []string{
				"tides-mcp", "postgres://me:pw@localhost/db",
			}}},
			registry.Configuration{Command: "npx", Args: []registry.Argument{
				blank("{CONNECTION_STRING}", "CONNECTION_STRING", "postgres://me:pw@localhost/db", "", true),
			}},
			"npm:tides-mcp",
		},
		"script of another name": {
			ClientServer{Entry: shell.Entry{Command: "uvx", Args: []string{
				"--from", "tides-pkg", "--python", "3.12", "tides", "stdio",
			}}},
			registry.Configuration{Command: "uvx", Script: "tides",
				Runtime: []registry.Argument{word("--python"), word("3.12")},
				Args:    []registry.Argument{word("stdio")}},
			"pypi:tides-pkg",
		},
		"variables": {
			ClientServer{Entry: shell.Entry{Command: "uvx", Args: []string{"tides"},
				Env: map[string]string{
					"LEVEL": "info", "TIDES_TOKEN": "abc", "TIDES_HOST": "https://tides.example.com"}}},
			registry.Configuration{Command: "uvx", Env: []registry.Variable{
				{Name: "LEVEL", Value: "info"},
				{Name: "TIDES_HOST", Placeholder: "https://tides.example.com"},
				{Name: "TIDES_TOKEN", IsSecret: true, Placeholder: "abc"},
			}},
			"pypi:tides",
		},
		"container": {
			ClientServer{Entry: shell.Entry{Command: "docker",
				Args: []string{"run", "-i", "--rm", "-e", "A_KEY", "--env=LEVEL=info",
					"-v", "/home/me/x:/data", "ghcr.io/octo/tides:1", "stdio"},
				Env: map[string]string{"A_KEY": "<key>"}}},
			registry.Configuration{Command: "docker", Version: ":1",
				Runtime: []registry.Argument{word("-i"), word("--rm"), word("-v"),
					blank("{FOLDER}:/data", "FOLDER", "/home/me/x", "", false)},
				Args: []registry.Argument{word("stdio")},
				Env: []registry.Variable{
					{Name: "A_KEY", IsSecret: true, Placeholder: "<key>"}, {Name: "LEVEL", Value: "info"},
				}},
			"oci:ghcr.io/octo/tides",
		},
		"container, short forms": {
			ClientServer{Entry: shell.Entry{Command: "podman",
				Args: []string{"container", "run", "-it", "-eA_KEY", "--net", "host",
					"--mount", "type=bind,src=/home/me/x,dst=/data", "-v", "tides:/tides",
					"octo/tides", "-e", "x"}, Env: map[string]string{"A_KEY": "<key>"}}},
			registry.Configuration{Command: "docker",
				Runtime: []registry.Argument{word("-it"), word("--net"), word("host"), word("--mount"),
					blank("type=bind,src={FOLDER},dst=/data", "FOLDER", "/home/me/x", "", false),
					word("-v"), word("tides:/tides")},
				Args: []registry.Argument{word("-e"), word("x")},
				Env:  []registry.Variable{{Name: "A_KEY", IsSecret: true, Placeholder: "<key>"}}},
			"oci:octo/tides",
		},
		"tool": {
			ClientServer{Entry: shell.Entry{Command: "dnx", Args: []string{
				"Octo.Tides", "--yes", "--", "server", "start",
			}}},
			registry.Configuration{Command: "dnx", Runtime: []registry.Argument{word("--yes")},
				Args: []registry.Argument{word("server"), word("start")}},
			"nuget:Octo.Tides",
		},
		"source": {server: ClientServer{Entry: shell.Entry{
			Command: "node", Args: []string{"build/index.js"},
		}}},
		"bridge": {server: ClientServer{Entry: shell.Entry{
			Command: "npx", Args: []string{"mcp-remote", "https://tides.dev/mcp"},
		}}},
		"install": {server: ClientServer{Entry: shell.Entry{
			Command: "pip", Args: []string{"install", "tides"},
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, l, ok := Configure(c.server)
			if ok != (c.pkg != "") {
				t.Fatalf("ok is %v: %+v", ok, l)
			}
			if !ok {
				return
			}
			equal(t, c.want, got)
			equal(t, c.pkg, l.RegistryType+":"+l.Identifier)
		})
	}
}

// TestConfigureOptional leaves optional values of the user's configuration to the user.
func TestConfigureOptional(t *testing.T) {
	servers, err := ParseClientConfig([]byte(`{"mcpServers": {"tides": {"command": "npx", "args": ["tides-mcp"],
		"env": {"TIDE_A": "${user_config.a}", "TIDE_B": "${user_config.b}", "TIDE_C": "${user_config.c}"}}},
		"userConfig": {"a": {"required": true}, "b": {"required": false}}}`))
	if err != nil || len(servers) != 1 {
		t.Fatalf("%+v, %v", servers, err)
	}
	conf, _, _ := Configure(servers[0])
	var names []string
	for _, v := range conf.Env {
		names = append(names, v.Name)
	}
	if got := strings.Join(names, " "); got != "TIDE_A TIDE_C" {
		t.Errorf("got %s", got)
	}
	if len(servers[0].Variables()) != 3 {
		t.Errorf("got %+v", servers[0].Variables())
	}
}

// TestConfigureLong keeps what commands can have, and so much of longer ones that the reason for no
// command is their length.
func TestConfigureLong(t *testing.T) {
	for n, want := range map[int]int{60: 60, 61: 61, 200: 200, 201: 201, 250: 201} {
		c := ClientServer{Entry: shell.Entry{Command: "npx", Args: []string{"tides-mcp"}, Env: map[string]string{}}}
		for i := range n {
			c.Args = append(c.Args, fmt.Sprint("x", i))
			c.Env[fmt.Sprint("X", i)] = "1"
		}
		c.Env["X0"] = strings.Repeat("x", 3000)
		conf, _, ok := Configure(c)
		if !ok || len(conf.Args) != want || len(conf.Env) != want {
			t.Fatalf("%d: %t, %d arguments, %d variables", n, ok, len(conf.Args), len(conf.Env))
		}
		if v := conf.Env[0]; v.Value != "" || v.Placeholder != "" {
			t.Errorf("a value of 3,000 bytes is kept: %.20s", v.Value+v.Placeholder)
		}
	}
	long := ClientServer{Entry: shell.Entry{Command: "npx", Args: []string{"tides-mcp", strings.Repeat("é", 3000)}}}
	if conf, _, ok := Configure(long); !ok || len(conf.Args) != 1 || len(conf.Args[0].Value) != 2010 {
		t.Errorf("a long word: %t, %d", ok, len(conf.Args[0].Value))
	}
}
