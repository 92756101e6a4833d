package mcp

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain", "Größe: 3 < 4 & 日本語\n\tindented", "Größe: 3 < 4 & 日本語\n\tindented"},
		{"six", "\x1b\u202e\u200b\U000E0041\u2028\u0085",
			"<U+001B><U+202E><U+200B><U+E0041><U+2028><U+0085>"},
		{"lines", "a\r\nb\rc", "a\nb<U+000D>c"},
		{"invalid", "a\xffb", "a\ufffdb"},
		{"comment", "a<!-- b -->c<!-- d", "ac"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := clean(c.text); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestCleanAll(t *testing.T) {
	text := "b\u200b"
	out := &listToolsOutput{
		ID: "a\u200b", Version: &text, Warnings: []string{"c\u200b"},
		Tools: []toolEntry{
			{Name: "d\u200b", InputSchema: json.RawMessage("{\"e\u200b\":[\"f\\u200b\",12345678901234567890]}")},
			{Name: "g", InputSchema: json.RawMessage("{")},
		},
	}
	cleanAll(reflect.ValueOf(out))
	b := "b<U+200B>"
	want := &listToolsOutput{
		ID: "a<U+200B>", Version: &b, Warnings: []string{"c<U+200B>"},
		Tools: []toolEntry{{Name: "d<U+200B>",
			InputSchema: json.RawMessage(`{"e<U+200B>":["f<U+200B>",12345678901234567890]}`)}, {Name: "g"}},
	}
	if diff := cmp.Diff(want, out); diff != "" {
		t.Error(diff)
	}
}

func TestInstructions(t *testing.T) {
	if len(instructions) > 600 {
		t.Errorf("%d characters, at most 600 are allowed", len(instructions))
	}
}

func TestFit(t *testing.T) {
	items := make([]string, 100)
	for i := range items {
		items[i] = `"` + string(make([]byte, 200)) // each byte takes 6 bytes as JSON, 7 as text
	}
	n := fit(struct{ A []string }{[]string{}}, items)
	if size := sizeOf(struct{ A []string }{items[:n]}); n == 0 || size > room {
		t.Errorf("%d items, %d bytes, at most %d are allowed", n, size, room)
	}
}
