package crawler

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestProse(t *testing.T) {
	long := strings.Repeat("word ", 100)
	tests := map[string]struct {
		in, want string
		ok       bool
	}{
		"plain":                  {"# Wetter für alle", "# Wetter für alle", true},
		"UTF-8 with a mark":      {"\xef\xbb\xbf# Weather", "# Weather", true},
		"UTF-16 little-endian":   {"\xff\xfe#\x00 \x00\xe9\x00", "# é", true},
		"UTF-16 big-endian":      {"\xfe\xff\x00#\x00 \x00\xe9", "# é", true},
		"UTF-16 of odd length":   {"\xff\xfe#\x00 ", "#\uFFFD", true},
		"a NUL byte":             {long + "\x00end", long + "end", true},
		"NUL bytes all over":     {strings.Repeat("a\x00", 50), "", false},
		"invalid UTF-8":          {"a\xffb", "a\uFFFDb", true},
		"nothing":                {"", "", true},
		"a picture":              {"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "", false},
		"UTF-16 without content": {"\xff\xfe", "", true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got, ok := Prose(test.in); got != test.want || ok != test.ok {
				t.Errorf("%q, %v; want %q, %v", got, ok, test.want, test.ok)
			}
		})
	}
}

func FuzzProse(f *testing.F) {
	f.Add("# Weather")
	f.Add("\xff\xfe#\x00")
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := Prose(s)
		if len(got) > maxSourceText || !utf8.ValidString(got) || strings.ContainsRune(got, 0) || !ok && got != "" {
			t.Errorf("%q, %v", got, ok)
		}
	})
}
