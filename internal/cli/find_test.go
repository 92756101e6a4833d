package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/client"
)

func TestFind(t *testing.T) {
	var all strings.Builder
	for _, args := range []string{
		"search weather --limit 1", "show " + server, "check octo-labs/weather-mcp",
		"clients",
	} {
		m := newMachine(t, newRegistry(t))
		out, errs := m.must(0, strings.Fields(args)...)
		fmt.Fprintf(&all, "-- %s --\n%s%s\n", args, out, errs)
	}
	golden(t, "find.golden", all.String())
}

func TestFindJSON(t *testing.T) {
	for _, args := range []string{
		"search weather", "show " + server, "check octo-labs/weather-mcp",
		"list", "clients", "outdated", "audit",
	} {
		t.Run(args, func(t *testing.T) {
			m := newMachine(t, newRegistry(t))
			out, errs := m.must(0, append(strings.Fields(args), "--json")...)
			if !json.Valid([]byte(out)) || errs != "" {
				t.Errorf("got %s and %s", out, errs)
			}
		})
	}
}

// TestShowJSON checks that a record has the registry's members and those of its health report.
func TestShowJSON(t *testing.T) {
	f := newRegistry(t)
	f.detail["later"] = 1.5
	f.detail["toolList"].(map[string]any)["hash"] = "h"
	out, _ := newMachine(t, f).must(0, "show", server, "--json")
	var got map[string]any
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	want := maps.Clone(f.detail)
	maps.Copy(want, map[string]any{"health": f.health, "toolsHash": "h", "latestVersion": "1.6.0",
		"command": "npx -y @octo-labs/weather-mcp@1.6.0", "reason": nil})
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestDates checks that facts have their source and date, with and without a key.
func TestDates(t *testing.T) {
	f := newRegistry(t)
	f.detail["liveness"], f.detail["copyOf"] = "alive", "a-b"
	f.detail["copySince"], f.detail["downloadsAt"] = "2026-11-03T12:00:00Z", "2026-11-04T12:00:00Z"
	f.detail["licenseSource"] = "manifest"
	f.detail["suspiciousRules"] = []any{"R1", "R3"}
	f.health["risks"] = []any{risky("endpoint-down", "Its endpoint is down.")}
	f.health["suspiciousTexts"] = []any{map[string]any{"rule": "R1", "tool": "read",
		"field": "description", "quote": "a<U+200B>b", "source": "run", "readAt": "2026-11-03T12:00:00Z"}}
	f.health["inspections"] = []any{map[string]any{"registryType": "npm", "identifier": "w",
		"inspection": map[string]any{"outcome": "crashed", "version": "1.6.0", "detail": "no\x1b key",
			"at": "2026-11-05T12:00:00Z"}}}
	f.health["caps"] = []any{
		map[string]any{"id": "remote_dead", "max": 29, "reason": "Its endpoint is down.", "applied": true,
			"source": "probe", "at": "2026-11-03T12:00:00Z"},
		map[string]any{"id": "low_coverage", "max": 60, "reason": "Too little is known."}}
	f.health["scoreVersion"] = "mh-2.1.1"
	f.detail["latestVersionSource"].(map[string]any)["source"] = "pypi"
	f.detail["repository"].(map[string]any)["subfolder"] = "src/weather"
	f.detail["remotes"] = []any{
		map[string]any{"type": "sse", "url": "https://b.example", "liveness": map[string]any{
			"state": "unreachable", "checkedAt": "2026-11-01T12:00:00Z"}},
		map[string]any{"type": "sse", "url": "https://a.example", "liveness": map[string]any{
			"state": "alive_open", "checkedAt": "2026-11-02T12:00:00Z", "uptime30": 0.996, "probes": 120}},
	}
	for _, key := range []string{"mcp_key", ""} {
		m := newMachine(t, f)
		m.variables["CENSUS_API_KEY"] = key
		for command, want := range map[string]string{
			"show " + server: `Health 98 A, scored 20 Nov 2026
				Repository read 20 Nov 2026
				Downloads 53,296 in 30 days, from package registries, counted 4 Nov 2026
				License MIT, from the manifest, read 20 Nov 2026
				Version 1.6.0, from PyPI, read 20 Nov 2026
				Category data, from github.com, read 20 Nov 2026
				Stars 1,240 (whole repository), from github.com, read 20 Nov 2026
				Linked yes, from github.com, read 20 Nov 2026
				Start from github.com, read 20 Nov 2026
				Tool tokens about 57
				Tools from source 1.6.0, read 20 Nov 2026
				Suspicious text R1, R3
				Endpoint alive, checked 2 Nov 2026, up 99.6% of 120 probes in 30 days
				Copy of a-b, found 3 Nov 2026
				! Its endpoint is down. (probe, 3 Nov 2026)
				R1, description of read: a<U+200B>b (run, 3 Nov 2026)
				Packages in a sandbox npm w: Crashed when started in a sandbox without network and ` +
				"with made-up values, version 1.6.0. Checked 5 Nov 2026. no<U+001B> key",
			"check o/r": `! at most 29: Its endpoint is down. (probe, 3 Nov 2026)
				! at most 60: Too little is known. (model mh-2.1.1, 20 Nov 2026)`,
		} {
			out, _ := m.must(0, strings.Fields(command)...)
			out = strings.Join(strings.Fields(out), " ") + " "
			for line := range strings.Lines(want) {
				if line = strings.TrimSpace(line); !strings.Contains(out, line+" ") {
					t.Errorf("%s with the key %q: no %q in %s", command, key, line, out)
				}
			}
		}
	}
}

// TestSearch_risks checks that a search shows risks.
func TestSearch_risks(t *testing.T) {
	f := newRegistry(t)
	f.detail["risks"] = []any{risky("copy", "A copy."), risky("endpoint-down", "It is down."),
		risky("copy", "A copy of another.")}
	f.detail["toolList"], f.detail["toolCount"] = nil, nil
	out, _ := newMachine(t, f).must(0, "search", "weather", "--limit", "1")
	want := "1,240 – unknown copy, endpoint-down octo-labs-weather-mcp Weather"
	if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
		t.Errorf("no %q in %s", want, out)
	}
}

// Texts of servers cannot send commands to the terminal.
func TestControlCharacters(t *testing.T) {
	f := newRegistry(t)
	f.detail["description"] = "a\x1b]0;x\x07b\u202ec\u200bd\ne"
	f.detail["name"] = "\x1b[31mred"
	m := newMachine(t, f)
	for _, args := range []string{"show " + server, "search x"} {
		out, _ := m.must(0, strings.Fields(args)...)
		if strings.ContainsAny(out, "\x1b\x07\u202e\u200b") || !strings.Contains(out, "b<U+202E>c<U+200B>d e") {
			t.Errorf("%s prints %q", args, out)
		}
	}
}

func TestExitStatuses(t *testing.T) {
	tests := []struct {
		name, args string
		change     func(*fakeRegistry)
		want       int
		text       string
	}{
		{"not listed", "show nobody", nil, ExitNotFound, "No server of that name"},
		{
			"no server",
			"check o/r",
			func(f *fakeRegistry) { f.health["isMcpServer"], f.health["score"] = false, nil },
			ExitNoServer,
			"",
		},
		{"no score", "check o/r", func(f *fakeRegistry) { f.health["score"] = nil }, ExitNoScore, ""},
		{
			"gone",
			"show " + server,
			func(f *fakeRegistry) { f.answers["/api/health"] = 410 },
			ExitNotFound,
			"status 410",
		},
		{
			"bad request",
			"search x",
			func(f *fakeRegistry) { f.answers["/api/discover"] = 400 },
			exitUsage,
			"status 400",
		},
		{
			"no key",
			"search x",
			func(f *fakeRegistry) { f.answers["/api/discover"] = 401 },
			exitFailure,
			"CENSUS_API_KEY",
		},
		{
			"limit",
			"search x",
			func(f *fakeRegistry) { f.answers["/api/discover"] = 422 },
			exitUsage,
			"status 422",
		},
		{
			"not an answer",
			"search x",
			func(f *fakeRegistry) { f.answers["/api/discover"] = "x" },
			exitFailure,
			"cannot read the response",
		},
		{"limit of nothing", "search --limit 0", nil, exitUsage, "--limit must be"},
		{"negative limit", "search --limit -1", nil, exitUsage, "--limit must be"},
		{"no registry", "search x --registry http://127.0.0.1:1", nil, exitFailure, "does not respond"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newRegistry(t)
			if tt.change != nil {
				tt.change(f)
			}
			_, errs := newMachine(t, f).must(tt.want, strings.Fields(tt.args)...)
			if !strings.Contains(errs, tt.text) {
				t.Errorf("got %q, want %q", errs, tt.text)
			}
		})
	}
}

func TestAudit(t *testing.T) {
	cursor := func(entries string) map[string]string {
		return map[string]string{"~/.cursor/mcp.json": `{"mcpServers": {` + entries + `}}`}
	}
	const pinned = `"w": {"command": "npx", "args": ["-y", "@octo-labs/weather-mcp@%s"]}`
	tests := []struct {
		name    string
		files   map[string]string
		change  func(*fakeRegistry)
		args    string
		install bool // first
		want    []string
		status  int
	}{
		{name: "nothing", want: nil},
		{name: "current", files: cursor(fmt.Sprintf(pinned, "1.6.0")), want: nil},
		{name: "newer than the registry knows", files: cursor(fmt.Sprintf(pinned, "1.10.0")), want: nil},
		{
			name:   "outdated",
			files:  cursor(fmt.Sprintf(pinned, "1.5.9")),
			want:   []string{"outdated"},
			status: exitFindings,
		},
		{
			name:  "not pinned",
			files: cursor(`"w": {"command": "npx", "args": ["@octo-labs/weather-mcp@latest"]}`),
			want:  []string{"note not-pinned"},
		},
		{
			name:  "unknown package",
			files: cursor(`"w": {"command": "uvx", "args": ["other==1"]}`),
			want:  []string{"note unknown"},
		},
		{
			name:  "own program",
			files: cursor(`"w": {"command": "/usr/bin/own", "args": ["x"]}`),
			want:  []string{"note not asked"},
		},
		{name: "low score", files: cursor(fmt.Sprintf(pinned, "1.6.0")), args: "--min-score 99",
			want: []string{"low-score"}, status: exitFindings},
		{name: "vulnerable and deprecated", files: cursor(fmt.Sprintf(pinned, "1.6.0")),
			change: func(f *fakeRegistry) {
				f.detail["risks"] = []any{risky("vulnerable", "CVE-1"), risky("deprecated", "Deprecated."),
					risky("endpoint-down", "A package does not need its endpoint.")}
			}, want: []string{"vulnerable", "deprecated", "note endpoint-down"}, status: exitFindings},
		{name: "heavy tools", files: cursor(fmt.Sprintf(pinned, "1.6.0")), args: "--max-tokens 10",
			change: func(f *fakeRegistry) { f.detail["toolTokens"] = 11 },
			want:   []string{"token-weight"}, status: exitFindings},
		{name: "tools changed since the installation", install: true,
			change: func(f *fakeRegistry) {
				f.answers["/api/servers/"+server+"/tools/changes"] = map[string]any{"changes": []any{
					map[string]any{
						"at":    now.Add(time.Hour),
						"tools": []any{map[string]any{"name": "x", "kind": "added"}},
					},
				}}
			}, want: []string{"tools-changed"}, status: exitFindings},
		{name: "tools changed before", install: true,
			change: func(f *fakeRegistry) {
				f.answers["/api/servers/"+server+"/tools/changes"] = map[string]any{"changes": []any{
					map[string]any{
						"at": now.Add(-time.Hour),
					}, map[string]any{"at": now.Add(time.Hour), "formerSource": "readme"},
				}}
			}},
		{name: "deleted", install: true,
			change: func(f *fakeRegistry) { f.answers["/api/servers/"+server] = 410 },
			want:   []string{"dead"}, status: exitFindings},
		{name: "codex and goose", files: map[string]string{
			"~/.codex/config.toml": "[mcp_servers.w]\ncommand = \"npx\"\n" +
				"args = [\"-y\", \"@octo-labs/weather-mcp@1.0.0\"]\n",
			"~/.config/goose/config.yaml": "extensions:\n  d: {type: builtin}\n" +
				"  w: {cmd: npx, args: ['@octo-labs/weather-mcp@1.0.0']}\n",
		}, want: []string{"outdated", "outdated"}, status: exitFindings},
		{name: "goose from source", files: map[string]string{
			"~/.config/goose/config.yaml": "extensions:\n  d: {type: builtin}\n" +
				"  w: {cmd: uvx, args: [--from, 'git+https://x.example/a', a]}\n",
		}, want: []string{"note not asked"}},
		{name: "the default registry", files: map[string]string{
			"~/.npmrc": "@octo-labs:registry=https://npm.example/\n@corp:registry=https://packages.example\n",
			"~/.cursor/mcp.json": `{"mcpServers": {"w": {"command": "npx", "args": ["--registry=https://npm.example",
				"@octo-labs/weather-mcp@1.5.9"], "env": {"NPM_CONFIG_CACHE": "/x", "SEARCH_INDEX": "y"}}}}`,
		}, want: []string{"outdated"}, status: exitFindings},
		{name: "own registry of a scope", files: map[string]string{
			"~/.npmrc":           "always-auth=true\n@octo-labs:registry = \"https://packages.example\"\n",
			"~/.cursor/mcp.json": `{"mcpServers": {` + fmt.Sprintf(pinned, "1.5.9") + `}}`,
		}, want: []string{"note not asked"}},
		{name: "own registry of all", files: map[string]string{
			".npmrc":             "registry=https://packages.example",
			"~/.cursor/mcp.json": `{"mcpServers": {` + fmt.Sprintf(pinned, "1.5.9") + `}}`,
		}, want: []string{"note not asked"}},
		{name: "broken file beside", files: map[string]string{
			"~/.codex/config.toml": "[",
			"~/.cursor/mcp.json":   `{"mcpServers": {` + fmt.Sprintf(pinned, "1.6.0") + `}}`,
		}, want: []string{"error ~/.codex/config.toml"}, status: exitFile},
		{name: "broken file beside a problem", files: map[string]string{
			"~/.codex/config.toml": "[",
			"~/.cursor/mcp.json":   `{"mcpServers": {` + fmt.Sprintf(pinned, "1.0.0") + `}}`,
		}, want: []string{"error ~/.codex/config.toml", "outdated"}, status: exitFindings},
		{name: "only a broken file", files: map[string]string{"~/.cursor/mcp.json": "[]"},
			want: []string{"error ~/.cursor/mcp.json"}, status: exitFile},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newRegistry(t)
			m := newMachine(t, f)
			for path, text := range tt.files {
				m.write(m.program.path(path), text)
			}
			if tt.install {
				m.must(0, "install", server, "--client", "cursor", "--yes")
			}
			if tt.change != nil {
				tt.change(f)
			}
			out, _ := m.must(tt.status,
				append(strings.Fields("audit --json"), strings.Fields(tt.args)...)...)
			var findings []finding
			if err := json.Unmarshal([]byte(out), &findings); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, x := range findings {
				if x.Error != "" {
					got = append(got, "error "+x.File)
				}
				for _, p := range x.Problems {
					got = append(got, p.Kind)
				}
				for _, n := range x.Notes {
					got = append(got, "note "+n.Kind)
				}
			}
			if strings.Join(got, ",") != strings.Join(tt.want, ",") {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			isOutdated := strings.Contains(strings.Join(tt.want, ","), "outdated")
			want := tt.status
			if isOutdated {
				want = exitFindings
			} else if want == exitFindings {
				want = 0
			}
			if status, _, errs := m.run("outdated"); status != want ||
				status == exitFile && strings.Contains(errs, "up to date") {
				t.Errorf("outdated: exit status %d, want %d\n%s", status, want, errs)
			}
			m.must(tt.status, append([]string{"audit"}, strings.Fields(tt.args)...)...)
			m.must(0, "list")
		})
	}
}

// TestOneBadAnswer checks that an answer of the registry that is invalid leaves out one entry, which
// is named, and that the others are judged.
func TestOneBadAnswer(t *testing.T) {
	for name, answer := range map[string]any{
		"of another type": map[string]any{"servers": 7, "pagination": map[string]any{}},
		"refused":         http.StatusBadRequest,
	} {
		t.Run(name, func(t *testing.T) {
			f := newRegistry(t)
			f.answers["/api/servers"] = answer
			m := newMachine(t, f)
			m.write(m.program.path("~/.cursor/mcp.json"), `{"mcpServers": {"bad\u202e": {"url": "https://tides.dev/mcp"},
				"w": {"command": "npx", "args": ["-y", "@octo-labs/weather-mcp@1.0.0"]}}}`)
			out, errs := m.must(exitFindings, "outdated")
			if !strings.Contains(out, "1.0.0") || !strings.Contains(errs, "is left out") ||
				!strings.Contains(errs, "bad") || strings.Contains(errs, "\u202e") {
				t.Errorf("%s\n%s", out, errs)
			}
			m.must(exitFindings, "audit")
			if _, errs := m.must(exitFile, "upgrade", "--yes"); strings.Contains(errs, "up to date") {
				t.Errorf("upgrade: %s", errs)
			}
		})
	}
}

// TestHomeFolder runs in the home, where paths of projects may be paths of the user.
func TestHomeFolder(t *testing.T) {
	m := newMachine(t, newRegistry(t))
	m.program.Dir = m.program.Home
	m.write(m.program.path("~/.cursor/mcp.json"), `{"mcpServers": {"w": {"command": "x"}}}`)
	for args, want := range map[string][]string{
		"": {"user"}, "--user": {"user"}, "--project": {"project"},
	} {
		out, _ := m.must(0, append([]string{"list", "--json"}, strings.Fields(args)...)...)
		var entries []configured
		if err := json.Unmarshal([]byte(out), &entries); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range entries {
			got = append(got, e.Scope)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("list %s: %s", args, d)
		}
	}
}

// TestAuditAddress looks a remote server up, with a key and without.
func TestAuditAddress(t *testing.T) {
	f := newRegistry(t)
	f.detail["remotes"] = []any{map[string]any{"type": "sse", "url": "https://mcp.weather.dev/mcp/"}}
	for _, key := range []string{"mcp_key", ""} {
		m := newMachine(t, f)
		m.variables["CENSUS_API_KEY"] = key
		for _, entry := range []string{
			`{"url": "https://mcp.weather.dev/mcp?token=hunter22"}`,
			`{"command": "npx", "args": ["mcp-remote@0.1.0", "https://MCP.weather.dev:443/mcp"]}`,
		} {
			m.write(m.program.path("~/.cursor/mcp.json"), `{"mcpServers": {"w": `+entry+`}}`)
			if out, _ := m.must(0, "audit"); !strings.Contains(out, server) {
				t.Errorf("%s: got %s", entry, out)
			}
			if out, _ := m.must(0, "list"); strings.Contains(out, "hunter22") {
				t.Errorf("the list shows the token: %s", out)
			}
		}
	}
	f.answers["/api/servers"] = map[string]any{"servers": []any{}}
	m := newMachine(t, f)
	m.write(m.program.path("~/.cursor/mcp.json"), `{"mcpServers": {"w": {"url": "https://mcp.weather.dev/mcp"}}}`)
	if out, _ := m.must(0, "audit"); !strings.Contains(out, "unknown: Not found in the registry.") {
		t.Errorf("got %s", out)
	}
}

// TestPrivateHosts checks that the registry does not learn the hosts of the user's network.
func TestPrivateHosts(t *testing.T) {
	f := newRegistry(t)
	for _, entry := range []string{
		`{"command": "npx", "args": ["-y", "--registry", "https://packages.example", "@corp/tides"]}`,
		`{"command": "npx", "args": ["--@corp:registry=https://packages.example", "@corp/tides"]}`,
		`{"command": "npx", "args": ["--userconfig=/etc/corp.npmrc", "@corp/tides"]}`,
		`{"command": "npx", "args": ["@corp/tides"], "env": {"npm_config_registry": "https://packages.example"}}`,
		`{"command": "npx", "args": ["@corp/tides"], "env": {"npm_config_@corp:registry": "https://packages.example"}}`,
		`{"command": "uvx", "args": ["-i", "https://packages.example/simple", "tides"]}`,
		`{"command": "uvx", "args": ["--extra-index-url=https://packages.example/simple", "--from", "tides", "t"]}`,
		`{"command": "uvx", "args": ["--default-index", "corp", "tides"]}`,
		`{"command": "uv", "args": ["tool", "run", "--index", "corp=https://packages.example/simple", "tides"]}`,
		`{"command": "uv", "args": ["run", "--find-links", "./wheels", "--with", "tides-mcp", "tides-mcp"]}`,
		`{"command": "pipx", "args": ["run", "--pip-args=--index-url https://packages.example", "tides"]}`,
		`{"command": "uvx", "args": ["tides"], "env": {"UV_INDEX_CORP_PASSWORD": "x"}}`,
		`{"command": "uvx", "args": ["tides"], "env": {"PIP_EXTRA_INDEX_URL": "https://packages.example"}}`,
		`{"command": "env", "args": ["UV_DEFAULT_INDEX=https://packages.example", "uvx", "tides"]}`,
		`{"command": "sh", "args": ["-c", "export UV_INDEX_URL=https://packages.example; uvx tides"]}`,
		`{"command": "cmd", "args": ["/c", "set UV_INDEX_URL=https://packages.example&& uvx tides"]}`,
		`{"command": "dnx", "args": ["Corp.Tides", "--source", "https://packages.example"]}`,
		`{"command": "docker", "args": ["run", "-i", "images.weather.dev/team/tides"]}`,
		`{"url": "https://mcp.corp.weather.dev/tides"}`,
		`{"url": "https://tides.corp.internal/mcp"}`, `{"url": "http://10.20.30.40:8080/mcp"}`,
		`{"url": "https://tides/mcp"}`, `{"url": "http://localhost:3000/mcp"}`,
		`{"command": "npx", "args": ["mcp-remote", "https://tides.corp.internal/mcp"]}`,
		`{"command": "docker", "args": ["run", "-i", "registry.corp.internal:5000/team/tides"]}`,
		`{"command": "uvx", "args": ["--from", "git+https://git.corp.internal/team/tides", "tides"]}`,
		`{"url": "https://k3v9x2m7q4w8r1t6-tides.weather.dev/mcp"}`,
	} {
		m := newMachine(t, f)
		m.write(m.program.path("~/.cursor/mcp.json"), `{"mcpServers": {"tides": `+entry+`}}`)
		if out, _ := m.must(0, "audit"); !strings.Contains(out, "not asked: It") {
			t.Errorf("%s: got %s", entry, out)
		}
		m.must(0, "outdated")
		m.must(0, "upgrade", "--yes")
	}
	m := newMachine(t, f)
	for _, id := range []string{"https://tides.corp.internal/mcp", "registry.corp.internal:5000/team/tides",
		"pypi:vault.corp.internal/x", "npm:https://u:pw@corp.dev/x", "https://u:corp/x@weather.dev/mcp"} {
		m.run("show", id)
		m.run("install", id, "--client", "cursor", "--yes")
	}
	for _, q := range f.queries {
		if strings.Contains(q, "corp") || strings.Contains(q, "tides") || strings.Contains(q, "10") {
			t.Errorf("asked %s", q)
		}
	}
}

// TestUserIndex checks that the registry does not learn the packages of an index that the user has set
// for all entries, and that install does not update them.
func TestUserIndex(t *testing.T) {
	const index = "https://packages.example/simple"
	for name, tt := range map[string]struct {
		command, variable, file, text string
		asked                         bool
	}{
		"variable of uv":          {command: "uvx", variable: "UV_DEFAULT_INDEX"},
		"variable of npm":         {command: "npx", variable: "NPM_CONFIG_REGISTRY"},
		"variable of another one": {command: "npx", variable: "UV_DEFAULT_INDEX", asked: true},
		"file of uv":              {command: "uvx", file: "~/.config/uv/uv.toml", text: "[[index]]\nurl = \"" + index + "\""},
		"file of pip":             {command: "uvx", file: "~/.config/pip/pip.conf", text: "[global]\nindex-url=" + index},
		"several of pip":          {command: "uvx", file: "~/.pip/pip.conf", text: "extra-index-url =\n  " + index},
		"no index": {command: "uvx", file: "~/.config/uv/uv.toml",
			text: "# " + index + "\npython = \"3.13\"", asked: true},
	} {
		f := newRegistry(t)
		m := newMachine(t, f)
		if m.variables[tt.variable] = index; tt.file != "" {
			m.write(m.program.path(tt.file), tt.text)
		}
		m.write(m.program.path("~/.cursor/mcp.json"),
			`{"mcpServers": {"w": {"command": "`+tt.command+`", "args": ["secret-tides"]}}}`)
		_, out, _ := m.run("audit")
		sent := strings.Contains(strings.Join(f.queries, " "), "tides")
		if strings.Contains(out, "not asked: It comes") == tt.asked || sent != tt.asked {
			t.Errorf("%s: %v %s", name, f.queries, out)
		}
	}
}

// TestSecretAddress checks that no command shows the generated part of an address.
func TestSecretAddress(t *testing.T) {
	f := newRegistry(t)
	const secret = "k3v9x2m7q4w8r1t6y5u0p3a8s2d7f4g9"
	for _, entry := range []string{
		`{"url": "https://mcp.weather.dev/s/` + secret + `/mcp"}`,
		`{"command": "npx", "args": ["mcp-remote", "https://mcp.weather.dev/s/` + secret + `/mcp"]}`,
		`{"command": "uvx", "args": ["--from", "git+https://git.example/` + secret + `/a", "a"]}`,
	} {
		m := newMachine(t, f)
		m.write(m.program.path("~/.cursor/mcp.json"), `{"mcpServers": {"weather": `+entry+`}}`)
		for _, args := range [][]string{
			{"list"}, {"list", "--json"}, {"audit"}, {"audit", "--json"},
			{"install", server, "--client", "cursor", "--name", "weather", "--yes"},
			{"install", server, "--client", "cursor", "--name", "weather", "--yes", "--json"},
		} {
			_, out, errs := m.run(args...)
			if strings.Contains(out+errs, secret) || !strings.Contains(out+errs, masked) {
				t.Errorf("%s of %s: got %s%s", args, entry, out, errs)
			}
		}
	}
}

// TestAuditAccess checks that an entry with the switch that makes its server read-only is said to be so.
func TestAuditAccess(t *testing.T) {
	f := newRegistry(t)
	f.detail["capabilities"] = map[string]any{"effect": "write", "write": 2, "readOnly": map[string]any{
		"kind": "variable", "name": "READ_ONLY", "value": "true"}}
	m := newMachine(t, f)
	m.write(m.program.path("~/.cursor/mcp.json"), `{"mcpServers": {
		"a": {"command": "npx", "args": ["@octo-labs/weather-mcp@1.6.0"], "env": {"READ_ONLY": "1"}},
		"b": {"command": "npx", "args": ["@octo-labs/weather-mcp@1.6.0"]}}}`)
	out, _ := m.must(0, "audit")
	var got []string
	for line := range strings.Lines(out) {
		if can, ok := strings.CutPrefix(line, "  · "); ok {
			got = append(got, strings.TrimSpace(can))
		}
	}
	want := []string{"Read-only with READ_ONLY=true", "can add or send (2 tools)"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestAuditAsksOnce checks that the same server in several clients is looked up once.
func TestAuditAsksOnce(t *testing.T) {
	f := newRegistry(t)
	m := newMachine(t, f)
	for _, path := range []string{"~/.cursor/mcp.json", "~/.claude.json", "~/.kiro/settings/mcp.json"} {
		m.write(m.program.path(path),
			`{"mcpServers": {"w": {"command": "npx", "args": ["@octo-labs/weather-mcp@1.6.0"]}}}`)
	}
	m.must(0, "audit")
	want := []string{"/api/discover", "/api/servers/" + server}
	if d := cmp.Diff(want, f.asked); d != "" {
		t.Error(d)
	}
}

// TestAuditOfHarmful asks for the records of harmful servers only until one is found, and does not take
// an error about another one for the entry's.
func TestAuditOfHarmful(t *testing.T) {
	harmful := func(id string) any {
		return map[string]any{"_meta": map[string]any{"x": map[string]any{"id": id,
			"risks": []any{map[string]any{"severity": "harmful", "kind": "malware", "text": "Malware."}}}}}
	}
	for name, tt := range map[string]struct {
		first  any // the answer about the first server
		ids    []any
		status int
		want   string
	}{
		"first":            {nil, []any{harmful(server), harmful("a"), harmful("b")}, 0, "3: " + server},
		"after a gone one": {410, []any{harmful("a"), harmful(server), harmful("b")}, 0, "4: " + server},
		"after a bad one":  {"x", []any{harmful("a"), harmful(server), harmful("b")}, 0, "4: " + server},
		"only a gone one":  {410, []any{harmful("a")}, 0, "2: unknown"},
		"only a bad one":   {"x", []any{harmful("a")}, exitFile, "2: left out"},
	} {
		f := newRegistry(t)
		f.answers["/api/discover"] = map[string]any{"pagination": map[string]any{}, "tools": tt.ids}
		if tt.first != nil {
			f.answers["/api/servers/a"] = tt.first
		}
		m := newMachine(t, f)
		m.write(m.program.path("~/.cursor/mcp.json"),
			`{"mcpServers": {"w": {"command": "npx", "args": ["@octo-labs/weather-mcp@1.6.0"]}}}`)
		out, errs := m.must(tt.status, "audit")
		requests, what, _ := strings.Cut(tt.want, ": ")
		if fmt.Sprint(len(f.asked)) != requests || !strings.Contains(out+errs, what) {
			t.Errorf("%s: %v %s%s, want %s", name, f.asked, out, errs, tt.want)
		}
	}
}

func TestIdentity(t *testing.T) {
	tests := map[string]string{
		"npx -y @a/b@1.2.3":                           "npm @a/b@1.2.3",
		"npx --package=@a/b@1.2.3 b-server":           "npm @a/b@1.2.3",
		"npx -p a@2.0.0 b":                            "npm a@2.0.0",
		"cmd /c npx -y a":                             "npm a",
		`C:\nodejs\npx.cmd a`:                         "npm a",
		"bunx a@latest":                               "npm a",
		"pnpm dlx a@1.0.0":                            "npm a@1.0.0",
		"pnpm dlx a@1":                                "npm a",
		"npm exec -- a":                               "npm a",
		"wsl -d Ubuntu -- npx -y a@1.0.0":             "npm a@1.0.0",
		"bash -lc npx":                                " ",
		"docker container run --net=host ghcr.io/a/b": "oci ghcr.io/a/b",
		"uvx Some_Name.MCP==1.0":                      "pypi some-name-mcp@1.0",
		"uvx --from pkg[extra]==1.0 run-it":           "pypi pkg@1.0",
		"uvx --from git+https://x.example/a run":      " https://x.example/a",
		"uv tool run pkg@2":                           "pypi pkg@2",
		"pipx run pkg":                                "pypi pkg",
		"dnx Some.Id@1.0 --yes":                       "nuget Some.Id@1.0",
		"docker run -i --rm -e KEY ghcr.io/a/b:1.2":   "oci ghcr.io/a/b@1.2",
		"docker run -i --rm --env=A=b host:5000/a/b":  "oci host:5000/a/b",
		"podman run --name x -v /a:/b mcp/thing":      "oci mcp/thing",
		"node /home/me/server.js":                     " ",
		"npx ./local":                                 " ",
		"npx":                                         " ",
		"":                                            " ",
	}
	for line, want := range tests {
		command, args, _ := strings.Cut(line, " ")
		id := identityOf(command, strings.Fields(args))
		if got := id.kind + " " + id.String(); got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

// TestCan checks the words of what servers can do.
func TestCan(t *testing.T) {
	for want, s := range map[string]client.Server{
		"read-only": {Effect: "read"}, "read-only?": {Effect: "read", EffectGuessed: true},
		"add or send?": {Effect: "write", EffectGuessed: true}, "unknown": {},
	} {
		if got := can(s).text; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
