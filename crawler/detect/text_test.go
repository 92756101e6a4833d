package detect

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"A [link](https://a.dev) and `code`": "A link and code",
		"**Bold**\n<b>and</b>\ttabs":         "Bold and tabs",
		"🚀 Rocket → ":                        "Rocket",
		"a\u202eb\x00c":                      "abc",
		strings.Repeat("word ", 30):          strings.Repeat("word ", 19) + "…",
		strings.Repeat("Ten words. ", 12):    strings.TrimSpace(strings.Repeat("Ten words. ", 9)),
		strings.Repeat("x", 120):             strings.Repeat("x", 97) + "…",
	} {
		want = strings.Replace(want, " …", "…", 1)
		if got := plain(in, 100); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestWordsOf(t *testing.T) {
	for in, want := range map[string][]string{
		"@octo/mcp-server-google-maps": {"octo", "google", "maps"},
		"BlenderMCP":                   {"blendermcp", "blender"},
		"mcp-server":                   nil,
	} {
		if d := cmp.Diff(want, wordsOf(in)); d != "" {
			t.Errorf("%q: %s", in, d)
		}
	}
}

func TestOverlap(t *testing.T) {
	for name, tt := range map[string]struct {
		a, b     []string
		any, all bool
	}{
		"equal":           {[]string{"sql"}, []string{"my", "sql"}, true, true},
		"one of two":      {[]string{"sql", "sea"}, []string{"sql", "air"}, true, false},
		"part of a word":  {[]string{"blender"}, []string{"blendermcp"}, true, true},
		"part of a short": {[]string{"sql"}, []string{"mysql"}, false, false},
		"nothing":         {nil, []string{"a"}, false, false},
	} {
		if got := overlap(tt.a, tt.b); got != tt.any {
			t.Errorf("%s: overlap is %v", name, got)
		}
		if got := overlapAll(tt.a, tt.b); got != tt.all {
			t.Errorf("%s: overlapAll is %v", name, got)
		}
	}
}
