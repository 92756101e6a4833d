package format

import (
	"net/url"
	"slices"
	"strings"

	"mcpcensus/internal/text"
)

// Markdown returns a text from outside as Markdown in one line that means
// that text and nothing else: no emphasis, link, HTML, image or list.
func Markdown(s string) string {
	var b strings.Builder
	rs := []rune(text.OneLine(s))
	for n, r := range rs {
		if strings.ContainsRune("\\`*_{}[]<>#|~&@^$!", r) || endsMarker(rs, n) || startsURL(rs, n) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// endsMarker reports whether the character at n ends the marker of a list, a
// heading or a table, which only the beginning of a line can have.
func endsMarker(rs []rune, n int) bool {
	switch r := rs[n]; r {
	case '+', '-', '=', ':':
		return n == 0
	case '.', ')': // after a number
		digits := !slices.ContainsFunc(rs[:n], func(r rune) bool { return r < '0' || r > '9' })
		return n > 0 && digits && (n+1 == len(rs) || rs[n+1] == ' ')
	}
	return false
}

// startsURL reports whether the character at n starts a link in dialects that link bare URLs.
func startsURL(rs []rune, n int) bool {
	before := strings.ToLower(string(rs[max(0, n-6):n]))
	switch rs[n] {
	case '.':
		return strings.HasSuffix(before, "www")
	case ':':
		return strings.HasPrefix(string(rs[n+1:min(n+3, len(rs))]), "//") ||
			strings.HasSuffix(before, "mailto") || strings.HasSuffix(before, "xmpp")
	}
	return false
}

// MarkdownCode returns a text from outside as inline code, "" for an empty text.
func MarkdownCode(s string) string {
	if s = text.OneLine(s); s == "" {
		return ""
	}
	fence := strings.Repeat("`", longestRun(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// MarkdownBlock returns a text from outside as a block of code.
func MarkdownBlock(s string) string {
	s = text.Visible(s)
	fence := strings.Repeat("`", max(3, longestRun(s)+1))
	return fence + "\n" + strings.TrimRight(s, "\n") + "\n" + fence + "\n"
}

// longestRun is the length of the longest run of backticks.
func longestRun(s string) (most int) {
	n := 0
	for _, r := range s {
		if r != '`' {
			n = 0
			continue
		}
		n++
		most = max(most, n)
	}
	return most
}

// MarkdownLink returns an address from outside as a link, "" if it may not be
// linked to.
func MarkdownLink(address string) string {
	if SafeURL(address) == "" {
		return ""
	}
	u, err := url.Parse(address)
	if err != nil || strings.ContainsFunc(address, func(r rune) bool { return r > '~' || r < '!' || r == '`' }) {
		return ""
	}
	return "<" + u.String() + ">"
}
