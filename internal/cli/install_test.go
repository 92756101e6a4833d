package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"mcpcensus/internal/registry"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/clientfile"
	"mcpcensus/internal/install"
)

// samples returns files that a client may have, by name.
func samples(p install.Place) map[string]string {
	switch clientfile.Format(p.Kind) {
	case clientfile.TOML:
		return map[string]string{
			"empty": "",
			"comments": "# mine\nmodel = \"o\" # the model\n\n[mcp_servers.other] # other\n" +
				"command = \"x\"\n# of other\n\n# the end\n[tui]\n# nothing\n",
			"others": "model = \"o\"\n\n[mcp_servers.other]\ncommand = 'x'\nargs = [\n" +
				"  \"1\",   \"2\",\n]\n\n[mcp_servers.other.env]\nA = \"b\"\n",
			"broken": "[mcp_servers.other\ncommand = 1\n",
		}
	case clientfile.YAML:
		return map[string]string{
			"empty": "",
			"comments": "# mine\nGOOSE_MODE: auto # mode\nextensions: # all\n  # of developer\n" +
				"  developer:\n    enabled: true # yes\n    type: builtin\n\n# the end\nlast: x\n",
			"others": "extensions:\n    other:\n        cmd:   x\n        args: [\"1\",  '2']\n" +
				"        type: stdio\nGOOSE_MODE: auto\n",
			"broken": "extensions: [\n",
		}
	}
	return map[string]string{
		"empty": "",
		"comments": "// mine\n{\n  \"theme\": \"dark\", // dark\n  \"" + p.Section +
			"\": {\n    /* of other */\n    \"other\": {\"command\": \"x\"}, // last\n  },\n}\n",
		"others": "{\n\t\"theme\" : \"dark\",\n\t\"" + p.Section +
			"\": {\n\t\t\"other\": {\"command\": \"x\",\n\t\t\t\"args\": [\"1\",   \"2\"]}\n\t},\n" +
			"\t\"last\": 1.50\n}",
		"broken": "{\"" + p.Section + "\": {\"other\": {}\n",
	}
}

// TestInstall sets every client up, with every form of file.
func TestInstall(t *testing.T) {
	for _, p := range install.Places() {
		t.Run(p.Client, func(t *testing.T) {
			var all strings.Builder
			for _, sample := range []string{"absent", "empty", "comments", "others", "broken"} {
				m := newMachine(t, newRegistry(t))
				path := m.program.path(m.program.userFiles(p)[0])
				before, exists := samples(p)[sample]
				if exists {
					m.write(path, before)
				}
				fmt.Fprintf(&all, "-- %s --\n", sample)
				if sample == "broken" {
					_, errs := m.must(exitFile, "install", server, "--client", p.Client, "--yes")
					fmt.Fprintf(&all, "%s", errs)
					if m.read(path) != before {
						t.Errorf("a broken file is changed:\n%s", m.read(path))
					}
					continue
				}
				m.must(0, "install", server, "--client", p.Client, "--yes")
				after := m.read(path)
				all.WriteString(after + "\n")
				if backup, err := os.ReadFile(path + ".20261122T100000.bak"); exists &&
					(err != nil || string(backup) != before) {
					t.Errorf("%s: the backup is %q, %v", sample, backup, err)
				}
				m.must(0, "install", server, "--client", p.Client, "--yes")
				if m.read(path) != after {
					t.Errorf("%s: installed twice, the file differs", sample)
				}
				// The questions of VS Code stay, since others may use them.
				name := "weather"
				if p.Section == "servers" {
					name = "io.github.octo-labs/weather-mcp"
				}
				m.must(0, "uninstall", name, "--client", p.Client, "--yes")
				if got := m.read(path); sample != "absent" && sample != "empty" &&
					p.Section != "servers" &&
					got != before {
					t.Errorf("%s: uninstall does not restore the file:\n%s", sample, got)
				}
			}
			golden(t, "install/"+p.Client+".golden", all.String())
		})
	}
}

// TestInstallRemote sets every client up for a server at an address.
func TestInstallRemote(t *testing.T) {
	var all strings.Builder
	for _, p := range install.Places() {
		f := newRegistry(t)
		f.detail["remotes"] = []any{map[string]any{"url": "https://mcp.weather.dev/mcp"}}
		f.detail["install"] = map[string]any{"clients": map[string]any{"mcpServers": map[string]any{
			"weather": map[string]any{"type": "http", "url": "https://mcp.weather.dev/mcp",
				"headers": map[string]any{"Authorization": "Bearer YOUR_WEATHER_TOKEN",
					"X-Mode": "fast"}},
		}}}
		m := newMachine(t, f)
		status, _, errs := m.run("install", server, "--client", p.Client, "--yes")
		fmt.Fprintf(&all, "-- %s: %d --\n%s", p.Client, status, errs)
		if path := m.program.path(m.program.userFiles(p)[0]); exists(path) {
			all.WriteString(m.read(path))
		}
	}
	golden(t, "install/remote.golden", all.String())
}

func risky(kind, text string) map[string]any {
	severity := registry.SeverityCaution
	if kind == registry.RiskEndpointDown {
		severity = registry.SeverityNotice
	}
	return map[string]any{"kind": kind, "text": text, "severity": severity, "source": "probe",
		"at": "2026-11-03T12:00:00Z"}
}

// TestInstallNotes checks that a package is installed although its endpoint is down.
func TestInstallNotes(t *testing.T) {
	f := newRegistry(t)
	f.detail["risks"] = []any{risky("endpoint-down", "Its endpoint is down.")}
	m := newMachine(t, f)
	_, errs := m.must(0, "install", server, "--client", "cursor", "--yes")
	if want := "Note: Its endpoint is down."; !strings.Contains(errs, want) {
		t.Errorf("no %q in %s", want, errs)
	}
}

// TestInstallAccess checks that --read-only sets the switch in new entries, and only where it is
// known.
func TestInstallAccess(t *testing.T) {
	f := newRegistry(t)
	m := newMachine(t, f)
	args := []string{"install", server, "--client", "cursor", "--yes"}
	m.must(exitRefused, append(args, "--read-only")...)
	i, effect := f.detail["install"].(map[string]any), f.detail["effect"]
	f.detail["effect"] = "read" // it does nothing else
	m.must(0, append(args, "--read-only", "--dry-run")...)
	f.detail["effect"] = effect
	i["access"], i["alternative"] = "full", map[string]any{"command": "x",
		"clients": map[string]any{"mcpServers": map[string]any{"weather": map[string]any{"command": "npx",
			"args": []any{"-y", "@octo-labs/weather-mcp@1.6.0", "--read-only"}}}}}
	const path = "~/.cursor/mcp.json"
	m.must(2, append(args, "--read-only", "--full-access")...)
	for _, tt := range []struct {
		flag      string
		has, note bool
	}{{"--dry-run", true, true}, {"--read-only", true, false}, {"--full-access", false, false}} {
		os.Remove(m.program.path(path))
		out, errs := m.must(0, append(args, tt.flag)...)
		if strings.Contains(out, "+") && strings.Contains(out, `"--read-only"`) != tt.has ||
			strings.Contains(errs, "Note: a new entry is read-only; --full-access") != tt.note {
			t.Errorf("%s: %s%s", tt.flag, out, errs)
		}
	}
	m.must(2, append(args, "--read-only")...) // it exists
	for answer, want := range map[string]bool{"": true, "1": true, "2": false} {
		os.Remove(m.program.path(path))
		asked := 0
		m.program.Ask = func(_ context.Context, question string, _ bool) (string, error) {
			switch {
			case strings.HasPrefix(question, "Access of"):
				asked++
				return answer, nil
			case strings.HasPrefix(question, "Add "), strings.HasPrefix(question, "Update "):
				return "y", nil
			}
			return "", nil
		}
		out, errs := m.must(0, args[:4]...)
		if asked != 1 || strings.Contains(out, `"--read-only"`) != want || strings.Contains(errs, "Note: a new entry") {
			t.Errorf("answer %q: asked %d times: %s%s", answer, asked, out, errs)
		}
		m.must(0, args[:4]...) // it exists
		if asked != 1 {
			t.Errorf("asked again about an entry that exists")
		}
	}
	m.program.Ask, i["access"] = nil, "read-only"
	os.Remove(m.program.path(path))
	if _, errs := m.must(0, args...); !strings.Contains(errs, "Note: a new entry is read-only; --full-access") {
		t.Errorf("no note: %s", errs)
	}
}

func TestInstallRefuses(t *testing.T) {
	tests := []struct {
		name   string
		change func(*fakeRegistry)
		want   string
	}{
		{"low score", func(f *fakeRegistry) { f.detail["qualityScore"] = 49 },
			"Its health score is 49, below 50 (scored 20 Nov 2026)."},
		{"no score", func(f *fakeRegistry) { f.detail["qualityScore"] = nil }, "It has no health score."},
		{"risk", func(f *fakeRegistry) {
			f.detail["risks"] = []any{risky("vulnerable", "CVE-1\x1b[2J is open.")}
		}, "CVE-1<U+001B>[2J is open."},
		{"copy", func(f *fakeRegistry) {
			x := risky("copy", "A copy of tides.")
			x["instead"] = "octo-tides"
			f.detail["risks"] = []any{x}
		}, "A copy of tides. Use instead: octo-tides"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newRegistry(t)
			tt.change(f)
			m := newMachine(t, f)
			args := []string{"install", server, "--client", "cursor", "--yes"}
			_, errs := m.must(exitRefused, args...)
			if !strings.Contains(errs, tt.want) || exists(m.program.path("~/.cursor/mcp.json")) {
				t.Errorf("got %q, want %q", errs, tt.want)
			}
			_, errs = m.must(0, append(args, "--anyway")...)
			if !strings.Contains(errs, tt.want) || strings.Contains(errs, "nstalled") {
				t.Errorf("--anyway says %q", errs)
			}
		})
	}
}

// TestInstallWithheld checks that nobody is told to install with an option what has no command.
func TestInstallWithheld(t *testing.T) {
	for _, option := range []string{"--yes", "--anyway"} {
		r := &record{}
		r.ID, r.Risks = "tides", []risk{{Kind: "malware", Text: "It is malware."}}
		m := newMachine(t, newRegistry(t))
		c := &call{Program: m.program, options: &options{anyway: option == "--anyway"}}
		err := c.acceptable(r, true)
		if err == nil || strings.Contains(err.Error()+m.errs.String(), "anyway") {
			t.Errorf("%s: %v %s", option, err, m.errs.String())
		}
	}
}

// TestInstallUnlisted installs what the registry does not list.
func TestInstallUnlisted(t *testing.T) {
	for id, want := range map[string]string{
		"npm:@sea/tides-mcp":           `"args": [ "-y", "@sea/tides-mcp" ]`,
		"pypi:sea-tides":               `"command": "uvx"`,
		"https://tides.dev/mcp":        `"url": "https://tides.dev/mcp"`,
		"http://127.0.0.1:9/mcp":       `"url": "http://127.0.0.1:9/mcp"`,
		"http://tides.dev/mcp":         "",
		"npm:../x":                     "",
		"sea-tides":                    "",
		"https://github.com/sea/tides": "",
		"ftp://tides.dev/mcp":          "",
		"npm:x\x1b[2J":                 "",
		"https://tides.dev\n/mcp":      "",
	} {
		f := newRegistry(t)
		m := newMachine(t, f)
		args := []string{"install", id, "--client", "cursor", "--yes"}
		path := m.program.path("~/.cursor/mcp.json")
		if status, _, errs := m.run(args...); status == 0 || exists(path) {
			t.Errorf("%q without --anyway: %s", id, errs)
		}
		status, _, errs := m.run(append(args, "--anyway")...)
		if want == "" {
			if exists(path) && id != "http://tides.dev/mcp" {
				t.Errorf("%q: %s", id, m.read(path))
			}
			continue
		}
		if status != 0 || !strings.Contains(errs, "does not list it") || strings.Contains(errs, "of the server") {
			t.Errorf("%q: %d, %s", id, status, errs)
		} else if got := strings.Join(strings.Fields(m.read(path)), " "); !strings.Contains(got, want) {
			t.Errorf("%q: %s", id, got)
		}
	}
}

// What a registry returns is not believed where it could do harm.
func TestUnusableSetups(t *testing.T) {
	for name, entry := range map[string]any{
		"path as command":  map[string]any{"weather": map[string]any{"command": "/bin/sh"}},
		"words as command": map[string]any{"weather": map[string]any{"command": "sh -c x"}},
		"name with a dot":  map[string]any{"a.b": map[string]any{"command": "npx"}},
		"line break": map[string]any{"weather": map[string]any{"command": "npx",
			"args": []string{"a\nb"}}},
		"direction mark": map[string]any{"weather": map[string]any{"command": "npx",
			"args": []string{"a\u202eb"}}},
		"zero width space": map[string]any{"weather": map[string]any{"command": "npx",
			"args": []string{"--root=/da\u200bta"}}},
		"tag": map[string]any{"weather": map[string]any{"command": "npx",
			"env": map[string]any{"ROOT": "/data\U000E0041"}}},
		"plain http": map[string]any{"weather": map[string]any{"url": "http://x.example/mcp"}},
		"file":       map[string]any{"weather": map[string]any{"url": "file:///etc/passwd"}},
		"name of a variable": map[string]any{"weather": map[string]any{"command": "npx",
			"env": map[string]any{"A B": "x"}}},
		"name of a header": map[string]any{"weather": map[string]any{"url": "https://x.example/mcp",
			"headers": map[string]any{"A: b\r\nC": "x"}}},
		"two": map[string]any{"a": map[string]any{"command": "npx"},
			"b": map[string]any{"command": "npx"}},
		"nothing": map[string]any{},
		"a list":  []any{},
	} {
		t.Run(name, func(t *testing.T) {
			f := newRegistry(t)
			f.detail["install"] = map[string]any{"clients": map[string]any{"mcpServers": entry}}
			m := newMachine(t, f)
			_, errs := m.must(exitFailure, "install", server, "--client", "cursor", "--yes")
			if !strings.Contains(errs, "unusable configuration") ||
				exists(m.program.path("~/.cursor/mcp.json")) {
				t.Errorf("got %q", errs)
			}
		})
	}
}

func TestInstallOptions(t *testing.T) {
	cursor := []string{"install", server, "--client", "cursor"}
	t.Run("dry run", func(t *testing.T) {
		m := newMachine(t, newRegistry(t))
		out, _ := m.must(0, append(cursor, "--dry-run")...)
		if !strings.Contains(out, "+    \"weather\": {") ||
			exists(m.program.path("~/.cursor/mcp.json")) {
			t.Errorf("got %s", out)
		}
	})
	t.Run("hidden character in a value", func(t *testing.T) {
		m := newMachine(t, newRegistry(t))
		_, errs := m.must(2, append(cursor, "--yes", "--set", "WEATHER_API_KEY=a\u200bb")...)
		if !strings.Contains(errs, "contains the character U+200B") ||
			exists(m.program.path("~/.cursor/mcp.json")) {
			t.Errorf("got %q", errs)
		}
	})
	t.Run("hidden character in the file", func(t *testing.T) {
		m := newMachine(t, newRegistry(t))
		m.write(m.program.path("~/.cursor/mcp.json"),
			"{\n  \"mcpServers\": {\n    \"a\u200b\": {\"command\": \"x\"}\n  }\n}\n")
		out, _ := m.must(0, append(cursor, "--dry-run")...)
		if !strings.Contains(out, `"a<U+200B>": {"command": "x"}`) {
			t.Errorf("got %s", out)
		}
	})
	t.Run("nobody to ask", func(t *testing.T) {
		m := newMachine(t, newRegistry(t))
		_, errs := m.must(exitRefused, cursor...)
		if !strings.Contains(errs, "use --yes") || exists(m.program.path("~/.cursor/mcp.json")) {
			t.Errorf("got %q", errs)
		}
	})
	t.Run("secret", func(t *testing.T) {
		m := newMachine(t, newRegistry(t))
		m.variables["WEATHER_API_KEY"] = `se"cret\value`
		out, errs := m.must(0, append(cursor, "--yes", "--set", "WEATHER_API_KEY")...)
		text := m.read(m.program.path("~/.cursor/mcp.json"))
		if !strings.Contains(text, `"se\"cret\\value"`) || strings.Contains(out+errs, "cret") {
			t.Errorf("the file has %s, the output is %s", text, out)
		}
	})
	t.Run("secret in a project", func(t *testing.T) {
		m := newMachine(t, newRegistry(t))
		out, _ := m.must(0, append(cursor, "--yes", "--project", "--set", "WEATHER_API_KEY=x1y2z3")...)
		if !strings.Contains(out, "do not commit it") {
			t.Errorf("got %s", out)
		}
	})
	t.Run("secrets of others", func(t *testing.T) {
		m := newMachine(t, newRegistry(t))
		m.write(m.program.path("~/.cursor/mcp.json"),
			"{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\", \"args\": [\"--token=hunter-33\"], \"env\": {\"K\": \"hunter-22\"}}\n  }\n}\n")
		out, _ := m.must(0, append(cursor, "--dry-run")...)
		if strings.Contains(out, "hunter") || !strings.Contains(out, "••••••") {
			t.Errorf("got %s", out)
		}
	})
	t.Run("project and name", func(t *testing.T) {
		m := newMachine(t, newRegistry(t))
		m.must(0, append(cursor, "--yes", "--project", "--name", "mine")...)
		if text := m.read(filepath.Join(m.program.Dir, ".cursor/mcp.json")); !strings.Contains(text,
			`"mine": {`) {
			t.Errorf("got %s", text)
		}
		m.must(0, "uninstall", server, "--client", "cursor", "--project", "--yes")
	})
	t.Run("without a key", func(t *testing.T) {
		m := newMachine(t, newRegistry(t))
		m.variables["CENSUS_API_KEY"] = ""
		m.must(0, append(cursor, "--yes")...)
		if text := m.read(m.program.path("~/.cursor/mcp.json")); !strings.Contains(text,
			"${env:WEATHER_API_KEY}") {
			t.Errorf("got %s", text)
		}
	})
	t.Run("again with a key", func(t *testing.T) {
		f := newRegistry(t)
		m := newMachine(t, f)
		m.variables["CENSUS_API_KEY"] = ""
		m.must(0, append(cursor, "--yes")...)
		path := m.program.path("~/.cursor/mcp.json")
		before, err := clientfile.Entries(clientfile.JSON, []byte(m.read(path)), "mcpServers")
		if err != nil {
			t.Fatal(err)
		}
		m.variables["CENSUS_API_KEY"] = "mcp_key"
		clients := f.detail["install"].(map[string]any)["clients"].(map[string]any)
		clients["mcpServers"] = map[string]any{
			"other-name": clients["mcpServers"].(map[string]any)["weather"]}
		m.must(0, append(cursor, "--yes")...)
		after, err := clientfile.Entries(clientfile.JSON, []byte(m.read(path)), "mcpServers")
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after))); d != "" {
			t.Error(d)
		}
		// A name that is given, or an entry that is no longer there, decides otherwise.
		m.must(0, append(cursor, "--yes", "--name", "third")...)
		m.must(0, append(cursor, "--yes")...)
		m.write(path, "{}")
		m.must(0, append(cursor, "--yes")...)
		if text := m.read(path); !strings.Contains(text, `"other-name": {`) {
			t.Errorf("got %s", text)
		}
	})
	t.Run("JSON", func(t *testing.T) {
		m := newMachine(t, newRegistry(t))
		out, _ := m.must(0, append(cursor, "--yes", "--json")...)
		golden(t, "install.json.golden", out)
	})
	t.Run("read-only file", func(t *testing.T) {
		m := newMachine(t, newRegistry(t))
		path := m.program.path("~/.cursor/mcp.json")
		m.write(path, "{}")
		if err := os.Chmod(path, 0o400); err != nil {
			t.Fatal(err)
		}
		_, errs := m.must(exitFile, append(cursor, "--yes")...)
		if !strings.Contains(errs, "is unchanged") || m.read(path) != "{}" {
			t.Errorf("got %q", errs)
		}
	})
	t.Run("link to nothing", func(t *testing.T) {
		m := newMachine(t, newRegistry(t))
		path := m.program.path("~/.cursor/mcp.json")
		m.write(filepath.Join(filepath.Dir(path), "x"), "")
		if err := os.Symlink("nothing", path); err != nil {
			t.Skip(err)
		}
		m.must(exitFile, append(cursor, "--yes")...)
	})
	t.Run("broken state", func(t *testing.T) {
		m := newMachine(t, newRegistry(t))
		path := m.program.path(install.Config + "/mcpcensus/installed.json")
		m.write(path, "{")
		m.must(0, append(cursor, "--yes")...)
		if m.read(path+".broken") != "{" || !strings.Contains(m.read(path), server) {
			t.Errorf("the state is %s", m.read(path))
		}
	})
}

func TestQuestions(t *testing.T) {
	type asked struct {
		Question string
		Secret   bool
	}
	tests := []struct {
		name, client string
		answers      []string // one after the other
		want         []asked
		status       int
		file         string // part of it; "" if there is none
	}{
		{
			name: "secret and consent", client: "claude-desktop", answers: []string{"s3cret", "y"},
			want: []asked{
				{"WEATHER_API_KEY (Key of your weather account), empty for a placeholder: ", true},
				{"Add weather to Claude Desktop? [y/N] ", false},
			},
			file: `"WEATHER_API_KEY": "s3cret"`,
		},
		{
			name: "placeholder", client: "claude-desktop", answers: []string{"", "yes"},
			want: []asked{
				{"WEATHER_API_KEY (Key of your weather account), empty for a placeholder: ", true},
				{"Add weather to Claude Desktop? [y/N] ", false},
			},
			file: `"WEATHER_API_KEY": "YOUR_WEATHER_API_KEY"`,
		},
		{
			name: "client that asks itself", client: "vscode", answers: []string{"Y"},
			want: []asked{{"Add io.github.octo-labs/weather-mcp to VS Code? [y/N] ", false}},
			file: "${input:WEATHER_API_KEY}",
		},
		{
			name: "no", client: "cursor", answers: []string{""},
			want: []asked{{"Add weather to Cursor? [y/N] ", false}}, status: exitRefused,
		},
		{
			name: "end of the input", client: "cursor",
			want: []asked{{"Add weather to Cursor? [y/N] ", false}}, status: exitRefused,
		},
		{
			name: "end of the input at each question", client: "claude-desktop",
			want: []asked{
				{"WEATHER_API_KEY (Key of your weather account), empty for a placeholder: ", true},
				{"Add weather to Claude Desktop? [y/N] ", false},
			},
			status: exitRefused,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newMachine(t, newRegistry(t))
			var got []asked
			m.program.Ask = func(_ context.Context, question string, secret bool) (string, error) {
				got = append(got, asked{question, secret})
				if len(got) > len(tt.answers) {
					return "", io.EOF
				}
				return tt.answers[len(got)-1], nil
			}
			out, errs := m.must(tt.status, "install", server, "--client", tt.client)
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
			if strings.Contains(out+errs, "s3cret") {
				t.Errorf("the output shows the secret:\n%s%s", out, errs)
			}
			p, err := placeOf(tt.client)
			if err != nil {
				t.Fatal(err)
			}
			if path := m.program.path(m.program.userFiles(p.Place)[0]); tt.file == "" && exists(path) ||
				tt.file != "" && !strings.Contains(m.read(path), tt.file) {
				t.Errorf("the file is not as expected: want %q", tt.file)
			}
		})
	}
}

// TestChangedWhileAsking changes the client's file while the user is asked.
func TestChangedWhileAsking(t *testing.T) {
	m := newMachine(t, newRegistry(t))
	path := m.program.path("~/.cursor/mcp.json")
	m.write(path, "{}")
	const other = `{"mcpServers": {"other": {}}}`
	m.program.Ask = func(context.Context, string, bool) (string, error) {
		m.write(path, other)
		return "y", nil
	}
	_, errs := m.must(exitFile, "install", server, "--client", "cursor")
	if m.read(path) != other || !strings.Contains(errs, "another program has changed the file") {
		t.Errorf("the file has %s, the error is %s", m.read(path), errs)
	}
}

func TestInterrupted(t *testing.T) {
	m := newMachine(t, newRegistry(t))
	ctx, cancel := context.WithCancel(t.Context())
	m.program.Ask = func(ctx context.Context, _ string, _ bool) (string, error) {
		cancel()
		return "", ctx.Err()
	}
	status := m.program.Run(ctx, []string{"install", server, "--client", "cursor"})
	if status != 130 || exists(m.program.path("~/.cursor/mcp.json")) {
		t.Errorf("exit status %d", status)
	}
}

func TestReadLine(t *testing.T) {
	r := strings.NewReader("first\r\n\nlast")
	for _, want := range []string{"first", "", "last"} {
		if got, err := readLine(r); got != want || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	if _, err := readLine(r); err != io.EOF {
		t.Errorf("got %v", err)
	}
}

// No file that a test leaves is readable by others.
func TestModes(t *testing.T) {
	m := newMachine(t, newRegistry(t))
	m.must(0, "install", server, "--client", "cursor", "--yes")
	err := filepath.WalkDir(m.program.Home, func(path string, d fs.DirEntry, err error) error {
		if info, infoErr := d.Info(); infoErr == nil && !d.IsDir() && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestInstallClosedOutput checks that an installation is completed and recorded if nobody
// reads the output.
func TestInstallClosedOutput(t *testing.T) {
	for _, json := range []string{"--json=false", "--json"} {
		m := newMachine(t, newRegistry(t))
		r, w := io.Pipe()
		r.CloseWithError(syscall.EPIPE)
		m.program.Stdout = w
		m.must(0, "install", server, "--client", "cursor", "--yes", json)
		m.program.Stdout = &m.out
		if out, _ := m.must(0, "list", "--json"); !strings.Contains(out, `"server": "`+server+`"`) {
			t.Errorf("%s: %s", json, out)
		}
		m.program.Stdout = w
		m.must(0, "uninstall", server, "--client", "cursor", "--yes", json)
		if s, err := m.program.state(); err != nil || len(s.Installed) != 0 {
			t.Errorf("%s: uninstall leaves %v, %v", json, s, err)
		}
	}
}

// TestFullDisk checks that a command fails if its output cannot be written.
func TestFullDisk(t *testing.T) {
	for _, args := range []string{
		"search x", "show " + server, "check o/r", "list --json", "clients",
		"version", "--help", "search --help", "install " + server + " --client cursor --dry-run",
	} {
		m := newMachine(t, newRegistry(t))
		r, w := io.Pipe()
		r.CloseWithError(syscall.ENOSPC)
		m.program.Stdout = w
		if _, errs := m.must(exitFailure, strings.Fields(args)...); !strings.Contains(errs, "no space left") {
			t.Errorf("%s: got %q", args, errs)
		}
	}
}

// TestDistrust refuses commands that a registry returns and that are not those of the record.
func TestDistrust(t *testing.T) {
	const id = "@octo-labs/weather-mcp@1.6.0"
	npx := func(env map[string]any, args ...any) any {
		return map[string]any{"command": "npx", "args": args, "env": env}
	}
	for name, tt := range map[string]struct {
		entry any
		want  string // "" if it is trusted
	}{
		"plain":            {npx(nil, "-y", id), ""},
		"variable":         {npx(map[string]any{"WEATHER_API_KEY": "YOUR_WEATHER_API_KEY", "PYTHONUNBUFFERED": "1"}, id), ""},
		"another package":  {npx(nil, "-y", "other@1.0.0"), "something else than a package"},
		"a source":         {npx(nil, "-y", "github:octo-labs/weather-mcp"), "something else than a package"},
		"another registry": {npx(nil, "--registry=https://x.example", id), "--registry=https://x.example"},
		"a script":         {npx(nil, "-c", "curl x | sh"), "something else than a package"},
		"a package more":   {npx(nil, "-p", "other", "-p", id, "weather-mcp"), "several packages"},
		"own short option": {npx(nil, "-y", id, "-p", "3000"), ""},
		"own option":       {npx(nil, "-y", id, "--package-manager", "x"), ""},
		"a repository":     {npx(nil, "-y", "@octo-labs/weather-mcp@evil/y"), "something else than a package"},
		"a folder":         {npx(nil, "-y", "@octo-labs/weather-mcp@~/evil"), "something else than a package"},
		"a range":          {npx(nil, "-y", "@octo-labs/weather-mcp@^1"), ""},
		"a URL in words": {map[string]any{"command": "uvx", "args": []any{"weather @ https://x.example/x.whl"}},
			"something else than a package"},
		"a range of Python": {map[string]any{"command": "uvx", "args": []any{"weather[x]>=1.0,<2"}}, ""},
		"a called script":   {npx(nil, "-y", "-c", "curl x; npx -y "+id), "something else than a package"},
		"an interpreter":    {npx(nil, "-y", "--package="+id, "node", "-e", "x"), "starts “node”"},
		"a shell's code":    {npx(nil, "-y", "-p", id, "sh", "-c", "x"), "starts “sh”"},
		"an own program":    {npx(nil, "-y", "--package="+id, "weather-serve", "--x"), ""},
		"Python's interpreter": {map[string]any{"command": "uvx", "args": []any{"--from", "weather==1.0", "python3.12", "-c",
			"x"}}, "starts “python3.12”"},
		"a package that is an interpreter": {npx(nil, "-y", "node@20.0.0", "-e", "x"), "starts “node”"},
		"a program of the system": {map[string]any{"command": "uvx", "args": []any{"--from", "weather==1.0", "tail"}},
			"starts “tail”"},
		"a program at a path": {npx(nil, "-p", id, "./x"), "starts “./x”"},
		"node's options":      {npx(map[string]any{"NODE_OPTIONS": "--require=/x"}, id), "It sets NODE_OPTIONS"},
		"a proxy":             {npx(map[string]any{"https_proxy": "http://x.example"}, id), "It sets https_proxy"},
		"a home":              {npx(map[string]any{"HOME": "/tmp/x"}, id), "It sets HOME"},
		"Bun's settings":      {npx(map[string]any{"BUN_OPTIONS": "--preload=/x"}, id), "It sets BUN_OPTIONS"},
		"npm's settings":      {npx(map[string]any{"npm_config_registry": "http://x.example"}, id), "It sets npm_config_registry"},
		"Python's options":    {npx(map[string]any{"PYTHONINSPECT": "1"}, id), "It sets PYTHONINSPECT"},
		"a loader":            {npx(map[string]any{"LD_PRELOAD": "/x.so"}, id), "It sets LD_PRELOAD"},
		"a browser":           {npx(map[string]any{"BROWSER": "/x"}, id), "It sets BROWSER"},
		"a diff":              {npx(map[string]any{"GIT_EXTERNAL_DIFF": "/x"}, id), "It sets GIT_EXTERNAL_DIFF"},
		"a profiler":          {npx(map[string]any{"CORECLR_PROFILER": "/x"}, id), "It sets CORECLR_PROFILER"},
		"an engine":           {npx(map[string]any{"OPENSSL_ENGINES": "/x"}, id), "It sets OPENSSL_ENGINES"},
		"a version manager":   {npx(map[string]any{"VOLTA_HOME": "/x"}, id), "It sets VOLTA_HOME"},
		"Go's flags":          {npx(map[string]any{"GOFLAGS": "-x"}, id), "It sets GOFLAGS"},
		"a Git token":         {npx(map[string]any{"GIT_TOKEN": "YOUR_GIT_TOKEN", "GIT_AUTHOR_NAME": "x"}, id), ""},
		"no runner":           {map[string]any{"command": "node", "args": []any{"-e", "x"}}, "which runs no packages"},
		"a shell":             {map[string]any{"command": "sh", "args": []any{"-c", "npx -y " + id}}, "which runs no packages"},
		"a container":         {map[string]any{"command": "docker", "args": []any{"run", "-i", "--rm", "mcp/weather:1.0"}}, ""},
		"a container with rights": {map[string]any{"command": "docker", "args": []any{"run", "-i", "--privileged",
			"mcp/weather:1.0"}}, "--privileged"},
		"a container with the disk": {map[string]any{"command": "docker", "args": []any{"run", "-i", "-v", "/:/host",
			"mcp/weather:1.0"}}, "/:/host"},
		"an endpoint": {map[string]any{"type": "http", "url": "https://mcp.weather.dev/mcp"}, ""},
		"a header of the user": {map[string]any{"type": "http", "url": "https://mcp.weather.dev/mcp",
			"headers": map[string]any{"Authorization": "Bearer ${env:GITHUB_TOKEN}"}}, "“${env:GITHUB_TOKEN}”"},
		"a declared header": {map[string]any{"type": "http", "url": "https://mcp.weather.dev/mcp",
			"headers": map[string]any{"Authorization": "Bearer ${env:WEATHER_API_KEY}"}}, ""},
		"an address of the user": {map[string]any{"type": "http",
			"url": "https://mcp.weather.dev/mcp?k=${GITHUB_TOKEN}"}, "GITHUB_TOKEN"},
		"an argument of the user": {npx(nil, "-y", id, "--x", "$GITHUB_TOKEN"), "“$GITHUB_TOKEN”"},
		"a variable of the user":  {npx(map[string]any{"X": "{env:GITHUB_TOKEN}"}, id), "“{env:GITHUB_TOKEN}”"},
		"a container's variable": {map[string]any{"command": "docker", "args": []any{"run", "-i", "-e", "GITHUB_TOKEN",
			"mcp/weather:1.0"}}, "“-e GITHUB_TOKEN”"},
		"a container's own variable": {map[string]any{"command": "docker", "args": []any{"run", "-i", "-e", "WEATHER_API_KEY",
			"mcp/weather:1.0"}}, ""},
		"an endpoint here":      {map[string]any{"type": "http", "url": "http://127.0.0.1:3000/mcp"}, ""},
		"an endpoint of others": {map[string]any{"type": "http", "url": "https://x.example/mcp"}, "not an endpoint of the server"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newRegistry(t)
			f.detail["remotes"] = []any{map[string]any{"url": "https://mcp.weather.dev/mcp"}}
			f.detail["packages"] = append(f.detail["packages"].([]any),
				map[string]any{"registryType": "oci", "identifier": "docker.io/mcp/weather:1.0"},
				map[string]any{"registryType": "pypi", "identifier": "weather"},
				map[string]any{"registryType": "npm", "identifier": "node"})
			f.detail["install"] = map[string]any{"clients": map[string]any{"mcpServers": map[string]any{"weather": tt.entry}}}
			m := newMachine(t, f)
			args := []string{"install", server, "--client", "cursor", "--yes"}
			path := m.program.path("~/.cursor/mcp.json")
			if tt.want != "" {
				if _, errs := m.must(exitRefused, args...); !strings.Contains(errs, tt.want) || exists(path) {
					t.Errorf("got %q, want %q", errs, tt.want)
				}
				args = append(args, "--anyway")
			}
			_, errs := m.must(0, args...)
			if tt.want == "" && strings.Contains(errs, "anyway") || tt.want != "" && !strings.Contains(errs, tt.want) {
				t.Errorf("got %q", errs)
			}
		})
	}
}

// TestWindows checks that clients on Windows start batch files with a shell.
func TestWindows(t *testing.T) {
	for runner, want := range map[string][]any{
		"npx": {"/c", "npx", "-y", "@octo-labs/weather-mcp@1.6.0"}, "bunx": {"/c", "bunx", "@octo-labs/weather-mcp@1.6.0"},
		"uvx": {"weather-mcp==1.6.0"},
	} {
		f := newRegistry(t)
		f.detail["packages"] = append(f.detail["packages"].([]any),
			map[string]any{"registryType": "pypi", "identifier": "Weather.MCP"})
		args := want
		if want[0] == "/c" {
			args = want[2:]
		}
		f.detail["install"] = map[string]any{"clients": map[string]any{"mcpServers": map[string]any{
			"weather": map[string]any{"command": runner, "args": args}}}}
		m := newMachine(t, f)
		m.program.OS = "windows"
		m.must(0, "install", server, "--client", "cursor", "--yes")
		m.must(0, "install", server, "--client", "cursor", "--yes")
		entry := m.entriesOf("cursor")["weather"].(map[string]any)
		if d := cmp.Diff(want, entry["args"]); d != "" || (entry["command"] == "cmd") != (want[0] == "/c") {
			t.Errorf("%s: %s %s", runner, entry["command"], d)
		}
	}
	f := newRegistry(t)
	f.detail["install"] = map[string]any{"clients": map[string]any{"mcpServers": map[string]any{
		"weather": map[string]any{"command": "npx", "args": []any{"-y", "@octo-labs/weather-mcp@1.6.0", "x&calc"}}}}}
	m := newMachine(t, f)
	m.must(0, "install", server, "--client", "cursor", "--yes", "--dry-run")
	m.program.OS = "windows"
	_, errs := m.must(exitRefused, "install", server, "--client", "vscode", "--yes")
	if !strings.Contains(errs, "interprets") {
		t.Errorf("got %s", errs)
	}
}

// TestJSONIsVisible checks that no character of the output is hidden or controls a terminal.
func TestJSONIsVisible(t *testing.T) {
	f := newRegistry(t)
	f.detail["description"] = "a\u202eb\u200bc\u009bd\U000E0041 é"
	out, _ := newMachine(t, f).must(0, "search", "x", "--json")
	if !strings.Contains(out, `"a\u202eb\u200bc\u009bd\udb40\udc41 é"`) {
		t.Errorf("got %s", out)
	}
}

// TestSeveralClients installs in clients that are named, or that the user is asked for.
func TestSeveralClients(t *testing.T) {
	m := newMachine(t, newRegistry(t))
	out, _ := m.must(0, "install", server, "--client", "cursor", "--client", "kiro", "--yes", "--json")
	var changes []change
	if err := json.Unmarshal([]byte(out), &changes); err != nil || len(changes) != 2 {
		t.Errorf("got %s, %v", out, err)
	}
	if _, errs := m.must(2, "install", server, "--yes"); !strings.Contains(errs, "this machine has cursor, kiro") {
		t.Errorf("got %q", errs)
	}
	var asked []string
	m.program.Ask = func(_ context.Context, question string, _ bool) (string, error) {
		asked = append(asked, question)
		return "kiro", nil
	}
	m.must(0, "uninstall", server, "--yes")
	if d := cmp.Diff([]string{"This machine has cursor, kiro. Which clients? "}, asked); d != "" {
		t.Error(d)
	}
	if m.entriesOf("cursor")["weather"] == nil || m.entriesOf("kiro")["weather"] != nil {
		t.Error("another client is changed")
	}
}

// TestIdentify finds a server by what people have.
func TestIdentify(t *testing.T) {
	f := newRegistry(t)
	f.detail["remotes"] = []any{map[string]any{"url": "https://mcp.weather.dev/mcp"}}
	m := newMachine(t, f)
	for _, id := range []string{server, "octo-labs/weather-mcp", "https://github.com/octo-labs/weather-mcp",
		"https://github.com/Octo-Labs/weather-mcp.git", "@octo-labs/weather-mcp", "https://mcp.weather.dev/mcp/",
		"github.com/octo-labs/weather-mcp", "git@github.com:octo-labs/weather-mcp.git", "npm:@octo-labs/weather-mcp",
		"npm:@octo-labs/weather-mcp@1.2.3", "https://x:hunter22@github.com/octo-labs/weather-mcp",
		"https://x:hunter22@mcp.weather.dev/mcp?key=hunter22#hunter22"} {
		if out, _ := m.must(0, "show", id); !strings.Contains(out, server) {
			t.Errorf("%s: got %s", id, out)
		}
	}
	if _, errs := m.must(0, "install", "npm:@octo-labs/weather-mcp@1.2.3", "--client", "cursor", "--dry-run"); !strings.Contains(
		errs, "registry's command, not 1.2.3") {
		t.Errorf("another version: %s", errs)
	}
	m.must(0, "check", "https://hunter22@github.com/octo-labs/weather-mcp")
	_, errs := m.must(ExitNotFound, "uninstall", "https://x:hunter22@tides.dev/mcp", "--client", "cursor")
	if strings.Contains(errs+strings.Join(f.queries, " "), "hunter22") {
		t.Errorf("sent or printed: %s %q", errs, f.queries)
	}
	for _, id := range []string{"octo-labs/other", "https://gitlab.com/octo-labs/weather-mcp", "pypi:octo-labs-weather-mcp"} {
		m.must(ExitNotFound, "show", id)
	}
	other := maps.Clone(f.detail)
	other["id"] = "octo-labs-weather-mcp-second"
	f.answers["/api/servers"] = map[string]any{"servers": []any{f.detail, other}}
	if _, errs := m.must(2, "show", "octo-labs/weather-mcp"); !strings.Contains(errs,
		"several servers are octo-labs/weather-mcp: octo-labs-weather-mcp, octo-labs-weather-mcp-second") {
		t.Errorf("got %q", errs)
	}
}

// TestInstallDeclined checks that a no for one client leaves the others, and how clients are named.
func TestInstallDeclined(t *testing.T) {
	m := newMachine(t, newRegistry(t))
	asked := 0
	m.program.Ask = func(_ context.Context, question string, _ bool) (string, error) {
		if !strings.HasPrefix(question, "Add ") {
			return "", nil
		}
		asked++
		return map[int]string{1: "n"}[asked] + map[bool]string{true: "y"}[asked > 1], nil
	}
	_, errs := m.must(exitRefused, "install", server,
		"--client", "Cursor", "--client", "claude DESKTOP", "--client", "vscode")
	if asked != 3 || exists(m.program.path("~/.cursor/mcp.json")) || strings.Count(errs, "no change was made") != 1 {
		t.Errorf("%d questions: %s", asked, errs)
	}
	desktop, err := placeOf("claude-desktop")
	if err != nil || !exists(m.program.path(m.program.userFiles(desktop.Place)[0])) {
		t.Errorf("claude-desktop: %v", err)
	}
}
