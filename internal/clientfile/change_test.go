package clientfile

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The changes of an update: another version, a new argument and a new variable.
var update = []Change{
	{[]string{"args"}, []string{"-y", "a@2", "--new", "x"}},
	{[]string{"env", "NEW"}, "$NEW"},
}

// TestEdit checks that everything outside the changed members keeps its bytes.
func TestEdit(t *testing.T) {
	tests := []struct {
		name          string
		format        Format
		before, after string
	}{
		{"one line", JSON, `{"s": {"a": {"args": ["-y", "a@1"],"env":{"K": "v"}}, "b": {}}}`,
			`{"s": {"a": {"args": ["-y", "a@2", "--new", "x"],"env":{"K": "v", "NEW": "$NEW"}}, "b": {}}}`},
		{"lines and comments", JSON, `// mine
{
  "s": {
    "a": { // note
      "args": [
        "-y", // yes
        /* pinned */ "a@1" // version
      ],
      "timeout": 1.50,
      "env": {
        "K": "v", // key
      },
    }, // end
  },
}
`, `// mine
{
  "s": {
    "a": { // note
      "args": [
        "-y", // yes
        /* pinned */ "a@2",
        "--new",
        "x" // version
      ],
      "timeout": 1.50,
      "env": {
        "K": "v", // key
        "NEW": "$NEW",
      },
    }, // end
  },
}
`},
		{"no variables", JSON, "{\n  \"s\": {\n    \"a\": {\n      \"args\": [\"-y\", \"a@1\"]\n    }\n  }\n}",
			"{\n  \"s\": {\n    \"a\": {\n      \"args\": [\"-y\", \"a@2\", \"--new\", \"x\"],\n" +
				"      \"env\": {\n        \"NEW\": \"$NEW\"\n      }\n    }\n  }\n}"},
		{"no arguments", JSON, `{"s": {"a": {"args": [ ], "env": {}}}}`,
			`{"s": {"a": {"args": ["-y", "a@2", "--new", "x" ], "env": {` + "\n  \"NEW\": \"$NEW\"\n}}}}"},

		{"sub-tables", TOML, `# mine
[s.a] # note
command = "npx"
args = ["-y", "a@1"] # version
timeout = 30

[s.a.env]
K = 'v' # key

[s.a.tools.x]
mode = "approve"

[p]
`, `# mine
[s.a] # note
command = "npx"
args = ["-y", "a@2", "--new", "x"] # version
timeout = 30

[s.a.env]
K = 'v' # key
NEW = "$NEW"

[s.a.tools.x]
mode = "approve"

[p]
`},
		{"inline table and lines", TOML,
			"[s.a]\nargs = [\n  '-y', # yes\n  \"\"\"a@1\"\"\", # version\n]\nenv = { \"K\" = \"v\" }\n[s.b]\n",
			"[s.a]\nargs = [\n  '-y', # yes\n  \"a@2\",\n  \"--new\",\n  \"x\", # version\n]\n" +
				"env = { NEW = \"$NEW\", \"K\" = \"v\" }\n[s.b]\n"},
		{"dotted keys", TOML, "[s]\na.args = [\"-y\", \"a@1\"]\na.env.K = \"v\"",
			"[s]\na.args = [\"-y\", \"a@2\", \"--new\", \"x\"]\na.env.K = \"v\"\na.env.NEW = \"$NEW\"\n"},
		{"inline entry", TOML, "[s]\na = { args = [ \"-y\",\"a@1\", ] }\n",
			"[s]\na = { env = { NEW = \"$NEW\" }, args = [ \"-y\",\"a@2\", \"--new\", \"x\", ] }\n"},
		{"no variables", TOML, "[s.a]\nargs = [\"-y\", \"a@1\"]\n[s.a.tools.x]\nb = 1",
			"[s.a]\nargs = [\"-y\", \"a@2\", \"--new\", \"x\"]\nenv = { NEW = \"$NEW\" }\n[s.a.tools.x]\nb = 1"},
		{"empty table and list", TOML, "[s.a]\nargs = []\nenv = {}\n",
			"[s.a]\nargs = [\"-y\", \"a@2\", \"--new\", \"x\"]\nenv = { NEW = \"$NEW\" }\n"},

		{"blocks", YAML, `# mine
s:
    a:
        # note
        args:
            - -y # yes
            - 'a@1' # version
        timeout: 300
        env:
            K: "ü" # key
        # behind
    b: {x: 1}
`, `# mine
s:
    a:
        # note
        args:
            - -y # yes
            - "a@2" # version
            - "--new"
            - "x"
        timeout: 300
        env:
            K: "ü" # key
            "NEW": "$NEW"
        # behind
    b: {x: 1}
`},
		{"brackets", YAML, "s:\n  a:\n    args: [-y, \"a@1\"] # ü\n    env: {K: v}\n",
			"s:\n  a:\n    args: [-y, \"a@2\", \"--new\", \"x\"] # ü\n    env: {\"NEW\": \"$NEW\", K: v}\n"},
		{"an entry in braces", YAML, "s:\n  a: {ü: é, args: [-y, a@1]}\n",
			"s:\n  a: {\"env\": {\"NEW\":\"$NEW\"}, ü: é, args: [-y, \"a@2\", \"--new\", \"x\"]}\n"},
		{"no variables", YAML, "s:\n  a:\n    args:\n    - -y\n    - a@1\n  b: 1",
			"s:\n  a:\n    args:\n    - -y\n    - \"a@2\"\n    - \"--new\"\n    - \"x\"\n" +
				"    \"env\":\n      \"NEW\": \"$NEW\"\n  b: 1"},
	}
	for _, tt := range tests {
		for _, end := range []string{"\n", "\r\n"} {
			t.Run(string(tt.format)+"/"+tt.name, func(t *testing.T) {
				before := strings.ReplaceAll(tt.before, "\n", end)
				got, err := Edit(tt.format, []byte(before), "s", "a", update, "")
				if err != nil {
					t.Fatal(err)
				}
				want := strings.ReplaceAll(tt.after, "\n", end)
				if !strings.Contains(before, end) {
					want = tt.after
				}
				if d := cmp.Diff(want, string(got)); d != "" {
					t.Error(d)
				}
			})
		}
	}
}

func TestEditLists(t *testing.T) {
	tests := map[string]struct {
		format Format
		text   string
		values []string
		want   string
	}{
		"removed at the end":   {JSON, `["a", "b", /* x */ "c"]`, []string{"a"}, `["a"]`},
		"removed at the start": {JSON, `["a", "b", "c"]`, []string{"c"}, `["c"]`},
		"all removed":          {JSON, `["a", "b"]`, []string{}, `[]`},
		"all others":           {JSON, `["a", "b"]`, []string{"c"}, `["c"]`},
		"added at the start":   {JSON, `["a"]`, []string{"x", "a"}, `["x", "a"]`},
		"added within": {JSON, "[\n\"a\",\n\"b\" // b\n]", []string{"a", "x", "b"},
			"[\n\"a\",\n\"x\",\n\"b\" // b\n]"},
		"lines of YAML":      {YAML, "\n  - a\n  - b # b\n  - c", []string{"x", "b"}, "\n  - \"x\"\n  - b # b"},
		"first line of YAML": {YAML, "\n  - a # a\n  - b", []string{"x", "a", "b"}, "\n  - \"x\"\n  - a # a\n  - b"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			before, after := `{"s": {"a": {"args": `, `}}}`
			if tt.format == YAML {
				before, after = "s:\n a:\n  args:", "\n  b: 1\n"
			}
			got, err := Edit(tt.format, []byte(before+tt.text+after), "s", "a",
				[]Change{{[]string{"args"}, tt.values}}, "")
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(before+tt.want+after, string(got)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestEditRefuses(t *testing.T) {
	for text, format := range map[string]Format{
		`{"s": {"a": {"args": ["-y", 1]}}}`:               JSON,
		`{"s": {"a": {"args": "a", "args": ["-y"]}}}`:     JSON,
		`{"s": {"a": 1}}`:                                 JSON,
		`{"s": {"a": {"env": []}}}`:                       JSON,
		"[s.a]\nargs = 1\n":                               TOML,
		"[s.a]\nenv = 1\n":                                TOML,
		"s:\n  a:\n    args:\n      - - x\n":              YAML,
		"s:\n  a:\n    args: &x [a]\n    b: *x\n    c: 1": YAML,
		"s:\n  a:\n    args:\n      - |\n        x\n":     YAML,
	} {
		got, err := Edit(format, []byte(text), "s", "a", update, "")
		if !errors.Is(err, ErrForm) {
			t.Errorf("%s: got %s, %v", text, got, err)
		}
	}
}

// Whatever a file has, the members that a change does not name stay, or it is refused.
func FuzzEdit(f *testing.F) {
	f.Add(uint8(0), "{\n \"s\": {\"a\": {\"args\": [\"x\", // x\n]}, // x\n},\n}")
	f.Add(uint8(1), "[s.a]\nb = '''\n[c]'''\nargs = [\"x\"]\n[s.a.env]\nA = \"b\"")
	f.Add(uint8(2), "a: |\n  # x\ns:\n  a: {c: &d 1, args: [x]}\n")
	f.Fuzz(func(t *testing.T, kind uint8, text string) {
		format := []Format{JSON, TOML, YAML}[kind%3]
		out, err := Edit(format, []byte(text), "s", "a", update, "")
		if err != nil {
			return
		}
		entries, err := Entries(format, out, "s")
		entry, _ := entries["a"].(map[string]any)
		env, _ := entry["env"].(map[string]any)
		if err != nil || env["NEW"] != "$NEW" {
			t.Fatalf("the variable is missing: %v", err)
		}
	})
}
