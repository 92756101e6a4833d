package cli

import (
	"fmt"
	"strings"
	"testing"
)

func TestLocalScope(t *testing.T) {
	m := newMachine(t, newRegistry(t))
	path := m.program.path("~/.claude.json")
	local := []string{"--client", "claude-code", "--scope", "local", "--yes"}
	install := append([]string{"install", server}, local...)

	_, errs := m.must(exitFile, install...)
	for _, want := range []string{"~/.claude.json: the file does not know this folder: start the client " +
		"here once", "Add this yourself"} {
		if !strings.Contains(errs, want) {
			t.Errorf("without the folder: %s", errs)
		}
	}
	const entry = `{"command": "npx", "args": ["-y", "@octo/other-mcp", "--token=hunter-22"]}`
	before := fmt.Sprintf("{\n  \"numStartups\": 3,\n  \"projects\": {\n    %q: {\n      \"mcpServers\": "+
		"{\n        \"mine\": %s\n      }\n    },\n    \"/elsewhere\": {\"mcpServers\": {\"theirs\": %s}}\n  }\n}\n",
		m.program.Dir, entry, entry)
	m.write(path, before)
	out, _ := m.must(0, install...)
	if strings.Contains(out, "hunter") {
		t.Errorf("the difference shows a secret: %s", out)
	}
	text := m.read(path)
	if i := strings.Index(text, `"weather": {`); i < 0 || i > strings.Index(text, "/elsewhere") {
		t.Errorf("got %s", text)
	}
	out, _ = m.must(0, "list", "--json")
	for _, want := range []string{`"name": "mine"`, `"name": "theirs"`, `"name": "weather"`, `"folder": "/elsewhere"`,
		`"server": "` + server + `"`, `"scope": "local"`} {
		if !strings.Contains(out, want) {
			t.Errorf("list lacks %s: %s", want, out)
		}
	}
	if out, _ := m.must(0, "list", "--scope", "user", "--json"); strings.Contains(out, "mine") {
		t.Errorf("scope of the user: %s", out)
	}
	if _, errs := m.must(0, "list", "--project"); !strings.Contains(errs, "No client") {
		t.Errorf("scope of the project: %s", errs)
	}
	if out, _ := m.must(0, "audit", "--scope", "local"); !strings.Contains(out, "local /elsewhere") {
		t.Errorf("audit: %s", out)
	}
	m.must(0, append([]string{"uninstall", server}, local...)...)
	if got := m.read(path); got != before {
		t.Errorf("uninstall leaves %s", got)
	}
	m.must(ExitNotFound, append([]string{"uninstall", "theirs"}, local...)...)
}

func TestScopeErrors(t *testing.T) {
	for args, want := range map[string]string{
		"install a --client cursor --scope local":           "Cursor has no local scope",
		"install a --client cursor --scope global":          `--scope must be user, project or local, got "global"`,
		"install a --client cursor --scope local --project": "exclude each other",
		"list --user --scope project":                       "exclude each other",
	} {
		m := newMachine(t, newRegistry(t))
		if _, errs := m.must(exitUsage, strings.Fields(args)...); !strings.Contains(errs, want) {
			t.Errorf("%s: got %q, want %q", args, errs, want)
		}
	}
}
