package format

import (
	"html"
	"html/template"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpcensus/internal/text"
)

// Clip returns the first n characters of a text, as valid UTF-8.
func Clip(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if r := []rune(s); len(r) > n {
		return string(r[:n])
	}
	return s
}

// Capital returns s with an upper-case first letter.
func Capital(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	if first == utf8.RuneError {
		return s
	}
	return string(unicode.ToUpper(first)) + s[n:]
}

// maxXMLText is the length in characters of the longest text in XML.
const maxXMLText = 500

// XMLText returns a text in one line, at most 500 characters long, without
// characters that XML 1.0 forbids. It does not escape markup.
func XMLText(s string) string { return text.Fit(text.OneLine(s), maxXMLText) }

// maxURL is the maximum length in bytes of a linked URL.
const maxURL = 2000

// SafeURL returns an external URL if pages may link to it, otherwise "".
func SafeURL(s string) string {
	if len(s) > maxURL || !strings.HasPrefix(s, "https://") && !strings.HasPrefix(s, "http://") ||
		text.Unsafe(s) != "" || strings.ContainsAny(s, " \"'<>\\") {
		return ""
	}
	return s
}

var urlInText = regexp.MustCompile(`https?://[^\s<>"']+[^\s<>"'.,;:!?)\]]`)

// Linked returns a text of the operator as HTML, with URLs as links.
func Linked(s string) template.HTML {
	var b strings.Builder
	end := 0
	for _, at := range urlInText.FindAllStringIndex(s, -1) {
		to := SafeURL(s[at[0]:at[1]])
		if to == "" {
			continue
		}
		to = html.EscapeString(to)
		b.WriteString(html.EscapeString(s[end:at[0]]) + `<a href="` + to + `">` + to + "</a>")
		end = at[1]
	}
	return template.HTML(b.String() + html.EscapeString(s[end:]))
}
