package clientfile

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	jsonDoc = `{"mcpServers": {"new": {"command": "npx", "args": ["-y"]}}}`
	tomlDoc = "[mcp_servers.new]\ncommand = \"npx\"\nenv = { A = \"b\" }\n"
	yamlDoc = "extensions:\n  \"new\":\n    cmd: npx\n    args:\n      - \"-y\"\n"
)

func docOf(f Format) (section, doc string) {
	switch f {
	case TOML:
		return "mcp_servers", tomlDoc
	case YAML:
		return "extensions", yamlDoc
	}
	return "mcpServers", jsonDoc
}

const jsonEntry = `"new": {
      "command": "npx",
      "args": [
        "-y"
      ]
    }`

func TestPut(t *testing.T) {
	tests := []struct {
		name   string
		format Format
		before string
		after  string
		oneWay bool // Remove does not restore before
	}{
		{"empty", JSON, "", jsonDoc, true},
		{"comments only", JSON, "// mine\n/* two */", "// mine\n/* two */\n" + jsonDoc, true},
		{"null", JSON, "{\n  \"mcpServers\": null, // none\n  \"a\": 1\n}",
			"{\n  \"mcpServers\": {\n    " + jsonEntry + "\n  }, // none\n  \"a\": 1\n}", true},
		{"white space", JSON, " \n", jsonDoc, true},
		{"empty object", JSON, "{}\n", "{\n  \"mcpServers\": {\n    " + jsonEntry + "\n  }\n}\n", true},
		{
			"empty section",
			JSON,
			"{\n  \"mcpServers\": {}\n}",
			"{\n  \"mcpServers\": {\n    " + jsonEntry + "\n  }\n}",
			true,
		},
		{"section with a comment only", JSON,
			"{\n  \"mcpServers\": { // none\n  }\n}",
			"{\n  \"mcpServers\": { // none\n    " + jsonEntry + "\n  }\n}", false},
		{"other servers", JSON, "{\n  \"mcpServers\": {\n    \"a\": {\"x\":  1}\n  },\n  \"z\": 1.50\n}\n",
			"{\n  \"mcpServers\": {\n    \"a\": {\"x\":  1},\n    " + jsonEntry +
				"\n  },\n  \"z\": 1.50\n}\n", false},
		{"comments behind the last", JSON,
			"{\n  \"mcpServers\": {\n    \"a\": {} // of a\n    /* end */\n  }\n}\n",
			"{\n  \"mcpServers\": {\n    \"a\": {}, // of a\n    /* end */\n    " + jsonEntry +
				"\n  }\n}\n", false},
		{"trailing comma", JSON, "{\n  \"mcpServers\": {\n    \"a\": {}, // of a\n  },\n}\n",
			"{\n  \"mcpServers\": {\n    \"a\": {}, // of a\n    " + jsonEntry + ",\n  },\n}\n", false},
		{"one line", JSON, `{"a":1,"mcpServers":{"a":{"b":[1]}}}`,
			`{"a":1,"mcpServers":{"a":{"b":[1]}, "new": {"command":"npx","args":["-y"]}}}`, false},
		{"tabs", JSON, "{\n\t\"mcpServers\": {\n\t\t\"a\": {}\n\t}\n}",
			"{\n\t\"mcpServers\": {\n\t\t\"a\": {},\n\t\t\"new\": {\n" +
				"\t\t\t\"command\": \"npx\",\n\t\t\t\"args\": [\n\t\t\t\t\"-y\"\n\t\t\t]\n\t\t}\n" +
				"\t}\n}", false},
		{"CRLF", JSON, "{\r\n  \"mcpServers\": {\r\n    \"a\": {}\r\n  }\r\n}",
			strings.ReplaceAll("{\n  \"mcpServers\": {\n    \"a\": {},\n    "+jsonEntry+"\n  }\n}",
				"\n", "\r\n"), false},
		{"byte order mark", JSON, "\xef\xbb\xbf{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}",
			"\xef\xbb\xbf{\n  \"mcpServers\": {\n    \"a\": {},\n    " + jsonEntry + "\n  }\n}", false},
		{"no section", JSON, "{\n    \"theme\": \"x\" // dark\n}\n",
			"{\n    \"theme\": \"x\", // dark\n    \"mcpServers\": {\n        \"new\": {\n            \"command\": \"npx\",\n" +
				"            \"args\": [\n                \"-y\"\n            ]\n        }\n    }\n}\n",
			true},

		{"empty", TOML, "", tomlDoc, true},
		{
			"other tables",
			TOML,
			"# mine\nmodel = \"x\"\n\n[mcp_servers.a] # a\ncommand = \"c\"\n\n# tui\n[tui]\nx = 1\n",
			"# mine\nmodel = \"x\"\n\n[mcp_servers.a] # a\ncommand = \"c\"\n\n# tui\n[tui]\nx = 1\n\n" +
				tomlDoc,
			false,
		},
		{"no line break at the end", TOML, "x = 1", "x = 1\n\n" + tomlDoc, true},
		{
			"a header in a string",
			TOML,
			"a = \"\"\"\n[mcp_servers.new]\n\"\"\"\n",
			"a = \"\"\"\n[mcp_servers.new]\n\"\"\"\n\n" + tomlDoc,
			false,
		},

		{"empty", YAML, "", yamlDoc, true},
		{"comment only", YAML, "# mine\n", "# mine\n" + yamlDoc, true},
		{"other extensions", YAML,
			"GOOSE: x\nextensions:\n    a:\n        cmd: c # of a\n        text: |\n" +
				"            # no comment\n\n# end\nlast: [1, 2]\n",
			"GOOSE: x\nextensions:\n    a:\n        cmd: c # of a\n        text: |\n            # no comment\n" +
				"    \"new\":\n      cmd: npx\n      args:\n        - \"-y\"\n\n# end\nlast: [1, 2]\n",
			false},
		{"empty mapping", YAML, "extensions: {}\nb: 1\n", yamlDoc + "b: 1\n", false},
		{"null", YAML, "extensions:\nb: 1\n", yamlDoc + "b: 1\n", true},
		{"no section", YAML, "a: 1", "a: 1\n" + yamlDoc, true},
	}
	for _, tt := range tests {
		t.Run(string(tt.format)+"/"+tt.name, func(t *testing.T) {
			section, doc := docOf(tt.format)
			got, err := Put(tt.format, []byte(tt.before), section, doc)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.after, string(got)); d != "" {
				t.Error(d)
			}
			back, ok, err := Remove(tt.format, got, section, "new")
			if err != nil || !ok {
				t.Fatalf("Remove: %v, %v", ok, err)
			}
			if !tt.oneWay && string(back) != tt.before {
				t.Errorf("Remove does not restore the text:\n%s", cmp.Diff(tt.before, string(back)))
			}
			if tt.oneWay {
				if again, err := Put(tt.format, back, section, doc); err != nil ||
					!bytes.Contains(again, []byte("npx")) {
					t.Errorf("Put after Remove: %s, %v", again, err)
				}
			}
		})
	}
}

func TestPutRefuses(t *testing.T) {
	tests := []struct {
		name   string
		format Format
		text   string
		want   error
	}{
		{"broken", JSON, `{"mcpServers": {`, ErrBroken},
		{"a list", JSON, `[]`, ErrBroken},
		{"null", JSON, `null`, ErrBroken},
		{"two documents", JSON, `{} {}`, ErrBroken},
		{"UTF-16", JSON, "\xff\xfe{\x00}\x00", ErrBroken},
		{"binary", JSON, "{}\x00", ErrBroken},
		{"section of another type", JSON, `{"mcpServers": []}`, ErrForm},
		{"section twice", JSON, `{"mcpServers": {}, "mcpServers": {}}`, ErrForm},
		{"entry", JSON, `{"mcpServers": {"new": {"old": true}}}`, ErrExists},
		{"entry twice", JSON, `{"mcpServers": {"new": 1, "new": 2}}`, ErrExists},
		{"entry", TOML, "['mcp_servers' . \"new\"] # x\na = 1\n", ErrExists},
		{"entry", YAML, "extensions:\n  new:\n    cmd: old\n", ErrExists},
		{"broken", TOML, "[mcp_servers", ErrBroken},
		{"inline table", TOML, "mcp_servers = { a = { command = \"c\" } }\n", ErrForm},
		{"entry as dotted keys", TOML, "mcp_servers.new.command = \"c\"\n", ErrExists},
		{"broken", YAML, "a: [1", ErrBroken},
		{"tabs", YAML, "a:\n\tb: 1", ErrBroken},
		{"braces", YAML, "extensions: {a: {b: 1}}\n", ErrForm},
		{"a list", YAML, "- a\n", ErrBroken},
		{"two documents", YAML, "a: 1\n---\nb: 1\n", ErrForm},
	}
	for _, tt := range tests {
		t.Run(string(tt.format)+"/"+tt.name, func(t *testing.T) {
			section, doc := docOf(tt.format)
			got, err := Put(tt.format, []byte(tt.text), section, doc)
			if !errors.Is(err, tt.want) {
				t.Errorf("got %s, %v, want %v", got, err, tt.want)
			}
		})
	}
}

func TestPutElements(t *testing.T) {
	const doc = `{"inputs": [{"id": "A"}, {"id": "B"}], "servers": {"new": {}}}`
	before := "{\n  \"inputs\": [\n    {\"id\": \"A\", \"mine\": 1} // kept\n  ],\n  \"servers\": {\"x\": {}}\n}"
	want := "{\n  \"inputs\": [\n    {\"id\": \"A\", \"mine\": 1}, // kept\n    {\n" +
		"      \"id\": \"B\"\n    }\n  ],\n  \"servers\": {\"x\": {}, \"new\": {}}\n}"
	got, err := Put(JSON, []byte(before), "servers", doc)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Error(d)
	}
}

// Whatever a file has, the rest of it stays, or it is refused.
func FuzzPut(f *testing.F) {
	f.Add(uint8(0), "{\n \"mcpServers\": {\"a\": {}, // x\n},\n}")
	f.Add(uint8(1), "[a]\nb = '''\n[c]'''\n")
	f.Add(uint8(2), "a: |\n  # x\nextensions:\n  b: {c: &d 1}\n")
	f.Fuzz(func(t *testing.T, kind uint8, text string) {
		format := []Format{JSON, TOML, YAML}[kind%3]
		section, doc := docOf(format)
		out, err := Put(format, []byte(text), section, doc)
		if err != nil {
			return
		}
		entries, err := Entries(format, out, section)
		if err != nil || entries["new"] == nil {
			t.Fatalf("the entry is missing: %v", err)
		}
		if _, _, err := Remove(format, out, section, "new"); err != nil && !errors.Is(err, ErrForm) {
			t.Fatal(err)
		}
	})
}

func TestBroken(t *testing.T) {
	tests := []struct {
		format     Format
		text, want string
	}{
		{JSON, "{\n  \"a\": 1\n  \"b\": 2\n}", "line 3, column 3: invalid character '\"' after object value, expected ',' or '}'"},
		{JSON, `{"mcpServers": `, "line 1, column 16: the file ends too early"},
		{JSON, "{\"a\": nul}", `line 1, column 7: "nul" is not a value`},
		{JSON, "[]", "it must be an object, got array"},
		{JSON, "null", "it must be an object, got null"},
		{TOML, "a = 1\n[mcp_servers\n", "line 2, column 13: expected ']' to close table name"},
		{TOML, "a = \n", "line 1, column 5: "},
		{YAML, "a: 1\nb: [1", "line 2, column 4: sequence end token ']' not found"},
		{YAML, "- a\n", "line 1, column 1: sequence was used where mapping is expected"},
	}
	for _, tt := range tests {
		_, err := Entries(tt.format, []byte(tt.text), "mcpServers")
		if err == nil {
			t.Errorf("%s: no error", tt.text)
			continue
		}
		got := strings.TrimPrefix(err.Error(), ErrBroken.Error()+": ")
		if !strings.HasPrefix(got, tt.want) || strings.Contains(got, "\n") ||
			strings.ContainsAny(got, "\x1b") || !errors.Is(err, ErrBroken) {
			t.Errorf("%s: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestWithin(t *testing.T) {
	path := []string{"projects", "/home/me/x"}
	put := func(text []byte) ([]byte, error) { return Put(JSON, text, "mcpServers", jsonDoc) }
	before := "{\n  \"mcpServers\": {},\n  \"projects\": {\n    \"/home/me/x\": {\n      \"a\": 1.50 // one\n    }\n  } // end\n}\n"
	after := "{\n  \"mcpServers\": {},\n  \"projects\": {\n    \"/home/me/x\": {\n      \"a\": 1.50, // one\n" +
		"      \"mcpServers\": {\n        \"new\": {\n          \"command\": \"npx\",\n          \"args\": [\n" +
		"            \"-y\"\n          ]\n        }\n      }\n    }\n  } // end\n}\n"
	got, err := Within([]byte(before), path, put)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(after, string(got)); d != "" {
		t.Error(d)
	}
	for text, want := range map[string]error{
		"": ErrNoMember, "{}": ErrNoMember, `{"projects": {}}`: ErrNoMember, `{"projects": []}`: ErrForm,
		`{"projects": {"/home/me/x": 1}}`: ErrForm, `{"projects": `: ErrBroken,
		`{"projects": {"/home/me/x": {"mcpServers": []}}}`: ErrForm,
	} {
		if got, err := Within([]byte(text), path, put); !errors.Is(err, want) {
			t.Errorf("%s: got %s, %v, want %v", text, got, err, want)
		}
	}
}

// TestLastComment edits a text that ends in a comment without a line break.
func TestLastComment(t *testing.T) {
	const before, end = "{\"mcpServers\": {\"a\": {\"command\": \"x\"}}}", " // mine"
	after, err := Put(JSON, []byte(before+end), "mcpServers", `{"mcpServers": {"b": {"command": "y"}}}`)
	if err != nil || !strings.HasSuffix(string(after), "}"+end) || !strings.Contains(string(after), `"y"`) {
		t.Errorf("got %s, %v", after, err)
	}
	entries, err := Entries(JSON, after, "mcpServers")
	if err != nil || len(entries) != 2 {
		t.Errorf("got %v, %v", entries, err)
	}
}
