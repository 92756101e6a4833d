package python

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenName
	tokenNumber
	tokenString
	tokenFormat // an f-string; text is its body, escapes not decoded
	tokenOperator
	tokenNewline
	tokenIndent
	tokenDedent
)

type token struct {
	kind tokenKind
	text string // of a string its value
	raw  bool   // of an f-string: r prefix
	line int
}

const tabWidth = 8

// A lexer splits Python source into tokens. Malformed source yields arbitrary tokens, never an
// error: each step consumes at least one byte.
type lexer struct {
	src     string
	pos     int
	depth   int // of open brackets, which suppress newlines
	indent  []int
	tokens  []token
	line    int // of counted
	counted int
}

// lex returns the tokens of src, ending with tokenEnd.
func lex(src string) []token {
	l := &lexer{src: strings.TrimPrefix(src, "\ufeff"), indent: []int{0}, line: 1}
	l.startLine()
	for l.pos < len(l.src) {
		l.next()
	}
	l.newline()
	for range l.indent[1:] {
		l.add(tokenDedent, "")
	}
	l.add(tokenEnd, "")
	return l.tokens
}

func (l *lexer) add(kind tokenKind, text string) {
	l.tokens = append(l.tokens, token{kind: kind, text: text, line: l.lineNumber()})
}

func (l *lexer) lineNumber() int {
	l.line += strings.Count(l.src[l.counted:l.pos], "\n")
	l.counted = l.pos
	return l.line
}

// newline ends a logical line unless it is empty.
func (l *lexer) newline() {
	if n := len(l.tokens); n > 0 {
		switch l.tokens[n-1].kind {
		case tokenNewline, tokenIndent, tokenDedent:
			return
		}
		l.add(tokenNewline, "")
	}
}

// startLine measures the indentation of the line at pos unless it is blank or a comment.
func (l *lexer) startLine() {
	width := 0
	for ; l.pos < len(l.src); l.pos++ {
		switch l.src[l.pos] {
		case ' ':
			width++
			continue
		case '\t':
			width += tabWidth - width%tabWidth
			continue
		case '\f':
			width = 0
			continue
		}
		break
	}
	if l.pos >= len(l.src) || strings.IndexByte("\r\n#\\", l.src[l.pos]) >= 0 {
		return
	}
	if top := l.indent[len(l.indent)-1]; width > top {
		l.indent = append(l.indent, width)
		l.add(tokenIndent, "")
		return
	}
	for len(l.indent) > 1 && width < l.indent[len(l.indent)-1] {
		l.indent = l.indent[:len(l.indent)-1]
		l.add(tokenDedent, "")
	}
}

// next consumes one token, space or comment.
func (l *lexer) next() {
	c := l.src[l.pos]
	switch {
	case c == '\n':
		l.pos++
		if l.depth == 0 {
			l.newline()
			l.startLine()
		}
	case c == '#':
		if end := strings.IndexByte(l.src[l.pos:], '\n'); end >= 0 {
			l.pos += end
		} else {
			l.pos = len(l.src)
		}
	case c == '\\' && l.lineContinues():
	case c == ' ' || c == '\t' || c == '\r' || c == '\f':
		l.pos++
	case c == '"' || c == '\'':
		l.text("")
	case c >= '0' && c <= '9', c == '.' && l.digitAt(l.pos+1):
		l.number()
	default:
		if r, _ := utf8.DecodeRuneInString(l.src[l.pos:]); c == '_' || unicode.IsLetter(r) {
			l.name()
			return
		}
		l.operator()
	}
}

func (l *lexer) lineContinues() bool {
	rest := l.src[l.pos+1:]
	switch {
	case strings.HasPrefix(rest, "\n"):
		l.pos += 2
	case strings.HasPrefix(rest, "\r\n"):
		l.pos += 3
	default:
		return false
	}
	return true
}

func (l *lexer) digitAt(i int) bool { return i < len(l.src) && l.src[i] >= '0' && l.src[i] <= '9' }

func (l *lexer) number() {
	start := l.pos
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		exponent := (c == '+' || c == '-') && strings.ContainsRune("eE", rune(l.src[l.pos-1])) &&
			!strings.HasPrefix(l.src[start:], "0x")
		if c != '.' && c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && !exponent {
			break
		}
		l.pos++
	}
	l.add(tokenNumber, l.src[start:l.pos])
}

func (l *lexer) name() {
	start := l.pos
	for l.pos < len(l.src) {
		r, size := utf8.DecodeRuneInString(l.src[l.pos:])
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r) {
			break
		}
		l.pos += size
	}
	word := l.src[start:l.pos]
	if l.pos < len(l.src) && (l.src[l.pos] == '"' || l.src[l.pos] == '\'') && isPrefix(word) {
		l.text(strings.ToLower(word))
		return
	}
	l.add(tokenName, word)
}

// isPrefix reports whether a word before a quote belongs to the string.
func isPrefix(word string) bool {
	return slices.Contains([]string{"r", "b", "u", "f", "t", "br", "rb", "fr", "rf", "tr", "rt"}, strings.ToLower(word))
}

// text reads a string whose opening quote is at pos.
func (l *lexer) text(prefix string) {
	quote := l.src[l.pos : l.pos+1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(l.src[l.pos:], triple) {
		quote = triple
	}
	l.pos += len(quote)
	raw := strings.Contains(prefix, "r")
	format := strings.ContainsAny(prefix, "ft")
	start := l.pos
	end := l.stringEnd(quote, format)
	body := strings.ReplaceAll(l.src[start:end], "\r\n", "\n")
	switch {
	case format:
		l.tokens = append(l.tokens, token{tokenFormat, body, raw, l.lineNumber()})
	case raw:
		l.add(tokenString, body)
	default:
		l.add(tokenString, unescape(body))
	}
}

// stringEnd moves pos after the closing quote and returns the position of that quote. A string
// with single quotes ends at the end of its line at the latest. In the braces of an f-string,
// quotes belong to the expression.
func (l *lexer) stringEnd(quote string, format bool) int {
	braces := 0
	for l.pos < len(l.src) {
		rest := l.src[l.pos:]
		switch c := rest[0]; {
		case c == '\\' && len(rest) > 1:
			l.pos += 2
			continue
		case strings.HasPrefix(rest, quote) && (braces == 0 || len(quote) == 3):
			end := l.pos
			l.pos += len(quote)
			return end
		case c == '\n' && len(quote) == 1:
			return l.pos
		case format && (strings.HasPrefix(rest, "{{") || strings.HasPrefix(rest, "}}")) && braces == 0:
			l.pos++
		case format && c == '{':
			braces++
		case format && c == '}' && braces > 0:
			braces--
		}
		l.pos++
	}
	return len(l.src)
}

func (l *lexer) operator() {
	for _, op := range []string{
		"**=", "//=", ">>=", "<<=", "...", "**", "//", ">>", "<<", "<=", ">=", "==", "!=", "->",
		"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=", ":=",
	} {
		if strings.HasPrefix(l.src[l.pos:], op) {
			l.pos += len(op)
			l.add(tokenOperator, op)
			return
		}
	}
	_, size := utf8.DecodeRuneInString(l.src[l.pos:])
	op := l.src[l.pos : l.pos+size]
	switch op {
	case "(", "[", "{":
		l.depth++
	case ")", "]", "}":
		l.depth = max(0, l.depth-1)
	}
	l.pos += size
	l.add(tokenOperator, op)
}

// unescape decodes the escapes of a string without r prefix. Unknown escapes are unchanged, as in
// Python.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	simple := map[byte]string{
		'\n': "", '\\': `\`, '\'': "'", '"': `"`, 'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n",
		'r': "\r", 't': "\t", 'v': "\v",
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if text, ok := simple[s[i]]; ok {
			b.WriteString(text)
			continue
		}
		if n := digits[s[i]]; n > 0 && i+n < len(s) {
			if code, err := strconv.ParseUint(s[i+1:i+1+n], 16, 32); err == nil {
				b.WriteRune(rune(code))
				i += n
				continue
			}
		}
		if s[i] >= '0' && s[i] <= '7' {
			end := i
			for end < len(s) && end < i+3 && s[end] >= '0' && s[end] <= '7' {
				end++
			}
			code, _ := strconv.ParseUint(s[i:end], 8, 32)
			b.WriteRune(rune(code))
			i = end - 1
			continue
		}
		b.WriteByte('\\')
		b.WriteByte(s[i])
	}
	return b.String()
}
