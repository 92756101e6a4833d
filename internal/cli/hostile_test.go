package cli

import (
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcpcensus/internal/text"
)

// places calls visit for each value within a document, with a function that replaces it.
func places(at string, v any, put func(any), visit func(at string, put func(any))) {
	visit(at, put)
	switch x := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(x)) {
			old := x[name]
			places(at+"."+name, old, func(v any) { x[name] = v }, visit)
			x[name] = old
		}
	case []any:
		for i, old := range x {
			places(at+"[]", old, func(v any) { x[i] = v }, visit)
			x[i] = old
		}
	}
}

// TestHostileRegistry replaces the values of responses, one at a time. No command fails in another
// way than with a message, prints what a terminal interprets, or writes outside of the clients' files.
func TestHostileRegistry(t *testing.T) {
	var deep any = "x"
	for range 300 {
		deep = []any{deep}
	}
	poisons := []any{"a\x1b]0;x\x07\u202e\u200b\r\nb/../../x", nil, []any{1, "x"}, map[string]any{"x": 1}, 1e308, -1,
		true, deep, strings.Repeat("long ", 100_000), "/../", "http://evil.test:99999/%zz"}
	commands := []string{"show " + server, "search weather", "audit --client cursor --json", "upgrade --yes",
		"install " + server + " --client goose --yes --anyway --json"}
	files := []string{"/.cursor/mcp.json", "/.config/goose/config.yaml", "/.config/mcpcensus/installed.json"}
	f, n := newRegistry(t), 0
	visit := func(at string, put func(any)) {
		for i := range poisons {
			if n++; at == "" || n%3 != 0 {
				continue
			}
			put(poisons[i])
			m := newMachine(t, f)
			m.write(m.program.path("~/.cursor/mcp.json"),
				`{"mcpServers": {"w": {"command": "npx", "args": ["-y", "@octo-labs/weather-mcp@1.0.0"]}}}`)
			line := commands[n/3%len(commands)]
			status, out, errs := m.run(strings.Fields(line)...)
			shown := out + errs
			if bad := text.Unsafe(strings.ReplaceAll(shown, "\n", "")); bad != "" || status > exitInterrupted ||
				strings.Contains(errs, "Go value") || len(shown) > 300_000 && !strings.Contains(line, "json") {
				t.Errorf("%s is %.60v: %s ends with %d and prints %d bytes with %q: %.300q", at, poisons[i], line,
					status, len(shown), bad, shown)
			}
			err := filepath.WalkDir(m.program.Home, func(path string, d fs.DirEntry, err error) error {
				short, _, _ := strings.Cut(strings.TrimPrefix(path, m.program.Home), ".json.")
				isOurs := slices.Contains(files, short) || slices.Contains(files, short+".json")
				if !d.IsDir() && !isOurs && !strings.HasSuffix(short, ".lock") {
					t.Errorf("%s is %.60v: %s wrote %s", at, poisons[i], line, path)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, doc := range []map[string]any{f.detail, f.health} {
		places("", doc, func(any) {}, visit)
	}
}
