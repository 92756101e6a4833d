package clientfile

import (
	"errors"
	"strings"
	"testing"
)

// TestDeep checks that files with values nested deep are refused, and do not exhaust the stack.
func TestDeep(t *testing.T) {
	const deep = 4 << 20
	for name, tt := range map[string]struct {
		format Format
		text   string
	}{
		"JSON lists":    {JSON, `{"a": ` + strings.Repeat("[", deep)},
		"JSON objects":  {JSON, strings.Repeat(`{"a":`, deep)},
		"TOML lists":    {TOML, "a = " + strings.Repeat("[", deep)},
		"TOML tables":   {TOML, "a = " + strings.Repeat("{a=", deep)},
		"YAML lists":    {YAML, "a: " + strings.Repeat("[", deep)},
		"YAML sequence": {YAML, strings.Repeat("- ", deep) + "a"},
		"YAML mappings": {YAML, "a: " + strings.Repeat("{a: ", deep)},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Entries(tt.format, []byte(tt.text), "a"); !errors.Is(err, ErrBroken) {
				t.Errorf("got %v", err)
			}
		})
	}
	// Brackets in texts are not nested.
	text := `{"a": {"b": "` + strings.Repeat(`[\"{`, 1<<20) + `"}}`
	if _, err := Entries(JSON, []byte(text), "a"); err != nil {
		t.Error(err)
	}
}
