package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/lint"
)

func TestLint(t *testing.T) {
	const valid = `{
  "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  "name": "com.example/weather", "description": "Weather", "version": "1.2.0",
  "remotes": [{"type": "streamable-http", "url": "https://weather.dev/mcp"}]
}`
	invalid := strings.NewReplacer("1.2.0", "^1.2.0", `"remotes"`, "\"other\u202e\"").Replace(valid)
	f := newRegistry(t)
	f.Close() // is not needed
	m := newMachine(t, f)
	for name, text := range map[string]string{"valid.json": valid, "invalid.json": invalid} {
		if err := os.WriteFile(filepath.Join(m.program.Dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, _ := m.must(0, "lint", "valid.json"); out != "valid.json: valid, 0 errors, 0 warnings, 0 notes\n" {
		t.Errorf("valid file:\n%s", out)
	}
	out, _ := m.must(1, "lint", filepath.Join(m.program.Dir, "invalid.json"))
	const want = `./invalid.json:3:71: error: version: version must be an exact version, not a range, ` +
		`got "^1.2.0" [version-looks-like-range]
./invalid.json:1:1: warning: Clients cannot use this server: it has no packages and no remotes. [nothing-to-install]
./invalid.json:4:13: warning: other<U+202E>: "other\u202e" is not a member of server.json. [unknown-member]
./invalid.json: not valid, 1 error, 2 warnings, 0 notes
`
	if diff := cmp.Diff(want, out); diff != "" {
		t.Error(diff)
	}
	m.program.Stdin = strings.NewReader("{")
	out, _ = m.must(1, "lint", "--json", "-")
	var r lint.Result
	if err := json.Unmarshal([]byte(out), &r); err != nil || r.Valid || len(r.Issues) != 1 {
		t.Errorf("from standard input: %v\n%s", err, out)
	}
	if _, errs := m.must(1, "lint", "no.json"); !strings.Contains(errs, "no.json: no such file") {
		t.Error(errs)
	}
	m.must(2, "lint")
	refused := strings.Replace(valid, `"remotes"`, `"packages": [{"registryType": "npm", "identifier": "x", `+
		`"transport": {"type": "stdio"}}], "remotes"`, 1)
	for args, want := range map[string]int{"": 0, "--strict": 1, "--publish": 1, "CI": 1} {
		m.variables["CI"] = ""
		if args == "CI" {
			m.variables["CI"] = "true"
		}
		m.program.Stdin = strings.NewReader(refused)
		m.must(want, append([]string{"lint", "-"}, strings.Fields(strings.TrimPrefix(args, "CI"))...)...)
	}
	m.must(0, "lint", "--strict", "valid.json")
	m.program.Stdin = strings.NewReader(strings.Replace(valid, `"remotes": [{`, `"remotes": [{"headers": [{"name": `+
		`"Authorization", "description": "Key", "isSecret": true, "value": "sk-live-1"}], `, 1))
	m.must(1, "lint", "-", "--strict")
}
