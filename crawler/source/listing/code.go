package listing

import (
	"regexp"
	"strings"

	"mcpcensus/crawler/paths"
)

// A syntax describes what of a language's texts is not code.
type syntax struct {
	line    string      // begins a comment that ends with its line
	quotes  string      // of texts of one line
	long    [][2]string // begin and end of comments and texts of several lines
	slashes bool        // expressions in slashes
}

var (
	comments = [2]string{"/*", "*/"}
	tripled  = [2]string{`"""`, `"""`}

	script = syntax{"//", `"'`, [][2]string{comments, {"`", "`"}}, true}
	java   = syntax{"//", `"`, [][2]string{comments, tripled}, false}
)

// syntaxes are the syntaxes of the languages in which the use of an SDK is read.
var syntaxes = map[string]syntax{
	"TypeScript": script, "JavaScript": script, "Java": java, "Kotlin": java, "Scala": java, "Groovy": java, "C#": java,
	"Swift":  java,
	"Python": {"#", `"'`, [][2]string{tripled, {"'''", "'''"}}, false},
	"Go":     {"//", `"`, [][2]string{comments, {"`", "`"}}, false},
	"Rust":   {"//", `"`, [][2]string{comments, {`r#"`, `"#`}}, false},
	"Ruby":   {"#", `"'`, nil, false},
	"PHP":    {"//", `"'`, [][2]string{comments}, false},
}

// CodeOf returns the text of a source file without comments and without texts of several lines, which
// often are programs that the program writes; "" in languages whose syntax is not known. Lines keep
// their numbers.
func CodeOf(file, text string) string {
	s, known := syntaxes[paths.Language(file)]
	if !known {
		return ""
	}
	marks := s.line[:1] + s.quotes
	for _, l := range s.long {
		marks += l[0][:1]
	}
	var b strings.Builder
	for text != "" {
		n := strings.IndexAny(text, marks)
		if n < 0 {
			n = len(text)
		}
		b.WriteString(text[:n])
		if text = text[n:]; text != "" {
			n, keep := s.enclosed(text, b.String())
			if keep {
				b.WriteString(text[:n])
			} else {
				b.WriteString(" " + strings.Repeat("\n", strings.Count(text[:n], "\n")))
			}
			text = text[n:]
		}
	}
	return b.String()
}

// enclosed returns the length of what begins at a mark, and whether it is part of the code.
func (s syntax) enclosed(text, before string) (n int, code bool) {
	for _, l := range s.long {
		if strings.HasPrefix(text, l[0]) {
			return endOf(text, len(l[0]), l[1], ""), false
		}
	}
	switch {
	case strings.HasPrefix(text, s.line):
		return endOf(text, len(s.line), "", "\n"), false
	case strings.IndexByte(s.quotes, text[0]) >= 0:
		return endOf(text, 1, text[:1], "\n"), true
	case s.slashes && text[0] == '/' && beforeSlash.MatchString(before[max(0, len(before)-40):]):
		return endOf(text, 1, "/", "\n"), false
	}
	return 1, true
}

// beforeSlash matches code after which a slash begins an expression.
var beforeSlash = regexp.MustCompile(`(?:^|[(,=:\[!&|?{};\n]|\breturn)[ \t]*$`)

// endOf returns the length of a text that begins with a mark of n bytes and ends with another
// one, or before limit. In texts of one line, a backslash quotes the next byte.
func endOf(text string, n int, end, limit string) int {
	for i := n; i < len(text); i++ {
		switch {
		case limit != "" && strings.HasPrefix(text[i:], limit):
			return i
		case end != "" && strings.HasPrefix(text[i:], end):
			return i + len(end)
		case text[i] == '\\' && len(end) == 1:
			i++
		}
	}
	return len(text)
}
