package install

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpcensus/internal/text"
)

// sound reports whether a text is safe as a word of a command line: valid UTF-8 of limited
// length without control characters and characters that change the text direction.
func sound(s string) bool {
	if len(s) > 2000 || !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if unicode.IsControl(r) || r == 0x2028 || r == 0x2029 || unicode.Is(unicode.Bidi_Control, r) {
			return false
		}
	}
	return true
}

// variable converts a text to the name of a variable.
func variable(s string) string {
	s = strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return r
		}
		return '_'
	}, s), "_")
	if len(s) > 60 {
		s = s[:60]
	}
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		s = "VALUE_" + s
	}
	return strings.TrimRight(s, "_")
}

// oneLine returns a text on one line, of at most 200 bytes.
func oneLine(s string) string { return text.Shorten(text.OneLine(s), 200) }

// hollowExample matches generic placeholders, which are not examples.
var hollowExample = regexp.MustCompile(
	`(?i)^(?:<[^<>]*>|\[[^\[\]]*\]|\$?\{[^{}]*\}|\.{3}|…|x{3,}|your[-_ ][a-z _-]*(?:here)?)$`)

// exampleOf returns a placeholder as an example on one line, "" for generic placeholders.
func exampleOf(placeholder string) string {
	if e := oneLine(placeholder); !hollowExample.MatchString(e) {
		return e
	}
	return ""
}

// excerpt shortens a text for use in a sentence to one line of at most 60 characters.
func excerpt(s string) string {
	s = oneLine(s)
	if r := []rune(s); len(r) > 60 {
		s = string(r[:60]) + "…"
	}
	return s
}
