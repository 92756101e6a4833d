package readme

import (
	"strings"
	"testing"
	"unicode/utf8"

	"mcpcensus/crawler/untyped"
)

// fuzz runs a parser on any bytes: it must return storable text.
func fuzz(f *testing.F, parse func(b []byte) []string, seeds ...string) {
	for _, s := range append(seeds, "", "{}", "[]", "\x00", "\xFF\xFE{", "\xEF\xBB\xBF") {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, s := range parse(b) {
			if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
				t.Fatalf("%q cannot be stored", s)
			}
			if len(s) > untyped.MaxSize {
				t.Fatalf("a string of %d bytes", len(s))
			}
		}
	})
}

func FuzzReadme(f *testing.F) {
	fuzz(f, func(b []byte) (out []string) {
		r, err := Parse(b)
		if err != nil {
			t := err.Error()
			if strings.Contains(t, "could not be parsed") {
				panic(t) // the parser recovered a panic
			}
			return nil
		}
		for _, t := range r.Tools {
			out = append(out, t.Name, t.Description)
		}
		for _, v := range r.Variables {
			out = append(out, v.Name, v.Description)
		}
		return append(out, r.Title, r.Summary, r.Text, r.DeprecationText, r.Successor)
	}, "# X\n\nThis repository is deprecated. Use [y](https://y.dev) instead.\n\n## Tools\n\n- `a_b` - does\n  - `c` (string)\n\n| Tool | Does |\n|--|--|\n| `t_u` | x |\n\n```json\n{\"mcpServers\": {\"x\": {\"command\": \"npx\", \"args\": [\"-y\", \"p\"], \"env\": {\"A_KEY\": \"x\"}}}}\n```\n")
}

func FuzzTools(f *testing.F) {
	fuzz(f, func(b []byte) (out []string) {
		tools, err := ParseTools(b)
		if err != nil {
			if strings.Contains(err.Error(), "could not be parsed") {
				panic(err) // the parser recovered a panic
			}
			return nil
		}
		for _, t := range tools {
			out = append(out, t.Name, t.Description)
		}
		return out
	}, "# Tools\n\n## Sea\n\n- **tide**: says when the water is high\n\n| Tool | Does | Status |\n|--|--|--|\n| `moon_phase` | draws the moon | planned |\n\n## star_chart\n\nAll the stars.\n")
}
