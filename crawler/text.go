package crawler

import (
	"strings"
	"unicode/utf8"
)

// Clean returns s as valid UTF-8 without NUL and surrounding space, cut to at
// most size bytes.
func Clean(s string, size int) string {
	s = strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "\uFFFD")
	if len(s) > size {
		s = strings.ToValidUTF8(s[:size], "")
	}
	return strings.TrimSpace(s)
}

// Text returns the content of a file as it is stored: valid UTF-8 without a
// byte order mark, cut to [MaxText]. It reports false for binary files.
func Text(s string) (string, bool) {
	s = cut(s, MaxText)
	if strings.ContainsRune(s, 0) {
		return "", false
	}
	return strings.TrimPrefix(strings.ToValidUTF8(s, "\uFFFD"), "\uFEFF"), true
}

// cut shortens a text to at most size bytes without splitting a character.
func cut(s string, size int) string {
	if len(s) <= size {
		return s
	}
	for size > 0 && !utf8.RuneStart(s[size]) {
		size--
	}
	return s[:size]
}
