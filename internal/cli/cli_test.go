package cli

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

var now = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

const server = "octo-labs-weather-mcp"

// A fakeRegistry answers requests by path. Its records begin as those in testdata,
// responses of a registry.
type fakeRegistry struct {
	*httptest.Server
	health, detail map[string]any
	answers        map[string]any // by path, before all others
	asked, queries []string
}

// recorded returns a response in testdata.
func recorded(t *testing.T, name string) (body map[string]any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &body); err != nil {
		t.Fatal(err)
	}
	return body
}

func newRegistry(t *testing.T) *fakeRegistry {
	t.Helper()
	f := &fakeRegistry{
		health: recorded(t, "health.json"), detail: recorded(t, "detail.json"),
		answers: map[string]any{},
	}
	f.Server = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(f.Close)
	return f
}

func (f *fakeRegistry) serve(w http.ResponseWriter, r *http.Request) {
	f.asked = append(f.asked, r.URL.Path)
	f.queries = append(f.queries, r.URL.RawQuery)
	w.Header().Set("Content-Type", "application/json")
	answer, ok := f.answers[r.URL.Path]
	switch {
	case ok:
	case r.URL.Path == "/api/health" &&
		(r.URL.Query().Get("server") == server || r.URL.Query().Get("githubUrl") != ""):
		answer = f.health
	case r.URL.Path == "/api/servers/"+server:
		answer = f.detail
	case r.URL.Path == "/api/servers":
		answer = map[string]any{"servers": []any{f.detail}, "pagination": map[string]any{}}
	case r.URL.Path == "/api/discover" && r.URL.Query().Get("format") == "mcp":
		inside := func(v any, name string) any { o, _ := v.(map[string]any); return o[name] }
		in := inside(f.detail, "install")
		launch := inside(inside(inside(in, "clients"), "mcpServers"), "weather")
		answer = map[string]any{"pagination": map[string]any{}, "tools": []any{map[string]any{
			"name": "Weather", "installation": inside(in, "command"),
			"_meta": map[string]any{"x": map[string]any{"id": server, "install": launch}},
		}}}
	case r.URL.Path == "/api/discover":
		answer = map[string]any{"servers": []any{f.detail}, "pagination": map[string]any{}}
	case strings.HasSuffix(r.URL.Path, "/tools/changes"):
		answer = map[string]any{"server": server, "changes": []any{}}
	default:
		w.WriteHeader(http.StatusNotFound)
		answer = map[string]any{
			"status": 404,
			"code":   "server_not_found",
			"detail": "No server of that name is listed.",
		}
	}
	if status, ok := answer.(int); ok {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(status)
		answer = map[string]any{"status": status, "detail": fmt.Sprintf("status %d", status)}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// A machine is a user's machine, on which commands run.
type machine struct {
	t         *testing.T
	program   *Program
	out, errs bytes.Buffer
	variables map[string]string
}

func newMachine(t *testing.T, f *fakeRegistry) *machine {
	t.Helper()
	m := &machine{t: t, variables: map[string]string{"CENSUS_URL": f.URL, "CENSUS_API_KEY": "mcp_key"}}
	m.program = &Program{
		Name: "mcpcensus", Version: "1.2.3", Stdout: &m.out, Stderr: &m.errs,
		Getenv: func(name string) string { return m.variables[name] },
		Environ: func() (all []string) {
			for name, text := range m.variables {
				all = append(all, name+"="+text)
			}
			return all
		},
		Home: t.TempDir(), Dir: t.TempDir(), OS: "linux", Now: func() time.Time { return now },
	}
	return m
}

// run runs a command and returns its exit status, output and error output, with ~ for
// the home and . for the folder.
func (m *machine) run(args ...string) (status int, out, errs string) {
	m.out.Reset()
	m.errs.Reset()
	status = m.program.Run(m.t.Context(), args)
	short := strings.NewReplacer(m.program.Home, "~", m.program.Dir, ".", m.variables["CENSUS_URL"],
		"REGISTRY")
	return status, short.Replace(m.out.String()), short.Replace(m.errs.String())
}

// must runs a command and fails unless it has the exit status.
func (m *machine) must(want int, args ...string) (out, errs string) {
	m.t.Helper()
	status, out, errs := m.run(args...)
	if status != want {
		m.t.Fatalf("%s: exit status %d, want %d\n%s%s", strings.Join(args, " "), status, want, out, errs)
	}
	return out, errs
}

func (m *machine) write(path, text string) {
	m.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) read(path string) string {
	m.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		m.t.Fatal(err)
	}
	return string(text)
}

// golden compares a text with a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s: run with -update if this is right:\n%s", path, d)
	}
}

func TestHelp(t *testing.T) {
	m := newMachine(t, newRegistry(t))
	out, _ := m.must(0)
	var all strings.Builder
	all.WriteString(out)
	for _, c := range m.program.Commands() {
		out, _ := m.must(0, c.Name(), "--help")
		fmt.Fprintf(&all, "\n-- %s --\n%s", c.Name(), out)
	}
	golden(t, "help.golden", all.String())
	if out2, _ := m.must(0, "help", "install"); !strings.Contains(all.String(), out2) {
		t.Error("help install differs from install --help")
	}
}

// TestCompletion checks which words the scripts of shells complete.
func TestCompletion(t *testing.T) {
	m := newMachine(t, newRegistry(t))
	const noFiles, jsonFiles = ":4\n", ":8\n"
	for args, want := range map[string]string{
		"install --client c": "\ncursor\tCursor\n",
		"list --client c":    "\namp\tAmp\n" + noFiles,
		"list --scope p":     "user\nproject\nlocal\n" + noFiles,
		"search --sort s":    "qualityScore\nstars\ndownloads\n" + noFiles,
		"show o":             noFiles,
		"un":                 "uninstall\tRemove a server from a client\n" + noFiles,
		"lint s":             "json\n" + jsonFiles,
	} {
		if out, _ := m.must(0, append([]string{"__complete"}, strings.Fields(args)...)...); !strings.Contains(out, want) {
			t.Errorf("%s: got %q, want %q", args, out, want)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if out, _ := m.must(0, "completion", shell); !strings.Contains(out, "__complete") {
			t.Errorf("%s: got %s", shell, out)
		}
	}
}

func TestVersion(t *testing.T) {
	m := newMachine(t, newRegistry(t))
	for args, want := range map[string]string{
		"version": "mcpcensus 1.2.3\n", "--version": "mcpcensus 1.2.3\n",
		"version --json": "{\n  \"name\": \"mcpcensus\",\n  \"version\": \"1.2.3\"\n}\n",
	} {
		if out, _ := m.must(0, strings.Fields(args)...); out != want {
			t.Errorf("%s: %s", args, out)
		}
	}
}

func TestUsageErrors(t *testing.T) {
	tests := []struct{ args, want string }{
		{"instal x", `unknown command "instal" for "mcpcensus"; did you mean install?` +
			"\n`mcpcensus help` lists the commands\n"},
		{"find x", `unknown command "find" for "mcpcensus"; did you mean search or lint?`},
		{"nothing", "unknown command \"nothing\" for \"mcpcensus\"\n`mcpcensus help` lists"},
		{"--x", "unknown option --x; accepted: --version"},
		{"show", "show: accepts 1 arg(s), received 0; usage: mcpcensus show ID [flags]"},
		{"clients x", "clients: accepts 0 arg(s), received 1; usage: mcpcensus clients"},
		{"show a b", "usage:"},
		{"show --colour a", "show: unknown option --colour; accepted: --json, --no-color, --registry"},
		{"show -c a", "show: unknown option -c; accepted: --json"},
		{"mcp --json", "mcp: unknown option --json; accepted: --registry"},
		{"search --limit x", `search: --limit must be a whole number, got "x"`},
		{"search --limit 99999999999999999999", `a whole number, got "99999999999999999999"`},
		{"search --limit", "search: flag needs an argument: --limit"},
		{"search --json=x", `search: --json must be true or false, got "x"`},
		{"search ---x", "search: bad flag syntax: ---x"},
		{"install a", "--client is required"},
		{"install a --client notepad", "clients are claude-desktop, claude-code, cursor"},
		{"install a --client cursor --user --project", "exclude each other"},
		{"install a --client windsurf --project", "Windsurf has no file in projects"},
		{"install " + server + " --client cursor --set X", "--set X: the value is empty"},
		{"install " + server + " --client cursor --set X=y", "the server has no such value"},
		{"install " + server + " --client cursor --name a/b", "at most 32"},
		{"list --client notepad", "there is no client"},
		{"search --registry ftp://x", "must have the form https://host"},
		{"search --url ftp://x", "must have the form https://host"},
		{"mcp --registry ftp://x", "must have the form https://host"},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			m := newMachine(t, newRegistry(t))
			out, errs := m.must(exitUsage, strings.Fields(tt.args)...)
			if !strings.Contains(errs, tt.want) || out != "" {
				t.Errorf("got %q and %q, want %q", out, errs, tt.want)
			}
		})
	}
}

func TestRegistryErrors(t *testing.T) {
	const setKey = "Set CENSUS_API_KEY"
	tests := []struct {
		name, key string
		answer    any // of /api/health
		want, not string
	}{
		{name: "rate limit without a key", answer: 429, want: setKey},
		{name: "rate limit with a key", key: "mcp_key", answer: 429, want: "status 429", not: setKey},
		{name: "wrong key", key: "mcp_key", answer: 401, want: setKey},
		{name: "list instead of a record", answer: []any{}, not: "Go value",
			want: "cannot read the response: it is not that of a registry"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newRegistry(t)
			f.answers["/api/health"] = tt.answer
			m := newMachine(t, f)
			m.variables["CENSUS_API_KEY"] = tt.key
			_, errs := m.must(exitFailure, "show", server)
			if !strings.Contains(errs, tt.want) || tt.not != "" && strings.Contains(errs, tt.not) {
				t.Errorf("got %q, want %q, without %q", errs, tt.want, tt.not)
			}
		})
	}
}

// TestAuditAtLimit checks that audit prints its results if the registry reaches the limit of requests.
func TestAuditAtLimit(t *testing.T) {
	f := newRegistry(t)
	f.answers["/api/discover"] = 429
	m := newMachine(t, f)
	m.write(m.program.path("~/.cursor/mcp.json"), `{"mcpServers": {"a": {"command": "own"},
		"b": {"command": "npx", "args": ["tides"]}, "c": {"command": "npx", "args": ["waves"]}}}`)
	out, errs := m.must(exitFailure, "audit")
	if !strings.Contains(out, "not asked: It starts no package") || !strings.Contains(out, "2 left out") ||
		!strings.Contains(errs, "b in ") || !strings.Contains(errs, "c in ") || len(f.queries) > 1 {
		t.Errorf("%v\n%s\n%s", f.queries, out, errs)
	}
}

// TestFileErrors checks that errors of clients' files are not in the words of parsers.
func TestFileErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"[]", "cursor/mcp.json is left out: the file cannot be read: it must be an object, got array\n"},
		{`{"mcpServers": []}`, "the file cannot be read: mcpServers is not an object\n"},
		{`{"mcpServers": `, "the file cannot be read: line 1, column 16: the file ends too early\n"},
	}
	for _, tt := range tests {
		m := newMachine(t, newRegistry(t))
		m.write(m.program.path("~/.cursor/mcp.json"), tt.text)
		_, errs := m.must(exitFile, "audit")
		if !strings.Contains(errs, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.text, errs, tt.want)
		}
		_, errs = m.must(exitFile, "install", server, "--client", "cursor", "--yes")
		if strings.Contains(errs, "Go value") {
			t.Errorf("%s: install: got %q", tt.text, errs)
		}
	}
}
