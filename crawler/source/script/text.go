package script

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unquote returns the value of a string literal.
func unquote(b []byte) string {
	if len(b) < 2 {
		return string(b)
	}
	return unescape(string(b[1 : len(b)-1]))
}

// templateText returns the text of a part of a template literal, which has its
// delimiters.
func templateText(b []byte) string {
	s := string(b)
	if s != "" && (s[0] == '`' || s[0] == '}') {
		s = s[1:]
	}
	if t, ok := strings.CutSuffix(s, "${"); ok {
		s = t
	} else {
		s = strings.TrimSuffix(s, "`")
	}
	return unescape(strings.ReplaceAll(s, "\r\n", "\n"))
}

var escapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', 'v': '\v', '0': 0}

func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		i += unescapeOne(&b, s[i:])
	}
	return b.String()
}

// unescapeOne writes the character of the escape at the start of s and returns
// the length of the escape.
func unescapeOne(b *strings.Builder, s string) int {
	switch c := s[1]; {
	case c == 'x' || c == 'u':
		r, n := codePoint(s)
		if n == 0 {
			return 2
		}
		if utf16.IsSurrogate(r) {
			if low, m := codePoint(s[n:]); m > 0 && utf16.DecodeRune(r, low) != utf8.RuneError {
				r, n = utf16.DecodeRune(r, low), n+m
			}
		}
		b.WriteRune(r)
		return n
	case strings.HasPrefix(s[1:], "\r\n"):
		return 3
	case c == '\n' || c == '\r':
	case escapes[c] != 0 || c == '0':
		b.WriteByte(escapes[c])
	default:
		b.WriteByte(c)
	}
	return 2
}

// codePoint returns the character of an escape at the start of s and the length
// of the escape, or 0 if there is none.
func codePoint(s string) (rune, int) {
	digits, n := "", 0
	switch {
	case strings.HasPrefix(s, `\x`) && len(s) >= 4:
		digits, n = s[2:4], 4
	case strings.HasPrefix(s, `\u{`):
		end := strings.IndexByte(s, '}')
		if end < 0 {
			return 0, 0
		}
		digits, n = s[3:end], end+1
	case strings.HasPrefix(s, `\u`) && len(s) >= 6:
		digits, n = s[2:6], 6
	default:
		return 0, 0
	}
	r, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || r > utf8.MaxRune {
		return 0, 0
	}
	return rune(r), n
}
