package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcpcensus/crawler/shell"
	"mcpcensus/internal/clientfile"
	"mcpcensus/internal/install"
)

// own returns an entry of a user for a client, as its file has it: an older version with an own
// key, argument, option, approvals and comments.
func own(p install.Place) string {
	command := `"command": "npx", "args": ["-y", "@octo-labs/weather-mcp@1.0.0", "--units=metric"]`
	env := `"env": {"WEATHER_API_KEY": "mine-1", "DEBUG": "1"}`
	switch {
	case p.Kind == install.KindTOML:
		return "# mine\n[mcp_servers.mine] # own\ncommand = 'npx'\nargs = [ \"-y\", '@octo-labs/weather-mcp@1.0.0', " +
			"\"--units=metric\" ] # metric\nstartup_timeout_sec = 30\n[mcp_servers.mine.env]\nWEATHER_API_KEY = \"mine-1\" # key\n" +
			"DEBUG = '1'\n[mcp_servers.mine.tools.get_forecast]\napproval_mode = \"approve\"\n\n[profiles.x]\nmodel = \"y\"\n"
	case p.Kind == install.KindYAML:
		return "# mine\nextensions:\n  mine: # own\n    enabled: false\n    type: stdio\n    cmd: npx\n    args:\n" +
			"    - -y\n    - '@octo-labs/weather-mcp@1.0.0' # version\n    - --units=metric\n    envs:\n" +
			"      WEATHER_API_KEY: mine-1 # key\n      DEBUG: '1'\n    timeout: 30\n    available_tools: [get_forecast]\nlast: x\n"
	case p.Client == "opencode":
		command = `"type": "local", "command": ["npx", "-y", "@octo-labs/weather-mcp@1.0.0", "--units=metric"]`
		env = strings.Replace(env, "env", "environment", 1)
	}
	return "{ // mine\n\t\"" + p.Section + "\": {\n\t\t\"mine\": { // own\n\t\t\t" + command + ", // version\n\t\t\t" + env +
		", /* key */\n\t\t\t\"disabled\":  false, \"autoApprove\": [\"get_forecast\"], \"timeout\": 30.0\n\t\t}, // end\n\t},\n}\n"
}

// TestUpdate checks for each client that an update changes the version in an entry of the user,
// and no other byte of the file.
func TestUpdate(t *testing.T) {
	for _, p := range install.Places() {
		command := "install " + server
		for end, command := range map[string]string{"\n": command, "\r\n": command, "\n\n": "upgrade"} {
			t.Run(fmt.Sprintf("%s %q", p.Client, end), func(t *testing.T) {
				m := newMachine(t, newRegistry(t))
				path := m.program.path(m.program.userFiles(p)[0])
				before := strings.ReplaceAll(own(p), "\n", end)
				m.write(path, before)
				out, _ := m.must(0, strings.Fields(command+" --client "+p.Client+" --yes")...)
				want := strings.Replace(before, "weather-mcp@1.0.0", "weather-mcp@1.6.0", 1)
				unquoted := strings.NewReplacer("'@octo-labs/weather-mcp@1.6.0'", `"@octo-labs/weather-mcp@1.6.0"`)
				if d := cmp.Diff(unquoted.Replace(want), m.read(path)); d != "" {
					t.Error(d)
				}
				if strings.Contains(out, "mine-1") || strings.Contains(out, "WEATHER_API_KEY in") {
					t.Errorf("got %s", out)
				}
				m.must(0, "install", server, "--client", p.Client, "--yes", "--set", "WEATHER_API_KEY=mine-2")
				if text := m.read(path); strings.Contains(text, "mine-1") || !strings.Contains(text, "mine-2") {
					t.Errorf("a value that is set is not replaced:\n%s", text)
				}
			})
		}
	}
}

// anyEntry returns a file with an entry of a user for a client, in any form that its format allows.
func anyEntry(rt *rapid.T, p install.Place) string {
	text := rapid.SampledFrom([]string{"a", "x y", "1", "#9", "ä//ö", "{z}", "https://tides.dev/?a=b&c", "-"})
	quoted := func(label string) string { return `"` + text.Draw(rt, label) + `"` }
	some := func(label string, all ...string) []string {
		return rapid.Permutation(all).Draw(rt, label)[:rapid.IntRange(0, len(all)).Draw(rt, label+" count")]
	}
	args := []string{`"-y"`, `"@octo-labs/weather-mcp@1.0.0"`}
	for _, a := range some("arguments", "--units=metric", "--dir", "/srv/a b", "x#y") {
		args = append(args, `"`+a+`"`)
	}
	list := strings.Join(args, rapid.SampledFrom([]string{", ", ",", ",\n      "}).Draw(rt, "comma"))
	names := append(some("names", "DEBUG", "A_B", "x9"), "WEATHER_API_KEY")
	env := func(before, sign, between string) string {
		var all []string
		for _, n := range names {
			all = append(all, before+n+before+sign+quoted(n))
		}
		return strings.Join(all, between)
	}
	note := rapid.SampledFrom([]string{"", " mine", "\"x\": {", "'"}).Draw(rt, "note")
	switch p.Kind {
	case install.KindTOML:
		return "#" + note + "\n[mcp_servers.mine] #" + note + "\ncommand = \"npx\"\nargs = [" + list + "] #" + note +
			"\nstartup_timeout_sec = 30\n" + strings.Join(some("members", "x = [1, 2]", "enabled = false", "y.z = 1"), "\n") +
			"\n[mcp_servers.mine.env]\n" + env("", " = ", "\n") + "\n[profiles.x]\nm = " + quoted("m") + "\n"
	case install.KindYAML:
		return "#" + note + "\nextensions:\n  mine: #" + note + "\n    type: stdio\n    cmd: npx\n    args: [" + list +
			"]\n    envs:\n      " + env("", ": ", "\n      ") + "\n    enabled: false\n" +
			strings.Join(some("members", "    x: [1, 2]\n", "    timeout: 30\n", "    y: {z: 1}\n"), "") +
			"last: " + quoted("l") + "\n"
	}
	command, variables := `"command": "npx", "args": [`+list+`]`, `"env"`
	if p.Client == "opencode" {
		command, variables = `"type": "local", "command": ["npx", `+list+`]`, `"environment"`
	}
	members := append(some("members", `"disabled":  false`, `"timeout": 30.0`, `"x": {"a": [1, {"b": null}]}`), command,
		variables+`: {`+env(`"`, ": ", ", ")+`}`)
	members = rapid.Permutation(members).Draw(rt, "order")
	return "{ //" + note + "\n\"" + p.Section + "\": {\"mine\": { " + strings.Join(members, ", /*"+note+"*/\n\t") +
		" } /*" + note + "*/ }, \"z\": " + quoted("z") + "}\n"
}

// TestUpdateOfAny checks for each format that an update of any entry changes the version and no other
// byte of the file.
func TestUpdateOfAny(t *testing.T) {
	for _, client := range []string{"cursor", "vscode", "codex", "goose", "opencode", "zed"} {
		p, err := placeOf(client)
		if err != nil {
			t.Fatal(err)
		}
		m := newMachine(t, newRegistry(t))
		path := m.program.path(m.program.userFiles(p.Place)[0])
		rapid.Check(t, func(rt *rapid.T) {
			before := anyEntry(rt, p.Place)
			m.write(path, before)
			m.must(0, "install", server, "--client", client, "--yes")
			want := strings.Replace(before, "weather-mcp@1.0.0", "weather-mcp@1.6.0", 1)
			if d := cmp.Diff(want, m.read(path)); d != "" {
				rt.Fatal(client, d)
			}
		})
	}
}

// TestUpdateOnWindows checks that an update lets a batch file start, once.
func TestUpdateOnWindows(t *testing.T) {
	for client, args := range map[string][]any{
		"cursor": {"/c", "npx", "-y", "@octo-labs/weather-mcp@1.6.0", "--units=metric"},
		"vscode": {"-y", "@octo-labs/weather-mcp@1.6.0", "--units=metric"},
	} {
		m := newMachine(t, newRegistry(t))
		m.program.OS = "windows"
		p, err := placeOf(client)
		if err != nil {
			t.Fatal(err)
		}
		m.write(m.program.path(m.program.userFiles(p.Place)[0]), own(p.Place))
		for range 2 {
			m.must(0, "install", server, "--client", client, "--yes")
			entry := m.entriesOf(client)["mine"].(map[string]any)
			if d := cmp.Diff(args, entry["args"]); d != "" || (entry["command"] == "cmd") != (args[0] == "/c") {
				t.Errorf("%s: %s %s", client, entry["command"], d)
			}
		}
	}
}

// entriesOf returns the entries of Cursor's file.
func (m *machine) entriesOf(client string) map[string]any {
	m.t.Helper()
	p, err := placeOf(client)
	if err != nil {
		m.t.Fatal(err)
	}
	text := m.read(m.program.path(m.program.userFiles(p.Place)[0]))
	entries, err := p.entries("", []byte(text))
	if err != nil {
		m.t.Fatal(err)
	}
	return entries
}

// TestRevise updates commands, as lines, to what a release requires.
func TestRevise(t *testing.T) {
	tests := []struct{ name, old, wanted, want string }{
		{"version", "npx -y a@1.0.0", "npx -y a@1.1.0", "npx -y a@1.1.0"},
		{"pinned", "npx a", "npx -y a@1.1.0", "npx a@1.1.0"},
		{"tag", "npx a@latest", "npx -y a@1.1.0", "npx a@1.1.0"},
		{"unknown latest version", "npx a@1.0.0", "npx -y a", "npx a@1.0.0"},
		{"newer", "npx a@2.0.0", "npx -y a@1.1.0", "npx a@2.0.0"},
		{"scope", "npx @s/a", "npx -y @s/a@1.1.0", "npx @s/a@1.1.0"},
		{"alias", "npx x@npm:@s/a@1.0.0", "npx -y @s/a@1.1.0", "npx x@npm:@s/a@1.1.0"},
		{"other runner", "bunx a@1.0.0 --x", "npx -y a@1.1.0", "bunx a@1.1.0 --x"},
		{"package and program", "npx --package=a@1.0.0 b --x", "npx -y --package=a@1.1.0 b", "npx --package=a@1.1.0 b --x"},
		{"program of its own", "npx a@1.0.0 --x", "npx -y --package=a@1.1.0 b", "npx --package=a@1.1.0 b --x"},
		{"spellings", "uvx A_B==1.0", "uvx a-b==1.1", "uvx A_B==1.1"},
		{"extras", "uvx --from a[b,c]==1.0 a --x", "uvx a==1.1", "uvx --from a[b,c]==1.1 a --x"},
		{"at", "uv tool run --python 3.12 a@1.0", "uvx a==1.1", "uv tool run --python 3.12 a@1.1"},
		{"range", "uvx a>=1.0", "uvx a==1.1", "uvx a==1.1"},
		{"program in Python", "uvx a==1.0", "uvx --from a==1.1 b", "uvx --from a==1.1 b"},
		{"nuget", "dnx A@1.0.0 --yes -- x", "dnx A@1.1.0 --yes", "dnx A@1.1.0 --yes -- x"},
		{"version in an option", "dnx A --version 1.0.0 --yes", "dnx A@1.1.0 --yes", "dnx A --version 1.1.0 --yes"},
		{"image", "docker run -i --network host -v /x:/y g.io/o/a:1.0 --x", "docker run -i --rm g.io/o/a:1.1",
			"docker run -i --network host -v /x:/y g.io/o/a:1.1 --x"},
		{"image by digest", "docker run -i g.io/o/a@sha256:" + strings.Repeat("a", 64), "docker run -i --rm g.io/o/a:1.1",
			"docker run -i g.io/o/a@sha256:" + strings.Repeat("a", 64)},
		{"new option of an image", "podman run -i -e A=1 -v /x:/data g.io/o/a:1.0 x",
			"docker run -i --rm -e A -e B -v YOUR_DATA:/data -v YOUR_LOGS:/logs g.io/o/a:1.1",
			"podman run -i -e A=1 -v /x:/data -e B -v YOUR_LOGS:/logs g.io/o/a:1.1 x"},
		{"wrapper", "cmd /c npx -y a@1.0.0 x", "npx -y a@1.1.0", "cmd /c npx -y a@1.1.0 x"},
		{"wsl", "wsl.exe -d Ubuntu -- npx -y a@1.0.0", "npx -y a@1.1.0", "wsl.exe -d Ubuntu -- npx -y a@1.1.0"},
		{"new option", "npx a@1.0.0", "npx -y a@1.1.0 --root YOUR_ROOT", "npx a@1.1.0 --root YOUR_ROOT"},
		{"option that is there", "npx a@1.0.0 --root=/x", "npx -y a@1.1.0 --root YOUR_ROOT", "npx a@1.1.0 --root=/x"},
		{"operand that is there", "npx a@1.0.0 /x", "npx -y a@1.1.0 YOUR_ROOT", "npx a@1.1.0 /x"},
		{"new operand", "npx a@1.0.0 --x=1", "npx -y a@1.1.0 serve", "npx a@1.1.0 serve --x=1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wanted := strings.Fields(tt.wanted)
			u := revision{needs: needs{launch: launchOf(t, wanted)}}
			got, err := u.words(strings.Fields(tt.old), wanted)
			if err != nil || u.drops != nil {
				t.Fatal(err, u.drops)
			}
			if d := cmp.Diff(tt.want, strings.Join(got, " ")); d != "" {
				t.Error(d)
			}
		})
	}
	u := revision{needs: needs{launch: launchOf(t, strings.Fields("npx a --y"))}}
	other, err := u.words(strings.Fields("npx a@1.0.0 deploy --prod"), strings.Fields("npx a@1.1.0 serve --x y"))
	if err != errOtherCommand {
		t.Errorf("got %q, %v", other, err)
	}
	got, err := u.words([]string{"bash", "-lc", "X=1 npx -y 'a@1.0.0' --x"}, strings.Fields("npx -y a@1.1.0 --y"))
	if want := []string{"bash", "-lc", "X=1 npx -y 'a@1.1.0' --x"}; err != nil || !slices.Equal(got, want) ||
		len(u.notes) != 1 {
		t.Errorf("got %q, %v, %v", got, u.notes, err)
	}
}

// TestReviseWithin adds nothing to the words of what runs a command, and says what it does not add.
func TestReviseWithin(t *testing.T) {
	const npx, docker = "npx -y a@1.1.0 --zone YOUR_ZONE", "docker run -i --rm -e ZONE g.io/o/a:1.1"
	for name, tt := range map[string]struct {
		wanted    string
		old, want []string
		note      string
	}{
		"bridge": {npx, []string{"npx", "-y", "supergateway", "--stdio", "npx -y a@1.0.0", "--port", "8000"},
			[]string{"npx", "-y", "supergateway", "--stdio", "npx -y a@1.1.0", "--port", "8000"}, "--zone YOUR_ZONE"},
		"same words": {"npx -y a@1.1.0 x --deep", []string{"npx", "supergateway", "--stdio", "npx a@1.0.0 --deep", "--deep"},
			[]string{"npx", "supergateway", "--stdio", "npx a@1.1.0 --deep", "--deep"}, "x"},
		"container of a bridge": {docker,
			[]string{"npx", "supergateway", "--stdio", "docker run -i g.io/o/a:1.0", "--port", "8000"},
			[]string{"npx", "supergateway", "--stdio", "docker run -i g.io/o/a:1.1", "--port", "8000"}, "-e ZONE"},
		"container of a shell": {docker, []string{"bash", "-c", "docker run -i g.io/o/a:1.0"},
			[]string{"bash", "-c", "docker run -i g.io/o/a:1.1"}, "-e ZONE"},
		"container in a line": {docker, []string{"docker run -i g.io/o/a:1.0"}, []string{"docker run -i g.io/o/a:1.1"},
			"-e ZONE"},
		"shell": {npx, []string{"bash", "-c", "npx -y a@1.0.0"}, []string{"bash", "-c", "npx -y a@1.1.0"},
			"--zone YOUR_ZONE"},
		"timeout": {npx, []string{"timeout", "30", "npx", "a@1.0.0"},
			[]string{"timeout", "30", "npx", "a@1.1.0", "--zone", "YOUR_ZONE"}, ""},
		"words of a bridge": {npx, []string{"npx", "dotenv-cli", "-e", ".env", "--", "npx", "a@1.0.0"},
			[]string{"npx", "dotenv-cli", "-e", ".env", "--", "npx", "a@1.1.0", "--zone", "YOUR_ZONE"}, ""},
		"container after env": {docker, []string{"env", "A=b", "docker", "run", "-i", "g.io/o/a:1.0"},
			[]string{"env", "A=b", "docker", "run", "-i", "-e", "ZONE", "g.io/o/a:1.1"}, ""},
	} {
		wanted := strings.Fields(tt.wanted)
		u := revision{needs: needs{launch: launchOf(t, wanted)}}
		got, err := u.words(tt.old, wanted)
		if err != nil {
			t.Fatal(name, err)
		}
		if tt.note != "" {
			tt.note = "Add this yourself: " + tt.note
		}
		if d := cmp.Diff(tt.want, got) + cmp.Diff(tt.note, strings.Join(u.notes, " ")); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func launchOf(t *testing.T, words []string) shell.Launch {
	t.Helper()
	l, err := shell.ParseCommand(words[0], words[1:])
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestUpdateAddsNoExample updates entries without what the README shows: of that, only what the
// release requires is added, or what the user gives.
func TestUpdateAddsNoExample(t *testing.T) {
	type list = []any
	argument := func(members ...any) map[string]any {
		a := map[string]any{}
		for i := 0; i < len(members); i += 2 {
			a[members[i].(string)] = members[i+1]
		}
		return a
	}
	const npm, image = "@octo-labs/weather-mcp@1.6.0", "ghcr.io/octo-labs/weather:1.6.0"
	for name, tt := range map[string]struct {
		shown, runtime, declared list
		command, old, want, set  string
	}{
		"examples":     {list{"-y", npm, "--units", "metric", "--verbose", "/srv/x"}, nil, nil, "npx", "-y " + npm, "", ""},
		"blanks":       {list{"-y", npm, "--root", "YOUR_ROOT"}, nil, nil, "npx", "-y " + npm, "", ""},
		"given":        {list{"-y", npm, "--root", "YOUR_ROOT", "--x"}, nil, nil, "npx", "-y " + npm, "--root /r", "ROOT=/r"},
		"given joined": {list{"-y", npm, "--root=YOUR_ROOT", "--x"}, nil, nil, "npx", "-y " + npm, "--root=/r", "ROOT=/r"},
		"optional option": {list{"-y", npm, "--root", "x"}, nil,
			list{argument("type", "named", "name", "--root", "value", "x")}, "npx", "-y " + npm, "", ""},
		"required option": {list{"-y", npm, "--x", "--root", "YOUR_ROOT", "--y=1"}, nil,
			list{argument("type", "named", "name", "--root", "description", "Root", "isRequired", true)},
			"npx", "-y " + npm, "--root YOUR_ROOT", ""},
		"required in the value": {list{"-y", npm, "--x", "--root", "YOUR_ROOT"}, nil,
			list{argument("type", "named", "name", "--root", "value", "{root}",
				"variables", argument("root", argument("isRequired", true)))},
			"npx", "-y " + npm, "--root YOUR_ROOT", ""},
		"required operand": {list{"-y", npm, "YOUR_DIR", "--x"}, nil,
			list{argument("type", "positional", "valueHint", "folder", "isRequired", true)}, "npx", "-y " + npm, "YOUR_DIR", ""},
		"required operand of two": {list{"-y", npm, "serve", "YOUR_FOLDER"}, nil,
			list{argument("type", "positional", "valueHint", "folder", "isRequired", true)}, "npx", "-y " + npm, "YOUR_FOLDER", ""},
		"mounts": {list{"run", "-i", "--rm", "--network", "host",
			"-v", "YOUR_DATA:/data", "-v", "YOUR_LOGS:/logs", "-e", "MODE=x", image},
			list{argument("type", "named", "name", "-v", "value", "{data}:/data", "isRequired", true)}, nil,
			"docker", "run -i " + image, "-v YOUR_DATA:/data", ""},
	} {
		f := newRegistry(t)
		f.detail["install"] = map[string]any{"clients": map[string]any{"mcpServers": map[string]any{"weather": map[string]any{
			"command": tt.command, "args": tt.shown, "env": map[string]any{"WEATHER_UNITS": "metric"}}}}}
		p := f.detail["packages"].(list)[0].(map[string]any)
		if tt.command == "docker" {
			p = argument("registryType", "oci", "identifier", image, "transport", map[string]any{})
			f.detail["packages"] = list{p}
		}
		p["runtimeArguments"], p["packageArguments"] = tt.runtime, tt.declared
		f.detail["environmentVariables"] = list{map[string]any{"name": "WEATHER_UNITS"}}
		delete(p, "environmentVariables")
		m := newMachine(t, f)
		entry, err := json.Marshal(map[string]any{"command": tt.command,
			"args": strings.Fields(strings.Replace(tt.old, "1.6.0", "1.5.0", 1))})
		if err != nil {
			t.Fatal(err)
		}
		path := m.program.path("~/.cursor/mcp.json")
		m.write(path, `{"mcpServers": {"w": `+string(entry)+`}}`)
		args := []string{"install", server, "--client", "cursor", "--yes", "--anyway"}
		if tt.set != "" {
			args = append(args, "--set", tt.set)
		}
		out, _ := m.must(0, args...)
		got := m.entriesOf("cursor")["w"].(map[string]any)
		words := strings.Join(texts(got["args"].(list)), " ")
		for _, w := range strings.Fields(tt.old) {
			words = strings.TrimSpace(strings.Replace(words, w, "", 1))
		}
		if words != tt.want || got["env"] != nil {
			t.Errorf("%s: added %q, %v, want %q", name, words, got["env"], tt.want)
		}
		if !strings.Contains(out, "New entries also have") || !strings.Contains(out, "WEATHER_UNITS") {
			t.Errorf("%s: no note of what is not added: %s", name, out)
		}
	}
}

// TestEntryOf installs where the file has entries already.
func TestEntryOf(t *testing.T) {
	const npx = `{"command": "npx", "args": ["-y", "@octo-labs/weather-mcp@1.0.0"]}`
	tests := []struct {
		name, entries, args string
		status              int
		want                []string // names of entries of version 1.6.0
		text                string
	}{
		{"other name", `"mine": ` + npx, "", 0, []string{"mine"}, ""},
		{"name that is not one", `"my weather (work)": ` + npx, "", 0, []string{"my weather (work)"}, ""},
		{"two", `"a": ` + npx + `, "b": ` + npx, "", exitRefused, nil, "several entries of " + server + ": a, b"},
		{"two, one named", `"a": ` + npx + `, "b": ` + npx, "--name b", 0, []string{"b"}, ""},
		{"two, one with the usual name", `"a": ` + npx + `, "weather": ` + npx, "", 0, []string{"weather"}, ""},
		{"another program", `"weather": {"command": "node", "args": ["x.js"]}`, "--replace", exitRefused, nil,
			"which starts another program (unknown): use --name"},
		{"another package", `"weather": {"command": "npx", "args": ["other@1.0.0"]}`, "", exitRefused, nil,
			"another program (other@1.0.0)"},
		{"another package under the given name", `"x": {"command": "npx", "args": ["other"]}`, "--name x", exitRefused, nil,
			"another program (other)"},
		{"one more", `"mine": ` + npx, "--name second", 0, []string{"second"}, ""},
		{"wrapped", `"w": {"command": "wsl", "args": ["npx", "-y", "@octo-labs/weather-mcp@1.0.0"]}`, "", 0, []string{"w"}, ""},
		{"line", `"w": {"command": "npx -y @octo-labs/weather-mcp@1.0.0"}`, "", 0, []string{"w"}, ""},
		{"remote of the server", `"w": {"url": "https://mcp.weather.dev/mcp/?key=1"}`, "", exitRefused, nil,
			"another way"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newRegistry(t)
			f.detail["remotes"] = []any{map[string]any{"url": "https://MCP.weather.dev:443/mcp"}}
			m := newMachine(t, f)
			before := `{"mcpServers": {` + tt.entries + `}}`
			path := m.program.path("~/.cursor/mcp.json")
			m.write(path, before)
			args := append([]string{"install", server, "--client", "cursor", "--yes"}, strings.Fields(tt.args)...)
			_, errs := m.must(tt.status, args...)
			if !strings.Contains(errs, tt.text) {
				t.Errorf("got %q, want %q", errs, tt.text)
			}
			if tt.status != 0 {
				if m.read(path) != before {
					t.Errorf("the file is changed: %s", m.read(path))
				}
				return
			}
			var got []string
			for name, e := range m.entriesOf("cursor") {
				if text, err := json.Marshal(e); err == nil && strings.Contains(string(text), "@1.6.0") {
					got = append(got, name)
				}
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestUpdateOfAnotherPackage updates an entry that runs another package of the server than new
// entries, and one whose package the server no longer has.
func TestUpdateOfAnotherPackage(t *testing.T) {
	f := newRegistry(t)
	packages := f.detail["packages"].([]any)
	f.detail["packages"] = append(packages, map[string]any{"registryType": "pypi", "identifier": "Weather.MCP",
		"version": "2.0.0", "transport": map[string]any{"type": "stdio"}})
	m := newMachine(t, f)
	m.write(m.program.path("~/.cursor/mcp.json"),
		`{"mcpServers": {"w": {"command": "uvx", "args": ["weather-mcp==1.0.0", "--x"], "env": {"A": "b"}}}}`)
	m.must(0, "install", server, "--client", "cursor", "--yes")
	want := map[string]any{"w": map[string]any{"command": "uvx", "args": []any{"weather-mcp==2.0.0", "--x"},
		"env": map[string]any{"A": "b"}}}
	if d := cmp.Diff(want, m.entriesOf("cursor")); d != "" {
		t.Error(d)
	}

	f = newRegistry(t)
	m = newMachine(t, f)
	m.must(0, "install", server, "--client", "cursor", "--yes")
	path := m.program.path("~/.cursor/mcp.json")
	m.write(path, strings.Replace(m.read(path), "1.6.0\"", "1.6.0\", \"--mine\"", 1))
	f.detail["packages"] = []any{map[string]any{"registryType": "pypi", "identifier": "new-weather"}}
	f.detail["install"] = map[string]any{"clients": map[string]any{"mcpServers": map[string]any{
		"weather": map[string]any{"command": "uvx", "args": []any{"new-weather==2.0.0"}}}}}
	before := m.read(path)
	_, errs := m.must(exitRefused, "install", server, "--client", "cursor", "--yes")
	if !strings.Contains(errs, "would lose --mine") || m.read(path) != before {
		t.Errorf("got %q, %s", errs, m.read(path))
	}
	m.must(0, "install", server, "--client", "cursor", "--yes", "--replace")
	want = map[string]any{"weather": map[string]any{"command": "uvx", "args": []any{"new-weather==2.0.0"},
		"env": map[string]any{"WEATHER_API_KEY": "${env:WEATHER_API_KEY}"}}}
	if d := cmp.Diff(want, m.entriesOf("cursor")); d != "" {
		t.Error(d)
	}
}

// TestUpdateRequires adds what a release requires and the entry lacks.
func TestUpdateRequires(t *testing.T) {
	for client, entry := range map[string]string{
		"cursor": `{"mcpServers": {"w": {"command": "npx", "args": ["@octo-labs/weather-mcp@1.0.0"]}}}`,
		"vscode": `{"servers": {"w": {"command": "npx", "args": ["@octo-labs/weather-mcp@1.0.0"]}}}`,
		"codex":  "[mcp_servers.w]\ncommand = \"npx\"\nargs = [\"@octo-labs/weather-mcp@1.0.0\"]\n[x]\ny = 1\n",
		"goose":  "extensions:\n  w:\n    cmd: npx\n    args: ['@octo-labs/weather-mcp@1.0.0']\n    env_keys: [OTHER]\n",
	} {
		m := newMachine(t, newRegistry(t))
		p, err := placeOf(client)
		if err != nil {
			t.Fatal(err)
		}
		path := m.program.path(m.program.userFiles(p.Place)[0])
		m.write(path, entry)
		out, _ := m.must(0, "install", server, "--client", client, "--yes")
		if text := m.read(path); strings.Count(text, "WEATHER_API_KEY") < 1 || !strings.Contains(out, "WEATHER_API_KEY") {
			t.Errorf("%s: got %s\n%s", client, text, out)
		}
		if client == "vscode" {
			doc, err := clientfile.Entries(clientfile.JSON, []byte(`{"x": `+m.read(path)+`}`), "x")
			if err != nil || !slices.Equal(slices.Sorted(maps.Keys(doc)), []string{"inputs", "servers"}) {
				t.Errorf("got %v, %v", doc, err)
			}
		}
	}
}

// TestUpdateKeepsVariables adds no variable that an entry has, or may get, in another way.
func TestUpdateKeepsVariables(t *testing.T) {
	const id = "@octo-labs/weather-mcp@1.0.0"
	for name, tt := range map[string][2]string{
		"forwarded": {"codex", "[mcp_servers.w]\ncommand = \"npx\"\nargs = [\"" + id + "\"]\nenv_vars = [\"WEATHER_API_KEY\"]\n"},
		"within the command": {"zed", `{"context_servers": {"w": {"command": {"path": "npx", "args": ["` + id +
			`"], "env": {"WEATHER_API_KEY": "mine"}}}}}`},
		"file":    {"cursor", `{"mcpServers": {"w": {"command": "npx", "args": ["` + id + `"], "envFile": "/x/.env"}}}`},
		"wrapper": {"cursor", `{"mcpServers": {"w": {"command": "op", "args": ["run", "--env-file=x", "--", "npx", "` + id + `"]}}}`},
		"script":  {"cursor", `{"mcpServers": {"w": {"command": "bash", "args": ["-c", "source ~/.keys && exec npx ` + id + `"]}}}`},
	} {
		m := newMachine(t, newRegistry(t))
		p, err := placeOf(tt[0])
		if err != nil {
			t.Fatal(err)
		}
		path := m.program.path(m.program.userFiles(p.Place)[0])
		m.write(path, tt[1])
		m.must(0, "install", server, "--client", tt[0], "--yes")
		if d := cmp.Diff(strings.Replace(tt[1], "@1.0.0", "@1.6.0", 1), m.read(path)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestUpdateSaysWhatIsLeft says what an entry lacks and cannot get, also if nothing is changed.
func TestUpdateSaysWhatIsLeft(t *testing.T) {
	f := newRegistry(t)
	f.detail["packages"].([]any)[0].(map[string]any)["packageArguments"] = []any{
		map[string]any{"type": "named", "name": "--root", "value": "YOUR_ROOT", "isRequired": true}}
	f.detail["install"] = map[string]any{"clients": map[string]any{"mcpServers": map[string]any{"weather": map[string]any{
		"command": "npx", "args": []any{"-y", "@octo-labs/weather-mcp@1.6.0", "--root", "YOUR_ROOT"}}}}}
	m := newMachine(t, f)
	path := m.program.path("~/.cursor/mcp.json")
	m.write(path, `{"mcpServers": {"w": {"command": "bash", "args": ["-c", "npx @octo-labs/weather-mcp@1.0.0"]}}}`)
	want := strings.Replace(m.read(path), "1.0.0", "1.6.0", 1)
	for range 2 {
		out, _ := m.must(0, "install", server, "--client", "cursor", "--yes")
		if !strings.Contains(out, "Add this yourself: --root YOUR_ROOT\n") || m.read(path) != want {
			t.Errorf("got %s%s", out, m.read(path))
		}
	}
}

// TestUpgrade updates outdated entries of several clients.
func TestUpgrade(t *testing.T) {
	m := newMachine(t, newRegistry(t))
	const old, current = "@octo-labs/weather-mcp@1.0.0", "@octo-labs/weather-mcp@1.6.0"
	write := func() {
		for path, name := range map[string]string{"~/.cursor/mcp.json": "a", "~/.kiro/settings/mcp.json": "b"} {
			m.write(m.program.path(path), `{"mcpServers": {"`+name+`": {"command": "bunx", "args": ["`+old+
				`", "x"], "env": {"WEATHER_API_KEY": "mine-1"}}, "o": {"command": "npx", "args": ["other@1.0.0"]}}}`)
		}
	}
	for args, want := range map[string][]bool{
		"": {true, true}, "a": {true, false}, server: {true, true}, "--client kiro": {false, true},
		"--dry-run": {false, false},
	} {
		write()
		m.must(0, append([]string{"upgrade", "--yes"}, strings.Fields(args)...)...)
		for i, path := range []string{"~/.cursor/mcp.json", "~/.kiro/settings/mcp.json"} {
			text := m.read(m.program.path(path))
			if got := strings.Contains(text, current); got != want[i] || !strings.Contains(text, `mine-1`) {
				t.Errorf("upgrade %s: %s has %s", args, path, text)
			}
		}
	}
	write()
	m.must(ExitNotFound, "upgrade", "--yes", "nothing")
	m.must(ExitNotFound, "upgrade", "--yes", "o")
	if _, errs := m.must(exitFindings, "outdated"); !strings.Contains(errs, "`mcpcensus upgrade`") {
		t.Errorf("got %s", errs)
	}
	out, _ := m.must(0, "upgrade", "--yes", "--json")
	var changes []change
	if err := json.Unmarshal([]byte(out), &changes); err != nil || len(changes) != 2 {
		t.Errorf("got %s, %v", out, err)
	}
	if _, errs := m.must(0, "upgrade", "--yes"); !strings.Contains(errs, "up to date") {
		t.Errorf("got %s", errs)
	}
}

// TestEntryOfAnotherProgram checks that an entry which the user has made start another program is no
// longer that of the server that was installed.
func TestEntryOfAnotherProgram(t *testing.T) {
	for _, entry := range []string{
		`{"command": "npx", "args": ["-y", "hollow-clipboard-mcp@0.0.9"]}`, `{"command": "/opt/mine/run.sh"}`,
		`{"url": "https://tides.example/mcp"}`,
	} {
		m := newMachine(t, newRegistry(t))
		path := m.program.path("~/.cursor/mcp.json")
		m.must(0, "install", server, "--client", "cursor", "--name", "w", "--yes")
		m.write(path, `{"mcpServers": {"w": `+entry+`}}`)
		m.must(0, "upgrade", "--yes")
		if text := m.read(path); !strings.Contains(text, entry) {
			t.Errorf("%s: upgrade writes %s", entry, text)
		}
		if out, _ := m.must(0, "audit"); strings.Contains(out, server) {
			t.Errorf("%s: audit finds %s", entry, out)
		}
	}
}

// TestUninstallByServer removes an entry that another program added under another name.
func TestUninstallByServer(t *testing.T) {
	m := newMachine(t, newRegistry(t))
	path := m.program.path("~/.cursor/mcp.json")
	m.write(path, `{"mcpServers": {"a": {"command": "wsl", "args": ["npx", "@octo-labs/weather-mcp"]}}}`)
	m.must(0, "uninstall", server, "--client", "cursor", "--yes")
	if text := m.read(path); strings.Contains(text, "weather") {
		t.Errorf("got %s", text)
	}
	m.must(ExitNotFound, "uninstall", server, "--client", "cursor", "--yes")
	several := `{"mcpServers": {"a": {"command": "npx", "args": ["concurrently", ` +
		`"npx @octo-labs/weather-mcp@1.0.0", "npx tides@1.0.0"]}}}`
	m.write(path, several)
	m.must(ExitNotFound, "uninstall", server, "--client", "cursor", "--yes")
	m.must(0, "upgrade", "--yes")
	out, _ := m.must(0, "audit")
	if m.read(path) != several || strings.Contains(out, "weather") {
		t.Errorf("an entry of several servers is that of one: %s%s", out, m.read(path))
	}
	m.write(m.program.path("~/.gemini/settings.json"), "{}")
	m.write(path, `{"mcpServers": {"a": {"command": "npx", "args": ["@octo-labs/weather-mcp"]}}}`)
	_, errs := m.must(ExitNotFound, "uninstall", server, "--client", "gemini-cli", "--client", "cursor", "--yes")
	if text := m.read(path); strings.Contains(text, "weather") || !strings.Contains(errs, "settings.json has no entry") {
		t.Errorf("the client after one without the entry: %s\n%s", text, errs)
	}
}
